"""Run the command line with ``python -m mockpets``."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def main() -> int:
    """Run the command line and return its exit status; handles Ctrl-C during the import too."""
    if sys.argv[1:2] == ["serve"]:
        import signal  # here, since `health` needs to be fast

        # At once: Python can turn an exception that interrupts an import into another one.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        if sys.argv[1:2] in (["health"], ["use"]):
            from mockpets.cli.quick import try_quickly

            if (line := try_quickly(sys.argv[1:], os.environ)) is not None:
                with suppress(OSError):  # the full command reports it
                    print(line, flush=True)
                    return 0
        from mockpets.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
