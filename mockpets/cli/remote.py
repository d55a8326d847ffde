"""The commands `health`, `use` and `requests`, and what all commands for a running server share."""

from __future__ import annotations

import json
import os
import shlex
import time
from dataclasses import replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import click
from click.core import ParameterSource

from mockpets.cli.commands import report
from mockpets.cli.layout import cut, hang, on_terminal
from mockpets.cli.options import (
    flag,
    integer,
    only_one,
    option,
    with_json,
    with_options,
    with_settings,
)
from mockpets.constants import DEFAULT_SESSION, HEALTH_PATH
from mockpets.errors import InputError, Problem, did_you_mean, invalid, printable
from mockpets.settings.settings_table import VARIABLE_PREFIX
from mockpets.settings.sources import FILE_SUFFIX, URL_VARIABLE, load_settings
from mockpets.units import either, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from mockpets.client import ControlClient, ControlError
    from mockpets.contract.contract_model import Contracts
    from mockpets.contract.control_types import RequestFilters, RequestList, RequestSummary
    from mockpets.settings import Settings

TOKEN_VARIABLE: Final = f"{VARIABLE_PREFIX}CONTROL_TOKEN"
"""The same variable as for the setting of the server."""
_HEALTH_SECONDS: Final = 3.0
"""How long `health` waits to connect, and then for the response."""
_WAIT_SECONDS: Final = 5
"""The longest wait for one poll: a Ctrl-C just before the poll takes effect only after it."""
_FOLLOWED: Final = 1000
"""Requests per call when following, which are all that a request log keeps."""
_SELECTION: Final = ("url", "token", "session", "host", "port", "config")
"""The options that select a server and a session."""
_CONTRACTS: Final = ("contract", "corrections")
_RETRY_SECONDS: Final = 0.5
"""How long to wait before connecting again to a server that stopped responding."""


# --- Server -----------------------------------------------------------------------------------


def connect(options: Mapping[str, Any]) -> ControlClient:
    """Return a client for the server that a command's options select.

    :param options: ``url``, ``token``, ``session``, ``host``, ``port`` and ``config``, if given.
    """
    from mockpets.client import ControlClient  # not needed for the help

    url, token = options.get("url"), options.get("token")
    if url is None:
        flags = {name: options.get(name) for name in ("host", "port")}
        settings = load_settings(flags, os.environ, options.get("config"))
        url = settings.url() + settings.prefix
        token = token or settings.control_token
    elif not token and os.environ.get(TOKEN_VARIABLE + FILE_SUFFIX):
        token = load_settings({}, os.environ, options.get("config")).control_token
    # `requests --follow` continues after a restart.
    return ControlClient(url, options.get("session"), token, any_session=True)


def with_session(clients: list[ControlClient]) -> list[ControlClient]:
    """Return those of several clients whose server has the session; one client is always kept."""
    if len(clients) == 1:
        return clients
    found = [client for client in clients if client.name in session_names(client)]
    if not found:
        raise invalid("--session", f"no server has the session {quote(clients[0].name)}")
    return found


def _settings_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return `settings` for a command with the options of `with_contracts`, which are removed."""
    flags: dict[str, object] = {name: options.pop(name) for name in _CONTRACTS if name in options}
    read = partial(load_settings, flags, os.environ, options.get("config"))
    return {"settings": read} if flags else {}


def _run(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Pass a command a client for its server, or a list of clients if ``--url`` is repeatable."""

    @wraps(command)
    def run(**options: Any) -> int | None:
        options |= _settings_of(options)
        selection = {name: options.pop(name, None) for name in _SELECTION}
        url = selection["url"]
        if not isinstance(url, tuple):
            client = connect(selection)
            return reporting(client, lambda: command(client, **options))
        clients = [connect({**selection, "url": each}) for each in dict.fromkeys(url) or (None,)]
        return reporting(clients[0], lambda: command(clients, **options))

    return run


def reporting(client: ControlClient, call: Callable[[], int | None]) -> int | None:
    """Return the exit status of a function that calls a server; print errors of the server."""
    from mockpets.client import ControlError, IncompatibleServerError, NoAnswer

    try:
        return call()
    except ControlError as error:
        first, *rest = str(error).split("\n")
        report(problems_of(error) or [first], more=() if problems_of(error) else rest)
        if error.code == "unauthorized":
            report([f"pass the token with --token or the variable {TOKEN_VARIABLE}"])
    except (NoAnswer, IncompatibleServerError) as error:
        report([error])
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        # The client checks only that a response is a JSON object, not its properties.
        reason = cut(f"{type(error).__name__}: {error}", 100)
        report([f"{client.url} sent an unexpected response; is it a mockpets server? ({reason})"])
    return 1


def problems_of(error: ControlError) -> list[Problem]:
    """Return the problems of a rejected body without their position, which users do not see."""
    return [replace(problem, file="", line=0, column=0) for problem in error.problems]


def contracts_of_server(client: ControlClient, settings: Settings) -> Contracts:
    """Return the contracts of the settings, which must be those of a running server.

    :raise InputError: the server has others.
    """
    from mockpets.settings.named_contracts import contracts_of

    contracts, served = contracts_of(settings), client.contract()
    names = {row["name"] for each in served for row in each["operations"]}
    if names != contracts.operations.keys():
        titles = either([each["title"] for each in served], "and")
        what = f"the server at {client.root_url} serves {titles}, and the settings name another"
        files = " ".join(f"--contract {each['file'] or each['label']}" for each in served)
        raise invalid("--contract", what, f"pass {files}")
    return contracts


def session_names(client: ControlClient) -> list[str]:
    """Return the names of the sessions of a server."""
    return [session["name"] for session in client.sessions()]


# --- Options ----------------------------------------------------------------------------------


_session = option(
    "--session NAME",
    "Session name.  [default: the one in the URL, or default]",
)
_URL_HELP: Final = f"[default: from --host and --port; variable: {URL_VARIABLE}]"
_url = option(
    "--url URL",
    f"URL of the server.  {_URL_HELP}",
    envvar=URL_VARIABLE,
    multiple=True,
    callback=only_one,
)
_urls = option(
    "--url URL",
    f"URL of the server.  Repeatable, for several processes.  {_URL_HELP}",
    envvar=URL_VARIABLE,
    multiple=True,
)
with_token = option(
    "--token TOKEN",
    "Token for the control API, if the server requires one.  "
    f"[default: none; variable: {TOKEN_VARIABLE}]",
    envvar=TOKEN_VARIABLE,
)
_with_address = with_settings(
    "host",
    "port",
    texts={"host": "Address or host name of the server.", "port": "TCP port of the server."},
)
_connected: Final = (with_token, _with_address, _run)
with_client = with_options(_url, _session, *_connected)
"""Pass a command a client for the server and session that these options select."""
with_server = with_options(_url, *_connected)
"""As `with_client`, without the option for the session."""
with_clients = with_options(_urls, _session, *_connected)
"""Pass a command `clients`, one for each ``--url``, and the options of `with_client`."""
with_servers = with_options(_urls, *_connected)
"""As `with_clients`, without the option for the session."""
with_contracts = with_settings(*_CONTRACTS, has_file=False)
"""Pass a command `settings`, a function that returns those with the contracts of these options."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@with_json
@with_client
def use(client: ControlClient, names: tuple[str, ...], as_json: bool) -> None:
    """NAME is a scenario, or an expression such as getPet:404, a scenario without a file. To stack
    several, separate them with spaces or commas. The first one takes precedence.
    """
    wanted = [part for name in names for part in name.split(",")]
    if not wanted and (missing := missing_session(client)):
        report([f"session {client.name}{missing}"])
    result = client.activate(*wanted) if wanted else {"active": client.active()}
    report(result.get("notes", ()))
    line = f"active{in_session(client)}: {', '.join(result['active'])}"
    show(result, [line], as_json=as_json)


def in_session(client: ControlClient) -> str:
    """Return the name of a client's session for a message; empty for the default session."""
    return "" if client.name == DEFAULT_SESSION else f" in session {client.name}"


def missing_session(client: ControlClient) -> str:
    """Return a remark if the session of a client does not exist, otherwise an empty text."""
    names = session_names(client)
    if client.name in names:
        return ""
    near = did_you_mean(client.name, names)
    return "; this session does not exist yet" + (f", {near}" if near else "")


def given_selection() -> str:
    """Return the options that select the server and session on this command line, to repeat them.

    Not the token, which is a secret.
    """
    context = click.get_current_context()
    words = []
    for name in ("url", "session", "host", "port", "config"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            value = context.params[name]
            for each in value if isinstance(value, tuple) else (value,):
                words += [f"--{name}", str(each)]
    return f" {shlex.join(words)}" if words else ""


def show(value: object, lines: Iterable[str], *, as_json: bool) -> None:
    """Print lines, or a value as JSON: in ASCII, since names can contain control characters."""
    if as_json:
        click.echo(json.dumps(value, indent=2))
        return
    for line in lines:
        click.echo(printable(line))


# --- Request log ------------------------------------------------------------------------------


@click.command()
@option("--operation NAME", "Only this operation, such as listPets.")
@option("--method NAME", "Only this method, such as POST.")
@option("--path PATH", "Only this path; * matches any text.")
@option("--status CODE", "Only responses with this status, such as 404 or 4xx.")
@option("--stub LABEL", "Only requests handled by this stub, such as retry/*, or by no stub (-).")
@option("--note CODE", "Only requests with this note, such as off_contract.")
@option("--outcome NAME", "Only requests with this outcome: pending, sent, client_left or broken.")
@option("--since NUMBER", "Only requests after this number.", type=integer(0))
@option("--limit NUMBER", "Show only the newest NUMBER requests.", type=integer(1))
@flag("--follow", "-f", text="Show new requests as they arrive, until Ctrl-C.")
@flag("--json", "as_json", text="Print one JSON object per line, with all properties.")
@flag("--har", text="Print a HAR 1.2 document, for a browser's developer tools.")
@flag("--clear", text="Clear the request log.")
@with_clients
def requests(
    clients: list[ControlClient],
    follow: bool,
    as_json: bool,
    har: bool,
    clear: bool,
    **options: Any,
) -> None:
    """Columns: number, time, method, target, status (... while the response is pending),
    milliseconds (plus those of a delay, gate or throttle), stubs, the outcome if it is not 'sent',
    and notes. --follow shows a pending request again when its response ends. GET
    /__mockpets/requests/NUMBER returns a request and its response in full.
    """
    filters = {name: value for name, value in options.items() if value is not None}
    modes = {"--clear": clear, "--har": har, "--json": as_json, "--follow": follow}
    chosen = [name for name, is_on in modes.items() if is_on]
    if clear:
        chosen += [f"--{name}" for name in filters]
    if (clear or har) and len(chosen) > 1:
        raise invalid(chosen[0], f"cannot be combined with {', '.join(chosen[1:])}")
    if follow and len(clients) > 1:
        raise invalid("--follow", "cannot be combined with several --url", "follow one server")
    clients = with_session(clients)
    if clear:
        click.echo(f"cleared {sum(client.clear_requests() for client in clients)}")
    elif har:
        document, *others = [client.har(**filters) for client in clients]
        entries = document["log"]["entries"]
        for other in others:
            entries += other["log"]["entries"]
        entries.sort(key=lambda entry: entry["startedDateTime"])
        show(document, (), as_json=True)
    elif follow:
        _follow(clients[0], cast("RequestFilters", filters), as_json=as_json)
    else:
        request_logs = [client.request_log(**filters) for client in clients]
        rows = [row for request_log in request_logs for row in request_log["requests"]]
        rows.sort(key=lambda row: row["at"])
        _print(rows, as_json=as_json)
        for request_log in request_logs:
            _report_hidden(request_log)
        if not rows:
            missing = missing_session(clients[0])
            report([f"no matching requests in session {clients[0].name}{missing}"])


def _report_hidden(request_log: RequestList) -> None:
    if hidden := request_log["total"] - len(request_log["requests"]):
        report([f"earlier requests not shown: {hidden}; raise --limit to see more"])


def _print(summaries: Iterable[RequestSummary], *, as_json: bool) -> None:
    """Print requests; JSON in ASCII, because they can contain terminal control characters."""
    from mockpets.client.request_line import request_line

    for summary in summaries:
        line = json.dumps(summary) if as_json else request_line(summary)
        click.echo(hang(line) if on_terminal() and not as_json else line)


def _follow(client: ControlClient, filters: RequestFilters, *, as_json: bool) -> NoReturn:
    """Print requests as they arrive, and pending ones again when their response ends.

    If the server stops responding, wait for it. After a restart or reset, numbers start again, and
    the request log is read from its start.
    """
    from mockpets.client import NoAnswer
    from mockpets.request_log.queries import has_status

    missing = missing_session(client)  # a wrong session name would show nothing at all
    report([f"following session {client.name} of {client.url}; Ctrl-C to stop{missing}"])
    outcome, status = filters.get("outcome"), filters.get("status")
    query: RequestFilters = {**filters, "limit": _FOLLOWED}
    for name in ("outcome", "status"):  # compared below, since they change
        query.pop(name, None)  # type: ignore[misc]
    seen = client.request_log(**query)
    since, is_connected = seen["last"], True
    first = client.request_log(**filters)
    rows = [row for row in first["requests"] if row["number"] <= since]
    _print(rows, as_json=as_json)
    _report_hidden(first)
    ended = {row["number"] for row in rows if row["outcome"] != "pending"}
    pending = _pending(seen) - ended
    while True:
        try:
            if is_connected:
                client.events(seen["change"], _WAIT_SECONDS)
            query["since"] = min([since, *(number - 1 for number in pending)])
            new = client.request_log(**query)
        except NoAnswer:
            if is_connected:
                report([f"{client.base_url} stopped responding; trying again until it responds"])
            since, pending, is_connected = 0, set(), False
            time.sleep(_RETRY_SECONDS)
            continue
        if is_connected and (new["last"] < since or new["resets"] != seen["resets"]):
            since, pending, is_connected = 0, set(), False
            continue
        ended = pending - _pending(new)
        rows = [row for row in new["requests"] if row["number"] > since or row["number"] in ended]
        shown = [row for row in rows if outcome in (None, row["outcome"])]
        if status is not None:
            wanted = str(status).lower()
            shown = [row for row in shown if has_status(row["status"], row["outcome"], wanted)]
        _print(shown, as_json=as_json)
        _report_hidden(new)
        pending = _pending(new)
        seen, since, is_connected = new, new["last"], True


def _pending(request_log: RequestList) -> set[int]:
    return {row["number"] for row in request_log["requests"] if row["outcome"] == "pending"}


@click.command()
@with_json
@_url
@_with_address
def health(url: str | None, as_json: bool, config: Path | None, **flags: object) -> int:
    """The exit status is 0 if it does, and 1 if it does not."""
    from mockpets.client import NoAnswer

    try:
        if url is None:
            settings = load_settings(flags, os.environ, config)
            url = settings.url() + settings.prefix
        line = _check_health(url)
    except (InputError, NoAnswer) as error:
        report(str(error).split("\n"))
        return 1
    show({"status": "ok", "url": url}, [line], as_json=as_json)
    return 0


def _check_health(url: str) -> str:
    """Return the line that reports a server as alive.

    :raise NoAnswer: the server does not respond, or not as mockpets does if all is well.
    :raise InputError: the URL is invalid.
    """
    from mockpets.client.transport import Connection, NoAnswer

    connection = Connection(url, _HEALTH_SECONDS)
    root, response = connection.url, connection.send("GET", HEALTH_PATH)
    if response.status != 200:
        what = f"responds to the health check with {response.status}, expected 200"
        raise NoAnswer(f"{root} {what}")
    if b'"status":"ok"' not in response.body:
        raise NoAnswer(f"{root} is not a mockpets server (status {response.status})")
    return f"mockpets: {root} is alive"
