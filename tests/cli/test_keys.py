"""The keys of `mockpets serve`, on a pseudo-terminal with job control."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.keys import Actions
from mockpets.client import ControlClient
from tests.cli.test_main import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

import fcntl
import struct
import termios

SECONDS = 20
SHELL = """
import fcntl, os, signal, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
shell = os.getpgrp()
for command in os.fdopen(int(sys.argv[1])):
    match command.strip():
        case "start" | "start &" as word:
            job = os.fork()
            if not job:
                os.setpgid(0, 0)
                if word == "start":
                    os.tcsetpgrp(0, os.getpgrp())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                os.execv(sys.executable, [sys.executable, *sys.argv[3:]])
        case "wait":
            _, status = os.waitpid(job, os.WUNTRACED)
            os.tcsetpgrp(0, shell)
            word = "stopped" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)
            os.write(int(sys.argv[2]), f"{word}\\n".encode())
        case "fg":
            os.tcsetpgrp(0, job)
            os.killpg(job, signal.SIGCONT)
        case "bg":
            os.killpg(job, signal.SIGCONT)
        case "term":
            os.killpg(job, signal.SIGTERM)
"""
"""A shell with one job, like `bash` with its `&`, `fg` and `bg`."""


class Terminal:
    """A terminal in which a shell runs Python with these arguments as its job."""

    def __init__(self, master: int, commands: int, reports: int) -> None:
        self.master, self._commands, self._reports = master, commands, reports
        self.shown = ""

    def shell(self, command: str) -> None:
        os.write(self._commands, f"{command}\n".encode())

    def wait(self) -> str:
        """Wait until the job has stopped or ended; return ``stopped`` or its exit status."""
        self.shell("wait")
        assert select.select([self._reports], [], [], SECONDS)[0], self.shown
        return os.read(self._reports, 64).decode().strip()

    def type(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def until(self, text: str) -> str:
        """Return what is shown until a text, which must be shown in time."""
        end = monotonic() + SECONDS
        while text not in self.shown:
            assert select.select([self.master], [], [], max(end - monotonic(), 0))[0], self.shown
            self.shown += os.read(self.master, 65536).decode()
        shown, _, self.shown = self.shown.partition(text)
        return shown + text

    def is_waiting_for_keys(self) -> bool:
        """Return whether keys arrive at once and are not shown."""
        return not termios.tcgetattr(self.master)[3] & (termios.ICANON | termios.ECHO)


@contextmanager
def terminal(folder: Path, *arguments: str, **environ: str) -> Iterator[Terminal]:
    master, inner = os.openpty()
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    (job_commands, commands), (reports, job_reports) = os.pipe(), os.pipe()
    kept = {name: text for name, text in os.environ.items() if not name.startswith("MOCKPETS_")}
    with subprocess.Popen(
        [sys.executable, "-c", SHELL, str(job_commands), str(job_reports), *arguments],
        cwd=folder,
        env={**kept, "TERM": "xterm", "NO_COLOR": "1"} | environ,
        stdin=inner,
        stdout=inner,
        stderr=inner,
        pass_fds=(job_commands, job_reports),
    ) as process:
        for each in (inner, job_commands, job_reports):
            os.close(each)
        try:
            yield Terminal(master, commands, reports)
        finally:
            os.close(commands)  # the end of the shell, whose terminal then hangs up
            os.close(master)
            process.wait(SECONDS)
            os.close(reports)


SERVE = ("-W", "error", "-m", "mockpets", "serve", "--port=0", "--log=quiet")


def client_of(banner: str) -> ControlClient:
    [url] = re.findall(r"at (http://\S+)/v1", banner)
    return ControlClient(url)


def test_keys_select_a_scenario_reset_open_the_panel_and_quit(tmp_path: Path) -> None:
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > new && mv new opened\n', encoding="utf-8")
    browser.chmod(0o755)
    with terminal(tmp_path, *SERVE, BROWSER=f"{browser} %s &") as term:
        term.shell("start")
        client = client_of(term.until("Keys: o panel, r reset, s scenario, q quit, ? help"))
        assert term.is_waiting_for_keys()

        term.type("s")
        term.until("scenario:   [Enter: ")
        term.type("retx\x7f")
        term.until("scenario: ret  [Enter: retry]")
        term.type("\r")
        term.until("active: retry")
        assert client.scenarios()["active"] == ["retry"]

        term.type("s")
        term.until("[Enter: ")
        term.type("\x1b[A")  # an arrow ends the choice, and is no letter
        client.set_pets(3)
        term.type("r")
        term.until("reset session default; active: retry")
        assert len(client.pets()) == 16

        term.type("szzz\r")
        term.until("no scenario has 'zzz' in its name")
        term.type("o")
        term.until(f"panel: {client.url}/__mockpets/")
        assert wait_until((tmp_path / "opened").exists)
        assert (tmp_path / "opened").read_text() == f"{client.url}/__mockpets/\n"
        term.type("x?")
        term.until("Keys: o panel")
        term.type("q")
        assert term.wait() == "0"
        assert not term.is_waiting_for_keys()


def test_ctrl_z_restores_the_terminal_and_the_foreground_has_the_keys_again(tmp_path: Path) -> None:
    with terminal(tmp_path, *SERVE) as term:
        term.shell("start")
        client = client_of(term.until("? help"))
        for _ in range(2):
            assert wait_until(term.is_waiting_for_keys)
            term.type("\x1a")
            assert term.wait() == "stopped"
            assert not term.is_waiting_for_keys()
            term.shell("bg")
            assert client.scenarios()["active"] == ["default"]
            assert not term.is_waiting_for_keys()
            term.shell("fg")
        assert wait_until(term.is_waiting_for_keys)
        term.type("q")
        assert (term.wait(), term.is_waiting_for_keys()) == ("0", False)


def test_a_server_in_the_background_reads_no_keys_and_is_not_stopped(tmp_path: Path) -> None:
    with terminal(tmp_path, *SERVE) as term:
        term.shell("start &")
        banner = term.until("Press Ctrl-C to stop.")
        term.type("q\n")  # for the shell
        client = client_of(banner)
        assert client.scenarios()["active"] == ["default"]
        assert not term.is_waiting_for_keys()

        term.shell("fg")  # SIGCONT: now the key is for the server
        assert (term.wait(), term.is_waiting_for_keys()) == ("0", False)
        assert "Keys:" not in term.shown


def test_a_key_without_a_server_reports_it_and_the_next_key_works(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with MockpetsServer(Settings(port=0)) as server:
        client = ControlClient(server.url)
        actions = Actions(lambda: client, "")
        actions.press("s")
    actions.press("\r")
    actions.press("?")

    error, keys, _ = capsys.readouterr().out.split("\n")[-3:]
    assert "cannot connect to" in error
    assert keys.endswith("Keys: o panel, r reset, s scenario, q quit, ? help")


ENDS = {
    "an exception": ("raise RuntimeError", "1"),
    "SIGQUIT": ("os.kill(os.getpid(), signal.SIGQUIT)", "-3"),
    "SIGHUP": ("os.kill(os.getpid(), signal.SIGHUP)", "-1"),
    "a second signal": ("keys.restore(); os._exit(130)", "130"),  # as `server.serve` does
}


def test_the_terminal_is_restored_at_every_end(tmp_path: Path) -> None:
    for name, (end, status) in ENDS.items():
        script = (
            "import os, signal, resource; from mockpets.cli.keys import Keys\n"
            "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
            # `nohup` and background jobs ignore these.
            "for number in (signal.SIGQUIT, signal.SIGHUP): signal.signal(number, signal.SIG_DFL)\n"
            f"with Keys(print) as keys:\n    print('ready'); {end}\n"
        )
        with terminal(tmp_path, "-c", script) as term:
            term.shell("start")
            term.until("ready")
            assert term.wait() == status, name
            assert not term.is_waiting_for_keys(), name


def test_a_terminal_without_the_control_api_has_two_keys(tmp_path: Path) -> None:
    with terminal(tmp_path, *SERVE, "--control=off") as term:
        term.shell("start")
        term.until("Keys: q quit, ? help")
        term.type("orsq")
        assert term.wait() == "0"
