"""What the daemon sends unasked: notifications, its one request, and the data of errors."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from sidecar.protocol.models import Approval, SessionSnapshot, Wire
from sidecar.protocol.requests import SessionRef


class ApprovalRequestParams(SessionRef):
    """The server asks; an answer may also come through `sidecar/approval/respond`."""

    approval: Approval


class ApprovalAnswer(Wire):
    """What the person said."""

    decision: Literal["allow_once", "allow_always", "reject_once"]


class SessionChangedParams(SessionSnapshot):
    """The whole small state; last revision wins."""


class TurnDeltaParams(Wire):
    """A piece of streamed content; a gap in `index` means: read the item when it is complete."""

    session_id: str
    turn_id: str
    item_id: str
    index: int
    kind: Literal["text", "thinking", "tool_use", "tool_output"]
    text: str
    done: bool = False


class NoticeParams(Wire):
    """Something the person should know once; `session_id` is empty where it is the daemon's."""

    session_id: str
    kind: str
    severity: Literal["info", "warning", "error"]
    text: str


class SessionsChangedParams(Wire):
    """The list of sessions moved; read it again."""


class ErrorData(Wire):
    """`data` of every error: `kind` is what clients switch on."""

    kind: str
    details: dict[str, Any] = Field(default_factory=dict)
