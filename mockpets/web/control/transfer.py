"""The views of the control API that export and import sessions."""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import FIXTURE_BYTES, VERSION
from mockpets.contract import control_calls as calls
from mockpets.errors import InputError, Problem, RequestError
from mockpets.records.saved import Records
from mockpets.records.table import parse_row
from mockpets.scenario.engine import Count
from mockpets.session.session import Snapshot
from mockpets.session.session_scenarios import Documents
from mockpets.strict_json import dump_json, load_json
from mockpets.version import FULL_VERSION
from mockpets.web.control.call import JsonResponse, body_text, json_response, responds_to
from mockpets.web.control.sessions import (
    check_documents,
    clock_state,
    close_breaking,
    existing_session,
    session_summary,
)
from mockpets.web.jobs import run_job
from mockpets.web.session_selector import checked, checked_session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mockpets.contract.control_types import SessionExport, SessionSummary
    from mockpets.records.store import Contents
    from mockpets.records.table import Table
    from mockpets.scenario.language.session_export import ExportedRecords
    from mockpets.scenario.library import Library
    from mockpets.session.session import Place, Session, SharedState
    from mockpets.web.control.call import ControlRequest

_RECORDS_ON_APP_THREAD: Final = 200
"""The most records to export on the app's thread, which takes less than a millisecond."""


@responds_to(calls.EXPORT_SESSION)
async def export_session(call: ControlRequest) -> JsonResponse[SessionExport]:
    """Export the data, scenarios, counters, seed and clock of a session."""
    session, has_log = existing_session(call), call.query.get("log", False)
    is_long = has_log or session.records_held() > _RECORDS_ON_APP_THREAD
    write = partial(_export, session, has_log=has_log)
    exported = await run_job(call.request, write, "exporting the session", is_long=is_long)
    return JsonResponse(exported)


def _export(session: Session, *, has_log: bool) -> bytes:
    """Return an exported session as JSON, or raise ``conflict`` if no import would accept it."""
    from mockpets.request_log.har_export import document

    snapshot = session.snapshot()
    records = [*_reachable(session, snapshot)]
    sizes = [len(row) for _, contents in records for row in contents.rows()]
    sizes += [len(row) for table in snapshot.starts.values() for row in table.rows.values()]
    exported = _document(session, snapshot, records) if sum(sizes) <= FIXTURE_BYTES else None
    body = b"" if exported is None else dump_json(exported)
    if exported is None or len(body) > FIXTURE_BYTES:
        message = (
            f"the session is too large for an export: an import reads {FIXTURE_BYTES // 1024} KiB; "
            "delete some records first"
        )
        raise RequestError("conflict", message)
    if has_log:
        exported["log"] = document(session.request_log.entries(), FULL_VERSION)
        body = dump_json(exported)
    return body + b"\n"


def _reachable(session: Session, snapshot: Snapshot) -> Iterator[tuple[Place, Contents]]:
    """Yield the records that requests can reach, and that differ from the initial ones."""
    for place in sorted(snapshot.records, key=lambda place: (place[0], not place[1], place[1])):
        binding = session.library.binding(*place)
        contents = None if binding is None else snapshot.contents(binding)
        if contents is not None:
            yield place, contents


def _document(
    session: Session, snapshot: Snapshot, records: Sequence[tuple[Place, Contents]]
) -> SessionExport:
    from mockpets.scenario.language.session_export import FORMAT

    stubs = session.library.stubs()
    sent = {name: load_json(text) for name, (_, text) in snapshot.documents.sent.items()}
    exported: SessionExport = {
        "mockpets": VERSION,
        "format": FORMAT,
        "session": session.name,
        "scenario": [sent.get(name, name) for name in snapshot.active],
        "overrides": {name: text for name, (_, text) in snapshot.documents.overrides.items()},
        "seed": snapshot.seed,
        "starts": {
            _name(label): [parse_row(row) for row in table.in_order()]
            for label, table in snapshot.starts.items()
        },
        "counters": {
            label: {"passed": passed, "used": used}
            for label, (stub, passed, used) in sorted(snapshot.counters.items())
            if stubs.get(label) == stub
        },
        "data": [
            {
                "collection": _name(label),
                "scenario": giver or None,
                "next": contents.next_key,
                "records": [parse_row(row) for row in contents.rows()],
            }
            for (label, giver), contents in records
        ],
    }
    if snapshot.random is not None:
        raw = b"".join(number.to_bytes(4, "big") for number in snapshot.random)
        exported["random"] = b64encode(raw).decode()
    if snapshot.clock is not None:
        shown = clock_state(snapshot.clock)
        exported["clock"] = {"now": shown["now"], "frozen": shown["frozen"]}
    return exported


def _name(label: str) -> str:
    """Return the name of a collection that is unique on a server: NAME or SCENARIO.NAME."""
    return label.replace("/", ".")


@responds_to(calls.IMPORT_SESSION)
async def import_session(call: ControlRequest) -> JsonResponse[SessionSummary]:
    """Replace the contents of a session with those of an exported one; create it if necessary.

    The request log restarts.
    """
    context, name = call.context, checked_session(call.name, "the path")
    sessions, text = context.sessions, body_text(call.request)
    read = partial(_read, text, sessions.shared)
    snapshot = await run_job(call.request, read, "reading the session")
    snapshot.take(sessions.shared.records, snapshot.documents.size)
    is_new = sessions.find(name) is None
    session = sessions.get_or_create(name, declare=True, reopen=True)
    session.load(snapshot)
    session.request_log.reset()
    session.changes.publish("requests")
    close_breaking(call, session)
    return json_response(session_summary(context, session), 201 if is_new else 200)


def _read(text: str, shared: SharedState) -> Snapshot:
    """Return the session in a body.

    :raise InputError: every problem of the body.
    :raise RequestError: for what this server does not have or allow.
    """
    from mockpets.scenario.language.session_export import parse_export

    exported = parse_export(text, shared.library())
    config = exported.config
    documents = Documents(config.inline, exported.overrides)
    check_documents(documents.by_name, shared)
    active = checked(config.names or (), "the body")
    library = documents.library(shared.library())
    library.stack(active)
    stubs = library.stubs()
    seed = shared.seed if config.seed is None else config.seed
    starts = shared.starts if config.data is None else shared.starts_with(config.data, seed)
    return Snapshot(
        active=active,
        seed=seed,
        clock=config.clock and config.clock.applied(None),
        starts=starts,
        records=_by_place(_records(each, library, starts, seed, shared) for each in exported.data),
        documents=documents,
        counters={
            label: Count(stubs[label], **counts)
            for label, counts in exported.counters.items()
            if label in stubs
        },
        random=exported.random,
    )


def _by_place(data: Iterable[tuple[Place, Records]]) -> dict[Place, Records]:
    """Return records by place, or raise `InputError` if two have the same one."""
    records: dict[Place, Records] = {}
    for number, (place, each) in enumerate(data, 1):
        if place in records:
            first = [*records].index(place) + 1
            what = f"data.{first} has the same collection and scenario"
            raise InputError([Problem("body", 0, 0, f"data.{number}", what, "keep one of them")])
        records[place] = each
    return records


def _records(
    exported: ExportedRecords,
    library: Library,
    starts: Mapping[str, Table],
    seed: int,
    shared: SharedState,
) -> tuple[Place, Records]:
    """Return the records of a collection, and their place.

    :raise RequestError: ``not_found`` or ``unknown_scenario`` for what the library lacks;
        ``invalid_request`` or ``conflict`` for records that do not fit, ``store_full``.
    """
    collection = library.collection(exported.name)
    binding = library.binding(collection.label, exported.giver)
    if binding is None:
        problem = library.explain(exported.giver)
        if library.find(exported.giver) is not None:
            problem = f"scenario '{exported.giver}' gives no content to {exported.name}"
        raise RequestError("unknown_scenario", problem)
    store = shared.new_store(binding, starts, seed, shared.records)
    try:
        store.replace(store.read([parse_row(row) for row in exported.rows]))
    except RequestError as error:
        raise error.copy(f"{exported.name}: {error.message}") from error
    store.skip_keys(exported.next_key)
    return binding.place, Records(binding.digest, store.save())
