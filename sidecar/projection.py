"""Core values to wire models, by hand."""
