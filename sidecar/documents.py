"""The editor's open documents, kept by its own notifications, and edits of them.

Owns the text of each open document and the arithmetic of LSP positions: lines end at CR LF, LF or
CR and at nothing else (pygls also cuts at form feeds and U+2028, which shifts every later
edit), characters count in the unit that was negotiated.
Deliberately knows nothing of files: what the text means for a tool is the buffers' business.

Invariant: after every notification a text is, character for character, what the editor shows.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lsprotocol import types

logger = logging.getLogger(__name__)

_LINE_END = re.compile(r"\r\n|\n|\r")
_BYTES_PER_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class Buffers(Protocol):
    """Who is told of every document (`sidecar.workspace` has the one that tools read)."""

    def opened(self, uri: str, text: str, version: int) -> None:
        """The editor shows this text."""
        ...

    def changed(self, uri: str, text: str, version: int) -> None:
        """The editor shows this text now, unsaved."""
        ...

    def saved(self, uri: str, text: str | None = None) -> None:
        """What the editor shows is on disk."""
        ...

    def closed(self, uri: str) -> None:
        """The disk counts again."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """One open document at one version."""

    uri: str
    text: str
    version: int


class Documents:
    """All open documents; `encoding` is the position encoding that was negotiated."""

    def __init__(self) -> None:
        self.encoding = "utf-16"
        self._open: dict[str, Document] = {}
        self._buffers: Buffers | None = None
        self._untold: list[Callable[[Buffers], None]] = []

    def attach(self, buffers: Buffers) -> None:
        """Tell `buffers` all that happened, and from here on whatever happens."""
        self._buffers = buffers
        for told in self._untold:
            told(buffers)
        self._untold.clear()

    def get(self, uri: str) -> Document | None:
        """The document as the editor shows it, or None where it is not open."""
        return self._open.get(uri)

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """`textDocument/didOpen`."""
        item = params.text_document
        self._open[item.uri] = Document(item.uri, item.text, item.version)
        self._tell(lambda buffers: buffers.opened(item.uri, item.text, item.version))

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """`textDocument/didChange`, whole or in parts; one for an unknown document is ignored."""
        uri, version = params.text_document.uri, params.text_document.version
        document = self._open.get(uri)
        if document is None:
            logger.warning("a change of a document that is not open was ignored")
            return
        text = changed_text(document.text, params.content_changes, self.encoding)
        self._open[uri] = Document(uri, text, version)
        self._tell(lambda buffers: buffers.changed(uri, text, version))

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """`textDocument/didSave`."""
        self._tell(lambda buffers: buffers.saved(params.text_document.uri, params.text))

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """`textDocument/didClose`."""
        uri = params.text_document.uri
        self._open.pop(uri, None)
        self._tell(lambda buffers: buffers.closed(uri))

    def _tell(self, told: Callable[[Buffers], None]) -> None:
        if self._buffers is None:
            self._untold.append(told)
        else:
            told(self._buffers)


def changed_text(text: str, changes: Sequence[Any], encoding: str) -> str:
    """The text after LSP content changes, each applied to what the one before it left."""
    for change in changes:
        span = getattr(change, "range", None)
        if span is None:
            text = change.text
        else:
            start = offset_at(text, span.start.line, span.start.character, encoding)
            end = offset_at(text, span.end.line, span.end.character, encoding)
            text = text[:start] + change.text + text[max(start, end) :]
    return text


def offset_at(text: str, line: int, character: int, encoding: str) -> int:
    """Index of a position; past the end of a line means its end, past the last line the text's."""
    start = 0
    if line > 0:
        end_before = next(islice(_LINE_END.finditer(text), line - 1, None), None)
        if end_before is None:
            return len(text)
        start = end_before.end()
    line_end = _LINE_END.search(text, start)
    content = text[start : line_end.start() if line_end else len(text)]
    if content.isascii() or encoding == "utf-32":
        return start + min(character, len(content))
    units = content.encode(_CODECS[encoding], "surrogatepass")
    before = units[: character * _BYTES_PER_UNIT[encoding]]
    return start + len(before.decode(_CODECS[encoding], "ignore"))


def position_at(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The position of an index, as LSP has it."""
    line, start = 0, 0
    for line_end in _LINE_END.finditer(text, 0, offset):
        line, start = line + 1, line_end.end()
    before = text[start:offset].encode(_CODECS[encoding], "surrogatepass")
    return {"line": line, "character": len(before) // _BYTES_PER_UNIT[encoding]}


def smallest_edit(old: str, new: str, encoding: str) -> dict[str, Any]:
    """One `TextEdit` from old to new that leaves their common start and end alone.

    It never begins or ends inside a CR LF, where no position points.
    """
    limit = min(len(old), len(new))
    start = 0
    while start < limit and old[start] == new[start]:
        start += 1
    if old[max(0, start - 1) : start + 1] == "\r\n":
        start -= 1
    tail = 0
    while tail < limit - start and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    end = len(old) - tail
    if tail and old[max(0, end - 1) : end + 1] == "\r\n":
        tail -= 1
    return {
        "range": {
            "start": position_at(old, start, encoding),
            "end": position_at(old, len(old) - tail, encoding),
        },
        "newText": new[start : len(new) - tail],
    }


class Editor:
    """Changes open documents through the editor, so that its undo and its unsaved text survive.

    `ask` sends a request to the client and gives its raw answer.
    """

    def __init__(
        self, documents: Documents, ask: Callable[[str, dict[str, Any]], Awaitable[Any]]
    ) -> None:
        self._documents = documents
        self._ask = ask
        self.can_apply = False
        self.versioned = False

    async def apply_edit(self, uri: str, version: int, new_text: str) -> bool:
        """Whether the editor took it; false where the document moved or is closed.

        What it then shows comes by `didChange`, perhaps with line ends of its own.
        """
        document = self._documents.get(uri)
        if document is None or document.version != version or not self.can_apply:
            return False
        edit = smallest_edit(document.text, new_text, self._documents.encoding)
        change: dict[str, Any] = {"changes": {uri: [edit]}}
        if self.versioned:
            identifier = {"uri": uri, "version": version}
            change = {"documentChanges": [{"textDocument": identifier, "edits": [edit]}]}
        answer = await self._ask("workspace/applyEdit", {"label": "Sidecar", "edit": change})
        return isinstance(answer, dict) and answer.get("applied") is True
