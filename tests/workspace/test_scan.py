from __future__ import annotations

import os
from typing import TYPE_CHECKING

from sidecar.workspace.scan import changed_since, scan

if TYPE_CHECKING:
    from place import Place


def test_what_a_shell_call_did_is_named_file_by_file(place: Place) -> None:
    place.put("edited.txt", b"one")
    place.put("gone.txt", b"g")
    place.put("mode.sh", b"m", 0o644)
    place.put("sub/moved.txt", b"m")
    place.put("untouched.txt", b"u")
    before = place.workspace.scan()
    place.put("edited.txt", b"two")
    place.put("made/new.txt", b"n")
    (place.root / "gone.txt").unlink()
    (place.root / "mode.sh").chmod(0o755)
    (place.root / "sub/moved.txt").rename(place.root / "sub/to.txt")
    (place.root / "link").symlink_to("untouched.txt")
    assert place.workspace.changed_since(before) == [
        "edited.txt (changed)",
        "gone.txt (deleted)",
        "link (created)",
        "made/new.txt (created)",
        "mode.sh (changed)",
        "sub/moved.txt (deleted)",
        "sub/to.txt (created)",
    ]


def test_a_file_rewritten_with_its_old_size_and_time_is_seen_by_its_inode(place: Place) -> None:
    path = place.put("a.txt", b"one")
    info = path.stat()
    before = place.workspace.scan()
    path.rename(place.root / "aside")
    place.put("a.txt", b"two")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    (place.root / "aside").unlink()
    assert place.workspace.changed_since(before) == ["a.txt (changed)"]


def test_nothing_is_nothing(place: Place) -> None:
    place.put("a.txt", b"one")
    assert place.workspace.changed_since(place.workspace.scan()) == []


def test_what_is_ignored_or_nested_is_named_as_a_folder_and_not_looked_into(place: Place) -> None:
    place.put(".gitignore", b"build/\n*.log\n")
    place.put("build/out.o", b"o")
    place.put("node_modules/m/index.js", b"j")
    place.put("vendor/.git/HEAD", b"ref")
    place.put("vendor/lib.c", b"c")
    place.put("tree/.git", b"gitdir: elsewhere")
    place.put("x.log", b"l")
    before = place.workspace.scan()
    for path in ("build/out.o", "node_modules/m/index.js", "vendor/lib.c", "tree/f", "x.log"):
        place.put(path, b"changed")
    place.put(".git/index", b"i")
    assert place.workspace.changed_since(before) == [
        "not looked into: build/, node_modules/, tree/, vendor/"
    ]


def test_a_capped_scan_says_so_and_names_nothing_beyond_its_end(place: Place) -> None:
    for number in range(6):
        place.put(f"f{number}", b"x")
    before = scan(str(place.root), max_files=4)
    place.put("f1", b"changed")
    place.put("f5", b"changed")
    place.put("a-new-one", b"n")
    assert changed_since(before, max_files=4) == [
        "a-new-one (created)",
        "f1 (changed)",
        "not every file was looked at: there are more than 4 files",
    ]


def test_a_scan_that_takes_too_long_says_so(place: Place) -> None:
    place.put("a", b"x")
    assert scan(str(place.root), max_seconds=-1).capped == "looking took more than -1 s"


def test_many_changes_are_counted_and_a_name_that_is_no_utf8_is_escaped(place: Place) -> None:
    before = place.workspace.scan()
    for number in range(60):
        place.put(f"f{number:02}", b"x")
    (place.root / os.fsdecode(b"caf\xe9")).write_bytes(b"x")
    words = place.workspace.changed_since(before)
    assert words[0] == "caf\\xe9 (created)"
    assert words[-1] == "11 more files"
    assert len(words) == 51
