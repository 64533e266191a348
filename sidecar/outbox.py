"""What goes out unasked: snapshots and deltas, merged so that no client is flooded.

Owns the pace: per session one flush every 50 ms, with at most one state and one batch of deltas,
and none at all while the writer is congested.
Deliberately knows no session and no projection: `snapshot` gives the newest state as JSON when
it is about to go out, so what is sent is never older than the moment of sending.

Invariant: after the last `changed` a state goes out that is at least as new; the deltas of an item
carry `index` 0, 1, 2, ... and their texts joined are the item's, unless a reader was so slow that
text was dropped, which leaves a gap in `index`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

INTERVAL_S = 0.05
# More than this of one item waits only for a client that doesn't read; it reads the item instead.
_PENDING_CHARACTERS = 1 << 17


@dataclass(slots=True)
class _Stream:
    """One item's unsent text."""

    turn_id: str
    kind: str
    index: int = 0
    texts: list[str] = field(default_factory=list)
    characters: int = 0
    done: bool = False


@dataclass(slots=True)
class _Channel:
    """What waits for one session."""

    changed: bool = False
    streams: dict[str, _Stream] = field(default_factory=dict)
    flushed_at_s: float = float("-inf")
    timer: asyncio.TimerHandle | None = None

    def waits(self) -> bool:
        return self.changed or any(s.texts or s.done for s in self.streams.values())


class Outbox:
    """Notifications of all sessions; every method is called in the loop.

    `send(method, params)` sends one, `snapshot(session_id)` gives the params of
    `sidecar/session/changed` or None where the session is gone.
    """

    def __init__(
        self,
        send: Callable[[str, dict[str, Any]], None],
        snapshot: Callable[[str], Mapping[str, Any] | None],
        congested: Callable[[], bool],
    ) -> None:
        self._send = send
        self._snapshot = snapshot
        self._congested = congested
        self._channels: dict[str, _Channel] = {}
        self._list_changed = False

    def changed(self, session_id: str) -> None:
        """The session's state moved."""
        self._channel(session_id).changed = True
        self._schedule(session_id)

    def delta(  # noqa: PLR0913, PLR0917 - the fields of the notification
        self,
        session_id: str,
        turn_id: str,
        item_id: str,
        kind: str,
        text: str,
        done: bool,  # noqa: FBT001
    ) -> None:
        """More of an item; `done` after its last piece."""
        streams = self._channel(session_id).streams
        stream = streams.setdefault(item_id, _Stream(turn_id, kind))
        stream.done = stream.done or done
        if text:
            stream.texts.append(text)
            stream.characters += len(text)
        if stream.characters > _PENDING_CHARACTERS:
            stream.texts.clear()
            stream.characters = 0
            stream.index += 1
        self._schedule(session_id)

    def notice(self, session_id: str, kind: str, severity: str, text: str) -> None:
        """Tell the person once; never merged, never dropped."""
        self._send(
            "sidecar/notice",
            {"sessionId": session_id, "kind": kind, "severity": severity, "text": text},
        )

    def sessions_changed(self) -> None:
        """The list of sessions moved; one notification for whatever happens in this round."""
        if not self._list_changed:
            self._list_changed = True
            asyncio.get_running_loop().call_later(INTERVAL_S, self._send_list)

    def forget(self, session_id: str) -> None:
        """The session was closed: send what waits, then keep nothing of it."""
        channel = self._channels.get(session_id)
        if channel is None:
            return
        if channel.timer is not None:
            channel.timer.cancel()
        self._flush(session_id)
        self._channels.pop(session_id, None)

    def drained(self) -> None:
        """The writer has room again."""
        for session_id in self._channels:
            self._schedule(session_id)

    def flush(self) -> None:
        """Send all that waits now, at the end of the process."""
        for session_id in list(self._channels):
            self._flush(session_id)

    def _channel(self, session_id: str) -> _Channel:
        return self._channels.setdefault(session_id, _Channel())

    def _schedule(self, session_id: str) -> None:
        channel = self._channel(session_id)
        if channel.timer is None and channel.waits() and not self._congested():
            loop = asyncio.get_running_loop()
            due_s = max(channel.flushed_at_s + INTERVAL_S, loop.time())
            channel.timer = loop.call_at(due_s, self._on_timer, session_id)

    def _on_timer(self, session_id: str) -> None:
        self._channel(session_id).timer = None
        if not self._congested():
            self._flush(session_id)

    def _flush(self, session_id: str) -> None:
        channel = self._channel(session_id)
        channel.flushed_at_s = asyncio.get_running_loop().time()
        for item_id, stream in list(channel.streams.items()):
            if stream.texts or stream.done:
                self._send_delta(session_id, item_id, stream)
            if stream.done:
                del channel.streams[item_id]
        if channel.changed:
            channel.changed = False
            state = self._snapshot(session_id)
            if state is not None:
                self._send("sidecar/session/changed", dict(state))

    def _send_delta(self, session_id: str, item_id: str, stream: _Stream) -> None:
        self._send(
            "sidecar/turn/delta",
            {
                "sessionId": session_id,
                "turnId": stream.turn_id,
                "itemId": item_id,
                "index": stream.index,
                "kind": stream.kind,
                "text": "".join(stream.texts),
                "done": stream.done,
            },
        )
        stream.index += 1
        stream.texts.clear()
        stream.characters = 0

    def _send_list(self) -> None:
        self._list_changed = False
        self._send("sidecar/sessions/changed", {})
