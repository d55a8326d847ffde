"""The views of the control API that make stubs and scenarios from recorded requests.

A recording needs the records of its beginning: those of `start_recording`, or else those with which
the session started or was reset last.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from mockpets.constants import ROLES
from mockpets.contract import control_calls as calls
from mockpets.contract.collections import required_of
from mockpets.errors import DocumentError, RequestError
from mockpets.scenario.scenario_model import Generated
from mockpets.session.session import Mark
from mockpets.strict_json import dump_ascii, load_json
from mockpets.units import counted, parse_int64, quote
from mockpets.web.control.call import json_response, responds_to
from mockpets.web.control.requests import recorded_request
from mockpets.web.jobs import run_job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mockpets.contract.contract_model import Collection, Contracts
    from mockpets.contract.control_types import (
        DroppedStub,
        RecordedScenario,
        RecordedStub,
        RecordingStarted,
        StubInUse,
    )
    from mockpets.recording.exchange import Assigned
    from mockpets.recording.infer import Recording
    from mockpets.request_log.entry import Entry
    from mockpets.scenario.library import Stack
    from mockpets.scenario.scenario_model import Scenario
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest, JsonResponse


@responds_to(calls.STUB)
async def stub(call: ControlRequest) -> JsonResponse[RecordedStub]:
    """Return a stub that sends this response to similar requests.

    For a request to an unknown collection, return a scenario with a resource instead.
    """
    return json_response((await _recorded(call))[0])


@responds_to(calls.RESPOND_LIKE)
async def respond_like(call: ControlRequest) -> JsonResponse[StubInUse]:
    """Activate a stub that sends this response to similar requests.

    It takes precedence over the active scenarios, which keep their counters.
    """
    result, scenario, source = await _recorded(call)
    session, name = call.session, scenario.name
    names = (name, *(each for each in session.active if each != name))
    session.put_on_top(names, {name: (scenario, source)})
    return json_response({**result, "active": [*names]})


@responds_to(calls.DROP_STUB)
def drop_stub(call: ControlRequest) -> JsonResponse[DroppedStub]:
    """Remove the stub that `POST requests/NUMBER/stub` activated.

    The other scenarios keep their counters.
    """
    name, session = _name(recorded_request(call)), call.session
    if name not in session.active:
        raise RequestError("not_found", f"scenario {quote(name)} is not active")
    names = tuple(each for each in session.active if each != name)
    session.put_on_top(names, {})
    return json_response({"dropped": name, "active": [*names]})


def _name(entry: Entry) -> str:
    return f"like-request-{entry.number}"


async def _recorded(call: ControlRequest) -> tuple[RecordedStub, Scenario, str]:
    """Return the stub in the form of the control API, and as a scenario with its source."""
    # Imported here and below, since they would slow down the start.
    from mockpets.recording import stub as recorded
    from mockpets.recording.exchange import exchange_of
    from mockpets.recording.secret_removal import Redactor, listed_secrets, redacted_names
    from mockpets.request_log.comparison import compare
    from mockpets.scenario.language.writer import text_of

    entry, wanted = recorded_request(call), call.query
    log = call.session.request_log.entries()
    redactor = Redactor(secret for each in log for secret in each.secrets)
    [exchange] = redactor.clean([exchange_of(entry)])
    collection = None if wanted else _collection(entry, log)
    if collection is None:
        is_assigned = await _assigned(call, {}, log)
        match = recorded.match_of(exchange, is_assigned, exact="exact" in wanted)
        effects: dict[str, Any] = {}
        if "status" in wanted:
            effects["reply"] = _reply(entry, wanted["status"], call.contracts)
        effects |= {key: wanted[key] for key in ("fault", "hold", "delay") if key in wanted}
        if not effects:
            effects = recorded.effects_of(exchange, call.contracts)
        times = {"times": wanted["times"]} if "times" in wanted else {}
        scenario, source = _parsed(call, exchange, "stubs", {"match": match, **times, **effects})
        matches = [each.number for each in log if not compare(scenario.stubs[0].match, each)]
    else:
        scenario, source = _parsed(call, exchange, "resources", {"path": collection})
        matches = [each.number for each in log if f"{each.path}/".startswith(f"{collection}/")]
    document = load_json(source)
    del document["name"]  # the file's
    result: RecordedStub = {
        "scenario": scenario.name,
        "stub": document["stubs"][0] if collection is None else None,
        "yaml": text_of(document),
        "matches": matches,
        "notes": listed_secrets(redacted_names(document)),
    }
    return result, scenario, source


def _collection(entry: Entry, log: Sequence[Entry]) -> str | None:
    """Return the path of the unknown collection that a request is for, or None.

    A collection is a path to which the app has sent a POST and then a GET.
    """
    unknown = [each for each in log if each.operation is None and not each.stubs]
    for path in (entry.path, entry.path.rpartition("/")[0]):
        requests = [each for each in unknown if each.path == path]
        posts = [each.number for each in requests if each.method == "POST"]
        gets = [each.number for each in requests if each.method == "GET"]
        has_both = posts and gets and min(posts) < max(gets)
        if has_both and entry in unknown and all(each.status == 404 for each in requests):
            return path
    return None


def _reply(entry: Entry, status: int, contracts: Contracts) -> dict[str, Any]:
    """Return the reply with a status in the contract's form, if it has one for it."""
    codes = {failure.status: code for code, failure in contracts.failures.items()}
    operation = entry.operation
    is_error = operation is not None and operation.details is None and status in codes
    return {"error": codes[status]} if is_error else {"status": status}


def _parsed(
    call: ControlRequest, entry: Entry, key: Literal["stubs", "resources"], part: dict[str, Any]
) -> tuple[Scenario, str]:
    """Return a stub or resource as a scenario with its source; `off_contract` only if needed.

    :raise DocumentError: the language cannot express it.
    """
    from mockpets.scenario.language.control_bodies import parse_session_config

    name = _name(entry)
    target = f"{entry.method} {entry.target}"[:100]
    library = call.context.sessions.shared.library()
    for flag in ({}, {"off_contract": True}):
        document = {"description": f"From request {entry.number}: {target}"}
        body = {"scenario": {"name": name, **document, key: [{**part, **flag}]}}
        try:
            # As ASCII: the reader accepts invisible characters only as escapes.
            config = parse_session_config(dump_ascii(body), library, session=False)
        except DocumentError:
            if flag:
                raise
        else:
            return config.inline[name]
    raise AssertionError


# --- A session --------------------------------------------------------------------------------


@responds_to(calls.START_RECORDING)
async def start_recording(call: ControlRequest) -> JsonResponse[RecordingStarted]:
    """Start recording with the next request, and save the current records."""
    await _generate_all(call)
    session, request_log, stack = call.session, call.session.request_log, call.stack()
    session.mark = Mark(request_log.last, request_log.resets, stack, session.snapshot())
    session.note_change()  # what the last mark kept may be free
    collections = call.contracts.collections.values()
    total = sum(session.store(stack, one).total() for one in collections)
    return json_response({"after": request_log.last, "records": total})


async def _generate_all(call: ControlRequest) -> None:
    """Generate the records that are missing, so that nothing changes while they are read."""
    for one in call.stack().collections:
        await call.store(one)


@responds_to(calls.RECORDING)
async def recording(call: ControlRequest) -> JsonResponse[RecordedScenario]:
    """Return a scenario that reproduces the responses since the recording began."""
    from mockpets.recording.exchange import exchanges_of
    from mockpets.recording.infer import infer
    from mockpets.recording.secret_removal import Redactor, listed_secrets, redacted_names
    from mockpets.scenario.language.writer import text_of
    from mockpets.web.recording_model import SessionModel

    await _generate_all(call)
    session, request_log, context = call.session, call.session.request_log, call.context
    stack = call.stack()
    starts = {one: session.store(stack, one).start.in_order() for one in stack.collections}
    begun, records = _beginning(session) or (0, starts)
    log = request_log.entries()
    entries = [entry for entry in log if entry.number > begun]
    missing = request_log.last - begun - len(entries)
    if missing:
        message = (
            f"the request log has lost {counted(missing, 'request')} since the beginning; start a "
            "recording before the requests, and get it before the log has a thousand more"
        )
        raise RequestError("conflict", message)
    shared = context.sessions.shared
    # Those of scenarios that were active at the beginning only, and of those that are active now.
    unique = {one.path: (one, rows) for one, rows in {**starts, **records}.items()}
    contents: dict[str, object] = {
        one.name: [load_json(row.decode()) for row in rows] for one, rows in unique.values()
    }
    for one in call.contracts.collections.values():
        if records.get(one) == starts[one] and (generated := _generated(call, stack, one)):
            contents[one.name] = generated
    description = f"Recorded: {counted(len(entries), 'request')} of session {session.name}."
    document: dict[str, Any] = {"description": description, "data": contents}
    if own := [_resource(one) for one, _ in unique.values() if one.owner]:
        document["resources"] = own
    is_assigned = await _assigned(call, records, entries)

    def make() -> Recording:
        model = partial(SessionModel, context.settings, shared)
        redactor = Redactor()
        cleaned = redactor.clean(exchanges_of(log))[-len(entries) or len(log) :]
        found = infer(cleaned, document, model, is_assigned, redactor, call.contracts)
        dropped = listed_secrets(redacted_names(found.document))
        return found._replace(notes=[*found.notes, *dropped])

    result = await run_job(call.request, make, "making a scenario from the requests")
    return json_response(
        {
            "yaml": text_of(result.document),
            "requests": len(entries),
            "stubs": len(result.document.get("stubs", ())),
            "notes": result.notes,
        }
    )


def _beginning(session: Session) -> tuple[int, dict[Collection, list[bytes]]] | None:
    """Return the request before a recording, and the records with which it began.

    Without `start_recording` since the last reset, return None.
    """
    mark, records = session.mark, {}
    if mark is None or mark.resets != session.request_log.resets:
        return None
    for one in mark.stack.collections:
        binding = mark.stack.binding(one)
        contents = mark.start.contents(binding)
        initial = session.store_of(binding).start
        records[one] = initial.in_order() if contents is None else contents.rows()
    return mark.number, records


async def _assigned(
    call: ControlRequest, before: Mapping[Collection, list[bytes]], entries: Sequence[Entry]
) -> Assigned:
    """Return whether the server has assigned an id, a text, to a new record of a contract.

    That is one that an assigned number identifies, or that one of the requests has created.

    :param before: the records with which a recording began, which are not new.
    """
    from mockpets.recording.exchange import created_records, exchanges_of

    known, is_created = [], created_records(exchanges_of(entries))
    for one in call.contracts.collections.values():
        rows = before.get(one, ())
        old = {load_json(row.decode())[one.key] for row in rows}
        known.append((one.name, (await call.store(one)).assigned, old))

    def is_assigned(kind: str, record: str) -> bool:
        number = parse_int64(record)
        is_new = number is not None and any(
            name.startswith(kind) and number in assigned and number not in old
            for name, assigned, old in known
        )
        return is_new or is_created(kind, record)

    return is_assigned


def _generated(call: ControlRequest, stack: Stack, collection: Collection) -> dict[str, Any] | None:
    """Return how the records at the start were generated; None if they were not."""
    content, session = stack.binding(collection).content, call.session
    settings = call.context.settings
    if content is None and session.starts is session.shared.starts:
        source = call.contracts.starts(settings.starts)[collection.name]
        content = Generated(int(source), settings.seed) if source.isdecimal() else None
    if not isinstance(content, Generated):
        return None
    seed = session.seed if content.seed is None else content.seed
    return {"count": content.count, "seed": seed, "locale": content.locale or settings.locale}


def _resource(collection: Collection) -> dict[str, Any]:
    """Return the definition of a collection, as in a scenario file."""
    path = collection.path
    parts = {
        "name": collection.name if not path.endswith(f"/{collection.name}") else "",
        "id": collection.key if collection.key != "id" else "",
        "required": [*required_of(collection)],
        "filters": [*collection.filters],
        "only": [*collection.only] if collection.only != ROLES else [],
    }
    return {"path": path, **{name: part for name, part in parts.items() if part}}
