"""Handlers of the protocol, a few lines each."""
