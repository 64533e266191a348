"""Sidecar: a daemon that owns a coding-agent session."""

__version__ = "0.1.0"
