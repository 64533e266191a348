"""Home: folders of sessions, their names, modes and list."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from sidecar.core.events import Added, Entry, Renamed, SessionStarted
from sidecar.core.messages import Message, Text, ToolUse
from sidecar.errors import ConfigurationError, InvalidInput, NotFound, SessionLocked
from sidecar.store.codec import encode_line
from sidecar.store.home import Home, SessionCard, SessionFolder
from sidecar.store.journal import Journal


def filled(home: Home, session_id: str, *entries: Entry) -> SessionFolder:
    folder = home.create_session(session_id)
    journal, _, _ = Journal.open(folder.journal_path)
    journal.append(entries, durable=False)
    journal.close()
    return folder


def started(at: int, title: str) -> Entry:
    return Entry(at, SessionStarted("s", "/work", title, model="m"))


def test_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        home = Home(tmp_path / "a" / "home")
        folder = home.create_session("s1")
        folder.blobs.put(b"x")
        folder.lock().release()
    finally:
        os.umask(before)
    for path in [home.path.parent, home.path, *home.path.rglob("*")]:
        expected = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == expected, path


def test_b148_an_id_with_path_parts_is_refused_and_nothing_is_touched(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    filled(home, "s1", started(1, "one"))
    (tmp_path / "x").mkdir()
    for bad in ["../../x", "/etc/x", "a/b", "", ".", "..", "a\\b", "a.b", "-a", "s1\n", "x" * 65]:
        for act in (home.open_session, home.create_session, home.delete_session):
            with pytest.raises(InvalidInput, match="is no session id"):
                act(bad)
    assert (tmp_path / "x").is_dir()
    assert [card.session_id for card in home.sessions()[0]] == ["s1"]


def test_the_list_has_the_last_used_first_with_the_newest_title(tmp_path: Path) -> None:
    home = Home(tmp_path)
    call = ToolUse("c1", "t", {"type": "renamed", "title": "not this"})
    one = filled(
        home,
        "s1",
        started(10, "first title"),
        Entry(20, Renamed("second title")),
        Entry(30, Renamed("third title")),
        Entry(40, Added(Message("m1", "assistant", (call, Text('"type":"renamed"'))))),
    )
    two = filled(home, "s2", started(15, "other"), Entry(50, Renamed("other")))
    assert home.sessions() == (
        [
            SessionCard("s2", "other", "/work", "m", "new", "", 15, 50, two.size_bytes()),
            SessionCard("s1", "third title", "/work", "m", "new", "", 10, 40, one.size_bytes()),
        ],
        [],
    )


def test_corrupt_folders_are_named_and_cost_the_list_nothing(tmp_path: Path) -> None:
    home = Home(tmp_path)
    good = filled(home, "good", started(1, "fine"))
    good.journal_path.write_bytes(good.journal_path.read_bytes() + b'{"v":1,"at":9999,"ty')
    home.create_session("empty")
    home.create_session("junk").journal_path.write_bytes(b"\0" * 40 + b"\nnonsense\n")
    home.create_session("folder").journal_path.mkdir()
    (tmp_path / "sessions" / "a file").write_text("x")
    (tmp_path / "sessions" / "link").symlink_to(good.path)
    cards, problems = home.sessions()
    assert [(card.session_id, card.title, card.updated_at) for card in cards] == [
        ("good", "fine", 1)
    ]
    assert problems == [
        "session empty: can't be read: No such file or directory",
        "session folder: can't be read: Is a directory",
        "session junk: the journal does not say what session it is",
    ]


def test_a_session_is_opened_by_its_id_and_made_only_once(tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert home.sessions() == ([], [])
    folder = home.create_session("s1")
    assert home.open_session("s1").journal_path == folder.journal_path
    with pytest.raises(InvalidInput, match="there already is a session s1"):
        home.create_session("s1")
    with pytest.raises(NotFound, match="there is no session s2"):
        home.open_session("s2")


def test_deleting_takes_journal_and_blobs_and_leaves_other_sessions(tmp_path: Path) -> None:
    home = Home(tmp_path)
    filled(home, "s1", started(1, "one")).blobs.put(b"secret")
    filled(home, "s2", started(2, "two"))
    left_over = tmp_path / "sessions" / ".deleted-before"
    left_over.mkdir()
    home.delete_session("s1")
    assert [card.session_id for card in home.sessions()[0]] == ["s2"]
    assert [path.name for path in (tmp_path / "sessions").iterdir()] == ["s2"]
    with pytest.raises(NotFound):
        home.delete_session("s1")


def test_a_session_that_somebody_writes_is_not_deleted(tmp_path: Path) -> None:
    home = Home(tmp_path)
    folder = filled(home, "s1", started(1, "one"))
    lock = folder.lock()
    with pytest.raises(SessionLocked):
        home.delete_session("s1")
    assert folder.holder() == os.getpid()
    lock.release()
    home.delete_session("s1")
    assert home.sessions() == ([], [])


def test_the_default_home_is_named_by_the_environment_or_the_platform(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SIDECAR_HOME", str(tmp_path / "here"))
    assert Home.default().path == tmp_path / "here"
    monkeypatch.setenv("SIDECAR_HOME", "relative")
    assert Home.default().path == Path.cwd() / "relative"
    monkeypatch.setenv("SIDECAR_HOME", "")
    assert Home.default().path == platformdirs.user_data_path("sidecar", appauthor=False)


def test_a_home_that_is_a_file_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("x")
    with pytest.raises(ConfigurationError, match="which is not a folder") as caught:
        Home(tmp_path / "home").create_session("s1")
    assert caught.value.data == {"key": "SIDECAR_HOME", "value": str(tmp_path / "home")}


CREATOR = """
import sys
from pathlib import Path
from sidecar.core.events import Entry, SessionStarted
from sidecar.store.home import Home
from sidecar.store.journal import Journal
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    folder = Home(Path(sys.argv[1])).create_session(f"{sys.argv[2]}{number}")
    journal, _, _ = Journal.open(folder.journal_path)
    journal.append([Entry(1, SessionStarted("s", "/w", "t"))], durable=False)
"""


def test_b134_two_processes_that_create_sessions_at_once_lose_none(tmp_path: Path) -> None:
    home = tmp_path / "home"
    creators = [
        subprocess.Popen(
            [sys.executable, "-c", CREATOR, str(home), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for creator in creators:
        assert creator.stdout is not None
        assert creator.stdout.readline() == "ready\n"
    for creator in creators:
        assert creator.stdin is not None
        creator.stdin.write("go\n")
        creator.stdin.flush()
    assert [creator.communicate()[0] for creator in creators] == ["", ""]
    cards, problems = Home(home).sessions()
    assert problems == []
    assert sorted(card.session_id for card in cards) == sorted(
        f"{name}{number}" for name in "ab" for number in range(10)
    )


def test_the_first_line_may_be_bad_as_long_as_one_says_what_session_it_is(tmp_path: Path) -> None:
    home = Home(tmp_path)
    folder = home.create_session("s1")
    folder.journal_path.write_bytes(b"\0\0\0\n" + encode_line(started(7, "found")))
    (card,), problems = home.sessions()
    assert (card.title, card.updated_at, problems) == ("found", 7, [])
