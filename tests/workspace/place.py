"""A workspace folder for tests: an editor with documents, an agent, pictures of whole trees."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from sidecar.store.blobs import Blobs
from sidecar.workspace import Buffers, FileRestore, RestoreOutcome, Workspace

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from pathlib import Path

    from sidecar.core.events import FileState
    from sidecar.workspace.disk import Disk

Picture = dict[str, tuple[str, bytes, int]]


class Editor:
    """An editor as the daemon meets it: it holds texts, tells of changes, and takes edits."""

    def __init__(self, buffers: Buffers) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.refuses: set[str] = set()
        self.edits: list[tuple[str, int, str]] = []
        self._buffers = buffers

    def open(self, path: Path, text: str) -> str:
        uri = path.as_uri()
        self.texts[uri], self.versions[uri] = text, 1
        self._buffers.opened(uri, text, 1)
        return uri

    def type(self, uri: str, text: str) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        self._buffers.changed(uri, text, self.versions[uri])

    def save(self, uri: str, path: Path) -> None:
        path.write_bytes(self.texts[uri].encode())
        self._buffers.saved(uri)

    async def apply_edit(self, uri: str, version: int, new_text: str) -> bool:
        if uri in self.refuses or self.versions[uri] != version:
            return False
        self.edits.append((uri, version, new_text))
        self.type(uri, new_text)
        return True


class Place:
    """One folder; the record of a running restore lies beside it, as a session's does."""

    def __init__(self, folder: Path, disk: Disk | None = None) -> None:
        self.root = folder / "root"
        self.root.mkdir(exist_ok=True)
        self.folder = folder
        self.intent_path = folder / "rewind.json"
        self.blobs = Blobs(folder / "blobs")
        self.buffers = Buffers()
        self.editor = Editor(self.buffers)
        self.workspace = Workspace(self.root, self.blobs, self.buffers, self.editor, disk=disk)

    def put(self, path: str, data: bytes, mode: int = 0o644) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        place.chmod(mode)
        return place

    async def agent(
        self, paths: Iterable[str], work: Callable[[], Awaitable[None]]
    ) -> tuple[tuple[FileState, ...], dict[str, FileState]]:
        """States before the agent's work, and those it left, as a checkpoint holds them."""
        before = self.workspace.capture(paths)
        await work()
        after = self.workspace.capture([state.path for state in before])
        return before, {state.path: state for state in after}

    async def agent_writes(
        self, files: Mapping[str, bytes]
    ) -> tuple[tuple[FileState, ...], dict[str, FileState]]:
        async def work() -> None:
            for path, data in files.items():
                await self.workspace.write_bytes(path, data)

        return await self.agent(list(files), work)

    async def restore(
        self, restores: list[FileRestore], choices: Mapping[str, str] | None = None
    ) -> RestoreOutcome:
        return await self.workspace.restore(restores, choices or {}, self.intent_path)  # type: ignore[arg-type]

    def picture(self) -> Picture:
        return picture(self.root)


def picture(root: Path) -> Picture:
    """Everything below a folder: kind, bytes (a link's target) and mode of each name."""
    found: Picture = {}
    for place in root.rglob("*"):
        info = place.lstat()
        mode = stat.S_IMODE(info.st_mode)
        key = str(place.relative_to(root))
        if stat.S_ISLNK(info.st_mode):
            found[key] = ("symlink", os.fsencode(place.readlink()), 0)
        elif stat.S_ISDIR(info.st_mode):
            found[key] = ("directory", b"", mode)
        else:
            found[key] = ("file", place.read_bytes(), mode)
    return found
