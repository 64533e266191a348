"""Events and messages to lines and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_values import BLOCKS, ENTRIES, MESSAGES, VALUES

from sidecar.core.events import Added, Entry, ModeSet, Noted, TurnStarted
from sidecar.core.messages import Block, Message, Text, ToolResult, ToolUse, Unknown
from sidecar.errors import InvalidInput
from sidecar.store.codec import (
    block_from_json,
    block_to_json,
    decode_line,
    encode_line,
    entry_from_json,
    message_from_json,
    message_to_json,
)


def key_orders(value: Any) -> Any:
    """The value with every object as a list of pairs, so that key order counts in a comparison."""
    if isinstance(value, Mapping):
        return [(key, key_orders(item)) for key, item in value.items()]
    return [key_orders(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=300)
@given(ENTRIES)
def test_every_event_comes_back_from_its_line_as_it_was(entry: Entry) -> None:
    line = encode_line(entry)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    entries, problems = decode_line(line)
    assert entries == [entry]
    assert problems == []
    assert encode_line(entries[0]) == line


@given(MESSAGES)
def test_a_message_comes_back_with_its_source(message: Message) -> None:
    back, _ = message_from_json(json.loads(json.dumps(message_to_json(message))))
    assert back == message
    assert back is not None
    assert back.source == message.source


@given(BLOCKS)
def test_a_block_comes_back_with_the_key_order_of_its_arguments(block: Block) -> None:
    back, _ = block_from_json(json.loads(json.dumps(block_to_json(block))))
    assert back == block
    if isinstance(block, ToolUse):
        assert isinstance(back, ToolUse)
        assert key_orders(back.input) == key_orders(block.input)


@settings(max_examples=200)
@given(st.one_of(VALUES, st.fixed_dictionaries({"v": VALUES, "at": VALUES, "type": VALUES})))
def test_any_json_value_is_read_without_an_exception(raw: object) -> None:
    entry, problems = entry_from_json(raw)
    assert entry is None
    assert problems


@given(st.binary(max_size=40))
def test_any_bytes_are_read_without_an_exception(line: bytes) -> None:
    entries, problems = decode_line(line)
    assert entries == []
    assert bool(problems) == bool(line.strip(b" \t\r\n"))


def test_b131_separators_inside_a_text_do_not_end_the_line() -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x1cf\rg"
    entry = Entry(1, Noted("k", text))
    line = encode_line(entry)
    assert "\u2028".encode() in line
    assert decode_line(line) == ([entry], [])


def test_lone_surrogates_survive_and_two_halves_side_by_side_become_their_character() -> None:
    entry = Entry(1, Noted("k", "broken \ud83d end \ude00 and é"))
    assert decode_line(encode_line(entry)) == ([entry], [])
    halves = Entry(1, Noted("k", "\ud83d" + "\ude00"))
    assert decode_line(encode_line(halves)) == ([Entry(1, Noted("k", "😀"))], [])


def test_a_message_is_written_in_the_form_of_a_history_file() -> None:
    call = Message("m2", "assistant", (ToolUse("c1", "read_file", {"path": "a.py", "a": 1}),))
    result = Message("m3", "tool", (ToolResult("c1", "x = 1", is_error=False),))
    prompt = Message("m1", "user", (Text("go"),))
    assert [message_to_json(message) for message in (prompt, call, result)] == [
        {
            "id": "m1",
            "role": "user",
            "synthetic": False,
            "content": [{"type": "text", "text": "go"}],
        },
        {
            "id": "m2",
            "role": "assistant",
            "content": [
                {
                    "type": "tool_use",
                    "id": "c1",
                    "name": "read_file",
                    "input": {"path": "a.py", "a": 1},
                }
            ],
        },
        {
            "id": "m3",
            "role": "tool",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "text": "x = 1", "is_error": False}
            ],
        },
    ]


def test_a_newer_version_with_new_fields_types_and_words_costs_nothing_that_we_understand() -> None:
    line = (
        b'{"v":2,"at":5,"type":"turn_started","turn_id":"t1","message_id":"m1","mood":"calm",'
        b'"key":"k"}'
    )
    assert decode_line(line) == (
        [Entry(5, TurnStarted("t1", "m1", "k"))],
        ["written by a newer version (2)", "turn_started: unknown field mood, ignored"],
    )
    assert decode_line(b'{"v":1,"at":5,"type":"dreamt","of":"sheep"}') == (
        [],
        ["event type 'dreamt' is not known, skipped"],
    )
    entries, problems = decode_line(b'{"v":1,"at":5,"type":"mode_set","mode":"review"}')
    assert entries == [Entry(5, ModeSet("review"))]  # type: ignore[arg-type]
    assert problems == []


def test_a_line_of_an_older_version_takes_defaults_for_what_it_lacks() -> None:
    line = b'{"v":1,"at":5,"type":"turn_started","turn_id":"t1","message_id":"m1"}'
    assert decode_line(line) == ([Entry(5, TurnStarted("t1", "m1", ""))], [])


def test_a_block_we_cannot_read_is_kept_whole_and_named() -> None:
    raw = {"id": "m1", "role": "user", "content": ["hi", {"type": "text", "text": 5}, {"a": 1}]}
    message, problems = message_from_json(raw)
    assert message == Message(
        "m1",
        "user",
        (Text("hi"), Unknown("text", {"type": "text", "text": 5}), Unknown("", {"a": 1})),
    )
    assert problems == [
        "message m1, block 1: text: text must be a string, not a number; kept as it came",
        "message m1, block 2: a block has no type; kept as it came",
    ]
    assert message is not None
    assert message_to_json(message)["content"][1:] == [{"type": "text", "text": 5}, {"a": 1}]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (5, "a message must be an object, not a number"),
        ({"role": "user", "content": "x"}, "a message has no id"),
        (
            {"id": "m", "role": "system", "content": "x"},
            "message m: role must be one of user, assistant, tool, not 'system'",
        ),
        ({"id": "m", "role": "user"}, "message m: content must be a list, not null"),
    ],
)
def test_a_message_that_is_none_is_refused_with_its_reason(raw: object, problem: str) -> None:
    assert message_from_json(raw) == (None, [problem])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b'{"v":1,"at":1,"type":"noted","kind":"k"}', "noted: text is missing, skipped"),
        (
            b'{"v":1,"at":1,"type":"noted","kind":"k","text":[]}',
            "noted: text must be a string, skipped",
        ),
        (
            b'{"v":1,"at":1,"type":"added","message":{"id":"m"}}',
            "added: message is unreadable: message m: role must be one of user, assistant, tool",
        ),
        (
            b'{"v":1,"at":1,"type":"checkpoint_sealed","checkpoint_id":"c","files":[{"path":"a"}]}',
            "checkpoint_sealed: files kind is missing, skipped",
        ),
        (b'{"at":1,"type":"noted"}', "a line must have v, at (both integers) and type, skipped"),
        (b"[1]", "a line must be a JSON object, skipped"),
        (b'{"v":1,', "not readable as JSON (Expecting property name enclosed in double quotes"),
        (b"\xff\xfe", "not readable as JSON (not UTF-8), skipped"),
        (b"[" * 100_000, "not readable as JSON (maximum recursion depth exceeded"),
    ],
)
def test_a_bad_line_says_what_is_wrong_with_it(line: bytes, problem: str) -> None:
    entries, problems = decode_line(line)
    assert entries == []
    assert len(problems) == 1
    assert problems[0].startswith(problem)


def test_two_values_on_one_line_are_both_read_and_reported() -> None:
    one, two = Entry(1, Noted("a", "x")), Entry(2, Noted("b", "y"))
    glued = encode_line(one).rstrip() + b"  " + encode_line(two)
    assert decode_line(glued) == ([one, two], ["2 JSON values on one line, all read"])


def test_what_json_cannot_say_is_refused_by_name_before_anything_is_written() -> None:
    entry = Entry(1, Added(Message("m1", "assistant", (ToolUse("c", "t", {"x": {1, 2}}),))))
    with pytest.raises(InvalidInput, match="an event added can't be written as JSON"):
        encode_line(entry)
