"""Stubs, matches and pets in words, as tables."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from mockpets.faults import FAULTS
from mockpets.packaged_data import shipped
from mockpets.pets.names import LOCALES
from mockpets.scenario.describe import describe_match, describe_pets, describe_stub
from mockpets.scenario.library import load_library
from mockpets.scenario.matching import Facts, difference
from mockpets.scenario.model import (
    PASS,
    Canned,
    Condition,
    Delay,
    Generated,
    Match,
    Stub,
)

E503 = Canned(503, (), b"{}", "status 503 is not in the contract")
LONG = tuple(Canned(status, (), b"") for status in range(200, 260))


@pytest.mark.parametrize(
    ("match", "words"),
    [
        (Match(), "every request"),
        (Match(operations=("createPet",)), "createPet"),
        (Match(operations=("listPets", "createPet")), "listPets or createPet"),
        (Match(operations=("getPet",), pet_ids=(3, 7)), "getPet with petId 3 or 7"),
        (Match(pet_ids=(3,)), "every request with petId 3"),
        (Match(method="GET", path="/v1/store/orders"), "GET /v1/store/orders"),
        (
            Match(
                operations=("listPets",),
                query=(Condition("status", "equals", "sold"),),
                headers=(Condition("accept-language", "contains", "de"),),
            ),
            'listPets with query.status equals "sold" and header accept-language contains "de"',
        ),
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
        (
            Match(body=(Condition("tags", "equals", ("a", Decimal("2.50"), None, 3)),)),
            'every request with body.tags equals ["a", 2.50, null, 3]',
        ),
    ],
)
def test_matches(match: Match, words: str) -> None:
    assert describe_match(match) == words


@pytest.mark.parametrize(
    ("changes", "does", "limits"),
    [
        ({"replies": (E503,)}, "answers 503 off contract", ""),
        ({"replies": (Canned(401, (), b"{}"),)}, "answers 401", ""),
        (
            {"replies": (Canned(200, (), b"x" * 1200),)},
            "answers 200, a canned body of 1.2 kB",
            "",
        ),
        ({"replies": (Canned(200, (), b"[]\n"),)}, "answers 200, a canned body of 3 B", ""),
        ({"replies": (Canned(204, (), b"", "why"),)}, "answers 204 off contract", ""),
        ({"replies": (PASS,)}, "lets the operation answer", ""),
        (
            {"replies": (E503, E503, PASS)},
            "answers in turn: 503, 503, the operation; the last is repeated",
            "",
        ),
        (
            {"replies": (E503, "empty_reply"), "repeat": "cycle"},
            "answers in turn: 503, empty_reply; then from the first again",
            "",
        ),
        (
            {"replies": (E503,), "repeat": "none"},
            "answers in turn: 503; then the next stub is asked",
            "",
        ),
        (
            {"replies": ("empty_reply",)},
            "closes the connection without a response (empty_reply)",
            "",
        ),
        (
            {"replies": LONG},
            "answers in turn: 200, 201, 202, 203, 204, 205, 206, 207, 208, 209, and 50 more; "
            "the last is repeated",
            "",
        ),
        ({"fault": "connection_reset"}, "breaks the connection (connection_reset)", ""),
        (
            {"replies": (PASS,), "fault": "connection_reset"},
            "lets the operation answer; breaks the connection (connection_reset)",
            "",
        ),
        ({"delay": Delay("fixed", 2.0, 2.0)}, "adds a delay of 2 s", ""),
        ({"delay": Delay("range", 0.3, 2.0)}, "adds a delay of 0.3 to 2 s", ""),
        (
            {"delay": Delay("percentiles", 0.2, 1.5)},
            "adds a delay of 0.2 s at the median, 1.5 s at the 95th percentile",
            "",
        ),
        ({"throttle": 2000}, "sends at 2 kB/s", ""),
        ({"throttle": 999}, "sends at 999 B/s", ""),
        ({"throttle": 1_250_000}, "sends at 1.25 MB/s", ""),
        ({"hold": "door"}, "holds until the gate 'door' is opened", ""),
        (
            {
                "replies": (E503,),
                "delay": Delay("fixed", 0.3, 0.3),
                "throttle": 500,
                "hold": "x",
                "after": 2,
                "times": 3,
                "probability": 0.25,
            },
            "answers 503 off contract; adds a delay of 0.3 s; sends at 500 B/s; "
            "holds until the gate 'x' is opened",
            "after 2 matching requests, at most 3 times, one in four",
        ),
        (
            {"hold": "x", "after": 1},
            "holds until the gate 'x' is opened",
            "after 1 matching request",
        ),
        ({"hold": "x", "times": 1}, "holds until the gate 'x' is opened", "at most once"),
        ({"hold": "x", "probability": 0.1}, "holds until the gate 'x' is opened", "one in ten"),
        (
            {"hold": "x", "probability": 0.3},
            "holds until the gate 'x' is opened",
            "30 % of the time",
        ),
        ({"hold": "x", "probability": 0.0}, "holds until the gate 'x' is opened", "never"),
    ],
)
def test_stubs(changes: dict[str, Any], does: str, limits: str) -> None:
    stub = Stub("retry/fails", Match(operations=("createPet",)), **changes)

    assert describe_stub(stub) == {
        "label": "retry/fails",
        "scenario": "retry",
        "when": "createPet",
        "does": does,
        "limits": limits,
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_alone_and_as_a_reply_is_named(fault: Any) -> None:
    alone = describe_stub(Stub("s/1", fault=fault))["does"]

    assert alone.endswith(f" ({fault})")
    assert describe_stub(Stub("s/1", replies=(fault,)))["does"] == alone


@pytest.mark.parametrize(
    ("pets", "words"),
    [
        (None, None),
        ((), "no pets"),
        (({"id": 1, "name": "Miso", "categoryId": 2},), "a list of 1 pet"),
        (tuple({"id": n, "name": "x", "categoryId": 1} for n in range(3)), "a list of 3 pets"),
        (Generated(0, 3), "no pets"),
        (Generated(1), "1 generated pet"),
        (Generated(5000), "5000 generated pets"),
        (Generated(500, 3, "de_DE"), "500 generated pets, seed 3, German names"),
        (Generated(500, 0), "500 generated pets, seed 0"),
    ],
)
def test_pets(pets: Any, words: str | None) -> None:
    assert describe_pets(pets) == words


@pytest.mark.parametrize("locale", LOCALES)
def test_every_locale_has_a_word(locale: str) -> None:
    words = describe_pets(Generated(2, None, locale))

    assert words is not None
    assert "_" not in words


def test_a_mismatch_expects_what_the_words_say() -> None:
    wanted = Match(query=(Condition("status", "one_of", ("sold", "pending")),))
    (mismatch,) = difference(wanted, Facts("listPets", "GET", "/v1/pets"))

    assert describe_match(wanted) == f"every request with {mismatch.where} {mismatch.expected}"


def test_every_shipped_stub_has_words() -> None:
    scenarios = load_library((), ()).scenarios
    assert len(scenarios) == len(list(shipped("scenarios").iterdir()))
    said = [describe_stub(stub) for one in scenarios.values() for stub in one.stubs]

    assert said
    assert all(words["scenario"] in scenarios and words["when"] and words["does"] for words in said)
