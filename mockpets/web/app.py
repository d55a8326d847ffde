"""Wire the parts to a Flask app, and give every answer the headers and errors it must have.

`create_app` wires and returns: nothing listens and no thread starts. Two apps in one process
share nothing.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from time import monotonic
from typing import TYPE_CHECKING

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
from mockpets.errors import InputError, Problem
from mockpets.journal.journal import Journals
from mockpets.memory_budget import MemoryBudget
from mockpets.pets.generator import generate
from mockpets.pets.table import TableCache
from mockpets.scenario.reloader import Reloader
from mockpets.session.registry import SessionRegistry
from mockpets.session.shared import SharedState
from mockpets.telemetry.metrics import Holdings, Metrics
from mockpets.units import parse_interval
from mockpets.web import operations, unmatched
from mockpets.web.control import routes as control
from mockpets.web.control.call import ControlContext
from mockpets.web.delivery import Delivery
from mockpets.web.error_handlers import add_error_handlers
from mockpets.web.exchange import current_request
from mockpets.web.flask_app import App
from mockpets.web.playback import Playback
from mockpets.web.proxy import behind
from mockpets.web.public_mode import TokenAttempts, VisitorSessions
from mockpets.web.response_finalizer import ResponseFinalizer
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    import flask

    from mockpets.scenario.library import Library
    from mockpets.settings import Settings
    from mockpets.wsgi_extension import Server


@dataclass(frozen=True)
class Mock:
    """What an app is wired from, for whoever runs it: `app.extensions["mockpets"]`.

    :param reloader: the scenario files; `reloader.start()` has them read again when they change.
    :param token: what callers of the control API must send; empty when none is needed.
    """

    reloader: Reloader
    sessions: SessionRegistry
    token: str


def create_app(settings: Settings, clock: Callable[[], float] = monotonic) -> flask.Flask:
    """Return the WSGI app of one mock server.

    :param clock: seconds, never going back, by which sessions age and are reset, and strangers'
        requests are counted.
    :raise InputError: a scenario or fixture file cannot be used, or a scenario is unknown.
    """
    reloader = Reloader(settings.scenarios_dir, settings.fixtures_dir)
    library = reloader.library
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
    app, sessions = wire(settings, lambda: reloader.library, token, lambda: reloader.reloads, clock)
    reloader.on_change = partial(sessions.tell_all, "files")
    app.extensions["mockpets"] = Mock(reloader, sessions, token)
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
) -> tuple[flask.Flask, SessionRegistry]:
    """Return an app over a library, wherever that comes from, and the app's sessions.

    :param library: asked at each request.
    :param token: what callers of the control API must send; empty when none is needed.
    :param reloads: how often the library was read again.
    :param clock: as `create_app` has it.
    """
    public = settings.public
    journals = Journals(PUBLIC_BYTES if public else JOURNAL_BYTES)
    shared = _shared_state(settings, library, journals)
    every = parse_interval(settings.reset_every) or (PUBLIC_RESET_SECONDS if public else 0.0)
    idle = PUBLIC_IDLE_SECONDS if public else SESSION_IDLE_SECONDS
    sessions = SessionRegistry(shared, settings.max_sessions, clock, idle=idle, reset_every=every)
    visitors = VisitorSessions(clock) if public else None
    token_attempts = TokenAttempts(clock) if public else None
    metrics = Metrics(version("mockpets"), partial(_holdings, sessions, journals, reloads))
    app = App("mockpets.web", static_folder=None)
    # `/v1//pets` is not `/v1/pets`, and a redirect would point at whatever Host said.
    app.url_map.merge_slashes = False
    playback = Playback(settings, sessions, visitors)
    operations.add_routes(app, playback)
    unmatched.add_routes(app, playback)
    control.add_routes(app, ControlContext(settings, sessions, token, token_attempts, metrics))
    add_error_handlers(app)
    delivery = Delivery(PUBLIC_DELAY_SECONDS if public else None)
    app.finish = ResponseFinalizer(settings, sessions, delivery, metrics).finalize
    app.admit = None if visitors is None else visitors.admit
    return app, sessions


def _shared_state(
    settings: Settings, library: Callable[[], Library], journals: Journals
) -> SharedState:
    """Return what the sessions of a server share."""
    public = settings.public
    pets = MemoryBudget(PUBLIC_BYTES if public else PETS_BYTES, "pets")
    snapshots = MemoryBudget(PUBLIC_BYTES if public else SNAPSHOTS_BYTES, "snapshots")
    return SharedState(
        library=library,
        tables=TableCache(generate, pets),
        # What the server is started with is not held against what sessions may hold.
        start=TableCache(generate).make(settings.count, settings.seed, settings.locale),
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


def _holdings(
    sessions: SessionRegistry, journals: Journals, reloads: Callable[[], int]
) -> Holdings:
    """Return what the app holds now; asked while a request is answered."""
    server: Server | None = current_request().environ.get(SERVER)
    return Holdings(
        parked=server.parked() if server else 0,
        sessions=len(sessions),
        pets=sum(session.pets_held() for session in sessions.all()),
        journal_bytes=journals.used,
        scenario_reloads=reloads(),
        scenario_problems=len(sessions.shared.library().problems),
        refused=server.refused() if server else {},
    )
