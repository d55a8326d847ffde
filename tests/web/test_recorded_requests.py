"""What an entry of the request log takes, and that it can be read after its request is gone."""

import gc
import io
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.interface import Incoming, Reply
from mockpets.request_log.request_log import RequestLog
from tests.pet_store import OPERATIONS

REQUESTS = 300


def sender(settings: Settings) -> tuple[Callable[..., None], RequestLog]:
    """Return what sends a request with a head of its own to an app, and the app's request_log."""
    app = create_app(settings)

    def send(number: int, fields: str, body: bytes, *, raw: bool) -> None:
        query = "&".join(f"name{place}={number}" for place in range(20))
        target = f"/v1/pets?{query}"
        names = dict(line.split(": ") for line in fields.splitlines())
        environ: dict[str, Any] = {
            "REQUEST_METHOD": "POST", "PATH_INFO": "/v1/pets", "QUERY_STRING": query,
            "REQUEST_URI": target, "SERVER_NAME": "localhost", "SERVER_PORT": "7387",
            "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr,
            "wsgi.input": io.BytesIO(body),
        }  # fmt: skip
        environ |= {f"HTTP_{name.upper().replace('-', '_')}": names[name] for name in names}
        incoming = Incoming(environ)
        if raw:  # as from our server
            lines = f"POST {target} HTTP/1.1\n{fields}".replace("\n", "\r\n")
            incoming.head = f"{lines}\r\n".encode()
        reply = app.handle(incoming)
        assert isinstance(reply, Reply)
        assert reply.body

    return send, app.extensions["mockpets"].sessions.default.request_log


def fields_of(number: int) -> str:
    names = "".join(f"X-Header-{place}: {number} {place}\n" for place in range(15))
    return f"Host: localhost\nAuthorization: Bearer mockpets\nCookie: secret-{number}\n{names}"


@pytest.mark.long
@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("size", [0, 1000, 4000])
def test_entries_take_no_more_memory_than_they_are_charged_for(size: int, raw: bool) -> None:
    """Before and after they are made."""
    send, request_log = sender(Settings(max_records=1))

    def body(number: int) -> bytes:
        return b'{"name":"%d%s","categoryId":2,"more":1}' % (number, b"x" * size)

    for number in range(10):
        send(number, fields_of(number), body(number), raw=raw)
    gc.collect()
    charged = request_log._bytes
    tracemalloc.start()
    try:
        for number in range(REQUESTS):
            send(number, fields_of(number), body(number), raw=raw)
        gc.collect()
        unread = tracemalloc.get_traced_memory()[0]
        entries = request_log.entries()
        gc.collect()
        read = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    charged = request_log._bytes - charged

    assert len(entries) == REQUESTS + 10
    assert max(unread, read) < charged < 2 * unread


@pytest.mark.parametrize("raw", [True, False])
def test_an_entry_that_is_read_later_has_no_secret_and_the_same_headers(raw: bool) -> None:
    send, request_log = sender(Settings())
    send(1, fields_of(1), b'{"name":"Miso","categoryId":2}', raw=raw)
    (entry,) = request_log.entries()

    headers = dict(entry.request.headers)
    assert headers["Authorization"] == "Bearer [redacted]"
    assert headers["Cookie"] == "[redacted]"
    assert (headers["X-Header-3"], headers["Host"]) == ("1 3", "localhost")
    assert entry.request.body == b'{"name":"Miso","categoryId":2}'
    assert (entry.status, entry.operation) == (201, OPERATIONS["createPet"])


def test_without_bodies_only_their_sizes_are_recorded() -> None:
    send, request_log = sender(Settings(public=True, control="off"))
    send(1, fields_of(1), b'{"name":"Miso","categoryId":2}', raw=True)
    (entry,) = [each for log in request_log._request_logs._live for each in log.entries()]

    assert (entry.request.body, entry.request.size, entry.request.cut) == (b"", 30, True)
    assert (entry.response.body, entry.response.cut) == (b"", True)
