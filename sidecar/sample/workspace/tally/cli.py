"""The command line: `python3 -m tally.cli balance FILE` and friends."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tally.budget import WINTER, Budget
from tally.journal import Journal
from tally.money import Money
from tally.parser import ParseError, check, parse_ledger
from tally.report import as_text, income_statement, statement, trial_balance


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns 0, or 1 if the file can't be read."""
    options = _parser().parse_args(arguments)
    try:
        text = Path(options.file).read_text(encoding="utf-8")
        output = options.run(options, text)
    except (OSError, ParseError) as error:
        print(f"tally: {error}", file=sys.stderr)
        return 1
    print(output, end="")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tally", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, run, help_text in (
        ("balance", _balance, "the balance of every account"),
        ("statement", _statement, "every posting to one account"),
        ("months", _months, "income and expenses by month"),
        ("budget", _budget, "limits of the household budget and what is left"),
        ("check", _check, "list every problem of a file"),
    ):
        command = commands.add_parser(name, help=help_text)
        command.add_argument("file", help="a ledger file")
        if name == "statement":
            command.add_argument("account")
        if name == "budget":
            command.add_argument("--month", required=True, help="like 2025-03")
        command.set_defaults(run=run)
    return parser


def _balance(options: argparse.Namespace, text: str) -> str:
    rows = []
    for row in trial_balance(parse_ledger(text)):
        label = "  " * row.depth + row.account.rsplit(":", 1)[-1]
        rows.append((label, row.balance))
    return as_text(rows, right=(1,))


def _statement(options: argparse.Namespace, text: str) -> str:
    rows = statement(parse_ledger(text), options.account)
    return as_text(
        [(row.date, row.description, row.amount, row.balance) for row in rows], right=(2, 3)
    )


def _months(options: argparse.Namespace, text: str) -> str:
    rows = income_statement(parse_ledger(text))
    return as_text(
        [(row.name, row.income, row.expenses, row.saved) for row in rows], right=(1, 2, 3)
    )


def _budget(options: argparse.Namespace, text: str) -> str:
    year, month = (int(part) for part in options.month.split("-"))
    journal: Journal = parse_ledger(text)
    lines = household_budget(year).month(journal, month)
    return as_text(
        [(line.account, line.limit, line.spent, line.left) for line in lines], right=(1, 2, 3)
    )


def _check(options: argparse.Namespace, text: str) -> str:
    problems = check(text)
    return "".join(f"{problem}\n" for problem in problems) or "no problems\n"


def household_budget(year: int) -> Budget:
    """The limits that the example household has set itself."""
    budget = Budget(year)
    budget.add("expenses:food", Money(540_000))
    budget.add("expenses:housing:heating", Money(130_000), WINTER)
    budget.add("expenses:leisure", Money(200_000))
    return budget


if __name__ == "__main__":
    sys.exit(main())
