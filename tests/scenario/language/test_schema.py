"""The JSON Schema and the loader come from one declaration and must agree.

The loader rejects everything that the schema rejects. It also rejects documents by the rules of
`LOADER_RULES`, which JSON Schema cannot express.
"""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from mockpets.constants import FILE_BYTES, FILE_NODES
from mockpets.errors import InputError
from mockpets.packaged_data import shipped
from mockpets.scenario.language.loader import load_scenario, scenario_schema
from mockpets.scenario.language.nodes import Node
from mockpets.scenario.language.parser import parse
from mockpets.strict_json import dump_json
from mockpets.text_files import read_text
from tests.scenario.language.bad_files import JSON, YAML

LOADER_RULES = {
    "a number has at most 40 characters": "is too large or too long",
    "a duration is at most 60s": "must be a duration of at most",
    "a rate is at least 1 B/s": "must be a rate of at least",
    "min is at most max": "min is greater than max",
    "p50 is less than p95": "p50, the median, must be greater than 0 and less than p95",
    "an extended scenario exists": "unknown scenario",
    "a scenario cannot extend itself": "cannot extend itself",
    "a fixture exists": "unknown fixture",
    "a fixture is valid": "fixture .* is invalid",
    "pet ids are unique": "pet .* already has the id",
    "stub names are unique": "stub .* already has the name",
    "header names are unique in any case": "duplicate header",
    "the server sets some headers": "the server sets the header",
    "a header value is valid": "must be printable ASCII|must have at most 4096 characters",
    "a parameter belongs to the operation": "has no petId",
    "a path does not match an operation": "an operation of the contract; use operation",
    "OPTIONS does not reach stubs": "OPTIONS requests never reach",
    "HEAD counts as GET": "HEAD counts as GET",
    "request headers have no underscore": "the server drops names with '_'",
    "a page has at most 1,000 pets": "a page must have at most 1000 pets",
    "values in a body condition are flat": "must be a single value or a list of single values",
    "only objects have properties": "unknown key '.+'; known keys: equals, contains,",
    "a property is no misspelt operator": "unknown key '.+'; did you mean '(?:contains|one_of)'",
    "some statuses have no body": "a response with status .* cannot have a body",
    "a fault allows the reply": "ends the connection before this reply|requires a body, but",
    "only listPets has pages": "only listPets responds with a page",
    "a reference has a source": "must be a source|(?:unknown|invalid) source|is not a header name",
    "a reference names a segment of the path": "the path has no segment",
    "a reference repeats no secret": "has a secret",
    "a resource is outside the contract": "is a path of .*, an operation of the contract",
    "names and paths of resources are unique": "another resource already has the",
    "a resource is not a path of mockpets": "is a path of mockpets itself",
    "a resource does not have a name of the contract": "the contract already has a collection",
    "records have valid ids": "item .* already has the|missing property|an integer .int64",
    "a record has at most 64 KiB": "the record is too large",
    "the contract": "add off_contract: true to the stub",
}
"""Rules that only the loader checks, and their messages."""


def ends_the_text(_: object, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    """Match `$` only at the end of the text, as in ECMA-262; Python also allows a final newline."""
    if isinstance(value, str) and not re.search(pattern.removesuffix("$") + r"\Z", value):
        yield ValidationError(f"{value!r} is not {pattern!r}")


SCHEMA = scenario_schema()
VALIDATOR = extend(Draft202012Validator, {"pattern": ends_the_text})(SCHEMA)  # type: ignore[no-untyped-call]  # types-jsonschema has none


def loader_problems(text: str) -> list[str]:
    """Return the problems that the loader reports for a scenario in JSON."""
    fixtures = {"showroom": lambda _: (b'{"id":1,"name":"Miso","categoryId":2}',)}
    with TemporaryDirectory() as folder:
        path = Path(folder, "own.json")
        path.write_text(text, encoding="utf-8")
        try:
            load_scenario(path, "f", known=("own", "slow"), fixtures=fixtures)
        except InputError as error:
            return [str(problem) for problem in error.problems]
    return []


def check_agreement(document: object) -> bool:
    """Check that loader and schema agree, and return whether both accept the document."""
    problems = loader_problems(json.dumps(document))
    errors = [error.message for error in VALIDATOR.iter_errors(document)]
    if errors:
        assert problems, f"only the schema rejects this: {errors}"
    else:
        rules = "|".join(LOADER_RULES.values())
        unexplained = [line for line in problems if not re.search(rules, line)]
        assert not unexplained, "only the loader rejects this"
    return not problems


# --- Documents --------------------------------------------------------------------------------

ALL_OF_IT = """
$schema: x
description: All of it.
extends: [slow]
data:
  pets: [{id: 1, name: Miso, categoryId: 2, status: sold}]
  orders: [{id: 1, petId: 3}, {id: a, petId: x, text: {b: [null]}}]
  codes: {records: [{code: 7}, {code: x}]}
  vets: showroom
resources:
  - {path: /v1/store/orders, required: [petId], filters: [petId, id], only: [list, create]}
  - {path: /shop/codes, id: code}
  - {path: /a/b, name: vets}
stubs:
  - name: a
    match: {operation: getPet, params: {petId: {one_of: [3, 7]}}}
    reply: {error: pet_not_found}
  - match: {operation: [listPets, createPet]}
    after: 2
    times: 3
    reply: {error: unauthorized, message: No.}
  - match: {method: GET, path: /v1/store/*}
    reply: {status: 200, text: x}
    off_contract: true
  - match:
      query: {status: sold, limit: 5}
      headers: {Accept: {contains: json, present: true}}
    probability: 0.25
    delay: 300ms
  - match:
      body: {name: null, tags: [1, a], status: {one_of: [sold, true]}}
    delay: 1s
  - match:
      body: {owner: {name: Ann, home: {city: {contains: B}, 'no': 3}}, codes: {present: true}}
    delay: {min: 1s, max: 2s}
  - match: {operation: listPets}
    sequence:
      - pass
      - page: [{id: 1, name: Miso, categoryId: 2}]
      - fault: empty_reply
      - {status: 503, headers: {Retry-After: 5}}
    repeat: cycle
  - sequence: [{status: 500, body: {a: [1, null]}}, pass]
    repeat: none
    throttle: 2 kB/s
  - {delay: {p50: 200ms, p95: 1500ms}, hold: gate, fault: truncated_body}
  - match: {operation: listPets}
    reply: {page: showroom}
"""


def plain(node: Node) -> Any:
    """Return the value of a node as plain JSON, without Decimal."""
    return json.loads(dump_json(node.plain()))


DOCUMENTS: list[Any] = [
    plain(parse(text, "f", is_json=False, nodes=FILE_NODES).root)
    for text in (
        ALL_OF_IT,
        "{description: Some, extends: slow, data: {pets: {count: 3, seed: 1, locale: de_DE}}}",
        "{description: A fixture, data: {pets: showroom}, stubs: []}",
        "{description: A number, data: {pets: 3}}",
        "{description: Empty, data: {'*': []}}",
        "{description: Listed, data: {pets: {records: []}}}",
    )
]
STUBS = DOCUMENTS[0]["stubs"]
PET = DOCUMENTS[0]["data"]["pets"][0]
# Values that are valid, or nearly valid, somewhere.
SCRAPS: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.0, 1.5, 200, 204, 410, 599, 600, 2**63, 10**45, 1e300),
    *("", " ", "a", "A b", "a\nb", "a\n", "\x7f", "\u00e9\u202e", "x" * 201),
    *("2s", "61s", "5", "0 B/s", "1 MB/s", "slow", "own", "nobody", "showroom", "pass", "last"),
    *("listPets", "getPet", "listpets", "/v1/pets", "/v1/a/b", "/v2", "OPTIONS", "G T"),
    *("unauthorized", "connection_reset"),
    *([], [[]], ["pass"], ["slow", "slow"], [PET, PET]),
    *({}, PET, {"count": 1}, {"id": 1}, {"equals": 1}, {"present": "x"}),
    *({"error": "unauthorized"}, {"status": 200}, {"status": 204, "body": 1}, {"page": [PET]}),
    *({"fault": "empty_reply"}, {"sequence": []}, {"min": "2s", "max": "1s"}, {"p50": "2s"}),
    *({"Content-Length": 5}, {"a": "b", "A": "b"}, {"X Y": "z"}),
]


def keys_of(schema: Any) -> set[str]:
    """Return every key that a scenario file may have somewhere."""
    if isinstance(schema, list):
        return {key for item in schema for key in keys_of(item)}
    if not isinstance(schema, dict):
        return set()
    found = set(schema.get("properties", ()))
    return found.union(*(keys_of(item) for item in schema.values()))


KEYS = [*sorted(keys_of(SCHEMA)), "", "unknown", "Accept", "X Y", "Set-Cookie"]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every container of a document with each of its keys or indexes."""
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
    found = [(value, key) for key, _ in pairs]
    for _, inner in pairs:
        if isinstance(inner, (dict, list)):
            found += places(inner)
    return found


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """Draw a valid document with a few values replaced, removed, added or duplicated."""
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(0, 3))):
        found = places(document)
        if not found:
            break
        container, key = draw(st.sampled_from(found))
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "replace":
                container[key] = copy.deepcopy(draw(st.sampled_from(SCRAPS)))
            case "remove":
                del container[key]
            case _ if isinstance(container, dict):
                new = draw(st.sampled_from(KEYS))
                container[new] = copy.deepcopy(draw(st.sampled_from(SCRAPS)))
            case _:
                container.insert(key, copy.deepcopy(container[key]))
    return document


@given(mutated())
def test_schema_and_loader_agree_on_mutated_documents(document: Any) -> None:
    check_agreement(document)


@given(st.sampled_from(range(len(STUBS))), st.sampled_from(KEYS), st.sampled_from(SCRAPS))
def test_schema_and_loader_agree_on_each_key_of_a_stub(place: int, key: str, value: Any) -> None:
    for stub in (STUBS[place] | {key: value}, {key: value}):
        check_agreement({"description": "x", "stubs": [stub]})


@pytest.mark.parametrize("document", DOCUMENTS)
def test_schema_and_loader_accept_valid_documents(document: Any) -> None:
    assert check_agreement(document)


@pytest.mark.parametrize("document", [None, [], "x", 3, {}, {"description": "x", "version": 99}])
def test_schema_and_loader_reject_other_documents(document: Any) -> None:
    assert not check_agreement(document)
    assert not VALIDATOR.is_valid(document)


@pytest.mark.parametrize("name", [*YAML, *JSON])
def test_schema_and_loader_agree_on_the_bad_files(name: str) -> None:
    """Compare the files that parse as JSON values."""
    text, is_json = (YAML[name][0], False) if name in YAML else (JSON[name][0], True)
    try:
        document = parse(text, "f", is_json=is_json, nodes=FILE_NODES)
    except InputError:
        return
    if not document.problems:
        check_agreement(plain(document.root))


@pytest.mark.parametrize("path", sorted(shipped("scenarios").iterdir()))
def test_the_schema_accepts_every_shipped_scenario(path: Path) -> None:
    text = read_text(path, path.name, FILE_BYTES)
    document = parse(text, path.name, is_json=False, nodes=FILE_NODES)

    assert [error.message for error in VALIDATOR.iter_errors(plain(document.root))] == []


# --- The schema itself ------------------------------------------------------------------------


def test_the_schema_is_a_valid_json_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA


def patterns(schema: Any) -> set[str]:
    """Return every pattern of the schema."""
    if isinstance(schema, list):
        return {pattern for item in schema for pattern in patterns(item)}
    if not isinstance(schema, dict):
        return set()
    own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
    return own.union(*(patterns(item) for item in schema.values()))


@pytest.mark.parametrize("pattern", sorted(patterns(SCHEMA)))
def test_patterns_match_long_texts_fast(pattern: str) -> None:
    """A quadratic pattern would take minutes for 256 KiB."""
    for unit in ("a", "1", " ", "-", "a-", "/", "/v1/", "/v1/a", "*", "."):
        for end in ("", "\0", "-"):
            text = (unit * FILE_BYTES)[:FILE_BYTES] + end
            before = perf_counter()
            re.fullmatch(pattern, text)
            assert perf_counter() - before < 1


def described(
    schema: dict[str, Any], path: str = "", within: tuple[str, ...] = ()
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every part that an author sees: properties, items, alternatives.

    :param within: the definitions around it, each of which is yielded once.
    """
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name in within:
            return
        schema = {**SCHEMA["$defs"][name], **schema}
        within = (*within, name)
    yield path, schema
    parts = {**schema.get("properties", {}), "*": schema.get("additionalProperties")}
    parts |= {"[]": schema.get("items")}
    parts |= {f"|{place}": part for place, part in enumerate(schema.get("anyOf", ()))}
    for name, part in parts.items():
        if isinstance(part, dict):
            yield from described(part, f"{path}.{name}", within)


def test_every_part_of_the_schema_has_a_description() -> None:
    missing = [path for path, part in described(SCHEMA) if not part.get("description", "").strip()]

    assert missing == []


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema of an object within a schema."""
    if isinstance(schema, list):
        for item in schema:
            yield from objects(item)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for item in schema.values():
            yield from objects(item)


def test_every_object_of_the_schema_rejects_unknown_properties() -> None:
    """Also for generated types: `allOf`, or an `anyOf` of `required`, would allow any property."""
    for schema in objects(SCHEMA):
        assert "additionalProperties" in schema and schema["additionalProperties"] is not True
        assert schema.keys().isdisjoint({"allOf", "anyOf", "oneOf"})


def test_every_definition_of_the_schema_is_named_once_and_used() -> None:
    text = json.dumps(SCHEMA)
    names = set(SCHEMA["$defs"])

    assert names >= {"Stub", "Match", "TextMatch", "BodyMatch", "Reply", "Sequence", "Delay"}
    assert set(re.findall(r"#/\$defs/(\w+)", text)) == names
    assert SCHEMA["title"] == "Scenario" and "Scenario" not in names


@pytest.mark.parametrize(("rule", "message"), LOADER_RULES.items())
def test_a_bad_file_covers_every_loader_rule(rule: str, message: str) -> None:
    lines = [line for _, messages in (*YAML.values(), *JSON.values()) for line in messages]

    assert any(re.search(message, line) for line in lines), rule
