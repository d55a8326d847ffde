"""Listening, errors that the server reports without the app, and stopping."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
from contextlib import closing, contextmanager, suppress
from random import sample
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from mockpets.constants import HEAD_BYTES, SERVER_BODY_BYTES
from mockpets.errors import InputError
from mockpets.server import MockpetsServer
from mockpets.server.loop import Loop
from mockpets.server.sockets import bind, bind_problem
from mockpets.settings import Settings
from tests.cases import each
from tests.server.raw_http import Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

SECONDS = 20
"""Time limit of each step."""


def app(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Return the method, the path and the size of the body."""
    if environ["PATH_INFO"] == "/bug":
        raise RuntimeError("a bug")
    size = len(environ["wsgi.input"].read())
    body = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']} {size}".encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


def read_reply(connection: socket.socket, *, has_body: bool = True) -> Reply:
    """Read exactly one response: a reset may follow if the server left input unread."""
    stream = connection.makefile("rb")
    with closing(stream):
        status = int(stream.readline().split(b" ")[1])
        headers = {}
        while line := stream.readline().strip().decode("latin-1"):
            name, _, value = line.partition(": ")
            headers[name] = value
        return Reply(status, headers, stream.read(int(headers["Content-Length"]) * has_body))


def send(url: str, request: bytes, **options: bool) -> Reply:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), SECONDS) as connection:
        connection.sendall(request)
        return read_reply(connection, **options)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with MockpetsServer(app=app) as server:
        yield server.url


@contextmanager
def occupied_port(host: str = "127.0.0.1") -> Iterator[int]:
    """Occupy a port on one address, outside the range of ephemeral ports."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        for port in sample(range(20_000, 30_000), 100):
            with suppress(OSError):
                listener.bind((host, port))
                break
        else:
            raise OSError("no free port")
        yield port


def has_ipv6() -> bool:
    try:
        with occupied_port("::1"):
            return True
    except OSError:
        return False


needs_ipv6 = pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6 loopback")


# --- Listening --------------------------------------------------------------------------------


@contextmanager
def bound(settings: Settings) -> Iterator[list[tuple[Any, ...]]]:
    sockets = bind(settings)
    try:
        yield [sock.getsockname() for sock in sockets]
    finally:
        for sock in sockets:
            sock.close()


@needs_ipv6
def test_both_loopback_addresses_have_one_free_port() -> None:
    with bound(Settings(port=0)) as names:
        assert [name[0] for name in names] == ["127.0.0.1", "::1"]
        assert names[0][1] == names[1][1] > 0


def test_an_address_named_twice_is_bound_once() -> None:
    with bound(Settings(host=("127.0.0.1", "127.0.0.1"), port=0)) as names:
        assert len(names) == 1


def test_a_host_name_is_bound_at_its_addresses() -> None:
    with bound(Settings(host=("localhost",), port=0)) as names:
        assert {name[0] for name in names} <= {"127.0.0.1", "::1"}
        assert len({name[1] for name in names}) == 1


def test_the_port_of_a_stopped_server_is_free_immediately() -> None:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0), app) as server:
        port = urlsplit(server.url).port
        connection = socket.create_connection(("127.0.0.1", port or 0), SECONDS)
        connection.sendall(
            b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )  # leaves TIME_WAIT
        assert read_reply(connection).status == 200
    connection.close()
    with bound(Settings(host=("127.0.0.1",), port=port or 0)) as names:
        assert names == [("127.0.0.1", port)]


@pytest.mark.parametrize("host", ["127.0.0.1", pytest.param("::1", marks=needs_ipv6)])
def test_an_occupied_port_is_reported_in_one_line(host: str) -> None:
    with occupied_port(host) as port, pytest.raises(InputError) as caught:
        bind(Settings(port=port))

    assert str(caught.value) == (
        f"--port {port}: already in use on {host}; stop the other program, or choose another "
        "port with --port (0 for any free port)"
    )


@each(
    "host, message",
    [
        (
            "192.0.2.1",
            "--host 192.0.2.1 is not an address of this machine; "
            "omit --host to listen on loopback, or use 0.0.0.0 for all addresses",
        ),
        (
            "n" * 63 + (".n" * 100),  # too long for a name, so it is not looked up
            f"--host {'n' * 63}{'.n' * 100}: unknown host; "
            "omit --host to listen on loopback, or use 0.0.0.0 for all addresses",
        ),
    ],
)
def test_an_unusable_host_is_reported_in_one_line(host: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        bind(Settings(host=("127.0.0.1", host), port=0))

    assert str(caught.value) == message


@each(
    "number, message",
    [
        (
            errno.EACCES,
            "--port 80: not permitted on ::1: low ports require privileges; "
            "choose another port with --port",
        ),
        (
            errno.EMFILE,
            "--port 80: cannot listen on ::1: Too many open files",
        ),
    ],
)
def test_other_errors_of_listening_are_reported(number: int, message: str) -> None:
    assert str(bind_problem(OSError(number, os.strerror(number)), "::1", "--port 80")) == message


# --- The server's own errors ------------------------------------------------------------------

NOT_HTTP = "the request is not valid HTTP: "
ERRORS: list[tuple[bytes, int, str, str]] = [
    (b"HELLO\r\n\r\n", 400, "invalid_request",
     f"{NOT_HTTP}Request line must have the form 'GET /path HTTP/1.1'"),
    (b"GET / HTTP/1.1\r\nHost: a\r\nA B: c\r\n\r\n", 400, "invalid_request",
     f"{NOT_HTTP}Header must have the form 'Name: value'"),
    (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501, "not_implemented",
     "Transfer-Encoding must be chunked, got 'gzip'"),
    (b"GET /" + b"x" * HEAD_BYTES, 431, "headers_too_large",
     "the request line and headers are too large; send at most 16 KiB"),
    (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (SERVER_BODY_BYTES + 1), 413,
     "payload_too_large", "the body is too large; send at most 1 MiB"),
    (b"GET /bug HTTP/1.1\r\nHost: a\r\n\r\n", 500, "internal_error",
     "internal error in mockpets; the log has the details"),
]  # fmt: skip
"""One for each status; `http/test_edge.py` has all of them."""


@each("request_, status, code, message", ERRORS)
def test_errors_of_the_server_have_the_error_body(
    url: str, request_: bytes, status: int, code: str, message: str
) -> None:
    response = send(url, request_)

    assert response.json == {"code": code, "message": message, "status": status}
    assert response.status == status
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Connection"] == "close"
    assert response.headers["Server"] == "mockpets"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert response.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in response.headers


@each("request_line", [
    b"GET /bug HTTP/1.1\r\nHost: a",
    b"HELLO",
    b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999",
])  # fmt: skip
def test_a_page_can_read_errors_of_the_server(url: str, request_line: bytes) -> None:
    headers = send(url, request_line + b"\r\nOrigin: http://front.test:5173\r\n\r\n").headers

    assert headers["Access-Control-Allow-Origin"] == "http://front.test:5173"
    assert headers["Access-Control-Allow-Credentials"] == "true"
    assert headers["Vary"] == "Origin"


def test_an_error_of_head_has_no_body(url: str) -> None:
    request = b"HEAD / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), SECONDS) as connection:
        connection.sendall(request)
        response = read_reply(connection, has_body=False)

        assert response.status == 501
        assert int(response.headers["Content-Length"]) > 0
        assert connection.recv(1) == b""


def test_messages_quote_only_part_of_long_input(url: str) -> None:
    response = send(url, b"GET / HTTP/1.1\r\nHost: a\r\n " + b"x" * 10_000 + b"\r\n\r\n")

    assert response.status == 400
    assert len(response.body) < 400


def test_a_body_at_the_limit_reaches_the_app(url: str) -> None:
    head = f"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: {SERVER_BODY_BYTES}\r\n\r\n".encode()

    assert send(url, head + b"x" * SERVER_BODY_BYTES).body == b"POST /a 1048576"


# --- MockpetsServer ---------------------------------------------------------------------------


@needs_ipv6
def test_it_responds_on_both_loopback_addresses() -> None:
    with MockpetsServer(Settings(port=0), app) as server:
        port = urlsplit(server.url).port
        assert server.url == f"http://localhost:{port}"
        for host in ("127.0.0.1", "[::1]"):
            assert (
                send(f"http://{host}:{port}", b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n").status == 200
            )


def test_it_can_be_started_and_stopped_again() -> None:
    server = MockpetsServer(Settings(host=("127.0.0.1",), port=0), app)
    with pytest.raises(RuntimeError, match="is not running"):
        _ = server.url
    server.stop()
    for _ in range(2):
        with server, pytest.raises(RuntimeError, match="is already running"):
            server.start()
        with pytest.raises(RuntimeError, match="is not running"):
            _ = server.url


def test_a_failed_start_leaves_it_stopped() -> None:
    with occupied_port() as port:
        server = MockpetsServer(Settings(port=port), app)
        with pytest.raises(InputError):
            server.start()
    with pytest.raises(RuntimeError, match="is not running"):
        _ = server.url


def test_two_servers_are_independent() -> None:
    with MockpetsServer(app=app) as one, MockpetsServer(app=app) as other:
        assert one.url != other.url
        for server in (one, other):
            assert send(server.url, b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n").status == 200


def wait_until_refused(address: tuple[str, int]) -> None:
    """Connect until the server rejects it; ends when the server has stopped."""
    while True:
        try:
            socket.create_connection(address, SECONDS).close()
        except OSError:
            return


# --- Running in the foreground ----------------------------------------------------------------

FOREGROUND = """
import sys
from mockpets.server import bind, serve
from mockpets.settings import Settings

def app(environ, start_response):
    if environ["PATH_INFO"] == "/slow":
        print("begun", flush=True)
        sys.stdin.readline()
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]

sockets = bind(Settings(host=("127.0.0.1",), port=0))
port = sockets[0].getsockname()[1]
serve(app, sockets, lambda: print(port, flush=True))
print("over", flush=True)
"""


@contextmanager
def foreground() -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    with subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", FOREGROUND],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, ("127.0.0.1", int(process.stdout.readline()))
        finally:
            process.kill()


posix = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@posix
@each("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_cleanly(number: signal.Signals) -> None:
    with foreground() as (process, address), socket.create_connection(address, SECONDS) as idle:
        idle.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert read_reply(idle).status == 200
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=SECONDS)

    assert (process.returncode, stdout, stderr) == (0, "over\n", "")


ON_ANOTHER_THREAD = """
import signal
from threading import Timer, get_ident
from mockpets.server import bind, serve
from mockpets.settings import Settings

later = Timer(0.2, lambda: signal.pthread_kill(get_ident(), signal.SIGTERM))  # when it waits
serve(None, bind(Settings(host=("127.0.0.1",), port=0)), later.start)
"""


@posix
def test_a_signal_that_does_not_interrupt_the_wait_stops_the_server() -> None:
    """The kernel may give a signal to another thread, or to this one just before it waits."""
    run = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", ON_ANOTHER_THREAD],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert (run.returncode, run.stderr) == (0, "")


def test_a_server_gives_the_signals_back() -> None:
    receiver, sender = socket.socketpair()
    with receiver, sender:
        sender.setblocking(False)
        before = signal.set_wakeup_fd(sender.fileno())
        try:
            loop = Loop(app, bind(Settings(host=("127.0.0.1",), port=0)))
            loop.watch_signals()
            loop.run(loop.stop)
        finally:
            assert signal.set_wakeup_fd(before) == sender.fileno()


@posix
def test_a_signal_lets_a_request_finish() -> None:
    with foreground() as (process, address), socket.create_connection(address, SECONDS) as busy:
        busy.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        wait_until_refused(address)
        stdout, stderr = process.communicate("go on\n", timeout=SECONDS)

        assert read_reply(busy).body == b"ok"
        assert (process.returncode, stdout, stderr) == (0, "over\n", "")


@posix
def test_a_second_signal_ends_the_process_immediately() -> None:
    with foreground() as (process, address), socket.create_connection(address, SECONDS) as busy:
        busy.sendall(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        wait_until_refused(address)
        process.terminate()

        assert process.wait(SECONDS) == 128 + signal.SIGTERM
