"""The fields of an OpenAPI document's schemas: each is made once, when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal

from mockpets.contract.json_schema import NEVER_VALID, Part, SchemaField
from mockpets.contract.text_field import TextField

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.contract.fields import ValueProblem
    from mockpets.contract.openapi_loader import Document, Node

Direction = Literal["request", "response"]
_HIDDEN: Final[Mapping[Direction, str]] = {"request": "readOnly", "response": "writeOnly"}
_BESIDE: Final = frozenset({"allOf", "anyOf", "oneOf", "properties", "required"})
"""The keywords that must hold in addition to those of the target, beside a reference."""


class Fields:
    """The fields of a document's schemas.

    It keeps every schema that it is asked about, so pass schemas of the document, not copies.
    """

    def __init__(self, document: Document) -> None:
        self._document = document
        # By the identity of schemas, which the value keeps alive.
        self._made: dict[tuple[object, ...], tuple[object, SchemaField]] = {}
        self._resolved: dict[int, tuple[object, tuple[Node, ...]]] = {}

    def field(self, schema: Node, *, direction: Direction) -> SchemaField:
        """Return the field of a schema.

        :param direction: read-only properties are ignored in requests, write-only ones in
            responses.
        """
        return self._make(direction, (schema,))

    def text_field(self, schema: Node) -> TextField:
        """Return the field of a schema in a request for texts, or lists or objects of them."""
        return TextField(self._make("request", (schema,)))

    def _make(self, direction: Direction, schemas: tuple[object, ...]) -> SchemaField:
        """Return the field of the conjunction of some schemas."""
        key = (direction, *map(id, schemas))
        if key not in self._made:
            parts = tuple(self._parts(schemas))
            canonical = (direction, "parts", *((id(part.node), part[1]) for part in parts))
            if canonical not in self._made:
                hidden = _HIDDEN[direction]
                named = schemas[0] if len(schemas) == 1 else None
                field = SchemaField(
                    parts,
                    make=partial(self._make, direction),
                    name_of=self._document.name_of,
                    validate=_validate,
                    is_hidden=any(part.node.get(hidden) is True for part in parts),
                    name=self._document.name_of(named) if isinstance(named, Mapping) else "",
                )
                self._made[canonical] = parts, field
            self._made[key] = schemas, self._made[canonical][1]
        return self._made[key][1]

    def _parts(self, schemas: Iterable[object]) -> Iterator[Part]:
        """Yield the parts of a conjunction: the schemas, and those of their `allOf`, each once."""
        pending: list[Part | tuple[object, bool]] = [(each, False) for each in schemas][::-1]
        seen: set[tuple[int, bool]] = set()
        listed: set[tuple[int, bool]] = set()
        while pending:
            step = pending.pop()
            if isinstance(step, Part):
                yield step
                continue
            schema, is_nullable = step
            if schema is False or schema in ({"not": {}}, {"not": True}):
                schema = NEVER_VALID
            if not isinstance(schema, Mapping) or (id(schema), is_nullable) in seen:
                continue
            seen.add((id(schema), is_nullable))
            for node in reversed(self._targets(schema)):
                allows_null = is_nullable or node.get("nullable") is True
                if (id(node), allows_null) in listed:
                    continue
                listed.add((id(node), allows_null))
                pending.append(Part(node, allows_null))
                below = node.get("allOf")
                if isinstance(below, list):
                    pending += [(each, allows_null) for each in reversed(below)]

    def _targets(self, schema: Node) -> tuple[Node, ...]:
        """Return a schema without its reference: its target, and what must hold in addition."""
        if "$ref" not in schema:
            return (schema,)
        if id(schema) not in self._resolved:
            resolved = self._document.resolve(schema)
            targets: tuple[Node, ...] = (resolved,)
            if self._document.version != "3.0" and _BESIDE & schema.keys():
                beside = {name: part for name, part in schema.items() if name != "$ref"}
                targets = (self._document.resolve({"$ref": schema["$ref"]}), beside)
            self._resolved[id(schema)] = schema, targets
        return self._resolved[id(schema)][1]


def _validate(field: SchemaField, value: Any) -> list[ValueProblem]:
    from mockpets.contract.schema_validation import problems_of  # imports marshmallow: see there

    return problems_of(field, value)
