from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from place import Place

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A folder with nothing in it, its workspace, and an editor that opens its files."""
    return Place(tmp_path)
