"""The records of one session, by the scenario and the name of their resource.

They belong to the session and not to a stack of scenarios, so they stay when other scenarios are
active. A resource that nobody has changed is not here: its records are those of the file.
"""

from __future__ import annotations

import json
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.clock import REAL, Clock
from mockpets.memory_budget import Charge
from mockpets.scenario.resources import Records, records_of
from mockpets.strict_json import dump_json, load_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.memory_budget import MemoryBudget
    from mockpets.scenario.resources import Id, Resource

    Change = Callable[[Records], tuple[Records, Id]]
    """Returns changed records, and the ID of the one that was changed."""
Key = tuple[str, str]
"""The names of a scenario and of its resource."""
Changed = dict[Key, "Records"]
CLOCK_PART: Final = "clock"
"""The part of the state file with the clock."""


class SavedRecords(NamedTuple):
    """The records of a session at one moment."""

    records: Changed
    charge: Charge


class Data:
    """The records of the resources that changed. Safe to use from several threads.

    :param budget: charged for them.
    :param publish: called after each change.
    """

    __slots__ = ("_charge", "_known", "_lock", "_now", "_on_change", "_publish", "_reserved")

    def __init__(self, budget: MemoryBudget | None, publish: Callable[[], object]) -> None:
        self._charge = Charge(budget)
        self._publish = publish
        self._on_change: Callable[[], object] = lambda: None
        self._lock = RLock()
        self._now: Changed = {}
        """Never changed in place: a write makes another dict."""
        self._known: dict[Key, Resource] = {}
        """The resources that changed since the start of the server."""
        self._reserved: dict[Key, int] | None = None
        """The lowest IDs that the state file has not reserved; None without a file."""

    @property
    def is_changed(self) -> bool:
        """Whether a client has changed any records."""
        return bool(self._now)

    def changed(self, resource: Resource) -> bool:
        """Return whether the records of a resource differ from those of the file."""
        return self.records(resource).rows != resource.start.rows

    def records(self, resource: Resource) -> Records:
        """Return the records of a resource now; a file with other items starts again."""
        now = self._now.get((resource.scenario, resource.name))
        if now is None or now.digest == resource.start.digest:
            return now or resource.start
        with self._lock:
            self._switch({key: each for key, each in self._now.items() if each is not now})
        return resource.start

    def change(self, resource: Resource, make: Change) -> tuple[Records, Id]:
        """Replace the records of a resource by those that a function returns, and return them.

        :raise RequestError: ``store_full`` if the budget is used up; what the function raises.
        """
        with self._lock:
            records, record_id = make(self.records(resource))
            self._put(resource, records)
        self._notify()
        return records, record_id

    def _put(self, resource: Resource, records: Records) -> None:
        key = resource.scenario, resource.name
        old = self._now.get(key)
        self._charge.add(records.size - (0 if old is None else old.size))
        self._now = {**self._now, key: records}
        self._known[key] = resource

    def drop(self, scenarios: set[str]) -> None:
        """Forget the records of scenarios that no longer exist."""
        with self._lock:
            kept = {key: records for key, records in self._now.items() if key[0] not in scenarios}
            self._switch(kept)

    def reset(self) -> None:
        """Restore the records of the files."""
        with self._lock:
            was_changed = self.is_changed
            self._switch({})
        if was_changed:
            self._notify()

    def save(self, budget: MemoryBudget | None) -> SavedRecords:
        """Return the records; they can be restored any number of times.

        :param budget: charged for what only the copy keeps in memory when the records change.
        :raise RequestError: ``store_full`` if the budget is too small.
        """
        charge = Charge(budget)
        with self._lock:
            charge.add(self._charge.size)
            return SavedRecords(self._now, charge)

    def restore(self, saved: SavedRecords) -> None:
        """Restore saved records, but not their next IDs, or raise ``store_full``."""
        with self._lock:
            records = dict(saved.records)
            for key, now in self._now.items():
                before = records.get(key)
                if before is None and key in self._known:  # changed since it was saved
                    before = self._known[key].start
                if before is not None:
                    records[key] = before._replace(next=max(before.next, now.next))
            self._switch(records)
        self._notify()

    def _switch(self, records: Changed) -> None:
        self._charge.add(sum(each.size for each in records.values()) - self._charge.size)
        self._now = records

    def _notify(self) -> None:
        self._on_change()
        self._publish()

    def fork(self) -> Data:
        """Return a copy whose changes have no effect here."""
        copy = Data(None, lambda: None)
        copy._now = self._now
        return copy

    # --- The state file -----------------------------------------------------------------------

    def track(self, on_change: Callable[[], None]) -> None:
        """Call a function after each change from now on, for a file that has reserved no IDs."""
        self._on_change, self._reserved = on_change, {}

    def has_reserved_id(self, resource: Resource) -> bool:
        """Whether the next ID is reserved in the file, or the records are not saved."""
        reserved = self._reserved
        key = resource.scenario, resource.name
        return reserved is None or self.records(resource).next < reserved.get(key, 0)

    def touch(self, resource: Resource) -> None:
        """Save the records of a resource, also if they have not changed, so as to reserve IDs."""
        with self._lock:
            self._put(resource, self.records(resource))

    def parts(self) -> dict[str, Records]:
        """Return the changed records by the name of their part of the state file."""
        return {f"data {scenario} {name}": each for (scenario, name), each in self._now.items()}

    def reserve(self, parts: Mapping[str, Any], *, spare: int, is_saved: bool) -> None:
        """Note the IDs that the file reserves: before it is written, only those that stay so.

        :param spare: how many IDs after those in use.
        """
        if self._reserved is None:
            return
        known = self._reserved
        first = {_key(part): parts[part].next + spare for part in parts if _is_data(part)}
        if not is_saved:
            first = {key: min(known.get(key, 0), number) for key, number in first.items()}
        self._reserved = first

    def restore_parts(self, parts: Mapping[str, Any]) -> None:
        """Restore what the state file kept, before the session is used, or raise ``store_full``."""
        with self._lock:
            self._switch({_key(part): parts[part] for part in parts if _is_data(part)})
        self._notify()


def _is_data(part: str) -> bool:
    return part.startswith("data ")


def _key(part: str) -> Key:
    _, scenario, name = part.split(" ")
    return scenario, name


def part_text(value: Any, spare: int) -> str:
    """Return the value of a part as the state file has it.

    :param spare: the IDs of a resource to reserve.
    """
    if not isinstance(value, Records):
        return dump_json(value).decode()
    rows = [row.decode() for row in value.rows.values()]
    head = {"digest": value.digest, "key": value.key, "next": value.next + spare}
    return dump_json({**head, "rows": rows}).decode()


def read_part(part: str, text: str) -> Any:
    """Return the value of a part of the state file."""
    content = json.loads(text)
    if part == CLOCK_PART:
        return content if content == REAL else Clock(*content)
    key = content["key"]
    rows = {load_json(row)[key]: row.encode() for row in content["rows"]}
    return records_of(content["digest"], key, rows, content["next"])
