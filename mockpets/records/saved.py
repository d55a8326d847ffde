"""The records of a collection outside a store: in a snapshot, and in the state file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockpets.records.store import Contents
from mockpets.records.table import empty_table, make_table, parse_row, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.contract_model import Record
    from mockpets.records.table import Table


class Records(NamedTuple):
    """The records of a collection at one moment.

    :param digest: of the definition from which they started: `Binding.digest`.
    """

    digest: str
    contents: Contents

    def after(self, start: Table) -> Contents:
        """Return the records for a store that starts with a table, whose collection may be new."""
        contents, base = self.contents, self.contents.base
        if base.collection == start.collection:
            return contents
        rows = changed_rows(contents)
        saved = SavedRecords(self.digest, base.in_order(), rows, contents.next_key)
        return saved.contents(start)


def changed_rows(contents: Contents) -> dict[int, bytes | None]:
    """Return the rows that differ from the base, by place; None for a deleted one."""
    return {**dict.fromkeys(contents.gone.rows), **contents.changed.rows}


class SavedRecords(NamedTuple):
    """The rows of a collection: those of a base, with what was changed since.

    :param digest: as in `Records`.
    :param base: the rows of the base, in order.
    :param changes: the rows that were added or changed, by place; None for one of the base that
        was deleted.
    :param next_key: as in `Contents`.
    """

    digest: str
    base: Sequence[bytes]
    changes: Mapping[int, bytes | None]
    next_key: int

    def contents(self, start: Table) -> Contents:
        """Return the records for a store that starts with a table."""
        base = start
        if start.in_order() != [*self.base]:
            base = make_table(start.collection, rows_of(self.base))
        changes = {
            place: None if row is None else (parse_row(row), row)
            for place, row in self.changes.items()
        }
        return contents_of(base, changes, self.next_key)


def contents_of(
    base: Table, changes: Mapping[int, tuple[Record, bytes] | None], next_key: int
) -> Contents:
    """Return the records of a base after changes.

    :param changes: as in `SavedRecords`, each record with its row.
    """
    collection = base.collection  # of rows whose scenario is missing, one with places as keys
    changed, gone = empty_table(collection).copy(), empty_table(collection).copy()
    for place, new in sorted(changes.items()):
        if (old := base.rows.get(place)) is not None:
            gone.put(place, {collection.key: place} | parse_row(old), old)
        if new is not None:
            changed.put(place, *new)
    changed.frozen = gone.frozen = True
    entries = len(changed.rows) + len(gone.rows)
    size = sum(map(len, changed.rows.values())) + entries * collection.entry_bytes
    return Contents(base, changed, gone, size, next_key)
