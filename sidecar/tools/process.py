"""One child process with a group of its own: bounded output, a deadline, a certain end.

Owns starting, reading, and ending the group.
Deliberately knows nothing of tools, shells or workspaces.

Invariant: when `run` returns or raises, no process of the group is left, whatever it ignored and
whoever held its pipe; memory is bounded by the size of `Tail`, whatever was printed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ_BYTES = 64 * 1024
# What a group has between being asked to end and being ended.
GRACE_SECONDS = 1.0
# What is in the pipe when the command ends comes at once; only a straggler makes us wait.
DRAIN_SECONDS = 0.25
_POLL_SECONDS = 0.02


@dataclass(slots=True)
class HeadAndTail:
    """The beginning and the end of a stream, and how many bytes lay between them."""

    head_bytes: int
    tail_bytes: int
    total_bytes: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        """More of the stream."""
        self.total_bytes += len(data)
        room = self.head_bytes - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        self.tail += data[-self.tail_bytes :]
        if len(self.tail) > 2 * self.tail_bytes:
            del self.tail[: -self.tail_bytes]

    def text(self) -> str:
        """Both ends as text, with a line that says what was left out."""
        tail = bytes(self.tail[-self.tail_bytes :])
        left_out = self.total_bytes - len(self.head) - len(tail)
        if not left_out:
            return bytes(self.head + tail).decode("utf-8", "replace")
        head_text = bytes(self.head).decode("utf-8", "ignore")
        tail_text = tail.decode("utf-8", "ignore")
        return f"{head_text}\n[... {left_out} bytes of output left out ...]\n{tail_text}"


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended: `exit_code` is negative for a signal, as in `subprocess`.

    `left_behind` says that processes of the group outlived the command and were ended.
    """

    exit_code: int
    output: str
    timed_out: bool
    left_behind: bool
    seconds: float


async def run(
    command: Sequence[str], *, folder: str, environment: Mapping[str, str], timeout_seconds: float,
    output: HeadAndTail,
) -> Ended:  # fmt: skip
    """Run a command to its end; stdout and stderr go into one stream, stdin is empty.

    A cancel ends the whole group before it goes on.
    Raises `OSError` where the command can't be started.
    """
    started = time.monotonic()
    reading, writing = os.pipe()
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=writing,
            stderr=writing,
            start_new_session=True,
        )
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    reader = _Reader(reading, output)
    timed_out = False
    try:
        try:
            async with asyncio.timeout(timeout_seconds):
                await process.wait()
        except TimeoutError:
            timed_out = True
        left_behind = not timed_out and _alive(process.pid)
        await _end_group(process)
        await reader.drained()
    except asyncio.CancelledError:
        with suppress(asyncio.CancelledError):  # A second cancel only shortens the grace.
            await _end_group(process)
        raise
    finally:
        _kill(process.pid)
        reader.close()
    seconds = time.monotonic() - started
    return Ended(await process.wait(), output.text(), timed_out, left_behind, seconds)


class _Reader:
    """Reads a pipe without ever waiting for its end, which a straggler may put off for ever."""

    def __init__(self, descriptor: int, output: HeadAndTail) -> None:
        self._descriptor = descriptor
        self._output = output
        self._ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        os.set_blocking(descriptor, False)
        self._loop.add_reader(descriptor, self._read)

    def _read(self) -> None:
        # One piece for each turn of the loop, so that endless output starves nobody.
        with suppress(BlockingIOError):
            data = os.read(self._descriptor, READ_BYTES)
            if data:
                self._output.feed(data)
            else:
                self._loop.remove_reader(self._descriptor)
                self._ended.set()

    async def drained(self) -> None:
        """Wait for the end of the stream, but not long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._ended.wait()

    def close(self) -> None:
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)


async def _end_group(process: asyncio.subprocess.Process) -> None:
    """Ask the group to end, then end it; returns when nothing of it is alive."""
    if _alive(process.pid):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        end = time.monotonic() + GRACE_SECONDS
        # The system tells nobody when the last process of a group is gone.
        while _alive(process.pid) and time.monotonic() < end:  # noqa: ASYNC110
            await asyncio.sleep(_POLL_SECONDS)
    _kill(process.pid)
    await process.wait()


def _alive(group: int) -> bool:
    """Whether the group has a process that still runs; one that nobody reaped yet does not."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    if not os.path.isdir("/proc/self"):
        return True
    return any(_runs_in(group, name) for name in os.listdir("/proc") if name.isdigit())


def _runs_in(group: int, process: str) -> bool:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            state, _parent, its_group = file.read().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(its_group) == group and state not in {b"Z", b"X"}


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
