"""Locks between real processes: who owns a session, and who finds out that he no longer does."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from sidecar.core.events import Entry, Noted
from sidecar.errors import SessionLocked
from sidecar.store.journal import Journal, JournalReader
from sidecar.store.locks import SessionLock, holder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OWNER = """
import sys
from pathlib import Path
from sidecar.core.events import Entry, Noted
from sidecar.errors import SessionLocked
from sidecar.store.journal import Journal
from sidecar.store.locks import SessionLock
folder = Path(sys.argv[1])
lock = SessionLock.acquire(folder)
journal, _, _ = Journal.open(folder / "journal.jsonl", lock.held)
print("ready", flush=True)
for line in sys.stdin:
    try:
        journal.append([Entry(1, Noted("owner", line.strip()))], durable=False)
        print("written", flush=True)
    except SessionLocked as error:
        print("refused", error.data["pid"], flush=True)
"""


class Owner:
    """Another process that owns the session, and writes a line when it is told to."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWNER, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.answer() == "ready"

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def write(self, text: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()
        return self.answer()


@contextmanager
def owner_of(folder: Path) -> Iterator[Owner]:
    owner = Owner(folder)
    try:
        yield owner
    finally:
        owner.process.kill()
        owner.process.communicate()


def test_b133_a_second_process_is_refused_and_told_who_owns_the_session(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        with pytest.raises(SessionLocked, match=f"open in process {owner.process.pid}") as caught:
            SessionLock.acquire(tmp_path)
        assert caught.value.data == {"pid": owner.process.pid}
        assert holder(tmp_path) == owner.process.pid
        assert owner.write("still mine") == "written"


def test_the_lock_of_a_killed_process_falls_by_itself(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        owner.process.kill()
        owner.process.wait()
        assert (tmp_path / "lock").read_text() == f"{owner.process.pid}\n"
        assert holder(tmp_path) is None
        lock = SessionLock.acquire(tmp_path)
        assert holder(tmp_path) == os.getpid()
        lock.release()


def test_a_folder_that_is_gone_has_no_owner(tmp_path: Path) -> None:
    assert holder(tmp_path / "gone") is None


def test_a_pid_file_alone_locks_nothing_even_if_the_pid_lives(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(f"{os.getppid()}\n")
    assert holder(tmp_path) is None
    SessionLock.acquire(tmp_path).release()


def test_after_a_takeover_the_old_owner_cannot_write_any_more(tmp_path: Path) -> None:
    with owner_of(tmp_path) as owner:
        assert owner.write("before") == "written"
        lock = SessionLock.acquire(tmp_path, takeover=True)
        journal, entries, problems = Journal.open(tmp_path / "journal.jsonl", lock.held)
        assert (entries, problems) == ([Entry(1, Noted("owner", "before"))], [])
        assert owner.write("after") == f"refused {os.getpid()}"
        journal.append([Entry(2, Noted("new", "mine"))], durable=False)
        journal.close()
        lock.release()
        assert owner.write("after the release") == "refused 0"
        assert list(JournalReader(tmp_path / "journal.jsonl")) == [
            Entry(1, Noted("owner", "before")),
            Entry(2, Noted("new", "mine")),
        ]


def test_one_process_cannot_own_a_session_twice_and_may_own_it_again(tmp_path: Path) -> None:
    lock = SessionLock.acquire(tmp_path)
    with pytest.raises(SessionLocked) as caught:
        SessionLock.acquire(tmp_path)
    assert caught.value.data == {"pid": os.getpid()}
    lock.release()
    lock.release()
    with pytest.raises(SessionLocked), lock.held():
        pytest.fail("a released lock let somebody in")
    again = SessionLock.acquire(tmp_path)
    with again.held():
        assert (tmp_path / "lock").exists()
    again.release()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock.mutex"]


def test_the_release_of_an_old_owner_leaves_the_new_one_alone(tmp_path: Path) -> None:
    old = SessionLock.acquire(tmp_path)
    new = SessionLock.acquire(tmp_path, takeover=True)
    old.release()
    assert holder(tmp_path) == os.getpid()
    with new.held():
        pass
    new.release()
    assert holder(tmp_path) is None


THIEF = """
import os, sys
from pathlib import Path
from sidecar.errors import SessionLocked
from sidecar.store.locks import SessionLock
folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
inside = folder / "inside"
for _ in range(rounds):
    lock = SessionLock.acquire(folder, takeover=True)
    for _ in range(5):
        try:
            with lock.held():
                # O_EXCL fails if another process is inside at the same time.
                os.close(os.open(inside, os.O_CREAT | os.O_EXCL))
                inside.unlink()
        except SessionLocked:
            break
print("never together")
"""


def test_processes_that_take_over_from_each_other_are_never_inside_together(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", THIEF, str(tmp_path), "60"]
    thieves = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert [thief.communicate() for thief in thieves] == [("never together\n", "")] * 3


RACER = """
import sys
from pathlib import Path
from sidecar.errors import SessionLocked
from sidecar.store.locks import SessionLock
print("ready", flush=True)
sys.stdin.readline()
try:
    lock = SessionLock.acquire(Path(sys.argv[1]))
    print("owner", flush=True)
except SessionLocked:
    print("refused", flush=True)
sys.stdin.readline()
"""


def test_of_processes_that_start_together_exactly_one_becomes_the_owner(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    answers = []
    for word in ("ready", "answer"):
        for racer in racers:
            assert racer.stdout is not None
            answers.append(racer.stdout.readline().strip())
        if word == "ready":
            for racer in racers:
                assert racer.stdin is not None
                racer.stdin.write("go\n")
                racer.stdin.flush()
    for racer in racers:
        racer.communicate("\n")
    assert sorted(answers) == ["owner", "ready", "ready", "ready", "refused", "refused"]
