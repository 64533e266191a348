from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sidecar.errors import FileConflict

if TYPE_CHECKING:
    from place import Place


async def test_b110_unsaved_work_is_a_conflict_until_somebody_chooses(place: Place) -> None:
    path = place.put("a.py", b"v1\n")
    before, left = await place.agent_writes({"a.py": b"v2\n"})
    uri = place.editor.open(path, "v2\n")
    place.editor.type(uri, "v2\nmine\n")
    restores = place.workspace.plan_restore(before, left)
    assert [(one.conflict, one.through, one.removed_lines) for one in restores] == [
        ("unsaved_buffer", "buffer", 2)
    ]
    with pytest.raises(FileConflict):
        await place.restore(restores)
    assert (place.editor.texts[uri], path.read_bytes()) == ("v2\nmine\n", b"v2\n")
    outcome = await place.restore(restores, {"a.py": "take"})
    assert (place.editor.texts[uri], path.read_bytes()) == ("v1\n", b"v2\n")
    assert [place.workspace.kept(state) for state in outcome.present] == [b"v2\nmine\n"]


async def test_what_the_agent_wrote_into_a_buffer_goes_back_through_the_buffer(
    place: Place,
) -> None:
    path = place.put("a.py", b"disk\n")
    uri = place.editor.open(path, "disk\n")
    place.editor.type(uri, "mine\n")
    before, left = await place.agent_writes({"a.py": b"mine\nand the agent's\n"})
    restores = place.workspace.plan_restore(before, left)
    assert [(one.conflict, one.through) for one in restores] == [(None, "buffer")]
    undone = await place.restore(restores)
    assert (place.editor.texts[uri], path.read_bytes()) == ("mine\n", b"disk\n")
    expected = {state.path: state for state in undone.files}
    await place.restore(place.workspace.plan_restore(undone.present, expected))
    assert (place.editor.texts[uri], path.read_bytes()) == ("mine\nand the agent's\n", b"disk\n")


async def test_a_buffer_that_refuses_takes_back_what_other_buffers_took(place: Place) -> None:
    paths = [place.put(name, b"v1\n") for name in ("a.py", "b.py", "c.py")]
    uris = [place.editor.open(path, "v1\n") for path in paths[:2]]
    for uri in uris:
        place.editor.type(uri, "mine\n")
    before, left = await place.agent_writes({"a.py": b"A\n", "b.py": b"B\n", "c.py": b"C\n"})
    place.editor.refuses.add(uris[1])
    with pytest.raises(FileConflict) as caught:
        await place.restore(place.workspace.plan_restore(before, left))
    assert [one["path"] for one in caught.value.data["conflicts"]] == ["b.py"]  # type: ignore[attr-defined]
    assert [place.editor.texts[uri] for uri in uris] == ["A\n", "B\n"]
    assert [path.read_bytes() for path in paths] == [b"v1\n", b"v1\n", b"C\n"]
    assert not place.intent_path.exists()


async def test_a_buffer_typed_into_since_the_preview_is_a_conflict(place: Place) -> None:
    path = place.put("a.py", b"v1\n")
    uri = place.editor.open(path, "v1\n")
    place.editor.type(uri, "mine\n")
    before, left = await place.agent_writes({"a.py": b"agent\n"})
    restores = place.workspace.plan_restore(before, left)
    place.editor.type(uri, "agent\nand more\n")
    with pytest.raises(FileConflict):
        await place.restore(restores)
    assert place.editor.texts[uri] == "agent\nand more\n"
