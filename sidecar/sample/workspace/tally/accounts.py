"""Account names, the tree they form, and the side on which they grow.

An account is a path of lower-case parts joined by colons: `expenses:food:groceries`. The first
part is its kind. Debit accounts (assets, expenses) grow with positive postings; credit accounts
(liabilities, equity, income) grow with negative ones.

There is no chart of accounts to maintain: an account exists because a posting used it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Iterable, Iterator

DEBIT_KINDS = ("assets", "expenses")
CREDIT_KINDS = ("liabilities", "equity", "income")
KINDS = DEBIT_KINDS + CREDIT_KINDS

_PART = re.compile(r"[a-z0-9][a-z0-9 _-]*$")


class BadAccount(ValueError):
    """A text that is no account name; the message says which part is wrong."""


def normalise(name: str) -> str:
    """The canonical form of an account name, or BadAccount.

    Case and spaces around the colons don't matter: `Assets : Bank` is `assets:bank`.
    """
    parts = [part.strip().lower() for part in name.split(":")]
    for part in parts:
        if not _PART.match(part):
            raise BadAccount(f"{name!r}: {part!r} is no part of an account name")
    if parts[0] not in KINDS:
        raise BadAccount(f"{name!r}: must start with one of {', '.join(KINDS)}")
    return ":".join(parts)


def kind_of(account: str) -> str:
    """The kind of an account, which is its first part."""
    return account.split(":", 1)[0]


def is_debit(account: str) -> bool:
    """Whether positive postings make this account grow."""
    return kind_of(account) in DEBIT_KINDS


def parent_of(account: str) -> str | None:
    """The account one level up, or None for a kind itself."""
    head, colon, _ = account.rpartition(":")
    return head if colon else None


def ancestors(account: str) -> Iterator[str]:
    """The account and everything above it, nearest first."""
    current: str | None = account
    while current is not None:
        yield current
        current = parent_of(current)


def is_within(account: str, root: str) -> bool:
    """Whether an account is `root` or lies below it."""
    return account == root or account.startswith(root + ":")


@dataclass(slots=True)
class Node:
    """One account in the tree, with the accounts right below it by their last part."""

    name: str
    children: dict[str, "Node"] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The last part of the name."""
        return self.name.rsplit(":", 1)[-1]

    def walk(self, depth: int = 0) -> Iterator[tuple[int, "Node"]]:
        """This node and everything below it with its depth, children in alphabetical order."""
        yield depth, self
        for label in sorted(self.children):
            yield from self.children[label].walk(depth + 1)


def tree(accounts: Iterable[str]) -> dict[str, Node]:
    """The trees of some accounts by kind, in the order of KINDS; missing parents are made."""
    roots: dict[str, Node] = {}
    for account in accounts:
        parts = account.split(":")
        node = roots.setdefault(parts[0], Node(parts[0]))
        for index in range(1, len(parts)):
            name = ":".join(parts[: index + 1])
            node = node.children.setdefault(parts[index], Node(name))
    return {kind: roots[kind] for kind in KINDS if kind in roots}


def indented(accounts: Iterable[str], width: int = 2) -> list[str]:
    """The tree as lines of text, one account each, indented by its depth."""
    lines = []
    for root in tree(accounts).values():
        for depth, node in root.walk():
            lines.append(" " * (width * depth) + node.label)
    return lines
