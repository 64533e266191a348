"""A restore from the person's choices to its outcome.

Owns the checks of choices, the second look at every file, the order of buffers before disk, and
what is given back if something fails.
Deliberately knows nothing of how the disk is changed (`apply`) or of what a rewind is.

Invariant: it returns with every chosen path as wanted, or raises with every path as it was.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sidecar.core.events import FileState
from sidecar.errors import FileConflict, InvalidInput
from sidecar.workspace import apply
from sidecar.workspace.intent import Intent, Step, write_intent
from sidecar.workspace.states import same

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence
    from pathlib import Path

    from sidecar.workspace.buffers import Unsaved
    from sidecar.workspace.disk import Disk
    from sidecar.workspace.files import Workspace
    from sidecar.workspace.plan import Choice, FileRestore


@dataclass(frozen=True, slots=True)
class RestoreOutcome:
    """What a restore did: paths put back, paths kept as they were.

    `files` are the states now in place, `present` the states that they replaced, folders that
    were made or removed included; the bytes of both are kept, so handing `present` back as wanted
    and `files` as expected is an exact redo.
    """

    restored: tuple[str, ...]
    kept: tuple[str, ...]
    files: tuple[FileState, ...] = ()
    present: tuple[FileState, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """What to restore, what the person chose, where the record goes and what it carries."""

    restores: Sequence[FileRestore]
    choices: Mapping[str, Choice]
    intent_path: Path
    payload: Mapping[str, Any] | None = None


async def restore(files: Workspace, disk: Disk, order: Order) -> RestoreOutcome:
    """Carry an order out; see `Workspace.restore`."""
    todo = _chosen(order.restores, order.choices)
    _keep_present(files, todo)
    steps = tuple(Step(one.path, one.present, one.wanted, one.through) for one in todo)
    intent = Intent(os.urandom(6).hex(), steps, payload=order.payload)
    intent = replace(intent, folders=apply.missing_folders(intent, files))
    _announce(disk, intent, order.intent_path)
    changed: list[tuple[str, Unsaved]] = []
    try:
        await _edit_buffers(files, todo, changed)
    except BaseException:
        await files.channel.give_back(changed)
        disk.unlink(str(order.intent_path))
        raise
    try:
        await _to_the_end(
            asyncio.to_thread(apply.carry_out, disk, intent, order.intent_path, files)
        )
    except BaseException:
        await files.channel.give_back(changed)
        raise
    kept = tuple(path for path, choice in order.choices.items() if choice == "keep")
    return _outcome(files, intent, kept)


def _announce(disk: Disk, intent: Intent, intent_path: Path) -> None:
    try:
        write_intent(disk, intent_path, intent)
    except OSError as error:
        with suppress(OSError):
            disk.unlink(str(intent_path))
        raise FileConflict(
            f"nothing was changed: the record of the restore can't be written ({error})",
            conflicts=[],
        ) from error


def _chosen(restores: Sequence[FileRestore], choices: Mapping[str, Choice]) -> list[FileRestore]:
    known = {entry.path for entry in restores}
    for path, choice in choices.items():
        if path not in known:
            raise InvalidInput(f"the plan has no file {path}; choose among its files", path=path)
        if choice not in {"keep", "take"}:
            raise InvalidInput(f"{choice!r} for {path} is no choice; say keep or take", path=path)
    conflicts = [
        _conflict(entry, entry.conflict, entry.conflict_detail)
        for entry in restores
        if entry.conflict and not _decided(entry, choices.get(entry.path))
    ]
    if conflicts:
        raise FileConflict(_sentence(conflicts), conflicts=conflicts)
    wanted = [entry for entry in restores if choices.get(entry.path) != "keep"]
    return [entry for entry in wanted if entry.action != "none"]


def _decided(entry: FileRestore, choice: Choice | None) -> bool:
    return choice == "keep" or (choice == "take" and entry.takeable)


def _keep_present(files: Workspace, todo: Sequence[FileRestore]) -> None:
    """Look at every file again, and keep what stands there, so that it can come back."""
    conflicts = []
    for entry in todo:
        present, data, unsaved = files.look(entry.path)
        through = "buffer" if unsaved and entry.wanted.kind == "file" else "disk"
        if not same(present, entry.present) or through != entry.through:
            conflicts.append(_conflict(entry, "edited_since", "it was changed since the preview"))
        elif data is not None:
            files.keep(data)
    if conflicts:
        raise FileConflict(_sentence(conflicts), conflicts=conflicts)


async def _edit_buffers(
    files: Workspace, todo: Sequence[FileRestore], changed: list[tuple[str, Unsaved]]
) -> None:
    """Edit every open, unsaved file; `changed` is filled on the way, so it can be given back."""
    for entry in todo:
        unsaved = files.buffers.unsaved_document(files.place(entry.path))
        if entry.through == "buffer":
            if unsaved is None or unsaved.data != files.kept(entry.present):
                conflicts = [_conflict(entry, "edited_since", "it was changed since the preview")]
                raise FileConflict(_sentence(conflicts), conflicts=conflicts)
            changed.append((entry.path, unsaved))
            await files.channel.write(entry.path, unsaved, files.kept(entry.wanted))


def _outcome(files: Workspace, intent: Intent, kept: tuple[str, ...]) -> RestoreOutcome:
    steps = [step for step in intent.steps if not _stayed(files, step)]
    named = {step.path for step in steps}
    made = [folder for folder in intent.folders if folder not in named]
    return RestoreOutcome(
        restored=tuple(step.path for step in steps),
        kept=kept,
        files=(*(step.wanted for step in steps), *(files.state(one) for one in made)),
        present=(*(step.present for step in steps), *(FileState(one, "absent") for one in made)),
    )


def _stayed(files: Workspace, step: Step) -> bool:
    """A folder that was to go, and into which somebody put something meanwhile."""
    is_folder = step.present.kind == "directory" and step.wanted.kind == "absent"
    return is_folder and os.path.lexists(files.place(step.path))


def _conflict(entry: FileRestore, conflict: str, detail: str) -> dict[str, object]:
    return {
        "path": entry.path,
        "conflict": conflict,
        "detail": detail,
        "takeable": entry.takeable,
    }


def _sentence(conflicts: Sequence[Mapping[str, object]]) -> str:
    named = "; ".join(f"{one['path']}: {one['detail']}" for one in conflicts[:5])
    more = f" and {len(conflicts) - 5} more" if len(conflicts) > 5 else ""
    return f"nothing was changed; decide on each conflict first ({named}{more})"


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Await work that has passed the point of no return; a cancel comes too late for it."""
    task = asyncio.ensure_future(work)
    waiter = asyncio.current_task()
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            if waiter is not None:
                waiter.uncancel()
    task.result()
