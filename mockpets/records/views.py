"""Lists of some records of a collection, in an order, that follow changes.

Selecting and sorting thousands of records takes a hundred times as long as sending a page of them.
So a list is made once of the records with which a store starts, and later only the records that
changed since are removed and inserted. It has the places of the records, 8 bytes each.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from heapq import merge
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from mockpets.records.table import Condition, Table

    Rank = Sequence[Any]
    """The keys by which a record is sorted; None for one that it lacks."""

T = TypeVar("T")


def in_order(ranked: list[tuple[T, Rank]], reverse: Sequence[bool]) -> list[T]:
    """Return what has ranks in the order of these, else as given; see `Selection.reverse`."""
    for index, is_reversed in reversed([*enumerate(reverse)]):  # equal ones keep their order
        known = [each for each in ranked if each[1][index] is not None]
        known.sort(key=lambda each: each[1][index], reverse=is_reversed)
        ranked = known + [each for each in ranked if each[1][index] is None]
    return [each for each, _ in ranked]


class Selection(NamedTuple):
    """Which records a list has, and in which order; both depend on nothing but the record.

    :param rank: returns the rank of a record, given as JSON; None if it is not in the list.
    :param reverse: for each key of a rank, whether its greatest value is first. Records without a
        value are last, and equal ones are in the order of their places.
    :param met: conditions with an index, of which each record in the list meets one; empty if no
        index helps.
    """

    rank: Callable[[bytes], Rank | None]
    reverse: Sequence[bool] = ()
    met: Sequence[Condition] = ()

    def of_table(self, table: Table) -> View:
        """Return the list of the records of a table."""
        places: Iterable[int] = table.places
        if self.met:
            places = merge(*map(table.at, self.met))
        rank, rows = self.rank, table.rows
        ranked = [(each, known) for each in places if (known := rank(rows[each])) is not None]
        return View(self, array("q", in_order(ranked, self.reverse)))

    def precedes(self, one: tuple[Rank, int], other: tuple[Rank, int]) -> bool:
        """Return whether a record, by its rank and place, is before another one."""
        for is_reversed, first, second in zip(self.reverse, one[0], other[0], strict=True):
            if first != second:
                if first is None or second is None:
                    return second is None
                return bool(second < first if is_reversed else first < second)
        return one[1] < other[1]


class View(NamedTuple):
    """A list at one moment; do not modify it."""

    selection: Selection
    places: array[int]

    def after(self, before: Mapping[int, bytes | None], row: Callable[[int], bytes | None]) -> View:
        """Return the list after changes.

        :param before: the places that changed, each with the record that was there, if any.
        :param row: returns the current record at a place.
        """
        rank, places = self.selection.rank, self.places[:]
        for place, old in before.items():
            if old is not None and (known := rank(old)) is not None:
                # Others that changed are still where they were.
                del places[self._position(places, place, known, lambda p: before.get(p) or row(p))]
        for place in before:
            new = row(place)
            if new is not None and (known := rank(new)) is not None:
                places.insert(self._position(places, place, known, row), place)
        return View(self.selection, places)

    def position(self, place: int) -> int | None:
        """Return the position of the record at a place; None if it is not in the list."""
        if self.selection.reverse:
            return self.places.index(place) if place in self.places else None
        position = bisect_left(self.places, place)
        return position if self.places[position : position + 1] == array("q", [place]) else None

    def _position(
        self, places: array[int], place: int, rank: Rank, row: Callable[[int], bytes | None]
    ) -> int:
        """Return the position at which a record is, or belongs."""
        if not self.selection.reverse:
            return bisect_left(places, place)
        low, high = 0, len(places)
        middle = 0  # the ends first, where most new records belong
        while low < high:
            other = row(places[middle])
            assert other is not None  # noqa: S101 - the list has no others
            known = self.selection.rank(other)
            assert known is not None  # noqa: S101 - as above
            if self.selection.precedes((known, places[middle]), (rank, place)):
                low = middle + 1
            else:
                high = middle
            middle = high - 1 if middle == 0 else (low + high) // 2
        return low
