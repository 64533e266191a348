"""Running shell commands.

Owns `bash`: its environment, its caps, what it says of how a command ended.
Deliberately knows nothing of processes (`process`) or of what a command changed (the workspace).

Invariant: the outcome states the exit code, or why there is none.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
from typing import TYPE_CHECKING, Any

from sidecar.core.messages import ToolSpec
from sidecar.tools.arguments import problem_with
from sidecar.tools.port import CallPreview, ToolOutcome
from sidecar.tools.process import Ended, HeadAndTail, run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.tools.port import Effect, WorkspacePort

TIMEOUT_SECONDS = 120
MAX_TIMEOUT_SECONDS = 600
HEAD_BYTES = 8 * 1024
TAIL_BYTES = 24 * 1024
_TITLE_CHARACTERS = 120

_SECRET = re.compile(
    r"(.*_)?(API_?KEY|TOKEN|ACCESS_?KEY(_ID)?|PRIVATE_?KEY|SECRET|SECRET_?KEY|PASSWORD|PASSWD"
    r"|CREDENTIALS?)",
    re.IGNORECASE,
)


class Bash:
    """`bash`: one command in a shell of its own, in the workspace folder."""

    spec = ToolSpec(
        "bash",
        "Run a shell command in the workspace. No input; background processes end with it.",
        {
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeout_seconds": {"type": "integer", "minimum": 1},
            },
            "required": ["command"],
        },
    )
    effect: Effect = "runs"

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """The command."""
        del workspace
        problem = problem_with(self.spec, arguments)
        if problem:
            return CallPreview(problem)
        command = arguments["command"]
        first = command.strip().partition("\n")[0]
        title = first[:_TITLE_CHARACTERS] + ("..." if first != command.strip() else "")
        return CallPreview(f"Run {title}", command=command)

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """Output (both ends of it, if it is long) and how the command ended."""
        problem = problem_with(self.spec, arguments)
        if problem:
            return ToolOutcome(problem, is_error=True)
        if "\0" in arguments["command"]:
            return ToolOutcome("bash: the command has a NUL byte", is_error=True)
        shell = shutil.which("bash") or shutil.which("sh")
        if os.name != "posix" or shell is None:
            return ToolOutcome("bash needs a POSIX system with bash or sh", is_error=True)
        timeout = min(arguments.get("timeout_seconds", TIMEOUT_SECONDS), MAX_TIMEOUT_SECONDS)
        try:
            ended = await run(
                [shell, "-c", arguments["command"]],
                folder=workspace.root,
                environment=clean_environment(os.environ),
                timeout_seconds=timeout,
                output=HeadAndTail(HEAD_BYTES, TAIL_BYTES),
            )
        except OSError as error:
            return ToolOutcome(f"the shell can't be started: {error}", is_error=True)
        return _outcome(ended, timeout)


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables a command gets: no secrets by name, and nothing that waits for a person."""
    kept = {name: value for name, value in environment.items() if not _SECRET.fullmatch(name)}
    return kept | {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "TERM": "dumb"}


def _outcome(ended: Ended, timeout_seconds: int) -> ToolOutcome:
    output = ended.output
    notes = [_how(ended, timeout_seconds)]
    if ended.left_behind:
        notes.append("its background processes were ended")
    text = output + ("" if output.endswith("\n") or not output else "\n") + f"[{'; '.join(notes)}]"
    return ToolOutcome(text, is_error=ended.timed_out or ended.exit_code != 0)


def _how(ended: Ended, timeout_seconds: int) -> str:
    if ended.timed_out:
        return f"stopped after {timeout_seconds} s, before it was done"
    if ended.exit_code >= 0:
        return f"exit code {ended.exit_code}"
    try:
        name = signal.Signals(-ended.exit_code).name
    except ValueError:
        name = str(-ended.exit_code)
    return f"ended by signal {name}"
