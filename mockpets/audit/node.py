"""Run the JavaScript part of the audit with Node, and read what it prints.

Only this module and `playwright_run` run other programs: the user's Node, and with it the
Playwright of the user's project.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.errors import Problem, problem_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_OLDEST: Final = (20, 19)
"""The oldest Node that current versions of Vite and Playwright run on."""
_INSTALL: Final = "install Node 20.19 or newer: https://nodejs.org/en/download"
_STOP_SECONDS: Final = 10
"""How long the program may take to write its result after SIGINT."""
_USAGE: Final = 2
"""The exit status of the program for an invalid option, as of our commands."""
INTERRUPTED: Final = 130
"""The exit status that shells use for Ctrl-C, also of the script."""
_SHOWN: Final = 300
"""Maximum number of characters of a crash that are shown."""
_IS_POSIX: Final = os.name == "posix"


class NodeError(Exception):
    """Node is missing or too old."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Ended(NamedTuple):
    """How the program ended.

    :param status: for our command: 0, 1, 2, or 130 if it was interrupted.
    :param problems: why it failed.
    """

    status: int
    problems: tuple[Problem, ...] = ()


def find_node() -> str:
    """Return the path of Node; raise `NodeError` if it is missing or too old."""
    path = shutil.which("node")
    if path is None:
        raise NodeError(problem_with("node", "is not on the PATH", _INSTALL))
    try:
        done = subprocess.run(  # noqa: S603 - the user's Node
            [path, "--version"], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NodeError(problem_with(path, f"cannot be run: {error}", _INSTALL)) from error
    version = re.match(r"v([0-9]+)\.([0-9]+)\.", done.stdout)
    if version is None or (int(version[1]), int(version[2])) < _OLDEST:
        got = (done.stdout.strip() or f"no version, status {done.returncode}")[:60]
        what = f"must be Node 20.19 or newer, got {got}"
        raise NodeError(problem_with(path, what, _INSTALL))
    return path


def run_script(
    node: str, script: Path, config: Path, log: Path, show: Callable[[str], None]
) -> Ended:
    """Run a script until it ends; Ctrl-C and SIGTERM interrupt it.

    Then it gets SIGINT once, and `_STOP_SECONDS` to write what it has. A second signal kills it.

    :param config: the file that the script gets as its argument.
    :param log: for what the script prints to stderr; only after a crash, the file stays.
    :param show: called with each text about the progress.
    """
    problems: list[Problem] = []
    with log.open("wb") as stderr, signals_as_ctrl_c():
        process = subprocess.Popen(  # noqa: S603 - our script
            [node, str(script), str(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            # Ctrl-C of a terminal reaches its whole process group: so this process alone gets it,
            # and passes it on. On Windows, both get it.
            process_group=0 if _IS_POSIX else None,
        )
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        try:
            for line in process.stdout:
                problems += _read(line, show)
            status = process.wait()
        except KeyboardInterrupt:
            _interrupt(process)
            status = INTERRUPTED
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            process.stdout.close()
    if status not in (0, INTERRUPTED) and not problems:
        return Ended(1, (_crash(status, log),))
    log.unlink()
    if status == INTERRUPTED:
        return Ended(INTERRUPTED, tuple(problems))
    return Ended(_USAGE if status == _USAGE else int(bool(problems)), tuple(problems))


def _read(line: bytes, show: Callable[[str], None]) -> Iterator[Problem]:
    """Show the progress in a line, or yield the problem in it; ignore other lines."""
    try:
        message: Any = json.loads(line)
        if "problem" in message:
            problem = message["problem"]
            yield problem_with("", str(problem["what"]), str(problem.get("hint") or ""))
        else:
            show(str(message["progress"]))
    except (ValueError, LookupError, TypeError, AttributeError):
        pass  # not from us: Playwright or a module of the project may print, too


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Let a process write its result; on a second signal, or after the time, return early."""
    with suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
        if _IS_POSIX:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=_STOP_SECONDS)  # a full pipe would keep it from ending


@contextmanager
def signals_as_ctrl_c() -> Iterator[None]:
    """Let SIGTERM, and SIGHUP of a closed terminal, do the same as Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    names = ("SIGINT", "SIGTERM", "SIGHUP")
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


def _crash(status: int, log: Path) -> Problem:
    """Return the problem of a script that ended without naming one.

    :param log: what it printed to stderr: in most cases a stack trace, whose error is shown.
    """
    if status < 0:
        name = signal.Signals(-status).name
        hint = "if memory is short, use --workers 1" if name == "SIGKILL" else ""
        return problem_with("", f"the audit was ended by {name}", hint)
    text = log.read_text("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no message"]
    named = [line for line in lines if re.match(r"(?:Uncaught )?[\w$]*(?:Error|Exception)\b", line)]
    reason = (named or lines[-1:])[0]
    shown = reason if len(reason) <= _SHOWN else f"{reason[: _SHOWN - 3]}..."
    what = f"the audit failed with status {status}: {shown}"
    return problem_with("", what, f"the whole message is in {log}")
