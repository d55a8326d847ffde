"""Read the corrections of a contract: `x-mockpets` in the document, and the file beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal

from mockpets.constants import CONTRACT_EXTENSION, FILE_BYTES, FILE_NODES
from mockpets.contract.corrections import (
    CORRECTED_ROLES,
    CollectionCorrection,
    Corrections,
    OperationCorrection,
)
from mockpets.contract.fields import INVALID
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import did_you_mean
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.mappings import MapOf, Object, not_both
from mockpets.scenario.language.nodes import KINDS, Node
from mockpets.scenario.language.parser import read
from mockpets.scenario.language.shapes import ANY_KIND, Shape, Text, Value
from mockpets.text_files import read_text
from mockpets.units import quote

if TYPE_CHECKING:
    from pathlib import Path

    from mockpets.contract.corrections import CorrectedRole
    from mockpets.contract.openapi_loader import Document

_A_DAY: Final = "a day such as 2026-01-31"
_COPIED: Final = ("where", "set", "sort", "deprecation", "sunset")
"""The keys of an operation that its correction has under the same name."""


def load_corrections(document: Document, path: Path | None = None) -> Corrections:
    """Return the corrections in a document and in a file, whose entries win.

    :param path: the file; None without one.
    :raise InputError: with every problem: an unknown operation, role or property has the nearest.
    """
    inside = Corrections()
    if CONTRACT_EXTENSION in document.root:
        inside = _read_inside(document)
    if path is None:
        return inside
    text = read_text(path, str(path), FILE_BYTES)
    is_json = path.suffix.lower() == ".json"
    diagnostics = Diagnostics(str(path), BUILT_IN)  # its names are those of the document
    shape = _shape(document)
    beside = read(text, shape, diagnostics, is_json=is_json, nodes=FILE_NODES)
    return Corrections(
        {**inside.operations, **beside.operations},
        {**inside.collections, **beside.collections},
        beside.prefix or inside.prefix,
    )


def _read_inside(document: Document) -> Corrections:
    """Return the corrections in the document itself."""
    # Positions need a second reading of the document: first try without.
    value = document.root[CONTRACT_EXTENSION]
    for has_places in (False, True):
        diagnostics = Diagnostics(document.file, BUILT_IN)
        node = _node(value, document if has_places else None, (CONTRACT_EXTENSION,))
        corrections = _shape(document).read(node, diagnostics.at(CONTRACT_EXTENSION))
        if not diagnostics.problems and corrections is not INVALID:
            break
    else:
        diagnostics.close()
    result: Corrections = corrections
    return result


def _node(value: object, document: Document | None, path: tuple[str | int, ...]) -> Node:
    """Return a part of a document as a node, with its position if the document is given."""
    line, column = document.place(path)[1:] if document else (0, 0)
    if isinstance(value, dict):
        children = {key: _node(each, document, (*path, key)) for key, each in value.items()}
        members = {
            key: (Node("text", child.line, child.column, key), child)
            for key, child in children.items()
        }
        return Node("mapping", line, column, members=members)
    if isinstance(value, list):
        items = (_node(each, document, (*path, index)) for index, each in enumerate(value))
        return Node("list", line, column, items=tuple(items))
    return Node(KINDS[type(value)], line, column, value)  # type: ignore[arg-type]


# --- The shapes ---------------------------------------------------------------------------------


class _Names:
    """Checks names against those of a document; the methods are for `convert` of shapes."""

    def __init__(self, document: Document) -> None:
        self._operations = {each.name: each.name for each in document.operations}
        self._operations |= {
            f"{each.method} {each.path}": each.name for each in document.operations
        }
        parameters = {part["name"] for each in document.operations for part in each.parameters}
        self._properties = document.property_names | parameters

    def property(self, path: str, node: Node, diagnostics: Diagnostics) -> Any:
        """Return the path of a property, each part of which some schema has."""
        for part in path.removeprefix("-").split("."):
            if part not in self._properties:
                hint = did_you_mean(part, self._properties) or "no schema of the contract has it"
                return diagnostics.add(node, f"unknown property {quote(part)}", hint)
        return path

    def keys(self, values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
        """Return a mapping whose keys are properties."""
        for name, (key, _) in node.members.items():
            self.property(name, key, diagnostics.at(name))
        return values

    def value(self, value: Any, node: Node, diagnostics: Diagnostics) -> Any:
        """Return a value to set; ``{slugify: title}`` names a property."""
        if isinstance(value, dict) and value.keys() == {"slugify"}:
            inner, _ = node.find(("slugify",))
            below = diagnostics.at("slugify")
            if isinstance(value["slugify"], str):
                return value if self.property(value["slugify"], inner, below) else INVALID
            return below.reject(inner, "the name of a property")
        return value

    def values(self, path: str, node: Node, diagnostics: Diagnostics) -> Any:
        """Return the value of `values`: a collection and a property of its records."""
        collection, _, name = path.partition(".")
        self.property(name, node, diagnostics)
        return collection, name

    def operations(self, values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
        """Return corrections by the names of their operations."""
        result: dict[str, Any] = {}
        for given, (key, _) in node.members.items():
            name = self._operations.get(given)
            if name is None:
                hint = did_you_mean(given, self._operations) or "mockpets contract lists them"
                diagnostics.add(key, f"unknown operation {quote(given)}", hint)
            elif name in result:
                diagnostics.add(key, f"the operation {quote(name)} is corrected twice")
            elif given in values:
                result[name] = values[given]
        return result


def _shape(document: Document) -> Shape:
    """Return the shape of `x-mockpets`."""
    names = _Names(document)
    # A path such as author.following; a property may have any characters but spaces and dots.
    name = Text("A property.", "the name of a property", r"[^\s.]+(?:\.[^\s.]+)*", 200)
    prop = replace(name, convert=names.property)
    sort = replace(
        name,
        description="Property by which the list is sorted; with - before it, in reverse order.",
        expected="a property, or one with - before it",
        convert=names.property,
    )
    any_value = Value("A JSON value.", ANY_KIND)
    where = MapOf(
        "Property to the value that each record of the list has.",
        any_value, "property", r"[\s\S]+", convert=names.keys,
    )  # fmt: skip
    sets = MapOf(
        "Property to the value that it gets.",
        replace(any_value, convert=names.value), "property", r"[\s\S]+", convert=names.keys,
    )  # fmt: skip
    collection = Text("Name of a collection.", "the name of a collection", r"[^\s/]+", 100)
    values = replace(
        collection,
        expected="a property of a collection, such as articles.tagList",
        pattern=r"[^\s/.]+\.[^\s/]+",
        convert=names.values,
    )
    roles: dict[str, Shape] = dict.fromkeys(CORRECTED_ROLES, collection)
    roles |= {"values": values, "example": Value("The operation has no state.", ("boolean",))}
    dates = {
        "deprecation": Text(
            "Day since which it is deprecated: the header Deprecation.", _A_DAY, convert=_day
        ),
        "sunset": Text("Day on which it is removed: the header Sunset.", _A_DAY, convert=_day),
    }
    operation = Object(
        "What an operation is.",
        {**roles, "where": where, "set": sets, "sort": sort, **dates},
        rules=tuple(
            not_both(first, second, "an operation has one role; remove one of them")
            for first, second in combinations(CORRECTED_ROLES, 2)
        ),
        convert=_operation,
    )
    of_collection = Object(
        "What a collection is.",
        {"id": prop, "parent": collection, "shows": collection, "set": sets, "sort": sort},
        convert=_collection,
    )
    prefix = Text("The word before a token.", "one word, such as Token", r"[A-Za-z0-9._-]+", 50)
    return Object(
        "Corrections of a contract.",
        {
            "operations": MapOf(
                "Operations by name.", operation, "name", r"[\s\S]+", convert=names.operations
            ),
            "collections": MapOf("Collections by name.", of_collection, "name", r"[^\s/]{1,100}"),
            "security": Object("How clients send credentials.", {"prefix": prefix}),
        },
        convert=_corrections,
    )


def _operation(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    roles = (each for each in CORRECTED_ROLES if each in values)
    role: CorrectedRole | Literal[""] = next(roles, "")
    named = values.get(role, "")
    if role == "example" and named is False:
        hint = "remove it, or name the role"
        return diagnostics.add(node, "must be true, got false", hint, at=("example",))
    collection, name = named if isinstance(named, tuple) else (named if role else "", "")
    return OperationCorrection(
        role,
        "" if role == "example" else collection,
        name,
        place=(diagnostics.file, node.line, node.column),
        **{key: values[key] for key in _COPIED if key in values},
    )


def _day(text: str, node: Node, diagnostics: Diagnostics) -> Any:
    """Return a day as it is written, if it exists."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return diagnostics.reject(node, _A_DAY)
    return text


def _collection(values: dict[str, Any], node: Node, diagnostics: Diagnostics) -> Any:
    return CollectionCorrection(**values, place=(diagnostics.file, node.line, node.column))


def _corrections(values: dict[str, Any], _: Node, __: Diagnostics) -> Corrections:
    return Corrections(**values.pop("security", {}), **values)
