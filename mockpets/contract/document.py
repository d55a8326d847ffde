"""Make a `Contract` of an OpenAPI document.

What OpenAPI cannot say is in the document's `x-mockpets`: see pet-store.yaml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.contract.fields import field_of
from mockpets.contract.model import Body, Contract, Failure, Operation, Removal, Role, Schema
from mockpets.contract.routes import Routes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from mockpets.contract.fields import ContractField

    Node = Mapping[str, Any]

_EXTENSION: Final = "x-mockpets"
_JSON: Final = "application/json"


def read(document: Node) -> Contract:
    """Return the contract that a document describes.

    :raise KeyError: a part that the program needs is missing; ValueError: a type is not supported.
    """
    own = document[_EXTENSION]
    base = document["servers"][0]["url"]
    reader = _Reader(document, base)
    operations = {each.name: each for each in reader.operations()}
    first = document["paths"][next(iter(document["paths"]))]
    error = reader.body(next(iter(first.values()))["responses"]["default"])
    assert error is not None  # noqa: S101 - a test reads the shipped document
    undescribed = [_request(each, base) for each in own["undescribed"]]
    requests = [(each.method, each.path, each.name) for each in operations.values()]
    return Contract(
        base,
        {name: part for name, part in document.items() if name != _EXTENSION},
        operations,
        tuple(undescribed),
        reader.schemas,
        {code: Failure(code, **each) for code, each in own["errors"].items()},
        error,
        Routes([*requests, *((method, path, "") for method, path in undescribed)]),
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
        own = dict(self._document[_EXTENSION]["operations"][name])
        removal = own.pop("removal", None)
        ((role, collection),) = own.items()
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
        return Operation(
            name,
            method,
            self._base + path,
            cast("Role", role),
            collection,
            Schema(name, self._fields(in_path, required, is_text=True)),
            Schema(name, self._fields(query, required, is_text=True)),
            self.body(described["requestBody"]) if "requestBody" in described else None,
            tuple(bodies),
            {status: body for status, body in bodies.items() if body is not None},
            removal and Removal(**removal),
        )

    def body(self, described: Node) -> Body | None:
        """Return the JSON body of a request or response; None if it has none."""
        if _JSON not in described.get("content", {}):
            return None
        name = _name(described["content"][_JSON]["schema"])
        is_list = self._components[name].get("type") == "array"
        item = _name(self._components[name]["items"]) if is_list else name
        return Body(name, self.schemas[item], is_list)

    def _fields(
        self, described: Node, required: Collection[str], *, is_text: bool = False
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
