"""Write the modules that only a wheel or an sdist has.

Those of `generate/build_files.py` make a start faster. The other one has the commit, which
`mockpets --version` prints. The commit comes from git, or from the variable MOCKPETS_COMMIT where
the build has no repository, as in the Dockerfile; without both, there is none. An sdist has the
modules already.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMMIT = "mockpets/_commit.py"
_VARIABLE = "MOCKPETS_COMMIT"
_PACKAGED = (
    *("mockpets", "kit", "scenarios", "fixtures", "skill", "docs"),
    *("pyproject.toml", "hatch_build.py", "generate/build_files.py"),
)


class BuildHook(BuildHookInterface[Any]):
    """Adds the modules to a build."""

    _folder: TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the modules that the source lacks, unless the install is editable."""
        root = Path(self.root)
        if version == "editable":
            return
        sys.path.insert(0, str(root))  # of the process that builds only this
        from generate import build_files

        texts = {**build_files.files()}
        if not (root / _COMMIT).exists() and (commit := _given() or _from_git(root)):
            texts[_COMMIT] = f'"""The commit that this was built from."""\n\nCOMMIT = "{commit}"\n'
        self._folder = TemporaryDirectory()
        for name, text in texts.items():
            if not (root / name).exists():
                path = Path(self._folder.name, Path(name).name)
                path.write_text(text, encoding="utf-8")
                build_data["force_include"][str(path)] = name

    def finalize(self, *_: object) -> None:
        """Delete the files, which the build now contains."""
        if self._folder is not None:
            self._folder.cleanup()


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
