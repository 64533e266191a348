"""Reading, editing and writing files.

Owns `read_file`, `edit_file` and `write_file`: their caps, their words, their previews.
Deliberately knows nothing of where a file's bytes go (the workspace's business).

Invariant: what a capped reading leaves out is said, with the call that gets it.
"""

from __future__ import annotations

import asyncio
import os
from difflib import unified_diff
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from sidecar.core.messages import ToolSpec
from sidecar.errors import SidecarError
from sidecar.tools.arguments import problem_with
from sidecar.tools.edit import EditRefused, replace_text
from sidecar.tools.port import CallPreview, ToolOutcome
from sidecar.tools.text import UTF8, detect, lines_of, with_line_end

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sidecar.tools.port import Effect, WorkspacePort

READ_LINES = 2000
READ_BYTES = 48 * 1024
LINE_CHARACTERS = 2000
# A file that big is for grep or a pipe; reading it whole would hold it twice in memory.
OPENED_BYTES = 32 * 1024 * 1024
DIFF_LINES = 400

_PATH = {"type": "string", "description": "path in the workspace"}


class ReadFile:
    """`read_file`: a piece of a text file."""

    spec = ToolSpec(
        "read_file",
        "Read a text file. Long files come in pieces.",
        {
            "type": "object",
            "properties": {
                "path": _PATH,
                "offset": {"type": "integer", "minimum": 1, "description": "first line, from 1"},
                "limit": {"type": "integer", "minimum": 1, "description": "number of lines"},
            },
            "required": ["path"],
        },
    )
    effect: Effect = "reads"

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """Names the file."""
        problem = problem_with(self.spec, arguments)
        return CallPreview(problem or f"Read {_named(workspace, arguments['path'])}")

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """The text, without byte order mark, and how to get the rest."""
        problem = problem_with(self.spec, arguments)
        if problem:
            return ToolOutcome(problem, is_error=True)
        return await asyncio.to_thread(_read, arguments, workspace)


def _read(arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
    path = arguments["path"]
    try:
        data = _bytes_of(path, workspace)
    except (SidecarError, OSError) as error:
        return ToolOutcome(_failure(path, error), is_error=True)
    encoding = detect(data)
    if encoding is None:
        return ToolOutcome(f"{path} is a binary file of {len(data)} bytes; it is not shown.")
    if not data:
        return ToolOutcome(f"[{path} is empty]")
    lines = lines_of(encoding.decode(data))
    first = arguments.get("offset", 1)
    if first > len(lines):
        problem = f"{path} has {len(lines)} lines; offset {first} is past its end"
        return ToolOutcome(problem, is_error=True)
    shown = _page(lines, first, min(arguments.get("limit", READ_LINES), READ_LINES))
    last = first + len(shown) - 1
    notes = [] if encoding.name != "latin-1" else ["not UTF-8, shown as Latin-1"]
    if first > 1 or last < len(lines):
        notes.append(f"lines {first}-{last} of {len(lines)}")
    if last < len(lines):
        notes.append(f"read on with offset={last + 1}")
    text = "".join(shown)
    return ToolOutcome(text + (_line_break(text) + f"[{'; '.join(notes)}]" if notes else ""))


def _page(lines: list[str], first: int, limit: int) -> list[str]:
    """As many whole lines as fit, at least one; an overlong one is cut and says so."""
    shown: list[str] = []
    size = 0
    for line in islice(lines, first - 1, first - 1 + limit):
        text = line[:-2] + "\n" if line.endswith("\r\n") else line
        if len(text) > LINE_CHARACTERS:
            cut = len(text) - LINE_CHARACTERS
            text = f"{text[:LINE_CHARACTERS]} [... {cut} more characters of this line, see bash]\n"
        size += len(text.encode("utf-8", "replace"))
        if shown and size > READ_BYTES:
            break
        shown.append(text)
    return shown


class EditFile:
    """`edit_file`: one exact piece of a file, replaced."""

    spec = ToolSpec(
        "edit_file",
        "Replace a piece of a file. old_text must match exactly and be unique.",
        {
            "type": "object",
            "properties": {
                "path": _PATH,
                "old_text": {"type": "string"},
                "new_text": {"type": "string"},
                "replace_all": {"type": "boolean"},
            },
            "required": ["path", "old_text", "new_text"],
        },
    )
    effect: Effect = "edits"

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """The diff; a call that can't work previews as the reason."""
        return _preview(self, arguments, workspace)

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """Replace and say how many places changed."""
        return await _change(self, arguments, workspace)

    def change(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> Change:
        """Bytes before and after; `EditRefused`, `OSError`, `SidecarError`."""
        path = arguments["path"]
        before = _bytes_of(path, workspace)
        everywhere = bool(arguments.get("replace_all", False))
        edited = replace_text(
            before, arguments["old_text"], arguments["new_text"], replace_all=everywhere
        )
        places = "" if edited.places == 1 else f" in {edited.places} places"
        return before, edited.data, f"Edited {path}{places}."


class WriteFile:
    """`write_file`: a whole file."""

    spec = ToolSpec(
        "write_file",
        "Write a whole file, new or replaced. To change a part, use edit_file.",
        {
            "type": "object",
            "properties": {"path": _PATH, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    )
    effect: Effect = "edits"

    def preview(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> CallPreview:
        """The diff against what is there."""
        return _preview(self, arguments, workspace)

    async def run(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> ToolOutcome:
        """Write and say what was kept of the file that was there."""
        return await _change(self, arguments, workspace)

    def change(self, arguments: Mapping[str, Any], workspace: WorkspacePort) -> Change:
        """Bytes before (None for a new file) and after."""
        path, content = arguments["path"], arguments["content"]
        try:
            before = _bytes_of(path, workspace)
        except FileNotFoundError:
            data = content.encode()
            return None, data, f"Created {path} ({len(data)} bytes)."
        data, note = _in_the_style_of(before, content)
        return before, data, f"Replaced {path} ({len(data)} bytes){note}."


Change = tuple[bytes | None, bytes, str]


def _in_the_style_of(before: bytes, content: str) -> tuple[bytes, str]:
    """The new content in the old one's encoding, byte order mark and line ends."""
    encoding = detect(before) or UTF8
    text, notes = content.removeprefix("\ufeff"), []
    if before.count(b"\r\n") and before.count(b"\r\n") == before.count(b"\n"):
        text = with_line_end(text, "\r\n")
        notes.append("CRLF line ends kept")
    try:
        data = encoding.encode(text)
    except UnicodeEncodeError:
        return text.encode(), ", written as UTF-8, which it was not before"
    if encoding.bom:
        notes.append("byte order mark kept")
    return data, "".join(f", {note}" for note in notes)


def _preview(
    tool: EditFile | WriteFile, arguments: Mapping[str, Any], workspace: WorkspacePort
) -> CallPreview:
    problem = problem_with(tool.spec, arguments)
    if problem:
        return CallPreview(problem)
    path = arguments["path"]
    try:
        # The file that changes is the one behind a link, so that is the one to checkpoint.
        target = workspace.relative(workspace.resolve(path))
        before, after, _ = tool.change(arguments, workspace)
    except (EditRefused, SidecarError, OSError) as error:
        return CallPreview(_failure(path, error))
    verb: Literal["Create", "Edit", "Replace"] = (
        "Create" if before is None else "Edit" if isinstance(tool, EditFile) else "Replace"
    )
    return CallPreview(f"{verb} {target}", (target,), diff_of(target, before, after))


async def _change(
    tool: EditFile | WriteFile, arguments: Mapping[str, Any], workspace: WorkspacePort
) -> ToolOutcome:
    problem = problem_with(tool.spec, arguments)
    if problem:
        return ToolOutcome(problem, is_error=True)
    path = arguments["path"]
    try:
        before, after, sentence = tool.change(arguments, workspace)
        if before == after:
            return ToolOutcome(f"{path} is like that already; nothing was changed.")
        await workspace.write_bytes(path, after)
    except (EditRefused, SidecarError, OSError) as error:
        return ToolOutcome(_failure(path, error), is_error=True)
    return ToolOutcome(sentence)


def diff_of(path: str, before: bytes | None, after: bytes) -> str:
    """A unified diff, capped; of a binary file only its sizes."""
    old, new = detect(before or b""), detect(after)
    if old is None or new is None:
        return f"binary file, {len(before or b'')} -> {len(after)} bytes"
    texts = (old.decode(before or b""), new.decode(after))
    hide = all("\n" not in text.replace("\r\n", "") for text in texts)
    lines = unified_diff(
        _visible(texts[0], hide_crlf=hide),
        _visible(texts[1], hide_crlf=hide),
        "/dev/null" if before is None else f"a/{path}",
        f"b/{path}",
    )
    shown = list(islice(lines, DIFF_LINES))
    left = sum(1 for _ in lines)
    return "".join(shown) + (f"[... {left} more lines of this diff]\n" if left else "")


def _visible(text: str, *, hide_crlf: bool) -> list[str]:
    """Lines whose CRs can be seen, except where every line of both sides ends in CRLF anyway."""
    lines = [line.removesuffix("\n") for line in lines_of(text)]
    if hide_crlf:
        lines = [line.removesuffix("\r") for line in lines]
    return [line.replace("\r", "␍") + "\n" for line in lines]


def _bytes_of(path: str, workspace: WorkspacePort) -> bytes:
    place = workspace.resolve(path)
    if os.path.isfile(place) and os.path.getsize(place) > OPENED_BYTES:
        size = os.path.getsize(place) // (1024 * 1024)
        raise OSError(f"it has {size} MiB, too much to open; use grep, or head and sed in bash")
    return workspace.read_bytes(path)


def _failure(path: str, error: Exception) -> str:
    if isinstance(error, SidecarError):
        return error.message
    if isinstance(error, FileNotFoundError):
        return f"{path} does not exist; find it with glob"
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder; list it with glob"
    if isinstance(error, OSError):
        return f"{path}: {error.strerror or error}"
    return f"{path}: {error}"


def _named(workspace: WorkspacePort, path: str) -> str:
    try:
        return workspace.relative(path)
    except SidecarError:
        return path


def _line_break(text: str) -> str:
    return "" if text.endswith("\n") else "\n"
