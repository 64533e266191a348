"""What a session shows of itself: frozen values, computed from the fold, drawn by others.

Owns the shapes that the wire's projection and the command line read.
Deliberately knows nothing of JSON-RPC, URIs or pydantic; paths are workspace-relative, with `/`.

Invariant: a view never changes; a newer one has a higher `revision`.
Tokens are integers of the whole request, times integer Unix milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.breakdown import Row
    from sidecar.core.events import RewindMode
    from sidecar.workspace.plan import FileRestore

Status = Literal["idle", "running", "waiting_approval", "compacting", "rewinding", "closed"]


@dataclass(frozen=True, slots=True)
class GaugeView:
    """How full the window is, for the very request that would be sent next.

    `ceiling_tokens`, trigger and target are 0 where no ceiling is known.
    `tokens_until_compaction` is None where compaction will not act by itself.
    """

    used_tokens: int
    ceiling_tokens: int
    trigger_tokens: int
    target_tokens: int
    how: Literal["billed", "anchored", "estimated"]
    last_billed_tokens: int | None
    error_percent: float | None
    predictions: int
    tokens_until_compaction: int | None
    ceiling_source: str
    auto_compaction: Literal["off", "auto", "ask", "held"]


@dataclass(frozen=True, slots=True)
class ModelView:
    """Which model answers; `notice` is what must be said of it."""

    provider: str
    model: str
    notice: str


@dataclass(frozen=True, slots=True)
class CostView:
    """What was billed so far, summaries included; `amount` is None where no price is known."""

    amount: float | None
    currency: str
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class CompactionView:
    """What one compaction did, or would do; `items` counts the blocks changed per stage."""

    compaction_id: str
    status: Literal["proposed", "in_progress", "completed", "failed", "undone"]
    stages: tuple[str, ...]
    before_tokens: int
    after_tokens: int
    target_tokens: int
    ceiling_tokens: int
    reached_target: bool
    window_given_up: bool
    exhausted: bool
    model_calls: int
    items: Mapping[str, int]
    turns_summarised: int
    trigger: Literal["auto", "manual", "overflow"]
    undoable: bool
    notices: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class CheckpointView:
    """A checkpoint; `files` are the paths whose state it holds, `not_covered` is in words."""

    checkpoint_id: str
    kind: Literal["edit", "shell", "manual", "rewind"]
    turn_id: str
    turn_number: int
    message_id: str
    label: str
    files: tuple[str, ...]
    not_covered: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class TurnView:
    """One real turn; `number` counts from 1 in the conversation as it stands."""

    turn_id: str
    number: int
    message_id: str
    prompt: str
    status: Literal["running", "ended"]
    stop_reason: str | None
    detail: str
    started_at: int
    ended_at: int | None
    checkpoints: tuple[CheckpointView, ...] = ()


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """A tool call that waits for a person."""

    approval_id: str
    turn_id: str
    tool_use_id: str
    tool: str
    title: str
    paths: tuple[str, ...]
    diff: str
    command: str
    at: int


@dataclass(frozen=True, slots=True)
class RewindView:
    """A rewind that happened; `redoable` until the history moves on."""

    rewind_id: str
    mode: RewindMode
    files: tuple[str, ...]
    turns_removed: int
    prompt: str
    redoable: bool
    at: int


@dataclass(frozen=True, slots=True)
class SessionView:
    """The whole small state of a session at one revision.

    `workspace` is an absolute path; `rows` sum to `gauge.used_tokens`.
    `turns` are the newest ones, at most `view.TURNS_SHOWN`, newest first.
    `turn` is the newest turn, running or not.
    """

    session_id: str
    revision: int
    title: str
    workspace: str
    status: Status
    mode: Literal["normal", "plan"]
    read_only: bool
    saved: bool
    model: ModelView
    turn: TurnView | None
    turn_count: int
    gauge: GaugeView
    rows: tuple[Row, ...]
    compaction: CompactionView | None
    compaction_count: int
    checkpoint_count: int
    turns: tuple[TurnView, ...]
    redo: RewindView | None
    pending_approvals: tuple[ApprovalView, ...]
    cost: CostView
    notices: tuple[str, ...]
    updated_at: int


TURNS_SHOWN = 30


@dataclass(frozen=True, slots=True)
class ItemView:
    """One block of the history; `item_id` is what `recall`, `drop` and `restore` take.

    `size_bytes` is the UTF-8 size of what stands there now.
    """

    item_id: str
    message_id: str
    block: int
    turn_id: str
    role: str
    kind: str
    label: str
    tokens: int
    size_bytes: int
    pinned: bool
    state: Literal["whole", "shortened", "stub", "summary"]
    restorable: bool


@dataclass(frozen=True, slots=True)
class TranscriptItemView:
    """One block of everything that was ever said, whole.

    `state`: present, shortened, summarised, dropped or rewound, seen from the present history.
    A compaction stands between the messages as an item of kind `compaction`, its card in `data`.
    """

    item_id: str
    message_id: str
    turn_id: str
    role: str
    kind: str
    text: str
    tool: str | None
    tool_use_id: str | None
    is_error: bool
    synthetic: bool
    state: Literal["present", "shortened", "summarised", "dropped", "rewound"]
    at: int
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """Items in order, oldest first; `older` is whether there is more before them."""

    items: tuple[TranscriptItemView, ...]
    older: bool
    revision: int


@dataclass(frozen=True, slots=True)
class Content:
    """A chunk of a text; offsets count characters (of the base64 form where `binary`)."""

    text: str
    next_offset: int | None
    total: int
    binary: bool


@dataclass(frozen=True, slots=True)
class Mutation:
    """What every change carries: the client's key, and the revision that it looked at.

    The same key gives the same answer again, also after a restart; an empty one is no key.
    """

    key: str = ""
    expected_revision: int | None = None


@dataclass(frozen=True, slots=True)
class TurnAccepted:
    """The prompt and its key are on disk."""

    turn_id: str
    message_id: str
    revision: int


@dataclass(frozen=True, slots=True)
class BudgetOutcome:
    """The gauge under the patch, and whether the next request would compact first."""

    gauge: GaugeView
    would_compact: bool
    revision: int


@dataclass(frozen=True, slots=True)
class CompactionPlanView:
    """A plan that can be run by its id; all None where nothing could be done, `reason` says why.

    `changes` are the blocks that it would change: their ids, kinds and present tokens.
    """

    plan_id: str | None
    card: CompactionView | None
    needs_summary: bool
    changes: tuple[ItemView, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class CompactionOutcome:
    """What a compaction did; None where nothing could be done, `reason` says why."""

    compaction: CompactionView | None
    reason: str
    revision: int


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """A checkpoint by hand."""

    checkpoint: CheckpointView
    revision: int


@dataclass(frozen=True, slots=True)
class RewindPlanView:
    """What a rewind would do; nothing was changed by asking.

    `not_restored` names in words what will stay as it is; `prompt` is the first prompt that
    leaves.
    """

    plan_id: str
    anchor: str
    mode: RewindMode
    files: tuple[FileRestore, ...]
    not_restored: tuple[str, ...]
    turns_removed: tuple[TurnView, ...]
    messages_removed: int
    tokens_removed: int
    gauge_after: GaugeView
    prompt: str
    running_turn: bool


@dataclass(frozen=True, slots=True)
class RewindOutcome:
    """What a rewind, or a redo, did; paths are workspace-relative."""

    rewind: RewindView
    files_restored: tuple[str, ...]
    files_kept: tuple[str, ...]
    prompt: str
    revision: int


@dataclass(frozen=True, slots=True)
class SessionListing:
    """A session in a list; `locked_by_pid` is the process that writes it, if any."""

    session_id: str
    title: str
    workspace: str
    created_at: int
    updated_at: int
    turns: int
    size_bytes: int
    locked_by_pid: int | None


class Listener(Protocol):
    """Who draws a session; called from the session's event loop, must return at once."""

    def changed(self, session_id: str) -> None:
        """`LiveSession.view` is another one now."""
        ...

    def delta(  # noqa: PLR0913, PLR0917 - a delta is its six parts
        self,
        session_id: str,
        turn_id: str,
        item_id: str,
        kind: Literal["text", "thinking", "tool_use", "tool_output"],
        text: str,
        done: bool,  # noqa: FBT001 - it is the last part of the item
    ) -> None:
        """A piece of streamed content, for display only."""
        ...

    def ask(self, session_id: str, approval: ApprovalView) -> None:
        """A person is wanted; the answer comes by `LiveSession.respond`."""
        ...

    def notice(
        self, session_id: str, kind: str, severity: Literal["info", "warning", "error"], text: str
    ) -> None:
        """Something to tell the person once."""
        ...

    def sessions_changed(self) -> None:
        """The list of sessions is another one now."""
        ...
