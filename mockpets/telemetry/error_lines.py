"""Limit the log lines about error responses to each client of a public server.

A client can cause thousands of rejected requests a second.
"""

from __future__ import annotations

import logging
from collections import Counter
from contextlib import contextmanager
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Final

from mockpets.telemetry.access_log import ACCESS, Access

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PUBLIC_ERROR_LINES: Final = 10
"""Log lines per second about error responses to one visitor."""

_FIRST_ERROR: Final = 400
_log: Final = logging.getLogger("mockpets")


class ErrorLines(logging.Filter):
    """Omits request lines above the limit, and logs their number a second after the first.

    Safe to use from several threads. `group` returns a name for the clients that share a limit,
    from the address of one; `clock` returns monotonic seconds.
    """

    def __init__(self, group: Callable[[str], str], clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._group = group
        self._clock = clock
        self._second = 0
        self._lines: Counter[str] = Counter()
        """The lines of the current second."""
        self._omitted: Counter[int] = Counter()
        """The omitted lines since the last report, by status."""
        self._lock = Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record."""
        line = record.msg
        if not isinstance(line, Access) or line.status is None or line.status < _FIRST_ERROR:
            return True
        group, second = self._group(line.client), int(self._clock())
        with self._lock:
            if second != self._second:
                self._second = second
                self._lines.clear()
            self._lines[group] += 1
            if self._lines[group] <= PUBLIC_ERROR_LINES:
                return True
            if not self._omitted:
                timer = Timer(1.0, self.report)  # also if nothing else happens
                timer.daemon = True
                timer.start()
            self._omitted[line.status] += 1
        return False

    def report(self) -> None:
        """Log how many lines were omitted since the last report, if any."""
        with self._lock:
            omitted, self._omitted = self._omitted, Counter()
        if omitted:
            _log.info(
                "error responses not listed: %d (%s); at most %d a second are listed for each "
                "visitor",
                omitted.total(),
                ", ".join(f"{omitted[status]} x {status}" for status in sorted(omitted)),
                PUBLIC_ERROR_LINES,
            )


@contextmanager
def limit_error_lines(group: Callable[[str], str]) -> Iterator[None]:
    """Limit the lines about error responses with `ErrorLines` while the context is active."""
    limit, logger = ErrorLines(group), logging.getLogger(ACCESS)
    logger.addFilter(limit)
    try:
        yield
    finally:
        logger.removeFilter(limit)
        limit.report()
