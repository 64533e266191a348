"""A history and its estimator, fed in step: the one way in which anything learns from a bill.

Owns the order of feeding, for the live session, for a fold over its log, and for recorded
sessions of other agents alike.
Deliberately knows nothing of how a compaction was planned: it is told the outcome.

Feeding: every message as it joins (`added`); a bill before the reply it paid for (`measured`; the
reply may also have joined already); a history that became another (`replaced`).

Invariant: a history whose billed part was not touched keeps its anchor; any other has lost it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sidecar.core.estimate import Estimator
from sidecar.core.events import (
    Added,
    Compacted,
    HistoryReset,
    Measured,
    RateLearned,
    SessionStarted,
)
from sidecar.core.history import History
from sidecar.core.weights import family_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sidecar.core.events import Event
    from sidecar.core.messages import Block, Message


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was expected of a request before its bill came; None for the first of an epoch."""

    billed_tokens: int
    predicted_tokens: int | None


class Tracker:
    """The working history of a session and what is known of its size.

    `prediction` is what was expected of the latest bill, None where that was no evidence.
    """

    def __init__(self, model: str, state: Mapping[str, Any] | None = None) -> None:
        self.estimator = Estimator(model, state)
        self.history = History(self.estimator)
        self.prediction: Prediction | None = None
        self._billed_messages: int | None = None

    def tokens(self, overhead_units: int = 0) -> int:
        """Tokens of the next request as it stands."""
        return self.estimator.request_tokens(self.history.units, overhead_units)

    def use_model(self, model: str) -> None:
        """Count for another model from here on; what was learned of each model is kept."""
        if not model or model == self.estimator.model:
            return
        messages, old_units = self.history.messages, self.history.units
        if family_of(model) is not self.estimator.family:
            self.history = History(Estimator(model), messages)
        self.estimator = self.estimator.switched(model, old_units, self.history.units)
        self.history.meter = self.estimator

    def added(self, message: Message) -> None:
        """A message joined the history."""
        is_reply = message.role == "assistant" and self._billed_messages == len(
            self.history.messages
        )
        self.history.append(message)
        self.estimator.added(message, self.history.units_of(message))
        if is_reply:
            self._billed_messages = len(self.history.messages)

    def measured(self, event: Measured) -> Prediction | None:
        """A request was billed; returns what had been expected of it, None if it is no evidence."""
        self.prediction = None
        if event.purpose != "turn" or not event.trusted:
            return None
        self.use_model(event.model)
        if not event.history_units:
            event = replace(event, history_units=self._units_up_to(event.last_message_id))
        expected = self.estimator.request_tokens(event.history_units, event.overhead_units)
        known = None if self._billed_messages is None else expected
        self.estimator.observe(event)
        self._billed_messages = len(self.history.messages)
        self.prediction = Prediction(event.usage.prompt_tokens, known)
        return self.prediction

    def _units_up_to(self, message_id: str) -> int:
        """Units of the request that ended with that message, for logs that did not count them."""
        units = self.history.units
        for message in reversed(self.history.messages):
            if message.id == message_id or message.role != "assistant":
                break
            units -= self.history.units_of(message)
        return units

    def replaced(self, messages: Iterable[Message]) -> None:
        """The history became these messages: a compaction, its undo, a rewind, its redo."""
        fresh = list(messages)
        billed = self._billed_messages or 0
        before = self.history.messages[:billed]
        is_whole = len(fresh) >= billed and all(a is b for a, b in zip(before, fresh, strict=False))
        self.history.replace(fresh)
        if not is_whole or not billed:
            self.estimator.lost_anchor()
            self._billed_messages = None

    def apply(self, event: Event) -> Prediction | None:
        """Feed one event of a log; those that tell of no message or bill change nothing here."""
        match event:
            case SessionStarted(model=model):
                self.use_model(model)
            case RateLearned(state):
                self.estimator = Estimator(self.estimator.model, state)
                self.history.meter = self.estimator
            case Added(message):
                self.added(message)
            case Measured():
                return self.measured(event)
            case HistoryReset(message_ids=ids):
                known = {message.id: message for message in self.history.messages}
                self.replaced([known[key] for key in ids if key in known])
            case Compacted():
                self.replaced(with_changes(self.history.messages, event))
            case _:
                pass
        return None


def with_changes(messages: Sequence[Message], event: Compacted) -> list[Message]:
    """The messages after the blocks that a compaction replaced in place."""
    changes: dict[str, dict[int, Block | None]] = {}
    for change in event.changes:
        changes.setdefault(change.message_id, {})[change.block] = change.replacement
    return [_changed(m, changes[m.id]) if m.id in changes else m for m in messages]


def _changed(message: Message, changes: Mapping[int, Block | None]) -> Message:
    blocks = [changes.get(index, block) for index, block in enumerate(message.content)]
    return replace(message, content=tuple(block for block in blocks if block is not None))
