"""Pets made from a seed: the same count, seed and locale give the same pets, everywhere, for ever.

`PetProvider` is a provider for Faker and deals names, categories and statuses from shuffled decks;
`generate` wires one to a generator of its own. The border: the only module that imports Faker.

What keeps it repeatable: of Faker only the wiring is used, never its lists or weights, which
change with its version; and of `random.Random` only `random()`, whose sequence for a seed Python
promises to keep (library reference, "Notes on Reproducibility"); `shuffle` and `choice` carry no
such promise. Every card costs one number, whatever the deck, so that pets with the same
seed have the same categories and statuses in every locale.
"""

from __future__ import annotations

from difflib import get_close_matches
from random import Random
from typing import TYPE_CHECKING, Generic, TypeVar

from faker import Generator
from faker.providers import BaseProvider

from mockpets.constants import INT64_MAX
from mockpets.pets.names import CATEGORIES, DEFAULT_LOCALE, LOCALES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.constants import PetStatus
    from mockpets.contract.schemas import Pet

BLOCK = 16
"""Pets, counted from the first, among which every status, no status and every category occur."""

# A deck of one block each. Names come in whole blocks too (`names`), so they fit in step.
_STATUSES: tuple[PetStatus | None, ...] = (
    ("available",) * 8 + ("pending",) * 3 + ("sold",) * 3 + (None,) * 2
)
_CATEGORIES = CATEGORIES * 2 + (1, 1, 2, 2)  # a shop has more dogs and cats than fish

_Card = TypeVar("_Card")


class _Deck(Generic[_Card]):
    """Cards dealt in random order, each once, then all of them anew."""

    __slots__ = ("_cards", "_dealt")

    def __init__(self, cards: Sequence[_Card]) -> None:
        self._cards = list(cards)
        self._dealt = 0

    def deal(self, random: Random) -> _Card:
        """Return the next card: one step of a Fisher-Yates shuffle."""
        cards, place = self._cards, self._dealt
        # A float below 1 times so small a number never rounds up to that number.
        taken = place + int(random.random() * (len(cards) - place))
        card = cards[taken]
        cards[taken] = cards[place]
        cards[place] = card
        self._dealt = (place + 1) % len(cards)
        return card


class PetProvider(BaseProvider):
    """Names, categories, statuses and whole pets, for any Faker: ``fake.add_provider(...)``.

    Random numbers come from the generator at the time of the call. The decks are the provider's
    own, so a generator that is seeded again wants a new provider to repeat itself.

    :param locale: one of `names.LOCALES`; need not be the generator's, nor one that Faker knows.
    :raise ValueError: the locale is none of ours; the message names the nearest.
    """

    def __init__(self, generator: Generator, locale: str = DEFAULT_LOCALE) -> None:
        super().__init__(generator)
        self._names = _Deck(_names_of(locale))
        self._categories = _Deck(_CATEGORIES)
        self._statuses = _Deck(_STATUSES)

    def pet_name(self) -> str:
        """Return a name; none comes twice before each has come."""
        return self._names.deal(self.generator.random)

    def pet_category(self) -> int:
        """Return a category's id; all six come in each block of 16."""
        return self._categories.deal(self.generator.random)

    def pet_status(self) -> PetStatus | None:
        """Return a status, or None for a pet that has none; all come in each block of 16."""
        return self._statuses.deal(self.generator.random)

    def pet(self, pet_id: int) -> Pet:
        """Return a pet with this id, in the contract's order of members."""
        pet: Pet = {"id": pet_id, "name": self.pet_name(), "categoryId": self.pet_category()}
        status = self.pet_status()
        if status is not None:
            pet["status"] = status
        return pet


def generate(count: int, seed: int, locale: str) -> tuple[Pet, ...]:
    """Return pets with the ids 1 to `count`; fewer pets are the first ones of more.

    :param count: how many, from 0; the caller sets the upper limit.
    :param seed: from 0 to 2^63 - 1.
    :param locale: one of `names.LOCALES`, spelled as there.
    :raise ValueError: one of them is out of range or unknown; the message names what is meant.
    """
    if count < 0:
        raise ValueError(f"count must be 0 or more, got {count}")
    # Python seeds with the absolute value: -1 would quietly be 1.
    if not 0 <= seed <= INT64_MAX:
        raise ValueError(f"seed must be from 0 to {INT64_MAX}, got {seed}")
    generator = Generator()
    generator.random = Random(seed)
    provider = PetProvider(generator, locale)
    return tuple(provider.pet(pet_id) for pet_id in range(1, count + 1))


def _names_of(locale: str) -> tuple[str, ...]:
    """Return the names of a locale.

    :raise ValueError: there are none.
    """
    if locale in LOCALES:
        return LOCALES[locale]
    # "de-DE", "DE_de" and "de" are near; case and hyphen must not stand in the way.
    plain = {known.lower(): known for known in LOCALES}
    near = get_close_matches(locale.lower().replace("-", "_"), plain, n=1, cutoff=0.5)
    hint = f"; did you mean '{plain[near[0]]}'?" if near else ""
    raise ValueError(f"unknown locale {locale!r}, known are {', '.join(sorted(LOCALES))}{hint}")
