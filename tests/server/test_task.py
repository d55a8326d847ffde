"""What an app may say of its answer, and what it may not (PEP 3333), over a socket."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from tests.server.raw_http import Wire, running

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

Headers = list[tuple[str, str]]


class Sayer:
    """Answers with what it is given."""

    def __init__(self, status: str, headers: Headers, times: int = 1) -> None:
        self.status, self.headers, self.times = status, headers, times

    def __call__(self, _: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        for _time in range(self.times):
            start_response(self.status, self.headers)
        return [b"pets"]


WRONG = {
    "never": Sayer("200 OK", [], times=0),
    "twice": Sayer("200 OK", [], times=2),
    "hop by hop": Sayer("200 OK", [("A", "1"), ("Transfer-ENCODING", "chunked")]),
    "two that are": Sayer("200 OK", [("Upgrade", "x"), ("Connection", "close")]),
    "LF in a value": Sayer("200 OK", [("A", "1\nB: 2")]),
    "CR in a value": Sayer("200 OK", [("A", "1\rB: 2")]),
    "CRLF in a value": Sayer("200 OK", [("A", "1\r\nB: 2")]),
    "CRLF in a name": Sayer("200 OK", [("A: 1\r\nB", "2")]),
    "CRLF in the status": Sayer("200 OK\r\nB: 2", []),
    "no Latin-1": Sayer("200 OK", [("A", "\N{CAT FACE}")]),
    "a length that is none": Sayer("200 OK", [("Content-Length", "four")]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_an_app_may_not_say_is_answered_by_the_server(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with running(WRONG[name]) as server, Wire(server.port) as wire:
        reply = wire.get("/?token=hidden").read()

        assert (reply.status, reply.json["code"]) == (500, "internal_error")
        assert "B" not in reply.headers
        assert wire.rest() == b""
    [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert record.exc_info is not None
    assert "hidden" not in record.getMessage()


def test_what_it_says_is_sent_in_its_order_and_case() -> None:
    said = [("x-ONE", "1"), ("Content-Type", "text/x"), ("X-One", "2"), ("eTag", '"a"')]
    app = Sayer("299 Fine", [*said, ("content-LENGTH", "4")])
    with running(app) as server, Wire(server.port) as wire:
        first, *lines = wire.get().head().decode().split("\r\n")

    assert first == "HTTP/1.1 299 Fine"
    assert [tuple(line.split(": ", 1)) for line in lines[: len(said)]] == said
    assert [line.split(":")[0] for line in lines[len(said) :]] == [
        "Content-Length",
        "Date",
        "Server",
    ]


def test_it_may_say_who_it_is_and_when() -> None:
    said = [("DATE", "Tue, 01 Dec 2026 00:00:00 GMT"), ("server", "shelter"), ("Expect", "x")]
    with running(Sayer("200 OK", said)) as server, Wire(server.port) as wire:
        reply = wire.get().read()

    assert reply.headers == {**dict(said), "Content-Length": "4"}


@pytest.mark.parametrize(("announced", "sent"), [(["2"], b"pe"), (["9", "3"], b"pet")])
def test_no_more_is_sent_than_was_announced(announced: list[str], sent: bytes) -> None:
    headers = [("Content-Length", length) for length in announced]
    with running(Sayer("200 OK", headers)) as server, Wire(server.port) as wire:
        reply = wire.get().read()
        assert (reply.headers["Content-Length"], reply.body) == (str(len(sent)), sent)
        assert wire.is_open()
