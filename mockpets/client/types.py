"""What `client` sends and returns, for type checkers: the control API's JSON as it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

Document = Mapping[str, Any]
"""A JSON object, such as a whole scenario or a stub's match."""
Pets = Iterable[Document] | Document | str | int
"""Pets one by one; how to make them; a fixture; how many."""
PetStatus = Literal["available", "pending", "sold"]
Change = Literal["requests", "scenario", "pets", "snapshots", "gates", "sessions", "files"]


class PetChange(TypedDict, total=False):
    """What to change of a pet; a status of None takes it away."""

    name: str
    categoryId: int
    status: PetStatus | None


class _AnyScenario(TypedDict):
    """What a list and a full answer both tell of a scenario.

    `source` is its file as a person knows it, `replaces` the files it stands in place of;
    `problems` are those of a file that is no good.
    """

    name: str
    description: str | None
    source: str
    replaces: list[str]
    extends: list[str]
    brings_pets: bool
    inline: bool
    problems: list[str]


class ScenarioSummary(_AnyScenario):
    """A scenario in a list, with the number of its stubs."""

    stubs: int


class StubDescription(TypedDict):
    """A stub as a person would tell it."""

    label: str
    scenario: str
    when: str
    does: str
    limits: str


class Scenario(_AnyScenario):
    """A scenario in full, with each stub, those of the scenarios it extends too."""

    text: str
    lineage: list[str]
    pets_in_words: str | None
    stubs: list[StubDescription]


class Scenarios(TypedDict):
    """The scenarios there are, and which are active, the first with precedence."""

    active: list[str]
    scenarios: list[ScenarioSummary]


class Counts(TypedDict):
    """How many of each there are; `held` are answers behind gates."""

    pets: int
    requests: int
    sessions: int
    snapshots: int
    held: int


class ServerSettings(TypedDict):
    """The server's settings that matter to a client."""

    key: str
    any_key: bool
    base_path: str
    max_pets: int
    max_sessions: int
    journal_size: int
    public: bool


class State(TypedDict):
    """A session and its server at a glance.

    `change` goes up with every change, `resets` is another after each reset; `gates` counts what
    is held.
    """

    version: str
    session: str
    change: int
    resets: int
    active: list[str]
    seed: int
    scenarios: list[ScenarioSummary]
    counts: Counts
    gates: dict[str, int]
    settings: ServerSettings


class Snapshot(TypedDict):
    """A named copy of a session's pets: how many, and since when (ISO 8601, UTC)."""

    name: str
    pets: int
    at: str


class Note(TypedDict):
    """What mockpets noticed about a request."""

    code: str
    text: str


class Summary(TypedDict):
    """A request in the journal, and what came of it.

    `at` is ISO 8601 in UTC; `status` is None where the connection was broken in place of an
    answer; times are in milliseconds, `throttle` in bytes a second; `hold` names the gate.
    """

    number: int
    at: str
    session: str
    method: str
    target: str
    path: str
    operation: str | None
    status: int | None
    scenarios: list[str]
    stubs: list[str]
    fault: str | None
    off_contract: str | None
    app_ms: float
    delay_ms: float
    hold: str | None
    throttle: float | None
    notes: list[Note]


class Body(TypedDict):
    """A body as the journal keeps it: `text` is its beginning, in base64 when it is no UTF-8."""

    size: int
    text: str
    base64: bool
    cut: bool


class Message(TypedDict):
    """One side of an exchange; headers are pairs of name and value, in order."""

    headers: list[list[str]]
    body: Body


class Entry(Summary):
    """A request in the journal with both sides in full, secrets redacted."""

    request: Message
    response: Message


class Filters(TypedDict, total=False):
    """Which requests of a journal: all that are given must hold.

    `status` is 404 or "4xx"; `path` and `stub` may have ``*``, and a stub "-" stands for none;
    `since` takes numbers above it alone, `limit` the newest so many (100 when left out).
    """

    operation: str
    method: str
    path: str
    status: int | str
    stub: str
    note: str
    since: int
    limit: int


class Journal(TypedDict):
    """Requests of a journal, oldest first.

    `total` counts all that pass the filters, `dropped` those that made room for newer ones, and
    `last` is the highest number given so far.
    """

    requests: list[Summary]
    total: int
    dropped: int
    last: int
    resets: int
    change: int


class Times(TypedDict, total=False):
    """How often a request is expected."""

    at_least: int
    at_most: int


class Verified(TypedDict):
    """The requests that a verification found."""

    matched: int
    requests: list[Summary]


class Events(TypedDict):
    """What has changed, and the number to ask with next time.

    `resets` is None while there is no such session: not yet, or not any more.
    """

    change: int
    resets: int | None
    changed: list[Change]


class Contents(TypedDict, total=False):
    """What a session is made of; what is left out is as the server was started."""

    scenario: str | Document | list[str | Document]
    seed: int
    pets: Pets


class Session(TypedDict):
    """A session in a list; `held` counts answers behind its gates."""

    name: str
    active: list[str]
    seed: int
    pets: int
    requests: int
    held: int
    idle_seconds: float
    base_path: str
