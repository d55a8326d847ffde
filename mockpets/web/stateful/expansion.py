"""What other records, and the person who calls, add to a record."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.document_records import OWN, set_at, value_at
from mockpets.records.table import parse_row
from mockpets.web.stateful.tokens import token_of

if TYPE_CHECKING:
    from mockpets.contract.contract_model import Record
    from mockpets.contract.details import Additions
    from mockpets.contract.query_meanings import PropertyPath

_KEPT_BYTES: Final = 4096
"""The longest record of which something is kept; all of it takes less than 16 MiB."""


def expanded(
    additions: Additions, record: Record, me: object, person: bytes | None
) -> dict[str, Any]:
    """Return a copy of a record with what is added to it, or changed in it.

    :param additions: to the records of its collection.
    :param me: the key of the person who calls; None without one.
    :param person: whom the record embeds.
    """
    value = dict(record)  # `set_at` copies the objects below
    for path in additions.toggles:
        people = record.get(OWN + ".".join(path))
        if people is not None or additions.has_people:
            set_at(value, path, me is not None and me in (people or ()))
    if additions.token:
        set_at(value, additions.token, token_of(record[additions.key]))
    if person is not None:
        way = additions.owner[:-1]
        embedded = value_at(value, way)
        embedded = embedded if isinstance(embedded, dict) else {}
        assert additions.person is not None  # noqa: S101 - it has an owner
        show = _person if len(person) <= _KEPT_BYTES else _person.__wrapped__
        set_at(value, way, {**embedded, **show(additions.person, person, me)})
    return value


@lru_cache(256)
def _person(additions: Additions, row: bytes, me: object) -> Record:
    """Return a person as records embed them; do not modify it."""
    return expanded(additions, parse_row(row), me, None)


def owner_of(row: bytes, path: PropertyPath) -> str:
    """Return the key of the person whom a record embeds."""
    read = _owner_of if len(row) <= _KEPT_BYTES else _owner_of.__wrapped__
    return read(row, path)


@lru_cache(1024)
def _owner_of(row: bytes, path: PropertyPath) -> str:
    return str(value_at(parse_row(row), path))
