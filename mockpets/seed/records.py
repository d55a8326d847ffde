"""Generate and complete the records of collections.

Only documents need `seed.documents`, whose import delays a start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.seed import default_pets
from mockpets.seed.names import AWKWARD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.contract.model import Collection, Key, Record
    from mockpets.records.store import Store

_GENERATORS: Final[Mapping[str, Callable[[int, int, str], Iterable[Record]]]] = {
    "pets": default_pets.generate,
}
"""What `Collection.generator` names; each takes a count, a seed and a locale."""


def generate(collection: Collection, count: int, seed: int, locale: str) -> Iterable[Record]:
    """Return the generated records of a collection; a higher count only appends records."""
    if collection.is_of_document:
        from mockpets.seed.documents import generate_records

        return generate_records(collection.schema, count, seed, is_awkward=locale == AWKWARD)
    return _GENERATORS[collection.generator](count, seed, locale)


def complete(
    collection: Collection, records: Sequence[Record], parents: Sequence[Key] | None = None
) -> Sequence[Record]:
    """Return records with generated values for what they lack; only those of documents lack any.

    :param parents: see `documents.completed`.
    """
    if collection.is_of_document:
        from mockpets.seed.documents import completed

        return completed(collection.schema, records, parents)
    return records


def complete_new(collection: Collection, record: Record, store: Store) -> Record:
    """Return a new record for a store, completed but without a key that it lacks.

    :raise RequestError: ``conflict`` for a second single object of a document.
    """
    if collection.is_of_document:
        from mockpets.seed.documents import completed_record

        return completed_record(collection, record, store)
    return record
