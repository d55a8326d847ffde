"""Take the pictures of `docs/screenshots/states`: `python -m generate.gallery`.

They are those of the state sheets of the React example and of the clinic, on a phone. The emoji and
the Japanese name need fonts, such as those of fonts-noto-color-emoji and fonts-ipafont-gothic of
Debian.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image

from generate import SCREENSHOTS
from tests.examples.project import install, playwright
from tests.programs import need, run

STATES: Final = (
    *("default", "empty", "no-status", "crowded", "awkward-names", "loading"),
    *("unauthorized", "maintenance", "rate-limited", "server-error", "offline", "broken-json"),
)
"""Of the pet store; the sheet of the clinic has no others than its pictures."""
COLOURS: Final = 32
"""Enough for the examples, at a third of the bytes."""
TESTS: Final = ("--config", "playwright.states.config.ts", "--workers=1", "-g")
"""One after the other, so that on a busy machine no list is still loading."""
SHOT: Final = re.compile(r'data-shot="([\w:-]+) · [^"]+ · 390 · light" data-now="(\w+)"')


def pictures(sheet: str) -> dict[str, bytes]:
    """Return the light screenshots of the smallest width in a state sheet, by state."""
    images = dict(re.findall(r'data-picture="(\w+)" [^>]*;base64,([^"]+)"', sheet))
    return {state: base64.b64decode(images[digest]) for state, digest in SHOT.findall(sheet)}


def take(example: str, selected: str, folder: Path) -> None:
    """Run the state sheet of an example, and write its pictures into a folder.

    :param selected: a regular expression for the titles of tests.
    """
    with tempfile.TemporaryDirectory() as name:
        installed = install(example, Path(name))
        kit = run(installed, need("npm"), "run", "--silent", "--if-present", "kit")
        if kit.returncode:
            sys.exit(kit.stderr)
        status, output = playwright(installed, *TESTS, selected)
        if status:
            sys.exit(output)
        found = pictures((installed / "state-sheet/states.html").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for state, png in found.items():
        image = Image.open(io.BytesIO(png)).convert("RGB").quantize(COLOURS)
        image.save(folder / f"{state.replace(':', '-')}.png", optimize=True)


def main() -> None:
    """Take the pictures of both examples."""
    states = SCREENSHOTS / "states"
    take("react", f"sheet: ({'|'.join(STATES)})$", states / "pet-store")
    take("clinic", "sheet: ", states / "clinic")


if __name__ == "__main__":
    main()
