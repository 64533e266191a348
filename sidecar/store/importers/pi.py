"""Sessions of pi: a header, then one JSON line per entry; in later versions the entries are a tree.

Owns what its entries mean: messages, compactions that name the first entry they kept, branches.
Deliberately knows nothing of what tokens any of it makes.

What the format does not say outright: entries of the first version have no ids and are numbered by
their line, the header being 0; a reply that was aborted has the bill of its prompt, but its output
count is the stream's first; one without a bill never reached the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidecar.core.events import Usage
from sidecar.core.messages import Image, Summary, Text, ToolResult, ToolUse, Unknown
from sidecar.store.importers.blocks import blocks_from
from sidecar.store.importers.branches import Branches
from sidecar.store.importers.conversation import (
    Conversation,
    count_of,
    mapping_of,
    milliseconds,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.messages import Block
    from sidecar.store.importers.branches import Again

NAME = "pi session (.jsonl)"

_CUT = frozenset({"aborted", "error"})


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an object of the file's beginning is a line of this format."""
    kind = value.get("type")
    if kind == "session":
        return "cwd" in value and "id" in value
    if kind == "message":
        return isinstance(value.get("message"), dict) and "payload" not in value
    return kind in {"model_change", "thinking_level_change"} and "timestamp" in value


class Importer:
    """Reads the lines of one file in order."""

    def __init__(self, again: Again | None) -> None:
        self.conversation = Conversation()
        self.branches = Branches(again)
        self._leaf: str | None = None
        self._entry_of: dict[str, str] = {}
        self._lines = 0

    def feed(self, value: Mapping[str, Any]) -> None:
        """One line; those that are no part of any prompt only move the leaf."""
        conversation = self.conversation
        conversation.at = milliseconds(value.get("timestamp")) or conversation.at
        kind = text_of(value.get("type"))
        key, self._lines = text_of(value.get("id")) or str(self._lines), self._lines + 1
        if kind == "session":
            model = text_of(value.get("modelId"))
            conversation.begin(text_of(value.get("id")), text_of(value.get("cwd")), model)
            return
        conversation.begin("", "")
        parent = text_of(value["parentId"]) if value.get("parentId") else None
        if "parentId" not in value:
            parent = self._leaf
        elif parent != self._leaf:
            self._go_to(parent)
        message_id = self._entry(kind, value)
        self.branches.record(key, parent, message_id)
        if message_id is not None:
            self._entry_of[key] = message_id
        self._leaf = key

    def finish(self) -> None:
        """The file is over."""
        self.conversation.finish()

    def _go_to(self, key: str | None) -> None:
        self.conversation.close_reply()
        if key is not None:
            self.branches.go_to(key, self.conversation)
        elif self.conversation.history:
            self.conversation.rewind((), ())

    def _entry(self, kind: str, value: Mapping[str, Any]) -> str | None:
        match kind:
            case "message":
                return self._message(mapping_of(value.get("message")))
            case "compaction":
                return self._compaction(value)
            case "branch_summary":
                return self._add([Summary(text_of(value.get("summary")))])
            case "custom_message":
                return self._add(blocks_from(value.get("content")))
            case "model_change":
                self.conversation.note("model_change", text_of(value.get("modelId")))
            case "session_info":
                self.conversation.retitle(text_of(value.get("name")))
        return None

    def _message(self, raw: Mapping[str, Any]) -> str | None:
        match raw.get("role"):
            case "assistant":
                return self._assistant(raw)
            case "user":
                return self._add(blocks_from(raw.get("content")), synthetic=False)
            case "toolResult":
                return self._result(raw)
            case "bashExecution":
                return self._add([Text(_shell_text(raw))])
            case "compactionSummary" | "branchSummary":
                return self._add([Summary(text_of(raw.get("summary")))])
            case _:
                return self._add(blocks_from(raw.get("content")) or [Unknown("message", raw)])

    def _add(self, blocks: list[Block], *, synthetic: bool = True) -> str:
        message = self.conversation.message("user", blocks, synthetic=synthetic)
        self.conversation.add(message)
        return message.id

    def _assistant(self, raw: Mapping[str, Any]) -> str | None:
        conversation = self.conversation
        blocks = blocks_from(raw.get("content"))
        if raw.get("errorMessage"):
            conversation.note("provider_failed", text_of(raw.get("errorMessage")))
        usage = _usage(raw)
        if not blocks and not usage.prompt_tokens:
            return None
        reply = conversation.open_reply(f"r{self._lines}", text_of(raw.get("model")))
        if raw.get("stopReason") in _CUT:
            # Calls of a reply that was cut short were never answered, and pi leaves them out.
            blocks = [block for block in blocks if not isinstance(block, ToolUse)]
        reply.blocks.extend(blocks)
        reply.usage = usage
        return reply.message_id

    def _result(self, raw: Mapping[str, Any]) -> str:
        blocks = blocks_from(raw.get("content"))
        texts = [block.text for block in blocks if isinstance(block, Text)]
        images = tuple(block for block in blocks if isinstance(block, Image))
        call_id, is_error = text_of(raw.get("toolCallId")), raw.get("isError") is True
        message = self.conversation.message(
            "tool", [ToolResult(call_id, "\n".join(texts), is_error, images)]
        )
        self.conversation.add(message)
        return message.id

    def _compaction(self, value: Mapping[str, Any]) -> str:
        conversation = self.conversation
        conversation.close_reply()
        summary = self._add([Summary(text_of(value.get("summary")))])
        first = text_of(value.get("firstKeptEntryId")) or str(value.get("firstKeptEntryIndex"))
        kept = self._kept_from(first)
        conversation.reset("compaction", [summary, *(key for key in kept if key != summary)])
        left = set(conversation.history)
        self._entry_of = {key: one for key, one in self._entry_of.items() if one in left}
        self.branches.forget(left)
        return summary

    def _kept_from(self, first: str) -> list[str]:
        """The working messages from an entry on; that entry itself may be no message."""
        keys = list(self._entry_of)
        wanted: set[str] = set()
        if first in self._entry_of:
            wanted = {self._entry_of[key] for key in keys[keys.index(first) :]}
        elif first.isdigit():
            wanted = {self._entry_of[k] for k in keys if k.isdigit() and int(k) >= int(first)}
        return [key for key in self.conversation.history if key in wanted]


def _usage(raw: Mapping[str, Any]) -> Usage:
    usage = mapping_of(raw.get("usage"))
    final = raw.get("stopReason") not in _CUT
    return Usage(
        count_of(usage.get("input")),
        count_of(usage.get("cacheRead")),
        count_of(usage.get("cacheWrite")),
        count_of(usage.get("output")) if final else 0,
        count_of(usage.get("reasoning")) if final else 0,
    )


def _shell_text(raw: Mapping[str, Any]) -> str:
    """What a command that the person ran looks like in the prompt."""
    output = text_of(raw.get("output"))
    text = f"Ran `{text_of(raw.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    if raw.get("cancelled") is True:
        return f"{text}\n\n(command cancelled)"
    exit_code = raw.get("exitCode")
    return f"{text}\n\nCommand exited with code {exit_code}" if exit_code else text
