"""What drives a session, whoever drives it: the wire's handlers, the command line.

Owns the signatures; `sidecar.session.live.LiveSession` and `sidecar.session.registry.Sessions`
have them.
Every change waits its turn in its session's one lane; reads answer at once from the newest state.

Errors: `NotFound`, `SessionLocked` (watched read-only, or taken over), `RevisionConflict`,
`SessionBusy` (a turn runs), and what each method names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from sidecar.session.view import Mutation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from sidecar.core.events import RewindMode
    from sidecar.session import view as v
    from sidecar.workspace.plan import Choice, FileRestore

Decision = Literal["allow_once", "allow_always", "reject_once"]

NO_KEY = Mutation()


class SessionPort(Protocol):
    """One open session."""

    id: str

    @property
    def view(self) -> v.SessionView:
        """The newest snapshot; the same object until something changes."""
        ...

    @property
    def revision(self) -> int:
        """The revision of `view`; it only grows, across restarts too."""
        ...

    async def start_turn(self, prompt: str, by: Mutation = NO_KEY) -> v.TurnAccepted:
        """Returns once prompt and key are on disk; `SessionBusy` while a turn runs."""
        ...

    async def cancel(self, turn_id: str | None = None) -> bool:
        """End the running turn (if it is `turn_id`); returns when it has ended, legally."""
        ...

    def respond(self, approval_id: str, decision: Decision) -> int:
        """Answer a pending approval; `NotFound` for one that does not wait (any more)."""
        ...

    def approvals(self) -> tuple[v.ApprovalView, ...]:
        """What waits for a person, oldest first."""
        ...

    def context_items(self, offset: int, limit: int) -> tuple[tuple[v.ItemView, ...], int]:
        """A page of the history's blocks, largest first, and how many there are."""
        ...

    async def pin(self, message_id: str, by: Mutation = NO_KEY, *, pinned: bool = True) -> int:
        """(Un)pin a message: no stage touches a pinned one."""
        ...

    async def drop(self, item_id: str, by: Mutation = NO_KEY) -> int:
        """Replace one item by a stub; `NothingToDo` where that reclaims nothing."""
        ...

    async def restore(self, item_id: str, by: Mutation = NO_KEY) -> int:
        """Bring one shortened item back whole; `NothingToDo` where it is whole."""
        ...

    async def set_budget(
        self, patch: Mapping[str, Any], by: Mutation = NO_KEY, *, dry_run: bool = False
    ) -> v.BudgetOutcome:
        """Keys of `core.budget.BudgetSettings`, and `resume_auto`; `ConfigurationError`."""
        ...

    async def set_mode(self, mode: Literal["normal", "plan"], by: Mutation = NO_KEY) -> int:
        """Plan mode offers only tools that read; counts from the next request on."""
        ...

    async def rename(self, title: str, by: Mutation = NO_KEY) -> int:
        """Give the session another title."""
        ...

    def preview_compaction(self, up_to: str | None = None) -> v.CompactionPlanView:
        """What a compaction would do now; changes nothing."""
        ...

    async def compact(
        self,
        by: Mutation = NO_KEY,
        *,
        plan_id: str | None = None,
        up_to: str | None = None,
        instructions: str | None = None,
        summary: str | None = None,
    ) -> v.CompactionOutcome:
        """Compact now; `summary` stands in for the model's; `SessionBusy` while a turn runs."""
        ...

    async def undo_compaction(self, compaction_id: str | None = None, by: Mutation = NO_KEY) -> int:
        """Undo one (default: the newest) and every later one; `NothingToDo`, `SessionBusy`."""
        ...

    def compactions(self) -> tuple[v.CompactionView, ...]:
        """All of them, newest first; undone ones say so."""
        ...

    def turns(self) -> tuple[v.TurnView, ...]:
        """All turns of the conversation as it stands, with their checkpoints, newest first."""
        ...

    def uncovered(self) -> tuple[str, ...]:
        """In words, what the checkpoints of the present conversation could not capture."""
        ...

    async def create_checkpoint(
        self, label: str, paths: list[str] | None = None, by: Mutation = NO_KEY
    ) -> v.CheckpointOutcome:
        """Capture these files (default: all that the agent changed)."""
        ...

    def checkpoint_diff(self, checkpoint_id: str) -> tuple[FileRestore, ...]:
        """What a checkpoint's files hold against what they hold now."""
        ...

    def preview_rewind(self, anchor: str, mode: RewindMode = "both") -> v.RewindPlanView:
        """Back to before a message or a checkpoint: what it would do; changes nothing."""
        ...

    async def apply_rewind(
        self, plan_id: str, choices: Mapping[str, Choice], by: Mutation = NO_KEY
    ) -> v.RewindOutcome:
        """All or nothing; `FileConflict` for a conflict without a choice, or one come since."""
        ...

    async def redo(self, choices: Mapping[str, Choice], by: Mutation = NO_KEY) -> v.RewindOutcome:
        """Take the newest rewind back, byte for byte; `NothingToDo` once the history moved on."""
        ...

    def rewinds(self) -> tuple[v.RewindView, ...]:
        """All of them, newest first."""
        ...

    def transcript(
        self, before: str | None, limit: int, *, include_rewound: bool = False
    ) -> v.TranscriptPage:
        """The newest `limit` items before the item `before`, whole, in order."""
        ...

    def content(self, ref: str, offset: int = 0, limit: int = 65536) -> v.Content:
        """The text behind an item id, or a blob's bytes behind `sha256:...`."""
        ...

    def sample_prompt(self) -> str | None:
        """The prompt of the sample task, where provider and workspace have one."""
        ...


class SessionsPort(Protocol):
    """The sessions of one process."""

    async def start(
        self,
        workspace: Path,
        *,
        key: str,
        title: str | None = None,
        transcript: Path | None = None,
    ) -> SessionPort:
        """A new session, or one that goes on from a recorded transcript; the same key gives the
        same session again. `InvalidInput`, `UnknownFormat`.
        """
        ...

    async def resume(
        self, session_id: str, *, takeover: bool = False, read_only: bool = False
    ) -> SessionPort:
        """Open a stored session; `SessionLocked` with the pid of who writes it."""
        ...

    async def fork(self, session_id: str, *, key: str, at: str | None = None) -> SessionPort:
        """A new session with the history up to before a message or checkpoint (default: all)."""
        ...

    def get(self, session_id: str) -> SessionPort:
        """An open session, or `NotFound`."""
        ...

    def open_ids(self) -> list[str]:
        """Ids of the sessions that are open here."""
        ...

    def list(self, workspace: Path | None = None) -> tuple[list[v.SessionListing], list[str]]:
        """Every stored session, newest first, and the problems of folders that can't be read."""
        ...

    async def close(self, session_id: str) -> None:
        """End the turn if one runs, give back the lock, forget it here."""
        ...

    async def delete(self, session_id: str) -> None:
        """Remove journal and blobs for good; `SessionLocked` while another process owns it."""
        ...

    async def shutdown(self) -> None:
        """Close them all, at once; turns end as interrupted."""
        ...
