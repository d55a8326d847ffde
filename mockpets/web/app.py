"""Wire the parts of mockpets to a Flask app.

Nothing listens and no thread starts. Two apps in one process share nothing.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING

from mockpets import constants
from mockpets.admission import Admission
from mockpets.clock import Clock, parse_moment
from mockpets.constants import LOG_ENTRIES
from mockpets.errors import InputError, Problem, RequestError
from mockpets.memory_budget import MemoryBudget
from mockpets.records.store import Store
from mockpets.records.table import TableCache, dumped, empty_table, make_table, parse_row, rows_of
from mockpets.request_log.entry import MESSAGE_BYTES
from mockpets.request_log.request_log import RequestLogs
from mockpets.scenario.reloader import Reloader
from mockpets.seed.generated_records import generate
from mockpets.session.change_feed import ChangeFeed
from mockpets.session.registry import SessionRegistry
from mockpets.session.session import SharedState
from mockpets.settings import Settings
from mockpets.settings.combinations import contradictions
from mockpets.settings.named_contracts import contract_files
from mockpets.telemetry.metrics import Holdings, Metrics
from mockpets.web import operations, unmatched
from mockpets.web.error_responses import error_response
from mockpets.web.flask_app import App
from mockpets.web.playback import Playback
from mockpets.web.proxy import entrance
from mockpets.web.response_finalizer import ResponseFinalizer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from werkzeug.routing import Map

    from mockpets.limits import Limits
    from mockpets.records.lazy_tables import LazyTables
    from mockpets.records.table import Table
    from mockpets.scenario.library import Library
    from mockpets.web.messages import Request, Response


@dataclass(frozen=True, eq=False, repr=False)  # which delay a start
class Mock:
    """The parts of an app that the caller runs: `app.extensions["mockpets"]`.

    :param reloader: `reloader.start()` reloads the scenario files when they change.
    :param token: the token for the control API; empty if none is required.
    """

    reloader: Reloader
    sessions: SessionRegistry
    token: str
    metrics: Metrics


def create_app(settings: Settings | None = None, clock: Callable[[], float] = monotonic) -> App:
    """Return the app of one mock server, which is also a WSGI app for Flask and test clients.

    Flask and a test client get every response at once: delays, throttles, holds, broken
    connections and calls that wait need our server, as do the ports and the state file.

    :param settings: the default is all defaults, for ``flask --app mockpets run`` and ``routes``.
    :param clock: returns monotonic seconds.
    :raise InputError: a setting, or a scenario or fixture that it names, is invalid or unknown.
    """
    is_default = settings is None
    settings = settings or Settings()
    changes = ChangeFeed()
    lazy: LazyTables | None = None

    def on_reload() -> None:
        if lazy is not None:
            lazy.renew(_makers(settings, reloader.library))
        changes.publish("files")

    files = contract_files(settings)
    reloader = Reloader(settings.scenarios_dir, settings.fixtures_dir, on_reload, files)
    library = reloader.library
    contracts = library.contracts
    problems = library.unknown("--scenario", settings.scenario)
    if not library.problems.keys().isdisjoint(settings.scenario):
        problems += chain(*library.problems.values())  # the reason may be a file that one extends
    problems += contradictions(settings)
    starts: dict[str, Table] = {}
    makers = _makers(settings, library)
    place = settings.sources.get("data", ("--data", 0, 0, ""))
    for name, source in contracts.starts(settings.starts).items():
        if name in makers:
            continue
        try:
            table = _start(settings, library, name, source)
        except InputError as error:
            problems += error.problems
        except RequestError as error:
            problems.append(Problem(*place, f"{name}: {error.message}"))
        else:
            if starts.setdefault(table.collection.label, table) is not table:
                what = f"{name} is {table.collection.label}, which has contents already"
                problems.append(Problem(*place, what, "name each collection once"))
    if problems:
        raise InputError(problems)
    token = settings.control_token
    # Visitors reach a loopback address too, through a proxy that `--behind-proxy` does not name.
    is_exposed = settings.public or not settings.is_local
    if settings.control == "auto" and is_exposed and not token:
        token = secrets.token_urlsafe(24)
    if files is not None:
        from mockpets.records.lazy_tables import LazyTables  # as above

        lazy = LazyTables(starts, makers)
    tables = starts if lazy is None else lazy
    app, sessions, metrics = _wire(settings, reloader, tables, token, clock, changes)
    app.extensions["mockpets"] = Mock(reloader, sessions, token, metrics)
    if is_default:
        app.add_late_routes()  # `flask routes` lists them
    return app


def _makers(settings: Settings, library: Library) -> dict[str, Callable[[], Table]]:
    """Return what makes the initial records of documents: most tests need few collections."""
    collections = library.contracts.collections
    return {
        name: partial(_start, settings, library, name, source)
        for name, source in library.contracts.starts(settings.starts).items()
        if name in collections and collections[name].is_of_document and source.isdecimal()
    }


def _start(settings: Settings, library: Library, name: str, source: str) -> Table:
    """Return the initial records of a collection, which take none of the memory for records.

    :param source: a file, or how many records to generate.
    :raise InputError: the file is invalid.
    :raise RequestError: the collection is unknown, or the records do not fit.
    """
    collection = library.collection(name)
    if source.isdecimal():
        if collection.owner:
            message = "records can be generated only for the contract's collections; name a file"
            raise RequestError("invalid_request", message)
        records = generate(collection, int(source), settings.seed, settings.locale)
        table = make_table(collection, dumped(collection, records))
    else:
        from mockpets.scenario.language.loader import load_fixture  # most servers generate them

        kind = None if collection.owner else collection
        rows = load_fixture(Path(source), source, kind, is_named=False)
        if collection.owner:
            store = Store(empty_table(collection), 0, seed=settings.seed)
            table = store.read([*map(parse_row, rows)])
        else:
            table = make_table(collection, rows_of(rows))
    table.size = 0
    return table


def _wire(
    settings: Settings,
    reloader: Reloader,
    starts: Mapping[str, Table],
    token: str,
    clock: Callable[[], float],
    changes: ChangeFeed,
) -> tuple[App, SessionRegistry, Metrics]:
    """Return an app over a library, its sessions and metrics.

    :param starts: the initial records of collections, by label.
    """
    limits = settings.limits
    request_logs = RequestLogs(limits.log_memory)
    shared = _shared_state(settings, limits, reloader, starts, request_logs, changes)
    sessions = SessionRegistry(shared, clock=clock, declared=settings.sessions == "declared")
    contracts = reloader.library.contracts
    admission, admit, enter = Admission(), None, None
    if settings.public:
        # Most servers need none of it.
        from mockpets.contract.control_calls import GUARDED
        from mockpets.public.visitors import Visitors

        admission = Visitors(limits, settings.visitor_rate, partial(_records_word, reloader), clock)
        admit = partial(_admit, admission, reloader, GUARDED)
    holdings = partial(_holdings, sessions, request_logs, reloader)
    metrics = Metrics(constants.VERSION, contracts.operations, holdings)
    finalizer = ResponseFinalizer(settings, sessions, metrics, admission)
    if settings.behind_proxy or settings.prefix:
        enter = entrance(settings.behind_proxy, settings.prefix, admit, admission.reword)

    def fail(request: Request, error: Exception) -> Response:
        return error_response(request, error, app.contracts, admission)

    app = App(contracts, finalizer.finalize, fail, admit, enter)
    # `/v1//a` is not `/v1/a`, and a redirect would lead to any host that a client sends.
    app.url_map.merge_slashes = False
    playback = Playback(settings, sessions, admission)
    operations.add_routes(app, contracts, playback.respond)
    if any(each.api for each in contracts.all):
        app.follow(
            lambda: reloader.library.contracts,
            partial(operations.add_routes, app, respond=playback.respond),
        )
    unmatched.add_routes(app, playback)
    started = time()

    def add_control() -> Map:
        from mockpets.web.control.call import ControlContext
        from mockpets.web.control.routes import add_routes
        from mockpets.web.cors import RejectedOrigins

        origins = RejectedOrigins(partial(shared.changes.publish, "origins"))
        context = ControlContext(
            settings,
            sessions,
            token,
            admission,
            metrics,
            origins,
            started,
            reloader.look,
        )
        return add_routes(app, context)

    app.add_later(constants.CONTROL_PREFIX, add_control)
    return app, sessions, metrics


def _admit(
    admission: Admission, reloader: Reloader, guarded: Collection[str], request: Request
) -> None:
    """Admit a request, or raise `RequestError` ``rate_limited``.

    A call that requires the token is counted by `Admission.check_token`.
    """
    if request.endpoint in guarded:
        return
    # No view sets them if the request is rejected.
    request.operation = reloader.library.contracts.operations.get(request.endpoint or "")
    request.session_name = admission.session(request.address, None) or ""
    admission.admit(request.address, request.method, request.path)


def _records_word(reloader: Reloader) -> str:
    """Return what records are called: by the name of the collection if there is only one."""
    names = [*reloader.library.contracts.collections]
    return names[0] if len(names) == 1 else "records"


def _shared_state(
    settings: Settings,
    limits: Limits,
    reloader: Reloader,
    starts: Mapping[str, Table],
    request_logs: RequestLogs,
    changes: ChangeFeed,
) -> SharedState:
    records = MemoryBudget(limits.record_memory, "records", "--memory")
    return SharedState(
        library=lambda: reloader.library,
        tables=TableCache(generate, records),
        starts=starts,
        scenarios=reloader.library.stack(settings.scenario).names,  # in the case of the contract
        seed=settings.seed,
        locale=settings.locale,
        request_log=partial(
            request_logs.new, LOG_ENTRIES, MESSAGE_BYTES if limits.logs_values else 0
        ),
        records=records,
        limits=limits,
        changes=changes,
        clock=Clock(parse_moment(settings.now), frozen=True) if settings.now else None,
        started=round(time() * 1000),
    )


def _holdings(sessions: SessionRegistry, request_logs: RequestLogs, reloader: Reloader) -> Holdings:
    """Return what the app holds now."""
    shared = sessions.shared
    return Holdings(
        sessions=len(sessions),
        sessions_limit=sessions.limit,
        records=sum(session.records_held() for session in sessions.all()),
        records_bytes=shared.records.used,
        records_limit_bytes=shared.records.limit,
        request_log_bytes=request_logs.used,
        request_log_limit_bytes=request_logs.budget,
        request_log_dropped_total=request_logs.dropped,
        scenario_reloads_total=reloader.reloads,
        scenario_problems=len(reloader.library.problems),
    )
