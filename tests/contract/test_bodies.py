"""Bodies are read by their media type, and what is wrong has a kind and its problems."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.bodies import Bodies, Sent
from mockpets.contract.fields import INVALID
from mockpets.contract.openapi_loader import load, operations
from mockpets.contract.schema_fields import Fields

ANIMAL = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1},
        "age": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "owner": {"type": "object", "properties": {"id": {"type": "integer"}}},
        "photo": {"type": "string", "format": "binary"},
        "scans": {"type": "array", "items": {"type": "string", "format": "binary"}},
    },
}
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
Reads = Callable[..., Sent]


@pytest.fixture
def read(tmp_path: Path) -> Reads:
    def read(raw: bytes, sent: str, *types: str, **more: Any) -> Sent:
        media = {"schema": more.pop("schema", ANIMAL), **more.pop("media", {})}
        content = dict.fromkeys(types or (sent,), media) | more.pop("content", {})
        body = {"content": content, "required": True, **more}
        operation = {"requestBody": body, "responses": {"200": {"description": "OK"}}}
        document = {
            "openapi": "3.0.3",
            "info": {"title": "Clinic", "version": "1"},
            "paths": {"/animals": {"post": operation}},
        }
        file = tmp_path / "clinic.json"
        file.write_text(json.dumps(document), "utf-8")
        loaded = load(file, "clinic.json")
        return Bodies(Fields(loaded), operations(loaded)[0].body).read(raw, sent)

    return read


def multipart(*parts: tuple[str, bytes]) -> bytes:
    """Return a body of parts, each with the parameters of its disposition, perhaps with lines."""
    return b"".join(
        b"--b\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % (about.encode(), data)
        for about, data in parts
    ) + b"--b--\r\n"  # fmt: skip


@pytest.mark.parametrize(("raw", "sent", "value"), [
    (b'{"name": "Miso", "age": 1.0, "x": 1}', JSON, {"name": "Miso", "age": 1}),
    (b'{"name": "Miso"}', f"{JSON}; charset=UTF-8", {"name": "Miso"}),
    (b'{"name": "Miso"}', "application/merge-patch+json", {"name": "Miso"}),
    (b"name=Miso&age=7", FORM, {"name": "Miso", "age": 7}),
    (b"name=7&tags=a&tags=b", FORM, {"name": "7", "tags": ["a", "b"]}),
    (b"name=7&tags=a", FORM, {"name": "7", "tags": ["a"]}),
    (b"name=7&tags[]=a", FORM, {"name": "7", "tags": ["a"]}),
    (b"name=7&tags[1]=b&tags[0]=a", FORM, {"name": "7", "tags": ["a", "b"]}),
    (b"name=a+%C3%A9&owner[id]=7&x=1", FORM, {"name": "a é", "owner": {"id": 7}}),
    (b"name=a&owner=%7B%22id%22%3A7%7D", FORM, {"name": "a", "owner": {"id": 7}}),
    (multipart(('name="name"', b"Miso"), ('name="age"', b"7")), f"{MULTIPART}; boundary=b",
     {"name": "Miso", "age": 7}),
    (multipart(('name="name"', b"Miso"), ('name="owner"\r\nContent-Type: application/json',
     b'{"id": 7}')), f"{MULTIPART}; boundary=b", {"name": "Miso", "owner": {"id": 7}}),
    (multipart(('name="name"', b"Miso"), ('name="owner"; filename="blob"', b'{"id": 7}')),
     f"{MULTIPART}; boundary=b", {"name": "Miso", "owner": {"id": 7}}),
    (multipart(('name="name"', b"Miso"),
               ('name="photo"; filename="a.png"\r\nContent-Type: image/png', b"\x00\xff")),
     f"{MULTIPART}; boundary=b",
     {"name": "Miso", "photo": {"name": "a.png", "size": 2, "type": "image/png"}}),
    (multipart(('name="name"', b"Miso"), ('name="scans"; filename="a"', b"1"),
               ('name="scans"; filename="b"', b"")),
     f"{MULTIPART}; boundary=b", {"name": "Miso", "scans": [
         {"name": "a", "size": 1, "type": ""}, {"name": "b", "size": 0, "type": ""}]}),
])  # fmt: skip
def test_a_valid_body_is_read(read: Reads, raw: bytes, sent: str, value: object) -> None:
    assert read(raw, sent, sent.partition(";")[0]) == Sent(value)


@pytest.mark.parametrize(("raw", "sent", "kind", "problem"), [
    (b"", JSON, "missing", " is required"),
    (b'{"name": ""}', JSON, "invalid", "name must have at least 1 character, got 0"),
    (b'{"name": "a", "owner": {"id": "7"}}', JSON, "invalid",
     'owner.id must be an integer, got the text "7"; remove the quotes'),
    (b"[]", JSON, "invalid", " must be an object, got an array"),
    (b'{"name"', JSON, "malformed", " is not JSON: Expecting ':' delimiter at line 1, column 8"),
    (b"\xff", JSON, "malformed", " must be UTF-8; byte 0 is invalid"),
    (b'{"a": 1, "a": 2}', JSON, "malformed", ' has the property "a" more than once'),
    (b"[" * 50 + b"]" * 50, JSON, "malformed", " is nested deeper than 20 levels"),
    (b" " * 2**20 + b"1", JSON, "too large", " must have at most 1 MiB"),
    (b"{}", "text/plain", "media type", "Content-Type must be application/json, got text/plain"),
    (b"{}", "application/x+json", "media type",
     "Content-Type must be application/json, got application/x+json"),
    (b"{}", "", "media type",
     "Content-Type is missing; send the header 'Content-Type: application/json'"),
    (b"{}", "application/json; charset=latin-1", "media type",
     "Content-Type must have the charset utf-8, got application/json; charset=latin-1"),
    (b"{}", "\x00;;=", "media type", "Content-Type must be application/json, got \x00;;="),
])  # fmt: skip
def test_what_is_wrong_with_json_is_reported(
    read: Reads, raw: bytes, sent: str, kind: str, problem: str
) -> None:
    result = read(raw, sent, JSON)

    assert (result.value, result.kind) == (INVALID, kind)
    assert texts(result) == [problem]


@pytest.mark.parametrize(("raw", "sent", "kind", "problem"), [
    (b"age=x", FORM, "invalid", 'name is required; age must be an integer, got "x"'),
    (b"name=a&name=b", FORM, "invalid", "name must be a string, got an array"),
    (b"name=a&owner=x", FORM, "invalid", 'owner must be an object, got "x"'),
    (b"name=\xff", FORM, "malformed", " is not a valid form"),
    (multipart(('name="age"', b"x")), f"{MULTIPART}; boundary=b", "invalid",
     'name is required; age must be an integer, got "x"'),
    (multipart(('name="name"; filename="a"', b"\xff")), f"{MULTIPART}; boundary=b", "malformed",
     " must be utf-8; byte 0 is invalid"),
    (multipart(('name="name"', b"a"), ('name="tags"; filename="a"', b"[1]")),
     f"{MULTIPART}; boundary=b", "invalid", "tags.0 must be a string, got 1"),
    (b"--b\r\n", f"{MULTIPART}; boundary=b", "malformed",
     " is not a valid multipart form with the boundary of its Content-Type"),
    (b"x", MULTIPART, "malformed",
     " is not a valid multipart form with the boundary of its Content-Type"),
    (b"x", f"{MULTIPART}; boundary=\xe9", "malformed",
     " is not a valid multipart form with the boundary of its Content-Type"),
    (multipart(*[('name="name"', b"a")] * 1001), f"{MULTIPART}; boundary=b", "too large",
     " must have at most 1000 parts"),
])  # fmt: skip
def test_what_is_wrong_with_a_form_is_reported(
    read: Reads, raw: bytes, sent: str, kind: str, problem: str
) -> None:
    result = read(raw, sent, sent.partition(";")[0])

    assert (result.value, result.kind) == (INVALID, kind)
    assert sorted("; ".join(texts(result)).split("; ")) == sorted(problem.split("; "))


def texts(result: Sent) -> list[str]:
    return [f"{'.'.join(map(str, path))} {what}" for path, what in result.problems]


@pytest.mark.parametrize(("sent", "types", "described"), [
    (JSON, (FORM, "application/json; charset=utf-8"), "application/json; charset=utf-8"),
    ("APPLICATION/JSON", (JSON,), JSON),
    ("application/json", ("*/*",), "*/*"),
    ("application/json", ("*/*", "application/*"), "application/*"),
    ("application/json", ("text/*", JSON), JSON),
    ("application/json", ("json; charset=utf-8",), "json; charset=utf-8"),
    ("application/merge-patch+json", (JSON, "application/*+json"), "application/*+json"),
    ("application/json", ("application/*+json",), ""),
    ("application/x+json", ("text/*", "application/xml"), ""),
])  # fmt: skip
def test_the_nearest_media_type_describes_a_body(
    read: Reads, sent: str, types: tuple[str, ...], described: str
) -> None:
    others: dict[str, Any] = {each: {"schema": {"not": {}}} for each in types if each != described}
    result = read(b'{"name": "Miso"}', sent, *types, content=others)

    assert result.kind == ("" if described else "media type"), result


def test_the_first_media_type_is_recommended(read: Reads) -> None:
    """Otherwise a client would send a form to an API whose documentation starts with JSON."""
    types = (JSON, "application/json; charset=utf-8", "application/xml", FORM)

    assert texts(read(b"{}", "", *types)) == [
        "Content-Type is missing; send the header 'Content-Type: application/json'"
    ]
    assert texts(read(b"{}", "text/plain", *types)) == [
        f"Content-Type must be {JSON} or {FORM}, got text/plain"
    ]


XML = "application/xml"


@pytest.mark.parametrize(("sent", "types", "problem"), [
    (XML, (XML, JSON, FORM), f"{JSON} or {FORM}, got {XML}; mockpets does not read XML"),
    ("Text/XML; charset=utf-8", (JSON, "text/xml"),
     f"{JSON}, got Text/XML; charset=utf-8; mockpets does not read XML"),
    ("application/soap+xml", ("application/soap+xml; charset=utf-8", MULTIPART),
     f"{MULTIPART}, got application/soap+xml; mockpets does not read XML"),
    (XML, ("*/*",), f"{JSON}, got {XML}; mockpets does not read XML"),
    ("text/xml", ("text/*", JSON), f"{JSON}, got text/xml; mockpets does not read XML"),
    ("text/csv", ("text/*",), "of a type that mockpets reads, got text/csv"),
    (XML, (JSON,), f"{JSON}, got {XML}"),
    ("*/*", ("*/*", "text/*"), "*/*, got */*"),
    ("application/yaml", ("application/yaml", JSON),
     f"{JSON}, got application/yaml; mockpets does not read application/yaml"),
    ("application/octet-stream", ("application/*",),
     f"{JSON}, got application/octet-stream; mockpets does not read application/octet-stream"),
])  # fmt: skip
def test_an_object_in_a_type_that_is_not_read_is_a_problem(
    read: Reads, sent: str, types: tuple[str, ...], problem: str
) -> None:
    """Otherwise it would be taken for a file, and its data would be lost."""
    result = read(b"<animal><name>Miso</name></animal>", sent, *types)

    assert (result.value, result.kind) == (INVALID, "media type")
    assert texts(result) == [f"Content-Type must be {problem}"]


@pytest.mark.parametrize("types", [("*/*",), ("application/*",), ("application/xml", "*/*")])
def test_a_range_is_not_recommended(read: Reads, types: tuple[str, ...]) -> None:
    assert texts(read(b"{}", "", *types)) == [
        "Content-Type is missing; send the header 'Content-Type: application/json'"
    ]


@pytest.mark.parametrize("schema", [{"type": "string", "format": "binary"}, {}])
@pytest.mark.parametrize("sent", ["image/svg+xml", "application/zip", "image/png"])
def test_a_file_has_its_size_and_type(read: Reads, sent: str, schema: Any) -> None:
    file = {"name": "", "size": 6, "type": sent}

    assert read(b"<svg/>", sent, schema=schema) == Sent(file)
    assert read(b"<svg/>", sent, "*/*", schema=schema) == Sent(file)


def test_a_body_that_is_not_required_may_be_missing(read: Reads) -> None:
    assert read(b"", "", JSON, required=False) == Sent(INVALID)
    assert read(b"", JSON, JSON, required=False) == Sent(INVALID)
    assert read(b"x", JSON, JSON, required=False).kind == "malformed"


def test_text_is_a_string(read: Reads) -> None:
    schema = {"type": "string", "maxLength": 3}

    assert read(b"abc", "text/plain", schema=schema).value == "abc"
    assert read(b"\xe9", "text/plain; charset=latin-1", "text/plain", schema=schema).value == "é"
    assert read(b"7", "text/plain", schema={"type": "integer"}).value == 7
    assert texts(read(b"abcd", "text/plain", schema=schema)) == [
        " must have at most 3 characters, got 4"
    ]
    for charset in ("x", "hex", "undefined", "a\0b"):
        sent = f'text/plain; charset="{charset}"'
        assert read(b"a", sent, "text/plain", schema=schema).kind == "media type"


def test_an_encoding_separates_the_items_of_a_list(read: Reads) -> None:
    encoding = {"tags": {"style": "pipeDelimited", "explode": False}}

    result = read(b"name=a&tags=b|c", FORM, media={"encoding": encoding})

    assert result.value == {"name": "a", "tags": ["b", "c"]}


def test_the_body_of_an_operation_without_one_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "clinic.json"
    paths = {"/": {"get": {"responses": {"200": {"description": "OK"}}}}}
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": paths}), "utf-8")

    assert Bodies(Fields(load(file, "clinic.json")), None).read(b"{", JSON) == Sent(INVALID)
