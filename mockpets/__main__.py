"""Run the command line with ``python -m mockpets``."""

import os
import sys

if sys.argv[1:2] == ["serve"]:
    # Before any other import, since a container can be stopped while it starts. The process ends at
    # once, because Python can turn an exception that interrupts an import into another one.
    import _signal  # type: ignore[import-not-found]  # the built-in part of `signal`

    _signal.signal(_signal.SIGTERM, lambda *_: os._exit(0))


def main() -> int:
    """Run the command line and return its exit status; handles Ctrl-C during the import too."""
    try:
        from mockpets.cli.main import main as run

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
