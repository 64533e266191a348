"""The language of scenarios: what a recording says and calls, depending on what tools returned.

Owns the data types, and the check of a scenario before it is played.
Deliberately knows nothing of conversations; `sidecar.providers.offline_position` applies it.
`sidecar/providers/scenarios/README.md` documents the language.

Invariant: a `Scenario` that was made names no state, fact or template value that isn't there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sidecar.errors import ConfigurationError

FACT_SOURCES = ("said", "result", "call", "prompt")
FAILURES = ("retry_later", "not_authorised", "context_overflow", "provider_failed")
STOPS = ("end_turn", "tool_use", "max_tokens", "refusal")
BUILT_IN = frozenset({"prompt", "result", "result_head", "result_lines"})

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_RULE_KEYS = {"result", "not_result", "prompt", "error", "known", "go"}
_STATE_KEYS = {
    "think", "say", "call", "then", "needs", "otherwise", "fail", "stop", "wait", "usage",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fact:
    """A value that is looked up in the conversation, the newest first.

    `sources` are some of said (the recording's own text and summaries), result, call (arguments
    as JSON) and prompt; `tool` limits results and calls to one tool.
    """

    pattern: str
    sources: tuple[str, ...]
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """Where to go, if everything it asks for is so; named groups of `result` become values."""

    go: str
    result: str = ""
    not_result: str = ""
    prompt: str = ""
    error: bool | None = None
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; strings in `arguments` are templates."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class State:
    """One reply: text and calls, and where to go when the results are there."""

    name: str
    say: str = ""
    think: str = ""
    calls: tuple[Call, ...] = ()
    then: tuple[Rule, ...] = ()
    needs: tuple[str, ...] = ()
    otherwise: str = ""
    fail: str = ""
    fail_times: int = 0
    stop: str = ""
    wait: bool = False
    usage: bool = True

    def wants(self) -> set[str]:
        """The values without which this reply can't be given."""
        named = (template_names(call.arguments) for call in self.calls)
        return set(self.needs).union(template_names(self.say), *named)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A recording; `otherwise` is the state for results that no rule expects."""

    name: str
    start: tuple[Rule, ...]
    facts: Mapping[str, Fact]
    states: Mapping[str, State]
    otherwise: str = ""


def template_names(value: object) -> set[str]:
    """The `${names}` in a template, or in the strings of a structure of templates."""
    if isinstance(value, str):
        return set(_VARIABLE.findall(value))
    if isinstance(value, Mapping):
        return set().union(*(template_names(item) for item in value.values()))
    if isinstance(value, list):
        return set().union(*(template_names(item) for item in value))
    return set()


def fill(value: Any, values: Mapping[str, str]) -> Any:
    """A template with its values; names without one stay as they are."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, Mapping):
        return {key: fill(item, values) for key, item in value.items()}
    return [fill(item, values) for item in value] if isinstance(value, list) else value


def fill_pattern(pattern: str, values: Mapping[str, str]) -> re.Pattern[str]:
    """A regular expression whose `${names}` stand for their values, literally."""
    filled = _VARIABLE.sub(lambda match: re.escape(values.get(match[1], "")), pattern)
    return re.compile(filled, re.MULTILINE)


def scenario_from_json(raw: object) -> Scenario:
    """Read and check a scenario; `ConfigurationError` names the state and what is wrong with it."""
    data = _mapping(raw, "a scenario")
    name = data.get("name", "test")
    _check(isinstance(name, str) and _NAME.match(name), f"name {name!r}: use a-z, 0-9 and -")
    _known_keys(data, {"name", "about", "start", "facts", "states", "otherwise"}, "a scenario")
    facts = {
        key: _fact(key, item) for key, item in _mapping(data.get("facts", {}), "facts").items()
    }
    states = {
        key: _state(key, item) for key, item in _mapping(data.get("states"), "states").items()
    }
    start = _rules(data.get("start"), "start")
    scenario = Scenario(name, start, facts, states, str(data.get("otherwise", "")))
    _check_references(scenario)
    return scenario


def _fact(name: str, raw: object) -> Fact:
    data = _mapping(raw, f"fact {name}")
    _known_keys(data, {"pattern", "in", "tool"}, f"fact {name}")
    sources = data.get("in", ["said", "result"])
    sources = [sources] if isinstance(sources, str) else sources
    for source in sources:
        _check(source in FACT_SOURCES, f"fact {name}: in must be of {', '.join(FACT_SOURCES)}")
    pattern = str(data.get("pattern", ""))
    _regex(pattern, f"fact {name}")
    return Fact(pattern, tuple(sources), str(data.get("tool", "")))


def _state(name: str, raw: object) -> State:
    where = f"state {name}"
    _check(_NAME.match(name), f"{where}: use a-z, 0-9 and -")
    data = _mapping(raw, where)
    _known_keys(data, _STATE_KEYS, where)
    fail = _mapping(data.get("fail", {}), f"{where}: fail")
    error = str(fail.get("error", ""))
    _check(error in {"", *FAILURES}, f"{where}: fail.error must be of {', '.join(FAILURES)}")
    stop = str(data.get("stop", ""))
    _check(stop in {"", *STOPS}, f"{where}: stop must be of {', '.join(STOPS)}")
    calls = tuple(_call(item, where) for item in _list(data.get("call", []), f"{where}: call"))
    say = data.get("say", "")
    return State(
        name=name,
        say="\n".join(say) if isinstance(say, list) else str(say),
        think=str(data.get("think", "")),
        calls=calls,
        then=_rules(data.get("then", []), f"{where}: then"),
        needs=tuple(_list(data.get("needs", []), f"{where}: needs")),
        otherwise=str(data.get("otherwise", "")),
        fail=error,
        fail_times=int(fail.get("times", 1_000_000)),
        stop=stop,
        wait=data.get("wait") is True,
        usage=data.get("usage") is not False,
    )


def _call(raw: object, where: str) -> Call:
    data = _mapping(raw, f"{where}: a call")
    _known_keys(data, {"tool", "arguments"}, f"{where}: a call")
    _check(isinstance(data.get("tool"), str), f"{where}: a call needs a tool")
    return Call(data["tool"], _mapping(data.get("arguments", {}), f"{where}: arguments"))


def _rules(raw: object, where: str) -> tuple[Rule, ...]:
    rules = []
    for item in _list(raw, where):
        data = _mapping(item, where)
        _known_keys(data, _RULE_KEYS, where)
        _check(isinstance(data.get("go"), str), f"{where}: a rule needs go, the name of a state")
        for key in ("result", "not_result", "prompt"):
            _regex(str(data.get(key, "")), f"{where}: {key}")
        error = data.get("error")
        _check(error in {None, True, False}, f"{where}: error must be true or false")
        rules.append(
            Rule(
                data["go"],
                str(data.get("result", "")),
                str(data.get("not_result", "")),
                str(data.get("prompt", "")),
                error,
                tuple(_list(data.get("known", []), f"{where}: known")),
            )
        )
    return tuple(rules)


def _check_references(scenario: Scenario) -> None:
    states = scenario.states.values()
    groups = set().union(
        *(_groups(rule) for state in states for rule in state.then),
        *(_groups(rule) for rule in scenario.start),
    )
    names = BUILT_IN | set(scenario.facts) | groups
    targets = [("start", rule.go) for rule in scenario.start]
    targets += [("otherwise", scenario.otherwise)] if scenario.otherwise else []
    for state in states:
        where = f"state {state.name}"
        targets += [(where, rule.go) for rule in state.then]
        targets += [(where, state.otherwise)] if state.otherwise else []
        _check(state.otherwise or not state.needs, f"{where}: needs without otherwise")
        used = state.wants()
        used |= set().union(*({*rule.known, *template_names(rule.result)} for rule in state.then))
        for name in sorted(used - names):
            raise ConfigurationError(f"scenario {scenario.name}, {where}: no value {name!r}")
    for where, target in targets:
        _check(target in scenario.states, f"{where}: there is no state {target!r}")


def _groups(rule: Rule) -> set[str]:
    return set(re.compile(_VARIABLE.sub("", rule.result)).groupindex) | set(
        re.compile(_VARIABLE.sub("", rule.prompt)).groupindex
    )


def _regex(pattern: str, where: str) -> None:
    try:
        re.compile(_VARIABLE.sub("", pattern))
    except re.error as error:
        raise ConfigurationError(
            f"scenario: {where}: {pattern!r} is no regular expression: {error}"
        ) from None


def _mapping(raw: object, where: str) -> Mapping[str, Any]:
    _check(isinstance(raw, Mapping), f"{where} must be an object")
    return raw if isinstance(raw, Mapping) else {}


def _list(raw: object, where: str) -> list[Any]:
    _check(isinstance(raw, list), f"{where} must be a list")
    return raw if isinstance(raw, list) else []


def _known_keys(data: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(data) - known)
    _check(
        not unknown, f"{where}: unknown {', '.join(unknown)}; known are {', '.join(sorted(known))}"
    )


def _check(condition: object, message: str) -> None:
    if not condition:
        raise ConfigurationError(f"scenario: {message}")
