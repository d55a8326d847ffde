"""Serve the control panel, the reference page, the TypeScript kit, and the toolbar for an app.

They contain no secrets, and their data comes from the control API. Any client may load them, except
the toolbar (`control.routes`). All their URLs are relative, so they work behind a prefix and under
a session's base path. The URLs of files have a digest of all files, so browsers cache them forever
and never mix two versions.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from flask import render_template

from mockpets.constants import CONTROL_PREFIX
from mockpets.contract.control_calls import TAGS
from mockpets.contract.media_types import json_media
from mockpets.errors import RequestError
from mockpets.kit_files import known_of, render
from mockpets.skill_files import SKILL, skill_files
from mockpets.strict_json import dump_json
from mockpets.web.messages import Response
from mockpets.web.panel_files import panel_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mockpets.contract.contract_model import Contract, Contracts
    from mockpets.scenario.library import Library
    from mockpets.web.messages import Request

_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".ts": "text/plain; charset=utf-8",  # the registered type of this suffix is a video's
}
_UNTAGGED: Final = "Operations"
"""The group of the operations without a tag."""
_FOR_AGENTS: Final = (
    f"control.openapi.json?tag=scenarios (or {', '.join([t for t in TAGS if t != 'scenarios'])})",
    "openapi.json",
    "schema/scenario.json",
)
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


def to_panel(_: Request) -> Response:
    """Redirect the prefix without its slash to the panel, whose URLs are relative."""
    location = CONTROL_PREFIX.removeprefix("/") + "/"
    return Response(status=308, headers=[("Location", location)])


def panel(_: Request) -> Response:
    """Return the control panel's page."""
    text = panel_files()["index.html"].decode()
    return _page(text.replace("{digest}", digest()).replace("{icon}", _icon()).encode(), ".html")


def panel_file(_: Request, version: str, name: str) -> Response:
    """Return a script, style sheet or image of the pages, or raise ``not_found``."""
    if version != digest():
        raise RequestError("not_found", "the panel's files have changed; reload the page")
    if name not in panel_files():
        raise RequestError("not_found", f"the panel has no file {name[:80]!r}")
    cached = ("Cache-Control", "public, max-age=31536000, immutable")
    return _page(panel_files()[name], Path(name).suffix, cached)


def docs(contracts: Contracts, contract: str = "", *, has_panel: bool) -> Response:
    """Return a contract as a page, the target of a deprecated operation's `Link` header.

    :param contract: its label; empty for the first.
    """
    return _page(_rendered_docs(contracts, contract, has_panel=has_panel), ".html")


def llms(library: Callable[[], Library], request: Request) -> Response:
    """Return the skill for coding agents, with the contracts and descriptions of this server."""
    root = request.root_path
    served = (f"- {each.name}: {root}{each.base or '/'}" for each in library().contracts.all)
    links = (f"- {root}{CONTROL_PREFIX}/{path}" for path in _FOR_AGENTS)
    shown = "\n".join([*served, *links])
    text = f"{skill_files()[SKILL]}\n## On this server\n\n{shown}\n"
    return Response(text, content_type="text/plain; charset=utf-8")


def kit_file(name: str, library: Callable[[], Library], _: Request) -> Response:
    """Return a file of the TypeScript kit, with the names of the scenarios in the library."""
    return Response(render(name, known_of(library())), content_type=_TYPES[Path(name).suffix])


@lru_cache(8)
def _rendered_docs(contracts: Contracts, label: str, *, has_panel: bool) -> bytes:
    """Return the page, rendered once: it is the same for every request."""
    contract = contracts.labelled(label)
    document = contract.document
    schemas = (document.get("components") or {}).get("schemas") or {}
    text = render_template(
        "docs.html",
        as_json=lambda value: dump_json(value).decode(),
        info=document["info"],
        contract=contract,
        contracts=contracts.all,
        groups=_by_tag([*_operations(contract)], document.get("tags")),
        operations=len(contract.operations),
        # What no operation reaches has not been checked.
        schemas={name: each for name, each in schemas.items() if isinstance(each, Mapping)},
        is_built_in=contract.api is None,
        removals={name: each.removal for name, each in contract.operations.items()},
        has_panel=has_panel,
        digest=digest(),
    )
    return text.encode()


def _operations(contract: Contract) -> Iterator[dict[str, Any]]:
    """Yield the operations with what the page shows.

    Bodies have the media object of their JSON as `json`.
    """
    for each in contract.operations.values():
        if each.details is not None:
            described = each.details.described
            node, parameters, body = described.node, described.parameters, described.body
            responses = described.responses
        else:
            path = each.path.removeprefix(contract.base)
            node = contract.document["paths"][path][each.method.lower()]
            parameters, body = node.get("parameters", ()), node.get("requestBody")
            responses = node["responses"]
        yield {
            **node,
            "name": each.name,
            "method": each.method,
            "path": each.path,
            "parameters": parameters,
            "requestBody": body and _with_json(body),
            "responses": {status: _with_json(response) for status, response in responses.items()},
        }


def _by_tag(operations: Sequence[Mapping[str, Any]], described: object) -> list[dict[str, Any]]:
    """Return groups with a name, a description and operations, those of described tags first.

    An operation is in the group of its first tag.
    """
    tags = {
        str(each["name"]): each.get("description")
        for each in (described if isinstance(described, list) else ())
        if isinstance(each, Mapping) and "name" in each
    }
    groups: dict[str, list[Mapping[str, Any]]] = {name: [] for name in tags}
    for each in operations:
        names = each.get("tags")
        name = str(names[0]) if isinstance(names, list) and names else _UNTAGGED
        groups.setdefault(name, []).append(each)
    return [
        {"name": name, "description": tags.get(name), "operations": its}
        for name, its in groups.items()
        if its
    ]


def _with_json(message: Mapping[str, Any]) -> dict[str, Any]:
    media = json_media(message.get("content") or {})
    return {**message, "json": media[1] if media else {}}


@cache
def digest() -> str:
    """Return a digest of the served files."""
    content = b"".join(name.encode() + text for name, text in panel_files().items())
    return sha256(content).hexdigest()[:12]


@cache
def _icon() -> str:
    """Return the icon as a URL, which saves a request."""
    return f"data:image/svg+xml,{quote(panel_files()['icon.svg'])}"


def _page(
    content: bytes, suffix: str, cached: tuple[str, str] = ("Cache-Control", "no-cache")
) -> Response:
    return Response(content, headers=[*_HEADERS.items(), cached], content_type=_TYPES[suffix])
