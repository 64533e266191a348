"""Replacing an exact piece of a file's bytes, and nothing else.

Owns matching (exact, line ends aside), the encoding of what is put in, and the sentences that say
why an edit can't be.
Deliberately knows nothing of files, buffers or the workspace.

Invariant: every byte outside the replaced pieces stays as it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from sidecar.tools.text import detect, line_end_near, lines_of, with_line_end

# Only so many lines are compared when looking for what was probably meant.
_NEAR_MISS_LINES = 5000
_NEAR_MISS_RATIO = 0.6


class EditRefused(Exception):
    """The edit can't be done; the message tells the model what to do instead."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The new bytes, and how many places changed."""

    data: bytes
    places: int


def replace_text(data: bytes, old_text: str, new_text: str, *, replace_all: bool = False) -> Edited:
    """The bytes with `old_text` replaced; line feeds in it match the file's own line ends.

    Raises `EditRefused` where it isn't there, is there more than once (without `replace_all`), or
    where the file is binary or can't hold the new text.
    """
    encoding = detect(data)
    if encoding is None:
        raise EditRefused("the file is binary; edit_file changes text only")
    text = encoding.decode(data)
    spans = _spans(text, old_text.removeprefix("\ufeff"))
    _check(text, old_text, new_text, spans, replace_all=replace_all)
    pieces, at = [], 0
    for start, end in spans:
        replacement = with_line_end(new_text, line_end_near(text, start, end))
        pieces += [text[at:start], replacement]
        at = end
    pieces.append(text[at:])
    try:
        return Edited(encoding.encode("".join(pieces)), len(spans))
    except UnicodeEncodeError as error:
        raise EditRefused(
            f"the file is not UTF-8 and can't hold {error.object[error.start]!r}; "
            "use characters of its own encoding, or convert the file first"
        ) from None


def _spans(text: str, old_text: str) -> list[tuple[int, int]]:
    """Where it stands, without overlaps: as it is, else with each line feed as the file has it."""
    if not old_text:
        return []
    spans = [match.span() for match in re.finditer(re.escape(old_text), text)]
    if not spans and "\n" in old_text:
        parts = [re.escape(part) for part in re.split(r"\r?\n", old_text)]
        spans = [match.span() for match in re.finditer(r"\r?\n".join(parts), text)]
    # A match that starts between CR and LF takes the whole line end, or the CR would be left over.
    return [(start - text.startswith("\r\n", start - 1), end) for start, end in spans]


def _check(
    text: str, old_text: str, new_text: str, spans: list[tuple[int, int]], *, replace_all: bool
) -> None:
    if not old_text:
        raise EditRefused("old_text is empty; use write_file to write a whole file")
    if old_text == new_text:
        raise EditRefused("old_text and new_text are the same; there is nothing to change")
    if not spans:
        raise EditRefused(f"old_text is not in the file{_near_miss(text, old_text)}")
    if len(spans) > 1 and not replace_all:
        lines = [str(text.count("\n", 0, start) + 1) for start, _ in spans[:5]]
        more = ", ..." if len(spans) > 5 else ""
        raise EditRefused(
            f"old_text is there {len(spans)} times (lines {', '.join(lines)}{more}); "
            "give more of the text around it so that it is unique, or set replace_all"
        )


def _near_miss(text: str, old_text: str) -> str:
    """A hint at the line that was probably meant."""
    wanted = next((line.strip() for line in lines_of(old_text) if line.strip()), "")
    lines = lines_of(text)[:_NEAR_MISS_LINES]
    if not wanted or len(wanted) > 500:
        return "; read the file again and copy the text exactly"
    matcher = SequenceMatcher(b=wanted)
    best, best_ratio = 0, _NEAR_MISS_RATIO
    for number, line in enumerate(lines, start=1):
        matcher.set_seq1(line.strip()[:500])
        if matcher.real_quick_ratio() > best_ratio and matcher.quick_ratio() > best_ratio:
            ratio = matcher.ratio()
            if ratio > best_ratio:
                best, best_ratio = number, ratio
    if not best:
        return "; read the file again and copy the text exactly"
    found = lines[best - 1].rstrip("\r\n")[:200]
    return f"; line {best} is the nearest: {found!r}. Check spaces and tabs, and copy it exactly"
