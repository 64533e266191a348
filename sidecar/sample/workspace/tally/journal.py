"""Transactions, their postings, and the journal that holds them.

The one rule of double-entry bookkeeping is checked at the door: a journal takes a transaction
only if its postings sum to zero in every currency. Whatever is inside can be trusted by every
report without checking again.

A journal numbers its transactions in the order in which they were added. The number, not the
amount and not the text, is what orders the transactions of one day.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field, replace
from typing import Callable, Iterable, Iterator

from tally.accounts import is_within, normalise
from tally.money import Money, total, zero


class Unbalanced(ValueError):
    """The postings of a transaction don't sum to zero; `difference` is what is missing."""

    def __init__(self, description: str, difference: Money) -> None:
        super().__init__(f"{description!r} is off by {difference}")
        self.difference = difference


@dataclass(frozen=True, slots=True)
class Posting:
    """One line of a transaction: an amount that moves into (or, negative, out of) an account."""

    account: str
    amount: Money
    note: str = ""


@dataclass(frozen=True, slots=True)
class Transaction:
    """Something that happened on a day, as postings that sum to zero.

    `number` is 0 until a journal takes the transaction.
    """

    date: datetime.date
    description: str
    postings: tuple[Posting, ...]
    number: int = 0
    tags: frozenset[str] = frozenset()

    def currencies(self) -> list[str]:
        """The currencies of the postings, in the order in which they appear."""
        return list(dict.fromkeys(posting.amount.currency for posting in self.postings))

    def difference(self) -> Money | None:
        """What keeps the postings from summing to zero, in the first currency where they don't."""
        for currency in self.currencies():
            amounts = [p.amount for p in self.postings if p.amount.currency == currency]
            rest = total(amounts, currency)
            if rest:
                return rest
        return None

    def touches(self, account: str) -> bool:
        """Whether a posting goes to this account or to one below it."""
        return any(is_within(posting.account, account) for posting in self.postings)


@dataclass(slots=True)
class Journal:
    """Balanced transactions in the order in which they were added."""

    transactions: list[Transaction] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.transactions)

    def __iter__(self) -> Iterator[Transaction]:
        return iter(self.transactions)

    def add(self, transaction: Transaction) -> Transaction:
        """Take a transaction and give it its number; raises Unbalanced and takes nothing."""
        if len(transaction.postings) < 2:
            raise ValueError(f"{transaction.description!r} needs at least two postings")
        difference = transaction.difference()
        if difference is not None:
            raise Unbalanced(transaction.description, difference)
        postings = tuple(replace(p, account=normalise(p.account)) for p in transaction.postings)
        numbered = replace(
            transaction, postings=postings, number=len(self.transactions) + 1
        )
        self.transactions.append(numbered)
        return numbered

    def extend(self, transactions: Iterable[Transaction]) -> None:
        """Add several; those before a bad one stay."""
        for transaction in transactions:
            self.add(transaction)

    def accounts(self) -> list[str]:
        """Every account that a posting used, sorted."""
        return sorted({p.account for t in self.transactions for p in t.postings})

    def between(
        self, first: datetime.date | None = None, last: datetime.date | None = None
    ) -> Iterator[Transaction]:
        """The transactions from `first` to `last`, both included; None leaves an end open."""
        for transaction in self.transactions:
            if first is not None and transaction.date < first:
                continue
            if last is not None and transaction.date > last:
                continue
            yield transaction

    def balance(self, account: str, currency: str = "EUR") -> Money:
        """The sum of the postings to an account and everything below it, in one currency."""
        result = zero(currency)
        for transaction in self.transactions:
            for posting in transaction.postings:
                if posting.amount.currency == currency and is_within(posting.account, account):
                    result = result + posting.amount
        return result

    def where(self, test: Callable[[Transaction], bool]) -> "Journal":
        """A journal of the transactions that pass a test; they keep their numbers."""
        return Journal([transaction for transaction in self.transactions if test(transaction)])
