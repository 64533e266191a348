"""Opening a recorded session: recognised by its content, read as a stream, broken lines named."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from recorded_sessions import every, fixture, name_of

from sidecar.core.events import Added, BudgetSet, Entry, HistoryReset, Measured, SessionStarted
from sidecar.core.messages import Message, Text, ToolResult, ToolUse, Unknown
from sidecar.errors import NotFound, UnknownFormat
from sidecar.store.codec import encode_line
from sidecar.store.importers import FORMATS, open_transcript

if TYPE_CHECKING:
    from pathlib import Path

HISTORY = {
    "max_tokens": 70_000,
    "compact_at": 0.8,
    "overhead_tokens": 1_200,
    "messages": [
        {"id": "m1", "role": "user", "content": [{"type": "text", "text": "Read a.py"}]},
        {
            "id": "m2",
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.py"}}
            ],
        },
        {
            "id": "m3",
            "role": "tool",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "text": "x = 1"}],
        },
        {"id": "m4", "role": "user", "content": [{"type": "hologram", "depth": 3}]},
    ],
}


def write(folder: Path, text: str | bytes, name: str = "session") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("path", every(), ids=name_of)
def test_a_foreign_session_is_recognised_by_its_content_whatever_its_name(
    path: Path, tmp_path: Path
) -> None:
    copy = write(tmp_path, path.read_bytes(), "no-suffix-at-all")
    assert open_transcript(copy).format == path.parent.name


@pytest.mark.parametrize("indent", [None, 2])
def test_a_history_file_is_recognised_on_one_line_and_on_many(
    tmp_path: Path, indent: int | None
) -> None:
    transcript = open_transcript(write(tmp_path, json.dumps(HISTORY, indent=indent)))
    assert transcript.format == "history"
    assert transcript.overhead_tokens == 1_200
    assert [entry.event for entry in transcript] == [
        SessionStarted("", "", "", "import"),
        BudgetSet({"max_tokens": 70_000, "compact_at": 0.8}),
        Added(Message("m1", "user", (Text("Read a.py"),))),
        Added(Message("m2", "assistant", (ToolUse("c1", "read_file", {"path": "a.py"}),))),
        Added(Message("m3", "tool", (ToolResult("c1", "x = 1"),))),
        Added(Message("m4", "user", (Unknown("hologram", {"type": "hologram", "depth": 3}),))),
    ]
    assert transcript.problems == []


def test_a_bad_message_of_a_history_file_costs_that_message_only_and_is_named(
    tmp_path: Path,
) -> None:
    first = HISTORY["messages"][0]
    text = json.dumps({"messages": [first, {"id": "m2", "role": "robot", "content": []}, first]})
    transcript = open_transcript(write(tmp_path, text))
    assert [type(entry.event) for entry in transcript] == [SessionStarted, Added]
    assert [str(problem) for problem in transcript.problems] == [
        "line 2: message 2: message m2: role must be one of user, assistant, tool, not 'robot'",
        "line 3: m1: this id was there before, left out",
    ]


def test_our_own_journal_comes_back_entry_by_entry(tmp_path: Path) -> None:
    entries = [
        Entry(1, SessionStarted("s1", "/w", "A title")),
        Entry(2, Added(Message("m1", "user", (Text("Hello"),)), "t1")),
    ]
    folder = tmp_path / "s1"
    folder.mkdir()
    write(folder, b"".join(map(encode_line, entries)) + b"junk\n", "journal.jsonl")
    transcript = open_transcript(folder)
    assert transcript.format == "sidecar"
    assert list(transcript) == entries
    assert [problem.line for problem in transcript.problems] == [3]


@pytest.mark.parametrize(
    ("content", "word"),
    [(b"", "empty"), (b"\x00\x01\x02", "no format"), (b'{"a": 1}\n', "no format")],
)
def test_a_file_of_no_known_format_is_an_error_that_lists_the_known_ones(
    tmp_path: Path, content: bytes, word: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(UnknownFormat) as caught:
        open_transcript(path)
    assert str(path) in caught.value.message
    assert word in caught.value.message
    assert all(name in caught.value.message for name in FORMATS.values())


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere\.jsonl: no such file"):
        open_transcript(tmp_path / "nowhere.jsonl")


def test_broken_lines_are_named_by_number_and_cost_no_other_line() -> None:
    transcript = open_transcript(fixture("claude-code/damaged"))
    texts = [entry.event.message.content for entry in transcript if isinstance(entry.event, Added)]
    assert texts == [
        (Text("Is the café open?"),),
        (Text("It is."),),
        (Text("Until when?"),),
        (Text("Until eight."),),
    ]
    assert [problem.line for problem in transcript.problems] == [1, 4, 6, 8]
    assert "not an object" in transcript.problems[2].text


def test_reading_twice_tells_the_same_and_names_problems_once() -> None:
    transcript = open_transcript(fixture("claude-code/damaged"))
    first = list(transcript)
    problems = list(transcript.problems)
    assert list(transcript) == first
    assert transcript.problems == problems


def test_bytes_that_are_not_utf8_are_replaced_and_named(tmp_path: Path) -> None:
    lines = fixture("claude-code/damaged").read_bytes().splitlines()
    path = write(tmp_path, lines[1].replace("é".encode(), b"\xe9") + b"\n")
    transcript = open_transcript(path)
    added = [entry.event for entry in transcript if isinstance(entry.event, Added)]
    assert added[0].message.content == (Text("Is the caf\N{REPLACEMENT CHARACTER} open?"),)
    assert [problem.line for problem in transcript.problems] == [1]


@pytest.mark.parametrize("path", every(), ids=name_of)
def test_every_session_keeps_the_promises_of_a_log(path: Path) -> None:
    said: set[str] = set()
    working: list[str] = []
    entries = list(open_transcript(path))
    assert isinstance(entries[0].event, SessionStarted)
    assert entries[0].event.origin == "import"
    for before, entry in zip([None, *entries], entries, strict=False):
        event = entry.event
        if isinstance(event, Added):
            said.add(event.message.id)
            working.append(event.message.id)
        elif isinstance(event, HistoryReset):
            assert set(event.message_ids) <= said
            working = list(event.message_ids)
        elif isinstance(event, Measured):
            assert event.last_message_id == (working[-1] if working else "")
        elif isinstance(event, SessionStarted):
            assert before is None
        assert len(working) == len(set(working))


@pytest.mark.parametrize("path", every(), ids=name_of)
def test_every_answered_call_has_its_result_before_anything_else_is_said(path: Path) -> None:
    open_calls: set[str] = set()
    for entry in open_transcript(path):
        if isinstance(entry.event, HistoryReset):
            open_calls = set()
        if not isinstance(entry.event, Added):
            continue
        message = entry.event.message
        results = {result.tool_use_id for result in message.tool_results()}
        if message.role == "tool":
            assert results <= open_calls
            open_calls -= results
        else:
            open_calls = {use.id for use in message.tool_uses()}


def test_what_is_held_grows_with_the_working_history_and_not_with_the_file(
    tmp_path: Path,
) -> None:
    lines = fixture("claude-code/compactions").read_text().splitlines()[:13]
    small, large = (
        write(tmp_path, "\n".join(line for _ in range(times) for line in lines), f"{times}")
        for times in (30, 300)
    )

    def peak_bytes(path: Path) -> int:
        tracemalloc.start()
        for _ in open_transcript(path):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert large.stat().st_size > 9 * small.stat().st_size
    assert peak_bytes(large) < 2 * peak_bytes(small)


@pytest.mark.parametrize("path", every(), ids=name_of)
def test_the_vocabulary_of_a_format_names_the_tools_that_its_sessions_use(path: Path) -> None:
    words = open_transcript(path).vocabulary
    for entry in open_transcript(path):
        if isinstance(entry.event, Added):
            for use in entry.event.message.tool_uses():
                if use.name in {"Read", "Edit", "Write", "read", "edit", "write"}:
                    assert use.name in words.reads | words.writes
                    assert any(key in use.input for key in words.path_keys)
