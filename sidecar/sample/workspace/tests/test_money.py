"""Money: exact sums, and splitting without losing a cent."""

import unittest

from tally.money import (
    CurrencyMismatch,
    Money,
    allocate,
    convert,
    percentage,
    split_evenly,
    total,
    zero,
)


class ArithmeticTest(unittest.TestCase):
    """Adding, subtracting, comparing."""

    def test_amounts_of_one_currency_add_up(self):
        self.assertEqual(Money(1050) + Money(25), Money(1075))
        self.assertEqual(Money(1050) - Money(2050), Money(-1000))
        self.assertEqual(total([Money(1), Money(2), Money(3)]), Money(6))

    def test_an_empty_total_is_zero(self):
        self.assertEqual(total([], "USD"), zero("USD"))

    def test_currencies_do_not_mix(self):
        with self.assertRaises(CurrencyMismatch):
            Money(1, "EUR") + Money(1, "USD")
        with self.assertRaises(CurrencyMismatch):
            Money(1, "EUR") < Money(1, "USD")

    def test_floats_are_refused(self):
        with self.assertRaises(TypeError):
            Money(1.5)

    def test_an_unknown_currency_is_refused(self):
        with self.assertRaises(ValueError):
            Money(1, "XXX")


class TextTest(unittest.TestCase):
    """How amounts are written."""

    def test_decimals_follow_the_currency(self):
        self.assertEqual(str(Money(123456)), "1234.56 EUR")
        self.assertEqual(str(Money(1234, "JPY")), "1234 JPY")
        self.assertEqual(str(Money(5, "KWD")), "0.005 KWD")

    def test_the_sign_stands_in_front(self):
        self.assertEqual(str(Money(-5)), "-0.05 EUR")

    def test_thousands_may_be_separated(self):
        self.assertEqual(Money(123456789).plain(","), "1,234,567.89")


class AllocateTest(unittest.TestCase):
    """Splitting in proportion to weights."""

    def test_shares_add_up_to_the_whole(self):
        shares = allocate(Money(1000), [1, 1, 1])
        self.assertEqual(shares, [Money(334), Money(333), Money(333)])
        self.assertEqual(total(shares), Money(1000))

    def test_left_over_cents_go_to_the_first_shares(self):
        shares = allocate(Money(5), [1, 1, 1])
        self.assertEqual(shares, [Money(2), Money(2), Money(1)])

    def test_a_share_without_weight_gets_nothing(self):
        shares = allocate(Money(100), [0, 1, 0, 1])
        self.assertEqual(shares, [Money(0), Money(50), Money(0), Money(50)])

    def test_negative_amounts_are_split_like_positive_ones(self):
        shares = allocate(Money(-1000), [1, 1, 1])
        self.assertEqual(total(shares), Money(-1000))

    def test_an_amount_that_divides_evenly_has_no_left_over(self):
        self.assertEqual(split_evenly(Money(900), 3), [Money(300)] * 3)

    def test_bad_weights_are_refused(self):
        for weights in ([], [0, 0], [1, -1]):
            with self.subTest(weights=weights), self.assertRaises(ValueError):
                allocate(Money(100), weights)


class ConvertTest(unittest.TestCase):
    """Shares and other currencies."""

    def test_a_percentage_is_rounded_half_away_from_zero(self):
        self.assertEqual(percentage(Money(250), 1900), Money(48))
        self.assertEqual(percentage(Money(-250), 1900), Money(-48))

    def test_decimals_of_both_currencies_count(self):
        self.assertEqual(convert(Money(1000), "JPY", 160_000_000), Money(1600, "JPY"))
        self.assertEqual(convert(Money(1600, "JPY"), "EUR", 6_250), Money(1000))


if __name__ == "__main__":
    unittest.main()
