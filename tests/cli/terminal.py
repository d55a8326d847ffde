"""What a terminal shows, as files in ``golden/``: run this module to write them again.

``.venv/bin/python -m tests.cli.terminal`` writes the files, and ``test_layout.py`` compares them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent / "golden"
WIDTHS: Final = (80, 120)
SECONDS: Final = 20

_HELP: Final = """
from mockpets.cli.main import _commands, main
from mockpets.cli.commands import walk
main(["--help"])
for path, _ in walk(_commands):
    print(f"\\n$ mockpets {path} --help")
    main([*path.split(), "--help"])
"""
_MOCKPETS: Final = ("-m", "mockpets")
VIEWS: Final[dict[str, tuple[str, ...]]] = {
    "banner": (*_MOCKPETS, "serve", "--port=0"),
    "banner-with-token": (*_MOCKPETS, "serve", "--port=0", "--host=0.0.0.0"),
    "scenarios": (*_MOCKPETS, "scenarios"),
    "scenarios-verbose": (*_MOCKPETS, "scenarios", "--verbose"),
    "help": ("-c", _HELP),
}
"""Name to the arguments of Python."""


def shown(view: str, columns: int, folder: Path) -> str:
    """Return what a terminal of this width shows, with port, token and version replaced.

    :param folder: the working directory, without settings.
    """
    text = on_terminal(VIEWS[view], columns, folder)
    text = re.sub(r"localhost:\d+", "localhost:PORT", text)
    text = re.sub(r"((?:#token=|control token  ))[\w-]+", r"\1TOKEN", text)
    return re.sub(r"^mockpets \S+ serves", "mockpets VERSION serves", text)


def on_terminal(arguments: tuple[str, ...], columns: int, folder: Path) -> str:
    """Run Python on a pseudo-terminal and return its output; stop a server after its banner."""
    import fcntl  # absent on Windows
    import struct
    import termios

    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("MOCKPETS_") and name not in ("COLUMNS", "LINES")
    }
    terminal, inner = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        env=kept | {"TERM": "xterm"},
        stdin=inner,
        stdout=inner,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(inner)
        output = b""
        try:
            with suppress(OSError):  # Linux reports the end of the output as an error
                while b"Ctrl-C to stop." not in output and (part := os.read(terminal, 65536)):
                    output += part
        finally:
            if "serve" in arguments:
                process.terminate()
            process.wait(SECONDS)
            os.close(terminal)
    return output.decode().replace("\r\n", "\n")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in VIEWS:
        for width in WIDTHS:
            (FOLDER / f"{name}-{width}.txt").write_text(shown(name, width, FOLDER), "utf-8")
