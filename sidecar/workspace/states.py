"""File states: what stands at a path, as a digest, a mode and a kind.

Owns reading a state from the disk without being fooled by a file that changes meanwhile.
Deliberately knows nothing of blobs, buffers or plans.

Invariant: the bytes that come with a state are the bytes its digest names.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sidecar.core.events import FileState

if TYPE_CHECKING:
    from collections.abc import Iterator

# Above this a file is digested in pieces and never held in memory or kept as a blob.
LARGE_FILE_BYTES = 64 * 1024 * 1024
_PIECE_BYTES = 1024 * 1024
_ATTEMPTS = 3


def read_state(place: str, path: str) -> tuple[FileState, bytes | None]:
    """The state at absolute `place`, called `path`, and its bytes (a link's target).

    Bytes are None for what has none to keep: absent, folders, devices, and files above
    `LARGE_FILE_BYTES`.
    Raises `OSError` where the file can't be read, or won't hold still for three readings.
    """
    for _ in range(_ATTEMPTS):
        try:
            info = os.lstat(place)
        except (FileNotFoundError, NotADirectoryError):
            return FileState(path, "absent"), None
        if stat.S_ISLNK(info.st_mode):
            target = os.fsencode(os.readlink(place))
            state = FileState(path, "symlink", digest(target), 0o777, len(target))
            return state, target
        if stat.S_ISDIR(info.st_mode):
            return FileState(path, "directory", mode=stat.S_IMODE(info.st_mode)), None
        if not stat.S_ISREG(info.st_mode):
            return FileState(path, "other", mode=stat.S_IMODE(info.st_mode)), None
        with suppress(FileNotFoundError):
            found = _read_file(place, path, info)
            if found is not None:
                return found
    raise OSError(f"{path} keeps changing while it is read; try again when it is quiet")


def _read_file(
    place: str, path: str, info: os.stat_result
) -> tuple[FileState, bytes | None] | None:
    sha, kept = hashlib.sha256(), []
    with open(place, "rb", opener=_no_follow) as file:
        before = os.fstat(file.fileno())
        for piece in _pieces(file.fileno()):
            sha.update(piece)
            if before.st_size <= LARGE_FILE_BYTES:
                kept.append(piece)
        after = os.fstat(file.fileno())
    if signature(before) != signature(after) or before.st_ino != info.st_ino:
        return None
    state = FileState(path, "file", sha.hexdigest(), stat.S_IMODE(after.st_mode), after.st_size)
    return state, b"".join(kept) if after.st_size <= LARGE_FILE_BYTES else None


def _no_follow(path: str, flags: int) -> int:
    # A link planted since the lstat must not be read through; a pipe must not block.
    extra = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags | extra)


def _pieces(descriptor: int) -> Iterator[bytes]:
    while piece := os.read(descriptor, _PIECE_BYTES):
        yield piece


def digest(data: bytes) -> str:
    """sha256 in hex."""
    return hashlib.sha256(data).hexdigest()


def signature(info: os.stat_result) -> tuple[int, int, int, int]:
    """What changes when a file does: time in nanoseconds, size, inode, mode."""
    return info.st_mtime_ns, info.st_size, info.st_ino, info.st_mode


def same(one: FileState, other: FileState) -> bool:
    """Whether two states are the same thing on disk: kind, bytes and, for files, mode."""
    if one.kind != other.kind:
        return False
    if one.kind == "file":
        return (one.digest, one.mode) == (other.digest, other.mode)
    return one.digest == other.digest


def with_bytes(state: FileState, data: bytes, *, new_file_mode: int) -> FileState:
    """The same path as a file that holds `data` (an open document over it)."""
    mode = state.mode if state.kind == "file" else new_file_mode
    return replace(state, kind="file", digest=digest(data), mode=mode, size_bytes=len(data))
