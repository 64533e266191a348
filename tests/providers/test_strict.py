"""The strict provider: what real servers refuse, one rule at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from recorded_turn import reply_of, request_of

from sidecar.core.messages import (
    Image,
    Message,
    Summary,
    Text,
    Thinking,
    ToolResult,
    ToolSpec,
    ToolUse,
    Unknown,
)
from sidecar.errors import ContextOverflow, ProviderFailed
from sidecar.providers.port import Reply, Request
from sidecar.providers.registry import make_provider
from sidecar.providers.strict import RequestRefused, StrictProvider, problems_of

SCENARIO = {
    "start": [{"go": "a"}],
    "states": {
        "a": {
            "think": "Both files.",
            "say": "Reading.",
            "call": [{"tool": "read_file", "arguments": {"path": p}} for p in ("a", "b")],
            "then": [{"go": "b"}],
        },
        "b": {
            "think": "And run it.",
            "call": [{"tool": "bash", "arguments": {"command": "true"}}],
            "then": [{"go": "c"}],
        },
        "c": {"say": "Done."},
    },
}


def strict(**settings: Any) -> StrictProvider:
    provider = make_provider("offline", {"scenario": SCENARIO, "strict": True, **settings})
    assert isinstance(provider, StrictProvider)
    return provider


def user(*blocks: Any, message_id: str = "u", synthetic: bool = False) -> Message:
    return Message(message_id, "user", blocks or (Text("go"),), synthetic)


def model(*blocks: Any) -> Message:
    return Message("a", "assistant", blocks)


def tool(*blocks: Any) -> Message:
    return Message("t", "tool", blocks)


CALL = ToolUse("c1", "bash", {"command": "ls"})
OTHER = ToolUse("c2", "bash", {"command": "pwd"})
RESULT = ToolResult("c1", "")
OTHER_RESULT = ToolResult("c2", "x")


@pytest.mark.parametrize(
    "messages",
    [
        (user(),),
        (user(), user(Summary("so far"), synthetic=True)),
        (user(), model(Text("x"), CALL), tool(RESULT)),
        (user(), model(CALL, OTHER), tool(RESULT), tool(OTHER_RESULT), user(Text("and?"))),
        (user(), model(Thinking("t", "s"), CALL), tool(ToolResult("c1", "no", is_error=True))),
        (user(Image("image/png", "AA==")), model(Unknown("x", {"type": "x"})), user()),
        (user(), model(CALL), tool(RESULT), model(Text("ok")), user()),
    ],
)
def test_legal_histories_have_no_problem(messages: tuple[Message, ...]) -> None:
    assert problems_of(request_of(*messages)) == []


@pytest.mark.parametrize(
    ("messages", "problems"),
    [
        ((), ["there are no messages"]),
        ((model(Text("x")), user()), ["message 0: the first message must be the user's"]),
        ((user(), model(Text("x"))), ["message 1: the last message must be the user's"]),
        (
            (user(), model(Text("x")), model(Text("y")), user()),
            ["message 2: two assistant messages in a row"],
        ),
        ((user(), model(), user()), ["message 1: no content"]),
        ((user(Text(" \n")),), ["message 0: blank text"]),
        ((user(Summary("")),), ["message 0: blank text"]),
        ((user(Thinking("t")),), ["message 0: a block Thinking in a message of the user"]),
        (
            (user(), model(Image("image/png")), user()),
            ["message 1: a block Image in a message of the assistant"],
        ),
        ((user(), model(CALL), user()), ["message 2: call c1 is not answered at once"]),
        (
            (user(), model(CALL, OTHER), tool(RESULT)),
            ["message 2: call c2 is not answered at once"],
        ),
        (
            (user(), model(CALL), tool(RESULT), model(Text("x")), tool(RESULT)),
            ["message 4: result c1 has no call right before it"],
        ),
        (
            (user(), model(CALL), tool(RESULT, RESULT)),
            ["message 2: call c1 is answered 2 times"],
        ),
        ((tool(RESULT),), ["message 0: result c1 has no call right before it"]),
        (
            (user(), model(CALL), user(Text("wait")), tool(RESULT)),
            ["message 2: results must stand before everything else"],
        ),
        (
            (user(), model(CALL), tool(RESULT), model(CALL), tool(RESULT)),
            ["message 3: call id c1 is used twice"],
        ),
        (
            (user(), model(CALL)),
            [
                "message 1: the last message must be the user's",
                "the last message: call c1 is not answered",
            ],
        ),
        (
            (user(), model(ToolUse("a b", "bash", {})), tool(ToolResult("a b", ""))),
            ["message 1: call id 'a b' or name 'bash' is not legal"],
        ),
        (
            (user(Text("bad \ud83d")),),
            ["message u, block 0: not valid UTF-8 (a lone surrogate)"],
        ),
        (
            (user(), model(ToolUse("c1", "bash", {"x": ["\udc80"]})), tool(RESULT)),
            ["message a, block 0: not valid UTF-8 (a lone surrogate)"],
        ),
        (
            (user(), model(CALL), tool(ToolResult("c1", "\udcff"))),
            ["message t, block 0: not valid UTF-8 (a lone surrogate)"],
        ),
    ],
)
def test_each_illegal_history_is_refused_for_its_reason(
    messages: tuple[Message, ...], problems: list[str]
) -> None:
    assert problems_of(request_of(*messages)) == problems


def test_system_prompt_tools_and_limits_are_looked_at_too() -> None:
    request = Request("m", "\ud800", (user(),), (ToolSpec("a b", "d", {}),), 0)
    assert problems_of(request) == [
        "max_output_tokens must be at least 1, not 0",
        "the system prompt is not valid UTF-8",
        "tool 'a b': its name is not legal or its text is not valid UTF-8",
    ]


async def test_a_refusal_names_every_problem_and_reaches_no_provider() -> None:
    provider = strict()
    with pytest.raises(RequestRefused, match="400: ") as caught:
        await reply_of(provider, request_of(model(Text(""))))
    assert isinstance(caught.value, ProviderFailed)
    assert caught.value.data["problems"] == [
        "message 0: the first message must be the user's",
        "message 0: the last message must be the user's",
        "message 0: blank text",
    ]
    assert provider.requests == []


async def test_over_the_window_is_an_overflow_of_its_own_kind() -> None:
    provider = strict(window_tokens=300)
    with pytest.raises(ContextOverflow, match="the window 300"):
        await reply_of(provider, request_of(user(Text("word " * 500))))


async def played() -> tuple[StrictProvider, list[Message], list[Reply]]:
    """A provider two calls into a turn, the history so far, and what it said."""
    provider, history, replies = strict(), [user(message_id="u1")], []
    for number in range(2):
        reply = await reply_of(provider, request_of(*history))
        replies.append(reply)
        asked = Message(f"a{number}", "assistant", reply.content)
        results = tuple(ToolResult(call.id, "x") for call in asked.tool_uses())
        history += [asked, Message(f"t{number}", "tool", results)]
    return provider, history, replies


def thinking_replaced(message: Message, *thoughts: Thinking) -> Message:
    rest = tuple(block for block in message.content if not isinstance(block, Thinking))
    return replace(message, content=(*thoughts, *rest))


async def test_thinking_of_the_running_turn_must_come_back_as_it_was_issued() -> None:
    provider, history, replies = await played()
    await reply_of(provider, request_of(*history))
    issued = replies[0].content[0]
    assert isinstance(issued, Thinking)
    edited = thinking_replaced(history[1], replace(issued, text="Both file."))
    with pytest.raises(RequestRefused, match="message 1: signed thinking was edited"):
        await reply_of(provider, request_of(history[0], edited, *history[2:]))
    gone = thinking_replaced(history[1])
    with pytest.raises(RequestRefused, match=r"message 1: the thinking before call .* is not what"):
        await reply_of(provider, request_of(history[0], gone, *history[2:]))
    swapped = thinking_replaced(history[3], issued)
    with pytest.raises(RequestRefused, match="message 3: the thinking before call"):
        await reply_of(provider, request_of(*history[:3], swapped, history[4]))


async def test_thinking_of_turns_that_are_over_may_be_gone_but_not_edited() -> None:
    provider, history, _ = await played()
    after = [*history, model(Text("Done.")), user(message_id="u2")]
    gone = thinking_replaced(history[1])
    await reply_of(provider, request_of(history[0], gone, *after[2:]))
    issued = history[1].content[0]
    assert isinstance(issued, Thinking)
    edited = thinking_replaced(history[1], replace(issued, text="x"))
    with pytest.raises(RequestRefused, match="signed thinking was edited"):
        await reply_of(provider, request_of(history[0], edited, *after[2:]))
    assert len(provider.requests) == 3


async def test_thinking_that_somebody_else_signed_is_let_through() -> None:
    foreign = model(Thinking("hm", "elsewhere"), CALL)
    await reply_of(strict(), request_of(user(), foreign, tool(RESULT)))
