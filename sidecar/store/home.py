"""Where sessions live on disk: `<home>/sessions/<session id>/`.

Owns the folders' layout, names and modes, and the list of sessions, which is always computed from
the journals (there is no index that could be wrong).
Deliberately knows nothing of what a session does.

Invariant: a session id is a name and never a path; folders are 0700 and files 0600.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from sidecar.core.events import Renamed, SessionStarted
from sidecar.errors import ConfigurationError, InvalidInput, NotFound
from sidecar.store.blobs import Blobs
from sidecar.store.codec import decode_line
from sidecar.store.journal import sync_folder
from sidecar.store.locks import SessionLock, holder

if TYPE_CHECKING:
    from sidecar.core.events import Entry

_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\Z")


@dataclass(frozen=True, slots=True)
class SessionCard:
    """What a list shows of a session; times in Unix milliseconds, size of everything in bytes."""

    session_id: str
    title: str
    workspace: str
    model: str
    origin: str
    parent_id: str
    created_at: int
    updated_at: int
    size_bytes: int


class SessionFolder:
    """The paths of one session."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.name
        self.journal_path = path / "journal.jsonl"
        self.intent_path = path / "restore.json"

    @cached_property
    def blobs(self) -> Blobs:
        """The file contents that the session's checkpoints name."""
        return Blobs(self.path / "blobs")

    def lock(self, *, takeover: bool = False) -> SessionLock:
        """Become the session's only writer, or raise `SessionLocked`."""
        return SessionLock.acquire(self.path, takeover=takeover)

    def holder(self) -> int | None:
        """The pid of the living process that writes this session, or None."""
        return holder(self.path)

    def size_bytes(self) -> int:
        """Bytes of all files of the session."""
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())


class Home:
    """Sidecar's folder of sessions; made when the first session is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sessions = path / "sessions"

    @classmethod
    def default(cls) -> Home:
        """`SIDECAR_HOME` if it is set, else the platform's folder for user data."""
        named = os.environ.get("SIDECAR_HOME", "")
        if named:
            return cls(Path(named).expanduser().absolute())
        return cls(platformdirs.user_data_path("sidecar", appauthor=False))

    def sessions(self) -> tuple[list[SessionCard], list[str]]:
        """Every session, the last used first, and the problems of folders that can't be read."""
        cards: list[SessionCard] = []
        problems: list[str] = []
        for path in self._folders():
            try:
                card, found = _read_card(SessionFolder(path))
            except OSError as error:
                card, found = None, [f"can't be read: {error.strerror or error}"]
            problems += [f"session {path.name}: {text}" for text in found]
            if card is not None:
                cards.append(card)
        cards.sort(key=lambda card: (-card.updated_at, card.session_id))
        return cards, problems

    def create_session(self, session_id: str) -> SessionFolder:
        """Make the folder of a new session; `InvalidInput` for a bad or taken id."""
        path = self._path(session_id)
        if self.path.exists() and not self.path.is_dir():
            raise ConfigurationError(
                f"SIDECAR_HOME is {self.path}, which is not a folder",
                key="SIDECAR_HOME",
                value=str(self.path),
            )
        for folder in (*reversed(self.path.parents), self.path, self._sessions):
            if not folder.exists():
                folder.mkdir(mode=0o700, exist_ok=True)
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            raise InvalidInput(f"there already is a session {session_id}") from None
        sync_folder(self._sessions)
        return SessionFolder(path)

    def open_session(self, session_id: str) -> SessionFolder:
        """The folder of a session; `InvalidInput` for a bad id, `NotFound` if there is none."""
        path = self._path(session_id)
        if path.is_symlink() or not path.is_dir():
            raise NotFound(f"there is no session {session_id}", session_id=session_id)
        return SessionFolder(path)

    def delete_session(self, session_id: str) -> None:
        """Remove a session for good, journal and blobs; `SessionLocked` while another owns it."""
        folder = self.open_session(session_id)
        folder.lock().release()
        # Renamed first, so that a crash half-way leaves no half session in the list.
        doomed = self._sessions / f".deleted-{uuid.uuid4().hex}"
        folder.path.rename(doomed)
        for left_over in self._sessions.glob(".deleted-*"):
            shutil.rmtree(left_over, ignore_errors=left_over != doomed)

    def _path(self, session_id: str) -> Path:
        if not _SESSION_ID.match(session_id):
            raise InvalidInput(
                f"{session_id!r} is no session id: use letters, digits, - and _, at most 64",
                session_id=session_id,
            )
        return self._sessions / session_id

    def _folders(self) -> list[Path]:
        if not self._sessions.is_dir():
            return []
        return sorted(
            path
            for path in self._sessions.iterdir()
            if _SESSION_ID.match(path.name) and path.is_dir() and not path.is_symlink()
        )


def _read_card(folder: SessionFolder) -> tuple[SessionCard | None, list[str]]:
    """One pass over the journal that decodes only its first, last and title lines."""
    card: SessionCard | None = None
    last = b""
    with folder.journal_path.open("rb") as file:
        for line in file:
            if card is None:
                card = _card_of(folder, _entries(line))
            # Quotes inside strings are escaped, so these bytes stand in front of a title only
            # (or of an argument of that name, which decoding tells apart).
            elif b'"type":"renamed"' in line:
                for entry in _entries(line):
                    if isinstance(entry.event, Renamed):
                        card = replace(card, title=entry.event.title)
            last = line if line.endswith(b"\n") and line.strip(b"\0 \r\n") else last
    if card is None:
        return None, ["the journal does not say what session it is"]
    times = [entry.at for entry in _entries(last)]
    return replace(card, updated_at=max([card.updated_at, *times])), []


def _entries(line: bytes) -> list[Entry]:
    return decode_line(line)[0]


def _card_of(folder: SessionFolder, entries: list[Entry]) -> SessionCard | None:
    for entry in entries:
        event = entry.event
        if isinstance(event, SessionStarted):
            return SessionCard(
                session_id=folder.id,
                title=event.title,
                workspace=event.workspace,
                model=event.model,
                origin=event.origin,
                parent_id=event.parent_id,
                created_at=entry.at,
                updated_at=entry.at,
                size_bytes=folder.size_bytes(),
            )
    return None
