"""The format of the state file: write sessions and their pets as lines, and read them back.

Everything that is read is validated. `state_file` writes the lines to the disk, `saver` decides
when. Each line is a JSON object (RFC 8259): first the format version; then each table of pets, once
even if several sessions share it; then each session, with the number of its table and the pets that
requests added; last the checksum (SHA-256) of all lines before.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeGuard, cast

from mockpets.constants import INT64_MAX, PROBLEMS_SHOWN, SCENARIO_NAME, SESSION_NAME, STACK_DEPTH
from mockpets.contract.serialization import InvalidPetError, load_pet
from mockpets.errors import InputError, Problem, RequestError
from mockpets.memory_budget import Charge
from mockpets.pets.store import Saved
from mockpets.pets.table import ENTRY_BYTES, make_table
from mockpets.strict_json import dump_json, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.contract.schemas import Pet
    from mockpets.memory_budget import MemoryBudget
    from mockpets.pets.table import Table

FORMAT: Final = 1
"""The version of the format; increased if an older mockpets cannot read the file correctly."""

_AWAY: Final = "restore a backup, or move the file away to start with new pets"


class SessionState(NamedTuple):
    """One session as the file keeps it.

    :param pets: of its own store; what scenarios bring comes with them.
    :param active: its scenarios, None for those that the server starts with.
    :param seed: None for the server's.
    :param start: what a reset goes back to, None for the pets that the server starts with.
    """

    name: str
    pets: Saved
    active: tuple[str, ...] | None = None
    seed: int | None = None
    start: Table | None = None


# --- Writing ----------------------------------------------------------------------------------


def dump_state(sessions: Iterable[SessionState]) -> Iterator[bytes]:
    """Yield the lines of a state file."""
    sum_ = sha256()
    for line in _lines(sessions):
        sum_.update(line)
        yield line
    yield dump_json({"sha256": sum_.hexdigest()}) + b"\n"


def _lines(sessions: Iterable[SessionState]) -> Iterator[bytes]:
    """Yield the lines before the checksum."""
    yield dump_json({"mockpets_state": FORMAT}) + b"\n"
    places: dict[Table, int] = {}
    for session in sessions:
        for table in (session.start, session.pets.base):
            if table is not None and table not in places:
                places[table] = len(places)
                yield _line({"table": places[table]}, table)
        members = {
            "session": session.name,
            "start": None if session.start is None else places[session.start],
            "table": places[session.pets.base],
            "next_id": session.pets.next_id,
            "active": session.active,
            "seed": session.seed,
        }
        yield _line(members, session.pets.own)


def _line(members: dict[str, Any], table: Table) -> bytes:
    """Return an object whose last member is the pets of a table."""
    return dump_json(members)[:-1] + _end(table)


def _end(table: Table) -> bytes:
    """Return the end of a line; the pets are JSON already."""
    return b',"pets":[' + b",".join(table.some(None, len(table.rows))) + b"]}\n"


# --- Reading ----------------------------------------------------------------------------------


def load_state(
    data: bytes, file: str, start: Table, budget: MemoryBudget | None = None
) -> list[SessionState]:
    """Return the sessions of a state file.

    :param file: how problems name it.
    :param start: the pets that the server starts with. A table of the file that says the same
        is this one, and costs neither time nor memory.
    :param budget: charged for other tables.
    :raise InputError: the file is damaged, of another format, holds what no mockpets writes, or
        more than the budget has left.
    """
    lines = _checked(data, file)
    reader = _Reader(file, start, budget)
    for number, line in enumerate(lines, 2):
        reader.read(number, line)
    if found := reader.problems:
        if len(found) > PROBLEMS_SHOWN:
            more = f"and {len(found) - PROBLEMS_SHOWN} more problems"
            found = [*found[:PROBLEMS_SHOWN], Problem(file, 0, 0, "", more)]
        raise InputError(found)
    return reader.sessions


def _checked(data: bytes, file: str) -> list[bytes]:
    """Return the lines between the first and the last, which say that the file is whole.

    :raise InputError: they do not.
    """
    lines = data.splitlines(keepends=True)
    first = _object(lines[0]) if lines else None
    if first is None or "mockpets_state" not in first:
        what = "is not a mockpets state file" if data else "is empty"
        raise InputError([Problem(file, 0, 0, "", what, "use another file, or move it away")])
    if first["mockpets_state"] != FORMAT:
        got = shown(first["mockpets_state"])
        what = f"unknown format {got}; this version of mockpets reads format {FORMAT}"
        hint = "use the version that wrote the file, or move the file away to start with new pets"
        raise InputError([Problem(file, 1, 0, "mockpets_state", what, hint)])
    last = _object(lines[-1])
    if last is None or "sha256" not in last or not lines[-1].endswith(b"\n"):
        what = "is truncated: the last line has no checksum"
        raise InputError([Problem(file, len(lines), 0, "", what, _AWAY)])
    if last["sha256"] != sha256(data[: -len(lines[-1])]).hexdigest():
        what = "is corrupt: the checksum does not match the content"
        raise InputError([Problem(file, len(lines), 0, "sha256", what, _AWAY)])
    return lines[1:-1]


def _object(line: bytes) -> dict[str, Any] | None:
    """Return the object that a line is, or None."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


class _Reader:
    """Reads line after line, and collects all that is wrong."""

    def __init__(self, file: str, start: Table, budget: MemoryBudget | None) -> None:
        self.sessions: list[SessionState] = []
        self.problems: list[Problem] = []
        self._file = file
        self._line = 0
        self._start = start
        self._start_end = _end(start)
        self._budget = budget
        self._names: set[str] = set()
        self._tables: list[Table] = []

    def read(self, number: int, line: bytes) -> None:
        """Read a table or a session."""
        self._line = number
        place = len(self._tables)
        if line == b'{"table":%d%b' % (place, self._start_end):
            self._tables.append(self._start)
            return
        members = _object(line)
        if members is None:
            self._wrong("", "is not a JSON object")
        elif "session" in members:
            self._session(members)
        elif not _is_integer(members.get("table"), place, place):
            self._wrong("table", f"must be {place}, got {shown(members.get('table'))}")
        else:
            self._tables.append(self._table(members, self._budget))

    def _wrong(self, where: str, what: str, hint: str = _AWAY) -> None:
        self.problems.append(Problem(self._file, self._line, 0, where, what, hint))

    def _table(self, members: dict[str, Any], budget: MemoryBudget | None) -> Table:
        """Return the pets of a line; none of them when one is wrong."""
        values = members.get("pets")
        if not isinstance(values, list):
            self._wrong("pets", f"must be an array, got {shown(values)}")
            return make_table([])
        pets: list[Pet] = []
        for place, value in enumerate(values):
            try:
                pets.append(load_pet(value))
            except InvalidPetError as invalid:
                for path, what in invalid.problems:
                    self._wrong(".".join(map(str, ("pets", place, *path))), what)
        if len(pets) < len(values):
            return make_table([])
        if len({pet["id"] for pet in pets}) < len(pets):
            self._wrong("pets", "must have unique ids")
            return make_table([])
        try:
            return make_table(pets, budget)
        except RequestError as refusal:
            self._wrong("pets", refusal.message, "")
            return make_table([])

    def _session(self, members: dict[str, Any]) -> None:
        """Take up a session."""
        name, active, seed = (members.get(key) for key in ("session", "active", "seed"))
        if not isinstance(name, str) or not re.fullmatch(SESSION_NAME, name):
            self._wrong("session", f"must be a session name, got {shown(name)}")
        elif name in self._names:
            self._wrong("session", f"duplicate session {shown(name)}")
        else:
            self._names.add(name)
        if active is not None and not _is_stack(active):
            self._wrong("active", f"must be null or scenario names, got {shown(active)}")
        if seed is not None and not _is_integer(seed, 0, INT64_MAX):
            self._wrong("seed", f"must be null or an integer >= 0, got {shown(seed)}")
        pets, start = self._pets(members), members.get("start")
        if start is not None and not _is_integer(start, 0, len(self._tables) - 1):
            self._wrong("start", f"must be null or the number of a table above, got {shown(start)}")
        if not self.problems:
            stack = None if active is None else tuple(active)
            table = None if start is None else self._tables[start]
            self.sessions.append(SessionState(cast("str", name), pets, stack, seed, table))

    def _pets(self, members: dict[str, Any]) -> Saved:
        """Return the pets of a session."""
        own = self._table(members, None)
        place, next_id = members.get("table"), members.get("next_id")
        if _is_integer(place, 0, len(self._tables) - 1):
            base = self._tables[place]
        else:
            self._wrong("table", f"must be the number of a table above, got {shown(place)}")
            base = make_table([])
        if own.rows and base.rows and min(own.rows) <= max(base.rows):
            self._wrong("pets", f"must have higher ids than table {place}")
        lowest = max(base.next_id, own.next_id)
        if not _is_integer(next_id, lowest, INT64_MAX + 1):
            self._wrong("next_id", f"must be an integer >= {lowest}, got {shown(next_id)}")
            next_id = lowest
        charge = Charge(None)
        charge.add(sum(map(len, own.rows.values())) + ENTRY_BYTES * len(own.rows))
        return Saved(base, base, own, charge, next_id)


def _is_integer(value: object, least: int, most: int) -> TypeGuard[int]:
    """Whether a value is an integer of a range; ``1.0`` and ``true`` are none here."""
    return type(value) is int and least <= value <= most


def _is_stack(value: object) -> bool:
    """Whether a value is the names of scenarios that can be active at once."""
    return (
        isinstance(value, list)
        and 0 < len(value) <= STACK_DEPTH
        and all(isinstance(name, str) and re.fullmatch(SCENARIO_NAME, name) for name in value)
    )
