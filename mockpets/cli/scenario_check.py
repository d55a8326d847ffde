"""Check scenario and fixture files.

Loads the files like a server, then sends requests that match each stub through the real app, and
checks that the stub gives the response that its file defines. These trials ignore the conditions
that postpone a response (`after`, `probability`, delays), because they only test the response.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from mockpets.constants import (
    FIXTURE_BYTES,
    FIXTURE_NODES,
    OPERATIONS,
    SCENARIO_HEADER,
    STUB_HEADER,
)
from mockpets.contract.schemas import RESPONSES
from mockpets.errors import InputError, Problem
from mockpets.faults import FAULTS, NO_RESPONSE_FAULTS
from mockpets.scenario.files import files_in, find, same_name, source_of
from mockpets.scenario.language.loader import is_json_file, load_fixture
from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.text import read_text
from mockpets.scenario.library import Library, read_library
from mockpets.scenario.matching import ABSENT, Facts, covers, is_any_segment, meets
from mockpets.scenario.model import PASS, Canned
from mockpets.settings import Settings
from mockpets.strict_json import dump_json
from mockpets.web.app import wire
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from mockpets.scenario.files import Source
    from mockpets.scenario.model import Condition, Match, Reply, Scenario, Stub


@dataclass(frozen=True)
class CheckResult:
    """The result of a check, with the names of the files.

    :param warnings: what is valid, but probably a mistake, such as a stub that is never reached.
    :param untried: labels of stubs for which no matching request could be built.
    :param coverage: maps operation and status to the scenarios that respond so.
    """

    scenarios: tuple[str, ...]
    fixtures: tuple[str, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    tried: int
    untried: tuple[str, ...]
    coverage: Mapping[str, Mapping[int, tuple[str, ...]]]


def check(
    paths: Sequence[Path], scenarios_dirs: Sequence[Path], fixtures_dirs: Sequence[Path]
) -> CheckResult:
    """Check these files and folders; without any, all files that a server would load.

    The files can refer to each other, to files in the folders and to shipped ones.

    :raise InputError: a folder cannot be read.
    """
    sources, fixtures = find("scenarios", scenarios_dirs), find("fixtures", fixtures_dirs)
    *given, problems = _by_kind(paths, fixtures_dirs)
    names = (tuple(given[0]), tuple(given[1])) if paths else (tuple(sources), tuple(fixtures))
    sources, fixtures = {**sources, **given[0]}, {**fixtures, **given[1]}
    library = read_library(sources, fixtures)
    for name in names[0]:
        problems += library.problems.get(name, ())
    for name in names[1]:
        try:
            load_fixture(fixtures[name].path, fixtures[name].shown)
        except InputError as error:
            problems += error.problems
    trials = _Trials()
    warnings: list[Problem] = []
    for name in names[0]:
        if name in library.scenarios:
            trials.run(library.scenarios[name])
            warnings += library.scenarios[name].warnings
    return CheckResult(
        *names,
        # The problems of a fixture also appear in each scenario that uses it.
        tuple(dict.fromkeys(sorted([*problems, *trials.problems]))),
        tuple(dict.fromkeys(sorted([*warnings, *trials.warnings]))),
        trials.tried,
        tuple(trials.untried),
        _coverage(trials.responses),
    )


def _by_kind(
    paths: Iterable[Path], fixtures_dirs: Iterable[Path]
) -> tuple[dict[str, Source], dict[str, Source], list[Problem]]:
    """Split files and folders into scenario and fixture files; return both, and problems.

    A file with a list is a fixture if it is JSON or in a folder of fixtures; any other file is a
    scenario, because a YAML list is more often a scenario without its keys. Of two files with the
    same name the last one wins, as for `serve`; two in the same folder are a problem, as for
    `serve`. A folder without files is a problem too: it is probably not the intended one.
    """
    folders = {folder.resolve() for folder in fixtures_dirs}
    scenarios: dict[str, Source] = {}
    fixtures: dict[str, Source] = {}
    problems: list[Problem] = []
    for path in paths:
        files = files_in("scenarios", path) if path.is_dir() else [path]
        if not files:
            what = "no scenario or fixture files (.yaml, .yml, .json) in this folder"
            hint = "name the folder that contains them; subfolders are not checked"
            problems.append(Problem(str(path), 0, 0, "", what, hint))
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
        text = read_text(path, str(path), FIXTURE_BYTES)
        document = parse(text, str(path), is_json=is_json_file(path), nodes=FIXTURE_NODES)
        return document.root.kind == "list"
    except InputError:
        return False


# --- Trials -----------------------------------------------------------------------------------


class _Trials:
    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.tried = 0
        self.untried: list[str] = []
        self.responses: set[tuple[str, int, str]] = set()
        """Operation or path, status, and scenario."""
        self._library = Library({}, {}, {})
        settings = Settings(count=1, any_key=True)
        self._app, self._sessions, _ = wire(settings, lambda: self._library)

    def run(self, scenario: Scenario) -> None:
        """Try each stub that a scenario's own file defines."""
        for position, stub in enumerate(scenario.stubs):
            earlier = [first for first in scenario.stubs[:position] if first.always_answers]
            if not stub.probability:
                what = "is never reached, because its probability is 0"
                hint = "raise the probability, or remove the stub"
                self.warnings.append(_warning(scenario, stub, what, hint))
            elif blockers := _blockers(stub.match, earlier):
                self.warnings.append(_never_reached(scenario, stub, blockers))
            elif (holder := _first_holder(stub, scenario.stubs[:position])) is not None:
                self.warnings.append(_hidden_hold(scenario, stub, holder))
            requests = [facts for facts in _requests(stub.match) if meets(stub.match, facts)]
            self._library = Library({scenario.name: _alone(scenario, stub)}, {}, {})
            for facts in requests:
                self._sessions.default.reset()
                of_operation = stub.match
                if facts.operation in OPERATIONS:
                    of_operation = replace(stub.match, operations=(facts.operation,))
                is_reached = stub.probability > 0 and not _blockers(of_operation, earlier)
                for reply in stub.replies or (PASS,):
                    self._send(scenario, stub, reply, facts, is_reached=is_reached)
            if requests:
                self.tried += 1
            else:
                self.untried.append(stub.label)

    def _send(
        self, scenario: Scenario, stub: Stub, reply: Reply, facts: Facts, *, is_reached: bool
    ) -> None:
        """Send one request, and compare the response with the expected reply.

        :param is_reached: whether such a request reaches the stub when all stubs are active.
        """
        response = self._app.test_client().open(
            facts.path,
            method=facts.method,
            query_string={name: list(values) for name, values in facts.query.items()},
            headers={
                "Authorization": "Bearer mockpets",
                SCENARIO_HEADER: scenario.name,
                **facts.headers,
            },
            data=None if facts.body is ABSENT else dump_json(facts.body),
            content_type=None if facts.body is ABSENT else "application/json",
            # A server that ignores instructions: the response is inspected, not sent.
            environ_base={SERVER: object()},
        )
        broken = stub.fault or (reply if reply in FAULTS else None)
        expected = None
        if isinstance(reply, Canned) and broken not in NO_RESPONSE_FAULTS:
            expected = reply.status
        label, status = response.headers.get(STUB_HEADER), response.status_code
        if label != stub.label or (expected is not None and status != expected):
            message = f"stub {label} responded to {facts.method} {facts.path} with {status}"
            hint = "this is a bug in mockpets: please report it"
            where = f"stub {stub.label}"
            self.problems.append(Problem(scenario.source, 0, 0, where, message, hint))
        if is_reached and isinstance(reply, Canned) and broken is None:
            operation = facts.operation or f"{facts.method} {facts.path}"
            self.responses.add((operation, status, scenario.name))


def _blockers(match: Match, earlier: Sequence[Stub]) -> list[Stub]:
    """Return the stubs that respond to all requests of a later stub, or an empty list.

    :param match: of the later stub.
    :param earlier: the stubs before it that respond to each request that they match.
    """
    parts = [replace(match, operations=(operation,)) for operation in match.operations]
    blockers = []
    for part in parts or [match]:
        blocker = next((stub for stub in earlier if covers(stub.match, part)), None)
        if blocker is None:
            return []
        blockers.append(blocker)
    return list(dict.fromkeys(blockers))


def _never_reached(scenario: Scenario, stub: Stub, blockers: Sequence[Stub]) -> Problem:
    labels = " and ".join(first.label for first in blockers)
    places = " and ".join(f"{first.label} ({_place(scenario, first)})" for first in blockers)
    verb = "responds" if len(blockers) == 1 else "respond"
    what = f"is never reached, because {places} {verb} to all of its requests first"
    # Above them, it might be in their way.
    blocks = stub.always_answers and any(covers(stub.match, first.match) for first in blockers)
    fix = "remove it" if blocks else f"move it above {labels}"
    hint = f"{fix}, or narrow the match of {labels}"
    return _warning(scenario, stub, what, hint)


def _first_holder(stub: Stub, earlier: Sequence[Stub]) -> Stub | None:
    """Return the stub whose hold applies in place of a stub's, to all of its requests, or None."""
    for index, first in enumerate(earlier):
        if stub.hold is None or first.hold is None or first.answers or first.probability < 1:
            continue
        if not covers(first.match, stub.match):
            continue
        if first.times is None and not first.after:
            return first
        # Both count the same requests, if nothing between them responds to some.
        counts_alike = covers(stub.match, first.match) and stub.probability == 1
        if not counts_alike or any(between.answers for between in earlier[index + 1 :]):
            continue
        end = inf if stub.times is None else stub.after + stub.times
        if first.after <= stub.after and end <= first.after + (first.times or inf):
            return first
    return None


def _hidden_hold(scenario: Scenario, stub: Stub, first: Stub) -> Problem:
    other = f"{first.label} ({_place(scenario, first)})"
    what = f"its hold never applies, because {other} holds all of its requests, and only the "
    what += "first hold applies"
    hint = f"remove one of them, or narrow the match of {first.label}"
    if first.times is not None:
        hint = f"add after: {first.after + first.times}, to hold the requests that follow"
    return _warning(scenario, stub, what, hint)


def _place(scenario: Scenario, stub: Stub) -> str:
    return ":".join(map(str, (scenario.source, *stub.position)))


def _warning(scenario: Scenario, stub: Stub, what: str, hint: str) -> Problem:
    return Problem(scenario.source, *stub.position, f"stub {stub.label}", what, hint)


def _alone(scenario: Scenario, stub: Stub) -> Scenario:
    """Return a scenario with only this stub, which responds to every request without delay."""
    ready = replace(
        stub, after=0, times=None, probability=1.0, delay=None, throttle=None, hold=None
    )
    return replace(scenario, extends=(), pets=None, stubs=(ready,))


def _requests(match: Match) -> Iterator[Facts]:
    """Yield requests that should pass a match: one for each of its operations."""
    query = {name: [value] for name, value in _values(match.query)}
    headers = dict(_values(match.headers))
    if match.path is not None:
        segments = match.path.split("/")
        path = "/".join("1" if is_any_segment(part) else part for part in segments)
        yield Facts(None, match.method or "GET", path, None, query, headers)
        return
    pet_id = match.pet_ids[0] if match.pet_ids else 1
    for operation in match.operations or OPERATIONS:
        method, template = OPERATIONS[operation]
        yield Facts(
            operation,
            method,
            template.replace("{petId}", str(pet_id)),
            pet_id if operation == "getPet" else None,
            query,
            headers,
            {"name": "Miso", "categoryId": 1, **dict(_values(match.body))}
            if operation == "createPet"
            else ABSENT,
        )


def _values(conditions: tuple[Condition, ...]) -> Iterator[tuple[str, Any]]:
    """Yield a value for each name, from the first condition on it."""
    seen: set[str] = set()
    for condition in conditions:
        wanted: Any = condition.value
        absent = condition.operator == "present" and not wanted
        if condition.name in seen or absent:
            continue
        seen.add(condition.name)
        if condition.operator == "one_of":
            wanted = wanted[0]
        elif condition.operator == "present":
            wanted = "x"
        elif condition.operator == "matches":
            wanted = wanted.replace("*", "").replace("?", "x")
        yield condition.name, list(wanted) if isinstance(wanted, tuple) else wanted


def _coverage(responses: Iterable[tuple[str, int, str]]) -> dict[str, dict[int, tuple[str, ...]]]:
    """Return which scenarios give which response: each status of the contract, and all others."""
    table: dict[str, dict[int, set[str]]] = {
        operation: {status: set() for status in statuses}
        for operation, statuses in RESPONSES.items()
    }
    for operation, status, name in responses:
        table.setdefault(operation, {}).setdefault(status, set()).add(name)
    return {
        operation: {status: tuple(sorted(row[status])) for status in sorted(row)}
        for operation, row in table.items()
    }
