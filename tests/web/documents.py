"""Small OpenAPI documents, and clients of servers that serve them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mockpets import Settings, create_app
from mockpets.strict_json import dump_json
from tests.http_client import Client, InProcess

CLINIC = Path(__file__).parent.parent / "contract" / "documents" / "clinic.yaml"
Node = Mapping[str, Any]

ERROR: Node = {
    "type": "object",
    "required": ["message", "status"],
    "properties": {"message": {"type": "string"}, "status": {"type": "integer"}},
}


def json_of(schema: Node, media_type: str = "application/json", **media: object) -> dict[str, Any]:
    """Return a response, or the body of a request."""
    return {"description": "", "content": {media_type: {"schema": schema, **media}}}


FAILED = json_of(ERROR)


def operation(
    *parameters: Node, body: Node | None = None, name: str = "", **responses: Node
) -> dict[str, Any]:
    """Return an operation; ``_404`` is its response with 404, and ``default`` the default.

    Without responses, it responds with 200 and a text.
    """
    listed = {name.removeprefix("_"): node for name, node in responses.items()}
    result: dict[str, Any] = {
        "responses": listed or {"200": json_of({"type": "string", "example": "done"})}
    }
    if name:
        result["operationId"] = name
    if parameters:
        result["parameters"] = parameters
    if body is not None:
        result["requestBody"] = body
    return result


def document(paths: Node, title: str = "Test", version: str = "3.1.0", **parts: object) -> Node:
    return {"openapi": version, "info": {"title": title, "version": "1"}, "paths": paths, **parts}


def write(file: Path, root: Node) -> Path:
    file.write_bytes(dump_json(root))
    return file


def client_of(*contracts: object, **settings: Any) -> Client:
    """Return a client of an app that serves contracts."""
    return Client(InProcess(create_app(Settings(contract=(*map(str, contracts),), **settings))))


Serve = Callable[..., Client]
"""Serves the paths of a document; names of settings, or parts of the document, may follow."""


def serve_in(folder: Path) -> Serve:
    def serve(paths: Node, settings: Mapping[str, Any] | None = None, **parts: object) -> Client:
        file = write(folder / "test.json", document(paths, **parts))  # type: ignore[arg-type]
        return client_of(file, **(settings or {}))

    return serve
