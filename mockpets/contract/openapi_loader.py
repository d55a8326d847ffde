"""Load an OpenAPI document, and list its operations and what mockpets does not serve of it.

`load` checks what operations reach, so that later readers need no checks of their own:

- Parameters, bodies, responses and their parts are mappings. Media objects, parameters and headers
  have a `schema`; for a parameter or a header with `content`, that of its first type. Parameters
  have `name` and `in`, and those of the path are exactly those in the template.
- A schema is a mapping (``true`` is ``{}``, ``false`` is ``{"not": {}}``, but for
  `additionalProperties`), and its keywords have values of the right type.
- References lead somewhere, and not only to references.
- A security requirement names only schemes that exist.

Parts that no operation reaches are not checked.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from mockpets.contract.component_reader import Note
from mockpets.contract.document_kind import version_of
from mockpets.contract.document_references import Node, Path, References
from mockpets.contract.operation_reader import Described, OperationReader, declared_schemes
from mockpets.errors import InputError, Problem, first_problems

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path as FilePath

    from mockpets.contract.component_reader import Found

__all__ = [
    "Described", "Document", "Node", "Note", "Path",
    "base_path", "load", "not_served", "operations",
]  # fmt: skip

_PLACED: Final = 1000
"""Maximum number of problems whose places are looked up."""


class Document(References):
    """An OpenAPI document as plain values; numbers are int or Decimal. See `load`."""

    def __init__(self, path: FilePath, shown: str) -> None:
        super().__init__(path, shown)
        self.version: Final[Literal["3.0", "3.1"]] = version_of(self)
        reader = OperationReader(self)
        reader.read()
        if reader.problems:
            raise _error(self, reader.problems)
        if not reader.described:
            hint = "add one below a path: /posts: {get: ...}"
            raise InputError([self.problem(("paths",), "describes no operations", hint)])
        self.operations: Final = tuple(reader.described)
        self.notes: Final = tuple(reader.all_notes())
        self.property_names: Final = frozenset(reader.schemas.properties)
        """The names of all properties of the schemas that operations reach."""

    @cached_property
    def security_schemes(self) -> Mapping[str, Node]:
        """The security schemes by name, resolved, without invalid ones that no operation names."""
        schemes: dict[str, Node] = {}
        for name, scheme in declared_schemes(self).items():
            try:
                resolved = self.resolve(scheme) if isinstance(scheme, dict) else None
            except InputError:
                continue
            if resolved is not None:
                schemes[name] = resolved
        return schemes


def _error(document: References, problems: list[Found]) -> InputError:
    placed = {
        each if isinstance(each, Problem) else document.problem(*each): None
        for each in problems[:_PLACED]
    }
    return first_problems(placed, document.file, more=len(problems[_PLACED:]))


def load(path: FilePath, shown: str) -> Document:
    """Return the document in a file.

    :param shown: the file's name in messages.
    :raise InputError: with every problem that an operation reaches.
    """
    return Document(path, shown)


def operations(document: Document) -> tuple[Described, ...]:
    """Return the operations of a document, in its order."""
    return document.operations


def not_served(document: Document) -> tuple[Note, ...]:
    """Return what of a document is not served, not enforced, or likely to be a mistake."""
    return document.notes


def base_path(document: Document) -> str:
    """Return the path of the first server, such as ``/api``, or an empty string."""
    servers = document.root.get("servers")
    server = servers[0] if isinstance(servers, list) and servers else None
    url = server.get("url") if isinstance(server, dict) else None
    if not isinstance(server, dict) or not isinstance(url, str):
        return ""
    variables = server.get("variables")
    for name, variable in (variables if isinstance(variables, dict) else {}).items():
        if isinstance(variable, dict):
            url = url.replace(f"{{{name}}}", str(_default(variable, name)))
    url = re.sub(r"[?#].*", "", url.strip().replace("{", "").replace("}", ""), flags=re.DOTALL)
    # A host without a scheme is a common mistake: api.example.com/v1, localhost:3000.
    host = (
        r"(?:[A-Za-z][A-Za-z0-9+.-]*:)?//[^/]*|(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?|[\w-]+:\d+)(?=/|$)"
    )
    rest = re.sub(f"^(?:{host})", "", url)
    segments: list[str] = []
    for segment in rest.split("/"):
        if segment == "..":
            segments[-1:] = []
        elif segment not in ("", "."):
            segments.append(segment)
    return "".join(f"/{segment}" for segment in segments)


def _default(variable: Node, name: str) -> object:
    choices = variable.get("enum")
    listed = [variable.get("default"), *(choices if isinstance(choices, list) else ())]
    return next((each for each in listed if isinstance(each, (str, int, Decimal))), name)
