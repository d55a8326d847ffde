"""Which connection makes room for a new one, and how many are looked at to choose it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from math import inf
from random import Random
from typing import TYPE_CHECKING, Any, cast

from mockpets.server.connection import Connection
from mockpets.server.eviction import EvictionQueue
from mockpets.server.limits import Limits
from tests.cases import each
from tests.server.query_app import QueryApp
from tests.server.raw_http import Clock, Wire, need_connections, running

if TYPE_CHECKING:
    import pytest

MANY = 1_000
ACCEPTED = 50
HEAD = b"GET / HTTP/1.1\r\nHost: a\r\n"

# --- How many are looked at -------------------------------------------------------------------


@each("sent, is_public", [(b"", False), (HEAD, True), (HEAD + b"\r\n", False)])
def test_the_connections_looked_at_do_not_grow_with_those_that_are_open(
    sent: bytes, is_public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    need_connections(3 * MANY)
    for held in (100, MANY):
        looked = _looked_at(held, sent, is_public, monkeypatch)
        # About 6 for each; and once each of those that were used since the last choice.
        assert looked <= 20 * ACCEPTED + held, (held, looked)


def _looked_at(held: int, sent: bytes, is_public: bool, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often a connection is looked at while others make room for new ones."""
    original = cast("Any", Connection.is_incomplete).fget
    looked: list[object] = []

    def is_incomplete(connection: Connection) -> bool:
        looked.append(connection)
        return bool(original(connection))

    # With `--public`, each address has a limit, which is reached first.
    limits = Limits(2 * held, held) if is_public else Limits(held)
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


# --- Which one is chosen ----------------------------------------------------------------------


@dataclass(eq=False)
class Peer:
    """A connection as the queue sees it."""

    now: list[float]
    number: int
    since: float
    phase: str = "idle"
    served: int = 0
    pace: float = inf
    waits_since: float = inf

    @property
    def is_slow(self) -> bool:
        return self.now[0] - self.waits_since >= Limits().slow_seconds

    @property
    def is_incomplete(self) -> bool:
        return self.phase in ("idle", "head", "body")


def dispensable(peers: list[Peer]) -> object:
    """Return the one to close, found by looking at all."""
    return min(
        (each for each in peers if each.is_incomplete or each.phase == "linger" or each.is_slow),
        key=lambda each: (
            not each.is_slow,
            each.phase == "idle" and each.served > 0,
            each.pace if each.is_slow else each.since,
        ),
        default=None,
    )


STEPS = ("open", "head", "body", "busy", "unsent", "take", "next", "finish", "linger", "close")


@each("seed", range(5))
def test_the_connection_chosen_is_the_one_that_comes_first_of_all(seed: int) -> None:
    random = Random(seed)
    steps = [
        (random.choice(STEPS), random.randrange(8), random.choice((0, 0, 1, 4)))
        for _ in range(3_000)
    ]
    now, numbers = [0.0], count(1)
    queue, peers = EvictionQueue(), list[Any]()

    def enter(peer: Any, phase: str) -> None:
        peer.phase = phase
        if phase != "busy":
            queue.update(peer)

    def fall_behind(peer: Any) -> None:
        if peer.waits_since == inf:
            peer.waits_since = now[0]
            queue.fall_behind(peer)

    def finish(peer: Any) -> None:
        peer.served += 1
        peer.since = now[0]
        enter(peer, "idle")

    def take(step: str, peer: Any) -> None:
        if step == "close":
            queue.remove(peer)
            peers.remove(peer)
        elif peer.is_incomplete and step in ("head", "body", "busy"):
            enter(peer, step)
        elif peer.phase == "busy" and step == "unsent":
            peer.pace = min(peer.pace, now[0])
            fall_behind(peer)
            enter(peer, "write")
        elif peer.phase == "write" and step == "take":
            peer.pace += 2
        elif peer.phase in ("busy", "write") and step == "next":
            finish(peer)
            enter(peer, "busy")
            fall_behind(peer)
        elif peer.phase in ("busy", "write") and step == "finish":
            finish(peer)
            peer.pace = peer.waits_since = inf
            queue.catch_up(peer)
        elif peer.phase in ("busy", "write") and step == "linger":
            enter(peer, "linger")

    for step, place, seconds in steps:
        now[0] += seconds
        if not peers or (step == "open" and len(peers) < 8):
            peer: Any = Peer(now, next(numbers), now[0])
            peers.append(peer)
            queue.add(peer)
            enter(peer, "idle")
        else:
            take(step, peers[place % len(peers)])
        assert queue.first() is dispensable(peers)
        assert len(queue) == len(peers)


def test_outdated_keys_take_a_bounded_amount_of_memory() -> None:
    queue = EvictionQueue()
    first: Any = Peer([0.0], 1, -1.0, served=1)
    peer: Any = Peer([0.0], 2, 0.0)
    for each_peer in (first, peer):
        queue.add(each_peer)
        queue.update(each_peer)
    for number in range(1, 1_000):
        peer.phase, peer.served, peer.since = "idle", number, float(number)
        queue.update(peer)
        assert queue.first() is first
        peer.phase = "head"
        queue.update(peer)
    assert len(queue._heap) < 100
