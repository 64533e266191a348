from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sidecar.errors import FileConflict
from sidecar.workspace.buffers import path_of

if TYPE_CHECKING:
    from place import Place


def test_an_open_document_that_is_like_its_file_leaves_the_disk_in_charge(place: Place) -> None:
    path = place.put("a.py", b"\xef\xbb\xbfone\r\ntwo\r\n")
    place.editor.open(path, "one\r\ntwo\r\n")
    assert place.workspace.unsaved() == {}
    path.write_bytes(b"another program wrote this")
    assert place.workspace.read_bytes("a.py") == b"another program wrote this"


def test_unsaved_text_is_read_in_the_files_own_encoding(place: Place) -> None:
    path = place.put("a.py", b"\xef\xbb\xbfone\r\n")
    uri = place.editor.open(path, "one\r\n")
    place.editor.type(uri, "one\r\nzw\u00f6lf\r\n")
    assert place.workspace.read_bytes("a.py") == b"\xef\xbb\xbfone\r\nzw\xc3\xb6lf\r\n"
    assert place.workspace.unsaved() == {"a.py": b"\xef\xbb\xbfone\r\nzw\xc3\xb6lf\r\n"}


def test_unsaved_text_of_a_legacy_file_keeps_its_encoding(place: Place) -> None:
    path = place.put("a.txt", b"caf\xe9\n")
    uri = place.editor.open(path, "caf\u00e9\n")
    place.editor.type(uri, "caf\u00e9s\n")
    assert place.workspace.read_bytes("a.txt") == b"caf\xe9s\n"


def test_a_document_that_was_unsaved_when_it_was_opened_counts_as_unsaved(place: Place) -> None:
    place.editor.open(place.put("a.py", b"old\n"), "hot exit\n")
    assert place.workspace.read_bytes("a.py") == b"hot exit\n"


def test_an_editor_that_misreads_a_legacy_file_has_nothing_unsaved(place: Place) -> None:
    place.editor.open(place.put("a.txt", b"caf\xe9\n"), "caf\ufffd\n")
    assert place.workspace.read_bytes("a.txt") == b"caf\xe9\n"


def test_saving_closing_and_undoing_give_the_disk_its_place_back(place: Place) -> None:
    path = place.put("a.py", b"old\n")
    uri = place.editor.open(path, "old\n")
    place.editor.type(uri, "new\n")
    assert place.buffers.unsaved(str(path)) == "new\n"
    place.editor.type(uri, "old\n")
    assert place.buffers.unsaved(str(path)) is None
    place.editor.type(uri, "new\n")
    place.editor.save(uri, path)
    assert place.buffers.unsaved(str(path)) is None
    place.editor.type(uri, "newer\n")
    place.buffers.closed(uri)
    assert place.buffers.unsaved(str(path)) is None


def test_a_document_is_found_by_any_spelling_of_its_uri(place: Place) -> None:
    path = place.put("a b.py", b"old\n")
    plain = path.as_uri()
    other = plain.replace("a%20b", "%61%20b").replace("file://", "FILE://")
    place.buffers.opened(other, "new\n", 4)
    assert place.buffers.unsaved(str(path)) == "new\n"
    assert place.buffers.document(str(path)) == (other, 4)
    assert path_of("untitled:Untitled-1") == ""


async def test_b109_an_edit_of_an_unsaved_document_goes_through_the_editor(place: Place) -> None:
    path = place.put("a.py", b"old\n")
    uri = place.editor.open(path, "old\n")
    place.editor.type(uri, "old\nmine, unsaved\n")
    await place.workspace.write_bytes("a.py", b"new\nmine, unsaved\n")
    assert place.editor.texts[uri] == "new\nmine, unsaved\n"
    assert path.read_bytes() == b"old\n"


async def test_b109_a_refused_edit_leaves_unsaved_text_and_disk_alone(place: Place) -> None:
    path = place.put("a.py", b"old\n")
    uri = place.editor.open(path, "old\n")
    place.editor.type(uri, "mine\n")
    place.editor.refuses.add(uri)
    with pytest.raises(FileConflict) as caught:
        await place.workspace.write_bytes("a.py", b"new\n")
    assert caught.value.data == {
        "conflicts": [
            {"path": "a.py", "conflict": "unsaved_buffer", "detail": "the editor refused the edit"}
        ]
    }
    assert place.editor.texts[uri] == "mine\n"
    assert path.read_bytes() == b"old\n"


async def test_bytes_that_an_editor_cannot_show_are_refused_while_it_holds_unsaved_text(
    place: Place,
) -> None:
    path = place.put("a.py", b"old\n")
    uri = place.editor.open(path, "old\n")
    place.editor.type(uri, "mine\n")
    with pytest.raises(FileConflict):
        await place.workspace.write_bytes("a.py", b"\x00\x01")
    assert (place.editor.texts[uri], path.read_bytes()) == ("mine\n", b"old\n")


async def test_a_saved_document_is_written_on_disk_only(place: Place) -> None:
    path = place.put("a.py", b"old\n")
    place.editor.open(path, "old\n")
    await place.workspace.write_bytes("a.py", b"new\n")
    assert (place.editor.edits, path.read_bytes()) == ([], b"new\n")
