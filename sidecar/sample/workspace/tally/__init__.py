"""A small plain-text double-entry ledger: parser, journal, budgets and reports."""

__version__ = "0.4.0"
