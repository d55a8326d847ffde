"""Make a `Contract` of an OpenAPI document.

What OpenAPI cannot say is in the document's `x-mockpets`: see pet-store.yaml.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.constants import CONTRACT_EXTENSION, ROLES
from mockpets.contract.contract_model import (
    Body,
    Collection,
    Contract,
    Failure,
    Missing,
    Operation,
    RecordSchema,
    Removal,
    Schema,
)
from mockpets.contract.fields import field_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from mockpets.contract.fields import ContractField

    Node = Mapping[str, Any]

_JSON: Final = "application/json"


def read(document: Node) -> Contract:
    """Return the contract that a document describes.

    :raise KeyError: a part that the program needs is missing; ValueError: a type is not supported.
    """
    own = document[CONTRACT_EXTENSION]
    base = document["servers"][0]["url"]
    reader = _Reader(document, base)
    failures = {code: Failure(code, **each) for code, each in own["errors"].items()}
    operations = {each.name: each for each in reader.operations()}
    members: dict[str, list[Operation]] = {name: [] for name in own["collections"]}
    for name, roles in own["operations"].items():
        members[roles[operations[name].role]].append(operations[name])
    collections = {
        name: _collection(name, own["collections"][name], members[name], failures)
        for name in members
    }
    for name, collection in collections.items():
        for each in members[name]:
            operations[each.name] = replace(each, collection=collection)
    return Contract(
        own.get("name", document["info"]["title"]),
        "pet-store",
        base,
        {name: part for name, part in document.items() if name != CONTRACT_EXTENSION},
        operations,
        tuple(_request(each, base) for each in own["undescribed"]),
        reader.schemas,
        collections,
        failures,
    )


def _collection(
    name: str, described: Node, operations: Sequence[Operation], failures: Mapping[str, Failure]
) -> Collection:
    """Return a collection, whose records are those that its operations create and return."""
    its = {each.role: each for each in operations}
    create, missing = its["create"], described["missing"]
    assert create.body is not None  # noqa: S101 - a test reads the shipped document
    record = RecordSchema(create.responses[201].schema, create.body.schema)
    return Collection(
        name,
        its["list"].path,
        record,
        key=described["key"],
        is_ordered=True,
        filters=tuple(described["filters"]),
        generator=described.get("generate", ""),
        only=tuple(role for role in ROLES if role in its),
        absent=Missing(failures[missing["error"]], missing["message"]),
    )


def _request(text: str, base: str) -> tuple[str, str]:
    """Return the method and the path of a text such as ``GET /orders``."""
    method, path = text.split()
    return method, base + path


class _Reader:
    """Reads the parts of one document; its schemas are made once."""

    def __init__(self, document: Node, base: str) -> None:
        self._document = document
        self._base = base
        self._components: Node = document["components"]["schemas"]
        self.schemas: dict[str, Schema] = {
            name: Schema(name, self._fields(each["properties"], each.get("required", ())))
            for name, each in self._components.items()
            if "properties" in each
        }

    def operations(self) -> Iterator[Operation]:
        """Yield the operations in the order of the document."""
        for path, methods in self._document["paths"].items():
            for method, described in methods.items():
                yield self._operation(method.upper(), path, described)

    def _operation(self, method: str, path: str, described: Node) -> Operation:
        name = described["operationId"]
        own = self._document[CONTRACT_EXTENSION]["operations"][name]
        removal = own.get("removal")
        parameters = described.get("parameters", ())
        in_path, query = (
            {
                each["name"]: {"description": each.get("description", ""), **each["schema"]}
                for each in parameters
                if each["in"] == place
            }
            for place in ("path", "query")
        )
        required = [each["name"] for each in parameters if each.get("required")]
        bodies = {
            int(status): self.body(response)
            for status, response in described["responses"].items()
            if status.isdigit() and "x-off-contract" not in response
        }
        default = self.body(described["responses"]["default"])
        assert default is not None  # noqa: S101 - a test reads the shipped document
        return Operation(
            name,
            method,
            self._base + path,
            next(role for role in ROLES if role in own),
            None,
            Schema(name, self._fields(in_path, required, is_text=True)),
            Schema(name, self._fields(query, required, is_text=True)),
            self.body(described["requestBody"]) if "requestBody" in described else None,
            tuple(bodies),
            {status: body for status, body in bodies.items() if body is not None},
            default,
            removal and self._removal(removal),
            None,
        )

    def _removal(self, described: Node) -> Removal:
        paths = self._document["paths"]
        successor = next(
            path
            for path, methods in paths.items()
            for each in methods.values()
            if each["operationId"] == described["successor"]
        )
        return Removal(**{**described, "successor": self._base + successor})

    def body(self, described: Node) -> Body | None:
        """Return the JSON body of a request or response; None if it has none."""
        if _JSON not in described.get("content", {}):
            return None
        name = _name(described["content"][_JSON]["schema"])
        is_list = self._components[name].get("type") == "array"
        item = _name(self._components[name]["items"]) if is_list else name
        return Body(name, self.schemas[item], is_list)

    def _fields(
        self, described: Node, required: Container[str], *, is_text: bool = False
    ) -> dict[str, ContractField]:
        return {
            name: self._field(each, is_required=name in required, is_text=is_text)
            for name, each in described.items()
        }

    def _field(self, described: Node, *, is_required: bool, is_text: bool) -> ContractField:
        component = _name(described) if "$ref" in described else None
        if component is not None:  # what stands beside a reference counts in OpenAPI 3.1
            beside = {name: part for name, part in described.items() if name != "$ref"}
            described = {**self._components[component], **beside}
        return field_of(described, is_text=is_text, required=is_required, component=component)


def _name(reference: Node) -> str:
    return cast("str", reference["$ref"]).rpartition("/")[2]
