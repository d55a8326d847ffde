"""Make the generated part of `docs/scenarios/shipped.md`: the shipped scenarios by need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mockpets.scenario.describe import describe_pets, describe_stub
from mockpets.scenario.library import load_library

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.scenario.model import Scenario

NEEDS: Final[Mapping[str, Sequence[str]]] = {
    "Empty states": ("empty", "sold-out", "no-status"),
    "Data": ("default", "full-page", "crowded", "awkward-names", "big-ids"),
    "Authentication": ("unauthorized", "expired-key"),
    "Errors": ("server-error", "maintenance", "rate-limited", "create-rejected"),
    "Failures that end": ("retry", "flaky", "flaky-create"),
    "Missing pets": ("missing", "after-removal"),
    "Slow responses": ("slow", "jittery", "slow-body", "loading", "double-submit"),
    "Broken responses": ("offline", "truncated", "broken-json"),
    "Outside the contract": ("orders",),
}
"""The headings of the page, each with its scenarios."""


def part() -> str:
    """Return a table of scenarios under a heading for each need.

    :raise ValueError: `NEEDS` does not have each shipped scenario exactly once.
    """
    scenarios = load_library([], []).scenarios
    names = [name for group in NEEDS.values() for name in group]
    if sorted(names) != sorted(scenarios):
        raise ValueError(f"list each of these once in NEEDS: {', '.join(sorted(scenarios))}")
    lines: list[str] = []
    for need, group in NEEDS.items():
        lines += [f"## {need}", "", "| scenario | description | what it does |", "|---|---|---|"]
        lines += [_row(name, scenarios[name]) for name in group]
        lines.append("")
    return "\n".join(lines)


def _row(name: str, scenario: Scenario) -> str:
    cells = (f"`{name}`", scenario.description, "; ".join(_effects(scenario)))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _effects(scenario: Scenario) -> list[str]:
    """Return what a scenario does, its pets first."""
    pets = describe_pets(scenario.pets)
    effects = [pets] if pets else []
    for stub in map(describe_stub, scenario.stubs):
        when = ", ".join(filter(None, (stub["when"], stub["limits"])))
        effects.append(f"{when}: {stub['does']}")
    return effects or ["only the real operations"]
