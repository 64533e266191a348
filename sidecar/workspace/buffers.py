"""The editor's open documents, as far as tools and rewinds must mind them.

Owns the text and version of each open document and whether it holds unsaved work.
Deliberately knows nothing of tools or of how an edit reaches the editor.

Invariant: a document counts as unsaved only if it was changed since it was last like its file,
and its text differs from the file in more than line ends; so a file that merely changed on disk
is never overwritten by an old buffer.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from sidecar.tools.text import UTF8, Encoding, detect, same_but_line_ends

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(slots=True)
class _Document:
    uri: str
    text: str
    version: int
    touched: bool


@dataclass(frozen=True, slots=True)
class Unsaved:
    """An open document with unsaved work; `data` is its text in the file's own encoding."""

    place: str
    text: str
    encoding: Encoding
    data: bytes


class Buffers:
    """The open documents; URIs are the client's own strings and are handed back as such."""

    def __init__(self) -> None:
        self._documents: dict[str, _Document] = {}
        self._changed = asyncio.Event()

    def opened(self, uri: str, text: str, version: int) -> None:
        """The editor shows this text; where the file says otherwise it is unsaved already."""
        path = path_of(uri)
        if path:
            document = _Document(uri, text, version, touched=True)
            document.touched = self._unsaved_text(path, document) is not None
            self._documents[path] = document
            self._changed.set()

    def changed(self, uri: str, text: str, version: int) -> None:
        """The editor shows this text now, unsaved."""
        path = path_of(uri)
        if path:
            self._documents[path] = _Document(uri, text, version, touched=True)
            self._changed.set()

    def saved(self, uri: str, text: str | None = None) -> None:
        """What the editor shows is on disk."""
        document = self._documents.get(path_of(uri))
        if document:
            document.text = document.text if text is None else text
            document.touched = False
            self._changed.set()

    def closed(self, uri: str) -> None:
        """The disk counts again."""
        self._documents.pop(path_of(uri), None)
        self._changed.set()

    def unsaved(self, path: str) -> str | None:
        """The unsaved text of the file at this absolute path, or None where the disk counts."""
        document = self._documents.get(os.path.realpath(path))
        return None if document is None else self._unsaved_text(path, document)

    def text(self, path: str) -> str | None:
        """What the editor shows of this file, or None where it isn't open."""
        document = self._documents.get(os.path.realpath(path))
        return None if document is None else document.text

    def version(self, path: str) -> int | None:
        """The version of the open document, or None."""
        document = self._documents.get(os.path.realpath(path))
        return None if document is None else document.version

    def document(self, path: str) -> tuple[str, int] | None:
        """The client's own URI and the version of the open document, or None."""
        document = self._documents.get(os.path.realpath(path))
        return None if document is None else (document.uri, document.version)

    def unsaved_document(self, path: str) -> Unsaved | None:
        """The document with its text as the bytes that saving it would leave."""
        key = os.path.realpath(path)
        text = self.unsaved(key)
        if text is None:
            return None
        encoding = detect(_disk(key)) or UTF8
        try:
            data = encoding.encode(text)
        except UnicodeEncodeError:
            # The editor was told another encoding than we can know; its own text is what counts.
            encoding = UTF8
            data = text.encode("utf-8", "replace")
        return Unsaved(key, text, encoding, data)

    def unsaved_paths(self) -> Iterator[str]:
        """Absolute paths of all documents with unsaved work."""
        return (path for path in list(self._documents) if self.unsaved(path) is not None)

    async def shows(self, path: str, text: str, timeout_seconds: float = 5.0) -> bool:
        """Wait until the open document has this text (line ends aside); False if it never has."""
        key = os.path.realpath(path)
        try:
            async with asyncio.timeout(timeout_seconds):
                while True:
                    self._changed.clear()
                    document = self._documents.get(key)
                    if document is None or same_but_line_ends(document.text, text):
                        return document is not None
                    await self._changed.wait()
        except TimeoutError:
            return False

    def _unsaved_text(self, path: str, document: _Document) -> str | None:
        if not document.touched:
            return None
        data = _disk(path)
        encoding = detect(data)
        if encoding and same_but_line_ends(encoding.decode(data), document.text):
            return None
        # An editor that takes a file for UTF-8 shows bytes that are none as U+FFFD.
        if same_but_line_ends(data.decode("utf-8", "replace"), document.text):
            return None
        return document.text


def path_of(uri: str) -> str:
    """The real path of a `file:` URI, or an empty string for a document that is no file."""
    parts = urlsplit(uri)
    if parts.scheme.lower() != "file":
        return ""
    path = url2pathname(unquote(parts.path)) if os.name == "nt" else unquote(parts.path)
    return os.path.realpath(path)


def _disk(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
