"""The pace of what goes out unasked."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sidecar.outbox import INTERVAL_S, Outbox


class Sink:
    """Takes notifications with the time they came."""

    def __init__(self) -> None:
        self.revision = 0
        self.congested = False
        self.sent: list[tuple[float, str, dict[str, Any]]] = []
        self.arrived = asyncio.Event()
        self.outbox = Outbox(self.take, self.snapshot, lambda: self.congested)

    def take(self, method: str, params: dict[str, Any]) -> None:
        self.sent.append((asyncio.get_running_loop().time(), method, params))
        self.arrived.set()

    def snapshot(self, session_id: str) -> dict[str, Any] | None:
        return None if session_id == "gone" else {"sessionId": session_id, "rev": self.revision}

    def change(self) -> None:
        self.revision += 1
        self.outbox.changed("s")

    def of(self, method: str) -> list[dict[str, Any]]:
        return [params for _, name, params in self.sent if name == method]

    def states(self) -> list[int]:
        return [params["rev"] for params in self.of("sidecar/session/changed")]


async def until(sink: Sink, revision: int) -> None:
    async with asyncio.timeout(10):
        while not sink.states() or sink.states()[-1] < revision:
            sink.arrived.clear()
            await sink.arrived.wait()


async def test_a_thousand_changes_become_few_states_and_the_last_one_goes_out() -> None:
    sink = Sink()
    for _ in range(1000):
        sink.change()
        await asyncio.sleep(0)
    await until(sink, 1000)
    times = [at for at, _, _ in sink.sent]
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert all(gap >= INTERVAL_S * 0.95 for gap in gaps)
    assert sink.states()[-1] == 1000
    assert len(sink.states()) <= 2 + (times[-1] - times[0]) / INTERVAL_S


async def test_what_is_sent_is_the_state_at_the_moment_of_sending() -> None:
    sink = Sink()
    sink.change()
    sink.revision = 7
    await until(sink, 7)
    assert sink.states() == [7]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=5), st.booleans()), max_size=40))
async def test_joined_deltas_are_the_text_and_their_index_has_no_gap(
    pieces: list[tuple[str, str, bool]],
) -> None:
    sink = Sink()
    for item, text, flush in pieces:
        sink.outbox.delta("s", "t1", item, "text", text, done=False)
        if flush:
            sink.outbox.flush()
    for item in "ab":
        sink.outbox.delta("s", "t1", item, "text", "", done=True)
    sink.outbox.flush()
    for item in "ab":
        deltas = [d for d in sink.of("sidecar/turn/delta") if d["itemId"] == item]
        assert "".join(d["text"] for d in deltas) == "".join(t for i, t, _ in pieces if i == item)
        assert [d["index"] for d in deltas] == list(range(len(deltas)))
        assert [d["done"] for d in deltas] == [False] * (len(deltas) - 1) + [True]


async def test_the_text_of_a_turn_goes_out_before_the_state_that_ends_it() -> None:
    sink = Sink()
    sink.outbox.delta("s", "t1", "m1.0", "text", "hello", done=True)
    sink.change()
    sink.outbox.flush()
    assert [method for _, method, _ in sink.sent] == [
        "sidecar/turn/delta",
        "sidecar/session/changed",
    ]


async def test_a_congested_writer_gets_nothing_until_it_has_drained_and_then_the_newest() -> None:
    sink = Sink()
    sink.congested = True
    for _ in range(50):
        sink.change()
        sink.outbox.delta("s", "t1", "m1.0", "text", "x", done=False)
        await asyncio.sleep(0)
    assert sink.sent == []
    sink.congested = False
    sink.outbox.drained()
    await until(sink, 50)
    assert sink.states() == [50]
    assert [d["text"] for d in sink.of("sidecar/turn/delta")] == ["x" * 50]


async def test_text_that_nobody_reads_is_dropped_with_a_gap_in_the_index() -> None:
    sink = Sink()
    sink.outbox.delta("s", "t1", "m1.0", "text", "start", done=False)
    sink.outbox.flush()
    sink.congested = True
    for _ in range(200):
        sink.outbox.delta("s", "t1", "m1.0", "text", "y" * 1024, done=False)
    sink.outbox.delta("s", "t1", "m1.0", "text", "", done=True)
    sink.congested = False
    sink.outbox.flush()
    deltas = sink.of("sidecar/turn/delta")
    assert [(d["index"], d["done"]) for d in deltas] == [(0, False), (2, True)]
    assert len(deltas[1]["text"]) <= 131_072


async def test_a_session_that_is_forgotten_sends_what_waits_and_then_nothing() -> None:
    sink = Sink()
    sink.outbox.delta("s", "t1", "m1.0", "text", "bye", done=True)
    sink.outbox.forget("s")
    sink.outbox.drained()
    assert [d["text"] for d in sink.of("sidecar/turn/delta")] == ["bye"]


async def test_a_session_that_is_gone_has_no_state_to_send() -> None:
    sink = Sink()
    sink.outbox.changed("gone")
    sink.outbox.flush()
    assert sink.sent == []


async def test_notices_go_out_at_once_and_each_of_them() -> None:
    sink = Sink()
    sink.outbox.notice("s", "notSaved", "warning", "the disk is full")
    sink.outbox.notice("", "watch", "info", "again")
    assert sink.of("sidecar/notice") == [
        {
            "sessionId": "s",
            "kind": "notSaved",
            "severity": "warning",
            "text": "the disk is full",
        },
        {"sessionId": "", "kind": "watch", "severity": "info", "text": "again"},
    ]
