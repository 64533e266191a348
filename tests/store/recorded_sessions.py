"""The recorded sessions that tests read: ours, and those of SIDECAR_TRANSCRIPTS where it is set."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.core.events import Added, HistoryReset, Measured
from sidecar.store.importers import open_transcript

if TYPE_CHECKING:
    from sidecar.core.events import Entry
    from sidecar.core.messages import Message

FIXTURES = Path(__file__).parent.parent / "fixtures" / "transcripts"
AGENTS = ("claude-code", "codex", "pi")


def fixture(name: str) -> Path:
    """One of our own transcripts."""
    return FIXTURES / f"{name}.jsonl"


def real(*agents: str) -> list[Path]:
    """The transcripts of these agents under SIDECAR_TRANSCRIPTS; none where it is not set."""
    folder = os.environ.get("SIDECAR_TRANSCRIPTS")
    if not folder:
        return []
    return sorted(path for agent in agents for path in Path(folder, agent).glob("*.jsonl"))


def every(*agents: str) -> list[Path]:
    """Ours and the real ones, of these agents or of all."""
    chosen = agents or AGENTS
    own = sorted(path for agent in chosen for path in (FIXTURES / agent).glob("*.jsonl"))
    return [*own, *real(*chosen)]


def name_of(path: Path) -> str:
    """How a test that runs over files calls one."""
    return f"{path.parent.name}/{path.stem}"


def entries_of(name: str) -> list[Entry]:
    """All entries of one of our own transcripts."""
    return list(open_transcript(fixture(name)))


def messages_of(name: str) -> dict[str, Message]:
    """All messages of one of our own transcripts, by id."""
    return {
        entry.event.message.id: entry.event.message
        for entry in entries_of(name)
        if isinstance(entry.event, Added)
    }


def bills_of(name: str) -> list[Measured]:
    """All bills of one of our own transcripts."""
    return [entry.event for entry in entries_of(name) if isinstance(entry.event, Measured)]


def resets_of(name: str) -> list[HistoryReset]:
    """All cuts of the history that one of our own transcripts records."""
    return [entry.event for entry in entries_of(name) if isinstance(entry.event, HistoryReset)]
