"""Decide what happens to a request, from the stubs and their counts.

Independent of sockets, clocks and HTTP: `web.playback` and the server carry out an `Outcome`. The
only implementation of the rules for precedence and counting in docs/reference/scenario-language.md:

- The search checks stubs in order and ends at the first one that responds.
- A stub with only delay, throttle or hold applies, and the search continues: delays add up, the
  lowest throttle and the first hold win.
- A stub checks `match`, `after`, `times` and `probability`, in that order. A stub counts a request
  only if the search reaches it, and a request that `probability` skips does not count.
- A session counts a stub by its label, in all its scenarios, until the definition changes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from mockpets.constants import COUNTED_STUBS, DELAY_SECONDS
from mockpets.errors import RequestError
from mockpets.faults import NO_RESPONSE_FAULTS
from mockpets.scenario.matching import meets, path_matches
from mockpets.scenario.scenario_model import PASS, Canned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from mockpets.constants import StepResult
    from mockpets.scenario.matching import Facts
    from mockpets.scenario.scenario_model import Delay, Reply, Stub

_P95 = NormalDist().inv_cdf(0.95)
"""How many standard deviations the 95th percentile lies above the median."""


class Count(NamedTuple):
    """The requests that one stub's `after` skipped, and those that it applied to.

    :param stub: what was counted; a stub that is defined differently starts again.
    """

    stub: Stub
    passed: int = 0
    used: int = 0


class Step(NamedTuple):
    """What the search did with one matching stub.

    :param position: of the stub in the stack; `passed` and `used` are its counts before.
    :param draw: the random number that was compared with the stub's probability; None without.
    :param result: whether the stub applied, or the limit because of which it did not.
    """

    position: int
    passed: int
    used: int
    draw: float | None
    result: StepResult


class Trace(NamedTuple):
    """How the stubs decided about one request; a limit of the server may reject the decision."""

    stubs: tuple[Stub, ...]
    steps: Sequence[Step]
    is_rejected: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision about one request.

    :param stubs: labels of the stubs that apply, in order.
    :param delay: in seconds; `throttle` is in bytes per second, and `hold` is a gate.
    :param skip: do not run the operation, because nothing of its response is sent.
    :param trace: how the stubs decided; None if a check rejects the request before.
    """

    stubs: tuple[str, ...] = ()
    reply: Canned | None = None
    delay: float = 0.0
    throttle: int | None = None
    fault: str | None = None
    hold: str | None = None
    skip: bool = False
    trace: Trace | None = field(default=None, compare=False)


UNDECIDED = Outcome()
"""Before the stubs decide."""
DECIDED_WITHOUT_STUBS = Outcome(trace=Trace((), ()))
"""The decision of scenarios without stubs."""


def decide(
    stubs: tuple[Stub, ...],
    counts: dict[str, Count],
    facts: Facts,
    random: Random,
    max_delay: float = DELAY_SECONDS,
) -> Outcome:
    """Return the decision about a request, and count it.

    :param counts: of each stub by its label, changed in place under the session's lock.
    :param max_delay: the limit for the sum of all delays, in seconds.
    :raise RequestError: ``busy`` if there would be more than `COUNTED_STUBS` counts; none changes.
    """
    counted: dict[str, Count] = {}
    steps: list[Step] = []
    labels: list[str] = []
    delay, throttle, hold = 0.0, None, None
    reply: Reply = PASS
    fault = None
    name = facts.operation and facts.operation.name
    for position, stub in enumerate(stubs):
        match = stub.match
        # Few stubs are left for `meets`, which takes ten times as long. The path of a stub is never
        # one of an operation.
        if match.path is None:
            if match.operations and name not in match.operations:
                continue
        elif facts.operation is not None or not path_matches(match.path, facts.path):
            continue
        if not meets(match, facts):
            continue
        count = counts.get(stub.label)
        if count is None or (count.stub is not stub and count.stub != stub):
            count = Count(stub)
        step = _step(position, stub, count, random)
        steps.append(step)
        if step.result == "after":
            counted[stub.label] = Count(stub, step.passed + 1, step.used)
        if step.result != "applies":
            continue
        counted[stub.label] = Count(stub, step.passed, step.used + 1)
        labels.append(stub.label)
        if stub.delay is not None:
            delay = min(delay + draw_delay(stub.delay, random), max_delay)
        if stub.throttle is not None:
            throttle = stub.throttle if throttle is None else min(throttle, stub.throttle)
        hold = hold or stub.hold
        if stub.answers:
            reply, fault = reply_of(stub, step.used), stub.fault
            break
    if len(counts) + len(counted) > COUNTED_STUBS and len(counts | counted) > COUNTED_STUBS:
        message = f"the session already counts requests of {COUNTED_STUBS} stubs; reset the session"
        raise RequestError("busy", message)
    counts.update(counted)
    canned = reply if isinstance(reply, Canned) else None
    skip = False
    if isinstance(reply, str) and reply != PASS:
        fault = reply
        skip = reply in NO_RESPONSE_FAULTS
    trace = Trace(stubs, steps)
    return Outcome(tuple(labels), canned, delay, throttle, fault, hold, skip, trace)


def _step(position: int, stub: Stub, count: Count, random: Random) -> Step:
    """Return whether a matching stub applies: `after`, `times`, its sequence, `probability`."""
    passed, used = count.passed, count.used
    draw: float | None = None
    result: StepResult = "applies"
    if passed < stub.after:
        result = "after"
    elif stub.times is not None and used >= stub.times:
        result = "times"
    elif stub.repeat == "none" and stub.replies and used >= len(stub.replies):
        result = "sequence"
    elif stub.probability < 1:
        draw = random.random()
        result = "applies" if draw < stub.probability else "probability"
    return Step(position, passed, used, draw, result)


def reply_of(stub: Stub, used: int) -> Reply:
    """Return a stub's next reply after `used` responses, or the fault that breaks the response."""
    if not stub.replies:
        return stub.fault or PASS
    last = len(stub.replies) - 1
    return stub.replies[used % (last + 1) if stub.repeat == "cycle" else min(used, last)]


def draw_delay(delay: Delay, random: Random) -> float:
    """Return a delay of at most `DELAY_SECONDS` from exactly one random number, so it replays."""
    if delay.shape == "fixed":
        return delay.low
    share = random.random()
    if delay.shape == "range":
        return delay.low + (delay.high - delay.low) * share
    # Log-normal: the mean of the logarithm is the median's, its deviation follows from the p95.
    deviations = NormalDist().inv_cdf(min(max(share, 1e-12), 1 - 1e-12))
    drawn: float = delay.low * (delay.high / delay.low) ** (deviations / _P95)
    return min(drawn, DELAY_SECONDS)
