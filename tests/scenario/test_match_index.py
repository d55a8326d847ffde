"""The index of a stack's stubs: it changes no decision, and finds few candidates among many."""

from __future__ import annotations

import tracemalloc
from decimal import Decimal
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mockpets.scenario.engine import Count, decide
from mockpets.scenario.match_index import MatchIndex
from mockpets.scenario.matching import ABSENT, Facts, difference
from mockpets.scenario.model import PASS, Canned, Condition, Delay, Match, Stub
from tests.cases import each

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


@given(st.lists(STUBS, max_size=60), st.lists(REQUESTS, max_size=8), st.integers())
def test_the_index_changes_no_decision(stubs: list[Stub], requests: list[Facts], seed: int) -> None:
    index = MatchIndex(stub.match for stub in stubs)
    counts, counts_of_all = [Count() for _ in stubs], [Count() for _ in stubs]
    random, random_of_all = Random(seed), Random(seed)
    for facts in requests:
        candidates = index.candidates(facts)
        outcome = decide(tuple(stubs), counts, facts, random, candidates=candidates)
        assert outcome == decide(tuple(stubs), counts_of_all, facts, random_of_all)
        assert counts == counts_of_all
        assert random.getstate() == random_of_all.getstate()


@given(st.lists(MATCHES, max_size=60), REQUESTS)
def test_candidates_are_in_order_and_include_every_match(
    matches: list[Match], facts: Facts
) -> None:
    candidates = list(MatchIndex(matches).candidates(facts))

    assert candidates == sorted(set(candidates))
    met = [number for number, match in enumerate(matches) if not difference(match, facts)]
    assert set(met) <= set(candidates)


def on(name: str, value: object) -> tuple[Condition, ...]:
    return (Condition(name, "equals", value),)


MANY = 10_000
SHAPES: dict[str, Any] = {
    "pet id": lambda n: Match(operations=("getPet",), pet_ids=(n,)),
    "query": lambda n: Match(operations=("listPets",), query=on("status", f"s{n}")),
    "two parameters": lambda n: Match(
        operations=("listPets",), query=on("status", f"s{n % 100}") + on("limit", str(n // 100))
    ),
    "header": lambda n: Match(headers=on("x-case", f"s{n}")),
    "name of a header": lambda n: Match(headers=(Condition(f"x-{n}", "present", True),)),
    "body": lambda n: Match(operations=("createPet",), body=on("name", f"s{n}")),
    "number in a body": lambda n: Match(body=on("categoryId", n)),
    "one of": lambda n: Match(query=(Condition("status", "one_of", (f"s{n}", f"s{n + 1}")),)),
    "path": lambda n: Match(method="GET", path=f"/v1/store/orders/{n}"),
    "path with a wildcard": lambda n: Match(method="GET", path=f"/v1/*/{n}/{{id}}"),
}
HIT = {
    "x-case": "s77",
    "x-77": "1",
}
MET = [
    Facts("getPet", "GET", "/v1/pets/77", 77, headers=HIT),
    Facts("listPets", "GET", "/v1/pets", query={"status": ["s77"], "limit": ["0"]}, headers=HIT),
    Facts("createPet", "POST", "/v1/pets", body={"name": "s77", "categoryId": 77}, headers=HIT),
    Facts(None, "GET", "/v1/store/orders/77", headers=HIT),
    Facts(None, "GET", "/v1/store/77/items", headers=HIT),
]


@each("shape", SHAPES)
def test_a_request_is_compared_with_few_of_many_stubs(shape: str) -> None:
    matches = [SHAPES[shape](number) for number in range(MANY)]
    index = MatchIndex(matches)
    met = 0
    for facts in MET:
        candidates = list(index.candidates(facts))
        met += sum(not difference(matches[number], facts) for number in candidates)
        assert len(candidates) <= 8, facts
    assert met, "otherwise an index without candidates would pass"


def test_shapes_that_are_mixed_do_not_hide_each_other() -> None:
    shapes = list(SHAPES.values())
    matches = [shapes[number % len(shapes)](number // len(shapes)) for number in range(MANY)]
    index = MatchIndex(matches)
    for facts in MET:
        candidates = list(index.candidates(facts))
        met = [number for number, match in enumerate(matches) if not difference(match, facts)]
        assert set(met) <= set(candidates)
        assert met
        assert len(candidates) <= 8 * len(shapes)


def test_candidates_are_found_only_as_far_as_the_search_goes() -> None:
    matches = [Match(operations=("listPets",)), *(SHAPES["query"](n) for n in range(100)), Match()]
    candidates = iter(MatchIndex(matches).candidates(MET[1]))
    assert [next(candidates), next(candidates), next(candidates)] == [0, 78, 101]
    assert next(candidates, None) is None


def test_conditions_with_many_alternatives_do_not_multiply() -> None:
    choices = tuple(f"s{number}" for number in range(30))
    names = ["limit", "page", "status"]
    wide = Match(query=tuple(Condition(name, "one_of", choices) for name in names))
    tracemalloc.start()
    try:
        index = MatchIndex([wide] * 20)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 200_000, "20 stubs with 90 values each"
    facts = Facts("listPets", "GET", "/v1/pets", query={name: ["s9", "s7"] for name in names})
    assert list(index.candidates(facts)) == list(range(20))


def test_a_match_may_have_any_number_of_conditions() -> None:
    long = Match(body=tuple(Condition(f"p{number}", "equals", 1) for number in range(2_000)))
    facts = Facts("createPet", "POST", "/v1/pets", body={f"p{n}": 1 for n in range(2_000)})
    assert list(MatchIndex([long] * 20).candidates(facts)) == list(range(20))
