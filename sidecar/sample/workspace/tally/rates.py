"""Exchange rates by day, and amounts in another currency.

A rate is an integer number of millionths: 1_085_000 means that one euro was worth 1.085 dollars.
Only rates from the base currency are kept; the way back and the way between two other currencies
are computed from them. A day without a rate uses the last day before it that has one.
"""

from __future__ import annotations

import bisect
import csv
import datetime
import io
from dataclasses import dataclass, field

from tally.money import Money, convert

MILLION = 1_000_000


class NoRate(LookupError):
    """There is no rate for a currency on or before a day."""

    def __init__(self, currency: str, day: datetime.date) -> None:
        super().__init__(f"no rate for {currency} on or before {day.isoformat()}")
        self.currency = currency
        self.day = day


@dataclass(slots=True)
class Series:
    """The rates of one currency, by day."""

    days: list[datetime.date] = field(default_factory=list)
    millionths: list[int] = field(default_factory=list)

    def put(self, day: datetime.date, rate: int) -> None:
        """Set the rate of a day, replacing what was there."""
        if rate <= 0:
            raise ValueError(f"a rate must be above zero, not {rate}")
        index = bisect.bisect_left(self.days, day)
        if index < len(self.days) and self.days[index] == day:
            self.millionths[index] = rate
        else:
            self.days.insert(index, day)
            self.millionths.insert(index, rate)

    def at(self, day: datetime.date) -> int | None:
        """The rate of a day, or of the last day before it; None before the first."""
        index = bisect.bisect_right(self.days, day)
        return self.millionths[index - 1] if index else None


@dataclass(slots=True)
class Rates:
    """Rates from a base currency to others."""

    base: str = "EUR"
    series: dict[str, Series] = field(default_factory=dict)

    def put(self, currency: str, day: datetime.date, rate: int) -> None:
        """Set what one unit of the base currency was worth on a day, in millionths."""
        self.series.setdefault(currency, Series()).put(day, rate)

    def rate(self, source: str, target: str, day: datetime.date) -> int:
        """What one unit of `source` was worth in `target`, in millionths, rounded half up."""
        if source == target:
            return MILLION
        if source == self.base:
            return self._from_base(target, day)
        if target == self.base:
            there = self._from_base(source, day)
            return (2 * MILLION * MILLION + there) // (2 * there)
        first, second = self._from_base(source, day), self._from_base(target, day)
        return (2 * second * MILLION + first) // (2 * first)

    def exchange(self, amount: Money, target: str, day: datetime.date) -> Money:
        """The amount in another currency at the rate of a day."""
        if amount.currency == target:
            return amount
        return convert(amount, target, self.rate(amount.currency, target, day))

    def _from_base(self, currency: str, day: datetime.date) -> int:
        series = self.series.get(currency)
        rate = series.at(day) if series else None
        if rate is None:
            raise NoRate(currency, day)
        return rate


def read_rates(text: str, base: str = "EUR") -> Rates:
    """Rates from CSV with the columns date, currency and rate (a decimal number)."""
    rates = Rates(base)
    for row in csv.DictReader(io.StringIO(text)):
        whole, _, fraction = row["rate"].strip().partition(".")
        millionths = int(whole) * MILLION + int((fraction + "000000")[:6])
        rates.put(row["currency"].strip(), datetime.date.fromisoformat(row["date"]), millionths)
    return rates
