"""The views of the control API for requests: the request log, explanations, waiting, and gates."""

from __future__ import annotations

import re
from functools import partial
from itertools import count
from random import Random
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import parse_qsl, unquote, urlencode

from mockpets.clock import moment
from mockpets.constants import (
    CONTROL_PREFIX,
    LOST_SESSION,
    SESSION_ID_HEADER,
    VERSION,
)
from mockpets.contract import control_calls as calls
from mockpets.contract.error_messages import NO_CONNECTION_FAULTS
from mockpets.errors import RequestError, did_you_mean
from mockpets.faults import CONNECTION_FAULTS
from mockpets.request_log import queries
from mockpets.scenario.engine import draw_delay
from mockpets.scenario.scenario_model import PASS, Match
from mockpets.units import parse_int64, quote
from mockpets.web.control.call import JsonResponse, body_text, json_response, responds_to
from mockpets.web.control.waiting import wait_until
from mockpets.web.jobs import pause, run_job

if TYPE_CHECKING:
    from mockpets.contract import control_types as types
    from mockpets.contract.contract_model import Operation
    from mockpets.request_log.entry import Entry
    from mockpets.request_log.verification import Verdict
    from mockpets.request_log.wait import Wait
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest

_REQUESTS_ON_APP_THREAD: Final = 200
"""The most requests to process on the app's thread, which takes some milliseconds."""


@responds_to(calls.REQUESTS)
def requests(call: ControlRequest) -> JsonResponse[types.RequestList]:
    """List the newest requests that match the filters, oldest first."""
    # Read before the entries, so that a change in between is reported twice rather than lost.
    change, request_log = call.session.changes.number, call.session.request_log
    entries, total = queries.selected(request_log.entries(), call.query)
    return json_response(
        {
            "requests": [queries.summary(entry) for entry in entries],
            "total": total,
            "dropped": request_log.dropped,
            "last": request_log.last,
            "resets": request_log.resets,
            "change": change,
        }
    )


@responds_to(calls.REQUEST)
def request(call: ControlRequest) -> JsonResponse[types.RequestDetails]:
    """Return a recorded request and its response, with headers and bodies."""
    return json_response(queries.full(recorded_request(call)))


def recorded_request(call: ControlRequest) -> Entry:
    """Return the entry whose number the path names, or raise ``not_found``."""
    text = call.name
    request_log, number = call.session.request_log, parse_int64(text)
    entry = None if number is None else request_log.get(number)
    if entry is None:
        content = (
            f"it keeps {len(request_log)} of {request_log.last} requests"
            if request_log.last
            else "it is empty"
        )
        message = (
            f"the request log of session '{call.session.name}' has no request {text[:20]!r}; "
            f"{content}"
        )
        raise RequestError("not_found", message)
    return entry


@responds_to(calls.CLEAR_REQUESTS)
def clear_requests(call: ControlRequest) -> JsonResponse[types.Cleared]:
    """Clear the request log; the numbering continues."""
    return json_response({"cleared": call.context.sessions.clear_requests(call.session)})


@responds_to(calls.HAR)
async def har(call: ControlRequest) -> JsonResponse[types.Har]:
    """Return the requests that match the filters as HAR 1.2."""
    # Imported here and in `verify`, since it would slow down the start.
    from mockpets.request_log.har_export import document

    entries, _ = queries.selected(call.session.request_log.entries(), call.query)
    write = partial(document, entries, VERSION)
    return json_response(await run_job(call.request, write, "writing the HAR document"))


@responds_to(calls.FINDINGS)
async def findings(call: ControlRequest) -> JsonResponse[types.Findings]:
    """Report bugs of the front end that the session's request log shows.

    `report` is the JSON of `mockpets report`.
    """
    # Imported here, since it would slow down the start.
    from mockpets.report.client_checks import build, dropped_limit
    from mockpets.report.formats import as_document
    from mockpets.report.recorded import of_log

    session = call.session
    request_log = session.request_log

    def report() -> types.Findings:
        recorded = of_log(request_log.entries(), call.contracts)
        limits = dropped_limit(session.name, request_log.dropped)
        checks = build(recorded, "1 session", limits, call.contracts)
        return cast("types.Findings", {"report": as_document(checks)})

    return json_response(await run_job(call.request, report, "checking the requests"))


@responds_to(calls.VERIFY)
async def verify(call: ControlRequest) -> JsonResponse[types.VerifiedRequests]:
    """Verify that as many requests match as expected, and return them.

    With `within`, wait for them.

    :raise RequestError: ``session_dropped`` if the caller sends the ID of another session;
        ``verification_failed`` with the nearest requests; ``busy``.
    """
    from mockpets.request_log import verification
    from mockpets.scenario.language.expectations import parse as parse_verification

    known, checks = call.request.headers.get(SESSION_ID_HEADER), count()
    _check_id(call.session, known)
    wanted = parse_verification(body_text(call.request), call.contracts)
    progress = verification.Progress(wanted)

    async def check(session: Session, is_last: bool) -> tuple[Verdict | None, int | None]:
        _check_id(session, known)
        request_log, change = session.request_log, session.changes.number
        compare = partial(progress.check, request_log, session.name, is_last=is_last)
        # One change wakes all calls that wait; together they would block the app's thread.
        is_long = len(request_log) > _REQUESTS_ON_APP_THREAD or next(checks) > 0
        verdict = await run_job(call.request, compare, "comparing the requests", is_long=is_long)
        return verdict, change if verdict is None else None

    verdict = await wait_until(call, wanted.within, check)
    assert verdict is not None  # noqa: S101 - the last check has one
    if not verdict.passed:
        details = verification.details(verdict)
        raise RequestError("verification_failed", verdict.message, details=details)
    matched = [queries.summary(entry) for entry in verdict.matched]
    return json_response({"matched": len(matched), "requests": matched})


def _check_id(session: Session, known: str | None) -> None:
    """Check that a session has the ID that the caller knows, if it sends one."""
    if known is not None and known != session.id:
        raise RequestError("session_dropped", LOST_SESSION.format(name=session.name))


@responds_to(calls.EVENTS)
async def events(call: ControlRequest) -> JsonResponse[types.Events]:
    """Return the changes since an earlier call; wait for one if nothing has changed."""
    since, wait = call.query.get("since"), call.query.get("wait", 0)
    session, server = call.session, call.request.incoming.server
    changes, name = session.changes, session.name
    if since == changes.number and wait and server is not None and server.room(name):
        await pause(partial(changes.wait, since), server.time() + wait, name)
        session = call.context.sessions.read(name)
        changes = session.changes
    number = changes.number
    # A number above the last one is from before a restart: everything may have changed.
    changed = [] if since is None else changes.since(since if since <= number else 0)
    exists = changes is not call.context.sessions.shared.changes
    resets = session.request_log.resets if exists else None
    return json_response({"change": number, "resets": resets, "changed": changed})


_OWN: Final = re.compile("^/~[^/]*")
"""The base path of a session."""
_CONTROL_PATH: Final = re.compile(rf"(?:/~[^/]*)?{CONTROL_PREFIX}(?:/.*)?", re.DOTALL)


@responds_to(calls.EXPLAIN)
def explain(call: ControlRequest) -> JsonResponse[types.Explanation]:
    """Explain a recorded request: what responded, and each stub with its conditions and counts."""
    from mockpets.request_log.explanation import explanation  # here, since it slows down the start

    return json_response(explanation(recorded_request(call), call.session.seed, sent=True))


@responds_to(calls.EXPLAIN_REQUEST)
async def explain_request(call: ControlRequest) -> JsonResponse[types.Explanation]:
    """Explain what would respond to a request now, without sending it. This changes nothing."""
    from mockpets.request_log.explanation import explanation

    return json_response(explanation(*await tried(call), sent=False))


async def tried(call: ControlRequest) -> tuple[Entry, int]:
    """Return what the log would record of the request in the body, and the session's seed."""
    from mockpets.scenario.language.expectations import parse_request
    from mockpets.web.dry_run import dry_run

    text = body_text(call.request)
    request = parse_request(text, call.contracts)
    path = unquote(request["path"].partition("?")[0]).removeprefix(call.context.settings.prefix)
    if _CONTROL_PATH.fullmatch(path):
        message = "no scenario applies to the control API; send the path of an operation"
        raise RequestError("invalid_request", message)
    if request["method"] == "OPTIONS":
        message = "no scenario applies to a preflight; send the method of the request after it"
        raise RequestError("invalid_request", message)
    if key := request.pop("key", ""):
        _add_key(request, key, call.contracts.operation_at(request["method"], _OWN.sub("", path)))
    context = call.context
    run = partial(dry_run, context.settings, context.sessions, call.session.name, request)
    return await run_job(call.request, run, "explaining a request")


def _add_key(request: dict[str, Any], key: str, operation: Operation | None) -> None:
    """Add a key to a request where its operation needs one, unless the request has one there."""
    needed = [("header", "Authorization", f"Bearer {key}")]
    if operation is not None:
        needed = operation.credentials(key)
    headers = request.setdefault("headers", {})
    path, mark, query = request["path"].partition("?")
    given = {name.lower() for name in headers} | {name for name, _ in parse_qsl(query)}
    for place, name, value in needed:
        if place == "header" and name.lower() not in given:
            headers[name] = value
        elif place == "query" and name not in given:
            query += ("&" if query else "") + urlencode({name: value})
    request["path"] = f"{path}?{query}" if query else f"{path}{mark}"


@responds_to(calls.HELD)
def held(call: ControlRequest) -> JsonResponse[types.WaitingResponses]:
    """List the responses that are held, delayed or throttled now."""
    session, change = call.session, call.session.changes.number
    rows = [_waiting(session, wait) for wait in session.gates.all()]
    waiting = [row for row in rows if row is not None]
    return json_response({"held": waiting, "change": change})


def _waiting(session: Session, wait: Wait) -> types.WaitingResponse | None:
    """Return a response that waits; None if it has just ended."""
    kind, read = wait.kind("pending"), wait.read
    if kind is None or read is None:
        return None
    entry, waited = read(), perf_counter() - wait.since
    return {
        "request": wait.number,
        "session": session.name,
        "method": entry.method,
        "target": entry.target,
        "path": entry.path,
        "operation": entry.operation.name if entry.operation else None,
        "waits": kind,
        "gate": wait.gate,
        "delay_ms": entry.delay_ms,
        "throttle": wait.throttle,
        "status": entry.status,
        "stubs": [*entry.stubs],
        "at": moment(entry.at),
        "since": moment(time() - waited),
        "waited_ms": round(waited * 1000, 2),
    }


@responds_to(calls.RELEASE)
def release(call: ControlRequest) -> JsonResponse[types.ReleasedRequests]:
    """Release waiting responses, or send another response in place of each.

    :raise RequestError: ``not_found`` if some of them do not wait, ``forbidden`` for a connection
        fault that the limits exclude. Nothing is released then.
    """
    from mockpets.scenario.language.control_bodies import parse_release

    session = call.session
    waits = {wait.number: wait for wait in session.gates.all() if wait.release is not None}

    def match_of(number: int) -> Match:
        if number not in waits:
            numbers = ", ".join(map(str, sorted(waits)[:20]))
            known = f"responses wait for requests {numbers}" if waits else "no response waits"
            message = f"request {number} does not wait for its response; {known}"
            raise RequestError("not_found", message)
        read = waits[number].read
        assert read is not None  # noqa: S101 - the request log has it before the server
        entry = read()
        if entry.operation is None:
            return Match(method=entry.method, path=entry.path)
        return Match(operations=(entry.operation.name,))

    replies, wanted = parse_release(body_text(call.request), session.library, match_of)
    limits = session.shared.limits
    if not limits.faults and not CONNECTION_FAULTS.isdisjoint(
        reply for reply in replies.values() if isinstance(reply, str)
    ):
        raise RequestError("forbidden", NO_CONNECTION_FAULTS)
    sent = [n for n in replies if waits[n].kind("pending") not in ("held", "delayed")]
    if sent and any(reply != PASS or wanted for reply in replies.values()):
        names = ", ".join(map(str, sent))
        message = f"the responses to requests {names} are being sent; release them without a reply"
        raise RequestError("not_found", message)
    for number, reply in replies.items():
        delay = 0.0 if wanted is None else min(draw_delay(wanted, Random()), limits.delay_seconds)
        if (release := waits[number].release) is not None:
            release(reply, delay)
    return json_response({"released": [*replies]})


@responds_to(calls.GATES)
def gates(call: ControlRequest) -> JsonResponse[types.GateCounts]:
    """Return the number of responses held at each gate."""
    return json_response({"gates": call.session.gates.waiting()})


@responds_to(calls.OPEN_GATE)
def open_gate(call: ControlRequest) -> JsonResponse[types.OpenedGate]:
    """Release the responses held at a gate, and return how many are still held at each gate."""
    gates = call.session.gates
    return json_response({"released": gates.open(call.name), "gates": gates.waiting()})


@responds_to(calls.WAIT_FOR_GATE)
async def wait_for_gate(call: ControlRequest) -> JsonResponse[types.HeldResponses]:
    """Wait until a gate holds the expected number of responses, and return how many it holds.

    :raise RequestError: ``not_held`` if it does not in time; ``busy``.
    """
    from mockpets.scenario.language.expectations import parse_gate_wait

    expected, within = parse_gate_wait(body_text(call.request), call.contracts)
    name = call.name

    async def check(session: Session, _: bool) -> tuple[dict[str, int], int | None]:
        # Read before the gates, so that a change in between is not missed.
        change, gates = session.changes.number, session.gates.waiting()
        return gates, None if gates.get(name, 0) >= expected else change

    gates = await wait_until(call, within, check)
    details: types.HeldResponses = {"held": gates.get(name, 0)}
    if details["held"] < expected:
        plural = "" if expected == 1 else "s"
        others = ", ".join(f"{other} ({held})" for other, held in gates.items() if other != name)
        known = {*gates, *call.session.library.gates()}
        known |= {stub.hold for stub in call.stack().stubs if stub.hold is not None}
        hint = did_you_mean(name, sorted(known)) if name not in known else ""
        more = f"; {hint}" if hint else f"; held at other gates: {others}" if others else ""
        raise RequestError(
            "not_held",
            f"expected at least {expected} response{plural} held at gate {quote(name)}, "
            f"got {details['held']}{more}",
            details=details,
        )
    return json_response(details)
