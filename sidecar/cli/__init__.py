"""The command line: one table of subcommands, each a module that is imported when it is asked for.

A command module has `configure(parser)`, which adds its options and an example, and
`run(options) -> exit code`.
Errors are said on stderr in one line; with `--json` they are also JSON on stdout.
Exit codes: 0 done, 1 nothing to do or refused, 2 bad input.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from typing import TYPE_CHECKING

from sidecar.errors import InvalidInput, SidecarError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "serve": "speak the protocol over stdio, for an editor",
    "run": "do one turn without an editor",
    "context": "show what fills the context window of a session or transcript",
    "compact": "show what a compaction would do to a session or transcript",
    "calibrate": "replay a recorded session: predicted against billed tokens, request by request",
    "sessions": "list sessions",
    "transcript": "read a session back",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(
        prog="sidecar",
        description="Owns a coding-agent session: honest budget, undoable compaction, rewind.",
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, help_text in COMMANDS.items():
        subparser = subparsers.add_parser(
            name,
            help=help_text,
            description=help_text[0].upper() + help_text[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if arguments[:1] == [name]:
            importlib.import_module(f"sidecar.cli.{name}").configure(subparser)
    options = parser.parse_args(arguments)
    if options.version:
        from sidecar import __version__

        print(__version__)
        return 0
    if options.command is None:
        parser.print_help()
        return 2
    return _guarded(options)


def _guarded(options: argparse.Namespace) -> int:
    try:
        code: int = importlib.import_module(f"sidecar.cli.{options.command}").run(options)
    except SidecarError as error:
        if getattr(options, "json", False):
            print(
                json.dumps({"error": {"kind": error.kind, "message": error.message, **error.data}})
            )
        print(f"sidecar {options.command}: {error.message}", file=sys.stderr)
        return 2 if isinstance(error, InvalidInput) else 1
    except BrokenPipeError:
        return 1
    return code
