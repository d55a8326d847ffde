"""The JSON of the control API: one type for each object that a call sends or returns.

Views annotate their responses with these types, and `ControlClient` returns them, so a type
checker rejects a view that adds or forgets a key. Every key is always present unless it is marked
`NotRequired` or its type has ``total=False``. Times of day are ISO 8601 in UTC.

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
from mockpets.faults import FAULTS

Operation = Annotated[str, "Operation"]
"""An operation of the contract."""
ErrorCode = Annotated[str, "ErrorCode"]
"""A code of `constants.ERRORS`, or one that only the contract has."""
Document = Mapping[str, Any]
"""A JSON object of the scenario language, such as a whole scenario or the match of a stub.

The JSON Schema of scenario files describes it (``GET /__mockpets/schema/scenario.json``)."""
Fault = Annotated[str, tuple(FAULTS)]
"""How a scenario breaks a response: a name from the table of faults."""

# --- The server and the session ---------------------------------------------------------------


class Health(TypedDict):
    """The response of a server that is alive.

    `version` has the commit that the server was built from, if it is known. `protocol` is the
    number of the control API's protocol; clients of another number do not work. `bases` has the
    base path of each contract, such as ``/v1``, empty for the root. An older server does not send
    it: its only contract is at ``/v1``.
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
    """A contract that the server serves.

    `label` selects it in ``GET openapi.json``. `base` is the path before those of its operations,
    such as ``/v1``, empty for the root. `errors` has the code that the contract has for a status.
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
    """Where the key of a record is in requests: ``path``, ``query``, ``body`` or ``token``.

    `name` is that of a parameter or a property; None for a token.
    """

    name: str | None
    place: str


class QueryMeaning(TypedDict):
    """What a query parameter means, such as ``page`` or ``equal``; ``ignored`` if that is unknown.

    `property` is that by which it filters, or None.
    """

    means: str
    property: str | None


class OperationDescription(TypedDict):
    """What an operation of a contract does.

    `path` begins after the base path. `state` is ``example`` without state. `states` has the
    statuses that expressions such as ``getPet:404`` can name. `envelope` has the
    keys from the response's body down to the records, `body_envelope` those of the request's body.
    `query` has the query parameters, `paging` what properties beside a list mean, `where` the value
    that properties of the records must have, and `sets` the properties that a request changes.
    `values` is the property of which a list has the different values, `many` whether a request can
    be about several records, and `view` whether a list is only a part of the collection. With
    `mine`, only the records of the caller count. `note` is what was not understood, and `does` all
    of this as phrases, its role first.
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
    """A collection of a contract.

    `key` is the property that identifies a record; with `hidden`, responses do not show it.
    `parent` is the collection to whose records these belong, and `link` the property with its key.
    `list` and `item` are the paths of the list and of a record. A `single` collection is one
    object. With `open`, every key exists. `people` are those who log in. `shows` is the collection
    whose records these are, and `owner` the property that names the person. `schema` is that of a
    record; its references lead into ``GET openapi.json``. `about` says all of this in a few words.
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
    """Something in a contract's document that is not served or enforced, or a likely mistake.

    `file` is the document, or one to which it refers.
    """

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
    """A contract, and what was inferred of its document.

    `label` and `base` are those of `ContractSummary`.
    """

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
    """The contracts that the server serves, in the JSON of ``mockpets contract``."""

    contracts: list[ContractDescription]


class StateCounts(TypedDict):
    """How many of each a session and its server have.

    `records` is None while generating them would take too long; `held` counts the responses behind
    gates. `unnamed` counts the requests since the session began that were rejected because they
    named no session, with ``--sessions declared``: those of its test may be among them.
    """

    records: int | None
    requests: int
    sessions: int
    held: int
    unnamed: int


class EffectiveSetting(TypedDict):
    """A setting with the value that applies; times are in seconds, sizes in bytes.

    `source` is an option, a variable, a line of a file, ``default``, or ``code``. Secrets are
    redacted.
    """

    name: str
    value: str | float | bool | list[str] | None
    source: str


class ServerSettings(TypedDict):
    """The settings of the server that matter to a client; `all` has every one.

    `options` are those of what sessions start with and how requests are treated, as on the command
    line, if they differ from the defaults: ``--api-key *``, ``--seed 4``.
    """

    key: str
    any_key: bool
    base_path: str
    max_records: int
    max_sessions: int
    journal_size: int
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


class ActiveScenarios(TypedDict):
    """The active scenarios; the first takes precedence."""

    active: list[str]


class ClockState(TypedDict):
    """The clock of a session: its time, and whether it stands still.

    `set` is false while it shows the real time.
    """

    now: str
    frozen: bool
    set: bool


class ClockChange(TypedDict, total=False):
    """A change to a clock.

    `now` is a time in RFC 3339 or a date, None for the real time; `advance` is how far to move the
    clock, such as ``30d``.
    """

    now: str | None
    frozen: bool
    advance: str


class Activated(ActiveScenarios):
    """The active scenarios, and which of their resources others hide, if any, in words."""

    hidden: NotRequired[list[str]]


class GateCounts(TypedDict):
    """The number of responses held at each gate."""

    gates: dict[str, int]


class OpenedGate(GateCounts):
    """The number of responses that opening a gate released, and those still held."""

    released: int


class HeldResponses(TypedDict):
    """The number of responses that are held at one gate."""

    held: int


# --- Scenarios --------------------------------------------------------------------------------


class _AnyScenario(TypedDict):
    """The properties that a list and the details of a scenario share.

    `description` is None when the file is invalid and has no earlier valid version. `source` is
    the file as a user names it, and `replaces` lists the files it overrides. `problems` lists the
    problems of an invalid file.
    """

    name: str
    group: ScenarioGroup
    description: str | None
    source: str
    replaces: list[str]
    extends: list[str]
    inline: bool
    problems: list[str]


class ScenarioSummary(_AnyScenario):
    """A scenario in a list, with the number of its stubs."""

    stubs: int


class ScenarioList(ActiveScenarios):
    """All scenarios that a session knows, by group and name, and the active ones.

    `skipped` has the shipped scenarios for which the contracts have no place, with the reason.
    `folder_problems` is not empty while the server cannot reload the scenario files, for example
    because two files in a folder have the same name.
    """

    scenarios: list[ScenarioSummary]
    skipped: dict[str, str]
    folder_problems: list[str]


class StubDescription(TypedDict):
    """A description of a stub.

    `label` is ``scenario/stub``, and `scenario` the one whose file has the stub. `when` describes
    the requests that it matches, `does` what it does to their responses, separated by ``;``, and
    `limits` how often it takes effect; empty for always.
    """

    label: str
    scenario: str
    when: str
    does: str
    limits: str


class ScenarioDetails(_AnyScenario):
    """A scenario in full.

    `text` is its source, or None when the file can no longer be read. `stubs` has
    its stubs and those of the scenarios it extends, in order of precedence. `override`
    is whether only this session uses the text (`PUT overrides/NAME`). `disabled` is why the server
    rejects what a stub does, or null. `unreached` is why no recorded request of the session shows
    the scenario, or null if one does. `digest` is that of the file, `path` where your own file is,
    and `read_only` why it cannot be saved; None otherwise.
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
    """What `mockpets check` finds in a scenario.

    `stubs` is the number of its stubs.
    """

    scenarios: list[str]
    fixtures: list[str]
    problems: list[InputProblem]
    warnings: list[InputProblem]
    stubs: int


class State(ScenarioList, GateCounts):
    """A session and its server at a glance.

    `change` is the number of the last change, and `resets` differs after each reset. `state_file`
    is None when the server runs without ``--state``, and `node` without ``--name``.
    `rejected_origins` lists the origins of pages whose control calls were rejected, at most 20;
    ``null`` stands for pages without an origin. `started` is the time at which the server started,
    and `faults` has a word for each kind of fault. `clock` is None while it shows the real time.
    `contracts` lists those that the server serves.
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


# --- Data -------------------------------------------------------------------------------------


class Total(TypedDict):
    """How many records there are after a change."""

    total: int


class GeneratedRecords(TypedDict):
    """Records to generate; the seed and the locale default to those of the server."""

    count: int
    seed: NotRequired[int]
    locale: NotRequired[str]


Records = Iterable[Document] | GeneratedRecords | Document | str | int | Path
"""What `ControlClient` accepts: records, what to generate, a fixture, a number, or a file."""


class CollectionSummary(TypedDict):
    """A collection of the contract, or of the active scenarios.

    `scenario` is the one that defines it, and `content_of` the one that gives it content; both are
    None for none. `id` is the name of the property that is the ID, `total` the number of records,
    and `changed` whether a client has changed them. `hidden_by` is the active scenario that serves
    the same path in its place, or None.
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
    """Records by ID, or in the order in which they were added.

    `total` counts all that the filters select. `next` is the ID to pass as `after` for the next
    page, or None on the last page.
    """

    next: str | None
    records: list[Document]


class LoginCookie(TypedDict):
    """The cookie that a log-in sets."""

    name: str
    value: str


class LoggedIn(TypedDict):
    """What an app has once a user has logged in.

    `user` is the record as a log-in returns it, in the collection with the name `collection`, and
    `key` its ID. `headers` are those with which the app's requests name the user; empty if the
    token is sent in the query. `cookie` is None if the log-in sets none.
    """

    user: Document
    token: str
    headers: dict[str, str]
    cookie: LoginCookie | None
    collection: str
    key: int | str


# --- The journal ------------------------------------------------------------------------------


class RequestNote(TypedDict):
    """What mockpets noticed about a request."""

    code: NoteCode
    text: str


class RequestSummary(TypedDict):
    """A recorded request and the outcome.

    `status` is None when the connection was broken instead of a response. `outcome` is ``pending``
    until the last byte of the response was handed to the operating system, then ``sent``. It is
    ``client_left`` if the client ended the connection before that, and ``broken`` if mockpets cut
    the response off: because of a fault, a limit, or the end of the server. The times are in
    milliseconds, `throttle` is in bytes a second, and `hold` is the name of a gate. `held_ms` is
    how long the gate has held the response so far, None without a gate; `total_ms` is the time from
    the arrival of the request until its response ended, None while it is pending.
    `off_contract` is the reason why the response is not in the contract. `waits` is what a pending
    response waits for, or what it waited for when the client left: ``held``, ``delayed``,
    ``throttled`` or None.
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
    """A recorded body.

    `size` is the length of the whole body in bytes. `text` may be only its beginning (`cut`), and
    is in base64 when the body is not UTF-8 (`base64`).
    """

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


class WaitingResponse(TypedDict):
    """A response that waits, and since when.

    `waits` is ``held`` at the gate, ``delayed``, or ``throttled`` while its body is being sent.
    `status` is what the client gets, None if the connection breaks instead. `at` is the arrival of
    the request. `throttle` is in bytes a second.
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
    """The numbers of the requests whose responses were released."""

    released: list[int]


class RequestFilters(TypedDict, total=False):
    """The filters of the journal, all of which a request must pass.

    `status` is 404 or "4xx". `path` and `stub` may contain ``*``, and a `stub` of "-" selects
    requests in which no stub took part. `since` selects higher numbers, and `limit` at most that
    many of the newest (100 by default).
    """

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
    """Recorded requests, oldest first.

    `total` counts all that pass the filters, `dropped` those that were removed to make room for
    newer ones, and `last` is the highest number given so far.
    """

    requests: list[RequestSummary]
    total: int
    dropped: int
    last: int
    resets: int
    change: int


class StubOptions(TypedDict, total=False):
    """What a stub does instead of responding as recorded, and which requests it responds to.

    `hold` is a gate, `delay` is such as ``3s``, and `exact` matches ids and dates too.
    """

    status: int
    fault: Fault
    hold: str
    delay: str
    times: int
    exact: bool


class RecordedStub(TypedDict):
    """A stub that responds to requests like a recorded one.

    `scenario` is the name under which the session uses it, `yaml` a scenario file with it, and
    `matches` lists the requests of the log that it would have responded to. `stub` is null if the
    file has a resource instead: the log shows a POST and then a GET of an unknown collection.
    `notes` lists the secrets that it lacks.
    """

    scenario: str
    stub: Document | None
    yaml: str
    matches: list[int]
    notes: list[str]


class StubInUse(RecordedStub):
    """A stub that the session uses now, and all active scenarios."""

    active: list[str]


class DroppedStub(TypedDict):
    """The scenario that is no longer active, and the others."""

    dropped: str
    active: list[str]


class RecordingStarted(TypedDict):
    """The number of the last request before a recording, and how many records it begins with."""

    after: int
    records: int


class RecordedScenario(TypedDict):
    """A scenario file that repeats what a session has recorded.

    `notes` says which responses it does not repeat, and why.
    """

    yaml: str
    requests: int
    stubs: int
    notes: list[str]


class Cleared(TypedDict):
    """How many recorded requests were removed."""

    cleared: int


class Times(TypedDict, total=False):
    """How often a request is expected; set one or both."""

    at_least: int
    at_most: int


class VerifiedRequests(TypedDict):
    """The requests that a verification matched."""

    matched: int
    requests: list[RequestSummary]


class ScenarioDraft(TypedDict):
    """A scenario file that is not saved: its name, and its content."""

    name: str
    text: str


class RequestToExplain(TypedDict):
    """A request to explain without sending it.

    `path` begins with ``/v1`` or a session's base path, and may have a query. A `key` is sent where
    the operation needs one. A `body` is sent as JSON. A `draft` is used in place of the scenario of
    its name.
    """

    method: str
    path: str
    headers: NotRequired[Mapping[str, str]]
    key: NotRequired[str]
    body: NotRequired[Any]
    draft: NotRequired[ScenarioDraft]


class Difference(TypedDict):
    """A condition, and the value of a request that does not meet it."""

    where: str
    expected: str
    got: str


class ComparedCondition(Difference):
    """One condition of a stub, and the value of the request.

    `holds` is None if the value is not recorded: a secret, or the end of a long body.
    """

    holds: bool | None


class ExplainedStub(StubDescription):
    """What a stub did with a request.

    `result` is ``responds``, ``applies`` (it only delays, throttles or holds), ``no_match``,
    ``not_reached`` (an earlier stub responded), or the limit because of which it did not apply:
    ``after``, ``times``, ``sequence`` (its replies are used up) or ``probability``. `reason` is the
    result in words. `passed` and `used` are its counts before the request: matching requests that
    `after` skipped, and those that it applied to; None if it does not match. It applied if `draw`,
    a random number, is below `probability`.
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
    """Why a request gets its response.

    `sent` is false for a request that was only tried out; its `number` is the one that it would
    get. `by` is what responds: a ``stub``, the ``operation``, or a ``check`` that rejects the
    request. `summary` is the explanation in one sentence. `stub` is the stub that ends the search,
    and `nearest` the one that does not match but comes nearest. `seed` is the seed of the draws.
    `stubs` lists at most 100 stubs in the order of the search, and `omitted` counts the others.
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


class Events(TypedDict):
    """The changes since a number, and the number to pass as `since` next time.

    `resets` is None while the session does not exist.
    """

    change: int
    resets: int | None
    changed: list[Change]


# --- Findings ---------------------------------------------------------------------------------


class ReportRule(TypedDict):
    """A rule of ``mockpets report``."""

    name: str
    level: str
    title: str
    explanation: str
    fix: str


class ReportEvidence(TypedDict):
    """A request that shows a finding."""

    request: str
    response: str
    number: int | None
    at: str
    detail: str


class ReportFinding(TypedDict):
    """One place where the rule with this name is broken."""

    rule: str
    message: str
    source: str
    evidence: list[ReportEvidence]
    file: str | None


class ClientReport(TypedDict):
    """What ``mockpets report`` finds. `limits` lists what could not be checked."""

    version: str
    title: str
    summary: str
    checked: str
    limits: list[str]
    rules: list[ReportRule]
    findings: list[ReportFinding]


class Findings(TypedDict):
    """What the request log of a session shows."""

    report: ClientReport


# --- The journal as an HTTP Archive (HAR 1.2) -------------------------------------------------


class HarLog(TypedDict):
    """The content of an HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/).

    In an entry, `_mockpets` is its `RequestSummary`.
    """

    version: Literal["1.2"]
    creator: dict[str, str]
    entries: list[Document]


class Har(TypedDict):
    """An HTTP Archive."""

    log: HarLog


# --- Sessions ---------------------------------------------------------------------------------


class SessionSummary(ActiveScenarios):
    """A session; `records` and `held` are the same as in `StateCounts`, and `clock` as in `State`.

    `id` is new when a session is created, and when a restart may have lost anything of it.
    `failed` counts requests in the log with an error status, a broken connection or a client that
    left; `last_request` is the method and target of the newest.
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
    """What an undo put back, and the session as it is now."""

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


class ExportedCount(TypedDict):
    """The requests that a stub has skipped because of `after`, and those that it applied to."""

    passed: int
    used: int


class ExportedRecords(TypedDict):
    """The records of a collection in order, and its next ID, or the number of its next UUID.

    `scenario` is the one that gives it content; None for the session's own records.
    """

    collection: str
    scenario: str | None
    next: int
    records: list[Document]


class SessionExport(TypedDict):
    """A session to take to another server.

    `format` is the version of the document, `mockpets` that of the server that wrote it. `starts`
    are the records that a reset restores, by collection; `data` are those that differ from the
    initial ones, and `random` is the state of the random numbers. The `log` is there on request; an
    import ignores it.
    """

    mockpets: NotRequired[str]
    format: int
    session: NotRequired[str]
    scenario: str | Document | list[str | Document]
    overrides: NotRequired[dict[str, str]]
    seed: int
    random: NotRequired[str]
    clock: NotRequired[ClockChange]
    starts: NotRequired[dict[str, list[Document]]]
    counters: NotRequired[dict[str, ExportedCount]]
    data: NotRequired[list[ExportedRecords]]
    log: NotRequired[Har]


class DroppedSession(TypedDict):
    """The name of the session that was removed, and its `id`."""

    dropped: str
    id: str


class ResetSessions(TypedDict):
    """How many sessions were reset."""

    reset: int


class DroppedSessions(TypedDict):
    """How many sessions were removed."""

    dropped: int


# --- Errors -----------------------------------------------------------------------------------


class InvalidInputDetails(TypedDict):
    """Every problem in a body."""

    problems: list[InputProblem]


class NearestRequest(TypedDict):
    """A request that does not match, and why."""

    request: RequestSummary
    differences: list[Difference]


class VerificationDetails(TypedDict):
    """Why a verification failed.

    `unknown` counts the requests that may have matched but are no longer in the journal, or not
    in full. `expected` and `match` describe the expectation.
    """

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
