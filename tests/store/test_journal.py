"""The journal on a real disk: cut at every byte, full, read-only, with rubbish inside."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_values import ENTRIES

from sidecar.core.events import Added, Entry, Noted, SessionStarted, TurnStarted
from sidecar.core.messages import Message, Text
from sidecar.errors import SessionLocked
from sidecar.store.codec import encode_line
from sidecar.store.journal import Journal, JournalReader, NotSaved

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def noted(number: int, text: str = "x") -> Entry:
    return Entry(number, Noted(f"k{number}", text))


def reopened(path: Path) -> tuple[list[Entry], list[str]]:
    journal, entries, problems = Journal.open(path)
    journal.close()
    return entries, problems


SESSION = [
    Entry(1, SessionStarted("s1", "/w", "Un été 😀", model="m")),
    Entry(2, TurnStarted("t1", "m1", "key")),
    Entry(3, Added(Message("m1", "user", (Text("line\u2028one\nline two"),)), "t1")),
    noted(4),
]


def test_what_was_appended_is_read_back_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    journal, entries, problems = Journal.open(path)
    assert (entries, problems) == ([], [])
    journal.append(SESSION[:2], durable=True)
    journal.append(SESSION[2:], durable=False)
    journal.close()
    journal.close()
    assert reopened(path) == (SESSION, [])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes() == b"".join(encode_line(entry) for entry in SESSION)


def test_a_file_cut_at_any_byte_keeps_every_whole_line_and_takes_the_next_append(
    tmp_path: Path,
) -> None:
    lines = [encode_line(entry) for entry in SESSION]
    whole = b"".join(lines)
    path = tmp_path / "journal.jsonl"
    torn_path = tmp_path / "journal.jsonl.torn"
    ends = [sum(map(len, lines[: count + 1])) for count in range(len(lines))]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        torn_path.unlink(missing_ok=True)
        # A record that only lacks its newline is whole: nothing of it is missing.
        kept = sum(end - 1 <= cut for end in ends)
        torn = whole[:cut][ends[kept - 1] if kept else 0 :]
        journal, entries, problems = Journal.open(path)
        assert entries == SESSION[:kept], cut
        assert problems == (
            [f"line {kept + 1}: torn after {len(torn)} bytes, cut off"] if torn else []
        ), cut
        journal.append([noted(9)], durable=False)
        journal.close()
        assert reopened(path) == ([*SESSION[:kept], noted(9)], []), cut
        assert (torn_path.read_bytes() if torn else b"\n") == torn + b"\n", cut


def test_b126_a_torn_last_line_is_set_aside_before_the_next_append(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    good = [noted(1), noted(2), noted(3)]
    path.write_bytes(b"".join(map(encode_line, good)) + b'{"id":4,"te')
    journal, entries, problems = Journal.open(path)
    assert (entries, problems) == (good, ["line 4: torn after 11 bytes, cut off"])
    journal.append([noted(5)], durable=True)
    journal.close()
    assert reopened(path) == ([*good, noted(5)], [])
    assert (tmp_path / "journal.jsonl.torn").read_bytes() == b'{"id":4,"te\n'


def test_b128_one_bad_line_costs_that_line_and_is_named_by_number(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    entries = [noted(number) for number in range(1, 101)]
    lines = [encode_line(entry) for entry in entries]
    lines[39] = lines[39][:20] + b"\n"
    path.write_bytes(b"".join(lines))
    found, problems = reopened(path)
    assert found == entries[:39] + entries[40:]
    (problem,) = problems
    assert problem == "line 40: not readable as JSON (Unterminated string at character 15), skipped"


def test_b129_a_block_of_nuls_is_skipped_and_a_record_glued_to_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    entries = [noted(number) for number in range(100)]
    lines = [encode_line(entry) for entry in entries]
    path.write_bytes(b"".join(lines[:50]) + b"\0" * 300 + b"\n" + b"".join(lines[50:]))
    assert reopened(path) == (entries, ["line 51: 300 NUL bytes, skipped"])
    path.write_bytes(b"".join(lines[:50]) + b"\0" * 300 + b"".join(lines[50:]) + b"\0" * 99)
    assert reopened(path) == (
        entries,
        ["line 51: 300 NUL bytes, skipped", "line 101: torn after 99 bytes, cut off"],
    )


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(ENTRIES, max_size=3), max_size=4), st.data())
def test_any_batches_cut_anywhere_come_back_as_a_prefix(
    tmp_path: Path, batches: list[list[Entry]], data: st.DataObject
) -> None:
    path = tmp_path / "any.jsonl"
    path.unlink(missing_ok=True)
    journal, _, _ = Journal.open(path)
    for batch in batches:
        journal.append(batch, durable=False)
    journal.close()
    everything = [entry for batch in batches for entry in batch]
    whole = path.read_bytes()
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    cut_entries = list(JournalReader(path))
    assert cut_entries == everything[: len(cut_entries)]
    path.write_bytes(whole)
    assert reopened(path) == (everything, [])


def test_reading_alone_changes_nothing_and_reports_the_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    content = encode_line(noted(1)) + b'{"v":1'
    path.write_bytes(content)
    reader = JournalReader(path)
    assert list(reader) == [noted(1)]
    assert reader.problems == ["line 2: torn after 6 bytes, cut off"]
    assert reader.torn_at == len(content) - 6
    assert path.read_bytes() == content


@contextmanager
def no_file_longer_than(size_bytes: int) -> Iterator[None]:
    """A full disk as the kernel makes one: the write takes what fits, then fails."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_b136_a_full_disk_is_reported_and_the_same_batch_goes_in_once_later(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.jsonl"
    journal, _, _ = Journal.open(path)
    journal.append(SESSION, durable=True)
    saved = path.read_bytes()
    batch = [noted(10, "y" * 500), noted(11)]
    for _ in range(2):
        with no_file_longer_than(len(saved) + 100), pytest.raises(NotSaved) as caught:
            journal.append(batch, durable=True)
        assert caught.value.strerror == "not saved: File too large"
        assert caught.value.filename == str(path)
        assert path.read_bytes() == saved
    journal.append(batch, durable=True)
    journal.close()
    assert reopened(path) == ([*SESSION, *batch], [])


def test_b137_a_device_without_space_raises_a_typed_error(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.symlink_to("/dev/full")
    journal = Journal(path)
    with pytest.raises(NotSaved, match="not saved: No space left on device"):
        journal.append([noted(1)], durable=False)
    journal.close()


def test_a_file_that_cannot_be_opened_for_writing_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "journal.jsonl").mkdir()
    with pytest.raises(OSError, match="Is a directory"):
        Journal.open(tmp_path / "journal.jsonl")


def test_a_guard_that_refuses_stops_the_append_before_the_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    allowed = [True]

    @contextmanager
    def guard() -> Iterator[None]:
        if not allowed[0]:
            raise SessionLocked("another process took over", pid=7)
        yield

    journal, _, _ = Journal.open(path, guard)
    journal.append([noted(1)], durable=False)
    allowed[0] = False
    with pytest.raises(SessionLocked):
        journal.append([noted(2)], durable=False)
    journal.close()
    assert list(JournalReader(path)) == [noted(1)]
    path.write_bytes(b"torn")
    with pytest.raises(SessionLocked):
        Journal.open(path, guard)
    assert path.read_bytes() == b"torn"


WRITER = """
import sys
from pathlib import Path
from sidecar.core.events import Entry, Noted
from sidecar.store.journal import Journal
journal, _, _ = Journal.open(Path(sys.argv[1]))
number = 0
while True:
    journal.append([Entry(number, Noted("k", "x" * 3000)), Entry(number + 1, Noted("k", "y"))],
                   durable=number % 8 == 0)
    number += 2
    print(number, flush=True)
"""


def test_a_killed_process_loses_no_batch_that_was_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    for _ in range(20):
        writer.stdout.readline()
    writer.kill()
    acknowledged = [int(line) for line in writer.stdout.read().split("\n") if line] or [40]
    writer.wait()
    writer.stdout.close()
    entries, _ = reopened(path)
    assert [entry.at for entry in entries] == list(range(len(entries)))
    assert len(entries) >= max(acknowledged)


def test_a_new_journal_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        journal, _, _ = Journal.open(tmp_path / "journal.jsonl")
        journal.close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "journal.jsonl").stat().st_mode) == 0o600
