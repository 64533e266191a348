"""The files of a session's workspace: see `sidecar.workspace.files`."""

from sidecar.workspace.buffers import Buffers
from sidecar.workspace.channel import EditorPort
from sidecar.workspace.files import Workspace
from sidecar.workspace.plan import Choice, FileRestore
from sidecar.workspace.restore import RestoreOutcome
from sidecar.workspace.scan import Scan

__all__ = [
    "Buffers",
    "Choice",
    "EditorPort",
    "FileRestore",
    "RestoreOutcome",
    "Scan",
    "Workspace",
]
