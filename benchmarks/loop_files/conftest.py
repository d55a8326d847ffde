"""Write the milliseconds of each test, and the number of requests, to times.json."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockpets.client.http_connection import HttpConnection

if TYPE_CHECKING:
    from collections.abc import Generator

_TIMES: list[float] = []
_PROCESSOR: list[float] = []
_REQUESTS: list[tuple[Any, ...]] = []


def _count(kind: type, method: str) -> None:
    """Count the calls of a method that sends a request."""
    send = getattr(kind, method)

    def counted(*arguments: Any, **options: Any) -> Any:
        _REQUESTS.append(arguments)
        return send(*arguments, **options)

    setattr(kind, method, counted)


# The server is in this process, so no proxy can count. The front end uses the first.
_count(HTTPConnection, "putrequest")
_count(HttpConnection, "send")


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
