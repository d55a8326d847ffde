"""The programs that write files of this repository from its code.

``python -m generate`` runs the first table, and reports what it cannot write; ``--check`` only
reports what is out of date. These modules have no command of their own.

| module | writes |
|---|---|
| `declarations` | `control`, `contract` and `scenarios` of `kit/`: declarations and constants |
| `bundle` | `kit/toolbar.js`, of the modules in `kit/toolbar/` |
| `copies` | the kit in the examples |
| `reference` | the generated parts of the pages, and `llms.txt` |
| `tests.cli.terminal` | the golden files of the terminal |
`build_files` makes what only a build has; `hatch_build.py` calls it.

These take pictures, with the browser and the packages of the tests. Run each by its name.

| module | writes |
|---|---|
| `generate.story` | `story.webp` and its still pictures in `docs/screenshots` |
| `generate.screenshots` | the picture of the panel in `docs/screenshots` |
| `generate.gallery` | the pictures in `docs/screenshots/states` |
"""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SCREENSHOTS: Final = ROOT / "docs" / "screenshots"


class CannotGenerateError(Exception):
    """Why a file cannot be generated, and what to do about it."""
