"""What a session says, said to the client: the session's listener over the wire.

Owns the questions that wait for the client's answer.
Deliberately decides nothing: an answer goes to the session, and silence stays silence.

Invariant: each waiting approval is asked once at a time; one that was settled elsewhere is
withdrawn from the client.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException

from sidecar import projection
from sidecar.errors import SidecarError
from sidecar.protocol.notifications import ApprovalAnswer, ApprovalRequestParams

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sidecar.outbox import Outbox
    from sidecar.session.port import SessionPort
    from sidecar.session.view import ApprovalView

logger = logging.getLogger(__name__)


class Front:
    """One client as the sessions' `Listener`; `session` gives an open session by its id."""

    def __init__(
        self,
        outbox: Outbox,
        ask: Callable[[str, dict[str, Any]], Awaitable[Any]],
        session: Callable[[str], SessionPort],
    ) -> None:
        self._outbox = outbox
        self._ask = ask
        self._session = session
        self._asked: dict[tuple[str, str], asyncio.Task[None]] = {}
        self.delta = outbox.delta
        self.notice = outbox.notice
        self.sessions_changed = outbox.sessions_changed

    def changed(self, session_id: str) -> None:
        """The state moved: send it, and withdraw questions that nobody has to answer any more."""
        self._outbox.changed(session_id)
        waiting = {waiting.approval_id for waiting in self._session(session_id).approvals()}
        for (asked_in, approval_id), task in list(self._asked.items()):
            if asked_in == session_id and approval_id not in waiting:
                task.cancel()

    def ask(self, session_id: str, approval: ApprovalView) -> None:
        """Ask the person, unless the question is open already."""
        key = session_id, approval.approval_id
        if key not in self._asked:
            self._asked[key] = asyncio.create_task(self._put(session_id, approval))

    def forget(self, session_id: str) -> None:
        """The session was closed here: withdraw its questions, they wait in its journal."""
        for (asked_in, _), task in list(self._asked.items()):
            if asked_in == session_id:
                task.cancel()
        self._outbox.forget(session_id)

    async def _put(self, session_id: str, approval: ApprovalView) -> None:
        params = ApprovalRequestParams(
            session_id=session_id, approval=projection.approval(approval)
        ).model_dump(mode="json", by_alias=True)
        try:
            raw = await self._ask("sidecar/approval/request", params)
            decision = ApprovalAnswer.model_validate(raw).decision
        except (JsonRpcException, ValidationError) as error:
            # The approval goes on waiting; `sidecar/approval/respond` answers it as well.
            logger.warning("approval %s got no answer: %s", approval.approval_id, error)
            return
        finally:
            self._asked.pop((session_id, approval.approval_id), None)
        try:
            self._session(session_id).respond(approval.approval_id, decision)
        except SidecarError as error:  # answered elsewhere in the meantime
            logger.info("a late answer to approval %s: %s", approval.approval_id, error.kind)
