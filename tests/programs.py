"""Programs and npm packages that some tests call, and the report of those that are missing."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

NODE_MODULES = Path(__file__).parents[1] / "node_modules"
"""What `npm install` makes of ``package.json``."""

INSTALL_PACKAGES = "npm install"


@dataclass(frozen=True)
class Program:
    """The marker of the tests that need a program, and the command that installs it."""

    group: str
    install: str


def _debian(group: str, *names: str, package: str = "") -> dict[str, Program]:
    return {name: Program(group, f"apt-get install {package or name}") for name in names}


PROGRAMS = {
    **_debian("browser", "chromium-headless-shell", "firefox-esr"),
    **_debian("node", "node", package="nodejs"),
    **_debian("node", "npm", "npx", package="npm"),
    **_debian("tool", "nginx", package="nginx-light"),
    **_debian("tool", "promtool", package="prometheus"),
    **_debian("tool", "systemd-analyze", package="systemd"),
    **_debian("tool", "dpkg-query", package="dpkg"),
    **_debian("tool", "java", package="default-jre-headless"),
    **_debian("tool", "bash", "curl", "git", "haproxy", "openssl", "wrk"),
    "sphinx-build": Program("tool", "pip install -e '.[docs]'"),
    "bun": Program("node", "npm install --global bun"),
    "deno": Program("node", "npm install --global deno"),
}
"""All programs that are not in an npm package of ``package.json``."""


def need(name: str) -> str:
    """Return the path of a program: one of `PROGRAMS` on the PATH, or one of an npm package.

    The PATH may have another program of the same name, such as Python's `playwright`.
    Without the program the test is skipped; in CI it fails. A test without the program's marker
    fails everywhere, because the README's command must need nothing but Python.
    """
    program = PROGRAMS.get(Path(name).name, Program("node", INSTALL_PACKAGES))
    _check_marker(name, program.group)
    packages = NODE_MODULES / ".bin" if program.install == INSTALL_PACKAGES else None
    path = shutil.which(name, path=packages)
    if path is None:
        _stop(name, program.install)
    return path


def need_package(name: str) -> Path:
    """Return the folder of an npm package; otherwise as `need`."""
    _check_marker(name, "node")
    file = NODE_MODULES / name
    if not file.exists():
        _stop(name, INSTALL_PACKAGES)
    return file


def need_packages() -> Path:
    """Return `NODE_MODULES`, which has all packages of ``package.json``; or as `need`."""
    package = json.loads(NODE_MODULES.with_name("package.json").read_text(encoding="utf-8"))
    for name in (".package-lock.json", *package["devDependencies"]):  # npm writes the first last
        need_package(name)
    return NODE_MODULES


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a program: without pytest's variables, and with `mockpets`."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    return {**kept, "PATH": path, **variables}


def run(folder: Path, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with more variables; return its status and output."""
    return run_within(1800, folder, *command, **variables)  # rather than forever


def run_within(
    seconds: float, folder: Path, *command: str | Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Do the same, and fail when a number of seconds is over."""
    return subprocess.run(
        [*map(str, command)],
        cwd=folder,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def certificate(folder: Path, **options: Any) -> Path:
    """Make a file with a certificate for `localhost` and its key; return the file."""
    words = (
        "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "
        "/CN=localhost -addext subjectAltName=DNS:localhost -keyout both.pem -out both.pem"
    )
    command = [need("openssl"), *words.split()]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60, **options)
    return folder / "both.pem"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


def _stop(name: str, install: str) -> NoReturn:
    stop = pytest.fail if os.environ.get("CI") else pytest.skip
    stop(f"{name} is not installed; to install it: {install}")


# --- The running test, and what was missing -----------------------------------------------------

_running: list[pytest.Item] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Remember the running test, so that `need` can check its markers."""
    _running.append(item)
    try:
        return (yield)
    finally:
        _running.pop()


def _check_marker(name: str, group: str) -> None:
    if _running and _running[-1].get_closest_marker(group) is None:
        pytest.fail(f"this test needs {name}: mark it with @pytest.mark.{group}")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # the last line, below the list of skipped tests
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Iterator[None]:
    """List what was missing, with the number of skipped tests and the command that installs it."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = (
        re.search(r"(\S+ is not installed; to install it: .+?)'?\)?$", str(report.longrepr))
        for report in skipped
    )
    missing = Counter(reason[1] for reason in reasons if reason)
    for reason, count in sorted(missing.items()):
        terminalreporter.write_line(f"skipped {count} tests: {reason}")
