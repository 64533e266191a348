"""From spawn to the answer of `initialize`: the daemon against a bare pygls server.

Both are started in turn, in the same environment and the same run; the ratio of the medians is
what counts, because nearly all of either time is the import of lsprotocol.

    python benchmarks/startup.py [--runs 10] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

BARE = "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()"
COMMANDS = {
    "bare pygls": [sys.executable, "-c", BARE],
    "sidecar": [sys.executable, "-m", "sidecar", "serve", "--stdio"],
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "processId": None,
        "rootUri": None,
        "capabilities": {"experimental": {"sidecar": {"protocolVersions": ["1.0"]}}},
    },
}


def start_ms(command: list[str]) -> float:
    """Milliseconds from before the spawn to the last byte of the answer."""
    body = json.dumps(INITIALIZE).encode()
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        process.stdin.flush()
        length = 0
        while line := process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        answer = json.loads(process.stdout.read(length))
        elapsed_ms = (time.perf_counter() - started) * 1000
        process.kill()
    if "result" not in answer:
        raise SystemExit(f"{command} answered {answer}")
    return elapsed_ms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for command in COMMANDS.values():
        start_ms(command)  # compiles and warms the file cache
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(options.runs):
        for name, command in COMMANDS.items():
            times[name].append(start_ms(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["sidecar"] / medians["bare pygls"]
    if options.json:
        print(json.dumps({"median_ms": medians, "ratio": round(ratio, 3), "runs": options.runs}))
        return
    for name, values in times.items():
        print(f"{name:12} median {medians[name]:7.0f} ms   min {min(values):7.0f} ms")
    print(f"ratio {ratio:.2f} (aim: at most 1.2)")


if __name__ == "__main__":
    main()
