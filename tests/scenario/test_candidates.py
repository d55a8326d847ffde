"""The index of a stack's stubs: it changes no decision, and finds few candidates among many."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mockpets.scenario.engine import Count, decide
from mockpets.scenario.library import Stack
from mockpets.scenario.matching import ABSENT, Facts, difference
from mockpets.scenario.model import PASS, Canned, Condition, Delay, Match, Stub

# Few values, so that stubs share them and requests meet them.
TEXTS: Any = st.sampled_from(["a", "b", "ab", "1"])
VALUES: Any = TEXTS | st.sampled_from([1, Decimal("1.0"), 0, Decimal("1.5"), True, False, None])
NAMES = st.sampled_from(["x", "y"])
PATHS = ["/v1/a", "/v1/b", "/v1/a/b", "/v1/*", "/v1/{name}/b", "/v1/*/{name}", "/v1/a/"]


def conditions(values: Any, lists: Any) -> Any:
    """Return a strategy for the conditions on one part of a request."""
    return st.lists(
        st.one_of(
            st.builds(Condition, NAMES, st.just("equals"), values | lists),
            st.builds(Condition, NAMES, st.just("one_of"), st.lists(values, min_size=1).map(tuple)),
            st.builds(Condition, NAMES, st.just("contains"), values),
            st.builds(Condition, NAMES, st.just("matches"), st.sampled_from(["a*", "?", "*"])),
            st.builds(Condition, NAMES, st.just("present"), st.booleans()),
        ),
        max_size=3,
    ).map(tuple)


IN_TEXT = conditions(TEXTS, st.nothing())
MATCHES = st.builds(
    lambda target, query, headers, body: Match(**target, query=query, headers=headers, body=body),
    st.one_of(
        st.just({}),
        st.builds(
            lambda each: {"operations": tuple(each)},
            st.lists(st.sampled_from(["getPet", "listPets", "createPet"]), unique=True),
        ),
        st.builds(lambda each: {"pet_ids": tuple(each)}, st.lists(st.integers(0, 3), min_size=1)),
        st.builds(
            lambda method, path: {"method": method, "path": path},
            st.sampled_from(["GET", "PUT"]),
            st.sampled_from(PATHS),
        ),
    ),
    IN_TEXT,
    IN_TEXT,
    conditions(VALUES, st.sampled_from([(), (1, "a"), (True,)])),
)
STUBS = st.builds(
    Stub,
    label=st.sampled_from(["s/1", "s/2", "s/3"]),
    match=MATCHES,
    after=st.integers(0, 1),
    times=st.none() | st.integers(1, 2),
    probability=st.sampled_from([0.5, 1.0]),
    replies=st.lists(
        st.sampled_from([PASS, Canned(500, (), b""), Canned(503, (), b"")]), max_size=2
    ).map(tuple),
    repeat=st.sampled_from(["last", "cycle", "none"]),
    delay=st.none() | st.just(Delay("range", 0.0, 1.0)),
)
REQUESTS = st.builds(
    lambda target, query, headers, body: Facts(**target, query=query, headers=headers, body=body),
    st.one_of(
        st.builds(
            lambda number: {
                "operation": "getPet",
                "method": "GET",
                "path": f"/v1/pets/{number}",
                "pet_id": number,
            },
            st.none() | st.integers(0, 4),
        ),
        st.just({"operation": "listPets", "method": "HEAD", "path": "/v1/pets"}),
        st.just({"operation": "createPet", "method": "POST", "path": "/v1/pets"}),
        st.builds(
            lambda path: {"operation": None, "method": "GET", "path": path},
            st.sampled_from([*PATHS, "/v1/b/b", "/v1/", ""]),
        ),
    ),
    st.dictionaries(NAMES, st.lists(TEXTS, max_size=3)),
    st.dictionaries(NAMES, TEXTS),
    st.one_of(
        st.just(ABSENT),
        st.just([{"x": "a"}]),
        st.dictionaries(
            NAMES, VALUES | st.sampled_from([[], [1, "a"], [True], {"x": "a"}, ["ab"]])
        ),
    ),
)


def stack_of(matches: list[Match]) -> Stack:
    return Stack((), tuple(Stub("s/1", match) for match in matches), None)


@given(st.lists(STUBS, max_size=60), st.lists(REQUESTS, max_size=8), st.integers())
def test_the_index_changes_no_decision(stubs: list[Stub], requests: list[Facts], seed: int) -> None:
    stack = Stack((), tuple(stubs), None)
    counts, counts_of_all = [Count() for _ in stubs], [Count() for _ in stubs]
    random, random_of_all = Random(seed), Random(seed)
    for facts in requests:
        candidates = stack.candidates(facts)
        outcome = decide(tuple(stubs), counts, facts, random, candidates=candidates)
        assert outcome == decide(tuple(stubs), counts_of_all, facts, random_of_all)
        assert counts == counts_of_all
        assert random.getstate() == random_of_all.getstate()


@given(st.lists(MATCHES, max_size=60), REQUESTS)
def test_candidates_are_in_order_and_include_every_match(
    matches: list[Match], facts: Facts
) -> None:
    candidates = list(stack_of(matches).candidates(facts))

    assert candidates == sorted(set(candidates))
    met = [number for number, match in enumerate(matches) if not difference(match, facts)]
    assert set(met) <= set(candidates)


def test_a_request_is_compared_with_the_stubs_for_its_operation_or_path() -> None:
    matches = [
        Match(operations=("listPets",)),
        Match(operations=("getPet", "createPet")),
        Match(method="GET", path="/v1/store/orders"),
        Match(method="GET", path="/v1/store/*"),
        Match(path="/v1/pets/{id}"),
        Match(),
    ]
    stack = stack_of(matches)

    assert stack.candidates(Facts("listPets", "GET", "/v1/pets")) == [0, 5]
    assert stack.candidates(Facts("createPet", "POST", "/v1/pets")) == [1, 5]
    assert stack.candidates(Facts(None, "GET", "/v1/store/orders")) == [2, 3, 4, 5]
    assert stack.candidates(Facts(None, "GET", "/*")) == [5]
    assert stack.candidates(Facts("getPet", "GET", "/v1/pets/3")) == [1, 3, 4, 5]
    assert stack_of([]).candidates(Facts(None, "GET", "/")) == []
