"""A client of the real process: speaks JSON-RPC over its pipes and keeps all it was sent.

A request that waits when the process ends fails with its exit code and its stderr, so that a test
never hangs on a dead daemon.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

DEADLINE_S = 30.0
OPTED_IN = {"experimental": {"sidecar": {"protocolVersions": ["1.0"]}}}


class WireError(Exception):
    """An error answer."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.kind: str = error["data"]["kind"]
        self.details: dict[str, Any] = error["data"]["details"]


class DaemonEnded(Exception):
    """The process is gone; the message has its exit code and stderr."""


def framed(message: Any) -> bytes:
    body = json.dumps(message, ensure_ascii=False).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class WireClient:
    """One process and the conversation with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.received: list[dict[str, Any]] = []
        self.stderr = bytearray()
        self.reading = asyncio.Event()
        self.reading.set()
        self.ended = asyncio.Event()
        self._answers: dict[str | int, asyncio.Future[dict[str, Any]]] = {}
        self._arrived = asyncio.Condition()
        self._responders: dict[str, Callable[[Any], Awaitable[Any]]] = {}
        self._ids = itertools.count(1)
        self._tasks = [
            asyncio.create_task(self._read()),
            asyncio.create_task(self._read_stderr()),
        ]

    @classmethod
    async def start(
        cls,
        home: Path,
        *,
        command: list[str] | None = None,
        arguments: list[str] | None = None,
        env: dict[str, str] | None = None,
    ) -> WireClient:
        process = await asyncio.create_subprocess_exec(
            *(command or [sys.executable, "-m", "sidecar", "serve", "--stdio"]),
            *(arguments or []),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "SIDECAR_HOME": str(home), **(env or {})},
            limit=1 << 26,
        )
        return cls(process)

    async def initialize(
        self,
        workspace: Path | None = None,
        *,
        capabilities: dict[str, Any] | None = None,
        **params: Any,
    ) -> dict[str, Any]:
        folders = None
        if workspace is not None:
            folders = [{"uri": workspace.as_uri(), "name": workspace.name}]
        result = await self.request(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "workspaceFolders": folders,
                "capabilities": OPTED_IN if capabilities is None else capabilities,
                **params,
            },
        )
        self.notify("initialized", {})
        return result

    # --- out ---

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def send(self, message: Any) -> None:
        self.send_bytes(framed(message))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def post(
        self, method: str, params: Any = None, *, msg_id: str | int | None = None
    ) -> asyncio.Future[Any]:
        """Send a request; the future is its result, or raises `WireError` or `DaemonEnded`."""
        number = next(self._ids) if msg_id is None else msg_id
        future = self.expect(number)
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return future

    def expect(self, msg_id: str | int) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._answers[msg_id] = future
        return future

    async def request(self, method: str, params: Any = None) -> Any:
        async with asyncio.timeout(DEADLINE_S):
            return await self.post(method, params)

    # --- in ---

    def respond_to(self, method: str, responder: Callable[[Any], Awaitable[Any]]) -> None:
        self._responders[method] = responder

    def notifications(self, method: str) -> list[Any]:
        return [m["params"] for m in self.received if m.get("method") == method and "id" not in m]

    def requests(self, method: str) -> list[dict[str, Any]]:
        return [m for m in self.received if m.get("method") == method and "id" in m]

    def answers(self, msg_id: str | int) -> list[dict[str, Any]]:
        return [m for m in self.received if "method" not in m and m["id"] == msg_id]

    async def arrival(self, predicate: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first message, past or to come, that fulfils the predicate."""
        async with asyncio.timeout(DEADLINE_S), self._arrived:
            while True:
                for message in self.received:
                    if predicate(message):
                        return message
                if self.ended.is_set():
                    raise self._death()
                await self._arrived.wait()

    async def state(self, session_id: str, predicate: Callable[[Any], bool]) -> dict[str, Any]:
        """The first `session/changed` of a session whose state fulfils the predicate."""

        def fits(message: dict[str, Any]) -> bool:
            params = message.get("params")
            return (
                message.get("method") == "sidecar/session/changed"
                and params["sessionId"] == session_id
                and predicate(params["state"])
            )

        found: dict[str, Any] = (await self.arrival(fits))["params"]
        return found

    async def _read(self) -> None:
        assert self.process.stdout is not None
        try:
            while True:
                await self.reading.wait()
                length = 0
                while (line := await self.process.stdout.readline()).strip():
                    name, _, value = line.partition(b":")
                    assert name == b"Content-Length", f"not the protocol: {line!r}"
                    length = int(value)
                if not line:
                    break
                await self._take(json.loads(await self.process.stdout.readexactly(length)))
        finally:
            await self._finish()

    async def _take(self, message: dict[str, Any]) -> None:
        async with self._arrived:
            self.received.append(message)
            self._arrived.notify_all()
        if "method" in message:
            if "id" in message and message["method"] in self._responders:
                self._tasks.append(asyncio.create_task(self._respond(message)))
            return
        future = self._answers.pop(message["id"], None)
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(WireError(message["error"]))
        else:
            future.set_result(message["result"])

    async def _respond(self, message: dict[str, Any]) -> None:
        result = await self._responders[message["method"]](message["params"])
        self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(65536):
            self.stderr += data

    async def _finish(self) -> None:
        await self.process.wait()
        self.ended.set()
        for future in self._answers.values():
            if not future.done():
                future.set_exception(self._death())
        async with self._arrived:
            self._arrived.notify_all()

    def _death(self) -> DaemonEnded:
        tail = self.stderr.decode(errors="replace")[-4000:]
        return DaemonEnded(f"the daemon ended with {self.process.returncode}\n{tail}")

    # --- life ---

    async def shutdown(self) -> int:
        """End in order, as an editor does; returns the exit code."""
        await self.request("shutdown")
        self.notify("exit")
        return await self.exit_code()

    async def exit_code(self) -> int:
        async with asyncio.timeout(DEADLINE_S):
            return await self.process.wait()

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        self.reading.set()
        await self.process.wait()
        await asyncio.wait(self._tasks, timeout=DEADLINE_S)
        for future in self._answers.values():
            future.cancel()
