"""The tree of lines that a transcript is where people went back: who follows whom.

Owns the way from "this line hangs on that older one" to the history that results.
Deliberately knows nothing of formats.

Invariants: a line whose ancestors cannot be followed changes nothing; what is held does not grow
past a compaction, the file is read again in the rare case that someone went back beyond it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sidecar.core.messages import Message
    from sidecar.store.importers.conversation import Conversation

    Links = dict[str, tuple[str | None, str | None]]


class Again(Protocol):
    """The same file, read once more."""

    def messages(self, ids: Iterable[str]) -> Mapping[str, Message]:
        """Messages by id, whether they have left the history or not."""
        ...

    def links(self) -> Links:
        """Every line of the file by its key: its parent, and the message that it became."""
        ...


class Branches:
    """Lines by key, each with its parent and the message it became part of, if any."""

    def __init__(self, again: Again | None) -> None:
        """Without `again` everything is held, and nobody goes back."""
        self.links: Links = {}
        self._again = again
        self._lost: set[str] = set()

    def record(self, key: str, parent: str | None, message_id: str | None) -> None:
        """Remember a line."""
        self.links[key] = (parent, message_id)

    def message_of(self, key: str) -> str | None:
        """The message that a line became part of."""
        return self.links.get(key, (None, None))[1]

    def forget(self, kept: Collection[str]) -> None:
        """A compaction left these messages; other lines are looked up in the file if need be."""
        if self._again is not None:
            self.links = {key: link for key, link in self.links.items() if link[1] in kept}

    def go_to(self, key: str, conversation: Conversation) -> None:
        """Make the history the one that ends at a line, if it is another than the present one."""
        history = conversation.history
        if self._again is None or conversation.spoken.isdisjoint(history):
            return
        places = {message_id: index for index, message_id in enumerate(history)}
        found = self._missing(key, places)
        if found is None:
            return
        end, missing = found
        while end < len(history) and history[end] in conversation.results:
            end += 1  # parallel results hang on their calls, beside the chain
        if missing or not conversation.spoken.isdisjoint(history[end:]):
            recalled = self._again.messages(missing) if missing else {}
            again = [recalled[message_id] for message_id in missing if message_id in recalled]
            conversation.rewind(history[:end], again)

    def _missing(self, key: str, places: Mapping[str, int]) -> tuple[int, list[str]] | None:
        """How much of the history a line's ancestors share, and those that are not in it."""
        found = _walk(self.links, key, places)
        if found is None and key not in self._lost and self._again is not None:
            found = _walk(self._again.links(), key, places)
            if found is None:
                self._lost.add(key)
        return found


def _walk(links: Links, key: str, places: Mapping[str, int]) -> tuple[int, list[str]] | None:
    """Up from a line to the first message of the history or to the root; None if a link is lost."""
    missing: list[str] = []
    seen: set[str] = set()
    link: str | None = key
    while link is not None:
        if link in seen or link not in links:
            return None
        seen.add(link)
        link, message_id = links[link]
        if message_id is None or message_id in missing[-1:]:
            continue
        if message_id in places:
            return places[message_id] + 1, missing[::-1]
        missing.append(message_id)
    return 0, missing[::-1]
