"""The tools that a session starts with.

Owns the list, nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidecar.tools.files import EditFile, ReadFile, WriteFile
from sidecar.tools.port import Toolbox
from sidecar.tools.search import Glob, Grep
from sidecar.tools.shell import Bash

if TYPE_CHECKING:
    from sidecar.tools.port import Tool


def default_toolbox() -> Toolbox:
    """`read_file`, `grep`, `glob`, `edit_file`, `write_file`, `bash`."""
    tools: tuple[Tool, ...] = (ReadFile(), Grep(), Glob(), EditFile(), WriteFile(), Bash())
    return Toolbox({tool.spec.name: tool for tool in tools})
