"""Generate the records of collections."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from mockpets.seed import default_pets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from mockpets.contract.details import Api
    from mockpets.contract.model import Collection, Record
    from mockpets.seed.values import Values

_GENERATORS: Final[Mapping[str, Callable[[int, int, str], Iterable[Record]]]] = {
    "pets": default_pets.generate,
}
"""What `Collection.generator` names; each takes a count, a seed and a locale."""


@lru_cache(8)
def values_of(api: Api, seed: int, now: int) -> Values:
    """Return what generates the values of a document.

    :param now: in ms since 1970; times follow it.
    """
    from mockpets.seed.values import Values  # the pet store needs none

    return Values(api.document, api.is_valid, seed=seed, now=now)


def generate(collection: Collection, count: int, seed: int, locale: str) -> Iterable[Record]:
    """Return the generated records of a collection; a higher count only appends records."""
    return _GENERATORS[collection.generator](count, seed, locale)
