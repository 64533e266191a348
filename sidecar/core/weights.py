"""How many tokens a text makes, by what kinds of bytes it is made of: one linear model per family.

Owns the byte classes, the counting, the integer weights, and what is known of how each family
treats its own thinking.
Deliberately knows nothing of messages, sessions or what was billed.

Invariant: the units of a text depend on that text alone, so sums over texts are exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

UNITS_PER_TOKEN = 1000


def _class_of(byte: int) -> int:
    """One byte that stands for all bytes of its kind; characters of UTF-8 count by their first."""
    if byte >= 0x80:
        leads = (0xF0, 0xE3, 0xE2, 0xC0, 0x80)
        return next(lead for lead in leads if byte >= lead)
    character = chr(byte)
    kinds = ((str.islower, "a"), (str.isupper, "A"), (str.isdigit, "0"))
    for is_kind, stand_in in kinds:
        if is_kind(character):
            return ord(stand_in)
    groups = (" ", "\t", "\n\r", "\"'`", "([{<>}])", "/_-.")
    return next((ord(group[0]) for group in groups if character in group), ord(";"))


_CLASSES = bytes(_class_of(byte) for byte in range(256))

_FEATURES = (
    *(b"a", b"A", b"0", b" ", b"\t", b"\n", b'"', b"(", b"/", b";"),
    *(b"\xc0", b"\xe2", b"\xe3", b"\xf0"),
    *(b" a", b" A", b"aA", b"a0", b"0a", b"A0", b"0A", b"/a", b"/A"),
    *(b"(a", b";a", b'"a', b"\na", b"Aa", b" 0", b"  "),
)
"""What is counted, after every byte was replaced by its class: kinds, then starts of words."""


@dataclass(frozen=True, slots=True)
class Family:
    """The weights of the models that share a tokenizer, in units (thousandths of a token).

    `text` goes with `_FEATURES`; the others are added once per block, argument, image or page.
    Thinking whose text is withheld counts by its signature: `withheld` per byte, less `seal`.
    `prior_tokens` is how much evidence of a session's own these weights are worth.
    """

    name: str
    text: tuple[int, ...]
    text_block: int
    thinking_block: int
    call: int
    argument: int
    result: int
    prior_tokens: int = 6_000
    signature: int = 20
    withheld: int = 287
    seal: int = 82_000
    image: int = 1_600 * UNITS_PER_TOKEN
    document: int = 5_000 * UNITS_PER_TOKEN
    page: int = 2_500 * UNITS_PER_TOKEN

    def text_units(self, text: str) -> int:
        """Units of one text; a lone surrogate counts like any other character."""
        classes = text.encode("utf-8", "surrogatepass").translate(_CLASSES)
        count = classes.count
        return sum(
            weight * count(feature)
            for weight, feature in zip(self.text, _FEATURES, strict=True)
            if weight
        )

    def thinking_units(self, text: str, signature: str) -> int:
        """Units of one piece of thinking, readable or withheld."""
        if text:
            return self.thinking_block + self.text_units(text) + self.signature * len(signature)
        return max(self.thinking_block, self.withheld * len(signature) - self.seal)


# The weights are least-squares fits, robust against outliers and never below zero, over what
# agents' sessions were billed for what was added between two requests, and for replies by
# themselves: 1,159 rows of Claude Opus 4.5, 953 of Opus 4.7 and 4.8, 880 of GPT-5.4 and 5.5.
# A weak pull towards weights that were fitted on 6,000 texts counted with the o200k tokenizer
# keeps rare kinds of bytes sane.
# On sessions that were left out of the fit the median error of what was added is 3-9 %.
CLAUDE = Family(
    "claude",
    text=(
        *(40, 306, 648, 85, 209, 1357, 484, 587, 797, 256),
        *(689, 500, 1197, 2500),
        *(972, 0, 393, 882, 532, 1087, 3473, 1061, 457),
        *(1161, 408, 1012, 818, 998, 1445, 65),
    ),
    text_block=1_862,
    thinking_block=9_366,
    call=35_737,
    argument=11_803,
    result=10_915,
)
CLAUDE_NEW = Family(
    "claude-new",
    text=(
        *(85, 649, 471, 30, 513, 1457, 883, 765, 945, 684),
        *(766, 500, 1308, 7457),
        *(1103, 381, 555, 213, 1774, 0, 1921, 1562, 377),
        *(2205, 108, 1327, 2779, 1374, 2218, 208),
    ),
    text_block=3_127,
    thinking_block=4_000,
    call=39_710,
    argument=12_418,
    result=11_215,
)
GPT = Family(
    "gpt",
    text=(
        *(34, 276, 439, 40, 363, 940, 427, 247, 613, 502),
        *(365, 1040, 976, 5871),
        *(852, 0, 0, 597, 850, 539, 1848, 814, 252),
        *(1040, 465, 690, 1732, 812, 2072, 36),
    ),
    text_block=3_912,
    thinking_block=0,
    call=12_583,
    argument=1_631,
    result=9_324,
    prior_tokens=30_000,  # the tokenizer itself is known, so a session has little to teach
)

NOTICES: dict[str, int] = {
    "task_reminder": 145 * UNITS_PER_TOKEN,
    "todo_reminder": 145 * UNITS_PER_TOKEN,
    "edited_text_file": 60 * UNITS_PER_TOKEN,
    "tool_reference": 900 * UNITS_PER_TOKEN,
}
"""What an agent puts around a notice of that kind, or stands behind its name: medians of what was
billed beyond the text that is there."""

_NEW_TOKENIZER = ("opus-4-7", "opus-4-8", "opus-4-9", "opus-5", "sonnet-5", "fable", "mythos")
_GPT = ("gpt", "codex", "o1", "o3", "o4")
_KEEPS_THINKING = ("opus-4-5", "opus-4-6", "sonnet-4-6", *_NEW_TOKENIZER)


@cache
def family_of(model: str) -> Family:
    """The family whose tokenizer `model` uses; an unknown model counts like an older Claude."""
    name = model.lower().replace(".", "-")
    if any(part in name for part in _NEW_TOKENIZER):
        return CLAUDE_NEW
    return GPT if any(part in name for part in _GPT) else CLAUDE


@cache
def forgets_thinking(model: str) -> bool:
    """Whether thinking of a turn leaves the prompt when the next turn begins.

    Anthropic documents it for Claude before Opus 4.5; GPT's bills show it to the token.
    Unknown models are taken to keep it, which errs on the high side.
    """
    name = model.lower().replace(".", "-")
    if family_of(model) is GPT:
        return True
    return "claude" in name and not any(part in name for part in _KEEPS_THINKING)
