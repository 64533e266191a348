"""What the offline provider bills: a tokenizer of its own, and a prompt cache.

Owns the counting of requests and replies, and which part of a prompt the cache already held.
Deliberately knows nothing of scenarios, and has nothing in common with the estimator's formula:
it cuts text into pieces the way byte-pair tokenizers do and prices each piece, so that the
estimator meets a bill that it has to learn, as it would with a real model.

Invariant: the bill depends on the request alone, the cache's share on the requests before it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sidecar.core.events import Usage
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sidecar.core.messages import Block, Message, ToolSpec
    from sidecar.providers.port import Request

# A space belongs to the word behind it, a run of blanks is one piece, digits come in threes.
_PIECES = re.compile(
    r" ?[A-Za-z]+| ?[0-9]{1,3}| ?[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+|[ \t]+(?=\S)|\s*\n\s*|.",
    re.DOTALL,
)

REQUEST_TOKENS = 3
MESSAGE_TOKENS = 4
TOOL_TOKENS = 9
CALL_TOKENS = 11
RESULT_TOKENS = 8
IMAGE_TOKENS = 1_530
PAGE_TOKENS = 1_900
DOCUMENT_TOKENS = 4_800

# Prompts shorter than this are not cached, as with real providers.
CACHE_MINIMUM_TOKENS = 256
CACHE_ENTRIES = 20_000


@lru_cache(maxsize=8192)
def text_tokens(text: str) -> int:
    """Tokens of one text."""
    return sum(map(_piece_tokens, _PIECES.findall(text)))


@lru_cache(maxsize=65_536)
def _piece_tokens(piece: str) -> int:
    first = piece.lstrip(" ")[:1]
    if first.isascii() and first.isalpha():
        # Short words are one token; long ones, and humps in camel case, cost more.
        word = piece.lstrip(" ")
        humps = sum(letter.isupper() for letter in word[1:]) if not word.isupper() else 0
        return 1 + (len(word) - 1) // 7 + (humps + 1) // 2
    if first.isascii() and first and not first.isspace() and not first.isdigit():
        return (len(piece.lstrip(" ")) + 1) // 2
    return 1 if piece.isascii() else len(piece.encode("utf-8", "surrogatepass")) // 2 or 1


def block_tokens(block: Block) -> int:  # noqa: PLR0911 - one return per block type
    """Tokens of one block of a message."""
    match block:
        case Text(text) | Summary(text):
            return text_tokens(text)
        case Thinking(text, signature):
            return text_tokens(text) + len(signature) // 3
        case RedactedThinking(data):
            return len(data) // 3
        case ToolUse(_, name, arguments):
            return CALL_TOKENS + text_tokens(name) + text_tokens(_json(arguments))
        case ToolResult(_, text, _, attachments):
            return RESULT_TOKENS + text_tokens(text) + sum(map(block_tokens, attachments))
        case Image():
            return IMAGE_TOKENS
        case Document(pages=pages):
            return PAGE_TOKENS * pages if pages else DOCUMENT_TOKENS
        case Unknown(_, raw):
            return text_tokens(_json(raw))


def tool_tokens(tool: ToolSpec) -> int:
    """Tokens of one tool definition."""
    schema = text_tokens(_json(tool.input_schema))
    return TOOL_TOKENS + text_tokens(tool.name) + text_tokens(tool.description) + schema


def message_tokens(message: Message) -> int:
    """Tokens of one message."""
    return MESSAGE_TOKENS + sum(map(block_tokens, message.content))


def request_tokens(request: Request) -> int:
    """Tokens of the whole prompt: system, tools and messages."""
    overhead = text_tokens(request.system) + sum(map(tool_tokens, request.tools))
    return REQUEST_TOKENS + overhead + sum(map(message_tokens, request.messages))


def reply_tokens(content: Sequence[Block]) -> tuple[int, int]:
    """Output tokens of a reply, and the part of them that is thinking."""
    thinking = sum(block_tokens(block) for block in content if isinstance(block, Thinking))
    return sum(map(block_tokens, content)), thinking


class PromptCache:
    """Which prefixes of prompts were sent before; what a real server keeps for a few minutes.

    A prefix is a chain of segments (the overhead, then each message); it is read from the cache
    up to the last segment that an earlier request had in exactly the same place, and written from
    there on. The few tokens that frame every request are never cached.
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[bytes, None] = OrderedDict()

    def bill(self, request: Request, content: Sequence[Block]) -> Usage:
        """The bill of a request and its reply; the cache holds the prompt from here on."""
        read = written = 0
        is_known = True
        for digest, tokens in _prefixes(request):
            is_known = is_known and digest in self._seen
            read, written = (read + tokens, written) if is_known else (read, written + tokens)
            self._seen[digest] = None
            self._seen.move_to_end(digest)
        while len(self._seen) > CACHE_ENTRIES:
            self._seen.popitem(last=False)
        output, reasoning = reply_tokens(content)
        if read + written < CACHE_MINIMUM_TOKENS:
            return Usage(REQUEST_TOKENS + read + written, 0, 0, output, reasoning)
        return Usage(REQUEST_TOKENS, read, written, output, reasoning)


def _prefixes(request: Request) -> Iterator[tuple[bytes, int]]:
    """A digest of everything up to each segment's end, and that segment's own tokens."""
    chain = hashlib.sha256()
    tools = [[tool.name, tool.description, dict(tool.input_schema)] for tool in request.tools]
    chain.update(_json([request.model, request.system, tools]).encode("utf-8", "surrogatepass"))
    overhead = text_tokens(request.system) + sum(map(tool_tokens, request.tools))
    yield chain.digest(), overhead
    for message in request.messages:
        # The repr of frozen values names every field, and is the same for equal ones.
        text = repr((message.role, message.content))
        chain.update(text.encode("utf-8", "surrogatepass"))
        yield chain.digest(), message_tokens(message)


def _json(value: Mapping[str, Any] | list[Any]) -> str:
    plain = value if isinstance(value, list) else dict(value)
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
