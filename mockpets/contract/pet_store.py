"""The built-in contract: the pet store of pet-store.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.contract.collections import Collection
from mockpets.contract.compiled import DOCUMENT
from mockpets.contract.document import read
from mockpets.contract.model import Missing, RecordSchema

if TYPE_CHECKING:
    from collections.abc import Mapping

PET_STORE: Final = read(DOCUMENT)


def _collection(name: str) -> Collection:
    """Return a collection of the contract."""
    described = DOCUMENT["x-mockpets"]["collections"][name]
    missing = described["missing"]
    operations = [each for each in PET_STORE.operations.values() if each.collection == name]
    listing, create = PET_STORE.of_role("list", name), PET_STORE.of_role("create", name)
    assert create.body is not None  # noqa: S101 - a test reads the shipped document
    record = RecordSchema(create.responses[201].schema, create.body.schema)
    return Collection(
        name,
        listing.path,
        record,
        key=described["key"],
        is_ordered=True,
        filters=tuple(described["filters"]),
        properties=tuple(record.whole.fields),
        only=tuple(each.role for each in operations),
        absent=Missing(PET_STORE.failures[missing["error"]], missing["message"]),
    )


COLLECTIONS: Final[Mapping[str, Collection]] = {
    name: _collection(name) for name in DOCUMENT["x-mockpets"]["collections"]
}
"""The contract's collections, by name."""
PETS: Final = COLLECTIONS["pets"]
