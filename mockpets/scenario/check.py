"""Check scenario and fixture files.

Loads the files like a server, and finds stubs that are never reached and resources that are hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from mockpets import constants
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import DocumentError, InputError, Problem, problem_with
from mockpets.scenario.folders import files_in, find, same_name, source_of
from mockpets.scenario.language.loader import is_json_file, load_fixture, load_scenario
from mockpets.scenario.language.parser import parse
from mockpets.scenario.library import fitting, read_library
from mockpets.scenario.matching import covers
from mockpets.scenario.scenario_description import describe_hidden
from mockpets.text_files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.folders import Source
    from mockpets.scenario.library import Library
    from mockpets.scenario.scenario_model import Scenario, Stub


@dataclass(frozen=True)
class CheckResult:
    """The result of a check, with the names of the files.

    :param stubs: their number.
    """

    scenarios: tuple[str, ...]
    fixtures: tuple[str, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    stubs: int


def check(
    paths: Sequence[Path],
    scenarios_dirs: Sequence[Path],
    fixtures_dirs: Sequence[Path],
    contracts: Contracts = BUILT_IN,
) -> CheckResult:
    """Check these files and folders; without any, all files that a server would load.

    They can refer to files in the folders, and to the parts of the contracts. A folder that cannot
    be read raises `InputError`.
    """
    sources = fitting(find("scenarios", scenarios_dirs), contracts)
    fixtures = fitting(find("fixtures", fixtures_dirs), contracts)
    *given, problems = _by_kind(paths, fixtures_dirs)
    names = (tuple(given[0]), tuple(given[1])) if paths else (tuple(sources), tuple(fixtures))
    sources, fixtures = {**sources, **given[0]}, {**fixtures, **given[1]}
    library = read_library(sources, fixtures, contracts=contracts)
    for name in names[0]:
        problems += library.problems.get(name, ())
    own = {name for each in library.scenarios.values() for name in each.own_fixtures}
    collections = contracts.collections
    only = next(iter(collections.values())) if len(collections) == 1 else None
    for name in names[1]:
        try:
            # Unless a scenario uses it for a collection of its own, it is for the contract's only
            # collection, or for that of its name.
            collection = None if name in own else collections.get(name, only)
            load_fixture(fixtures[name].path, fixtures[name].shown, collection)
        except InputError as error:
            problems += error.problems
    scenarios = [library.scenarios[name] for name in names[0] if name in library.scenarios]
    return _result(*names, problems, scenarios, library)


def load_text(name: str, text: str, library: Library, path: Path | None = None) -> Scenario:
    """Return the scenario in a text, which can refer to those of a library.

    :param path: of its file; by default a YAML file with the scenario's name.
    :raise DocumentError: with every problem.
    """
    path = path or Path(f"{name}.yaml")
    source = library.sources.get(name)
    shown = source.shown if source and source.path == path else str(path)
    known, fixtures = {*library.sources, name}, library.shelf()
    try:
        scenario = load_scenario(
            path, shown, known=known, fixtures=fixtures, contracts=library.contracts, text=text
        )
    except InputError as error:
        raise DocumentError(error.problems) from None
    if problems := library.problems_of(scenario):
        raise DocumentError(problems)
    return scenario


def check_text(name: str, text: str, library: Library) -> CheckResult:
    """Check a text like `load_text`."""
    problems: Sequence[Problem] = ()
    scenarios: list[Scenario] = []
    try:
        scenarios.append(load_text(name, text, library))
    except DocumentError as error:
        problems = error.problems
    return _result((name,), (), problems, scenarios, library)


def _result(
    names: tuple[str, ...],
    fixtures: tuple[str, ...],
    problems: Sequence[Problem],
    scenarios: Iterable[Scenario],
    library: Library,
) -> CheckResult:
    warnings: list[Problem] = []
    stubs = 0
    for scenario in scenarios:
        warnings += scenario.warnings
        if not problems:  # such as an unknown base
            warnings += _hidden(scenario, library)
        stubs += len(scenario.stubs)
        for position, stub in enumerate(scenario.stubs):
            warnings += _unreached(scenario, stub, scenario.stubs[:position], library.contracts)
    return CheckResult(
        names,
        fixtures,
        # The problems of a fixture also appear in each scenario that uses it.
        tuple(dict.fromkeys(sorted(problems))),
        tuple(dict.fromkeys(sorted(warnings))),
        stubs,
    )


def _hidden(scenario: Scenario, library: Library) -> Iterator[Problem]:
    """Yield a warning for each resource that another one hides."""
    stack = library.plus({scenario.name: scenario}).stack((scenario.name,))
    for resource, first in stack.hidden().items():
        place = first.position if first.owner == scenario.name else scenario.extends_at
        what, hint = describe_hidden(resource, first), "change one of the paths, or remove one"
        yield Problem(scenario.source, *place, "resources", what, hint)


def _by_kind(
    paths: Iterable[Path], fixtures_dirs: Iterable[Path]
) -> tuple[dict[str, Source], dict[str, Source], list[Problem]]:
    """Split files and folders into scenario and fixture files; return both, and problems.

    A file with a list is a fixture if it is JSON or in a folder of fixtures; a YAML list elsewhere
    is more often a scenario without its keys. As for `serve`, the last of two files with the same
    name wins, and two in the same folder are a problem.
    """
    folders = {folder.resolve() for folder in fixtures_dirs}
    scenarios: dict[str, Source] = {}
    fixtures: dict[str, Source] = {}
    problems: list[Problem] = []
    for path in paths:
        is_fixtures = path.name == "fixtures" or path.resolve() in folders
        suffixes = "fixtures" if is_fixtures else "scenarios"
        files = files_in(suffixes, path) if path.is_dir() else [path]
        if not files:
            what = "no scenario or fixture files (.yaml, .yml, .json) in this folder"
            hint = "name the folder that contains them; subfolders are not checked"
            problems.append(problem_with(str(path), what, hint))
        for file in files:
            folder = file.parent.resolve()
            may_be_fixture = is_json_file(file) or folder.name == "fixtures" or folder in folders
            kind = fixtures if may_be_fixture and _is_list(file) else scenarios
            before = kind.get(file.stem)
            if before and before.path.name != file.name and before.path.parent == file.parent:
                problems.append(same_name(file, before.path))
            kind[file.stem] = source_of(file, str(file))
    return scenarios, fixtures, problems


def _is_list(path: Path) -> bool:
    """Return whether a file can be read and contains a list."""
    try:
        text = read_text(path, str(path), constants.FIXTURE_BYTES)
        document = parse(text, str(path), is_json=is_json_file(path), nodes=constants.FIXTURE_NODES)
        return document.root.kind == "list"
    except InputError:
        return False


def _unreached(
    scenario: Scenario, stub: Stub, earlier: Sequence[Stub], contracts: Contracts
) -> Iterator[Problem]:
    """Yield a warning if a stub, or its hold, is never reached."""
    what = "is never reached"
    if not stub.probability:
        why, hint = "its probability is 0", "raise the probability, or remove the stub"
    elif first := _blocker(stub, earlier, contracts):
        why = f"{_placed(first, scenario)} responds to all of its requests first"
        # Above it, it might be in its way.
        blocks = stub.always_answers and covers(stub.match, first.match, contracts)
        fix = "remove it" if blocks else f"move it above {first.label}"
        hint = f"{fix}, or narrow the match of {first.label}"
    elif first := _holder(stub, earlier, contracts):
        what = "its hold never applies"
        placed = _placed(first, scenario)
        why = f"{placed} holds all of its requests, and only the first hold applies"
        hint = f"remove one of them, or narrow the match of {first.label}"
        if first.times is not None:
            hint = f"add after: {first.after + first.times}, to hold the requests that follow"
    else:
        return
    place = f"stub {stub.label}"
    yield Problem(scenario.source, *stub.position, place, f"{what}, because {why}", hint)


def _placed(stub: Stub, scenario: Scenario) -> str:
    line, column = stub.position
    return f"{stub.label} ({scenario.source}:{line}:{column})"


def _blocker(stub: Stub, earlier: Sequence[Stub], contracts: Contracts) -> Stub | None:
    """Return the first earlier stub that responds to all requests of a stub, or None."""
    blocks = (first for first in earlier if first.always_answers)
    return next((first for first in blocks if covers(first.match, stub.match, contracts)), None)


def _holder(stub: Stub, earlier: Sequence[Stub], contracts: Contracts) -> Stub | None:
    """Return the first earlier stub that holds all requests that a stub would hold, or None."""
    for position, first in enumerate(earlier):
        if None in (stub.hold, first.hold) or first.answers or first.probability < 1:
            continue
        if not first.after and first.times is None:
            holds_all = covers(first.match, stub.match, contracts)
        else:  # both must count the same requests
            between = earlier[position + 1 :]
            counts_alike = stub.match == first.match and stub.probability == 1
            end, first_end = (each.after + (each.times or inf) for each in (stub, first))
            is_within = first.after <= stub.after and end <= first_end
            holds_all = counts_alike and is_within and not any(each.answers for each in between)
        if holds_all:
            return first
    return None
