"""Bytes as text and back, so that an edit changes what was edited and no other byte.

Owns the choice of an encoding for the bytes of a file, and line ends.
Deliberately knows nothing of files or editors.

Invariant: `encoding.encode(encoding.decode(data)) == data` for the encoding that `detect` names.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# Git looks at as many bytes before it calls a file binary.
BINARY_PROBE_BYTES = 8000


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes are read; `bom` is what stands before the text, never part of it."""

    name: str
    bom: bytes = b""

    def decode(self, data: bytes) -> str:
        """The text without its byte order mark; `UnicodeDecodeError` where it can't be."""
        return data[len(self.bom) :].decode(self.name)

    def encode(self, text: str) -> bytes:
        """The bytes, byte order mark included; `UnicodeEncodeError` where it can't be."""
        return self.bom + text.encode(self.name)


UTF8 = Encoding("utf-8")


def detect(data: bytes) -> Encoding | None:
    """The encoding of a text, or None where the bytes are binary.

    Bytes that are no UTF-8 count as Latin-1: every byte is one character and comes back as it was.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            encoding = Encoding(name, bom)
            if _round_trips(encoding, data):
                return encoding
    if b"\0" in data[:BINARY_PROBE_BYTES]:
        return None
    return UTF8 if _round_trips(UTF8, data) else Encoding("latin-1")


def _round_trips(encoding: Encoding, data: bytes) -> bool:
    try:
        return encoding.encode(encoding.decode(data)) == data
    except UnicodeError:
        return False


def lines_of(text: str) -> list[str]:
    """Lines with their ends; only a line feed ends a line, as in git and in editors' diffs."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def line_end_near(text: str, start: int, end: int) -> str:
    """The line end in use at a place: inside it, else behind it, else before it, else LF."""
    at = text.find("\n", start)
    if at < 0:
        at = text.rfind("\n", 0, end)
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def with_line_end(text: str, line_end: str) -> str:
    """The text with bare line feeds written as `line_end`; what has its CR keeps it."""
    return text if line_end == "\n" else re.sub(r"(?<!\r)\n", line_end, text)


def same_but_line_ends(one: str, other: str) -> bool:
    """Whether two texts differ in line ends at most (editors even out mixed ones)."""
    return one == other or _evened(one) == _evened(other)


def _evened(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
