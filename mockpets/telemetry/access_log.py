"""The server's log: one line for each request, and warnings and errors, as text or as JSON.

A thread writes the lines, so that a stopped terminal, an unread pipe or a full disk does not block
the server. If you run the server from Python, add your own handlers to the loggers ``mockpets`` and
`ACCESS`.
"""

from __future__ import annotations

import json
import logging
import os
import time
from contextlib import contextmanager
from functools import lru_cache
from io import UnsupportedOperation
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Final, NamedTuple

from mockpets.constants import DEFAULT_SCENARIO, DEFAULT_SESSION
from mockpets.errors import printable
from mockpets.public.visitor_names import shortened
from mockpets.redaction import redacted_target

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any, TextIO

ACCESS: Final = "mockpets.access"
"""The logger of the request lines, which have the level INFO."""

TARGET: Final = 1000
"""Maximum number of characters of a target in a line."""
MESSAGE: Final = 10_000
"""Maximum number of characters of a warning or error without its traceback; fits 20 problems."""
NAMES: Final = 20
"""Maximum number of stubs, and of notes, in a line."""

LINES: Final = 10_000
"""Maximum number of queued lines; about a second of a busy server."""
_PAUSE: Final = 0.01
"""Seconds between reads of an empty queue, so that a busy server rarely wakes the thread."""
_CLOSE: Final = 1.0
"""Maximum seconds to write the last lines."""

_HERE: Final = ("", "127.0.0.1", "::1")
"""The addresses that the text format leaves out."""
_log: Final = logging.getLogger("mockpets")
_access: Final = logging.getLogger(ACCESS)


# --- Requests ---------------------------------------------------------------------------------


class Access(NamedTuple):
    """A request and its response. As a string, it is the line of the text format without the time.

    :param target: as `shown_target` returns it.
    :param status: None if the connection was broken instead of a response.
    :param ms: processing time in milliseconds, without the delay.
    :param delay_ms: the delay after the line is logged, in milliseconds.
    :param size: of the response body, in bytes.
    :param number: in the session's request log; 0 if the request is not recorded.
    :param session: with `shortened`; empty if the request was rejected before.
    :param notes: the codes of the notes.
    :param client: the address of the client; empty if it must not be logged.
    :param code: of the error with which the server rejected the request; None for other responses,
        also for errors that a scenario sends.
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
    client: str = ""
    code: str | None = None

    def __str__(self) -> str:
        """Return one line that is safe to print in a terminal."""
        return self.text("---" if self.status is None else str(self.status))

    def text(self, status: str) -> str:
        """Return the line with a formatted status."""
        parts = [f"{self.ms:.1f} ms, {self.size} B"]
        if self.delay_ms:
            parts.append(f"delay {self.delay_ms:.0f} ms")
        if self.client not in _HERE:
            parts.append(f"from {self.client}")
        if self.session and self.session != DEFAULT_SESSION:
            parts.append(f"session {self.session}")
        if self.scenarios and self.scenarios != (DEFAULT_SCENARIO,):
            parts.append(f"scenario {' + '.join(self.scenarios)}")
        if self.stubs:
            parts.append(f"stub {' + '.join(self.stubs[:NAMES])}")
        if self.fault is not None:
            parts.append(self.fault)
        if self.code is not None:
            parts.append(self.code)
        parts += self.notes[:NAMES]
        line = f"{_short(self.method, TARGET)} {_short(self.target, TARGET)} ({', '.join(parts)})"
        return f"{status} {printable(line)}"

    def as_json(self) -> dict[str, object]:
        """Return the properties of the JSON format."""
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
            "code": self.code,
            "client": self.client or None,
        }


def shown_target(target: str) -> str:
    """Return a target as a line shows it: without secrets, and cut if it is long."""
    target = shortened(target)
    # Cut first: a query of 15 KiB takes a millisecond to redact.
    is_long = len(target) > TARGET
    return redacted_target(target[: TARGET - 3]) + "..." if is_long else redacted_target(target)


def wanted() -> bool:
    """Return whether request lines are logged."""
    return _access.isEnabledFor(logging.INFO)


def access(line: Access) -> None:
    """Log one request, if request lines are enabled.

    It does not find the caller like `Logger.info`, which would take as long as all the rest.
    """
    if wanted():
        _access.handle(logging.LogRecord(ACCESS, logging.INFO, "", 0, line, (), None))


# --- Formats ----------------------------------------------------------------------------------


@lru_cache(1)  # most lines are of the same second as the line before
def _local_time(second: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(second))


@lru_cache(1)
def _utc_time(second: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))


class _Text(logging.Formatter):
    """The text format: local time and message; further lines are indented."""

    def __init__(self, *, colour: bool, node: str) -> None:
        super().__init__()
        self._colour = colour
        self._node = f" {node}" if node else ""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text, without the final newline."""
        start = _local_time(int(record.created)) + self._node
        if isinstance(record.msg, Access):
            return f"{start} {self._access(record.msg)}"
        text = _short(record.getMessage(), MESSAGE)
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        lines = [printable(line) for line in text.split("\n")]
        level = record.levelname.lower()
        if record.levelno >= logging.WARNING:
            level = self._coloured(level, _RED if record.levelno >= logging.ERROR else _YELLOW)
        return "\n  ".join([f"{start} {level}: {lines[0]}", *lines[1:]])

    def _access(self, line: Access) -> str:
        if line.status is None:
            return line.text(self._coloured("---", _MAGENTA))
        return line.text(self._coloured(str(line.status), _COLOURS.get(line.status // 100, _RED)))

    def _coloured(self, text: str, colour: int) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text


_RED, _GREEN, _YELLOW, _MAGENTA, _CYAN = 31, 32, 33, 35, 36  # ECMA-48, 8.3.117
_COLOURS: Final = {2: _GREEN, 3: _CYAN, 4: _YELLOW}


class _Json(logging.Formatter):
    """The JSON format: one object per line, in ASCII, with the time in UTC (RFC 3339)."""

    _encode = json.JSONEncoder(separators=(",", ":")).encode

    def __init__(self, node: str) -> None:
        super().__init__()
        self._node = {"node": node} if node else {}

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line, without the newline."""
        second = _utc_time(int(record.created))
        properties: dict[str, object] = {
            "time": f"{second}.{int(record.created % 1 * 1000):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            **self._node,
        }
        if isinstance(record.msg, Access):
            properties |= record.msg.as_json()
        else:
            properties["message"] = _short(record.getMessage(), MESSAGE)
            properties |= getattr(record, "properties", {})  # given as `extra`
            if record.exc_info:
                properties["traceback"] = self.formatException(record.exc_info)
        # JSON does not escape this control character.
        return self._encode(properties).replace("\x7f", "\\u007f")


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 3] + "..."


# --- Streams ----------------------------------------------------------------------------------


class _Queue(QueueHandler):
    """Queues formatted lines for a `_Writer`, and counts those that do not fit."""

    queue: SimpleQueue[str | None]
    """Not a `queue.Queue` with a limit: if that is full, the listener cannot be stopped."""

    def __init__(self) -> None:
        super().__init__(SimpleQueue())
        self.lost = 0

    def prepare(self, record: logging.LogRecord) -> str:
        return self.format(record)

    def enqueue(self, record: Any) -> None:
        """Queue a line."""
        if self.queue.qsize() < LINES:
            self.queue.put(record)
        else:
            self.lost += 1


class _Writer(QueueListener):
    """Writes the lines from a thread; after a loss, also the number of lost lines.

    It writes to the file descriptor. A thread that is stuck in `TextIO.write` would hold a lock of
    the stream, and the interpreter waits for that lock when it exits.
    """

    def __init__(self, lines: _Queue, stream: TextIO) -> None:
        super().__init__(lines.queue)
        self._lines, self._stream = lines, stream
        self._failed = self._reported = 0

    def dequeue(self, block: bool) -> Any:
        """Return the next line; None at the end."""
        if self._lines.queue.empty():
            time.sleep(_PAUSE)
        return self._lines.queue.get(block)

    def handle(self, record: Any) -> None:
        """Write a line, or count it as lost."""
        text = f"{record}\n"
        # Each number has one thread that changes it, so they need no lock.
        if lost := self._lines.lost + self._failed - self._reported:
            message = f"log lines that could not be written: {lost}"
            loss = logging.LogRecord("mockpets", logging.WARNING, "", 0, message, (), None)
            text += f"{self._lines.format(loss)}\n"
        try:
            self._write(text)
        except (OSError, ValueError):  # the reader is gone, the disk full, or the stream closed
            self._failed += 1
        else:
            self._reported += lost

    def _write(self, text: str) -> None:
        try:
            number = self._stream.fileno()
        except UnsupportedOperation:  # a stream in memory, which never blocks
            self._stream.write(text)
            return
        left = memoryview(text.encode(self._stream.encoding or "utf-8", "backslashreplace"))
        while left:
            try:
                left = left[os.write(number, left) :]
            except BlockingIOError:  # the pipe is non-blocking; wait here
                time.sleep(_PAUSE)


# --- Configuration ----------------------------------------------------------------------------

_UNUSED: Final = ("logMultiprocessing", "logProcesses", "logThreads")
"""The flags of `logging` for what neither format shows (Logging HOWTO, "Optimization")."""


@contextmanager
def configure(
    form: str,
    stream: TextIO | None,
    environ: Mapping[str, str] = os.environ,
    *,
    node: str = "",
) -> Iterator[None]:
    """Write the log of this process to a stream while the context is active.

    The level of our own loggers is INFO; that of others does not change.

    :param form: ``text`` or ``json``; ``quiet`` and ``json-quiet`` omit the request lines.
    :param stream: None if the process was started with standard error closed.
    :param environ: if the stream is a terminal, ``NO_COLOR`` (no-color.org) and ``TERM`` apply.
    :param node: the name of the server, which each line has; empty for none.
    """
    if stream is None:
        yield
        return
    colour = stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    handler = _Queue()
    writer = _Writer(handler, stream)
    handler.setFormatter(
        _Json(node) if form.startswith("json") else _Text(colour=colour, node=node)
    )
    root, before, before_access = logging.getLogger(), _log.level, _access.level
    root.addHandler(handler)
    flags = {name: getattr(logging, name) for name in _UNUSED}
    vars(logging).update(dict.fromkeys(_UNUSED, False))
    _log.setLevel(logging.INFO)
    _access.setLevel(logging.WARNING if form.endswith("quiet") else logging.NOTSET)
    writer.start()
    try:
        yield
    finally:
        vars(logging).update(flags)
        _log.setLevel(before)
        _access.setLevel(before_access)
        root.removeHandler(handler)
        stop = Thread(target=writer.stop, daemon=True)  # waits as long as the stream blocks
        stop.start()
        stop.join(_CLOSE)
