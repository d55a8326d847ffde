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

    Clients of another `protocol` do not work. `bases` has the base path of each contract, empty for
    the root; an older server, whose only contract is at ``/v1``, does not send it.
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

    `base` is the path before those of its operations, empty for the root. `errors` has the code for
    a status.
    """

    title: str
    label: str
    base: str
    collections: list[ContractCollection]
    errors: dict[str, ErrorCode]


class OperationRule(TypedDict):
    """The rule that says what an operation does; `number` is None if the contract says it."""

    number: int | None
    name: str


class OperationKey(TypedDict):
    """Where a record's key is: ``path``, ``query``, ``body``, or ``token`` (`name` is None)."""

    name: str | None
    place: str


class QueryMeaning(TypedDict):
    """What a query parameter means: ``page``, ``equal`` to a property, ``ignored`` or another."""

    means: str
    property: str | None


class OperationDescription(TypedDict):
    """What an operation of a contract does; `path` begins after the base path.

    Expressions such as ``getPet:404`` can name `states`. `envelope` has the keys from the body of a
    response down to the records, `body_envelope` those of a request. `paging` is what properties
    beside a list mean, `where` which values the records must have, and `sets` what a request
    changes. `values` is the property of which a list has the different values, `many` whether a
    request can be about several records, `view` whether a list is only a part of the collection,
    and `mine` whether only the records of the caller count. `note` is what was not understood, and
    `does` all of this as phrases, its role first.
    """

    name: str
    method: str
    path: str
    state: Literal["state", "example", "not_served"]
    role: str
    collection: str | None
    rule: OperationRule
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

    Responses do not show a `hidden` key. `parent` is the collection to whose records these belong,
    and `link` the property with its key. A `single` collection is one object. With `open`, every
    key exists. `people` log in. `shows` is the collection whose records these are, and `owner` the
    property that names the person. References in `schema` lead into ``GET openapi.json``.
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
    """What of a document is not served or enforced, or a likely mistake."""

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
    """A contract, and what was inferred of its document; see also `ContractSummary`."""

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
    """A response that waits; `at` is the arrival of the request.

    `status` is None if the connection breaks instead. `throttle` is in bytes a second.
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
    """The responses that wait, by session and number; `change` is the `since` of ``GET events``."""

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
    """All scenarios that a session knows, by group and name, and the active ones.

    `skipped` has the reason why shipped scenarios do not fit the contracts. `folder_problems` lists
    why the server cannot reload the files, such as two of the same name in a folder.
    """

    scenarios: list[ScenarioSummary]
    skipped: dict[str, str]
    folder_problems: list[str]


class StubDescription(TypedDict):
    """A stub; `label` is ``scenario/stub``, `scenario` the one whose file has it.

    `when` describes the requests that it matches, `does` what it does to their responses, separated
    by ``;``, and `limits` how often; empty for always.
    """

    label: str
    scenario: str
    when: str
    does: str
    limits: str


class ScenarioDetails(_AnyScenario):
    """A scenario in full; `stubs` also has those of the scenarios that it extends, after its own.

    `text` is None when the file can no longer be read. `override` is whether only this session uses
    the text (`PUT overrides/NAME`). Reasons, or None: `disabled`, why the server rejects what a
    stub does; `unreached`, why no recorded request shows the scenario; `read_only`, why it cannot
    be saved. `digest` is that of the file, and `path` where your own file is; None otherwise.
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

    `scenario` defines it, and `content_of` gives it content; None for none. `id` is the property
    that is the ID, and `changed` whether a client has changed records. `hidden_by` is the active
    scenario that serves the same path in its place, or None.
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
    """The collections, those of the contract first; then the first scenario takes precedence."""

    data: list[CollectionSummary]


class RecordPage(CollectionSummary):
    """Records in order, of the `total` that the filters select; `next` is None on the last page."""

    next: str | None
    records: list[Document]


class LoginCookie(TypedDict):
    name: str
    value: str


class LoggedIn(TypedDict):
    """What an app has once a user has logged in; `key` is the ID of the `user`.

    `headers` name the user in requests; empty if the token is sent in the query. `cookie` is None
    if the log-in sets none.
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
    """A recorded request; times are in milliseconds, and `throttle` is in bytes a second.

    `status` is None when the connection was broken instead of a response. `outcome` is ``pending``
    until the last byte of the response was handed to the operating system, then ``sent``;
    ``client_left`` if the client ended the connection before that, and ``broken`` if mockpets did:
    because of a fault, a limit, or the end of the server. `hold` is a gate, and `held_ms` how long
    it has held the response so far. `total_ms` is from the arrival of the request to the end of the
    response. `off_contract` is the reason why the response is not in the contract. `waits` is what
    a pending response waits for, or waited for when the client left. Each is None if there is none.
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
    """A body of `size` bytes; `text` may be only its beginning (`cut`), in base64 if not UTF-8."""

    size: int
    text: str
    base64: bool
    cut: bool


class RecordedMessage(TypedDict):
    """A recorded request or response; headers are pairs of name and value, in order."""

    headers: list[list[str]]
    body: RecordedBody


class RequestDetails(RequestSummary):
    """A recorded request with both messages in full, secrets redacted."""

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
    """Recorded requests, oldest first; `last` is the highest number given so far.

    `total` counts all that pass the filters, `dropped` those removed to make room for newer ones.
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

    `matches` lists the requests of the log to which it would have responded, `notes` the secrets
    that it lacks. `stub` is None if the file has a resource instead: the log shows a POST and then
    a GET of an unknown collection.
    """

    scenario: str
    stub: Document | None
    yaml: str
    matches: list[int]
    notes: list[str]


class StubInUse(RecordedStub, ActiveScenarios):
    """A stub that the session uses now, and all active scenarios."""


class DroppedStub(ActiveScenarios):
    dropped: str


class RecordingStarted(TypedDict):
    """The number of the last request before a recording, and how many records it begins with."""

    after: int
    records: int


class RecordedScenario(TypedDict):
    """A scenario file that repeats a recording; `notes` has what it does not repeat, and why."""

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
    """A condition; `holds` is None if the value is not recorded: a secret, or a body's end."""

    holds: bool | None


class ExplainedStub(StubDescription):
    """What a stub did with a request; `reason` is the result in words.

    `result` is ``responds``, ``applies`` (it only delays, throttles or holds), ``no_match``,
    ``not_reached`` (an earlier stub responded), or the limit because of which it did not apply;
    ``sequence`` if its replies are used up. Before the request, it had skipped `passed` requests
    because of `after`, and applied to `used`; None if it does not match. It applied if the random
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

    `sent` is false for a request that was only tried out; its `number` is the one that it would
    get. `stub` ends the search, and `nearest` does not match but comes nearest. `seed` is that of
    the draws. `stubs` lists at most 100 in the order of the search, and `omitted` counts the
    others.
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
    """How many of each a session and its server have; `held` counts responses behind gates.

    `records` is None while generating them would take too long. `unnamed` counts the requests since
    the session began that were rejected because they named none, with ``--sessions declared``:
    those of its test may be among them.
    """

    records: int | None
    requests: int
    sessions: int
    held: int
    unnamed: int


class EffectiveSetting(TypedDict):
    """A setting with the value that applies, in seconds or bytes; secrets are redacted.

    `source` is an option, a variable, a line of a file, ``default``, or ``code``.
    """

    name: str
    value: str | float | bool | list[str] | None
    source: str


class ServerSettings(TypedDict):
    """The settings of the server that matter to a client; `all` has every one.

    `options` are those that differ from the defaults and matter to sessions and requests, as on the
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

    A change made before you read `begun` is on the disk once `saved` is greater than that number.
    `trouble` is the reason why the last attempt failed, or empty.
    """

    begun: int
    saved: int
    trouble: str


class State(ScenarioList, GateCounts):
    """A session and its server at a glance.

    `change` is the number of the last change, and `resets` differs after each reset. Without
    ``--state``, `state_file` is None, and without ``--name``, `node`; `clock` is None while it
    shows the real time. `rejected_origins` lists the origins of pages whose control calls were
    rejected, at most 20; ``null`` stands for pages without one. `faults` has a word for each kind.
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
    """The changes, and the `since` of the next call; `resets` is None without the session."""

    change: int
    resets: int | None
    changed: list[Change]


class SessionSummary(ActiveScenarios):
    """A session; `records` and `held` are as in `StateCounts`, `clock` as in `State`.

    `id` is new when a session is created, and when a restart may have lost anything of it. `failed`
    counts requests in the log with an error status, a broken connection or a client that left;
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
    """The sessions, the default one first, and how many there may be."""

    sessions: list[SessionSummary]
    max: int


class SessionOptions(TypedDict, total=False):
    """The contents to put into a session; omitted ones stay, or start with the server defaults."""

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
    """Why a verification failed; `unknown` requests are not, or not wholly, in the request log."""

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
