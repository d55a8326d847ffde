"""Bundle the modules of the toolbar: apps and npm's users get one small file."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from generate import ROOT, CannotGenerateError
from generate.npm_programs import npm_program
from mockpets.packaged_data import shipped

KIT: Final = shipped("kit")
_CONFIG: Final = Path(__file__).with_name("toolbar.config.js")
_HEADER: Final = "// Made by `python -m generate` of the modules in kit/toolbar/.\n"


def toolbar() -> dict[Path, str]:
    """Return the file with the toolbar.

    :raise CannotGenerateError: an npm package is missing, or a module cannot be bundled.
    """
    program = npm_program("rolldown")
    with TemporaryDirectory() as folder:
        bundle = Path(folder) / "toolbar.js"
        done = subprocess.run(
            [program, "--config", _CONFIG, "--file", bundle, "--logLevel", "warn"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if done.returncode:
            raise CannotGenerateError(done.stdout + done.stderr)
        return {KIT / "toolbar.js": _HEADER + bundle.read_text("utf-8")}
