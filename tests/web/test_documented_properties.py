"""Any request to any document gets a documented response, or one with a label; never a 500."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.contract.media_types import json_media
from mockpets.contract.openapi_loader import Described, base_path, load, operations
from mockpets.contract.schema_fields import Fields
from mockpets.strict_json import load_json
from tests.http_client import Client, Response
from tests.web.documents import CLINIC, ERROR, Node, client_of, document, json_of, operation, write

LABEL = "mockpets-off-contract"
TEXT: Node = {"type": "string"}
INTEGER: Node = {"type": "integer"}


def parameter(place: str, name: str, schema: Node, **more: object) -> Node:
    more = {"required": True} | more if place == "path" else more
    return {"name": name, "in": place, "schema": schema, **more}


def blog() -> Node:
    """Return a document with envelopes, slugs, forms and errors in lists (OpenAPI 3.0)."""
    article: Node = {
        "type": "object",
        "required": ["slug", "title", "tagList", "author"],
        "properties": {
            "slug": {"type": "string", "readOnly": True},
            "title": {"type": "string", "minLength": 1, "maxLength": 40},
            "body": {"type": "string", "nullable": True},
            "tagList": {"type": "array", "items": TEXT, "maxItems": 5},
            "createdAt": {"type": "string", "format": "date-time", "readOnly": True},
            "author": {"type": "object", "properties": {"username": TEXT}, "readOnly": True},
        },
    }
    errors = json_of(
        {
            "type": "object",
            "required": ["errors"],
            "properties": {
                "errors": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": TEXT},
                }
            },
        }
    )
    one = json_of({"type": "object", "required": ["article"], "properties": {"article": article}})
    many = json_of(
        {
            "type": "object",
            "required": ["articles", "articlesCount"],
            "properties": {
                "articles": {"type": "array", "items": article},
                "articlesCount": INTEGER,
            },
        }
    )
    slug = parameter("path", "slug", TEXT)
    paging = [
        parameter("query", "limit", {"type": "integer", "minimum": 1, "maximum": 50}),
        parameter("query", "offset", {"type": "integer", "minimum": 0}),
        parameter("query", "tag", TEXT),
    ]
    body = one | {"required": True}
    return document(
        {
            "/articles": {
                "get": operation(*paging, _200=many, _422=errors),
                "post": operation(body=body, _201=one, _422=errors),
            },
            "/articles/{slug}": {
                "get": operation(slug, _200=one, _404=errors),
                "put": operation(slug, body=body, _200=one, _404=errors, _422=errors),
                "delete": operation(slug, _204={"description": ""}, _404=errors),
            },
            "/tags": {"get": operation(_200=json_of({"type": "array", "items": TEXT}))},
        },
        version="3.0.3",
        servers=[{"url": "/api"}],
    )


def shop() -> Node:
    """Return a document with unions, maps, recursion, forms and several media types."""
    node: Node = {
        "type": "object",
        "required": ["kind"],
        "properties": {
            "kind": {"enum": ["box", "bag"]},
            "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
            "price": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01},
            "labels": {"type": "object", "additionalProperties": TEXT, "maxProperties": 3},
        },
    }
    payment = {
        "oneOf": [
            {
                "type": "object",
                "required": ["card"],
                "properties": {"card": {"type": "string", "pattern": "^[0-9]{4}$"}},
            },
            {"type": "object", "required": ["iban"], "properties": {"iban": TEXT}},
        ]
    }
    form: Node = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": TEXT, "file": {"type": "string", "format": "binary"}},
    }
    kinds = ("multipart/form-data", "application/x-www-form-urlencoded")
    uploads = {"content": {kind: {"schema": form} for kind in kinds}, "required": True}
    problem = json_of(ERROR, "application/problem+json")
    reference = {"$ref": "#/components/schemas/Node"}
    return document(
        {
            "/nodes": {
                "get": operation(
                    parameter("query", "filter", {"type": "object"}, style="deepObject"),
                    parameter("query", "ids", {"type": "array", "items": INTEGER}, explode=False),
                    parameter("header", "X-Tenant", TEXT, required=True),
                    _200=json_of({"type": "array", "items": reference}),
                    default=problem,
                ),
                "post": operation(body=json_of(reference), _201=json_of(reference), _4XX=problem),
            },
            "/pay": {
                "post": operation(body=json_of(payment) | {"required": True}, _202=json_of({}))
            },
            "/upload": {"post": operation(body=uploads, _204={"description": ""}, _415=problem)},
            "/photo": {"get": operation(_200=json_of(TEXT, "image/png"))},
            "/export": {"get": operation(_200=json_of(TEXT, "application/xml"), default=problem)},
            "/text": {"get": operation(_200=json_of(TEXT, "text/plain"), _406=problem)},
        },
        components={"schemas": {"Node": node}},
    )


def bare() -> Node:
    """Return a document that says little: no schemas, errors, servers or names."""
    anything: Node = {"description": "", "content": {"application/json": {}}}
    keys = [parameter("path", name, {}) for name in ("a", "b")]
    return document(
        {
            "/": {"get": operation(_200=anything)},
            "/things": {
                "get": operation(_200=anything),
                "post": operation(body={"content": {"application/json": {}}}, _200=anything),
            },
            "/things/{a}": {"get": operation(keys[0], _200=anything)},
            "/things/{a}.{b}/x": {"patch": operation(*keys, body=json_of({}), default=anything)},
            "/pair/{a}/{b}": {"delete": operation(*keys, _200={"description": ""})},
        }
    )


class Served:
    """A document that is served, with what the oracle needs."""

    def __init__(self, file: Path) -> None:
        self.call: Client = client_of(file)
        document = load(file, file.name)
        self.root = document.root
        self.base = base_path(document)
        self.operations = operations(document)
        self.fields = Fields(document)

    def check(self, described: Described, response: Response) -> None:
        """Check that a response is documented, or has a label."""
        assert response.status < 500 or response.status == 501, response.text
        known = described.responses
        status = str(response.status)
        documented = known.get(status) or known.get(f"{status[0]}XX") or known.get("default")
        assert (documented is None) == bool(response.header(LABEL)), (status, response.headers)
        content = (documented or {}).get("content") or {}
        found = json_media(content)
        if found is None or response.status == 204:
            return
        schema = found[1].get("schema", {})
        field = self.fields.field(schema, direction="response")
        assert not field.problems(load_json(response.text)), response.text


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Served]:
    folder = tmp_path_factory.mktemp("documents")
    made = {"blog": blog(), "shop": shop(), "bare": bare()}
    files = {name: write(folder / f"{name}.json", root) for name, root in made.items()}
    return {name: Served(file) for name, file in {"clinic": CLINIC, **files}.items()}


# --- Requests ---------------------------------------------------------------------------------

TEXTS = st.text(max_size=8) | st.sampled_from(
    ["1", "7", "-1", "x", "", "4f5e1f0e-8c1d-4b7e-9c1e-2f3a4b5c6d7e", "2026-05-04", "\x00", "é"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.floats(allow_nan=False, width=32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    [
        *("application/json", "application/json; charset=utf-8", "application/merge-patch+json"),
        *("application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "text/plain", ""),
        *("multipart/form-data", "x", "application/json; charset=utf-7"),
    ]
)
RAW = st.binary(max_size=40) | st.sampled_from(
    [
        *(b"{", b"name=a&file=b", b"\xff", b'{"a": 1e999}', b"[" * 3000),
        b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n',
    ]
)


def like(schema: Any, draw: st.DrawFn, depth: int = 0) -> Any:
    """Return a value that is often valid for a schema of the documents here."""
    if depth > 4 or draw(st.integers(0, 11)) == 0:
        return draw(VALUES)
    if "enum" in schema:
        return draw(st.sampled_from(schema["enum"]))
    for keyword in ("oneOf", "allOf"):
        if keyword in schema:
            parts = [like(each, draw, depth + 1) for each in schema[keyword]]
            if keyword == "oneOf" or not all(isinstance(each, dict) for each in parts):
                return parts[0]
            return {name: value for each in parts for name, value in each.items()}
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        required = schema.get("required", ())
        return {
            name: like(each, draw, depth + 1)
            for name, each in schema.get("properties", {}).items()
            if name in required or draw(st.booleans())
        }
    if kind == "array":
        return [like(schema["items"], draw, depth + 1) for _ in range(draw(st.integers(0, 2)))]
    if kind in ("integer", "number"):
        return draw(st.integers(1, 40))
    if kind == "boolean":
        return draw(st.booleans())
    formats = {"email": "a@example.com", "date": "2026-05-04", "date-time": "2026-05-04T09:00:00Z"}
    return formats.get(schema.get("format", ""), "Ada")


def resolved(schema: Any, root: Node, depth: int = 0) -> Any:
    """Return a schema whose references are replaced, a few levels deep."""
    if isinstance(schema, list):
        return [resolved(each, root, depth) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        if depth > 2:
            return {}
        name = schema["$ref"].rpartition("/")[2]
        return resolved(root["components"]["schemas"][name], root, depth + 1)
    return {name: resolved(each, root, depth) for name, each in schema.items()}


@st.composite
def request(draw: st.DrawFn, described: Described, root: Node) -> dict[str, Any]:
    path = described.path
    query, headers = "", {}
    for each in described.parameters:
        schema = resolved(each.get("schema", {}), root)
        value = like(schema, draw)
        text = value if isinstance(value, str) else json.dumps(value)
        text = text.encode("utf-8", "replace").decode()
        if each["in"] == "path":
            path = path.replace("{" + each["name"] + "}", quote(text, safe="") or "1")
        elif each["in"] == "query" and draw(st.booleans()):
            query += f"&{each['name']}={quote(text)}"
        elif draw(st.integers(0, 3)):
            headers[each["name"]] = text.encode("ascii", "replace").decode()
    body = None
    if described.body is not None and draw(st.integers(0, 7)):
        content = described.body["content"]
        headers["Content-Type"] = draw(st.sampled_from([*content]) | KINDS)
        schema = resolved(next(iter(content.values())).get("schema", {}), root)
        value = like(schema, draw)
        body = draw(RAW) if draw(st.integers(0, 4)) == 0 else json.dumps(value).encode()
    prefer = st.sampled_from(["", "", "", "", "dynamic=true", "code=404", "code=200", "code=x"])
    if wanted := draw(prefer):
        headers["Prefer"] = wanted
    is_anonymous = draw(st.integers(0, 9)) == 0
    return {
        "method": described.method,
        "target": f"{path}?{query}",
        "headers": headers,
        "body": body,
        "key": None if is_anonymous else "mockpets",
    }


REQUESTS = 12
"""In each example: with 25 examples, each document gets 300."""


@pytest.mark.parametrize(
    "name",
    [*(pytest.param(name, marks=pytest.mark.slow) for name in ("clinic", "blog", "shop")), "bare"],
)
@given(data=st.data())
def test_any_request_gets_a_documented_response_or_a_label(
    served: Mapping[str, Served], name: str, data: st.DataObject
) -> None:
    one = served[name]
    for _ in range(REQUESTS):
        described = data.draw(st.sampled_from(one.operations))
        sent = data.draw(request(described, one.root))
        sent["target"] = one.base + sent["target"]
        response = one.call(**sent)
        # A path with an encoded slash may be that of no operation.
        if response.status != 404 or response.header(LABEL) is None:
            one.check(described, response)
