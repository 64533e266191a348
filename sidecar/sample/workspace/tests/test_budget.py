"""Budgets and rates: limits over months, amounts over currencies."""

import datetime
import unittest

from tally.budget import WINTER, Budget, Limit
from tally.money import Money, total
from tally.parser import parse_ledger
from tally.rates import NoRate, read_rates

LEDGER = """\
2025-01-10 Groceries
    expenses:food:groceries   120.00
    assets:cash

2025-02-10 Lunch
    expenses:food:lunch        15.50
    assets:cash
"""


class LimitTest(unittest.TestCase):
    """A year spread over months."""

    def test_the_months_of_a_year_add_up_to_the_limit(self):
        months = Limit("expenses:food", Money(100_000)).months()
        self.assertEqual(total(months), Money(100_000))

    def test_up_to_december_the_limit_is_that_of_the_year(self):
        self.assertEqual(Limit("expenses:food", Money(100_000)).up_to(12), Money(100_000))

    def test_weights_put_more_into_winter(self):
        months = Limit("expenses:housing:heating", Money(24_000), WINTER).months()
        self.assertEqual(months[0], Money(4_000))
        self.assertEqual(months[6], Money(0))

    def test_a_limit_needs_twelve_weights(self):
        with self.assertRaisesRegex(ValueError, "twelve weights"):
            Limit("expenses:food", Money(1), (1, 2, 3))


class BudgetTest(unittest.TestCase):
    """What was spent."""

    def setUp(self):
        self.journal = parse_ledger(LEDGER)
        self.budget = Budget(2025)
        self.budget.add("expenses:food", Money(120_000))

    def test_a_month_counts_only_its_own_postings(self):
        (line,) = self.budget.month(self.journal, 2)
        self.assertEqual((line.limit, line.spent, line.left), (Money(10_000), Money(1_550), Money(8_450)))
        self.assertEqual(line.percent, 15)

    def test_too_much_is_said_to_be_over(self):
        (line,) = self.budget.month(self.journal, 1)
        self.assertTrue(line.is_over)

    def test_the_year_to_date_sums_both(self):
        (line,) = self.budget.year_to_date(self.journal, 2)
        self.assertEqual((line.limit, line.spent), (Money(20_000), Money(13_550)))

    def test_an_account_has_one_limit(self):
        with self.assertRaisesRegex(ValueError, "already has a limit"):
            self.budget.add("Expenses:Food", Money(1))


class RatesTest(unittest.TestCase):
    """Amounts in other currencies."""

    RATES = "date,currency,rate\n2025-01-01,USD,1.25\n2025-02-01,USD,1.2\n2025-01-01,GBP,0.8\n"

    def test_a_day_without_a_rate_uses_the_last_one(self):
        rates = read_rates(self.RATES)
        self.assertEqual(
            rates.exchange(Money(1000), "USD", datetime.date(2025, 1, 20)), Money(1250, "USD")
        )

    def test_the_way_between_two_currencies_goes_through_the_base(self):
        rates = read_rates(self.RATES)
        pounds = rates.exchange(Money(1250, "USD"), "GBP", datetime.date(2025, 1, 2))
        self.assertEqual(pounds, Money(800, "GBP"))

    def test_before_the_first_day_there_is_no_rate(self):
        with self.assertRaises(NoRate):
            read_rates(self.RATES).exchange(Money(1), "USD", datetime.date(2024, 12, 31))


if __name__ == "__main__":
    unittest.main()
