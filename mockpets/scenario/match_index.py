"""Find the matches that a request could meet, without comparing it with every one of them.

A request can only meet a condition such as ``status equals "sold"`` if it has that value. So the
index files each match under one condition, the one that the fewest others share, and a request
looks only under its own values. What it finds are candidates: `matching.difference` decides.

Conditions that only need a name, such as ``contains`` and ``matches``, are filed under the name.
Matches that need nothing, such as those with only ``present: false``, are always candidates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from mockpets.scenario.matching import is_any_segment

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Condition, Match

    Request = Mapping[str, Mapping[Any, Any]]
    """The values of a request by part and name; in the query, a name has a list of values."""

    Key = tuple[str, Hashable, Hashable]
    """A part of a request, a name in it, and a value, or `_ANY`."""
    Keys = Sequence[Key]
    """A request that meets a condition has at least one of its keys."""

_GROUP: Final = 8
"""Groups of at most this many matches are not divided: comparing them is as fast."""
_LEVELS: Final = 4
"""How many times a group is divided, each time by another condition."""
_ANY: Final = object()
"""The value of a key that stands for any value."""


@dataclass(slots=True)
class _Group:
    """Matches that share the keys under which they are filed.

    :param positions: those that are not divided further, in order.
    :param divided: the others: part, name and value to group.
    """

    positions: list[int] = field(default_factory=list)
    divided: dict[str, dict[Hashable, dict[Hashable, _Group]]] = field(default_factory=dict)


class MatchIndex:
    """Matches, filed under their conditions.

    :param matches: in the order in which a request is compared with them.
    """

    __slots__ = ("_root",)

    def __init__(self, matches: Iterable[Match]) -> None:
        self._root = _group([(number, _keys(match)) for number, match in enumerate(matches)])

    def candidates(self, facts: Facts) -> Iterable[int]:
        """Return the positions of all matches that a request could meet, in order."""
        if not self._root.divided:
            return self._root.positions
        found: list[Sequence[int]] = []
        _find(self._root, _request(facts), found)
        return found[0] if len(found) == 1 else _in_order(found)


def _group(members: Sequence[tuple[int, Sequence[Keys]]], levels: int = _LEVELS) -> _Group:
    """Return a group of matches.

    :param members: position, and the keys of each condition by which it can be divided.
    :param levels: how many times it may be divided.
    """
    if levels == 0 or len(members) <= _GROUP:
        return _Group([position for position, _ in members])
    group = _Group()
    frequency = Counter(chain.from_iterable(chain(*conditions) for _, conditions in members))
    filed: dict[Key, list[tuple[int, Sequence[Keys]]]] = {}
    for position, conditions in members:
        if not conditions:
            group.positions.append(position)
            continue
        rarest = min(conditions, key=lambda keys: sum(map(frequency.__getitem__, keys)))
        # Only the first division takes several keys of a condition, because more would multiply.
        rest = [keys for keys in conditions if keys is not rarest and len(keys) == 1]
        for key in rarest:
            filed.setdefault(key, []).append((position, rest))
    for (part, name, value), matches in filed.items():
        values = group.divided.setdefault(part, {}).setdefault(name, {})
        values[value] = _group(matches, levels - 1)
    return group


def _find(group: _Group, request: Request, found: list[Sequence[int]]) -> None:
    """Add the positions in a group that a request could meet, as sorted sequences."""
    if group.positions:
        found.append(group.positions)
    for part, names in group.divided.items():
        has = request[part]
        for name in names.keys() & has.keys():
            values = names[name]
            for value in {_ANY, *map(_as_key, has[name] if part == "query" else (has[name],))}:
                if value in values:
                    _find(values[value], request, found)


def _in_order(sequences: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the positions of sorted sequences in order, each once, as far as the search goes."""
    last = -1
    for position in merge(*sequences):
        if position != last:
            yield position
        last = position


# --- Keys ---------------------------------------------------------------------------------------


def _request(facts: Facts) -> Request:
    """Return the values of a request."""
    return {
        "request": {"operation": facts.operation, "petId": facts.pet_id, "path": facts.path},
        "segments": dict(enumerate(facts.path.split("/"))),
        "query": facts.query,
        "headers": facts.headers,
        "body": facts.body if isinstance(facts.body, dict) else {},
    }


def _keys(match: Match) -> list[Keys]:
    """Return the keys of each condition of a match that needs one."""
    conditions: list[Keys] = []
    if match.operations:
        conditions.append([("request", "operation", value) for value in match.operations])
    if match.pet_ids:
        conditions.append([("request", "petId", value) for value in match.pet_ids])
    if match.path is not None:
        conditions += _path_keys(match.path)
    for part, named in (("query", match.query), ("headers", match.headers), ("body", match.body)):
        conditions += [
            [(part, condition.name, value) for value in _wanted(condition)]
            for condition in named
            if condition.operator != "present" or condition.value
        ]
    return conditions


def _path_keys(path: str) -> list[Keys]:
    """Return the keys of a path: the whole one, or each segment if it has wildcards."""
    segments = path.split("/")
    if not any(map(is_any_segment, segments)):
        return [[("request", "path", path)]]
    return [
        [("segments", number, segment)]
        for number, segment in enumerate(segments)
        if not is_any_segment(segment)
    ]


def _wanted(condition: Condition) -> Iterable[Hashable]:
    """Return the values of which a request needs one to meet a condition; `_ANY` for any."""
    choices: Iterable[object] = ()
    if condition.operator == "equals":
        choices = (condition.value,)
    elif condition.operator == "one_of":
        assert isinstance(condition.value, tuple)  # noqa: S101 - the loader ensures it; for mypy
        choices = condition.value
    values = set(map(_as_key, choices))
    return values if values and _ANY not in values else (_ANY,)


def _as_key(value: object) -> Hashable:
    """Return a value so that equal values stay equal; `_ANY` for lists, which are not divided."""
    return _ANY if isinstance(value, (list, tuple, dict)) else value
