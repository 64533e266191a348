"""A turn without a session: a provider, the real tools, and a hook between the requests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sidecar.core.messages import Message, Text, ToolResult, ToolUse
from sidecar.providers.port import Delta, Reply, Request
from sidecar.store.blobs import Blobs
from sidecar.tools.toolbox import default_toolbox
from sidecar.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from sidecar.core.events import Usage
    from sidecar.providers.port import Provider

    Between = Callable[[list[Message]], list[Message]]

SYSTEM = "You are a careful programmer. " + "Follow the rules of the project. " * 40


@dataclass
class Conversation:
    """Messages, and everything that was asked, answered and billed along the way."""

    provider: Provider
    folder: Path
    messages: list[Message] = field(default_factory=list)
    usages: list[Usage | None] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    deltas: list[Delta] = field(default_factory=list)
    number: int = 0
    tools: tuple[str, ...] = ("glob", "grep", "read_file", "edit_file", "write_file", "bash")

    def add(self, role: str, *content: object, synthetic: bool = False) -> Message:
        self.number += 1
        message = Message(f"m{self.number}", role, tuple(content), synthetic)  # type: ignore[arg-type]
        self.messages.append(message)
        return message

    def request(self, purpose: str = "turn", most_tokens: int = 8192) -> Request:
        specs = [tool.spec for tool in default_toolbox().tools.values()]
        offered = () if purpose == "summary" else tuple(s for s in specs if s.name in self.tools)
        return Request(
            "offline-recording",
            SYSTEM,
            tuple(self.messages),
            offered,
            most_tokens,
            purpose,  # type: ignore[arg-type]
        )

    async def ask(self, request: Request | None = None) -> Reply:
        reply = await reply_of(self.provider, request or self.request(), self.deltas)
        self.replies.append(reply)
        self.usages.append(reply.usage)
        return reply

    async def step(self) -> bool:
        """One request and its tools; whether the turn goes on."""
        reply = await self.ask()
        calls = [block for block in reply.content if isinstance(block, ToolUse)]
        self.add("assistant", *reply.content)
        if calls:
            self.add("tool", *[await self.call(call) for call in calls])
        return bool(calls)

    async def call(self, call: ToolUse) -> ToolResult:
        workspace = Workspace(self.folder, Blobs(self.folder.parent / "blobs"))
        outcome = await default_toolbox().tools[call.name].run(call.input, workspace)
        return ToolResult(call.id, outcome.text, outcome.is_error)

    async def turn(self, prompt: str, between: Between | None = None, most: int = 60) -> None:
        """A whole turn; `between` may change the history before every request but the first."""
        self.add("user", Text(prompt))
        for _ in range(most):
            if not await self.step():
                return
            if between is not None:
                self.messages = between(self.messages)
        raise AssertionError(f"no end after {most} requests: {self.said()[-300:]}")

    def said(self) -> str:
        return "\n".join(
            block.text
            for reply in self.replies
            for block in reply.content
            if isinstance(block, Text)
        )

    def last_text(self) -> str:
        return "\n".join(b.text for b in self.replies[-1].content if isinstance(b, Text))

    def calls(self) -> list[tuple[str, object]]:
        """Every call so far, as its tool and its first argument."""
        return [
            (block.name, next(iter(block.input.values()), None))
            for reply in self.replies
            for block in reply.content
            if isinstance(block, ToolUse)
        ]


async def reply_of(
    provider: Provider, request: Request, deltas: list[Delta] | None = None
) -> Reply:
    """The one reply of a stream; its deltas are collected on the way."""
    replies: list[Reply] = []
    async for piece in provider.stream(request):
        if isinstance(piece, Delta):
            (deltas if deltas is not None else []).append(piece)
        else:
            replies.append(piece)
    (reply,) = replies
    return reply


def request_of(*messages: Message, tools: Sequence[str] = ("bash", "read_file")) -> Request:
    """A request with these messages."""
    specs = default_toolbox().tools
    return Request("m", "system", messages, tuple(specs[name].spec for name in tools))
