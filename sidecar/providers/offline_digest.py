"""The offline provider's summaries: a digest of the messages, made by counting, not by thinking.

Owns what a digest says: what was asked, what is open, which files were touched, how the tests
stood, what the recording noted, and where it stands.
Deliberately knows nothing of when a summary is wanted.

Invariant: a digest is shorter, in bytes, than the text it was made from, and never blank.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sidecar.core.messages import Summary, Text, ToolResult, ToolUse
from sidecar.providers.offline_position import (
    OPEN_LINE,
    POSITION_LINE,
    REQUEST_BYTES,
    clip,
    find_position,
    position_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sidecar.core.messages import Message

MOST_BYTES = 3_000
_TESTS = re.compile(
    r"^(?:Ran \d+ tests?.*|OK\b.*|FAILED \(.*\))$|\b\d+ (?:passed|failed)\b", re.MULTILINE
)
_INSTRUCTION = re.compile(r"\bsummar(y|ise|ize)\b", re.IGNORECASE)
_PATHS = re.compile(r'"path": ?"([^"\n]{1,200})"')
_WRITES = {"write_file", "edit_file"}
_EARLIER_BYTES = 1_000
_NOTE_BYTES = 160


def digest(messages: Sequence[Message]) -> str:
    """The digest of the messages of a summary request."""
    source_bytes = sum(len(_bytes(text)) for message in messages for text in _texts(message))
    told = _without_instruction(messages)
    is_told = any(message.role == "assistant" for message in told)
    parts = _parts(told) if is_told else _parts_of_text("\n".join(map(_prompt, told)), told)
    lines = [line for part in parts for line in part]
    # Half the source leaves room for the words around a summary of something very short.
    limit = min(MOST_BYTES, max(source_bytes // 2, 1))
    kept = _fitting(lines, limit)
    # A lone surrogate from a tool must not come back in a summary.
    return _bytes(kept).decode().strip() or "-"


def _without_instruction(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages without the last one where that only asks for the summary."""
    last = messages[-1] if messages else None
    if last and last.role == "user" and len(messages) > 1 and _INSTRUCTION.search(_prompt(last)):
        return messages[:-1]
    return messages


def _parts_of_text(text: str, messages: Sequence[Message]) -> Iterator[list[str]]:
    """What can be told of a conversation that comes as text, in a message of the user."""
    position = find_position(text)
    if not position and "\n" not in text.strip():
        yield from _parts(messages)
        return
    yield [POSITION_LINE + position] if position else []
    files = dict.fromkeys(_PATHS.findall(text))
    yield [f"Files named: {', '.join(files)}"] if files else []
    tests = [match[0] for match in _TESTS.finditer(text)]
    yield [f"Last test run: {', '.join(tests[-2:])}"] if tests else []
    # Names in backticks are how the recording, like most models, says what it found out.
    notes = [line for line in reversed(text.split("\n")) if line.count("`") >= 2]
    yield [f"Note: {clip(line, _NOTE_BYTES)}" for line in notes]
    yield [f"Said: {clip(line, _NOTE_BYTES)}" for line in text.split("\n")[:8] if line.strip()]


def _parts(messages: Sequence[Message]) -> Iterator[list[str]]:
    requests = [clip(_prompt(m), REQUEST_BYTES) for m in messages if m.starts_real_turn()]
    position = position_of(messages)
    if position:
        yield [POSITION_LINE + position]
    for message in messages:
        for block in message.content:
            if isinstance(block, Summary):
                earlier = [f"Earlier: {line}" for line in block.text.split("\n") if line.strip()]
                yield _fitting([line for line in earlier if POSITION_LINE not in line]).split("\n")
    answered = bool(messages) and _is_final(messages[-1])
    if requests:
        handled, open_ones = (requests, []) if answered else (requests[:-1], requests[-1:])
        yield [f"Handled request: {text}" for text in handled]
        yield [f"{OPEN_LINE}{text}" for text in open_ones]
    yield _file_lines(messages)
    yield _test_lines(messages)
    notes = [clip(note, _NOTE_BYTES) for note in _notes(messages)]
    yield [f"Note: {note}" for note in notes]


def _file_lines(messages: Sequence[Message]) -> list[str]:
    read: dict[str, None] = {}
    written: dict[str, None] = {}
    for message in messages:
        for call in message.tool_uses():
            path = call.input.get("path")
            if isinstance(path, str):
                (written if call.name in _WRITES else read)[path] = None
    lines = [f"Files changed: {', '.join(written)}"] if written else []
    only_read = [path for path in read if path not in written]
    return [*lines, f"Files read: {', '.join(only_read)}"] if only_read else lines


def _test_lines(messages: Sequence[Message]) -> list[str]:
    for message in reversed(messages):
        for result in message.tool_results():
            found = [match[0] for match in _TESTS.finditer(result.text)]
            if found:
                return [f"Last test run: {', '.join(found)}"]
    return []


def _notes(messages: Sequence[Message]) -> Iterator[str]:
    """What the recording said, the newest first: its facts are in its words."""
    for message in reversed(messages):
        if message.role == "assistant":
            for block in message.content:
                if isinstance(block, Text):
                    yield block.text


def _is_final(message: Message) -> bool:
    return message.role == "assistant" and not any(message.tool_uses())


def _prompt(message: Message) -> str:
    return "\n".join(b.text for b in message.content if isinstance(b, Text))


def _texts(message: Message) -> Iterator[str]:
    for block in message.content:
        match block:
            case Text(text) | Summary(text) | ToolResult(_, text):
                yield text
            case ToolUse(_, name, arguments):
                yield name
                yield from (value for value in arguments.values() if isinstance(value, str))


def _fitting(lines: Sequence[str], limit_bytes: int = _EARLIER_BYTES) -> str:
    """As many of the lines as fit, whole; the first one is cut where it alone is too long."""
    kept: list[str] = []
    used = 0
    for line in lines:
        size = len(_bytes(line)) + 1
        if used + size <= limit_bytes:
            kept.append(line)
            used += size
    return "\n".join(kept) or clip(lines[0] if lines else "", limit_bytes)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
