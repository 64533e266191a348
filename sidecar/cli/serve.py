"""`sidecar serve --stdio`: the daemon, as an editor starts it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from argparse import SUPPRESS
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

_EXAMPLE = """\
example:
  sidecar serve --stdio

An editor starts this and speaks JSON-RPC with it over stdin and stdout (docs/protocol.md).
Everything else, logs included, goes to stderr.
SIDECAR_HOME moves the folder that sessions are kept in.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options and an example."""
    parser.epilog = _EXAMPLE
    parser.add_argument(
        "--stdio", action="store_true", help="over stdin and stdout (the only way, and the default)"
    )
    parser.add_argument(
        "--log-level",
        default="warning",
        choices=["debug", "info", "warning", "error"],
        help="how much goes to stderr; never the content of messages (default: warning)",
    )
    # vscode-languageclient may add it; what counts is the processId of `initialize`.
    parser.add_argument("--clientProcessId", type=int, help=SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Serve until the client ends it, and end the process there."""
    from sidecar.stdio import claim_stdio

    fd_in, fd_out = claim_stdio()
    logging.basicConfig(
        stream=sys.stderr,
        level=options.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    from sidecar.server import serve

    async def serve_and_exit() -> None:
        code = await serve(fd_in, fd_out)
        logging.shutdown()
        os._exit(code)  # asyncio would wait for threads, and a stuck one must not hold the end

    asyncio.run(serve_and_exit())
    return 0
