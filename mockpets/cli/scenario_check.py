"""Check scenario and fixture files before anyone relies on them.

Reads the files as a server would, then sends through the real app a request made to match each
stub, and sees whether the stub gave the answer that its file promises. What a stub waits for
(`after`, chance, delays) is left out of that trial, since it is about the answer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from mockpets.faults import CONNECTION_FAULTS, FAULTS
from mockpets.scenario.files import files_in, find, same_name, source_of
from mockpets.scenario.language.loader import load_fixture
from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.text import read_text
from mockpets.scenario.library import Library, read_library
from mockpets.scenario.matching import ABSENT, Facts, difference
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
class Checked:
    """What a check found.

    :param scenarios: the names of those checked.
    :param fixtures: the names of those checked.
    :param tried: stubs that gave their answer to a request made for them.
    :param untried: labels of stubs for which no request could be made.
    :param coverage: operation to status to the scenarios that answer so.
    """

    scenarios: tuple[str, ...]
    fixtures: tuple[str, ...]
    problems: tuple[Problem, ...]
    tried: int
    untried: tuple[str, ...]
    coverage: Mapping[str, Mapping[int, tuple[str, ...]]]


def check(
    paths: Sequence[Path], scenarios_dirs: Sequence[Path], fixtures_dirs: Sequence[Path]
) -> Checked:
    """Check these files and folders; without any, all that a server with these folders would read.

    What the files extend and use is looked for among them, in the folders and among what is
    shipped.

    :raise InputError: a folder cannot be read.
    """
    sources, fixtures = find("scenarios", scenarios_dirs), find("fixtures", fixtures_dirs)
    *given, problems = _sorted_out(paths)
    names = (tuple(given[0]), tuple(given[1])) if paths else (tuple(sources), tuple(fixtures))
    sources, fixtures = {**sources, **given[0]}, {**fixtures, **given[1]}
    library = read_library(sources, fixtures)
    problems += [found for name in names[0] for found in library.problems.get(name, ())]
    for name in names[1]:
        try:
            load_fixture(fixtures[name].path, fixtures[name].shown)
        except InputError as error:
            problems += error.problems
    trials = _Trials()
    for name in names[0]:
        if name in library.scenarios:
            trials.run(library.scenarios[name])
    return Checked(
        *names,
        # A fixture's problems also turn up with each scenario that uses it.
        tuple(dict.fromkeys(sorted([*problems, *trials.problems]))),
        trials.tried,
        tuple(trials.untried),
        _coverage(trials.answers),
    )


def _sorted_out(
    paths: Iterable[Path],
) -> tuple[dict[str, Source], dict[str, Source], list[Problem]]:
    """Return the scenario files and the fixture files among files and folders.

    A fixture is a list; what is anything else, or cannot be told, is read as a scenario. Of two
    files for one name the later counts, as with folders of `serve`; in one folder they are a
    problem, as there.
    """
    scenarios: dict[str, Source] = {}
    fixtures: dict[str, Source] = {}
    problems: list[Problem] = []
    for path in paths:
        for file in files_in("scenarios", path) if path.is_dir() else [path]:
            kind = fixtures if _is_list(file) else scenarios
            before = kind.get(file.stem)
            if before and before.path.name != file.name and before.path.parent == file.parent:
                problems.append(same_name(file, before.path))
            kind[file.stem] = source_of(file, str(file))
    return scenarios, fixtures, problems


def _is_list(path: Path) -> bool:
    """Whether a file can be read and holds a list."""
    try:
        text = read_text(path, str(path), FIXTURE_BYTES)
        is_json = path.suffix.lower() == ".json"
        return parse(text, str(path), is_json=is_json, nodes=FIXTURE_NODES).root.kind == "list"
    except InputError:
        return False


# --- Trials -----------------------------------------------------------------------------------


class _Trials:
    """The real app, in which one stub after another is the only one there is."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.tried = 0
        self.untried: list[str] = []
        self.answers: set[tuple[str, int, str]] = set()
        """What was asked, the status that came, and the scenario it came from."""
        self._library = Library({}, {}, {})
        settings = Settings(count=1, any_key=True)
        self._app, self._sessions = wire(settings, lambda: self._library)

    def run(self, scenario: Scenario) -> None:
        """Try each stub of a scenario's own file."""
        for stub in scenario.stubs:
            requests = [
                facts for facts in _requests(stub.match) if not difference(stub.match, facts)
            ]
            self._library = Library({scenario.name: _alone(scenario, stub)}, {}, {})
            for facts in requests:
                self._sessions.default.reset()
                for reply in stub.replies or (PASS,):
                    self._send(scenario, stub, reply, facts)
            if requests:
                self.tried += 1
            else:
                self.untried.append(stub.label)

    def _send(self, scenario: Scenario, stub: Stub, reply: Reply, facts: Facts) -> None:
        """Send one request, and hold the answer against the reply that is due."""
        answer = self._app.test_client().open(
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
            # A server that takes orders and does none: an answer is looked at, not sent.
            environ_base={SERVER: object()},
        )
        broken = stub.fault or (reply if reply in FAULTS else None)
        expected = None
        if isinstance(reply, Canned) and broken not in CONNECTION_FAULTS:
            expected = reply.status
        who, status = answer.headers.get(STUB_HEADER), answer.status_code
        if who != stub.label or (expected is not None and status != expected):
            what = f"{facts.method} {facts.path} was answered with {status} by stub {who}"
            hint = "this is a mistake in mockpets: please report it"
            where = f"stub {stub.label}"
            self.problems.append(Problem(scenario.source, 0, 0, where, what, hint))
        if isinstance(reply, Canned) and broken is None:
            asked = facts.operation or f"{facts.method} {facts.path}"
            self.answers.add((asked, status, scenario.name))


def _alone(scenario: Scenario, stub: Stub) -> Scenario:
    """Return a scenario that has one stub, which takes part in each request and at once."""
    ready = replace(
        stub, after=0, times=None, probability=1.0, delay=None, throttle=None, hold=None
    )
    return replace(scenario, extends=(), pets=None, stubs=(ready,))


def _requests(match: Match) -> Iterator[Facts]:
    """Yield requests made to pass a match: one for each operation it is for."""
    query = {name: [value] for name, value in _values(match.query)}
    headers = dict(_values(match.headers))
    if match.path is not None:
        path = match.path.replace("*", "1")
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
    """Yield a value for each name; of several conditions on one, that of the first is tried."""
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


def _coverage(answers: Iterable[tuple[str, int, str]]) -> dict[str, dict[int, tuple[str, ...]]]:
    """Return who answers what: each status of the contract, and whatever else came."""
    table: dict[str, dict[int, set[str]]] = {
        operation: {status: set() for status in statuses}
        for operation, statuses in RESPONSES.items()
    }
    for asked, status, name in answers:
        table.setdefault(asked, {}).setdefault(status, set()).add(name)
    return {
        asked: {status: tuple(sorted(row[status])) for status in sorted(row)}
        for asked, row in table.items()
    }
