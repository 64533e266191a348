"""The format on disk is a contract: golden files of every version, and the sample in the docs."""

from __future__ import annotations

import json
import re
import typing
from pathlib import Path
from typing import Any

from golden_entries import V1, V1_ENTRIES

from sidecar.core import events
from sidecar.store.codec import decode_line, encode_line
from sidecar.store.journal import JournalReader

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs" / "session-format.md"


def only_fields_of(was: Any, now: Any) -> Any:
    """`now` without the fields that were added since `was` was written."""
    if isinstance(was, dict) and isinstance(now, dict):
        return {key: only_fields_of(was[key], now.get(key)) for key in was}
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [only_fields_of(*pair) for pair in zip(was, now, strict=True)]
    return now


def test_the_golden_journal_of_version_1_reads_as_it_always_did() -> None:
    reader = JournalReader(HERE / "golden" / "v1.jsonl")
    assert list(reader) == V1_ENTRIES
    assert reader.problems == []


def test_today_writes_every_field_of_version_1_as_version_1_did() -> None:
    golden = (HERE / "golden" / "v1.jsonl").read_bytes().split(b"\n")[:-1]
    for line, entry in zip(golden, V1_ENTRIES, strict=True):
        was, now = json.loads(line), json.loads(encode_line(entry))
        assert only_fields_of(was, now) == was


def test_the_golden_journal_has_every_event() -> None:
    assert {type(event) for event in V1} == set(typing.get_args(events.Event))


def test_the_sample_in_the_document_is_a_journal_without_a_problem() -> None:
    (sample,) = re.findall(r"```jsonl\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    lines = sample.encode().split(b"\n")[:-1]
    decoded = [decode_line(line) for line in lines]
    assert [problems for _, problems in decoded] == [[]] * len(lines)
    for line, ((entry,), _) in zip(lines, decoded, strict=True):
        was = json.loads(line)
        assert only_fields_of(was, json.loads(encode_line(entry))) == was
    kinds = [type(entry.event) for entries, _ in decoded for entry in entries]
    assert kinds[0] is events.SessionStarted
    assert {events.Added, events.Measured, events.Checkpointed, events.TurnEnded} <= set(kinds)


def test_the_document_names_every_event_and_every_field() -> None:
    text = DOCUMENT.read_text("utf-8")
    documented = {
        name: re.findall(r"`(\w+)`", cell)
        for name, cell in re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE)
    }
    expected = {}
    for entry in V1_ENTRIES:
        raw = re.findall(rb'"type":"(\w+)"', encode_line(entry))[0].decode()
        expected[raw] = list(type(entry.event).__dataclass_fields__)
    assert {name: documented.get(name) for name in expected} == expected
