"""The rate limit, compared with a model of token buckets on a test clock."""

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.public.rates import Rate, RateLimit

TOGETHER, VISITOR = Rate(200, 400), Rate(20, 40)


@dataclass
class Clock:
    milliseconds: int = 10**9  # eleven days of uptime

    def __call__(self) -> float:
        return self.milliseconds / 1000


@dataclass
class Bucket:
    """A model of a token bucket: tokens are added over time."""

    rate: Rate
    at: int
    tokens: Fraction

    def wait(self, now: int) -> Fraction:
        more = Fraction(now - self.at, 1000) * Fraction(self.rate.per_second)
        self.tokens = min(Fraction(self.rate.burst), self.tokens + more)
        self.at = now
        return max(Fraction(0), (1 - self.tokens) / Fraction(self.rate.per_second))


RATES = st.builds(Rate, st.integers(1, 100), st.integers(1, 30))
STEPS = st.lists(
    st.tuples(st.just(0) | st.integers(0, 50) | st.integers(0, 5000), st.integers(0, 5)),
    max_size=150,
)


@given(RATES, RATES, STEPS)
def test_it_matches_a_model_of_token_buckets(
    together: Rate, visitor: Rate, steps: list[tuple[int, int]]
) -> None:
    clock = Clock()
    limit = RateLimit(together, visitor, clock)
    everyone = Bucket(together, clock.milliseconds, Fraction(together.burst))
    buckets: dict[int, Bucket] = {}
    for later, who in steps:
        clock.milliseconds += later
        now = clock.milliseconds
        own = buckets.setdefault(who, Bucket(visitor, now, Fraction(visitor.burst)))
        seconds = max(own.wait(now), everyone.wait(now))
        if not seconds:
            own.tokens -= 1
            everyone.tokens -= 1
        got = limit.check(str(who))

        assert got == pytest.approx(float(seconds), abs=1e-5)
        assert (got == 0) == (seconds == 0)


@given(RATES, RATES, STEPS)
def test_its_memory_is_bounded(together: Rate, visitor: Rate, steps: list[tuple[int, int]]) -> None:
    clock = Clock()
    limit = RateLimit(together, visitor, clock)
    most = together.burst + together.per_second * visitor.burst / visitor.per_second + 1
    for number, (later, times) in enumerate(steps):
        clock.milliseconds += later
        for turn in range(times):
            limit.check(f"{number}-{turn}")  # all different
            assert len(limit) <= most
