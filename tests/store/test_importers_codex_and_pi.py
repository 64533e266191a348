"""Rollouts of Codex and sessions of pi: each of the traps of their formats."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recorded_sessions import bills_of, entries_of, fixture, messages_of, resets_of

from sidecar.core.events import Added, Noted, Usage
from sidecar.core.messages import (
    Image,
    RedactedThinking,
    Summary,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
)
from sidecar.store.importers import open_transcript

if TYPE_CHECKING:
    from pathlib import Path


def test_a_bill_of_codex_that_comes_twice_counts_once_and_one_of_nothing_not_at_all() -> None:
    lines = fixture("codex/rollout").read_text().splitlines()
    assert sum('"token_count"' in line for line in lines) == 10
    bills = bills_of("codex/rollout")
    assert len(bills) == 7
    assert bills[0].usage == Usage(602, 5_410, 0, 172, 120)
    assert bills[0].usage.prompt_tokens == 6_012


def test_an_output_that_codex_wrote_before_its_calls_bill_comes_after_the_call() -> None:
    entries = [e.event for e in entries_of("codex/rollout")]
    kinds = [
        event.message.role if isinstance(event, Added) else type(event).__name__
        for event in entries[5:10]
    ]
    assert kinds == ["user", "Measured", "assistant", "tool", "tool"]


def test_calls_reasoning_and_patches_of_codex_become_blocks() -> None:
    messages = messages_of("codex/rollout")
    assert messages["m4"].content == (
        RedactedThinking(""),
        ToolUse("c1", "exec_command", {"cmd": "rg -n voucher", "workdir": "/home/ada/shop"}),
        ToolUse("c2", "exec_command", {"cmd": "cat cart.py"}),
    )
    patch = messages["m9"].content[0]
    assert isinstance(patch, ToolUse)
    assert patch.name == "apply_patch"
    assert patch.input["input"].startswith("*** Begin Patch")


def test_context_that_codex_puts_in_front_of_a_prompt_starts_no_turn() -> None:
    messages = messages_of("codex/rollout")
    assert [message.id for message in messages.values() if message.starts_real_turn()] == [
        "m3",
        "m8",
        "m12",
        "m14",
        "m17",
    ]


def test_compactions_and_rollbacks_of_codex_leave_what_they_say() -> None:
    resets = resets_of("codex/rollout")
    assert [(reset.reason, reset.message_ids) for reset in resets] == [
        ("rewind", tuple(f"m{number}" for number in range(1, 12))),
        ("compaction", ("m17", "m18", "m19")),
        ("compaction", ("m17", "m21")),
    ]
    assert messages_of("codex/rollout")["m21"].content == (
        Summary("Earlier: the voucher was guarded."),
    )


def test_an_output_longer_than_codex_sends_is_cut_as_codex_cuts_it(tmp_path: Path) -> None:
    lines = fixture("codex/rollout").read_text().splitlines()
    whole = "é" * 40_000
    cut_lines = []
    for line in lines:
        value = json.loads(line)
        if value["payload"].get("call_id") == "c2" and "output" in value["payload"]:
            value["payload"]["output"] = whole
        cut_lines.append(json.dumps(value))
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join(cut_lines))
    results = [
        block.text
        for entry in open_transcript(path)
        if isinstance(entry.event, Added)
        for block in entry.event.message.content
        if isinstance(block, ToolResult) and block.tool_use_id == "c2"
    ]
    assert results == ["é" * 12_000 + "…8000 tokens truncated…" + "é" * 12_000]


def test_pi_without_ids_counts_entries_by_line_for_what_a_compaction_kept() -> None:
    assert [(r.reason, r.message_ids) for r in resets_of("pi/linear")] == [
        ("compaction", ("m12", "m8", "m9", "m10", "m11"))
    ]


def test_a_cut_reply_of_pi_has_its_prompts_bill_and_none_of_its_calls() -> None:
    messages = messages_of("pi/linear")
    assert "m7" not in messages
    bill = bills_of("pi/linear")[2]
    assert bill.usage == Usage(3, 2_800, 90, 0)
    assert bill.last_message_id == "m6"
    notes = [e.event for e in entries_of("pi/linear") if isinstance(e.event, Noted)]
    assert notes == [Noted("provider_failed", "Request was aborted.")] * 2


def test_commands_that_a_person_ran_in_pi_are_in_the_prompt_and_start_no_turn() -> None:
    message = messages_of("pi/linear")["m5"]
    assert message.synthetic
    assert message.content == (
        Text("Ran `npm test`\n```\n1 failing\n```\n\nCommand exited with code 1"),
    )


def test_thinking_images_and_results_of_pi_become_blocks() -> None:
    messages = messages_of("pi/linear")
    assert messages["m2"].content[0] == Thinking("Look at it first.", "c2ln")
    assert messages["m8"].content[1] == Image("image/png", "iVBORw0KGgo=")
    assert messages["m3"].content == (
        ToolResult("p1", "export const form = () => {\n\treturn fields;\n};"),
    )


def test_branches_of_pi_are_rewinds_also_to_what_a_compaction_had_removed() -> None:
    resets = resets_of("pi/tree")
    assert [(reset.reason, reset.message_ids) for reset in resets] == [
        ("rewind", ("m1", "m2")),
        ("compaction", ("m10", "m9")),
        ("rewind", ("m1", "m2", "m3", "m4")),
    ]
    assert messages_of("pi/tree")["m7"].content == (Summary("Friday had been considered."),)
