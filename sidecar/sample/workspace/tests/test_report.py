"""Reports: balances, statements, months."""

import datetime
import unittest

from tally.money import Money
from tally.parser import parse_ledger
from tally.report import (
    as_text,
    income_statement,
    is_balanced,
    largest_expenses,
    net_worth,
    opening_balance,
    statement,
    trial_balance,
)

LEDGER = """\
2025-01-01 Opening
    assets:bank:checking     2,000.00
    equity:opening

2025-01-15 Salary
    assets:bank:checking     3,100.00
    income:salary

2025-01-15 Rent
    expenses:housing:rent    1,150.00
    assets:bank:checking

2025-01-15 Groceries
    expenses:food:groceries     82.40
    assets:bank:checking

2025-03-02 Bicycle
    expenses:leisure:bicycle   640.00
    liabilities:card
"""
JOURNAL = parse_ledger(LEDGER)


def day(text):
    """A date."""
    return datetime.date.fromisoformat(text)


class TrialBalanceTest(unittest.TestCase):
    """The balance of every account."""

    def test_parents_have_the_sum_of_what_is_below(self):
        balances = {row.account: row.balance for row in trial_balance(JOURNAL)}
        self.assertEqual(balances["assets"], Money(386_760))
        self.assertEqual(balances["expenses"], Money(187_240))
        self.assertEqual(balances["expenses:food:groceries"], Money(8_240))

    def test_income_and_liabilities_are_positive(self):
        balances = {row.account: row.balance for row in trial_balance(JOURNAL)}
        self.assertEqual(balances["income"], Money(310_000))
        self.assertEqual(balances["liabilities:card"], Money(64_000))

    def test_kinds_come_in_their_order(self):
        kinds = [row.account for row in trial_balance(JOURNAL) if row.depth == 0]
        self.assertEqual(kinds, ["assets", "liabilities", "equity", "income", "expenses"])

    def test_the_whole_is_balanced(self):
        self.assertTrue(is_balanced(JOURNAL))


class StatementTest(unittest.TestCase):
    """One account, posting by posting."""

    def test_transactions_of_one_day_keep_their_order(self):
        rows = statement(JOURNAL, "assets:bank:checking")
        self.assertEqual(
            [(row.description, row.balance) for row in rows],
            [
                ("Opening", Money(200_000)),
                ("Salary", Money(510_000)),
                ("Rent", Money(395_000)),
                ("Groceries", Money(386_760)),
            ],
        )

    def test_the_balance_starts_with_what_was_there_before(self):
        rows = statement(JOURNAL, "assets:bank", first=day("2025-01-02"))
        self.assertEqual(rows[0].description, "Salary")
        self.assertEqual(rows[0].balance, Money(510_000))

    def test_an_opening_balance_ends_the_day_before(self):
        self.assertEqual(opening_balance(JOURNAL, "assets", day("2025-01-01")), Money(0))
        self.assertEqual(opening_balance(JOURNAL, "assets", day("2025-01-02")), Money(200_000))


class MonthsTest(unittest.TestCase):
    """Income and expenses."""

    def test_a_month_without_postings_is_listed_too(self):
        self.assertEqual(
            [(month.name, month.income, month.expenses) for month in income_statement(JOURNAL)],
            [
                ("2025-01", Money(310_000), Money(123_240)),
                ("2025-02", Money(0), Money(0)),
                ("2025-03", Money(0), Money(64_000)),
            ],
        )

    def test_the_dearest_accounts_come_first(self):
        self.assertEqual(
            largest_expenses(JOURNAL, count=2),
            [("expenses:housing", Money(115_000)), ("expenses:leisure", Money(64_000))],
        )

    def test_net_worth_subtracts_what_is_owed(self):
        self.assertEqual(net_worth(JOURNAL, day("2025-02-01")), Money(386_760))
        self.assertEqual(net_worth(JOURNAL, day("2025-12-31")), Money(322_760))


class TextTest(unittest.TestCase):
    """Columns."""

    def test_columns_are_aligned(self):
        self.assertEqual(as_text([("a", 1), ("bcd", 22)], right=(1,)), "a     1\nbcd  22\n")


if __name__ == "__main__":
    unittest.main()
