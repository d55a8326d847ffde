"""A document of which only schemas are described, also those that `openapi.load` rejects."""

from collections.abc import Mapping
from typing import Any, cast

from mockpets.contract.openapi_loader import Document
from mockpets.contract.schema_fields import Fields

_START = "#/components/schemas/"


class _Components:
    def __init__(self, schemas: Mapping[str, Any], version: str) -> None:
        self.schemas = schemas
        self.version = version

    def resolve(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            beside = {key: each for key, each in node.items() if key != "$ref"}
            target = self.schemas[self.name_of(node)]
            node = {**target, **beside} if beside else target
        return node

    def name_of(self, node: Mapping[str, Any]) -> str:
        return str(node.get("$ref", "")).removeprefix(_START)


def fields_of(schemas: Mapping[str, Any], version: str = "3.1") -> Fields:
    return Fields(cast(Document, _Components(schemas, version)))


def ref(name: str) -> dict[str, Any]:
    return {"$ref": _START + name}
