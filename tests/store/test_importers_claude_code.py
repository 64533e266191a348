"""Sessions of Claude Code: each of the traps of its format."""

from __future__ import annotations

from recorded_sessions import bills_of, entries_of, messages_of, resets_of

from sidecar.core.events import Compacted, Noted, TurnStarted, Usage
from sidecar.core.messages import (
    Image,
    RedactedThinking,
    Summary,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Unknown,
)
from sidecar.core.tracker import Tracker


def test_lines_that_share_a_message_id_are_one_reply_with_one_bill() -> None:
    messages = messages_of("claude-code/blocks")
    assert [type(block) for block in messages["m2"].content] == [
        Thinking,
        Text,
        ToolUse,
        ToolUse,
    ]
    assert [bill.request_id for bill in bills_of("claude-code/blocks")] == [
        "msg_1",
        "msg_2",
        "msg_3",
    ]


def test_results_written_between_the_blocks_of_their_reply_come_after_it() -> None:
    messages = list(messages_of("claude-code/blocks").values())
    assert [message.role for message in messages[1:4]] == ["assistant", "tool", "tool"]
    assert [result.tool_use_id for m in messages[2:4] for result in m.tool_results()] == [
        "t1",
        "t2",
    ]


def test_an_output_count_of_the_streams_beginning_is_not_taken_for_the_final_one() -> None:
    assert bills_of("claude-code/blocks")[0].usage == Usage(10, 16_000, 4_000, 0)
    assert bills_of("claude-code/rewinds")[0].usage == Usage(6, 30_000, 900, 40)


def test_subagents_and_sidechains_are_no_part_of_the_conversation() -> None:
    texts = [
        block.text
        for message in messages_of("claude-code/blocks").values()
        for block in message.content
        if isinstance(block, Text)
    ]
    assert "a subagent speaks" not in texts
    assert "a sidechain line" not in texts
    assert "No response requested." in texts


def test_what_the_program_wrote_for_itself_starts_no_turn() -> None:
    messages = messages_of("claude-code/blocks")
    prompts = [
        entry.event.message_id
        for entry in entries_of("claude-code/blocks")
        if isinstance(entry.event, TurnStarted)
    ]
    assert prompts == ["m1", "m10"]
    assert [key for key, message in messages.items() if message.starts_real_turn()] == prompts


def test_an_error_of_the_provider_is_noted_and_not_said() -> None:
    notes = [e.event for e in entries_of("claude-code/blocks") if isinstance(e.event, Noted)]
    assert notes == [Noted("provider_failed", "API Error: 529 overloaded")]


def test_a_microcompaction_empties_the_results_that_it_names() -> None:
    compacted = [
        entry.event
        for entry in entries_of("claude-code/compactions")
        if isinstance(entry.event, Compacted)
    ]
    assert len(compacted) == 1
    assert [(c.message_id, c.block, c.replacement) for c in compacted[0].changes] == [
        ("m3", 0, ToolResult("t1", "[Old tool result content cleared]")),
        ("m5", 0, ToolResult("t2", "[Old tool result content cleared]")),
    ]
    assert (compacted[0].before_tokens, compacted[0].after_tokens) == (22_000, 20_500)


def test_a_compaction_leaves_its_summary_and_what_it_says_it_kept() -> None:
    messages = messages_of("claude-code/compactions")
    first, second = resets_of("claude-code/compactions")
    assert first.message_ids == ("m11",)
    assert messages["m11"].synthetic
    assert isinstance(messages["m11"].content[0], Summary)
    assert second.message_ids == ("m18", "m15", "m16", "m17")
    assert messages["m18"].content == (Summary("Renamed, tested, committed."),)


def test_a_prompt_that_hangs_on_an_older_line_is_a_rewind_also_beyond_a_compaction() -> None:
    resets = resets_of("claude-code/rewinds")
    assert [(reset.reason, reset.message_ids) for reset in resets] == [
        ("rewind", ("m1", "m2")),
        ("rewind", ("m1", "m2", "m5", "m6")),
        ("compaction", ("m10",)),
        ("rewind", ("m1", "m2")),
        ("clear", ()),
    ]


def test_a_prompt_typed_anew_before_any_answer_is_no_new_epoch_but_a_rewind_is() -> None:
    tracker = Tracker("")
    predictions = [
        prediction
        for entry in entries_of("claude-code/rewinds")
        if (prediction := tracker.apply(entry.event)) is not None
    ]
    firsts = [prediction.predicted_tokens is None for prediction in predictions]
    assert firsts == [True, False, True, False, True, True, True]


def test_attachments_that_were_sent_are_kept_and_the_others_are_not() -> None:
    messages = messages_of("claude-code/attachments")
    kinds = [
        block.type
        for message in messages.values()
        for block in message.content
        if isinstance(block, Unknown)
    ]
    assert kinds == [
        "deferred_tools_delta",
        "skill_listing",
        "tool_reference",
        "task_reminder",
        "edited_text_file",
        "brand_new_kind",
        "hologram",
    ]
    assert messages["m6"].content == (
        Unknown("task_reminder", {"content": ["#1. [pending] Describe the picture"]}),
    )
    assert messages["m8"].content == (Text("and be brief"),)
    assert messages["m8"].starts_real_turn()


def test_images_withheld_thinking_and_unknown_blocks_come_through() -> None:
    messages = messages_of("claude-code/attachments")
    assert messages["m1"].content[1] == Image("image/png", "iVBORw0KGgo=" * 400)
    assert messages["m4"].content[0] == Thinking("", "QUJD" * 600)
    assert messages["m10"].content[1] == Unknown("hologram", {"type": "hologram", "depth": 3})
    assert messages["m12"].content == (RedactedThinking("QUJD" * 300),)
