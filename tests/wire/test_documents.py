"""Open documents: LSP positions and edits, against a model that works on UTF-16 units."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from sidecar.documents import (
    Documents,
    Editor,
    changed_text,
    offset_at,
    position_at,
    smallest_edit,
)

URI = "file:///w/a.py"
ENCODINGS = ["utf-8", "utf-16", "utf-32"]
parts = st.sampled_from(["a", "b", "\n", "\r", "\r\n", "é", "😀", "\u2028", "\x0c", "\x85"])
texts = st.lists(parts, max_size=30).map("".join)


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> Any:
    return types.TextDocumentContentChangePartial(
        types.Range(types.Position(*start), types.Position(*end)), text
    )


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=80)
@given(text=texts, data=st.data())
def test_every_index_survives_the_way_to_a_position_and_back(
    encoding: str, text: str, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[max(0, offset - 1) : offset + 1] == "\r\n":
        return  # no position points between CR and LF
    position = position_at(text, offset, encoding)
    assert offset_at(text, position["line"], position["character"], encoding) == offset


@pytest.mark.parametrize("encoding", ENCODINGS)
@settings(max_examples=80)
@given(old=texts, new=texts)
def test_the_smallest_edit_applied_to_the_old_text_gives_the_new_one(
    encoding: str, old: str, new: str
) -> None:
    edit = smallest_edit(old, new, encoding)
    start, end = edit["range"]["start"], edit["range"]["end"]
    applied = change(
        (start["line"], start["character"]), (end["line"], end["character"]), edit["newText"]
    )
    assert changed_text(old, [applied], encoding) == new


@pytest.mark.parametrize(
    ("text", "line", "character", "encoding", "offset"),
    [
        ("a😀b", 0, 3, "utf-16", 2),
        ("a😀b", 0, 2, "utf-16", 1),  # inside the pair: before it
        ("a😀b", 0, 5, "utf-8", 2),
        ("a😀b", 0, 2, "utf-32", 2),
        ("ab\ncd", 0, 99, "utf-16", 2),
        ("ab\r\ncd", 0, 99, "utf-16", 2),
        ("ab\ncd", 99, 0, "utf-16", 5),
        ("a\x0cb\u2028c\x85d\ne", 1, 1, "utf-16", 9),
        ("a\rb\r\nc\nd", 3, 1, "utf-16", 8),
    ],
)
def test_positions_count_units_and_lines_end_only_where_lsp_says(
    text: str, line: int, character: int, encoding: str, offset: int
) -> None:
    assert offset_at(text, line, character, encoding) == offset


def test_changes_of_one_notification_apply_one_after_the_other() -> None:
    changes = [
        change((0, 0), (0, 0), "x\n"),
        change((1, 1), (1, 2), "Z"),
        types.TextDocumentContentChangeWholeDocument("whole\n"),
        change((1, 0), (1, 0), "end"),
    ]
    assert changed_text("abc", changes[:2], "utf-16") == "x\naZc"
    assert changed_text("abc", changes, "utf-16") == "whole\nend"


class Recorder:
    """Buffers that only remember what they were told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def opened(self, uri: str, text: str, version: int) -> None:
        self.told.append(("opened", uri, text, version))

    def changed(self, uri: str, text: str, version: int) -> None:
        self.told.append(("changed", uri, text, version))

    def saved(self, uri: str, text: str | None = None) -> None:
        self.told.append(("saved", uri, text))

    def closed(self, uri: str) -> None:
        self.told.append(("closed", uri))


def opened(documents: Documents, text: str) -> None:
    item = types.TextDocumentItem(URI, "python", 1, text)
    documents.did_open(types.DidOpenTextDocumentParams(item))


def edited(documents: Documents, version: int, *changes: Any) -> None:
    identifier = types.VersionedTextDocumentIdentifier(version=version, uri=URI)
    documents.did_change(types.DidChangeTextDocumentParams(identifier, list(changes)))


def test_buffers_that_come_late_are_told_all_that_happened_in_order() -> None:
    documents, buffers = Documents(), Recorder()
    opened(documents, "abc")
    edited(documents, 2, change((0, 3), (0, 3), "d"))
    documents.attach(buffers)
    identifier = types.TextDocumentIdentifier(URI)
    documents.did_save(types.DidSaveTextDocumentParams(identifier))
    documents.did_close(types.DidCloseTextDocumentParams(identifier))
    assert buffers.told == [
        ("opened", URI, "abc", 1),
        ("changed", URI, "abcd", 2),
        ("saved", URI, None),
        ("closed", URI),
    ]
    assert documents.get(URI) is None


def test_a_change_of_a_document_that_is_not_open_is_ignored() -> None:
    documents, buffers = Documents(), Recorder()
    documents.attach(buffers)
    edited(documents, 2, change((0, 0), (0, 0), "x"))
    assert (buffers.told, documents.get(URI)) == ([], None)


async def test_only_an_open_document_at_the_very_version_is_edited_and_a_refusal_is_told() -> None:
    documents = Documents()
    opened(documents, "one\ntwo\n")
    asked: list[Any] = []
    answer: Any = {"applied": True}

    async def ask(method: str, params: dict[str, Any]) -> Any:
        asked.append((method, params))
        return answer

    editor = Editor(documents, ask)
    assert not await editor.apply_edit(URI, 1, "one\n2\n")  # the client said no such capability
    editor.can_apply = editor.versioned = True
    assert not await editor.apply_edit(URI, 7, "one\n2\n")  # another version
    assert not await editor.apply_edit("file:///w/b.py", 1, "one\n2\n")
    assert asked == []
    assert await editor.apply_edit(URI, 1, "one\n2\n")
    span = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}}
    change_of_one = {
        "textDocument": {"uri": URI, "version": 1},
        "edits": [{"range": span, "newText": "2"}],
    }
    edit = {"label": "Sidecar", "edit": {"documentChanges": [change_of_one]}}
    assert asked == [("workspace/applyEdit", edit)]
    for answer in ({"applied": False, "failureReason": "moved"}, None, "yes"):  # noqa: B007
        assert not await editor.apply_edit(URI, 1, "one\n3\n")
