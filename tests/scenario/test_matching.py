"""The conditions of a stub compared with requests, as tables, without HTTP."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.contract.pet_store import BUILT_IN
from mockpets.scenario.matching import ABSENT, Comparison, Facts, covers, difference, path_matches
from mockpets.scenario.scenario_model import Condition, Match, Operator

LIST, GET = BUILT_IN.operations["listPets"], BUILT_IN.operations["getPet"]


def facts(**changes: Any) -> Facts:
    base: dict[str, Any] = {"operation": LIST, "method": "GET", "path": "/v1/pets"}
    return Facts(**(base | changes))


PET_3 = Match(params=(Condition("petId", "equals", "3"),))
PET_3_OR_7 = Match(params=(Condition("petId", "one_of", ("3", "7")),))


@pytest.mark.parametrize(("match", "changes", "expected"), [
    (Match(), {}, []),
    (Match(operations=("listPets",)), {}, []),
    (Match(operations=("getPet", "listPets")), {}, []),
    (Match(operations=("getPet", "createPet")), {},
     [Comparison("operation", "getPet or createPet", "listPets")]),
    (Match(operations=("getPet",)), {"operation": None},
     [Comparison("operation", "getPet", "none")]),
    (PET_3_OR_7, {"operation": GET, "path": "/v1/pets/7"}, []),
    (PET_3_OR_7, {"operation": GET, "path": "/v1/pets/8"},
     [Comparison("params.petId", 'one of "3", "7"', '"8"')]),
    (PET_3, {}, [Comparison("params.petId", '"3"', "absent")]),
    (PET_3, {"operation": None, "path": "/v1/pets/3"},
     [Comparison("params.petId", '"3"', "absent")]),
    (Match(roles=("list", "get")), {}, []),
    (Match(roles=("create",)), {}, [Comparison("role", "create", "list")]),
    (Match(roles=("create",)), {"operation": None}, [Comparison("role", "create", "none")]),
    (Match(method="GET", path="/v1/store/orders"), {"path": "/v1/store/orders"}, []),
    (Match(method="GET", path="/v1/a"), {"method": "HEAD", "path": "/v1/a"}, []),
    (Match(method="DELETE", path="/v1/pets/*"), {"method": "GET", "path": "/v1/pets"},
     [Comparison("method", "DELETE", "GET"), Comparison("path", "/v1/pets/*", "/v1/pets")]),
    (Match(method="GET", path="/v1/orders/{id}"), {"path": "/v1/orders/7"}, []),
    (Match(method="GET", path="/v1/orders/{id}"), {"path": "/v1/orders/7/items"},
     [Comparison("path", "/v1/orders/{id}", "/v1/orders/7/items")]),
])  # fmt: skip
def test_parts(match: Match, changes: dict[str, Any], expected: list[Comparison]) -> None:
    assert difference(match, facts(**changes)) == expected


OPERATORS: list[tuple[str, object, object, bool]] = [
    # operator, wanted, got (or ABSENT), holds
    ("equals", "sold", "sold", True),             ("equals", "sold", "Sold", False),
    ("equals", "sold", ABSENT, False),            ("equals", 1, Decimal("1.0"), True),
    ("equals", 1, True, False),                   ("equals", True, 1, False),
    ("equals", Decimal("0.1"), Decimal("0.1"), True),
    ("equals", Decimal("0.1"), Decimal("0.10000000000000000001"), False),
    ("equals", Decimal("1.0"), True, False),
    ("equals", Decimal("9007199254740993.0"), 9007199254740992, False),
    ("equals", (Decimal("2.50"),), [Decimal("2.5")], True),
    ("equals", None, None, True),                 ("equals", None, ABSENT, False),
    ("equals", (1, "a"), [1, "a"], True),         ("equals", (1, "a"), [1], False),
    ("equals", (1,), "1", False),                 ("equals", "1", 1, False),
    ("contains", "it", "Biscuit", True),          ("contains", "it", "Biscotte", False),
    ("contains", "it", 17, False),                ("contains", None, "None x", False),
    ("contains", None, [None], True),             ("contains", True, "True", False),
    ("contains", 1, "17", False),                 ("contains", Decimal("3.0"), [1, 3], True),
    ("contains", 3, [1, 3], True),                ("contains", 3, [1, True], False),
    ("matches", "B*t", "Biscuit", True),          ("matches", "B?t", "Biit", False),
    ("matches", "[B]it", "Bit", False),           ("matches", "[B]it", "[B]it", True),
    ("matches", "*", "", True),                   ("matches", "a*b", "a\nb", True),
    ("matches", "*", 5, False),                   ("matches", "*a" * 20 + "b", "a" * 60_000, False),
    ("present", True, "", True),                  ("present", True, None, True),
    ("present", True, ABSENT, False),             ("present", False, ABSENT, True),
    ("present", False, "x", False),
    ("one_of", ("a", "b"), "b", True),            ("one_of", ("a", 1), True, False),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "wanted", "got", "holds"), OPERATORS)
def test_operators_on_a_body_property(
    operator: Any, wanted: object, got: object, holds: bool
) -> None:
    body = {} if got is ABSENT else {"name": got}
    match = Match(body=(Condition("name", operator, wanted),))

    assert (difference(match, facts(body=body)) == []) is holds


@pytest.mark.parametrize("body", [ABSENT, None, [], [{"name": "x"}], "name", 3])
def test_a_body_other_than_an_object_has_no_properties(body: object) -> None:
    present = Match(body=(Condition("name", "present", True),))
    absent = Match(body=(Condition("name", "present", False),))

    assert difference(present, facts(body=body)) == [Comparison("body.name", "present", "absent")]
    assert difference(absent, facts(body=body)) == []


BELOW: list[tuple[tuple[str, ...], Any, object]] = [
    # below ``a``, the body, the value there (or ABSENT)
    (("b",), {"a": {"b": 1}}, 1),            (("b", "c"), {"a": {"b": {"c": None}}}, None),
    (("b",), {"a": {"c": 1}}, ABSENT),       (("b", "c"), {"a": {"b": 1}}, ABSENT),
    (("b",), {"a": None}, ABSENT),           (("b",), {"a": "b"}, ABSENT),
    (("b",), {"b": 1}, ABSENT),              (("b",), ABSENT, ABSENT),
    (("1",), {"a": [1, 2]}, 2),              (("1", "b"), {"a": [0, {"b": 3}]}, 3),
    (("2",), {"a": [1, 2]}, ABSENT),         (("-1",), {"a": [1, 2]}, ABSENT),
    (("0" * 99,), {"a": [1]}, ABSENT),       (("b",), {"a": [{"b": 1}]}, ABSENT),
    (("1",), {"a": {"1": 4}}, 4),            (("1",), {"a": "text"}, ABSENT),
]  # fmt: skip


@pytest.mark.parametrize(("below", "body", "got"), BELOW)
def test_a_condition_below_a_property(below: tuple[str, ...], body: object, got: object) -> None:
    path = f"body.a.{'.'.join(below)}"
    present = Match(body=(Condition("a", "present", True, below),))
    absent = Match(body=(Condition("a", "present", False, below),))
    same = Match(body=(Condition("a", "equals", got, below),))
    other = Match(body=(Condition("a", "equals", 99, below),))

    assert (difference(present, facts(body=body)) == []) is (got is not ABSENT)
    assert (difference(absent, facts(body=body)) == []) is (got is ABSENT)
    assert (difference(same, facts(body=body)) == []) is (got is not ABSENT)
    shown = "null" if got is None else str(got)
    assert difference(other, facts(body=body)) == [Comparison(path, "99", shown)]


def test_one_of_several_values_of_a_parameter_is_enough() -> None:
    match = Match(query=(Condition("status", "equals", "sold"),))

    assert difference(match, facts(query={"status": ["available", "sold"]})) == []


def test_every_failed_condition_is_reported() -> None:
    match = Match(
        operations=("createPet",),
        query=(Condition("status", "one_of", ("sold", "pending")),),
        headers=(
            Condition("accept-language", "contains", "de"),
            Condition("x-trace", "present", True),
            Condition("x-debug", "present", False),
        ),
        body=(Condition("name", "matches", "M*"), Condition("categoryId", "equals", 2)),
    )
    got = facts(
        query={"status": ["available", "x"]},
        headers={"accept-language": "en", "x-debug": "1"},
        body={"name": "Kiki", "categoryId": None},
    )

    assert difference(match, got) == [
        Comparison("operation", "createPet", "listPets"),
        Comparison("query.status", 'one of "sold", "pending"', '"available", "x"'),
        Comparison("headers.accept-language", 'contains "de"', '"en"'),
        Comparison("headers.x-trace", "present", "absent"),
        Comparison("headers.x-debug", "absent", '"1"'),
        Comparison("body.name", 'matches "M*"', '"Kiki"'),
        Comparison("body.categoryId", "2", "null"),
    ]


@pytest.mark.parametrize(("pattern", "path", "matches"), [
    ("/v1/pets", "/v1/pets", True),
    ("/v1/pets/*", "/v1/pets/7", True),
    ("/v1/pets/*", "/v1/pets/", False),
    ("/v1/pets/*", "/v1/pets/7/photos", False),
    ("/v1/*/photos", "/v1/7/photos", True),
    ("/v1/pets", "/v1/Pets", False),
    ("/v1/store/orders/{orderId}", "/v1/store/orders/7", True),
    ("/v1/store/orders/{orderId}", "/v1/store/orders/7/items", False),
    ("/v1/{shop}/orders/*", "/v1/store/orders/7", True),
])  # fmt: skip
def test_path_matches(pattern: str, path: str, matches: bool) -> None:
    assert path_matches(pattern, path) is matches


# --- covers -----------------------------------------------------------------------------------


def on(*conditions: tuple[Operator, Any]) -> Match:
    """Return a match with these conditions on the body property ``name``."""
    return Match(body=tuple(Condition("name", operator, value) for operator, value in conditions))


def below(name: str, operator: Operator, value: object) -> Match:
    """Return a match with this condition on a property of the object ``name`` in the body."""
    return Match(body=(Condition("name", operator, value, (name,)),))


@pytest.mark.parametrize(("wide", "narrow", "certain"), [
    (Match(), Match(), True),
    (Match(), Match(operations=("getPet",), params=PET_3.params), True),
    (Match(), Match(method="GET", path="/v1/a"), True),
    (Match(operations=("getPet", "listPets")), Match(operations=("getPet",)), True),
    (Match(operations=("getPet",)), Match(operations=("getPet", "listPets")), False),
    (Match(operations=("getPet",)), Match(), False),
    (Match(operations=("getPet",)), PET_3, True),
    (Match(operations=("listPets",)), PET_3, False),
    (Match(roles=("get",)), PET_3, True),
    (Match(roles=("list", "get")), Match(operations=("getPet", "listPets")), True),
    (Match(roles=("list",)), Match(operations=("getPet", "listPets")), False),
    (Match(roles=("list",)), Match(), False),
    (Match(roles=("list",)), Match(method="GET", path="/v1/a"), False),
    (Match(operations=("listPets",)), Match(roles=("list",)), True),
    (Match(operations=("getPet",)), Match(method="GET", path="/v1/a"), False),
    (PET_3_OR_7, PET_3, True),
    (PET_3, PET_3_OR_7, False),
    (PET_3, Match(operations=("getPet",)), False),
    (Match(method="GET", path="/v1/a"), Match(), False),
    (Match(method="GET", path="/v1/a"), Match(method="GET", path="/v1/a"), True),
    (Match(method="GET", path="/v1/a"), Match(method="POST", path="/v1/a"), False),
    (Match(method="GET", path="/v1/*"), Match(method="GET", path="/v1/{b}"), True),
    (Match(method="GET", path="/v1/a"), Match(method="GET", path="/v1/*"), False),
    (Match(method="GET", path="/v1/*"), Match(method="GET", path="/v1/a/b"), False),
    (Match(method="GET", path="/v1/*"), Match(method="GET", path="/v1/"), False),
    (on(("equals", 1)), on(("equals", 1), ("present", True)), True),
    (on(("equals", 1), ("present", True)), on(("equals", 1)), False),
    (on(("equals", 1)), on(("equals", True)), False),
    (on(("matches", "a*")), on(("equals", "ab")), False),  # true, but not compared
    (below("b", "equals", 1), below("b", "equals", 1), True),
    (below("b", "one_of", (1, 2)), below("b", "equals", 1), True),
    (below("b", "equals", 1), below("c", "equals", 1), False),
    (below("b", "equals", 1), on(("equals", 1)), False),
    (on(("equals", 1)), below("b", "equals", 1), False),
    (Match(query=(Condition("a", "equals", "1"),)), on(("equals", "1")), False),
    (Match(headers=(Condition("a", "present", True),)),
     Match(headers=(Condition("a", "present", True),)), True),
])  # fmt: skip
def test_a_match_covers_another_only_if_that_is_certain(
    wide: Match, narrow: Match, certain: bool
) -> None:
    assert covers(wide, narrow, BUILT_IN) is certain


FEW: Any = st.sampled_from(["a", "b", "ab", 1, True, None])
CONDITIONS = st.lists(
    st.one_of(
        st.builds(Condition, st.just("x"), st.just("equals"), FEW),
        st.builds(Condition, st.just("x"), st.just("equals"), st.just(("a", 1))),
        st.builds(Condition, st.just("x"), st.just("contains"), FEW),
        st.builds(Condition, st.just("x"), st.just("matches"), st.sampled_from(["a*", "*", "?"])),
        st.builds(Condition, st.just("x"), st.just("present"), st.booleans()),
        st.builds(Condition, st.just("x"), st.just("one_of"), st.lists(FEW, min_size=1).map(tuple)),
    ),
    max_size=2,
).map(tuple)
NESTED: Any = CONDITIONS.map(lambda each: tuple(replace(one, below=("y",)) for one in each))
TARGETS: Any = st.sampled_from(
    [
        {},
        {"params": PET_3.params},
        {"roles": ("get",)},
        *({"operations": each} for each in (("getPet",), ("getPet", "listPets"))),
        *({"method": "GET", "path": path} for path in ("/v1/a", "/v1/{b}", "/v1/*/a")),
    ]
)
MATCHES = st.builds(
    lambda target, body, query: Match(**target, body=body, query=query),
    TARGETS,
    CONDITIONS | NESTED,
    CONDITIONS,
)
REQUESTS = st.builds(
    lambda target, body, query: Facts(**target, body=body, query=query),
    st.sampled_from(
        [
            {"operation": GET, "method": "GET", "path": "/v1/pets/3"},
            {"operation": LIST, "method": "GET", "path": "/v1/pets"},
            {"operation": None, "method": "GET", "path": "/v1/a"},
            {"operation": None, "method": "GET", "path": "/v1/b/a"},
        ]
    ),
    st.one_of(
        st.just({}),
        st.builds(lambda x: {"x": x}, FEW | st.just(["a", 1])),
        st.builds(lambda y: {"x": {"y": y}}, FEW | st.just(["a", 1])),
    ),
    st.one_of(
        st.just({}), st.builds(lambda x: {"x": x}, st.lists(st.sampled_from(["a", "ab", "b"])))
    ),
)


@given(MATCHES, MATCHES, REQUESTS)
def test_a_request_that_meets_the_covered_match_meets_the_covering_one(
    wide: Match, narrow: Match, request: Facts
) -> None:
    if covers(wide, narrow, BUILT_IN) and not difference(narrow, request):
        assert difference(wide, request) == []
