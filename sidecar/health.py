"""What the daemon knows of itself: memory, versions, and its log file.

Owns `<home>/logs/sidecar.log`, where warnings and errors of all daemons of this home go, each line
with its pid; stderr gets them too.
Deliberately knows no session.

Invariant: a log that can't be written is no reason not to work.
"""

from __future__ import annotations

import logging
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING

from sidecar import __version__
from sidecar.protocol import PROTOCOL_VERSIONS
from sidecar.protocol.requests import HealthReadResult

if TYPE_CHECKING:
    from collections.abc import Sequence

_KEPT_BYTES = 1 << 20


def open_log(home: Path) -> Path | None:
    """Log to the home folder too; returns the file, or None where that is not possible.

    Above 1 MiB the file is put aside as `sidecar.log.1`, and the one before it is dropped.
    """
    path = home / "logs" / "sidecar.log"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _KEPT_BYTES:
            path.replace(path.with_name("sidecar.log.1"))
        path.touch(mode=0o600)
        handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        logging.getLogger(__name__).warning("no log file at %s: %s", path, error)
        return None
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    )
    logging.getLogger().addHandler(handler)
    return path


def health(home: Path, log_file: Path | None, sessions: Sequence[str]) -> HealthReadResult:
    """The answer to `sidecar/health/read`."""
    return HealthReadResult(
        version=__version__,
        protocol_versions=list(PROTOCOL_VERSIONS),
        pid=os.getpid(),
        python=platform.python_version(),
        home=str(home),
        log_file="" if log_file is None else str(log_file),
        memory_bytes=resident_bytes(),
        sessions=list(sessions),
    )


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system doesn't tell."""
    try:
        pages = Path("/proc/self/statm").read_text("ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
