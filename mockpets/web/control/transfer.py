"""The views of the control API that take a session to another server."""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.constants import FIXTURE_BYTES, VERSION
from mockpets.contract.query_parameters import Parameter
from mockpets.errors import RequestError
from mockpets.records.saved import SavedRecords
from mockpets.records.store import Store
from mockpets.records.table import empty_table, parse_row
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
    from collections.abc import Sequence

    from mockpets.contract.control_types import ExportedRecords, SessionExport, SessionSummary
    from mockpets.scenario.language.session_export import ExportedSession
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

    inline = {name: load_json(source) for name, (_, source) in session.inline.items()}
    counters, state = session.progress()
    exported: SessionExport = {
        "mockpets": VERSION,
        "format": FORMAT,
        "session": session.name,
        "scenario": [inline.get(name, name) for name in session.active],
        "overrides": {name: source for name, (_, source) in session.overrides.items()},
        "seed": session.seed,
        "counters": [
            {
                "scenarios": [*names],
                "stubs": {
                    label: {"passed": count.passed, "used": count.used}
                    for label, count in counts.items()
                },
            }
            for names, counts in counters.items()
        ],
        "data": [
            _exported(place, store.next_key, store.rows())
            for place, store in session.changed_stores().items()
        ],
    }
    if session.starts is not session.shared.starts:
        exported["starts"] = [
            _exported((label, ""), table.highest + 1, table.in_order())
            for label, table in session.starts.items()
        ]
    if state is not None:
        raw = b"".join(number.to_bytes(4) for number in state)
        exported["random"] = b64encode(raw).decode()
    if session.clock is not None:
        shown = clock_state(session.clock)
        exported["clock"] = {"now": shown["now"], "frozen": shown["frozen"]}
    if has_log:
        exported["log"] = document(session.journal.entries(), FULL_VERSION)
    return exported


def _exported(place: Place, next_key: int, rows: Sequence[bytes]) -> ExportedRecords:
    label, giver = place
    return {
        "collection": label.replace("/", "."),
        "scenario": giver or None,
        "next": next_key,
        "records": [parse_row(row) for row in rows],
    }


def import_session(call: ControlRequest) -> JsonResponse[SessionSummary]:
    """Replace the contents of a session by those of an exported one; create it if necessary.

    The request log starts again.
    """
    context, name = call.context, checked_session(call.name, "the path")
    sessions, text = context.sessions, body_text(call.request)
    shared = sessions.shared

    def read() -> tuple[ExportedSession, Library, dict[Place, SavedRecords]]:
        from mockpets.scenario.language.session_export import parse_export

        exported = parse_export(text, shared.library(), FIXTURE_BYTES)
        documents = {**exported.config.inline, **exported.overrides}
        library = shared.library_with(documents)
        return exported, library, _records(exported, library, shared)

    exported, library, records = run_job(call, read, "reading the session")
    config = exported.config
    check_documents(config.inline or exported.overrides, shared)
    active = checked(config.names or (), "the body")
    library.stack(active)
    seed = shared.seed if config.seed is None else config.seed
    starts = shared.starts if config.data is None else shared.starts_with(config.data, seed)
    is_new = sessions.find(name) is None
    session = sessions.get_or_create(name, declare=True, reopen=True)
    session.reset()
    clock = config.clock and config.clock.applied(None)
    session.restore(active, seed, clock, starts, records, skipped_keys=0)
    session.take_documents(config.inline, exported.overrides)
    session.go_on(exported.counters, exported.state)
    close_breaking(call, session)
    return json_response(session_summary(context, session), 201 if is_new else 200)


def _records(
    exported: ExportedSession, library: Library, shared: SharedState
) -> dict[Place, SavedRecords]:
    """Return the records of an export by place.

    :raise RequestError: ``not_found`` or ``unknown_scenario`` for what the library lacks;
        ``invalid_request`` or ``conflict`` for records that do not fit, ``store_full``.
    """
    records = {}
    for each in exported.data:
        collection = library.collection(each.name)
        binding = library.binding(collection.label, each.giver)
        if binding is None:
            problem = library.explain(each.giver)
            if each.giver in library.scenarios:
                problem = f"scenario '{each.giver}' gives no content to {each.name}"
            raise RequestError("unknown_scenario", problem)
        store = Store(empty_table(collection), 0)
        try:
            table = store.read([parse_row(row) for row in each.rows], shared.records)
        except RequestError as error:
            raise RequestError(error.code, f"{each.name}: {error.message}") from error
        next_key = max(each.next_key, store.next_key)
        records[binding.place] = SavedRecords(binding.digest, table.in_order(), {}, next_key)
    return records
