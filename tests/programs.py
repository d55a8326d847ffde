"""Programs that some tests call, and that a machine with Python alone lacks."""

from __future__ import annotations

import os
import shutil

import pytest


def need(name: str) -> str:
    """Return where a program is. Without it the test is left out, but in CI it fails."""
    path = shutil.which(name)
    if path is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing(f"{name} is not installed; .ci/run installs it")
    return path
