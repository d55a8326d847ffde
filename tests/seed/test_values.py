"""Generated values: valid by jsonschema, the same each time, and credible."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockpets.contract.openapi import Document, Node, load
from mockpets.seed.values import Values
from mockpets.strict_json import dump_json
from tests.contract.json_schema import is_valid_by

NOW = 1_777_887_000_000
"""2026-05-04T09:30:00Z."""

TEXT: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


def document_of(folder: Path, version: str = "3.1.0", **schemas: Node) -> Document:
    """Return a document with an operation for each schema."""
    return document_with(
        folder, {name: {"schema": reference(name)} for name in schemas}, schemas, version
    )


def document_with(folder: Path, media: Node, schemas: Node, version: str = "3.1.0") -> Document:
    """Return a document with an operation for each media object, by the operation's name."""
    paths = {
        f"/{name}": {
            "get": {
                "operationId": name,
                "responses": {"200": {"description": "", "content": {"application/json": each}}},
            }
        }
        for name, each in media.items()
    }
    root = {"openapi": version, "info": {}, "paths": paths, "components": {"schemas": schemas}}
    file = folder / "test.json"
    file.write_bytes(dump_json(root))
    return load(file, file.name)


def values_of(document: Document, seed: int = 1) -> Values:
    return Values(document, is_valid_by(document), seed=seed, now=NOW)


def reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


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


def test_schemas_that_nothing_satisfies_end(folder: Path) -> None:
    endless = {"type": "object", "properties": {"a": reference("Target")}, "required": ["a"]}
    wide = {"properties": {f"p{n}": reference("Target") for n in range(9)}, "type": "object"}
    both = {"oneOf": [reference("Target"), reference("Target")]}
    for schema in (endless, both, {"allOf": [reference("Target")]}, {**wide, "required": ["p1"]}):
        document = document_of(folder, Target=schema)
        values = Values(document, lambda *_: False, seed=1, now=NOW)
        values.value(reference("Target"))


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


@settings(deadline=None, max_examples=100, suppress_health_check=list(HealthCheck))
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
