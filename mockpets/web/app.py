"""Wire the parts to a Flask app, and give every answer the headers and errors it must have.

`create_app` wires and returns: nothing listens and no thread starts. Two apps in one process
share nothing.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING

from werkzeug.exceptions import BadHost, HTTPException

from mockpets.budget import Budget
from mockpets.constants import (
    DELAY_SECONDS,
    JOURNAL_BYTES,
    PETS_BYTES,
    PUBLIC_BYTES,
    PUBLIC_DELAY_SECONDS,
    PUBLIC_IDLE_SECONDS,
    PUBLIC_NAME_LENGTH,
    PUBLIC_PETS,
    PUBLIC_RESET_SECONDS,
    SESSION_IDLE_SECONDS,
    SNAPSHOTS_BYTES,
)
from mockpets.contract_errors import error_body
from mockpets.errors import InputError, NotReady, Problem, Refusal
from mockpets.handover import ORDER, SERVER, Order
from mockpets.journal import Journals
from mockpets.metrics import Holdings, Metrics
from mockpets.pets.seed import generate
from mockpets.pets.tables import Tables
from mockpets.scenario.units import parse_interval
from mockpets.scenario.watch import Watch
from mockpets.sessions import Sessions
from mockpets.web import api, control
from mockpets.web.calls import Parts
from mockpets.web.delivery import Delivery
from mockpets.web.dispatch import App
from mockpets.web.finish import finish
from mockpets.web.hints import hint
from mockpets.web.messages import Response, current_request
from mockpets.web.playback import Playback
from mockpets.web.proxy import behind
from mockpets.web.strangers import Guesses, Strangers
from mockpets.world import World

if TYPE_CHECKING:
    from collections.abc import Callable

    import flask

    from mockpets.handover import Server
    from mockpets.scenario.library import Library
    from mockpets.settings import Settings

__all__ = ["Mock", "create_app", "wire"]

_log = logging.getLogger("mockpets")


@dataclass(frozen=True)
class Mock:
    """What an app is wired from, for whoever runs it: `app.extensions["mockpets"]`.

    :param watch: the scenario files; `watch.start()` has them read again when they change.
    :param token: what callers of the control API must send; empty when none is needed.
    """

    watch: Watch
    sessions: Sessions
    token: str


def create_app(settings: Settings, clock: Callable[[], float] = monotonic) -> flask.Flask:
    """Return the WSGI app of one mock server.

    :param clock: seconds, never going back, by which sessions age and are reset, and strangers'
        requests are counted.
    :raise InputError: a scenario or fixture file cannot be used, or a scenario is unknown.
    """
    watch = Watch(settings.scenarios_dir, settings.fixtures_dir)
    library = watch.library
    problems = [problem for found in library.problems.values() for problem in found]
    problems += library.unknown("--scenario", settings.scenario)
    if settings.public and settings.control == "open":
        what = "must not be open with --public: every stranger could switch and read all sessions"
        problems.append(Problem("--control", 0, 0, "", what, "set --control-token, or off"))
    if problems:
        raise InputError(problems)
    token = settings.control_token
    # Strangers reach a loopback address too, through a proxy that no one has named.
    is_exposed = settings.public or not settings.is_local
    if settings.control == "auto" and is_exposed and not token:
        token = secrets.token_urlsafe(24)
    app, sessions = wire(settings, lambda: watch.library, token, lambda: watch.reloads, clock)
    watch.on_change = partial(sessions.tell_all, "files")
    app.extensions["mockpets"] = Mock(watch, sessions, token)
    if settings.behind_proxy or settings.prefix:
        inner = app.wsgi_app
        # As Flask's documentation has middleware put in.
        app.wsgi_app = behind(  # type: ignore[assignment,method-assign]
            inner, settings.behind_proxy, settings.prefix
        )
    return app


def wire(
    settings: Settings,
    library: Callable[[], Library],
    token: str = "",
    reloads: Callable[[], int] = int,
    clock: Callable[[], float] = monotonic,
) -> tuple[flask.Flask, Sessions]:
    """Return an app over a library, wherever that comes from, and the app's sessions.

    :param library: asked at each request.
    :param token: what callers of the control API must send; empty when none is needed.
    :param reloads: how often the library was read again.
    :param clock: as `create_app` has it.
    """
    public = settings.public
    journals = Journals(PUBLIC_BYTES if public else JOURNAL_BYTES)
    world = _world(settings, library, journals)
    every = parse_interval(settings.reset_every) or (PUBLIC_RESET_SECONDS if public else 0.0)
    idle = PUBLIC_IDLE_SECONDS if public else SESSION_IDLE_SECONDS
    sessions = Sessions(world, settings.max_sessions, clock, idle=idle, reset_every=every)
    strangers = Strangers(clock) if public else None
    guesses = Guesses(clock) if public else None
    metrics = Metrics(version("mockpets"), partial(_holdings, sessions, journals, reloads))
    app = App("mockpets.web", static_folder=None)
    # `/v1//pets` is not `/v1/pets`, and a redirect would point at whatever Host said.
    app.url_map.merge_slashes = False
    api.add_routes(app, Playback(settings, sessions, strangers))
    control.add_routes(app, Parts(settings, sessions, token, guesses, metrics))
    app.register_error_handler(Refusal, _refused)
    app.register_error_handler(NotReady, _not_ready)
    app.register_error_handler(HTTPException, _http_error)
    app.register_error_handler(Exception, _unexpected)
    delivery = Delivery(PUBLIC_DELAY_SECONDS if public else None)
    app.finish = partial(finish, settings, sessions, delivery, metrics)
    app.admit = None if strangers is None else strangers.admit
    return app, sessions


def _world(settings: Settings, library: Callable[[], Library], journals: Journals) -> World:
    """Return what the sessions of a server share."""
    public = settings.public
    pets = Budget(PUBLIC_BYTES if public else PETS_BYTES, "pets")
    snapshots = Budget(PUBLIC_BYTES if public else SNAPSHOTS_BYTES, "snapshots")
    return World(
        library=library,
        tables=Tables(generate, pets),
        # What the server is started with is not held against what sessions may hold.
        start=Tables(generate).make(settings.count, settings.seed, settings.locale),
        scenarios=settings.scenario,
        seed=settings.seed,
        max_new=min(settings.max_pets, PUBLIC_PETS) if public else settings.max_pets,
        locale=settings.locale,
        journal=partial(journals.new, settings.journal_size, bodies=not public),
        pets=pets,
        snapshots=snapshots,
        max_delay=PUBLIC_DELAY_SECONDS if public else DELAY_SECONDS,
        max_name=PUBLIC_NAME_LENGTH if public else None,
        breaks=not public,
        documents=not public,
    )


def _holdings(sessions: Sessions, journals: Journals, reloads: Callable[[], int]) -> Holdings:
    """Return what the app holds now; asked while a request is answered."""
    server: Server | None = current_request().environ.get(SERVER)
    return Holdings(
        parked=server.parked() if server else 0,
        sessions=len(sessions),
        pets=sum(session.pets_held() for session in sessions.all()),
        journal_bytes=journals.used,
        scenario_reloads=reloads(),
        scenario_problems=len(sessions.world.library().problems),
        refused=server.refused() if server else {},
    )


# --- Errors: the one place that makes the Error body of a response ----------------------------


def _refused(refusal: Refusal) -> Response:
    """Return the answer that a refusal is."""
    body = error_body(refusal.code, refusal.message, refusal.status, refusal.details)
    return Response(body, refusal.status, list(refusal.headers))


def _not_ready(later: NotReady) -> Response:
    """Have a job done and the request asked again; what is returned here is not sent."""
    current_request().environ[ORDER] = Order(job=later.job)
    return Response(status=503)


_HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "payload_too_large"}


def _http_error(error: HTTPException) -> Response:
    """Return our answer for an error that Flask or Werkzeug found."""
    code = _HTTP_CODES.get(error.code or 500, "invalid_request")
    said = error.description or error.name
    if code == "not_found":
        request = current_request()
        said = hint(request.path, request.root_path)
    elif isinstance(error, BadHost):
        said = "the Host header is no host name or address"
    return _refused(Refusal(code, said))


def _unexpected(error: Exception) -> Response:
    """Answer a mistake of ours: nothing of it reaches the client, all of it the log."""
    _log.error("internal error on %r", current_request().path, exc_info=error)
    return _refused(
        Refusal(
            "internal_error", "mockpets made a mistake; its log has what is needed to report it"
        )
    )
