"""The files of a workspace as they are: disk and unsaved buffers, and how they go back.

Owns which channel a file is read and written through, what is kept of it, and the restore from
preview to record.
Deliberately knows nothing of sessions, messages or models.

Invariant: one channel per file; what is open and unsaved in the editor is only ever changed
through the editor, everything else only on disk.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.core.events import FileState
from sidecar.workspace import apply, plan, restore, scan
from sidecar.workspace.buffers import Buffers
from sidecar.workspace.channel import EditorChannel
from sidecar.workspace.disk import NEW_FILE_MODE, Disk, make_folders, replace_file
from sidecar.workspace.intent import read_intent
from sidecar.workspace.paths import Root
from sidecar.workspace.states import LARGE_FILE_BYTES, read_state, with_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from sidecar.store.blobs import Blobs
    from sidecar.workspace.channel import EditorPort
    from sidecar.workspace.plan import Choice, FileRestore
    from sidecar.workspace.restore import RestoreOutcome
    from sidecar.workspace.scan import Scan


class Workspace:
    """One workspace folder; implements `sidecar.tools.port.WorkspacePort`."""

    def __init__(
        self,
        root: Path,
        blobs: Blobs,
        buffers: Buffers | None = None,
        editor: EditorPort | None = None,
        *,
        disk: Disk | None = None,
    ) -> None:
        """`InvalidInput` where the folder isn't there."""
        self._root = Root(root)
        self.root = self._root.path
        self.buffers = Buffers() if buffers is None else buffers
        self.channel = EditorChannel(self.buffers, editor)
        self._blobs = blobs
        self._disk = disk or Disk()
        self._new_file_mode = NEW_FILE_MODE & ~_umask()

    def resolve(self, path: str) -> str:
        """Absolute path, every link followed; `OutsideWorkspace`, `InvalidInput`."""
        return self._root.resolve(path)

    def relative(self, path: str) -> str:
        """The one workspace-relative name, with `/`; the last link of a path is not followed."""
        return self._root.relative(path)

    def place(self, path: str) -> str:
        """Absolute path of the entry itself; `OutsideWorkspace`."""
        return self._root.place(path)

    def read_bytes(self, path: str) -> bytes:
        """What the file holds: unsaved text in the file's own encoding, else the disk's bytes.

        `OSError` also for what is no regular file (a pipe would block for ever).
        """
        place = self.resolve(path)
        unsaved = self.buffers.unsaved_document(place)
        if unsaved is not None:
            return unsaved.data
        if os.path.lexists(place) and not os.path.isdir(place) and not os.path.isfile(place):
            raise OSError(f"{path} is no regular file, so it is not read")
        return Path(place).read_bytes()

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Replace the file's content by the one channel that owns it; its mode bits stay.

        Links are followed, so a link stays a link; parent folders are made.
        `FileConflict` where the editor holds unsaved text and doesn't take the new one,
        `PermissionError` for a file without a write bit.
        """
        place = self.resolve(path)
        unsaved = self.buffers.unsaved_document(place)
        if unsaved is not None:
            await self.channel.write(path, unsaved, data)
            return
        mode: int | None = None
        if os.path.lexists(place):
            info = os.stat(place)
            if not stat.S_ISREG(info.st_mode):
                raise OSError(f"{path} is no regular file, so it is not written")
            mode = stat.S_IMODE(info.st_mode)
            if not mode & 0o222 or not os.access(place, os.W_OK):
                raise PermissionError(f"{path} is read-only; make it writable first")
        make_folders(self._disk, os.path.dirname(place))
        replace_file(self._disk, place, data, mode)

    def unsaved(self) -> dict[str, bytes]:
        """The open documents with unsaved work: relative path to what saving would leave."""
        found: dict[str, bytes] = {}
        for place in self.buffers.unsaved_paths():
            document = self.buffers.unsaved_document(place)
            if document and place.startswith(self.root + os.sep):
                found[os.path.relpath(place, self.root).replace(os.sep, "/")] = document.data
        return found

    def state(self, path: str) -> FileState:
        """The state of one entry (links not followed): unsaved text where there is any."""
        return self.look(path)[0]

    def look(self, path: str) -> tuple[FileState, bytes | None, bool]:
        """State, bytes (None where there are none to keep) and whether that is unsaved work."""
        relative = self.relative(path)
        place = self.place(path)
        state, data = read_state(place, relative)
        if state.kind in {"file", "absent"}:
            unsaved = self.buffers.unsaved_document(place)
            if unsaved is not None:
                state = with_bytes(state, unsaved.data, new_file_mode=self._new_file_mode)
                return state, unsaved.data, True
        return state, data, False

    def keep(self, data: bytes) -> None:
        """Keep these bytes, so that a state that names them can come back."""
        self._blobs.put(data)

    def kept(self, state: FileState) -> bytes:
        """The bytes that a captured state names, digest verified; `NotFound`."""
        return self._blobs.get(state.digest)

    def capture(self, paths: Iterable[str]) -> tuple[FileState, ...]:
        """The states of these entries, their bytes kept, so that they can come back.

        Folders above a path that don't exist yet are part of it, so that a rewind can remove them.
        What could not be kept is named by `not_covered`.
        """
        states: dict[str, FileState] = {}
        for path in paths:
            for folder in self._missing_above(path):
                states[folder] = FileState(folder, "absent")
            state, data, _ = self.look(path)
            states[state.path] = state
            if data is not None:
                self.keep(data)
        return tuple(states[path] for path in sorted(states))

    def not_covered(self, states: Iterable[FileState]) -> tuple[str, ...]:
        """In words, what of these states can't be brought back, and why."""
        words: list[str] = []
        for state in states:
            if state.kind == "other":
                words.append(f"{state.path} (a device, pipe or socket)")
            elif state.kind in {"file", "symlink"} and not self._blobs.has(state.digest):
                limit = LARGE_FILE_BYTES // (1024 * 1024)
                words.append(f"{state.path} ({state.size_bytes} bytes, over {limit} MiB)")
        return tuple(words)

    def plan_restore(
        self, wanted: Sequence[FileState], expected: Mapping[str, FileState]
    ) -> list[FileRestore]:
        """What bringing `wanted` about would do; changes nothing.

        `expected` is what the agent (or the last rewind) left at each path.
        """
        return plan.plan(wanted, expected, self)

    async def restore(
        self,
        restores: Sequence[FileRestore],
        choices: Mapping[str, Choice],
        intent_path: Path,
        payload: Mapping[str, Any] | None = None,
    ) -> RestoreOutcome:
        """Carry a plan out, all or nothing.

        `FileConflict` (with `conflicts`: path, conflict, detail) where a conflict has no choice or
        a file changed since the plan; nothing is changed then.
        With a `payload` (JSON values) the record stays, until `settle`, for a caller that has to
        write down the outcome: `unsettled` gives the payload back after a crash.
        """
        return await restore.restore(
            self, self._disk, restore.Order(restores, choices, intent_path, payload)
        )

    def recover(self, intent_path: Path) -> list[str]:
        """At the start: finish or undo what a crash cut off; sentences for the person."""
        return apply.recover(self._disk, intent_path, self)

    def unsettled(self, intent_path: Path) -> Mapping[str, Any] | None:
        """The payload of a restore that is complete but was not settled."""
        try:
            intent = read_intent(intent_path)
        except ValueError:
            return None
        return intent.payload if intent is not None and intent.phase == "done" else None

    def settle(self, intent_path: Path) -> None:
        """The outcome is recorded elsewhere; the record may go."""
        intent_path.unlink(missing_ok=True)

    def scan(self) -> Scan:
        """How every file looks now, before a shell call; seconds at most, run it in a thread."""
        return scan.scan(self.root)

    def changed_since(self, before: Scan) -> list[str]:
        """In words, what was created, changed or deleted since, and what was not looked into."""
        return scan.changed_since(before)

    def _missing_above(self, path: str) -> Iterator[str]:
        parts = self.relative(path).split("/")
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            if not os.path.lexists(self.place(folder)):
                yield folder


def _umask() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
