"""Rollouts of Codex: response items as the model saw them, between events of the program.

Owns which items are one reply, which bill belongs to it, and what its compactions left.
Deliberately knows nothing of what tokens any of it makes.

What the format does not say outright: a `token_count` bills the items since the one before, and
comes again, with the same totals, when nothing was asked; outputs of a reply's own calls may be
written before its bill; a compaction reports a bill of nothing.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sidecar.core.events import Usage
from sidecar.core.messages import (
    Image,
    RedactedThinking,
    Summary,
    Text,
    ToolResult,
    ToolUse,
    Unknown,
)
from sidecar.store.importers.branches import Branches
from sidecar.store.importers.conversation import (
    Conversation,
    count_of,
    list_of,
    mapping_of,
    milliseconds,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.messages import Block, Message
    from sidecar.store.importers.branches import Again

NAME = "Codex rollout (.jsonl)"

_LINE_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})
_CONTEXT_MARKS = (
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
)


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an object of the file's beginning is a line of this format."""
    return value.get("type") in _LINE_TYPES and isinstance(value.get("payload"), dict)


class Importer:
    """Reads the lines of one file in order."""

    def __init__(self, again: Again | None) -> None:
        self.conversation = Conversation()
        self.branches = Branches(again)
        self._totals: object = None
        self._output_bytes = 0

    def feed(self, value: Mapping[str, Any]) -> None:
        """One line."""
        conversation = self.conversation
        conversation.at = milliseconds(value.get("timestamp")) or conversation.at
        payload = mapping_of(value.get("payload"))
        match value.get("type"):
            case "session_meta":
                conversation.begin(text_of(payload.get("id")), text_of(payload.get("cwd")))
            case "turn_context":
                conversation.begin("", text_of(payload.get("cwd")))
                conversation.model = text_of(payload.get("model")) or conversation.model
                self._output_bytes = _output_bytes(mapping_of(payload.get("truncation_policy")))
            case "response_item":
                conversation.begin("", "")
                self._item(payload)
            case "event_msg":
                conversation.begin("", "")
                self._event(payload)
            case "compacted":
                self._compacted(payload)

    def finish(self) -> None:
        """The file is over."""
        self.conversation.finish()

    def _item(self, payload: Mapping[str, Any]) -> None:
        kind = text_of(payload.get("type"))
        if kind in _OUTPUTS:
            result = self._result(payload)
            self.conversation.add(self.conversation.message("tool", [result]))
        elif kind == "message" and payload.get("role") != "assistant":
            self.conversation.add(self._input_message(payload))
        else:
            reply = self.conversation.reply or self.conversation.open_reply("", "")
            reply.blocks.extend(_reply_blocks(kind, payload))

    def _result(self, payload: Mapping[str, Any]) -> ToolResult:
        """An output as it was sent; the file has it whole, the prompt had its head and tail."""
        result = _whole_result(payload)
        return replace(result, text=_cut(result.text, self._output_bytes))

    def _input_message(self, payload: Mapping[str, Any]) -> Message:
        blocks = _content_blocks(payload.get("content"))
        texts = [block.text for block in blocks if isinstance(block, Text)]
        context = bool(texts) and texts[0].lstrip().startswith(_CONTEXT_MARKS)
        synthetic = payload.get("role") != "user" or context
        return self.conversation.message("user", blocks, synthetic=synthetic)

    def _event(self, payload: Mapping[str, Any]) -> None:
        match payload.get("type"):
            case "token_count":
                self._bill(mapping_of(payload.get("info")))
            case "turn_aborted" | "task_complete" | "task_started":
                self.conversation.close_reply()
            case "thread_rolled_back":
                self.conversation.close_reply()
                self._roll_back(count_of(payload.get("num_turns")))
            case "error" | "stream_error":
                self.conversation.note("provider_failed", text_of(payload.get("message")))

    def _bill(self, info: Mapping[str, Any]) -> None:
        totals, last = info.get("total_token_usage"), mapping_of(info.get("last_token_usage"))
        if not last or totals == self._totals:
            return
        self._totals = totals
        usage = _usage(last)
        conversation = self.conversation
        if usage.prompt_tokens:
            reply = conversation.reply or conversation.open_reply("", "")
            reply.request_id = f"r{mapping_of(totals).get('total_tokens', 0)}"
            reply.usage = usage
        conversation.close_reply()

    def _roll_back(self, turns: int) -> None:
        conversation = self.conversation
        if turns and conversation.history:
            conversation.rewind(conversation.history[: conversation.last_prompts(turns)], ())

    def _compacted(self, payload: Mapping[str, Any]) -> None:
        conversation = self.conversation
        conversation.close_reply()
        items = [mapping_of(item) for item in list_of(payload.get("replacement_history"))]
        kept: list[str] = [] if items else conversation.prompts_kept()
        summary = text_of(payload.get("message"))
        messages = [message for item in items if (message := self._replacement(item)) is not None]
        if summary and not items:
            messages.append(conversation.message("user", [Summary(summary)], synthetic=True))
        for message in messages:
            conversation.repeat(message)
        conversation.reset("compaction", [*kept, *(message.id for message in messages)])

    def _replacement(self, item: Mapping[str, Any]) -> Message | None:
        """One item of what a compaction left."""
        kind, role = text_of(item.get("type")), item.get("role")
        conversation = self.conversation
        if kind in _OUTPUTS:
            return conversation.message("tool", [self._result(item)])
        if kind == "message" and role != "assistant":
            return self._input_message(item)
        return conversation.message("assistant", _reply_blocks(kind, item), synthetic=True)


def _content_blocks(content: object) -> list[Block]:
    blocks: list[Block] = []
    for raw in list_of(content):
        value = mapping_of(raw)
        kind = text_of(value.get("type"))
        if kind in {"input_text", "output_text", "text"}:
            blocks.append(Text(text_of(value.get("text"))))
        elif kind == "input_image":
            blocks.append(Image("image/*", text_of(value.get("image_url"))))
        else:
            blocks.append(Unknown(kind, value))
    return blocks


def _reply_blocks(kind: str, payload: Mapping[str, Any]) -> list[Block]:
    call_id, name = text_of(payload.get("call_id")), text_of(payload.get("name"))
    match kind:
        case "message":
            return _content_blocks(payload.get("content"))
        case "reasoning":
            return [RedactedThinking(text_of(payload.get("encrypted_content")))]
        case "function_call":
            return [ToolUse(call_id, name, _arguments(text_of(payload.get("arguments"))))]
        case "custom_tool_call":
            return [ToolUse(call_id, name, {"input": text_of(payload.get("input"))})]
        case _:
            return [Unknown(kind, payload)]


def _arguments(text: str) -> Mapping[str, Any]:
    """A call's arguments; what the model wrote that is no JSON object is kept as it came."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"arguments": text}


def _whole_result(payload: Mapping[str, Any]) -> ToolResult:
    """An output: a text, a list of content, or a text inside an object of an older version."""
    output = payload.get("output")
    blocks = _content_blocks(output)
    texts = [block.text for block in blocks if isinstance(block, Text)]
    images = tuple(block for block in blocks if isinstance(block, Image))
    if isinstance(output, dict):
        texts = [text_of(output.get("content"))]
    text = output if isinstance(output, str) else "\n".join(texts)
    return ToolResult(text_of(payload.get("call_id")), text, attachments=images)


def _output_bytes(policy: Mapping[str, Any]) -> int:
    """The most bytes of one output that go into a prompt, 0 where nothing says so.

    Codex allows its limit and a fifth more, and takes four bytes for a token.
    """
    limit = count_of(policy.get("limit")) * 6 // 5
    return limit * 4 if policy.get("mode") == "tokens" else limit


def _cut(text: str, most_bytes: int) -> str:
    data = text.encode("utf-8", "surrogatepass")
    if not most_bytes or len(data) <= most_bytes:
        return text
    half = most_bytes // 2
    head, tail = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
    return f"{head}…{(len(data) - most_bytes) // 4} tokens truncated…{tail}"


def _usage(raw: Mapping[str, Any]) -> Usage:
    prompt, cached = count_of(raw.get("input_tokens")), count_of(raw.get("cached_input_tokens"))
    return Usage(
        max(0, prompt - cached),
        min(prompt, cached),
        0,
        count_of(raw.get("output_tokens")),
        count_of(raw.get("reasoning_output_tokens")),
    )
