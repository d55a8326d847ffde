"""Records of the collections of a document: links between them exist and are valid."""

from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.contract_model import Record
from mockpets.contract.corrections import Corrections
from mockpets.contract.details import Api
from mockpets.contract.document_records import DocumentRecords
from mockpets.contract.openapi_loader import Node
from mockpets.seed.document_values import generate_records
from tests.seed.documents import NOW, document_with, reference, response

TEXT: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}


def lists_of(folder: Path, **properties: Node) -> dict[str, list[Record]]:
    """Return the records of two collections, of which each property is valid."""
    schemas = {
        name: {"type": "object", "properties": each, "required": list(each)}
        for name, each in properties.items()
    }
    responses = {
        f"{name.lower()}s": {
            "200": response({"schema": {"type": "array", "items": reference(name)}})
        }
        for name in schemas
    }
    api = Api(document_with(folder, responses, schemas), Corrections(), NOW)
    result = {}
    for name, guessed in api.inferred.collections.items():
        records = DocumentRecords(api, guessed)
        result[name] = generate_records(records, 5, 1)
        for record in result[name]:
            assert records.field().problems(record) == [], record
    return result


def test_collections_refer_to_each_other(folder: Path) -> None:
    lists = lists_of(
        folder,
        Author={"id": INTEGER, "name": TEXT, "bookId": INTEGER},
        Book={"id": INTEGER, "title": TEXT, "authorId": INTEGER},
    )
    assert [each["bookId"] for each in lists["authors"]] == [1, 2, 3, 4, 5]
    assert [each["authorId"] for each in lists["books"]] == [1, 2, 3, 4, 5]


def test_a_list_refers_to_several_records(folder: Path) -> None:
    lists = lists_of(
        folder,
        Author={"id": INTEGER},
        Book={"id": INTEGER, "authorIds": {"type": "array", "items": INTEGER, "minItems": 1}},
    )
    keys = [each["authorIds"] for each in lists["books"]]
    assert keys[0][0] == 1
    assert all(keys)


@pytest.mark.parametrize("schema", [TEXT, {"type": "array", "items": INTEGER, "minItems": 99}])
def test_a_key_that_would_be_invalid_is_not_copied(folder: Path, schema: Node) -> None:
    name = "authorId" if schema is TEXT else "authorIds"
    lists_of(folder, Author={"id": INTEGER}, Book={"id": INTEGER, name: schema})
