"""The keys of `mockpets serve` on a terminal: panel, reset, scenario, quit.

A thread reads the keys and calls the control API. Signal handlers, on the main thread, change the
mode of the terminal. The kernel stops every process outside of the foreground group that reads a
terminal or changes its mode, with SIGTTIN and SIGTTOU.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from contextlib import suppress
from threading import Thread, get_ident
from typing import TYPE_CHECKING, Any, Final, Self

import click

from mockpets.cli.layout import columns, cut, on_terminal
from mockpets.errors import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.client import ControlClient

_ACTIONS: Final = {"o": "panel", "r": "reset", "s": "scenario", "q": "quit", "?": "help"}
_WITHOUT_CONTROL: Final = {"q", "?"}
"""The keys that need no control API."""
_ESCAPE: Final = "\x1b"
_SPECIAL: Final = re.compile(r"\x1b(\[[0-;]*[@-~]|O.)")
"""What an arrow or a function key sends."""
_ERASE: Final = "\r\x1b[K"
"""Moves to the start of the line and clears it."""
_JOIN_SECONDS: Final = 1.0
"""How long the end waits for a call that a key has started."""


def has_keys() -> bool:
    """Return whether this process has a terminal to read keys from, at once or later."""
    return (
        sys.platform != "win32"
        and os.environ.get("TERM") != "dumb"
        and sys.stdin is not None
        and sys.stdin.isatty()
        and on_terminal()
    )


def key_line(*, has_control: bool) -> str:
    """Return the line of the banner that lists the keys."""
    keys = [key for key in _ACTIONS if has_control or key in _WITHOUT_CONTROL]
    return f"Keys: {', '.join(f'{key} {_ACTIONS[key]}' for key in keys)}"


class Keys:
    """Reads keys while this process is in the foreground of its terminal; a context manager.

    Use it on the main thread.

    :param press: called on a thread with each text that arrives, mostly one key.
    """

    def __init__(self, press: Callable[[str], None]) -> None:
        self._press = press
        self._terminal = sys.stdin.fileno()
        self._mode: list[Any] | None = None
        """The mode before ours, while ours may be set."""
        self.is_reading = False
        self._has_ended = False
        self._handlers: dict[int, Any] = {}
        self._wake, self._waker = os.pipe()
        self._thread = Thread(target=self._read, name="mockpets-keys", daemon=True)

    def __enter__(self) -> Self:
        """Begin to read keys, or wait for SIGCONT in the background."""
        for number in (signal.SIGTSTP, signal.SIGQUIT, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as below nohup
                self._handlers[number] = signal.signal(number, self._restore_before)
        self._handlers[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._resume)
        self._resume()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal, and stop reading."""
        self._has_ended = True
        self.restore()
        for number, handler in self._handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
        os.write(self._waker, b".")
        self._thread.join(_JOIN_SECONDS)
        if not self._thread.is_alive():
            os.close(self._wake)
            os.close(self._waker)

    def restore(self) -> None:
        """Give the terminal back the mode it had, and stop reading until SIGCONT."""
        self.is_reading = False
        if self._mode is not None and self._is_foreground():
            self._set_mode(self._mode)
        self._mode = None

    def _resume(self, *_: object) -> None:
        """Set the mode and begin to read, if this process is in the foreground."""
        import termios  # absent on Windows

        if self._has_ended or not self._is_foreground():
            return
        with suppress(termios.error):  # the terminal is gone
            mode = termios.tcgetattr(self._terminal)
            self._mode = self._mode or mode
            ours = [*mode]
            ours[3] &= ~(termios.ICANON | termios.ECHO)  # keys arrive at once and do not show
            self._set_mode(ours)
            self.is_reading = True
        os.write(self._waker, b".")

    def _set_mode(self, mode: list[Any]) -> None:
        import termios

        # If another group comes to the foreground just now, SIGTTOU would stop the server.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with suppress(termios.error):
                termios.tcsetattr(self._terminal, termios.TCSANOW, mode)  # does not wait for output
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _is_foreground(self) -> bool:
        try:
            return os.tcgetpgrp(self._terminal) == os.getpgrp()
        except OSError:  # not the terminal of this session, or gone
            return False

    def _restore_before(self, number: int, _: object) -> None:
        """Restore the terminal, then let a signal stop or end the process as usual."""
        self.restore()
        handler = signal.signal(number, signal.SIG_DFL)
        signal.pthread_kill(get_ident(), number)  # takes effect before it returns
        signal.signal(number, handler)
        self._resume()

    def _read(self) -> None:
        # In the background, a read then fails instead of stopping the server.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTIN})
        while not self._has_ended:
            watched = [self._wake, self._terminal] if self.is_reading else [self._wake]
            ready, _, _ = select.select(watched, (), ())
            if self._wake in ready:
                os.read(self._wake, 64)
                continue
            try:
                text = os.read(self._terminal, 64).decode(errors="replace")
            except OSError:
                text = ""
            if text:
                self._press(text)
            elif not self._is_foreground():  # or the terminal is gone
                self.is_reading = False


class Actions:
    """What each key does.

    :param connect: returns a client for this server; None if its control API is off.
    :param panel: the URL of the panel; empty if it is off.
    """

    def __init__(self, connect: Callable[[], ControlClient] | None, panel: str) -> None:
        self._connect = connect
        self._panel = panel
        self._letters: str | None = None
        """What was typed of a scenario's name; None if no name is being typed."""
        self._names: list[str] = []

    def press(self, text: str) -> None:
        """Act on the keys of a text."""
        from mockpets.client import ControlError, NoAnswer

        for key in _SPECIAL.sub(_ESCAPE, text):
            try:
                if self._letters is None:
                    self._act(key)
                else:
                    self._letters = self._type(key, self._letters)
            except (ControlError, NoAnswer) as error:
                self._letters = None
                _print(str(error))

    def _act(self, key: str) -> None:
        client = self._connect() if self._connect and key in ("r", "s") else None
        if key == "q":
            os.kill(os.getpid(), signal.SIGINT)
        elif key == "?":
            _print(key_line(has_control=self._connect is not None))
        elif key == "o" and self._panel:
            _open(self._panel)
        elif key == "r" and client:
            _print(f"reset session {client.name}; active: {', '.join(client.reset())}")
        elif key == "s" and client:
            self._names = [scenario["name"] for scenario in client.scenarios()["scenarios"]]
            self._letters = ""
            self._ask("")

    def _type(self, key: str, letters: str) -> str | None:
        """Return what is typed of the name after a key; None if the choice has ended."""
        if key in "\r\n":
            _print("", end="")
            if not (names := self._matching(letters)):
                _print(f"no scenario has {letters!r} in its name")
            elif self._connect:
                _print(f"active: {', '.join(self._connect().use(names[0]))}")
            return None
        if key == _ESCAPE:
            _print("", end="")
            return None
        if key in "\x7f\b":
            letters = letters[:-1]
        elif key.isprintable():
            letters += key.lower()
        self._ask(letters)
        return letters

    def _matching(self, letters: str) -> list[str]:
        """Return the names with these letters, first those that begin with them."""
        names = [name for name in self._names if letters in name]
        return sorted(names, key=lambda name: not name.startswith(letters))

    def _ask(self, letters: str) -> None:
        """Show what is typed, and the names that match; Enter selects the first."""
        names = self._matching(letters)
        rest = f"  [Enter: {names[0]}]  {' '.join(names[1:])}" if names else "  [no match]"
        _print(cut(f"scenario: {letters}{rest}", columns() - 1), end="")


def _open(url: str) -> None:
    """Open a URL in a browser with a window, and print it for those who have none."""
    import webbrowser

    _print(f"panel: {url.partition('#')[0]}")  # without a token
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if type(browser) is not webbrowser.GenericBrowser:  # that would take over the terminal
            browser.open(url)


def _print(text: str, end: str = "\n") -> None:
    with suppress(OSError):
        click.echo(f"{_ERASE}{printable(text)}{end}", nl=False)
