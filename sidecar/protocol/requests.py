"""Params and results of every `sidecar/*` message; one class each, named after the method."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sidecar.protocol.models import (
    Approval,
    Breakdown,
    BudgetPatch,
    Checkpoint,
    CompactionCard,
    ContextItem,
    FileChange,
    Gauge,
    RewindInfo,
    SessionListing,
    SessionSnapshot,
    TranscriptItem,
    TurnInfo,
    Wire,
)

Id = Annotated[str, Field(min_length=1, max_length=200)]
Key = Annotated[str, Field(min_length=1, max_length=200)]


class Empty(Wire):
    """No fields."""


class SessionRef(Wire):
    """Names one session."""

    session_id: Id


class Mutation(SessionRef):
    """What every mutating request carries; the same key gives the same answer again."""

    idempotency_key: Key
    expected_revision: int | None = None


class SessionStartParams(Wire):
    """`workspace` defaults to the client's first folder; `from` is a transcript to import."""

    workspace: str | None = None
    from_: str | None = Field(default=None, alias="from")
    title: str | None = None
    idempotency_key: Key


class SessionResult(Wire):
    """A session, as `start`, `resume`, `read` and `fork` give it."""

    session: SessionSnapshot


class SessionListParams(Wire):
    """Sessions of one workspace, or of all."""

    workspace: str | None = None


class SessionListResult(Wire):
    """Newest first; `problems` names session folders that could not be read."""

    sessions: list[SessionListing]
    problems: list[str]


class SessionResumeParams(SessionRef):
    """`takeover` takes the lock from another process, `read_only` only watches."""

    takeover: bool = False
    read_only: bool = False


class SessionRenameParams(Mutation):
    """A new title."""

    title: Annotated[str, Field(min_length=1, max_length=200)]


class TurnStartParams(Mutation):
    """A prompt; the answer comes once prompt and key are on disk."""

    prompt: Annotated[str, Field(min_length=1)]


class TurnStartResult(Wire):
    """The turn that was started."""

    turn_id: str
    message_id: str
    revision: int


class TurnCancelParams(SessionRef):
    """Cancel the running turn; `turn_id` guards against cancelling a newer one."""

    turn_id: str | None = None


class TurnCancelResult(Wire):
    """Whether there was anything to cancel."""

    cancelled: bool


class TurnModeParams(Mutation):
    """Plan mode offers the model only tools that read."""

    mode: Literal["normal", "plan"]


class RevisionResult(Wire):
    """A mutation was applied; the state has this revision or a newer one."""

    revision: int


class ApprovalRespondParams(SessionRef):
    """An answer to a pending approval; a late one gets `notFound`."""

    approval_id: Id
    decision: Literal["allow_once", "allow_always", "reject_once"]


class ApprovalListResult(Wire):
    """Approvals that wait."""

    approvals: list[Approval]


class ContextReadParams(SessionRef):
    """`items` adds one row per block, at most `limit` from `offset`, largest first."""

    detail: Literal["summary", "items"] = "summary"
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


class ContextReadResult(Wire):
    """The breakdown, and the items if asked for."""

    gauge: Gauge
    breakdown: Breakdown
    items: list[ContextItem]
    item_count: int
    revision: int


class ContextPinParams(Mutation):
    """A message to pin or unpin."""

    message_id: Id


class ContextItemParams(Mutation):
    """An item (`m41.2`) to drop or restore."""

    item_id: Id


class BudgetSetParams(Mutation):
    """`dry_run` only says what the patch would cause."""

    patch: BudgetPatch
    dry_run: bool = False


class BudgetSetResult(Wire):
    """The gauge under the patch, and whether it would compact at the next request."""

    gauge: Gauge
    would_compact: bool
    revision: int


class CompactionPreviewParams(SessionRef):
    """What a compaction would do now; `up_to` is a message id."""

    up_to: str | None = None


class CompactionPlan(Wire):
    """A plan that can be run: the card, and the blocks it would change."""

    plan_id: str | None
    card: CompactionCard | None
    needs_summary: bool
    changes: list[ContextItem]
    reason: str


class CompactionRunParams(Mutation):
    """Runs a previewed plan, or plans anew; `summary` stands in for the model's."""

    plan_id: str | None = None
    up_to: str | None = None
    instructions: str | None = None
    summary: str | None = None


class CompactionResult(Wire):
    """What was done (null: nothing could be, and `reason` says why)."""

    compaction: CompactionCard | None
    reason: str
    revision: int


class CompactionUndoParams(Mutation):
    """Undoes one compaction and every later one; without an id, the newest."""

    compaction_id: str | None = None


class CompactionListResult(Wire):
    """All compactions, newest first."""

    compactions: list[CompactionCard]


class CheckpointListResult(Wire):
    """Turns with their checkpoints, newest first; those of a rewound past are not listed.

    `older` is whether there are more turns before the last one of this page.
    """

    turns: list[TurnInfo]
    older: bool
    uncovered: list[str]


class CheckpointCreateParams(Mutation):
    """A checkpoint by hand of the given workspace files (default: all that the agent changed)."""

    label: Annotated[str, Field(min_length=1, max_length=200)]
    paths: list[str] | None = None


class CheckpointCreateResult(Wire):
    """The checkpoint."""

    checkpoint: Checkpoint
    revision: int


class CheckpointDiffParams(SessionRef):
    """What a checkpoint's files hold against what they hold now."""

    checkpoint_id: Id


class CheckpointDiffResult(Wire):
    """One entry a file; texts are read with `sidecar/content/read {ref}`."""

    files: list[FileChange]


class RewindPreviewParams(SessionRef):
    """The anchor is a message id or a checkpoint id: back to before it."""

    anchor: Id
    mode: Literal["files", "conversation", "both"] = "both"


class RewindPlan(Wire):
    """What a rewind would do; nothing is changed by asking.

    `not_restored` names in words what will stay as it is.
    `prompt` is the first prompt that leaves, to be edited and sent again.
    """

    plan_id: str
    anchor: str
    mode: Literal["files", "conversation", "both"]
    files: list[FileChange]
    not_restored: list[str]
    turns_removed: list[TurnInfo]
    messages_removed: int
    tokens_removed: int
    gauge_after: Gauge
    prompt: str
    running_turn: bool


class RewindApplyParams(Mutation):
    """`choices` maps each conflicting path to keep (mine) or take (the checkpoint's)."""

    plan_id: Id
    choices: dict[str, Literal["keep", "take"]] = Field(default_factory=dict)


class RewindResult(Wire):
    """What a rewind, or a redo, did."""

    rewind: RewindInfo
    files_restored: list[str]
    files_kept: list[str]
    prompt: str
    revision: int


class RewindListResult(Wire):
    """Rewinds, newest first."""

    rewinds: list[RewindInfo]


class TranscriptReadParams(SessionRef):
    """Newest `limit` items before `before` (an item id), in order; rewound ones on request.

    A page has fewer items where so many would not fit into a message.
    """

    before: str | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 100
    include_rewound: bool = False


class TranscriptReadResult(Wire):
    """A page; `older` is whether there is more before it."""

    items: list[TranscriptItem]
    older: bool
    revision: int


class ContentReadParams(SessionRef):
    """`ref` is an item id, or a blob's `sha256:...`; offsets count characters."""

    ref: Id
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=262144)] = 65536


class ContentReadResult(Wire):
    """A chunk; `next_offset` is null at the end; `binary` content comes as base64."""

    text: str
    next_offset: int | None
    total: int
    binary: bool


class HealthReadResult(Wire):
    """Who answers."""

    version: str
    protocol_versions: list[str]
    pid: int
    python: str
    home: str
    log_file: str
    memory_bytes: int
    sessions: list[str]


class SessionDeleted(Wire):
    """What `delete` answers."""

    deleted: bool


class RewindRedoParams(Mutation):
    """Redoes the newest rewind; `choices` as in `apply`, for files that changed since."""

    choices: dict[str, Literal["keep", "take"]] = Field(default_factory=dict)


class SampleStartResult(Wire):
    """The prompt of the sample task, if the provider and the workspace have one."""

    prompt: str | None
    description: str


class RewindListParams(SessionRef):
    """All rewinds of a session."""


class CheckpointListParams(SessionRef):
    """At most `limit` turns of a session, from the one before `before` (a turn id) on."""

    before: str | None = None
    limit: Annotated[int, Field(ge=1, le=500)] = 200


__all__ = [name for name in dir() if name[0].isupper()]
