"""Generate pets: the same count, seed and locale give the same pets, everywhere and forever.

`PetProvider` is a Faker provider that deals names, categories and statuses from shuffled decks;
`generate` gives one its own generator. Only this module imports Faker; `default_pets` has the pets
of the defaults.

To stay reproducible, it uses only the provider interface of Faker, not its lists and weights,
which change between versions. Of `random.Random` it uses only `random()`: Python guarantees its
sequence for a seed, but not those of `shuffle` and `choice` (library reference, "Notes on
Reproducibility"). Each card takes one random number, whatever the deck, so that pets with the same
seed have the same categories and statuses in every locale.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Generic, TypeVar

from faker import Generator
from faker.providers import BaseProvider

from mockpets.seed.names import CATEGORIES, DEFAULT_LOCALE, LOCALES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.contract_model import Record

BLOCK = 16
"""Pets per block: each block has every status, a pet without status, and every category."""

# One block each. The lists of names consist of whole blocks too (`names`).
_STATUSES: tuple[str | None, ...] = (
    ("available",) * 8 + ("pending",) * 3 + ("sold",) * 3 + (None,) * 2
)
_CATEGORIES = CATEGORIES * 2 + (1, 1, 2, 2)  # more dogs and cats than fish

_Card = TypeVar("_Card")


class _Deck(Generic[_Card]):
    """Deals cards in random order, each once, then all of them again."""

    def __init__(self, cards: Sequence[_Card]) -> None:
        self._cards = list(cards)
        self._dealt = 0

    def deal(self, random: Random) -> _Card:
        """Return the next card: one step of a Fisher-Yates shuffle."""
        cards, position = self._cards, self._dealt
        # A float below 1 times a number this small never rounds up to that number.
        index = position + int(random.random() * (len(cards) - position))
        cards[index], cards[position] = cards[position], cards[index]
        self._dealt = (position + 1) % len(cards)
        return cards[position]


class PetProvider(BaseProvider):
    """Generates pets: ``fake.add_provider(...)``.

    Random numbers come from the generator, but the decks belong to the provider. After seeding the
    generator again, create a new provider to get the same pets again.

    :param locale: one of `names.LOCALES`; can differ from the generator's, and be unknown to Faker.
    """

    def __init__(self, generator: Generator, locale: str = DEFAULT_LOCALE) -> None:
        super().__init__(generator)
        self._names = _Deck(LOCALES[locale])
        self._categories = _Deck(_CATEGORIES)
        self._statuses = _Deck(_STATUSES)

    def pet(self, pet_id: int) -> Record:
        """Return a pet with this id, with its properties in the order of the contract.

        Each block of 16 has all categories, all statuses, and pets without one.
        """
        random = self.generator.random
        name, category = self._names.deal(random), self._categories.deal(random)
        pet: Record = {"id": pet_id, "name": name, "categoryId": category}
        status = self._statuses.deal(random)
        if status is not None:
            pet["status"] = status
        return pet


def generate(count: int, seed: int, locale: str) -> tuple[Record, ...]:
    """Return pets with the ids 1 to `count`; a higher count only appends pets.

    :param seed: from 0 to 2^63 - 1; the caller checks it and the locale.
    """
    generator = Generator()
    generator.random = Random(seed)
    provider = PetProvider(generator, locale)
    return tuple(provider.pet(pet_id) for pet_id in range(1, count + 1))
