"""Parser: the text format and its errors."""

import datetime
import unittest

from tally.money import Money
from tally.parser import ParseError, check, parse_amount, parse_ledger, write_ledger

RENT = """\
2025-03-01 * Rent for March #home
    expenses:housing:rent      1,150.00 EUR  ; by standing order
    assets:bank:checking
"""


class AmountTest(unittest.TestCase):
    """Single amounts."""

    def test_plain_numbers_take_the_default_currency(self):
        self.assertEqual(parse_amount("12.50"), Money(1250))
        self.assertEqual(parse_amount("12"), Money(1200))
        self.assertEqual(parse_amount("12.5"), Money(1250))

    def test_a_currency_is_a_code_or_a_symbol(self):
        self.assertEqual(parse_amount("3 USD"), Money(300, "USD"))
        self.assertEqual(parse_amount("$3"), Money(300, "USD"))
        self.assertEqual(parse_amount("500 JPY"), Money(500, "JPY"))

    def test_signs_are_understood(self):
        self.assertEqual(parse_amount("-12.50 EUR"), Money(-1250))
        self.assertEqual(parse_amount("+1"), Money(100))

    def test_thousands_may_be_separated_more_than_once(self):
        amount = parse_amount("1,250,000.00 EUR")
        self.assertEqual(amount, Money(125_000_000))

    def test_one_separator_is_enough_for_thousands(self):
        self.assertEqual(parse_amount("1,150.00 EUR"), Money(115_000))

    def test_separators_in_the_wrong_place_are_refused(self):
        for text in ("1,15", "1,,150", ",150", "11,50.00"):
            with self.subTest(text=text), self.assertRaises(ValueError):
                parse_amount(text)

    def test_too_many_decimals_are_refused(self):
        with self.assertRaisesRegex(ValueError, "EUR has 2 decimals"):
            parse_amount("1.234 EUR")


class LedgerTest(unittest.TestCase):
    """Whole files."""

    def test_a_transaction_has_date_description_tags_and_postings(self):
        (transaction,) = parse_ledger(RENT)
        self.assertEqual(transaction.date, datetime.date(2025, 3, 1))
        self.assertEqual(transaction.description, "Rent for March")
        self.assertEqual(transaction.tags, frozenset({"home"}))
        self.assertEqual(
            [(p.account, p.amount, p.note) for p in transaction.postings],
            [
                ("expenses:housing:rent", Money(115_000), "by standing order"),
                ("assets:bank:checking", Money(-115_000), ""),
            ],
        )

    def test_comments_and_blank_lines_are_skipped(self):
        journal = parse_ledger("; a comment\n\n# another\n" + RENT + "\n\n" + RENT)
        self.assertEqual(len(journal), 2)

    def test_large_amounts_of_a_file_are_read(self):
        text = "2025-01-01 House\n    assets:house  1,250,000.00\n    equity:opening\n"
        self.assertEqual(parse_ledger(text).balance("assets"), Money(125_000_000))

    def test_errors_name_the_line(self):
        with self.assertRaises(ParseError) as caught:
            parse_ledger(RENT + "\n2025-02-30 Impossible\n    assets:cash  1\n    income:x\n")
        self.assertEqual(str(caught.exception), "line 5: '2025-02-30' is no date")

    def test_two_missing_amounts_are_refused(self):
        with self.assertRaisesRegex(ParseError, "only one posting"):
            parse_ledger("2025-01-01 X\n    assets:cash\n    income:x\n")

    def test_check_lists_every_problem(self):
        text = RENT + "\nnonsense\n\n" + RENT + "\n2025-01-01 X\n    what  1\n"
        self.assertEqual([problem.split(":")[0] for problem in check(text)], ["line 5", "line 12"])

    def test_what_is_written_is_read_back(self):
        journal = parse_ledger(RENT)
        again = parse_ledger(write_ledger(journal))
        self.assertEqual(again.transactions, journal.transactions)


if __name__ == "__main__":
    unittest.main()
