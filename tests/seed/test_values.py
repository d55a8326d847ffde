"""Generated values: valid by jsonschema, the same each time, and credible."""

import re
import subprocess
import sys
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockpets.contract.openapi_loader import Node
from mockpets.seed.values import ABSENT, Values
from mockpets.strict_json import dump_json
from tests.contract.json_schema import is_valid_by
from tests.seed.documents import NOW, document_of, document_with, reference, response, values_of

TEXT: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}


def has_float(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(has_float, value.values()))
    return any(map(has_float, value)) if isinstance(value, list) else isinstance(value, float)


def check(folder: Path, schema: Node, version: str = "3.1.0", **others: Node) -> None:
    """Check that a value and ten records, or values of a record, are valid."""
    owner = {"type": "object", "properties": {"part": schema}, "required": ["part"]}
    document = document_of(folder, version, Target=schema, Owner=owner, **others)
    is_valid, values = is_valid_by(document), values_of(document)
    for name in ("", "name", "price", "createdAt"):
        value = values.value(reference("Target"), name=name, kind="pet")
        assert is_valid(schema, value), (schema, value)
        assert not has_float(value)
    for number in range(1, 11):
        record = values.record("pets", reference("Owner"), number)
        assert is_valid(owner, record), (schema, record)


LARGE: list[Node] = [
    {"type": "array", "items": {"type": "number"}, "minItems": 3072},
    {"type": "array", "items": TEXT, "minItems": 2500},
    {"type": "array", "prefixItems": [TEXT], "items": INTEGER, "minItems": 2500},
    {"type": "object", "properties": {f"p{number}": TEXT for number in range(2500)}},
]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": "null"},
        {"type": ["string", "null"]},
        {"type": ["integer", "string"], "minLength": 300},
        {"const": {"a": [1, None]}},
        {"enum": [None, "b", 3]},
        {"type": "string", "enum": ["a", "b"], "default": "b"},
        {"type": "string", "minLength": 200},
        {"type": "string", "maxLength": 3},
        {"type": "string", "maxLength": 0},
        {"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$"},
        {"type": "string", "pattern": "^(?!x)[a-z]+(-[a-z0-9]+)*$", "minLength": 12},
        {"type": "string", "pattern": "^\\+[1-9]\\d{6,14}$", "maxLength": 9},
        {"allOf": [{"pattern": "^a"}, {"type": "string", "pattern": "z$"}]},
        {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*\\d)(?=.*[!#]).{8,}$", "maxLength": 9},
        {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{6}$"},
        {"type": "string", "pattern": "^[A-Z]", "minLength": 5},
        {"type": "string", "pattern": "foo", "minLength": 20, "maxLength": 22},
        {"type": "integer", "minimum": 7, "maximum": 7},
        {"type": "integer", "exclusiveMinimum": 7, "exclusiveMaximum": 9},
        {"type": "integer", "multipleOf": 7, "minimum": 1000},
        {"type": "integer", "maximum": -5000},
        {"type": "integer", "minimum": 10**30},
        {"type": "number", "multipleOf": Decimal("0.01"), "maximum": Decimal("0.05")},
        {"type": "number", "minimum": Decimal("0.1"), "exclusiveMaximum": Decimal("0.2")},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": Decimal("1e-20")},
        {"allOf": [{"type": "integer", "multipleOf": 4}, {"multipleOf": 6, "minimum": 1}]},
        {"type": "array", "items": INTEGER, "minItems": 7},
        {"type": "array", "maxItems": 0},
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True},
        {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True, "minItems": 3},
        {"type": "array", "prefixItems": [TEXT, INTEGER], "items": False},
        {"type": "array", "contains": {"const": 5}, "minContains": 2, "items": INTEGER},
        {"type": "object", "required": ["unlisted"]},
        {"type": "object", "additionalProperties": INTEGER, "minProperties": 12},
        {"type": "object", "minProperties": 3, "propertyNames": {"pattern": "^x-[a-z]{3}$"}},
        {"type": "object", "patternProperties": {"^s_\\d$": TEXT}, "additionalProperties": False},
        {
            "type": "object",
            "patternProperties": {"^x-": TEXT},
            "additionalProperties": False,
            "minProperties": 3,
        },
        {"properties": {"a": TEXT, "b": TEXT, "c": TEXT}, "maxProperties": 2, "required": ["c"]},
        {"properties": {"a": TEXT, "b": TEXT}, "dependentRequired": {"a": ["b"]}},
        {"allOf": [{"properties": {"a": TEXT}}, {"properties": {"a": {"minLength": 90}}}]},
        {"oneOf": [{"type": "null"}, INTEGER]},
        {"oneOf": [{"type": "number"}, INTEGER]},
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": TEXT, "b": TEXT}},
        {"anyOf": [{"minimum": 5}, {"maximum": 2}], "type": "integer"},
        {
            "properties": {"a": TEXT},
            "oneOf": [{"properties": {"b": TEXT}, "additionalProperties": False}],
        },
        {"type": "integer", "not": {"minimum": 3}, "minimum": 0},
        {"type": "string", "not": {"enum": ["standard", "regular", "special"]}},
        {"type": "string", "example": 5},
        {"type": "string", "minLength": 4, "example": "abc", "examples": ["de", "fghi"]},
        {"type": "integer", "default": "none"},
        *({"type": "string", "format": each} for each in ("date-time", "date", "time", "duration")),
        *({"type": "string", "format": each} for each in ("uuid", "email", "hostname", "uri")),
        *({"type": "string", "format": each} for each in ("ipv4", "ipv6", "byte", "binary", "x")),
        *(pytest.param(each, marks=pytest.mark.slow) for each in LARGE),
    ],
)
def test_values_are_valid(folder: Path, schema: Node) -> None:
    check(folder, schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "nullable": True, "enum": ["a"]},
        {"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 4},
        {"type": "number", "maximum": 3, "exclusiveMaximum": True, "minimum": 2},
        {"type": "object", "properties": {"a": {"allOf": [TEXT], "nullable": True}}},
    ],
)
def test_values_of_3_0_are_valid(folder: Path, schema: Node) -> None:
    check(folder, schema, "3.0.3")


CIRCULAR: dict[str, dict[str, Any]] = {
    "optional": {"properties": {"target": reference("Target"), "name": TEXT}},
    "list": {
        "properties": {"children": {"type": "array", "items": reference("Target")}},
        "required": ["children"],
    },
    "nullable": {
        "properties": {"next": {"oneOf": [reference("Target"), {"type": "null"}]}},
        "required": ["next"],
    },
    "one branch": {
        "oneOf": [
            {"properties": {"left": reference("Target")}, "required": ["left"]},
            {"properties": {"leaf": TEXT}, "required": ["leaf"], "maxProperties": 1},
        ]
    },
    "map": {"additionalProperties": reference("Target")},
    "in allOf": {"properties": {"parent": {"allOf": [reference("Target")]}, "id": INTEGER}},
}


@pytest.mark.parametrize("schema", CIRCULAR.values(), ids=CIRCULAR)
def test_circular_schemas_end(folder: Path, schema: Node) -> None:
    check(folder, {"type": "object", **schema})


TARGET = reference("Target")
LAYERS: dict[str, Any] = {
    f"Layer{number}": {
        "allOf": [reference(f"Layer{number + 1}")] * 2,
        "properties": {f"p{part}": reference(f"Layer{number + 1}") for part in range(9)},
    }
    for number in range(30)
}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": TARGET}, "required": ["a"]},
        {"properties": dict.fromkeys("abc", TARGET), "required": ["a", "b", "c"]},
        pytest.param(
            {"anyOf": [TARGET, {"type": "array", "items": TARGET, "minItems": 2}]},
            marks=pytest.mark.slow,
        ),
        {"oneOf": [{"properties": dict.fromkeys("ab", TARGET), "required": ["a", "b"]}] * 3},
        {"additionalProperties": TARGET, "minProperties": 9},
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "string", "minLength": 5, "maxLength": 4, "pattern": "^([a-z]+)+[0-9]{999}$"},
        {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 3},
        reference("Layer0"),
    ],
)
def test_schemas_that_nothing_satisfies_end(folder: Path, schema: Node) -> None:
    document = document_of(folder, "3.1.0", Target=schema, Layer30=TEXT, **LAYERS)
    values = Values(document, lambda *_: False, lambda _, value: value, seed=1, now=NOW)
    values.value(TARGET)
    values.record("pets", TARGET, 3)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 10**12},
        {"type": "string", "format": "byte", "minLength": 10**12},
        {"type": "string", "pattern": "^[a-z]+$", "minLength": 10**12},
        {"type": "array", "minItems": 10**12},
        {"type": "array", "items": INTEGER, "minItems": 10**12},
        {"type": "array", "items": {"type": "array", "minItems": 10**12}, "minItems": 10**12},
        {"type": "array", "contains": INTEGER, "minContains": 10**12},
        {"type": "object", "minProperties": 10**12},
        {"patternProperties": {"^x$": TEXT}, "additionalProperties": False, "minProperties": 9**9},
    ],
)
def test_a_huge_minimum_is_ignored(folder: Path, schema: Node) -> None:
    values = values_of(document_of(folder, Target=schema))

    assert len(dump_json(values.value(TARGET))) < 2_000_000


def test_an_integer_has_the_range_of_its_format(folder: Path) -> None:
    schema = {"type": "integer", "format": "int32", "minimum": 2**31 - 2}
    values = values_of(document_of(folder, Target=schema))

    assert values.value(TARGET) in (2**31 - 2, 2**31 - 1)


SCALARS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({"type": "boolean"}),
    st.builds(
        lambda low, span, step: {
            "type": "integer",
            "minimum": low,
            "maximum": low + span + step,
            "multipleOf": step,
        },
        st.integers(-(10**6), 10**6),
        st.integers(0, 1000),
        st.integers(1, 50),
    ),
    st.builds(
        lambda low, span: {"type": "number", "minimum": low, "exclusiveMaximum": low + span},
        st.decimals(-1000, 1000, places=3),
        st.decimals("0.001", 50, places=3),
    ),
    st.builds(
        lambda low, span: {"type": "string", "minLength": low, "maxLength": low + span},
        st.integers(0, 60),
        st.integers(0, 60),
    ),
    st.builds(
        lambda low, span: {"type": "string", "pattern": f"^[a-f0-9]{{{low},{low + span}}}$"},
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    st.sampled_from(["date-time", "date", "uuid", "email", "uri", "byte"]).map(
        lambda form: {"type": "string", "format": form}
    ),
    st.lists(st.integers() | st.text() | st.booleans(), min_size=1, max_size=4).map(
        lambda each: {"enum": each}
    ),
)
NAMES = st.sampled_from(
    """id name email createdAt updatedAt price slug title petId tags total url address x deletedAt
    city count avatar Ümlaut $a/b""".split()  # noqa: SIM905
)


@st.composite
def objects(draw: st.DrawFn, parts: st.SearchStrategy[Any]) -> dict[str, Any]:
    properties = draw(st.dictionaries(NAMES, parts, max_size=6))
    required = (
        draw(st.lists(st.sampled_from(sorted(properties)), unique=True)) if properties else []
    )
    closed = {"additionalProperties": False} if draw(st.booleans()) else {}
    return {"type": "object", "properties": properties, "required": required, **closed}


SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    SCALARS,
    lambda parts: st.one_of(
        objects(parts),
        st.builds(
            lambda items, low: {"type": "array", "items": items, "minItems": low},
            parts,
            st.integers(0, 4),
        ),
        st.builds(lambda each: {"type": "object", "additionalProperties": each}, parts),
        st.builds(lambda each: {"anyOf": each}, st.lists(parts, min_size=1, max_size=3)),
        st.builds(lambda one: {"oneOf": [{"type": "null"}, {"allOf": [one]}]}, parts),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(schema=SCHEMAS, number=st.integers(1, 50), seed=st.integers(0, 2**63 - 1))
def test_values_of_any_schema_are_valid(folder: Path, schema: Node, number: int, seed: int) -> None:
    owner = {"type": "object", "properties": {"part": schema}, "required": ["part"]}
    document = document_of(folder, Target=schema, Owner=owner)
    is_valid, values = is_valid_by(document), values_of(document, seed)
    value = values.value(reference("Target"), kind="pet")
    record = values.record("pets", reference("Owner"), number)
    assert is_valid(schema, value) and is_valid(owner, record)
    assert not has_float(value) and not has_float(record)
    again = values_of(document, seed)
    assert dump_json(again.record("pets", reference("Owner"), number)) == dump_json(record)


# Credible


def shaped(**properties: object) -> dict[str, Any]:
    """Return an object of texts, or of the given schemas."""
    parts = {name: part if isinstance(part, dict) else TEXT for name, part in properties.items()}
    return {"type": "object", "properties": parts}


MOMENT = {"type": "string", "format": "date-time"}
PERSON = shaped(firstName=1, lastName=1, fullName=1, email=1, username=1, id=INTEGER)
ARTICLE = shaped(id=INTEGER, title=1, slug=1, createdAt=MOMENT, updatedAt=MOMENT)


def records(folder: Path, collection: str, schema: Node, count: int = 20) -> list[dict[str, Any]]:
    values = values_of(document_of(folder, Target=schema))
    return [values.record(collection, reference("Target"), n + 1) for n in range(count)]


def test_the_properties_of_a_person_agree(folder: Path) -> None:
    people = records(folder, "users", PERSON)
    for number, person in enumerate(people):
        first, last = person["firstName"], person["lastName"]
        assert person["id"] == number + 1
        assert person["fullName"] == f"{first} {last}"
        assert person["email"] == f"{first}.{last}@example.com".lower()
        assert person["username"] == f"{first}.{last}".lower()
    assert len({person["email"] for person in people}) == len(people)


def test_times_follow_the_clock_and_slugs_the_title(folder: Path) -> None:
    now = datetime.fromisoformat("2026-05-04T09:30:00Z")
    articles = records(folder, "articles", ARTICLE, 60)
    times = [datetime.fromisoformat(article["createdAt"]) for article in articles]
    assert times == sorted(times)
    for article, created in zip(articles, times, strict=True):
        assert created <= datetime.fromisoformat(article["updatedAt"]) <= now
        assert article["slug"].startswith(article["title"].lower().split()[0].replace("'", ""))
    assert len({article["slug"] for article in articles}) == len(articles)


def test_an_end_is_after_its_start(folder: Path) -> None:
    for start, end in (("startTime", "endTime"), ("departure_time", "arrival_time")):
        for trip in records(folder, "trips", shaped(**{start: MOMENT, end: MOMENT})):
            assert trip[start] < trip[end]


@pytest.mark.parametrize(
    ("collection", "schema", "name", "known"),
    [
        ("pets", shaped(name=1), "name", {"Luna", "Milo", "Bella"}),
        ("companies", shaped(name=1), "name", {"Northwind Logistics", "Harbor & Pine"}),
        ("events", shaped(name=1), "name", {"Open Studio Night", "Jazz in the Park"}),
        ("shops", shaped(city=1), "city", {"Lisbon", "Berlin", "Kyoto"}),
        ("products", shaped(title=1), "title", {"Ceramic Mug", "Desk Lamp"}),
        ("tickets", shaped(event_name=1), "event_name", {"Open Studio Night"}),
    ],
)
def test_names_are_those_of_the_collection(
    folder: Path, collection: str, schema: Node, name: str, known: set[str]
) -> None:
    assert known <= {record[name] for record in records(folder, collection, schema, 25)}


@pytest.mark.parametrize(
    ("name", "schema", "pattern"),
    [
        ("email", TEXT, r"[a-z.-]+@example\.com"),
        ("phone_number", TEXT, r"\+1 \d{3} 555 01\d\d"),
        ("avatarUrl", TEXT, r"https://example\.com/avatars/\S+\.jpg"),
        ("price", {"type": "number"}, r"\d+(\.\d\d?)?"),
        ("postal_code", TEXT, r"[A-Z0-9 -]{4,8}"),
        ("birthday", TEXT, r"(19|20)\d\d-\d\d-\d\d"),
        ("latitude", {"type": "number"}, r"-?\d+\.\d+"),
        ("rating", {"type": "number"}, r"[3-5](\.\d)?"),
        ("colorHex", TEXT, r"#[0-9a-f]{6}"),
        ("petId", INTEGER, r"[1-5]"),
        ("sku", TEXT, r"[A-Z]{3}-\d{4}"),
        ("id", TEXT, r"order-\d+"),
    ],
)
def test_values_fit_their_names(folder: Path, name: str, schema: Node, pattern: str) -> None:
    for record in records(folder, "orders", shaped(**{name: schema}), 10):
        assert re.fullmatch(pattern, str(record[name])), record


def test_an_author_is_one_of_the_users(folder: Path) -> None:
    article = shaped(author=reference("User"))
    document = document_of(folder, User=PERSON, Article=article)
    values = values_of(document)
    users = [values.record("users", reference("User"), n) for n in range(1, 6)]
    for number in range(1, 20):
        assert values.record("articles", reference("Article"), number)["author"] in users


# Examples

PETS = {"type": "array", "items": reference("Pet")}
PET = {**shaped(name=1, kind={"type": "string", "enum": ["cat", "dog"]}), "required": ["kind"]}


def test_records_are_first_the_valid_examples_of_lists(folder: Path) -> None:
    listed = [
        {"name": "Rex", "kind": "dog"},
        {"name": "Bad", "kind": "bird"},
        {"name": "Tom", "kind": "cat"},
    ]
    alone = {"name": "Kit", "kind": "cat"}
    responses = {
        "one": {"200": response({"schema": reference("Pet"), "example": alone})},
        "all": {"200": response({"schema": PETS, "examples": {"a": {"value": listed}}})},
        "valid": {"200": response({"schema": PETS, "examples": {"a": {"value": listed[::2]}}})},
    }
    values = values_of(document_with(folder, responses, {"Pet": PET}))
    pets = [values.record("pets", reference("Pet"), n) for n in (1, 2, 3, 4)]
    assert pets[:3] == [listed[0], listed[2], alone]
    assert pets[3] not in pets[:3]


@pytest.mark.parametrize(
    ("media", "name", "expected"),
    [
        ({"example": 5}, "", 5),
        ({"example": "x"}, "", ABSENT),
        ({"examples": {"a": {"value": "x"}, "b": {"value": 7}}}, "", 7),
        ({"examples": {"a": {"value": 6}, "b": {"value": 7}}}, "b", 7),
        ({"examples": {"a": {"value": "x"}}}, "a", ABSENT),
        ({"examples": {"a": {"externalValue": "http://localhost/"}}}, "a", ABSENT),
        ({"examples": {"a": {"value": 6}}}, "c", ABSENT),
        ({}, "", ABSENT),
    ],
)
def test_only_valid_examples_are_used(
    folder: Path, media: Node, name: str, expected: object
) -> None:
    document = document_with(folder, {"one": {"200": response({"schema": INTEGER, **media})}})
    content = document.operations[0].responses["200"]["content"]
    assert values_of(document).example(content["application/json"], name) == expected


@pytest.mark.parametrize(
    ("schema", "echo", "expected"),
    [
        (shaped(name=1, id=INTEGER), {"name": "Rex"}, {"name": "Rex"}),
        (shaped(id=INTEGER), {"petId": "42"}, {"id": 42}),
        (shaped(id=INTEGER), {"id": "x"}, {"id": 3}),
        (shaped(pet=shaped(name=1)), {"name": "Rex"}, {"pet": {"name": "Rex"}}),
        (shaped(pet=shaped(name=1)), {"pet": {"name": "Rex"}}, {"pet": {"name": "Rex"}}),
        (shaped(tags={"type": "array", "items": TEXT}), {"tags": ["a"]}, {"tags": ["a"]}),
    ],
)
def test_values_of_the_request_are_repeated_where_they_are_valid(
    folder: Path, schema: Node, echo: dict[str, object], expected: dict[str, object]
) -> None:
    values = values_of(document_of(folder, Target=schema))
    value = values.value(reference("Target"), kind="pet", echo=echo)
    assert isinstance(value, dict)
    for name, each in expected.items():
        if each != 3:
            assert value[name] == each
        else:
            assert 1 <= value[name] <= 5


# Determinism

RUN = """
import sys
from pathlib import Path
from mockpets.contract.openapi_loader import load
from mockpets.seed.values import Values
from mockpets.strict_json import dump_json
document = load(Path(sys.argv[1]), "x")
values = Values(document, lambda *_: True, lambda _, value: value, seed=7, now=1777887000000)
for number in range(1, 40):
    record = values.record("articles", {"$ref": "#/components/schemas/Article"}, number)
    print(dump_json(record).decode())
"""


def test_another_process_generates_the_same_bytes(folder: Path) -> None:
    document = document_of(folder, Article=ARTICLE)
    values = Values(document, lambda *_: True, lambda _, value: value, seed=7, now=NOW)
    own = [dump_json(values.record("articles", reference("Article"), n)) for n in range(1, 40)]
    command = [sys.executable, "-c", RUN, str(folder / "test.json")]
    for hash_seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)}
        result = subprocess.run(command, capture_output=True, check=True, env=environment)
        assert result.stdout.splitlines() == own


def test_a_change_elsewhere_moves_nothing(folder: Path) -> None:
    before = records(folder, "articles", ARTICLE)
    wider = shaped(first=1, **ARTICLE["properties"], last=1)
    after = records(folder, "articles", wider)
    for one, other in zip(before, after, strict=True):
        assert one == {name: other[name] for name in one}
    document = document_of(folder, Aaa=PERSON, Target=ARTICLE, Zzz=PET)
    values = values_of(document)
    values.record("zzz", reference("Zzz"), 1)
    assert values.record("articles", reference("Target"), 7) == before[6]
