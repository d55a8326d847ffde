"""Parameters are read in each style of OpenAPI, with the types of their schemas."""

import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.openapi_loader import load, operations
from mockpets.contract.parameters import ParameterKind, Parameters, Read
from mockpets.contract.schema_fields import Fields

NUMBERS = {"type": "array", "items": {"type": "integer"}}
POINT = {
    "type": "object",
    "required": ["x"],
    "properties": {"x": {"type": "integer"}, "y": {"type": "number"}},
    "additionalProperties": False,
}
Reads = Callable[..., Read]


@pytest.fixture
def read(tmp_path: Path) -> Reads:
    def read(kind: ParameterKind, texts: dict[str, list[str]], *described: Any) -> Read:
        listed = [
            {"in": kind, **each, **({"required": True} if kind == "path" else {})}
            for each in described
        ]
        path = "/animals" + "".join(f"/{{{each['name']}}}" for each in listed if kind == "path")
        operation = {"parameters": listed, "responses": {"200": {"description": "OK"}}}
        document = {
            "openapi": "3.0.3",
            "info": {"title": "Clinic", "version": "1"},
            "paths": {path: {"get": operation}},
        }
        file = tmp_path / "clinic.json"
        file.write_text(json.dumps(document), "utf-8")
        loaded = load(file, "clinic.json")
        return Parameters(Fields(loaded), operations(loaded)[0]).read(kind, texts)

    return read


def parameter(schema: object, style: str = "", explode: bool | None = None, **more: Any) -> Any:
    result = {"name": "p", "schema": schema, **more}
    return (
        result
        | ({"style": style} if style else {})
        | ({} if explode is None else {"explode": explode})
    )


@pytest.mark.parametrize(("kind", "described", "texts", "value"), [
    ("query", parameter({"type": "integer"}), {"p": ["7"]}, 7),
    ("query", parameter({"type": "number"}), {"p": ["7.10"]}, Decimal("7.10")),
    ("query", parameter({"type": "boolean"}), {"p": ["true"]}, True),
    ("query", parameter({"type": "string"}), {"p": ["7,8"]}, "7,8"),
    ("query", parameter({"type": "string"}), {"p": [""]}, ""),
    ("query", parameter({}), {"p": ["7"]}, "7"),
    ("query", parameter({"enum": [1, 2]}), {"p": ["2"]}, 2),
    ("query", parameter({"type": "integer"}, allowEmptyValue=True), {"p": [""]}, ""),
    ("query", parameter(NUMBERS), {"p": ["1", "2"]}, [1, 2]),
    ("query", parameter(NUMBERS), {"p": ["1"]}, [1]),
    ("query", parameter(NUMBERS, "form", False), {"p": ["1,2"]}, [1, 2]),
    ("query", parameter(NUMBERS, "spaceDelimited", False), {"p": ["1 2"]}, [1, 2]),
    ("query", parameter(NUMBERS, "pipeDelimited", False), {"p": ["1|2"]}, [1, 2]),
    ("query", parameter(NUMBERS, "pipeDelimited", True), {"p": ["1", "2"]}, [1, 2]),
    ("query", parameter({"anyOf": [{"type": "string"}, NUMBERS]}), {"p": ["x"]}, "x"),
    ("query", parameter({"anyOf": [{"type": "boolean"}, NUMBERS]}), {"p": ["1", "2"]}, [1, 2]),
    ("query", parameter({"items": {"type": "integer"}}), {"p": ["1", "2"]}, [1, 2]),
    ("query", parameter(POINT), {"x": ["1"], "y": ["2.5"]}, {"x": 1, "y": Decimal("2.5")}),
    ("query", parameter({"type": "object"}), {"a": ["1"], "b": ["2"]}, {"a": "1", "b": "2"}),
    ("query", parameter(POINT, "form", False), {"p": ["x,1,y,2"]}, {"x": 1, "y": 2}),
    ("query", parameter(POINT, "deepObject", True), {"p[x]": ["1"], "p[y]": ["2"]},
     {"x": 1, "y": 2}),
    ("query", parameter({"type": "object", "properties": {"a": {"type": "object", "properties":
      {"b": NUMBERS}}}}, "deepObject", True), {"p[a][b][]": ["1"]}, {"a": {"b": [1]}}),
    ("query", parameter(NUMBERS, "deepObject", True), {"p[]": ["1", "2"]}, [1, 2]),
    ("query", parameter(NUMBERS, "deepObject", True), {"p[1]": ["2"], "p[0]": ["1"]}, [1, 2]),
    ("query", parameter({"items": POINT}, "deepObject", True),
     {"p[0][x]": ["1"], "p[0][y]": ["2"], "p[1][x]": ["3"]}, [{"x": 1, "y": 2}, {"x": 3}]),
    ("query", parameter(NUMBERS, "deepObject", True), {"p[9]": ["1"], "p[10]": ["2"]}, [1, 2]),
    ("query", parameter({"items": NUMBERS}, "deepObject", True),
     {"p[0][]": ["1", "2"], "p[1][0]": ["3"]}, [[1, 2], [3]]),
    ("query", parameter({"type": "object"}, "deepObject", True), {"p[0]": ["1"]}, {"0": "1"}),
    ("query", parameter({}, "deepObject", True), {"p[0]": ["1"]}, {"0": "1"}),
    ("query", {**parameter({"type": "integer"}), "content": {}}, {"p": ["7"]}, 7),
    ("query", {"name": "p", "content": {"text/plain": {"schema": {"type": "string"}}}},
     {"p": ["7"]}, "7"),
    ("query", {"name": "p", "content": {"*/*": None}}, {"p": ['{"a": 7}']}, {"a": 7}),
    ("query", {"name": "p", "content": {"application/json": {"schema": POINT}}},
     {"p": ['{"x": 1}']}, {"x": 1}),
    ("path", parameter({"type": "integer"}), {"p": ["7"]}, 7),
    ("path", parameter(NUMBERS), {"p": ["1,2"]}, [1, 2]),
    ("path", parameter(POINT), {"p": ["x,1,y,2"]}, {"x": 1, "y": 2}),
    ("path", parameter(POINT, "simple", True), {"p": ["x=1,y=2"]}, {"x": 1, "y": 2}),
    ("path", parameter({"type": "integer"}, "label"), {"p": [".7"]}, 7),
    ("path", parameter(NUMBERS, "label"), {"p": [".1,2"]}, [1, 2]),
    ("path", parameter(NUMBERS, "label", True), {"p": [".1.2"]}, [1, 2]),
    ("path", parameter(POINT, "label", True), {"p": [".x=1.y=2"]}, {"x": 1, "y": 2}),
    ("path", parameter({"type": "integer"}, "matrix"), {"p": [";p=7"]}, 7),
    ("path", parameter(NUMBERS, "matrix"), {"p": [";p=1,2"]}, [1, 2]),
    ("path", parameter(NUMBERS, "matrix", True), {"p": [";p=1;p=2"]}, [1, 2]),
    ("path", parameter(POINT, "matrix"), {"p": [";p=x,1,y,2"]}, {"x": 1, "y": 2}),
    ("path", parameter(POINT, "matrix", True), {"p": [";x=1;y=2"]}, {"x": 1, "y": 2}),
    ("header", parameter({"type": "integer"}), {"P": ["7"]}, 7),
    ("header", parameter(NUMBERS), {"p": ["1, 2", "3"]}, [1, 2, 3]),
    ("header", parameter(POINT, "simple", True), {"p": ["x=1, y=2"]}, {"x": 1, "y": 2}),
    ("cookie", parameter({"type": "boolean"}), {"p": ["false"]}, False),
    ("cookie", parameter(NUMBERS, "form", False), {"p": ["1,2"]}, [1, 2]),
    ("query", parameter({"type": "integer", "default": 7}), {}, 7),
    ("query", parameter({**NUMBERS, "default": []}), {}, []),
])  # fmt: skip
def test_a_valid_parameter_is_read(
    read: Reads, kind: ParameterKind, described: Any, texts: dict[str, list[str]], value: object
) -> None:
    result = read(kind, texts, described)

    assert type(result.values["p"]) is type(value)
    assert result == ({"p": value}, [], frozenset())


@pytest.mark.parametrize(("kind", "described", "texts", "problem"), [
    ("query", parameter({"type": "integer", "minimum": 1, "maximum": 9}), ["10"],
     "must be an integer from 1 to 9, got 10"),
    ("query", parameter({"type": "integer"}), ["x"], 'must be an integer, got "x"'),
    ("query", parameter({"type": "integer"}), [""], 'must be an integer, got ""'),
    ("query", parameter({"type": "integer"}), ["1", "2"], "must be sent only once, got 2 values"),
    ("query", parameter({"type": "boolean"}), ["True"], 'must be a boolean, got "True"'),
    ("query", parameter({"type": "string", "enum": ["a", "b"]}), ["c"],
     'must be one of a, b, got "c"'),
    ("query", parameter(NUMBERS, "form", False), ["1,x"], '1 must be an integer, got "x"'),
    ("query", parameter({**NUMBERS, "maxItems": 1}), ["1", "2"], "must have at most 1 item, got 2"),
    ("query", parameter(POINT, "form", False), ["x,1,y"],
     "must be names and values in turn, got 3 parts"),
    ("query", parameter(POINT, "deepObject", True), ["1"], 'must be an object, got "1"'),
    ("query", {"name": "p", "content": {"application/json": {"schema": POINT}}}, ['{"x": "1"}'],
     'x must be an integer, got the text "1"; remove the quotes'),
    ("query", {"name": "p", "content": {"application/json": {"schema": POINT}}}, ["{"],
     "must be JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    ("path", parameter({"type": "integer"}), ["x"], 'must be an integer, got "x"'),
    ("path", parameter({"type": "integer"}, "label"), ["7"], "must start with '.', got '7'"),
    ("path", parameter(NUMBERS, "matrix"), [";q=7"], "must start with ';p=', got ';q=7'"),
    ("header", parameter({"type": "integer"}), ["1", "2"], 'must be an integer, got "1,2"'),
    ("query", parameter({"type": "integer"}, required=True), None, "is required"),
    ("query", parameter({**NUMBERS}, required=True), None, "is required"),
    ("header", parameter({"type": "integer"}, required=True), None, "is required"),
    ("query", parameter(POINT, "deepObject", True, required=True), None, "is required"),
])  # fmt: skip
def test_what_is_wrong_with_a_parameter_is_reported(
    read: Reads, kind: ParameterKind, described: Any, texts: list[str] | None, problem: str
) -> None:
    result = read(kind, {} if texts is None else {"p": texts}, described)
    found = [" ".join((".".join(map(str, path)), what)) for path, what in result.problems]

    assert found == [f"p.{problem}" if problem[0] in "1x" else f"p {problem}"]
    assert result.values == {}


def test_the_name_of_a_header_is_the_documented_one_in_any_case(read: Reads) -> None:
    schema = {"schema": {"type": "string"}}
    named = [{"name": name, **schema} for name in ("api_key", "X-Trace", "Accept")]

    result = read("header", {"API_KEY": ["a"], "x-trace": ["b"], "accept": ["c"]}, *named)

    assert result == ({"api_key": "a", "X-Trace": "b"}, [], frozenset())


def test_unknown_query_parameters_are_listed(read: Reads) -> None:
    described = [parameter(POINT, "deepObject", True), {"name": "q", "schema": {"type": "string"}}]
    sent = {name: ["1"] for name in ("q", "p[x]", "p[x", "Q", "r", "q[]", "")}

    result = read("query", sent, *described)

    assert result.unknown == {"p[x", "Q", "r", "q[]", ""}
    assert result.values == {"p": {"x": 1}, "q": "1"}


def test_every_problem_is_reported(read: Reads) -> None:
    named = [{"name": name, "schema": {"type": "integer"}} for name in "abc"]

    result = read("query", {"a": ["x"], "b": ["1"], "c": [""]}, *named)

    assert [path for path, _ in result.problems] == [("a",), ("c",)]
    assert result.values == {"b": 1}
