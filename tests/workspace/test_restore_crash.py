"""A restore that is cut at every one of its file operations: afterwards all of it, or nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from failing_disk import CountingDisk, DeadlyDisk, FullDisk
from place import Picture, Place, picture

from sidecar.errors import FileConflict, SidecarError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sidecar.core.events import FileState
    from sidecar.workspace.disk import Disk

PATHS = (
    "edited.txt", "binary.bin", "gone/deep/lost.txt", "made/new/file.txt", "made/other.txt",
    "link", "mode.sh", "was-link", "untouched.txt",
)  # fmt: skip


@dataclass(frozen=True)
class Scene:
    """A folder after the agent's work, and what a rewind of it has to bring about."""

    folder: Path
    before: tuple[FileState, ...]
    left: dict[str, FileState]
    wanted: Picture
    present: Picture

    def copy(self, folder: Path) -> Path:
        shutil.copytree(self.folder, folder, symlinks=True)
        return folder

    def restore(self, folder: Path, disk: Disk) -> None:
        place = Place(folder, disk)
        restores = place.workspace.plan_restore(self.before, self.left)
        assert [one.path for one in restores if one.conflict] == []
        asyncio.run(place.restore(restores))

    def recover(self, folder: Path, disk: Disk) -> list[str]:
        place = Place(folder, disk)
        return place.workspace.recover(place.intent_path)

    def is_whole(self, folder: Path) -> str:
        """`wanted` or `present`; anything else, or anything left over, fails."""
        found = picture(folder / "root")
        assert found in (self.wanted, self.present)
        assert {path.name for path in folder.iterdir()} == {"root", "blobs"}
        return "wanted" if found == self.wanted else "present"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("scene")
    place = Place(folder)
    place.put("edited.txt", b"\xef\xbb\xbf1\r\n2\r3\n" * 50)
    place.put("binary.bin", bytes(range(256)), 0o755)
    place.put("gone/deep/lost.txt", b"lost")
    place.put("mode.sh", b"#!/bin/sh\n", 0o755)
    place.put("untouched.txt", b"mine")
    (place.root / "link").symlink_to("edited.txt")
    (place.root / "was-link").symlink_to("nowhere")
    before = place.workspace.capture(PATHS)
    wanted = place.picture()
    place.put("edited.txt", b"changed")
    place.put("binary.bin", b"\0", 0o600)
    shutil.rmtree(place.root / "gone")
    place.put("made/new/file.txt", b"new")
    place.put("made/other.txt", b"other")
    (place.root / "mode.sh").chmod(0o644)
    for name in ("link", "was-link"):
        (place.root / name).unlink()
    (place.root / "link").symlink_to("binary.bin")
    place.put("was-link", b"a file")
    left = {state.path: state for state in place.workspace.capture([s.path for s in before])}
    return Scene(folder, before, left, wanted, place.picture())


def in_a_child(work: Callable[[], object]) -> int:
    """Run in a forked process; its exit status (0 where it came to its end)."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001  # Whatever it was, the parent hears of it.
            os._exit(9)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture(scope="module")
def operations(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> int:
    """How many file operations a restore of the scene has."""
    folder = scene.copy(tmp_path_factory.mktemp("count") / "copy")
    disk = CountingDisk()
    scene.restore(folder, disk)
    assert scene.is_whole(folder) == "wanted"
    assert disk.count > 20
    return disk.count


def test_one_failing_operation_undoes_everything_at_once(
    scene: Scene, operations: int, tmp_path: Path
) -> None:
    for number in range(operations):
        folder = scene.copy(tmp_path / str(number))
        try:
            scene.restore(folder, FullDisk(number, from_there_on=False))
        except (FileConflict, OSError):
            assert scene.is_whole(folder) == "present", number
        else:
            # Taking a folder away that will not go is no reason to undo a rewind.
            found = picture(folder / "root")
            assert {key: found[key] for key in scene.wanted} == scene.wanted
            assert {found[key][0] for key in found.keys() - scene.wanted.keys()} == {"directory"}


def test_a_disk_that_stays_full_is_finished_or_undone_at_the_next_start(
    scene: Scene, operations: int, tmp_path: Path
) -> None:
    ends = []
    for number in range(operations):
        folder = scene.copy(tmp_path / str(number))
        with pytest.raises((SidecarError, OSError)):
            scene.restore(folder, FullDisk(number, from_there_on=True))
        scene.recover(folder, CountingDisk())
        ends.append(scene.is_whole(folder))
        assert scene.recover(folder, CountingDisk()) == []
    assert ends[0] == "present"
    assert ends[-1] == "wanted"


def test_a_process_killed_at_any_operation_leaves_all_or_nothing(
    scene: Scene, operations: int, tmp_path: Path
) -> None:
    ends = []
    for number in range(operations):
        folder = scene.copy(tmp_path / str(number))
        status = in_a_child(lambda at=number, to=folder: scene.restore(to, DeadlyDisk(at)))
        assert status == -9
        scene.recover(folder, CountingDisk())
        ends.append(scene.is_whole(folder))
        assert scene.recover(folder, CountingDisk()) == []
    # Once it is certain that it will be finished, it is finished.
    assert ends == sorted(ends)
    assert set(ends) == {"present", "wanted"}


def test_a_recovery_that_is_killed_is_taken_up_by_the_next_one(
    scene: Scene, operations: int, tmp_path: Path
) -> None:
    for number in range(0, operations, 2):
        crashed = scene.copy(tmp_path / f"{number}")
        in_a_child(lambda at=number, to=crashed: scene.restore(to, DeadlyDisk(at)))
        status, again = -9, 0
        while status == -9:
            folder = tmp_path / f"{number}-{again}"
            shutil.copytree(crashed, folder, symlinks=True)
            status = in_a_child(lambda at=again, to=folder: scene.recover(to, DeadlyDisk(at)))
            scene.recover(folder, CountingDisk())
            scene.is_whole(folder)
            again += 2
        assert status == 0


def test_a_file_edited_between_crash_and_start_is_left_and_named(
    scene: Scene, operations: int, tmp_path: Path
) -> None:
    del operations
    folder = scene.copy(tmp_path / "copy")
    at = _first_rename_in_the_workspace(scene, tmp_path)
    in_a_child(lambda: scene.restore(folder, DeadlyDisk(at + 1)))
    (folder / "root" / "edited.txt").write_bytes(b"mine, since the crash")
    notes = scene.recover(folder, CountingDisk())
    assert notes == [
        "edited.txt was changed meanwhile and was left as it is.",
        "A rewind was interrupted; its files are all in place now.",
    ]
    found = picture(folder / "root")
    assert found.pop("edited.txt") == ("file", b"mine, since the crash", 0o644)
    assert found == {key: value for key, value in scene.wanted.items() if key != "edited.txt"}


def _first_rename_in_the_workspace(scene: Scene, tmp_path: Path) -> int:
    renames: list[int] = []

    class Watching(CountingDisk):
        def at(self, operation: str, arguments: tuple[object, ...]) -> None:
            if operation == "rename" and "/root/" in str(arguments[1]):
                renames.append(self.count - 1)

    scene.restore(scene.copy(tmp_path / "watched"), Watching())
    return renames[0]


def test_an_edit_in_the_middle_of_a_restore_wins_and_the_rest_is_undone(
    scene: Scene, tmp_path: Path
) -> None:
    folder = scene.copy(tmp_path / "copy")

    class Meanwhile(CountingDisk):
        def at(self, operation: str, arguments: tuple[object, ...]) -> None:
            if operation == "rename" and str(arguments[1]).endswith("/root/edited.txt"):
                (folder / "root" / "was-link").write_bytes(b"mine, just now")

    with pytest.raises(FileConflict) as caught:
        scene.restore(folder, Meanwhile())
    assert caught.value.data == {
        "conflicts": [
            {
                "path": "was-link",
                "conflict": "edited_since",
                "detail": "it was changed since the preview",
            }
        ]
    }
    found = picture(folder / "root")
    assert found == {**scene.present, "was-link": ("file", b"mine, just now", 0o644)}
    assert {path.name for path in folder.iterdir()} == {"root", "blobs"}
