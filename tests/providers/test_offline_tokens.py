"""The offline provider's bill: its own count, and a cache that is a real one."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_turn import request_of

from sidecar.core.events import Usage
from sidecar.core.messages import (
    Document,
    Image,
    Message,
    RedactedThinking,
    Summary,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Unknown,
)
from sidecar.providers.offline_digest import digest
from sidecar.providers.offline_tokens import (
    REQUEST_TOKENS,
    PromptCache,
    block_tokens,
    message_tokens,
    request_tokens,
    text_tokens,
    tool_tokens,
)

TEXTS = st.text(max_size=60) | st.sampled_from(
    ["Ran 5 tests in 1s\n\nOK", "FAILED (failures=2)", "def f(x):\n    return x\n" * 9, "a\ud800"]
)


def test_pieces_are_priced_as_tokenizers_cut_them() -> None:
    counts = {
        "": 0,
        "word": 1,
        " word": 1,
        "a word": 2,
        "internationalisation": 3,
        "camelCaseName": 3,
        "HTTP": 1,
        "12345": 2,
        "x = 1": 3,
        "    return x\n": 4,
        "{}();": 3,
        "\n\n\n": 1,
        "é": 1,
        "漢字": 2,
        "😀": 2,
    }
    assert {text: text_tokens(text) for text in counts} == counts


def test_it_is_far_from_a_quarter_of_the_bytes_on_code_and_close_to_it_on_prose() -> None:
    code = "for (let i=0;i<n;i++){ a[i]+=b[i]*0x1F; }\n" * 20
    prose = "The person who reads this sentence sees nothing but ordinary words in it. " * 20
    assert text_tokens(code) / (len(code) / 4) > 1.6
    assert 0.7 < text_tokens(prose) / (len(prose) / 4) < 1.1


@given(TEXTS, TEXTS)
def test_counts_are_never_negative_and_grow_with_the_text(one: str, other: str) -> None:
    assert 0 <= text_tokens(one) <= text_tokens(one) + text_tokens(f"{one}\n{other}")
    assert text_tokens(one + "\n" + other) >= text_tokens(other) // 2


def test_every_kind_of_block_has_its_price() -> None:
    blocks = [
        Text("one two"),
        Summary("one two"),
        Thinking("one two", "s" * 30),
        RedactedThinking("d" * 30),
        ToolUse("id", "bash", {"command": "ls"}),
        ToolResult("id", "one two", attachments=(Image("image/png"),)),
        Image("image/png", "A" * 9000),
        Document("application/pdf", "A" * 9000, pages=2),
        Document("application/pdf"),
        Unknown("x", {"type": "x"}),
    ]
    assert [block_tokens(block) for block in blocks] == [
        2, 2, 12, 10, 18, 1540, 1530, 3800, 4800, 6,
    ]  # fmt: skip


def conversation(count: int) -> list[Message]:
    return [
        Message(f"m{n}", "assistant" if n % 2 else "user", (Text(f"message {n} " * 40),))
        for n in range(count)
    ]


def test_a_prompt_is_the_sum_of_its_parts() -> None:
    request = request_of(*conversation(3))
    assert request_tokens(request) == (
        REQUEST_TOKENS
        + text_tokens("system")
        + sum(map(tool_tokens, request.tools))
        + sum(map(message_tokens, request.messages))
    )


def test_the_cache_reads_the_common_prefix_and_writes_the_rest() -> None:
    cache = PromptCache()
    messages = conversation(5)
    first, longer = request_of(*messages[:3]), request_of(*messages)
    reply = (Text("one two three"),)
    size, longer_size = request_tokens(first) - REQUEST_TOKENS, request_tokens(longer)
    assert cache.bill(first, reply) == Usage(REQUEST_TOKENS, 0, size, 3)
    assert cache.bill(longer, reply) == Usage(
        REQUEST_TOKENS, size, longer_size - REQUEST_TOKENS - size, 3
    )
    assert cache.bill(longer, reply) == Usage(REQUEST_TOKENS, longer_size - REQUEST_TOKENS, 0, 3)


def test_what_changes_in_the_middle_is_written_again_with_everything_behind_it() -> None:
    cache = PromptCache()
    messages = conversation(6)
    cache.bill(request_of(*messages), ())
    compacted = [*messages[:2], replace(messages[2], content=(Text("short"),)), *messages[3:]]
    request = request_of(*compacted)
    bill = cache.bill(request, ())
    kept = request_tokens(request_of(*messages[:2])) - REQUEST_TOKENS
    assert (bill.cache_read_tokens, bill.prompt_tokens) == (kept, request_tokens(request))


def test_another_system_prompt_shares_nothing() -> None:
    cache = PromptCache()
    request = request_of(*conversation(3))
    cache.bill(request, ())
    other = replace(request, system="another one")
    assert cache.bill(other, ()).cache_read_tokens == 0


def test_a_short_prompt_is_not_cached_and_thinking_is_reasoning() -> None:
    request = replace(request_of(*conversation(1)), tools=())
    usage = PromptCache().bill(request, (Thinking("one two", "s" * 30), Text("three")))
    assert usage == Usage(request_tokens(request), 0, 0, 13, 12)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("utas"), TEXTS), max_size=8))
def test_the_bill_is_the_same_whatever_the_cache_holds(parts: list[tuple[str, str]]) -> None:
    cache = PromptCache()
    request = request_of(*history_of(parts))
    fresh = cache.bill(request, ())
    assert fresh.prompt_tokens == cache.bill(request, ()).prompt_tokens == request_tokens(request)


def history_of(parts: list[tuple[str, str]]) -> list[Message]:
    messages = []
    for number, (kind, text) in enumerate(parts):
        blocks = {
            "u": ("user", Text(text)),
            "a": ("assistant", ToolUse(f"c{number}", "write_file", {"path": text, "n": 1})),
            "t": ("tool", ToolResult(f"c{number - 1}", text)),
            "s": ("user", Summary(text)),
        }
        role, block = blocks[kind]
        messages.append(Message(f"m{number}", role, (block,), kind == "s"))  # type: ignore[arg-type]
    return messages


def source_bytes(messages: list[Message]) -> int:
    texts = []
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolUse):
                texts += [block.name, *(v for v in block.input.values() if isinstance(v, str))]
            else:
                texts.append(block.text)  # type: ignore[union-attr]
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from("utas"), TEXTS), max_size=12))
def test_a_digest_is_shorter_than_its_source_and_never_blank(parts: list[tuple[str, str]]) -> None:
    messages = history_of(parts)
    text = digest(messages)
    assert text.strip()
    text.encode()
    assert len(text.encode()) < max(source_bytes(messages), 2)


def test_a_digest_says_what_was_asked_touched_tested_and_noted() -> None:
    filler = "line of a file\n" * 60
    messages = [
        Message(
            "m0", "user", (Summary("Handled request: older\nNote: it was slow"),), synthetic=True
        ),
        Message("m1", "user", (Text("Fix the totals."),)),
        Message("m2", "assistant", (Text("Looking."), ToolUse("a", "read_file", {"path": "a.py"}))),
        Message("m3", "tool", (ToolResult("a", filler),)),
        Message("m4", "assistant", (Text("Fixed."),)),
        Message("m5", "user", (Text("Now the\nreport."),)),
        Message(
            "m6",
            "assistant",
            (
                Text("Found `x` in `b.py`."),
                ToolUse("call_sample_run-all_0123456789", "edit_file", {"path": "b.py"}),
            ),
        ),
        Message("m7", "tool", (ToolResult("call_sample_run-all_0123456789", "ok\n" + filler),)),
        Message("m8", "assistant", (ToolUse("b", "bash", {"command": "python3 -m unittest"}),)),
        Message("m9", "tool", (ToolResult("b", "..F\nRan 3 tests in 1s\n\nFAILED (failures=1)"),)),
    ]
    assert digest(messages).split("\n") == [
        "Position in the recording: sample/run-all",
        "Earlier: Handled request: older",
        "Earlier: Note: it was slow",
        "Handled request: Fix the totals.",
        "Open request: Now the report.",
        "Files changed: b.py",
        "Files read: a.py",
        "Last test run: Ran 3 tests in 1s, FAILED (failures=1)",
        "Note: Found `x` in `b.py`.",
        "Note: Fixed.",
        "Note: Looking.",
    ]


def test_a_digest_leaves_out_the_message_that_only_asks_for_it() -> None:
    messages = [
        Message("m1", "user", (Text("Fix the totals, please, and say what was wrong."),)),
        Message("m2", "assistant", (Text("Fixed: a sign was wrong in the totals. " * 9),)),
        Message("m3", "user", (Text("Summarise the conversation so far."),)),
    ]
    assert digest(messages).split("\n")[0] == (
        "Handled request: Fix the totals, please, and say what was wrong."
    )


def test_a_conversation_that_comes_as_text_is_digested_from_its_words() -> None:
    text = "\n".join(
        [
            "User: Fix the totals.",
            "Assistant: `total` stands in `a.py`.",
            'call_sample_read-source_0123456789 read_file {"path": "a.py"}',
            "Ran 3 tests in 1s",
            "",
            "OK",
            *["another line of a long file"] * 40,
        ]
    )
    assert digest([Message("m1", "user", (Text(text),))]).split("\n")[:4] == [
        "Position in the recording: sample/read-source",
        "Files named: a.py",
        "Last test run: Ran 3 tests in 1s, OK",
        "Note: Assistant: `total` stands in `a.py`.",
    ]
