"""Finding text and files.

Owns `grep` and `glob`: their caps, their words, the deadline.
Deliberately knows nothing of how a match is found (`search_worker`, a process that is killed when
its time is up).

Invariant: an answer that is not the whole answer says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sidecar.core.messages import ToolSpec
from sidecar.errors import SidecarError
from sidecar.tools.arguments import problem_with
from sidecar.tools.port import CallPreview, ToolOutcome
from sidecar.tools.text import detect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.tools.port import Effect, WorkspacePort

DEADLINE_SECONDS = 20.0
GREP_LINES = 200
GLOB_PATHS = 400
ANSWER_BYTES = 32 * 1024
_SKIPPED_NAMED = 3
_PACKAGE_FOLDER = str(Path(__file__).resolve().parents[2])


class Grep:
    """`grep`: lines that match a regular expression."""

    spec = ToolSpec(
        "grep",
        "Search file contents with a Python regular expression; ignored files are skipped.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "path": {"type": "string", "description": "folder or file to search in"},
                "glob": {"type": "string", "description": "only files like *.py"},
                "ignore_case": {"type": "boolean"},
            },
            "required": ["pattern"],
        },
    )
    effect: Effect = "reads"

    def __init__(self, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        self._deadline_seconds = deadline_seconds

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """Names the pattern."""
        del workspace
        problem = problem_with(self.spec, arguments)
        return CallPreview(problem or f"Search for {arguments['pattern']}")

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """`path:line: text` for each hit."""
        problem = problem_with(self.spec, arguments) or _pattern_problem(arguments["pattern"])
        if problem:
            return ToolOutcome(problem, is_error=True)
        order = {"kind": "grep", "limit": GREP_LINES, "pattern": arguments["pattern"]}
        order["ignore_case"] = arguments.get("ignore_case", False)
        order["unsaved"] = _texts(workspace.unsaved())
        answer = await _ask(order, arguments, workspace, self._deadline_seconds)
        if isinstance(answer, ToolOutcome):
            return answer
        lines = [f"{path}:{number}: {line}" for path, number, line in answer["hits"]]
        nothing = f"No line matches in {answer['files_searched']} files."
        return ToolOutcome(_listing(lines, answer, nothing))


class Glob:
    """`glob`: files whose path matches."""

    spec = ToolSpec(
        "glob",
        "List files by pattern such as src/**/*.ts; ignored files are skipped.",
        {
            "type": "object",
            "properties": {
                "pattern": {"type": "string"},
                "path": {"type": "string", "description": "folder to look in"},
            },
            "required": ["pattern"],
        },
    )
    effect: Effect = "reads"

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """Names the pattern."""
        del workspace
        problem = problem_with(self.spec, arguments)
        return CallPreview(problem or f"List {arguments['pattern']}")

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """One path for each line."""
        problem = problem_with(self.spec, arguments)
        if problem:
            return ToolOutcome(problem, is_error=True)
        order = {"kind": "glob", "limit": GLOB_PATHS}
        asked = {**arguments, "glob": arguments["pattern"]}
        answer = await _ask(order, asked, workspace, DEADLINE_SECONDS)
        if isinstance(answer, ToolOutcome):
            return answer
        return ToolOutcome(_listing(answer["hits"], answer, "No file matches."))


def _pattern_problem(pattern: str) -> str:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"grep: the pattern is no regular expression ({error}); escape its special signs"
    return ""


def _texts(unsaved: Mapping[str, bytes]) -> dict[str, str]:
    """Unsaved documents as text; what the editor shows counts, not what lies on disk."""
    found = {}
    for path, data in unsaved.items():
        encoding = detect(data)
        if encoding is not None:
            found[path] = encoding.decode(data)
    return found


async def _ask(
    order: dict[str, Any],
    arguments: Mapping[str, Any],
    workspace: WorkspacePort,
    deadline_seconds: float,
) -> dict[str, Any] | ToolOutcome:
    path = arguments.get("path") or "."
    try:
        under = workspace.relative(workspace.resolve(path))
        place = workspace.resolve(path)
    except SidecarError as error:
        return ToolOutcome(error.message, is_error=True)
    if not os.path.lexists(place):
        return ToolOutcome(f"{path} does not exist; list what is there with glob", is_error=True)
    order |= {"root": workspace.root, "under": "" if under == "." else under}
    order["glob"] = arguments.get("glob", "")
    order["deadline_seconds"] = deadline_seconds
    try:
        async with asyncio.timeout(deadline_seconds):
            return await _worker(order)
    except TimeoutError:
        return ToolOutcome(
            f"{order['kind']} took more than {deadline_seconds:g} s and was stopped; "
            "use a simpler pattern or a smaller folder",
            is_error=True,
        )


async def _worker(order: Mapping[str, Any]) -> dict[str, Any] | ToolOutcome:
    # The daemon's own folder may be the workspace: with -P its files are never taken for modules.
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "sidecar.tools.search_worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": _PACKAGE_FOLDER},
    )
    try:
        output, errors = await worker.communicate(json.dumps(order).encode("ascii"))
    finally:
        if worker.returncode is None:
            worker.kill()
    if worker.returncode != 0:
        last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return ToolOutcome(f"the search failed: {last}", is_error=True)
    answer: dict[str, Any] = json.loads(output)
    return answer


def _listing(lines: list[str], answer: Mapping[str, Any], nothing: str) -> str:
    shown: list[str] = []
    size = 0
    for line in lines:
        # A name that is no UTF-8 is shown escaped: half a surrogate pair can't leave here.
        text = line.encode("utf-8", "backslashreplace").decode("utf-8")
        size += len(text.encode()) + 1
        if size > ANSWER_BYTES:
            break
        shown.append(text)
    text = "\n".join(shown) if shown else nothing
    if len(shown) < len(lines) or answer["capped"]:
        text += f"\n[only the first {len(shown)}; narrow the pattern, path or glob to see others]"
    if answer["skipped"]:
        named = ", ".join(answer["skipped"][:_SKIPPED_NAMED])
        more = len(answer["skipped"]) - _SKIPPED_NAMED
        text += f"\n[not searched: {named}{f' and {more} more' if more > 0 else ''}]"
    return text
