"""What a shell call changed under the root, found by looking before and after.

Owns the signatures of files and the words for what differs.
Deliberately reads no file's content, and looks into nothing that git ignores.

Invariant: what was not looked at is said, never taken for unchanged.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from sidecar.tools.tree import Tree
from sidecar.workspace.paths import shown
from sidecar.workspace.states import signature

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_FILES = 50_000
MAX_SECONDS = 3.0
_NAMED = 50
_UNSEEN_NAMED = 10


@dataclass(frozen=True, slots=True)
class Scan:
    """Every file's signature by relative path, in the order of the walk.

    `unseen` are folders that were not entered; `capped` says in words why the walk stopped early.
    """

    root: str
    signatures: dict[str, tuple[int, int, int, int]]
    unseen: tuple[str, ...] = ()
    capped: str = ""


def scan(root: str, *, max_files: int = MAX_FILES, max_seconds: float = MAX_SECONDS) -> Scan:
    """Look at every file below `root` that git would not ignore."""
    signatures: dict[str, tuple[int, int, int, int]] = {}
    tree = Tree(root, nested=False)
    capped, end = "", time.monotonic() + max_seconds
    for path, entry in tree.files():
        if len(signatures) >= max_files:
            capped = f"there are more than {max_files} files"
            break
        if time.monotonic() > end:
            capped = f"looking took more than {max_seconds:g} s"
            break
        try:
            signatures[path] = signature(entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            continue
    return Scan(root, signatures, tuple(tree.unseen), capped)


def changed_since(
    before: Scan, *, max_files: int = MAX_FILES, max_seconds: float = MAX_SECONDS
) -> list[str]:
    """In words: each path that was created, changed or deleted, then what was not looked at."""
    after = scan(before.root, max_files=max_files, max_seconds=max_seconds)
    old, new = _comparable(before, after)
    changes = [
        f"{shown(path)} ({how})" for path in sorted(old.keys() | new.keys(), key=_order)
        if (how := _difference(old.get(path), new.get(path)))
    ]  # fmt: skip
    words = changes[:_NAMED]
    if len(changes) > _NAMED:
        words.append(f"{len(changes) - _NAMED} more files")
    unseen = sorted({*before.unseen, *after.unseen})
    if unseen:
        named = ", ".join(shown(folder) for folder in islice(unseen, _UNSEEN_NAMED))
        more = f" and {len(unseen) - _UNSEEN_NAMED} more" if len(unseen) > _UNSEEN_NAMED else ""
        words.append(f"not looked into: {named}{more}")
    if before.capped or after.capped:
        words.append(f"not every file was looked at: {before.capped or after.capped}")
    return words


def _difference(old: tuple[int, ...] | None, new: tuple[int, ...] | None) -> str:
    if old == new:
        return ""
    if old is None:
        return "created"
    return "deleted" if new is None else "changed"


def _comparable(
    before: Scan, after: Scan
) -> tuple[Mapping[str, tuple[int, ...]], Mapping[str, tuple[int, ...]]]:
    """Both without what lies beyond the point where one of the walks stopped."""
    ends = [_order(next(reversed(one.signatures), "")) for one in (before, after) if one.capped]
    if not ends:
        return before.signatures, after.signatures
    end = min(ends)
    old = {path: value for path, value in before.signatures.items() if _order(path) <= end}
    new = {path: value for path, value in after.signatures.items() if _order(path) <= end}
    return old, new


def _order(path: str) -> list[str]:
    return path.split("/")
