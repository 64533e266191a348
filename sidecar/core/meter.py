"""The one interface between what measures messages and what acts on the measure.

`units` are integers, exactly additive: the units of a history are the sum over its messages,
whatever the order in which they were added and removed, so a running total equals a recount.
`request_tokens` turns a sum of units into the tokens of the whole request, never falling when
the units grow, with one rounding at the very end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sidecar.core.messages import Message


class Meter(Protocol):
    """What the engine, the breakdown and the session know of an estimator."""

    def units(self, message: Message) -> int:
        """Units of one message; `core.history.History` keeps the number, so it is asked once."""
        ...

    def text_units(self, text: str) -> int:
        """Units of a text that is in no message: a system prompt, a tool definition."""
        ...

    def request_tokens(self, history_units: int, overhead_units: int) -> int:
        """Tokens of the request that this history and this overhead would make."""
        ...

    def units_for(self, tokens: int) -> int:
        """The fewest units that make at least `tokens` on their own."""
        ...
