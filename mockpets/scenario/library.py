"""All scenarios that a server knows: found in folders, resolved, and read again when they change.

The shipped folder comes first, then each of the user's; of two files for one name the later wins.
A library is a frozen value: reading the folders again makes another one, in which a file that has
turned bad keeps its last good scenario, with its problems beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from mockpets.constants import INLINE, STACK_DEPTH
from mockpets.errors import InputError, Problem, RequestError, did_you_mean
from mockpets.faults import CONNECTION_FAULTS
from mockpets.scenario.files import find
from mockpets.scenario.language.loader import load_fixture, load_scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mockpets.contract.schemas import Pet
    from mockpets.scenario.files import Source
    from mockpets.scenario.model import Generated, Scenario, Stub


@dataclass(frozen=True)
class Stack:
    """Scenarios in force together, the first named first.

    :param stubs: of all of them, in the order they are asked; those of what a scenario extends
        come after its own, and none comes twice.
    :param pets: of the first that brings any.
    """

    names: tuple[str, ...]
    stubs: tuple[Stub, ...]
    pets: tuple[Pet, ...] | Generated | None

    @property
    def by_chance(self) -> bool:
        """Whether any stub draws random numbers."""
        return any(stub.by_chance for stub in self.stubs)

    @cached_property
    def breaks(self) -> bool:
        """Whether any stub breaks the connection."""
        return any(
            fault in CONNECTION_FAULTS
            for stub in self.stubs
            for fault in (stub.fault, *stub.replies)
        )


@dataclass(frozen=True)
class Library:
    """The scenarios by name, and what is wrong with files that cannot be used.

    :param scenarios: those that can be used; of a file that turned bad, as it was last good.
    :param problems: scenario name to what is wrong with its file as it is now.
    :param sources: scenario name to its file.
    """

    scenarios: Mapping[str, Scenario]
    problems: Mapping[str, tuple[Problem, ...]]
    sources: Mapping[str, Source]
    fixtures: Mapping[str, Source] = field(default_factory=dict)

    def plus(self, more: Mapping[str, Scenario]) -> Library:
        """Return a library that has more scenarios, in place of those of the same names."""
        return replace(self, scenarios={**self.scenarios, **more}) if more else self

    def shelf(self) -> Mapping[str, tuple[Pet, ...]]:
        """Return the fixtures by name, each read when it is first asked for."""
        return _Fixtures(self.fixtures)

    def stack(self, names: Sequence[str]) -> Stack:
        """Return scenarios put together.

        :raise RequestError: ``unknown_scenario``, with the names there are.
        """
        for name in names:
            if name not in self.scenarios:
                raise RequestError("unknown_scenario", self.explain(name))
        chain = [scenario for name in names for scenario in self.lineage(name)]
        stubs = dict.fromkeys(stub for scenario in chain for stub in scenario.stubs)
        brought = [scenario.pets for scenario in chain if scenario.pets is not None]
        return Stack(tuple(names), tuple(stubs), brought[0] if brought else None)

    def lineage(self, name: str) -> list[Scenario]:
        """Return a scenario and all that it extends, each once, in the order they are asked."""
        found: dict[str, Scenario] = {}
        waiting = [name]
        while waiting:
            scenario = self.scenarios[waiting.pop(0)]
            if scenario.name not in found:
                found[scenario.name] = scenario
                waiting = [*scenario.extends, *waiting]
        return list(found.values())

    def good(self, name: str, source: Source) -> bool:
        """Whether a scenario was read without a problem from a file that is still the same."""
        return self.sources.get(name) == source and name not in self.problems

    def unknown(self, option: str, names: Iterable[str]) -> list[Problem]:
        """Return a problem for each name that is none; what is wrong with files is told already.

        :param option: where the person named them.
        """
        return [
            Problem(option, 0, 0, "", self.explain(name))
            for name in names
            if name not in self.scenarios and name not in self.problems
        ]

    def explain(self, name: str) -> str:
        """Return what to say of a name that cannot be used."""
        if name in self.problems:
            first, *more = self.problems[name]
            rest = f" (and {len(more)} more)" if more else ""
            return f"the scenario '{name}' cannot be used: {first}{rest}"
        if re.fullmatch(INLINE.format("[0-9]+"), name):
            return (
                f"'{name}' cannot be activated by its name: so one is called that a client sends "
                "whole (PUT scenario with a document), and it is gone when its session activates "
                "something; send it again"
            )
        near = did_you_mean(name, self.scenarios)
        known = ", ".join(sorted(self.scenarios))
        return f"there is no scenario '{name}'; {near + ' ' if near else ''}there are: {known}"


class _Fixtures(Mapping[str, "tuple[Pet, ...]"]):
    """Fixtures by name, each read when it is first asked for, and once, be it good or bad."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._read: dict[str, tuple[Pet, ...] | InputError] = {}

    def __getitem__(self, name: str) -> tuple[Pet, ...]:
        if name not in self._read:
            source = self._sources[name]
            try:
                self._read[name] = load_fixture(source.path, source.shown)
            except InputError as error:
                self._read[name] = error
        found = self._read[name]
        if isinstance(found, InputError):
            # A new one: raised again and again, the same one would grow a traceback each time.
            raise InputError(found.problems)
        return found

    def __contains__(self, name: object) -> bool:
        # Mapping's own way is to get the item, and a bad one would end the whole reading.
        return name in self._sources

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)


def load_library(
    scenarios_dirs: Sequence[Path], fixtures_dirs: Sequence[Path], before: Library | None = None
) -> Library:
    """Return the scenarios of the shipped folder and of these.

    :param before: the library as it was; unchanged files are taken from it, and the last good
        scenario of a file that has turned bad.
    :raise InputError: a folder cannot be read, or holds two files for one name.
    """
    sources = find("scenarios", scenarios_dirs)
    fixtures = find("fixtures", fixtures_dirs)
    if before is not None and (before.sources, before.fixtures) == (sources, fixtures):
        return before
    return read_library(sources, fixtures, before)


def read_library(
    sources: Mapping[str, Source], fixtures: Mapping[str, Source], before: Library | None = None
) -> Library:
    """Return the scenarios of these files; `before` as `load_library` has it."""
    read = {**(before.scenarios if before else {})}
    problems: dict[str, tuple[Problem, ...]] = {}
    shelf = _Fixtures(fixtures)
    for name, source in sources.items():
        if before and before.fixtures == fixtures and before.good(name, source):
            continue
        try:
            read[name] = load_scenario(source.path, source.shown, known=sources, fixtures=shelf)
        except InputError as error:
            problems[name] = error.problems
    scenarios = {name: read[name] for name in sources if name in read}
    # What one file alone does not show: a circle of `extends`, or a base that is not there. A
    # file that has made one falls back to how it was; what still does not hold goes.
    for fallback in (before.scenarios if before else {}, {}):
        for name, problem in _broken_chains(scenarios).items():
            problems.setdefault(name, (problem,))
            scenarios.pop(name)
            if name in fallback:
                scenarios[name] = fallback[name]
    return Library(scenarios, problems, sources, fixtures)


def _broken_chains(scenarios: Mapping[str, Scenario]) -> dict[str, Problem]:
    """Return the scenarios whose `extends` leads in a circle, nowhere or too far, and why."""
    broken: dict[str, Problem] = {}
    heights: dict[str, int] = {}
    for name, scenario in scenarios.items():
        what = _chain_fault(scenarios, (name,), heights)
        if what:
            broken[name] = Problem(scenario.source, *scenario.extends_at, "extends", what)
    return broken


def _chain_fault(
    scenarios: Mapping[str, Scenario], chain: tuple[str, ...], heights: dict[str, int]
) -> str:
    """Return what is wrong with what the last of a chain of names extends.

    :param heights: how many scenarios lie above one another, for those found to be right;
        filled in here, so that each is looked at once.
    """
    bases = scenarios[chain[-1]].extends
    for base in bases:
        path = " -> ".join((*chain, base))
        if base in chain:
            return f"it leads in a circle: {path}"
        if base not in scenarios:
            return f"there is no scenario '{base}' that can be used: {path}"
        if base not in heights:
            found = _chain_fault(scenarios, (*chain, base), heights)
            if found:
                return found
        if len(chain) + heights[base] > STACK_DEPTH:
            return f"it leads over more than {STACK_DEPTH} scenarios: {path}"
    heights[chain[-1]] = 1 + max((heights[base] for base in bases), default=0)
    return ""
