"""Run the command line with ``python -m mockpets``."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line and return its exit status; handles Ctrl-C during the import too."""
    if sys.argv[1:2] == ["serve"]:
        import signal  # here, since `health` needs to be fast

        # At once: Python can turn an exception that interrupts an import into another one.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        if sys.argv[1:] == ["health"]:
            from mockpets.cli.health_check import healthy_url

            if (url := healthy_url(os.environ)) is not None:
                sys.stdout.write(f"mockpets: {url} is alive\n")
                return 0
        from mockpets.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
