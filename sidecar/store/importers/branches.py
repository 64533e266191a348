"""The tree of lines that a transcript is where people went back: who follows whom.

Owns the way from "this line hangs on that older one" to the history that results.
Deliberately knows nothing of formats.

Invariant: a line whose ancestors cannot be followed to the root changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sidecar.core.messages import Message
    from sidecar.store.importers.conversation import Conversation

    Recall = Callable[[Iterable[str]], Mapping[str, Message]]


class Branches:
    """Lines by key, each with its parent and the message it became part of, if any.

    `recall` gives back messages, by id, that have left the history.
    """

    def __init__(self, recall: Recall) -> None:
        self._recall = recall
        self._links: dict[str, tuple[str | None, str | None]] = {}

    def record(self, key: str, parent: str | None, message_id: str | None) -> None:
        """Remember a line."""
        self._links[key] = (parent, message_id)

    def message_of(self, key: str) -> str | None:
        """The message that a line became part of."""
        return self._links.get(key, (None, None))[1]

    def chain(self, key: str) -> list[str] | None:
        """Message ids from the root down to a line; None if a link is missing or circular."""
        ids: list[str] = []
        seen: set[str] = set()
        link: str | None = key
        while link is not None:
            if link in seen or link not in self._links:
                return None
            seen.add(link)
            link, message_id = self._links[link]
            if message_id is not None and message_id not in ids[-1:]:
                ids.append(message_id)
        return ids[::-1]

    def go_to(self, key: str, conversation: Conversation) -> None:
        """Make the history the one that ends at a line, if it is another than the present one."""
        chain = self.chain(key)
        if chain is None:
            return
        history = conversation.history
        places = {message_id: index for index, message_id in enumerate(history)}
        known = [places[message_id] for message_id in chain if message_id in places]
        end = known[-1] + 1 if known else 0
        missing = chain[chain.index(history[end - 1]) + 1 :] if known else chain
        while end < len(history) and history[end] in conversation.results:
            end += 1  # parallel results hang on their calls, beside the chain
        if missing or not conversation.spoken.isdisjoint(history[end:]):
            recalled = self._recall(missing) if missing else {}
            again = [recalled[message_id] for message_id in missing if message_id in recalled]
            conversation.rewind([*history[:end]], again)
