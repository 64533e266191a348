"""Watching one file by its folder, so that the person's edits are seen at once.

Owns the watch of `AGENTS.md`.
Deliberately knows nothing of what the file is for.

Invariant: after the file changed in any way (edited, replaced by rename, created, deleted), the
callback runs at least once and sees the newest state; a folder that comes and goes ends nothing.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from watchfiles import awatch

from sidecar.workspace.states import signature

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

DEBOUNCE_MS = 50
STEP_MS = 10
LOOK_MS = 1000
_RETRY_SECONDS = 2.0


async def watch_file(path: Path, changed: Callable[[], Awaitable[None]]) -> None:
    """Call `changed` at the start and after each change of the file; runs until it is cancelled.

    Only the file's folder is watched, never what lies below it.
    """
    seen = _look(path)
    await changed()
    while True:
        with suppress(FileNotFoundError, NotADirectoryError):
            async for _ in awatch(
                path.parent,
                watch_filter=None,
                recursive=False,
                debounce=DEBOUNCE_MS,
                step=STEP_MS,
                rust_timeout=LOOK_MS,
                yield_on_timeout=True,
            ):
                # What happened is read from the file, never from the event: a rename that
                # replaces a file arrives as "added", a burst in part, and what happens before the
                # watch stands, or in a folder that was made anew, not at all.
                now = _look(path)
                if now != seen:
                    seen = now
                    await changed()
        await asyncio.sleep(_RETRY_SECONDS)


def _look(path: Path) -> tuple[int, int, int, int] | None:
    try:
        return signature(os.stat(path))
    except OSError:
        return None
