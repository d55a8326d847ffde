"""Corrections of the inference: the values of `x-mockpets`, and the files that can have them.

`scenario.language.corrections_file` reads them, with the shapes of scenario files.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

from mockpets.constants import Role

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

CorrectedRole = Literal[Role, "values", "toggle", "act", "one", "example"]
CORRECTED_ROLES: Final[tuple[CorrectedRole, ...]] = get_args(CorrectedRole)
_SUFFIXES: Final = (".mockpets.yaml", ".mockpets.yml", ".mockpets.json")
_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})

Position = tuple[str, int, int]
"""File, line and column."""
_NO_PLACE: Final[Position] = ("", 0, 0)


class OperationCorrection(NamedTuple):
    """The correction of an operation.

    :param role: empty if the guess stays.
    :param collection: the collection of the role; empty without a role, and for ``example``.
    :param property: of ``values``: the property in the collection's records, such as ``tagList``.
    :param where: property (``author.following``) to the value that records of a list have.
    :param set: property to the value that the operation sets.
    :param sort: property, with ``-`` before it for the reverse order; or empty.
    :param deprecation: the day since which it is deprecated, such as ``2026-01-01``; or empty.
    :param sunset: the day on which it goes; or empty.
    """

    role: CorrectedRole | Literal[""]
    collection: str
    property: str = ""
    where: Mapping[str, Any] = _EMPTY
    set: Mapping[str, Any] = _EMPTY
    sort: str = ""
    place: Position = _NO_PLACE
    deprecation: str = ""
    sunset: str = ""


class CollectionCorrection(NamedTuple):
    """The correction of a collection; an empty part stays as guessed.

    :param id: the property that is the key.
    :param parent: the collection in whose records these lie.
    :param shows: the collection whose records these are.
    :param set: property to its value in new records: ``{"slugify": "title"}``, ``{"from": "me"}``.
    :param sort: as in `OperationCorrection`.
    """

    id: str = ""
    parent: str = ""
    shows: str = ""
    set: Mapping[str, Any] = _EMPTY
    sort: str = ""
    place: Position = _NO_PLACE


class Corrections(NamedTuple):
    """All corrections of a document: by name of the operation (`Described.name`) or collection.

    :param prefix: the word before a token in the header Authorization, such as ``Token``; or empty.
    """

    operations: Mapping[str, OperationCorrection] = _EMPTY
    collections: Mapping[str, CollectionCorrection] = _EMPTY
    prefix: str = ""


def corrections_files(document: Path) -> list[Path]:
    """Return the files that can have a document's corrections: blog.mockpets.yaml for blog.yaml."""
    return [document.with_name(document.stem + suffix) for suffix in _SUFFIXES]


def corrections_beside(document: Path) -> Path | None:
    """Return the file with the corrections of a document, or None."""
    return next((each for each in corrections_files(document) if each.exists()), None)
