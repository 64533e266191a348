"""What a tool is, and what it is given.

A tool gets a `Workspace` (files as they are: disk and unsaved buffers) and nothing else of the
daemon; approvals and checkpoints happen around it, in the toolbox's caller.
A failing tool is an outcome with `is_error`, never an exception.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.core.events import FileState
    from sidecar.core.messages import ToolSpec

Effect = Literal["reads", "edits", "runs"]


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool call came to; `text` is what the model reads."""

    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class CallPreview:
    """What a person is asked to approve: a title, and what it would do.

    `paths` are the workspace-relative files that the call will change, known before it runs.
    `diff` is a unified diff for edits, `command` the shell command for runs.
    """

    title: str
    paths: tuple[str, ...] = ()
    diff: str = ""
    command: str = ""


class WorkspacePort(Protocol):
    """The files as a tool may see and change them; every path is confined to the root.

    Raises `OutsideWorkspace`, and `OSError` where the file system says no.
    """

    root: str

    def resolve(self, path: str) -> str:
        """Absolute path of a workspace path, symlinks followed, or `OutsideWorkspace`."""
        ...

    def relative(self, path: str) -> str:
        """The workspace-relative form, with `/`."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """What the file holds: the unsaved buffer where the editor has one, else the disk."""
        ...

    async def write_bytes(self, path: str, data: bytes) -> None:
        """Replace the file by the channel that owns it: the editor's buffer where it is open and
        unsaved, else the disk, atomically; parent folders are made.
        """
        ...

    def state(self, path: str) -> FileState:
        """The state of one entry, digest included: unsaved text where there is any, else disk."""
        ...

    def unsaved(self) -> Mapping[str, bytes]:
        """Relative path to content of every open document with unsaved changes."""
        ...


class Tool(Protocol):
    """One tool."""

    spec: ToolSpec
    effect: Effect

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """What the call would do; never raises, a bad call previews as its own error text."""
        ...

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """Do it; cancel at any await leaves no half-written file and no running child."""
        ...


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of a session, by name."""

    tools: Mapping[str, Tool] = field(default_factory=dict)

    def specs(self, *, plan_mode: bool = False) -> tuple[ToolSpec, ...]:
        """Definitions as the model gets them; plan mode offers only what reads."""
        return tuple(
            tool.spec for tool in self.tools.values() if not plan_mode or tool.effect == "reads"
        )
