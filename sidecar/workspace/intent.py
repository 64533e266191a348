"""The record that says what a restore is about to do, so that a crash leaves no riddle.

Owns the record's form and its phases.
Deliberately touches no file of the workspace.

Invariant: the record is on disk, whole, before the first file is touched, and every phase replaces
it whole; so what is read back is one of the phases and never a part of one.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from sidecar.core.events import FileState
from sidecar.workspace.disk import TEMPORARY_PREFIX, replace_file
from sidecar.workspace.states import digest

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sidecar.workspace.disk import Disk

Phase = Literal["prepared", "committing", "done"]
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One path: from `present` to `wanted`, through the disk or an open buffer."""

    path: str
    present: FileState
    wanted: FileState
    through: Literal["disk", "buffer"] = "disk"


@dataclass(frozen=True, slots=True)
class Intent:
    """A restore: `prepared` (nothing renamed yet), `committing` (to be finished), `done`.

    `token` is in the name of every temporary file, `folders` are those made on the way (relative),
    `payload` is the caller's, kept until it says that it has recorded the outcome.
    """

    token: str
    steps: tuple[Step, ...]
    folders: tuple[str, ...] = ()
    payload: Mapping[str, Any] | None = None
    phase: Phase = field(default="prepared")

    def temporary(self, place: str, step: Step) -> str:
        """Where the new content of a step waits, beside its place."""
        mark = digest(step.path.encode())[:12]
        return os.path.join(os.path.dirname(place), f"{TEMPORARY_PREFIX}{self.token}-{mark}.tmp")

    def at(self, phase: Phase) -> Intent:
        """The same restore in another phase."""
        return replace(self, phase=phase)


def write_intent(disk: Disk, path: Path, intent: Intent) -> None:
    """Put the record on disk, for good when this returns."""
    record = {"version": _VERSION, **asdict(intent)}
    data = json.dumps(record, separators=(",", ":")).encode("ascii")
    replace_file(disk, str(path), data, 0o600)


def read_intent(path: Path) -> Intent | None:
    """The record, or None where there is none.

    Raises `ValueError` where the file is not one of ours.
    """
    try:
        record = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    try:
        if record["version"] != _VERSION:
            raise ValueError(f"{path} has version {record['version']}, known is {_VERSION}")
        return Intent(
            token=record["token"],
            steps=tuple(_step(step) for step in record["steps"]),
            folders=tuple(record["folders"]),
            payload=record["payload"],
            phase=record["phase"],
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"{path} is no record of a restore: {error!r}") from error


def _step(record: Mapping[str, Any]) -> Step:
    present, wanted = FileState(**record["present"]), FileState(**record["wanted"])
    return Step(record["path"], present, wanted, record["through"])
