"""The version of mockpets with the commit that it was built from."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from mockpets.constants import VERSION
from mockpets.packaged_data import of_build


def _build() -> str:
    """Return the commit, such as ``g16b7e1f.dirty``; ``editable`` for a checkout; or nothing."""
    if not (Path(__file__).parent / "_shipped").is_dir():  # only a build makes this folder
        return "editable"
    return of_build("_commit", "COMMIT", "")


FULL_VERSION: Final = "+".join(filter(None, (VERSION, _build())))
"""`VERSION` with the build after a plus sign, such as ``0.2.0+g16b7e1f``."""
