"""The journal: one append-only file of lines per session, the only truth about it.

Owns reading, appending, and what a crash leaves at the end of the file.
Deliberately knows nothing of what the events mean, nor of who may write (a `guard` is handed in).

Promises.
A batch that `append` returned from survives the death of this process; with `durable` it survives
a power loss too (fsync of the file, and of its folder when the file is new).
A batch that `append` raised for is not in the file, so trying it again writes it once.
A line that can't be read costs that line only; only byte 0x0A separates lines.
A last line that a crash tore is moved to `<journal>.torn` before anything is appended.
"""

from __future__ import annotations

import errno
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from sidecar.store.codec import decode_line, encode_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sidecar.core.events import Entry

    Guard = Callable[[], AbstractContextManager[None]]


class NotSaved(OSError):
    """A batch that could not be written; the journal is as it was before, so try again later."""


class JournalReader:
    """The entries of a journal, streamed; iterate, then look at `problems`.

    Reading changes nothing: a torn last line is reported and left where it is.
    `torn_at` is the byte offset of that line, or None.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []
        self.torn_at: int | None = None
        self.ends_in_newline = True

    def __iter__(self) -> Iterator[Entry]:
        """The readable entries in order; raises `OSError` where the file can't be opened."""
        read_bytes = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                start, read_bytes = read_bytes, read_bytes + len(line)
                self.ends_in_newline = line.endswith(b"\n")
                entries, problems = decode_line(line)
                if not self.ends_in_newline and not entries:
                    self.torn_at = start
                    self.problems.append(f"line {number}: torn after {len(line)} bytes, cut off")
                    return
                if problems:
                    self.problems += [f"line {number}: {text}" for text in problems]
                yield from entries


class Journal:
    """One journal opened for appending; its only writer.

    `guard` is entered around every change of the file and raises where this process may no longer
    write (see `sidecar.store.locks.SessionLock.held`).
    """

    def __init__(self, path: Path, guard: Guard = nullcontext) -> None:
        """Use `Journal.open`, which reads first; this alone expects a well-formed file."""
        self.path = path
        self._guard = guard
        is_new = not path.exists()
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._descriptor = os.open(path, flags, 0o600)
        self._end = os.fstat(self._descriptor).st_size
        self._is_damaged = False
        if is_new:
            sync_folder(path.parent)

    @classmethod
    def open(cls, path: Path, guard: Guard = nullcontext) -> tuple[Journal, list[Entry], list[str]]:
        """Open or create; what it holds, and the problems found, each with its line number.

        Raises `OSError` where the file can't be read or written.
        """
        entries: list[Entry] = []
        reader = JournalReader(path)
        journal = cls(path, guard)
        try:
            entries.extend(reader)
            with guard():
                journal._mend(reader)
        except BaseException:
            journal.close()
            raise
        return journal, entries, reader.problems

    def append(self, entries: Sequence[Entry], *, durable: bool) -> None:
        """Write one batch with one write; `durable` also waits until it is on the disk.

        Raises `NotSaved` and leaves the file as it was; whatever `guard` raises, before writing;
        `InvalidInput` for an entry that JSON can't say, before writing.
        """
        batch = b"".join(encode_line(entry) for entry in entries)
        with self._guard():
            try:
                self._take_back_half_batch()
                if batch:
                    self._is_damaged = True
                    _write_all(self._descriptor, batch)
                if durable:
                    sync(self._descriptor)
                self._end += len(batch)
                self._is_damaged = False
            except OSError as error:
                self._report(error)

    def close(self) -> None:
        """Give the file back; safe to call twice."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _report(self, error: OSError) -> None:
        try:
            self._take_back_half_batch()
        except OSError:
            # The next append, or the next open, tries again to cut what was half written.
            self._is_damaged = True
        code = error.errno or errno.EIO
        raise NotSaved(code, f"not saved: {os.strerror(code)}", str(self.path)) from error

    def _take_back_half_batch(self) -> None:
        if self._is_damaged:
            os.ftruncate(self._descriptor, self._end)
            self._is_damaged = False

    def _mend(self, reader: JournalReader) -> None:
        """Leave a file that ends in a newline: cut a torn line, complete one that only lacks it."""
        if reader.torn_at is not None:
            torn = os.open(f"{self.path}.torn", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                _write_all(torn, _tail(self.path, reader.torn_at) + b"\n")
                sync(torn)
            finally:
                os.close(torn)
            os.ftruncate(self._descriptor, reader.torn_at)
        elif not reader.ends_in_newline:
            _write_all(self._descriptor, b"\n")
        self._end = os.fstat(self._descriptor).st_size


def _tail(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read()


def _write_all(descriptor: int, data: bytes) -> None:
    """One write; the kernel may take less only where something is wrong, and then says so next."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync(descriptor: int) -> None:
    """Wait until the file is on the disk itself, on macOS too, where fsync alone doesn't."""
    try:
        import fcntl  # noqa: PLC0415 - there is none on Windows

        full_sync = getattr(fcntl, "F_FULLFSYNC", None)
        if full_sync is not None:
            fcntl.fcntl(descriptor, full_sync)
            return
    except ImportError:
        pass
    os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Make a name in a folder durable; does nothing where folders can't be opened (Windows)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
