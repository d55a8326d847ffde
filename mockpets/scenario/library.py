"""The library of all scenarios that a server knows, loaded from folders.

The shipped folder comes first, then each of the user's; if two files have the same name, the later
one wins. A library is a frozen value: reading the folders again returns a new one, in which an
invalid file keeps its last valid scenario, beside its problems.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property, partial
from hashlib import blake2b
from typing import TYPE_CHECKING, get_args

from mockpets.constants import INLINE, STACK_DEPTH, STACKS, ScenarioGroup
from mockpets.errors import InputError, Problem, RequestError, did_you_mean
from mockpets.faults import CONNECTION_FAULTS
from mockpets.packaged_data import shipped
from mockpets.scenario.files import find
from mockpets.scenario.matching import path_matches
from mockpets.scenario.model import Generated
from mockpets.scenario.shipped import COMPILED
from mockpets.strict_json import dump_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from mockpets.contract.schemas import Pet
    from mockpets.scenario.files import Source
    from mockpets.scenario.language.diagnostics import Fixtures
    from mockpets.scenario.model import Scenario, Stub
    from mockpets.scenario.resources import Resource


@dataclass(frozen=True)
class Stack:
    """Scenarios that are active together, in the order of their names in the request.

    :param stubs: of all scenarios, in the order of the search and without duplicates.
    :param pets: of the first scenario that provides any.
    :param resources: of all scenarios, in the same order.
    """

    names: tuple[str, ...]
    stubs: tuple[Stub, ...]
    pets: tuple[Pet, ...] | Generated | None
    resources: tuple[Resource, ...] = ()

    def methods(self, path: str) -> set[str]:
        """Return the methods that stubs and resources define for a path outside the contract."""
        matches = [stub.match for stub in self.stubs]
        methods = {
            match.method
            for match in matches
            if match.method and match.path and path_matches(match.path, path)
        }
        resource, record = self.resource(path)
        return methods | (resource.methods(of_record=bool(record)).keys() if resource else set())

    @cached_property
    def _by_path(self) -> dict[str, Resource]:
        return {resource.path: resource for resource in reversed(self.resources)}

    def resource(self, path: str) -> tuple[Resource | None, str]:
        """Return the resource that a path names, and the ID of a record; empty for the list."""
        if (resource := self._by_path.get(path)) is not None:
            return resource, ""
        parent, _, record = path.rpartition("/")
        return (self._by_path.get(parent), record) if record else (None, "")

    def hidden(self) -> dict[Resource, Resource]:
        """Return the resources whose path an earlier scenario defines too, with that resource."""
        first = self._by_path
        return {one: first[one.path] for one in self.resources if first[one.path] is not one}

    @cached_property
    def by_chance(self) -> bool:
        """Whether any stub draws random numbers."""
        return any(stub.by_chance for stub in self.stubs)

    @cached_property
    def pets_digest(self) -> str:
        """A digest of the definition of the pets, compared after a restart; empty without pets."""
        if self.pets is None:
            return ""
        text = dump_json(asdict(self.pets) if isinstance(self.pets, Generated) else self.pets)
        return blake2b(text, digest_size=8).hexdigest()

    @cached_property
    def has_connection_fault(self) -> bool:
        """Whether any stub breaks the connection."""
        faults = (fault for stub in self.stubs for fault in (stub.fault, *stub.replies))
        return any(fault in CONNECTION_FAULTS for fault in faults)


@dataclass(frozen=True)
class Library:
    """The scenarios by name, and the problems of invalid files.

    :param scenarios: valid scenarios, and the last valid version of invalid files.
    :param problems: scenario name to the problems of its current file.
    :param folder_problems: why the folders cannot be reloaded; the rest is from before.
    """

    scenarios: Mapping[str, Scenario]
    problems: Mapping[str, tuple[Problem, ...]]
    sources: Mapping[str, Source]
    fixtures: Mapping[str, Source] = field(default_factory=dict)
    folder_problems: tuple[Problem, ...] = ()
    _stacks: dict[tuple[str, ...], Stack] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Some stacks by their names; sessions share them, and their indexes."""

    def plus(self, more: Mapping[str, Scenario]) -> Library:
        """Return a library with more scenarios, which replace those of the same names."""
        return replace(self, scenarios={**self.scenarios, **more}) if more else self

    def shelf(self) -> Fixtures:
        """Return functions that load the fixtures, by name."""
        return _shelf(self.fixtures)

    def stack(self, names: Sequence[str]) -> Stack:
        """Return a stack of scenarios, or raise ``unknown_scenario`` with the known names."""
        for name in names:
            if name not in self.scenarios:
                raise RequestError("unknown_scenario", self.explain(name))
        if (known := self._stacks.get(tuple(names))) is not None:
            return known
        scenarios = [scenario for name in names for scenario in self.lineage(name)]
        stubs = dict.fromkeys(stub for scenario in scenarios for stub in scenario.stubs)
        pets = [scenario.pets for scenario in scenarios if scenario.pets is not None]
        resources = [resource for scenario in scenarios for resource in scenario.resources]
        distinct = tuple(dict.fromkeys(resources))
        stack = Stack(tuple(names), tuple(stubs), pets[0] if pets else None, distinct)
        if len(self._stacks) >= STACKS:
            self._stacks.clear()
        self._stacks[stack.names] = stack
        return stack

    def lineage(self, name: str) -> list[Scenario]:
        """Return a scenario and all that it extends, each once, in the order of the search."""
        visited: dict[str, Scenario] = {}
        waiting = [name]
        while waiting:
            scenario = self.scenarios[waiting.pop(0)]
            if scenario.name not in visited:
                visited[scenario.name] = scenario
                waiting = [*scenario.extends, *waiting]
        return list(visited.values())

    def broken_chain(self, scenario: Scenario) -> Problem | None:
        """Return what would be wrong with the `extends` of a scenario, or None."""
        return _broken_chains({**self.scenarios, scenario.name: scenario}).get(scenario.name)

    def gates(self) -> list[str]:
        """Return the names of the gates at which the scenario files hold responses."""
        files = (self.scenarios[name] for name in self.sources if name in self.scenarios)
        holds = {stub.hold for scenario in files for stub in scenario.stubs}
        return sorted(hold for hold in holds if hold is not None)

    def resource_names(self) -> list[str]:
        """Return the names of the resources of the scenario files."""
        files = (self.scenarios[name] for name in self.sources if name in self.scenarios)
        return sorted({resource.name for scenario in files for resource in scenario.resources})

    def descriptions(self) -> dict[str, str]:
        """Return the description of each scenario file in the order of `grouped`, or ""."""
        names = [name for group in self.grouped().values() for name in group]
        known = self.scenarios
        return {
            name: known[name].description if name in known else ""
            for name in names
            if name in self.sources
        }

    def grouped(self) -> dict[ScenarioGroup, list[str]]:
        """Return the names of all scenarios, also of invalid files, by group, in lists' order."""
        groups: dict[ScenarioGroup, list[str]] = {group: [] for group in get_args(ScenarioGroup)}
        for name in sorted({*self.scenarios, *self.problems}):
            groups[self.group(name)].append(name)
        return {group: names for group, names in groups.items() if names}

    def group(self, name: str) -> ScenarioGroup:
        """Return the group of a scenario, also of an invalid file."""
        return "Files with problems" if name in self.problems else self.scenarios[name].group

    def unknown(self, option: str, names: Iterable[str]) -> list[Problem]:
        """Return a problem of an option for each unknown name; invalid files are in `problems`."""
        return [
            Problem(option, 0, 0, "", self.explain(name))
            for name in names
            if name not in self.scenarios and name not in self.problems
        ]

    def explain(self, name: str) -> str:
        """Return the message for a name that is unknown or invalid."""
        if name in self.problems:
            first, *more = self.problems[name]
            rest = f" (and {len(more)} more)" if more else ""
            return f"scenario '{name}' is invalid: {first}{rest}"
        if re.fullmatch(INLINE.format("[0-9]+"), name):
            return document_message(name)
        known = f"known scenarios: {', '.join(sorted(self.scenarios))}"
        ours = shipped("scenarios")
        if all(source.path.parent == ours for source in self.sources.values()):
            known += "; load your own with --scenarios-dir"
        message = f"unknown scenario '{name}'; {did_you_mean(name, self.scenarios) or known}"
        if self.folder_problems:  # the reason may be that its file is new
            message += f"; changed files are not reloaded: {self.folder_problems[0]}"
        return message


def document_message(name: str) -> str:
    """Return the message for activating a scenario by name that was sent as a document."""
    return (
        f"'{name}' cannot be activated by name: it is the name of a scenario document "
        "(PUT scenario), which a session keeps only until the next activation; send the "
        "document again"
    )


def _shelf(sources: Mapping[str, Source]) -> Fixtures:
    """Return functions that load fixtures on their first call, and return the pets or the error."""
    return {name: cache(partial(_fixture, source)) for name, source in sources.items()}


def _fixture(source: Source) -> tuple[Pet, ...] | InputError:
    from mockpets.scenario.language.loader import load_fixture

    try:
        return load_fixture(source.path, source.shown)
    except InputError as error:
        return error


def load_library(
    scenarios_dirs: Sequence[Path], fixtures_dirs: Sequence[Path], before: Library | None = None
) -> Library:
    """Return the scenarios of the shipped folder and of these folders.

    :param before: the previous library, from which unchanged scenarios come, and the last valid
        version of invalid files.
    :raise InputError: that of `files.find`.
    """
    sources = find("scenarios", scenarios_dirs)
    fixtures = find("fixtures", fixtures_dirs)
    if before is not None and (before.sources, before.fixtures) == (sources, fixtures):
        return replace(before, folder_problems=()) if before.folder_problems else before
    return read_library(sources, fixtures, before)


def read_library(
    sources: Mapping[str, Source], fixtures: Mapping[str, Source], before: Library | None = None
) -> Library:
    """Return the scenarios of these files; `before` is the same as in `load_library`."""
    read = {**(before.scenarios if before else {})}
    problems: dict[str, tuple[Problem, ...]] = {}
    shelf = _shelf(fixtures)
    same = before if before and before.fixtures == fixtures else None
    are_shipped = all(source.path.parent == shipped("fixtures") for source in fixtures.values())
    for name, source in sources.items():
        if same and same.sources.get(name) == source and name not in same.problems:
            continue
        # A shipped scenario needs no YAML parser, unless its file has been changed.
        is_shipped = are_shipped and source.path.parent == shipped("scenarios")
        if is_shipped and (compiled := COMPILED.get(digest(source))) is not None:
            read[name] = compiled
            continue
        from mockpets.scenario.language.loader import load_scenario

        try:
            read[name] = load_scenario(source.path, source.shown, known=sources, fixtures=shelf)
        except InputError as error:
            problems[name] = error.problems
    scenarios = {name: read[name] for name in sources if name in read}
    # Problems across files: cycles of `extends`, and missing bases. First fall back to the last
    # valid version of a scenario; drop the scenarios that are still broken.
    for fallback in (before.scenarios if before else {}, {}):
        for name, problem in _broken_chains(scenarios).items():
            problems.setdefault(name, (problem,))
            scenarios.pop(name)
            if name in fallback:
                scenarios[name] = fallback[name]
    return Library(scenarios, problems, sources, fixtures)


def digest(source: Source) -> str:
    """Return the key of a file in `shipped.COMPILED`; empty if the file cannot be read."""
    try:
        return blake2b(source.path.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _broken_chains(scenarios: Mapping[str, Scenario]) -> dict[str, Problem]:
    """Return the scenarios whose `extends` has a cycle, a missing base or too many levels."""
    heights: dict[str, int] = {}
    problems = {name: _chain_problem(scenarios, (name,), heights) for name in scenarios}
    return {
        name: Problem(scenarios[name].source, *scenarios[name].extends_at, "extends", what)
        for name, what in problems.items()
        if what
    }


def _chain_problem(
    scenarios: Mapping[str, Scenario], chain: tuple[str, ...], heights: dict[str, int]
) -> str:
    """Return the problem of the bases of the last scenario in a chain, or an empty string.

    :param heights: levels of `extends` of the scenarios that were checked and are valid.
    """
    bases = scenarios[chain[-1]].extends
    for base in bases:
        path = " -> ".join((*chain, base))
        if base in chain:
            return f"must not form a cycle, got {path}"
        if base not in scenarios:
            return f"scenario '{base}' is unknown or invalid: {path}"
        if base not in heights:
            problem = _chain_problem(scenarios, (*chain, base), heights)
            if problem:
                return problem
        if len(chain) + heights[base] > STACK_DEPTH:
            return f"must not chain more than {STACK_DEPTH} scenarios, got {path}"
    heights[chain[-1]] = 1 + max((heights[base] for base in bases), default=0)
    return ""
