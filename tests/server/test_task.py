"""Valid and invalid responses of a WSGI app (PEP 3333), over a socket."""

import logging
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest

from tests.server.raw_http import Wire, running

Headers = list[tuple[str, str]]


class FixedResponse:
    """Returns a fixed status and headers."""

    def __init__(self, status: str, headers: Headers, times: int = 1) -> None:
        self.status, self.headers, self.times = status, headers, times

    def __call__(self, _: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        for _time in range(self.times):
            start_response(self.status, self.headers)
        return [b"pets"]


INVALID = {
    "never": FixedResponse("200 OK", [], times=0),
    "twice": FixedResponse("200 OK", [], times=2),
    "hop by hop": FixedResponse("200 OK", [("A", "1"), ("Transfer-ENCODING", "chunked")]),
    "two hop by hop": FixedResponse("200 OK", [("Upgrade", "x"), ("Connection", "close")]),
    "LF in a value": FixedResponse("200 OK", [("A", "1\nB: 2")]),
    "CR in a value": FixedResponse("200 OK", [("A", "1\rB: 2")]),
    "CRLF in a value": FixedResponse("200 OK", [("A", "1\r\nB: 2")]),
    "CRLF in a name": FixedResponse("200 OK", [("A: 1\r\nB", "2")]),
    "CRLF in the status": FixedResponse("200 OK\r\nB: 2", []),
    "not Latin-1": FixedResponse("200 OK", [("A", "\N{CAT FACE}")]),
    "an invalid length": FixedResponse("200 OK", [("Content-Length", "four")]),
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
    app = FixedResponse("299 Fine", [*headers, ("content-LENGTH", "4")])
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
    with running(FixedResponse("200 OK", headers)) as server, Wire(server.port) as wire:
        response = wire.get().read()

    assert response.headers == {**dict(headers), "Content-Length": "4"}


@pytest.mark.parametrize(("lengths", "sent"), [(["2"], b"pe"), (["9", "3"], b"pet")])
def test_the_body_is_cut_to_its_content_length(lengths: list[str], sent: bytes) -> None:
    headers = [("Content-Length", length) for length in lengths]
    with running(FixedResponse("200 OK", headers)) as server, Wire(server.port) as wire:
        response = wire.get().read()
        assert (response.headers["Content-Length"], response.body) == (str(len(sent)), sent)
        assert wire.is_open()
