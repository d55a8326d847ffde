"""The paths of a contract as a tree of segments: one look-up for each segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")


class Routes(Generic[T]):
    """A tree of segments, or a node of it.

    :param requests: method, path such as ``/v1/orders/{id}``, and the operation.
    """

    __slots__ = ("_below", "_parameter", "operations")

    def __init__(self, requests: Iterable[tuple[str, str, T]] = ()) -> None:
        self._below: dict[str, Routes[T]] = {}
        self._parameter: Routes[T] | None = None
        """What a parameter in place of a segment leads to."""
        self.operations: dict[str, T] = {}
        """The operations at this place, by method."""
        for method, path, operation in requests:
            node = self
            for segment in path.split("/"):
                node = node._child(segment)
            node.operations[method] = operation

    def _child(self, segment: str) -> Routes[T]:
        if segment[:1] != "{":
            return self._below.setdefault(segment, Routes())
        if self._parameter is None:
            self._parameter = Routes()
        return self._parameter

    def at(self, path: str) -> Mapping[str, T]:
        """Return the operations at a decoded path, by method.

        Of several paths that match, the one with the earliest segment that is no parameter counts.
        """
        return self._at(path.split("/"))

    def is_open(self, path: str) -> bool:
        """Return whether all that is one segment below a path without parameters is the same."""
        node: Routes[T] | None = self
        for segment in path.split("/"):
            node = node and node._below.get(segment)
        return node is not None and node._parameter is not None and not node._below

    def _at(self, segments: list[str]) -> Mapping[str, T]:
        node = self
        for place, segment in enumerate(segments):
            known, parameter = node._below.get(segment), node._parameter if segment else None
            if known is not None and parameter is not None:  # two ways
                rest = segments[place + 1 :]
                return known._at(rest) or parameter._at(rest)
            following = known or parameter
            if following is None:
                return {}
            node = following
        return node.operations
