"""The pygls seam: a protocol class that answers everything, and sends what was meant.

Owns the way from a decoded JSON object to a handler and back, the ids of our own requests, and the
error object.
Deliberately knows no `sidecar/*` method: `dispatch` is handed in.

Stock pygls (2.1) turns custom params into namedtuples with renamed keys, drops a message whose
params hold a `jsonrpc` key, leaves a request without params unanswered, raises on a late answer
to a cancelled request, sends tracebacks, counts characters as bytes, and logs bodies.
Invariant: every request gets exactly one answer, and no traceback crosses the wire.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import uuid
from typing import TYPE_CHECKING, Any

import attrs
import cattrs
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcServerNotInitialized,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from sidecar.framing import MESSAGE_LIMIT_BYTES, Fault, encode
from sidecar.protocol import ERROR_CODES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from cattrs import Converter

    from sidecar.stdio import Writer

logger = logging.getLogger(__name__)

# pygls logs whole messages, prompts and file contents included; what matters of its errors is
# logged here.
logging.getLogger("pygls").setLevel(logging.CRITICAL)

# Answers wait without limit of their own, so a client that asks and never reads is told to ask
# again instead: 16 MiB is sixteen of the largest answers.
_BACKLOG_BYTES = 16 << 20
_DOCUMENT_SYNC = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
)
_KINDS = {code: kind for kind, code in ERROR_CODES.items() if code < 0}


@attrs.define
class RawRequest:
    """A request whose params stay what JSON made of them."""

    id: str | int
    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@attrs.define
class RawNotification:
    """A notification whose params stay what JSON made of them."""

    method: str
    params: Any = None
    jsonrpc: str = "2.0"


@attrs.define
class RawResponse:
    """An answer to a request of ours whose result stays what JSON made of it."""

    id: str | int
    result: Any = None
    jsonrpc: str = "2.0"


def error_of(kind: str, message: str, **details: Any) -> JsonRpcException:
    """The exception that is answered as `{code, message, data: {kind, details}}`."""
    return JsonRpcException(message, ERROR_CODES[kind], {"kind": kind, "details": details})


class SidecarProtocol(LanguageServerProtocol):
    """One connection.

    `dispatch` gets every `sidecar/*` request, `on_shutdown` is awaited before `shutdown` is
    answered, `on_exit` gets the exit code, `experimental` goes out with the capabilities.
    """

    writer: Writer | None

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.on_exit: Callable[[int], None] = lambda _code: None
        self.on_shutdown: Callable[[], Awaitable[None]] | None = None
        self.dispatch: Callable[[str, Any], Awaitable[Any]] | None = None
        self.experimental: dict[str, Any] = {}
        self._initialized = False
        for method in _DOCUMENT_SYNC:  # pygls' own cut lines at U+2028; see sidecar.documents
            self.fm.builtin_features.pop(method, None)

    # --- in ---

    def receive(self, messages: list[dict[str, Any] | Fault]) -> None:
        """Handle what one read brought; never raises."""
        for message in messages:
            try:
                if isinstance(message, Fault):
                    logger.warning("%s: %s", message.kind, message.message)
                    self._send_error(message.id, error_of(message.kind, message.message))
                else:
                    self._receive_object(message)
            except Exception:
                logger.exception("a message could not be handled")

    def _receive_object(self, raw: dict[str, Any]) -> None:
        method = raw.get("method")
        if method is None and ("result" in raw or "error" in raw):
            self._receive_answer(raw)
            return
        is_request = raw.get("id") is not None
        msg_id = _checked_id(raw)
        try:
            if is_request and msg_id is None:
                raise JsonRpcInvalidRequest('"id" must be a string or an integer')
            if raw.get("jsonrpc") != "2.0":
                raise JsonRpcInvalidRequest('"jsonrpc" must be "2.0"')
            if not isinstance(method, str):
                raise JsonRpcInvalidRequest('"method" must be a string')
            if self._in_order(method, is_request=is_request):
                self.handle_message(self._call(raw, method, is_request=is_request))
        except JsonRpcException as error:
            if is_request or not isinstance(method, str):
                self._send_error(msg_id, error)
            else:
                logger.warning("notification %s ignored: %s", method, error.message)

    def _receive_answer(self, raw: dict[str, Any]) -> None:
        """An answer is never answered: a bad one fails the request it belongs to."""
        msg_id = _checked_id(raw)
        if msg_id is None or raw.get("jsonrpc") != "2.0":
            logger.warning("an answer without a usable id was ignored")
            return
        try:
            self.handle_message(self._response(raw, msg_id))
        except JsonRpcException as error:
            self._fail_request(msg_id, error)

    def _fail_request(self, msg_id: str | int, error: JsonRpcException) -> None:
        future = self._request_futures.pop(msg_id, None)
        if future is not None and not future.done():
            future.set_exception(error)

    def _in_order(self, method: str, *, is_request: bool) -> bool:
        """LSP's life: initialize first and once, nothing after shutdown but exit."""
        if method == types.EXIT:
            return True
        if self._shutdown:
            problem: JsonRpcException = JsonRpcInvalidRequest("the server is shutting down")
        elif not self._initialized and method != types.INITIALIZE:
            problem = JsonRpcServerNotInitialized("send initialize first")
        elif self._initialized and method == types.INITIALIZE:
            problem = JsonRpcInvalidRequest("initialize was sent before")
        else:
            return True
        if is_request:
            raise problem
        return False

    def _call(self, raw: dict[str, Any], method: str, *, is_request: bool) -> Any:
        known = None if method.startswith("sidecar/") else self.get_message_type(method)
        if known is not None:
            return self._structured({"params": None, **raw}, known)
        if is_request:
            return RawRequest(raw["id"], method, raw.get("params"))
        return RawNotification(method, raw.get("params"))

    def _response(self, raw: dict[str, Any], msg_id: str | int) -> Any:
        if "error" in raw:
            return self._structured(raw, types.ResponseErrorMessage)
        known = self._result_types.pop(msg_id, None)
        if known is None:
            return RawResponse(msg_id, raw["result"])
        return self._structured(raw, known)

    def _structured(self, raw: dict[str, Any], known: type[Any]) -> Any:
        try:
            return self._converter.structure(raw, known)
        except Exception as error:
            problems = [
                {"path": path.strip(), "message": text.strip()}
                for text, _, path in (
                    line.rpartition(" @ ") for line in cattrs.transform_error(error)
                )
            ]
            raise JsonRpcInvalidParams(
                "invalid params: " + "; ".join(f"{p['path']}: {p['message']}" for p in problems),
                data={"kind": "invalidParams", "details": {"problems": problems}},
            ) from error

    def _get_handler(self, feature_name: str) -> Any:
        if feature_name.startswith("sidecar/") and self.dispatch is not None:
            return functools.partial(_run, self.dispatch, feature_name)
        return super()._get_handler(feature_name)

    def _handle_notification(self, method_name: str, params: Any) -> None:
        if method_name.startswith("sidecar/"):
            logger.info("notification %s ignored: the client sends none of that area", method_name)
            return
        super()._handle_notification(method_name, params)

    def _handle_response(
        self, msg_id: str | int, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        future = self._request_futures.get(msg_id)
        if future is not None and future.done():  # a late answer to a request that was cancelled
            self._request_futures.pop(msg_id, None)
            return
        super()._handle_response(msg_id, result, error)

    # --- out ---

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """A notification of ours, its params as they are."""
        self._send_data({"jsonrpc": "2.0", "method": method, "params": params})

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """A request of ours with a raw result; cancelling it tells the client so."""
        msg_id = f"sidecar-{uuid.uuid4()}"
        try:
            return await self.send_request_async(method, params, msg_id=msg_id)
        except asyncio.CancelledError:
            self.notify(types.CANCEL_REQUEST, types.CancelParams(id=msg_id))
            raise
        finally:
            self._result_types.pop(msg_id, None)

    def _send_response(
        self, msg_id: str | int, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if error is None and self.writer is not None and self.writer.pending_bytes > _BACKLOG_BYTES:
            self._send_error(msg_id, error_of("retryLater", "answers wait unread; ask again"))
        elif error is None:
            self._result_types.pop(msg_id, None)
            self._send_data({"jsonrpc": "2.0", "id": msg_id, "result": result})
        else:
            self._send_error(msg_id, JsonRpcException(error.message, error.code, error.data))

    def _send_error(self, msg_id: str | int | None, error: JsonRpcException) -> None:
        data = error.data
        if not (isinstance(data, dict) and "kind" in data):  # pygls' own put a traceback there
            data = {"kind": _KINDS.get(error.code, "internal"), "details": {}}
        error_object = {"code": error.code, "message": error.message, "data": data}
        self._send_data({"jsonrpc": "2.0", "id": msg_id, "error": error_object})

    def _send_data(self, data: Any) -> None:
        if self.writer is None:
            return
        message = data if isinstance(data, dict) else self._converter.unstructure(data)
        method = message.get("method")
        try:
            framed = encode(message, self._serialize_message)
        except (TypeError, ValueError) as error:
            self._unsendable(message, error_of("internal", f"not encodable: {error}"))
            return
        # Edits of open documents are the editor's business, whatever their size.
        if len(framed) <= MESSAGE_LIMIT_BYTES or not (method or "sidecar/").startswith("sidecar/"):
            self.writer.write(framed)
            return
        text = f"the answer would have {len(framed)} bytes; ask for less, or read it in parts"
        self._unsendable(message, error_of("messageTooLarge", text))

    def _unsendable(self, message: dict[str, Any], error: JsonRpcException) -> None:
        """An answer becomes an error, a request of ours fails, a notification is only logged."""
        method, msg_id = message.get("method"), message.get("id")
        logger.error("%s: %s", method or f"the answer to {msg_id}", error.message)
        if method is not None and msg_id is not None:
            self._fail_request(msg_id, error)
        elif method is None and "error" not in message:
            self._send_error(msg_id, error)

    # --- life ---

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Answer with the capabilities, and under `experimental` with what was negotiated."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = self.experimental
        self._initialized = True
        return result

    @lsp_method(types.SHUTDOWN)
    async def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]  # pygls yields
        """Nothing is taken any more; answered once everything is on disk and at rest."""
        self._shutdown = True
        if self.on_shutdown is not None:
            await self.on_shutdown()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]  # pygls yields
        """End in order: 0 after `shutdown`, 1 without."""
        self.on_exit(0 if self._shutdown else 1)


def _checked_id(raw: dict[str, Any]) -> str | int | None:
    msg_id = raw.get("id")
    return msg_id if isinstance(msg_id, (str, int)) and not isinstance(msg_id, bool) else None


async def _run(dispatch: Callable[[str, Any], Awaitable[Any]], method: str, params: Any) -> Any:
    return await dispatch(method, params)


class SidecarServer(LanguageServer):
    """pygls' server without its popups: what goes wrong out of band is logged, not shown."""

    protocol: SidecarProtocol

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log the kind of error and where it came from."""
        logger.error("%s: %s", getattr(source, "__name__", source), error)
