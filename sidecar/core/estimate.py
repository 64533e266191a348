"""How many tokens a request makes: anchored on the last bill, calibrated on what was added since.

Owns the estimator that the gauge, the breakdown and every compaction go by, and the fixed rate
that stands in for it where a person names one.
Deliberately knows nothing of budgets, of stages, or of how a history came to be.

Invariant: units are integers and additive per message; `request_tokens` never falls as units grow.

The estimate is the last billed prompt, plus the billed output of the reply that it got, plus
what was added since: its units, times a rate that is learned from such increments alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sidecar.core.counting import FixedRate, block_units, searches
from sidecar.core.messages import RedactedThinking, Thinking
from sidecar.core.weights import UNITS_PER_TOKEN, family_of, forgets_thinking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.events import Measured
    from sidecar.core.messages import Message

__all__ = ["Estimator", "FixedRate", "How"]

How = Literal["billed", "anchored", "estimated"]

_PPM = 1_000_000
_LEAST_PPM, _MOST_PPM = 500_000, 2_500_000

_MOST_TOKENS = 12_000
"""How much evidence a single increment can be, so that no odd one sets the rate by itself."""

_MEMORY_TOKENS = 60_000
"""Beyond this much evidence the older half of it fades, so that a rate can follow its session."""

_PLAUSIBLE = 2.5
"""An increment that was billed at more than this times its estimate, or less than one over it,
tells of something that is not in the messages, and nothing about the rate."""

_OUTLIER, _OUTLIER_TOKENS = 1.5, 10_000
"""A bill beyond both, over what was expected, is believed when the next one confirms it."""

_LEAST_OUTPUT = 0.6
"""A billed output below this part of what the reply's text needs is not its final count."""

_SEARCH_TOKENS = 510
"""What one search of a provider's own leaves in later prompts, by the bills of GPT-5.4."""


@dataclass(slots=True)
class _Anchor:
    """A bill: `tokens` were paid for `units`; `output_tokens` waits for the reply it paid for.

    `surprise` is how far the bill was over what had been expected of it.
    """

    tokens: int
    units: int
    output_tokens: int = 0
    reasoning_tokens: int = 0
    surprise: int = 0
    awaits_reply: bool = False


@dataclass(slots=True)
class _Evidence:
    """What increments were billed at and what they had been estimated at, faded, in tokens."""

    billed: int = 0
    estimated: int = 0

    def rate_ppm(self, prior_tokens: int) -> int:
        """Billed per estimated token, in millionths, within bounds.

        The family's own weights count like `prior_tokens` of evidence for a rate of 1.
        """
        rate = (self.billed + prior_tokens) * _PPM // (self.estimated + prior_tokens)
        return min(_MOST_PPM, max(_LEAST_PPM, rate))

    def add(self, billed: int, estimated: int) -> None:
        """One increment, a big one only in part; older ones fade once there are many."""
        if estimated > _MOST_TOKENS:
            billed, estimated = billed * _MOST_TOKENS // estimated, _MOST_TOKENS
        if self.estimated > _MEMORY_TOKENS:
            self.billed, self.estimated = self.billed // 2, self.estimated // 2
        self.billed += billed
        self.estimated += estimated


class Estimator:
    """The meter of one model in one session.

    `how` says what the present number rests on: the last bill alone, the last bill and an estimate
    of what was added, or an estimate only (nothing of this history was billed).
    `last_billed_tokens` is the last billed prompt of this very history, else None.
    `predictions` counts the bills that were foretold, `error_percent` is how far off, smoothed.
    `state()` is plain JSON and gives the same rates back; the anchor comes with the next bill.
    """

    def __init__(self, model: str, state: Mapping[str, Any] | None = None) -> None:
        self.model = model
        self.family = family_of(model)
        self.how: How = "estimated"
        self.last_billed_tokens: int | None = None
        self.predictions = 0
        self.error_percent: float | None = None
        self._evidence: dict[str, _Evidence] = {}
        self._anchor: _Anchor | None = None
        self._suspect: _Anchor | None = None
        self._is_lost = False
        self._passing_tokens = 0
        self._is_answered = False
        self._restore(state or {})

    def _restore(self, state: Mapping[str, Any]) -> None:
        for model, pair in dict(state.get("rates") or {}).items():
            self._evidence[model] = _Evidence(int(pair["billed"]), int(pair["estimated"]))
        self.predictions = int(state.get("predictions") or 0)
        error = state.get("error_percent")
        self.error_percent = None if error is None else float(error)

    def state(self) -> Mapping[str, Any]:
        """What was learned, as JSON values."""
        return {
            "rates": {
                model: {"billed": known.billed, "estimated": known.estimated}
                for model, known in self._evidence.items()
            },
            "predictions": self.predictions,
            "error_percent": self.error_percent,
        }

    @property
    def rate_ppm(self) -> int:
        """Billed tokens per estimated token, in millionths, of the present model."""
        known = self._evidence.get(self.model, _Evidence())
        return known.rate_ppm(self.family.prior_tokens)

    def units(self, message: Message) -> int:
        """Units of one message, in thousandths of a token before calibration."""
        return sum(block_units(self.family, block) for block in message.content)

    def text_units(self, text: str) -> int:
        """Units of a text that is in no message."""
        return self.family.text_units(text)

    def units_for(self, tokens: int) -> int:
        """The fewest units that make at least `tokens` at the present rate."""
        return -(-tokens * UNITS_PER_TOKEN * _PPM // self.rate_ppm)

    def request_tokens(self, history_units: int, overhead_units: int) -> int:
        """Tokens of the request that this history and this overhead would make."""
        return self._tokens_from(self._anchor, history_units + overhead_units)

    def _tokens_from(self, anchor: _Anchor | None, units: int) -> int:
        """Tokens of so many units; below the anchor never less than its own rate would leave."""
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

        Summaries, and bills that are not trusted, teach nothing and move nothing.
        A single bill far over what was expected is set aside until the next one confirms it.
        `measured.history_units` and `.overhead_units` must be of that very request.
        """
        usage = measured.usage
        billed = usage.prompt_tokens
        if measured.purpose != "turn" or not measured.trusted or billed <= 0:
            return
        units = measured.history_units + measured.overhead_units
        fresh = _Anchor(billed, units, usage.output_tokens, usage.reasoning_tokens)
        fresh.awaits_reply = True
        if self._anchor is not None and not self._is_lost:
            expected = self._tokens_from(self._anchor, units)
            if self._is_outlier(fresh, expected):
                self._suspect = fresh
                self.how = "anchored"
                return
            fresh.surprise = billed - expected
            self._learn(self._anchor, fresh, expected)
        self._anchor, self._suspect, self._is_lost = fresh, None, False
        self.last_billed_tokens = billed
        self.how = "billed"

    def _is_outlier(self, fresh: _Anchor, expected: int) -> bool:
        """Whether a bill contradicts what is known and no bill before it said the same."""
        excess = fresh.tokens - expected
        if excess <= max(_OUTLIER_TOKENS, (_OUTLIER - 1) * expected):
            return False
        if self._suspect is None:
            return True
        confirmed = self._tokens_from(self._suspect, fresh.units)
        return abs(fresh.tokens - confirmed) > excess // 2

    def _learn(self, anchor: _Anchor, fresh: _Anchor, expected: int) -> None:
        self.predictions += 1
        error = 100 * abs(fresh.tokens - expected) / fresh.tokens
        smoothed = self.error_percent
        self.error_percent = error if smoothed is None else smoothed + (error - smoothed) / 8
        estimated = (fresh.units - anchor.units) // UNITS_PER_TOKEN
        billed = fresh.tokens - anchor.tokens
        if estimated > 0 and estimated <= billed * _PLAUSIBLE and billed <= estimated * _PLAUSIBLE:
            self._evidence.setdefault(self.model, _Evidence()).add(billed, estimated)

    def added(self, message: Message, units: int) -> None:
        """A message of `units` joined the history; the reply after a bill counts as billed."""
        if self.how == "billed":
            self.how = "anchored"
        if message.role == "assistant":
            self._reply(message, units)
        elif message.starts_real_turn() and self._is_answered:
            if self._anchor is not None:
                self._anchor.tokens = max(0, self._anchor.tokens - self._passing_tokens)
            self._passing_tokens, self._is_answered = 0, False

    def _reply(self, message: Message, units: int) -> None:
        thinking = self._tokens(self._thinking_units(message))
        anchor = self._anchor
        if anchor is not None and anchor.awaits_reply and self._suspect is None:
            anchor.awaits_reply = False
            readable = self._tokens(units) - thinking
            if anchor.output_tokens > _LEAST_OUTPUT * readable:
                anchor.tokens += anchor.output_tokens
                anchor.units += units
                if anchor.reasoning_tokens or thinking:
                    rest = max(0, anchor.output_tokens - readable)
                    thinking = anchor.reasoning_tokens or rest
            self._search(message, anchor)
        if forgets_thinking(self.model):
            self._passing_tokens += thinking
        self._is_answered = next(message.tool_uses(), None) is None

    def _search(self, message: Message, anchor: _Anchor) -> None:
        """Take out what a reply's own searches put into its bill and into no later prompt.

        What it read of whole pages stays for the rest of the turn.
        """
        kinds = searches(message)
        passing = max(0, anchor.surprise - len(kinds) * _SEARCH_TOKENS) if kinds else 0
        if "open_page" not in kinds:
            anchor.tokens -= passing
        elif next(message.tool_uses(), None) is None:
            self._passing_tokens += passing

    def _thinking_units(self, message: Message) -> int:
        return sum(
            block_units(self.family, block)
            for block in message.content
            if isinstance(block, (Thinking, RedactedThinking))
        )

    def lost_anchor(self) -> None:
        """The history is another one now (compaction, undo, rewind): no number of it was billed.

        Numbers go on from the last bill by what was added and removed, so nothing jumps;
        they are an estimate until the next one.
        """
        self.how = "estimated"
        self.last_billed_tokens = None
        self._suspect = None
        self._is_lost = True
        self._passing_tokens = 0
        if self._anchor is not None:
            self._anchor.awaits_reply = False

    def switched(self, model: str, old_units: int, new_units: int) -> Estimator:
        """The estimator of another model for the same history, measured `old_units` here.

        What was learned of each model comes along, and so does the part of the last bill that no
        message explains, scaled to the other tokenizer.
        """
        other = Estimator(model, self.state())
        if self._anchor is not None:
            tokens = self.request_tokens(old_units, 0)
            if other.family is not self.family:
                tokens = tokens * new_units // max(1, old_units)
                other._is_lost = True
            other._anchor = _Anchor(tokens, new_units)
        return other
