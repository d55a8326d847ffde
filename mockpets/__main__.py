"""``python -m mockpets`` is the command ``mockpets``."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line, also where Ctrl-C comes while it is still being imported."""
    try:
        from mockpets.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
