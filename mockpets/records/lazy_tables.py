"""Initial tables that are made when they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mockpets.records.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class LazyTables(Mapping[str, Table]):
    """The initial tables of collections, by label, of which some are made when they are needed.

    :param tables: those that exist.
    :param makers: make the others.
    """

    def __init__(
        self, tables: Mapping[str, Table], makers: Mapping[str, Callable[[], Table]]
    ) -> None:
        self._tables = tables
        self._known: dict[str, Table | Callable[[], Table]] = {**tables, **makers}

    def renew(self, makers: Mapping[str, Callable[[], Table]]) -> None:
        """Replace those that were not given as tables, because contracts have changed."""
        self._known = {**self._tables, **makers}

    def __getitem__(self, label: str) -> Table:
        """Return a table; make it if necessary. Threads that make it twice get equal ones."""
        tables = self._known
        known = tables[label]
        if not isinstance(known, Table):
            known = tables[label] = known()
        return known

    def __iter__(self) -> Iterator[str]:
        """Yield the labels."""
        return iter(self._known)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._known)
