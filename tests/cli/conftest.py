"""What the tests of commands share: an empty folder without settings, and a command's result."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mockpets.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty folder, and remove the developer's settings."""
    for name in os.environ:
        if name.startswith("MOCKPETS_") or name == "NO_COLOR":
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Return a function that runs a command and returns its status and output lines."""

    def run_it(*arguments: object) -> tuple[int, list[str], list[str]]:
        status = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return status, out.splitlines(), err.splitlines()

    return run_it
