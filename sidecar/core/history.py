"""The working messages with their running total.

Invariant: `units` equals the sum of the meter's units over `messages`, always;
each message object is measured once.
Deliberately knows nothing of events, budgets or compaction.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sidecar.core.messages import Message
    from sidecar.core.meter import Meter


class History:
    """The messages that go into the next request, measured.

    Looking at the total costs the same at any length; appending costs one measurement.
    """

    def __init__(self, meter: Meter, messages: Iterable[Message] = ()) -> None:
        self.meter = meter
        self._messages: list[Message] = []
        self._units: dict[str, tuple[Message, int]] = {}
        self.units = 0
        for message in messages:
            self.append(message)

    @property
    def messages(self) -> list[Message]:
        """The messages, oldest first; read it, don't change it."""
        return self._messages

    def units_by_id(self) -> Mapping[str, int]:
        """Units of each message, by message id."""
        return {key: units for key, (_, units) in self._units.items()}

    def units_of(self, message: Message) -> int:
        """Units of one message: remembered if this very object is in the history, else measured."""
        known = self._units.get(message.id)
        return known[1] if known and known[0] is message else self.meter.units(message)

    def append(self, message: Message) -> None:
        """Add the newest message."""
        units = self.meter.units(message)
        self._messages.append(message)
        self._units[message.id] = (message, units)
        self.units += units

    def replace(self, messages: Iterable[Message]) -> None:
        """Become these messages; only objects not seen before are measured."""
        fresh = list(messages)
        self._units = {m.id: (m, self.units_of(m)) for m in fresh}
        self._messages = fresh
        self.units = sum(units for _, units in self._units.values())
