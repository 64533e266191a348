"""Yearly limits on accounts, spread over months, and what was spent of them.

A limit belongs to an account and covers everything below it. It is given for a year and spread
over the twelve months by weights, so that a heating bill may weigh more in winter. The months of
a year always add up to the limit: `tally.money.allocate` hands out every cent.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Iterator, Sequence

from tally.accounts import is_within, normalise
from tally.journal import Journal
from tally.money import Money, allocate, total, zero

EVEN = (1,) * 12
WINTER = (4, 4, 3, 2, 1, 0, 0, 0, 1, 2, 3, 4)


@dataclass(frozen=True, slots=True)
class Limit:
    """At most this much in a year for an account and everything below it."""

    account: str
    yearly: Money
    weights: tuple[int, ...] = EVEN

    def __post_init__(self) -> None:
        if len(self.weights) != 12:
            raise ValueError(f"a limit needs twelve weights, not {len(self.weights)}")
        if self.yearly.is_negative:
            raise ValueError("a limit can't be negative")

    def months(self) -> list[Money]:
        """The limit of each month, January first; they sum to the yearly limit exactly."""
        return allocate(self.yearly, self.weights)

    def up_to(self, month: int) -> Money:
        """The limit from January to the end of a month (1 to 12)."""
        if not 1 <= month <= 12:
            raise ValueError(f"month must be 1 to 12, not {month}")
        return total(self.months()[:month], self.yearly.currency)


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a budget report."""

    account: str
    limit: Money
    spent: Money

    @property
    def left(self) -> Money:
        """What may still be spent; negative if too much was."""
        return self.limit - self.spent

    @property
    def percent(self) -> int:
        """Share of the limit that was spent, in whole percent, rounded down."""
        if not self.limit:
            return 100 if self.spent else 0
        return self.spent.units * 100 // self.limit.units

    @property
    def is_over(self) -> bool:
        """Whether more was spent than the limit allows."""
        return self.left.is_negative


@dataclass(slots=True)
class Budget:
    """The limits of a year."""

    year: int
    limits: list[Limit] = field(default_factory=list)

    def add(self, account: str, yearly: Money, weights: Sequence[int] = EVEN) -> Limit:
        """Add a limit; an account may have only one."""
        name = normalise(account)
        if any(limit.account == name for limit in self.limits):
            raise ValueError(f"{name} already has a limit")
        limit = Limit(name, yearly, tuple(weights))
        self.limits.append(limit)
        return limit

    def month(self, journal: Journal, month: int) -> Iterator[Line]:
        """What was spent in one month against the limit of that month."""
        for limit in self.limits:
            spent = self._spent(journal, limit, month, month)
            yield Line(limit.account, limit.months()[month - 1], spent)

    def year_to_date(self, journal: Journal, month: int) -> Iterator[Line]:
        """What was spent from January to a month against the limit up to there."""
        for limit in self.limits:
            yield Line(limit.account, limit.up_to(month), self._spent(journal, limit, 1, month))

    def _spent(self, journal: Journal, limit: Limit, first: int, last: int) -> Money:
        currency = limit.yearly.currency
        result = zero(currency)
        start = datetime.date(self.year, first, 1)
        for transaction in journal.between(start, _end_of_month(self.year, last)):
            for posting in transaction.postings:
                fits = posting.amount.currency == currency
                if fits and is_within(posting.account, limit.account):
                    result = result + posting.amount
        return result


def _end_of_month(year: int, month: int) -> datetime.date:
    following = datetime.date(year + month // 12, month % 12 + 1, 1)
    return following - datetime.timedelta(days=1)
