"""A provider that refuses what real ones refuse, around any other.

Owns the checks that the vendors' servers make on the messages of a request, after the joining of
adjacent user and tool messages that every adapter does.
Deliberately knows nothing of compaction or sessions; it ships because tests, and a suspicious
user, want to know that a history is legal before money is spent on it.

Invariant: a request is refused with every problem named, before the inner provider sees it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

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
from sidecar.errors import ContextOverflow, ProviderFailed
from sidecar.providers.offline_tokens import request_tokens
from sidecar.providers.port import Reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from sidecar.core.messages import Block, Message
    from sidecar.providers.port import Delta, ModelInfo, Provider, Request

_ID = re.compile(r"[A-Za-z0-9_-]+\Z")
_FROM_USER = (Text, Summary, Image, Document, ToolResult, Unknown)
_FROM_ASSISTANT = (Text, Thinking, RedactedThinking, ToolUse, Unknown)


class RequestRefused(ProviderFailed):
    """What a real server answers with status 400; `data` has `problems`, one text each."""


@dataclass(slots=True)
class _Joined:
    """A message as it goes over the wire: neighbours of one role in one."""

    role: Literal["user", "assistant"]
    blocks: list[Block] = field(default_factory=list)
    starts_turn: bool = False


class StrictProvider:
    """Refuses illegal requests, and passes legal ones on.

    `requests` keeps every request that was passed on, for tests to look at.
    `count_tokens` says how large a prompt is; the default is the offline provider's own count.
    """

    def __init__(
        self, inner: Provider, count_tokens: Callable[[Request], int] = request_tokens
    ) -> None:
        self._inner = inner
        self._count_tokens = count_tokens
        self._thinking_by_signature: dict[str, Thinking | RedactedThinking] = {}
        self._thinking_by_call: dict[str, tuple[Block, ...]] = {}
        self.requests: list[Request] = []

    def info(self) -> ModelInfo:
        """What the inner provider says of itself."""
        return self._inner.info()

    async def stream(self, request: Request) -> AsyncIterator[Delta | Reply]:
        """The inner provider's stream; `RequestRefused` or `ContextOverflow` before it starts."""
        joined = _joined(request.messages)
        problems = [
            *problems_of(request),
            *self._thinking_problems(joined),
        ]
        if problems:
            raise RequestRefused(f"400: {'; '.join(problems)}", problems=problems)
        window, tokens = self.info().window_tokens, self._count_tokens(request)
        if window and tokens > window:
            raise ContextOverflow(
                f"400: the prompt has {tokens} tokens, the window {window}",
                prompt_tokens=tokens,
                window_tokens=window,
            )
        self.requests.append(request)
        async for piece in self._inner.stream(request):
            if isinstance(piece, Reply):
                self._remember(piece)
            yield piece

    def _remember(self, reply: Reply) -> None:
        """What was signed here can be checked when it comes back."""
        thoughts = tuple(b for b in reply.content if isinstance(b, Thinking | RedactedThinking))
        for thought in thoughts:
            self._thinking_by_signature[_seal(thought)] = thought
        for block in reply.content:
            if isinstance(block, ToolUse):
                self._thinking_by_call[block.id] = thoughts

    def _thinking_problems(self, joined: Sequence[_Joined]) -> Iterator[str]:
        turn_starts = [i for i, message in enumerate(joined) if message.starts_turn]
        current = turn_starts[-1] if turn_starts else 0
        for index, message in enumerate(joined):
            if message.role != "assistant":
                continue
            thoughts = [b for b in message.blocks if isinstance(b, Thinking | RedactedThinking)]
            for thought in thoughts:
                issued = self._thinking_by_signature.get(_seal(thought), thought)
                if issued != thought:
                    yield f"message {index}: signed thinking was edited"
            if index > current:
                yield from self._missing_thinking(index, message, thoughts)

    def _missing_thinking(
        self, index: int, message: _Joined, thoughts: Sequence[Block]
    ) -> Iterator[str]:
        """In the running turn, thinking before a call comes back, whole and in its order."""
        calls = [block for block in message.blocks if isinstance(block, ToolUse)]
        issued = self._thinking_by_call.get(calls[0].id, ()) if calls else ()
        if issued and tuple(thoughts) != issued:
            yield f"message {index}: the thinking before call {calls[0].id} is not what was issued"


def problems_of(request: Request) -> list[str]:
    """What a real server would refuse in this request, in words; nothing where it is legal."""
    joined = _joined(request.messages)
    return [
        *_order_problems(joined),
        *_block_problems(joined),
        *_pairing_problems(joined),
        *_text_problems(request),
    ]


def _joined(messages: Sequence[Message]) -> list[_Joined]:
    joined: list[_Joined] = []
    for message in messages:
        role: Literal["user", "assistant"] = "assistant" if message.role == "assistant" else "user"
        # Adapters join what a user and the tools say; two replies in a row are nobody's to join.
        if role == "assistant" or not joined or joined[-1].role != role:
            joined.append(_Joined(role))
        joined[-1].blocks += message.content
        joined[-1].starts_turn = joined[-1].starts_turn or message.starts_real_turn()
    return joined


def _order_problems(joined: Sequence[_Joined]) -> Iterator[str]:
    if not joined:
        yield "there are no messages"
        return
    if joined[0].role != "user":
        yield "message 0: the first message must be the user's"
    if joined[-1].role != "user":
        yield f"message {len(joined) - 1}: the last message must be the user's"
    for index in range(1, len(joined)):
        if joined[index].role == joined[index - 1].role:
            yield f"message {index}: two {joined[index].role} messages in a row"


def _block_problems(joined: Sequence[_Joined]) -> Iterator[str]:
    for index, message in enumerate(joined):
        allowed = _FROM_USER if message.role == "user" else _FROM_ASSISTANT
        if not message.blocks:
            yield f"message {index}: no content"
        for block in message.blocks:
            kind = type(block).__name__
            if not isinstance(block, allowed):
                yield f"message {index}: a block {kind} in a message of the {message.role}"
            if isinstance(block, Text | Summary) and not block.text.strip():
                yield f"message {index}: blank text"
            if isinstance(block, ToolUse) and not (_ID.match(block.id) and _ID.match(block.name)):
                yield f"message {index}: call id {block.id!r} or name {block.name!r} is not legal"


def _pairing_problems(joined: Sequence[_Joined]) -> Iterator[str]:
    seen: set[str] = set()
    open_calls: list[str] = []
    for index, message in enumerate(joined):
        yield from _result_problems(index, message, open_calls)
        open_calls = [block.id for block in message.blocks if isinstance(block, ToolUse)]
        for call_id in sorted(set(open_calls)):
            if call_id in seen or open_calls.count(call_id) > 1:
                yield f"message {index}: call id {call_id} is used twice"
        seen.update(open_calls)
    for call_id in open_calls:
        yield f"the last message: call {call_id} is not answered"


def _result_problems(index: int, message: _Joined, open_calls: Sequence[str]) -> Iterator[str]:
    are_results = [isinstance(block, ToolResult) for block in message.blocks]
    answered = [b.tool_use_id for b in message.blocks if isinstance(b, ToolResult)]
    for call_id in sorted(set(answered)):
        if call_id not in open_calls:
            yield f"message {index}: result {call_id} has no call right before it"
        if answered.count(call_id) > 1:
            yield f"message {index}: call {call_id} is answered {answered.count(call_id)} times"
    for call_id in open_calls:
        if call_id not in answered:
            yield f"message {index}: call {call_id} is not answered at once"
    if not all(are_results[: len(answered)]):
        yield f"message {index}: results must stand before everything else"


def _text_problems(request: Request) -> Iterator[str]:
    if request.max_output_tokens < 1:
        yield f"max_output_tokens must be at least 1, not {request.max_output_tokens}"
    if not _is_text(request.system):
        yield "the system prompt is not valid UTF-8"
    for tool in request.tools:
        if not _ID.match(tool.name) or not _is_text(tool.description, dict(tool.input_schema)):
            yield f"tool {tool.name!r}: its name is not legal or its text is not valid UTF-8"
    for message in request.messages:
        for number, block in enumerate(message.content):
            if not _is_text(*_values(block)):
                yield f"message {message.id}, block {number}: not valid UTF-8 (a lone surrogate)"


def _values(block: Block) -> list[Any]:  # noqa: PLR0911 - one return per block type
    match block:
        case ToolUse(call_id, name, arguments):
            return [call_id, name, dict(arguments)]
        case ToolResult(call_id, text, _, attachments):
            return [call_id, text, [_values(item) for item in attachments]]
        case Unknown(_, raw):
            return [dict(raw)]
        case Text(text) | Summary(text):
            return [text]
        case Thinking(text, signature):
            return [text, signature]
        case RedactedThinking(data):
            return [data]
        case Image() | Document():
            return [block.media_type, block.data, block.name]


def _is_text(*values: object) -> bool:
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _seal(thought: Thinking | RedactedThinking) -> str:
    """What identifies a thought that a provider signed; unsigned ones are not checked."""
    return thought.data if isinstance(thought, RedactedThinking) else thought.signature
