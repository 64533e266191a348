from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from sidecar.workspace.watch import watch_file

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


class Seen:
    """What the callback found in the file, and a way to wait for it."""

    def __init__(self, path: Path) -> None:
        self.texts: list[str | None] = []
        self._path = path
        self._more = asyncio.Event()

    async def changed(self) -> None:
        self.texts.append(self._path.read_text() if self._path.exists() else None)
        self._more.set()

    async def until(self, text: str | None) -> None:
        async with asyncio.timeout(10):
            while not self.texts or self.texts[-1] != text:
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def watched(path: Path) -> AsyncIterator[Seen]:
    seen = Seen(path)
    task = asyncio.create_task(watch_file(path, seen.changed))
    await seen.until(None)
    try:
        yield seen
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()


async def test_every_kind_of_change_is_told_and_sees_the_newest_state(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    async with watched(path) as seen:
        path.write_text("edited")
        await seen.until("edited")
        (tmp_path / "new").write_text("replaced by rename")
        (tmp_path / "new").rename(path)
        await seen.until("replaced by rename")
        path.unlink()
        await seen.until(None)
        path.write_text("created again")
        await seen.until("created again")


async def test_other_files_and_folders_below_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    (tmp_path / "sub").mkdir()
    async with watched(path) as seen:
        told = len(seen.texts)
        (tmp_path / "other.md").write_text("x")
        (tmp_path / "sub" / "AGENTS.md").write_text("x")
        path.write_text("the one")
        await seen.until("the one")
        assert {*seen.texts[told:]} <= {"", "the one"}  # A write may be seen half done.


async def test_a_folder_that_is_made_anew_is_still_watched(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "AGENTS.md"
    path.parent.mkdir()
    async with watched(path) as seen:
        path.write_text("there")
        await seen.until("there")
        path.unlink()
        path.parent.rmdir()
        await seen.until(None)
        path.parent.mkdir()
        path.write_text("again")
        await seen.until("again")
