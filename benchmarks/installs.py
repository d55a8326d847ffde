"""Install the packages of peers from npm or PyPI into the peer's folder, and find Node and Java.

Nothing is installed outside the cache, and nothing twice.
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

__all__ = ["NODE", "UnavailableError", "install", "java", "mockpets_for", "node"]

NODE = "24.21.0"
_INSTALL_SECONDS = 300
_MODULES = "node_modules"


class UnavailableError(Exception):
    """A peer cannot run here; the message states the reason."""


def install(folder: Path, packages: Sequence[str]) -> Path:
    """Install packages into a folder and return the folder of their files.

    :param packages: all from npm (`name@1.2.3`) or all from PyPI (`name==1.2.3`).
    :raise UnavailableError: if they cannot be installed.
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
        _mark_done(folder, packages)
    return folder / _MODULES


def _from_pypi(folder: Path, packages: Sequence[str]) -> Path:
    """Install into a virtual environment of the running Python, without any other package."""
    environment = folder / "venv"
    contents = (*packages, f"Python {platform.python_version()}")
    if not _is_done(folder, contents):
        venv.create(environment, clear=True, symlinks=True)
        pip = (sys.executable, "-m", "pip", "--python", str(environment / "bin" / "python"))
        _run(folder, "pip", (*pip, "install", "--quiet"), packages)
        _mark_done(folder, contents)
    return environment / "lib"


def mockpets_for(python: str, folder: Path, checkout: Path) -> tuple[str, str]:
    """Install mockpets from a checkout for another Python; return its command and `Python 3.13.0`.

    Nothing is copied: it runs the current code. Its dependencies have the same versions as ours.

    :param python: a path, or a name on PATH.
    :raise UnavailableError: if it cannot be installed.
    """
    environment = folder / "venv"
    command = str(environment / "bin" / "python")
    folder.mkdir(parents=True, exist_ok=True)
    _run(folder, python, (python, "-m", "venv", "--without-pip"), (str(environment),))
    pip = (sys.executable, "-m", "pip", "--python", command, "install", "--quiet")
    constraints = str(checkout / "constraints.txt")
    _run(folder, "pip", (*pip, "-c", constraints, "-e"), (str(checkout),))
    # A package is compiled when it is installed, but this one is used in place.
    _run(folder, python, (command, "-m", "compileall", "-qq"), (str(checkout / "mockpets"),))
    output = subprocess.check_output((command, "-V"), text=True)  # noqa: S603 - a fixed command
    return command, output.strip()


def _is_done(folder: Path, contents: Sequence[str]) -> bool:
    mark = folder / "installed.json"
    return mark.is_file() and json.loads(mark.read_text(encoding="utf-8")) == list(contents)


def _mark_done(folder: Path, contents: Sequence[str]) -> None:
    (folder / "installed.json").write_text(json.dumps(list(contents)), encoding="utf-8")


def _run(folder: Path, tool: str, command: Sequence[str], packages: Sequence[str]) -> None:
    """Run an installer.

    :raise UnavailableError: if it fails or takes too long.
    """
    try:
        subprocess.run(  # noqa: S603 - a fixed command
            (*command, *packages),
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        message = f"{tool} takes over {_INSTALL_SECONDS} s to install {packages[0]}"
        raise UnavailableError(message) from error
    except OSError as error:
        raise UnavailableError(f"cannot run {tool}: {error.strerror}") from error
    except subprocess.CalledProcessError as error:
        output = " ".join(error.stderr.split())[:300]
        raise UnavailableError(f"{tool} cannot install {packages[0]}: {output}") from error


def node(home: Path) -> str:
    """Install Node from npm, for all peers, and return its path.

    :raise UnavailableError: if npm has no Node for this machine.
    """
    system = {"Linux": "linux", "Darwin": "darwin"}.get(platform.system())
    machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine())
    if system is None or machine is None:
        raise UnavailableError(f"npm has no Node for {platform.system()} on {platform.machine()}")
    package = f"node-{system}-{machine}"
    return str(install(home / "node", (f"{package}@{NODE}",)) / package / "bin" / "node")


def java() -> str:
    """Return the path of the installed Java.

    :raise UnavailableError: if Java is not installed.
    """
    path = shutil.which("java")
    if path is None:
        raise UnavailableError("Java is not installed (Debian: openjdk-17-jre-headless)")
    return path
