"""Content blocks of the Anthropic wire form, as Claude Code and pi write them.

Owns the way from one JSON block to one core block.
Deliberately knows nothing of lines and sessions.

Invariant: nothing is lost; a block of a type we do not know is kept as it came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sidecar.core.messages import (
    Document,
    Image,
    RedactedThinking,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Unknown,
)
from sidecar.store.importers.conversation import list_of, mapping_of, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.messages import Block


def block_from(raw: object) -> Block:  # noqa: PLR0911 - one return per block type
    """One block; a string is text."""
    if isinstance(raw, str):
        return Text(raw)
    value = mapping_of(raw)
    kind = text_of(value.get("type"))
    match kind:
        case "text":
            return Text(text_of(value.get("text")))
        case "thinking":
            signature = value.get("signature") or value.get("thinkingSignature")
            return Thinking(text_of(value.get("thinking")), text_of(signature))
        case "redacted_thinking":
            return RedactedThinking(text_of(value.get("data")))
        case "tool_use" | "toolCall":
            arguments = mapping_of(value.get("input") or value.get("arguments"))
            return ToolUse(text_of(value.get("id")), text_of(value.get("name")), arguments)
        case "tool_result":
            return result_from(value)
        case "image" | "document":
            return _attachment(kind, value)
        case _:
            return Unknown(kind, value)


def blocks_from(content: object) -> list[Block]:
    """The blocks of a message's content: a string, or a list of blocks."""
    if isinstance(content, str):
        return [Text(content)]
    return [block_from(raw) for raw in list_of(content)]


def result_from(value: Mapping[str, Any]) -> ToolResult:
    """A tool result; parts of its content that are no text or attachment are told in words."""
    texts: list[str] = []
    attachments: list[Image | Document] = []
    for block in blocks_from(value.get("content")):
        if isinstance(block, (Image, Document)):
            attachments.append(block)
        elif isinstance(block, Text):
            texts.append(block.text)
    return ToolResult(
        text_of(value.get("tool_use_id")),
        "\n".join(texts),
        value.get("is_error") is True,
        tuple(attachments),
    )


def _attachment(kind: str, value: Mapping[str, Any]) -> Image | Document:
    source = mapping_of(value.get("source"))
    media_type = text_of(source.get("media_type") or value.get("mimeType"))
    data = text_of(source.get("data") or value.get("data"))
    name = text_of(value.get("title") or source.get("url") or source.get("file_id"))
    if kind == "image":
        return Image(media_type or "image/*", data, name)
    return Document(media_type or "application/*", data, name)
