"""What a restore would do, file by file, before anything is done.

Owns actions, conflicts, line counts.
Deliberately changes nothing, and knows nothing of messages or checkpoints.

Invariant: a file whose present state is neither the wanted one nor the one that the agent left is
a conflict; nobody's work is taken for the agent's.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal, Protocol

from sidecar.core.events import FileState
from sidecar.errors import InvalidInput, NotFound, OutsideWorkspace
from sidecar.tools.text import detect, lines_of
from sidecar.workspace.states import same

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Action = Literal["restore", "recreate", "delete", "mode", "none"]
Conflict = Literal[
    "edited_since", "unsaved_buffer", "type_changed", "read_only", "outside_workspace",
    "blob_missing",
]  # fmt: skip
Choice = Literal["keep", "take"]
Channel = Literal["disk", "buffer"]

# Beyond this many pairs of lines the changed middle is counted whole: a true diff, not the
# smallest one; SequenceMatcher takes about a second for so many.
_LINE_PAIRS = 4_000_000


@dataclass(frozen=True, slots=True)
class FileRestore:
    """One file of a plan: what stands there, what is wanted, what to do, what is in the way.

    `added_lines` and `removed_lines` are of the change from `present` to `wanted`; both are 0
    where `binary`.
    A conflict needs a choice; `takeable` says whether "take" is one (else only "keep" is).
    `through` is the channel: the editor's buffer where the file is open and unsaved, else the disk.
    """

    path: str
    action: Action
    wanted: FileState
    present: FileState
    added_lines: int = 0
    removed_lines: int = 0
    binary: bool = False
    conflict: Conflict | None = None
    conflict_detail: str = ""
    takeable: bool = True
    through: Channel = "disk"


class Files(Protocol):
    """The files as a plan sees them."""

    def look(self, path: str) -> tuple[FileState, bytes | None, bool]:
        """State and bytes of what counts at a recorded path, and whether that is unsaved work."""
        ...

    def place(self, path: str) -> str:
        """Absolute path of the entry of a recorded path; `OutsideWorkspace`."""
        ...

    def relative(self, path: str) -> str:
        """The name that the entry has now."""
        ...

    def kept(self, state: FileState) -> bytes:
        """The bytes of a state, verified; `NotFound`."""
        ...


def plan(
    wanted: Sequence[FileState], expected: Mapping[str, FileState], files: Files
) -> list[FileRestore]:
    """One `FileRestore` for each wanted state, by path; folders only go if they will be empty."""
    found = [_plan_one(state, expected.get(state.path), files) for state in wanted]
    leaving = {entry.path for entry in found if entry.action == "delete"}
    settled = [
        _still_needed(entry) if _stays_full(entry, leaving, files) else entry for entry in found
    ]
    return sorted(settled, key=lambda entry: entry.path)


def _plan_one(wanted: FileState, expected: FileState | None, files: Files) -> FileRestore:
    entry = FileRestore(wanted.path, "none", wanted, FileState(wanted.path, "other"))
    try:
        now_called = files.relative(wanted.path)
        present, data, unsaved = files.look(wanted.path)
    except (OutsideWorkspace, InvalidInput) as error:
        return _blocked(entry, "outside_workspace", error.message)
    except OSError as error:
        return _blocked(entry, "read_only", f"it can't be read: {error.strerror or error}")
    entry = replace(entry, present=present)
    if now_called != wanted.path:
        detail = f"its path leads to {now_called} now, through a link or another spelling"
        return _blocked(entry, "type_changed", detail)
    if same(present, wanted):
        return entry
    through: Channel = "buffer" if unsaved and wanted.kind == "file" else "disk"
    entry = replace(entry, action=_action(wanted, present), through=through)
    return _judged(_with_content(entry, data, files), expected, files, unsaved=unsaved)


def _with_content(entry: FileRestore, data: bytes | None, files: Files) -> FileRestore:
    """With its lines counted; blocked where either side's bytes can't be had."""
    try:
        data_wanted = files.kept(entry.wanted) if entry.wanted.kind in {"file", "symlink"} else b""
    except NotFound as error:
        return _blocked(entry, "blob_missing", f"its content can't be had: {error.message}")
    if entry.present.kind == "file" and data is None:
        return _blocked(entry, "blob_missing", "what is there is too large to be brought back")
    return _counted(entry, data_wanted, data or b"")


def _action(wanted: FileState, present: FileState) -> Action:
    if wanted.kind == "absent":
        return "delete"
    if present.kind == "absent":
        return "recreate"
    if wanted.kind == present.kind == "file" and wanted.digest == present.digest:
        return "mode"
    return "restore"


def _judged(
    entry: FileRestore, expected: FileState | None, files: Files, *, unsaved: bool
) -> FileRestore:
    entry = _possible(entry, files)
    present = entry.present
    if entry.conflict or (expected is not None and same(present, expected)):
        return entry
    if "directory" in {present.kind, entry.wanted.kind}:
        return entry  # A folder goes only if it is empty then, so nobody's work is in it.
    conflict, detail = _since(present, expected)
    if unsaved:
        conflict, detail = "unsaved_buffer", "it is open with unsaved changes"
    return replace(entry, conflict=conflict, conflict_detail=detail)


def _possible(entry: FileRestore, files: Files) -> FileRestore:
    """Blocked where no choice could make it work."""
    kinds = {entry.wanted.kind, entry.present.kind}
    if entry.conflict:
        return entry
    if "other" in kinds:
        detail = "a device, pipe or socket can neither be remade nor replaced"
        return _blocked(entry, "type_changed", detail)
    if "directory" in kinds and kinds != {"directory", "absent"}:
        wanted, present = entry.wanted.kind, entry.present.kind
        detail = f"a {wanted} is wanted where a {present} stands; move that away first"
        return _blocked(entry, "type_changed", detail)
    return _writable(entry, files)


def _since(present: FileState, expected: FileState | None) -> tuple[Conflict, str]:
    if expected is None:
        return "edited_since", "nobody recorded what the agent left here"
    if present.kind == "absent":
        return "edited_since", "it was deleted since"
    if expected.kind not in {present.kind, "absent"}:
        return "type_changed", f"it was a {expected.kind} and is a {present.kind} now"
    if expected.kind == present.kind and expected.digest == present.digest:
        detail = f"its mode is {present.mode:o} now, the agent left {expected.mode:o}"
        return "edited_since", detail
    return "edited_since", "it was changed since the agent left it"


def _writable(entry: FileRestore, files: Files) -> FileRestore:
    """Rename and unlink need a writable folder; one without any write bit is meant to stay."""
    if entry.action == "mode" or entry.through == "buffer":
        return entry
    folder = os.path.dirname(files.place(entry.path))
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder):
        return _blocked(entry, "type_changed", f"{folder} is no folder any more")
    if os.access(folder, os.W_OK | os.X_OK) and stat.S_IMODE(os.stat(folder).st_mode) & 0o222:
        return entry
    return _blocked(entry, "read_only", f"the folder {folder} is read-only")


def _blocked(entry: FileRestore, conflict: Conflict, detail: str) -> FileRestore:
    return replace(entry, conflict=conflict, conflict_detail=detail, takeable=False)


def _stays_full(entry: FileRestore, leaving: set[str], files: Files) -> bool:
    if entry.action != "delete" or entry.present.kind != "directory":
        return False
    names = os.listdir(files.place(entry.path))
    return any(f"{entry.path}/{name}" not in leaving for name in names)


def _still_needed(entry: FileRestore) -> FileRestore:
    return replace(entry, action="none", conflict=None, conflict_detail="", takeable=True)


def _counted(entry: FileRestore, wanted: bytes, present: bytes) -> FileRestore:
    kinds = {entry.wanted.kind, entry.present.kind}
    if entry.action == "mode" or not kinds <= {"file", "absent"}:
        return entry
    encodings = detect(present), detect(wanted)
    if encodings[0] is None or encodings[1] is None:
        return replace(entry, binary=True)
    old, new = encodings[0].decode(present), encodings[1].decode(wanted)
    added, removed = changed_lines(lines_of(old), lines_of(new))
    return replace(entry, added_lines=added, removed_lines=removed)


def changed_lines(old: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Lines added and removed on the way from `old` to `new`."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if len(old) * len(new) > _LINE_PAIRS:
        return len(new), len(old)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    same_lines = sum(block.size for block in matcher.get_matching_blocks())
    return len(new) - same_lines, len(old) - same_lines
