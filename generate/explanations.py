"""What the generated tables of the reference say about each code, header and property.

`reference` checks that they explain exactly what the program has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mockpets.constants import NoteCode, RequestOutcome

ERRORS: Final[dict[str, tuple[str, str]]] = {
    "invalid_request": (
        "The query, the body or the HTTP syntax of the request is invalid.",
        "Fix what the message names.",
    ),
    "unauthorized": (
        "The API key is missing or invalid; on the control API, the token.",
        "Send `Authorization: Bearer KEY`; the message explains what was wrong.",
    ),
    "forbidden": (
        "The caller may not use the [control API](control-api.md#who-may-call), or a scenario breaks "
        "connections and the server runs with `--public`.",
        "Use the option that the message names.",
    ),
    "pet_not_found": (
        "No pet has this id.",
        "Use an id that `GET /v1/pets` lists. Pets belong to a session, and to a scenario that "
        "has data for them.",
    ),
    "not_found": (
        "The path, or the session, scenario or request that it names, does not exist.",
        "Check the base URL, which ends in `/v1`; the message has the nearest name.",
    ),
    "method_not_allowed": (
        "The path does not support this method.",
        "Use a method in `Allow`.",
    ),
    "request_timeout": (
        "The head of a request did not arrive within 10 seconds, or its body within 20.",
        "Send the request again.",
    ),
    "verification_failed": (
        "`verify` found more or fewer matching requests than expected.",
        "Compare the nearest requests in `details`.",
    ),
    "not_held": (
        "A gate held too few responses in time.",
        "Check that a stub with `hold` matches, or wait longer.",
    ),
    "conflict": (
        "The scenario file was changed, created or deleted since it was read.",
        "Read it again with `GET scenarios/NAME`, and repeat your change.",
    ),
    "session_dropped": (
        "The session was deleted with `?closed=`; `POST verify` named another one by its ID; or a visitor's changed session "
        "made room for another (`--public`).",
        "Stop the page that still uses it, or create the session again with `PUT sessions/NAME`. Visitors: try again.",
    ),
    "gone": (
        "The session's [clock](control-api.md#the-clock) was set to 5 December 2030 or later, when `getPet` ends.",
        "Use `listPets`, or set the clock to an earlier time.",
    ),
    "payload_too_large": (
        "The body is over 64 KiB (pet store, `--public`) or 1 MiB, or has over 1000 chunks.",
        "Send a smaller body.",
    ),
    "expectation_failed": (
        "The header `Expect` is not `100-continue`.",
        "Remove the header.",
    ),
    "invalid_scenario": (
        "A scenario in the body has problems.",
        "Fix the problems in `details.problems`; each has line and column.",
    ),
    "invalid_session": (
        "The name of a session is invalid, or a visitor of a `--public` server names one.",
        "Use `a-z`, `0-9`, `.`, `_` and `-`, at most 64 characters.",
    ),
    "session_required": (
        "The request does not name a session, and the server runs with `--sessions declared`.",
        "Name the session in the base path, the header or the key.",
    ),
    "unknown_header": (
        "A header whose name begins with `Mockpets-` is unknown.",
        "Use one of the [request headers](contract.md#headers).",
    ),
    "unknown_scenario": (
        "The request names an unknown or invalid scenario, or more than 32 scenarios.",
        "Use the name in the message; `mockpets scenarios` lists all.",
    ),
    "unknown_session": (
        "The request names an unknown session, and the server runs with `--sessions declared`.",
        "Create the session with `PUT sessions/NAME`.",
    ),
    "rate_limited": (
        "A visitor of a `--public` server, or all together, sent too many requests, or an address too many wrong tokens.",
        "Try again later: `Retry-After` has the seconds. The log names the option that sets the limit.",
    ),
    "headers_too_large": (
        "The request line and the headers are over 16 KiB, or over 200 headers or 100 trailers.",
        "Send fewer or smaller headers, such as cookies.",
    ),
    "internal_error": (
        "mockpets itself failed.",
        "Read the message and the log, and report the problem.",
    ),
    "not_described": (
        "The contract mentions `GET /v1/store/orders` without describing it.",
        "Define a response in a scenario, as the message shows.",
    ),
    "not_implemented": (
        "`Transfer-Encoding` is not `chunked`.",
        "Send the body with a `Content-Length` or in chunks.",
    ),
    "busy": (
        "The server reached a limit for sessions in use, for delayed, throttled or held responses, for "
        "counted stubs, or for arriving bodies.",
        "Follow the message, or try again later: `Retry-After` has the seconds.",
    ),
    "stopping": (
        "Only from `GET ready`: the server received SIGTERM and will stop after `--drain`.",
        "Send new requests to another server.",
    ),
    "http_version_not_supported": (
        "The version in the request line is not HTTP/1.1 or HTTP/1.0.",
        "Use HTTP/1.1.",
    ),
    "store_full": (
        "The session reached its maximum number of new pets, or all sessions together reached the "
        "memory limit for them.",
        "Delete pets, reset or drop sessions, or raise the setting that the message names.",
    ),
}
"""Code to when it is sent and what to do about it."""

REQUEST_HEADERS: Final = {
    "Mockpets-Session": "The session of this request. A new name creates the session, unless the "
    "server runs with `--sessions declared`.",
    "Mockpets-Scenario": "The scenarios of this request, at most eight, separated by commas; the first "
    "takes precedence. The session's active scenarios stay.",
    "Mockpets-Delay": "A delay for this response, such as `300ms` or `2s`, in addition to other delays.",
}

RESPONSE_HEADERS: Final = {
    "Allow": ("405, and `OPTIONS`", "The methods of the path."),
    "Deprecation": ("every response to `getPet`", "`@1767225600`: when it was deprecated."),
    "Link": ("every response to `getPet`", "The operation to use instead, and a page about it."),
    "Location": ("201", "The path of the new pet, relative to the server."),
    "Retry-After": ("429, most 503, and stubs that set it", "The seconds to wait."),
    "Server-Timing": (
        "every `/v1` response",
        "`app`: processing time in milliseconds; `delay`: added delay in milliseconds.",
    ),
    "Sunset": (
        "every response to `getPet`",
        "`Thu, 05 Dec 2030 00:00:00 GMT`: when it will be removed.",
    ),
    "WWW-Authenticate": (
        "401",
        '`Bearer realm="mockpets"`, with `error="invalid_token"` for a wrong key.',
    ),
    "Mockpets-Session": ("responses of a session", "The name of the session that responded."),
    "Mockpets-Session-Id": (
        "responses of a session",
        "The ID of this session. It survives resets; a new ID means that the session was created "
        "again, or may have lost data in a restart.",
    ),
    "Mockpets-Scenario": (
        "every `/v1` response",
        "The scenarios that applied, in order of precedence.",
    ),
    "Mockpets-Stub": (
        "responses of a session",
        "The stubs that took part, such as `missing/gone`, separated by commas; `-` if there are none.",
    ),
    "Mockpets-Request": (
        "responses to recorded requests",
        "The number of the request in the [request log](request-log.md) of its session.",
    ),
    "Mockpets-Off-Contract": (
        "responses that the contract does not list",
        "The reason, such as `fault truncated_body` or `status 503 is not in the contract for listPets`.",
    ),
    "Mockpets-Protocol": (
        "responses of the control API",
        "The number of its [protocol](control-api.md#use-it-from-typescript-or-python).",
    ),
    "Mockpets-Node": (
        "all responses of a server with `--name`, except to invalid HTTP",
        "The name of the server.",
    ),
    "Mockpets-Seed": (
        "responses of scenarios that use random numbers",
        "The seed that reproduces them.",
    ),
}
"""Header to where it is sent and what it has."""

ENTRY: Final = {
    "number": "The number in the session, from 1, as in `Mockpets-Request`. `POST reset` starts again "
    "from 1; `DELETE requests` does not.",
    "at": "When the request arrived, in UTC.",
    "session": "The session.",
    "method": "The method.",
    "target": "Path and query as the client sent them, with the base path of a session, without secrets.",
    "path": "The decoded path, from `/v1` on.",
    "operation": "The operation of the contract, or null.",
    "status": "The status, or null if the connection was broken instead.",
    "outcome": "What [became of the response](#outcomes).",
    "scenarios": "The scenarios that applied, in order of precedence.",
    "stubs": "The stubs that took part.",
    "fault": "The fault that broke the response, or null.",
    "off_contract": "Why the contract does not list the response, or null.",
    "app_ms": "Processing time in milliseconds.",
    "delay_ms": "Delay added by scenarios, `--delay` or `Mockpets-Delay`, in milliseconds.",
    "held_ms": "How long the gate has held the response so far, in milliseconds; null without a gate.",
    "total_ms": "Time from the arrival of the request until its response ended, in milliseconds; null while it is "
    "pending.",
    "waits": "What the response waits for, or what it waited for when the client left: `held`, `delayed` or `throttled`; "
    "otherwise null.",
    "hold": "The gate that held the response, or null.",
    "throttle": "The rate at which the response was sent, in bytes per second, or null.",
    "notes": "What mockpets [noticed](#notes): a list with `code` and `text`.",
    "request": "Headers and body of the request. Only `GET requests/NUMBER` has it.",
    "response": "Headers and body of the response. Only `GET requests/NUMBER` has it.",
}

NOTES: Final[dict[NoteCode, str]] = {
    "clock": "`getPet` responded with 410 because of the session's [clock](../reference/control-api.md#the-clock)",
    "deprecated": "the request called the deprecated operation",
    "ignored_cookie": "the cookie `mockpets` had no effect: because of `--public`, or because pages on this origin cannot call "
    "the control API",
    "ignored_headers": "a response header of mockpets, such as `Mockpets-Seed`, had no effect",
    "ignored_members": "a property of the body is not in the contract",
    "ignored_query": "the operation does not have this query parameter",
    "key_invalid": "401 because the API key is invalid",
    "key_missing": "401 because the API key is missing",
    "limit_out_of_range": "`limit` was a number, but not from 1 to 100",
    "off_contract": "why the contract does not list the response to one of its operations",
    "reference_missing": "the request has no value for a [reference](../reference/scenario-language.md#references) "
    "of the stub's reply",
    "references": "the values that the stub's reply repeats, each with its source",
    "released": "`POST held/release` sent another response than the prepared one, or sent it later",
    "repeated": "the response is that to the first request with this `Idempotency-Key`",
    "resource": "the [resource](../reference/scenario-language.md#resources) that served the request",
    "server_limit": "the server rejected the request because it has reached a limit, with the code (`busy`, "
    "`rate_limited`, `store_full`). A stub's response never has this note",
    "unmatched": "the path or method does not exist",
}

OUTCOMES: Final[dict[RequestOutcome, str]] = {
    "pending": "the response is delayed, throttled or held, or the client has not read all of it",
    "sent": "mockpets passed the last byte of the response to the operating system",
    "client_left": "the client ended the connection before that, for example because it aborted the request",
    "broken": "mockpets ended the response early: because of a fault, because it stopped, or because the client "
    "fell 30 seconds behind a rate of 1 KiB/s",
}

LOG_LINE: Final = {
    "time": "UTC, with milliseconds",
    "level": "`info` for requests; `warning` and `error` for problems",
    "logger": "`mockpets.access` for requests; other lines have a `message`, and a `traceback` "
    "after an internal error",
    "method": "the method",
    "target": "path and query, without [secrets](../../SECURITY.md#on-every-server)",
    "status": "the status; null if mockpets broke the connection",
    "ms": "processing time in milliseconds",
    "delay_ms": "added delay in milliseconds",
    "bytes": "size of the response's body",
    "session": "the session; of a visitor's session, only the first 8 digits",
    "request": "the number in the [request log](../reference/request-log.md)",
    "code": "the [error code](../reference/contract.md#errors) of a request that mockpets rejected",
    "fault": "the fault that broke the response",
    "scenarios": "the scenarios that applied",
    "stubs": "the stubs that took part",
    "notes": "the [notes](../reference/request-log.md#notes)",
    "client": "the client's address; with `--public` only if `--log-addresses` is set",
    "node": "the name that `--name` sets",
}

CONDITIONS: Final[dict[str, tuple[str, str]]] = {
    "equals": (
        "the value is identical, as with a plain value",
        "match: {query: {status: {equals: sold}}}",
    ),
    "contains": (
        "the text contains this text, or the list in the body contains this value",
        "match: {headers: {accept-language: {contains: de}}}",
    ),
    "matches": (
        "the whole text matches: `*` is any text, `?` any one character",
        'match: {operation: createPet, body: {name: {matches: "M*"}}}',
    ),
    "present": (
        "`true`: the value is present; `false`: it is missing",
        "match: {operation: createPet, body: {status: {present: false}}}",
    ),
    "one_of": ("the value is one of these", "match: {query: {status: {one_of: [sold, pending]}}}"),
}
"""Operator to what it means, and an example."""

SOURCES: Final[dict[str, tuple[str, str]]] = {
    "body.NAME": (
        "a property of the JSON body, also `body.items.0.price`; `body` is all of it",
        'match: {operation: createPet}, reply: {error: invalid_request, message: "no {body.name}"}',
    ),
    "query.NAME": (
        "the first value of a query parameter",
        'reply: {status: 503, headers: {X-Page: "{query.page}"}}',
    ),
    "headers.NAME": (
        "a request header, unless it holds a secret such as `Authorization` or a cookie",
        'reply: {status: 503, text: "{headers.user-agent}"}',
    ),
    "path.NAME": (
        "a named segment of `match.path`, or a parameter of the operation's path, such as `path.petId`",
        "match: {operation: getPet}, reply: {status: 200, body: {id: {from: path.petId}, name: Miso, categoryId: 2}}",
    ),
    "session": ("the name of the session", 'reply: {status: 503, text: "{session}"}'),
    "now": (
        "the time of the session's [clock](control-api.md#the-clock), such as `2026-11-23T14:30:00.000Z`",
        'reply: {status: 503, headers: {X-At: "{now}"}}',
    ),
    "count": (
        "which request to this stub it is, from 1",
        'reply: {status: 503, text: "failure {count}"}',
    ),
    "uuid": (
        "a new UUID; the seed and `count` determine it",
        'reply: {status: 503, headers: {X-Id: "{uuid}"}}',
    ),
}
"""Source of a reference to what it means, and an example."""
