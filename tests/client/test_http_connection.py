"""How the client sends requests and reads responses, over sockets and TLS."""

import json
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from time import sleep

import pytest

from mockpets.client import ControlClient, NoAnswer
from mockpets.client.http_connection import HttpConnection
from mockpets.constants import PROTOCOL
from tests.programs import certificate

SECONDS = 20
"""The time limit for every step, in seconds."""
HEALTH = json.dumps(
    {"status": "ok", "version": "9", "protocol": PROTOCOL, "bases": ["/v1"]}
).encode()
LENGTH = b"Content-Length: %d\r\n\r\n%s" % (len(HEALTH), HEALTH)
START = HEALTH[:5]


@contextmanager
def responding(
    *responses: bytes,
    address: str = "127.0.0.1",
    wrap: Callable[[socket.socket], socket.socket] = lambda each: each,
) -> Iterator[tuple[int, list[list[bytes]]]]:
    """Send the responses, one to each request; yield the port, and the requests by connection.

    A request is what arrives at once. After the last response to a connection, and if the client
    closes it, the server accepts another.
    """
    requests: list[list[bytes]] = []
    left = list(responses)

    def serve(listening: socket.socket) -> None:
        while left:
            connection, _ = listening.accept()
            connection.settimeout(SECONDS)
            requests.append([])
            with wrap(connection) as wrapped:
                while left and (request := wrapped.recv(65536)):
                    requests[-1].append(request)
                    response = left.pop(0)
                    wrapped.sendall(response)
                    if not re.search(b"(?i)length|chunked", response):
                        break

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with (
        socket.create_server((address, 0), family=family) as listening,
        ThreadPoolExecutor(1) as pool,
    ):
        listening.settimeout(SECONDS)
        served = pool.submit(serve, listening)
        yield listening.getsockname()[1], requests
        served.result(SECONDS)


@pytest.mark.parametrize(("response", "connections"), [
    (b"HTTP/1.1 200 OK\r\n" + LENGTH, 1),
    (b"HTTP/1.1 200\r\n" + LENGTH, 1),
    (b"HTTP/1.1 200 OK\ncontent-LENGTH:%d\n\n%s" % (len(HEALTH), HEALTH), 1),
    (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n" + LENGTH, 1),
    (b"HTTP/1.1 200 OK\r\nConnection: Close\r\n" + LENGTH, 2),
    (b"HTTP/1.0 200 OK\r\n" + LENGTH, 2),
    (b"HTTP/1.1 200 OK\r\n\r\n" + HEALTH, 2),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
        b"5;x=y\r\n%s\r\n%X\r\n%s\r\n0\r\nX: y\r\n\r\n" % (START, len(HEALTH) - 5, HEALTH[5:]), 1),
])  # fmt: skip
def test_each_form_of_a_response_is_read(response: bytes, connections: int) -> None:
    with responding(response, response) as (port, requests):
        client = ControlClient(f"http://127.0.0.1:{port}")
        assert [client.health(), client.health()] == ["9", "9"]
        client.close()

    assert len(requests) == connections


@pytest.mark.parametrize(("response", "reason"), [
    (b"", "Remote end closed connection without response"),
    (b"HTTP/2 200 OK\r\n\r\n", "expected HTTP, got 'HTTP/2 200 OK'"),
    (b"\x15\x03\x01", r"expected HTTP, got '\x15\x03\x01'"),
    (b"+OK " + b"x" * 70_000, "expected HTTP, got '+OK xxx"),
    (b"HTTP/1.1 200 OK\r\nA: b", "a line of the response is incomplete or too long"),
    (b"HTTP/1.1 200 OK\r\nA: " + b"b" * 70_000, "a line of the response is incomplete"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "the response ended after 2 of 9 bytes"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}", "'-1' is not a valid length"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 99 + b"\r\n\r\n{}", "9' is not a valid"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", "'-5' is not a valid length"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}", "ended after 2 of 5 bytes"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", "is incomplete"),
    (b"HTTP/1.1 200 OK\r\n" + b"A: bcdefgh\r\n" * 200_000, "the head of the response has"),
    (b"HTTP/1.1 100 Continue\r\n\r\n" * 11, "more than 10 interim responses"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n", "the body of the response has more"),
    (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1fffffff\r\n", "more than 256 MiB"),
])  # fmt: skip
def test_an_invalid_response_is_an_error(response: bytes, reason: str) -> None:
    assert_no_answer(response, reason)


@pytest.mark.parametrize("head", ["Connection: close", "Transfer-Encoding: chunked"])
def test_a_body_without_a_length_has_an_end(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockpets.client.http_connection._BODY", 2**20)
    piece = b"x" * 2**18
    if head != "Connection: close":
        piece = b"40000\r\n" + piece + b"\r\n"
    response = f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + 6 * piece

    assert_no_answer(response, "the body of the response has more than 1 MiB")


def assert_no_answer(response: bytes, reason: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        called = pool.submit(ControlClient(url, timeout=SECONDS).health)
        connection, _ = listening.accept()
        with connection:
            connection.recv(65536)
            with suppress(ConnectionError):  # it may have read enough
                connection.sendall(response)
        with pytest.raises(NoAnswer) as caught:
            called.result(SECONDS)

    assert str(caught.value).startswith(f"cannot connect to {url} (")
    assert reason in str(caught.value)


@pytest.mark.parametrize("response", [
    b"HTTP/1.1 200 OK\r\n" + LENGTH,
    pytest.param(b"HTTP/1.1 200 OK\r\n\r\n" + HEALTH, marks=pytest.mark.slow),
    pytest.param(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%X\r\n%s\r\n0\r\n\r\n"
        % (len(HEALTH), HEALTH),
        marks=pytest.mark.slow,
    ),
])  # fmt: skip
def test_a_response_that_arrives_bit_by_bit_has_a_time_limit(response: bytes) -> None:
    """The pauses alone take longer than the limit."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        called = pool.submit(ControlClient(url, timeout=0.5).health)
        connection, _ = listening.accept()
        with connection, suppress(ConnectionError):
            connection.recv(65536)
            for place in range(0, len(response), 4):
                connection.sendall(response[place : place + 4])
                sleep(0.1)
        with pytest.raises(NoAnswer, match="timed out"):
            called.result(SECONDS)


def test_a_request_is_sent_at_once() -> None:
    active = b'{"active":[]}'
    response = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(active), active)
    with responding(b"HTTP/1.1 200 OK\r\n" + LENGTH, response, response) as (port, requests):
        client = ControlClient(f"http://127.0.0.1:{port}/w1", token="opensesame")
        client.use("empty")
        client.reset()
        client.close()

    [[health, use, reset]] = requests
    host = b"Host: 127.0.0.1:%d\r\nAccept-Encoding: identity\r\n" % port
    session = b"Mockpets-Session: default\r\nAuthorization: Bearer opensesame\r\n"
    assert health == b"GET /w1/__mockpets/health HTTP/1.1\r\n" + host + b"\r\n"
    assert use == (
        b"PUT /w1/__mockpets/scenario HTTP/1.1\r\n"
        + host
        + session
        + b"Content-Type: application/json\r\nContent-Length: 23\r\n\r\n"
        + b'{"scenario": ["empty"]}'
    )
    assert reset == (
        b"POST /w1/__mockpets/reset HTTP/1.1\r\n" + host + session + b"Content-Length: 0\r\n\r\n"
    )


def test_a_header_cannot_have_a_line_break() -> None:
    with responding(b"HTTP/1.1 200 OK\r\n" + LENGTH) as (port, [*_]):
        client = ControlClient(f"http://127.0.0.1:{port}/~w1+empty\r\nX: y")
        with pytest.raises(NoAnswer, match="a header must not have a line break"):
            client.state()


@pytest.mark.parametrize(("method", "target"), [
    ("GET /v1/x", "/v1/pets"), ("GET", "/v1/a b"), ("GET", "/v1/../admin?x=1"), ("GET", "/v1/.."),
])  # fmt: skip
def test_a_request_that_would_be_another_one_is_not_sent(method: str, target: str) -> None:
    connection = HttpConnection("127.0.0.1", 9, is_secure=False)

    with pytest.raises(ValueError, match="has a space"):
        connection.send(method, target, {}, b"", SECONDS)


def test_an_ipv6_address_is_in_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("needs IPv6")
    with responding(b"HTTP/1.1 200 OK\r\n" + LENGTH, address="::1") as (port, [*_]):
        assert ControlClient(f"http://[::1]:{port}").health() == "9"


@pytest.mark.tool
def test_tls_verifies_the_certificate_and_keeps_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    wrap = partial(context.wrap_socket, server_side=True)
    response = b"HTTP/1.1 200 OK\r\n" + LENGTH
    monkeypatch.setenv("SSL_CERT_FILE", str(both))
    with responding(*[response] * 3, wrap=wrap) as (port, requests):
        client = ControlClient(f"https://localhost:{port}")
        assert [client.health() for _ in range(3)] == ["9", "9", "9"]
        client.close()
    assert [len(each) for each in requests] == [3]
    monkeypatch.delenv("SSL_CERT_FILE")
    with socket.create_server(("localhost", 0)) as listening, ThreadPoolExecutor(1) as pool:
        url = f"https://localhost:{listening.getsockname()[1]}"
        called = pool.submit(ControlClient(url).health)
        connection, _ = listening.accept()
        with pytest.raises(ssl.SSLError), wrap(connection):
            pass
        with pytest.raises(NoAnswer, match="certificate verify failed"):
            called.result(SECONDS)
