"""The limit of log lines about error responses on a public server."""

from __future__ import annotations

import logging
import socket
import time
from collections import Counter
from threading import Event
from typing import TYPE_CHECKING, Any

from mockpets.telemetry.access_log import ACCESS, Access, access
from mockpets.telemetry.error_lines import PUBLIC_ERROR_LINES, ErrorLines, limit_error_lines
from tests.telemetry.test_serve_log import logging as serving_log

if TYPE_CHECKING:
    import pytest

    from tests.telemetry.test_serve_log import Log

SENT = 12 * PUBLIC_ERROR_LINES
HEAD = "Host: localhost\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n"
REJECTED = {
    400: "GET /v1/pets HTTP/1.1\r\n\r\n",  # by the server itself: the Host is missing
    401: "GET /__mockpets/state HTTP/1.1\r\n" + HEAD.format("a-wrong-token"),
    429: "GET /v1/pets?limit=0 HTTP/1.1\r\n" + HEAD.format("mockpets"),
    431: f"GET /{'x' * 17_000} HTTP/1.1\r\n" + HEAD.format("mockpets"),
    501: "GET /v1/pets HTTP/1.1\r\nTransfer-Encoding: gzip\r\n" + HEAD.format("mockpets"),
}
"""A request for each status that a visitor can cause as often as they like."""
PUBLIC = ("--public", "--control-token", "only-for-this-test", "--host", "127.0.0.1")


def send(log: Log, text: str, source: str = "127.0.0.1") -> int:
    """Send one request from an address; return the status."""
    with socket.create_connection(log.address, 20, (source, 0)) as connection:
        connection.sendall(text.encode())
        return int(connection.recv(65536).split()[1])


def counted(lines: list[dict[str, Any]]) -> tuple[Counter[int], int]:
    """Return the listed error responses by status, and the number of those not listed."""
    listed = Counter(line["status"] for line in lines if line.get("status", 0) >= 400)
    reports = [line["message"] for line in lines if "message" in line]
    limits = [each for each in reports if each.startswith("a limit is reached: ")]
    assert len(limits) <= 1, "at most one a minute for each limit"
    reports = [each for each in reports if each not in limits]
    assert all(each.startswith("error responses not listed: ") for each in reports)
    return listed, sum(int(each.split()[4]) for each in reports)


def test_one_visitor_cannot_fill_the_log_of_a_public_server() -> None:
    """With one visitor for each status."""
    visitors = {status: f"127.0.0.{number}" for number, status in enumerate(REJECTED, 1)}
    received: dict[int, Counter[int]] = {}
    times: dict[int, int] = {}
    with serving_log(*PUBLIC, "--log", "json") as log:
        started = time.monotonic()
        for status, source in visitors.items():
            begun = time.monotonic()
            received[status] = Counter(send(log, REJECTED[status], source) for _ in range(SENT))
            times[status] = int(time.monotonic() - begun)
        seconds = int(time.monotonic() - started)
        lines = log.objects()

    listed, omitted = counted(lines)
    assert all(statuses[status] and min(statuses) >= 400 for status, statuses in received.items())
    assert listed.total() + omitted == SENT * len(visitors)
    # A machine so slow that it sends fewer than the limit in a second would list all of them.
    for status in listed:
        got = [times[visitor] for visitor, statuses in received.items() if statuses[status]]
        assert listed[status] <= sum(PUBLIC_ERROR_LINES * (own + 2) for own in got), (status, times)
    limit = PUBLIC_ERROR_LINES * (seconds + 2 * len(visitors))
    assert PUBLIC_ERROR_LINES * len(visitors) <= listed.total() <= limit
    assert len(lines) - listed.total() <= seconds + 2


def test_behind_a_proxy_each_forwarded_visitor_has_lines_of_its_own() -> None:
    words = (*PUBLIC, "--behind-proxy", "127.0.0.1")
    with serving_log(*words, "--log", "json") as log:
        for number in range(SENT):
            visitor = "192.0.2.1" if number < SENT - 1 else "192.0.2.2"
            path = f"/v1/nothing-{number}"
            response = log.call("GET", path, headers={"X-Forwarded-For": visitor})
            assert response.status in (404, 429)
        listed, omitted = counted(lines := log.objects())

    assert omitted > 0
    assert listed.total() + omitted == SENT
    assert f"/v1/nothing-{SENT - 1}" in [line.get("target") for line in lines]


def test_the_networks_of_an_ipv6_customer_share_their_lines() -> None:
    words = (*PUBLIC, "--behind-proxy", "127.0.0.1")
    with serving_log(*words, "--log", "json") as log:
        started = time.monotonic()
        for number in range(SENT):
            sent = {"X-Forwarded-For": f"2001:db8:0:{number:x}::1"}
            assert log.call("GET", "/v1/nothing", headers=sent).status in (404, 429)
        seconds = time.monotonic() - started
        listed, omitted = counted(log.objects())

    assert listed.total() + omitted == SENT
    assert listed.total() <= PUBLIC_ERROR_LINES * (int(seconds) + 2)


def test_without_public_mode_every_error_is_listed() -> None:
    with serving_log("--log", "json") as log:
        for _ in range(SENT):
            assert log.call("GET", "/v1/pets?limit=0").status == 400
        listed, omitted = counted(log.objects())

    assert (listed, omitted) == ({400: SENT}, 0)


# --- With a clock -------------------------------------------------------------------------------


def line(status: int | None = 400, client: str = "192.0.2.1") -> logging.LogRecord:
    entry = Access("GET", "/v1/pets", status, 0.1, client=client)
    return logging.LogRecord(ACCESS, logging.INFO, "", 0, entry, (), None)


def test_the_limit_holds_for_a_second_and_a_group_of_clients(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "mockpets")
    now = [100.0]
    limit = ErrorLines(lambda address: address.rpartition(".")[0], lambda: now[0])
    for _ in range(PUBLIC_ERROR_LINES):
        assert limit.filter(line(404))
    assert not limit.filter(line(404))
    assert not limit.filter(line(500, "192.0.2.9"))
    assert limit.filter(line(404, "198.51.100.1"))
    now[0] += 0.999
    assert not limit.filter(line(404))
    now[0] += 0.001
    assert limit.filter(line(404))
    assert all(limit.filter(line(status)) for status in (None, 200, 201, 302) for _ in range(99))
    assert limit.filter(logging.makeLogRecord({"msg": "a warning"}))

    limit.report()
    limit.report()
    [record] = caplog.records
    assert record.getMessage() == (
        "error responses not listed: 3 (2 x 404, 1 x 500); at most "
        f"{PUBLIC_ERROR_LINES} a second are listed for each visitor"
    )


def test_the_number_is_reported_when_nothing_else_happens(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reported = Event()
    caplog.set_level(logging.INFO, "mockpets")

    class Watcher(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "not listed" in record.getMessage():
                reported.set()

    watcher = Watcher()
    logging.getLogger("mockpets").addHandler(watcher)
    try:
        with limit_error_lines(str):
            for _ in range(3 * PUBLIC_ERROR_LINES):
                access(Access("GET", "/", 404, 0.1))
            assert reported.wait(20)
    finally:
        logging.getLogger("mockpets").removeHandler(watcher)


def test_the_limit_ends_with_its_context(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mockpets")
    with limit_error_lines(str):
        for _ in range(5 * PUBLIC_ERROR_LINES):
            access(Access("GET", "/", 404, 0.1))
    assert "not listed: " in caplog.records[-1].getMessage()
    caplog.clear()
    for _ in range(5 * PUBLIC_ERROR_LINES):
        access(Access("GET", "/", 404, 0.1))

    assert len(caplog.records) == 5 * PUBLIC_ERROR_LINES
