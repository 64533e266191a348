"""The cut of a byte stream into messages, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.framing import DOCUMENT_LIMIT_BYTES, MESSAGE_LIMIT_BYTES, Fault, Framer, encode

MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {"text": "ä 😀"}}
JUNK = Fault("parseError", "bytes outside of any message were skipped")

scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
messages = st.lists(st.dictionaries(st.text(), values), max_size=4)


@settings(max_examples=60)
@given(messages, st.data())
def test_messages_come_out_as_they_went_in_however_the_bytes_are_cut(
    sent: list[dict[str, Any]], data: st.DataObject
) -> None:
    stream = b"".join(encode(message) for message in sent)
    framer = Framer()
    received: list[Any] = []
    position = 0
    while position < len(stream):
        size = data.draw(st.integers(1, max(1, len(stream) - position)))
        received += framer.feed(stream[position : position + size])
        position += size
    assert received == sent


@settings(max_examples=60)
@given(st.binary(max_size=300))
def test_after_any_junk_and_a_line_end_the_next_message_is_found(junk: bytes) -> None:
    # Junk that is itself a header promises a body, which would swallow what follows.
    if b"content-length" in junk.lower():
        return
    assert Framer().feed(junk + b"\r\n" + encode(MESSAGE))[-1] == MESSAGE


def test_a_run_of_junk_is_reported_once_and_the_next_run_again() -> None:
    framer = Framer()
    stream = b"hello\nworld\n" + encode(MESSAGE) + b"{}\n" + encode(MESSAGE)
    assert framer.feed(stream) == [JUNK, MESSAGE, JUNK, MESSAGE]


def test_junk_without_an_end_keeps_memory_bounded_and_the_header_behind_it_counts() -> None:
    framer = Framer()
    found: list[Any] = []
    for _ in range(100):
        found += framer.feed(b"x" * 4096)
    found += framer.feed(encode(MESSAGE))
    assert found == [JUNK, MESSAGE]


@pytest.mark.parametrize(
    "header", [b"content-length: %d", b"CONTENT-LENGTH:%d", b"Content-Length :   %d  "]
)
def test_header_names_count_in_any_case(header: bytes) -> None:
    body = json.dumps(MESSAGE).encode()
    stream = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + header % len(body)
    assert Framer().feed(stream + b"\r\n\r\n" + body) == [MESSAGE]


def test_lines_may_end_without_a_carriage_return() -> None:
    body = json.dumps(MESSAGE).encode()
    assert Framer().feed(b"Content-Length: %d\n\n" % len(body) + body) == [MESSAGE]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", "parseError"),
        (b"{", "parseError"),
        (b'{"a": NaN}', "parseError"),
        (b'{"a": "\xff"}', "parseError"),
        (b"[" * 100_000, "parseError"),
        (b"1" * 10_000, "parseError"),
        (b"[]", "invalidRequest"),
        (b"7", "invalidRequest"),
        (b"null", "invalidRequest"),
    ],
)
def test_a_body_that_is_no_json_object_is_a_fault_and_the_next_message_is_read(
    body: bytes, kind: str
) -> None:
    found = Framer().feed(b"Content-Length: %d\r\n\r\n" % len(body) + body + encode(MESSAGE))
    assert [getattr(found[0], "kind", None), found[1:]] == [kind, [MESSAGE]]


@pytest.mark.parametrize("msg_id", [7, "seven"])
def test_a_message_over_the_limit_is_skipped_and_its_id_kept(msg_id: str | int) -> None:
    large = {"method": "sidecar/turn/start", "jsonrpc": "2.0", "id": msg_id, "params": {"p": "x"}}
    large["params"] = {"prompt": "x" * MESSAGE_LIMIT_BYTES}
    stream = encode(large)
    length = int(stream.split(b"\r\n")[0].split(b":")[1])
    framer = Framer()
    found: list[Any] = []
    for position in range(0, len(stream), 65536):
        found += framer.feed(stream[position : position + 65536])
    found += framer.feed(encode(MESSAGE))
    text = f"a message of {length} bytes is over the limit of 1048576"
    assert found == [Fault("messageTooLarge", text, msg_id), MESSAGE]


def test_an_opened_document_may_be_larger_than_a_message() -> None:
    opened = {
        "jsonrpc": "2.0",
        "method": "textDocument/didOpen",
        "params": {"text": "x" * (MESSAGE_LIMIT_BYTES + 1)},
    }
    assert Framer().feed(encode(opened)) == [opened]


def test_a_length_nobody_can_mean_does_not_swallow_what_follows() -> None:
    stream = b"Content-Length: %d\r\n\r\n" % (DOCUMENT_LIMIT_BYTES * 1000) + encode(MESSAGE)
    found = Framer().feed(stream)
    assert [getattr(found[0], "kind", None), found[1:]] == ["parseError", [MESSAGE]]


def test_half_a_surrogate_pair_becomes_a_replacement_character_both_ways() -> None:
    body = b'{"lone": "\\ud83d", "pair": "\\ud83d\\ude00"}'
    received = Framer().feed(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert received == [{"lone": "\ufffd", "pair": "😀"}]
    sent = encode({"lone": "a\udc00b", "pair": "\ud83d\ude00"})
    assert Framer().feed(sent) == [{"lone": "a\ufffdb", "pair": "😀"}]


def test_text_goes_out_as_it_is_and_its_length_counts_bytes() -> None:
    assert encode({"t": "ä😀"}) == b'Content-Length: 14\r\n\r\n{"t":"\xc3\xa4\xf0\x9f\x98\x80"}'


def test_a_number_that_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode({"error_percent": float("nan")})
