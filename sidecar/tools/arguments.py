"""Checking what a model passed to a tool, against the schema that the tool declared.

Owns the few JSON Schema words our tools use: type, required, minimum, properties.
Deliberately knows nothing of any one tool.

Invariant: after `problem_with` returned an empty string, every declared argument that is there has
its declared type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.messages import ToolSpec

_TYPES: Mapping[str, type] = {"string": str, "integer": int, "boolean": bool}


def problem_with(spec: ToolSpec, arguments: Mapping[str, Any]) -> str:
    """A sentence that says what is wrong with a call and what would be right, or nothing."""
    properties: Mapping[str, Any] = spec.input_schema["properties"]
    required = spec.input_schema.get("required", ())
    missing = [name for name in required if name not in arguments]
    if missing:
        return f"{spec.name} needs {_listed(missing)}; it takes {_listed(properties)}"
    unknown = [str(name) for name in arguments if name not in properties]
    if unknown:
        return f"{spec.name} knows no {_listed(unknown)}; it takes {_listed(properties)}"
    for name, value in arguments.items():
        problem = _value_problem(properties[name], value)
        if problem:
            return f"{spec.name}: {name} {problem}"
    return ""


def _value_problem(schema: Mapping[str, Any], value: Any) -> str:
    wanted = schema["type"]
    right = isinstance(value, _TYPES[wanted])
    if not right or (wanted == "integer" and isinstance(value, bool)):
        return f"must be of type {wanted}, not {type(value).__name__}"
    if wanted == "integer" and value < schema.get("minimum", value):
        return f"must be at least {schema['minimum']}, not {value}"
    if wanted == "string" and not _encodable(value):
        return "holds half a surrogate pair, which no file can hold; send whole characters"
    return ""


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _listed(names: Any) -> str:
    return ", ".join(str(name) for name in names)
