"""The two pipes to the editor: reading thread, writing thread, and whether the parent lives.

Owns file descriptors 0 and 1: from `claim_stdio` on nothing else reads or writes them.
Deliberately knows no method and no pygls: it hands over decoded JSON objects and faults.

Invariant: `Writer.write` never waits, so a client that doesn't read can't stop the loop.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

from sidecar.framing import Framer

if TYPE_CHECKING:
    from collections.abc import Callable

    from sidecar.framing import Fault

_CHUNK_BYTES = 1 << 16
_CHUNKS_IN_FLIGHT = 16
# Above the first mark the outbox holds state and deltas back, below the second it goes on.
CONGESTED_BYTES = 1 << 20
DRAINED_BYTES = 1 << 18


class Writer:
    """Writes in a thread of its own, in order; `write` only queues.

    `on_drained` is called in the loop once the queue has emptied after it was congested,
    `on_broken` once the reader is gone.
    """

    def __init__(
        self, fd: int, on_drained: Callable[[], None], on_broken: Callable[[], None]
    ) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._on_drained = on_drained
        self._on_broken = on_broken
        self._queue: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._broken = False
        self._was_congested = False
        self.pending_bytes = 0
        self._thread = threading.Thread(target=self._run, name="stdout", daemon=True)
        self._thread.start()

    @property
    def congested(self) -> bool:
        """Whether so much waits that only answers should be added."""
        return self.pending_bytes > CONGESTED_BYTES

    def write(self, data: bytes) -> None:
        """Queue these bytes; dropped without a word once the reader is gone."""
        with self._changed:
            if self._broken or self._closing:
                return
            self._queue.append(data)
            self.pending_bytes += len(data)
            self._was_congested = self._was_congested or self.congested
            self._changed.notify()

    def close(self, timeout_s: float = 1.0) -> None:
        """Write what waits, but wait no longer than this for a reader."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._queue or self._closing)
                if not self._queue:
                    return
                data = self._queue.popleft()
            if not self._written(data):
                return
            with self._changed:
                self.pending_bytes -= len(data)
                drained = self._was_congested and self.pending_bytes < DRAINED_BYTES
                self._was_congested = self._was_congested and not drained
            if drained:
                self._call(self._on_drained)

    def _written(self, data: bytes) -> bool:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            with self._changed:
                self._broken = True
                self._queue.clear()
                self.pending_bytes = 0
            self._call(self._on_broken)
            return False
        return True

    def _call(self, function: Callable[[], None]) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function)


def start_reader(
    fd: int, on_messages: Callable[[list[dict[str, Any] | Fault]], None], on_end: Callable[[], None]
) -> None:
    """Read in a thread; both callbacks run in the loop.

    What one `read` brings is handed over at once, so that a cancel in the same packet is known
    before the request it cancels has begun to run.
    """
    loop = asyncio.get_running_loop()
    room = threading.Semaphore(_CHUNKS_IN_FLIGHT)

    def deliver(messages: list[dict[str, Any] | Fault]) -> None:
        room.release()
        on_messages(messages)

    def read() -> None:
        framer = Framer()
        try:
            while data := os.read(fd, _CHUNK_BYTES):
                messages = framer.feed(data)
                if messages:
                    room.acquire()
                    loop.call_soon_threadsafe(deliver, messages)
        except OSError:
            pass  # a pipe that broke ended as well
        finally:
            if not loop.is_closed():
                loop.call_soon_threadsafe(on_end)

    threading.Thread(target=read, name="stdin", daemon=True).start()


def claim_stdio() -> tuple[int, int]:
    """Take 0 and 1 for the protocol: returns private (in, out) that no child inherits.

    From here on fd 0 is empty and fd 1 is stderr, for this process and for every child.
    """
    sys.stdout.flush()
    protocol_in, protocol_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:
        os.dup2(nothing, 2)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    for fd in (protocol_in, protocol_out):
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - exists there only

            msvcrt.setmode(fd, os.O_BINARY)
        else:
            os.set_blocking(fd, True)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    return protocol_in, protocol_out


async def gone(pid: int, poll_s: float = 2.0) -> None:
    """Return once this process has ended; never, where that can't be known.

    A pid that is not alive at the start comes from another pid namespace and says nothing.
    """
    if sys.platform == "win32" or not _alive(pid):  # signal 0 would end a process on Windows
        await asyncio.Event().wait()
    if hasattr(os, "pidfd_open"):
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        fd = os.pidfd_open(pid)
        loop.add_reader(fd, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(fd)
            os.close(fd)
        return
    while _alive(pid):  # noqa: ASYNC110 - no event tells of another process's end here
        await asyncio.sleep(poll_s)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True
