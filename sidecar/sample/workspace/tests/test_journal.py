"""Journal and accounts: only what balances gets in."""

import datetime
import unittest

from tally.accounts import BadAccount, indented, is_debit, normalise
from tally.journal import Journal, Posting, Transaction, Unbalanced
from tally.money import Money

DAY = datetime.date(2025, 3, 1)


def lunch(amount=1250, day=DAY):
    """A lunch that was paid in cash."""
    return Transaction(
        day,
        "Lunch",
        (
            Posting("expenses:food:lunch", Money(amount)),
            Posting("assets:cash", Money(-amount)),
        ),
    )


class AccountTest(unittest.TestCase):
    """Names and kinds."""

    def test_case_and_spaces_do_not_matter(self):
        self.assertEqual(normalise("Assets : Bank:Checking"), "assets:bank:checking")

    def test_an_account_needs_a_known_kind(self):
        with self.assertRaisesRegex(BadAccount, "must start with one of"):
            normalise("stuff:things")

    def test_expenses_grow_on_the_debit_side(self):
        self.assertTrue(is_debit("expenses:food"))
        self.assertFalse(is_debit("income:salary"))

    def test_a_tree_shows_missing_parents(self):
        self.assertEqual(
            indented(["expenses:food:lunch", "assets:cash"]),
            ["assets", "  cash", "expenses", "  food", "    lunch"],
        )


class JournalTest(unittest.TestCase):
    """Adding and asking."""

    def test_transactions_are_numbered_as_they_come(self):
        journal = Journal()
        self.assertEqual([journal.add(lunch()).number for _ in range(3)], [1, 2, 3])

    def test_an_unbalanced_transaction_is_refused(self):
        journal = Journal()
        bad = Transaction(
            DAY, "Bad", (Posting("assets:cash", Money(1)), Posting("income:x", Money(1)))
        )
        with self.assertRaises(Unbalanced) as caught:
            journal.add(bad)
        self.assertEqual(caught.exception.difference, Money(2))
        self.assertEqual(len(journal), 0)

    def test_a_single_posting_is_refused(self):
        with self.assertRaisesRegex(ValueError, "at least two postings"):
            Journal().add(Transaction(DAY, "Half", (Posting("assets:cash", Money(0)),)))

    def test_a_balance_includes_what_is_below(self):
        journal = Journal()
        journal.add(lunch(1000))
        journal.add(lunch(500))
        self.assertEqual(journal.balance("expenses"), Money(1500))
        self.assertEqual(journal.balance("assets:cash"), Money(-1500))

    def test_a_range_of_days_includes_both_ends(self):
        journal = Journal()
        days = [DAY + datetime.timedelta(days=offset) for offset in range(4)]
        journal.extend(lunch(day=day) for day in days)
        found = [transaction.date for transaction in journal.between(days[1], days[2])]
        self.assertEqual(found, days[1:3])


if __name__ == "__main__":
    unittest.main()
