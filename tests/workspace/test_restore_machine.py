"""Agent, person, rewinds, redos and crashes on a real folder, against a dictionary that knows."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from failing_disk import DeadlyDisk
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from place import Picture, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sidecar.core.events import FileState
    from sidecar.workspace import FileRestore, RestoreOutcome
    from sidecar.workspace.disk import Disk

Files = dict[str, tuple[str, bytes, int]]
AGENT_PATHS = ("a.txt", "b.bin", "d/c.txt", "d/e/f.txt")
LINK = "link"

agent_paths = st.sampled_from(AGENT_PATHS)
contents = st.sampled_from(
    (b"", b"one\n", b"one\r\ntwo\rthree\n", b"\xef\xbb\xbfx", b"\x00\xff\xfe\x80\r\n", b"caf\xe9")
)
modes = st.sampled_from((0o644, 0o755, 0o600))


def files_of(picture: Picture) -> Files:
    return {path: entry for path, entry in picture.items() if entry[0] != "directory"}


class Rewinding(RuleBasedStateMachine):
    """`model` is what lies on disk; `checkpoints` are the agent's steps, oldest first."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="rewinding-"))
        self.place = Place(self.folder)
        self.place.put("d/c.txt", b"was there\n")
        self.place.put("mine/notes.txt", b"mine\n")
        (self.place.root / LINK).symlink_to("a.txt")
        self.model = files_of(self.place.picture())
        self.checkpoints: list[tuple[dict[str, FileState], dict[str, FileState], Files]] = []
        self.undone: tuple[RestoreOutcome, Picture, Files, list] | None = None  # type: ignore[type-arg]

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    # The agent, always inside a checkpoint.

    def step(self, paths: Iterable[str], work: Callable[[], None]) -> None:
        before = self.place.workspace.capture(paths)
        known = {path: self.model[path] for path in paths if path in self.model}
        work()
        after = self.place.workspace.capture([state.path for state in before])
        left = {state.path: state for state in after}
        self.checkpoints.append(({state.path: state for state in before}, left, known))
        self.undone = None

    @rule(path=agent_paths, data=contents)
    def agent_writes(self, path: str, data: bytes) -> None:
        def work() -> None:
            asyncio.run(self.place.workspace.write_bytes(path, data))
            mode = self.model.get(path, ("file", b"", 0o644))[2]
            self.model[path] = ("file", data, mode)

        self.step([path], work)

    @rule(path=agent_paths)
    def agent_deletes_in_a_shell(self, path: str) -> None:
        def work() -> None:
            (self.place.root / path).unlink(missing_ok=True)
            self.model.pop(path, None)

        self.step([path], work)

    @rule(path=agent_paths, mode=modes)
    def agent_changes_a_mode_in_a_shell(self, path: str, mode: int) -> None:
        def work() -> None:
            if path in self.model:
                (self.place.root / path).chmod(mode)
                self.model[path] = (*self.model[path][:2], mode)

        self.step([path], work)

    @rule(one=agent_paths, other=agent_paths)
    def agent_renames_in_a_shell(self, one: str, other: str) -> None:
        def work() -> None:
            if one in self.model and one != other and self.parent(other).is_dir():
                (self.place.root / one).rename(self.place.root / other)
                self.model[other] = self.model.pop(one)

        self.step([one, other], work)

    @rule(points_at=st.sampled_from(("a.txt", "nowhere", "../outside")))
    def agent_points_a_link_elsewhere(self, points_at: str) -> None:
        def work() -> None:
            (self.place.root / LINK).unlink(missing_ok=True)
            (self.place.root / LINK).symlink_to(points_at)
            self.model[LINK] = ("symlink", points_at.encode(), 0)

        self.step([LINK], work)

    # The person, whom nobody records.

    @rule(path=st.sampled_from((*AGENT_PATHS, "mine/notes.txt", "mine/new.txt")), data=contents)
    def person_writes(self, path: str, data: bytes) -> None:
        if self.parent(path).is_dir():
            (self.place.root / path).write_bytes(data)
            mode = self.model.get(path, ("file", b"", 0o644))[2]
            self.model[path] = ("file", data, mode)

    @rule(path=st.sampled_from((*AGENT_PATHS, LINK)))
    def person_deletes(self, path: str) -> None:
        (self.place.root / path).unlink(missing_ok=True)
        self.model.pop(path, None)

    # Rewind and redo.

    @precondition(lambda self: self.checkpoints)
    @rule(data=st.data(), choice=st.sampled_from(("keep", "take")))
    def rewind(self, data: st.DataObject, choice: str) -> None:
        at = data.draw(st.integers(0, len(self.checkpoints) - 1))
        restores, wanted = self.plan(at)
        conflicts = self.check_conflicts(restores, wanted)
        before, model = self.place.picture(), dict(self.model)
        outcome = asyncio.run(self.place.restore(restores, dict.fromkeys(conflicts, choice)))
        self.rewound(wanted, conflicts if choice == "keep" else set())
        self.undone = (outcome, before, model, self.checkpoints[at:])
        del self.checkpoints[at:]

    @precondition(lambda self: self.undone)
    @rule()
    def redo(self) -> None:
        assert self.undone
        outcome, picture, model, checkpoints = self.undone
        if files_of(self.place.picture()) == self.model == self.after_rewind:
            expected = {state.path: state for state in outcome.files}
            restores = self.place.workspace.plan_restore(outcome.present, expected)
            assert [one.path for one in restores if one.conflict] == []
            asyncio.run(self.place.restore(restores))
            assert self.place.picture() == picture
            self.model = model
            self.checkpoints += checkpoints
        self.undone = None

    @precondition(lambda self: self.checkpoints)
    @rule(operation=st.integers(0, 40))
    def rewind_dies(self, operation: int) -> None:
        restores, wanted = self.plan(0)
        conflicts = self.check_conflicts(restores, wanted)
        before = self.place.picture()
        if self.killed_at(operation, restores, conflicts):
            self.place.workspace.recover(self.place.intent_path)
        if self.place.picture() != before:
            self.rewound(wanted, conflicts)
            self.checkpoints.clear()
        self.undone = None

    def killed_at(self, operation: int, restores: list[FileRestore], keep: set[str]) -> bool:
        child = os.fork()
        if child == 0:
            disk: Disk = DeadlyDisk(operation)
            try:
                asyncio.run(Place(self.folder, disk).restore(restores, dict.fromkeys(keep, "keep")))
            finally:
                os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

    def plan(self, at: int) -> tuple[list[FileRestore], Files]:
        """The plan, and what the dictionary says of each path once it is done (if it is there)."""
        states: dict[str, FileState] = {}
        known: Files = {}
        for before, _, files in self.checkpoints[at:]:
            for path, state in before.items():
                if path not in states:
                    states[path] = state
                    if path in files:
                        known[path] = files[path]
        self.paths = {path for path in states if path in (*AGENT_PATHS, LINK)}
        expected = {}
        for _, left, _ in self.checkpoints:
            expected |= left
        self.expected = expected
        return self.place.workspace.plan_restore(list(states.values()), expected), known

    def check_conflicts(self, restores: list[FileRestore], wanted: Files) -> set[str]:
        found = {one.path for one in restores if one.conflict}
        kept = self.place.workspace.kept
        for path in self.paths:
            state = self.expected[path]
            left = (
                None
                if state.kind == "absent"
                else (state.kind, kept(state), 0 if state.kind == "symlink" else state.mode)
            )
            present = self.model.get(path)
            assert (path in found) == (present not in (left, wanted.get(path)))
        assert found <= self.paths
        return found

    def rewound(self, wanted: Files, kept: set[str]) -> None:
        for path in self.paths - kept:
            self.model.pop(path, None)
            if path in wanted:
                self.model[path] = wanted[path]
        self.after_rewind = dict(self.model)

    def parent(self, path: str) -> Path:
        return (self.place.root / path).parent

    @invariant()
    def disk_and_dictionary_agree(self) -> None:
        assert files_of(self.place.picture()) == self.model
        assert not self.place.intent_path.exists()


TestRewinding = Rewinding.TestCase
TestRewinding.settings = settings(
    max_examples=60,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
