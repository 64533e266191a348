"""What a request about one open session asks of it, one function a method.

Owns the table from method to function; `sidecar.handlers` finds the session, checks the params and
sends the result.
Deliberately decides nothing.

Invariant: each function makes one call that changes something, or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidecar import projection as p
from sidecar.protocol import requests as r
from sidecar.session.view import Mutation

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sidecar.protocol.models import Wire
    from sidecar.session import view as v
    from sidecar.session.port import SessionPort
    from sidecar.uris import Uris

    Operation = Callable[[SessionPort, Any, Uris], Awaitable[Wire]]

# A plan may change any number of blocks; what a person looks at is the largest of them.
CHANGES_SHOWN = 1000


def by(params: r.Mutation) -> Mutation:
    """The client's key, and the revision that it looked at."""
    return Mutation(params.idempotency_key, params.expected_revision)


async def _session_read(session: SessionPort, _: r.SessionRef, uris: Uris) -> r.SessionResult:
    return r.SessionResult(session=p.snapshot(session.view, uris))


async def _session_rename(
    session: SessionPort, params: r.SessionRenameParams, _: Uris
) -> r.RevisionResult:
    return r.RevisionResult(revision=await session.rename(params.title, by(params)))


async def _session_sample(session: SessionPort, _: r.SessionRef, __: Uris) -> r.SampleStartResult:
    prompt = session.sample_prompt()
    description = "" if prompt is None else "A recorded task on the sample workspace."
    return r.SampleStartResult(prompt=prompt, description=description)


async def _turn_start(
    session: SessionPort, params: r.TurnStartParams, _: Uris
) -> r.TurnStartResult:
    accepted = await session.start_turn(params.prompt, by(params))
    return r.TurnStartResult(
        turn_id=accepted.turn_id, message_id=accepted.message_id, revision=accepted.revision
    )


async def _turn_cancel(
    session: SessionPort, params: r.TurnCancelParams, _: Uris
) -> r.TurnCancelResult:
    return r.TurnCancelResult(cancelled=await session.cancel(params.turn_id))


async def _turn_mode(session: SessionPort, params: r.TurnModeParams, _: Uris) -> r.RevisionResult:
    return r.RevisionResult(revision=await session.set_mode(params.mode, by(params)))


async def _approval_respond(
    session: SessionPort, params: r.ApprovalRespondParams, _: Uris
) -> r.RevisionResult:
    return r.RevisionResult(revision=session.respond(params.approval_id, params.decision))


async def _approval_list(session: SessionPort, _: r.SessionRef, __: Uris) -> r.ApprovalListResult:
    return r.ApprovalListResult(approvals=p.approvals(session.approvals()))


async def _context_read(
    session: SessionPort, params: r.ContextReadParams, _: Uris
) -> r.ContextReadResult:
    view = session.view
    items: tuple[v.ItemView, ...] = ()
    count = 0
    if params.detail == "items":
        items, count = session.context_items(params.offset, params.limit)
    return r.ContextReadResult(
        gauge=p.gauge(view.gauge),
        breakdown=p.breakdown(view),
        items=[p.item(shown) for shown in items],
        item_count=count,
        revision=view.revision,
    )


async def _context_pin(
    session: SessionPort, params: r.ContextPinParams, _: Uris
) -> r.RevisionResult:
    return r.RevisionResult(revision=await session.pin(params.message_id, by(params)))


async def _context_unpin(
    session: SessionPort, params: r.ContextPinParams, _: Uris
) -> r.RevisionResult:
    revision = await session.pin(params.message_id, by(params), pinned=False)
    return r.RevisionResult(revision=revision)


async def _context_drop(
    session: SessionPort, params: r.ContextItemParams, _: Uris
) -> r.RevisionResult:
    return r.RevisionResult(revision=await session.drop(params.item_id, by(params)))


async def _context_restore(
    session: SessionPort, params: r.ContextItemParams, _: Uris
) -> r.RevisionResult:
    return r.RevisionResult(revision=await session.restore(params.item_id, by(params)))


async def _budget_set(
    session: SessionPort, params: r.BudgetSetParams, _: Uris
) -> r.BudgetSetResult:
    patch = params.patch.model_dump(exclude_unset=True)
    outcome = await session.set_budget(patch, by(params), dry_run=params.dry_run)
    return r.BudgetSetResult(
        gauge=p.gauge(outcome.gauge),
        would_compact=outcome.would_compact,
        revision=outcome.revision,
    )


async def _compaction_preview(
    session: SessionPort, params: r.CompactionPreviewParams, _: Uris
) -> r.CompactionPlan:
    plan = session.preview_compaction(params.up_to)
    return r.CompactionPlan(
        plan_id=plan.plan_id,
        card=None if plan.card is None else p.card(plan.card),
        needs_summary=plan.needs_summary,
        changes=[p.item(changed) for changed in plan.changes[:CHANGES_SHOWN]],
        reason=plan.reason,
    )


async def _compaction_run(
    session: SessionPort, params: r.CompactionRunParams, _: Uris
) -> r.CompactionResult:
    outcome = await session.compact(
        by(params),
        plan_id=params.plan_id,
        up_to=params.up_to,
        instructions=params.instructions,
        summary=params.summary,
    )
    done = outcome.compaction
    return r.CompactionResult(
        compaction=None if done is None else p.card(done),
        reason=outcome.reason,
        revision=outcome.revision,
    )


async def _compaction_undo(
    session: SessionPort, params: r.CompactionUndoParams, _: Uris
) -> r.RevisionResult:
    revision = await session.undo_compaction(params.compaction_id, by(params))
    return r.RevisionResult(revision=revision)


async def _compaction_list(
    session: SessionPort, _: r.SessionRef, __: Uris
) -> r.CompactionListResult:
    return r.CompactionListResult(compactions=[p.card(done) for done in session.compactions()])


async def _checkpoint_list(
    session: SessionPort, params: r.CheckpointListParams, _: Uris
) -> r.CheckpointListResult:
    turns = session.turns()
    ids = [turn.turn_id for turn in turns]
    first = ids.index(params.before) + 1 if params.before in ids else 0
    page = p.turns(turns[first : first + params.limit], p.PAGE_BYTES)
    return r.CheckpointListResult(
        turns=page,
        older=first + len(page) < len(turns),
        uncovered=p.counted(session.uncovered(), p.FILES_SHOWN),
    )


async def _checkpoint_create(
    session: SessionPort, params: r.CheckpointCreateParams, _: Uris
) -> r.CheckpointCreateResult:
    outcome = await session.create_checkpoint(params.label, params.paths, by(params))
    return r.CheckpointCreateResult(
        checkpoint=p.checkpoint(outcome.checkpoint), revision=outcome.revision
    )


async def _checkpoint_diff(
    session: SessionPort, params: r.CheckpointDiffParams, uris: Uris
) -> r.CheckpointDiffResult:
    workspace = session.view.workspace
    files = session.checkpoint_diff(params.checkpoint_id)
    return r.CheckpointDiffResult(files=[p.file_change(file, workspace, uris) for file in files])


async def _rewind_preview(
    session: SessionPort, params: r.RewindPreviewParams, uris: Uris
) -> r.RewindPlan:
    plan = session.preview_rewind(params.anchor, params.mode)
    workspace = session.view.workspace
    return r.RewindPlan(
        plan_id=plan.plan_id,
        anchor=plan.anchor,
        mode=plan.mode,
        files=[p.file_change(file, workspace, uris) for file in plan.files],
        not_restored=p.counted(plan.not_restored, p.FILES_SHOWN),
        turns_removed=[p.turn(turn) for turn in plan.turns_removed],
        messages_removed=plan.messages_removed,
        tokens_removed=plan.tokens_removed,
        gauge_after=p.gauge(plan.gauge_after),
        prompt=plan.prompt,
        running_turn=plan.running_turn,
    )


def _rewound(outcome: v.RewindOutcome) -> r.RewindResult:
    return r.RewindResult(
        rewind=p.rewind(outcome.rewind),
        files_restored=list(outcome.files_restored),
        files_kept=list(outcome.files_kept),
        prompt=outcome.prompt,
        revision=outcome.revision,
    )


async def _rewind_apply(
    session: SessionPort, params: r.RewindApplyParams, _: Uris
) -> r.RewindResult:
    return _rewound(await session.apply_rewind(params.plan_id, params.choices, by(params)))


async def _rewind_redo(session: SessionPort, params: r.RewindRedoParams, _: Uris) -> r.RewindResult:
    return _rewound(await session.redo(params.choices, by(params)))


async def _rewind_list(session: SessionPort, _: r.RewindListParams, __: Uris) -> r.RewindListResult:
    return r.RewindListResult(rewinds=[p.rewind(done) for done in session.rewinds()])


async def _transcript_read(
    session: SessionPort, params: r.TranscriptReadParams, _: Uris
) -> r.TranscriptReadResult:
    page = session.transcript(params.before, params.limit, include_rewound=params.include_rewound)
    items, whole = p.transcript(page.items)
    return r.TranscriptReadResult(
        items=items, older=page.older or not whole, revision=page.revision
    )


async def _content_read(
    session: SessionPort, params: r.ContentReadParams, _: Uris
) -> r.ContentReadResult:
    content = session.content(params.ref, params.offset, params.limit)
    return r.ContentReadResult(
        text=content.text,
        next_offset=content.next_offset,
        total=content.total,
        binary=content.binary,
    )


OPERATIONS: dict[str, Operation] = {
    "sidecar/session/read": _session_read,
    "sidecar/session/rename": _session_rename,
    "sidecar/session/sample": _session_sample,
    "sidecar/turn/start": _turn_start,
    "sidecar/turn/cancel": _turn_cancel,
    "sidecar/turn/mode": _turn_mode,
    "sidecar/approval/respond": _approval_respond,
    "sidecar/approval/list": _approval_list,
    "sidecar/context/read": _context_read,
    "sidecar/context/pin": _context_pin,
    "sidecar/context/unpin": _context_unpin,
    "sidecar/context/drop": _context_drop,
    "sidecar/context/restore": _context_restore,
    "sidecar/budget/set": _budget_set,
    "sidecar/compaction/preview": _compaction_preview,
    "sidecar/compaction/run": _compaction_run,
    "sidecar/compaction/undo": _compaction_undo,
    "sidecar/compaction/list": _compaction_list,
    "sidecar/checkpoint/list": _checkpoint_list,
    "sidecar/checkpoint/create": _checkpoint_create,
    "sidecar/checkpoint/diff": _checkpoint_diff,
    "sidecar/rewind/preview": _rewind_preview,
    "sidecar/rewind/apply": _rewind_apply,
    "sidecar/rewind/redo": _rewind_redo,
    "sidecar/rewind/list": _rewind_list,
    "sidecar/transcript/read": _transcript_read,
    "sidecar/content/read": _content_read,
}
