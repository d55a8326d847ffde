"""A client that checks each response against the document, by jsonschema."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from mockpets import Settings, create_app
from mockpets.contract.media_types import json_media
from mockpets.contract.openapi_loader import Document, load
from tests.contract.json_schema import is_valid_by
from tests.http_client import Client, InProcess, Response

CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"


class Checked:
    """Sends requests to a document's operations; each response must be a documented one.

    :param base: of the document's paths.
    """

    def __init__(self, path: Path, **settings: Any) -> None:
        self.file = path
        self.call = Client(InProcess(create_app(Settings(contract=(str(path),), **settings))))
        self.document: Document = load(path, path.name)
        self._is_valid = is_valid_by(self.document)
        url = (self.document.root.get("servers") or [{"url": ""}])[0]["url"]
        self.base = urlsplit(url.replace("{region}", "eu")).path.rstrip("/")
        self.paths = [
            (re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(each))), each)
            for each in sorted(self.document.root["paths"], key=lambda path: path.count("{"))
        ]

    def __call__(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        kind: str = "application/json",
        who: str | None = "somebody",
        session: str = "",
        headers: dict[str, str] | None = None,
        scenario: str | None = None,
        **query: object,
    ) -> Response:
        """Send a request to an operation and check the response.

        :param who: the token; None for nobody.
        """
        target = f"{f'/~{session}' if session else ''}{self.base}{path}"
        target += f"?{urlencode(query, doseq=True)}" if query else ""
        sent = {"Content-Type": kind} if body is not None else {}
        raw = None if body is None else json.dumps(body).encode()
        response = self.call(
            method, target, key=who, body=raw, headers=sent | (headers or {}), scenario=scenario
        )
        self.check(method, path, response)
        return response

    def check(self, method: str, path: str, response: Response) -> None:
        """Check that a response is a documented one."""
        plain = path.partition("?")[0]
        template = next(name for pattern, name in self.paths if pattern.fullmatch(plain))
        resolve: Callable[[Any], Any] = self.document.resolve
        operation = resolve(self.document.root["paths"][template])[method.lower()]
        status = str(response.status)
        assert status in operation["responses"], (method, path, response)
        described = resolve(operation["responses"][status])
        media = json_media(described.get("content") or {})
        if media is None:
            assert described.get("content") or not response.body, (method, path, response)
            return
        schema = media[1].get("schema", {})
        assert self._is_valid(schema, response.json), (method, path, response.text)
        assert "~" not in response.text, "properties of its own are never shown"

    def control(self, method: str, path: str, body: object = None, *, session: str = "") -> Any:
        """Send a request to the control API and return its JSON, or its status for an error."""
        prefix = f"/~{session}" if session else ""
        response = self.call(method, f"{prefix}/__mockpets/{path}", json_body=body)
        assert response.status < 500, response
        if response.status >= 400:
            return response.status
        return response.json if response.body else None


def write(folder: Path, paths: dict[str, Any], name: str = "api.json", **rest: Any) -> Path:
    """Write a document with these paths, each a mapping of methods, and return its path."""
    document = {"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths} | rest
    file = folder / name
    file.write_text(json.dumps(document))
    return file


def content(schema: object, kind: str = "application/json") -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}


def ok(schema: object = None, status: int = 200, **rest: Any) -> dict[str, Any]:
    """Return responses of one success and of the usual errors."""
    error = {
        "type": "object",
        "required": ["message"],
        "properties": {"message": {"type": "string"}},
    }
    failed = {str(code): {"description": "", **content(error)} for code in (400, 404, 409, 507)}
    success = {"description": "", **rest, **({} if schema is None else content(schema))}
    return {str(status): success, **failed}


def op(
    schema: object = None,
    body: object = None,
    *query: dict[str, Any] | str,
    status: int = 200,
    kind: str = "application/json",
    headers: tuple[str, ...] = (),
    **rest: Any,
) -> dict[str, Any]:
    """Return an operation with a response and a body of some schemas.

    :param query: parameters; a text is the name of one that is an integer.
    """
    more = {"headers": {name: {"schema": {"type": "string"}} for name in headers}}
    parameters = [
        {"name": each, "in": "query", "schema": {"type": "integer"}}
        if isinstance(each, str)
        else {"in": "query", **each}
        for each in query
    ]
    result: dict[str, Any] = {"responses": ok(schema, status, **(more if headers else {})), **rest}
    if parameters:
        result["parameters"] = parameters
    if body is not None:
        result["requestBody"] = {"required": True, **content(body, kind)}
    return result


def at(name: str, kind: str = "integer", **operations: Any) -> dict[str, Any]:
    """Return a path item whose parameters are some names, separated by commas."""
    types = {"uuid": {"type": "string", "format": "uuid"}}
    schema = types.get(kind, {"type": kind})
    parameters = [
        {"name": each, "in": "path", "required": True, "schema": schema} for each in name.split(",")
    ]
    return {"parameters": parameters, **operations}


def several(schema: object) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def thing(*required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of an object; a text stands for a type."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {
            name: {"type": each} if isinstance(each, str) else each
            for name, each in properties.items()
        },
    }
