"""Every path, header name, code and limit, written once.

A leaf: imports nothing of ours. What a user can change is a setting (`settings`); what stands
here is the default of one, or fixed.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

# --- The contract -----------------------------------------------------------------------------

API_PREFIX: Final = "/v1"
PETS_PATH: Final = API_PREFIX + "/pets"
PET_PATH: Final = API_PREFIX + "/pets/{petId}"
ORDERS_PATH: Final = API_PREFIX + "/store/orders"
"""Named by the contract ("Gaps in the endpoint set"), but not described there."""

INTERFACE_VERSION: Final = "1.0.0"

Operation = Literal["listPets", "createPet", "getPet"]
OPERATIONS: Final[dict[Operation, tuple[str, str]]] = {
    "listPets": ("GET", PETS_PATH),
    "createPet": ("POST", PETS_PATH),
    "getPet": ("GET", PET_PATH),
}
"""Operation to method and path, as the contract's part 4 has them."""

PetStatus = Literal["available", "pending", "sold"]
PET_STATUSES: Final[tuple[PetStatus, ...]] = get_args(PetStatus)
INT64_MIN: Final = -(2**63)
INT64_MAX: Final = 2**63 - 1
PAGE_MIN: Final = 1
PAGE_MAX: Final = 100
PAGE_DEFAULT: Final = 20

ErrorCode = Literal[
    "invalid_request",
    "unauthorized",
    "forbidden",
    "pet_not_found",
    "not_found",
    "method_not_allowed",
    "request_timeout",
    "verification_failed",
    "payload_too_large",
    "expectation_failed",
    "invalid_scenario",
    "invalid_session",
    "unknown_scenario",
    "rate_limited",
    "headers_too_large",
    "internal_error",
    "not_described",
    "not_implemented",
    "busy",
    "http_version_not_supported",
    "store_full",
]
ERRORS: Final[dict[ErrorCode, int]] = {
    "invalid_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "pet_not_found": 404,
    "not_found": 404,
    "method_not_allowed": 405,
    "request_timeout": 408,
    "verification_failed": 409,
    "payload_too_large": 413,
    "expectation_failed": 417,
    "invalid_scenario": 422,
    "invalid_session": 422,
    "unknown_scenario": 422,
    "rate_limited": 429,
    "headers_too_large": 431,
    "internal_error": 500,
    "not_described": 501,
    "not_implemented": 501,
    "busy": 503,
    "http_version_not_supported": 505,
    "store_full": 507,
}
"""Code of an Error body to its HTTP status. The contract shows no codes: these are ours."""

CONTRACT_ERRORS: Final = ("invalid_request", "unauthorized", "pet_not_found")
"""The errors that the contract itself has, by our code for them."""

# The deprecated operation. Sunset is the contract's date (RFC 8594); the contract gives no start,
# so 2026-01-01T00:00:00Z is assumed (RFC 9745 wants a start).
DEPRECATION: Final = "@1767225600"
SUNSET: Final = "Thu, 05 Dec 2030 00:00:00 GMT"

# --- Our own paths and headers ----------------------------------------------------------------

BASE_MARK: Final = "~"
"""Begins the base path that names a session and scenarios, and the same in a key."""
CONTROL_PREFIX: Final = "/__mockpets"
PANEL_PATH: Final = CONTROL_PREFIX + "/"
PANEL_FILE_PATH: Final = CONTROL_PREFIX + "/panel/{name}"
DOCS_PATH: Final = CONTROL_PREFIX + "/docs"
HEALTH_PATH: Final = CONTROL_PREFIX + "/health"
READY_PATH: Final = CONTROL_PREFIX + "/ready"
OPENAPI_PATH: Final = CONTROL_PREFIX + "/openapi.json"
SCENARIO_SCHEMA_PATH: Final = CONTROL_PREFIX + "/schema/scenario.json"
STATE_PATH: Final = CONTROL_PREFIX + "/state"
SCENARIOS_PATH: Final = CONTROL_PREFIX + "/scenarios"
ONE_SCENARIO_PATH: Final = CONTROL_PREFIX + "/scenarios/{name}"
SCENARIO_PATH: Final = CONTROL_PREFIX + "/scenario"
RESET_PATH: Final = CONTROL_PREFIX + "/reset"
CONTROL_PETS_PATH: Final = CONTROL_PREFIX + "/pets"
CONTROL_PET_PATH: Final = CONTROL_PREFIX + "/pets/{id}"
SNAPSHOTS_PATH: Final = CONTROL_PREFIX + "/snapshots"
SNAPSHOT_PATH: Final = CONTROL_PREFIX + "/snapshots/{name}"
RESTORE_PATH: Final = CONTROL_PREFIX + "/snapshots/{name}/restore"
REQUESTS_PATH: Final = CONTROL_PREFIX + "/requests"
REQUEST_PATH: Final = CONTROL_PREFIX + "/requests/{number}"
HAR_PATH: Final = CONTROL_PREFIX + "/requests.har"
VERIFY_PATH: Final = CONTROL_PREFIX + "/verify"
EVENTS_PATH: Final = CONTROL_PREFIX + "/events"
GATES_PATH: Final = CONTROL_PREFIX + "/gates"
GATE_PATH: Final = CONTROL_PREFIX + "/gates/{name}/open"
SESSIONS_PATH: Final = CONTROL_PREFIX + "/sessions"
SESSION_PATH: Final = CONTROL_PREFIX + "/sessions/{name}"
METRICS_PATH: Final = CONTROL_PREFIX + "/metrics"

SESSION_HEADER: Final = "Mockpets-Session"
SCENARIO_HEADER: Final = "Mockpets-Scenario"
DELAY_HEADER: Final = "Mockpets-Delay"
STUB_HEADER: Final = "Mockpets-Stub"
REQUEST_HEADER: Final = "Mockpets-Request"
"""The number of the request in its session's journal."""
OFF_CONTRACT_HEADER: Final = "Mockpets-Off-Contract"
SEED_HEADER: Final = "Mockpets-Seed"
"""On answers of scenarios that leave something to chance: the seed that replays them."""

EXPOSED_HEADERS: Final = (
    "Allow",
    "Deprecation",
    "Link",
    "Location",
    "Retry-After",
    "Server-Timing",
    "Sunset",
    "WWW-Authenticate",
    SESSION_HEADER,
    SCENARIO_HEADER,
    STUB_HEADER,
    REQUEST_HEADER,
    OFF_CONTRACT_HEADER,
    SEED_HEADER,
)
"""Response headers that a page on another origin may read; ``*`` does not hold with credentials."""

COMMON_HEADERS: Final = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
"""Headers of every response, the server's own included."""

MOUNT: Final = r"(?:/(?!\.)[A-Za-z0-9._-]+)+"
"""A path that the server can be mounted under; none that a browser takes for another host's."""

REALM: Final = "mockpets"
CONTROL_REALM: Final = "mockpets control"

# --- Names ------------------------------------------------------------------------------------

DEFAULT_SESSION: Final = "default"
DEFAULT_SCENARIO: Final = "default"
SESSION_NAME: Final = r"[a-z0-9][a-z0-9._-]{0,63}"
"""Also what a snapshot's name looks like."""
SCENARIO_NAME: Final = r"[a-z0-9]+(?:-[a-z0-9]+)*"
"""Kebab-case; also what a fixture's and a stub's name looks like."""
NAME_LENGTH: Final = 64
INLINE: Final = "inline-{}"
"""The name of a scenario that was sent as a document: 1 for the first."""

# --- Limits -----------------------------------------------------------------------------------

BODY_BYTES: Final = 64 * 1024
JSON_DEPTH: Final = 20
SERVER_BODY_BYTES: Final = 1024 * 1024
HEAD_BYTES: Final = 16 * 1024
CONNECTIONS: Final = 1000
IDLE_SECONDS: Final = 20.0
"""How long a connection may be open without a request under way."""
HEAD_SECONDS: Final = 10.0
"""How long a request's head may take to arrive, from its first byte."""
BODY_SECONDS: Final = 20.0
"""How long a body may take to arrive, from the end of its head."""
WRITE_SECONDS: Final = 30.0
"""How long a client may take no byte of an answer."""
LINGER_SECONDS: Final = 2.0
"""How long a client may go on sending after its last answer: cut off earlier, it may lose that."""
DRAIN_SECONDS: Final = 5.0
"""How long clients may take to read their last answers when the server stops."""
PIECES_A_SECOND: Final = 10
"""In how many pieces a second a throttled answer is sent."""
PARKED: Final = 500
"""Answers that may be delayed, slow or held at once."""
PREFLIGHT_SECONDS: Final = 600
DELAY_SECONDS: Final = 60.0
PETS_BY_REQUEST: Final = 10_000
PETS_GENERATED: Final = 100_000
PETS_AT_ONCE: Final = 500
"""Pets that are made while others wait: some milliseconds of work."""
WATCH_SECONDS: Final = 0.5
"""How often scenario and fixture files are looked at."""
STACK_DEPTH: Final = 8
"""Scenarios that may be active, or extend one another, at once."""
TABLES: Final = 4
"""Generated tables that are kept for sessions and scenarios to share."""
STACKS: Final = 100
"""Different stacks of scenarios that one session keeps counters for."""

SESSIONS: Final = 200
SESSION_IDLE_SECONDS: Final = 600.0
"""How long a session must not have been used before another may take its place."""
JOURNAL_ENTRIES: Final = 1000
"""Requests that one session's journal keeps."""
JOURNAL_BYTES: Final = 16 * 1024 * 1024
"""What all journals together may hold."""
PETS_BYTES: Final = 64 * 1024 * 1024
"""What the pets of all sessions together may hold, beyond those that the server starts with."""
SNAPSHOTS: Final = 100
"""Snapshots of one session."""
SNAPSHOTS_BYTES: Final = 64 * 1024 * 1024
"""What the snapshots of all sessions together may hold."""
EVENTS_SECONDS: Final = 30.0
"""How long `events` may be asked to wait for a change."""
CONTROL_PETS: Final = 1000
"""Pets that one answer of the control API holds."""

PUBLIC_DELAY_SECONDS: Final = 10.0
PUBLIC_PETS: Final = 1000
PUBLIC_NAME_LENGTH: Final = 256
PUBLIC_BYTES: Final = 8 * 1024 * 1024
"""Each of the three budgets of a server that is open to strangers."""
PUBLIC_RATE: Final = (200.0, 400)
"""Requests a second, and at once, of all strangers together."""
PUBLIC_VISITOR_RATE: Final = (20.0, 40)
"""The same of each of them."""
PUBLIC_IDLE_SECONDS: Final = 60.0
"""As `SESSION_IDLE_SECONDS`, of a server that is open to strangers: they come and do not go."""
PUBLIC_RESET_SECONDS: Final = 3600.0

TOKEN_GUESSES: Final = (1 / 3, 20)
"""Wrong control tokens a second, and at once, that one address may send."""

FILE_SUFFIXES: Final = (".yaml", ".yml", ".json")
"""Of scenario and fixture files, in any case."""
FILE_BYTES: Final = 256 * 1024
FILE_DEPTH: Final = 40
FILE_NODES: Final = 20_000
FILE_ALIASES: Final = 50
FIXTURE_BYTES: Final = 1024 * 1024
FIXTURE_NODES: Final = 250_000
"""More than pets written as briefly as can be have in so many bytes."""
PROBLEMS_SHOWN: Final = 20
CANNED_BYTES: Final = 1024 * 1024
"""The body of one canned reply; each stub that sends one keeps it in memory."""
CANNED_PETS: Final = 1000
"""The pets of one canned page: ten times what the contract allows is enough to try that."""
HEADER_VALUE_BYTES: Final = 4096
