"""Read sessions from the rows of the state file; `saver` writes them.

The rows have the right digests, so mockpets wrote them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from mockpets.contract.serialization import dump_pet
from mockpets.errors import invalid
from mockpets.memory_budget import Charge
from mockpets.pets.store import Saved
from mockpets.pets.table import ENTRY_BYTES, make_table
from mockpets.session.data import read_part
from mockpets.storage.database import AWAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.table import Table

    Names = tuple[str, ...]

SEPARATOR: Final = "+"
"""Between the scenarios of a stack, as in a base path."""


@dataclass(frozen=True)
class StoreRecord:
    """A store as the file keeps it.

    :param pets_digest: of the pets that its scenario defined.
    :param last_id: the highest ID that the server may have assigned.
    """

    pets_digest: str
    pets: Saved
    last_id: int


@dataclass(frozen=True)
class SessionRecord:
    """A session as the file keeps it.

    :param active: its scenarios, None for those that the server starts with.
    :param seed: None for the server's.
    :param start: its initial pets, None for those that the server starts with.
    :param stores: by the names of the stack; the session's own has none.
    :param parts: the rest, by the name of the part.
    """

    name: str
    id: str
    active: Names | None
    seed: int | None
    start: Table | None
    stores: Mapping[Names, StoreRecord]
    parts: Mapping[str, Any]


def base_content(table: Table) -> tuple[str, str]:
    """Return the name of a table in the file, and its pets as a JSON array."""
    pets = b"[" + b",".join(table.some(None, len(table.rows))) + b"]"
    return blake2b(pets, digest_size=16).hexdigest(), pets.decode()


def read_records(
    rows: Mapping[str, Iterable[tuple[Any, ...]]],
    path: Path,
    start: Table,
    budget: MemoryBudget | None,
) -> tuple[list[SessionRecord], dict[str, Table]]:
    """Return the sessions of a state file, and the tables of pets that they share by name.

    :param rows: the rows of each table of the file, whose digests are right.
    :param path: how problems name the file.
    :param start: the pets that the server starts with. If the file has the same, the result has
        this table.
    :param budget: charged for other tables.
    :raise InputError: a row cannot be read, or the budget is too small.
    """
    try:
        return _read(rows, start, budget)
    except Exception as error:
        raise invalid(str(path), f"cannot be restored: {error}", AWAY) from error


def _read(
    rows: Mapping[str, Iterable[tuple[Any, ...]]], start: Table, budget: MemoryBudget | None
) -> tuple[list[SessionRecord], dict[str, Table]]:
    start_name, _ = base_content(start)
    bases = {
        name: start if name == start_name else make_table(json.loads(pets), budget)
        for name, pets in rows["bases"]
    }
    changes: dict[tuple[str, str], list[tuple[int, str | None]]] = defaultdict(list)
    for session, stack, pet_id, pet in rows["pets"]:
        changes[session, stack].append((pet_id, pet))
    stores: dict[str, dict[Names, StoreRecord]] = defaultdict(dict)
    for session, stack, pets_digest, base, last_id in rows["stores"]:
        saved = _saved(bases[base], changes[session, stack])
        stores[session][_names(stack)] = StoreRecord(pets_digest, saved, last_id)
    parts: dict[str, dict[str, Any]] = defaultdict(dict)
    for session, part, content in rows["parts"]:
        parts[session][part] = read_part(part, content)
    sessions = [
        SessionRecord(
            name,
            session_id,
            None if active is None else _names(active),
            seed,
            None if initial is None else bases[initial],
            stores[name],
            parts[name],
        )
        for name, session_id, active, seed, initial in rows["sessions"]
    ]
    return sessions, bases


def _saved(base: Table, changes: Iterable[tuple[int, str | None]]) -> Saved:
    """Return the pets of a store: those of its base, with the changes that requests made.

    :param changes: ID and JSON of each changed pet, without JSON for a deleted one.
    """
    charge = Charge(None)
    changed, own = base, []
    for pet_id, text in changes:
        if pet_id in base.rows and changed is base:
            changed = base.copy()
            charge.add(ENTRY_BYTES * len(base.rows))
        pet = None if text is None else json.loads(text)
        if pet_id in base.rows:
            changed.drop(json.loads(base.rows[pet_id]))
            if pet is not None:
                row = dump_pet(pet)
                changed.put(pet, row)
                charge.add(len(row))
        elif pet is not None:
            own.append(pet)
    table = make_table(own)
    charge.add(sum(map(len, table.rows.values())) + ENTRY_BYTES * len(table.rows))
    return Saved(base, changed, table, charge)


def _names(text: str) -> Names:
    """Return the names of a stack; none for a session's own store."""
    return tuple(text.split(SEPARATOR)) if text else ()
