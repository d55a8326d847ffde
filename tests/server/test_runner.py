"""Listening, and stopping by signals."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import sample
from typing import Any

import pytest

from mockpets.errors import InputError
from mockpets.interface import Reply
from mockpets.server import MockpetsServer
from mockpets.server.loop import Loop
from mockpets.server.sockets import bind
from mockpets.settings import Settings
from tests.http_client import Client, OverSocket
from tests.server.query_app import FunctionApp
from tests.server.raw_http import SECONDS, Wire, port_of

app = FunctionApp(lambda _: Reply("200 OK", [], b"ok"))


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


def test_the_port_of_a_stopped_server_is_free_immediately() -> None:
    with MockpetsServer(Settings(host=("127.0.0.1",), port=0), app) as server:
        port = port_of(server.url)
        with Wire(port) as wire:  # leaves TIME_WAIT
            assert wire.get("/", "Connection: close").read().status == 200
    with bound(Settings(host=("127.0.0.1",), port=port)) as names:
        assert names == [("127.0.0.1", port)]


@pytest.mark.parametrize("host", ["127.0.0.1", pytest.param("::1", marks=needs_ipv6)])
def test_an_occupied_port_is_reported_in_one_line(host: str) -> None:
    with occupied_port(host) as port, pytest.raises(InputError) as caught:
        bind(Settings(port=port))

    assert str(caught.value) == (
        f"--port {port}: already in use on {host}; stop the other program, or choose another "
        "port with --port (0 for any free port)"
    )


@pytest.mark.parametrize(("host", "message"), [
    ("192.0.2.1",
     "--host 192.0.2.1 is not an address of this machine; "
         "omit --host to listen on loopback, or use 0.0.0.0 for all addresses"),
    (
        "n" * 63 + (".n" * 100),  # too long for a name, so it is not looked up
        f"--host {'n' * 63}{'.n' * 100}: unknown host; "
        "omit --host to listen on loopback, or use 0.0.0.0 for all addresses",
    ),
])  # fmt: skip
def test_an_unusable_host_is_reported_in_one_line(host: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        bind(Settings(host=("127.0.0.1", host), port=0))

    assert str(caught.value) == message


# --- MockpetsServer ---------------------------------------------------------------------------


@needs_ipv6
def test_it_responds_on_both_loopback_addresses() -> None:
    with MockpetsServer(Settings(port=0), app) as server:
        port = port_of(server.url)
        assert server.url == f"http://localhost:{port}"
        for host in ("127.0.0.1", "[::1]"):
            assert Client(OverSocket(f"http://{host}:{port}"))("GET", "/").status == 200


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


# --- Running in the foreground ----------------------------------------------------------------

FOREGROUND = """
import sys
from mockpets.interface import Reply
from mockpets.server import bind, serve
from mockpets.settings import Settings

class App:
    def handle(self, incoming):
        if incoming.environ["PATH_INFO"] == "/slow":
            print("begun", flush=True)
            sys.stdin.readline()
        return Reply("200 OK", [], b"ok")

sockets = bind(Settings(host=("127.0.0.1",), port=0))
port = sockets[0].getsockname()[1]
serve(App(), sockets, lambda: print(port, flush=True))
print("over", flush=True)
"""


@contextmanager
def foreground() -> Iterator[tuple[subprocess.Popen[str], int]]:
    with subprocess.Popen(
        [sys.executable, "-X", "dev", "-W", "error", "-c", FOREGROUND],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            yield process, int(process.stdout.readline())
        finally:
            process.kill()


posix = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_server_cleanly(number: signal.Signals) -> None:
    with foreground() as (process, port), Wire(port) as idle:
        assert idle.get().read().status == 200
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


@pytest.mark.slow
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
    with foreground() as (process, port), Wire(port) as busy:
        busy.get("/slow")
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.terminate()
        stdout, stderr = process.communicate("go on\n", timeout=SECONDS)

        assert busy.read().body == b"ok"
        assert (process.returncode, stdout, stderr) == (0, "over\n", "")


@posix
def test_a_second_signal_ends_the_process_immediately() -> None:
    with foreground() as (process, port), Wire(port) as busy:
        busy.get("/slow")
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        while process.poll() is None:  # two signals that arrive at once are one
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.05)
        stdout, _ = process.communicate(timeout=SECONDS)

        assert (process.returncode, stdout) == (128 + signal.SIGTERM, "")
