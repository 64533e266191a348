"""The one table of methods, from which dispatch, TypeScript and the reference page come.

`lane` says how a request is ordered: `mutates` waits its turn in its session's lane,
`reads` answers at once from the newest state, `free` needs no session.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sidecar.protocol import ERROR_CODES
from sidecar.protocol import notifications as n
from sidecar.protocol import requests as r

if TYPE_CHECKING:
    from sidecar.protocol.models import Wire

__all__ = ["ERROR_CODES", "METHODS", "Direction", "Method"]

Direction = Literal["client_to_server", "server_to_client"]


@dataclass(frozen=True, slots=True)
class Method:
    """One row: a request where `result` is given, a notification where it is None."""

    name: str
    direction: Direction
    params: type[Wire]
    result: type[Wire] | None
    lane: Literal["free", "reads", "mutates"]
    errors: tuple[str, ...]
    doc: str


def _request(  # noqa: PLR0913, PLR0917 - a row has as many columns as the table
    name: str,
    params: type[Wire],
    result: type[Wire],
    lane: Literal["free", "reads", "mutates"],
    errors: tuple[str, ...],
    doc: str,
) -> Method:
    return Method(name, "client_to_server", params, result, lane, errors, doc)


def _notification(name: str, params: type[Wire], doc: str) -> Method:
    return Method(name, "server_to_client", params, None, "free", (), doc)


_SESSION = ("notFound",)
_CHANGE = ("notFound", "sessionLocked", "revisionConflict")

METHODS: tuple[Method, ...] = (
    _request(
        "sidecar/session/start",
        r.SessionStartParams,
        r.SessionResult,
        "free",
        ("invalidInput", "unknownFormat"),
        "Start a session, new or from a transcript.",
    ),
    _request(
        "sidecar/session/list",
        r.SessionListParams,
        r.SessionListResult,
        "free",
        (),
        "List sessions, newest first.",
    ),
    _request(
        "sidecar/session/read",
        r.SessionRef,
        r.SessionResult,
        "reads",
        _SESSION,
        "The newest snapshot of an open session.",
    ),
    _request(
        "sidecar/session/resume",
        r.SessionResumeParams,
        r.SessionResult,
        "free",
        ("notFound", "sessionLocked"),
        "Open a stored session.",
    ),
    _request(
        "sidecar/session/rename",
        r.SessionRenameParams,
        r.RevisionResult,
        "mutates",
        _CHANGE,
        "Give a session another title.",
    ),
    _request(
        "sidecar/session/close",
        r.SessionRef,
        r.Empty,
        "free",
        _SESSION,
        "Stop the turn if one runs, give back the lock, forget it here.",
    ),
    _request(
        "sidecar/session/delete",
        r.SessionRef,
        r.SessionDeleted,
        "free",
        ("notFound", "sessionLocked"),
        "Delete a session's journal and blobs for good.",
    ),
    _request(
        "sidecar/session/sample",
        r.SessionRef,
        r.SampleStartResult,
        "reads",
        _SESSION,
        "The prompt of the sample task, where there is one.",
    ),
    _request(
        "sidecar/turn/start",
        r.TurnStartParams,
        r.TurnStartResult,
        "mutates",
        (*_CHANGE, "sessionBusy"),
        "Send a prompt; answers once it is on disk.",
    ),
    _request(
        "sidecar/turn/cancel",
        r.TurnCancelParams,
        r.TurnCancelResult,
        "reads",
        _SESSION,
        "Cancel the running turn, its model call, its tools and their processes.",
    ),
    _request(
        "sidecar/turn/mode",
        r.TurnModeParams,
        r.RevisionResult,
        "mutates",
        _CHANGE,
        "Switch between normal and plan mode.",
    ),
    _request(
        "sidecar/approval/respond",
        r.ApprovalRespondParams,
        r.RevisionResult,
        "reads",
        ("notFound",),
        "Answer a pending approval.",
    ),
    _request(
        "sidecar/approval/list",
        r.SessionRef,
        r.ApprovalListResult,
        "reads",
        _SESSION,
        "Approvals that wait.",
    ),
    _request(
        "sidecar/context/read",
        r.ContextReadParams,
        r.ContextReadResult,
        "reads",
        _SESSION,
        "The breakdown, item by item if asked for.",
    ),
    _request(
        "sidecar/context/pin",
        r.ContextPinParams,
        r.RevisionResult,
        "mutates",
        _CHANGE,
        "Pin a message: no stage touches it.",
    ),
    _request(
        "sidecar/context/unpin",
        r.ContextPinParams,
        r.RevisionResult,
        "mutates",
        _CHANGE,
        "Unpin a message.",
    ),
    _request(
        "sidecar/context/drop",
        r.ContextItemParams,
        r.RevisionResult,
        "mutates",
        _CHANGE,
        "Replace one item by a stub that can be restored.",
    ),
    _request(
        "sidecar/context/restore",
        r.ContextItemParams,
        r.RevisionResult,
        "mutates",
        _CHANGE,
        "Bring one shortened item back whole.",
    ),
    _request(
        "sidecar/budget/set",
        r.BudgetSetParams,
        r.BudgetSetResult,
        "mutates",
        (*_CHANGE, "configuration"),
        "Change ceiling, trigger, target or mode.",
    ),
    _request(
        "sidecar/compaction/preview",
        r.CompactionPreviewParams,
        r.CompactionPlan,
        "reads",
        _SESSION,
        "What a compaction would do now; changes nothing.",
    ),
    _request(
        "sidecar/compaction/run",
        r.CompactionRunParams,
        r.CompactionResult,
        "mutates",
        (*_CHANGE, "sessionBusy"),
        "Compact now.",
    ),
    _request(
        "sidecar/compaction/undo",
        r.CompactionUndoParams,
        r.RevisionResult,
        "mutates",
        (*_CHANGE, "nothingToDo", "sessionBusy"),
        "Undo a compaction and all later ones.",
    ),
    _request(
        "sidecar/compaction/list",
        r.SessionRef,
        r.CompactionListResult,
        "reads",
        _SESSION,
        "All compactions, newest first.",
    ),
    _request(
        "sidecar/checkpoint/list",
        r.CheckpointListParams,
        r.CheckpointListResult,
        "reads",
        _SESSION,
        "Checkpoints by turn, newest first.",
    ),
    _request(
        "sidecar/checkpoint/create",
        r.CheckpointCreateParams,
        r.CheckpointCreateResult,
        "mutates",
        _CHANGE,
        "A checkpoint by hand.",
    ),
    _request(
        "sidecar/checkpoint/diff",
        r.CheckpointDiffParams,
        r.CheckpointDiffResult,
        "reads",
        _SESSION,
        "A checkpoint's files against the present.",
    ),
    _request(
        "sidecar/rewind/preview",
        r.RewindPreviewParams,
        r.RewindPlan,
        "reads",
        _SESSION,
        "What a rewind would do; changes nothing.",
    ),
    _request(
        "sidecar/rewind/apply",
        r.RewindApplyParams,
        r.RewindResult,
        "mutates",
        (*_CHANGE, "fileConflict", "sessionBusy"),
        "Rewind: all or nothing.",
    ),
    _request(
        "sidecar/rewind/redo",
        r.RewindRedoParams,
        r.RewindResult,
        "mutates",
        (*_CHANGE, "fileConflict", "nothingToDo", "sessionBusy"),
        "Take the newest rewind back, byte for byte.",
    ),
    _request(
        "sidecar/rewind/list",
        r.RewindListParams,
        r.RewindListResult,
        "reads",
        _SESSION,
        "Rewinds, newest first.",
    ),
    _request(
        "sidecar/transcript/read",
        r.TranscriptReadParams,
        r.TranscriptReadResult,
        "reads",
        _SESSION,
        "A page of the conversation as it happened.",
    ),
    _request(
        "sidecar/content/read",
        r.ContentReadParams,
        r.ContentReadResult,
        "reads",
        _SESSION,
        "The whole text behind a reference, in chunks.",
    ),
    _request(
        "sidecar/health/read",
        r.Empty,
        r.HealthReadResult,
        "free",
        (),
        "Versions, pid, memory, log file.",
    ),
    Method(
        "sidecar/approval/request",
        "server_to_client",
        n.ApprovalRequestParams,
        n.ApprovalAnswer,
        "free",
        (),
        "Ask a person; the answer may also come by `respond`.",
    ),
    _notification(
        "sidecar/session/changed",
        n.SessionChangedParams,
        "The whole small state; at most 20 a second for a session.",
    ),
    _notification(
        "sidecar/sessions/changed", n.SessionsChangedParams, "The list of sessions moved."
    ),
    _notification(
        "sidecar/turn/delta",
        n.TurnDeltaParams,
        "Streamed content; at most 20 batches a second for a session.",
    ),
    _notification("sidecar/notice", n.NoticeParams, "Something to tell the person once."),
)
