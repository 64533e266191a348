"""URIs of the client, and what they name here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sidecar.errors import InvalidInput
from sidecar.uris import Uris, path_of, workspace_of


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/u/p", "/home/u/p"),
        ("file:///home/u/a%20b%23c%3Fd%25", "/home/u/a b#c?d%"),
        ("file:///home/u/%C3%A4", "/home/u/ä"),
        ("file://localhost/home/u", "/home/u"),
        ("FILE:///home/u", "/home/u"),
        ("/home/u/p", "/home/u/p"),
    ],
)
def test_a_file_uri_names_its_decoded_path(uri: str, path: str) -> None:
    assert path_of(uri) == Path(path)


@pytest.mark.parametrize(
    "uri",
    [
        "\\\\wsl.localhost\\Ubuntu\\home\\u\\p",
        "\\\\wsl$\\Ubuntu\\home\\u\\p",
        "file://wsl.localhost/Ubuntu/home/u/p",
        "file://wsl%24/Ubuntu/home/u/p",
    ],
)
def test_b175_a_folder_of_a_linux_subsystem_is_the_path_inside_it(uri: str) -> None:
    assert path_of(uri) == Path("/home/u/p")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "p",
        "untitled:Untitled-1",
        "vscode-remote://ssh/home/u",
        "file://server/share/p",
        "c:\\x",
    ],
)
def test_what_is_no_file_of_this_machine_is_refused(uri: str) -> None:
    with pytest.raises(InvalidInput):
        path_of(uri)


def test_the_clients_own_spelling_comes_back_for_a_folder_and_what_is_in_it(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "real"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder)
    uris = Uris()
    spelled = (tmp_path / "link").as_uri().replace("link", "%6Cink")
    uris.know(spelled)
    uris.know("untitled:1")
    assert uris.of(str(folder)) == spelled
    assert uris.of(str(folder / "a b" / "c#.py")) == f"{spelled}/a%20b/c%23.py"
    assert uris.of(str(tmp_path / "other ä")) == (tmp_path / "other ä").as_uri()


@pytest.mark.parametrize("path", ["/", str(Path.home())])
def test_b174_the_root_and_the_home_folder_are_no_workspace(path: str) -> None:
    with pytest.raises(InvalidInput, match="is no workspace"):
        workspace_of(path)


def test_a_workspace_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="nowhere is not there"):
        workspace_of((tmp_path / "nowhere").as_uri())
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match="no folder"):
        workspace_of((tmp_path / "file").as_uri())
    assert os.fspath(workspace_of(tmp_path.as_uri())) == str(tmp_path)
