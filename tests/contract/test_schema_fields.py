"""Values are accepted by the schemas of a document, and problems name what is wrong."""

from collections.abc import Mapping
from decimal import Decimal
from time import monotonic
from typing import Any

import pytest

from mockpets.contract.fields import INVALID
from mockpets.contract.json_schema import SchemaField
from mockpets.contract.patterns import matcher
from mockpets.contract.schema_fields import Direction
from mockpets.strict_json import parse_json
from tests.contract.components import fields_of, ref

SCHEMAS: Mapping[str, Any] = {
    "Animal": {
        "type": "object",
        "required": ["name", "kind", "id", "token"],
        "properties": {
            "id": {"type": "integer", "format": "int64", "readOnly": True},
            "name": {"type": "string", "minLength": 1, "maxLength": 20},
            "kind": {"type": "string", "enum": ["cat", "dog", "bird"]},
            "weight": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            "born": {"type": "string", "format": "date", "nullable": True},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            "owner": {"$ref": "#/components/schemas/Owner"},
            "token": {"type": "string", "writeOnly": True},
        },
    },
    "Owner": {
        "type": "object",
        "required": ["email"],
        "properties": {
            "email": {"type": "string", "format": "email"},
            "animals": {"type": "array", "items": {"$ref": "#/components/schemas/Animal"}},
        },
        "additionalProperties": False,
    },
    "Sick": {
        "allOf": [
            {"$ref": "#/components/schemas/Animal"},
            {"required": ["illness"], "properties": {"illness": {"type": "string"}}},
            {"properties": {"name": {"maxLength": 5}}, "additionalProperties": False},
        ]
    },
    "Card": {
        "type": "object",
        "required": ["type", "number"],
        "properties": {"type": {"type": "string"}, "number": {"type": "string"}},
    },
    "Transfer": {
        "type": "object",
        "required": ["type", "iban"],
        "properties": {"type": {"type": "string"}, "iban": {"type": "string"}},
    },
    "Payment": {
        "oneOf": [{"$ref": "#/components/schemas/Card"}, {"$ref": "#/components/schemas/Transfer"}],
        "discriminator": {
            "propertyName": "type",
            "mapping": {"card": "#/components/schemas/Card", "bank": "Transfer"},
        },
    },
    "Tree": {
        "type": "object",
        "properties": {
            "value": {"type": "integer"},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}},
        },
        "additionalProperties": False,
    },
    "Shape": {
        "type": "object",
        "required": ["form"],
        "properties": {"form": {"type": "string"}},
        "oneOf": [{"$ref": "#/components/schemas/Circle"}, {"$ref": "#/components/schemas/Box"}],
        "discriminator": {"propertyName": "form"},
    },
    "Circle": {
        "allOf": [
            {"$ref": "#/components/schemas/Shape"},
            {"required": ["radius"], "properties": {"radius": {"type": "number"}}},
        ]
    },
    "Box": {
        "allOf": [
            {"$ref": "#/components/schemas/Shape"},
            {"required": ["width"], "properties": {"width": {"type": "number"}}},
        ]
    },
    "Endless": {"anyOf": [{"$ref": "#/components/schemas/Endless"}, {"type": "string"}]},
    "Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}, {"type": "integer"}]},
    "Opposite": {"not": {"$ref": "#/components/schemas/Opposite"}},
}


def value_of(text: str) -> Any:
    return parse_json(text.encode())


def problems(
    schema: Any, value: object, direction: Direction = "request", *, is_text: bool = False
) -> str:
    fields = fields_of(SCHEMAS)
    field = fields.text_field(schema) if is_text else fields.field(schema, direction=direction)
    found = field.problems(value)
    return "; ".join(" ".join((".".join(map(str, path)), what)).strip() for path, what in found)


@pytest.mark.parametrize(("schema", "text", "problem"), [
    ({"type": "integer"}, "1.5", "must be an integer, got 1.5"),
    ({"type": "integer"}, '"7"', 'must be an integer, got the text "7"; remove the quotes'),
    ({"type": "integer"}, '"x"', 'must be an integer, got "x"'),
    ({"type": "integer"}, "true", "must be an integer, got true"),
    ({"type": "integer"}, "null", "must be an integer, got null"),
    ({"type": "integer", "nullable": True}, "{}", "must be an integer or null, got an object"),
    ({"type": "integer", "minimum": 1, "maximum": 9}, "0", "must be an integer from 1 to 9, got 0"),
    ({"type": "integer", "minimum": 1}, "0", "must be an integer of at least 1, got 0"),
    ({"type": "integer", "maximum": 1}, "2", "must be an integer of at most 1, got 2"),
    ({"type": "integer", "format": "int32"}, "2147483648",
     "must be an integer from -2147483648 to 2147483647 (int32), got 2147483648"),
    ({"type": "number", "exclusiveMinimum": 0}, "0", "must be a number greater than 0, got 0"),
    ({"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1}, "0",
     "must be a number greater than 0 and of at most 1, got 0"),
    ({"type": "number", "exclusiveMaximum": 1}, "1.0", "must be a number less than 1, got 1.0"),
    ({"type": "number"}, "1e99999999999999999999",
     "must be a number that JSON can represent, got Infinity"),
    ({"type": "number", "multipleOf": Decimal("0.01")}, "0.111",
     "must be a multiple of 0.01, got 0.111"),
    ({"allOf": [{"multipleOf": 5}, {"multipleOf": 5}]}, "7", "must be a multiple of 5, got 7"),
    ({"type": "boolean"}, '"true"', 'must be a boolean, got the text "true"; remove the quotes'),
    ({"type": "string"}, "7", "must be a string, got 7"),
    ({"type": ["string", "null"]}, "7", "must be a string or null, got 7"),
    ({"type": ["string", "integer"]}, "true", "must be a string or an integer, got true"),
    ({"type": "string"}, r'"\ud800"', r'must be a string of Unicode text, got "\ud800"'),
    ({"type": "string", "minLength": 1}, '""', "must have at least 1 character, got 0"),
    ({"type": "string", "maxLength": 2}, '"abc"', "must have at most 2 characters, got 3"),
    ({"type": "string", "minLength": 2, "maxLength": 2}, '"abc"',
     "must have exactly 2 characters, got 3"),
    ({"type": "string", "minLength": 4, "maxLength": 9}, '"abc"',
     "must have 4 to 9 characters, got 3"),
    ({"type": "string", "pattern": "^[a-z]+$"}, '"A"', 'must match the pattern ^[a-z]+$, got "A"'),
    ({"type": "string", "format": "date"}, '"2030-02-30"',
     'must be a date such as 2030-12-05, got "2030-02-30"'),
    ({"type": "string", "format": "uuid"}, '"7"', 'must be a UUID, got "7"'),
    ({"enum": ["a", "b"]}, '"c"', 'must be one of a, b, got "c"'),
    ({"enum": ["a", None]}, "3", "must be one of a, null, got 3"),
    ({"enum": [1, 2]}, '"2"', 'must be one of 1, 2, got the text "2"; remove the quotes'),
    ({"enum": [1]}, "true", "must be 1, got true"),
    ({"const": "a"}, '"b"', 'must be a, got "b"'),
    ({"const": None}, "1", "must be null, got 1"),
    ({"anyOf": [{"type": "object"}, {"type": "string", "format": "date"}]}, '"x"',
     'must be a date such as 2030-12-05, got "x"'),
    ({"minItems": 2, "maxItems": 1}, "[1]", "must have at least 2 and at most 1 items, got 1"),
    ({"enum": [f"color-{index}" for index in range(30)]}, '"colr-29"',
     "must be one of " + ", ".join(f"color-{index}" for index in range(10))
     + ", 20 more, got \"colr-29\"; did you mean 'color-29'?"),
    ({"type": "array", "minItems": 1}, "[]", "must have at least 1 item, got 0"),
    ({"uniqueItems": True}, "[1, 2, 1.0]", "must have unique items, got 1.0 twice"),
    ({"type": "array", "items": {"type": "integer"}}, "[1, null, {}]",
     "1 must be an integer, got null; 2 must be an integer, got an object"),
    ({"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}, '["a", 1]',
     '0 must be an integer, got "a"; 1 must be a string, got 1'),
    ({"type": "object"}, "[]", "must be an object, got an array"),
    ({"required": ["a"]}, "{}", "a is required"),
    ({"required": ["a"], "properties": {"a": False}}, '{"a": 1}', "a must not be sent, got 1"),
    ({"minProperties": 1}, "{}", "must have at least 1 property, got 0"),
    ({"maxProperties": 1}, '{"a": 1, "b": 2}', "must have at most 1 property, got 2"),
    ({"propertyNames": {"pattern": "^x-"}}, '{"a": 1}',
     'must not have a property with the name "a"'),
    ({"additionalProperties": {"type": "integer"}}, '{"a": "x"}', 'a must be an integer, got "x"'),
    ({"patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False},
     '{"x-a": "x", "b": 1}', 'x-a must be an integer, got "x"; b is not a known property'),
    ({"properties": {"Meta": {"type": "string"}, "a.b": {"type": "string"},
                     "_schema": {"type": "string"}, "load": {"type": "string"}}},
     '{"Meta": 1, "a.b": 2, "_schema": 3, "load": 4}',
     "Meta must be a string, got 1; a.b must be a string, got 2; "
     "_schema must be a string, got 3; load must be a string, got 4"),
    (False, "1", "must not be sent, got 1"),
    ({"not": {}}, "1", "must not be sent, got 1"),
    ({"not": {"type": "string"}}, '"a"', "must not match the schema of 'not', got \"a\""),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "true",
     "must be a string or an integer, got true"),
    ({"oneOf": [{"type": "boolean"}, {"type": "integer"}]}, '"1"',
     'must be a boolean or an integer, got the text "1"; remove the quotes'),
    ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, "1",
     "must match only one schema of 'oneOf', but matches a number and an integer"),
    ({"oneOf": [ref("Card"), ref("Tree")]}, '{"type": "x", "number": "1"}', ""),
    ({"oneOf": [ref("Card"), {"type": "object"}]}, '{"type": "x", "number": "1"}',
     "must match only one schema of 'oneOf', but matches Card and an object"),
    ({"anyOf": [ref("Card"), ref("Owner")]}, '{"type": "x"}', "number is required"),
    (ref("Animal"), '{"name": "", "kind": "cow", "weight": 0, "born": "x", "tags": ["a", "a"]}',
     "name must have 1 to 20 characters, got 0; kind must be one of cat, dog, bird, got \"cow\"; "
     "weight must be a number greater than 0, got 0; "
     "born must be a date such as 2030-12-05, got \"x\"; "
     "tags must have unique items, got \"a\" twice; token is required"),
    (ref("Animal"), '{"name": "Miso", "kind": "cat", "token": "", "owner": {"emial": "a"}}',
     "owner.email is required; owner.emial is not a known property; did you mean 'email'?"),
    (ref("Owner"), '{"email": "a@b", "animals": [{"name": "Miso", "kind": "cat", "token": 1}]}',
     "animals.0.token must be a string, got 1"),
    (ref("Sick"), '{"name": "Mishka", "kind": "cat", "token": "", "other": 1}',
     "name must have 1 to 5 characters, got 6; illness is required; "
     "other is not a known property; did you mean 'owner'?"),
    (ref("Payment"), '{"type": "card", "iban": "x"}', "number is required"),
    (ref("Payment"), '{"type": "bank", "number": "x"}', "iban is required"),
    (ref("Payment"), '{"type": "cash"}',
     'type must be one of card, bank, got "cash"'),
    (ref("Payment"), "{}", "type is required"),
    (ref("Payment"), "[]", "must be an object, got an array"),
    (ref("Tree"), '{"children": [{"children": [{"value": "1"}]}]}',
     'children.0.children.0.value must be an integer, got the text "1"; remove the quotes'),
    (ref("Shape"), '{"form": "Circle", "width": 1}', "radius is required"),
    (ref("Circle"), '{"form": "Circle", "radius": "1"}',
     'radius must be a number, got the text "1"; remove the quotes'),
    (ref("Loop"), '"a"', 'must be an integer, got "a"'),
])  # fmt: skip
def test_problems_are_reported(schema: Any, text: str, problem: str) -> None:
    assert problems(schema, value_of(text)) == problem


@pytest.mark.parametrize(("schema", "text", "result"), [
    ({"type": "integer"}, "1.0", "1"),
    ({"type": "integer"}, "123456789012345678901234567890", "123456789012345678901234567890"),
    ({"type": "number"}, "1.10", "1.10"),
    ({"type": "number", "multipleOf": Decimal("0.01")}, "0.29", "0.29"),
    ({"type": "number", "multipleOf": 3}, "3e400", "3e400"),
    ({"type": "integer", "nullable": True}, "null", "null"),
    ({"nullable": True, "allOf": [{"type": "string"}]}, "null", "null"),
    ({"nullable": True, "enum": ["a"]}, "null", "null"),
    ({"enum": [{"a": [1]}]}, '{"a": [1.0]}', '{"a": [1.0]}'),
    ({"type": "string", "pattern": "(a+)+$"}, '"b"', '"b"'),
    ({"type": "string", "format": "unknown"}, '"b"', '"b"'),
    ({"type": "string", "minLength": 1, "maxLength": 1}, '"\U0001f431"', '"\U0001f431"'),
    ({"type": "whatever"}, '"b"', '"b"'),
    ({"minimum": 3, "minLength": 1}, '[""]', '[""]'),
    ({}, '{"a": {"b": [null]}}', '{"a": {"b": [null]}}'),
    (True, "null", "null"),
    ({"type": "object", "additionalProperties": True}, '{"b": 1}', '{"b": 1}'),
    ({"properties": {"a": {}}}, '{"b": 1, "a": 2}', '{"a": 2}'),
    ({"properties": {"a": {}}, "additionalProperties": True}, '{"b": 1, "a": 2}',
     '{"b": 1, "a": 2}'),
    ({"properties": {"a": {}}, "required": ["b"]}, '{"b": 1, "c": 2}', '{"b": 1}'),
    ({"required": ["a"]}, '{"b": 1, "a": 2}', '{"b": 1, "a": 2}'),
    ({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     '{"b": 1, "a": 2}', '{"a": 2}'),
    ({"anyOf": [{"properties": {"a": {}}}, {"properties": {"b": {}}}]}, '{"b": 1, "c": 3, "a": 2}',
     '{"b": 1, "a": 2}'),
    ({"allOf": [{"properties": {"a": {"properties": {"b": {}}}}},
                {"properties": {"a": {"properties": {"c": {}}}}}]},
     '{"a": {"d": 1, "c": 2, "b": 3}}', '{"a": {"c": 2, "b": 3}}'),
    ({"patternProperties": {"(x+)+": {"type": "integer"}}, "additionalProperties": False},
     '{"x": "1"}', '{"x": "1"}'),
    (ref("Animal"), '{"id": "x", "token": "t", "kind": "cat", "name": "Miso", "born": null}',
     '{"token": "t", "kind": "cat", "name": "Miso", "born": null}'),
    (ref("Payment"), '{"type": "card", "number": "1", "iban": "x"}',
     '{"type": "card", "number": "1"}'),
    (ref("Circle"), '{"form": "Circle", "radius": 1, "x": 2}', '{"form": "Circle", "radius": 1}'),
    (ref("Shape"), '{"form": "Box", "width": 1, "x": 2}', '{"form": "Box", "width": 1}'),
    (ref("Endless"), "7", "7"),
    (ref("Opposite"), "7", "7"),
])  # fmt: skip
def test_a_valid_value_is_returned_without_what_is_not_described(
    schema: Any, text: str, result: str
) -> None:
    field = fields_of(SCHEMAS).field(schema, direction="request")

    assert repr(field.accept(value_of(text))) == repr(value_of(result))
    assert field.problems(value_of(text)) == []


def test_read_only_properties_are_ignored_in_requests_and_write_only_ones_in_responses() -> None:
    animal = {"id": 7, "name": "Miso", "kind": "cat", "token": "t"}
    accepted = [
        fields_of(SCHEMAS).field(ref("Animal"), direction=direction).accept(animal)
        for direction in ("request", "response")
    ]

    assert accepted == [
        {"name": "Miso", "kind": "cat", "token": "t"},
        {"id": 7, "name": "Miso", "kind": "cat"},
    ]
    assert problems(ref("Animal"), {"name": "a", "kind": "cat"}, "response") == "id is required"


@pytest.mark.parametrize(("schema", "value", "result"), [
    ({"type": "integer"}, "7", 7),
    ({"type": "integer", "maximum": 5}, "7", "must be an integer of at most 5, got 7"),
    ({"type": "integer"}, "x", 'must be an integer, got "x"'),
    ({"type": "integer"}, "007", 'must be an integer, got "007"'),
    ({"type": "integer"}, "", 'must be an integer, got ""'),
    ({"type": "number"}, "0.10", Decimal("0.10")),
    ({"type": "boolean"}, "true", True),
    ({"type": "boolean"}, "1", 'must be a boolean, got "1"'),
    ({"type": "string"}, "7", "7"),
    ({"type": "string", "nullable": True}, "null", "null"),
    ({"type": ["integer", "null"]}, "", None),
    ({"enum": [1, 2]}, "2", 2),
    ({"enum": ["1", "2"]}, "2", "2"),
    ({}, "2", "2"),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "x", "x"),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "5", 5),
    ({"type": "array", "items": {"type": "integer"}}, ["1", "2"], [1, 2]),
    ({"type": "array", "items": {"type": "integer"}}, ["1", "x"], '1 must be an integer, got "x"'),
    ({"properties": {"a": {"type": "integer"}}}, {"a": "1"}, {"a": 1}),
    (ref("Tree"), {"value": "1", "children": [{"value": "2"}]},
     {"value": 1, "children": [{"value": 2}]}),
    ({"anyOf": [ref("Owner"), ref("Tree")]}, {"value": "1"}, {"value": 1}),
])  # fmt: skip
def test_texts_are_read_with_the_types_of_the_schema(
    schema: Any, value: object, result: object
) -> None:
    accepted = fields_of(SCHEMAS).text_field(schema).accept(value)

    if accepted is INVALID:
        assert problems(schema, value, is_text=True) == result
    else:
        assert (accepted, type(accepted)) == (result, type(result))


@pytest.mark.parametrize(("pattern", "is_enforced"), [
    *((pattern, True) for pattern in (
        "", "^[a-z]+$", r"^(\d{3}-){2}\d{4}$", "^(foo|bar)+$", r"^https?://(www\.)?x",
        r"(?<year>\d{4})", "[(+*]+", r"\(a+\)+", "^(a|b|cd)$", r"^-?\d+(\.\d+)?$",
    )),
    *((pattern, False) for pattern in (
        "(a+)+$", "([a-z]{1,5})*", "(?:-[a-z]+)*", "(a|a)*b", r"(\w|\d)+", "((a*))+", "(a?){3,}",
        "(a+){20}", r"\p{L}", "(", ")", "[", "a**", "(?<=a+)b", "a{99999999999}", "a" * 3000,
    )),
])  # fmt: skip
def test_a_pattern_that_is_slow_or_foreign_is_not_enforced(pattern: str, is_enforced: bool) -> None:
    assert (matcher(pattern) is not None) == is_enforced


@pytest.mark.parametrize("pattern", [
    r"^\s*\w+\s*\w*\s*\w*$", "^[a-z]*[a-z]*[a-z]*!$", r"\w+\d*\w*!", r"[^@]+@[^@]+\.[^@]+$",
    ".*foo.*bar.*baz.*qux", "^[a-z]{0,99}[a-z]{0,99}[a-z]{0,99}[a-z]{0,99}!", "^a*|a*a*a*!",
])  # fmt: skip
def test_a_pattern_with_several_repeats_takes_no_long_time(pattern: str) -> None:
    """Some of them would take minutes, in which a server responds to nobody."""
    started = monotonic()
    for length in (30, 100, 300, 1000, 2000, 100_000):
        for part in ("a", ".", "foobarbaz", "@.", " "):
            text = (part * length)[:length]
            problems({"pattern": pattern}, text)
            problems({"patternProperties": {pattern: {}}}, {text: 1})
    assert monotonic() - started < 20


@pytest.mark.parametrize(("pattern", "length"), [
    ("^[a-z]+$", 2000), ("[a-z]+$", 2000), (r"^[\w.]+@[\w.]+\.[a-z]{2,}$", 669),
    (r"^\d{1,3}\.\d{1,3}$", 2000), ("https?://.+[.].+$", 669),
])  # fmt: skip
def test_a_long_text_is_compared_with_a_pattern_that_is_fast(pattern: str, length: int) -> None:
    assert problems({"pattern": pattern}, "!" * length).startswith("must match the pattern ")
    assert problems({"pattern": pattern}, "!" * (length + 1)) == ""


@pytest.mark.parametrize(("pattern", "text", "is_match"), [
    ("a$", "a\n", False), (r"^\d$", "٣", False), (r"^[\d]$", "٣", False), (r"^\w$", "é", False),
    (r"^\W\D$", "éé", True), (r"[\\d]", "d", True), ("b", "abc", True), ("^b", "abc", False),
    (r"^(?<a>x)$", "x", True), (r"\/", "/", True),
])  # fmt: skip
def test_a_pattern_is_one_of_ecmascript(pattern: str, text: str, is_match: bool) -> None:
    assert (problems({"pattern": pattern}, text) == "") == is_match


@pytest.mark.parametrize(("name", "valid", "invalid"), [
    ("date", ("2028-02-29", "2027-04-30", "2027-01-31", "0001-01-01"), ("2027-02-29", "2028-02-30",
     "2027-04-31", "0000-01-01", "20270101", "2027-1-1", "2027-01-01T00:00:00Z")),
    ("date-time", ("2028-02-29T23:59:59Z", "2028-02-29t00:00:00.123+01:00"),
     ("2028-02-29", "2028-02-29T24:00:00Z", "2028-02-29T23:59:59", "2027-02-29T23:59:59Z")),
    ("time", ("18:00", "18:00:59Z", "18:00:00.5+02:00"), ("24:00", "18", "1800", "18:60")),
    ("uuid", ("123e4567-e89b-12d3-a456-426614174000",), ("123e4567e89b12d3a456426614174000", "x")),
    ("email", ("a@b",), ("a",)),
    ("uri", ("https://example.com/?a=1", "urn:x"), ("/a", "a b:c", "https://a b")),
    ("ipv4", ("127.0.0.1",), ("127.0.0.256", "::1", "127.1")),
    ("ipv6", ("::1",), ("127.0.0.1", "::1%eth0", "x")),
    ("byte", ("aGk=", ""), ("a,b",)),
])  # fmt: skip
def test_formats(name: str, valid: tuple[str, ...], invalid: tuple[str, ...]) -> None:
    schema = {"type": "string", "format": name}

    assert [each for each in valid if problems(schema, each)] == []
    assert [each for each in invalid if not problems(schema, each)] == []


def test_keywords_beside_a_reference_hold_in_addition_in_3_1() -> None:
    schema = {**ref("Card"), "required": ["extra"], "properties": {"extra": {"type": "integer"}}}

    assert problems(schema, {"extra": "x"}) == (
        'type is required; number is required; extra must be an integer, got "x"'
    )


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "not"])
def test_a_long_chain_of_schemas_ends(keyword: str) -> None:
    one: dict[str, Any] = {f"S{n}": {keyword: [ref(f"S{n + 1}")]} for n in range(9000)}
    if keyword == "not":
        one = {name: {"not": each["not"][0]} for name, each in one.items()}
    fields = fields_of({**one, "S9000": {"type": "string"}})
    field = fields.field(ref("S0"), direction="request")

    field.problems(7)
    assert field.accept("x") in ("x", INVALID)
    if keyword == "allOf":
        assert field.problems(7) == [((), "must be a string, got 7")]


def test_alternatives_that_contain_themselves_are_compared_in_time() -> None:
    terms = {
        name: {
            "type": "object",
            "required": [name],
            "properties": {name: {"type": "array", "items": ref("Term")}},
        }
        for name in "abcdef"
    }
    any_term = {"anyOf": [*({"properties": each["properties"]} for each in terms.values()),
                          *terms.values(), ref("Term"), {"type": "integer"}]}  # fmt: skip
    field = fields_of({"Term": any_term}).field(ref("Term"), direction="request")
    value: Any = "x"
    for name in "abcdef" * 2:
        value = {name: [value]}

    assert len(field.problems(value)) < 50


CLOSED = {
    "type": "object", "additionalProperties": False,
    "properties": {f"property{number}": {"type": "integer"} for number in range(30)},
}  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "first"), [
    (CLOSED, {f"propertie{number:06}": 1 for number in range(30_000)},
     "propertie000000 is not a known property; did you mean 'property"),
    ({"items": {"enum": [f"name{number}" for number in range(30)]}}, ["nam"] * 30_000,
     "0 must be one of name0, "),
    ({"items": CLOSED}, [{"property1": 1}] * 30_000 + [{"properti": 1}],
     "30000.properti is not a known property; did you mean 'property"),
    ({"additionalProperties": CLOSED}, {f"n{number}": {"x": 1} for number in range(30_000)},
     "n0.x is not a known property"),
    ({"items": CLOSED}, [{"property1": "x"}] * 30_000, "0.property1 must be an integer, got "),
])  # fmt: skip
def test_the_problems_of_a_large_value_are_found_in_time(
    schema: Any, value: Any, first: str
) -> None:
    """A request with 30,000 unknown names would keep a server busy for more than a minute."""
    started = monotonic()
    assert problems(schema, value).startswith(first)
    assert monotonic() - started < 5


def test_objects_with_the_same_names_are_accepted_by_the_types_of_their_values() -> None:
    inner = {"properties": {"n": {"type": "integer", "minimum": 1}}, "required": ["n"]}
    schema = {"properties": {"a": {"type": ["object", "string"], **inner}}}
    field = fields_of(SCHEMAS).field(schema, direction="request")

    for _ in range(2):  # the second time, it is known how they are accepted
        for value in ({"n": 1}, "text"):
            assert field.accept({"a": value}) == {"a": value}
        for wrong in ({"n": 0}, {"n": "1"}, {}, 1, None, "\ud800"):
            assert field.accept({"a": wrong}) is INVALID


def test_what_is_kept_of_objects_with_many_names_is_bounded() -> None:
    schema = {"additionalProperties": {"type": "string"}}
    field = fields_of(SCHEMAS).field(schema, direction="request")
    assert isinstance(field, SchemaField)

    for number in range(200):
        assert field.accept({f"n{number}": "x"}) == {f"n{number}": "x"}
    long = {"n" * 2000: "x"}
    assert field.accept(long) == long

    kept = list[Any](field.shape.plans)
    assert 0 < len(kept) <= 32
    assert max(len(name) for name, _ in kept) < 2000


def test_a_number_is_never_expanded() -> None:
    for schema in ({"type": "integer"}, {"type": "number", "multipleOf": 7}, {"enum": [1]}):
        for text in ("1e999999", "1e-999999", "9" * 900_000, f"0.{'1' * 900_000}", "-7e999999999"):
            problems(schema, value_of(text))


def test_a_long_name_is_shortened() -> None:
    assert problems({"additionalProperties": False}, {"x" * 9000: 1}) == (
        "x" * 60 + "... is not a known property"
    )


@pytest.mark.parametrize("value", [{"\ud800": 1}, {"a": {"\ud800": 1}}, {"a": [{"\ud800": 1}]}])
def test_a_name_is_unicode_also_where_no_schema_is(value: object) -> None:
    assert "property with the name" in problems({}, value)


def test_invalid_keywords_are_ignored() -> None:
    schema = {
        "type": ["x", 7], "enum": 7, "minimum": "a", "pattern": 7, "format": [], "required": True,
        "properties": [], "items": 7, "allOf": {}, "oneOf": [], "anyOf": 7, "not": 7,
        "minLength": "x", "additionalProperties": "no", "discriminator": 7, "multipleOf": 0,
    }  # fmt: skip

    for value in (None, True, 1, "a", [1], {"a": 1}):
        assert problems(schema, value) == ""
