"""The offline provider by itself: streams, cancels, cuts, failures, free prompts."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest
from recorded_turn import Conversation, reply_of, request_of

from sidecar.core.messages import Message, Summary, Text, Thinking, ToolResult, ToolUse
from sidecar.errors import (
    ConfigurationError,
    ContextOverflow,
    NotAuthorised,
    ProviderFailed,
    RetryLater,
)
from sidecar.providers.port import Delta, ModelInfo
from sidecar.providers.registry import make_provider, names

if TYPE_CHECKING:
    from pathlib import Path

    from sidecar.providers.port import Provider

PROMPT = Message("m1", "user", (Text("Begin."),))


def playing(states: dict[str, Any], **settings: Any) -> Provider:
    """A provider that plays these states, from `first` on."""
    scenario = {"name": "t", "start": [{"go": "first"}], "states": states, "facts": {}}
    return make_provider("offline", {"scenario": {**scenario, **settings}})


TALK = {
    "think": "Let me see.",
    "say": "Reading the file\nnow, à la carte.",
    "call": [{"tool": "read_file", "arguments": {"path": "a.py", "limit": 3}}],
    "then": [{"go": "second"}],
}
TWO = {"first": TALK, "second": {"say": "It says: ${result}"}}


async def test_the_deltas_of_a_stream_are_the_reply_in_pieces() -> None:
    deltas: list[Delta] = []
    reply = await reply_of(playing(TWO), request_of(PROMPT), deltas)
    assert [type(block) for block in reply.content] == [Thinking, Text, ToolUse]
    assert reply.stop_reason == "tool_use"
    joined = ["".join(d.text for d in deltas if d.block == number) for number in range(3)]
    assert joined == [
        "Let me see.",
        "Reading the file\nnow, à la carte.",
        'read_file {"path": "a.py", "limit": 3}',
    ]
    assert [d.kind for d in deltas if d.block == 2] == ["tool_use"] * 3
    assert len(deltas) > 10


async def test_the_next_reply_follows_from_the_result_of_its_own_call() -> None:
    provider = playing(TWO)
    reply = await reply_of(provider, request_of(PROMPT))
    call = reply.content[-1]
    assert isinstance(call, ToolUse)
    asked = Message("m2", "assistant", reply.content)
    answered = Message("m3", "tool", (ToolResult(call.id, "x = 1"),))
    after = await reply_of(provider, request_of(PROMPT, asked, answered))
    assert after.content == (Text("It says: x = 1"),)
    assert after.stop_reason == "end_turn"
    assert [r.content for r in (await reply_of(playing(TWO), request_of(PROMPT)),)] == [
        reply.content
    ]


async def test_call_ids_differ_between_places_and_agree_for_equal_messages() -> None:
    provider = playing(TWO)
    ids = set()
    for message_id in ("m1", "m1", "m9"):
        prompt = Message(message_id, "user", (Text("Begin."),))
        reply = await reply_of(provider, request_of(prompt))
        ids.update(block.id for block in reply.content if isinstance(block, ToolUse))
    assert len(ids) == 2


async def test_closing_the_stream_stops_it_between_two_pieces() -> None:
    stream = playing(TWO).stream(request_of(PROMPT))
    seen = []
    async with aclosing(stream):  # type: ignore[type-var]
        async for piece in stream:
            seen.append(piece)
            if len(seen) == 3:
                break
    assert all(isinstance(piece, Delta) for piece in seen)


async def test_a_cancel_ends_a_stream_that_stalls() -> None:
    provider = playing({"first": {"say": "I think", "wait": True}})
    deltas: list[Delta] = []
    arrived = asyncio.Event()

    async def listen() -> None:
        async for piece in provider.stream(request_of(PROMPT)):
            assert isinstance(piece, Delta)
            deltas.append(piece)
            if len(deltas) == 2:
                arrived.set()

    task = asyncio.create_task(listen())
    await arrived.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert "".join(delta.text for delta in deltas) == "I think"


async def test_a_pace_is_kept_between_the_chunks() -> None:
    loop = asyncio.get_running_loop()
    scenario = {"start": [{"go": "first"}], "states": {"first": {"say": "one two three"}}}
    provider = make_provider("offline", {"scenario": scenario, "chunk_delay_ms": 20})
    before = loop.time()
    await reply_of(provider, request_of(PROMPT))
    assert loop.time() - before >= 0.06


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("retry_later", RetryLater),
        ("not_authorised", NotAuthorised),
        ("context_overflow", ContextOverflow),
        ("provider_failed", ProviderFailed),
    ],
)
async def test_failures_come_as_often_as_the_scenario_orders(
    error: str, expected: type[Exception]
) -> None:
    provider = playing({"first": {"say": "Here.", "fail": {"error": error, "times": 2}}})
    for _ in range(2):
        with pytest.raises(expected, match="fails here on purpose"):
            await reply_of(provider, request_of(PROMPT))
    assert (await reply_of(provider, request_of(PROMPT))).content == (Text("Here."),)


async def test_a_prompt_over_the_window_is_refused_as_too_long() -> None:
    provider = make_provider("offline", {"window_tokens": 300})
    prompt = Message("m1", "user", (Text("word " * 400),))
    with pytest.raises(ContextOverflow) as caught:
        await reply_of(provider, request_of(prompt))
    assert caught.value.data["window_tokens"] == 300
    assert caught.value.data["prompt_tokens"] > 400  # type: ignore[operator]


async def test_text_that_the_output_limit_cut_is_continued_where_it_stopped() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    provider = playing({"first": {"say": words}})
    messages = [PROMPT]
    texts: list[str] = []
    reasons: list[str] = []
    while "end_turn" not in reasons:
        request = request_of(*messages)
        reply = await reply_of(provider, type(request)("m", "s", request.messages, (), 50))
        texts += [block.text for block in reply.content if isinstance(block, Text)]
        reasons.append(reply.stop_reason)
        messages.append(Message(f"a{len(messages)}", "assistant", reply.content))
        messages.append(Message(f"u{len(messages)}", "user", (Text("Go on."),), synthetic=True))
    assert "".join(texts) == words
    assert reasons == ["max_tokens"] * (len(reasons) - 1) + ["end_turn"]
    assert len(reasons) > 2


async def test_a_call_that_does_not_fit_is_lost_whole_and_named() -> None:
    call = {"tool": "bash", "arguments": {"command": "echo " + "x " * 400}}
    provider = playing({"first": {"say": "Running.", "call": [call]}})
    request = request_of(PROMPT)
    reply = await reply_of(provider, type(request)("m", "s", request.messages, request.tools, 60))
    assert reply.content == (Text("Running."),)
    assert reply.stop_reason == "max_tokens"
    assert reply.extra == {"cut_call": "bash"}


async def test_a_scenario_may_report_no_usage_and_another_stop_reason() -> None:
    provider = playing({"first": {"say": "No.", "usage": False, "stop": "refusal"}})
    reply = await reply_of(provider, request_of(PROMPT))
    assert (reply.usage, reply.stop_reason) == (None, "refusal")


async def test_a_summary_request_gets_a_digest_and_no_calls() -> None:
    request = request_of(PROMPT, Message("m2", "assistant", (Text("Done with it. " * 20),)))
    reply = await reply_of(
        playing(TWO), type(request)("m", "s", request.messages, (), 900, "summary")
    )
    assert reply.stop_reason == "end_turn"
    (block,) = reply.content
    assert isinstance(block, Text)
    assert block.text.startswith("Handled request: Begin.")


def test_it_says_that_it_is_a_recording() -> None:
    info = make_provider().info()
    assert info == ModelInfo("offline", "offline-recording", 24_000, "provider", info.notice)
    assert "recording, not a model" in info.notice


async def test_a_prompt_that_names_a_file_gets_what_the_file_says(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "config.toml").write_text('name = "tally"\n')
    conversation = Conversation(make_provider("offline", {"strict": True}), folder)
    await conversation.turn("Can you explain config.toml to me?")
    assert "recording, not a model" in conversation.said()
    assert conversation.calls() == [
        ("glob", "**/config.toml"),
        ("read_file", "src/config.toml"),
    ]
    assert 'name = "tally"' in conversation.last_text()
    await conversation.turn("And missing.toml?")
    assert "No file matches." in conversation.last_text()


async def test_a_prompt_that_names_an_identifier_gets_where_it_occurs(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "a.py").write_text("def spread_evenly(x):\n    return x\n")
    conversation = Conversation(make_provider("offline", {"strict": True}), folder)
    await conversation.turn("Why is spread_evenly slow?")
    assert conversation.calls() == [("grep", r"\bspread_evenly\b"), ("read_file", "a.py")]
    assert "a.py:1: def spread_evenly(x):" in conversation.said()


async def test_any_other_prompt_gets_the_list_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "notes.md").write_text("hello\n")
    conversation = Conversation(make_provider("offline", {"strict": True}), folder)
    await conversation.turn("Hello there")
    assert conversation.calls() == [("glob", "**/*")]
    assert "notes.md" in conversation.last_text()


async def test_when_everything_since_the_prompt_was_summarised_the_step_is_done_again() -> None:
    provider = playing({"first": {**TALK, "say": "Reading."}, "second": {"say": "Done."}})
    first = await reply_of(provider, request_of(PROMPT))
    said = Message("m2", "assistant", first.content)
    (call,) = said.tool_uses()
    middle = (said, Message("m3", "tool", (ToolResult(call.id, "x = 1\n" * 100),)))
    request = request_of(*middle)
    digest = await reply_of(provider, type(request)("m", "s", middle, (), 900, "summary"))
    (text,) = digest.content
    assert isinstance(text, Text)
    assert "Position in the recording: t/first" in text.text
    summary = Message("m4", "user", (Summary(text.text),), synthetic=True)
    again = await reply_of(provider, request_of(PROMPT, summary))
    assert again.content[1] == Text("Reading.")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("oracle", {}, "there is no provider 'oracle'; known are offline"),
        ("offline", {"delay": 1}, "the offline provider has no setting 'delay'"),
        ("offline", {"window_tokens": -1}, "window_tokens must be a number of at least 0, not -1"),
        ("offline", {"scenario": "nowhere"}, "scenario 'nowhere' can't be read"),
        ("offline", {"scenario": "/x/y.json"}, "scenario '/x/y.json' can't be read"),
        ("offline", {"scenario": 5}, "a scenario is an object"),
    ],
)
def test_a_wrong_name_or_setting_is_an_error_that_names_it(
    name: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        make_provider(name, settings)


def test_every_provider_of_the_table_can_be_made() -> None:
    assert names()[0] == "offline"
    assert [make_provider(name).info().provider for name in names()] == list(names())


async def test_a_scenario_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"start": [{"go": "a"}], "states": {"a": {"say": "From a file."}}}))
    provider = make_provider("offline", {"scenario": str(path)})
    assert (await reply_of(provider, request_of(PROMPT))).content == (Text("From a file."),)
