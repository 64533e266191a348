"""The text format: lines to a journal, with errors that say where.

The parser reads line by line and keeps the transaction that is being read. A blank line, a new
header or the end of the text finishes it. Errors carry the line number; `parse_ledger` raises the
first one, `check` collects them all.

    2025-03-01 * Rent for March  #home
        expenses:housing:rent      1,150.00 EUR  ; by standing order
        assets:bank:checking

A header is a date, an optional mark (`*` cleared, `!` pending), a description, and tags. A posting
is indented; account and amount are separated by two spaces or a tab, so that account names may
contain single spaces. The amount of one posting may be left out.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from typing import Iterable, Iterator

from tally.accounts import BadAccount, normalise
from tally.journal import Journal, Posting, Transaction, Unbalanced
from tally.money import DECIMALS, SYMBOLS, Money, total

HEADER = re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})\s+(?:(?P<mark>[*!])\s+)?(?P<text>\S.*)$")
POSTING = re.compile(r"\s+(?P<account>\S(?:.*?\S)?)(?:(?:\s{2,}|\t)(?P<amount>\S.*))?$")
TAG = re.compile(r"(?:^|\s)#(?P<tag>[a-z0-9-]+)")
WHOLE = r"(?P<whole>\d{1,3}(?:,\d{3})?|\d+)"
AMOUNT = re.compile(r"(?P<sign>[+-]?)\s*(?P<symbol>[€$£¥]?)" + WHOLE + r"(?:\.(?P<rest>\d+))?")
COMMENT_MARKS = (";", "#", "%")


class ParseError(ValueError):
    """A line that can't be read; `line` is its number, 1 for the first."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


def parse_amount(text: str, default_currency: str = "EUR") -> Money:
    """An amount: a number with an optional sign, thousands separators, and a currency.

    The currency is a code behind the number or a symbol in front of it: `12.50 EUR`, `-$3`,
    `1,250,000.00 EUR`. Without one it is `default_currency`. Missing decimals are zeros; more
    decimals than the currency has are an error, because rounding would lose money.
    """
    number, _, code = text.strip().partition(" ")
    match = AMOUNT.fullmatch(number)
    if match is None:
        raise ValueError(f"{text!r} is no amount")
    currency = code.strip().upper() or SYMBOLS.get(match["symbol"], default_currency)
    if currency not in DECIMALS:
        raise ValueError(f"{text!r}: unknown currency {currency!r}")
    decimals = DECIMALS[currency]
    rest = match["rest"] or ""
    if len(rest) > decimals:
        raise ValueError(f"{text!r}: {currency} has {decimals} decimals")
    units = int(match["whole"].replace(",", "")) * 10**decimals + int(rest.ljust(decimals, "0") or 0)
    return Money(-units if match["sign"] == "-" else units, currency)


def parse_date(text: str) -> datetime.date:
    """A date like 2025-03-01; an impossible one is a ValueError that names it."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no date") from None


@dataclass(slots=True)
class _Draft:
    """A transaction that is being read: postings may still lack one amount."""

    line: int
    date: datetime.date
    description: str
    tags: frozenset[str]
    postings: list[tuple[str, Money | None, str]] = field(default_factory=list)

    def finish(self) -> Transaction:
        """The transaction, with the missing amount filled in."""
        missing = [index for index, (_, amount, _) in enumerate(self.postings) if amount is None]
        if len(missing) > 1:
            raise ParseError(self.line, "only one posting may leave out its amount")
        known = [amount for _, amount, _ in self.postings if amount is not None]
        if missing and not known:
            raise ParseError(self.line, "no posting has an amount")
        if missing and len({amount.currency for amount in known}) > 1:
            raise ParseError(self.line, "an amount can't be left out with several currencies")
        postings = []
        for account, amount, note in self.postings:
            postings.append(Posting(account, -total(known) if amount is None else amount, note))
        return Transaction(self.date, self.description, tuple(postings), tags=self.tags)


def _header(number: int, line: str) -> _Draft:
    match = HEADER.match(line)
    if match is None:
        raise ParseError(number, f"expected a date and a description, found {line.strip()!r}")
    try:
        date = parse_date(match["date"])
    except ValueError as error:
        raise ParseError(number, str(error)) from None
    tags = frozenset(found["tag"] for found in TAG.finditer(match["text"]))
    description = TAG.sub("", match["text"]).strip()
    if not description:
        raise ParseError(number, "a transaction needs a description")
    return _Draft(number, date, description, tags)


def _posting(number: int, line: str) -> tuple[str, Money | None, str]:
    body, _, note = line.partition(";")
    match = POSTING.match(body.rstrip())
    if match is None:
        raise ParseError(number, f"expected an account, found {line.strip()!r}")
    try:
        account = normalise(match["account"])
        amount = parse_amount(match["amount"]) if match["amount"] else None
    except (BadAccount, ValueError) as error:
        raise ParseError(number, str(error)) from None
    return account, amount, note.strip()


def _drafts(text: str) -> Iterator[_Draft]:
    """The transactions of a text, unfinished, in order."""
    draft: _Draft | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped:
            if draft is not None:
                yield draft
            draft = None
        elif stripped.startswith(COMMENT_MARKS):
            continue
        elif line[0].isspace():
            if draft is None:
                raise ParseError(number, "a posting without a transaction")
            draft.postings.append(_posting(number, line))
        else:
            if draft is not None:
                yield draft
            draft = _header(number, line)
    if draft is not None:
        yield draft


def parse_ledger(text: str) -> Journal:
    """The journal of a text; raises ParseError at the first line that can't be read."""
    journal = Journal()
    for draft in _drafts(text):
        try:
            journal.add(draft.finish())
        except Unbalanced as error:
            raise ParseError(draft.line, str(error)) from None
        except ValueError as error:
            if isinstance(error, ParseError):
                raise
            raise ParseError(draft.line, str(error)) from None
    return journal


def check(text: str) -> list[str]:
    """Every problem of a text, each with its line; the transactions around a bad one are read."""
    problems: list[str] = []
    block: list[tuple[int, str]] = []
    for number, line in [*enumerate(text.split("\n"), start=1), (0, "")]:
        if line.strip():
            block.append((number, line))
            continue
        if block:
            problems += _problems_of(block)
        block = []
    return problems


def _problems_of(block: list[tuple[int, str]]) -> list[str]:
    first = block[0][0]
    padded = "\n" * (first - 1) + "\n".join(line for _, line in block)
    try:
        parse_ledger(padded)
    except ParseError as error:
        return [str(error)]
    return []


def write_ledger(transactions: Iterable[Transaction]) -> str:
    """Transactions in the text format; reading it back gives the same postings."""
    blocks = []
    for transaction in transactions:
        tags = "".join(f" #{tag}" for tag in sorted(transaction.tags))
        lines = [f"{transaction.date.isoformat()} {transaction.description}{tags}"]
        width = max((len(posting.account) for posting in transaction.postings), default=0)
        for posting in transaction.postings:
            amount = f"{posting.amount.plain(','):>14} {posting.amount.currency}"
            note = f"  ; {posting.note}" if posting.note else ""
            lines.append(f"    {posting.account:<{width}}  {amount}{note}")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)
