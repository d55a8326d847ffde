"""Have what peers need: their packages from npm or PyPI in the peer's own folder, Node, Java.

Nothing is installed outside the cache, and nothing again that is there already.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import venv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["NODE", "UnavailableError", "install", "java", "node"]

NODE = "24.21.0"
_INSTALL_SECONDS = 300
_MODULES = "node_modules"


class UnavailableError(Exception):
    """A peer cannot be had here; the message says why."""


def install(folder: Path, packages: Sequence[str]) -> Path:
    """Install packages into a folder, and return where they are.

    :param packages: all npm's (`name@1.2.3`), or all PyPI's (`name==1.2.3`).
    :raise UnavailableError: they cannot be had.
    """
    return (_from_pypi if "==" in packages[0] else _from_npm)(folder, packages)


def _from_npm(folder: Path, packages: Sequence[str]) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError("npm is not installed")
    if not _is_done(folder, packages):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        options = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
        _run(folder, "npm", (npm, "install", *options), packages)
        _done(folder, packages)
    return folder / _MODULES


def _from_pypi(folder: Path, packages: Sequence[str]) -> Path:
    """Install into a virtual environment of this very Python, with nothing else in it."""
    environment = folder / "venv"
    wanted = (*packages, f"Python {platform.python_version()}")
    if not _is_done(folder, wanted):
        venv.create(environment, clear=True, symlinks=True)
        pip = (sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"))
        _run(folder, "pip", (*pip, "install", "--quiet"), packages)
        _done(folder, wanted)
    return environment / "lib"


def _is_done(folder: Path, wanted: Sequence[str]) -> bool:
    done = folder / "installed.json"
    return done.is_file() and json.loads(done.read_text(encoding="utf-8")) == list(wanted)


def _done(folder: Path, wanted: Sequence[str]) -> None:
    (folder / "installed.json").write_text(json.dumps(list(wanted)), encoding="utf-8")


def _run(folder: Path, tool: str, command: Sequence[str], packages: Sequence[str]) -> None:
    """Have an installer install packages.

    :raise UnavailableError: it fails, or takes too long.
    """
    try:
        subprocess.run(  # noqa: S603 - our own words
            (*command, *packages),
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        why = f"{tool} takes over {_INSTALL_SECONDS} s for {packages[0]}"
        raise UnavailableError(why) from error
    except subprocess.CalledProcessError as error:
        said = " ".join(error.stderr.split())[:300]
        raise UnavailableError(f"{tool} cannot install {packages[0]}: {said}") from error


def node(home: Path) -> str:
    """Return the Node that all peers run on, from npm.

    :raise UnavailableError: there is none for this machine.
    """
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine())
    if system is None or machine is None:
        raise UnavailableError(f"npm has no Node for {platform.system()} on {platform.machine()}")
    package = f"node-{system}-{machine}"
    return str(install(home / "node", (f"{package}@{NODE}",)) / package / "bin" / "node")


def java() -> str:
    """Return the Java of this machine.

    :raise UnavailableError: there is none.
    """
    found = shutil.which("java")
    if found is None:
        raise UnavailableError("Java is not installed (Debian: openjdk-17-jre-headless)")
    return found
