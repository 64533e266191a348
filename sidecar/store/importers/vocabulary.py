"""What the tools of each recorded format are, in the words of the compaction policy.

Owns the table; `sidecar.core.messages.ToolVocabulary` owns what a row says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidecar.core.messages import ToolVocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

VOCABULARIES: Mapping[str, ToolVocabulary] = {
    "history": ToolVocabulary(),
    "sidecar": ToolVocabulary(),
    "claude-code": ToolVocabulary(
        reads=frozenset({"Read", "Grep", "Glob", "LS", "NotebookRead"}),
        writes=frozenset({"Write", "Edit", "MultiEdit", "NotebookEdit"}),
        path_keys=("file_path", "notebook_path", "path"),
    ),
    "codex": ToolVocabulary(
        reads=frozenset({"read_file", "grep_files", "list_dir", "view_image"}),
        writes=frozenset({"apply_patch"}),
        path_keys=("path", "file_path", "dir_path"),
    ),
    "pi": ToolVocabulary(
        reads=frozenset({"read", "grep", "find", "ls"}),
        writes=frozenset({"write", "edit"}),
        path_keys=("path",),
    ),
}
