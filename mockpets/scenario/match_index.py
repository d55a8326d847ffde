"""Find the matches that a request could meet: those for its operation or path, and those for any.

What the index finds are candidates: `matching.difference` decides.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from mockpets.scenario.matching import is_any_segment

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mockpets.scenario.matching import Facts
    from mockpets.scenario.model import Match

_ANY: Final = "*"
"""The key of matches for several operations and paths."""


class MatchIndex:
    """Matches by operation, or else by path if that has no wildcard."""

    def __init__(self, matches: Iterable[Match]) -> None:
        self._positions: dict[str, list[int]] = {}
        for position, match in enumerate(matches):
            for key in match.operations or (_path(match),):
                self._positions.setdefault(key, []).append(position)

    def candidates(self, facts: Facts) -> Sequence[int]:
        """Return the positions of all matches that a request could meet, in order."""
        keys = {_ANY, facts.operation or _ANY, facts.path}
        positions = [self._positions[key] for key in keys if key in self._positions]
        return positions[0] if len(positions) == 1 else sorted(chain(*positions))


def _path(match: Match) -> str:
    path = match.path
    return _ANY if path is None or any(map(is_any_segment, path.split("/"))) else path
