"""The files below a folder as people see them: what git would ignore is left out.

Owns the walk and the ignore rules (`.gitignore` in every folder, `.git/info/exclude`).
Deliberately knows nothing of what is done with the files.

Invariant: files come sorted by their path's parts, so two walks of one tree agree on the order;
a link is never followed, `.git` and `node_modules` are never entered.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

NEVER_ENTERED = frozenset({".git", "node_modules"})


class Tree:
    """One walk; afterwards `unseen` names the folders that were not entered, with `/`.

    `nested` says whether repositories inside (a folder with a `.git`) are walked, too.
    """

    def __init__(self, root: str, *, nested: bool = True) -> None:
        self.root = root
        self.unseen: list[str] = []
        self._nested = nested

    def files(self, under: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Relative path (with `/`) and entry of each file or link below `under`, in order.

        Folders that can't be read are named in `unseen`.
        """
        rules: list[tuple[str, GitIgnoreSpec]] = []
        parts = [part for part in under.split("/") if part not in {"", "."}]
        for count in range(len(parts)):
            self._add_rules(rules, "/".join(parts[:count]))
        yield from self._walk("/".join(parts), rules)

    def _walk(
        self, folder: str, above: list[tuple[str, GitIgnoreSpec]]
    ) -> Iterator[tuple[str, os.DirEntry[str]]]:
        rules = list(above)
        self._add_rules(rules, folder)
        try:
            with os.scandir(os.path.join(self.root, folder)) as entries:
                ordered = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            self.unseen.append(f"{folder}/")
            return
        for entry in ordered:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if not entry.is_dir(follow_symlinks=False):
                if not _ignored(path, rules):
                    yield path, entry
            elif entry.name != ".git":
                if self._enters(path, rules):
                    yield from self._walk(path, rules)
                else:
                    self.unseen.append(f"{path}/")

    def _enters(self, path: str, rules: list[tuple[str, GitIgnoreSpec]]) -> bool:
        if path.rpartition("/")[2] in NEVER_ENTERED or _ignored(f"{path}/", rules):
            return False
        return self._nested or not os.path.lexists(os.path.join(self.root, path, ".git"))

    def _add_rules(self, rules: list[tuple[str, GitIgnoreSpec]], folder: str) -> None:
        names = (".git/info/exclude", ".gitignore")
        lines: list[str] = []
        for name in names:
            path = Path(self.root, folder, name)
            if path.is_file():
                lines += path.read_text("utf-8", "replace").splitlines()
        if lines:
            rules.append((f"{folder}/" if folder else "", GitIgnoreSpec.from_lines(lines)))


def _ignored(path: str, rules: list[tuple[str, GitIgnoreSpec]]) -> bool:
    """The deepest file of rules that says anything of a path decides."""
    for base, spec in reversed(rules):
        verdict = spec.check_file(path[len(base) :]).include
        if verdict is not None:
            return verdict
    return False
