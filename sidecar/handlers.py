"""Every `sidecar/*` request: params checked, the session asked, the answer projected.

Owns the map from method to handler; each handler is a few lines.
Deliberately knows no policy, and no pygls beyond the exception that is answered.
Imported after `initialize` was answered, because pydantic and the session take their time.

Invariant: params reach a handler only as the model that the table names, and an answer leaves
only as the model that the table names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pygls.exceptions import JsonRpcInvalidParams, JsonRpcMethodNotFound

from sidecar.health import health, open_log
from sidecar.protocol import requests as r
from sidecar.protocol.methods import METHODS
from sidecar.store.home import Home

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sidecar.documents import Documents, Editor
    from sidecar.outbox import Outbox
    from sidecar.protocol.models import Wire

_ROWS = {row.name: row for row in METHODS if row.direction == "client_to_server"}


class Handlers:
    """The handlers of one connection."""

    def __init__(
        self,
        outbox: Outbox,
        documents: Documents,
        editor: Editor,
        ask: Callable[[str, dict[str, Any]], Awaitable[Any]],
        folder_uris: list[str],
    ) -> None:
        self._outbox = outbox
        self._documents = documents
        self._editor = editor
        self._ask = ask
        self._folder_uris = folder_uris
        self._home = Home.default()
        self._log_file = open_log(self._home.path)
        self.table: dict[str, Callable[[Any], Awaitable[Wire]]] = {
            "sidecar/health/read": self._health_read,
        }

    async def handle(self, method: str, params: Any) -> dict[str, Any]:
        """Answer one request; raises a `SidecarError` or a `JsonRpcException`."""
        row, handler = _ROWS.get(method), self.table.get(method)
        if row is None or row.result is None or handler is None:
            raise JsonRpcMethodNotFound.of(method)
        result = await handler(checked(row.params, params))
        if type(result) is not row.result:
            message = f"{method} answered {type(result).__name__}, not {row.result.__name__}"
            raise TypeError(message)
        return result.model_dump(mode="json", by_alias=True)

    async def close(self) -> None:
        """Put every session to rest."""

    def snapshot(self, session_id: str) -> Mapping[str, Any] | None:
        """The params of `sidecar/session/changed`, or None where the session is gone."""
        del session_id
        return None

    async def _health_read(self, _params: r.Empty) -> r.HealthReadResult:
        return health(self._home.path, self._log_file, [])


def checked(model: type[Wire], params: Any) -> Wire:
    """Params as their model, or -32602 with the JSON path of everything that is wrong."""
    try:
        return model.model_validate({} if params is None else params)
    except ValidationError as error:
        problems = [
            {
                "path": "$"
                + "".join(
                    f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]
                ),
                "message": problem["msg"],
            }
            for problem in error.errors(include_url=False, include_context=False)
        ]
        raise JsonRpcInvalidParams(
            "invalid params: " + "; ".join(f"{p['path']}: {p['message']}" for p in problems),
            data={"kind": "invalidParams", "details": {"problems": problems}},
        ) from error
