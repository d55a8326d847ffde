"""Descriptions of stubs, matches and pets, as tables."""

from decimal import Decimal
from typing import Any

import pytest

from mockpets.contract.pet_store import BUILT_IN
from mockpets.faults import FAULTS
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from mockpets.scenario.scenario_description import describe_content, describe_match, describe_stub
from mockpets.scenario.scenario_model import PASS, Canned, Condition, Delay, Generated, Match, Stub

E503 = Canned(503, (), b"{}", "status 503 is not in the contract")
LONG = tuple(Canned(status, (), b"") for status in range(200, 260))


@pytest.mark.parametrize(("match", "text"), [
    (Match(), "every request"),
    (Match(operations=("createPet",)), "createPet"),
    (Match(operations=("listPets", "createPet")), "listPets or createPet"),
    (Match(operations=("getPet",), params=(Condition("petId", "one_of", ("3", "7")),)),
     'getPet with params.petId one of "3", "7"'),
    (Match(params=(Condition("petId", "equals", "3"),)),
     'every request with params.petId equals "3"'),
    (Match(roles=("create",)), "every create"),
    (Match(roles=("get", "list")), "every get or list"),
    (Match(method="GET", path="/v1/store/orders"), "GET /v1/store/orders"),
    (Match(operations=("listPets",), query=(Condition("status", "equals", "sold"),),
     headers=(Condition("accept-language", "contains", "de"),)),
     'listPets with query.status equals "sold" and header accept-language contains "de"'),
    (
        Match(
            method="POST",
            path="/v1/*/photos",
            query=(Condition("full", "present", True), Condition("x", "present", False)),
            body=(Condition("name", "one_of", ("Miso", None)), Condition("n", "equals", True)),
        ),
        "POST /v1/*/photos with query.full present and query.x absent"
        ' and body.name one of "Miso", null and body.n equals true',
    ),
    (Match(body=(Condition("tags", "equals", ("a", Decimal("2.50"), None, 3)),)),
     'every request with body.tags equals ["a", 2.50, null, 3]'),
    (Match(body=(Condition("article", "contains", "a", ("author", "name")),)),
     'every request with body.article.author.name contains "a"'),
])  # fmt: skip
def test_matches(match: Match, text: str) -> None:
    assert describe_match(match) == text


HELD = "holds the response until the gate 'x' opens"


@pytest.mark.parametrize(("changes", "does", "limits"), [
    ({"replies": (Canned(401, (), b"{}"),)}, "responds with 401", ""),
    ({"replies": (Canned(200, (), b"[]\n"),)}, "responds with 200", ""),
    ({"replies": (Canned(204, (), b"", "why"),)}, "responds with 204 (off contract)", ""),
    ({"replies": (E503, E503, PASS)},
     "responds in turn with 503, 503, the operation, then repeats the last one", ""),
    ({"replies": (E503, "empty_reply"), "repeat": "cycle"},
     "responds in turn with 503, empty_reply, then starts over", ""),
    ({"replies": (E503,), "repeat": "none"},
     "responds in turn with 503, then leaves requests to the next stub", ""),
    ({"replies": LONG},
     "responds in turn with 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, and 50 more, "
     "then repeats the last one", ""),
    ({"replies": (PASS,), "fault": "connection_reset"},
     "lets the operation respond; breaks the connection (connection_reset)", ""),
    ({"delay": Delay("range", 0.3, 2.0)}, "adds a delay of 0.3 to 2 s", ""),
    ({"delay": Delay("percentiles", 0.2, 1.5)},
     "adds a delay of 0.2 s at the median, 1.5 s at the 95th percentile", ""),
    ({"throttle": 1_250_000}, "sends the response at 1250000 B/s", ""),
    ({"replies": (E503,), "delay": Delay("fixed", 0.3, 0.3), "throttle": 500, "hold": "x",
      "after": 2, "times": 3, "probability": 0.25},
     "responds with 503 (off contract); adds a delay of 0.3 s; sends the response at 500 B/s; "
     + HELD, "after 2 matching requests, at most 3 times, 25 % of requests"),
    ({"hold": "x", "after": 1, "times": 1}, HELD, "after 1 matching request, at most once"),
])  # fmt: skip
def test_stubs(changes: dict[str, Any], does: str, limits: str) -> None:
    described = describe_stub(Stub("retry/fails", Match(operations=("createPet",)), **changes))

    assert described == {
        "label": "retry/fails", "scenario": "retry", "when": "createPet", "does": does,
        "limits": limits,
    }  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_the_description_names_the_fault(fault: Any) -> None:
    alone = describe_stub(Stub("s/1", fault=fault))["does"]

    assert alone.endswith(f" ({fault})")
    assert describe_stub(Stub("s/1", replies=(fault,)))["does"] == alone


@pytest.mark.parametrize(("name", "content", "text"), [
    ("pets", (), "no pets"),
    ("pets", (b'{"id":1,"name":"Miso","categoryId":2}',), "a list of 1 pet"),
    ("pets", Generated(0, 3), "no pets"),
    ("pets", Generated(1), "1 generated pet"),
    ("pets", Generated(500, 3, "de_DE"), "500 generated pets, seed 3, names in de_DE"),
    ("pets", Generated(500, 0), "500 generated pets, seed 0"),
    ("orders", (), "no records of orders"),
    ("orders", (b"{}", b"{}"), "a list of 2 records of orders"),
    ("*", (), "no records in any collection"),
])  # fmt: skip
def test_content(name: str, content: Any, text: str) -> None:
    assert describe_content(name, content, BUILT_IN) == text


def test_every_shipped_stub_has_a_description() -> None:
    scenarios = load_library((), ()).scenarios
    assert len(scenarios) == len(list(shipped("scenarios").iterdir()))
    stubs = [describe_stub(stub) for each in scenarios.values() for stub in each.stubs]

    assert stubs
    assert all(each["scenario"] in scenarios and each["when"] and each["does"] for each in stubs)
