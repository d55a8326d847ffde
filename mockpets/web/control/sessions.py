"""The views of the control API for sessions, and for the scenarios that are active in one."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import TYPE_CHECKING, Final

from mockpets.clock import Clock, moment, time_text
from mockpets.constants import DEFAULT_SESSION, FILE_BYTES, LOG_ENTRIES, PROTOCOL
from mockpets.contract import control_calls as calls
from mockpets.contract.error_messages import NO_CONNECTION_FAULTS
from mockpets.errors import InputError, RequestError, did_you_mean
from mockpets.faults import FAULTS
from mockpets.packaged_data import shipped
from mockpets.scenario.expressions import SOURCE
from mockpets.scenario.folders import as_text
from mockpets.scenario.saved_file import digest_of, place_of
from mockpets.scenario.scenario_description import (
    describe_changed,
    describe_content,
    describe_hidden,
    describe_stub,
)
from mockpets.scenario.scenario_model import Generated
from mockpets.session.session_scenarios import Documents
from mockpets.settings.effective import effective_settings
from mockpets.text_files import read_text
from mockpets.units import either, is_expression
from mockpets.version import FULL_VERSION
from mockpets.web.authentication import read_key
from mockpets.web.control.call import LONG, body_text, json_response, responds_to
from mockpets.web.jobs import generate, run_job
from mockpets.web.session_selector import (
    base_path,
    check_headers,
    checked,
    checked_session,
    named_session,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.contract import control_types as types
    from mockpets.contract.contract_model import Contract, Operation
    from mockpets.scenario.language.control_bodies import SessionConfig
    from mockpets.scenario.library import Library
    from mockpets.scenario.scenario_model import Content
    from mockpets.session.session import Session, SharedState
    from mockpets.web.control.call import ControlContext, ControlRequest, JsonResponse

_UNSAVED: Final = "sent in a request, only for this session"
"""Where a scenario is that has no file."""
_COUNTED: Final = 50
"""Maximum number of collections whose records are counted: counting generates them first."""
NO_SAVING: Final = "scenario files cannot be saved: the server runs with --public"


@responds_to(calls.STATE)
def state(call: ControlRequest) -> JsonResponse[types.State]:
    """Return the state of a session and its server."""
    session, settings, sessions = call.session, call.context.settings, call.context.sessions
    gates = session.gates.waiting()
    return json_response(
        {
            "version": FULL_VERSION,
            "protocol": PROTOCOL,
            "started": moment(call.context.started),
            "node": settings.name or None,
            "session": session.name,
            "change": session.changes.number,
            "resets": session.request_log.resets,
            **_scenario_list(session),
            "seed": session.seed,
            "clock": session.clock and clock_state(session.clock),
            "counts": {
                "records": _record_count(session),
                "requests": len(session.request_log),
                "sessions": len(sessions),
                "held": sum(gates.values()),
                "unnamed": sessions.unnamed - session.unnamed_before,
            },
            "gates": gates,
            "state_file": sessions.save_progress.report(),
            "rejected_origins": call.context.rejected_origins.all(),
            "faults": {name: kind.word for name, kind in FAULTS.items()},
            "contracts": [*map(_contract_summary, call.contracts.all)],
            "settings": {
                "key": settings.key,
                "any_key": settings.any_key,
                "base_path": base_path(session.name, call.contracts.base),
                "max_records": sessions.shared.limits.records,
                "max_sessions": sessions.limit,
                "request_log_size": LOG_ENTRIES,
                "public": settings.public,
                "options": settings.options(),
                "all": effective_settings(settings),
            },
        }
    )


def _contract_summary(contract: Contract) -> types.ContractSummary:
    lists = defaultdict[str, list[str]](list)
    for each in contract.operations.values():
        if each.role == "list" and each.collection is not None:
            lists[each.collection.name].append(each.name)
    return {
        "title": contract.document["info"]["title"],
        "label": contract.label,
        "base": contract.base,
        "collections": [
            {"name": one.name, "path": one.path, "lists": lists[one.name]}
            for one in contract.collections.values()
        ],
        # Of several codes with one status, the first.
        "errors": {str(each.status): code for code, each in reversed([*contract.failures.items()])},
    }


def _record_count(session: Session) -> int | None:
    """Return how many of the contracts' records a client sees, or None if that would take long."""
    try:
        stack = session.stack(session.active)
        collections = stack.contracts.collections.values()
        if len(collections) > _COUNTED:
            return None
        bindings = [*map(stack.binding, collections)]
        if any(map(session.work_for, bindings)):
            return None
        return sum(session.store_of(each).total() for each in bindings)
    except RequestError:
        return None


@responds_to(calls.SCENARIOS)
def scenarios(call: ControlRequest) -> JsonResponse[types.ScenarioList]:
    """List the scenarios, the active ones, and the problems of invalid files."""
    return json_response(_scenario_list(call.session))


def _scenario_list(session: Session) -> types.ScenarioList:
    library = session.library
    names = chain.from_iterable(library.grouped().values())  # also those of invalid files
    return {
        "active": list(session.active),
        "scenarios": [_scenario_summary(session, library, name) for name in names],
        "skipped": {**library.skipped},
        "folder_problems": [str(problem) for problem in library.folder_problems],
    }


def _scenario_summary(session: Session, library: Library, name: str) -> types.ScenarioSummary:
    scenario = library.find(name)
    inline = name in session.documents.by_name
    source = None if inline else library.sources.get(name)
    return {
        "name": name,
        "group": library.group(name),
        "description": scenario.description if scenario else None,
        "source": source.shown if source else _UNSAVED if inline else SOURCE,
        "replaces": list(source.replaces) if source else [],
        "extends": list(scenario.extends) if scenario else [],
        "stubs": len(scenario.stubs) if scenario else 0,
        "inline": inline,
        "problems": [] if inline else [*map(str, library.problems.get(name, ()))],
    }


@responds_to(calls.SCENARIO)
def scenario(call: ControlRequest) -> JsonResponse[types.ScenarioDetails]:
    """Return a scenario: the description of its stubs, and its source."""
    library = call.session.library
    name = call.name if is_expression(call.name) else call.name.lower()
    lineage = []
    if name not in library.problems or name in library.scenarios:
        try:
            lineage = library.lineage(name)
        except RequestError as error:
            raise RequestError("not_found", error.message) from error
        name = lineage[0].name
    contents = {name: each for level in reversed(lineage) for name, each in level.data.items()}
    breaks = bool(lineage) and library.stack((name,)).has_connection_fault
    is_disabled = breaks and not call.session.shared.limits.faults
    digest, path, read_only = _file(call, name)  # before the text, which may be newer
    response: JsonResponse[types.ScenarioDetails] = json_response(
        {
            **_scenario_summary(call.session, library, name),
            "text": _text(call.session, library, name),
            "data": {
                each: describe_content(each, contents[each], call.contracts) for each in contents
            },
            "stubs": [describe_stub(stub) for level in lineage for stub in level.stubs],
            "override": name in call.session.documents.overrides,
            "disabled": NO_CONNECTION_FAULTS if is_disabled else None,
            "unreached": _unreached(call.session, library, name),
            "digest": digest,
            "path": path,
            "writable": read_only is None,
            "read_only": read_only,
        }
    )
    if digest is not None:
        response.headers.append(("ETag", f'"{digest}"'))
    return response


def _file(call: ControlRequest, name: str) -> tuple[str | None, str | None, str | None]:
    """Return the digest of a scenario's file, where it is, and why it cannot be saved."""
    library, settings = call.session.shared.library(), call.context.settings
    source = None if name in call.session.documents.by_name else library.sources.get(name)
    if source is None:
        return None, None, f"it is {SOURCE}" if is_expression(name) else f"it was {_UNSAVED}"
    digest = digest_of(source.path)
    if not call.context.sessions.shared.limits.files:
        return digest, None, NO_SAVING
    try:
        path = place_of(name, library, settings.scenarios_dir)
        return digest, as_text(path.absolute()), None
    except RequestError as error:
        is_own = source.path.parent != shipped("scenarios")
        return digest, as_text(source.path.absolute()) if is_own else None, error.message


def _unreached(session: Session, library: Library, name: str) -> str | None:
    """Return why no recorded request of a session shows a scenario; None if one does.

    A request shows a scenario with stubs or resources if one of them took part. Without these, any
    request to an operation while it is active does, except a create in a collection whose records
    the scenario defines.
    """
    if library.find(name) is None:
        return f"scenario {name} is invalid"
    stack, entries = library.stack((name,)), session.request_log.entries()
    if stack.stubs or stack.resources:
        labels = {stub.label for stub in stack.stubs}
        notes = {one.note for one in stack.resources}
        is_reached = any(
            not labels.isdisjoint(entry.stubs) or not notes.isdisjoint(entry.notes)
            for entry in entries
        )
        return None if is_reached else f"scenario {name} affected no request"

    def shows(operation: Operation | None) -> bool:
        if operation is None or operation.collection is None:
            return operation is not None
        return operation.role != "create" or stack.binding(operation.collection).content is None

    is_reached = any(
        shows(entry.operation)
        and name in entry.scenarios
        and entry.status != HTTPStatus.UNAUTHORIZED
        for entry in entries
    )
    if is_reached:
        return None
    contracts = library.contracts
    given = [
        each.name
        for each in contracts.collections.values()
        if stack.binding(each).content is not None
    ]
    called = either([each.name for each in contracts.all])
    done = f"listed or fetched {either(given)}" if given else f"called {called}"
    return f"no request {done} in scenario {name}"


def _text(session: Session, library: Library, name: str) -> str | None:
    """Return the source of a scenario, or None if its file can no longer be read."""
    if name in session.documents.by_name:
        return session.documents.by_name[name][1]
    if name not in library.sources:
        return None  # an expression has none
    try:
        return read_text(library.sources[name].path, name, FILE_BYTES)
    except InputError:
        return None


@responds_to(calls.USE)
async def use(call: ControlRequest) -> JsonResponse[types.Activated]:
    """Replace the active scenarios; those that stay active keep their counters.

    If the same scenarios are already active, their counters restart.
    """
    config = await _session_config(call, session=False)
    _activate(call, call.session, checked(config.names or (), "the body"), config)
    response: types.Activated = {"active": list(call.session.active)}
    if notes := [*_notes(call.session)]:
        response["notes"] = notes
    return json_response(response)


def _notes(session: Session) -> Iterator[str]:
    """Yield what somebody may not expect of the scenarios that are active now."""
    stack = session.stack(session.active)
    for pair in stack.hidden().items():
        yield describe_hidden(*pair)
    for collection in stack.collections:
        binding = stack.binding(collection)
        store = session.made(binding)
        if binding.giver and store is not None and store.is_changed:
            yield describe_changed(collection, binding.giver)


def _activate(
    call: ControlRequest, session: Session, names: tuple[str, ...], config: SessionConfig
) -> None:
    """Activate scenarios, and close connections that they could break."""
    session.activate(names, config.inline)
    close_breaking(call, session)


def close_breaking(call: ControlRequest, session: Session) -> None:
    """Close the idle connections of a session whose active scenarios break connections.

    A browser silently repeats a request whose reused connection breaks. Connections of other
    sessions stay open: a client may be about to send a request, and would report it as failed.
    """
    server = call.request.incoming.server
    if server is not None and session.shared.limits.faults and session.has_connection_fault:
        server.close_idle(session.name)


async def _session_config(call: ControlRequest, *, session: bool) -> SessionConfig:
    from mockpets.scenario.language.control_bodies import parse_session_config

    text = body_text(call.request)
    shared = call.context.sessions.shared
    parse = partial(parse_session_config, text, shared.library(), session=session)
    # A fixture's name is short, but its file may be long.
    is_long = len(text) >= LONG or '"data"' in text
    config = await run_job(call.request, parse, "reading the body", is_long=is_long)
    check_documents(config.inline, shared)
    return config


def check_documents(documents: Mapping[str, object], shared: SharedState) -> None:
    """Check that scenarios may be sent in requests, or raise ``forbidden``."""
    if documents and not shared.limits.documents:
        message = "scenarios sent in a request are disabled: the server runs with --public"
        raise RequestError("forbidden", message)


@responds_to(calls.RESET)
def reset(call: ControlRequest) -> JsonResponse[types.ActiveScenarios]:
    """Reset records, counters, random numbers and the request log.

    The active scenarios stay active.
    """
    call.context.sessions.reset(call.session)
    return json_response({"active": list(call.session.active)})


@responds_to(calls.RESET_VISITOR)
def reset_visitor(call: ControlRequest) -> JsonResponse[types.ActiveScenarios]:
    """Reset a visitor's session, without a token.

    This call exists only with `--public`, and affects nothing else. Any website can send it from a
    visitor's browser, but then it only resets the session of the visitor's address, because only
    your page knows the names of other sessions.
    """
    context, request = call.context, call.request
    sessions = context.sessions
    check_headers(request)
    named = named_session(request, read_key(request, context.settings).selector)
    name = context.admission.session(request.address, named) or DEFAULT_SESSION
    session = request.session = sessions.start_again(name)
    active = sessions.shared.scenarios if session is None else session.active
    return json_response({"active": list(active)})


@responds_to(calls.SESSIONS)
def sessions(call: ControlRequest) -> JsonResponse[types.SessionList]:
    """List the sessions."""
    registry = call.context.sessions
    summaries = [session_summary(call.context, session) for session in registry.all()]
    return json_response({"sessions": summaries, "max": registry.limit})


def session_summary(context: ControlContext, session: Session) -> types.SessionSummary:
    """Return a session as lists show it."""
    last = session.request_log.newest()
    return {
        "name": session.name,
        "id": session.id,
        "active": list(session.active),
        "seed": session.seed,
        "clock": session.clock and clock_state(session.clock),
        "records": _record_count(session),
        "requests": len(session.request_log),
        "failed": session.request_log.failed(),
        "last_request": last and f"{last.method} {last.target}",
        "held": sum(session.gates.waiting().values()),
        "idle_seconds": round(context.sessions.idle_seconds(session), 1),
        "base_path": base_path(session.name, context.contracts.base),
    }


def existing_session(call: ControlRequest) -> Session:
    """Return the session in the path, without using it, or raise ``not_found``."""
    name, sessions = checked_session(call.name, "the path"), call.context.sessions
    session = sessions.get(name)
    if session is None:
        known = [session.name for session in sessions.all()]
        near = did_you_mean(name, known) or f"create it with PUT sessions/{name}"
        raise RequestError("not_found", f"unknown session '{name}'; {near}")
    return session


@responds_to(calls.FIND_SESSION)
def find_session(call: ControlRequest) -> JsonResponse[types.SessionSummary]:
    """Return a session without creating it."""
    return json_response(session_summary(call.context, existing_session(call)))


@responds_to(calls.MAKE_SESSION)
async def make_session(call: ControlRequest) -> JsonResponse[types.SessionSummary]:
    """Create a session, or change the scenarios, seed, data or clock of an existing one."""
    from mockpets.scenario.language import control_bodies

    context, name = call.context, checked_session(call.name, "the path")
    shared = context.sessions.shared
    has_body = bool(call.request.get_data().strip())
    config = (
        await _session_config(call, session=True) if has_body else control_bodies.SessionConfig()
    )
    starts = None

    def seed() -> int:
        before = context.sessions.find(name)
        return (before.seed if before else shared.seed) if config.seed is None else config.seed

    if config.data is not None or config.seed is not None:
        contents = {**_generated(context, config), **(config.data or {})}
        await generate(call.request, lambda: shared.work_for_starts(contents, seed()))
        starts = shared.starts_with(contents, seed())
    before = context.sessions.find(name)
    names = None if config.names is None else checked(config.names, "the body")
    if names is not None:
        if before is not None:
            before.check(names, config.inline)
        else:
            Documents(config.inline).library(shared.library()).stack(names)
    session = context.sessions.get_or_create(name, declare=True, reopen=True)
    if starts is not None:
        session.start_from(seed(), starts)
    if config.clock is not None:
        session.set_clock(config.clock)
    if names is not None:
        _activate(call, session, names, config)
    return json_response(session_summary(context, session), 200 if before else 201)


def _generated(context: ControlContext, config: SessionConfig) -> dict[str, Content]:
    """Return what to generate again because the seed of a session differs from the server's."""
    if config.seed is None:
        return {}
    starts = context.contracts.starts(context.settings.starts)
    numbers = {name: source for name, source in starts.items() if source.isdecimal()}
    return {name: Generated(int(count)) for name, count in numbers.items()}


@responds_to(calls.RESET_SESSIONS)
async def reset_sessions(call: ControlRequest) -> JsonResponse[types.ResetSessions]:
    """Reset every session: records, counters, random numbers and the request log.

    The active scenarios stay active.
    """
    reset_all = call.context.sessions.reset_all
    reset = await run_job(call.request, reset_all, "resetting all sessions")
    return json_response({"reset": reset})


@responds_to(calls.DROP_SESSION)
def drop_session(call: ControlRequest) -> JsonResponse[types.DroppedSession]:
    """Delete a session, and release the responses it holds."""
    session = existing_session(call)
    call.context.sessions.drop(session.name, call.query.get("closed", 0.0))
    return json_response({"dropped": session.name, "id": session.id})


def clock_state(clock: Clock | None) -> types.ClockState:
    """Return the state of a clock; None stands for one that was not set."""
    shown = clock or Clock(0, frozen=False)
    return {"now": time_text(shown.now()), "frozen": shown.frozen, "set": clock is not None}


@responds_to(calls.CLOCK)
def clock(call: ControlRequest) -> JsonResponse[types.ClockState]:
    """Return the clock of the session."""
    return json_response(clock_state(call.session.clock))


@responds_to(calls.SET_CLOCK)
def set_clock(call: ControlRequest) -> JsonResponse[types.ClockState]:
    """Set, freeze or advance the session's clock.

    The header `Date` and the reference `now` follow it. Once you set it to 5 December 2030 or
    later, getPet returns 410. Delays, gates and limits use the real time. A reset keeps the clock.
    """
    from mockpets.scenario.language.control_bodies import parse_clock

    call.session.set_clock(parse_clock(body_text(call.request), call.session.library))
    return clock(call)


@responds_to(calls.UNDO)
def undo(call: ControlRequest) -> JsonResponse[types.Undone]:
    """Undo the last reset, clear or delete of a session, within 10 seconds.

    This restores records, scenarios, counters and the request log. Records and requests added since
    a reset are lost. A deleted session cannot be restored once its name is used again.
    """
    context, name = call.context, checked_session(call.name, "the path")
    undone = context.sessions.undo.put_back(name)
    summary = session_summary(context, existing_session(call))
    return json_response({"undone": undone, "session": summary})


@responds_to(calls.DROP_SESSIONS)
async def drop_sessions(call: ControlRequest) -> JsonResponse[types.DroppedSessions]:
    """Delete every session, and release the responses they hold; `default` is reset instead."""
    drop = partial(call.context.sessions.drop_all, call.query.get("closed", 0.0))
    dropped = await run_job(call.request, drop, "removing all sessions")
    return json_response({"dropped": dropped})
