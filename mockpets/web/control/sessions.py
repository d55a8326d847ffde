"""Calls of the control API about sessions, and about which scenarios a session has active."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING

from mockpets.constants import FILE_BYTES
from mockpets.errors import InputError, NotReady, RequestError, did_you_mean
from mockpets.scenario.describe import describe_pets, describe_stub
from mockpets.scenario.language.control_bodies import Wanted, read_wanted
from mockpets.scenario.language.text import read_text
from mockpets.scenario.model import Generated
from mockpets.web.control.call import LONG, body_text, json_response, run_job
from mockpets.web.session_selector import base_path, checked, checked_session
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from mockpets.scenario.library import Library
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlContext, ControlRequest
    from mockpets.web.exchange import Response
    from mockpets.wsgi_extension import Server

# --- What a page shows ------------------------------------------------------------------------


def state(call: ControlRequest) -> Response:
    """Return all that a page about a session begins with."""
    session, settings = call.session, call.context.settings
    gates = session.gates.waiting()
    return json_response(
        {
            "version": version("mockpets"),
            "session": session.name,
            "change": session.changes.number,
            "resets": session.journal.resets,
            "active": list(session.active),
            "seed": session.seed,
            "scenarios": _rows(session),
            "counts": {
                "pets": _pets(session),
                "requests": len(session.journal),
                "sessions": len(call.context.sessions),
                "snapshots": len(session.snapshots),
                "held": sum(gates.values()),
            },
            "gates": gates,
            "state_file": call.context.sessions.saving and call.context.sessions.saving(),
            "settings": {
                "key": settings.api_key[0],
                "any_key": settings.any_key,
                "base_path": base_path(session.name),
                "max_pets": call.context.sessions.shared.max_new,
                "max_sessions": settings.max_sessions,
                "journal_size": settings.journal_size,
                "public": settings.public,
            },
        }
    )


def _pets(session: Session) -> int | None:
    """Return how many pets a client sees now; None where that is not to be told at once."""
    try:
        return session.use(session.active, at_once=True).store.total()
    except (RequestError, NotReady):
        return None


# --- Scenarios --------------------------------------------------------------------------------


def scenarios(call: ControlRequest) -> Response:
    """List the scenarios, which are active, and what is wrong with files."""
    return json_response({"active": list(call.session.active), "scenarios": _rows(call.session)})


def _rows(session: Session) -> list[dict[str, object]]:
    """Return a row for each scenario that a session knows, or whose file has problems."""
    library = session.library
    names = sorted({*library.scenarios, *library.problems})
    return [_row(session, library, name) for name in names]


def _row(session: Session, library: Library, name: str) -> dict[str, object]:
    """Return what lists tell of a scenario."""
    scenario = library.scenarios.get(name)
    inline = name in session.documents
    source = None if inline else library.sources.get(name)
    return {
        "name": name,
        "description": scenario.description if scenario else None,
        "source": source.shown if source else "sent as a document, for this session alone",
        "replaces": list(source.replaces) if source else [],
        "extends": list(scenario.extends) if scenario else [],
        "brings_pets": bool(
            scenario and any(each.pets is not None for each in library.lineage(name))
        ),
        "stubs": len(scenario.stubs) if scenario else 0,
        "inline": inline,
        "problems": [] if inline else [str(each) for each in library.problems.get(name, ())],
    }


def one_scenario(call: ControlRequest) -> Response:
    """Return one scenario: what it does, in words, and its source.

    :raise RequestError: ``not_found`` for a name that is none.
    """
    library, name = call.session.library, call.name.lower()
    if name not in library.scenarios and name not in library.problems:
        raise RequestError("not_found", library.explain(name))
    lineage = library.lineage(name) if name in library.scenarios else []
    brought = next((each.pets for each in lineage if each.pets is not None), None)
    stubs = [describe_stub(stub) for each in lineage for stub in each.stubs]
    return json_response(
        {
            **_row(call.session, library, name),
            "text": _text(call.session, library, name),
            "lineage": [each.name for each in lineage],
            "pets_in_words": describe_pets(brought),
            "stubs": [
                {
                    "label": each.label,
                    "scenario": each.scenario,
                    "when": each.when,
                    "does": each.does,
                    "limits": each.limits,
                }
                for each in stubs
            ],
        }
    )


def _text(session: Session, library: Library, name: str) -> str | None:
    """Return a scenario as it is written, None when that cannot be read any more."""
    if name in session.documents:
        return session.documents[name]
    try:
        return read_text(library.sources[name].path, name, FILE_BYTES)
    except InputError:
        return None


def activate(call: ControlRequest) -> Response:
    """Have other scenarios active from now on; their counters begin anew.

    :raise RequestError: ``unknown_scenario``.
    :raise InputError: the body names none, or a document in it is no scenario.
    """
    wanted = _wanted(call, session=False)
    _activate(call, call.session, checked(wanted.names or (), "scenario"), wanted)
    return json_response({"active": list(call.session.active)})


def _activate(
    call: ControlRequest, session: Session, names: tuple[str, ...], wanted: Wanted
) -> None:
    """Activate scenarios; where they break connections, have clients begin with new ones.

    On one that it has used before, a browser would quietly repeat the first request that breaks.
    """
    session.activate(names, wanted.inline)
    server: Server | None = call.request.environ.get(SERVER)
    if server is not None and session.may_break and session.breaks:
        server.close_idle()


def _wanted(call: ControlRequest, *, session: bool) -> Wanted:
    """Return what the body wants a session to have."""
    text = body_text(call.request)
    shared = call.context.sessions.shared
    read = partial(read_wanted, text, shared.library(), session=session)
    # A fixture's name is short, but its file may be long.
    wanted = run_job(call, read, is_long=len(text) >= LONG or '"pets"' in text)
    if wanted.inline and not shared.documents:
        what = "scenarios cannot be sent as documents here: the server runs with --public"
        raise RequestError("forbidden", what)
    return wanted


def reset(call: ControlRequest) -> Response:
    """Go back to the start: pets, counters, chance and journal.

    Active scenarios and snapshots stay.
    """
    call.session.reset()
    return json_response({"active": list(call.session.active)})


# --- Sessions ---------------------------------------------------------------------------------


def sessions(call: ControlRequest) -> Response:
    """List the sessions."""
    every = call.context.sessions
    told = [_told(call.context, each) for each in every.all()]
    return json_response({"sessions": told, "max": every.most})


def _told(context: ControlContext, session: Session) -> dict[str, object]:
    """Return what lists tell of a session."""
    return {
        "name": session.name,
        "active": list(session.active),
        "seed": session.seed,
        "pets": _pets(session),
        "requests": len(session.journal),
        "held": sum(session.gates.waiting().values()),
        "idle_seconds": round(context.sessions.idle_seconds(session), 1),
        "base_path": base_path(session.name),
    }


def _missing(call: ControlRequest, name: str) -> RequestError:
    """Return the refusal of a session that there is not."""
    known = [session.name for session in call.context.sessions.all()]
    near = did_you_mean(name, known) or "a session is made when a request names it, or by PUT"
    return RequestError("not_found", f"there is no session '{name}'; {near}")


def one_session(call: ControlRequest) -> Response:
    """Return one session, which is not made by asking.

    :raise RequestError: ``not_found``.
    """
    name = checked_session(call.name, "the path")
    found = {session.name: session for session in call.context.sessions.all()}.get(name)
    if found is None:
        raise _missing(call, name)
    return json_response(_told(call.context, found))


def put_session(call: ControlRequest) -> Response:
    """Make a session, or give one other scenarios, another seed or other pets to start from.

    :raise RequestError: ``unknown_scenario``, ``busy`` or ``store_full``; nothing is changed then.
    :raise InputError: the body is wrong.
    """
    context, name = call.context, checked_session(call.name, "the path")
    shared = context.sessions.shared
    has_body = bool(call.request.get_data().strip())
    wanted = _wanted(call, session=True) if has_body else Wanted()
    before = context.sessions.find(name)
    seed = (before.seed if before else shared.seed) if wanted.seed is None else wanted.seed
    pets = wanted.pets
    if pets is None and wanted.seed is not None:
        pets = Generated(context.settings.count)
    at_once = SERVER in call.request.environ
    table = None if pets is None else shared.table(pets, seed, at_once=at_once)
    names = None if wanted.names is None else checked(wanted.names, "scenario")
    if names is not None:
        inline = {key: scenario for key, (scenario, _) in (wanted.inline or {}).items()}
        shared.library().plus(inline).stack(names)
    session = context.sessions.take(name)
    if table is not None:
        session.start_from(seed, table)
    if names is not None:
        _activate(call, session, names, wanted)
    return json_response(_told(context, session), 200 if before else 201)


def drop_session(call: ControlRequest) -> Response:
    """Forget a session.

    :raise RequestError: ``not_found``, or ``invalid_request`` for the default one.
    """
    name = checked_session(call.name, "the path")
    if not call.context.sessions.drop(name):
        raise _missing(call, name)
    return json_response({"dropped": name})
