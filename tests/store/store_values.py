"""Hypothesis strategies for every value the codec writes, derived from the dataclasses."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal

from hypothesis import strategies as st

from sidecar.core import events, messages
from sidecar.core.events import Entry

EVENT_TYPES: tuple[type, ...] = typing.get_args(events.Event)

# Text of any character, lone surrogates and the separators that break `str.splitlines` included.
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text(st.sampled_from('\u2028\u2029\x85\x0b\x0c\x1c\r\n\0"\\\ud800\udfffaé😀'), max_size=12),
).map(lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)
NAMES = st.text("abcXYZ09_-", min_size=1, max_size=8)
UNKNOWN = st.builds(
    lambda kind, extra: messages.Unknown(kind, {**extra, "type": kind}),
    NAMES.map(lambda name: f"x_{name}"),
    OBJECTS,
)
ATTACHMENTS = st.builds(
    messages.Image, st.just("image/png"), st.text("AZ09+/=", max_size=8), TEXTS
) | st.builds(messages.Document, st.just("application/pdf"), TEXTS, TEXTS, st.integers(0, 9))
BLOCKS: st.SearchStrategy[messages.Block] = st.one_of(
    st.builds(messages.Text, TEXTS),
    st.builds(messages.Thinking, TEXTS, TEXTS),
    st.builds(messages.RedactedThinking, TEXTS),
    st.builds(messages.ToolUse, TEXTS, TEXTS, OBJECTS),
    st.builds(
        messages.ToolResult,
        TEXTS,
        TEXTS,
        st.booleans(),
        st.lists(ATTACHMENTS, max_size=2).map(tuple),
    ),
    ATTACHMENTS,
    st.builds(messages.Summary, TEXTS),
    UNKNOWN,
)
MESSAGES = st.builds(
    messages.Message,
    NAMES,
    st.sampled_from(["user", "assistant", "tool"]),
    st.lists(BLOCKS, max_size=3).map(tuple),
    st.booleans(),
    st.booleans(),
    OBJECTS,
)


def _strategy(hint: Any) -> st.SearchStrategy[Any]:  # noqa: PLR0911 - one per kind of type
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is messages.Message:
        return MESSAGES
    if set(typing.get_args(messages.Block)) <= set(arguments):
        return st.none() | BLOCKS if type(None) in arguments else BLOCKS
    if type(None) in arguments:
        return st.none() | _strategy(arguments[0])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(_strategy(arguments[0]), max_size=2).map(tuple)
    if origin is Mapping:
        return OBJECTS
    simple = {str: TEXTS, int: st.integers(), bool: st.booleans()}
    return simple[hint] if hint in simple else _record(hint)


def _record(kind: type) -> st.SearchStrategy[Any]:
    names = {**vars(messages), **vars(events), "Mapping": Mapping}
    hints = typing.get_type_hints(kind, globalns=names)
    return st.builds(kind, **{field.name: _strategy(hints[field.name]) for field in fields(kind)})


EVENTS: st.SearchStrategy[Any] = st.one_of([_record(kind) for kind in EVENT_TYPES])
ENTRIES = st.builds(Entry, st.integers(0, 2**45), EVENTS)
