"""The paths of a contract as a tree of segments: one look-up for each segment."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

T = TypeVar("T")


def is_parameter(segment: str) -> bool:
    """Return whether a segment of a template is one parameter and nothing else."""
    return segment[:1] == "{" and segment.find("}") == len(segment) - 1


def names_in(segment: str) -> list[str]:
    """Return the names of the parameters in a segment."""
    return re.findall(r"\{([^{}]+)\}", segment)


@lru_cache(256)
def segment_pattern(segment: str) -> re.Pattern[str]:
    """Return what matches a segment such as ``{id}.json``, with a group for each parameter."""
    parts = re.split(r"\{[^{}]+\}", segment)
    return re.compile("(.+?)".join(map(re.escape, parts)), re.DOTALL)


def _generality(segment: str) -> tuple[int, int]:
    """Return a key by which special segments are before general ones."""
    parts = re.split(r"\{[^{}]+\}", segment)
    return len(parts), -len("".join(parts))


class Routes(Generic[T]):
    """A tree of segments, or a node of it.

    :param requests: method, path such as ``/v1/orders/{id}``, and the operation.
    """

    __slots__ = ("_below", "_parameter", "_patterns", "operations")

    def __init__(self, requests: Iterable[tuple[str, str, T]] = ()) -> None:
        self._below: dict[str, Routes[T]] = {}
        self._parameter: Routes[T] | None = None
        """What a parameter in place of a segment leads to."""
        self._patterns: dict[str, Routes[T]] = {}
        """What segments with a parameter and more lead to, the most special first: ``{id}.json``
        is before ``{id}.{format}``."""
        self.operations: dict[str, T] = {}
        """The operations at this place, by method."""
        for method, path, operation in requests:
            node = self
            for segment in path.split("/"):
                node = node._child(segment)
            node.operations[method] = operation

    def _child(self, segment: str) -> Routes[T]:
        if "{" not in segment:
            return self._below.setdefault(segment, Routes())
        if not is_parameter(segment):
            if segment not in self._patterns:
                known = {**self._patterns, segment: Routes[T]()}
                self._patterns = {each: known[each] for each in sorted(known, key=_generality)}
            return self._patterns[segment]
        if self._parameter is None:
            self._parameter = Routes()
        return self._parameter

    def at(self, path: str) -> Mapping[str, T]:
        """Return the operations at a decoded path, by method.

        Of several paths that match, the one with the earliest segment that is no parameter counts.
        """
        return self._at(path.split("/"))

    def _at(self, segments: list[str]) -> Mapping[str, T]:
        node = self
        for place, segment in enumerate(segments):
            known, parameter = node._below.get(segment), node._parameter if segment else None
            if node._patterns or (known is not None and parameter is not None):  # several ways
                rest = segments[place + 1 :]
                fitting = (
                    each for each in node._patterns if segment_pattern(each).fullmatch(segment)
                )
                ways = (known, *(node._patterns[each] for each in fitting), parameter)
                return next(filter(None, (way._at(rest) for way in ways if way is not None)), {})
            following = known or parameter
            if following is None:
                return {}
            node = following
        return node.operations
