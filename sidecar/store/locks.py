"""Who may write a session: one process at a time, proven at every write.

Owns the files `lock` (held by the owner as long as it lives, with its pid inside) and `lock.mutex`
(held for moments, around every change of owner and every write).
Deliberately knows nothing of journals or of what is written under the lock.

Invariant: inside `held()` no other process is inside `held()` of the same folder.
A dead owner's lock falls by itself, because the operating system lets go of it; its pid file is
never trusted.
A living owner loses the session only to `takeover=True`: the newcomer puts a lock file of its own
in place, and the old owner's next `held()` finds that out and raises, before it writes anything.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar.errors import SessionLocked

if TYPE_CHECKING:
    from collections.abc import Iterator

if sys.platform == "win32":
    import msvcrt

    # Windows locks ranges and denies reading them, so the locked byte is far behind the pid.
    _FAR = 1 << 30

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _wait_for_lock(descriptor: int) -> None:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _wait_for_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)


class SessionLock:
    """The right to write one session folder; made by `acquire`."""

    def __init__(self, folder: Path, descriptor: int) -> None:
        self.folder = folder
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, folder: Path, *, takeover: bool = False) -> SessionLock:
        """Become the owner, or raise `SessionLocked` with the pid of the living one.

        `takeover` takes it from a living owner, on purpose.
        Raises `OSError` where the folder can't be written.
        """
        with _mutex(folder):
            pid = _living_owner(folder)
            if pid is not None and not takeover:
                raise _locked(folder, pid)
            descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=".lock-")
            try:
                os.write(descriptor, f"{os.getpid()}\n".encode())
                _wait_for_lock(descriptor)
                Path(temporary).replace(folder / "lock")
            except BaseException:
                os.close(descriptor)
                with suppress(OSError):
                    Path(temporary).unlink()
                raise
        return cls(folder, descriptor)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Inside, this process is the owner for certain; raises `SessionLocked` if it no longer is.

        Keep what happens inside short: others wait for it.
        """
        with _mutex(self.folder):
            if not self._is_mine():
                raise _locked(self.folder, _living_owner(self.folder) or 0)
            yield

    def release(self) -> None:
        """Let go; safe to call twice, and after another process took over."""
        if self._descriptor < 0:
            return
        with suppress(OSError), _mutex(self.folder):
            if self._is_mine():
                (self.folder / "lock").unlink()
        os.close(self._descriptor)
        self._descriptor = -1

    def _is_mine(self) -> bool:
        if self._descriptor < 0:
            return False
        try:
            present = (self.folder / "lock").stat()
        except FileNotFoundError:
            return False
        return os.path.samestat(present, os.fstat(self._descriptor))


def holder(folder: Path) -> int | None:
    """The pid of the living owner of this folder, or None; a folder that is gone has none."""
    try:
        with _mutex(folder):
            return _living_owner(folder)
    except OSError:
        # A folder that we may not write can still be looked at, if not without a race.
        return _living_owner(folder)


def _living_owner(folder: Path) -> int | None:
    """Only inside the mutex: looking means trying to take the lock for a moment."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        if _try_lock(descriptor):
            return None
        text = os.pread(descriptor, 32, 0) if hasattr(os, "pread") else os.read(descriptor, 32)
        return int(text) if text.strip().isdigit() else 0
    finally:
        os.close(descriptor)


@contextmanager
def _mutex(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder / "lock.mutex", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _locked(folder: Path, pid: int) -> SessionLocked:
    owner = f"process {pid}" if pid else "another process"
    return SessionLocked(
        f"session {folder.name} is open in {owner}: watch it read-only, or take it over", pid=pid
    )
