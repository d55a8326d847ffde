"""Programs that some tests call and that a machine with only Python lacks."""

from __future__ import annotations

import os
import shutil
from typing import Final

import pytest

MISSING: Final = r"the program (\S+) is not installed"


def need(name: str) -> str:
    """Return the path of a program. Without it the test is skipped; in CI it fails."""
    path = shutil.which(name)
    if path is None:
        stop = pytest.fail if os.environ.get("CI") else pytest.skip
        stop(f"the program {name} is not installed")
    return path
