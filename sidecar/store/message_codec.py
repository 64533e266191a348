"""Messages and blocks to JSON values and back: the form of a history file and of the journal.

Owns that form; `sidecar.store.codec` writes whole events with it.
Deliberately knows nothing of files, lines or events.

Invariant: reading what was written gives an equal message, `source` and key order included.
Reading never raises: what is not understood is kept as an `Unknown` block, or named in a problem.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.messages import Block

ROLES = ("user", "assistant", "tool")

_MESSAGE_FIELDS = {"id", "role", "content", "synthetic", "pinned", "source"}
_BLOCK_FIELDS: Mapping[str, set[str]] = {
    "text": {"type", "text"},
    "thinking": {"type", "text", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input"},
    "tool_result": {"type", "tool_use_id", "text", "is_error", "attachments"},
    "image": {"type", "media_type", "data", "name"},
    "document": {"type", "media_type", "data", "name", "pages"},
    "summary": {"type", "text"},
}


class _Malformed(Exception):
    """A field that is missing or of the wrong type, in words."""


def message_to_json(message: Message) -> dict[str, Any]:
    """The message as JSON values; fields that say nothing (false flags, no source) are left out."""
    value: dict[str, Any] = {"id": message.id, "role": message.role}
    if message.synthetic or message.role == "user":
        value["synthetic"] = message.synthetic
    value["content"] = [block_to_json(block) for block in message.content]
    if message.pinned:
        value["pinned"] = True
    if message.source:
        value["source"] = dict(message.source)
    return value


def block_to_json(block: Block) -> dict[str, Any]:  # noqa: PLR0911 - one return per block type
    """The block as JSON values; an `Unknown` one exactly as it came."""
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case ToolUse(call_id, name, arguments):
            return {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}
        case ToolResult():
            return _result_to_json(block)
        case Thinking(text, signature):
            value = {"type": "thinking", "text": text}
            return {**value, "signature": signature} if signature else value
        case RedactedThinking(data):
            return {"type": "redacted_thinking", "data": data}
        case Image() | Document():
            return _attachment_to_json(block)
        case Summary(text):
            return {"type": "summary", "text": text}
        case Unknown():
            return dict(block.raw)


def _result_to_json(block: ToolResult) -> dict[str, Any]:
    value = {
        "type": "tool_result",
        "tool_use_id": block.tool_use_id,
        "text": block.text,
        "is_error": block.is_error,
    }
    if block.attachments:
        value["attachments"] = [_attachment_to_json(item) for item in block.attachments]
    return value


def _attachment_to_json(block: Image | Document) -> dict[str, Any]:
    value: dict[str, Any] = {
        "type": "image" if isinstance(block, Image) else "document",
        "media_type": block.media_type,
    }
    if block.data:
        value["data"] = block.data
    if block.name:
        value["name"] = block.name
    if isinstance(block, Document) and block.pages:
        value["pages"] = block.pages
    return value


def message_from_json(raw: object) -> tuple[Message | None, list[str]]:
    """The message, or None where it has no id, no known role or no content, and the problems.

    A bare string stands for one text block, both as `content` and inside it.
    """
    if not isinstance(raw, dict):
        return None, [f"a message must be an object, not {_kind(raw)}"]
    message_id, role, content = raw.get("id"), raw.get("role"), raw.get("content")
    if not isinstance(message_id, str) or not message_id:
        return None, ["a message has no id"]
    if role not in ROLES:
        return None, [f"message {message_id}: role must be one of {', '.join(ROLES)}, not {role!r}"]
    if isinstance(content, str):
        content = [content]
    if not isinstance(content, list):
        return None, [f"message {message_id}: content must be a list, not {_kind(content)}"]
    problems: list[str] = []
    blocks = []
    for number, item in enumerate(content):
        block, found = block_from_json(item)
        blocks.append(block)
        problems += [f"message {message_id}, block {number}: {text}" for text in found]
    if not raw.keys() <= _MESSAGE_FIELDS:
        problems.append(f"message {message_id}: {_unknown_fields(raw, _MESSAGE_FIELDS)}")
    source = raw.get("source")
    message = Message(
        message_id,
        role,
        tuple(blocks),
        raw.get("synthetic") is True,
        raw.get("pinned") is True,
        source if isinstance(source, dict) else {},
    )
    return message, problems


def block_from_json(  # noqa: PLR0911 - one return per way to be unreadable
    raw: object,
) -> tuple[Block, list[str]]:
    """The block and the problems; what does not fit its type comes back as `Unknown`, whole."""
    if isinstance(raw, str):
        return Text(raw), []
    if not isinstance(raw, dict):
        return Unknown("", {"value": raw}), [f"a block must be an object, not {_kind(raw)}"]
    kind = raw.get("type")
    if not isinstance(kind, str):
        return Unknown("", raw), ["a block has no type; kept as it came"]
    if kind not in _BLOCK_FIELDS:
        return Unknown(kind, raw), []
    try:
        block = _known_block(kind, raw)
    except _Malformed as error:
        return Unknown(kind, raw), [f"{kind}: {error}; kept as it came"]
    fields = _BLOCK_FIELDS[kind]
    if raw.keys() <= fields:
        return block, []
    return block, [f"{kind}: {_unknown_fields(raw, fields)}"]


def _known_block(kind: str, raw: Mapping[str, Any]) -> Block:  # noqa: PLR0911 - one per block type
    match kind:
        case "text":
            return Text(_string(raw, "text"))
        case "tool_use":
            arguments = raw.get("input", {})
            if not isinstance(arguments, dict):
                raise _Malformed(f"input must be an object, not {_kind(arguments)}")
            return ToolUse(_string(raw, "id"), _string(raw, "name"), arguments)
        case "tool_result":
            return _result_from_json(raw)
        case "thinking":
            return Thinking(_string(raw, "text"), _string(raw, "signature", ""))
        case "redacted_thinking":
            return RedactedThinking(_string(raw, "data"))
        case "summary":
            return Summary(_string(raw, "text"))
        case _:
            return _attachment_from_json(raw)


def _result_from_json(raw: Mapping[str, Any]) -> ToolResult:
    is_error, attachments = raw.get("is_error", False), raw.get("attachments", [])
    if not isinstance(is_error, bool):
        raise _Malformed(f"is_error must be true or false, not {_kind(is_error)}")
    if not isinstance(attachments, list):
        raise _Malformed(f"attachments must be a list, not {_kind(attachments)}")
    return ToolResult(
        _string(raw, "tool_use_id"),
        _string(raw, "text", ""),
        is_error,
        tuple(_attachment_from_json(item) for item in attachments),
    )


def _attachment_from_json(raw: object) -> Image | Document:
    if not isinstance(raw, dict) or raw.get("type") not in {"image", "document"}:
        raise _Malformed("an attachment must be an image or a document")
    values = _string(raw, "media_type"), _string(raw, "data", ""), _string(raw, "name", "")
    if raw["type"] == "image":
        return Image(*values)
    pages = raw.get("pages", 0)
    if type(pages) is not int:
        raise _Malformed(f"pages must be an integer, not {_kind(pages)}")
    return Document(*values, pages)


def _string(raw: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = raw.get(key, default)
    if isinstance(value, str):
        return value
    if value is None and key not in raw:
        raise _Malformed(f"{key} is missing")
    raise _Malformed(f"{key} must be a string, not {_kind(value)}")


def _unknown_fields(raw: Mapping[str, Any], known: set[str]) -> str:
    names = ", ".join(sorted(str(key) for key in raw.keys() - known))
    return f"unknown field {names}, ignored"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")
