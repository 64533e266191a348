from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sidecar.errors import InvalidInput, OutsideWorkspace
from sidecar.workspace.paths import Root, shown

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").write_bytes(b"a")
    (tmp_path / "outside.txt").write_bytes(b"outside")
    return folder


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("sub/a.txt", "sub/a.txt"),
        ("./sub/../sub//a.txt", "sub/a.txt"),
        ("sub/new.txt", "sub/new.txt"),
        ("new/deep/f.txt", "new/deep/f.txt"),
        (".", "."),
        ("sub/..", "."),
    ],
)
def test_a_path_has_one_relative_name(root: Path, path: str, relative: str) -> None:
    assert Root(root).relative(path) == relative


@pytest.mark.parametrize(
    "path", ["..", "../outside.txt", "sub/../../outside.txt", "/etc/passwd", "/", "../root-2/a"]
)
def test_a_path_that_leads_out_is_refused(root: Path, path: str) -> None:
    (root.parent / "root-2").mkdir()
    with pytest.raises(OutsideWorkspace) as caught:
        Root(root).resolve(path)
    assert caught.value.data == {"path": path}
    with pytest.raises(OutsideWorkspace):
        Root(root).relative(path)


def test_an_absolute_path_inside_is_taken_for_what_it_is(root: Path) -> None:
    assert Root(root).relative(str(root / "sub" / "a.txt")) == "sub/a.txt"


def test_an_absolute_path_through_a_linked_root_is_inside(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    opened = Root(tmp_path / "alias")
    assert opened.relative(str(tmp_path / "alias" / "sub" / "a.txt")) == "sub/a.txt"
    assert opened.relative(str(root / "sub" / "a.txt")) == "sub/a.txt"


def test_a_link_that_leads_out_can_be_named_and_not_opened(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "outside.txt")
    assert Root(root).relative("link") == "link"
    with pytest.raises(OutsideWorkspace):
        Root(root).resolve("link")


def test_a_folder_that_links_out_hides_nothing_below_it(root: Path, tmp_path: Path) -> None:
    (root / "out").symlink_to(tmp_path)
    with pytest.raises(OutsideWorkspace):
        Root(root).relative("out/outside.txt")


def test_a_link_inside_is_followed_by_resolve_and_named_by_relative(root: Path) -> None:
    (root / "link").symlink_to("sub/a.txt")
    assert Root(root).resolve("link") == str(root / "sub" / "a.txt")
    assert Root(root).relative("link") == "link"


def test_a_file_below_a_linked_folder_has_its_real_name(root: Path) -> None:
    (root / "alias").symlink_to("sub")
    assert Root(root).relative("alias/a.txt") == "sub/a.txt"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "the path is empty; name a file of the workspace"),
        ("a\0b", "the path 'a\\x00b' has a NUL byte"),
        (
            "a\udcffb",
            "the name a\\udcffb is no UTF-8, so it can't be named here; rename the file",
        ),
    ],
)
def test_a_path_that_no_file_can_have_is_named_in_the_error(
    root: Path, path: str, words: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        Root(root).resolve(path)
    assert caught.value.message == words


def test_another_spelling_is_the_same_file_where_case_is_folded(root: Path) -> None:
    assert Root(root, folds_case=True).relative("sub/A.TXT") == "sub/a.txt"
    assert Root(root, folds_case=False).relative("sub/A.TXT") == "sub/A.TXT"


def test_a_workspace_that_moved_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        Root(tmp_path / "gone")
    assert caught.value.data == {"path": str(tmp_path / "gone")}


def test_a_name_that_is_no_utf8_is_shown_escaped() -> None:
    assert shown("caf\udce9.txt") == "caf\\xe9.txt"
