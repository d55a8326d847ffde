"""Write the milliseconds of each test, and the number of requests, to times.json."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockpets.client.http_connection import HttpConnection

if TYPE_CHECKING:
    from collections.abc import Generator

_TIMES: list[float] = []
_PROCESSOR: list[float] = []
_REQUESTS: list[tuple[Any, ...]] = []


_send = HttpConnection.send


def _counted(self: HttpConnection, *arguments: Any, **options: Any) -> Any:
    _REQUESTS.append(arguments)
    return _send(self, *arguments, **options)


# The server is in this process, so no proxy can count.
HttpConnection.send = _counted  # type: ignore[method-assign]


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
