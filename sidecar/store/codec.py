r"""Events to lines of JSON and back: what a session's journal looks like, version by version.

Owns the line form (`docs/session-format.md`) and its version number.
Deliberately knows nothing of files and of what the events mean.

A line is one object: `v`, `at` (Unix milliseconds), `type` (the event's name in snake case), and
the event's fields under their own names.
Reading never raises: a line of an unknown type, or with a field of the wrong type, is a problem in
words and costs that line only; unknown fields are named and ignored, missing ones take their
default, and words of an enumeration that we do not know are kept.

Invariant: reading what was written gives an equal entry, key order of tool arguments included.
Lone surrogates survive: a line that UTF-8 can't hold is written with `\u` escapes.
(JSON cannot tell two separate halves that stand side by side from the character they spell, so
those, and only those, come back as that character.)
"""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from sidecar.core import events, messages
from sidecar.core.events import Entry
from sidecar.core.messages import Block, Message
from sidecar.errors import InvalidInput
from sidecar.store.message_codec import (
    block_from_json,
    block_to_json,
    message_from_json,
    message_to_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[Any, list[str]], Any]

__all__ = [
    "VERSION",
    "block_from_json",
    "block_to_json",
    "decode_line",
    "encode_line",
    "entry_from_json",
    "entry_to_json",
    "message_from_json",
    "message_to_json",
]

VERSION = 1

_BLOCKS: tuple[type, ...] = typing.get_args(Block)
_ENVELOPE = {"v", "at", "type"}


class _Unreadable(Exception):
    """Why a value can't be read, in words."""


def encode_line(entry: Entry) -> bytes:
    """One line, newline included; raises `InvalidInput` for what JSON can't say."""
    value = entry_to_json(entry)
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        try:
            return text.encode() + b"\n"
        except UnicodeEncodeError:
            return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        kind = value["type"]
        raise InvalidInput(f"an event {kind} can't be written as JSON: {error}") from error


def decode_line(line: bytes) -> tuple[list[Entry], list[str]]:
    """The entries of one line (normally one) and the problems; blank lines are nothing.

    NUL bytes around a record (what a power loss leaves) are reported and skipped.
    Several JSON values on one line are all read, and reported.
    """
    problems: list[str] = []
    stripped = line.strip(b" \t\r\n")
    record = stripped.strip(b"\0 \t\r\n")
    if len(record) < len(stripped):
        problems.append(f"{line.count(0)} NUL bytes, skipped")
    if not record:
        return [], problems
    try:
        values = _json_values(record.decode())
    except (ValueError, RecursionError) as error:
        return [], [*problems, f"not readable as JSON ({_reason(error)}), skipped"]
    if len(values) > 1:
        problems.append(f"{len(values)} JSON values on one line, all read")
    entries: list[Entry] = []
    for value in values:
        entry, found = entry_from_json(value)
        problems += found
        if entry is not None:
            entries.append(entry)
    return entries, problems


def entry_to_json(entry: Entry) -> dict[str, Any]:
    """The line of one entry, as JSON values."""
    event: Any = entry.event
    value: dict[str, Any] = {"v": VERSION, "at": entry.at, "type": _name(event.__class__)}
    for field in fields(event):
        value[field.name] = _plain(getattr(event, field.name))
    return value


def entry_from_json(raw: object) -> tuple[Entry | None, list[str]]:
    """The entry, or None where it can't be understood, and the problems in words."""
    if not isinstance(raw, dict):
        return None, ["a line must be a JSON object, skipped"]
    version, at, name = raw.get("v"), raw.get("at"), raw.get("type")
    if type(version) is not int or type(at) is not int or not isinstance(name, str):
        return None, ["a line must have v, at (both integers) and type, skipped"]
    problems = [] if version <= VERSION else [f"written by a newer version ({version})"]
    event_type = _event_types().get(name)
    if event_type is None:
        return None, [*problems, f"event type {name!r} is not known, skipped"]
    try:
        event = _read_record(event_type, raw, problems, _ENVELOPE)
    except _Unreadable as error:
        return None, [*problems, f"{name}: {error}, skipped"]
    return Entry(at, event), problems


def _json_values(text: str) -> list[Any]:
    try:
        return [json.loads(text)]
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            raise
    decoder, values, start = json.JSONDecoder(), [], 0
    while start < len(text):
        value, end = decoder.raw_decode(text, start)
        values.append(value)
        start = end + len(text[end:]) - len(text[end:].lstrip())
    return values


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg.removesuffix(' starting at')} at character {error.pos}"
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


@cache
def _name(kind: type) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


@cache
def _event_types() -> Mapping[str, type]:
    return {_name(kind): kind for kind in typing.get_args(events.Event)}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, Message):
        return message_to_json(value)
    if isinstance(value, _BLOCKS):
        return block_to_json(typing.cast("Block", value))
    if isinstance(value, Mapping):
        return dict(value)
    return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _read_record(
    kind: type, raw: Any, problems: list[str], envelope: set[str] | frozenset[str] = frozenset()
) -> Any:
    """One dataclass from an object: unknown fields named, missing ones their default."""
    if not isinstance(raw, dict):
        raise _Unreadable(f"{_name(kind)} must be an object")
    values = {}
    plan = _plan(kind)
    name = ""
    try:
        for name, (reader, required) in plan.items():
            if name in raw:
                values[name] = reader(raw[name], problems)
            elif required:
                raise _Unreadable("is missing")  # noqa: TRY301 - one place names the field
    except _Unreadable as error:
        raise _Unreadable(f"{name} {error}") from None
    if len(raw) > len(values) + len(envelope):
        names = ", ".join(sorted(raw.keys() - plan.keys() - envelope))
        problems.append(f"{_name(kind)}: unknown field {names}, ignored")
    return kind(**values)


@cache
def _plan(kind: type) -> Mapping[str, tuple[Reader, bool]]:
    """How each field of a dataclass is read, and whether it has to be there."""
    names = {**vars(messages), **vars(events), "Mapping": Mapping}
    hints = typing.get_type_hints(kind, globalns=names)
    record: tuple[Field[Any], ...] = fields(kind)
    return {
        field.name: (
            _reader(hints[field.name]),
            field.default is MISSING and field.default_factory is MISSING,
        )
        for field in record
    }


_SIMPLE = {str: "a string", int: "an integer", bool: "true or false"}


def _reader(hint: Any) -> Reader:  # noqa: PLR0911 - one return per kind of type
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        return _union_reader(arguments)
    if origin is Literal:
        return partial(_read_simple, str)
    if origin is tuple:
        return partial(_read_list, _reader(arguments[0]))
    if origin is Mapping:
        return _read_mapping
    if hint in _SIMPLE:
        return partial(_read_simple, hint)
    if hint is Message:
        return _read_message
    if not is_dataclass(hint):
        raise TypeError(f"an event field of type {hint} has no reader; add one here")
    return partial(_read_record, typing.cast("type", hint))


def _union_reader(arguments: tuple[Any, ...]) -> Reader:
    rest = tuple(item for item in arguments if item is not types.NoneType)
    reader = _read_block if set(rest) == set(_BLOCKS) else _reader(rest[0])
    return partial(_read_optional, reader) if len(rest) < len(arguments) else reader


def _read_simple(kind: type, raw: Any, _problems: list[str]) -> Any:
    if type(raw) is not kind:
        raise _Unreadable(f"must be {_SIMPLE[kind]}")
    return raw


def _read_mapping(raw: Any, _problems: list[str]) -> Mapping[str, Any]:
    if not isinstance(raw, dict):
        raise _Unreadable("must be an object")
    return raw


def _read_list(reader: Reader, raw: Any, problems: list[str]) -> tuple[Any, ...]:
    if not isinstance(raw, list):
        raise _Unreadable("must be a list")
    return tuple(reader(item, problems) for item in raw)


def _read_optional(reader: Reader, raw: Any, problems: list[str]) -> Any:
    return None if raw is None else reader(raw, problems)


def _read_message(raw: Any, problems: list[str]) -> Message:
    message, found = message_from_json(raw)
    if message is None:
        raise _Unreadable(f"is unreadable: {'; '.join(found)}")
    problems += found
    return message


def _read_block(raw: Any, problems: list[str]) -> Block:
    block, found = block_from_json(raw)
    problems += found
    return block
