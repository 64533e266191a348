"""How many tokens a request makes: anchored on the last bill, calibrated on what was added since.

Owns the estimator that the gauge, the breakdown and every compaction go by, and the fixed rate
that stands in for it where a person names one.
Deliberately knows nothing of budgets, of stages, or of how a history came to be.

Invariant: units are integers and additive per message; `request_tokens` never falls as units grow.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sidecar.core.messages import (
    Document,
    Image,
    RedactedThinking,
    Summary,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from sidecar.core.weights import UNITS_PER_TOKEN, Family, family_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.events import Measured
    from sidecar.core.messages import Block, Message

How = Literal["billed", "anchored", "estimated"]

_PPM = 1_000_000
_SEED_BYTES_PER_TOKEN = 4


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """A tool call's arguments as they are counted: compact JSON, non-ASCII as it is."""
    return json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)


def counted_texts(block: Block) -> tuple[str, ...]:
    """The texts of a block that go to the model, images and documents aside."""
    match block:
        case Text(text) | Summary(text) | RedactedThinking(text):
            return (text,)
        case Thinking(text, signature):
            return (text, signature)
        case ToolUse(_, name, arguments):
            return (name, arguments_text(arguments))
        case ToolResult(_, text):
            return (text,)
        case _:
            return () if isinstance(block, (Image, Document)) else (arguments_text(block.raw),)


def _attachments(block: Block) -> tuple[Image | Document, ...]:
    if isinstance(block, (Image, Document)):
        return (block,)
    return block.attachments if isinstance(block, ToolResult) else ()


@dataclass(slots=True)
class _Anchor:
    """A bill: `tokens` were paid for `units`; `output_tokens` waits for the reply it paid for."""

    tokens: int
    units: int
    output_tokens: int = 0


class Estimator:
    """The meter of one model in one session.

    `state()` is plain JSON and gives the same estimator back.
    """

    def __init__(self, model: str, state: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.family: Family = family_of(model)
        self.last_billed_tokens: int | None = None
        self.predictions = 0
        self.error_percent: float | None = None
        self.how: How = "estimated"
        self._rates: dict[str, int] = dict((state or {}).get("rates", {}))
        self._anchor: _Anchor | None = None

    @property
    def rate_ppm(self) -> int:
        """Billed tokens per estimated token, in millionths, of the present model."""
        return self._rates.get(self.model, _PPM)

    def units(self, message: Message) -> int:
        """Units of one message, in thousandths of a token before calibration."""
        return sum(self._block_units(block) for block in message.content)

    def text_units(self, text: str) -> int:
        """Units of a text that is in no message."""
        return self.family.text_units(text)

    def units_for(self, tokens: int) -> int:
        """The fewest units that make at least `tokens` at the present rate."""
        return -(-tokens * UNITS_PER_TOKEN * _PPM // self.rate_ppm)

    def _block_units(self, block: Block) -> int:
        units = self.family.block + sum(map(self.family.text_units, counted_texts(block)))
        for attachment in _attachments(block):
            if isinstance(attachment, Image):
                units += self.family.image
            else:
                units += attachment.pages * self.family.page or self.family.document
        return units

    def request_tokens(self, history_units: int, overhead_units: int) -> int:
        """Tokens of the request that this history and this overhead would make."""
        units = history_units + overhead_units
        anchor = self._anchor
        if anchor is None:
            return self._tokens(units)
        if units >= anchor.units:
            return anchor.tokens + self._tokens(units - anchor.units)
        if anchor.tokens >= self._tokens(anchor.units):
            return anchor.tokens - self._tokens(anchor.units - units)
        return -(-anchor.tokens * units // anchor.units)

    def _tokens(self, units: int) -> int:
        return -(-units * self.rate_ppm // (UNITS_PER_TOKEN * _PPM))

    def observe(self, measured: Measured) -> None:
        """Take a bill in: learn from it, and anchor on it.

        Ignores summaries and what is not trusted.
        `measured.history_units` and `.overhead_units` must be of that very request.
        """
        if measured.purpose != "turn" or not measured.trusted:
            return
        billed = measured.usage.prompt_tokens
        if billed <= 0:
            return
        self._anchor = _Anchor(
            billed,
            measured.history_units + measured.overhead_units,
            measured.usage.output_tokens,
        )
        self.last_billed_tokens = billed
        self.how = "billed"

    def added(self, message: Message, units: int) -> None:
        """A message of `units` joined the history; the reply after a bill counts as billed."""
        if self._anchor is not None and self._anchor.output_tokens and message.role == "assistant":
            self._anchor.tokens += self._anchor.output_tokens
            self._anchor.units += units
            self._anchor.output_tokens = 0
        if self.how == "billed":
            self.how = "anchored"

    def lost_anchor(self) -> None:
        """The history is another one now (compaction, undo, rewind): no number of it was billed."""
        self.how = "estimated"
        self.last_billed_tokens = None

    def state(self) -> Mapping[str, Any]:
        """What was learned, as JSON values."""
        return {"rates": dict(self._rates)}


class FixedRate:
    """Bytes / 4 times a rate that a person named; learns nothing.

    One floor over the whole request.
    """

    def __init__(self, rate: float) -> None:
        self._rate_ppm = round(rate * _PPM)

    def units(self, message: Message) -> int:
        """UTF-8 bytes of the message: text, tool name, arguments, signature."""
        return sum(self._block_bytes(block) for block in message.content)

    def _block_bytes(self, block: Block) -> int:
        size = sum(map(self.text_units, counted_texts(block)))
        for attachment in _attachments(block):
            tokens = 1_600 if isinstance(attachment, Image) else attachment.pages * 2_500 or 5_000
            size += tokens * _SEED_BYTES_PER_TOKEN
        return size

    def text_units(self, text: str) -> int:
        """UTF-8 bytes of a text."""
        return len(text.encode("utf-8", "surrogatepass"))

    def units_for(self, tokens: int) -> int:
        """The fewest units that make at least `tokens`."""
        return -(-tokens * _SEED_BYTES_PER_TOKEN * _PPM // self._rate_ppm)

    def request_tokens(self, history_units: int, overhead_units: int) -> int:
        """Tokens of the request, rounded down once."""
        return (history_units + overhead_units) * self._rate_ppm // (_SEED_BYTES_PER_TOKEN * _PPM)
