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
from typing import TYPE_CHECKING, Final, get_args

from mockpets.constants import BUILT_IN_CONTRACT, EXTENDS_DEPTH, INLINE, ScenarioGroup
from mockpets.contract.collections import record_problems
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import InputError, Problem, RequestError, did_you_mean
from mockpets.faults import CONNECTION_FAULTS
from mockpets.packaged_data import of_build, shipped
from mockpets.scenario.folders import find
from mockpets.scenario.matching import path_matches
from mockpets.scenario.scenario_model import EVERYTHING, Generated
from mockpets.strict_json import dump_json, load_json
from mockpets.units import is_expression, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mockpets.contract.contract_model import Collection, Contracts
    from mockpets.scenario.folders import Source
    from mockpets.scenario.language.diagnostics import Fixtures
    from mockpets.scenario.scenario_model import Content, Scenario, Stub

CACHED_STACKS: Final = 100
"""Maximum number of stacks that a library caches."""
_SHIPPED: Final[dict[str, Scenario]] = of_build("scenario.shipped", "SCENARIOS", {})
"""The shipped scenarios, by name and digest of their files: those of the build, or read before."""


@dataclass(frozen=True, eq=False, repr=False)  # a repr delays a start
class Binding:
    """A collection as some scenarios show it.

    :param content: what the first scenario that gives it content says; None for the session's own.
    :param giver: that scenario; empty for the session.
    """

    collection: Collection
    content: Content | None = None
    giver: str = ""

    @cached_property
    def place(self) -> tuple[str, str]:
        """The collection and the giver: whose records these are."""
        return self.collection.label, self.giver

    @cached_property
    def digest(self) -> str:
        """A digest of the definition: with another one, the records start again."""
        content = self.content
        if isinstance(content, Generated):
            text = dump_json(asdict(content))
        else:
            text = b"\n".join(content or ())
        one = self.collection
        head = dump_json([one.key, one.filters, *filter(None, [one.schema.digest])])
        return blake2b(head + text, digest_size=8).hexdigest()


def _content_of(collection: Collection, contents: Mapping[str, Content]) -> Content | None:
    """Return what a scenario gives to a collection; None if it gives it nothing.

    Those that scenarios define cannot be generated.
    """
    everything = contents.get(EVERYTHING)
    if isinstance(everything, Generated) and not collection.generator:
        everything = None
    return contents.get(collection.label, everything)


@dataclass(frozen=True, repr=False)  # a repr delays a start
class Stack:
    """Scenarios that are active together, in the order of their names in the request.

    :param stubs: of all scenarios, in the order of the search and without duplicates.
    :param resources: the collections that these scenarios define, in the same order.
    :param contents: the scenarios that give content to collections, in the same order: by the
        label of the collection, or of `EVERYTHING`.
    """

    names: tuple[str, ...]
    contracts: Contracts
    stubs: tuple[Stub, ...]
    resources: tuple[Collection, ...] = ()
    contents: tuple[tuple[str, Mapping[str, Content]], ...] = ()
    _bindings: dict[str, Binding] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def binding(self, collection: Collection) -> Binding:
        """Return whose records of a collection a request sees: of the first scenario with some."""
        known = self._bindings.get(collection.label)
        if known is None:
            known = Binding(collection)
            for giver, contents in self.contents:
                content = _content_of(collection, contents)
                if content is not None:
                    known = Binding(collection, content, giver)
                    break
            self._bindings[collection.label] = known
        return known

    @cached_property
    def collections(self) -> tuple[Collection, ...]:
        """All collections that requests can reach, those of the contract first."""
        hidden = self.hidden()
        own = (one for one in self.resources if one not in hidden)
        return (*self.contracts.collections.values(), *own)

    def current(self, collection: Collection) -> Collection:
        """Return a collection as it is defined now; a reload can have changed it."""
        known = {one.label: one for one in (*self.collections, *self.hidden())}
        return known.get(collection.label, collection)

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
    def _by_path(self) -> dict[str, Collection]:
        return {resource.path: resource for resource in reversed(self.resources)}

    def resource(self, path: str) -> tuple[Collection | None, str]:
        """Return the resource that a path names, and the key of a record; empty for the list."""
        if (resource := self._by_path.get(path)) is not None:
            return resource, ""
        parent, _, record = path.rpartition("/")
        return (self._by_path.get(parent), record) if record else (None, "")

    def hidden(self) -> dict[Collection, Collection]:
        """Return the resources whose path an earlier scenario defines too, with that resource."""
        first = self._by_path
        return {one: first[one.path] for one in self.resources if first[one.path] is not one}

    @cached_property
    def by_chance(self) -> bool:
        """Whether any stub draws random numbers."""
        return any(stub.by_chance for stub in self.stubs)

    @cached_property
    def has_connection_fault(self) -> bool:
        """Whether any stub breaks the connection."""
        faults = (fault for stub in self.stubs for fault in (stub.fault, *stub.replies))
        return any(fault in CONNECTION_FAULTS for fault in faults)


@dataclass(frozen=True, repr=False)  # a repr delays a start
class Library:
    """The scenarios by name, and the problems of invalid files.

    :param scenarios: valid scenarios, and the last valid version of invalid files.
    :param problems: scenario name to the problems of its current file.
    :param skipped: shipped scenarios for which the contracts have no place, with the reason.
    :param folder_problems: why folders or contracts cannot be reloaded; the rest is from before.
    """

    scenarios: Mapping[str, Scenario]
    problems: Mapping[str, tuple[Problem, ...]]
    sources: Mapping[str, Source]
    fixtures: Mapping[str, Source] = field(default_factory=dict)
    contracts: Contracts = BUILT_IN
    folder_problems: tuple[Problem, ...] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
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
        if (known := self._stacks.get(tuple(names))) is not None:
            return known
        active = dict.fromkeys(self.scenario(name).name for name in names)
        scenarios = {each.name: each for name in active for each in self.lineage(name)}
        listed = [stub for each in scenarios.values() for stub in each.stubs]
        # A delay or a hold by expression is also for the responses of the other scenarios.
        early = (stub for stub in listed if is_expression(stub.label) and not stub.answers)
        stubs = dict.fromkeys((*early, *listed))
        resources = (one for each in scenarios.values() for one in each.resources)
        contents = ((name, self._contents(each)) for name, each in scenarios.items())
        stack = Stack(
            tuple(active),
            self.contracts,
            tuple(stubs),
            tuple(dict.fromkeys(resources)),
            tuple((name, content) for name, content in contents if content),
        )
        if len(self._stacks) >= CACHED_STACKS:
            self._stacks.clear()
        self._stacks[tuple(names)] = stack
        return stack

    def scenario(self, name: str) -> Scenario:
        """Return the scenario with a name, or that of an expression.

        :raise RequestError: ``unknown_scenario``, with the known names.
        """
        if (known := self.scenarios.get(name)) is not None:
            return known
        if is_expression(name):
            return self._expression(name)
        raise RequestError("unknown_scenario", self.explain(name))

    def _expression(self, name: str) -> Scenario:
        from mockpets.scenario.expressions import ExpressionError, scenario_of  # few starts need it

        try:
            return scenario_of(name, self.contracts)
        except ExpressionError as error:
            raise RequestError("unknown_scenario", str(error)) from None

    def lineage(self, name: str) -> list[Scenario]:
        """Return a scenario and all that it extends, each once, in the order of the search.

        :raise RequestError: as `scenario`.
        """
        scenario = self.scenario(name)
        if not scenario.extends:
            return [scenario]
        return [self.scenarios[each] for each in _lineage(self.scenarios, name)]

    def binding(self, label: str, giver: str) -> Binding | None:
        """Return a collection with the content of a scenario, or the session's; None if unknown.

        :param giver: the scenario; empty for the session.
        """
        collection = next((one for one in self.collections() if one.label == label), None)
        scenario = self.find(giver) if giver else None
        if collection is None or (giver and scenario is None):
            return None
        contents = {} if scenario is None else self._contents(scenario)
        content = _content_of(collection, contents)
        return None if giver and content is None else Binding(collection, content, giver)

    def find(self, name: str) -> Scenario | None:
        """Return what `scenario` does; None for an unknown name."""
        try:
            return self.scenario(name)
        except RequestError:
            return None

    def _contents(self, scenario: Scenario) -> Mapping[str, Content]:
        """Return what a scenario gives to collections, by their labels."""
        data = scenario.data
        if not data:
            return {}
        known = self._collections(scenario.name)
        return {known[each].label if each in known else each: data[each] for each in data}

    def problems_of(self, scenario: Scenario) -> tuple[Problem, ...]:
        """Return what would be wrong with a scenario beside the others: its `extends` and data."""
        scenarios = {**self.scenarios, scenario.name: scenario}
        return replace(self, scenarios=scenarios)._cross_problems().get(scenario.name, ())

    def _cross_problems(self) -> dict[str, tuple[Problem, ...]]:
        """Return the problems that scenarios have only beside the others, by name."""
        broken = _broken_chains(self.scenarios)
        problems: dict[str, tuple[Problem, ...]] = {name: (broken[name],) for name in broken}
        for name, scenario in self.scenarios.items():
            if name not in problems and (found := (*self._data_problems(scenario),)):
                problems[name] = found
        return problems

    def _data_problems(self, scenario: Scenario) -> Iterator[Problem]:
        """Yield what is wrong with a scenario's contents of collections that it does not define."""
        own = {*self.contracts.collections, EVERYTHING, *(one.name for one in scenario.resources)}
        if not scenario.data.keys() - own:
            return
        known = self._collections(scenario.name)
        for name, content in scenario.data.items():
            place = scenario.source, *scenario.data_at.get(name, (0, 0)), f"data.{name}"
            if name not in known:
                hint = did_you_mean(name, known) or (
                    f"known collections: {', '.join(known)}; define others under resources, or "
                    "extend the scenario that does"
                )
                yield Problem(*place, f"unknown collection {quote(name)}", hint)
            elif name not in own and isinstance(content, tuple):
                records = (load_json(row.decode()) for row in content)
                for index, what, hint, _ in record_problems(records, known[name]):
                    yield Problem(*place, f"record {index + 1}: {what}", hint)

    def _collections(self, name: str) -> dict[str, Collection]:
        """Return the collections to which a scenario can give content, by name."""
        own = [one for each in reversed(self.lineage(name)) for one in each.resources]
        return {**self.contracts.collections, **{one.name: one for one in own}}

    def collections(self) -> list[Collection]:
        """Return the collections of the contract and of all scenarios."""
        own = (one for scenario in self.scenarios.values() for one in scenario.resources)
        return [*self.contracts.collections.values(), *own]

    def collection(self, name: str) -> Collection:
        """Return the collection with a name, or SCENARIO.NAME, or raise ``not_found``.

        :raise RequestError: ``not_found``; ``conflict`` if several scenarios define the name.
        """
        known = self.collections()
        found = [one for one in known if name in one.names]
        if not found:
            names = [one.name for one in known]
            hint = did_you_mean(name, names) or f"known: {', '.join(dict.fromkeys(names))}"
            raise RequestError("not_found", f"unknown collection {name[:64]!r}; {hint}")
        if len(found) > 1:
            full_names = " or ".join(f"{one.owner}.{one.name}" for one in found)
            raise RequestError("conflict", f"several scenarios define {name}; write {full_names}")
        return found[0]

    def stubs(self) -> dict[str, Stub]:
        """Return the stubs of all scenarios, by label."""
        return {stub.label: stub for each in self.scenarios.values() for stub in each.stubs}

    def gates(self) -> list[str]:
        """Return the names of the gates at which the scenario files hold responses."""
        files = (self.scenarios[name] for name in self.sources if name in self.scenarios)
        holds = {stub.hold for scenario in files for stub in scenario.stubs}
        return sorted(hold for hold in holds if hold is not None)

    def collection_names(self) -> list[str]:
        """Return the names of the collections of the contract, and of the scenario files."""
        files = (self.scenarios[name] for name in self.sources if name in self.scenarios)
        own = {resource.name for scenario in files for resource in scenario.resources}
        return [*self.contracts.collections, *sorted(own - self.contracts.collections.keys())]

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
        return "Files with problems" if name in self.problems else self.scenario(name).group

    def unknown(self, option: str, names: Iterable[str]) -> list[Problem]:
        """Return a problem of an option for each unknown name; invalid files are in `problems`."""
        problems = []
        for name in names:
            try:
                if name not in self.problems:
                    self.scenario(name)
            except RequestError as error:
                problems.append(Problem(option, 0, 0, "", error.message))
        return problems

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
        if name in self.skipped:
            return f"the scenario '{name}' is skipped: {self.skipped[name]}; {known}"
        if name not in self.sources and name in find("scenarios", ()):
            what = f"the scenario '{name}' is for {BUILT_IN_CONTRACT}, which is not served"
            return f"{what}; {known}"
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
    """Return functions that load fixtures for a collection, by its name; or return the error."""
    return {name: cache(partial(_fixture, source)) for name, source in sources.items()}


def _fixture(source: Source, collection: Collection | None) -> tuple[bytes, ...] | InputError:
    from mockpets.scenario.language.loader import load_fixture

    try:
        return load_fixture(source.path, source.shown, collection)
    except InputError as error:
        return error


def load_library(
    scenarios_dirs: Sequence[Path],
    fixtures_dirs: Sequence[Path],
    before: Library | None = None,
    contracts: Contracts = BUILT_IN,
) -> Library:
    """Return the scenarios of the shipped folder and of these folders.

    :param before: the previous library, from which unchanged scenarios come if the contracts are
        the same, and the last valid version of invalid files.
    :raise InputError: that of `files.find`.
    """
    sources = fitting(find("scenarios", scenarios_dirs), contracts)
    fixtures = fitting(find("fixtures", fixtures_dirs), contracts)
    is_same = before is not None and before.contracts is contracts
    if before and is_same and (before.sources, before.fixtures) == (sources, fixtures):
        return replace(before, folder_problems=()) if before.folder_problems else before
    return read_library(sources, fixtures, before, contracts)


def fitting(sources: Mapping[str, Source], contracts: Contracts) -> Mapping[str, Source]:
    """Return files; those shipped for the built-in contract only if it is served."""
    if _has_built_in(contracts):
        return sources
    from mockpets.scenario.generic import GENERIC

    scenarios, fixtures = shipped("scenarios"), shipped("fixtures")
    return {
        name: source
        for name, source in sources.items()
        if source.path.parent != fixtures and (name in GENERIC or source.path.parent != scenarios)
    }


def _has_built_in(contracts: Contracts) -> bool:
    """Return whether the built-in contract is served, and no other has one of its names."""
    if contracts is BUILT_IN:
        return True
    return (
        any(each.label == BUILT_IN_CONTRACT for each in contracts.all)
        and BUILT_IN.operations.keys() <= contracts.operations.keys()
        and BUILT_IN.collections.keys() <= contracts.collections.keys()
    )


def read_library(
    sources: Mapping[str, Source],
    fixtures: Mapping[str, Source],
    before: Library | None = None,
    contracts: Contracts = BUILT_IN,
) -> Library:
    """Return the scenarios of these files; `before` is the same as in `load_library`."""
    read = {**(before.scenarios if before else {})}
    problems: dict[str, tuple[Problem, ...]] = {}
    skipped: dict[str, str] = {}
    shelf = _shelf(fixtures)
    same = before if before and before.fixtures == fixtures else None
    if same and same.contracts is not contracts:
        same = None
    has_built_in = _has_built_in(contracts)
    are_shipped = all(source.path.parent == shipped("fixtures") for source in fixtures.values())
    for name, source in sources.items():
        if same and same.sources.get(name) == source and name not in same.problems:
            if name in same.skipped:
                skipped[name] = same.skipped[name]
            continue
        is_shipped = source.path.parent == shipped("scenarios")
        try:
            # Those for any contract use no fixtures once they are adapted.
            if is_shipped and (are_shipped or not has_built_in):
                read[name] = read_shipped(source)
                if contracts is not BUILT_IN:
                    from mockpets.scenario.generic import for_documents, why_skipped

                    read[name] = for_documents(read[name], has_built_in=has_built_in)
                    if reason := why_skipped(read[name], contracts):
                        skipped[name] = reason
                continue
            from mockpets.scenario.language.loader import load_scenario

            read[name] = load_scenario(
                source.path, source.shown, known=sources, fixtures=shelf, contracts=contracts
            )
        except InputError as error:
            problems[name] = error.problems
    scenarios = {name: read[name] for name in sources if name in read and name not in skipped}
    # Problems across files, such as a cycle of `extends`. First fall back to the last valid version
    # of a scenario; drop the scenarios that are still broken, and those that need them.
    fallback = before.scenarios if before else {}
    while broken := Library(scenarios, {}, {}, contracts=contracts)._cross_problems():
        for name, found in broken.items():
            problems.setdefault(name, found)
            scenarios.pop(name)
            if name in fallback:
                scenarios[name] = fallback[name]
        fallback = {}
    return Library(scenarios, problems, sources, fixtures, contracts, skipped=skipped)


def read_shipped(source: Source) -> Scenario:
    """Return a shipped scenario, as it is for the built-in contract; read its file once.

    :raise InputError: someone changed the file, and it is invalid.
    """
    key = digest(source)
    if key not in _SHIPPED:
        from mockpets.scenario.language.loader import load_scenario

        known, fixtures = find("scenarios", ()), _shelf(find("fixtures", ()))
        _SHIPPED[key] = load_scenario(source.path, source.shown, known=known, fixtures=fixtures)
    return _SHIPPED[key]


def digest(source: Source) -> str:
    """Return the key of a file in `_SHIPPED`; without the content if it cannot be read."""
    try:
        data = source.path.read_bytes()
    except OSError:
        data = b""
    return f"{source.path.stem} {blake2b(data, digest_size=16).hexdigest()}"


def _lineage(scenarios: Mapping[str, Scenario], name: str) -> list[str]:
    visited: dict[str, None] = {}
    waiting = [name]
    while waiting:
        each = waiting.pop(0)
        if each not in visited:
            visited[each] = None
            waiting = [*scenarios[each].extends, *waiting]
    return [*visited]


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
        if len(chain) + heights[base] > EXTENDS_DEPTH:
            return f"must not chain more than {EXTENDS_DEPTH} scenarios, got {path}"
    heights[chain[-1]] = 1 + max((heights[base] for base in bases), default=0)
    return ""
