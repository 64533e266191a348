"""Sessions of Claude Code: one JSON line per content block, event and attachment.

Owns what its lines mean: which of them were in the prompt, which belong to one reply, where its
own compactions, clearings and rewinds cut the history.
Deliberately knows nothing of what tokens any of it makes.

What the format does not say outright: the lines of one reply share `message.id` and repeat its
usage; a `stop_reason` of null means that the line was written when the stream began, so that its
`output_tokens` is a placeholder; results may be written between the blocks of their reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidecar.core.events import BlockChange, Compacted, Usage
from sidecar.core.messages import Summary, Text, ToolResult, Unknown
from sidecar.store.importers.blocks import blocks_from
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
    from collections.abc import Iterable, Mapping
    from typing import Literal

    from sidecar.core.messages import Block, Message, Role
    from sidecar.store.importers.branches import Again

NAME = "Claude Code session (.jsonl)"

CLEARED = "[Old tool result content cleared]"

_LOCAL_TAGS = (
    "<command-name>",
    "<local-command-",
    "<bash-",
    "<task-notification>",
    "<system-reminder>",
    "[Request interrupted",
    "Caveat: The messages below",
)
_NEVER_SENT = frozenset(
    {"hook_system_message", "hook_cancelled", "hook_non_blocking_error", "command_permissions"}
)
_BARE = frozenset({"task_reminder", "todo_reminder"})
_SENT = {
    "edited_text_file": ("filename", "snippet"),
    "deferred_tools_delta": ("addedLines", "removedNames", "readdedNames"),
    "agent_listing_delta": ("addedLines", "removedTypes"),
    "mcp_instructions_delta": ("addedBlocks", "removedNames"),
    "skill_listing": ("content",),
    "hook_success": ("content",),
    "hook_additional_context": ("content",),
    "task_reminder": ("content",),
    "todo_reminder": ("content",),
}
"""What of an attachment is in the prompt; of a kind that is not listed, everything is counted."""


def recognises(value: Mapping[str, Any]) -> bool:
    """Whether an object of the file's beginning is a line of this format."""
    kind = value.get("type")
    if kind in {"user", "assistant", "attachment", "system", "progress"}:
        return "sessionId" in value or "parentUuid" in value
    if kind in {"last-prompt", "permission-mode", "mode", "queue-operation", "ai-title"}:
        return "sessionId" in value
    return (kind == "summary" and "leafUuid" in value) or (
        kind == "file-history-snapshot" and "snapshot" in value
    )


class Importer:
    """Reads the lines of one file in order."""

    def __init__(self, again: Again | None) -> None:
        self.conversation = Conversation()
        self.branches = Branches(again)
        self._results: dict[str, tuple[Message, int]] = {}
        self._billed: set[str] = set()
        self._compaction: Mapping[str, Any] | None = None
        self._compactions = 0

    def feed(self, value: Mapping[str, Any]) -> None:
        """One line; subagents' lines and those that never reached the model say nothing."""
        conversation = self.conversation
        conversation.at = milliseconds(value.get("timestamp")) or conversation.at
        kind = text_of(value.get("type"))
        if "sessionId" in value:
            conversation.begin(text_of(value["sessionId"]), text_of(value.get("cwd")))
        uuid, parent = value.get("uuid"), value.get("parentUuid")
        if value.get("isSidechain") is True:
            return
        message_id = self._line(kind, value)
        if isinstance(uuid, str):
            self.branches.record(uuid, parent if isinstance(parent, str) else None, message_id)

    def _line(self, kind: str, value: Mapping[str, Any]) -> str | None:
        match kind:
            case "assistant":
                return self._assistant(value)
            case "user":
                return self._user(value)
            case "attachment":
                return self._attachment(mapping_of(value.get("attachment")))
            case "system":
                self._system(value)
            case "ai-title" | "custom-title":
                title = value.get("customTitle") or value.get("aiTitle")
                self.conversation.retitle(text_of(title))
        return None

    def finish(self) -> None:
        """The file is over."""
        self.conversation.finish()

    def _assistant(self, value: Mapping[str, Any]) -> str | None:
        conversation = self.conversation
        raw = mapping_of(value.get("message"))
        key = text_of(raw.get("id"))
        blocks = blocks_from(raw.get("content"))
        if value.get("isApiErrorMessage") is True:
            texts = " ".join(block.text for block in blocks if isinstance(block, Text))
            conversation.note("provider_failed", texts)
            return None
        reply = conversation.reply
        if reply is None or reply.request_id != key:
            synthetic = raw.get("model") == "<synthetic>"
            reply = conversation.open_reply(key, "" if synthetic else text_of(raw.get("model")))
            if not synthetic and key not in self._billed:
                self._billed.add(key)
                reply.usage = _usage(raw)
        reply.blocks.extend(blocks)
        if reply.usage is not None:
            reply.usage = max(reply.usage, _usage(raw), key=lambda usage: usage.output_tokens)
        return reply.message_id

    def _user(self, value: Mapping[str, Any]) -> str | None:
        content = mapping_of(value.get("message")).get("content")
        blocks = blocks_from(content)
        if value.get("isCompactSummary") is True:
            return self._summary(blocks)
        results = [block for block in blocks if isinstance(block, ToolResult)]
        others: list[Block] = [block for block in blocks if not isinstance(block, ToolResult)]
        message_id = self._add_results(results, content) if results else None
        if others and (results or value.get("isMeta") is True or _is_local(others)):
            message_id = self._add("user", others, synthetic=True)
        elif others:
            message_id = self._prompt(others, value.get("parentUuid"))
        return message_id

    def _add(self, role: Role, blocks: Iterable[Block], *, synthetic: bool) -> str:
        message = self.conversation.message(role, blocks, synthetic=synthetic)
        self.conversation.add(message)
        return message.id

    def _add_results(self, results: list[ToolResult], content: object) -> str:
        blocks: list[Block] = [*results, *_tool_references(content)]
        message = self.conversation.message("tool", blocks)
        self.conversation.add(message)
        for index, result in enumerate(results):
            self._results[result.tool_use_id] = (message, index)
        return message.id

    def _prompt(self, blocks: list[Block], parent: object) -> str:
        """What a person said; one that hangs on an older line than the last went back to it."""
        conversation = self.conversation
        conversation.close_reply()
        if isinstance(parent, str):
            self.branches.go_to(parent, conversation)
        elif not conversation.spoken.isdisjoint(conversation.history):
            self._reset("clear", ())
        return self._add("user", blocks, synthetic=False)

    def _summary(self, blocks: list[Block]) -> str:
        """The compaction's own message, which takes the place of what it summarised.

        What hangs on its line follows the last of the messages that it kept, so that one is given.
        """
        conversation = self.conversation
        conversation.close_reply()
        texts = [block.text for block in blocks if isinstance(block, Text)]
        message = conversation.message("user", [Summary("\n".join(texts))], synthetic=True)
        kept = self._preserved()
        conversation.add(message)
        self._compaction = None
        self._reset("compaction", (message.id, *kept))
        return self.conversation.history[-1]

    def _preserved(self) -> list[str]:
        """Ids of the messages that a compaction says it kept as they were."""
        segment = mapping_of(mapping_of(self._compaction).get("preservedSegment"))
        history = self.conversation.history
        ends = [self.branches.message_of(text_of(segment.get(k))) for k in ("headUuid", "tailUuid")]
        if any(end not in history for end in ends):
            return []
        first, last = sorted(history.index(end) for end in ends if end is not None)
        return history[first : last + 1]

    def _reset(self, reason: Literal["compaction", "clear"], ids: Iterable[str]) -> None:
        self.conversation.reset(reason, ids)
        kept = set(self.conversation.history)
        self.branches.forget(kept)
        self._results = {k: v for k, v in self._results.items() if v[0].id in kept}

    def _attachment(self, raw: Mapping[str, Any]) -> str | None:
        kind = text_of(raw.get("type"))
        if kind == "queued_command":
            prompt = blocks_from(raw.get("prompt"))
            return self._add("user", prompt, synthetic=raw.get("commandMode") != "prompt")
        keys = _SENT.get(kind, tuple(raw))
        sent = {key: raw[key] for key in keys if raw.get(key)}
        if kind in _BARE and sent:
            sent = {"content": [_task_line(task) for task in list_of(sent["content"])]}
        if kind in _NEVER_SENT or not (sent or kind in _BARE):
            return None
        return self._add("user", [Unknown(kind, sent)], synthetic=True)

    def _system(self, value: Mapping[str, Any]) -> None:
        conversation = self.conversation
        match value.get("subtype"):
            case "compact_boundary":
                conversation.close_reply()
                self._compaction = mapping_of(value.get("compactMetadata"))
            case "microcompact_boundary":
                conversation.close_reply()
                self._microcompacted(mapping_of(value.get("microcompactMetadata")))

    def _microcompacted(self, metadata: Mapping[str, Any]) -> None:
        """Old results were emptied in place; the file says which."""
        changes: list[BlockChange] = []
        for key in list_of(metadata.get("compactedToolIds")):
            message, index = self._results.pop(text_of(key), (None, 0))
            if message is None:
                continue
            block = message.content[index]
            if isinstance(block, ToolResult):
                cleared = ToolResult(block.tool_use_id, CLEARED, block.is_error)
                size = len(block.text.encode("utf-8", "surrogatepass"))
                changes.append(BlockChange(message.id, index, "caps", cleared, size, len(CLEARED)))
        before = count_of(metadata.get("preTokens"))
        after = max(0, before - count_of(metadata.get("tokensSaved")))
        self._compactions += 1
        if changes:
            self.conversation.say(
                Compacted(
                    f"c{self._compactions}",
                    tuple(changes),
                    None,
                    ("caps",),
                    before_tokens=before,
                    after_tokens=after,
                    target_tokens=0,
                    ceiling_tokens=0,
                    reached_target=True,
                )
            )


def _task_line(task: object) -> str:
    """A task as a reminder lists it."""
    value = mapping_of(task)
    status = text_of(value.get("status"))
    what = text_of(value.get("subject") or value.get("content"))
    return f"#{value.get('id', '')}. [{status}] {what}"


def _usage(message: Mapping[str, Any]) -> Usage:
    raw = mapping_of(message.get("usage"))
    final = message.get("stop_reason") is not None
    return Usage(
        count_of(raw.get("input_tokens")),
        count_of(raw.get("cache_read_input_tokens")),
        count_of(raw.get("cache_creation_input_tokens")),
        count_of(raw.get("output_tokens")) if final else 0,
    )


def _is_local(blocks: list[Block]) -> bool:
    """Whether a user's line was written by the program: a local command, a notice."""
    first = blocks[0]
    return isinstance(first, Text) and first.text.lstrip().startswith(_LOCAL_TAGS)


def _tool_references(content: object) -> list[Unknown]:
    """Tool definitions that a search put into the prompt: named here, to be found nowhere."""
    return [
        Unknown("tool_reference", part)
        for result in list_of(content)
        for part in list_of(mapping_of(result).get("content"))
        if mapping_of(part).get("type") == "tool_reference"
    ]
