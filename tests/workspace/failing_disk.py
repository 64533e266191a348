"""Disks that count their operations and fail, or kill their process, at one of them."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path
from typing import Any

from sidecar.workspace.disk import Disk

OPERATIONS = (
    "write_temporary", "make_link", "rename", "unlink", "make_folder", "remove_folder",
    "change_mode", "sync_folder",
)  # fmt: skip


class CountingDisk(Disk):
    """A real disk; `at` is called before each operation, number `count - 1` from 0."""

    def __init__(self) -> None:
        self.count = 0

    def at(self, operation: str, arguments: tuple[Any, ...]) -> None:
        """What happens before an operation."""


def _counted(operation: str) -> Any:
    real = getattr(Disk, operation)

    def run(self: CountingDisk, *arguments: Any, **named: Any) -> None:
        self.count += 1
        self.at(operation, arguments)
        real(self, *arguments, **named)

    return run


for _name in OPERATIONS:
    setattr(CountingDisk, _name, _counted(_name))


class FullDisk(CountingDisk):
    """Says "no space left" at the n-th operation, or from the n-th on."""

    def __init__(self, number: int, *, from_there_on: bool) -> None:
        super().__init__()
        self._number = number
        self._from_there_on = from_there_on

    def at(self, operation: str, arguments: tuple[Any, ...]) -> None:
        del operation
        number = self.count - 1
        if number == self._number or (self._from_there_on and number > self._number):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))


class DeadlyDisk(CountingDisk):
    """Kills its process at the n-th operation; a write gets as far as half of its bytes."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def at(self, operation: str, arguments: tuple[Any, ...]) -> None:
        if self.count - 1 != self._number:
            return
        if operation == "write_temporary":
            path, data = arguments[:2]
            with Path(path).open("xb") as file:
                file.write(data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGKILL)
