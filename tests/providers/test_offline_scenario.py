"""The language of scenarios: what is refused before it is played, and how values are found."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from recorded_turn import reply_of, request_of

from sidecar.core.messages import Message, Summary, Text, ToolResult, ToolUse
from sidecar.errors import ConfigurationError
from sidecar.providers.offline_position import find
from sidecar.providers.offline_scenario import scenario_from_json
from sidecar.providers.offline_settings import load_scenario
from sidecar.providers.registry import make_provider

GOOD: dict[str, Any] = {
    "name": "t",
    "start": [{"go": "a"}],
    "facts": {"file": {"pattern": r"in (\w+\.py)"}},
    "states": {
        "a": {"say": "Hi ${prompt}", "call": [{"tool": "bash"}], "then": [{"go": "b"}]},
        "b": {"say": "Bye"},
    },
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"states": {}}, "start: there is no state 'a'"),
        ({"name": "Big Name"}, "name 'Big Name': use a-z, 0-9 and -"),
        ({"start": 5}, "start must be a list"),
        ({"start": [{"prompt": "x"}]}, "start: a rule needs go"),
        ({"start": [{"go": "a", "prompt": "("}]}, "start: prompt: '\\(' is no regular expression"),
        ({"colour": "red"}, "a scenario: unknown colour; known are"),
        ({"facts": {"f": {"pattern": "x", "in": "dreams"}}}, "fact f: in must be of said, result"),
        ({"states": {"a": {"say": "${nobody}"}}}, "state a: no value 'nobody'"),
        ({"states": {"a": {"needs": ["file"]}}}, "state a: needs without otherwise"),
        ({"states": {"a": {"then": [{"go": "z"}]}}}, "state a: there is no state 'z'"),
        ({"states": {"a": {"call": [{}]}}}, "state a: a call needs a tool"),
        ({"states": {"a": {"sing": "x"}}}, "state a: unknown sing"),
        ({"states": {"a": {"fail": {"error": "boom"}}}}, "fail.error must be of retry_later"),
        ({"states": {"a": {"stop": "tired"}}}, "stop must be of end_turn"),
        ({"otherwise": "z"}, "otherwise: there is no state 'z'"),
    ],
)
def test_what_is_wrong_with_a_scenario_is_said(change: dict[str, Any], message: str) -> None:
    scenario_from_json(GOOD)
    with pytest.raises(ConfigurationError, match=message):
        scenario_from_json({**GOOD, **change})


def test_the_scenarios_of_the_package_are_good() -> None:
    folder = resources.files("sidecar.providers") / "scenarios"
    found = sorted(item.name for item in folder.iterdir() if item.name.endswith(".json"))
    assert found == ["free.json", "sample.json"]
    for name in found:
        scenario = load_scenario(name.removesuffix(".json"))
        assert scenario.name == name.removesuffix(".json")
        reachable = {rule.go for rule in scenario.start} | {scenario.otherwise}
        for state in scenario.states.values():
            reachable |= {rule.go for rule in state.then} | {state.otherwise}
        assert reachable - {""} == set(scenario.states)


def test_the_example_of_the_document_is_good() -> None:
    folder = resources.files("sidecar.providers") / "scenarios"
    text = (folder / "README.md").read_text("utf-8")
    example = text.split("```json\n")[1].split("```")[0]
    assert set(scenario_from_json(json.loads(example)).states) == {"run", "read", "done"}


def user(number: int, text: str) -> Message:
    return Message(f"u{number}", "user", (Text(text),))


async def test_rules_are_tried_in_order_and_all_of_a_rule_must_hold() -> None:
    rules = [
        {"result": "red", "error": True, "go": "error"},
        {"result": "red", "not_result": "dark", "go": "red"},
        {"result": "(?P<shade>dark|light) red", "prompt": "paint", "go": "shade"},
        {"known": ["file"], "go": "file"},
    ]
    scenario = {
        "start": [{"go": "a"}],
        "otherwise": "other",
        "facts": {"file": {"pattern": r"in (\w+\.py)", "in": ["result", "said"]}},
        "states": {
            "a": {"say": "Looking.", "call": [{"tool": "bash"}], "then": rules},
            "error": {"say": "error"},
            "red": {"say": "red"},
            "shade": {"say": "shade ${shade}"},
            "file": {"say": "file ${file}"},
            "other": {"say": "other ${result_head} ${result_lines}"},
        },
    }
    provider = make_provider("offline", {"scenario": scenario})
    prompt = user(1, "please paint")
    asked = Message("a1", "assistant", (await reply_of(provider, request_of(prompt))).content)
    (call,) = asked.tool_uses()

    async def answer_to(text: str, *, is_error: bool = False) -> str:
        result = Message("t1", "tool", (ToolResult(call.id, text, is_error),))
        (block,) = (await reply_of(provider, request_of(prompt, asked, result))).content
        assert isinstance(block, Text)
        return block.text

    assert await answer_to("red", is_error=True) == "error"
    assert await answer_to("red") == "red"
    assert await answer_to("dark red") == "shade dark"
    assert await answer_to("green in b.py") == "file b.py"
    assert await answer_to("green\n\nblue") == "other green\n\nblue 2"


def test_a_fact_is_the_newest_and_is_found_in_a_summary_too() -> None:
    scenario = scenario_from_json(
        {
            "name": "t",
            "start": [{"go": "a"}],
            "facts": {
                "file": {"in": "said", "pattern": r"in `(\w+)`"},
                "path": {"in": "call", "tool": "read_file", "pattern": r'"path": "([^"]+)"'},
            },
            "states": {"a": {"say": "${file} ${path}"}},
        }
    )
    history = [
        Message("s", "user", (Summary("Note: it is in `old`"),), synthetic=True),
        user(1, "in `prompt`"),
    ]
    position = find(history, [scenario])
    assert position is not None
    assert position.values["file"] == "old"
    calls = (
        Text("in `new`"),
        ToolUse("x", "read_file", {"path": "a.py"}),
        ToolUse("y", "bash", {}),
    )
    results = (ToolResult("x", "in `result`"), ToolResult("y", ""))
    history += [Message("a", "assistant", calls), Message("t", "tool", results), user(2, "again")]
    position = find(history, [scenario])
    assert position is not None
    assert (position.values["file"], position.values["path"]) == ("new", "a.py")
