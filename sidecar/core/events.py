"""What a session's log can say: outcomes, in the past tense, never commands.

Owns the event types.
The history, the gauge, the lists of checkpoints and rewinds are folds over a sequence of `Entry`.
Persisted events are contracts: fields are added with defaults, never renamed, never removed.

Deliberately knows nothing of how an event is written down (that is `sidecar.store.codec`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.messages import Block, Message

RewindMode = Literal["files", "conversation", "both"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What a provider billed for one request, normalised, in tokens.

    `input_tokens` is the uncached remainder, whatever the provider calls it;
    `prompt_tokens` is the whole billed prompt, the number the gauge and the estimate go by.
    `output_tokens` is 0 where the final count is not known; `reasoning_tokens` is the part of it
    that is reasoning, 0 where the provider does not say.
    """

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """Billed prompt tokens: uncached + read from the cache + written to it."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True, slots=True)
class FileState:
    """One path of the workspace at one moment; `path` is relative, with `/`.

    `digest` is the sha256 of the bytes (of the link's target for a symlink), empty where absent.
    `mode` is the permission bits.
    """

    path: str
    kind: Literal["absent", "file", "symlink", "directory", "other"]
    digest: str = ""
    mode: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """The first event of every log."""

    session_id: str
    workspace: str
    title: str
    origin: Literal["new", "fork", "import"] = "new"
    parent_id: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Renamed:
    """The session got another title."""

    title: str


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A prompt was accepted; `key` is the client's idempotency key."""

    turn_id: str
    message_id: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """`stop_reason`: end_turn, cancelled, context_exhausted, cost_limit, request_limit,
    provider_failed, interrupted (the daemon died).
    """

    turn_id: str
    stop_reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Added:
    """A message joined the conversation."""

    message: Message
    turn_id: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """A provider billed a request that ended with message `last_message_id`.

    `history_units` and `overhead_units` are what the estimator counted for that very request,
    so that a fold learns from the log exactly what the live session learned.
    `trusted` is false where the server cut the prompt or reported nothing.
    """

    request_id: str
    model: str
    usage: Usage
    last_message_id: str
    history_units: int = 0
    overhead_units: int = 0
    trusted: bool = True
    purpose: Literal["turn", "summary"] = "turn"


@dataclass(frozen=True, slots=True)
class RateLearned:
    """What an estimator knows, carried over by a fork, an import or a takeover."""

    state: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BlockChange:
    """One block that a stage replaced, or removed (`replacement` is None)."""

    message_id: str
    block: int
    stage: str
    replacement: Block | None
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True, slots=True)
class SpanChange:
    """A run of messages that one summary (or, dropped, nothing) stands in for.

    `message_ids` are contiguous in the history it was applied to.
    `keep` names messages inside the run that stay (a prompt of the running turn, pins).
    """

    message_ids: tuple[str, ...]
    summary: Message | None
    stage: Literal["summary", "drop"] = "summary"
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compacted:
    """One run of the stages, as an outcome: applying it needs no engine.

    Token numbers are of the whole request.
    `trigger` says who wanted it: auto, manual, overflow.
    """

    compaction_id: str
    changes: tuple[BlockChange, ...]
    span: SpanChange | None
    stages: tuple[str, ...]
    before_tokens: int
    after_tokens: int
    target_tokens: int
    ceiling_tokens: int
    reached_target: bool
    window_given_up: bool = False
    exhausted: bool = False
    model_calls: int = 0
    trigger: Literal["auto", "manual", "overflow"] = "auto"
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryReset:
    """An imported session cut its own history: it is now exactly `message_ids`, in this order.

    `reason`: compaction, clear, rewind (recorded by the other agent, never guessed from a bill).
    """

    reason: Literal["compaction", "clear", "rewind"]
    message_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SummaryFailed:
    """A summary was asked for and came to nothing, so it isn't asked for at once again."""

    message_ids: tuple[str, ...]
    history_tokens: int
    reason: str


@dataclass(frozen=True, slots=True)
class CompactionUndone:
    """These compactions no longer apply; automatic ones hold until the person resumes."""

    compaction_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AutoCompactionResumed:
    """The person lifted the hold that an undo had put on automatic compaction."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """`message_id` is (not) to be touched by any stage from here on."""

    message_id: str
    pinned: bool = True


@dataclass(frozen=True, slots=True)
class ItemDropped:
    """A person stubbed one block by hand; `replacement` is the stub."""

    message_id: str
    block: int
    replacement: Block


@dataclass(frozen=True, slots=True)
class ItemRestored:
    """One block that a compaction or a person had shortened is whole again."""

    message_id: str
    block: int


@dataclass(frozen=True, slots=True)
class BudgetSet:
    """Budget settings of this session; only the keys that were set (see `core.budget`)."""

    patch: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ModeSet:
    """`normal`, or `plan` (tools that change things are not offered)."""

    mode: Literal["normal", "plan"]


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """A tool call waits for a person; it survives a restart and is never granted by silence."""

    approval_id: str
    turn_id: str
    tool_use_id: str
    tool: str
    title: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ApprovalAnswered:
    """`decision`: allow_once, allow_always, reject_once; `cancelled` where the turn ended."""

    approval_id: str
    decision: str


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """The state of files before something changed them, tied to a message.

    `kind`: edit (before a file tool), shell (around `bash`), manual, rewind (the present,
    taken before a rewind so that redo is exact).
    `not_covered` names in words what could not be captured.
    """

    checkpoint_id: str
    kind: Literal["edit", "shell", "manual", "rewind"]
    turn_id: str
    message_id: str
    tool_use_id: str
    label: str
    files: tuple[FileState, ...]
    not_covered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointSealed:
    """What the tool left: one state after, for each file of the checkpoint."""

    checkpoint_id: str
    files: tuple[FileState, ...]


@dataclass(frozen=True, slots=True)
class Rewound:
    """Files, conversation or both went back to before `message_id` (or to a checkpoint).

    `files` are the states that were put in place, `present` the states that they replaced.
    `message_id` is empty where the conversation stayed.
    """

    rewind_id: str
    mode: RewindMode
    message_id: str
    checkpoint_id: str
    files: tuple[FileState, ...] = ()
    present: tuple[FileState, ...] = ()
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Redone:
    """A rewind was taken back, byte for byte."""

    rewind_id: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer that a mutating request got, so that its key gives the same one again."""

    key: str
    method: str
    result: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Noted:
    """Something the person was told, once; `kind` is its machine word."""

    kind: str
    text: str


Event = (
    SessionStarted
    | Renamed
    | TurnStarted
    | TurnEnded
    | Added
    | Measured
    | RateLearned
    | Compacted
    | HistoryReset
    | SummaryFailed
    | CompactionUndone
    | AutoCompactionResumed
    | Pinned
    | ItemDropped
    | ItemRestored
    | BudgetSet
    | ModeSet
    | ApprovalAsked
    | ApprovalAnswered
    | Checkpointed
    | CheckpointSealed
    | Rewound
    | Redone
    | Answered
    | Noted
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: `at` is Unix milliseconds, given by whoever recorded it."""

    at: int
    event: Event
