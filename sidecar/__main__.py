"""`python -m sidecar`, and the console script."""

import sys

from sidecar.cli import main as _main


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(_main())


if __name__ == "__main__":
    main()
