"""Session views as wire models, field by field.

Owns how much of a view goes out: what has no bound is cut, and says so, because a message stays
below 1 MiB.
Deliberately computes nothing: every number is the view's.

Invariant: a projected snapshot of any session, and a page of anything, fits into one message.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from sidecar.protocol import models as m

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sidecar.session import view as v
    from sidecar.uris import Uris
    from sidecar.workspace import FileRestore

PROMPT_SHOWN_CHARACTERS = 300
FILES_SHOWN = 100
NOT_COVERED_SHOWN = 20
TEXT_SHOWN_BYTES = 8 << 10
APPROVAL_SHOWN_BYTES = 32 << 10
# What a list may take of a message, as JSON.
PAGE_BYTES = 600 << 10
TURNS_BYTES = 300 << 10


def cut(text: str, limit_bytes: int) -> tuple[str, bool]:
    """At most so many bytes of UTF-8, whole characters, and whether anything is missing."""
    if len(text) * 4 <= limit_bytes or len(data := text.encode()) <= limit_bytes:
        return text, False
    return data[:limit_bytes].decode(errors="ignore"), True


def snapshot(view: v.SessionView, uris: Uris) -> m.SessionSnapshot:
    """A session at its newest revision."""
    return m.SessionSnapshot(
        session_id=view.session_id, revision=view.revision, state=state(view, uris)
    )


def state(view: v.SessionView, uris: Uris) -> m.SessionState:
    """The whole small state."""
    return m.SessionState(
        title=view.title,
        workspace_uri=uris.of(view.workspace),
        status=view.status,
        mode=view.mode,
        read_only=view.read_only,
        saved=view.saved,
        model=m.ModelState(
            provider=view.model.provider, model=view.model.model, notice=view.model.notice
        ),
        turn=None if view.turn is None else turns([view.turn])[0],
        turn_count=view.turn_count,
        gauge=gauge(view.gauge),
        breakdown=breakdown(view),
        compaction=None if view.compaction is None else card(view.compaction),
        compaction_count=view.compaction_count,
        checkpoint_count=view.checkpoint_count,
        turns=turns(view.turns),
        redo=None if view.redo is None else rewind(view.redo),
        pending_approvals=approvals(view.pending_approvals),
        cost=cost(view.cost),
        notices=list(view.notices),
        updated_at=view.updated_at,
    )


def gauge(view: v.GaugeView) -> m.Gauge:
    """The gauge."""
    return m.Gauge(
        used_tokens=view.used_tokens,
        ceiling_tokens=view.ceiling_tokens,
        trigger_tokens=view.trigger_tokens,
        target_tokens=view.target_tokens,
        how=view.how,
        last_billed_tokens=view.last_billed_tokens,
        error_percent=view.error_percent,
        predictions=view.predictions,
        tokens_until_compaction=view.tokens_until_compaction,
        ceiling_source=view.ceiling_source,  # type: ignore[arg-type]  # pydantic checks the word
        auto_compaction=view.auto_compaction,
    )


def breakdown(view: v.SessionView) -> m.Breakdown:
    """The rows, and the total that they sum to."""
    rows = [
        m.BreakdownRow(
            kind=row.kind,
            label=row.label,
            tokens=row.tokens,
            items=row.items,
            compactable=row.compactable,
        )
        for row in view.rows
    ]
    return m.Breakdown(rows=rows, total_tokens=view.gauge.used_tokens)


def turn(view: v.TurnView) -> m.TurnInfo:
    """A turn, for lists."""
    prompt = view.prompt
    if len(prompt) > PROMPT_SHOWN_CHARACTERS:
        prompt = prompt[: PROMPT_SHOWN_CHARACTERS - 1] + "…"
    return m.TurnInfo(
        turn_id=view.turn_id,
        number=view.number,
        message_id=view.message_id,
        prompt=prompt,
        status=view.status,
        stop_reason=view.stop_reason,
        detail=cut(view.detail, TEXT_SHOWN_BYTES)[0],
        started_at=view.started_at,
        ended_at=view.ended_at,
        checkpoints=[checkpoint(taken) for taken in view.checkpoints],
    )


def turns(views: Sequence[v.TurnView], limit_bytes: int = TURNS_BYTES) -> list[m.TurnInfo]:
    """The first of these turns that fit, but one at least: without its files if need be."""
    shown: list[m.TurnInfo] = []
    size_bytes = 0
    for view in views:
        info = turn(view)
        size_bytes += len(info.model_dump_json())
        if size_bytes > limit_bytes:
            if not shown:
                newest = [
                    c.model_copy(update={"files": []}) for c in info.checkpoints[-FILES_SHOWN:]
                ]
                shown.append(info.model_copy(update={"checkpoints": newest}))
            break
        shown.append(info)
    return shown


def checkpoint(view: v.CheckpointView) -> m.Checkpoint:
    """A checkpoint, for lists."""
    return m.Checkpoint(
        checkpoint_id=view.checkpoint_id,
        kind=view.kind,
        turn_id=view.turn_id,
        turn_number=view.turn_number,
        message_id=view.message_id,
        label=view.label,
        files=list(view.files[:FILES_SHOWN]),
        file_count=len(view.files),
        not_covered=counted(view.not_covered, NOT_COVERED_SHOWN),
        at=view.at,
    )


def counted(sentences: Sequence[str], shown: int) -> list[str]:
    """At most so many sentences, the last of which says how many more there are."""
    if len(sentences) <= shown:
        return list(sentences)
    return [*sentences[:shown], f"and {len(sentences) - shown} more"]


def card(view: v.CompactionView) -> m.CompactionCard:
    """What a compaction did, or would do."""
    return m.CompactionCard(
        compaction_id=view.compaction_id,
        status=view.status,
        stages=list(view.stages),
        before_tokens=view.before_tokens,
        after_tokens=view.after_tokens,
        target_tokens=view.target_tokens,
        ceiling_tokens=view.ceiling_tokens,
        reached_target=view.reached_target,
        window_given_up=view.window_given_up,
        exhausted=view.exhausted,
        model_calls=view.model_calls,
        items=dict(view.items),
        turns_summarised=view.turns_summarised,
        trigger=view.trigger,
        undoable=view.undoable,
        notices=list(view.notices),
        at=view.at,
    )


def rewind(view: v.RewindView) -> m.RewindInfo:
    """A rewind that happened."""
    return m.RewindInfo(
        rewind_id=view.rewind_id,
        mode=view.mode,
        files=list(view.files[:FILES_SHOWN]),
        turns_removed=view.turns_removed,
        prompt=view.prompt,
        redoable=view.redoable,
        at=view.at,
    )


def approvals(views: Sequence[v.ApprovalView]) -> list[m.Approval]:
    """All that waits; the more there are, the less is shown of each."""
    limit_bytes = APPROVAL_SHOWN_BYTES // max(1, len(views))
    return [approval(view, limit_bytes) for view in views]


def approval(view: v.ApprovalView, limit_bytes: int = APPROVAL_SHOWN_BYTES) -> m.Approval:
    """What waits for a person."""
    return m.Approval(
        approval_id=view.approval_id,
        turn_id=view.turn_id,
        tool_use_id=view.tool_use_id,
        tool=view.tool,
        title=view.title,
        paths=list(view.paths[:FILES_SHOWN]),
        diff=_told_cut(view.diff, limit_bytes),
        command=_told_cut(view.command, limit_bytes),
        at=view.at,
    )


def _told_cut(text: str, limit_bytes: int) -> str:
    shown, missing = cut(text, limit_bytes)
    if not missing:
        return text
    return f"{shown}\n[cut here: {len(text) - len(shown)} more characters]\n"


def cost(view: v.CostView) -> m.Cost:
    """What was billed."""
    return m.Cost(
        amount=view.amount,
        currency=view.currency,
        input_tokens=view.input_tokens,
        cache_read_tokens=view.cache_read_tokens,
        cache_write_tokens=view.cache_write_tokens,
        output_tokens=view.output_tokens,
    )


def item(view: v.ItemView) -> m.ContextItem:
    """One block of the history."""
    return m.ContextItem(
        item_id=view.item_id,
        message_id=view.message_id,
        block=view.block,
        turn_id=view.turn_id,
        role=view.role,
        kind=view.kind,
        label=cut(view.label, TEXT_SHOWN_BYTES)[0],
        tokens=view.tokens,
        bytes=view.size_bytes,
        pinned=view.pinned,
        state=view.state,
        restorable=view.restorable,
    )


def file_change(view: FileRestore, workspace: str, uris: Uris) -> m.FileChange:
    """One file of a plan."""
    holds_content = view.wanted.kind == "file" and view.wanted.digest
    return m.FileChange(
        path=view.path,
        uri=uris.of(str(PurePath(workspace, view.path))),
        action=view.action,
        added_lines=view.added_lines,
        removed_lines=view.removed_lines,
        binary=view.binary,
        conflict=view.conflict,
        conflict_detail=view.conflict_detail or None,
        takeable=view.takeable,
        before_ref=f"sha256:{view.wanted.digest}" if holds_content else None,
        present_digest=view.present.digest,
    )


def listing(view: v.SessionListing, uris: Uris) -> m.SessionListing:
    """A session in a list."""
    return m.SessionListing(
        session_id=view.session_id,
        title=view.title,
        workspace_uri=uris.of(view.workspace) if view.workspace else "",
        created_at=view.created_at,
        updated_at=view.updated_at,
        turns=view.turns,
        size_bytes=view.size_bytes,
        locked_by_pid=view.locked_by_pid,
    )


def transcript(views: Iterable[v.TranscriptItemView]) -> tuple[list[m.TranscriptItem], bool]:
    """The newest of these items that fit into a message, in order, and whether all did."""
    page: list[m.TranscriptItem] = []
    size_bytes = 0
    for view in reversed(list(views)):
        shown = transcript_item(view)
        size_bytes += len(shown.model_dump_json())
        if page and size_bytes > PAGE_BYTES:
            return page[::-1], False
        page.append(shown)
    return page[::-1], True


def transcript_item(view: v.TranscriptItemView) -> m.TranscriptItem:
    """One block of the transcript, its text cut."""
    text, truncated = cut(view.text, TEXT_SHOWN_BYTES)
    data: dict[str, Any] = dict(view.data)
    if len(json.dumps(data)) > TEXT_SHOWN_BYTES:
        data, truncated = {}, True
    return m.TranscriptItem(
        item_id=view.item_id,
        message_id=view.message_id,
        turn_id=view.turn_id,
        role=view.role,
        kind=view.kind,
        text=text,
        truncated=truncated,
        ref=view.item_id if truncated else None,
        tool=view.tool,
        tool_use_id=view.tool_use_id,
        is_error=view.is_error,
        synthetic=view.synthetic,
        state=view.state,
        at=view.at,
        data=data,
    )
