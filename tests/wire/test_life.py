"""The process: what ends it, what it never writes to stdout, and what it survives."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wire_client import DEADLINE_S, OPTED_IN, DaemonEnded, WireError, framed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wire_client import WireClient

    Start = Callable[..., Awaitable[WireClient]]

HEALTH = "sidecar/health/read"
NOISY = [sys.executable, str(Path(__file__).parent / "noisy_daemon.py"), "serve", "--stdio"]


async def test_stdin_closed_ends_the_daemon(client: WireClient) -> None:
    await client.request(HEALTH)
    client.process.stdin.close()
    assert await client.exit_code() == 0


async def test_stdin_closed_before_initialize_ends_the_daemon(start: Start) -> None:
    client = await start()
    client.process.stdin.close()
    assert await client.exit_code() == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
async def test_a_signal_ends_the_daemon_in_order(client: WireClient, name: str) -> None:
    await client.request(HEALTH)
    client.process.send_signal(getattr(signal, name))
    assert await client.exit_code() == 0


async def test_a_dead_parent_ends_the_daemon(start: Start) -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE
    )
    client = await start()
    await client.initialize(processId=parent.pid)
    await client.request(HEALTH)
    parent.kill()
    await parent.wait()
    assert await client.exit_code() == 0


async def test_a_parent_of_another_pid_namespace_says_nothing(start: Start) -> None:
    client = await start()
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    await client.initialize(processId=ended.pid)
    assert (await client.request(HEALTH))["pid"] == client.process.pid


async def test_b167_five_window_reloads_leave_no_daemon_behind(start: Start) -> None:
    for _ in range(5):
        client = await start()
        await client.initialize()
        client.process.stdin.close()  # a reload closes the pipes and says nothing
        assert await client.exit_code() == 0


async def test_requests_that_wait_fail_with_exit_code_and_stderr_when_the_daemon_dies(
    start: Start,
) -> None:
    client = await start()
    waiting = client.post("initialize", {"processId": None, "capabilities": OPTED_IN})
    client.process.kill()
    with pytest.raises(DaemonEnded, match="ended with -9"):
        await waiting


async def test_b152_prints_of_any_kind_never_reach_the_protocol(start: Start) -> None:
    client = await start(command=NOISY)
    await client.initialize()
    for _ in range(3):
        assert (await client.request(HEALTH))["pid"] == client.process.pid
    assert await client.shutdown() == 0
    stderr = client.stderr.decode()
    assert ("printed" in stderr, "written to 1" in stderr, "from a child" in stderr) == (
        True,
        True,
        True,
    )


async def test_b153_a_child_finds_an_empty_stdin_and_takes_no_bytes_of_the_protocol(
    start: Start,
) -> None:
    client = await start(command=NOISY)
    await client.initialize()
    # Every health/read of the noisy daemon runs `cat` with an inherited stdin.
    answers = await asyncio.gather(*(client.post(HEALTH) for _ in range(5)))
    assert [answer["pid"] for answer in answers] == [client.process.pid] * 5


async def test_b158_a_request_cancelled_in_the_same_packet_never_runs(
    start: Start, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    client = await start(command=NOISY, env={"NOISY_GATE": str(gate)})
    await client.initialize()
    await client.request(HEALTH)  # the handlers are loaded
    first, second = client.expect("first"), client.expect("second")
    blocking = {"jsonrpc": "2.0", "id": "first", "method": HEALTH, "params": {"gate": True}}
    queued = {"jsonrpc": "2.0", "id": "second", "method": HEALTH, "params": {}}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "second"}}
    client.send_bytes(framed(blocking) + framed(queued) + framed(cancel))
    await asyncio.to_thread(gate.write_text, "go")
    assert (await first)["pid"] == client.process.pid
    with pytest.raises(WireError) as cancelled:
        await second
    assert (cancelled.value.code, cancelled.value.kind) == (-32800, "requestCancelled")
    await client.shutdown()
    assert client.stderr.decode().count("written to 1") == 2


async def test_b160_cancelling_a_finished_or_unknown_request_says_nothing(
    client: WireClient,
) -> None:
    await client.post(HEALTH, msg_id="done")
    client.notify("$/cancelRequest", {"id": "done"})
    client.notify("$/cancelRequest", {"id": "never sent"})
    client.notify("$/cancelRequest", {"id": 12345})
    client.notify("$/cancelRequest", {"wrong": True})
    client.notify("$/cancelRequest")
    await client.request(HEALTH)
    assert len(client.answers("done")) == 1
    assert [m for m in client.received if "error" in m] == []


async def test_b162_a_client_that_does_not_read_is_still_heard(start: Start) -> None:
    client = await start(command=NOISY, env={"NOISY_ANSWER_BYTES": "100000"})
    await client.initialize()
    await client.request(HEALTH)
    client.reading.clear()
    # 300 answers of 100 kB are more than all pipes and buffers hold, and more than may wait.
    waiting = [client.post(HEALTH, msg_id=f"big {n}") for n in range(300)]
    await asyncio.wait_for(client.process.stdin.drain(), DEADLINE_S)
    client.notify("$/cancelRequest", {"id": "big 299"})
    client.reading.set()
    outcomes = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), DEADLINE_S)
    kinds = {getattr(outcome, "kind", "answered") for outcome in outcomes}
    assert kinds <= {"answered", "retryLater", "requestCancelled"}
    assert "answered" in kinds
    assert (await client.request(HEALTH))["memoryBytes"] < 200 << 20
    assert await client.shutdown() == 0


async def test_b180_a_legacy_code_page_breaks_no_log_line(start: Start) -> None:
    client = await start(command=NOISY, env={"PYTHONIOENCODING": "cp1252"})
    await client.initialize()
    assert (await client.request(HEALTH))["pid"] == client.process.pid
    assert await client.shutdown() == 0
    assert "printed → 漢字" in client.stderr.decode("utf-8")


async def test_a_crash_inside_a_handler_is_an_error_without_a_traceback(start: Start) -> None:
    client = await start(command=NOISY)
    await client.initialize()
    with pytest.raises(WireError) as failed:
        await client.request(HEALTH, {"crash": True})
    assert (failed.value.code, failed.value.kind, failed.value.details) == (-32603, "internal", {})
    assert "Traceback" not in str([m for m in client.received if "error" in m])
    assert (await client.request(HEALTH))["pid"] == client.process.pid
    await client.shutdown()
    assert "ZeroDivisionError" in client.stderr.decode()


def test_nothing_slow_is_imported_before_the_answer_to_initialize() -> None:
    program = "import sys, sidecar.cli.serve, sidecar.server; print(*sys.modules)"
    listed = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = {name.split(".")[0] for name in listed.stdout.split()}
    ours = {name for name in listed.stdout.split() if name.startswith("sidecar")}
    assert loaded & {"pydantic", "watchfiles", "platformdirs", "genai_prices", "httpx"} == set()
    assert sorted(ours) == [
        "sidecar",
        "sidecar.cli",
        "sidecar.cli.serve",
        "sidecar.documents",
        "sidecar.errors",
        "sidecar.framing",
        "sidecar.outbox",
        "sidecar.protocol",
        "sidecar.rpc",
        "sidecar.server",
        "sidecar.stdio",
    ]
