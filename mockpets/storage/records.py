"""Read sessions from the rows of the state file; `saver` writes them.

Everything that is read is validated: the rows are intact, but another program may have made them.
"""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import PROBLEMS_SHOWN, SCENARIO_NAME, SESSION_NAME
from mockpets.contract.serialization import InvalidPetError, dump_pet, load_pet
from mockpets.errors import InputError, Problem, RequestError
from mockpets.memory_budget import Charge
from mockpets.pets.store import Saved
from mockpets.pets.table import ENTRY_BYTES, make_table
from mockpets.session.data import read_part
from mockpets.storage.database import AWAY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.table import Table
    from mockpets.storage.database import Row, Value

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
    :param slot: the slot of its mark, and `mark` the number that was saved: see `unsaved_marks`.
    :param stores: by the names of the stack; the session's own has none.
    :param parts: the rest, by the name of the part.
    """

    name: str
    id: str
    active: Names | None
    seed: int | None
    start: Table | None
    slot: int
    mark: int
    stores: Mapping[Names, StoreRecord]
    parts: Mapping[str, Any]


def base_content(table: Table) -> tuple[str, str]:
    """Return the name of a table in the file, and its pets as a JSON array."""
    pets = b"[" + b",".join(table.some(None, len(table.rows))) + b"]"
    return blake2b(pets, digest_size=16).hexdigest(), pets.decode()


def read_records(
    rows: Mapping[str, list[Row]], path: Path, start: Table, budget: MemoryBudget | None
) -> tuple[list[SessionRecord], dict[str, Table]]:
    """Return the sessions of a state file, and the tables of pets that they share by name.

    :param rows: the rows of each table of the file.
    :param path: how problems name the file.
    :param start: the pets that the server starts with. If the file has the same, the result has
        this table.
    :param budget: charged for other tables.
    :raise InputError: a row has content that mockpets does not write, or the budget is too small.
    """
    problems: list[Problem] = []

    @contextmanager
    def reading(table: str, *key: object) -> Iterator[None]:
        """Collect the problem of a row."""
        try:
            yield
        except (InvalidPetError, KeyError, RecursionError, RequestError, ValueError) as error:
            what = f"unknown name {error}" if isinstance(error, KeyError) else str(error)
            where = f"{table} ({', '.join(map(str, key))})"
            problems.append(Problem(str(path), 0, 0, where, what, AWAY))

    start_name, _ = base_content(start)
    bases: dict[str, Table] = {}
    for name, pets in rows["bases"]:
        with reading("bases", name):
            bases[_text(name)] = start if name == start_name else _table(pets, budget)
    changes: dict[tuple[object, object], list[Row]] = {}
    for session, stack, *change in rows["pets"]:
        changes.setdefault((session, stack), []).append(tuple(change))
    stores: dict[object, dict[Names, StoreRecord]] = {}
    for session, stack, pets_digest, base, last_id in rows["stores"]:
        with reading("stores", session, stack):
            saved = _saved(bases[_text(base)], changes.pop((session, stack), []))
            record = StoreRecord(_text(pets_digest), saved, _integer(last_id))
            stores.setdefault(session, {})[_names(stack)] = record
    parts: dict[object, dict[str, Any]] = {}
    for session, part, content in rows["parts"]:
        with reading("parts", session, part):
            parts.setdefault(session, {})[_text(part)] = read_part(_text(part), _text(content))
    sessions: list[SessionRecord] = []
    for name, id_, active, seed, initial, slot, mark in rows["sessions"]:
        with reading("sessions", name):
            one = SessionRecord(
                _matching(SESSION_NAME, name),
                _text(id_),
                None if active is None else _names(active),
                None if seed is None else _integer(seed),
                None if initial is None else bases[_text(initial)],
                _integer(slot),
                _integer(mark),
                stores.pop(name, {}),
                parts.pop(name, {}),
            )
            if () not in one.stores:
                raise ValueError("has no store")
            sessions.append(one)
    problems += [
        Problem(str(path), 0, 0, str(key), "belongs to no session", AWAY)
        for key in [*changes, *stores, *parts]
    ]
    if problems:
        raise InputError(problems[:PROBLEMS_SHOWN])
    return sessions, bases


def _table(pets: Value, budget: MemoryBudget | None) -> Table:
    """Return the pets of a base.

    :raise ValueError: they are not a JSON array with distinct IDs. Also raises `InvalidPetError`,
        and `RequestError` if the budget is too small.
    """
    values = json.loads(_text(pets))
    if not isinstance(values, list):
        raise ValueError("must be an array")
    table = make_table(map(load_pet, values), budget)
    if len(table.rows) < len(values):
        raise ValueError("must have distinct IDs")
    return table


def _saved(base: Table, changes: Iterable[Row]) -> Saved:
    """Return the pets of a store: those of its base, with the changes that requests made.

    :param changes: ID and JSON of each changed pet, without JSON for a deleted one.
    :raise ValueError: a change is not valid. Also raises `InvalidPetError`.
    """
    charge = Charge(None)
    changed, own, last = base, [], base.next_id - 1
    for pet_id, text in changes:
        if pet_id in base.rows and changed is base:
            changed = base.copy()
            charge.add(ENTRY_BYTES * len(base.rows))
        pet = None if text is None else load_pet(json.loads(_text(text)))
        if pet is not None and pet["id"] != pet_id:
            raise ValueError(f"the pet has the ID {pet['id']}, its row has {pet_id}")
        if pet_id in base.rows:
            changed.drop(load_pet(json.loads(base.rows[_integer(pet_id)])))
            if pet is not None:
                row = dump_pet(pet)
                changed.put(pet, row)
                charge.add(len(row))
        elif pet is None or pet["id"] <= last:
            raise ValueError(f"the pet {pet_id} is not in the base")
        else:
            own.append(pet)
    table = make_table(own)
    charge.add(sum(map(len, table.rows.values())) + ENTRY_BYTES * len(table.rows))
    return Saved(base, changed, table, charge)


# Each of these returns a value of the kind in its name, or raises ValueError.


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text, got {value!r}")
    return value


def _integer(value: Value) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError(f"must be an integer >= 0, got {value!r}")
    return value


def _matching(pattern: str, value: Value) -> str:
    if not re.fullmatch(pattern, _text(value)):
        raise ValueError(f"invalid name {value!r}")
    return str(value)


def _names(value: Value) -> Names:
    """Return the names of a stack; none for a session's own store."""
    text = _text(value)
    names = text.split(SEPARATOR) if text else ()
    return tuple(_matching(SCENARIO_NAME, name) for name in names)
