"""The way into a document that the editor has open and unsaved.

Owns the edit, its version, and the check that the editor shows it afterwards.
Deliberately never touches the disk.

Invariant: an edit that returns is what the editor shows; anything else is a `FileConflict` and
the unsaved text is still there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sidecar.errors import FileConflict
from sidecar.tools.text import UTF8, detect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sidecar.workspace.buffers import Buffers, Unsaved


class EditorPort(Protocol):
    """The editor, asked to change a document that it has open."""

    async def apply_edit(self, uri: str, version: int, new_text: str) -> bool:
        """Replace the whole text of a document at this version; False where the editor refused."""
        ...


class EditorChannel:
    """Edits of open documents; `editor` is None where nobody can take them."""

    def __init__(self, buffers: Buffers, editor: EditorPort | None) -> None:
        self._buffers = buffers
        self._editor = editor

    async def write(self, path: str, unsaved: Unsaved, data: bytes) -> None:
        """Show these bytes as the document's text; `FileConflict` where that can't be."""
        encoding = detect(data) if unsaved.encoding == UTF8 else unsaved.encoding
        try:
            text = None if encoding is None else encoding.decode(data)
        except UnicodeDecodeError:
            text = None
        if text is None:
            raise _conflict(path, "the new content is no text that it can show")
        await self._edit(path, unsaved.place, text)

    async def give_back(self, changed: Sequence[tuple[str, Unsaved]]) -> None:
        """Show the former texts again, as far as the documents are still open."""
        for path, unsaved in reversed(changed):
            shown = self._buffers.text(unsaved.place)
            if shown is not None and shown != unsaved.text:
                await self._edit(path, unsaved.place, unsaved.text)

    async def _edit(self, path: str, place: str, text: str) -> None:
        document = self._buffers.document(place)
        if self._editor is None or document is None:
            raise _conflict(path, "nobody can edit it there")
        uri, version = document
        if not await self._editor.apply_edit(uri, version, text):
            raise _conflict(path, "the editor refused the edit")
        if not await self._buffers.shows(place, text):
            raise _conflict(path, "the editor took the edit and shows something else")


def _conflict(path: str, detail: str) -> FileConflict:
    return FileConflict(
        f"{path} is open with unsaved changes, and {detail}; save or close it and try again",
        conflicts=[{"path": path, "conflict": "unsaved_buffer", "detail": detail}],
    )
