"""Check that a file is an OpenAPI 3.0 or 3.1 document, and recognise other kinds of files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

from mockpets.contract.document_references import got
from mockpets.errors import InputError, invalid, nearest
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.contract.document_references import Node, References

_OTHERS: Final[tuple[tuple[Callable[[Node], object], str, str], ...]] = (
    (
        lambda root: "swagger" in root,
        "is a Swagger 2.0 document; mockpets reads OpenAPI 3.0 and 3.1",
        "convert it: npx swagger2openapi {file} -o openapi.yaml",
    ),
    (
        lambda root: "asyncapi" in root,
        "is an AsyncAPI document, which describes messages, not HTTP requests",
        "name an OpenAPI document",
    ),
    (
        lambda root: (
            "getpostman.com" in str(_get(root, "info", "schema"))
            or _get(root, "info", "_postman_id")
        ),
        "is a Postman collection, not an OpenAPI document",
        "convert it: npx postman-to-openapi {file} openapi.yaml",
    ),
    (
        lambda root: root.get("_type") == "export" and "resources" in root,
        "is an Insomnia export, not an OpenAPI document",
        "export the design document instead",
    ),
    (
        lambda root: _get(root, "log", "entries"),
        "is a HAR file, not an OpenAPI document",
        "use it with mockpets record --har",
    ),
    (
        lambda root: "stubs" in root or "extends" in root,
        "is a scenario, not an OpenAPI document",
        "move it into the folder of --scenarios-dir",
    ),
    (
        lambda root: "paths" not in root and ("$schema" in root or "$defs" in root),
        "is a JSON Schema, not an OpenAPI document",
        "name the document that describes paths",
    ),
)
"""Other kinds of files: how to recognise one, the message and the hint."""


def _get(root: Node, *keys: str) -> object:
    value: Any = root
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _rename(root: Node, name: str) -> str:
    near = nearest(name, {key: key for key in root})
    return f"rename {quote(near)} to '{name}'" if near else ""


def version_of(document: References) -> Literal["3.0", "3.1"]:
    """Return the version of a document; raise InputError if it is not OpenAPI 3 with paths."""
    root, file = document.root, document.file
    if "openapi" not in root:
        for is_kind, what, hint in _OTHERS:
            if is_kind(root):
                raise invalid(file, what, hint.format(file=file))
        what = "missing key 'openapi': is this an OpenAPI document?"
        hint = _rename(root, "openapi") or "add openapi: 3.1.0"
        raise InputError([document.problem((), what, hint)])
    version = str(root["openapi"])
    match = re.fullmatch(r"3\.([012])(?:\.\d.*)?|3", version.strip(), re.DOTALL)
    if match is None:
        what = f"unknown version of OpenAPI {got(root['openapi'])}"
        hint = "mockpets reads 3.0 and 3.1"
        raise InputError([document.problem(("openapi",), what, hint)])
    paths = root.get("paths")
    if paths is None and "webhooks" in root:
        what = "has webhooks but no paths, so there is nothing to serve"
        raise InputError([document.problem((), what, "add paths: {/posts: {get: ...}}")])
    if paths is None or paths == {}:
        hint = _rename(root, "paths") if paths is None else ""
        what = "has no paths, so there is nothing to serve"
        hint = hint or "add paths: {/posts: {get: ...}}"
        raise InputError([document.problem((), what, hint)])
    if not isinstance(paths, dict):
        what = f"must be a mapping of paths, got {got(paths)}"
        raise InputError([document.problem(("paths",), what)])
    return "3.0" if match[1] == "0" else "3.1"
