"""Which paths belong to a workspace, and the one name that each of them has.

Owns confinement: `..`, absolute paths, links that lead out, NUL, names that are no UTF-8, case.
Deliberately knows nothing of what a file holds.

Invariant: whatever `resolve` and `place` return lies inside the real root.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from sidecar.errors import InvalidInput, OutsideWorkspace


class Root:
    """A workspace folder, its own links followed once, when it is opened.

    `folds_case` says that the file system holds `a` and `A` for the same name; found out if None.
    """

    def __init__(self, path: Path, *, folds_case: bool | None = None) -> None:
        given = os.path.abspath(path)
        self.path = os.path.realpath(given)
        if not Path(self.path).is_dir():
            raise InvalidInput(
                f"the workspace folder {given} isn't there; open the folder where it is now",
                path=given,
            )
        self._given = given
        self._folds_case = _folds_case(self.path) if folds_case is None else folds_case

    def resolve(self, path: str) -> str:
        """Absolute path with every link followed; `OutsideWorkspace` where that leaves the root."""
        return self._inside(os.path.realpath(self._absolute(path)), path)

    def place(self, path: str) -> str:
        """Absolute path of the entry itself: links are followed up to it, not through it."""
        absolute = self._absolute(path)
        parent, name = os.path.split(absolute)
        if name in {"", ".", ".."} or absolute == self.path:
            return self.resolve(path)
        parent = self._inside(os.path.realpath(parent), path)
        return os.path.join(parent, self._true_name(parent, name))

    def relative(self, path: str) -> str:
        """The one workspace-relative name of an entry, with `/`; `.` is the root."""
        relative = os.path.relpath(self.place(path), self.path)
        return relative.replace(os.sep, "/")

    def named(self, path: str) -> str:
        """Where the recorded relative name stands, lexically, even if its folder now leads out."""
        return os.path.join(self.path, *_checked(path).split("/"))

    def _absolute(self, path: str) -> str:
        joined = os.path.join(self.path, _checked(path))
        inside = os.path.relpath(joined, self._given)
        if os.path.isabs(path) and not inside.startswith(".."):
            joined = os.path.join(self.path, inside)
        return joined

    def _inside(self, absolute: str, path: str) -> str:
        if absolute != self.path and not absolute.startswith(self.path.rstrip(os.sep) + os.sep):
            raise OutsideWorkspace(
                f"{path} is outside the workspace {self.path}; use a path inside it", path=path
            )
        return absolute

    def _true_name(self, parent: str, name: str) -> str:
        if not self._folds_case:
            return name
        with suppress(OSError):
            names = os.listdir(parent)
            if name not in names:
                folded = name.casefold()
                return next((one for one in names if one.casefold() == folded), name)
        return name


def _checked(path: str) -> str:
    if not path:
        raise InvalidInput("the path is empty; name a file of the workspace", path=path)
    if "\0" in path:
        raise InvalidInput(f"the path {path!r} has a NUL byte", path=path.replace("\0", "\\0"))
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        raise InvalidInput(
            f"the name {shown} is no UTF-8, so it can't be named here; rename the file", path=shown
        ) from None
    return path


def _folds_case(path: str) -> bool:
    swapped = path.swapcase()
    try:
        return swapped != path and os.path.samefile(path, swapped)
    except OSError:
        return False


def shown(name: str) -> str:
    """A name for people: bytes that are no UTF-8 are escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
