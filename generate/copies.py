"""Make the files that the command `kit` writes into this repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from generate import ROOT

KITS: Final = ("react/tests/mockpets", "next/tests/mockpets", "next/lib/mockpets")


def kits() -> dict[Path, str]:
    """Return the kit's files in the examples, as the command writes them over those of now."""
    files = {}
    with TemporaryDirectory() as name:
        for kit in KITS:
            example, _, folder = kit.partition("/")
            copy = Path(name) / kit
            shutil.copytree(ROOT / "examples" / kit, copy)
            scenarios = ROOT / "examples" / example / "scenarios"
            if scenarios.exists():
                shutil.copytree(scenarios, Path(name) / example / "scenarios", dirs_exist_ok=True)
            command = (sys.executable, "-c", _KIT, str(ROOT), folder)
            subprocess.run(command, cwd=Path(name) / example, check=True, stdout=subprocess.DEVNULL)
            for file in copy.iterdir():
                files[ROOT / "examples" / kit / file.name] = file.read_text("utf-8")
    return files


_KIT: Final = """
import sys
sys.path[0] = sys.argv[1]
from mockpets.cli.main import main
sys.exit(main(["kit", sys.argv[2]]))
"""
