"""Errors of the server have the same headers as errors of the app, so that pages can read both."""

from collections.abc import Iterator

import pytest

from mockpets import Settings, create_app
from mockpets.constants import COMMON_HEADERS
from tests.server.raw_http import Running, Wire, running

ORIGIN = "Origin: http://front.test:5173"
SHARED = ("access-control-", "cache-control", "content-type", "timing-", "vary", "x-")


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(create_app(Settings(prefix="/mock"))) as server:
        yield server


def error_headers(server: Running, path: str, status: int, *lines: str) -> dict[str, str]:
    with Wire(server.port) as wire:
        response = wire.get(path, *lines).read()
        assert response.status == status
    return {
        name: value for name, value in response.headers.items() if name.lower().startswith(SHARED)
    }


def test_errors_of_server_and_app_have_the_same_headers(server: Running) -> None:
    by_app = error_headers(server, "/mock/v1/nothing", 404, ORIGIN)

    assert error_headers(server, "/v1/pets", 404, ORIGIN) == by_app  # not under the prefix
    assert error_headers(server, "v1/pets", 400, ORIGIN) == by_app
    assert by_app["Access-Control-Allow-Origin"] == ORIGIN.partition(" ")[2]
    assert dict(COMMON_HEADERS).items() <= by_app.items()


def test_without_an_origin_only_the_server_allows_every_origin(server: Running) -> None:
    """The origin may be in the part of the head that the server has not read."""
    by_app = error_headers(server, "/mock/v1/nothing", 404)
    by_server = error_headers(server, "v1/pets", 400)

    assert by_server == by_app | {"Access-Control-Allow-Origin": "*"}


def test_an_error_of_head_has_no_body(server: Running) -> None:
    with Wire(server.port) as wire:
        wire.send(b"HEAD / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n")
        response = wire.read(has_body=False)

        assert (response.status, response.headers["Connection"]) == (501, "close")
        assert int(response.headers["Content-Length"]) > 0
        assert wire.rest() == b""
