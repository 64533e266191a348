"""Carrying a restore out on the disk, all or nothing; finishing or undoing one that a crash cut.

Owns the order: content beside its place first, then renames, deletions last, each on the disk
before the next phase of the record says so.
Deliberately knows nothing of buffers, choices or conflicts; what it is given is settled.

Invariant: after `carry_out` every path is as wanted, or every path is as it was; after a crash at
any operation `recover` brings about one of the two.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from sidecar.errors import FileConflict, NotFound, OutsideWorkspace, SidecarError
from sidecar.workspace.disk import is_temporary
from sidecar.workspace.intent import Intent, Step, read_intent, write_intent
from sidecar.workspace.states import read_state, same, signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sidecar.core.events import FileState
    from sidecar.workspace.disk import Disk

Signature = tuple[int, int, int, int] | None


class Places(Protocol):
    """Where things are, and what was kept."""

    def place(self, path: str) -> str:
        """Absolute path of an entry; `OutsideWorkspace`."""
        ...

    def kept(self, state: FileState) -> bytes:
        """The bytes of a state, verified; `NotFound`."""
        ...


def missing_folders(intent: Intent, places: Places) -> tuple[str, ...]:
    """Relative names of the folders that have to be made, outermost first."""
    wanted: list[str] = []
    for step in intent.steps:
        if step.through == "disk" and step.wanted.kind != "absent":
            parts = step.path.split("/")
            depth = len(parts) + (step.wanted.kind == "directory")
            wanted += ["/".join(parts[:count]) for count in range(1, depth)]
    ordered = sorted(set(wanted), key=lambda path: (path.count("/"), path))
    return tuple(path for path in ordered if not os.path.lexists(places.place(path)))


def carry_out(disk: Disk, intent: Intent, intent_path: Path, places: Places) -> None:
    """Do every step on disk; the record is there already, in phase `prepared`.

    Raises `FileConflict` with everything as it was, or `SidecarError` where even that failed and
    the record waits for the next start.
    """
    try:
        before = {step.path: _signature(places.place(step.path)) for step in _on_disk(intent)}
        _check_presence(intent, places)
        _stage(disk, intent, places)
        write_intent(disk, intent_path, intent.at("committing"))
        _commit(disk, intent, places, lambda step: before[step.path])
        _settle(disk, intent, intent_path)
    except (OSError, FileConflict, NotFound, OutsideWorkspace) as error:
        _undo_or_leave(disk, intent, intent_path, places, error)
        if isinstance(error, OSError):
            raise FileConflict(
                f"nothing was changed: {error}", conflicts=[_failure(error)]
            ) from error
        raise


def recover(disk: Disk, intent_path: Path, places: Places) -> list[str]:
    """Finish or undo what a crash left; returns sentences for the person, none if all was well.

    Raises `SidecarError` where neither can be done now; the record stays for another start.
    """
    for name in os.listdir(intent_path.parent):
        if is_temporary(name):  # A record that was being written.
            disk.unlink(os.path.join(intent_path.parent, name))
    try:
        intent = read_intent(intent_path)
    except ValueError as error:
        return [f"{error}; it was left where it is"]
    if intent is None:
        return []
    if intent.phase == "done":
        _settle(disk, intent, intent_path)
        return []
    if intent.phase == "prepared":
        _undo(disk, intent, places)
        disk.unlink(str(intent_path))
        return ["A rewind was interrupted before it changed a file; nothing on disk was changed."]
    try:
        notes = _finish(disk, intent, places)
    except (OSError, NotFound, OutsideWorkspace) as error:
        _undo_or_leave(disk, intent, intent_path, places, error)
        return [f"A rewind was interrupted and could not be finished ({error}); it was undone."]
    _settle(disk, intent, intent_path)
    return [*notes, "A rewind was interrupted; its files are all in place now."]


def _stage(disk: Disk, intent: Intent, places: Places) -> None:
    for folder in intent.folders:
        disk.make_folder(places.place(folder))
    for step in intent.steps:
        if _has_content(step):
            _stage_one(disk, intent.temporary(places.place(step.path), step), step, places)


def _has_content(step: Step) -> bool:
    moved = (step.wanted.kind, step.wanted.digest) != (step.present.kind, step.present.digest)
    return step.through == "disk" and step.wanted.kind in {"file", "symlink"} and moved


def _stage_one(disk: Disk, temporary: str, step: Step, places: Places) -> None:
    data = places.kept(step.wanted)
    if step.wanted.kind == "symlink":
        disk.make_link(temporary, os.fsdecode(data))
    else:
        like = places.place(step.path) if step.present.kind == "file" else ""
        disk.write_temporary(temporary, data, step.wanted.mode, like)


def _commit(
    disk: Disk, intent: Intent, places: Places, expected: Callable[[Step], Signature]
) -> None:
    for step in intent.steps:
        place = places.place(step.path)
        if step.through == "buffer" or step.wanted.kind in {"absent", "directory"}:
            continue
        if _signature(place) != expected(step):
            raise _changed(step)
        if _has_content(step):
            disk.rename(intent.temporary(place, step), place)
        else:
            disk.change_mode(place, step.wanted.mode)
    _sync(disk, intent, places)
    _delete(disk, intent, places, expected)
    _sync(disk, intent, places)


def _delete(
    disk: Disk, intent: Intent, places: Places, expected: Callable[[Step], Signature]
) -> None:
    for step in sorted(_on_disk(intent), key=lambda step: step.path, reverse=True):
        if step.wanted.kind != "absent" or step.present.kind == "absent":
            continue
        place = places.place(step.path)
        if step.present.kind == "directory":
            with suppress(OSError):  # Somebody put something into it: it stays.
                disk.remove_folder(place)
            continue
        if _signature(place) != expected(step):
            raise _changed(step)
        disk.unlink(place)


def _finish(disk: Disk, intent: Intent, places: Places) -> list[str]:
    notes: list[str] = []
    standing: dict[str, Signature] = {}
    todo: list[Step] = []
    for step in _on_disk(intent):
        place = places.place(step.path)
        state, _ = read_state(place, step.path)
        if same(state, step.wanted):
            continue
        if not same(state, step.present):
            notes.append(f"{step.path} was changed meanwhile and was left as it is.")
            continue
        standing[step.path] = _signature(place)
        todo.append(step)
    rest = Intent(intent.token, tuple(todo))
    _remove_temporaries(disk, intent, places)
    rest = Intent(intent.token, tuple(todo), missing_folders(rest, places))
    _stage(disk, rest, places)
    _commit(disk, rest, places, lambda step: standing[step.path])
    return notes


def _settle(disk: Disk, intent: Intent, intent_path: Path) -> None:
    """The files are in place; a record without a payload has served its purpose."""
    if intent.payload is None:
        disk.unlink(str(intent_path))
    else:
        write_intent(disk, intent_path, intent.at("done"))


def _undo_or_leave(
    disk: Disk, intent: Intent, intent_path: Path, places: Places, cause: Exception
) -> None:
    try:
        _undo(disk, intent, places)
        disk.unlink(str(intent_path))
    except (OSError, NotFound) as error:
        raise SidecarError(
            f"a rewind failed ({cause}) and could not be undone now ({error}); it will be finished "
            "or undone at the next start, so make room or give access and restart"
        ) from error


def _undo(disk: Disk, intent: Intent, places: Places) -> None:
    _remove_temporaries(disk, intent, places)
    done = [step for step in _on_disk(intent) if _is_done(step, places)]
    for step in done:
        if step.present.kind != "absent":
            _put_back(disk, intent, step, places)
    for step in reversed(done):
        if step.present.kind == "absent" and step.wanted.kind != "directory":
            disk.unlink(places.place(step.path))
    for folder in reversed(intent.folders):
        with suppress(OSError, OutsideWorkspace):
            disk.remove_folder(places.place(folder))
    _sync(disk, intent, places)


def _is_done(step: Step, places: Places) -> bool:
    try:
        state, _ = read_state(places.place(step.path), step.path)
    except OutsideWorkspace:
        return False
    return same(state, step.wanted) and not same(state, step.present)


def _put_back(disk: Disk, intent: Intent, step: Step, places: Places) -> None:
    place = places.place(step.path)
    back = Step(step.path, present=step.wanted, wanted=step.present)
    if step.present.kind == "directory":
        disk.make_folder(place)
    elif _has_content(back):
        temporary = intent.temporary(place, step)
        _stage_one(disk, temporary, back, places)
        disk.rename(temporary, place)
    else:
        disk.change_mode(place, step.present.mode)


def _remove_temporaries(disk: Disk, intent: Intent, places: Places) -> None:
    for step in intent.steps:
        with suppress(OutsideWorkspace):
            temporary = intent.temporary(places.place(step.path), step)
            if os.path.lexists(temporary):
                disk.unlink(temporary)


def _sync(disk: Disk, intent: Intent, places: Places) -> None:
    folders: dict[str, None] = {}
    for step in _on_disk(intent):
        with suppress(OutsideWorkspace):
            folders[os.path.dirname(places.place(step.path))] = None
    for folder in folders:
        if os.path.isdir(folder):
            disk.sync_folder(folder)


def _check_presence(intent: Intent, places: Places) -> None:
    for step in _on_disk(intent):
        state, _ = read_state(places.place(step.path), step.path)
        if not same(state, step.present):
            raise _changed(step)


def _on_disk(intent: Intent) -> Iterator[Step]:
    return (step for step in intent.steps if step.through == "disk")


def _signature(place: str) -> Signature:
    try:
        return signature(os.lstat(place))
    except (FileNotFoundError, NotADirectoryError):
        return None


def _changed(step: Step) -> FileConflict:
    conflict = {
        "path": step.path,
        "conflict": "edited_since",
        "detail": "it was changed since the preview",
    }
    return FileConflict(
        f"nothing was changed: {step.path} was changed since the preview; preview again",
        conflicts=[conflict],
    )


def _failure(error: OSError) -> dict[str, str]:
    return {
        "path": os.fspath(error.filename or ""),
        "conflict": "read_only",
        "detail": error.strerror or str(error),
    }
