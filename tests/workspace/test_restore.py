from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sidecar.core.events import FileState
from sidecar.errors import FileConflict, InvalidInput

if TYPE_CHECKING:
    from place import Place

    from sidecar.workspace import FileRestore


def summary(restores: list[FileRestore]) -> list[tuple[str, str, int, int, bool, str | None]]:
    return [
        (one.path, one.action, one.added_lines, one.removed_lines, one.binary, one.conflict)
        for one in restores
    ]


async def test_a_plan_says_what_each_file_will_see_and_changes_nothing(place: Place) -> None:
    place.put("edited.txt", b"1\n2\n3\n")
    place.put("binary.bin", b"\0\1")
    place.put("gone.txt", b"a\nb\n")
    place.put("mode.sh", b"x\n", 0o755)
    place.put("same.txt", b"same\n")
    paths = ["edited.txt", "binary.bin", "gone.txt", "mode.sh", "same.txt", "made.txt"]

    async def work() -> None:
        await place.workspace.write_bytes("edited.txt", b"1\nzwei\n3\n4\n")
        await place.workspace.write_bytes("binary.bin", b"\0\2\3")
        await place.workspace.write_bytes("made.txt", b"m\n")
        (place.root / "gone.txt").unlink()
        (place.root / "mode.sh").chmod(0o644)

    before, left = await place.agent(paths, work)
    picture = place.picture()
    assert summary(place.workspace.plan_restore(before, left)) == [
        ("binary.bin", "restore", 0, 0, True, None),
        ("edited.txt", "restore", 1, 2, False, None),
        ("gone.txt", "recreate", 2, 0, False, None),
        ("made.txt", "delete", 0, 1, False, None),
        ("mode.sh", "mode", 0, 0, False, None),
        ("same.txt", "none", 0, 0, False, None),
    ]
    assert place.picture() == picture


async def test_b75_b76_only_what_the_agent_touched_is_touched(place: Place) -> None:
    place.put("a.py", b"v1\n")
    place.put("out/data.bin", b"\0external")
    place.put(".gitignore", b"secret/\n")
    place.put("secret/key", b"k")
    times = {
        path: os.lstat(place.root / path).st_mtime_ns
        for path in (".gitignore", "secret/key", "out/data.bin", "out", "secret")
    }
    before, left = await place.agent_writes({"a.py": b"v2\n"})
    outcome = await place.restore(place.workspace.plan_restore(before, left))
    assert (outcome.restored, outcome.kept) == (("a.py",), ())
    assert (place.root / "a.py").read_bytes() == b"v1\n"
    assert times == {path: os.lstat(place.root / path).st_mtime_ns for path in times}
    assert not place.intent_path.exists()


async def test_b77_a_path_that_became_a_folder_stops_everything_before_it_starts(
    place: Place,
) -> None:
    place.put("a", b"v1\n")
    before, left = await place.agent_writes({"a": b"v2\n", "b": b"new\n"})
    (place.root / "a").unlink()
    place.put("a/inside", b"mine")
    picture = place.picture()
    restores = place.workspace.plan_restore(before, left)
    for choice in ("none", "take"):
        with pytest.raises(FileConflict) as caught:
            await place.restore(restores, {} if choice == "none" else {"a": "take"})
        assert caught.value.data == {
            "conflicts": [
                {
                    "path": "a",
                    "conflict": "type_changed",
                    "detail": "a file is wanted where a directory stands; move that away first",
                    "takeable": False,
                }
            ]
        }
        assert place.picture() == picture
    outcome = await place.restore(restores, {"a": "keep"})
    assert (outcome.restored, outcome.kept) == (("b",), ("a",))
    assert sorted(place.picture()) == ["a", "a/inside"]


async def test_b87_redo_is_the_same_call_with_the_states_that_were_replaced(place: Place) -> None:
    place.put("a.py", b"v1\r\n", 0o755)
    before, left = await place.agent_writes({"a.py": b"v2\n", "new/deep/b.py": b"b"})
    changed = place.picture()
    undone = await place.restore(place.workspace.plan_restore(before, left))
    assert place.picture() == {"a.py": ("file", b"v1\r\n", 0o755)}
    expected = {state.path: state for state in undone.files}
    redone = await place.restore(place.workspace.plan_restore(undone.present, expected))
    assert place.picture() == changed
    assert set(redone.files) == set(undone.present)
    assert set(redone.present) == set(undone.files)


async def test_b88_an_undo_that_a_conflict_stopped_leaves_nothing_to_redo(place: Place) -> None:
    for name in ("a", "b", "c"):
        place.put(name, b"v1")
    before, left = await place.agent_writes({"a": b"v2", "b": b"v2", "c": b"v2"})
    (place.root / "b").unlink()
    (place.root / "b").mkdir()
    with pytest.raises(FileConflict):
        await place.restore(place.workspace.plan_restore(before, left))
    assert [(place.root / name).read_bytes() for name in ("a", "c")] == [b"v2", b"v2"]
    assert not place.intent_path.exists()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x00\xff\xfe\x80\r\n", id="b90-binary"),
        pytest.param("中文\n".encode("gb18030"), id="b91-gb18030"),
        pytest.param(b"\xef\xbb\xbfa\r\nb\rc\n", id="bom, CRLF, lone CR, LF"),
        pytest.param("a\nb".encode("utf-16"), id="UTF-16"),
        pytest.param(b"", id="empty"),
        pytest.param(b"no line end", id="no line end"),
    ],
)
async def test_b90_b91_bytes_come_back_as_they_were(place: Place, data: bytes) -> None:
    place.put("f", data, 0o640)
    before, left = await place.agent_writes({"f": b"overwritten"})
    await place.restore(place.workspace.plan_restore(before, left))
    assert place.picture() == {"f": ("file", data, 0o640)}


async def test_b97_a_link_written_through_is_still_a_link_afterwards(place: Place) -> None:
    place.put("target.txt", b"old")
    (place.root / "link").symlink_to("target.txt")
    picture = place.picture()
    target = place.workspace.relative(place.workspace.resolve("link"))

    async def work() -> None:
        await place.workspace.write_bytes("link", b"new")

    before, left = await place.agent([target], work)
    await place.restore(place.workspace.plan_restore(before, left))
    assert place.picture() == picture


async def test_b98_a_link_planted_later_is_a_conflict_and_is_never_followed(place: Place) -> None:
    outside = place.folder / "outside.txt"
    outside.write_bytes(b"outside")
    place.put("a.txt", b"v1")
    before, left = await place.agent_writes({"a.txt": b"v2"})
    (place.root / "a.txt").unlink()
    (place.root / "a.txt").symlink_to("../outside.txt")
    restores = place.workspace.plan_restore(before, left)
    assert [(one.conflict, one.takeable) for one in restores] == [("type_changed", True)]
    await place.restore(restores, {"a.txt": "take"})
    assert place.picture() == {"a.txt": ("file", b"v1", 0o644)}
    assert outside.read_bytes() == b"outside"


async def test_b98_a_folder_that_leads_out_now_is_never_written_into(place: Place) -> None:
    outside = place.folder / "elsewhere"
    outside.mkdir()
    place.put("sub/a.txt", b"v1")
    before, left = await place.agent_writes({"sub/a.txt": b"v2"})
    (place.root / "sub").rename(place.root / "moved")
    (place.root / "sub").symlink_to(outside)
    restores = place.workspace.plan_restore(before, left)
    assert [(one.conflict, one.takeable) for one in restores] == [("outside_workspace", False)]
    with pytest.raises(FileConflict):
        await place.restore(restores, {"sub/a.txt": "take"})
    assert list(outside.iterdir()) == []


async def test_b102_a_nested_repository_keeps_its_git_file(place: Place) -> None:
    place.put("sub/.git", b"gitdir: ../.git/modules/sub\n")
    place.put("sub/f.py", b"v1\n")
    picture = place.picture()
    before, left = await place.agent_writes({"sub/f.py": b"v2\n"})
    await place.restore(place.workspace.plan_restore(before, left))
    assert place.picture() == picture


async def test_b112_b113_a_file_that_somebody_edited_since_is_a_conflict(place: Place) -> None:
    place.put("a.py", b"v1\n")
    before, left = await place.agent_writes({"a.py": b"v2\n"})
    place.put("a.py", b"v3\n")
    restores = place.workspace.plan_restore(before, left)
    assert summary(restores) == [("a.py", "restore", 1, 1, False, "edited_since")]
    with pytest.raises(FileConflict):
        await place.restore(restores)
    assert (place.root / "a.py").read_bytes() == b"v3\n"
    assert (await place.restore(restores, {"a.py": "keep"})).restored == ()
    assert (place.root / "a.py").read_bytes() == b"v3\n"
    outcome = await place.restore(restores, {"a.py": "take"})
    assert (place.root / "a.py").read_bytes() == b"v1\n"
    assert [place.workspace.kept(state) for state in outcome.present] == [b"v3\n"]


async def test_a_file_edited_between_preview_and_apply_is_a_conflict_even_when_taken(
    place: Place,
) -> None:
    place.put("a.py", b"v1\n")
    before, left = await place.agent_writes({"a.py": b"v2\n", "b.py": b"new\n"})
    restores = place.workspace.plan_restore(before, left)
    place.put("a.py", b"v3\n")
    picture = place.picture()
    with pytest.raises(FileConflict) as caught:
        await place.restore(restores, {"a.py": "take"})
    assert caught.value.message == (
        "nothing was changed; decide on each conflict first "
        "(a.py: it was changed since the preview)"
    )
    assert place.picture() == picture


async def test_a_file_deleted_or_chmodded_by_hand_is_a_conflict_that_says_so(place: Place) -> None:
    place.put("a", b"v1")
    place.put("b", b"v1")
    before, left = await place.agent_writes({"a": b"v2", "b": b"v2"})
    (place.root / "a").unlink()
    (place.root / "b").chmod(0o600)
    assert [
        (one.action, one.conflict, one.conflict_detail)
        for one in place.workspace.plan_restore(before, left)
    ] == [
        ("recreate", "edited_since", "it was deleted since"),
        ("restore", "edited_since", "its mode is 600 now, the agent left 644"),
    ]


async def test_a_file_that_is_as_wanted_already_is_no_conflict(place: Place) -> None:
    place.put("a", b"v1")
    before, left = await place.agent_writes({"a": b"v2"})
    place.put("a", b"v1")
    assert summary(place.workspace.plan_restore(before, left)) == [("a", "none", 0, 0, False, None)]


async def test_a_missing_or_damaged_blob_is_found_at_the_preview(place: Place) -> None:
    place.put("a", b"v1")
    place.put("b", b"V1")
    before, left = await place.agent_writes({"a": b"v2", "b": b"v2"})
    blobs = {path.read_bytes(): path for path in place.blobs.folder.rglob("*") if path.is_file()}
    blobs[b"v1"].unlink()
    blobs[b"V1"].write_bytes(b"?!")
    restores = place.workspace.plan_restore(before, left)
    assert [(one.conflict, one.takeable) for one in restores] == [("blob_missing", False)] * 2
    with pytest.raises(FileConflict):
        await place.restore(restores, {"a": "take", "b": "keep"})
    assert [(place.root / name).read_bytes() for name in ("a", "b")] == [b"v2", b"v2"]


async def test_a_file_in_a_read_only_folder_is_a_conflict(place: Place) -> None:
    place.put("sub/a", b"v1")
    before, left = await place.agent_writes({"sub/a": b"v2"})
    (place.root / "sub").chmod(0o555)
    restores = place.workspace.plan_restore(before, left)
    assert [(one.conflict, one.conflict_detail) for one in restores] == [
        ("read_only", f"the folder {place.root / 'sub'} is read-only")
    ]


async def test_a_folder_that_the_agent_made_stays_if_somebody_uses_it(place: Place) -> None:
    before, left = await place.agent_writes({"new/a.py": b"a"})
    place.put("new/mine.txt", b"mine")
    outcome = await place.restore(place.workspace.plan_restore(before, left))
    assert outcome.restored == ("new/a.py",)
    assert sorted(place.picture()) == ["new", "new/mine.txt"]


async def test_a_folder_that_was_empty_before_stays(place: Place) -> None:
    (place.root / "there").mkdir()
    before, left = await place.agent_writes({"there/a.py": b"a"})
    await place.restore(place.workspace.plan_restore(before, left))
    assert sorted(place.picture()) == ["there"]


async def test_a_link_comes_back_as_a_link(place: Place) -> None:
    (place.root / "link").symlink_to("nowhere/at all")

    async def work() -> None:
        (place.root / "link").unlink()
        place.put("link", b"a file now")

    picture = place.picture()
    before, left = await place.agent(["link"], work)
    await place.restore(place.workspace.plan_restore(before, left))
    assert place.picture() == picture


async def test_a_choice_that_is_none_is_refused(place: Place) -> None:
    place.put("a", b"v1")
    before, left = await place.agent_writes({"a": b"v2"})
    restores = place.workspace.plan_restore(before, left)
    with pytest.raises(InvalidInput, match="the plan has no file b; choose among its files"):
        await place.restore(restores, {"b": "keep"})
    with pytest.raises(InvalidInput, match="'merge' for a is no choice; say keep or take"):
        await place.restore(restores, {"a": "merge"})


async def test_a_payload_waits_until_its_owner_has_recorded_the_outcome(place: Place) -> None:
    place.put("a", b"v1")
    before, left = await place.agent_writes({"a": b"v2"})
    restores = place.workspace.plan_restore(before, left)
    payload = {"rewind": "r1"}
    await place.workspace.restore(restores, {}, place.intent_path, payload)
    assert place.workspace.recover(place.intent_path) == []
    assert place.workspace.unsettled(place.intent_path) == payload
    place.workspace.settle(place.intent_path)
    assert place.workspace.unsettled(place.intent_path) is None


def test_a_record_that_is_none_of_ours_is_reported_and_left(place: Place) -> None:
    place.intent_path.write_bytes(b'{"version": 1}')
    (note,) = place.workspace.recover(place.intent_path)
    assert note.startswith(f"{place.intent_path} is no record of a restore")
    assert place.intent_path.exists()


def test_states_of_a_device_are_never_remade(place: Place) -> None:
    wanted = FileState("pipe", "other")
    (entry,) = place.workspace.plan_restore([wanted], {})
    assert (entry.conflict, entry.takeable) == ("type_changed", False)
