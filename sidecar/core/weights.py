"""How many tokens a text makes, by what kinds of bytes it is made of: one linear model per family.

Owns the byte classes, the counting and the integer weights.
Deliberately knows nothing of messages, sessions or what was billed.

Invariant: the units of a text depend on that text alone, so sums over texts are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

UNITS_PER_TOKEN = 1000

_LOWER, _UPPER, _DIGIT, _SPACE, _NEWLINE, _PUNCTUATION, _HIGH = b"aA0 \n.\x80"


def _class_of(byte: int) -> int:
    character = chr(byte)
    if byte >= 0x80:
        return _HIGH
    if character.islower():
        return _LOWER
    if character.isupper():
        return _UPPER
    if character.isdigit():
        return _DIGIT
    if character in " \t":
        return _SPACE
    return _NEWLINE if character in "\r\n" else _PUNCTUATION


_CLASSES = bytes(_class_of(byte) for byte in range(256))

FEATURES = (b"a", b"A", b"0", b" ", b"\n", b".", b"\x80")
"""What is counted in a text after every byte was replaced by its class."""


@dataclass(frozen=True, slots=True)
class Family:
    """The weights of the models that share a tokenizer, in units (thousandths of a token).

    `block` is added once per block, `image` and `page` are flat allowances.
    """

    name: str
    text: tuple[int, ...]
    block: int
    image: int = 1_600 * UNITS_PER_TOKEN
    document: int = 5_000 * UNITS_PER_TOKEN
    page: int = 2_500 * UNITS_PER_TOKEN

    def text_units(self, text: str) -> int:
        """Units of one text; a lone surrogate counts like any other character."""
        classes = text.encode("utf-8", "surrogatepass").translate(_CLASSES)
        return sum(
            weight * classes.count(feature)
            for weight, feature in zip(self.text, FEATURES, strict=True)
        )


CLAUDE = Family("claude", (310, 420, 500, 150, 350, 600, 500), 4_000)
CLAUDE_NEW = Family("claude-new", (420, 560, 700, 200, 450, 800, 650), 4_000)
GPT = Family("gpt", (260, 350, 420, 120, 300, 500, 400), 4_000)


@cache
def family_of(model: str) -> Family:
    """The family whose tokenizer `model` uses; an unknown model counts like an older Claude."""
    name = model.lower()
    if any(part in name for part in ("opus-4-7", "opus-4-8", "fable", "mythos", "claude-5")):
        return CLAUDE_NEW
    if any(part in name for part in ("gpt", "codex", "o1", "o3", "o4")):
        return GPT
    return CLAUDE
