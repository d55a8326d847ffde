"""Bring lines of the log to a stream that may be slow, stuck or gone.

The process: who logs puts a line down and goes on; a thread writes the lines, many at once. So a
terminal that was stopped, a pipe that no one reads and a full disk hold nobody up: what does not
fit is lost, and how much is said when lines can be written again.
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
"""Lines that may wait to be written; a second or so of a busy server."""
BATCH_SECONDS: Final = 0.01
"""How long a line waits for more, so that a busy server wakes the writer seldom."""
CLOSE_SECONDS: Final = 1.0
"""How long the last lines may take to be written."""


class AsyncHandler(logging.Handler):
    """Writes lines to a stream, and never waits for it.

    Straight to the descriptor: a thread that is stuck in a write must hold no lock of the stream,
    which the interpreter flushes when it ends.
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
        """Have a record written soon, or count it as lost when too many wait."""
        if len(self._lines) >= LINES:
            self._lost += 1
            return
        try:
            self._lines.append(self.format(record))
        except Exception:  # noqa: BLE001 - a mistake in a call that logs costs its line alone
            self.handleError(record)
        if not self._wake.is_set():
            self._wake.set()

    def close(self) -> None:
        """Write what is left, for as long as `CLOSE_SECONDS`."""
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
        """Write what waits, and how much could not be written before."""
        self.acquire()
        lines, self._lines = self._lines, deque()
        lost, self._lost = self._lost, 0
        missing = lost + len(lines)
        if lost:
            said = f"lines of the log that could not be written: {lost}"
            record = logging.LogRecord("mockpets", logging.WARNING, "", 0, said, (), None)
            lines.append(self.format(record))
        self.release()
        try:
            self._write("".join(f"{line}\n" for line in lines))
        except (OSError, ValueError):  # no one reads it any more, the disk is full, it is closed
            self.acquire()
            self._lost += missing
            self.release()

    def _write(self, text: str) -> None:
        """Write whole lines.

        :raise OSError: some of it could not be written.
        """
        try:
            number = self._stream.fileno()
        except UnsupportedOperation:  # a stream in memory, which cannot be slow
            self._stream.write(text)
            return
        left = memoryview(text.encode(self._encoding, "backslashreplace"))
        while left:
            try:
                left = left[os.write(number, left) :]
            except BlockingIOError:  # whoever made the pipe wants no waiting; we do
                time.sleep(BATCH_SECONDS)
