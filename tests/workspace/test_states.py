from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from sidecar.core.events import FileState
from sidecar.workspace import states

if TYPE_CHECKING:
    import pytest
    from place import Place


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_a_capture_names_what_stands_at_each_path(place: Place) -> None:
    place.put("run.sh", b"#!/bin/sh\r\n", 0o750)
    place.put("empty", b"")
    (place.root / "link").symlink_to("run.sh")
    (place.root / "folder").mkdir(mode=0o755)
    os.mkfifo(place.root / "pipe")
    found = place.workspace.capture(["run.sh", "empty", "link", "folder", "pipe", "gone"])
    assert found == (
        FileState("empty", "file", sha(b""), 0o644, 0),
        FileState("folder", "directory", "", 0o755, 0),
        FileState("gone", "absent"),
        FileState("link", "symlink", sha(b"run.sh"), 0o777, 6),
        FileState("pipe", "other", "", (place.root / "pipe").stat().st_mode & 0o7777, 0),
        FileState("run.sh", "file", sha(b"#!/bin/sh\r\n"), 0o750, 11),
    )
    assert place.workspace.kept(found[0]) == b""
    assert place.workspace.kept(found[3]) == b"run.sh"
    assert place.workspace.not_covered(found) == ("pipe (a device, pipe or socket)",)


def test_a_capture_of_a_new_file_knows_the_folders_that_it_needs(place: Place) -> None:
    (place.root / "there").mkdir()
    assert place.workspace.capture(["there/new/deep/f.txt"]) == (
        FileState("there/new", "absent"),
        FileState("there/new/deep", "absent"),
        FileState("there/new/deep/f.txt", "absent"),
    )


def test_unsaved_text_is_what_a_capture_keeps(place: Place) -> None:
    uri = place.editor.open(place.put("a.py", b"disk\n", 0o755), "disk\n")
    place.editor.type(uri, "mine\n")
    (state,) = place.workspace.capture(["a.py"])
    assert state == FileState("a.py", "file", sha(b"mine\n"), 0o755, 5)
    assert place.workspace.kept(state) == b"mine\n"


def test_a_file_over_the_limit_is_named_as_not_covered(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "LARGE_FILE_BYTES", 10)
    place.put("big.bin", b"x" * 11)
    captured = place.workspace.capture(["big.bin"])
    assert captured == (FileState("big.bin", "file", sha(b"x" * 11), 0o644, 11),)
    assert place.workspace.not_covered(captured) == ("big.bin (11 bytes, over 64 MiB)",)


async def test_writing_keeps_mode_bits_and_makes_folders(place: Place) -> None:
    place.put("run.sh", b"old", 0o755)
    await place.workspace.write_bytes("run.sh", b"new")
    await place.workspace.write_bytes("a/b/c.txt", b"c")
    found = place.picture()
    assert found["run.sh"] == ("file", b"new", 0o755)
    assert found["a/b/c.txt"][:2] == ("file", b"c")
    assert sorted(found) == ["a", "a/b", "a/b/c.txt", "run.sh"]


async def test_b97_writing_through_a_link_changes_its_target(place: Place) -> None:
    place.put("target.txt", b"old")
    (place.root / "link").symlink_to("target.txt")
    await place.workspace.write_bytes("link", b"new")
    assert place.picture() == {
        "target.txt": ("file", b"new", 0o644),
        "link": ("symlink", b"target.txt", 0),
    }
