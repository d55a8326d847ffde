"""Which connection makes room for a new one, and how many are looked at to choose it."""

from contextlib import ExitStack
from dataclasses import dataclass
from math import inf
from typing import Any, cast

import pytest

from mockpets.server.connection import Connection
from mockpets.server.eviction import EvictionQueue
from mockpets.server.server_limits import ServerLimits
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Wire, need_connections, running

MANY = 1_000
ACCEPTED = 50
HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"


@pytest.mark.parametrize(
    ("sent", "is_public"),
    [
        (HEAD, True),
        *(pytest.param(sent, False, marks=pytest.mark.slow) for sent in (b"", HEAD + b"\r\n")),
    ],
)
def test_the_connections_looked_at_do_not_grow_with_those_that_are_open(
    sent: bytes, is_public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_connections(3 * MANY)
    for held in (100, MANY):
        looked = _looked_at(held, sent, is_public, monkeypatch)
        assert looked <= 20 * ACCEPTED + held, (held, looked)


def _looked_at(held: int, sent: bytes, is_public: bool, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often a connection is looked at while others make room for new ones."""
    original = cast("Any", Connection.is_incomplete).fget
    looked: list[object] = []

    def is_incomplete(connection: Connection) -> bool:
        looked.append(connection)
        return bool(original(connection))

    # With `--public`, each address has a limit, which is reached first.
    limits = ServerLimits(2 * held, held) if is_public else ServerLimits(held)
    with running(QueryApp(), limits, Clock()) as server, ExitStack() as stack:
        for number in range(held):
            if number % 100 == 0:  # more than the kernel queues would wait for a second
                server.until(lambda: server.connections, number)
            wire = stack.enter_context(Wire(server.port)).send(sent)
            if sent.endswith(b"\r\n\r\n"):
                assert wire.read().status == 200
        server.until(lambda: server.connections, held)
        with monkeypatch.context() as patch:
            patch.setattr(Connection, "is_incomplete", property(is_incomplete))
            for _ in range(ACCEPTED):
                stack.enter_context(Wire(server.port))
            server.until(lambda: server.loop.scheduler.evicted, ACCEPTED)
    return len(looked)


@dataclass(eq=False)
class Peer:
    """A connection as the queue sees it."""

    name: str
    phase: str = "idle"
    served: int = 0
    pace: float = inf
    is_slow: bool = False

    is_incomplete = Connection.is_incomplete


def test_slow_clients_make_room_first_then_new_ones_then_those_that_wait_longest() -> None:
    queue = EvictionQueue()
    peers: dict[str, Any] = {name: Peer(name) for name in ("a", "b", "c", "d", "e", "f", "g")}

    def enter(name: str, phase: str, served: int = 0) -> None:
        peers[name].phase, peers[name].served = phase, served
        if phase not in ("busy", "write"):
            queue.update(peers[name])

    def order() -> str:
        names = ""
        while (first := cast("Any", queue.first())) is not None:
            queue.remove(first)
            names += first.name
        return names

    for peer in peers.values():
        queue.add(peer)
        queue.update(peer)
    for name, phase, served in (
        *(("a", "idle", 1), ("b", "busy", 0), ("c", "head", 0), ("d", "idle", 1)),
        *(("e", "busy", 2), ("e", "idle", 3), ("a", "busy", 1), ("a", "idle", 2)),
        *(("f", "write", 0), ("g", "busy", 0), ("d", "head", 1), ("b", "linger", 1)),
    ):
        enter(name, phase, served)
    for name, pace in (("g", 3.0), ("f", 1.0)):
        peers[name].pace = pace
        queue.fall_behind(peers[name])
    assert queue.first() is peers["c"], "they are not slow yet"
    for name in "fg":
        peers[name].is_slow = True

    assert order() == "fgcdbea"
    assert len(queue) == 0


def test_a_slow_client_that_became_faster_goes_after_those_that_are_slower_now() -> None:
    queue = EvictionQueue()
    first: Any = Peer("a", "write", pace=1.0, is_slow=True)
    second: Any = Peer("b", "write", pace=3.0, is_slow=True)
    for peer in (first, second):
        queue.add(peer)
        queue.fall_behind(peer)
    assert cast("Any", queue.first()).name == "a"
    first.pace = 9.0

    assert cast("Any", queue.first()).name == "b"


def test_slow_clients_are_looked_at_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[object] = []

    def is_slow(peer: object) -> bool:
        looked.append(peer)
        return True

    monkeypatch.setattr(Peer, "is_slow", property(is_slow, lambda *_: None))
    queue, paces = EvictionQueue(), [float(number * 7 % MANY) for number in range(MANY)]
    for pace in paces:
        peer: Any = Peer("", phase="write", pace=pace)
        queue.add(peer)
        queue.fall_behind(peer)

    chosen = []
    for _ in range(ACCEPTED):
        chosen.append(cast("Any", queue.first()).pace)
        queue.remove(cast("Any", queue.first()))
    assert chosen == sorted(paces)[:ACCEPTED]
    assert len(looked) <= MANY
