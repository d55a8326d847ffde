"""Decide what happens to a request, from the stubs and their counts.

Independent of sockets, clocks and HTTP: `web.playback` and the server carry out an `Outcome`. The
only implementation of the rules for precedence and counting in docs/scenarios/reference.md:

- The search checks stubs in order and ends at the first one that responds.
- A stub with only delay, throttle or hold applies, and the search continues: delays add up, the
  lowest throttle and the first hold win.
- A stub checks `match`, `after`, `times` and `probability`, in that order. A stub counts a request
  only if the search reaches it, and a request that `probability` skips does not count.
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
    from collections.abc import Iterable, Mapping, Sequence
    from random import Random

    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Delay, Reply, Stub

_P95 = NormalDist().inv_cdf(0.95)
"""How many standard deviations the 95th percentile lies above the median."""


@dataclass(slots=True)
class Count:
    """The counts of one stub since the activation or reset of its stack.

    :param passed: matching requests that `after` skipped.
    :param used: requests that the stub applied to.
    """

    passed: int = 0
    used: int = 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision about one request.

    :param stubs: labels of the stubs that apply, in order.
    :param reply: the canned response, or None for the response of the real operation.
    :param delay: seconds.
    :param throttle: bytes per second.
    :param fault: a key of `FAULTS`.
    :param hold: the gate that holds the response.
    :param skip: do not run the operation, because nothing of its response is sent.
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
    counts: Sequence[Count] | Mapping[int, Count],
    facts: Facts,
    random: Random,
    max_delay: float = DELAY_SECONDS,
    candidates: Iterable[int] | None = None,
) -> Outcome:
    """Return the decision about a request, and count it.

    :param counts: of each stub by its position, changed in place; the caller holds the session's
        lock.
    :param random: the session's random number generator.
    :param max_delay: the limit for the sum of all delays, in seconds.
    :param candidates: the positions of all stubs that could match, in order; None for every stub.
    """
    outcome = NOTHING
    for position in range(len(stubs)) if candidates is None else candidates:
        stub = stubs[position]
        if difference(stub.match, facts):
            continue
        count = counts[position]
        if not _applies(stub, count, random):
            continue
        outcome = _with_shaping(outcome, stub, random, max_delay)
        count.used += 1
        if stub.answers:
            return _with_response(outcome, stub, count.used - 1)
    return outcome


def _applies(stub: Stub, count: Count, random: Random) -> bool:
    """Return whether a matching stub applies: `after`, `times`, its sequence, `probability`."""
    if count.passed < stub.after:
        count.passed += 1
        return False
    if stub.times is not None and count.used >= stub.times:
        return False
    if stub.repeat == "none" and stub.replies and count.used >= len(stub.replies):
        return False
    return stub.probability >= 1 or random.random() < stub.probability


def _with_shaping(outcome: Outcome, stub: Stub, random: Random, max_delay: float) -> Outcome:
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


def _with_response(outcome: Outcome, stub: Stub, used: int) -> Outcome:
    """Return the outcome with a stub's response: canned, the operation's, or a broken one.

    :param used: the number of requests that the stub has responded to before.
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

    Each random delay draws exactly one number, so that a run can be replayed.
    """
    if delay.shape == "fixed":
        return delay.low
    share = random.random()
    if delay.shape == "range":
        return delay.low + (delay.high - delay.low) * share
    # Log-normal: the mean of the logarithm is the median's, its deviation follows from the p95.
    deviations = NormalDist().inv_cdf(min(max(share, 1e-12), 1 - 1e-12))
    drawn: float = delay.low * (delay.high / delay.low) ** (deviations / _P95)
    return min(drawn, DELAY_SECONDS)
