"""The only hands that change files of a workspace: small operations, each atomic or harmless.

Owns temporary files, fsync, renames, deletions.
Deliberately knows nothing of checkpoints or plans.

Invariant: a name shows its old content or its new one, never a part; what is half written lies
under a name that starts with `TEMPORARY_PREFIX`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

TEMPORARY_PREFIX = ".sidecar-"
NEW_FILE_MODE = 0o666


class Disk:
    """File operations; a test hands in one that fails or dies at the n-th of them."""

    def write_temporary(self, path: str, data: bytes, mode: int | None, like: str = "") -> None:
        """A new file with these bytes, on the disk for good when this returns.

        `mode` None means what the umask gives; `like` names a file whose owner it should have.
        """
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags, NEW_FILE_MODE if mode is None else 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if like:
                _same_owner(descriptor, like)
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)

    def make_link(self, path: str, target: str) -> None:
        """A new symlink; the target is taken as it stands."""
        os.symlink(target, path)

    def rename(self, source: str, target: str) -> None:
        """Put `source` in the place of `target`; a link there is replaced, not followed."""
        os.replace(source, target)

    def unlink(self, path: str) -> None:
        """Remove a file or a link (not what it points at)."""
        os.unlink(path)

    def make_folder(self, path: str) -> None:
        """Make one folder."""
        os.mkdir(path)

    def remove_folder(self, path: str) -> None:
        """Remove one empty folder."""
        os.rmdir(path)

    def change_mode(self, path: str, mode: int) -> None:
        """Set the permission bits of a file."""
        os.chmod(path, mode)

    def sync_folder(self, path: str) -> None:
        """Wait until the names in a folder are on the disk (where the system can)."""
        if os.name == "nt":
            return
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def replace_file(disk: Disk, path: str, data: bytes, mode: int | None) -> None:
    """Write a file whole or not at all: temporary file, fsync, rename, fsync of the folder."""
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, temporary_name(os.urandom(6).hex()))
    try:
        disk.write_temporary(temporary, data, mode, like=path)
        disk.rename(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    disk.sync_folder(folder)


def make_folders(disk: Disk, folder: str) -> list[str]:
    """Make a folder and those above it; returns the ones that were made, outermost first."""
    missing: list[str] = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for path in reversed(missing):
        disk.make_folder(path)
    return missing[::-1]


def temporary_name(token: str) -> str:
    """A name for a file beside the one that it will replace."""
    return f"{TEMPORARY_PREFIX}{token}.tmp"


def is_temporary(name: str) -> bool:
    """Whether a file of this name is a half-written one of ours."""
    return name.startswith(TEMPORARY_PREFIX) and name.endswith(".tmp")


def _same_owner(descriptor: int, like: str) -> None:
    with suppress(OSError, AttributeError):
        wanted, present = Path(like).stat(), os.fstat(descriptor)
        if (wanted.st_uid, wanted.st_gid) != (present.st_uid, present.st_gid):
            os.fchown(descriptor, wanted.st_uid, wanted.st_gid)
