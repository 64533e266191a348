"""The sample workspace: a small project with a red test suite, for the demo and for tests.

Owns the files (in `workspace/`, plain data) and writing them to a folder.
Deliberately knows nothing of providers, though the recording `sample` was made for these files.

Invariant: a file that is there and differs is never overwritten.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

SAMPLE_PROMPT = (
    "The test suite is red. Find out why and fix the code, not the tests. Add a regression test"
    " for every bug, refresh the example's totals with the script, and note the fixes in the"
    " changelog."
)
SAMPLE_FOLLOW_UP = (
    "Thanks. What did you change, do the tests still pass, and is totals.csv covered by a"
    " checkpoint?"
)
_LEFT_OUT = {"__pycache__"}


def sample_files() -> dict[str, bytes]:
    """The files of the sample, by their path with `/`."""
    root = resources.files("sidecar.sample") / "workspace"
    return {path: file.read_bytes() for path, file in sorted(_walk(root, ""))}


def create_sample_workspace(folder: Path) -> list[str]:
    """Write the sample into a folder, made if need be; returns the paths that were left alone.

    A path is left alone where something else than the sample's file is there already.
    Raises `OSError` where the folder can't be written.
    """
    kept = []
    for path, data in sample_files().items():
        target = Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with target.open("xb") as file:
                file.write(data)
        except FileExistsError:
            if not target.is_file() or target.read_bytes() != data:
                kept.append(path)
    return kept


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for item in folder.iterdir():
        if item.name in _LEFT_OUT:
            continue
        path = f"{prefix}{item.name}"
        if item.is_dir():
            yield from _walk(item, f"{path}/")
        else:
            yield path, item
