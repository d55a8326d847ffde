"""The engine's decisions about a series of requests, without HTTP."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from mockpets.constants import DELAY_SECONDS
from mockpets.scenario.engine import Count, Outcome, decide, draw_delay
from mockpets.scenario.matching import Facts
from mockpets.scenario.scenario_model import PASS, Canned, Delay, Match, Stub
from tests.pet_store import OPERATIONS

LIST = Facts(OPERATIONS["listPets"], "GET", "/v1/pets")
GET = Facts(OPERATIONS["getPet"], "GET", "/v1/pets/3")
A, B, C = (Canned(status, (), b"") for status in (500, 501, 502))


def play(stubs: list[Stub], requests: int, seed: int = 1, facts: Facts = LIST) -> list[Outcome]:
    counts: dict[str, Count] = {}
    random = Random(seed)
    return [decide(tuple(stubs), counts, facts, random) for _ in range(requests)]


def statuses(stubs: list[Stub], requests: int, seed: int = 1) -> str:
    """Return the responses as letters: a, b, c for canned ones, - for the real operation's."""
    names = {A: "a", B: "b", C: "c", None: "-"}
    own = [replace(each, label=f"test/{number}") for number, each in enumerate(stubs, 1)]
    return "".join(names[outcome.reply] for outcome in play(own, requests, seed))


def stub(**changes: Any) -> Stub:
    return Stub(**({"label": "test/1", "replies": (A,)} | changes))


SEQUENCES: list[tuple[str, list[Stub], str]] = [
    ("no stub", [], "---"),
    ("one reply", [stub()], "aaa"),
    ("no match", [stub(match=Match(operations=("getPet",)))], "---"),
    ("the first that responds wins", [stub(), stub(replies=(B,))], "aaa"),
    ("after", [stub(after=2)], "--aaa"),
    ("times", [stub(times=2)], "aa---"),
    ("after, then times", [stub(after=1, times=2)], "-aa--"),
    ("times, then the next", [stub(times=1), stub(replies=(B,), times=1)], "ab-"),
    ("pass ends the search", [stub(replies=(PASS,)), stub(replies=(B,))], "---"),
    ("pass uses up times", [stub(replies=(PASS,), times=2), stub(replies=(B,))], "--bb"),
    ("sequence, last", [stub(replies=(A, B))], "abbb"),
    ("sequence, cycle", [stub(replies=(A, B), repeat="cycle")], "ababa"),
    ("sequence, none", [stub(replies=(A, B), repeat="none")], "ab--"),
    ("none falls through", [stub(replies=(A, B), repeat="none"), stub(replies=(C,))], "abcc"),
    ("sequence with pass", [stub(replies=(A, PASS, B), repeat="cycle")], "a-ba-b"),
    ("after and sequence", [stub(after=2, replies=(A, B, C))], "--abcc"),
    ("times cuts a sequence", [stub(times=2, replies=(A, B, C))], "ab--"),
    ("times over a cycle", [stub(times=3, replies=(A, B), repeat="cycle")], "aba--"),
    ("times beyond none", [stub(times=9, replies=(A,), repeat="none")], "a--"),
    ("after counts requests that reach it", [stub(times=2), stub(replies=(B,), after=1)], "aa-bb"),
    ("probability 0", [stub(probability=0.0), stub(replies=(B,))], "bbb"),
]


@pytest.mark.parametrize(
    ("stubs", "expected"), [row[1:] for row in SEQUENCES], ids=[row[0] for row in SEQUENCES]
)
def test_counting(stubs: list[Stub], expected: str) -> None:
    assert statuses(stubs, len(expected)) == expected


def test_probability_draws_from_the_given_generator() -> None:
    expected = "".join("a" if value < 0.25 else "-" for value in _numbers(7, 40))

    assert statuses([stub(probability=0.25)], 40, seed=7) == expected
    assert 3 < expected.count("a") < 20  # both letters occur


def test_a_skipped_request_does_not_count() -> None:
    """Each draw below a half takes the next reply of the sequence, until its end."""
    hits = [value < 0.5 for value in _numbers(3, 30)]
    positions = iter("ab")
    expected = "".join(next(positions, "-") if hit else "-" for hit in hits)

    assert statuses([stub(probability=0.5, replies=(A, B), repeat="none")], 30, 3) == expected
    assert statuses([stub(probability=0.5, replies=(A, B), times=2)], 30, 3) == expected


def test_after_and_times_come_before_the_draw() -> None:
    numbers = _numbers(5, 20)
    expected = "--" + "".join("a" if value < 0.5 else "-" for value in numbers[:18])

    assert statuses([stub(after=2, probability=0.5)], 20, seed=5) == expected


def test_the_same_seed_replays_the_same_responses() -> None:
    stubs = [
        stub(probability=0.3, times=8, delay=Delay("range", 0.0, 2.0)),
        stub(probability=0.6, replies=(B, PASS, C), delay=Delay("percentiles", 0.2, 1.5)),
    ]

    assert play(stubs, 200, seed=11) == play(stubs, 200, seed=11)
    assert play(stubs, 200, seed=11) != play(stubs, 200, seed=12)


def _numbers(seed: int, count: int) -> list[float]:
    random = Random(seed)
    return [random.random() for _ in range(count)]


# --- Shaping ----------------------------------------------------------------------------------


def shape(label: str, **changes: Any) -> Stub:
    return Stub(label=label, **changes)


def test_shaping_adds_up_and_the_search_continues() -> None:
    stubs = [
        shape("a/1", delay=Delay("fixed", 1.0, 1.0), throttle=500),
        shape("a/2", delay=Delay("fixed", 0.5, 0.5), throttle=200, hold="first"),
        shape("a/3", throttle=900, hold="second"),
        stub(label="b/1", delay=Delay("fixed", 0.25, 0.25)),
        shape("c/1", delay=Delay("fixed", 9.0, 9.0)),
    ]

    assert play(stubs, 1) == [
        Outcome(("a/1", "a/2", "a/3", "b/1"), A, 1.75, throttle=200, hold="first")
    ]


def test_the_sum_of_delays_is_capped() -> None:
    minute = Delay("fixed", DELAY_SECONDS, DELAY_SECONDS)
    [outcome] = play([shape("a/1", delay=minute), shape("a/2", delay=minute)], 1)

    assert outcome.delay == DELAY_SECONDS


def test_a_stub_without_a_reply_counts_too() -> None:
    stubs = [shape("a/1", delay=Delay("fixed", 1.0, 1.0), after=1, times=1)]

    assert [outcome.delay for outcome in play(stubs, 3)] == [0.0, 1.0, 0.0]


FAULTS: list[tuple[str, Stub, list[Outcome]]] = [
    ("reset skips", shape("t", fault="connection_reset"),
     [Outcome(("t",), fault="connection_reset", skip=True)]),
    ("empty skips", shape("t", fault="empty_reply"),
     [Outcome(("t",), fault="empty_reply", skip=True)]),
    ("pass runs the operation", shape("t", fault="connection_reset", replies=(PASS,)),
     [Outcome(("t",), fault="connection_reset")]),
    ("truncated damages the operation's response", shape("t", fault="truncated_body"),
     [Outcome(("t",), fault="truncated_body")]),
    ("malformed damages the canned response", shape("t", fault="malformed_json", replies=(A,)),
     [Outcome(("t",), A, fault="malformed_json")]),
    ("in a sequence", shape("t", replies=("connection_reset", "truncated_body", A, PASS)),
     [Outcome(("t",), fault="connection_reset", skip=True),
     Outcome(("t",), fault="truncated_body"), Outcome(("t",), A), Outcome(("t",))]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "expected"), [row[1:] for row in FAULTS], ids=[row[0] for row in FAULTS]
)
def test_faults(entry: Stub, expected: list[Outcome]) -> None:
    assert play([entry, stub(replies=(B,))], len(expected)) == expected


# --- Delays -----------------------------------------------------------------------------------


def test_a_range_is_drawn_evenly() -> None:
    random = Random(1)
    drawn = [draw_delay(Delay("range", 1.0, 3.0), random) for _ in range(4000)]

    assert min(drawn) >= 1.0
    assert max(drawn) <= 3.0
    assert sum(drawn) / len(drawn) == pytest.approx(2.0, abs=0.05)


def test_random_delays_have_the_given_percentiles() -> None:
    random = Random(1)
    drawn = sorted(draw_delay(Delay("percentiles", 0.2, 1.5), random) for _ in range(20_000))

    assert drawn[10_000] == pytest.approx(0.2, rel=0.05)
    assert drawn[19_000] == pytest.approx(1.5, rel=0.05)
    assert drawn[-1] <= DELAY_SECONDS


@pytest.mark.parametrize("share", [0.0, 1 - 2**-53])
def test_extreme_draws_stay_within_the_limit(share: float) -> None:
    class Fixed(Random):
        def random(self) -> float:
            return share

    assert 0 <= draw_delay(Delay("percentiles", 30.0, 60.0), Fixed()) <= DELAY_SECONDS
