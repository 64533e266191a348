"""The offline provider from its settings.

Owns the names of its settings, their checks, and where scenarios come from.

| setting | meaning | default |
|---|---|---|
| `scenario` | an object, the path of a JSON file, or a name of the package | `sample` |
| `window_tokens` | the window it states and keeps to | 24000 |
| `chunk_delay_ms` | pause between two chunks of the stream | 0 |
| `strict` | refuse what real providers refuse (`sidecar.providers.strict`) | false |

For a prompt that the scenario does not start with, the scenario `free` of the package answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.errors import ConfigurationError
from sidecar.providers.offline import WINDOW_TOKENS, OfflineProvider
from sidecar.providers.offline_position import FREE
from sidecar.providers.offline_scenario import scenario_from_json
from sidecar.providers.strict import StrictProvider

if TYPE_CHECKING:
    from sidecar.providers.offline_scenario import Scenario
    from sidecar.providers.port import Provider

SETTINGS = ("scenario", "window_tokens", "chunk_delay_ms", "strict")


def make(settings: Mapping[str, Any]) -> Provider:
    """The provider; `ConfigurationError` names the setting that is wrong."""
    for key in settings:
        if key not in SETTINGS:
            raise ConfigurationError(
                f"the offline provider has no setting {key!r}; known are {', '.join(SETTINGS)}",
                key=key,
                value=settings[key],
            )
    scenarios = [load_scenario(settings.get("scenario", "sample")), load_scenario(FREE)]
    provider = OfflineProvider(
        scenarios,
        window_tokens=_number(settings, "window_tokens", WINDOW_TOKENS),
        chunk_delay_ms=_number(settings, "chunk_delay_ms", 0),
    )
    return StrictProvider(provider) if settings.get("strict") is True else provider


def load_scenario(source: object) -> Scenario:
    """A scenario from an object, the path of a file (it ends in .json), or a name."""
    if isinstance(source, Mapping):
        return scenario_from_json(source)
    if not isinstance(source, str) or not source:
        raise ConfigurationError(
            "a scenario is an object, the path of a .json file, or a name of the package",
            key="scenario",
            value=str(source),
        )
    try:
        if source.endswith(".json"):
            text = Path(source).read_text("utf-8")
        else:
            file = resources.files("sidecar.providers") / "scenarios" / f"{Path(source).name}.json"
            text = file.read_text("utf-8")
        return scenario_from_json(json.loads(text))
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"scenario {source!r} can't be read: {error}", key="scenario", value=source
        ) from None


def _number(settings: Mapping[str, Any], key: str, default: int) -> int:
    value = settings.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        raise ConfigurationError(
            f"{key} must be a number of at least 0, not {value!r}", key=key, value=value
        )
    return int(value)
