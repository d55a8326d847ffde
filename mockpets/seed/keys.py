"""The keys of records, and of those to which they refer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.contract.schema_shapes import singular
from mockpets.seed.examples import ABSENT
from mockpets.seed.places import Place, words_of
from mockpets.seed.scalars import uuid_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.seed.examples import Examples
    from mockpets.seed.merged_schemas import Shape

RELATED: Final = 5
"""Records refer to the first ones of another collection, so that these exist."""


def key_of(kind: str, shape: Shape, place: Place, examples: Examples) -> object:
    """Return the record's own key, counted, or that of a record to which it refers.

    :param kind: the type of the key; ABSENT is returned for those that are not generated here.
    """
    seed = place.seed.partition("~")[0]  # each attempt has the same key
    is_own = is_own_key(place)
    number = place.number if is_own and place.number else 1 + place.below(RELATED)
    if words_of(place.name)[0] == "parent" and place.number > 1:
        number = place.between(1, min(place.number - 1, RELATED))
    subject = _subject(place)
    known = examples.keys(subject)
    if not is_own and known:
        return place.one_of(known[:RELATED])
    if kind in {"integer", "number"}:
        return number + _highest(known) - len(known) if is_own and known else number
    if kind != "string":
        return ABSENT
    if shape.format == "uuid" or place.name.lower() in {"uuid", "guid"}:
        return uuid_of(Place(seed, f"{subject}/{number}/id", place.now))
    return ABSENT if shape.format or shape.examples else f"{subject}-{number}"


def is_key(name: str) -> bool:
    """Return whether a property is a key: of its record, or of another one."""
    words = words_of(name)
    return bool(words) and words[-1] in {"id", "uuid", "guid"}


def is_own_key(place: Place) -> bool:
    """Return whether a property is the record's own key: ``id``, or ``orderId`` of an order."""
    words = words_of(place.name)[:-1]
    own = {singular(word) for kind in place.kinds[:2] for word in kind.split()}
    return not words or {singular(word) for word in words} <= own


def _subject(place: Place) -> str:
    """Return whose key a property is: ``order`` for ``orderId``, and for ``id`` of an order."""
    names = words_of(place.name)[:-1]
    if not names:
        head, _, number = place.owner.partition("/")
        is_record = place.number and number == str(place.number)
        names = words_of(head if is_record else next(iter(place.kinds), "")) or ("item",)
    return singular(names[-1])


def _highest(keys: Sequence[object]) -> int:
    return max((key for key in keys if isinstance(key, int)), default=0)
