"""Pet names by locale, and pet categories.

Imports nothing slow, so that a locale can be validated without Faker. ``names.txt`` has a paragraph
for each locale: its name, then pet names in its own script. Do not add, remove or reorder names:
the generator deals from these lists, so any change gives other pets for the same seed, and golden
tests fail. The length of each list is a multiple of 16: a deck ends with a block of 16 pets, and
names do not repeat within a block.
"""

from pathlib import Path

DEFAULT_LOCALE = "en_US"
AWKWARD = "awkward"
"""In place of a locale: texts of documents' records that layouts seldom expect."""

CATEGORIES = (1, 2, 3, 4, 5, 6)
"""Dogs, cats, birds, small mammals, fish, and reptiles with amphibians: the contract only has
identifiers of categories, so their meaning is our choice."""

_FILE = Path(__file__).with_name("names.txt")
LOCALES: dict[str, tuple[str, ...]] = {
    locale: tuple(names)
    for locale, *names in map(str.split, _FILE.read_text(encoding="utf-8").split("\n\n"))
}
"""Locale to names."""
