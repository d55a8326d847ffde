"""A log handler that never waits for its stream.

`AsyncHandler.emit` only appends to a queue; a thread writes the queued lines in batches. So a
stopped terminal, an unread pipe or a full disk does not block the server. Lines that do not fit
into the queue are lost, and the handler logs their number when it can write again.
"""

from __future__ import annotations

import logging
import os
import time
from collections import deque
from io import UnsupportedOperation
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import TextIO

LINES: Final = 10_000
"""Maximum number of queued lines; about a second of a busy server."""
BATCH_SECONDS: Final = 0.01
"""How long to collect lines before writing them, so that a busy server rarely wakes the thread."""
CLOSE_SECONDS: Final = 1.0
"""Maximum time to write the last lines."""


class AsyncHandler(logging.Handler):
    """Writes lines to a stream from a thread.

    It writes to the file descriptor. A thread that is stuck in `TextIO.write` would hold a lock of
    the stream, and the interpreter waits for that lock when it exits.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream
        self._encoding = stream.encoding or "utf-8"
        self._lines: deque[str] = deque()
        self._lost = 0
        self._wake, self._closing = Event(), Event()
        self._thread = Thread(target=self._run, name="mockpets-log", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue a record, or count it as lost if the queue is full."""
        if len(self._lines) >= LINES:
            self._lost += 1
            return
        try:
            self._lines.append(self.format(record))
        except Exception:  # noqa: BLE001 - a bug in a logging call loses only its line
            self.handleError(record)
        if not self._wake.is_set():
            self._wake.set()

    def close(self) -> None:
        """Write the queued lines, for at most `CLOSE_SECONDS`."""
        self._closing.set()
        self._wake.set()
        self._thread.join(CLOSE_SECONDS)
        super().close()

    def _run(self) -> None:
        while not (self._closing.is_set() and not self._lines):
            self._wake.wait()
            self._closing.wait(BATCH_SECONDS)
            self._wake.clear()
            self._write_all()

    def _write_all(self) -> None:
        """Write the queued lines, and the number of lines lost before."""
        self.acquire()
        lines, self._lines = self._lines, deque()
        lost, self._lost = self._lost, 0
        missing = lost + len(lines)
        if lost:
            message = f"log lines that could not be written: {lost}"
            record = logging.LogRecord("mockpets", logging.WARNING, "", 0, message, (), None)
            lines.append(self.format(record))
        self.release()
        try:
            self._write("".join(f"{line}\n" for line in lines))
        except (OSError, ValueError):  # the reader is gone, the disk full, or the stream closed
            self.acquire()
            self._lost += missing
            self.release()

    def _write(self, text: str) -> None:
        """Write whole lines; raise OSError if some of it could not be written."""
        try:
            number = self._stream.fileno()
        except UnsupportedOperation:  # a stream in memory, which never blocks
            self._stream.write(text)
            return
        left = memoryview(text.encode(self._encoding, "backslashreplace"))
        while left:
            try:
                left = left[os.write(number, left) :]
            except BlockingIOError:  # the pipe is non-blocking; wait here
                time.sleep(BATCH_SECONDS)
