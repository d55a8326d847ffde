"""The limits of connections: which of them make room, and how many an address may have."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from mockpets.constants import CONNECTIONS
from mockpets.public.public_limits import IN_PROGRESS
from mockpets.server import MockpetsServer
from mockpets.server.server_limits import ServerLimits, limits_for
from mockpets.settings import Settings
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Running, Wire, need_connections, port_of, running

BIG = "/big?size=8388608"
OTHER = "127.0.0.2"
"""Another address of this machine."""
needs_other_address = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has all of 127.0.0.0/8"
)


# --- Clients that take little -----------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 3], ids=["one response", "pipelined"])
def test_a_client_that_reads_little_makes_room(number: int, clock: Clock) -> None:
    with (
        running(QueryApp(), ServerLimits(connections=2), clock) as server,
        Wire(server.port, receive_buffer=4096) as lazy,
        Wire(server.port) as delayed,
    ):
        delayed.get("/late?delay=60")
        for _ in range(number):
            lazy.get(BIG)
        server.until(lambda: sorted(server.phases), ["busy", "write"])
        server.until(lambda: server.waiting, 1)
        clock.pass_(ServerLimits().slow_seconds + 0.1)
        with Wire(server.port) as other:
            assert other.get().read().status == 200
        clock.pass_(60)
        assert delayed.read().status == 200


def test_the_client_that_reads_least_makes_room_first(clock: Clock) -> None:
    with running(QueryApp(), ServerLimits(connections=3), clock) as server, ExitStack() as stack:
        wires = [stack.enter_context(Wire(server.port, receive_buffer=4096)) for _ in range(3)]
        for wire in wires:
            wire.get(BIG)
        server.until(lambda: server.phases, ["write"] * 3)
        clock.pass_(ServerLimits().slow_seconds)
        for wire in (wires[0], wires[2]):
            take(server, wire, 1_000_000)
        assert stack.enter_context(Wire(server.port)).get().read().status == 200
        wires[1].rest()
        for wire in (wires[0], wires[2]):
            assert len(wire.read_fast().read().body) == 8_388_608


def test_a_client_that_reads_makes_no_room_for_some_seconds(clock: Clock) -> None:
    with (
        running(QueryApp(), ServerLimits(connections=1), clock) as server,
        Wire(server.port, receive_buffer=4096) as lazy,
    ):
        lazy.get(BIG)
        server.until(lambda: server.phases, ["write"])
        clock.pass_(ServerLimits().slow_seconds - 0.1)
        with Wire(server.port) as other:
            other.get()
            server.until(lambda: bool(server.loop._listeners[0]._is_paused))
            assert len(lazy.read_fast().read().body) == 8_388_608
            clock.pass_(1)
            assert other.read().status == 200


@pytest.mark.parametrize(
    ("takes", "is_open"), [(500_000, False), pytest.param(2_500_000, True, marks=pytest.mark.slow)]
)
def test_a_client_must_take_a_minimum_of_bytes_per_second(
    takes: int, is_open: bool, clock: Clock
) -> None:
    """Reading now and then does not restart the time limit."""
    with (
        running(QueryApp(), ServerLimits(write_rate=100_000), clock) as server,
        Wire(server.port, receive_buffer=4096) as lazy,
    ):
        lazy.get(BIG)
        server.until(lambda: server.phases, ["write"])
        for _ in range(3):
            clock.pass_(ServerLimits().write_seconds / 2)
            server.ask(lambda: None)
            if server.connections:
                take(server, lazy, takes)
        server.until(lambda: server.connections, int(is_open))


def test_the_time_of_a_delay_does_not_count(clock: Clock) -> None:
    with running(QueryApp(), clock=clock) as server, Wire(server.port, receive_buffer=4096) as wire:
        wire.get(BIG).get("/late?delay=60&size=8388608")
        server.until(lambda: server.phases, ["write"])
        clock.pass_(ServerLimits().write_seconds - 1)
        assert len(wire.read_fast().read().body) == 8_388_608
        server.until(lambda: server.waiting, 1)
        clock.pass_(60)
        server.until(lambda: server.phases, ["write"])
        clock.pass_(ServerLimits().write_seconds - 1)
        assert len(wire.read_fast().read().body) == 8_388_608


def take(server: Running, wire: Wire, size: int) -> None:
    """Read bytes of the response, and wait until the server has sent as many."""

    def left() -> int:
        return sum(len(channel._unsent) for channel in server.loop._channels.values())

    before = server.ask(left)
    wire.take(len(wire._read) + size)
    server.until(lambda: before - left() > size // 2)


# --- Connections of one address ---------------------------------------------------------------


@needs_other_address
def test_an_address_makes_room_for_its_own_connections_only(clock: Clock) -> None:
    limits = ServerLimits(connections=10, address_connections=2)
    with running(QueryApp(), limits, clock) as server, ExitStack() as stack:
        other = stack.enter_context(Wire(server.port, source=OTHER))
        server.until(lambda: server.connections, 1)
        wires = []
        for number in range(4):
            clock.pass_(1)
            wires.append(stack.enter_context(Wire(server.port)))
            expected = min(number + 2, 3)
            server.until(lambda: server.connections, expected)
        assert [wire.rest() for wire in wires[:2]] == [b"", b""]
        assert all(wire.is_open() for wire in (*wires[2:], other))


@needs_other_address
def test_an_address_whose_connections_are_all_in_use_gets_no_more(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    limits = ServerLimits(connections=10, address_connections=2)
    with running(QueryApp(), limits, clock) as server, ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(Wire(server.port)).get("/?delay=60")
        server.until(lambda: server.waiting, 2)
        assert stack.enter_context(Wire(server.port)).rest() == b""
        assert stack.enter_context(Wire(server.port, source=OTHER)).is_open()
        assert caplog.messages == [
            "the limit of 2 connections for an address is reached: closing those that are idle, "
            "incomplete or slow"
        ]


@pytest.mark.parametrize("proxy", ["127.0.0.1", "127.0.0.0/8"])
def test_a_proxy_may_have_all_connections(proxy: str) -> None:
    limits = ServerLimits(connections=10, address_connections=2, proxies=(proxy,))
    with running(QueryApp(), limits) as server, ExitStack() as stack:
        wires = [stack.enter_context(Wire(server.port)) for _ in range(5)]
        server.until(lambda: server.connections, 5)
        assert all(wire.is_open() for wire in wires)


def test_only_a_public_server_limits_the_connections_of_an_address() -> None:
    share = IN_PROGRESS
    settings = Settings(port=0, public=True, host=("127.0.0.1",))
    need_connections(2 * CONNECTIONS)

    assert limits_for(Settings()) == ServerLimits()
    assert limits_for(settings) == ServerLimits(address_connections=share)
    with MockpetsServer(settings) as server, ExitStack() as stack:
        port = port_of(server.url)
        wires = [stack.enter_context(Wire(port)) for _ in range(share + 3)]
        assert [wire.rest() for wire in wires[:3]] == [b""] * 3


# --- File descriptors -------------------------------------------------------------------------

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
sys.argv[1:] = ["serve", "--port", "0", "--host", "127.0.0.1"]
from mockpets.__main__ import main
sys.exit(main())
"""
EXHAUSTED = """
import resource
from mockpets.interface import Reply
from mockpets.server.server_limits import ServerLimits
from mockpets.server.loop import Loop
from mockpets.server.sockets import bind
from mockpets.settings import Settings

class App:
    def handle(self, incoming):
        return Reply("204 No Content", [])

sockets = bind(Settings(host=("127.0.0.1",), port=0))
print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/v1", flush=True)
resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
Loop(App(), sockets, ServerLimits()).run()
"""


@pytest.fixture
def limited(request: pytest.FixtureRequest) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    pytest.importorskip("resource")
    with subprocess.Popen(
        [sys.executable, "-c", *request.param],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            line = process.stdout.readline()
            yield port_of(line[line.index("http://") :].split()[0]), process
        finally:
            process.kill()


@pytest.mark.parametrize(
    "limited",
    [
        pytest.param((LIMITED, "64", "64"), marks=pytest.mark.slow),
        pytest.param((LIMITED, "40", "40"), marks=pytest.mark.slow),
        (EXHAUSTED,),
    ],
    indirect=True,
    ids=["few", "very few", "exhausted"],
)
def test_more_clients_than_descriptors_lock_nobody_out(
    limited: tuple[int, subprocess.Popen[str]],
) -> None:
    port, process = limited
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(Wire(port))
        for _ in range(20):
            with Wire(port) as wire:
                assert wire.get("/__mockpets/health").read().status in (200, 204)
    process.terminate()
    _, errors = process.communicate(timeout=20)
    assert "accepting no new connections" not in errors
    assert "Traceback" not in errors


@pytest.mark.slow
@pytest.mark.parametrize("limited", [(LIMITED, "64", "64")], indirect=True)
def test_a_low_limit_of_open_files_is_reported(limited: tuple[int, subprocess.Popen[str]]) -> None:
    port, process = limited
    with Wire(port) as wire:
        assert wire.is_open()
    process.terminate()
    _, errors = process.communicate(timeout=20)
    assert "connections at a time instead of 1000: this process may not open more files" in errors
    assert "run 'ulimit -n 2000' before mockpets" in errors


@pytest.mark.slow
@pytest.mark.parametrize("limited", [(LIMITED, "64", "2000")], indirect=True)
def test_the_limit_of_open_files_is_raised(limited: tuple[int, subprocess.Popen[str]]) -> None:
    port, process = limited
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(port)) for _ in range(300)]
        for wire in wires:
            assert wire.get("/__mockpets/health").read().status == 200
    process.terminate()
    _, errors = process.communicate(timeout=20)
    assert "open more files" not in errors
