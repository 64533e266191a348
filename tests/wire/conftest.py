from __future__ import annotations

from typing import TYPE_CHECKING

import pytest_asyncio
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[WireClient]]]:
    """Starts daemons on one home folder; each is gone after the test."""
    clients: list[WireClient] = []

    async def starter(**options: object) -> WireClient:
        client = await WireClient.start(tmp_path / "home", **options)
        clients.append(client)
        return client

    yield starter
    for client in clients:
        await client.stop()


@pytest_asyncio.fixture
async def client(start: Callable[..., Awaitable[WireClient]], tmp_path: Path) -> WireClient:
    """One daemon, initialised by a client that opted in, on an empty workspace."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    started = await start()
    await started.initialize(workspace)
    return started
