"""Wire the parts of mockpets to a Flask app.

`create_app` only wires: nothing listens and no thread starts. Two apps in one process share
nothing.
"""

from __future__ import annotations

import logging
import os
import secrets
from dataclasses import dataclass
from functools import partial
from time import monotonic, time
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    CONTROL_PREFIX,
    DELAY_SECONDS,
    JOURNAL_BYTES,
    PETS_BY_REQUEST,
    PETS_BYTES,
    PUBLIC_BYTES,
    PUBLIC_DELAY_SECONDS,
    PUBLIC_IDLE_SECONDS,
    PUBLIC_NAME_LENGTH,
    PUBLIC_PETS,
    PUBLIC_RESET_SECONDS,
    PUBLIC_SESSIONS,
    SESSION_IDLE_SECONDS,
    SESSIONS,
    SNAPSHOTS_BYTES,
    VERSION,
)
from mockpets.errors import InputError
from mockpets.journal.coverage import Coverage
from mockpets.journal.entry import MESSAGE_BYTES
from mockpets.journal.journal import Journals
from mockpets.memory_budget import MemoryBudget
from mockpets.pets.default_pets import generate
from mockpets.pets.table import TableCache
from mockpets.scenario.reloader import Reloader
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.registry import SessionRegistry
from mockpets.session.shared import SharedState
from mockpets.settings.combinations import contradictions, notices
from mockpets.settings.sources import load_settings
from mockpets.telemetry.metrics import Holdings, Metrics
from mockpets.web import operations, unmatched
from mockpets.web.delivery import Delivery
from mockpets.web.error_handlers import add_error_handlers
from mockpets.web.exchange import current_request
from mockpets.web.flask_app import App
from mockpets.web.playback import Playback
from mockpets.web.proxy import behind
from mockpets.web.public_mode import VisitorSessions
from mockpets.web.response_finalizer import ResponseFinalizer
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    import flask

    from mockpets.scenario.library import Library
    from mockpets.settings import Settings
    from mockpets.wsgi_extension import Server

_log: Final = logging.getLogger("mockpets")
_ONLY_OUR_SERVER: Final = ("state", "metrics_port")
"""The settings that have no effect on other WSGI servers, and no counterpart there."""
_FLASK_COMMAND: Final = "FLASK_RUN_FROM_CLI"
"""The variable that the command ``flask`` sets to ``true``."""


@dataclass(frozen=True)
class Mock:
    """The parts of an app that the caller runs: `app.extensions["mockpets"]`.

    :param reloader: the scenario files; `reloader.start()` reloads them when they change.
    :param token: the token for the control API; empty if none is required.
    """

    reloader: Reloader
    sessions: SessionRegistry
    token: str
    metrics: Metrics


def create_app(
    settings: Settings | None = None, clock: Callable[[], float] = monotonic
) -> flask.Flask:
    """Return the WSGI app of one mock server.

    :param settings: by default those of the environment and ``mockpets.toml``, so that
        ``flask --app mockpets run`` works. The ports and the state file have no effect: other WSGI
        servers have their own options, and sessions are not saved. The host only decides whether
        the control API requires a token; one that is generated is logged.
    :param clock: returns monotonic seconds, by which sessions age and are reset, and the requests
        of visitors are counted.
    :raise InputError: a setting, a scenario file or a fixture is invalid, or a scenario is unknown.
    :raise SystemExit: the same under the command ``flask``, which would print a traceback.
    """
    try:
        return _create_app(settings, clock)
    except InputError as error:
        if settings is not None or os.environ.get(_FLASK_COMMAND) != "true":
            raise
        raise SystemExit("\n".join(f"mockpets: {each}" for each in error.problems)) from None


def _create_app(settings: Settings | None, clock: Callable[[], float]) -> flask.Flask:
    """Return an app, as `create_app` does.

    :raise InputError: the same as `create_app`.
    """
    is_default = settings is None
    if settings is None:
        settings = load_settings({}, os.environ, None)
        for name in _ONLY_OUR_SERVER:
            if getattr(settings, name) not in ("", None):
                _log.warning(
                    "the setting '%s' is ignored: it needs 'mockpets serve' or MockpetsServer",
                    name.replace("_", "-"),
                )
    changes = ChangeFeed()
    on_change = partial(changes.publish, "files")
    reloader = Reloader(settings.scenarios_dir, settings.fixtures_dir, on_change)
    library = reloader.library
    problems = [problem for each in library.problems.values() for problem in each]
    problems += library.unknown("--scenario", settings.scenario)
    problems += contradictions(settings)
    if problems:
        raise InputError(problems)
    if is_default:
        for text in notices(settings):
            _log.warning(text)
    token = settings.control_token
    # Visitors reach a loopback address too, through a proxy that `--behind-proxy` does not name.
    is_exposed = settings.public or not settings.is_local
    if settings.control == "auto" and is_exposed and not token:
        token = secrets.token_urlsafe(24)
        if is_default:  # `serve` prints it, and other callers find it in the app's extensions
            _log.warning("control token: %s", token)
    app, sessions, metrics = wire(
        settings,
        lambda: reloader.library,
        token,
        lambda: reloader.reloads,
        clock,
        changes,
    )
    app.extensions["mockpets"] = Mock(reloader, sessions, token, metrics)
    if settings.behind_proxy or settings.prefix:
        inner = app.wsgi_app
        # Flask documents this way to add middleware.
        app.wsgi_app = behind(  # type: ignore[assignment,method-assign]
            inner, settings.behind_proxy, settings.prefix, app.admit
        )
    return app


def wire(
    settings: Settings,
    library: Callable[[], Library],
    token: str = "",
    reloads: Callable[[], int] = int,
    clock: Callable[[], float] = monotonic,
    changes: ChangeFeed | None = None,
) -> tuple[App, SessionRegistry, Metrics]:
    """Return an app over a library, and its sessions and metrics.

    :param library: called for each request.
    :param token: the token for the control API; empty if none is required.
    :param reloads: returns how often the library was reloaded.
    :param clock: the same as for `create_app`.
    :param changes: the changes that all sessions see.
    """
    public = settings.public
    journals = Journals(settings.journal_memory or (PUBLIC_BYTES if public else JOURNAL_BYTES))
    shared = _shared_state(settings, library, journals, changes or ChangeFeed())
    every = settings.reset_every or (PUBLIC_RESET_SECONDS if public else 0.0)
    idle = PUBLIC_IDLE_SECONDS if public else SESSION_IDLE_SECONDS
    sessions = SessionRegistry(
        shared,
        settings.max_sessions or (PUBLIC_SESSIONS if public else SESSIONS),
        clock,
        idle=idle,
        reset_every=every,
        declared=settings.sessions == "declared",
    )
    visitors = _visitors(settings, sessions.limit, clock) if public else None
    metrics = Metrics(VERSION, partial(_holdings, sessions, journals, reloads))
    coverage = Coverage()
    delivery = Delivery(PUBLIC_DELAY_SECONDS if public else None)
    app = App(
        ResponseFinalizer(settings, sessions, delivery, metrics, coverage, visitors).finalize,
        None if visitors is None else visitors.admit,
    )
    # `/v1//pets` is not `/v1/pets`, and a redirect would lead to any host that a client sends.
    app.url_map.merge_slashes = False
    playback = Playback(settings, sessions, visitors)
    operations.add_routes(app, playback)
    unmatched.add_routes(app, playback)
    add_error_handlers(app, visitors)
    started = time()

    def add_control() -> None:
        from mockpets.web.control.call import ControlContext
        from mockpets.web.control.routes import add_routes
        from mockpets.web.cors import RejectedOrigins

        origins = RejectedOrigins(partial(sessions.publish_all, "origins"))
        context = ControlContext(
            settings, sessions, token, visitors, metrics, coverage, origins, started
        )
        add_routes(app, context)

    app.add_later(CONTROL_PREFIX, add_control)
    return app, sessions, metrics


def _visitors(settings: Settings, sessions: int, clock: Callable[[], float]) -> VisitorSessions:
    from mockpets.web.control.routes import GUARDED

    return VisitorSessions(settings, sessions, GUARDED, clock)


def _shared_state(
    settings: Settings, library: Callable[[], Library], journals: Journals, changes: ChangeFeed
) -> SharedState:
    """Return the state that the sessions of a server share."""
    public = settings.public
    for_pets = settings.pets_memory or PETS_BYTES  # thousands of visitors add some too
    for_snapshots = settings.snapshot_memory or (PUBLIC_BYTES if public else SNAPSHOTS_BYTES)
    # A visitor, who reads the message, cannot change a setting.
    pets = MemoryBudget(for_pets, "pets", "" if public else "--pets-memory")
    snapshots = MemoryBudget(for_snapshots, "snapshots", "" if public else "--snapshot-memory")
    return SharedState(
        library=library,
        tables=TableCache(generate, pets),
        # The initial pets do not count against the memory budget of the sessions.
        start=TableCache(generate).make(settings.count, settings.seed, settings.locale),
        scenarios=settings.scenario,
        seed=settings.seed,
        max_new=settings.max_pets or (PUBLIC_PETS if public else PETS_BY_REQUEST),
        locale=settings.locale,
        journal=partial(journals.new, settings.journal_size, 0 if public else MESSAGE_BYTES),
        pets=pets,
        snapshots=snapshots,
        max_delay=PUBLIC_DELAY_SECONDS if public else DELAY_SECONDS,
        max_name=PUBLIC_NAME_LENGTH if public else None,
        allows_connection_faults=not public,
        documents=not public,
        changes=changes,
    )


def _holdings(
    sessions: SessionRegistry, journals: Journals, reloads: Callable[[], int]
) -> Holdings:
    """Return what the app holds now; called while it responds to a request."""
    server: Server | None = current_request().environ.get(SERVER)
    shared, limits = sessions.shared, server.limits if server else None
    return Holdings(
        parked=server.parked() if server else 0,
        parked_limit=limits.parked if limits else None,
        sessions=len(sessions),
        sessions_limit=sessions.limit,
        pets=sum(session.pets_held() for session in sessions.all()),
        pets_bytes=shared.pets.used,
        pets_limit=shared.pets.limit,
        snapshots_bytes=shared.snapshots.used,
        snapshots_limit=shared.snapshots.limit,
        journal_bytes=journals.used,
        journal_limit=journals.budget,
        journal_dropped=journals.dropped,
        scenario_reloads=reloads(),
        scenario_problems=len(shared.library().problems),
        connections=server.open_connections() if server else None,
        connections_limit=limits.connections if limits else None,
        evicted=server.evicted_connections() if server else None,
        bodies_bytes=server.body_bytes() if server else None,
        bodies_limit=limits.bodies_bytes if limits else None,
        rejected=server.rejected() if server else {},
    )
