"""Write the commit of a build into the package, where `mockpets --version` reads it.

The commit comes from git, or from the variable MOCKPETS_COMMIT where the build has no repository,
as in the Dockerfile. An sdist has the file already. Without all of them, there is no commit.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FILE = "mockpets/_commit.py"
_VARIABLE = "MOCKPETS_COMMIT"
_PACKAGED = (
    *("mockpets", "kit", "scenarios", "fixtures", "skill", "docs"),
    *("pyproject.toml", "hatch_build.py"),
)


class CommitHook(BuildHookInterface[Any]):
    """Adds the file with the commit to a wheel or sdist."""

    _written: Path | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the file, unless an sdist has it or nothing names the commit."""
        root = Path(self.root)
        if version == "editable" or (root / _FILE).exists():
            return
        if commit := _given() or _from_git(root):
            with NamedTemporaryFile("w", suffix=".py", delete=False, encoding="utf-8") as file:
                file.write(f'"""The commit that this was built from."""\n\nCOMMIT = "{commit}"\n')
            self._written = Path(file.name)
            self._written.chmod(0o644)
            build_data["force_include"][file.name] = _FILE

    def finalize(self, *_: object) -> None:
        """Delete the file, which the build now contains."""
        if self._written is not None:
            self._written.unlink()


def _given() -> str:
    """Return the commit that the variable names; empty if it is not set."""
    given = os.environ.get(_VARIABLE, "")
    match = re.fullmatch("([0-9a-f]{7,64})([.-]dirty)?", given)
    if given and match is None:
        expected = "a commit such as $(git rev-parse HEAD), optionally with .dirty"
        raise ValueError(f"{_VARIABLE} must be {expected}, got {given!r}")
    return _shown(match[1], dirty=bool(match[2])) if match else ""


def _from_git(root: Path) -> str:
    """Return the commit of a checkout; empty if it is not one, or without git."""
    if not (root / ".git").exists():  # the repository around an unpacked archive is another one
        return ""
    try:
        commit = _git(root, "rev-parse", "HEAD")
        changes = _git(root, "status", "--porcelain", "--", *_PACKAGED)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return _shown(commit, dirty=bool(changes))


def _git(root: Path, *arguments: str) -> str:
    command = ("git", "-C", str(root), *arguments)
    # In a hook of another repository, GIT_DIR names that one.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)  # noqa: S603
    return done.stdout.strip()


def _shown(commit: str, *, dirty: bool) -> str:
    return f"g{commit[:7]}{'.dirty' if dirty else ''}"
