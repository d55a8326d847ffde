"""The records of a collection outside a store: in the state file, and after a restart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mockpets.memory_budget import Charge
from mockpets.records.store import Contents
from mockpets.records.table import empty_table, make_table, parse_row, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.memory_budget import MemoryBudget
    from mockpets.records.store import Store
    from mockpets.records.table import Table


def saved_records(store: Store, digest: str) -> SavedRecords:
    """Return the records of a store as they are now."""
    now = store.save()
    return SavedRecords(digest, now.base.in_order(), changed_rows(now), now.next_key)


def changed_rows(contents: Contents) -> dict[int, bytes | None]:
    """Return the rows that differ from the base, by place; None for a deleted one."""
    return {**dict.fromkeys(contents.gone.rows), **contents.own.rows}


@dataclass(frozen=True)
class SavedRecords:
    """The records of a collection: those of a base, with what was changed since.

    :param digest: of the definition from which they started: `Binding.digest`.
    :param base: the rows of the base, in order.
    :param changes: the rows that were added or changed, by place; None for one of the base that
        was deleted.
    :param next_key: as in `Contents`.
    :param charge: for the rows, as long as no store has them.
    """

    digest: str
    base: Sequence[bytes]
    changes: Mapping[int, bytes | None]
    next_key: int
    charge: Charge = field(default_factory=lambda: Charge(None), compare=False)

    def contents(self, start: Table, budget: MemoryBudget | None) -> Contents:
        """Return the records for a store that starts with a table.

        :param budget: charged for a base that differs from the table.
        :raise RequestError: ``store_full``.
        """
        collection, base = start.collection, start
        if start.in_order() != [*self.base]:
            base = make_table(collection, rows_of(self.base), budget)
        own, gone = empty_table(collection).copy(), empty_table(collection).copy()
        for place, row in sorted(self.changes.items()):
            if (old := base.rows.get(place)) is not None:
                gone.put(place, parse_row(old), old)
            if row is not None:
                own.put(place, parse_row(row), row)
        charge = Charge(None)
        entries = len(own.rows) + len(gone.rows)
        charge.add(sum(map(len, own.rows.values())) + entries * collection.entry_bytes)
        return Contents(base, own, gone, charge, self.next_key)
