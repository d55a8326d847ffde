"""The views of the control API that take a session to another server."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from mockpets.contract.query_parameters import Parameter
from mockpets.errors import RequestError
from mockpets.settings.validators import switch
from mockpets.version import FULL_VERSION
from mockpets.web.control.call import body_text, json_response, run_job
from mockpets.web.control.sessions import (
    check_documents,
    close_breaking,
    existing_session,
    session_summary,
)
from mockpets.web.session_selector import checked, checked_session

if TYPE_CHECKING:
    from mockpets.contract.control_types import SessionExport, SessionSummary
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest, JsonResponse

_PETS_AT_ONCE: Final = 200
"""The most pets to export on the app's thread, which takes less than a millisecond."""
EXPORT_PARAMETERS: Final = {
    "log": Parameter("Whether to add the request log.", {"type": "boolean"}, switch),
}


def export_session(call: ControlRequest) -> JsonResponse[SessionExport]:
    """Return pets, records, scenarios, counters, seed and clock, to import them elsewhere."""
    session, has_log = existing_session(call), call.query.get("log", False)
    is_long = has_log or session.pets_held() > _PETS_AT_ONCE
    write = partial(_export, session, has_log=has_log)
    return json_response(run_job(call, write, "exporting the session", is_long=is_long))


def _export(session: Session, *, has_log: bool) -> SessionExport:
    from mockpets.journal.har import document
    from mockpets.session.export import export

    exported = export(session)
    if has_log:
        exported["log"] = document(session.journal.entries(), FULL_VERSION)
    return exported


def import_session(call: ControlRequest) -> JsonResponse[SessionSummary]:
    """Replace the contents of a session by those of an exported one; create it if necessary.

    The request log starts again, and snapshots stay.
    """
    from mockpets.session.export import read_export

    context, name = call.context, checked_session(call.name, "the path")
    sessions, text = context.sessions, body_text(call.request)
    read = partial(read_export, text, sessions.shared)
    # Always on the worker's thread, because a short text can ask for millions of random numbers.
    imported = run_job(call, read, "reading the session", is_long=True)
    config = imported.config
    check_documents(config.inline or imported.overrides, sessions.shared)
    active = checked(config.names or (), "the body")
    documents = {**config.inline, **imported.overrides}
    sessions.shared.library_with(documents).stack(active)
    is_new = sessions.find(name) is None
    session = sessions.get_or_create(name, declare=True, reopen=True)
    seed = session.seed if config.seed is None else config.seed
    try:
        session.load(active, config.inline, seed, *imported[1:])
    except RequestError:
        if is_new:
            sessions.drop(name, undoable=False)
        raise
    session.clock = None
    if config.clock is not None:
        session.set_clock(config.clock)
    close_breaking(call, session)
    return json_response(session_summary(context, session), 201 if is_new else 200)
