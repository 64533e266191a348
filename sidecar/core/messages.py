"""The messages of a session: frozen values, in the vocabulary every other module uses.

Owns the block and message types.
Deliberately knows nothing of providers, JSON, files, time or tokens.

Invariant: a message never changes.
What compaction, pins or a rewind do to a message is a new message with the same `id`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Role = Literal["user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text of a user or an assistant."""

    text: str


@dataclass(frozen=True, slots=True)
class Thinking:
    """Reasoning of a model; a signed one goes back byte for byte or not at all."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class RedactedThinking:
    """Reasoning that the provider withheld: an opaque string that only it can read."""

    data: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call; `input` keeps the key order in which the model wrote it."""

    id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Image:
    """An image; `data` is base64, or empty where only its place is known."""

    media_type: str
    data: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A document (PDF and the like); `pages` is 0 where nobody counted them."""

    media_type: str
    data: str = ""
    name: str = ""
    pages: int = 0


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to one tool call; `text` may be empty, attachments ride along."""

    tool_use_id: str
    text: str
    is_error: bool = False
    attachments: tuple[Image | Document, ...] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """What stands in for the turns that a compaction summarised."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A block of a type we do not know: kept as it came, counted, never touched."""

    type: str
    raw: Mapping[str, Any]


Block = (
    Text | Thinking | RedactedThinking | ToolUse | ToolResult | Image | Document | Summary | Unknown
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session.

    `id` is unique in its session and never reused; everything that points at a message uses it.
    `synthetic` marks what the agent injected itself; such a message starts no real turn.
    `source` is display data (provider, model, interrupted, ...) that no decision may depend on.
    """

    id: str
    role: Role
    content: tuple[Block, ...]
    synthetic: bool = False
    pinned: bool = False
    source: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def tool_uses(self) -> Iterator[ToolUse]:
        """The tool calls of this message, in order."""
        return (block for block in self.content if isinstance(block, ToolUse))

    def tool_results(self) -> Iterator[ToolResult]:
        """The tool results of this message, in order."""
        return (block for block in self.content if isinstance(block, ToolResult))

    def starts_real_turn(self) -> bool:
        """Whether a person sent this message."""
        return self.role == "user" and not self.synthetic


def item_id(message_id: str, block: int) -> str:
    """The name of one block, as markers and `recall` use it: `m41.2`."""
    return f"{message_id}.{block}"


def real_turn_starts(messages: Sequence[Message]) -> list[int]:
    """Indices of the messages that start a real turn, ascending."""
    return [i for i, message in enumerate(messages) if message.starts_real_turn()]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; `input_schema` is JSON Schema."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolVocabulary:
    """What the tools of a session are, by name; the names differ between agents.

    `reads` give back what is in files and change nothing, `writes` change the file they name.
    `path_keys` are the arguments that may hold that name, the first that is there counts.
    """

    reads: frozenset[str] = frozenset({"read_file", "grep", "glob"})
    writes: frozenset[str] = frozenset({"write_file", "edit_file"})
    path_keys: tuple[str, ...] = ("path",)
