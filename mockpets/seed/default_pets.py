"""The pets of the default seed and locale, as Faker once generated them.

Importing Faker takes longer than everything else that a start with the defaults does for its pets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.seed.names import DEFAULT_LOCALE

if TYPE_CHECKING:
    from mockpets.contract.model import Record

_SEED: Final = 1
_NO_STATUS: Final = "-"
_TEXT: Final = """
Buster 1 sold Diesel 3 available Peanut 1 available Bella 3 pending Rusty 5 pending Rocky 2 -
Tank 1 available Mittens 2 pending Gizmo 6 available Gracie 1 available Gus 2 sold Midnight 4
available Snickers 2 - Casper 6 available Abby 5 sold Bear 4 available Chloe 2 pending Piper 5
available Oreo 1 available Lucky 6 available Koda 1 - Sadie 1 available Pepper 3 available Moose
4 pending Honey 1 available Roxy 2 sold Pumpkin 4 sold Ranger 5 sold Cooper 2 - Jasper 6
available Ziggy 3 pending Boomer 2 available Sparky 1 available Lady 5 pending Sammy 1 sold
Daisy 4 pending Maverick 5 sold Charlie 1 available Bandit 1 available Maggie 3 available Max 6
available Mocha 2 available Hazel 3 sold Sophie 2 - Biscuit 2 - Cali 2 available Milo 4 pending
Shadow 6 available Buddy 4 available Scout 3 available Ginger 1 sold Tucker 1 - Nala 5 available
Zoey 2 sold Coco 2 available Hunter 2 pending Smokey 5 available Apollo 2 available Toby 6
pending Willow 1 - Marley 3 sold Dexter 1 pending Duke 6 available Luna 4 available
"""
_ROWS: Final = _TEXT.split()
"""Name, category and status of each pet. A test compares them with the generator's."""


def generate(count: int, seed: int, locale: str) -> tuple[Record, ...]:
    """Return what `generator.generate` returns; import Faker only if the list is not enough."""
    if seed == _SEED and locale == DEFAULT_LOCALE and 0 <= count <= len(_ROWS) // 3:
        return tuple(map(_pet, range(1, count + 1)))
    from mockpets.seed import generator

    return generator.generate(count, seed, locale)


def _pet(pet_id: int) -> Record:
    name, category, status = _ROWS[3 * pet_id - 3 : 3 * pet_id]
    pet: Record = {"id": pet_id, "name": name, "categoryId": int(category)}
    if status != _NO_STATUS:
        pet["status"] = status
    return pet
