"""What the wire shows: the small state of a session, and the values inside it.

Shapes only; `sidecar.projection` fills them from core values.
Tokens are integers, times integer Unix milliseconds, ids opaque strings, files URIs.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Wire(BaseModel):
    """Base of every wire type: camelCase outside, unknown fields ignored."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="ignore",
        frozen=True,
        allow_inf_nan=False,
    )


class Gauge(Wire):
    """How full the window is, for the very request that would be sent next.

    `how` says where `used_tokens` comes from: billed (the last request's prompt is exactly this
    history), anchored (billed plus an estimate of what came since), estimated (no anchor).
    `ceiling_tokens` is 0 where no ceiling is known; trigger and target are then 0 too.
    `error_percent` is the median absolute error of the past predictions, null before the first.
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
    ceiling_source: Literal["provider", "table", "user", "fallback", "seen"]
    auto_compaction: Literal["off", "auto", "ask", "held"]


class BreakdownRow(Wire):
    """One row of the breakdown; `kind` is its machine word, `items` how many things it sums.

    `compactable` tells overhead (false) from what a compaction can shorten.
    """

    kind: str
    label: str
    tokens: int
    items: int
    compactable: bool


class Breakdown(Wire):
    """Where the window goes: rows sum to `total_tokens`, which is the gauge's `used_tokens`."""

    rows: list[BreakdownRow]
    total_tokens: int


class ContextItem(Wire):
    """One block of the history, as the item inspector shows it.

    `item_id` is what `recall`, `drop` and `restore` take; `state` is whole, shortened (restorable),
    stub (restorable) or summary.
    """

    item_id: str
    message_id: str
    block: int
    turn_id: str
    role: str
    kind: str
    label: str
    tokens: int
    bytes: int
    pinned: bool
    state: Literal["whole", "shortened", "stub", "summary"]
    restorable: bool


class Cost(Wire):
    """Money so far; null amounts are unknown, never guessed."""

    amount: float | None
    currency: str
    input_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int


class CompactionCard(Wire):
    """What one compaction did, or would do.

    `status`: proposed, in_progress, completed, failed, undone.
    Token numbers are of the whole request; `items` counts the blocks changed per stage.
    """

    compaction_id: str
    status: Literal["proposed", "in_progress", "completed", "failed", "undone"]
    stages: list[str]
    before_tokens: int
    after_tokens: int
    target_tokens: int
    ceiling_tokens: int
    reached_target: bool
    window_given_up: bool
    exhausted: bool
    model_calls: int
    items: dict[str, int]
    turns_summarised: int
    trigger: Literal["auto", "manual", "overflow"]
    undoable: bool
    notices: list[str]
    at: int


class FileChange(Wire):
    """One file of a checkpoint or a rewind plan, seen from the present.

    `action` is what a rewind would do: restore (other bytes), recreate, delete, mode, none.
    `conflict` is null, or why a choice is needed: edited_since, unsaved_buffer, type_changed,
    read_only, outside_workspace, blob_missing.
    `takeable` is whether "take" can be chosen then; where it is false only "keep" can.
    `before_ref` names the content it would get (null: none, or no plain file).
    """

    path: str
    uri: str
    action: Literal["restore", "recreate", "delete", "mode", "none"]
    added_lines: int
    removed_lines: int
    binary: bool
    conflict: str | None
    conflict_detail: str | None
    takeable: bool
    before_ref: str | None
    present_digest: str


class Checkpoint(Wire):
    """A checkpoint, for lists: `files` are paths, `not_covered` is in words.

    `files` are the first 100 of `file_count`.
    """

    checkpoint_id: str
    kind: Literal["edit", "shell", "manual", "rewind"]
    turn_id: str
    turn_number: int
    message_id: str
    label: str
    files: list[str]
    file_count: int
    not_covered: list[str]
    at: int


class TurnInfo(Wire):
    """One real turn, for lists; `number` counts from 1 in the conversation as it stands.

    `prompt` is cut at 300 characters, with an ellipsis; `detail` says more of `stop_reason`.
    """

    turn_id: str
    number: int
    message_id: str
    prompt: str
    status: Literal["running", "ended"]
    stop_reason: str | None
    detail: str
    started_at: int
    ended_at: int | None
    checkpoints: list[Checkpoint]


class Approval(Wire):
    """A tool call that waits for a person; `diff` and `command` are cut at 32 KiB, and say so."""

    approval_id: str
    turn_id: str
    tool_use_id: str
    tool: str
    title: str
    paths: list[str]
    diff: str
    command: str
    at: int


class RewindInfo(Wire):
    """A rewind that happened; `redoable` until the history moves on."""

    rewind_id: str
    mode: Literal["files", "conversation", "both"]
    files: list[str]
    turns_removed: int
    prompt: str
    redoable: bool
    at: int


class ModelState(Wire):
    """Which model answers; `notice` is what the UI must say of it."""

    provider: str
    model: str
    notice: str


class SessionState(Wire):
    """The whole small state of a session; the newest revision is the only one that counts."""

    title: str
    workspace_uri: str
    status: Literal["idle", "running", "waiting_approval", "compacting", "rewinding", "closed"]
    mode: Literal["normal", "plan"]
    read_only: bool
    saved: bool
    model: ModelState
    turn: TurnInfo | None
    turn_count: int
    gauge: Gauge
    breakdown: Breakdown
    compaction: CompactionCard | None
    compaction_count: int
    checkpoint_count: int
    turns: list[TurnInfo]
    redo: RewindInfo | None
    pending_approvals: list[Approval]
    cost: Cost
    notices: list[str]
    updated_at: int


class SessionSnapshot(Wire):
    """A session at one revision."""

    session_id: str
    revision: int
    state: SessionState


class SessionListing(Wire):
    """A session in a list; `locked_by_pid` is the process that writes it, if any."""

    session_id: str
    title: str
    workspace_uri: str
    created_at: int
    updated_at: int
    turns: int
    size_bytes: int
    locked_by_pid: int | None


class TranscriptItem(Wire):
    """One block of the transcript as the conversation view shows it.

    `kind`: text, thinking, tool_use, tool_result, summary, attachment, unknown, compaction.
    `text` is cut at 8 KiB (`truncated`); the whole is read with `sidecar/content/read {ref}`.
    `state`: present (in the history as it was), shortened, summarised, dropped, rewound.
    """

    item_id: str
    message_id: str
    turn_id: str
    role: str
    kind: str
    text: str
    truncated: bool
    ref: str | None
    tool: str | None
    tool_use_id: str | None
    is_error: bool
    synthetic: bool
    state: Literal["present", "shortened", "summarised", "dropped", "rewound"]
    at: int
    data: dict[str, Any] = Field(default_factory=dict)


class BudgetPatch(Wire):
    """Only what is given changes. (0, 1] is a fraction of the ceiling, an integer above 1 tokens,
    a negative integer tokens remaining. `max_tokens` null goes back to the model's own window.
    """

    max_tokens: int | None = None
    compact_at: float | None = None
    compact_to: float | None = None
    mode: Literal["off", "auto", "ask"] | None = None
    resume_auto: bool = False
