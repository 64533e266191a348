"""What stock pygls gets wrong with messages of one's own, each against the real process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import WireError, framed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., Awaitable[WireClient]]

HEALTH = "sidecar/health/read"


async def alive(client: WireClient) -> None:
    assert (await client.request(HEALTH, {}))["pid"] == client.process.pid


async def refusal(client: WireClient, method: str, params: Any = None) -> WireError:
    with pytest.raises(WireError) as caught:
        await client.request(method, params)
    return caught.value


async def test_a_result_has_the_wires_names_and_not_pythons(client: WireClient) -> None:
    result = await client.request(HEALTH, {})
    assert sorted(result) == [
        "home",
        "logFile",
        "memoryBytes",
        "pid",
        "protocolVersions",
        "python",
        "sessions",
        "version",
    ]


async def test_params_may_be_missing_null_or_empty_where_none_are_needed(
    client: WireClient,
) -> None:
    client.send({"jsonrpc": "2.0", "id": "a", "method": HEALTH})
    client.send({"jsonrpc": "2.0", "id": "b", "method": HEALTH, "params": None})
    client.send({"jsonrpc": "2.0", "id": "c", "method": HEALTH, "params": {}})
    for msg_id in "abc":
        answer = await client.arrival(lambda m, i=msg_id: m.get("id") == i)
        assert answer["result"]["pid"] == client.process.pid


async def test_missing_params_are_answered_with_the_path_of_each(client: WireClient) -> None:
    error = await refusal(client, "sidecar/session/read")
    assert (error.code, error.kind, error.details) == (
        -32602,
        "invalidParams",
        {"problems": [{"path": "$.sessionId", "message": "Field required"}]},
    )


async def test_wrong_params_are_answered_with_the_path_of_each(client: WireClient) -> None:
    error = await refusal(
        client,
        "sidecar/rewind/apply",
        {"sessionId": 7, "idempotencyKey": "k", "planId": "p", "choices": {"a.py": "perhaps"}},
    )
    assert (error.code, error.kind, [p["path"] for p in error.details["problems"]]) == (
        -32602,
        "invalidParams",
        ["$.sessionId", "$.choices.a.py"],
    )


async def test_params_that_are_a_list_are_answered(client: WireClient) -> None:
    error = await refusal(client, HEALTH, [1, 2])
    assert (error.code, error.kind) == (-32602, "invalidParams")


async def test_a_nested_jsonrpc_key_and_awkward_names_reach_the_handler(
    client: WireClient,
) -> None:
    awkward = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "x",
        "class": 1,
        "_private": 2,
        "with space": 3,
        "type_name": "Trap",
        "deeper": [{"jsonrpc": "2.0", "result": None}],
    }
    result = await client.request(HEALTH, awkward)
    assert result["pid"] == client.process.pid
    error = await refusal(client, "sidecar/session/read", {"sessionId": awkward})
    assert error.details["problems"][0]["path"] == "$.sessionId"


@pytest.mark.parametrize("method", ["sidecar/no/such", "textDocument/noSuch", "$/noSuch", "x"])
async def test_an_unknown_request_is_answered_and_an_unknown_notification_ignored(
    client: WireClient, method: str
) -> None:
    client.notify(method, {"a": 1})
    error = await refusal(client, method, {"a": 1})
    assert (error.code, error.kind) == (-32601, "methodNotFound")
    assert method in error.message


async def test_wrong_params_of_an_lsp_request_are_answered_with_their_path(
    client: WireClient,
) -> None:
    error = await refusal(client, "workspace/executeCommand", {"command": 7, "arguments": "x"})
    assert (error.code, error.kind) == (-32602, "invalidParams")
    error = await refusal(client, "workspace/executeCommand")
    assert (error.code, error.kind) == (-32602, "invalidParams")
    assert error.details["problems"]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"jsonrpc": "1.0", "id": 71, "method": HEALTH}, -32600),
        ({"id": 71, "method": HEALTH}, -32600),
        ({"jsonrpc": "2.0", "id": 71, "method": 5}, -32600),
        ({"jsonrpc": "2.0", "id": 71}, -32600),
    ],
)
async def test_a_request_that_is_none_is_answered_by_its_id(
    client: WireClient, message: dict[str, Any], code: int
) -> None:
    client.send(message)
    answer = await client.arrival(lambda m: m.get("id") == 71)
    assert (answer["error"]["code"], answer["error"]["data"]["kind"]) == (code, "invalidRequest")
    await alive(client)


@pytest.mark.parametrize("msg_id", [{"a": 1}, [1], True, 1.5])
async def test_an_id_of_a_wrong_type_is_answered_without_one(
    client: WireClient, msg_id: Any
) -> None:
    client.send({"jsonrpc": "2.0", "id": msg_id, "method": HEALTH})
    answer = await client.arrival(lambda m: "error" in m)
    assert (answer["id"], answer["error"]["code"]) == (None, -32600)
    await alive(client)


async def test_an_answer_is_never_answered(client: WireClient) -> None:
    before = len(client.received)
    for stray in (
        {"jsonrpc": "2.0", "id": "nobody", "result": 1},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "m"}},
        {"jsonrpc": "2.0", "id": 5, "error": "not even an object"},
        {"jsonrpc": "1.0", "id": 5, "result": 1},
    ):
        client.send(stray)
    await alive(client)
    assert len(client.received) == before + 1


async def test_junk_on_stdin_is_reported_and_the_next_request_answered(
    client: WireClient,
) -> None:
    client.send_bytes(b"hello, is this a shell?\nls -la\n")
    client.send_bytes(b"Content-Length: 5\r\n\r\nabcde")
    client.send_bytes(b"Content-Length: 4\r\n\r\n[{}]")
    client.send_bytes(b"\x00\xff\xfe\n")
    await alive(client)
    errors = [m["error"]["data"]["kind"] for m in client.received if "error" in m]
    assert errors == ["parseError", "parseError", "invalidRequest", "parseError"]


async def test_a_message_over_the_limit_is_answered_by_its_id_and_the_next_one_read(
    client: WireClient,
) -> None:
    error = await refusal(
        client,
        "sidecar/turn/start",
        {"sessionId": "s", "idempotencyKey": "k", "prompt": "x" * 1_100_000},
    )
    assert (error.code, error.kind) == (1006, "messageTooLarge")
    await alive(client)


async def test_header_names_count_in_any_case(client: WireClient) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "lower", "method": HEALTH}).encode()
    client.send_bytes(b"content-length: %d\r\n\r\n%s" % (len(body), body))
    answer = await client.arrival(lambda m: m.get("id") == "lower")
    assert answer["result"]["pid"] == client.process.pid


async def test_half_a_surrogate_pair_in_a_request_does_not_kill_the_answer(
    client: WireClient,
) -> None:
    body = b'{"jsonrpc":"2.0","id":"\\ud83d","method":"sidecar/health/read"}'
    client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    answer = await client.arrival(lambda m: "result" in m and m["id"] == "\ufffd")
    assert answer["result"]["pid"] == client.process.pid


async def test_text_crosses_unescaped_with_its_length_in_bytes(client: WireClient) -> None:
    error = await refusal(client, "sidecar/ünknown/😀")
    assert "sidecar/ünknown/😀" in error.message


async def test_nothing_but_initialize_is_taken_before_initialize_and_that_only_once(
    start: Start,
) -> None:
    client = await start()
    error = await refusal(client, HEALTH, {})
    assert (error.code, error.kind) == (-32002, "serverNotInitialized")
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///a"}})
    await client.initialize()
    error = await refusal(client, "initialize", {"processId": None, "capabilities": {}})
    assert (error.code, error.kind) == (-32600, "invalidRequest")


async def test_a_broken_initialize_is_answered_with_paths_and_a_good_one_may_follow(
    start: Start,
) -> None:
    client = await start()
    error = await refusal(client, "initialize", {"processId": "x", "capabilities": 5})
    assert (error.code, error.kind) == (-32602, "invalidParams")
    assert error.details["problems"]
    await client.initialize()
    await alive(client)


async def test_after_shutdown_requests_are_refused_and_exit_ends_with_0(
    client: WireClient,
) -> None:
    await client.request("shutdown")
    error = await refusal(client, HEALTH, {})
    assert (error.code, error.kind) == (-32600, "invalidRequest")
    client.notify("exit")
    assert await client.exit_code() == 0


async def test_exit_without_shutdown_ends_with_1(client: WireClient) -> None:
    await alive(client)
    client.notify("exit")
    assert await client.exit_code() == 1


async def test_no_body_of_a_message_reaches_the_log(start: Start, tmp_path: Path) -> None:
    prompt = "sk-very-prompt-0123456789"
    command_line = ["--log-level", "debug"]
    client = await start(arguments=command_line)
    await client.initialize(tmp_path)
    await refusal(client, "sidecar/turn/start", {"sessionId": "s", "prompt": prompt})
    await refusal(client, "workspace/executeCommand", {"command": 5, "arguments": [prompt]})
    client.notify("textDocument/didOpen", {"textDocument": {"uri": "file:///a", "text": prompt}})
    client.send_bytes(framed({"jsonrpc": "2.0", "method": "sidecar/x", "params": {"p": prompt}}))
    await client.shutdown()
    assert prompt not in client.stderr.decode()
    assert "DEBUG" in client.stderr.decode()
