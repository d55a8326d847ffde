"""Run the command line with ``python -m mockpets``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit status; handles Ctrl-C during the import too."""
    try:
        from mockpets.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
