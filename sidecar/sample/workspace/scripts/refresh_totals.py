"""Write the totals of a ledger file as CSV: one line for each account and month.

    python3 scripts/refresh_totals.py examples/household.tally examples/totals.csv

The file is written anew on every run; don't edit it by hand.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tally.journal import Journal
from tally.money import Money, zero
from tally.parser import parse_ledger


def totals(journal: Journal) -> dict[tuple[str, str], Money]:
    """The sum of the postings by account and month; months look like 2025-03."""
    sums: dict[tuple[str, str], Money] = defaultdict(zero)
    for transaction in journal:
        month = transaction.date.strftime("%Y-%m")
        for posting in transaction.postings:
            if posting.amount.currency == "EUR":
                key = (posting.account, month)
                sums[key] = sums[key] + posting.amount
    return dict(sums)


def main() -> int:
    """Read the first argument, write the second; returns the exit code."""
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    journal = parse_ledger(Path(sys.argv[1]).read_text(encoding="utf-8"))
    rows = sorted(totals(journal).items())
    with open(sys.argv[2], "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["account", "month", "total"])
        for (account, month), amount in rows:
            writer.writerow([account, month, amount.plain()])
    print(f"wrote {len(rows)} totals to {sys.argv[2]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
