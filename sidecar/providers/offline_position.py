"""Where a recording stands in a conversation, and what it replies there.

Everything is read from the messages of the request, nothing is remembered, so a restart, a rewind
or a compaction needs no word to the provider.
The state is in the ids of the recording's own tool calls (`call_<scenario>_<state>_<digest>`),
which no compaction changes; a summary that took them along carries a line with the position.
Facts are what the recording said, called or was told, the newest first: its notes are in its own
words, as a model's are. Where a compaction took a fact away, a state's `needs` sends it back to
look again.

Invariant: equal messages give equal replies.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sidecar.core.messages import Summary, Text, ToolResult, ToolUse
from sidecar.providers.offline_scenario import Fact, Rule, Scenario, State, fill, fill_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidecar.core.messages import Message

FREE = "free"
POSITION_LINE = "Position in the recording: "
OPEN_LINE = "Open request: "
REQUEST_BYTES = 300

_MARK = re.compile(r"call_(?P<scenario>[a-z0-9-]+)_(?P<state>[a-z0-9-]+)_[0-9a-f]{10}\Z")
_QUOTED_MARK = re.compile(_MARK.pattern.removesuffix(r"\Z") + r"\b")
_POSITION = re.compile(re.escape(POSITION_LINE) + r"(?P<scenario>[a-z0-9-]+)/(?P<state>[a-z0-9-]+)")
_CONTINUE = re.compile(r"\s*(please )?(continue|go on|carry on|resume)\b", re.IGNORECASE)
_CUT_SHORT = re.compile(r"(interrupted|cancelled)\b", re.IGNORECASE)
_HEAD_LINES = 12
# More detours than this over states whose needs are not met are a loop in the scenario.
_MOST_DETOURS = 8


class Values(Mapping[str, str]):
    """The values of templates: what was captured, and facts, looked up when they are asked for."""

    def __init__(
        self, messages: Sequence[Message], facts: Mapping[str, Fact], known: Mapping[str, str]
    ) -> None:
        self._messages = messages
        self._facts = facts
        self._known = dict(known)

    def __getitem__(self, name: str) -> str:
        if name not in self._known:
            found = _look_up(self._facts[name], self._messages, self._known)
            self._known[name] = found
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._facts})

    def __len__(self) -> int:
        return len({**self._known, **self._facts})

    def with_more(self, captured: Mapping[str, str]) -> Values:
        """These values, and newer ones that hide older ones of the same name."""
        return Values(self._messages, self._facts, {**self._known, **captured})


@dataclass(frozen=True, slots=True)
class Position:
    """The next reply: its state and the values of its templates.

    `already_said` is what an earlier reply, cut at the output limit, has said of it.
    `steered` is set where a person typed into the running recording.
    """

    scenario: Scenario
    state: State
    values: Values
    already_said: str = ""
    steered: bool = False


def find(messages: Sequence[Message], scenarios: Sequence[Scenario]) -> Position | None:
    """Where the first scenario that fits stands; None where none has a start for this prompt."""
    by_name = {scenario.name: scenario for scenario in scenarios}
    prompt_at = max((i for i, m in enumerate(messages) if m.starts_real_turn()), default=-1)
    prompt = _text_of(messages[prompt_at]) if prompt_at >= 0 else ""
    marked_at = max((i for i, m in enumerate(messages) if _mark(m, by_name)), default=-1)
    mark = _mark(messages[marked_at], by_name) if marked_at >= 0 else None
    if mark and marked_at > prompt_at:
        return _after(messages, marked_at, *mark, prompt)
    if mark and _is_running(messages[marked_at + 1 : prompt_at]):
        own_start = _start(messages, [s for s in scenarios if s.name != FREE], prompt, prompt_at)
        if own_start is None:
            position = _after(messages, marked_at, *mark, prompt)
            return position and replace(position, steered=True)
    if mark is None or not _CONTINUE.match(prompt):
        mark = _summarised(messages, by_name, prompt_at)
    if mark:
        scenario, state = mark
        values = Values(messages, scenario.facts, _built_in(prompt, []))
        return _settled(scenario, state, values, "")
    return _start(messages, scenarios, prompt, prompt_at)


def tool_use_id(position: Position, number: int, messages: Sequence[Message]) -> str:
    """The id of the call of that number: unique in the session, the same for equal messages."""
    last = messages[-1].id if messages else ""
    source = f"{len(messages)}/{last}/{number}/{position.state.name}"
    digest = hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()[:10]
    return f"call_{position.scenario.name}_{position.state.name}_{digest}"


def position_of(messages: Sequence[Message]) -> str:
    """`scenario/state` of a recording that these messages leave in the middle, or nothing."""
    for message in reversed(messages):
        if message.role == "assistant" and not any(message.tool_uses()):
            return ""
        for call in message.tool_uses():
            mark = _MARK.match(call.id)
            if mark:
                return f"{mark['scenario']}/{mark['state']}"
    return ""


def find_position(text: str) -> str:
    """`scenario/state` of the newest call of a recording whose id, or position, a text quotes."""
    marks = [(m.start(), m) for m in [*_QUOTED_MARK.finditer(text), *_POSITION.finditer(text)]]
    if not marks:
        return ""
    newest = max(marks, key=lambda mark: mark[0])[1]
    return f"{newest['scenario']}/{newest['state']}"


def _start(
    messages: Sequence[Message], scenarios: Sequence[Scenario], prompt: str, prompt_at: int
) -> Position | None:
    said = _said_after(messages, prompt_at)
    for scenario in scenarios:
        values = Values(messages, scenario.facts, _built_in(prompt, []))
        for rule in scenario.start:
            captured = _captured(rule, values, [])
            if captured is not None:
                target = scenario.states[rule.go]
                return _settled(scenario, target, values.with_more(captured), said)
    return None


def _after(
    messages: Sequence[Message], marked_at: int, scenario: Scenario, state: State, prompt: str
) -> Position | None:
    calls = {call.id for call in messages[marked_at].tool_uses()}
    results = [
        result
        for message in messages[marked_at + 1 :]
        for result in message.tool_results()
        if result.tool_use_id in calls
    ]
    values = Values(messages, scenario.facts, _built_in(prompt, results))
    said = _said_after(messages, marked_at)
    for rule in state.then:
        captured = _captured(rule, values, results)
        if captured is not None:
            target = scenario.states[rule.go]
            return _settled(scenario, target, values.with_more(captured), said)
    if scenario.otherwise:
        return _settled(scenario, scenario.states[scenario.otherwise], values, said)
    return None


def _settled(scenario: Scenario, state: State, values: Values, said: str) -> Position:
    """The state, or the one to which needs that are not met lead."""
    for _ in range(_MOST_DETOURS):
        if not state.otherwise or all(values.get(name) for name in state.wants()):
            break
        state = scenario.states[state.otherwise]
    return Position(scenario, state, values, said)


def _captured(
    rule: Rule, values: Values, results: Sequence[ToolResult]
) -> Mapping[str, str] | None:
    """The values that the rule's patterns captured, or None where something is not so."""
    if not all(values.get(name) for name in rule.known):
        return None
    if rule.error is not None and rule.error != any(result.is_error for result in results):
        return None
    if rule.not_result and fill_pattern(rule.not_result, values).search(values["result"]):
        return None
    captured: dict[str, str] = {}
    for pattern, text in ((rule.prompt, values["prompt"]), (rule.result, values["result"])):
        match = fill_pattern(pattern, values).search(text) if pattern else None
        if pattern and match is None:
            return None
        if match is not None:
            captured |= {key: value for key, value in match.groupdict().items() if value}
    return captured


def _look_up(fact: Fact, messages: Sequence[Message], values: Mapping[str, str]) -> str:
    pattern = fill_pattern(fact.pattern, values)
    for text in _texts(fact, messages):
        match = pattern.search(text)
        if match:
            return match[1] if pattern.groups else match[0]
    return ""


def _texts(fact: Fact, messages: Sequence[Message]) -> Iterator[str]:
    """The texts in which a fact is looked up, the newest message first."""
    tools = {call.id: call.name for message in messages for call in message.tool_uses()}
    prompt_seen = False
    for message in reversed(messages):
        if message.starts_real_turn() and "prompt" in fact.sources and not prompt_seen:
            prompt_seen = True
            yield _text_of(message)
        for block in reversed(message.content):
            text = _text_for(fact, block, message.role, tools)
            if text:
                yield text


def _text_for(fact: Fact, block: Any, role: str, tools: Mapping[str, str]) -> str:
    match block:
        case Text(text) if role == "assistant" and "said" in fact.sources:
            return text
        case Summary(text) if "said" in fact.sources:
            return text
        case ToolUse(_, name, arguments) if "call" in fact.sources and fact.tool in {"", name}:
            return json.dumps(dict(arguments), ensure_ascii=False)
        case ToolResult(call_id, text) if "result" in fact.sources:
            return text if fact.tool in {"", tools.get(call_id)} else ""
    return ""


def _built_in(prompt: str, results: Sequence[ToolResult]) -> dict[str, str]:
    result = "\n".join(item.text for item in results)
    lines = result.split("\n")
    head = "\n".join(lines[:_HEAD_LINES])
    if len(lines) > _HEAD_LINES:
        head += f"\n... ({len(lines) - _HEAD_LINES} more lines)"
    return {
        "prompt": prompt,
        "result": result,
        "result_head": head,
        "result_lines": str(sum(1 for line in lines if line.strip())),
    }


def _mark(message: Message, by_name: Mapping[str, Scenario]) -> tuple[Scenario, State] | None:
    if message.role != "assistant":
        return None
    for call in message.tool_uses():
        found = _MARK.match(call.id)
        scenario = by_name.get(found["scenario"]) if found else None
        if found and scenario and found["state"] in scenario.states:
            return scenario, scenario.states[found["state"]]
    return None


def _summarised(
    messages: Sequence[Message], by_name: Mapping[str, Scenario], prompt_at: int
) -> tuple[Scenario, State] | None:
    """The position in a summary that took every call since the prompt along."""
    open_line = OPEN_LINE + clip(_text_of(messages[prompt_at]), REQUEST_BYTES) if messages else ""
    for index, message in reversed(list(enumerate(messages))):
        for block in message.content:
            found = _POSITION.search(block.text) if isinstance(block, Summary) else None
            scenario = by_name.get(found["scenario"]) if found else None
            if not found or not scenario or found["state"] not in scenario.states:
                continue
            if index > prompt_at or open_line in block.text:  # type: ignore[union-attr]
                return scenario, scenario.states[found["state"]]
    return None


def _is_running(messages: Sequence[Message]) -> bool:
    """Whether a prompt behind these messages, which follow a call, was typed into a running turn.

    It was not where the recording had said its last word, or a call had been cut short.
    """
    if not messages or any(message.role == "assistant" for message in messages):
        return False
    texts = [result.text for message in messages for result in message.tool_results()]
    return not any(_CUT_SHORT.match(text) for text in texts)


def _said_after(messages: Sequence[Message], index: int) -> str:
    """What the recording said since, in replies that called nothing: the start of a cut reply."""
    return "".join(
        block.text
        for message in messages[index + 1 :]
        if message.role == "assistant" and not any(message.tool_uses())
        for block in message.content
        if isinstance(block, Text)
    )


def _text_of(message: Message) -> str:
    return "\n".join(block.text for block in message.content if isinstance(block, Text))


def clip(text: str, limit_bytes: int) -> str:
    """The text in one line, cut at a character so that it has at most that many bytes."""
    data = " ".join(text.split()).encode("utf-8", "replace")
    if len(data) <= limit_bytes:
        return data.decode()
    return data[: max(limit_bytes - 3, 0)].decode("utf-8", "ignore") + "..."[:limit_bytes]


def reply_blocks(position: Position, messages: Sequence[Message]) -> tuple[str, list[ToolUse]]:
    """The text still to be said and the calls of a position, templates filled in."""
    said = fill(position.state.say, position.values)
    if position.already_said and said.startswith(position.already_said):
        said = said[len(position.already_said) :]
    calls = [
        ToolUse(
            tool_use_id(position, number, messages),
            call.tool,
            fill(dict(call.arguments), position.values),
        )
        for number, call in enumerate(position.state.calls)
    ]
    return said, calls
