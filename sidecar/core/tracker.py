"""A history and its estimator, fed in step: the one way in which anything learns from a bill.

Owns the order of feeding, for the live session, for a fold over its log, and for recorded
sessions of other agents alike.
Deliberately knows nothing of compaction: who replaces the history says so.

Feeding: every message as it joins (`added`); a bill *before* the reply it paid for (`measured`,
the reply may also have joined already); a history that became another (`replaced`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sidecar.core.estimate import Estimator
from sidecar.core.events import Added, HistoryReset, Measured, RateLearned, SessionStarted
from sidecar.core.history import History

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidecar.core.events import Event
    from sidecar.core.messages import Message


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was expected of a request before its bill came; None where nothing could be known."""

    billed_tokens: int
    predicted_tokens: int | None


class Tracker:
    """The working history of a session and what is known of its size."""

    def __init__(self, model: str, state: Mapping[str, Any] | None = None) -> None:
        self.estimator = Estimator(model, state)
        self.history = History(self.estimator)
        self._new_epoch = True

    def tokens(self, overhead_units: int = 0) -> int:
        """Tokens of the next request as it stands."""
        return self.estimator.request_tokens(self.history.units, overhead_units)

    def use_model(self, model: str) -> None:
        """Count for another model from here on; what was learned of each model is kept."""
        if model and model != self.estimator.model:
            self.estimator = Estimator(model, self.estimator.state())
            self.history = History(self.estimator, self.history.messages)
            self._new_epoch = True

    def added(self, message: Message) -> None:
        """A message joined the history."""
        self.history.append(message)
        self.estimator.added(message, self.history.units_of(message))

    def measured(self, event: Measured) -> Prediction | None:
        """A request was billed; returns what had been expected of it, None if it is no evidence."""
        if event.purpose != "turn" or not event.trusted:
            return None
        if not event.history_units:
            event = replace(event, history_units=self._units_up_to(event.last_message_id))
        known = None if self._new_epoch else self._expected(event)
        self.estimator.observe(event)
        self._new_epoch = False
        return Prediction(event.usage.prompt_tokens, known)

    def _units_up_to(self, message_id: str) -> int:
        """Units of the request that ended with that message, for logs that did not count them."""
        units = self.history.units
        for message in reversed(self.history.messages):
            if message.id == message_id or message.role != "assistant":
                break
            units -= self.history.units_of(message)
        return units

    def _expected(self, event: Measured) -> int:
        return self.estimator.request_tokens(event.history_units, event.overhead_units)

    def replaced(self, messages: Iterable[Message]) -> None:
        """The history became these messages: a compaction, its undo, a rewind, its redo."""
        self.history.replace(messages)
        self.estimator.lost_anchor()
        self._new_epoch = True

    def apply(self, event: Event) -> Prediction | None:
        """Feed one event of an imported log; other events change nothing here."""
        match event:
            case SessionStarted(model=model):
                self.use_model(model)
            case RateLearned(state):
                self.estimator = Estimator(self.estimator.model, state)
                self.history = History(self.estimator, self.history.messages)
            case Added(message):
                self.added(message)
            case Measured():
                return self.measured(event)
            case HistoryReset(message_ids=ids):
                known = {message.id: message for message in self.history.messages}
                self.replaced([known[key] for key in ids if key in known])
            case _:
                pass
        return None
