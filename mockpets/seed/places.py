"""The place of a generated value: its random numbers, its owner and what stands beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeVar

from mockpets.contract.schema_shapes import plain, singular

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_Item = TypeVar("_Item")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+|[^\W\d_]+")


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text that lists them."""
    return frozenset(text.split())


_PREFIXES: Final = word_set("new create created update updated base full simple basic get api")
_SUFFIXES: Final = word_set(
    "dto response model resource object entity schema request input output base detail summary item"
    " record info data payload view ref reference read write full v1 v2"
)
"""Words in the names of schemas that do not name the kind of record."""


@lru_cache(maxsize=10_000)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case: ``photoUrls`` and ``photo_urls`` are equal."""
    return tuple(word.lower() for word in _WORD.findall(name))


def kind_of(name: str) -> str:
    """Return the kind of record that a collection or schema has: ``user`` for ``UserResponse``."""
    words = list(words_of(name))
    while len(words) > 1 and singular(words[-1]) in _SUFFIXES:
        del words[-1]
    while len(words) > 1 and words[0] in _PREFIXES:
        del words[0]
    return singular(" ".join(words))


def plural(kind: str) -> str:
    """Return a kind as the name of its collection: ``category``: ``categories``."""
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return kind[:-1] + "ies"
    return f"{kind}es" if kind.endswith(("s", "x", "ch", "sh")) else f"{kind}s"


@dataclass
class Place:
    """Where a value stands, and what is known there.

    :param seed: of all values, with the number of the attempt: ``1`` or ``1~2``.
    :param at: names the place.
    :param now: in ms since 1970.
    :param name: the property.
    :param kinds: what the owner is, the nearest first: ``("address", "customer")``.
    :param number: of the record, from 1; 0 if it is not one of several.
    :param is_record: whether it belongs to a record, whose examples are those of the first one.
    :param owner: names the object whose property it is; properties of one object agree by it.
    :param beside: properties of the owner that have a value already.
    :param echo: values of the request, to be repeated.
    :param is_plain: whether to generate only what is required, after invalid attempts.
    :param around: the keys of the schemas in which it stands.
    :param depth: how many objects and arrays it stands in.
    """

    seed: str
    at: str
    now: int
    name: str = ""
    kinds: tuple[str, ...] = ()
    number: int = 0
    is_record: bool = False
    owner: str = ""
    beside: Mapping[str, object] = field(default_factory=dict)
    echo: Mapping[str, object] = field(default_factory=dict)
    is_plain: bool = False
    around: frozenset[str | int] = frozenset()
    depth: int = 0
    _random: Random | None = field(default=None, init=False)

    def but(self, **changes: Any) -> Place:
        """Return a place with other fields; quicker than `dataclasses.replace`."""
        place = Place.__new__(Place)
        place.__dict__ = {**self.__dict__, "_random": None, **changes}
        return place

    def fraction(self) -> float:
        """Return the next random number: at least 0, less than 1."""
        if self._random is None:
            # A text is hashed by SHA-512, so every process gets the same numbers.
            self._random = Random(f"{self.seed}/{self.at}")
        # Of Random, Python guarantees only the sequence of `random()`.
        return self._random.random()

    def below(self, count: int) -> int:
        """Return a random number from 0 to `count` - 1; the count may be large."""
        if count < 2**40:
            return int(self.fraction() * count)
        return int(self.fraction() * 2**40) * count // 2**40

    def between(self, low: int, high: int) -> int:
        """Return a random number from `low` to `high`."""
        return low + self.below(high - low + 1)

    def one_of(self, items: Sequence[_Item]) -> _Item:
        """Return a random item."""
        return items[self.below(len(items))]

    def dealt(self, items: Sequence[_Item], deck: str) -> _Item:
        """Return the item of this record's number, so that records differ as long as they can."""
        if not self.number:
            return self.one_of(items)
        return items[_deck(self.seed, deck, len(items))[(self.number - 1) % len(items)]]

    def round(self, items: Sequence[object]) -> int:
        """Return how many times `dealt` has dealt every item before this record."""
        return max(self.number - 1, 0) // len(items)

    def of_owner(self, part: str) -> Place:
        """Return a place with random numbers that all properties of the owner share."""
        return self.but(at=f"{self.owner}#{part}")

    def beside_it(self, part: str) -> Place:
        """Return a place with other random numbers."""
        return self.but(at=f"{self.at}{part}")

    def value_beside(self, *names: str) -> object:
        """Return the value of the first property beside it that has one of some names, or None."""
        for known, value in self.beside.items():
            if plain(known) in names and value is not None:
                return value
        return None


@lru_cache(maxsize=1_000)
def _deck(seed: str, name: str, count: int) -> tuple[int, ...]:
    """Return the numbers from 0 to `count` - 1 in a random order."""
    place, cards = Place(seed, f"deck/{name}", 0), list(range(count))
    for position in range(count - 1):
        other = position + place.below(count - position)
        cards[position], cards[other] = cards[other], cards[position]
    return tuple(cards)
