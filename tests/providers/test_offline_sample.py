"""The sample task, played against the real tools on a real folder."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from recorded_turn import Conversation, reply_of

from sidecar.core.messages import Message, Summary, Text, Thinking, ToolResult
from sidecar.providers.registry import make_provider
from sidecar.providers.strict import StrictProvider
from sidecar.sample import SAMPLE_FOLLOW_UP, SAMPLE_PROMPT, create_sample_workspace, sample_files

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sidecar.providers.port import Provider

WIDE = {"window_tokens": 200_000, "strict": True}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    assert create_sample_workspace(path) == []
    return path


def test_run(folder: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "unittest"], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


test_run.__test__ = False  # type: ignore[attr-defined]


def changed(folder: Path) -> set[str]:
    """Files that are not what the sample has, `__pycache__` aside."""
    was = sample_files()
    now = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return {path for path in was.keys() | now.keys() if was.get(path) != now.get(path)}


ALL_CHANGED = {
    "CHANGELOG.md",
    "examples/totals.csv",
    "tally/money.py",
    "tally/parser.py",
    "tally/report.py",
    "tests/test_regressions.py",
}


async def test_the_sample_task_mends_a_red_suite_and_the_follow_up_is_answered(
    folder: Path,
) -> None:
    code, output = test_run(folder)
    assert code == 1
    assert "FAILED (failures=" in output
    conversation = Conversation(make_provider("offline", WIDE), folder)
    await conversation.turn(SAMPLE_PROMPT)
    code, output = test_run(folder)
    assert code == 0, output
    assert "Ran 65 tests" in output
    assert changed(folder) == ALL_CHANGED
    assert 20 <= len(conversation.replies) <= 36
    assert conversation.replies[-1].stop_reason == "end_turn"
    assert "The suite is green: 65 tests pass" in conversation.last_text()
    assert "(58 totals)" in conversation.last_text()
    assert_it_passes_the_trigger_long_before_its_end(conversation)
    await assert_new_providers_reply_the_same(conversation)
    await conversation.turn(SAMPLE_FOLLOW_UP)
    assert "rows.sort(key=lambda row: (row.date, row.number))" in conversation.last_text()
    assert "Ran 65 tests" in conversation.last_text()
    assert changed(folder) == ALL_CHANGED


def assert_it_passes_the_trigger_long_before_its_end(conversation: Conversation) -> None:
    window = make_provider("offline").info().window_tokens
    prompts = [usage.prompt_tokens for usage in conversation.usages if usage]
    over = [index for index, tokens in enumerate(prompts) if tokens > window * 0.8]
    assert window == 24_000
    assert over
    assert over[0] < len(prompts) - 10
    assert max(prompts) > window


async def assert_new_providers_reply_the_same(conversation: Conversation) -> None:
    """What one provider said in the course of a turn, another says that knows only a request."""
    provider = conversation.provider
    assert isinstance(provider, StrictProvider)
    for request, reply in zip(provider.requests, list(conversation.replies), strict=True):
        again = await reply_of(make_provider("offline", WIDE), request)
        assert again.content == reply.content


def mend_the_parser_and_move_the_reports(folder: Path) -> None:
    parser = folder / "tally" / "parser.py"
    parser.write_text(parser.read_text().replace(r"(?:,\d{3})?|", r"(?:,\d{3})*|"))
    report = folder / "tally" / "report.py"
    report.rename(folder / "tally" / "reports.py")
    report.write_text("from tally.reports import *\n")


async def test_what_it_does_depends_on_what_the_tools_return(folder: Path) -> None:
    mend_the_parser_and_move_the_reports(folder)
    conversation = Conversation(make_provider("offline", WIDE), folder)
    await conversation.turn(SAMPLE_PROMPT)
    edits = [path for tool, path in conversation.calls() if tool == "edit_file"]
    assert edits == ["tally/money.py", "tally/reports.py", "CHANGELOG.md"]
    assert ("read_file", "tests/test_parser.py") not in conversation.calls()


async def test_a_green_suite_is_left_alone(folder: Path) -> None:
    mend_the_parser_and_move_the_reports(folder)
    for name, wrong, right in (
        ("money", "range(remainder - 1)", "range(remainder)"),
        ("reports", "row.amount.units))", "row.number))"),
    ):
        path = folder / "tally" / f"{name}.py"
        path.write_text(path.read_text().replace(wrong, right))
    before = changed(folder)
    conversation = Conversation(make_provider("offline", WIDE), folder)
    await conversation.turn(SAMPLE_PROMPT)
    assert "All 61 tests pass already" in conversation.last_text()
    assert changed(folder) == before
    assert len(conversation.replies) == 4


def shortened(message: Message, keep_bytes: int) -> Message:
    blocks = tuple(
        replace(
            block,
            text=block.text[:keep_bytes]
            + f'\n[... 9 KiB truncated by sidecar; recall "{message.id}.{number}" returns it ...]',
        )
        if isinstance(block, ToolResult) and len(block.text) > keep_bytes
        else block
        for number, block in enumerate(message.content)
        if not isinstance(block, Thinking)
    )
    return replace(message, content=blocks)


def heads_only(messages: list[Message]) -> list[Message]:
    return [shortened(message, 512) for message in messages[:-2]] + messages[-2:]


def stubs_only(messages: list[Message]) -> list[Message]:
    return [shortened(message, 0) for message in messages[:-2]] + messages[-2:]


def newest_shortened_too(messages: list[Message]) -> list[Message]:
    return [shortened(message, 2_400) for message in messages]


@pytest.mark.parametrize("between", [heads_only, stubs_only, newest_shortened_too])
async def test_it_gets_there_with_results_shortened_before_every_request(
    folder: Path, between: Callable[[list[Message]], list[Message]]
) -> None:
    provider = make_provider("offline", {"window_tokens": 24_000})
    conversation = Conversation(provider, folder)
    await conversation.turn(SAMPLE_PROMPT, between, most=80)
    assert test_run(folder)[0] == 0, conversation.said()
    assert changed(folder) == ALL_CHANGED


@pytest.mark.parametrize("keeps_prompt", [True, False])
async def test_it_gets_there_with_everything_but_the_newest_batch_summarised(
    folder: Path, *, keeps_prompt: bool
) -> None:
    provider = make_provider("offline", {"window_tokens": 24_000})
    conversation = Conversation(provider, folder)
    conversation.add("user", Text(SAMPLE_PROMPT))
    rounds = 0
    while await conversation.step():
        rounds += 1
        if rounds % 4:
            continue
        prompt, *middle, call, results = conversation.messages
        if not keeps_prompt:
            middle = [prompt, *middle]
        conversation.messages = middle
        summary = (await conversation.ask(conversation.request("summary"))).content[0]
        assert isinstance(summary, Text)
        conversation.messages = [prompt] if keeps_prompt else []
        conversation.add("user", Summary(summary.text), synthetic=True)
        conversation.messages += [call, results]
        assert rounds < 80
    assert test_run(folder)[0] == 0, conversation.said()
    assert changed(folder) == ALL_CHANGED


def provider_with(**settings: object) -> Provider:
    return make_provider("offline", {**WIDE, **settings})


async def at_the_first_edit(folder: Path) -> Conversation:
    """The sample task up to the first edit, and that edit."""
    conversation = Conversation(provider_with(), folder)
    conversation.add("user", Text(SAMPLE_PROMPT))
    while not any(tool == "edit_file" for tool, _ in conversation.calls()):
        await conversation.step()
    assert changed(folder) == {"tally/parser.py"}
    return conversation


async def test_after_a_rewind_it_goes_on_from_where_the_conversation_is(folder: Path) -> None:
    conversation = await at_the_first_edit(folder)
    # Both go back: the file, and the conversation to just before the call.
    (folder / "tally" / "parser.py").write_bytes(sample_files()["tally/parser.py"])
    edit = conversation.messages[-2]
    conversation.messages = conversation.messages[:-2]
    assert await conversation.step()
    assert conversation.messages[-2].content[1:2] == edit.content[1:2]
    assert changed(folder) == {"tally/parser.py"}
    # Only the conversation: the file is like that already, so it has nothing left to mend there.
    conversation.messages = conversation.messages[:1]
    for _ in range(4):
        await conversation.step()
    assert "`tests/test_budget.py`" in conversation.last_text()


async def test_tools_that_are_not_offered_are_named_and_the_turn_ends(folder: Path) -> None:
    conversation = Conversation(provider_with(), folder, tools=("glob", "grep", "read_file"))
    await conversation.turn(SAMPLE_PROMPT)
    assert "would now call bash, which this session does not offer" in conversation.last_text()
    assert conversation.replies[-1].stop_reason == "end_turn"
    assert changed(folder) == set()


async def test_a_refused_edit_ends_the_turn_and_continue_takes_it_up_again(folder: Path) -> None:
    conversation = await at_the_first_edit(folder)
    (folder / "tally" / "parser.py").write_bytes(sample_files()["tally/parser.py"])
    answer = conversation.messages[-1].content[0]
    assert isinstance(answer, ToolResult)
    refused = replace(answer, text="The user did not allow this call.", is_error=True)
    conversation.messages[-1] = replace(conversation.messages[-1], content=(refused,))
    assert not await conversation.step()
    assert "The user did not allow this call." in conversation.last_text()
    assert changed(folder) == set()
    conversation.add("user", Text("Please continue."))
    for _ in range(5):
        assert await conversation.step()
    assert conversation.calls()[-1] == ("edit_file", "tally/parser.py")
    assert changed(folder) == {"tally/parser.py"}


async def test_a_message_typed_while_it_runs_is_acknowledged_and_it_goes_on(folder: Path) -> None:
    conversation = Conversation(provider_with(), folder)
    conversation.add("user", Text(SAMPLE_PROMPT))
    await conversation.step()
    await conversation.step()
    conversation.add("user", Text("By the way, use short names."))
    await conversation.step()
    assert conversation.last_text() == (
        "(You typed while the recording was running; a recording can't change its course.)\n\n"
        "Now the whole test suite."
    )
    await conversation.step()
    assert conversation.last_text().startswith("The first failure is `test_thousands")


async def test_a_prompt_after_a_cancelled_call_starts_afresh_and_continue_does_not(
    folder: Path,
) -> None:
    conversation = Conversation(provider_with(), folder)
    conversation.add("user", Text(SAMPLE_PROMPT))
    for _ in range(3):
        await conversation.step()
    answer = conversation.messages[-1].content[0]
    assert isinstance(answer, ToolResult)
    cancelled = replace(answer, text="Cancelled by the user while it ran.", is_error=True)
    conversation.messages[-1] = replace(conversation.messages[-1], content=(cancelled,))
    kept = list(conversation.messages)
    conversation.add("user", Text("Hello?"))
    await conversation.step()
    assert "your prompt names no file" in conversation.last_text()
    conversation.messages = kept
    conversation.add("user", Text("Continue"))
    await conversation.step()
    assert conversation.last_text() == "Now the whole test suite."


async def test_in_another_folder_it_says_that_this_is_not_the_sample(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "main.py").write_text("print(1)\n")
    conversation = Conversation(provider_with(), tmp_path / "elsewhere")
    await conversation.turn(SAMPLE_PROMPT)
    assert "this folder isn't it" in conversation.last_text()
    assert "main.py" in conversation.last_text()
