"""Bytes by their sha256: the file contents that checkpoints name.

Owns the folder of blobs.
Deliberately knows nothing of paths, sessions or checkpoints.

Invariant: what `get` returns has the digest it was asked for; a blob is written whole (to a
temporary name, then renamed) or not at all, so a crash leaves no half blob under its name.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from sidecar.errors import NotFound
from sidecar.store.journal import sync, sync_folder

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


class BlobDamaged(NotFound):
    """The bytes on disk are not those that were put; `data` has `digest`."""


class Blobs:
    """A folder of blobs, made on the first `put`; folders 0700, files 0600."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes, *, durable: bool = True) -> str:
        """Keep these bytes; returns their sha256 in hex.

        `durable` waits until they are on the disk.
        Raises `OSError` where they can't be written.
        """
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        if _reads_as(path, data):
            return digest
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                if durable:
                    sync(file.fileno())
            Path(temporary).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(temporary).unlink()
            raise
        if durable:
            sync_folder(path.parent)
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of this digest; `NotFound`, or `BlobDamaged` where they changed on disk."""
        try:
            data = self._path(digest).read_bytes()
        except FileNotFoundError:
            raise NotFound(f"there is no blob {digest}", digest=digest) from None
        if hashlib.sha256(data).hexdigest() != digest:
            raise BlobDamaged(f"blob {digest} changed on disk, so it can't be used", digest=digest)
        return data

    def has(self, digest: str) -> bool:
        """Whether a blob of this digest is kept (its bytes are verified by `get`)."""
        return bool(_DIGEST.match(digest)) and self._path(digest).is_file()

    def _path(self, digest: str) -> Path:
        if not _DIGEST.match(digest):
            raise NotFound(f"{digest!r} is no sha256 digest in hex", digest=digest)
        return self.folder / digest[:2] / digest[2:]


def _reads_as(path: Path, data: bytes) -> bool:
    try:
        return path.stat().st_size == len(data) and path.read_bytes() == data
    except OSError:
        return False
