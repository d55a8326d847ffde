"""Serve the control panel, the reference page, the TypeScript kit, and the toolbar for an app.

They contain no secrets, and their data comes from the control API. Any client may load them, except
the toolbar (`control.routes`). All their URLs are relative, so they work behind a prefix and under
a session's base path. The URLs of files have a digest of all files, so browsers cache them forever
and never mix two versions.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

from flask import render_template

from mockpets.constants import CONTROL_PREFIX
from mockpets.errors import RequestError
from mockpets.kit import render
from mockpets.skill import SKILL, skill_files
from mockpets.strict_json import dump_json
from mockpets.web.exchange import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from mockpets.contract.model import Contracts
    from mockpets.scenario.library import Library

_FOLDER: Final = Path(__file__).with_name("panel")
_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".ts": "text/plain; charset=utf-8",  # the registered type of this suffix is a video's
}
_FOR_AGENTS: Final = (
    "control.openapi.json?tag=scenarios (or server, sessions, data, requests, gates)",
    "openapi.json",
    "schema/scenario.json",
)
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_HEADERS: Final = {
    # No other origins, no inline scripts, no frames: text from a record or a scenario cannot
    # run as a script (CSP Level 3).
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


def to_panel() -> Response:
    """Redirect the prefix without its slash to the panel, whose URLs are relative."""
    location = CONTROL_PREFIX.removeprefix("/") + "/"
    return Response(status=308, headers=[("Location", location)])


def panel() -> Response:
    """Return the control panel's page."""
    text = _files()["index.html"].decode()
    return _page(text.replace("{digest}", digest()).replace("{icon}", _icon()).encode(), ".html")


def panel_file(version: str, name: str) -> Response:
    """Return a script, style sheet or image of the pages, or raise ``not_found``."""
    if version != digest():
        raise RequestError("not_found", "the panel's files have changed; reload the page")
    if name not in _files():
        raise RequestError("not_found", f"the panel has no file {name[:80]!r}")
    cached = ("Cache-Control", "public, max-age=31536000, immutable")
    return _page(_files()[name], Path(name).suffix, cached)


def docs(contracts: Contracts, *, has_panel: bool) -> Response:
    """Return the first contract as a page, the target of a deprecated operation's `Link` header."""
    return _page(_rendered_docs(contracts, has_panel=has_panel), ".html")


def llms(root: str) -> Response:
    """Return the skill for coding agents, with links to what this server describes."""
    links = "\n".join(f"- {root}{CONTROL_PREFIX}/{path}" for path in _FOR_AGENTS)
    text = f"{skill_files()[SKILL]}\n## On this server\n\n{links}\n"
    return Response(text, content_type="text/plain; charset=utf-8")


def kit_file(name: str, library: Callable[[], Library]) -> Response:
    """Return a file of the TypeScript kit, with the names of the scenarios in the library."""
    known = library()
    text = render(name, known.descriptions(), known.gates(), known.collection_names())
    return Response(text, content_type=_TYPES[Path(name).suffix])


@lru_cache(4)
def _rendered_docs(contracts: Contracts, *, has_panel: bool) -> bytes:
    """Return the page, rendered once: it is the same for every request."""
    contract = contracts.all[0]
    document = contract.document
    schemas = document.get("components", {}).get("schemas", {})
    text = render_template(
        "docs.html",
        as_json=lambda value: dump_json(value).decode(),
        info=document["info"],
        operations=[*_operations(document, contract.base)],
        schemas=schemas,
        removals={name: each.removal for name, each in contract.operations.items()},
        has_panel=has_panel,
        digest=digest(),
    )
    return text.encode()


def _operations(document: Mapping[str, Any], base: str) -> Iterator[dict[str, Any]]:
    """Yield the operations of a document with what the page shows, without references to parts.

    Bodies have the media object of their JSON as `json`.
    """
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in _METHODS:
                parameters = [*item.get("parameters", ()), *operation.get("parameters", ())]
                responses = operation.get("responses", {})
                yield {
                    **operation,
                    "name": operation.get("operationId", f"{method.upper()} {path}"),
                    "method": method.upper(),
                    "path": base + path,
                    "parameters": [_resolved(each, document) for each in parameters],
                    "requestBody": _with_json(operation.get("requestBody", {}), document),
                    "responses": {
                        status: _with_json(each, document) for status, each in responses.items()
                    },
                }


def _with_json(described: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a body or a response with its JSON; empty for no body."""
    if not (node := _resolved(described, document)):
        return {}
    content = node.get("content", {})
    kinds = (kind for kind in content if re.match(r"application/([^;]*\+)?json\b", kind))
    headers = {name: _resolved(each, document) for name, each in node.get("headers", {}).items()}
    return {**node, "headers": headers, "json": content.get(next(kinds, ""), {})}


def _resolved(node: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a node refers to in the same document, if it is a reference."""
    if "$ref" not in node:
        return node
    found: Any = document
    for part in node["$ref"].split("/")[1:]:
        found = found.get(part.replace("~1", "/").replace("~0", "~"), {})
    return cast("Mapping[str, Any]", found)


@cache
def _files() -> dict[str, bytes]:
    """Return the served files, read at once so that an upgrade of the package cannot mix them."""
    paths = sorted(path for path in _FOLDER.iterdir() if path.suffix in _TYPES)
    return {path.name: path.read_bytes() for path in paths}


@cache
def digest() -> str:
    """Return a digest of the served files."""
    content = b"".join(name.encode() + text for name, text in _files().items())
    return sha256(content).hexdigest()[:12]


@cache
def _icon() -> str:
    """Return the icon as a URL, which saves a request."""
    return f"data:image/svg+xml,{quote(_files()['icon.svg'])}"


def _page(
    content: bytes, suffix: str, cached: tuple[str, str] = ("Cache-Control", "no-cache")
) -> Response:
    return Response(content, headers=[*_HEADERS.items(), cached], content_type=_TYPES[suffix])
