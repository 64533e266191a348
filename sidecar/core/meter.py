"""The one interface between what measures messages and what acts on the measure.

`units` are integers, exactly additive: the units of a history are the sum over its messages,
whatever the order in which they were added and removed, so a running total equals a recount.
`tokens` turns a sum of units into tokens, monotonically, with one rounding at the very end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sidecar.core.messages import Message


class Meter(Protocol):
    """What the engine knows of an estimator."""

    def units(self, message: Message) -> int:
        """Units of one message; each message is measured once, whoever asks keeps the number."""
        ...

    def text_units(self, text: str) -> int:
        """Units of a text that is in no message: a system prompt, a tool definition."""
        ...

    def tokens(self, units: int) -> int:
        """Tokens of so many units, rounded once."""
        ...
