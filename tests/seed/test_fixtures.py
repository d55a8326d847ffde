"""The shipped fixtures: valid, easy to review, and as their names promise."""

import unicodedata
from collections import Counter
from typing import Any, cast

import pytest

from mockpets.constants import FIXTURE_BYTES, INT64_MAX
from mockpets.contract.contract_model import Record
from mockpets.contract.pet_store import PET_STORE
from mockpets.packaged_data import shipped
from mockpets.seed.names import CATEGORIES
from mockpets.strict_json import parse_json

STATUSES = tuple(PET_STORE.document["components"]["schemas"]["PetStatus"]["enum"])
PET = PET_STORE.schemas["Pet"]
LIMIT = PET_STORE.operations["listPets"].page({}).limit

FILES = {path.stem: path for path in sorted(shipped("fixtures").glob("*.json"))}
SAFE = 2**53
"""From here on JavaScript numbers cannot represent every integer."""


def pets_of(name: str) -> list[Record]:
    return cast("list[Record]", parse_json(FILES[name].read_bytes()))


def visible(text: str) -> str:
    """Return JSON text with every invisible or ambiguous character escaped."""
    return "".join(
        f"\\u{ord(sign):04x}" if unicodedata.category(sign)[0] in "CMZ" and sign != " " else sign
        for sign in text
    )


# --- All fixtures -----------------------------------------------------------------------------


def test_the_shipped_fixtures() -> None:
    assert set(FILES) >= {
        *("awkward-names", "big-ids", "full-page", "no-status", "showroom", "sold-out")
    }


@pytest.mark.parametrize("name", FILES)
def test_it_contains_valid_pets(name: str) -> None:
    assert len(FILES[name].read_bytes()) <= FIXTURE_BYTES
    pets = parse_json(FILES[name].read_bytes())
    assert isinstance(pets, list)
    assert {
        number: PET_STORE.operations["getPet"].body_problems(200, pet)
        for number, pet in enumerate(pets)
        if PET_STORE.operations["getPet"].body_problems(200, pet)
    } == {}
    assert PET_STORE.operations["listPets"].body_problems(200, pets) == []
    assert pets


@pytest.mark.parametrize("name", FILES)
def test_ids_ascend(name: str) -> None:
    ids = [pet["id"] for pet in pets_of(name)]
    assert ids == sorted(set(ids))
    assert ids[0] >= 1


@pytest.mark.parametrize("name", FILES)
def test_it_has_one_pet_per_line(name: str) -> None:
    """Equal fixtures are equal files, and a diff shows the lines of the changed pets."""
    lines = [visible(PET.dump(pet).decode()) for pet in pets_of(name)]
    expected = "[\n" + ",\n".join(lines) + "\n]\n"
    assert FILES[name].read_bytes().decode() == expected


# --- Each fixture -----------------------------------------------------------------------------


def test_showroom_has_a_realistic_mix() -> None:
    pets = pets_of("showroom")
    assert [pet["id"] for pet in pets] == list(range(1, 25))
    assert len({pet["name"] for pet in pets}) == len(pets)
    assert {pet["categoryId"] for pet in pets} == set(CATEGORIES)
    first_page = Counter(pet.get("status") for pet in pets[:LIMIT])
    assert set(first_page) == {*STATUSES, None}
    assert first_page.most_common(1)[0][0] == "available"


def test_big_ids_exceed_the_integers_of_javascript() -> None:
    pets = pets_of("big-ids")
    for pet in pets:
        assert SAFE < pet["id"] <= INT64_MAX
        assert SAFE < pet["categoryId"] <= INT64_MAX
    assert max(pet["id"] for pet in pets) > INT64_MAX - 10**13  # near the end
    assert {pet.get("status") for pet in pets} == {*STATUSES, None}


def long(name: str) -> bool:
    return len(name) > 256


def right_to_left(name: str) -> bool:
    return any(unicodedata.bidirectional(sign) in {"R", "AL"} for sign in name)


AWKWARD: dict[str, Any] = {
    "empty": lambda name: name == "",
    "one letter": lambda name: len(name) == 1 and name.isalpha(),
    "long, in words": lambda name: long(name) and " " in name,
    "long, nowhere to break": lambda name: long(name) and " " not in name,
    "right to left": right_to_left,
    "both directions": lambda name: right_to_left(name) and "R" in name,
    "beyond 16 bits": lambda name: any(ord(sign) > 0xFFFF for sign in name),
    "joined emoji": lambda name: "\u200d" in name and any(ord(sign) > 0xFFFF for sign in name),
    "bold": lambda name: "<b>" in name,
    "script": lambda name: "<script>" in name,
    "double quotes": lambda name: '"' in name,
    "backslash": lambda name: "\\" in name,
    "combining": lambda name: any(unicodedata.combining(sign) for sign in name),
    "CJK": lambda name: any("CJK UNIFIED" in unicodedata.name(sign, "") for sign in name),
    "leading space": lambda name: name.startswith(" ") and not name.isspace(),
    "trailing space": lambda name: name.endswith(" ") and not name.isspace(),
    "newline": lambda name: "\n" in name,
}


@pytest.mark.parametrize("kind", AWKWARD)
def test_awkward_names_shows_each_kind_on_the_first_page(kind: str) -> None:
    names = [pet["name"] for pet in pets_of("awkward-names")[:LIMIT]]
    assert any(AWKWARD[kind](name) for name in names)


def test_awkward_names_that_look_alike_differ() -> None:
    names = [pet["name"] for pet in pets_of("awkward-names")]
    assert {"Zo\u00eb", "Zoe\u0308"} <= set(names)
    assert names.count("Twin") == 2
