"""Small documents for tests of generated data."""

from pathlib import Path
from typing import Any

from mockpets.contract.openapi_loader import Document, Node, load
from mockpets.seed.values import Values
from mockpets.strict_json import dump_json
from tests.contract.json_schema import is_valid_by

NOW = 1_777_887_000_000
"""2026-05-04T09:30:00Z."""


def reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def document_of(folder: Path, version: str = "3.1.0", **schemas: Node) -> Document:
    """Return a document with an operation for each schema."""
    media = {name: {"schema": reference(name)} for name in schemas}
    responses = {name: {"200": response(each)} for name, each in media.items()}
    return document_with(folder, responses, schemas, version)


def response(media: Node, media_type: str = "application/json") -> Node:
    return {"description": "", "content": {media_type: media}}


def document_with(
    folder: Path, responses: Node, schemas: Node | None = None, version: str = "3.1.0"
) -> Document:
    """Return a document with an operation for each name in `responses`."""
    paths = {
        f"/{name}": {"get": {"operationId": name, "responses": each}}
        for name, each in responses.items()
    }
    root = {
        "openapi": version,
        "info": {"title": "Test", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas or {}},
    }
    file = folder / "test.json"
    file.write_bytes(dump_json(root))
    return load(file, file.name)


def values_of(document: Document, seed: int = 1, now: int = NOW) -> Values:
    return Values(document, is_valid_by(document), lambda _, value: value, seed=seed, now=now)
