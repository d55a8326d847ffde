"""The views of the control API that take a session to another server."""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import VERSION
from mockpets.contract.query_parameters import Parameter
from mockpets.errors import RequestError
from mockpets.records.table import parse_row
from mockpets.session.session import Kept, Snapshot
from mockpets.settings.validators import switch
from mockpets.strict_json import load_json
from mockpets.version import FULL_VERSION
from mockpets.web.control.call import body_text, json_response, run_job
from mockpets.web.control.sessions import (
    check_documents,
    clock_state,
    close_breaking,
    existing_session,
    session_summary,
)
from mockpets.web.session_selector import checked, checked_session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.contract.control_types import SessionExport, SessionSummary
    from mockpets.records.table import Table
    from mockpets.scenario.language.session_export import ExportedRecords
    from mockpets.scenario.library import Library
    from mockpets.session.session import Place, Session, SharedState
    from mockpets.web.control.call import ControlRequest, JsonResponse

_RECORDS_AT_ONCE: Final = 200
"""The most records to export on the app's thread, which takes less than a millisecond."""
EXPORT_PARAMETERS: Final = {
    "log": Parameter("Whether to add the request log.", {"type": "boolean"}, switch),
}


def export_session(call: ControlRequest) -> JsonResponse[SessionExport]:
    """Return data, scenarios, counters, seed and clock of a session, to import them elsewhere."""
    session, has_log = existing_session(call), call.query.get("log", False)
    is_long = has_log or session.records_held() > _RECORDS_AT_ONCE
    write = partial(_export, session, has_log=has_log)
    return json_response(run_job(call, write, "exporting the session", is_long=is_long))


def _export(session: Session, *, has_log: bool) -> SessionExport:
    from mockpets.journal.har import document
    from mockpets.scenario.language.session_export import FORMAT

    snapshot = session.snapshot()
    inline = {name: load_json(source) for name, (_, source) in snapshot.inline.items()}
    exported: SessionExport = {
        "mockpets": VERSION,
        "format": FORMAT,
        "session": session.name,
        "scenario": [inline.get(name, name) for name in snapshot.active],
        "overrides": {name: source for name, (_, source) in snapshot.overrides.items()},
        "seed": snapshot.seed,
        "starts": {
            _name(label): [parse_row(row) for row in table.in_order()]
            for label, table in snapshot.starts.items()
        },
        "counters": [
            {
                "scenarios": [*names],
                "stubs": {
                    label: {"passed": count.passed, "used": count.used}
                    for label, count in counts.items()
                },
            }
            for names, counts in snapshot.counters.items()
        ],
        "data": [
            {
                "collection": _name(label),
                "scenario": giver or None,
                "next": store.next_key,
                "records": [parse_row(row) for row in store.rows()],
            }
            for (label, giver), (_, store) in snapshot.kept.items()
        ],
    }
    if snapshot.random is not None:
        raw = b"".join(number.to_bytes(4, "big") for number in snapshot.random)
        exported["random"] = b64encode(raw).decode()
    if snapshot.clock is not None:
        shown = clock_state(snapshot.clock)
        exported["clock"] = {"now": shown["now"], "frozen": shown["frozen"]}
    if has_log:
        exported["log"] = document(session.journal.entries(), FULL_VERSION)
    return exported


def _name(label: str) -> str:
    """Return the name of a collection that is unique on a server: NAME or SCENARIO.NAME."""
    return label.replace("/", ".")


def import_session(call: ControlRequest) -> JsonResponse[SessionSummary]:
    """Replace the contents of a session by those of an exported one; create it if necessary.

    The request log starts again.
    """
    context, name = call.context, checked_session(call.name, "the path")
    sessions, text = context.sessions, body_text(call.request)
    snapshot = run_job(call, partial(_read, text, sessions.shared), "reading the session")
    is_new = sessions.find(name) is None
    session = sessions.get_or_create(name, declare=True, reopen=True)
    session.load(snapshot)
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
    documents = {**config.inline, **exported.overrides}
    check_documents(documents, shared)
    active = checked(config.names or (), "the body")
    library = shared.library_with(documents)
    library.stack(active)
    seed = shared.seed if config.seed is None else config.seed
    starts = shared.starts if config.data is None else shared.starts_with(config.data, seed)
    return Snapshot(
        active=active,
        seed=seed,
        clock=config.clock and config.clock.applied(None),
        inline=config.inline,
        overrides=exported.overrides,
        starts=starts,
        kept=dict(_kept(each, library, starts, seed, shared) for each in exported.data),
        counters=exported.counters,
        random=exported.random,
    )


def _kept(
    exported: ExportedRecords,
    library: Library,
    starts: Mapping[str, Table],
    seed: int,
    shared: SharedState,
) -> tuple[Place, Kept]:
    """Return the records of a collection, and their place.

    :raise RequestError: ``not_found`` or ``unknown_scenario`` for what the library lacks;
        ``invalid_request`` or ``conflict`` for records that do not fit, ``store_full``.
    """
    collection = library.collection(exported.name)
    binding = library.binding(collection.label, exported.giver)
    if binding is None:
        problem = library.explain(exported.giver)
        if exported.giver in library.scenarios:
            problem = f"scenario '{exported.giver}' gives no content to {exported.name}"
        raise RequestError("unknown_scenario", problem)
    store = shared.new_store(binding, starts, seed, shared.records)
    try:
        store.replace(store.read([parse_row(row) for row in exported.rows], shared.records))
    except RequestError as error:
        raise error.copy(f"{exported.name}: {error.message}") from error
    store.skip_keys(exported.next_key)
    return binding.place, Kept(binding.digest, store)
