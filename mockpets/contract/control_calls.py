"""The calls of the control API, one row each; `control_types` has the JSON of their responses.

`web.control.call.responds_to` binds a view to a row; its docstring describes the call in the
OpenAPI document, which has the type in the annotation of the row. `typing.get_type_hints` reads
all annotations of this module, so each is complete. Keep imports light: the client loads it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeVar

if TYPE_CHECKING:
    from mockpets.contract import control_types as types

T = TypeVar("T")


class Call(NamedTuple, Generic[T]):
    """A call of the control API, whose response has the type `T`; a `str` is text, not JSON.

    :param route: method and path, after `CONTROL_PREFIX`.
    :param tag: one of `TAGS`; empty if the OpenAPI document does not have the call.
    :param session: what it does with the session that the request names: ``changes`` creates a
        missing one and opens a closed name, ``reads`` does not, ``none`` is about the server or
        about a session in the path.
    :param parameters: the key of its query parameters in `query_parameters`; empty if it has none,
        None if it ignores any.
    :param body: the name of the shape of its body; empty without one.
    :param creates: whether it responds with 201 if it created what the path names.
    :param has_filters: whether its view reads other query parameters itself.
    :param conditions: the conditional headers that it reads, with descriptions.
    :param caller: who may make it: ``visitor`` means anyone, if the server is public.
    """

    route: str
    tag: str
    session: Literal["changes", "reads", "none"] = "reads"
    parameters: str | None = ""
    body: str = ""
    needs_body: bool = True
    creates: bool = False
    has_filters: bool = False
    conditions: tuple[tuple[str, str], ...] = ()
    caller: Literal["owner", "anyone", "visitor"] = "owner"

    @property
    def method(self) -> str:
        """The method in its route."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path in its route."""
        return self.route.partition(" ")[2]


TAGS: Final[dict[str, str]] = {
    "server": "Health, metrics, contracts and documents of the server.",
    "sessions": "Private copies of the server's state: records, active scenarios and request log.",
    "scenarios": "The scenarios: their files, and which are active.",
    "data": "The records of collections, and logging in as one of the users.",
    "requests": "The request log: verification, findings, recordings and explanations.",
    "gates": "Waiting responses, and the gates that hold them.",
}
"""Tag to its description."""
SCENARIO_FILE: Final[str] = "ScenarioDocument"
"""The shape of a body that is a scenario file: in YAML, of which JSON is a part."""
_CONDITIONS: Final[tuple[tuple[str, str], ...]] = (
    (
        "If-Match",
        "The `digest` of the file to change, in double quotes; 409 if the file has changed.",
    ),
    ("If-None-Match", "`*` to create a file; 409 if it exists."),
)

HEALTH: Call[types.Health] = Call("GET /health", "server", "none", parameters=None, caller="anyone")
READY: Call[types.Health] = Call("GET /ready", "server", "none", parameters=None, caller="anyone")
OPENAPI: Call[dict[str, Any]] = Call(
    "GET /openapi.json", "server", "none", parameters="contract", caller="anyone"
)
CONTROL_OPENAPI: Call[dict[str, Any]] = Call(
    "GET /control.openapi.json", "server", "none", parameters="tag", caller="anyone"
)
SCENARIO_SCHEMA: Call[dict[str, Any]] = Call(
    "GET /schema/scenario.json", "server", "none", caller="anyone"
)
CONTRACT: Call[types.ContractList] = Call("GET /contract", "server", "none")
METRICS: Call[str] = Call("GET /metrics", "server", "none", parameters=None)

STATE: Call[types.State] = Call("GET /state", "sessions")
RESET: Call[types.ActiveScenarios] = Call("POST /reset", "sessions", "changes")
SESSIONS: Call[types.SessionList] = Call("GET /sessions", "sessions", "none")
DROP_SESSIONS: Call[types.DroppedSessions] = Call(
    "DELETE /sessions", "sessions", "none", parameters="closed"
)
RESET_SESSIONS: Call[types.ResetSessions] = Call("POST /sessions/reset", "sessions", "none")
FIND_SESSION: Call[types.SessionSummary] = Call("GET /sessions/{name}", "sessions", "none")
MAKE_SESSION: Call[types.SessionSummary] = Call(
    "PUT /sessions/{name}",
    "sessions",
    "none",
    body="SessionContents",
    needs_body=False,
    creates=True,
)
DROP_SESSION: Call[types.DroppedSession] = Call(
    "DELETE /sessions/{name}", "sessions", "none", parameters="closed"
)
UNDO: Call[types.Undone] = Call("POST /sessions/{name}/undo", "sessions", "none")
EXPORT_SESSION: Call[types.SessionExport] = Call(
    "GET /sessions/{name}/export", "sessions", "none", parameters="export"
)
IMPORT_SESSION: Call[types.SessionSummary] = Call(
    "PUT /sessions/{name}/export", "sessions", "none", body="SessionExport", creates=True
)
CLOCK: Call[types.ClockState] = Call("GET /clock", "sessions")
SET_CLOCK: Call[types.ClockState] = Call("PUT /clock", "sessions", "changes", body="ClockChange")
EVENTS: Call[types.Events] = Call("GET /events", "sessions", parameters="events")
RESET_VISITOR: Call[types.ActiveScenarios] = Call(
    "POST /visitor/reset", "sessions", caller="visitor"
)

SCENARIOS: Call[types.ScenarioList] = Call("GET /scenarios", "scenarios")
SCENARIO: Call[types.ScenarioDetails] = Call("GET /scenarios/{name}", "scenarios")
SAVE_SCENARIO: Call[types.ScenarioDetails] = Call(
    "PUT /scenarios/{name}", "scenarios", body=SCENARIO_FILE, creates=True, conditions=_CONDITIONS
)
CHECK_SCENARIO: Call[types.CheckedScenario] = Call(
    "POST /scenarios/check", "scenarios", parameters="check", body=SCENARIO_FILE
)
OVERRIDE_SCENARIO: Call[types.ScenarioDetails] = Call(
    "PUT /overrides/{name}", "scenarios", "changes", body=SCENARIO_FILE, creates=True
)
DROP_OVERRIDE: Call[types.ScenarioList] = Call("DELETE /overrides/{name}", "scenarios", "changes")
USE: Call[types.Activated] = Call("PUT /scenario", "scenarios", "changes", body="ScenarioSelection")

COLLECTIONS: Call[types.CollectionList] = Call("GET /data", "data")
RECORDS: Call[types.RecordPage] = Call(
    "GET /data/{name}", "data", parameters="records", has_filters=True
)
SET_RECORDS: Call[types.Total] = Call("PUT /data/{name}", "data", "changes", body="RecordsSource")
ADD_RECORD: Call[dict[str, Any]] = Call(
    "POST /data/{name}", "data", "changes", body="DataRecord", needs_body=False, creates=True
)
RECORD: Call[dict[str, Any]] = Call("GET /data/{name}/{record}", "data")
CHANGE_RECORD: Call[dict[str, Any]] = Call(
    "PATCH /data/{name}/{record}", "data", "changes", body="DataRecord"
)
DELETE_RECORD: Call[types.Total] = Call("DELETE /data/{name}/{record}", "data", "changes")
LOG_IN: Call[types.LoggedIn] = Call(
    "POST /login", "data", parameters="log_in", body="UserSelection", needs_body=False
)

REQUESTS: Call[types.RequestList] = Call("GET /requests", "requests", parameters="requests")
CLEAR_REQUESTS: Call[types.Cleared] = Call("DELETE /requests", "requests", "changes")
REQUEST: Call[types.RequestDetails] = Call("GET /requests/{number}", "requests")
EXPLAIN: Call[types.Explanation] = Call("GET /requests/{number}/explain", "requests")
EXPLAIN_REQUEST: Call[types.Explanation] = Call(
    "POST /explain", "requests", body="RequestToExplain"
)
STUB: Call[types.RecordedStub] = Call("GET /requests/{number}/stub", "requests", parameters="stub")
RESPOND_LIKE: Call[types.StubInUse] = Call(
    "POST /requests/{number}/stub", "requests", "changes", parameters="stub"
)
DROP_STUB: Call[types.DroppedStub] = Call("DELETE /requests/{number}/stub", "requests", "changes")
START_RECORDING: Call[types.RecordingStarted] = Call("POST /recording", "requests", "changes")
RECORDING: Call[types.RecordedScenario] = Call("GET /recording", "requests")
HAR: Call[types.Har] = Call("GET /requests.har", "requests", parameters="requests")
VERIFY: Call[types.VerifiedRequests] = Call("POST /verify", "requests", body="Verification")
FINDINGS: Call[types.Findings] = Call("GET /findings", "requests")

HELD: Call[types.WaitingResponses] = Call("GET /held", "gates")
RELEASE: Call[types.ReleasedRequests] = Call("POST /held/release", "gates", body="Release")
GATES: Call[types.GateCounts] = Call("GET /gates", "gates")
OPEN_GATE: Call[types.OpenedGate] = Call("POST /gates/{name}/open", "gates", "changes")
WAIT_FOR_GATE: Call[types.HeldResponses] = Call(
    "POST /gates/{name}/wait", "gates", body="GateWait", needs_body=False
)

MCP: Call[Any] = Call("POST /mcp", "", "none")

CALLS: Final[dict[str, Call[Any]]] = {
    name.lower(): each for name, each in [*globals().items()] if isinstance(each, Call)
}
"""Every call by name, which is that of its view and its method of `ControlClient`."""
GUARDED: Final[frozenset[str]] = frozenset(
    each.route for each in CALLS.values() if each.caller == "owner"
)
"""The endpoints of the calls that may need a token."""
