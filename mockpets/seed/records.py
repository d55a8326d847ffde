"""Generate the records of collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.seed import default_pets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockpets.contract.model import Collection, Record

_GENERATORS: Final[Mapping[str, Callable[[int, int, str], Iterable[Record]]]] = {
    "pets": default_pets.generate,
}
"""What `Collection.generator` names; each takes a count, a seed and a locale."""


def generate(collection: Collection, count: int, seed: int, locale: str) -> Iterable[Record]:
    """Return the generated records of a collection; a higher count only appends records."""
    if collection.generator == "document":
        from mockpets.seed.documents import (
            generate_records,
        )  # the built-in contract needs none of it

        return generate_records(collection.schema, count, seed)
    return _GENERATORS[collection.generator](count, seed, locale)
