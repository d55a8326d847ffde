"""The server's log: one line a request, and its warnings and errors, as text or as JSON.

The process: what is logged with the standard `logging` becomes a line, which `log_writer` brings to
a stream. The border: `cli` configures it for a process it owns; whoever hosts the app elsewhere has
the same records in the loggers ``mockpets`` and `ACCESS`, for handlers of their own.
"""

from __future__ import annotations

import json
import logging
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mockpets.constants import DEFAULT_SCENARIO, DEFAULT_SESSION
from mockpets.errors import printable
from mockpets.telemetry.async_handler import AsyncHandler

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TextIO

ACCESS: Final = "mockpets.access"
"""The logger of the lines about requests, all of level INFO."""

TARGET: Final = 1000
"""Characters of a target that a line shows."""
MESSAGE: Final = 10_000
"""Characters of a warning or error, its traceback aside; 20 problems of a file need so many."""
NAMES: Final = 20
"""Stubs and notes that a line shows."""

Format = Literal["text", "json"]

_log: Final = logging.getLogger("mockpets")
_access: Final = logging.getLogger(ACCESS)


# --- What happened ----------------------------------------------------------------------------


class Access(NamedTuple):
    """One request and its answer. As a string, the line of the text format without its time.

    :param target: as sent, but with no secret in it (`secret_names.redacted_target`).
    :param status: None when the connection was broken instead of an answer.
    :param ms: milliseconds of mockpets' own work, without the delay.
    :param delay_ms: milliseconds that the answer is kept back for; it is logged before.
    :param size: bytes of the answer's body.
    :param number: of the request in the session's journal; 0 when it is not there.
    :param session: empty when the request was refused before it had one.
    :param notes: their codes.
    """

    method: str
    target: str
    status: int | None
    ms: float
    delay_ms: float = 0.0
    size: int = 0
    number: int = 0
    session: str = ""
    scenarios: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    fault: str | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one line, in which nothing acts on a terminal."""
        return self.text("---" if self.status is None else str(self.status))

    def text(self, status: str) -> str:
        """Return the line with its status written in this way."""
        parts = [f"{self.ms:.1f} ms, {self.size} B"]
        if self.delay_ms:
            parts.append(f"delay {self.delay_ms:.0f} ms")
        if self.session and self.session != DEFAULT_SESSION:
            parts.append(f"session {self.session}")
        if self.scenarios and self.scenarios != (DEFAULT_SCENARIO,):
            parts.append(f"scenario {' + '.join(self.scenarios)}")
        if self.stubs:
            parts.append(f"stub {' + '.join(self.stubs[:NAMES])}")
        if self.fault is not None:
            parts.append(self.fault)
        parts += self.notes[:NAMES]
        told = f"{_short(self.method, TARGET)} {_short(self.target, TARGET)} ({', '.join(parts)})"
        return f"{status} {printable(told)}"

    def members(self) -> dict[str, object]:
        """Return what the JSON format has of it."""
        return {
            "session": self.session or None,
            "request": self.number or None,
            "method": _short(self.method, TARGET),
            "target": _short(self.target, TARGET),
            "status": self.status,
            "fault": self.fault,
            "ms": round(self.ms, 2),
            "delay_ms": round(self.delay_ms, 2),
            "bytes": self.size,
            "scenarios": self.scenarios,
            "stubs": self.stubs[:NAMES],
            "notes": self.notes[:NAMES],
        }


def wanted() -> bool:
    """Whether anyone wants lines about requests."""
    return _access.isEnabledFor(logging.INFO)


def access(line: Access) -> None:
    """Log one request, if anyone wants to know.

    Without looking for the caller and the like, which would take as long as all the rest.
    """
    if wanted():
        _access.handle(logging.LogRecord(ACCESS, logging.INFO, "", 0, line, (), None))


# --- As lines ---------------------------------------------------------------------------------


class _Text(logging.Formatter):
    """Lines for a person: local time, what happened.

    A message or traceback of several lines goes on indented, so that nothing in it can pass for a
    line of its own.

    :param colour: whether status and level are shown in colour.
    """

    def __init__(self, *, colour: bool) -> None:
        super().__init__()
        self._colour = colour
        self._second = -1
        self._time = ""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text, without the last line's end."""
        if (second := int(record.created)) != self._second:
            self._second = second
            self._time = time.strftime("%H:%M:%S", time.localtime(second))
        if isinstance(record.msg, Access):
            return f"{self._time} {self._access(record.msg)}"
        text = _short(record.getMessage(), MESSAGE)
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        lines = [printable(line) for line in text.split("\n")]
        level = record.levelname.lower()
        if record.levelno >= logging.WARNING:
            level = self._painted(level, _RED if record.levelno >= logging.ERROR else _YELLOW)
        return "\n  ".join([f"{self._time} {level}: {lines[0]}", *lines[1:]])

    def _access(self, line: Access) -> str:
        if line.status is None:
            return line.text(self._painted("---", _MAGENTA))
        return line.text(self._painted(str(line.status), _COLOURS.get(line.status // 100, _RED)))

    def _painted(self, text: str, colour: int) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text


_RED, _GREEN, _YELLOW, _MAGENTA, _CYAN = 31, 32, 33, 35, 36  # ECMA-48, 8.3.117
_COLOURS: Final = {2: _GREEN, 3: _CYAN, 4: _YELLOW}


class _Json(logging.Formatter):
    """Lines for programs: one object each, ASCII alone, the time in UTC (RFC 3339)."""

    _encode = json.JSONEncoder(separators=(",", ":")).encode

    def __init__(self) -> None:
        super().__init__()
        self._second = -1
        self._time = ""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line, without its end."""
        if (second := int(record.created)) != self._second:
            self._second = second
            self._time = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        members: dict[str, object] = {
            "time": f"{self._time}.{int(record.created % 1 * 1000):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if isinstance(record.msg, Access):
            members |= record.msg.members()
        else:
            members["message"] = _short(record.getMessage(), MESSAGE)
            if record.exc_info:
                members["traceback"] = self.formatException(record.exc_info)
        # JSON lets this one control character stand as it is.
        return self._encode(members).replace("\x7f", "\\u007f")


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


# --- For a process ----------------------------------------------------------------------------


@contextmanager
def configure(
    form: Format,
    stream: TextIO | None,
    environ: Mapping[str, str] = os.environ,
    *,
    quiet: bool = False,
) -> Iterator[None]:
    """Have all that this process logs written to a stream, our own from INFO on, until the end.

    :param stream: None when the process was started with its standard error output closed.
    :param environ: of a terminal, ``NO_COLOR`` (no-color.org) and ``TERM`` are asked.
    :param quiet: leave out the lines about requests.
    """
    if stream is None:
        yield
        return
    colour = stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    writer = AsyncHandler(stream)
    writer.setFormatter(_Json() if form == "json" else _Text(colour=colour))
    root, before, before_access = logging.getLogger(), _log.level, _access.level
    root.addHandler(writer)
    _log.setLevel(logging.INFO)
    _access.setLevel(logging.WARNING if quiet else logging.NOTSET)
    try:
        yield
    finally:
        _log.setLevel(before)
        _access.setLevel(before_access)
        root.removeHandler(writer)
        writer.close()
