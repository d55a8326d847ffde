"""The JSON of the control API: one type for each object that a call sends or returns.

`control_calls` names the type of each response, so a type checker rejects a view that adds or
forgets a key. Every key is always present unless it is marked `NotRequired` or its type has
``total=False``. Times of day are ISO 8601 in UTC. The shapes in `scenario.language` validate and
describe bodies, and `query_parameters` queries: types of both have no prose here.

Postponed evaluation of annotations is off here, so that `typing.get_type_hints` resolves every
type wherever it is called.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from mockpets.constants import (
    Change,
    NoteCode,
    Removal,
    RequestOutcome,
    Responder,
    ScenarioGroup,
    StubResult,
    WaitKind,
)

Operation = Annotated[str, "Operation"]
"""An operation of the contract."""
ErrorCode = Annotated[str, "ErrorCode"]
"""A code of `constants.ERRORS`, or one that only the contract has."""
Fault = Annotated[str, "Fault"]
"""How a scenario breaks a response: a name from the table of faults."""
Document = Mapping[str, Any]
"""A JSON object of the scenario language, such as a whole scenario or the match of a stub.

The JSON Schema of scenario files describes it (``GET /__mockpets/schema/scenario.json``)."""
SessionExport = Annotated[dict[str, Any], "SessionExport"]
"""A session to take to another server, in the shape of that name."""

# --- The server and its contracts -------------------------------------------------------------


class Health(TypedDict):
    """The version of a server that is alive, with its commit if it is known.

    Clients with another `protocol` fail. `bases` has the base path of each contract, empty for the
    root.
    """

    status: Literal["ok"]
    version: str
    protocol: int
    bases: list[str]


class ContractCollection(TypedDict):
    """A collection of a contract; `lists` has the operations that list its records."""

    name: str
    path: str
    lists: list[Operation]


class ContractSummary(TypedDict):
    """A contract that the server serves; `label` selects it in ``GET openapi.json``.

    `base` is the path before those of its operations, empty for the root. `errors` maps statuses to
    error codes.
    """

    title: str
    label: str
    base: str
    collections: list[ContractCollection]
    errors: dict[str, ErrorCode]


class OperationKey(TypedDict):
    """Where a request has a record's key: ``path``, ``query``, ``body`` or ``token`` (no name)."""

    name: str | None
    place: str


class QueryMeaning(TypedDict):
    """What a query parameter means: ``page``, ``equal`` to a property, ``ignored`` or another."""

    means: str
    property: str | None


class OperationDescription(TypedDict):
    """What an operation of a contract does; `path` begins after the base path.

    `states` lists what expressions such as ``getPet:404`` can select. `envelope` has the keys that
    lead to the records in a response's body, and `body_envelope` those in a request's. `paging`
    gives the meanings of the properties beside a list, `where` the values that its records must
    have, and `sets` what a request changes. `values` is the property whose distinct values a list
    returns. `many` is true if a request can be about several records, `view` if a list is only a
    part of the collection, and `mine` if it has only the caller's records. `note` describes what
    mockpets did not understand. `does` describes all of this in phrases, the role first.
    """

    name: str
    method: str
    path: str
    state: Literal["state", "example", "not_served"]
    role: str
    collection: str | None
    rule: str | None
    envelope: list[str]
    body_envelope: list[str]
    states: list[str]
    key: OperationKey | None
    query: dict[str, QueryMeaning]
    paging: dict[str, str]
    where: Document
    sets: Document
    values: str | None
    many: bool
    view: bool
    mine: bool
    sort: str | None
    note: str | None
    does: list[str]


class CollectionDescription(TypedDict):
    """A collection of a contract; `about` describes it in a few words.

    Responses omit a `hidden` key. Its records belong to those of the collection `parent`, and have
    the parent's key in the property `link`. A `single` collection is one object. In an `open` one,
    every key exists. `people` can log in. `shows` is the collection whose records this one shows,
    and `owner` the property that identifies the user. References in `schema` point into
    ``GET openapi.json``.
    """

    name: str
    key: str | None
    hidden: bool
    parent: str | None
    link: str | None
    list: str | None
    item: str | None
    single: bool
    open: bool
    people: bool
    shows: str | None
    owner: str | None
    schema: Document
    about: str


class ContractNote(TypedDict):
    """A part of a document that is not served or enforced, or a likely mistake."""

    kind: Literal["operation", "part", "keyword", "warning"]
    what: str
    file: str
    line: int
    column: int


class ContractShare(TypedDict):
    """How many operations have state, respond with an example, and are not served."""

    state: int
    example: int
    not_served: int


class ContractDescription(TypedDict):
    """A contract, and what was inferred from its document; see also `ContractSummary`."""

    file: str
    title: str
    version: str
    label: str
    base: str
    operations: list[OperationDescription]
    collections: list[CollectionDescription]
    notes: list[ContractNote]
    share: ContractShare


class ContractList(TypedDict):
    contracts: list[ContractDescription]


# --- Clock and gates --------------------------------------------------------------------------


class ClockState(TypedDict):
    """The clock of a session; `set` is false while it shows the real time."""

    now: str
    frozen: bool
    set: bool


class ClockChange(TypedDict, total=False):
    now: str | None
    frozen: bool
    advance: str


class GateCounts(TypedDict):
    """The number of responses held at each gate."""

    gates: dict[str, int]


class OpenedGate(GateCounts):
    """The number of responses that opening a gate released, and those still held."""

    released: int


class HeldResponses(TypedDict):
    held: int


class WaitingResponse(TypedDict):
    """A waiting response; `at` is the time at which the request arrived.

    `status` is None if the connection breaks instead. `throttle` is in bytes per second.
    """

    request: int
    session: str
    method: str
    target: str
    path: str
    operation: Operation | None
    waits: WaitKind
    gate: str | None
    delay_ms: float
    throttle: int | None
    status: int | None
    stubs: list[str]
    at: str
    since: str
    waited_ms: float


class WaitingResponses(TypedDict):
    """The waiting responses, by session and number; `change` is the `since` of ``GET events``."""

    held: list[WaitingResponse]
    change: int


class ReleasedRequests(TypedDict):
    released: list[int]


# --- Scenarios --------------------------------------------------------------------------------


class ActiveScenarios(TypedDict):
    """The active scenarios; the first takes precedence."""

    active: list[str]


class Activated(ActiveScenarios):
    """The active scenarios.

    `notes` says which of their resources others hide, and which of their records requests have
    changed before.
    """

    notes: NotRequired[list[str]]


class _AnyScenario(TypedDict):
    name: str
    group: ScenarioGroup
    description: str | None
    source: str
    replaces: list[str]
    extends: list[str]
    inline: bool
    problems: list[str]


class ScenarioSummary(_AnyScenario):
    """A scenario in a list, with the number of its stubs.

    `description` is None when the file is invalid and has no earlier valid version. `source` is the
    file as a user names it, and `replaces` lists the files it overrides.
    """

    stubs: int


class ScenarioList(ActiveScenarios):
    """All scenarios of a session, by group and name, and the active ones.

    `skipped` gives the reasons why shipped scenarios do not fit the contracts. `folder_problems`
    lists the reasons why the server cannot reload the files, such as two files with the same name
    in a folder.
    """

    scenarios: list[ScenarioSummary]
    skipped: dict[str, str]
    folder_problems: list[str]


class StubDescription(TypedDict):
    """A stub; `label` is ``scenario/stub``, and `scenario` the one whose file defines it.

    `when` describes the requests that it matches, and `does` its effects on their responses,
    separated by ``;``. `limits` describes how often it applies; it is empty for always.
    """

    label: str
    scenario: str
    when: str
    does: str
    limits: str


class ScenarioDetails(_AnyScenario):
    """A scenario in full; `stubs` also lists those of the scenarios that it extends, after its own.

    `text` is None if the file can no longer be read. `override` is true if only this session uses
    the text (`PUT overrides/NAME`). These are reasons, or None: `disabled`, why the server does not
    allow what a stub does; `unreached`, why the scenario has affected no recorded request;
    `read_only`, why the file cannot be saved. `digest` is that of the file, and `path` the path of
    your own file; None otherwise.
    """

    text: str | None
    data: dict[str, str]
    stubs: list[StubDescription]
    override: bool
    disabled: str | None
    unreached: str | None
    digest: str | None
    path: str | None
    writable: bool
    read_only: str | None


class InputProblem(TypedDict):
    """A problem in a body; line and column start at 1 and are 0 if unknown."""

    file: str
    line: int
    column: int
    where: str
    what: str
    hint: str


class CheckedScenario(TypedDict):
    scenarios: list[str]
    fixtures: list[str]
    problems: list[InputProblem]
    warnings: list[InputProblem]
    stubs: int


# --- Records ----------------------------------------------------------------------------------


class Total(TypedDict):
    total: int


Records = Iterable[Document] | Document | str | int | Path
"""What `ControlClient` accepts: records, what to generate, a fixture, a number, or a file."""


class CollectionSummary(TypedDict):
    """A collection of the contract, or of an active scenario.

    `scenario` is the scenario that defines it, and `content_of` the one whose data it has; None
    without one. `id` is the property that identifies a record. `changed` is true if a client has
    changed records. `hidden_by` is the active scenario that serves the same path in its place, or
    None.
    """

    name: str
    scenario: str | None
    path: str
    id: str
    total: int
    changed: bool
    content_of: str | None
    hidden_by: str | None


class CollectionList(TypedDict):
    """The collections: those of the contracts, then those of the scenarios, by precedence."""

    data: list[CollectionSummary]


class RecordPage(CollectionSummary):
    """Records in order; `total` counts all that match. `next` is None on the last page."""

    next: str | None
    records: list[Document]


class LoginCookie(TypedDict):
    name: str
    value: str


class LoggedIn(TypedDict):
    """What an app has once a user has logged in; `key` is the ID of the `user`.

    `headers` identify the user in requests; they are empty if the token is sent in the query.
    `cookie` is None if logging in sets no cookie.
    """

    user: Document
    token: str
    headers: dict[str, str]
    cookie: LoginCookie | None
    collection: str
    key: int | str


# --- The request log ------------------------------------------------------------------------------


class RequestNote(TypedDict):
    code: NoteCode
    text: str


class RequestSummary(TypedDict):
    """A recorded request; times are in milliseconds, and `throttle` is in bytes per second.

    `status` is None if the connection was broken instead. `outcome` is ``pending`` until the last
    byte of the response was handed to the operating system, then ``sent``. It is ``client_left`` if
    the client ended the connection before that, and ``broken`` if mockpets did: because of a fault,
    a limit or a shutdown. `hold` is a gate, and `held_ms` how long it has held the response so far.
    `total_ms` is the time from the arrival of the request to the end of the response.
    `off_contract` is the reason why the contract does not list the response. `waits` is what a
    pending response waits for, or what it waited for when the client left. Each is None if it does
    not apply.
    """

    number: int
    at: str
    session: str
    method: str
    target: str
    path: str
    operation: Operation | None
    status: int | None
    outcome: RequestOutcome
    scenarios: list[str]
    stubs: list[str]
    fault: Fault | None
    off_contract: str | None
    app_ms: float
    delay_ms: float
    held_ms: float | None
    total_ms: float | None
    waits: WaitKind | None
    hold: str | None
    throttle: int | None
    notes: list[RequestNote]


class RecordedBody(TypedDict):
    """A body of `size` bytes; `text` is cut if it is too long, and in base64 if not UTF-8."""

    size: int
    text: str
    base64: bool
    cut: bool


class RecordedMessage(TypedDict):
    """A recorded request or response; headers are pairs of name and value, in order."""

    headers: list[list[str]]
    body: RecordedBody


class RequestDetails(RequestSummary):
    """A recorded request with headers and bodies, secrets redacted."""

    request: RecordedMessage
    response: RecordedMessage


class RequestFilters(TypedDict, total=False):
    operation: Operation
    method: str
    path: str
    status: int | str
    stub: str
    note: NoteCode
    outcome: RequestOutcome
    since: int
    limit: int


class RequestList(TypedDict):
    """Recorded requests, oldest first; `last` is the highest number so far.

    `total` counts all that match the filters, and `dropped` those removed to make room for newer
    ones.
    """

    requests: list[RequestSummary]
    total: int
    dropped: int
    last: int
    resets: int
    change: int


class StubOptions(TypedDict, total=False):
    status: int
    fault: Fault
    hold: str
    delay: str
    times: int
    exact: bool


class RecordedStub(TypedDict):
    """A stub that responds to requests like a recorded one; `yaml` is a scenario file with it.

    `matches` lists the requests of the log to which it would have responded, and `notes` the
    secrets that were removed. `stub` is None if the file has a resource instead: the log shows a
    POST and then a GET of an unknown collection.
    """

    scenario: str
    stub: Document | None
    yaml: str
    matches: list[int]
    notes: list[str]


class StubInUse(RecordedStub, ActiveScenarios):
    """A stub that is now active in the session, and all active scenarios."""


class DroppedStub(ActiveScenarios):
    dropped: str


class RecordingStarted(TypedDict):
    """The number of the last request before the recording, and the number of saved records."""

    after: int
    records: int


class RecordedScenario(TypedDict):
    """A scenario file that reproduces a recording; `notes` lists what it does not, and why."""

    yaml: str
    requests: int
    stubs: int
    notes: list[str]


class Cleared(TypedDict):
    cleared: int


class Times(TypedDict, total=False):
    at_least: int
    at_most: int


class VerifiedRequests(TypedDict):
    matched: int
    requests: list[RequestSummary]


class RequestToExplain(TypedDict):
    method: str
    path: str
    headers: NotRequired[Mapping[str, str]]
    key: NotRequired[str]
    body: NotRequired[Any]
    draft: NotRequired[Mapping[str, str]]


class Difference(TypedDict):
    where: str
    expected: str
    got: str


class ComparedCondition(Difference):
    """A condition; `holds` is None if the log lacks the value: a secret, or the end of a body."""

    holds: bool | None


class ExplainedStub(StubDescription):
    """What a stub did with a request; `reason` describes the result.

    `result` is ``responds``, ``applies`` (it only delays, throttles or holds), ``no_match``,
    ``not_reached`` (an earlier stub responded), or the limit that stopped it; ``sequence`` if its
    replies are used up. Before this request, it had skipped `passed` requests because of `after`,
    and had applied to `used` requests; both are None if it does not match. It applies if the random
    number `draw` is below `probability`.
    """

    result: StubResult
    reason: str
    conditions: list[ComparedCondition]
    after: int
    times: int | None
    passed: int | None
    used: int | None
    probability: float
    draw: float | None


class Explanation(TypedDict):
    """Why a request gets its response, in one sentence (`summary`) and by stub.

    `sent` is false for a request that was not sent; its `number` is the one that it would get.
    `stub` is the stub that responded, and `nearest` the one that came nearest to a match. `seed` is
    the seed of the random numbers. `stubs` lists at most 100 stubs in the order in which they were
    tried, and `omitted` counts the others.
    """

    request: RequestSummary
    sent: bool
    by: Responder
    summary: str
    stub: str | None
    nearest: str | None
    seed: int
    stubs: list[ExplainedStub]
    omitted: int


class HarLog(TypedDict):
    """See http://www.softwareishard.com/blog/har-12-spec/; `_mockpets` is a `RequestSummary`."""

    version: Literal["1.2"]
    creator: dict[str, str]
    entries: list[Document]


class Har(TypedDict):
    log: HarLog


# --- Findings ---------------------------------------------------------------------------------


class ReportRule(TypedDict):
    name: str
    level: str
    title: str
    explanation: str
    fix: str


class ReportEvidence(TypedDict):
    request: str
    response: str
    number: int | None
    at: str
    detail: str


class ReportFinding(TypedDict):
    rule: str
    message: str
    source: str
    evidence: list[ReportEvidence]
    file: str | None


class ClientReport(TypedDict):
    """What ``mockpets report`` finds; `limits` lists what could not be checked."""

    version: str
    title: str
    summary: str
    checked: str
    limits: list[str]
    rules: list[ReportRule]
    findings: list[ReportFinding]


class Findings(TypedDict):
    report: ClientReport


# --- Sessions ---------------------------------------------------------------------------------


class StateCounts(TypedDict):
    """Counts of a session and its server; `held` counts responses at gates.

    `records` is None while generating them would take too long. With ``--sessions declared``,
    `unnamed` counts the requests that were rejected since the session began because they named no
    session: those of its test can be among them.
    """

    records: int | None
    requests: int
    sessions: int
    held: int
    unnamed: int


class EffectiveSetting(TypedDict):
    """A setting with its current value, in seconds or bytes; secrets are redacted.

    `source` is an option, a variable, a line of a file, ``default``, or ``code``.
    """

    name: str
    value: str | float | bool | list[str] | None
    source: str


class ServerSettings(TypedDict):
    """The settings of the server that affect clients; `all` lists every setting.

    `options` lists those that differ from the defaults and affect sessions or requests, as on the
    command line: ``--api-key *``, ``--seed 4``.
    """

    key: str
    any_key: bool
    base_path: str
    max_records: int
    max_sessions: int
    request_log_size: int
    public: bool
    options: list[str]
    all: list[EffectiveSetting]


class StateFileProgress(TypedDict):
    """How far the sessions are saved in the state file.

    Read `begun` after your change: the change is durable once `saved` exceeds it. `trouble` is the
    reason why the last attempt failed, or empty.
    """

    begun: int
    saved: int
    trouble: str


class State(ScenarioList, GateCounts):
    """A session and its server at a glance.

    `change` is the number of the last change, and each reset changes `resets`. `state_file` is None
    without ``--state``, `node` without ``--name``, and `clock` while it shows the real time.
    `rejected_origins` lists at most 20 origins of pages whose calls were rejected; ``null`` stands
    for pages without an origin. `faults` has a label for each kind of fault.
    """

    version: str
    protocol: int
    started: str
    node: str | None
    session: str
    change: int
    resets: int
    seed: int
    clock: ClockState | None
    counts: StateCounts
    state_file: StateFileProgress | None
    rejected_origins: list[str]
    settings: ServerSettings
    faults: dict[str, str]
    contracts: list[ContractSummary]


class Events(TypedDict):
    """What changed, and the `since` of the next call; `resets` is None without a session."""

    change: int
    resets: int | None
    changed: list[Change]


class SessionSummary(ActiveScenarios):
    """A session; `records` and `held` are as in `StateCounts`, `clock` as in `State`.

    `id` is new when the session was created again, or may have lost data in a restart. `failed`
    counts logged requests with an error status, a broken connection or a client that left;
    `last_request` is the method and target of the newest.
    """

    name: str
    id: str
    seed: int
    clock: ClockState | None
    records: int | None
    requests: int
    failed: int
    last_request: str | None
    held: int
    idle_seconds: float
    base_path: str


class Undone(TypedDict):
    undone: Removal
    session: SessionSummary


class SessionList(TypedDict):
    """The sessions, `default` first, and the maximum number of sessions."""

    sessions: list[SessionSummary]
    max: int


class SessionOptions(TypedDict, total=False):
    """The contents of a session; omitted ones stay, or start with the server's defaults."""

    scenario: str | Document | list[str | Document]
    seed: int
    data: dict[str, Records]
    clock: ClockChange


class DroppedSession(TypedDict):
    dropped: str
    id: str


class ResetSessions(TypedDict):
    reset: int


class DroppedSessions(TypedDict):
    dropped: int


# --- Errors -----------------------------------------------------------------------------------


class InvalidInputDetails(TypedDict):
    problems: list[InputProblem]


class NearestRequest(TypedDict):
    request: RequestSummary
    differences: list[Difference]


class VerificationDetails(TypedDict):
    """Why a verification failed; `unknown` counts requests that the log dropped or shortened."""

    matched: int
    unknown: int
    expected: str
    match: str
    nearest: list[NearestRequest]


class Error(TypedDict):
    """The body of an error: the Error of the contract, with `details` if there are any."""

    code: ErrorCode
    message: str
    status: int
    details: NotRequired[InvalidInputDetails | VerificationDetails | HeldResponses]
