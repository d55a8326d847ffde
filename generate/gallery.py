"""Take the pictures of `docs/screenshots/states`: `python -m generate.gallery`.

They are those of the state sheet of the React example, on a phone. The emoji and the Japanese name
need fonts, such as those of fonts-noto-color-emoji and fonts-ipafont-gothic of Debian.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

from generate import SCREENSHOTS
from tests.examples.project import install, playwright

STATES = (
    *("default", "empty", "no-status", "crowded", "awkward-names", "loading"),
    *("unauthorized", "maintenance", "rate-limited", "server-error", "offline", "broken-json"),
)
COLOURS = 32
"""Enough for the example, at a third of the bytes."""
TESTS = (
    *("--config", "playwright.states.config.ts", "--workers=1"),
    *("-g", f"sheet: ({'|'.join(STATES)})$"),
)
"""One after the other, so that on a busy machine no list is still loading."""


def pictures(sheet: str) -> dict[str, bytes]:
    """Return the light screenshots of the smallest width in a state sheet, by state."""
    shots = dict(re.findall(r'data-shot="([\w-]+) · [^"]+ · 390 · light" data-now="(\w+)"', sheet))
    images = dict(re.findall(r'data-picture="(\w+)" [^>]*;base64,([^"]+)"', sheet))
    return {state: base64.b64decode(images[digest]) for state, digest in shots.items()}


def main() -> None:
    """Run the example in these states, and write the pictures."""
    with tempfile.TemporaryDirectory() as name:
        example = install("react", Path(name))
        status, output = playwright(example, *TESTS)
        if status:
            sys.exit(output)
        found = pictures((example / "state-sheet/states.html").read_text(encoding="utf-8"))
    folder = SCREENSHOTS / "states"
    folder.mkdir(exist_ok=True)
    for state in STATES:
        image = Image.open(io.BytesIO(found[state])).convert("RGB").quantize(COLOURS)
        image.save(folder / f"{state}.png", optimize=True)


if __name__ == "__main__":
    main()
