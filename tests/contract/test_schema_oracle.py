"""Schemas accept what jsonschema accepts, and marshmallow reports problems of all else."""

from decimal import Decimal
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, validators

from mockpets.contract.fields import INVALID
from mockpets.contract.json_schema import SchemaField
from mockpets.contract.schema_validation import problems_of
from tests.contract.components import fields_of, ref

NAMES = st.sampled_from(("a", "b", "c", "xa"))
NUMBERS = st.integers(-3, 12) | st.sampled_from(
    (Decimal("1.0"), Decimal("0.1"), Decimal("2.5"), Decimal("-0.0"), Decimal("1e20"), 2**70)
)
TEXTS = st.text("abA\U0001f431", max_size=3) | st.sampled_from(
    ("2030-12-05", "2030-02-30", "127.0.0.1", "::1", "a@b", "7", "true")
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES: Any = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=3),
    max_leaves=8,
)
TYPES = ("string", "integer", "number", "boolean", "array", "object")
SIZES = st.integers(0, 3)
REFERENCE: Any = st.sampled_from([ref(name) for name in "AB"])


def some(**keywords: Any) -> Any:
    return st.fixed_dictionaries({}, optional=keywords)


def typed(name: str, below: Any) -> Any:
    keywords: dict[str, Any] = {
        "string": {
            "minLength": SIZES,
            "maxLength": SIZES,
            "pattern": st.sampled_from(("^a", "b$", "^[a-z]*$", "A|b")),
            "format": st.sampled_from(("date", "email", "ipv4", "ipv6", "unknown")),
        },
        "number": {
            "minimum": NUMBERS,
            "maximum": NUMBERS,
            "multipleOf": st.sampled_from((1, 2, Decimal("0.1"), Decimal("2.5"))),
        },
        "array": {
            "items": below,
            "minItems": SIZES,
            "maxItems": SIZES,
            "uniqueItems": st.booleans(),
        },
        "object": {
            "properties": st.dictionaries(NAMES, below, max_size=3),
            "required": st.lists(NAMES, max_size=2, unique=True),
            "minProperties": SIZES,
            "maxProperties": SIZES,
        },
    }
    return some(**keywords.get("number" if name == "integer" else name, {}))


def schemas_of(version: str) -> Any:
    def below(inner: Any) -> Any:
        return one(inner) | choices(inner)

    def one(inner: Any) -> Any:
        def with_type(name: str) -> Any:
            schema = typed(name, inner)
            more: dict[str, Any] = {}
            if name in ("integer", "number"):
                limits = st.booleans() if version == "3.0" else NUMBERS
                more = {"exclusiveMinimum": limits, "exclusiveMaximum": limits}
            if name == "object":
                more["additionalProperties"] = st.booleans() | inner
                if version != "3.0":
                    more["patternProperties"] = st.dictionaries(st.just("^x"), inner, max_size=1)
                    more["propertyNames"] = st.just({"pattern": "a|b"})
            if name == "array" and version != "3.0":
                more["prefixItems"] = st.lists(inner, min_size=1, max_size=2)
            if version == "3.0":
                kind: Any = {"type": st.just(name)}
                more["nullable"] = st.booleans()
            else:
                kinds: Any = st.lists(st.sampled_from((*TYPES, "null")), max_size=2)
                kind = {"type": st.just(name) | kinds.map(lambda more: [name, *more])}
            kinds = st.fixed_dictionaries(kind, optional=more)
            untyped = some(**{key: each for key, each in more.items() if key != "nullable"})
            return st.builds(lambda first, second: {**first, **second}, schema, kinds | untyped)

        return st.sampled_from(TYPES).flatmap(with_type)

    def choices(inner: Any) -> Any:
        lists = st.lists(inner, min_size=1, max_size=3)
        return some(oneOf=lists, anyOf=lists, allOf=lists.map(without_additional), **{"not": inner})

    enums: Any = some(enum=st.lists(SCALARS, min_size=1, max_size=3, unique_by=repr))
    if version != "3.0":
        enums |= some(const=VALUES) | st.booleans()
    return st.recursive(enums | one(enums | REFERENCE) | REFERENCE, below, max_leaves=6)


def without_additional(schema: Any) -> Any:
    """Remove what `allOf` of this program sees for the merged whole, other than JSON Schema."""
    if isinstance(schema, list):
        return [without_additional(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return {"type": "object"}
    merged = ("additionalProperties", "patternProperties")
    return {
        key: without_additional(each) if key == "allOf" else each
        for key, each in schema.items()
        if key not in merged
    }


def translated(schema: Any) -> Any:
    """Return a schema of OpenAPI 3.0 as one of JSON Schema 2020-12."""
    if isinstance(schema, list):
        return [translated(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {
        key: each if key in ("enum", "const", "required") else translated(each)
        for key, each in schema.items()
    }
    if isinstance(schema.get("properties"), dict):
        result["properties"] = {
            name: translated(each) for name, each in schema["properties"].items()
        }
    if schema.get("nullable") is True and "type" in schema:
        result["type"] = [schema["type"], "null"]
    for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(exclusive), bool):
            del result[exclusive]
            if schema[exclusive] and limit in schema:
                result[exclusive] = schema[limit]
    return result


def is_integer(_: object, value: object) -> bool:
    return not isinstance(value, bool) and (
        isinstance(value, int) or (isinstance(value, Decimal) and value % 1 == 0)
    )


ORACLE: Any = cast(Any, validators).extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", is_integer),
)


def oracle_of(root: Any, schema: Any) -> Any:
    return ORACLE({**root, "allOf": [schema]}, format_checker=Draft202012Validator.FORMAT_CHECKER)


def agree(schema: Any, components: Any, version: str, value: Any) -> None:
    field = fields_of(components, version).field(schema, direction="request")
    assert isinstance(field, SchemaField)
    is_valid = field.accept(value) is not INVALID

    assert is_valid == (not problems_of(field, value))
    change = translated if version == "3.0" else lambda each: each
    translation = {name: change(each) for name, each in components.items()}
    oracle = oracle_of({"components": {"schemas": translation}}, change(schema))
    assert is_valid == oracle.is_valid(value), [*oracle.iter_errors(value)]


def components_of(version: str) -> Any:
    """Return strategies for components without a reference to themselves at the same value."""
    flat = schemas_of(version).map(lambda each: {} if "$ref" in repr(each) else each)
    flat = flat.filter(lambda each: isinstance(each, dict))
    return st.fixed_dictionaries({"A": flat, "B": flat})


@pytest.mark.slow
@given(schema=schemas_of("3.1"), components=components_of("3.1"), value=VALUES)
def test_schemas_of_3_1(schema: Any, components: Any, value: Any) -> None:
    agree(schema, components, "3.1", value)


@pytest.mark.slow
@given(schema=schemas_of("3.0"), components=components_of("3.0"), value=VALUES)
def test_schemas_of_3_0(schema: Any, components: Any, value: Any) -> None:
    agree(schema, components, "3.0", value)


def near(schema: Any, schemas: Any, depth: int = 3) -> Any:
    """Return a strategy for values of which most are valid by a schema, or almost."""
    if isinstance(schema, bool):
        return VALUES
    while "$ref" in schema:
        schema = schemas[schema["$ref"].rpartition("/")[2]]
    for keyword in ("oneOf", "anyOf"):
        if keyword in schema:
            return st.one_of([near(each, schemas, depth) for each in schema[keyword]])
    if "allOf" in schema:
        merge = lambda values: {k: v for value in values for k, v in value.items()}  # noqa: E731
        objects = [near(each, schemas, depth) for each in schema["allOf"]]
        return st.tuples(*objects).map(merge)
    if depth and "properties" in schema:
        properties = {
            name: near(each, schemas, depth - 1) | VALUES if depth == 3 else near(each, schemas, 0)
            for name, each in schema["properties"].items()
        }
        whole = {key: each for key, each in properties.items() if key in schema.get("required", ())}
        rest = {key: each for key, each in properties.items() if key not in whole}
        more: Any = {**rest, "other": VALUES}
        return st.fixed_dictionaries(whole, optional=more) | some(**{**properties, **more})
    if depth and "items" in schema:
        return st.lists(near(schema["items"], schemas, depth - 1), max_size=3)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    return {"string": TEXTS, "integer": NUMBERS, "number": NUMBERS}.get(
        str(schema.get("type")), VALUES
    )


CLINIC: Any = {
    "Animal": {
        "type": "object",
        "required": ["name", "kind"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 2},
            "kind": {"type": "string", "enum": ["cat", "dog"]},
            "weight": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            "born": {"type": "string", "format": "date", "nullable": True},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "owner": ref("Owner"),
        },
    },
    "Owner": {
        "type": "object",
        "required": ["email"],
        "properties": {
            "email": {"type": "string", "format": "email"},
            "animals": {"type": "array", "maxItems": 2, "items": ref("Animal")},
        },
        "additionalProperties": False,
    },
    "Sick": {
        "allOf": [
            ref("Animal"),
            {"type": "object", "required": ["days"], "properties": {"days": {"type": "integer"}}},
        ]
    },
    "Page": {
        "type": "object",
        "required": ["data", "meta"],
        "properties": {
            "data": {"type": "array", "items": {"oneOf": [ref("Animal"), ref("Owner")]}},
            "meta": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
    },
}
SHOP: Any = {
    "Order": {
        "type": "object",
        "required": ["id", "lines"],
        "properties": {
            "id": {"type": ["integer", "string"], "exclusiveMinimum": 0},
            "lines": {"type": "array", "minItems": 1, "items": ref("Line")},
            "note": {"type": ["string", "null"], "maxLength": 2},
            "payment": {"oneOf": [ref("Card"), ref("Cash"), {"type": "null"}]},
            "range": {"prefixItems": [{"type": "integer"}, {"type": "integer"}], "items": False},
        },
    },
    "Line": {
        "type": "object",
        "required": ["price"],
        "properties": {
            "price": {"type": "number", "minimum": 0, "multipleOf": Decimal("0.1")},
            "parts": {"type": "array", "items": ref("Line")},
        },
        "patternProperties": {"^x": {"type": "string"}},
        "additionalProperties": False,
    },
    "Card": {
        "type": "object",
        "required": ["kind", "number"],
        "properties": {"kind": {"const": "card"}, "number": {"type": "string", "pattern": "^a"}},
    },
    "Cash": {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["cash"]}}},
    "Filter": {"anyOf": [{"type": "array", "items": ref("Filter")}, {"type": "boolean"}]},
}
DOCUMENTS = {"3.0": CLINIC, "3.1": SHOP}


@pytest.mark.parametrize(
    ("version", "name"), [(version, name) for version in DOCUMENTS for name in DOCUMENTS[version]]
)
@given(data=st.data())
def test_schemas_of_documents(version: str, name: str, data: Any) -> None:
    schemas = DOCUMENTS[version]

    agree(ref(name), schemas, version, data.draw(near(schemas[name], schemas)))
