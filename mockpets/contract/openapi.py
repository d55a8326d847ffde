"""An OpenAPI document as it is: its values, references and operations."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from mockpets.contract.reading import read_json, read_yaml
from mockpets.errors import invalid

if TYPE_CHECKING:
    from pathlib import Path as FilePath

Node = Mapping[str, Any]
Path = tuple[str | int, ...]
"""Keys and indexes from the root."""

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


class Described(NamedTuple):
    """One operation as described; parameters, bodies and responses are resolved, schemas not."""

    name: str
    method: str
    path: str
    node: Node
    at: Path
    parameters: tuple[Node, ...]
    body: Node | None
    responses: Mapping[str, Node]
    security: tuple[Mapping[str, Sequence[str]], ...]
    not_served: str


class Document:
    """An OpenAPI document: plain values, whose numbers are int or Decimal."""

    def __init__(self, root: Node, file: str) -> None:
        self.root = root
        self.file = file
        self.version = "3.0" if str(root["openapi"]).startswith("3.0") else "3.1"

    def resolve(self, node: Node) -> Node:
        """Return a node, or what its ``$ref`` leads to, with what stands beside it over it."""
        while isinstance(node.get("$ref"), str):
            target: Any = self.root
            for step in _steps(node["$ref"]):
                target = target[int(step)] if isinstance(target, list) else target[step]
            beside = {name: part for name, part in node.items() if name != "$ref"}
            node = {**target, **beside} if beside else target
        return node

    def name_of(self, node: Node) -> str:
        """Return ``Pet`` for ``{"$ref": "#/components/schemas/Pet"}``; else an empty string."""
        reference = node.get("$ref")
        return _steps(reference)[-1] if isinstance(reference, str) else ""

    def place(self, path: Path) -> tuple[str, int, int]:
        """Return file, line and column of the value at a path."""
        return self.file, 0, 0


def _steps(reference: str) -> list[str]:
    pointer = unquote(reference.partition("#")[2])
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def load(path: FilePath, shown: str) -> Document:
    """Return the document in a file.

    :param shown: the file's name in messages.
    :raise InputError: with every problem.
    """
    text = path.read_text("utf-8")
    root = read_json(text, shown) if path.suffix == ".json" else read_yaml(text, shown)
    if not isinstance(root, dict) or "openapi" not in root:
        raise invalid(shown, "is not an OpenAPI document")
    return Document(root, shown)


def operations(document: Document) -> tuple[Described, ...]:
    """Return the operations of a document, in its order."""
    result = []
    names: set[str] = set()
    for path, item in document.root.get("paths", {}).items():
        item = document.resolve(item)
        for method in item:
            if method not in METHODS:
                continue
            node = item[method]
            name = re.sub("[^A-Za-z0-9_-]", "-", node.get("operationId", ""))
            name = name or re.sub("[^A-Za-z0-9_]+", "-", f"{method}{path}").strip("-")
            name = _unique(name, names)
            listed = [*item.get("parameters", ()), *node.get("parameters", ())]
            parameters = {(p["name"], p["in"]): p for p in map(document.resolve, listed)}
            body = node.get("requestBody")
            responses = {
                str(status): document.resolve(response)
                for status, response in node.get("responses", {}).items()
                if not str(status).startswith("x-")
            }
            security = node.get("security", document.root.get("security", ()))
            result.append(
                Described(
                    name,
                    method.upper(),
                    path,
                    node,
                    ("paths", path, method),
                    tuple(parameters.values()),
                    body and document.resolve(body),
                    responses,
                    tuple(security),
                    "",
                )
            )
    return tuple(result)


def _unique(name: str, taken: set[str]) -> str:
    number, result = 1, name
    while result.lower() in taken:
        number += 1
        result = f"{name}-{number}"
    taken.add(result.lower())
    return result


def base_path(document: Document) -> str:
    """Return the path of the first server, without a slash at its end."""
    servers = document.root.get("servers") or [{"url": "/"}]
    url = servers[0]["url"]
    for name, variable in servers[0].get("variables", {}).items():
        url = url.replace("{" + name + "}", str(variable["default"]))
    path = re.sub(r"^(?:[a-z][a-z0-9+.-]*:)?//[^/]*", "", url)
    path = posixpath.normpath("/" + path.partition("?")[0].partition("#")[0].strip("/"))
    return "" if path == "/" else path


def json_media(content: Node) -> tuple[str, Node] | None:
    """Return the media type and media object of JSON: application/json, +json, else ``*/*``."""
    for pattern in (r"application/json", r"(?:.*[/+])?json *(?:;.*)?", r"\*/\*"):
        for media_type, media in content.items():
            if re.fullmatch(pattern, media_type.strip(), re.IGNORECASE):
                return media_type, media
    return None
