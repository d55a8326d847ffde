"""Valid and invalid replies of an app, over a socket."""

import logging

import pytest

from mockpets.interface import Reply
from tests.server.query_app import FunctionApp
from tests.server.raw_http import Wire, running

Headers = list[tuple[str, str]]


def fixed(status: str, headers: Headers) -> FunctionApp:
    """Return an app with a fixed status and headers."""
    return FunctionApp(lambda _: Reply(status, headers, b"pets"))


INVALID = {
    "LF in a value": fixed("200 OK", [("A", "1\nB: 2")]),
    "CR in a value": fixed("200 OK", [("A", "1\rB: 2")]),
    "CRLF in a value": fixed("200 OK", [("A", "1\r\nB: 2")]),
    "CRLF in a name": fixed("200 OK", [("A: 1\r\nB", "2")]),
    "CRLF in the status": fixed("200 OK\r\nB: 2", []),
    "not Latin-1": fixed("200 OK", [("A", "\N{CAT FACE}")]),
}


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_response_of_the_app_becomes_a_500(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with running(INVALID[name]) as server, Wire(server.port) as wire:
        response = wire.get("/?token=hidden").read()

        assert (response.status, response.json["code"]) == (500, "internal_error")
        assert "B" not in response.headers
        assert wire.rest() == b""
    [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert "hidden" not in record.getMessage()


def test_headers_keep_their_order_and_case() -> None:
    headers = [("x-ONE", "1"), ("Content-Type", "text/x"), ("X-One", "2"), ("eTag", '"a"')]
    app = fixed("299 Fine", headers)
    with running(app) as server, Wire(server.port) as wire:
        first, *lines = wire.get().head().decode().split("\r\n")

    assert first == "HTTP/1.1 299 Fine"
    assert [tuple(line.split(": ", 1)) for line in lines[: len(headers)]] == headers
    assert [line.split(":")[0] for line in lines[len(headers) :]] == [
        "Content-Length",
        "Date",
        "Server",
    ]


def test_the_app_may_set_server_and_date() -> None:
    headers = [("DATE", "Tue, 01 Dec 2026 00:00:00 GMT"), ("server", "shelter"), ("Expect", "x")]
    with running(fixed("200 OK", headers)) as server, Wire(server.port) as wire:
        response = wire.get().read()

    assert response.headers == {**dict(headers), "Content-Length": "4"}
