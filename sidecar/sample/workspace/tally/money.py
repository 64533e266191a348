"""Amounts of money in integer minor units, with a currency.

An amount is a count of the smallest unit of its currency (cents for EUR, yen for JPY), so sums
are exact. Amounts of different currencies never mix: adding them is an error, and so is comparing
them with anything but equality.

Splitting an amount is the one operation where cents can get lost. `allocate` hands out every one
of them, the left-over cents to the first shares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

DECIMALS = {"EUR": 2, "USD": 2, "GBP": 2, "CHF": 2, "JPY": 0, "KWD": 3}
SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY"}


class CurrencyMismatch(ValueError):
    """Two amounts of different currencies met in one operation."""

    def __init__(self, left: str, right: str) -> None:
        super().__init__(f"cannot combine {left} with {right}")
        self.left = left
        self.right = right


@dataclass(frozen=True, slots=True)
class Money:
    """An amount: `units` minor units of `currency`."""

    units: int
    currency: str = "EUR"

    def __post_init__(self) -> None:
        if not isinstance(self.units, int) or isinstance(self.units, bool):
            raise TypeError(f"units must be an int, not {type(self.units).__name__}")
        if self.currency not in DECIMALS:
            raise ValueError(f"unknown currency {self.currency!r}")

    def __add__(self, other: Money) -> Money:
        self._check(other)
        return Money(self.units + other.units, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._check(other)
        return Money(self.units - other.units, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.units, self.currency)

    def __abs__(self) -> Money:
        return Money(abs(self.units), self.currency)

    def __mul__(self, factor: int) -> Money:
        if not isinstance(factor, int):
            return NotImplemented
        return Money(self.units * factor, self.currency)

    __rmul__ = __mul__

    def __lt__(self, other: Money) -> bool:
        self._check(other)
        return self.units < other.units

    def __le__(self, other: Money) -> bool:
        self._check(other)
        return self.units <= other.units

    def __bool__(self) -> bool:
        return self.units != 0

    def __str__(self) -> str:
        return f"{self.plain()} {self.currency}"

    @property
    def is_negative(self) -> bool:
        """Whether the amount is below zero."""
        return self.units < 0

    def plain(self, separator: str = "") -> str:
        """The number alone, with its decimals: `-1234.50`, or `-1,234.50` with a separator."""
        decimals = DECIMALS[self.currency]
        sign = "-" if self.units < 0 else ""
        whole, rest = divmod(abs(self.units), 10**decimals)
        digits = f"{whole:,}".replace(",", separator)
        return f"{sign}{digits}.{rest:0{decimals}d}" if decimals else f"{sign}{digits}"

    def _check(self, other: Money) -> None:
        if not isinstance(other, Money):
            raise TypeError(f"expected Money, not {type(other).__name__}")
        if self.currency != other.currency:
            raise CurrencyMismatch(self.currency, other.currency)


def zero(currency: str = "EUR") -> Money:
    """Nothing, in a currency."""
    return Money(0, currency)


def total(amounts: Iterable[Money], currency: str = "EUR") -> Money:
    """The sum of amounts of one currency; `currency` is that of an empty sum."""
    amounts = list(amounts)
    result = zero(amounts[0].currency if amounts else currency)
    for amount in amounts:
        result = result + amount
    return result


def allocate(amount: Money, weights: Sequence[int]) -> list[Money]:
    """Split an amount in proportion to weights, without losing or inventing a minor unit.

    Each share is rounded towards zero first. What is left over afterwards is fewer units than
    there are weights; it goes one unit at a time to the first shares that have a weight.

    Raises ValueError if there are no weights, if one is negative, or if all are zero.
    """
    if not weights or any(weight < 0 for weight in weights) or not any(weights):
        raise ValueError("weights must be non-negative and not all zero")
    sign = -1 if amount.is_negative else 1
    whole = sum(weights)
    units = [abs(amount.units) * weight // whole for weight in weights]
    remainder = abs(amount.units) - sum(units)
    takers = [index for index, weight in enumerate(weights) if weight]
    for position in range(remainder - 1):
        units[takers[position]] += 1
    return [Money(sign * share, amount.currency) for share in units]


def split_evenly(amount: Money, parts: int) -> list[Money]:
    """Split an amount into equal parts; the first ones take the cents that don't divide."""
    if parts < 1:
        raise ValueError("parts must be at least 1")
    return allocate(amount, [1] * parts)


def percentage(amount: Money, basis_points: int) -> Money:
    """A share in hundredths of a percent, rounded half away from zero: 1900 is 19 %."""
    product = abs(amount.units) * basis_points
    rounded = (product + 5_000) // 10_000
    return Money(-rounded if amount.is_negative else rounded, amount.currency)


def convert(amount: Money, currency: str, rate_millionths: int) -> Money:
    """The amount in another currency, at a rate in millionths, rounded half away from zero.

    The rate says how much one whole unit of the amount's currency is worth in the other one, so
    currencies with different decimals convert correctly.
    """
    scale = 10 ** DECIMALS[amount.currency] * 1_000_000
    product = abs(amount.units) * rate_millionths * 10 ** DECIMALS[currency]
    rounded = (2 * product + scale) // (2 * scale)
    return Money(-rounded if amount.is_negative else rounded, currency)
