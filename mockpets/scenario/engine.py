"""Decide what happens to a request: stubs and what was counted so far in, an `Outcome` out.

Knows no sockets, no clock and no HTTP: what an outcome says is done by `web.playback` and the
server. The rules of precedence and counting are the README's, and stand here once:

- stubs are asked in order; the first that answers ends the search;
- one that only shapes (delay, throttle, hold) adds itself and the search goes on: delays add up,
  the lowest throttle and the first hold count;
- each is held against `match`, `after`, `times`, `probability`, in that order; a request is
  counted only when the search reaches the stub, and a probability that misses uses up nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

from mockpets.constants import DELAY_SECONDS
from mockpets.faults import CONNECTION_FAULTS
from mockpets.scenario.matching import difference
from mockpets.scenario.model import PASS, Canned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Delay, Reply, Stub

_P95 = NormalDist().inv_cdf(0.95)
"""How many standard deviations the 95th percentile lies above the median."""


@dataclass(slots=True)
class Count:
    """What one stub has counted since its stack was activated or reset.

    :param passed: matching requests let pass by `after`.
    :param used: requests it took part in.
    """

    passed: int = 0
    used: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is to happen to one request.

    :param stubs: labels of the stubs that took part, in order.
    :param reply: the canned answer, or None for the real operation's.
    :param delay: seconds.
    :param throttle: bytes a second.
    :param fault: the name of a row of `FAULTS`.
    :param hold: the gate that keeps the answer back.
    :param skip: the operation is not to be done: nothing of its answer would be sent.
    """

    stubs: tuple[str, ...] = ()
    reply: Canned | None = None
    delay: float = 0.0
    throttle: int | None = None
    fault: str | None = None
    hold: str | None = None
    skip: bool = False


NOTHING = Outcome()


def decide(
    stubs: Sequence[Stub],
    counts: Sequence[Count],
    facts: Facts,
    random: Random,
    max_delay: float = DELAY_SECONDS,
) -> Outcome:
    """Return what happens to a request, and count it.

    :param counts: one for each stub, changed in place; the caller holds the session's lock.
    :param random: the session's own numbers.
    :param max_delay: seconds that all delays together are cut to.
    """
    outcome = NOTHING
    for stub, count in zip(stubs, counts, strict=True):
        if difference(stub.match, facts):
            continue
        if not _takes_part(stub, count, random):
            continue
        outcome = _shaped(outcome, stub, random, max_delay)
        count.used += 1
        if stub.answers:
            return _answered(outcome, stub, count.used - 1)
    return outcome


def _takes_part(stub: Stub, count: Count, random: Random) -> bool:
    """Whether a stub that matches is due, by `after`, `times`, its sequence and `probability`."""
    if count.passed < stub.after:
        count.passed += 1
        return False
    if stub.times is not None and count.used >= stub.times:
        return False
    if stub.repeat == "none" and stub.replies and count.used >= len(stub.replies):
        return False
    return stub.probability >= 1 or random.random() < stub.probability


def _shaped(outcome: Outcome, stub: Stub, random: Random, max_delay: float) -> Outcome:
    """Return the outcome with a stub's delay, throttle and hold added."""
    delay = outcome.delay + (draw_delay(stub.delay, random) if stub.delay else 0.0)
    rates = [rate for rate in (outcome.throttle, stub.throttle) if rate is not None]
    return replace(
        outcome,
        stubs=(*outcome.stubs, stub.label),
        delay=min(delay, max_delay),
        throttle=min(rates, default=None),
        hold=outcome.hold or stub.hold,
    )


def _answered(outcome: Outcome, stub: Stub, used: int) -> Outcome:
    """Return the outcome with a stub's answer: canned, the operation's, or a broken one.

    :param used: how many requests the stub has answered before.
    """
    reply: Reply | None = stub.fault
    if stub.replies:
        last = len(stub.replies) - 1
        reply = stub.replies[used % (last + 1) if stub.repeat == "cycle" else min(used, last)]
    if isinstance(reply, Canned):
        return replace(outcome, reply=reply, fault=stub.fault)
    if reply == PASS:
        return replace(outcome, fault=stub.fault)
    return replace(outcome, fault=reply, skip=reply in CONNECTION_FAULTS)


def draw_delay(delay: Delay, random: Random) -> float:
    """Return one delay in seconds, at most `DELAY_SECONDS`.

    Each kind that varies takes exactly one number, so that a run can be replayed.
    """
    if delay.shape == "fixed":
        return delay.low
    share = random.random()
    if delay.shape == "range":
        return delay.low + (delay.high - delay.low) * share
    # Log-normal: the logarithm's mean is that of the median, its deviation follows from the p95.
    deviations = NormalDist().inv_cdf(min(max(share, 1e-12), 1 - 1e-12))
    drawn: float = delay.low * (delay.high / delay.low) ** (deviations / _P95)
    return min(drawn, DELAY_SECONDS)
