"""The port behind which any model stands: a request in, deltas out, one reply at the end.

Owns the request and delta types and the `Provider` protocol.
Deliberately knows nothing of compaction, sessions or the wire.
Errors are raised and named by what the caller does next: `RetryLater`, `NotAuthorised`,
`ContextOverflow`, `ProviderFailed` (all in `sidecar.errors`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from sidecar.core.events import Usage
    from sidecar.core.messages import Block, Message, ToolSpec


@dataclass(frozen=True, slots=True)
class Request:
    """One model request, whole: nothing is added behind the budget's back.

    `purpose` tells a summary call from a turn; a summary call carries no tools.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int = 8192
    purpose: Literal["turn", "summary"] = "turn"


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the streamed answer, for display only; the reply is what counts.

    `block` is the index of the block it belongs to.
    """

    kind: Literal["text", "thinking", "tool_use"]
    block: int
    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The whole answer: blocks in the order the model wrote them.

    `stop_reason`: end_turn, tool_use, max_tokens, refusal.
    `usage` is None where the server reported none.
    """

    content: tuple[Block, ...]
    stop_reason: Literal["end_turn", "tool_use", "max_tokens", "refusal"]
    usage: Usage | None
    model: str
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model before it is asked.

    `window_tokens` is 0 where nobody knows it, and `window_source` says who said it:
    provider, table, user, fallback.
    `notice` is what the UI must say of this provider (the offline one is a recording).
    """

    provider: str
    model: str
    window_tokens: int
    window_source: Literal["provider", "table", "user", "fallback", "seen"]
    notice: str = ""


class Provider(Protocol):
    """A model behind the port."""

    def info(self) -> ModelInfo:
        """What is known before the first request; no I/O."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Delta | Reply]:
        """Deltas, then exactly one `Reply`, or one of the four errors.

        Closing the iterator (cancel) stops the request at the next await.
        """
        ...
