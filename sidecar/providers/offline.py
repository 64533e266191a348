"""The provider one has without a key: it plays a recording, and says that it does.

Owns the stream: text in chunks, then the whole reply with its bill.
What it says and calls comes from scenarios (data in the package, or handed in by a test) and
depends on what the tools returned; where it stands is read from the messages of each request (see
`sidecar.providers.offline_position`).
Deliberately knows nothing of sessions, budgets or compaction.

Invariant: equal requests give equal replies, whatever was asked before; only the cache's share of
the bill, and failures that a scenario orders a number of times, depend on earlier requests.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, cast

from sidecar.core.messages import Text, Thinking, ToolUse
from sidecar.errors import ContextOverflow, NotAuthorised, ProviderFailed, RetryLater
from sidecar.providers.offline_digest import digest
from sidecar.providers.offline_position import find, reply_blocks
from sidecar.providers.offline_scenario import State, fill
from sidecar.providers.offline_tokens import (
    PromptCache,
    block_tokens,
    request_tokens,
    text_tokens,
)
from sidecar.providers.port import Delta, ModelInfo, Reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sidecar.core.messages import Block
    from sidecar.errors import SidecarError
    from sidecar.providers.offline_position import Position
    from sidecar.providers.offline_scenario import Scenario
    from sidecar.providers.port import Request

MODEL = "offline-recording"
WINDOW_TOKENS = 24_000
NOTICE = (
    "This is a recording, not a model: it plays prepared steps that react to what the tools"
    " return. It needs no key and no network."
)
STEERED = "(You typed while the recording was running; a recording can't change its course.)\n\n"
NO_SCENARIO = "This is a recording, not a model, and it has nothing prepared for this prompt."
_CHUNK = re.compile(r"\s*\S+\s?|\s+", re.DOTALL)
_ARGUMENT_CHUNK_CHARACTERS = 24

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal"]


class OfflineProvider:
    """A recording behind the provider port.

    `chunk_delay_ms` is the pause between two chunks of the stream; 0 only yields to the loop.
    """

    def __init__(
        self,
        scenarios: Sequence[Scenario],
        *,
        window_tokens: int = WINDOW_TOKENS,
        chunk_delay_ms: float = 0,
    ) -> None:
        self._scenarios = tuple(scenarios)
        self._window_tokens = window_tokens
        self._chunk_delay_s = chunk_delay_ms / 1000
        self._cache = PromptCache()
        self._failures: Counter[str] = Counter()

    def info(self) -> ModelInfo:
        """A window of its own, and the notice that this is no model."""
        return ModelInfo("offline", MODEL, self._window_tokens, "provider", NOTICE)

    async def stream(self, request: Request) -> AsyncIterator[Delta | Reply]:
        """The next step of the recording, in chunks; see `sidecar.providers.port`."""
        prompt_tokens = request_tokens(request)
        if prompt_tokens > self._window_tokens:
            raise ContextOverflow(
                f"the prompt has {prompt_tokens} tokens, the window {self._window_tokens}",
                prompt_tokens=prompt_tokens,
                window_tokens=self._window_tokens,
            )
        content, state = self._next(request)
        reply = _cut(content, state.stop, request.max_output_tokens)
        for number, block in enumerate(reply.content):
            for delta in _deltas(number, block):
                yield delta
                await asyncio.sleep(self._chunk_delay_s)
        if state.wait:
            # A stream that stalls, until whoever reads it gives up.
            await asyncio.Event().wait()
        if state.usage:
            reply = replace(reply, usage=self._cache.bill(request, reply.content))
        yield reply

    def _next(self, request: Request) -> tuple[list[Block], State]:
        if request.purpose == "summary":
            return [Text(digest(request.messages))], State("summary")
        position = find(request.messages, self._scenarios)
        if position is None:
            return [Text(NO_SCENARIO)], State("none")
        self._fail(position.state, request)
        return _content(position, request), position.state

    def _fail(self, state: State, request: Request) -> None:
        if not state.fail:
            return
        last = request.messages[-1].id if request.messages else ""
        key = f"{state.name}/{last}"
        self._failures[key] += 1
        if self._failures[key] <= state.fail_times:
            raise _failure(state.fail, state.name)


def _failure(kind: str, state: str) -> SidecarError:
    text = f"the recording fails here on purpose (state {state})"
    match kind:
        case "retry_later":
            return RetryLater(text, retry_after_ms=0)
        case "not_authorised":
            return NotAuthorised(text)
        case "context_overflow":
            return ContextOverflow(text)
        case _:
            return ProviderFailed(text)


def _content(position: Position, request: Request) -> list[Block]:
    said, calls = reply_blocks(position, request.messages)
    offered = {tool.name for tool in request.tools}
    missing = [call.name for call in calls if call.name not in offered]
    if missing:
        return [Text(_cannot_call(said, calls, missing))]
    content: list[Block] = []
    if position.state.think and not position.already_said:
        thought = fill(position.state.think, position.values)
        content.append(Thinking(thought, _signature(thought)))
    if position.steered:
        said = STEERED + said
    if said.strip():
        content.append(Text(said))
    content += calls
    # A model never answers with nothing at all.
    return content or [Text("That was all.")]


def _cannot_call(said: str, calls: Sequence[ToolUse], missing: Sequence[str]) -> str:
    names = ", ".join(dict.fromkeys(missing))
    arguments = "; ".join(
        f"{call.name} {json.dumps(dict(call.input), ensure_ascii=False)[:200]}" for call in calls
    )
    return (
        f"{said}\n\nThe recording would now call {names}, which this session does not offer"
        f" (plan mode offers only tools that read), so it stops here. The call: {arguments}"
    ).strip()


def _signature(thought: str) -> str:
    seal = hashlib.sha256(b"sidecar offline thinking\0" + thought.encode("utf-8", "replace"))
    return base64.b64encode(seal.digest()).decode("ascii")


def _cut(content: Sequence[Block], stop: str, max_output_tokens: int) -> Reply:
    """The reply as far as the output limit allows: text is cut, a call that doesn't fit is lost."""
    kept: list[Block] = []
    left = max_output_tokens
    for block in content:
        size = block_tokens(block)
        if size <= left:
            kept.append(block)
            left -= size
            continue
        if isinstance(block, Text):
            piece = _fitting(block.text, left)
            kept += [Text(piece)] if piece.strip() else []
        extra = {"cut_call": block.name} if isinstance(block, ToolUse) else {}
        return Reply(tuple(kept), "max_tokens", None, MODEL, extra)
    calls = any(isinstance(block, ToolUse) for block in kept)
    reason = stop or ("tool_use" if calls else "end_turn")
    return Reply(tuple(kept), cast("StopReason", reason), None, MODEL)


def _fitting(text: str, most_tokens: int) -> str:
    kept: list[str] = []
    for chunk in _CHUNK.findall(text):
        most_tokens -= text_tokens(chunk)
        if most_tokens < 0:
            break
        kept.append(chunk)
    return "".join(kept)


def _deltas(number: int, block: Block) -> list[Delta]:
    if isinstance(block, Text):
        return [Delta("text", number, chunk) for chunk in _CHUNK.findall(block.text)]
    if isinstance(block, Thinking):
        return [Delta("thinking", number, chunk) for chunk in _CHUNK.findall(block.text)]
    if isinstance(block, ToolUse):
        text = json.dumps(dict(block.input), ensure_ascii=False)
        starts = range(0, len(text), _ARGUMENT_CHUNK_CHARACTERS)
        pieces = [text[start : start + _ARGUMENT_CHUNK_CHARACTERS] for start in starts]
        return [Delta("tool_use", number, piece) for piece in (f"{block.name} ", *pieces)]
    return []
