"""Generate and complete the records of collections.

Only documents need `seed.document_values`, whose import delays a start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.packaged_data import of_build
from mockpets.seed.names import AWKWARD, DEFAULT_LOCALE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.contract.contract_model import Collection, Key, Record
    from mockpets.records.store import Store

DEFAULT_SEED: Final = 1
_DEFAULT_PETS: Final[Sequence[Record]] = of_build("seed.default_pets", "PETS", ())


def _pets(count: int, seed: int, locale: str) -> Iterable[Record]:
    """Return generated pets; import Faker, which takes longer, only if the build has too few."""
    if (seed, locale) == (DEFAULT_SEED, DEFAULT_LOCALE) and 0 <= count <= len(_DEFAULT_PETS):
        return tuple({**pet} for pet in _DEFAULT_PETS[:count])
    from mockpets.seed import generator

    return generator.generate(count, seed, locale)


_GENERATORS: Final[Mapping[str, Callable[[int, int, str], Iterable[Record]]]] = {"pets": _pets}
"""What `Collection.generator` names; each takes a count, a seed and a locale."""


def generate(collection: Collection, count: int, seed: int, locale: str) -> Iterable[Record]:
    """Return the generated records of a collection; a higher count only appends records."""
    if collection.is_of_document:
        from mockpets.seed.document_values import generate_records

        return generate_records(collection.schema, count, seed, is_awkward=locale == AWKWARD)
    return _GENERATORS[collection.generator](count, seed, locale)


def complete(
    collection: Collection, records: Sequence[Record], parents: Sequence[Key] | None = None
) -> Sequence[Record]:
    """Return records with generated values for what they lack; only those of documents lack any.

    :param parents: see `documents.completed`.
    """
    if collection.is_of_document:
        from mockpets.seed.document_values import completed

        return completed(collection.schema, records, parents)
    return records


def complete_new(collection: Collection, record: Record, store: Store) -> Record:
    """Return a new record for a store, completed but without a key that it lacks.

    :raise RequestError: ``conflict`` for a second single object of a document.
    """
    if collection.is_of_document:
        from mockpets.seed.document_values import completed_record

        return completed_record(collection, record, store)
    return record
