"""Providers by name.

Owns the table of names and what each one's settings are called.
Deliberately knows nothing of sessions; an adapter is imported when it is asked for, because the
official clients take seconds to import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sidecar.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sidecar.providers.port import Provider

DEFAULT = "offline"
_MODULES = {"offline": "sidecar.providers.offline_settings"}


def names() -> tuple[str, ...]:
    """The providers there are, the default one first."""
    return tuple(_MODULES)


def make_provider(name: str = DEFAULT, settings: Mapping[str, Any] | None = None) -> Provider:
    """The provider of that name; no I/O beyond the package's own files.

    Raises `ConfigurationError`, with `key` and `value`, for an unknown name or setting.
    """
    if name not in _MODULES:
        raise ConfigurationError(
            f"there is no provider {name!r}; known are {', '.join(_MODULES)}",
            key="provider",
            value=name,
        )
    make: Callable[[Mapping[str, Any]], Provider] = importlib.import_module(_MODULES[name]).make
    return make(settings or {})
