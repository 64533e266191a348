"""One connection's daemon: negotiation, life and death, and who gets which message.

Owns the order of things: nothing but pygls is imported before `initialize` is answered, the rest
comes in a thread after it; the process ends when the client says so, closes the pipe or dies, and
takes its sessions along.
Deliberately knows no method of `sidecar/*` (that is `sidecar.handlers`) and no policy.

Invariant: a client that did not opt in never gets a `sidecar/*` message; and once the end is
decided, it comes within `END_S`, whatever hangs.
"""

from __future__ import annotations

import asyncio
import functools
import importlib
import logging
import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from sidecar import __version__
from sidecar.documents import Documents, Editor
from sidecar.errors import NotOptedIn, SidecarError, UnsupportedVersion
from sidecar.outbox import Outbox
from sidecar.protocol import PROTOCOL_VERSIONS
from sidecar.rpc import SidecarProtocol, SidecarServer, error_of
from sidecar.stdio import Writer, gone, start_reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.handlers import Handlers

logger = logging.getLogger(__name__)

END_S = 1.5  # editors kill a server two seconds after `shutdown`


@dataclass(frozen=True, slots=True)
class Agreement:
    """What client and server agreed on; `version` is None where they did not."""

    opted_in: bool = False
    version: str | None = None

    def check(self) -> None:
        """Raise what every `sidecar/*` request is answered with, or nothing."""
        if not self.opted_in:
            raise NotOptedIn(
                "the client did not opt in; declare capabilities.experimental.sidecar or "
                "initializationOptions.sidecar with protocolVersions when initialising"
            )
        if self.version is None:
            raise UnsupportedVersion(
                f"no common protocol version; this daemon speaks {', '.join(PROTOCOL_VERSIONS)}",
                supported=list(PROTOCOL_VERSIONS),
            )

    def announcement(self) -> dict[str, Any]:
        """What stands in the answer's `capabilities.experimental`; nothing if nobody asked."""
        if not self.opted_in:
            return {}
        supported = list(PROTOCOL_VERSIONS)
        return {"sidecar": {"version": self.version, "protocolVersions": supported}}


def negotiate(experimental: Any, initialization_options: Any) -> Agreement:
    """The newest version both speak; either place opts in."""
    for place in (experimental, initialization_options):
        declared = place.get("sidecar") if isinstance(place, dict) else None
        if declared is None or declared is False:
            continue
        versions = declared.get("protocolVersions") if isinstance(declared, dict) else None
        offered = versions if isinstance(versions, list) else []
        common = [version for version in PROTOCOL_VERSIONS if version in offered]
        return Agreement(opted_in=True, version=common[-1] if common else None)
    return Agreement()


class Daemon:
    """The server of one client."""

    def __init__(self) -> None:
        self.server = SidecarServer(
            "sidecar", __version__, protocol_cls=SidecarProtocol, max_workers=1
        )
        self.protocol = self.server.protocol
        self.agreement = Agreement()
        self.folder_uris: list[str] = []
        self.documents = Documents()
        self.editor = Editor(self.documents, self.protocol.ask)
        self.outbox = Outbox(self.tell, self._snapshot, self._congested)
        self.exit_code: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._handlers: asyncio.Task[Handlers] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._parent: asyncio.Task[None] | None = None
        self.protocol.dispatch = self._dispatch
        self.protocol.on_shutdown = self.close
        self.protocol.on_exit = self.end
        self._register()

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send a notification, if the client speaks our protocol."""
        if self.agreement.version is not None:
            self.protocol.tell(method, params)

    def end(self, code: int) -> None:
        """Decide the end of the process; the first decision counts."""
        if not self.exit_code.done():
            self.exit_code.set_result(code)

    async def close(self) -> None:
        """Put every session to rest: turns interrupted, children gone, journals closed."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await asyncio.wait({self._closing}, timeout=END_S)

    async def _close(self) -> None:
        if self._handlers is not None:
            handlers = await self._handlers
            await handlers.close()
        self.outbox.flush()

    def _register(self) -> None:
        for method, handler in (
            (types.INITIALIZE, self._initialize),
            (types.INITIALIZED, self._initialized),
            (types.TEXT_DOCUMENT_DID_OPEN, self.documents.did_open),
            (types.TEXT_DOCUMENT_DID_CHANGE, self.documents.did_change),
            (types.TEXT_DOCUMENT_DID_SAVE, self.documents.did_save),
            (types.TEXT_DOCUMENT_DID_CLOSE, self.documents.did_close),
        ):
            # A partial, because pygls marks what it registers and a method takes no mark.
            self.server.feature(method)(functools.partial(handler))

    def _initialize(self, params: types.InitializeParams) -> None:
        capabilities = params.capabilities
        self.agreement = negotiate(capabilities.experimental, params.initialization_options)
        self.protocol.experimental = self.agreement.announcement()
        folders = [folder.uri for folder in params.workspace_folders or []]
        self.folder_uris = folders or [uri for uri in (params.root_uri,) if uri]
        encoding = types.PositionEncodingKind(self.protocol.workspace.position_encoding)
        self.documents.encoding = encoding.value
        workspace = capabilities.workspace
        if workspace is not None:
            edits = workspace.workspace_edit
            self.editor.can_apply = bool(workspace.apply_edit)
            self.editor.versioned = bool(edits and edits.document_changes)
        if params.process_id is not None:
            self._parent = asyncio.create_task(self._end_with(params.process_id))

    def _initialized(self, _params: types.InitializedParams) -> None:
        if self.agreement.version is not None:
            self._load()

    async def _end_with(self, pid: int) -> None:
        await gone(pid)
        logger.warning("the editor (pid %d) is gone", pid)
        self.end(0)

    def _load(self) -> asyncio.Task[Handlers]:
        """Import what does the work, once: it takes longer than the answer to `initialize` may."""
        if self._handlers is None:
            self._handlers = asyncio.create_task(self._make_handlers())
        return self._handlers

    async def _make_handlers(self) -> Handlers:
        module = await asyncio.to_thread(importlib.import_module, "sidecar.handlers")
        handlers: Handlers = module.Handlers(
            self.outbox, self.documents, self.editor, self.protocol.ask, self.folder_uris
        )
        return handlers

    async def _dispatch(self, method: str, params: Any) -> Any:
        try:
            self.agreement.check()
            handlers = await asyncio.shield(self._load())
            return await handlers.handle(method, params)
        except SidecarError as error:
            raise error_of(error.kind, error.message, **error.data) from error

    def _snapshot(self, session_id: str) -> Mapping[str, Any] | None:
        if self._handlers is None or not self._handlers.done() or self._handlers.exception():
            return None
        return self._handlers.result().snapshot(session_id)

    def _congested(self) -> bool:
        return self.protocol.writer is not None and self.protocol.writer.congested


async def serve(fd_in: int, fd_out: int) -> int:
    """Speak the protocol over these descriptors until the end; returns the exit code."""
    daemon = Daemon()
    writer = Writer(fd_out, daemon.outbox.drained, lambda: daemon.end(0))
    daemon.protocol.set_writer(writer)
    start_reader(fd_in, daemon.protocol.receive, lambda: daemon.end(0))
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name) and os.name == "posix":
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), daemon.end, 0)
    code = await daemon.exit_code
    await daemon.close()
    writer.close()
    return code
