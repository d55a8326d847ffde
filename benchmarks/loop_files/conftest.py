"""Write the milliseconds of each test, and the number of requests to our server, to times.json."""

from __future__ import annotations

import json
import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_TIMES: list[float] = []
_PROCESSOR: list[float] = []
_REQUESTS: list[logging.LogRecord] = []


class _Counter(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Count one line of the access log: one request."""
        _REQUESTS.append(record)


_ACCESS = logging.getLogger("mockpets.access")
_ACCESS.setLevel(logging.INFO)
_ACCESS.propagate = False
_ACCESS.addHandler(_Counter())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Measure one test with its fixtures: the time, and the processor time of all threads."""
    start, processor = time.perf_counter(), time.process_time()
    result = yield
    _TIMES.append((time.perf_counter() - start) * 1000)
    _PROCESSOR.append((time.process_time() - processor) * 1000)
    return result


def pytest_sessionfinish() -> None:
    """Write the figures."""
    figures = {"times": _TIMES, "processor": _PROCESSOR, "requests": len(_REQUESTS)}
    Path("times.json").write_text(json.dumps(figures), encoding="utf-8")
