"""History files: one JSON object with `messages`, and the budget that goes with them.

Owns that form's reading; `sidecar.store.codec` owns the form of its messages.
Deliberately knows nothing of what is done with the history.

Invariant: a message that cannot be read costs that message only, and is named.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sidecar.core.events import Added, BudgetSet, Entry, SessionStarted
from sidecar.errors import InvalidInput
from sidecar.store.codec import message_from_json
from sidecar.store.importers.lines import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAME = 'history file (.json with "messages")'

BUDGET_KEYS = ("max_tokens", "compact_at", "compact_to")


def load(path: Path) -> Mapping[str, Any] | None:
    """The object that the whole file is, None where it is no history file; raises `OSError`."""
    with path.open("rb") as file:
        if file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
            return None
        file.seek(0)
        try:
            value = json.loads(file.read().decode("utf-8-sig", "replace"))
        except (ValueError, RecursionError):
            return None
    return value if isinstance(value, dict) and "messages" in value else None


def entries(value: Mapping[str, Any], problems: list[Problem]) -> Iterator[Entry]:
    """What a history file says, in order; raises `InvalidInput` where `messages` is no list."""
    messages = value["messages"]
    if not isinstance(messages, list):
        raise InvalidInput('"messages" of a history file must be a list of messages')
    yield Entry(0, SessionStarted("", "", "", "import", model=str(value.get("model", ""))))
    patch = {key: value[key] for key in BUDGET_KEYS if key in value}
    if patch:
        yield Entry(0, BudgetSet(patch))
    seen: set[str] = set()
    for number, raw in enumerate(messages, 1):
        message, found = message_from_json(raw)
        problems += [Problem(number, f"message {number}: {text}") for text in found]
        if message is None:
            continue
        if message.id in seen:
            problems.append(Problem(number, f"{message.id}: this id was there before, left out"))
        else:
            seen.add(message.id)
            yield Entry(0, Added(message))
