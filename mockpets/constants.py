"""Paths, header names, error codes, and the limits that several modules need.

Imports no other module of mockpets. A limit that one module enforces is in that module, and a value
that users can change is a setting (`settings`).
"""

from __future__ import annotations

from typing import Final, Literal, get_args

VERSION = "0.2.0"
"""The version of mockpets, which the build of the package reads from this line."""
PROTOCOL: Final = 2
"""The number of the control API's protocol. A client compares it with that of `GET health`.

Raise it when a client of the previous number no longer works, or needs something that a server of
the previous number lacks.
"""

# --- The contract -----------------------------------------------------------------------------

API_PREFIX: Final = "/v1"
"""The base path of the contract's document, which the client needs without reading it."""
BUILT_IN_CONTRACT: Final = "pet-store"
"""What `--contract` calls the built-in contract."""
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1
SAFE_INTEGER: Final = 2**53 - 1
"""The highest integer that JavaScript represents exactly, with all below it."""

Role = Literal["list", "create", "get", "replace", "update", "delete"]
"""What an operation does to a collection."""
ROLES: Final[tuple[Role, ...]] = get_args(Role)
LIST_METHODS: Final[dict[str, Role]] = {"GET": "list", "POST": "create"}
RECORD_METHODS: Final[dict[str, Role]] = {
    "GET": "get",
    "PUT": "replace",
    "PATCH": "update",
    "DELETE": "delete",
}

ErrorCode = Literal[
    "invalid_request",
    "unauthorized",
    "forbidden",
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "verification_failed",
    "not_held",
    "conflict",
    "session_dropped",
    "gone",
    "payload_too_large",
    "expectation_failed",
    "invalid_scenario",
    "invalid_session",
    "session_required",
    "unknown_header",
    "unknown_scenario",
    "unknown_session",
    "rate_limited",
    "headers_too_large",
    "internal_error",
    "not_described",
    "not_implemented",
    "busy",
    "stopping",
    "http_version_not_supported",
    "store_full",
]
ERRORS: Final[dict[str, int]] = {
    "invalid_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "verification_failed": 409,
    "not_held": 409,
    "conflict": 409,
    "session_dropped": 410,
    "gone": 410,
    "payload_too_large": 413,
    "expectation_failed": 417,
    "invalid_scenario": 422,
    "invalid_session": 422,
    "session_required": 422,
    "unknown_header": 422,
    "unknown_scenario": 422,
    "unknown_session": 422,
    "rate_limited": 429,
    "headers_too_large": 431,
    "internal_error": 500,
    "not_described": 501,
    "not_implemented": 501,
    "busy": 503,
    "stopping": 503,
    "http_version_not_supported": 505,
    "store_full": 507,
}
"""Code of an Error body to its HTTP status; the contract's document has more of its own."""

RESOURCE_ERRORS: Final = ("not_found", "method_not_allowed", "conflict", "payload_too_large")
"""Our codes for the other errors that resources send, for replies on paths outside the contract."""
SERVER_LIMIT_ERRORS: Final[tuple[ErrorCode, ...]] = ("busy", "rate_limited", "store_full")
"""The codes of a server that has reached one of its limits; the replies of stubs have others."""

# --- Our own paths and headers ----------------------------------------------------------------

BASE_MARK: Final = "~"
"""Starts the part of a base path or API key that selects a session and scenarios."""
CONTROL_PREFIX: Final = "/__mockpets"
PANEL_PATH: Final = CONTROL_PREFIX + "/"
PANEL_FILE_PATH: Final = CONTROL_PREFIX + "/panel/{version}/{name}"
DOCS_PATH: Final = CONTROL_PREFIX + "/docs"
TOOLBAR_PATH: Final = CONTROL_PREFIX + "/toolbar.js"
LLMS_PATH: Final = f"{CONTROL_PREFIX}/llms.txt"
HEALTH_PATH: Final = CONTROL_PREFIX + "/health"
READY_PATH: Final = CONTROL_PREFIX + "/ready"
MCP_PATH: Final = CONTROL_PREFIX + "/mcp"
VISITOR_RESET_PATH: Final = CONTROL_PREFIX + "/visitor/reset"
"""For visitors, without a token; only with `--public`."""

SESSION_HEADER: Final = "Mockpets-Session"
SCENARIO_HEADER: Final = "Mockpets-Scenario"
DELAY_HEADER: Final = "Mockpets-Delay"
STUB_HEADER: Final = "Mockpets-Stub"
REQUEST_HEADER: Final = "Mockpets-Request"
"""The number of the request in its session's request log."""
OFF_CONTRACT_HEADER: Final = "Mockpets-Off-Contract"
SEED_HEADER: Final = "Mockpets-Seed"
"""The seed that reproduces the response; sent only by scenarios that use randomness."""

SESSION_ID_HEADER: Final = "Mockpets-Session-Id"
"""Differs when a session of the same name was created again, or the server was killed."""
LOST_SESSION: Final = (
    "session {name} was lost: the server was restarted, or another client deleted the session; to "
    "keep sessions over restarts, start the server with --state, and never kill it"
)
NODE_HEADER: Final = "Mockpets-Node"
"""The name of the server (`--name`); not sent without one."""

PROTOCOL_HEADER: Final = "Mockpets-Protocol"
"""`PROTOCOL`, in every response of the control API."""

REQUEST_HEADERS: Final = (SESSION_HEADER, SCENARIO_HEADER, DELAY_HEADER)
"""Our headers that have an effect on a request."""
BAGGAGE_SESSION: Final = "mockpets.session"
BAGGAGE_SCENARIO: Final = "mockpets.scenario"
BAGGAGE_KEYS: Final = (BAGGAGE_SESSION, BAGGAGE_SCENARIO)
"""The keys of members of the header `baggage` that have an effect on a request."""
COOKIE: Final = "mockpets"
"""Its value names a session and scenarios: ``session+scenario``."""
FORWARDED_HEADERS: Final = (
    SESSION_HEADER,
    SCENARIO_HEADER,
    STUB_HEADER,
    REQUEST_HEADER,
    OFF_CONTRACT_HEADER,
    SEED_HEADER,
    SESSION_ID_HEADER,
    NODE_HEADER,
    PROTOCOL_HEADER,
)
"""Our response headers. Requests may carry them without effect,
because proxies copy headers of a response into the next request."""

EXPOSED_HEADERS: Final = (
    "Allow",
    "Deprecation",
    "Link",
    "Location",
    "Retry-After",
    "Server-Timing",
    "Sunset",
    "WWW-Authenticate",
    *FORWARDED_HEADERS,
)
"""Response headers that pages on other origins may read; ``*`` does not work with credentials."""

COMMON_HEADERS: Final = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
"""Headers of every response, including those that the server makes without the app."""

CONTRACT_EXTENSION: Final = "x-mockpets"
"""The part of an OpenAPI document that only mockpets reads."""
MOUNT_PATH: Final = r"(?:/(?!\.)[A-Za-z0-9._-]+)+"
"""A path prefix to mount the server under; excludes ``//``, which browsers read as a host."""


# --- Patterns ---------------------------------------------------------------------------------

LOG_ENTRIES: Final = 1000
"""Number of requests that the request log of one session keeps."""
GLOB_LENGTH: Final = 1000
GLOB: Final = r"(?:[^*]*\*){0,50}[^*]*"
"""A glob with at most 50 ``*``; compiling one with thousands would block all sessions."""
GLOB_RULE: Final = "a pattern of at most 1,000 characters with at most 50 *"
"""`GLOB_LENGTH` and `GLOB` for error messages."""

# --- Names ------------------------------------------------------------------------------------

DEFAULT_SESSION: Final = "default"
DEFAULT_SCENARIO: Final = "default"
SESSION_NAME: Final = r"[a-z0-9][a-z0-9._-]{0,63}"
SESSION_NAME_RULE: Final = (
    "use a-z, 0-9, '.', '_' and '-', start with a letter or digit, at most 64 characters"
)
"""`SESSION_NAME` for error messages."""
SCENARIO_NAME: Final = r"[a-z0-9]+(?:-[a-z0-9]+)*"
"""Kebab case; names of fixtures and stubs have the same form."""
NAME_LENGTH: Final = 64
"""Characters of a name, as in `SESSION_NAME`."""
EXPRESSION: Final = r"[A-Za-z0-9._-]+:[A-Za-z0-9._-]+(?::[A-Za-z0-9._-]+)?"
"""A state of an operation, in place of a scenario's name: see `scenario.expressions`."""
EXPRESSION_LENGTH: Final = 200
EXPRESSION_RULE: Final = (
    "write OPERATION:STATE with letters, digits, '.', '_' and '-', at most 200 characters, such as "
    "all:500"
)
"""`EXPRESSION` and its length for error messages."""
ACTIVE_NAME: Final = f"(?:{EXPRESSION}|{SCENARIO_NAME})"
"""What a request or a session can name as a scenario."""
LOGIN_SIGNATURE: Final = "bW9ja3BldHM"
"""The signature of the tokens of log-ins; whoever knows it needs no password, as in any mock."""
ALL_OPERATIONS: Final = "all"
"""Stands for every operation in expressions."""
REDACTED: Final = "[redacted]"
"""What records and messages have in place of a secret; see `redaction`."""
INLINE: Final = "inline-{}"
"""The name of a scenario that was sent as a document without a name; numbered from 1."""

ScenarioGroup = Literal[
    "Your own",
    "Files with problems",
    "Empty states",
    "Data",
    "Authentication",
    "Errors",
    "Temporary failures",
    "Missing records",
    "Slow responses",
    "Broken responses",
    "Outside the contract",
]
"""A heading in lists of scenarios; this is the order of the headings."""
NEEDS: Final[tuple[ScenarioGroup, ...]] = get_args(ScenarioGroup)[2:]
"""The groups that a scenario file can name."""
Change = Literal[
    "requests",
    "scenario",
    "data",
    "gates",
    "sessions",
    "files",
    "origins",
    "clock",
]
"""What can change in a session or its server."""
NoteCode = Literal[
    "clock",
    "deprecated",
    "ignored_cookie",
    "ignored_headers",
    "ignored_members",
    "ignored_query",
    "key_invalid",
    "key_missing",
    "limit_out_of_range",
    "off_contract",
    "reference_missing",
    "references",
    "released",
    "repeated",
    "resource",
    "server_limit",
    "unmatched",
]
"""The code of a note in the request log."""
ResponseEnd = Literal["sent", "client_left", "broken"]
"""How a response ended: the operating system took all of it, the client ended the connection
before that, or mockpets cut it off (a fault, a limit, or the end of the server)."""
Removal = Literal["reset", "clear", "delete"]
"""What an undo puts back."""
RequestOutcome = Literal["pending", ResponseEnd]
"""What became of the response to a request, as the request log records it."""
REQUEST_OUTCOMES: Final[tuple[RequestOutcome, ...]] = get_args(RequestOutcome)
WaitKind = Literal["held", "delayed", "throttled"]
"""What a response waits for: its gate, the end of its delay, or the rate at which it is sent."""
StepResult = Literal["applies", "after", "times", "sequence", "probability"]
"""Whether a matching stub applies to a request, or the limit because of which it does not."""
StubResult = Literal[StepResult, "responds", "no_match", "not_reached"]
"""What a stub does to a request, in an explanation."""
Responder = Literal["stub", "operation", "resource", "check"]
"""What responds to a request: a stub or a resource of a scenario, the operation, or a check."""

# --- Limits -----------------------------------------------------------------------------------

PORT_MAX: Final = 65535
BODY_BYTES: Final = 64 * 1024
"""Maximum size of the body of an operation."""
SERVER_BODY_BYTES: Final = 1024 * 1024
"""Maximum size of any body; the built-in operations take at most `BODY_BYTES`."""
HEAD_BYTES: Final = 16 * 1024
"""Maximum size of the head of a request, the same as Node has by default."""
CONNECTIONS: Final = 1000
"""Maximum number of open connections, if the process may open as many files."""
PIECES_A_SECOND: Final = 10
"""Number of pieces per second in which a throttled response is sent."""
WAITING_RESPONSES: Final = 500
"""Maximum number of responses that are delayed, throttled or held; a session gets half of it."""
DELAY_SECONDS: Final = 60.0
"""The longest delay of a response."""
INTERVAL_SECONDS: Final = 7 * 24 * 3600
"""The longest interval of a setting: a week."""
DRAIN_SECONDS: Final = 600
"""The longest time to keep serving after SIGTERM."""
RECORDS_GENERATED: Final = 100_000
"""Maximum number of records to generate for a collection, which takes some seconds."""
GENERATED_RECORDS: Final = "16"
"""How many records a contract's collection has at first, unless `--data` says otherwise."""
STACK_DEPTH: Final = 32
"""Maximum number of active scenarios."""
EXTENDS_DEPTH: Final = 8
"""Maximum length of a chain of ``extends``."""
TABLES: Final = 4
"""Generated tables of records to cache; sessions and scenarios share them."""
COUNTED_STUBS: Final = 1000
"""Maximum number of stubs that one session counts: as many as a recording of a full request log can
have. Their counts take 130 kB, which no memory budget includes."""
OVERRIDES: Final = 20
"""Maximum number of overrides in one session."""

WAIT_SECONDS: Final = 30.0
"""Maximum time that a call of the control API waits, for a change or a condition."""

FILE_SUFFIXES: Final = (".yaml", ".yml", ".json")
"""Suffixes of scenario and fixture files, in upper or lower case."""
FIXTURE_SUFFIXES: Final = (*FILE_SUFFIXES, ".csv")
"""The same with CSV, which is rejected with a hint instead of ignored."""
FILE_BYTES: Final = 256 * 1024
"""Maximum size of a scenario file."""
FILE_NODES: Final = 20_000
"""Maximum number of values in one."""
FIXTURE_BYTES: Final = 1024 * 1024
"""Maximum size of a fixture file, and of a body of the control API."""
FIXTURE_NODES: Final = 250_000
"""More than `FIXTURE_BYTES` can hold, even with the shortest notation for a pet."""
PROBLEMS_SHOWN: Final = 20
"""Maximum number of problems in a message."""
CANNED_BYTES: Final = 1024 * 1024
"""Maximum size of the body of a stub's reply; each stub keeps its own in memory."""
HEADER_VALUE_BYTES: Final = 4096
"""Maximum size of a header's value in a stub."""
