"""What of a message is counted, and by which unit: the family's weights, or plain bytes.

Owns the way from a block to its countable parts, for both units.
Deliberately knows nothing of rates that are learned, of bills, or of histories.

Invariant: a message's units depend on that message alone; images and documents count flat.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sidecar.core.messages import (
    Document,
    Image,
    RedactedThinking,
    Summary,
    Text,
    Thinking,
    ToolResult,
    ToolUse,
    Unknown,
)
from sidecar.core.weights import NOTICES, Family

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sidecar.core.messages import Block, Message

_BYTES_PER_TOKEN = 4
_IMAGE_TOKENS, _DOCUMENT_TOKENS, _PAGE_TOKENS = 1_600, 5_000, 2_500
_PPM = 1_000_000


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """A tool call's arguments as they are counted: compact JSON, non-ASCII as it is."""
    return json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)


def block_units(family: Family, block: Block) -> int:  # noqa: PLR0911 - one per block type
    """Units of one block by a family's weights."""
    match block:
        case ToolResult(_, text):
            flat = sum(_attachment_units(family, item) for item in block.attachments)
            return family.result + family.text_units(text) + flat
        case ToolUse(_, name, arguments):
            text = name + arguments_text(arguments)
            return family.call + family.argument * len(arguments) + family.text_units(text)
        case Text(text) | Summary(text):
            return family.text_block + family.text_units(text)
        case Thinking(text, signature):
            return family.thinking_units(text, signature)
        case RedactedThinking(data):
            return family.thinking_units("", data)
        case Image() | Document():
            return _attachment_units(family, block)
    texts = sum(family.text_units(text) for text in _leaves(block.raw))
    return family.text_block + NOTICES.get(block.type, 0) + texts


def _attachment_units(family: Family, block: Image | Document) -> int:
    if isinstance(block, Image):
        return family.image
    return block.pages * family.page or family.document


def searches(message: Message) -> list[str]:
    """The searches that the provider itself made while it wrote this reply, each by its kind."""
    return [
        str((block.raw.get("action") or {}).get("type"))
        for block in message.content
        if isinstance(block, Unknown) and block.type == "web_search_call"
    ]


def _leaves(value: object) -> Iterator[str]:
    """The texts in a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)


class FixedRate:
    """Bytes / 4 times a rate that a person named; learns nothing.

    The unit is one UTF-8 byte of text, tool name, arguments as compact JSON, or signature;
    there is one rounding, down, over the whole request.
    """

    def __init__(self, rate: float) -> None:
        self._rate_ppm = round(rate * _PPM)

    def units(self, message: Message) -> int:
        """Bytes of one message; an image or document as many as its flat tokens stand for."""
        return sum(self._block_bytes(block) for block in message.content)

    def _block_bytes(self, block: Block) -> int:  # noqa: PLR0911 - one per block type
        match block:
            case ToolResult(_, text):
                return _size(text) + sum(self._block_bytes(item) for item in block.attachments)
            case ToolUse(_, name, arguments):
                return _size(name) + _size(arguments_text(arguments))
            case Text(text) | Summary(text) | RedactedThinking(text):
                return _size(text)
            case Thinking(text, signature):
                return _size(text) + _size(signature)
            case Image():
                return _IMAGE_TOKENS * _BYTES_PER_TOKEN
            case Document():
                return (block.pages * _PAGE_TOKENS or _DOCUMENT_TOKENS) * _BYTES_PER_TOKEN
        return _size(arguments_text(block.raw))

    def text_units(self, text: str) -> int:
        """Bytes of a text that is in no message."""
        return _size(text)

    def units_for(self, tokens: int) -> int:
        """The fewest bytes that make at least `tokens`."""
        return -(-tokens * _BYTES_PER_TOKEN * _PPM // self._rate_ppm)

    def request_tokens(self, history_units: int, overhead_units: int) -> int:
        """Tokens of the request, rounded down once."""
        return (history_units + overhead_units) * self._rate_ppm // (_BYTES_PER_TOKEN * _PPM)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
