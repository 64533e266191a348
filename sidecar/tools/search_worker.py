"""The search itself, in a process of its own that can be killed: `python -m` with JSON on stdin.

Owns matching lines and names.
Deliberately knows nothing of the daemon: a pattern that never ends costs this process only.

Invariant: prints one JSON object, and every cap it hit is in it.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import sys
from typing import TYPE_CHECKING, Any

from sidecar.tools.text import detect, lines_of
from sidecar.tools.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

SEARCHED_FILE_BYTES = 8 * 1024 * 1024
LINE_CHARACTERS = 400


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a relative path matches; one without `/` is about the name, in any folder.

    `*` and `?` stop at `/`, `**` does not, `{a,b}` is either.
    """
    anchored = "/" in pattern.strip("/")
    regex = re.compile(_glob_regex(pattern.removeprefix("./").lstrip("/")), re.DOTALL)
    return lambda path: bool(regex.fullmatch(path if anchored else path.rpartition("/")[2]))


def _glob_regex(pattern: str) -> str:
    translated, depth, at = "", 0, 0
    pieces = {"*": "[^/]*", "?": "[^/]", "{": "(?:"}
    while at < len(pattern):
        character = pattern[at]
        if pattern.startswith("**/", at):
            translated, at = translated + "(?:.*/)?", at + 3
            continue
        if pattern.startswith("**", at):
            translated, at = translated + ".*", at + 2
            continue
        bracket = re.compile(r"\[[!^]?\]?[^\]/]*\]").match(pattern, at)
        if bracket:
            body = bracket[0][1:-1].replace("\\", "\\\\").replace("[", "\\[")
            translated, at = translated + f"[{re.sub('^[!^]', '^/', body)}]", bracket.end()
            continue
        if character in pieces:
            depth += character == "{"
            translated += pieces[character]
        elif depth and character in ",}":
            depth -= character == "}"
            translated += "|" if character == "," else ")"
        else:
            translated += re.escape(character)
        at += 1
    return translated + ")" * depth


def search(order: Mapping[str, Any]) -> dict[str, Any]:
    """`order`: root, under, pattern, glob, ignore_case, limit, unsaved (path -> text).

    Returns `hits` (path, line number, line), `files_searched`, `capped`, `skipped` (words).
    """
    flags = re.IGNORECASE if order["ignore_case"] else 0
    pattern = re.compile(order["pattern"], flags)
    hits: list[tuple[str, int, str]] = []
    skipped: list[str] = []
    searched = 0
    for path, place in _candidates(order):
        text = _text_of(path, place, order["unsaved"], skipped)
        if text is None:
            continue
        searched += 1
        for number, line in enumerate(lines_of(text), start=1):
            if pattern.search(line.rstrip("\r\n")):
                hits.append((path, number, _shortened(line.rstrip("\r\n"))))
                if len(hits) > order["limit"]:
                    return _answer(hits[:-1], searched, skipped, capped=True)
    return _answer(hits, searched, skipped, capped=False)


def find(order: Mapping[str, Any]) -> dict[str, Any]:
    """`order`: root, under, glob, limit; returns the matching paths as `hits`."""
    hits: list[str] = []
    for path, _ in _candidates(order):
        hits.append(path)
        if len(hits) > order["limit"]:
            return _answer(hits[:-1], len(hits), [], capped=True)
    return _answer(hits, len(hits), [], capped=False)


def _answer(hits: list[Any], searched: int, skipped: list[str], *, capped: bool) -> dict[str, Any]:
    return {"hits": hits, "files_searched": searched, "skipped": skipped, "capped": capped}


def _candidates(order: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    root, under = order["root"], order["under"]
    if os.path.isfile(os.path.join(root, under)):
        yield under, os.path.join(root, under)
        return
    matches = glob_matcher(order["glob"]) if order["glob"] else lambda _: True
    start = len(under) + 1 if under else 0
    for path, entry in Tree(root).files(under):
        if matches(path[start:]) or matches(path):
            yield path, entry.path


def _text_of(path: str, place: str, unsaved: Mapping[str, str], skipped: list[str]) -> str | None:
    if path in unsaved:
        return unsaved[path]
    try:
        # A link is another file's name, or leads out of the workspace; a pipe would block.
        if os.path.islink(place) or not os.path.isfile(place):
            return None
        if os.path.getsize(place) > SEARCHED_FILE_BYTES:
            skipped.append(f"{path} (over {SEARCHED_FILE_BYTES // (1024 * 1024)} MiB)")
            return None
        with open(place, "rb") as file:
            data = file.read()
    except OSError as error:
        skipped.append(f"{path} ({error.strerror})")
        return None
    encoding = detect(data)
    return None if encoding is None else encoding.decode(data)


def _shortened(line: str) -> str:
    return line if len(line) <= LINE_CHARACTERS else f"{line[:LINE_CHARACTERS]} [...]"


def main() -> None:
    """Read one order, print one answer."""
    order = json.load(sys.stdin)
    if hasattr(signal, "alarm"):
        # The daemon kills this process in time; if it died itself, the system does, a bit later.
        signal.alarm(math.ceil(order["deadline_seconds"]) + 5)
    answer = {"grep": search, "glob": find}[order["kind"]](order)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
