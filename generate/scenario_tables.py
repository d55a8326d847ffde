"""Make the generated part of `docs/reference/shipped-scenarios.md`: the scenarios by need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockpets.contract.pet_store import BUILT_IN
from mockpets.scenario.library import load_library
from mockpets.scenario.scenario_description import describe_content, describe_stub

if TYPE_CHECKING:
    from mockpets.scenario.scenario_model import Scenario


def part() -> str:
    """Return a table of scenarios under a heading for each need."""
    library = load_library([], [])
    lines: list[str] = []
    for need, group in library.grouped().items():
        lines += [f"## {need}", "", "| scenario | description | what it does |", "|---|---|---|"]
        lines += [_row(name, library.scenarios[name]) for name in group]
        lines.append("")
    return "\n".join(lines)


def _row(name: str, scenario: Scenario) -> str:
    cells = (f"`{name}`", scenario.description, "; ".join(_effects(scenario)))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _effects(scenario: Scenario) -> list[str]:
    """Return what a scenario does, its records first."""
    effects = [describe_content(name, content, BUILT_IN) for name, content in scenario.data.items()]
    for stub in map(describe_stub, scenario.stubs):
        when = ", ".join(filter(None, (stub["when"], stub["limits"])))
        effects.append(f"{when}: {stub['does']}")
    return effects or ["only the real operations"]
