"""Reports over a journal: trial balance, statement of an account, income statement.

Every report is a function from a journal to a list of rows; nothing here prints. `as_text` turns
rows into aligned columns for a terminal.

Amounts in reports have the sign that a person expects: an income of 3,000 is positive, although
its postings are negative (see `tally.accounts.is_debit`).
"""

from __future__ import annotations

import datetime
from collections import defaultdict
from dataclasses import dataclass
from typing import Iterable, Sequence

from tally.accounts import ancestors, is_debit, is_within, kind_of, normalise
from tally.journal import Journal
from tally.money import Money, total, zero


@dataclass(frozen=True, slots=True)
class Balance:
    """A row of a trial balance; `depth` is 0 for a kind, 1 for what is right below it."""

    account: str
    balance: Money
    depth: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a statement: one posting, and the balance of the account after it."""

    date: datetime.date
    number: int
    description: str
    amount: Money
    balance: Money


@dataclass(frozen=True, slots=True)
class Month:
    """A row of an income statement."""

    year: int
    month: int
    income: Money
    expenses: Money

    @property
    def saved(self) -> Money:
        """What was earned and not spent; negative if more was spent."""
        return self.income - self.expenses

    @property
    def name(self) -> str:
        """The month as `2025-03`."""
        return f"{self.year:04d}-{self.month:02d}"


def trial_balance(
    journal: Journal, currency: str = "EUR", last: datetime.date | None = None
) -> list[Balance]:
    """The balance of every account, parents included, sorted by name within the kinds.

    A parent's balance is the sum of what is below it and of its own postings. Accounts whose
    balance is zero are listed too: a closed account is information.
    """
    sums: dict[str, Money] = defaultdict(lambda: zero(currency))
    for transaction in journal.between(last=last):
        for posting in transaction.postings:
            if posting.amount.currency != currency:
                continue
            for account in ancestors(posting.account):
                sums[account] = sums[account] + posting.amount
    return [
        Balance(account, _natural(account, sums[account]), account.count(":"))
        for account in sorted(sums, key=_by_kind)
    ]


def is_balanced(journal: Journal, currency: str = "EUR") -> bool:
    """Whether all postings of a currency sum to zero, as they must."""
    amounts = [
        posting.amount
        for transaction in journal
        for posting in transaction.postings
        if posting.amount.currency == currency
    ]
    return not total(amounts, currency)


def statement(
    journal: Journal,
    account: str,
    first: datetime.date | None = None,
    last: datetime.date | None = None,
    currency: str = "EUR",
) -> list[Row]:
    """Every posting to an account and what is below it, oldest first, with the running balance.

    Transactions of one day stand in the order in which the journal took them. The balance starts
    with what the account held before `first`, so the last row shows what it holds after `last`.
    """
    name = normalise(account)
    rows = []
    for transaction in journal.between(first, last):
        for posting in transaction.postings:
            if posting.amount.currency == currency and is_within(posting.account, name):
                amount = _natural(name, posting.amount)
                rows.append(
                    Row(transaction.date, transaction.number, transaction.description, amount, amount)
                )
    rows.sort(key=lambda row: (row.date, row.amount.units))
    balance = opening_balance(journal, name, first, currency)
    result = []
    for row in rows:
        balance = balance + row.amount
        result.append(Row(row.date, row.number, row.description, row.amount, balance))
    return result


def opening_balance(
    journal: Journal, account: str, first: datetime.date | None, currency: str = "EUR"
) -> Money:
    """What an account held before a day; nothing if there is no such day."""
    if first is None:
        return zero(currency)
    before = first - datetime.timedelta(days=1)
    amounts = [
        posting.amount
        for transaction in journal.between(last=before)
        for posting in transaction.postings
        if posting.amount.currency == currency and is_within(posting.account, account)
    ]
    return _natural(account, total(amounts, currency))


def income_statement(journal: Journal, currency: str = "EUR") -> list[Month]:
    """Income and expenses of every month from the first to the last, months without any included."""
    sums: dict[tuple[int, int], dict[str, Money]] = {}
    for transaction in journal:
        key = (transaction.date.year, transaction.date.month)
        month = sums.setdefault(key, {"income": zero(currency), "expenses": zero(currency)})
        for posting in transaction.postings:
            kind = kind_of(posting.account)
            if kind in month and posting.amount.currency == currency:
                month[kind] = month[kind] + _natural(kind, posting.amount)
    if not sums:
        return []
    nothing = {"income": zero(currency), "expenses": zero(currency)}
    return [
        Month(*key, **sums.get(key, nothing)) for key in _months(min(sums), max(sums))
    ]


def largest_expenses(
    journal: Journal, count: int = 5, currency: str = "EUR", depth: int = 2
) -> list[tuple[str, Money]]:
    """The accounts that cost most, cut at `depth` parts, dearest first; equal ones by name."""
    sums: dict[str, Money] = defaultdict(lambda: zero(currency))
    for transaction in journal:
        for posting in transaction.postings:
            if kind_of(posting.account) == "expenses" and posting.amount.currency == currency:
                name = ":".join(posting.account.split(":")[:depth])
                sums[name] = sums[name] + posting.amount
    ranked = sorted(sums.items(), key=lambda item: (-item[1].units, item[0]))
    return ranked[:count]


def net_worth(journal: Journal, day: datetime.date, currency: str = "EUR") -> Money:
    """Assets less liabilities at the end of a day."""
    result = zero(currency)
    for transaction in journal.between(last=day):
        for posting in transaction.postings:
            fits = posting.amount.currency == currency
            if fits and kind_of(posting.account) in ("assets", "liabilities"):
                result = result + posting.amount
    return result


def as_text(rows: Iterable[Sequence[object]], right: Iterable[int] = ()) -> str:
    """Rows as aligned columns, two spaces apart; the columns in `right` are flushed right."""
    cells = [[str(cell) for cell in row] for row in rows]
    if not cells:
        return ""
    flushed = set(right)
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = []
    for row in cells:
        parts = [
            cell.rjust(width) if column in flushed else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"


def _natural(account: str, amount: Money) -> Money:
    return amount if is_debit(account) else -amount


def _by_kind(account: str) -> tuple[int, str]:
    order = ("assets", "liabilities", "equity", "income", "expenses")
    return order.index(kind_of(account)), account


def _months(first: tuple[int, int], last: tuple[int, int]) -> list[tuple[int, int]]:
    months = []
    year, month = first
    while (year, month) <= last:
        months.append((year, month))
        year, month = (year + 1, 1) if month == 12 else (year, month + 1)
    return months
