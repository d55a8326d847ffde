"""A copy of the package with the modules of a build, which starts as fast as an installed one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def build(checkout: Path, folder: Path) -> Path:
    """Copy the package of a checkout into a folder, for PYTHONPATH, and add the modules."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(checkout / "mockpets", folder / "mockpets", ignore=ignored)
    for name in ("fixtures", "kit", "scenarios", "skill"):
        (folder / name).symlink_to(checkout / name)
    if (checkout / "generate" / "build_files.py").exists():  # older commits have the modules
        command = (sys.executable, "-m", "generate.build_files", folder)
        subprocess.run(command, cwd=checkout, check=True)
    return folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("built"))


@pytest.fixture
def of_build(built: Path) -> Mapping[str, str]:
    """Return environment variables with which Python imports the copy."""
    return {**os.environ, "PYTHONPATH": str(built), "PYTHONSAFEPATH": "1"}
