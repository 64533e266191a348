"""The real daemon with one handler that misbehaves: it prints, starts children, blocks, crashes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from sidecar import handlers
from sidecar.__main__ import main

quiet_handle = handlers.Handlers.handle


async def noisy_handle(self: handlers.Handlers, method: str, params: Any) -> dict[str, Any]:
    params = params or {}
    print("printed → 漢字")  # noqa: T201 - the very thing that is tested
    os.write(1, b"written to 1\n")
    subprocess.run("cat; echo from a child", shell=True, check=True)  # noqa: ASYNC221, S602
    if params.get("gate"):
        Path(os.environ["NOISY_GATE"]).read_text()  # noqa: ASYNC240 - blocks the loop on purpose
    if params.get("crash"):
        return {"never": 1 / 0}
    answer = await quiet_handle(self, method, params)
    return {**answer, "filling": "x" * int(os.environ.get("NOISY_ANSWER_BYTES", "0"))}


handlers.Handlers.handle = noisy_handle

if __name__ == "__main__":
    main()
