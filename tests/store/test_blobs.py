"""Blobs: bytes by their digest, whole or not at all."""

from __future__ import annotations

import hashlib
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sidecar.errors import NotFound
from sidecar.store.blobs import BlobDamaged, Blobs

if TYPE_CHECKING:
    from pathlib import Path


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_come_back_by_their_sha256(tmp_path: Path, data: bytes) -> None:
    blobs = Blobs(tmp_path / "blobs")
    digest = blobs.put(data, durable=False)
    assert digest == hashlib.sha256(data).hexdigest()
    assert blobs.has(digest)
    assert blobs.get(digest) == data


def test_the_same_bytes_are_kept_once_and_privately(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    digest = blobs.put(b"a\r\nb\0")
    assert blobs.put(b"a\r\nb\0") == digest
    files = [path for path in blobs.folder.rglob("*") if path.is_file()]
    assert files == [blobs.folder / digest[:2] / digest[2:]]
    assert stat.S_IMODE(files[0].stat().st_mode) == 0o600
    assert {stat.S_IMODE(path.stat().st_mode) for path in (blobs.folder, files[0].parent)} == {
        0o700
    }


def test_a_damaged_blob_is_never_handed_out_and_is_mended_by_the_next_put(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    digest = blobs.put(b"right")
    (blobs.folder / digest[:2] / digest[2:]).write_bytes(b"wrong")
    with pytest.raises(BlobDamaged, match="changed on disk") as caught:
        blobs.get(digest)
    assert caught.value.data == {"digest": digest}
    assert blobs.put(b"right") == digest
    assert blobs.get(digest) == b"right"


@pytest.mark.parametrize("digest", ["", "ab", "../../etc/passwd", "A" * 64, "0" * 64])
def test_what_is_not_there_or_no_digest_is_not_found(tmp_path: Path, digest: str) -> None:
    blobs = Blobs(tmp_path / "blobs")
    assert not blobs.has(digest)
    with pytest.raises(NotFound):
        blobs.get(digest)


def test_a_put_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    digest = hashlib.sha256(b"x").hexdigest()
    (blobs.folder / digest[:2] / digest[2:]).mkdir(parents=True)
    with pytest.raises(OSError, match="Is a directory"):
        blobs.put(b"x")
    assert [path.name for path in blobs.folder.rglob("*") if path.is_file()] == []
