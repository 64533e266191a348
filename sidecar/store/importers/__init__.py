"""Recorded sessions, read as entries of our own log, whoever recorded them.

Owns the recognition of a file's format from its content, and the one way to open any of them.
Deliberately knows nothing of tokens, budgets and compaction.

Invariant: reading streams; what is held grows with the working history, not with the file.
A file is never written.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from sidecar.core.events import Added
from sidecar.errors import NotFound, UnknownFormat
from sidecar.store.codec import entry_from_json
from sidecar.store.importers import claude_code, codex, history_file, pi
from sidecar.store.importers.branches import Branches
from sidecar.store.importers.lines import Lines, Problem
from sidecar.store.importers.vocabulary import VOCABULARIES
from sidecar.store.journal import JournalReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sidecar.core.events import Entry
    from sidecar.core.messages import Message, ToolVocabulary
    from sidecar.store.importers.branches import Again, Links
    from sidecar.store.importers.conversation import Conversation

__all__ = ["FORMATS", "Problem", "Transcript", "open_transcript"]

_JOURNAL_NAME = "Sidecar session (journal.jsonl)"
_FOREIGN = {"claude-code": claude_code, "codex": codex, "pi": pi}

FORMATS: Mapping[str, str] = {
    "history": history_file.NAME,
    "sidecar": _JOURNAL_NAME,
    **{key: module.NAME for key, module in _FOREIGN.items()},
}
"""The known formats, by the word that `Transcript.format` uses."""

_LINES_LOOKED_AT = 200


class _Importer(Protocol):
    conversation: Conversation
    branches: Branches

    def feed(self, value: Mapping[str, Any]) -> None: ...

    def finish(self) -> None: ...


@dataclass(slots=True)
class Transcript:
    """A recorded session; iterating reads the file from its start.

    `format` is a key of `FORMATS`, `problems` what could not be read so far, by line.
    `overhead_tokens` is what a history file says of the rest of its request, else 0.
    `vocabulary` names what the tools of that format are, for the compaction policy.
    """

    path: Path
    format: str
    problems: list[Problem] = field(default_factory=list)
    _history: Mapping[str, Any] | None = None

    @property
    def vocabulary(self) -> ToolVocabulary:
        """Which tools of this format read and write files, and how they name them."""
        return VOCABULARIES[self.format]

    @property
    def overhead_tokens(self) -> int:
        """Tokens of the request beside its history, as a history file states them."""
        value = (self._history or {}).get("overhead_tokens", 0)
        return value if isinstance(value, int) and value > 0 else 0

    def __iter__(self) -> Iterator[Entry]:
        """The entries, in order; raises `OSError`."""
        self.problems.clear()
        if self._history is not None:
            yield from history_file.entries(self._history, self.problems)
        elif self.format == "sidecar":
            yield from self._journal()
        else:
            again = _Again(self.path, self.format)
            for importer in _read(self.format, Lines(self.path, self.problems), again):
                yield from importer.conversation.take()

    def _journal(self) -> Iterator[Entry]:
        reader = JournalReader(self.path)
        yield from reader
        self.problems += [_split(text) for text in reader.problems]


def _read(key: str, lines: Lines, again: Again | None) -> Iterator[_Importer]:
    """The importer after each line, and once more at the end of the file."""
    importer: _Importer = _FOREIGN[key].Importer(again)
    for _, value in lines:
        importer.feed(value)
        yield importer
    importer.finish()
    yield importer


@dataclass(frozen=True, slots=True)
class _Again:
    """A file of a format, read once more because a person went back beyond what is held."""

    path: Path
    format: str

    def messages(self, ids: Iterable[str]) -> Mapping[str, Message]:
        """Messages by id; reading the same lines gives the same ids."""
        wanted = set(ids)
        found: dict[str, Message] = {}
        for importer in _read(self.format, Lines(self.path), None):
            for entry in importer.conversation.take():
                if isinstance(entry.event, Added) and entry.event.message.id in wanted:
                    found[entry.event.message.id] = entry.event.message
            if len(found) == len(wanted):
                break
        return found

    def links(self) -> Links:
        """All lines with their parents."""
        branches = Branches(None)
        for importer in _read(self.format, Lines(self.path), None):
            importer.conversation.take()
            branches = importer.branches
        return branches.links


def open_transcript(path: str | Path) -> Transcript:
    """The recorded session in a file, recognised by what the file says, never by its name.

    Raises `NotFound` where there is no such file and `UnknownFormat` (naming the known ones).
    """
    path = Path(path)
    if path.is_dir() and (path / "journal.jsonl").is_file():
        path /= "journal.jsonl"
    if not path.is_file():
        raise NotFound(f"{path}: no such file", path=str(path))
    for _, value in islice(Lines(path), _LINES_LOOKED_AT):
        if "messages" in value and "type" not in value:
            break
        for key, module in _FOREIGN.items():
            if module.recognises(value):
                return Transcript(path, key)
        if "type" in value and "v" in value and entry_from_json(value)[0] is not None:
            return Transcript(path, "sidecar")
    history = history_file.load(path)
    if history is not None:
        return Transcript(path, "history", _history=history)
    what = "empty" if path.stat().st_size == 0 else "in no format known here"
    known = "; ".join(FORMATS.values())
    raise UnknownFormat(f"{path}: {what}. Known formats: {known}.", path=str(path))


def _split(text: str) -> Problem:
    """A journal's problem, `line 3: ...`, as a problem of ours."""
    head, _, rest = text.partition(": ")
    number = head.removeprefix("line ")
    return Problem(int(number), rest) if number.isdigit() else Problem(0, text)
