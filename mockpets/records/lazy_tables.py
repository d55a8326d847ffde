"""Initial tables that are made when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mockpets.records.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class LazyTables(Mapping[str, Table]):
    """The initial tables of collections, by label, of which some are made when they are needed.

    :param tables: by label: a table, or what makes it.
    """

    def __init__(self, tables: Mapping[str, Table | Callable[[], Table]]) -> None:
        self._tables = dict(tables)

    def __getitem__(self, label: str) -> Table:
        """Return a table; make it if necessary. Threads that make it twice get equal ones."""
        known = self._tables[label]
        if not isinstance(known, Table):
            known = self._tables[label] = known()
        return known

    def __iter__(self) -> Iterator[str]:
        """Yield the labels."""
        return iter(self._tables)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._tables)
