"""JSON values of a file, line by line: the reading that every transcript format here shares.

Owns the way from bytes to objects, and what is said of a line that cannot be read.
Deliberately knows nothing of formats.

Invariant: a broken line costs that line only, and its number is kept; memory holds one line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read: the line (from 1) and what was wrong with it."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(slots=True)
class Lines:
    """The objects of a JSON Lines file, in order, each with the number of its line.

    Several values on one line are all given; `problems` grows while one iterates.
    """

    path: Path
    problems: list[Problem] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Read the file from its start; raises `OSError`."""
        with self.path.open("rb") as file:
            for number, raw in enumerate(file, 1):
                for value in self._values(number, raw):
                    yield number, value

    def _values(self, number: int, raw: bytes) -> Iterator[dict[str, Any]]:
        text = raw.decode("utf-8", "replace").strip(" \t\r\n\ufeff")
        if "\ufffd" in text and b"\xef\xbf\xbd" not in raw:
            self.problems.append(Problem(number, "bytes that are not UTF-8 were replaced"))
        position = 0
        while position < len(text):
            try:
                value, position = _DECODER.raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                self.problems.append(Problem(number, f"not JSON ({error}), skipped"))
                return
            if isinstance(value, dict):
                yield value
            else:
                self.problems.append(Problem(number, f"{type(value).__name__}, not an object"))
            while position < len(text) and text[position] in " \t\r":
                position += 1
