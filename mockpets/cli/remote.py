"""The commands that talk to a running server: switch its scenarios, read and follow its journal."""

from __future__ import annotations

import json
import os
import sys
import time
from functools import wraps
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

import click

from mockpets.cli.options import Command, complain, with_settings
from mockpets.client.request_line import request_line
from mockpets.constants import DEFAULT_SESSION, FILE_SUFFIXES
from mockpets.errors import InputError, Problem, did_you_mean, printable
from mockpets.settings.model import VARIABLE_PREFIX
from mockpets.settings.sources import URL_VARIABLE, load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from mockpets.client import ControlClient
    from mockpets.contract.control_types import RequestFilters, RequestList, RequestSummary

_TOKEN_VARIABLE: Final = f"{VARIABLE_PREFIX}CONTROL_TOKEN"
"""The same as the setting of the server has."""
_WAIT_SECONDS: Final = 5
"""How long to wait for news at once: Ctrl-C just before the wait begins ends only after it."""
_FOLLOWED: Final = 1000
"""Requests that are read at once when following."""
_AGAIN_SECONDS: Final = 0.5
"""How long to wait before a server that went away is tried again."""


# --- Which server -----------------------------------------------------------------------------


def _with_client(command: Callable[..., int]) -> Callable[..., Any]:
    """Give a command the options that say which server, and a client of that as first argument.

    What the server or the network refuses is told, and becomes the exit status 1.
    """

    @wraps(command)
    def run(
        url: str | None,
        token: str | None,
        session: str | None,
        config: Path | None,
        **options: Any,
    ) -> int:
        flags = {name: options.pop(name) for name in ("host", "port")}
        if url is None:
            settings = load_settings(flags, os.environ, config)
            url = settings.url() + settings.prefix
            token = token or settings.control_token

        from mockpets.client import ControlClient, ControlError, NoAnswer

        client = ControlClient(url, session, token)
        try:
            return command(client, **options)
        except (ControlError, NoAnswer) as error:
            complain(str(error).split("\n"))
            if isinstance(error, ControlError) and error.code == "unauthorized":
                complain([f"here it is given by --token, or by the variable {_TOKEN_VARIABLE}"])
            return 1

    session = click.option(
        "--session", metavar="NAME", help="The session.  [default: default, or that of the URL]"
    )
    token = click.option(
        "--token",
        envvar=_TOKEN_VARIABLE,
        metavar="TOKEN",
        help="The control token, where the server wants one.  "
        f"[default: none; variable: {_TOKEN_VARIABLE}]",
    )
    url = click.option(
        "--url",
        envvar=URL_VARIABLE,
        metavar="URL",
        help=f"The server.  [default: that of host and port; variable: {URL_VARIABLE}]",
    )
    texts = {"host": "Address or host name of the server.", "port": "TCP port of the server."}
    return url(session(token(with_settings("host", "port", texts=texts)(run))))


@click.command(cls=Command)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@_with_client
def use(client: ControlClient, names: tuple[str, ...]) -> int:
    """Switch the scenarios of a running server.

    Of several, the first has precedence; parted by blanks or commas.
    """
    wanted = [part for name in names for part in name.split(",")]
    if problems := [_of_file(name) for name in wanted if name.lower().endswith(FILE_SUFFIXES)]:
        raise InputError(problems)
    active = client.use(*wanted)
    where = "" if client.name == DEFAULT_SESSION else f" in session {client.name}"
    click.echo(printable(f"active{where}: {', '.join(active)}"))
    return 0


def _of_file(name: str) -> Problem:
    """Return the problem that a file is named where its scenario's name belongs."""
    hint = f"say '{PurePath(name).stem}'; the server reads the file from its --scenarios-dir"
    return Problem(name, 0, 0, "", "is a file, not a scenario's name", hint)


# --- Journal ----------------------------------------------------------------------------------


@click.command(cls=Command)
@click.option("--operation", metavar="NAME", help="Those of an operation, such as listPets.")
@click.option("--method", metavar="NAME", help="Those of a method.")
@click.option("--path", metavar="PATH", help="Those of a path; * stands for anything.")
@click.option("--status", metavar="CODE", help="Those answered with it: 404, or 4xx.")
@click.option("--stub", metavar="LABEL", help="Those a stub took part in: retry/*, or - for none.")
@click.option("--note", metavar="CODE", help="Those with such a note, off_contract say.")
@click.option("--since", type=click.IntRange(0), metavar="NUMBER", help="Those after a number.")
@click.option("--limit", type=click.IntRange(1), metavar="NUMBER", help="The newest so many.")
@click.option("--follow", "-f", is_flag=True, help="Go on with new ones until Ctrl-C.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object a line, with all there is.")
@click.option("--har", is_flag=True, help="A HAR 1.2 document, for a browser's developer tools.")
@click.option("--clear", is_flag=True, help="Forget all of them.")
@_with_client
def requests(
    client: ControlClient, follow: bool, as_json: bool, har: bool, clear: bool, **options: Any
) -> int:
    """Show the requests that a running server got, a line each.

    The columns: number, time, method, target, status, milliseconds (and the delay put on top),
    stubs, and what was noticed. It keeps both sides of each; GET /__mockpets/requests/NUMBER has
    them.
    """
    filters = {name: value for name, value in options.items() if value is not None}
    modes = {"--clear": clear, "--har": har, "--json": as_json, "--follow": follow}
    _refuse_pairs([name for name, on in modes.items() if on], filters)
    if clear:
        click.echo(f"cleared {client.clear_requests()}")
    elif har:
        click.echo(json.dumps(client.har(**filters), indent=2))
    elif follow:
        _follow(client, cast("RequestFilters", filters), as_json=as_json)
    else:
        journal = client.journal(**filters)
        _show(journal, as_json=as_json)
        if not journal["requests"]:
            complain([f"no such request in session {client.name}{_absent(client)}"])
    return 0


def _refuse_pairs(modes: list[str], filters: Iterable[str]) -> None:
    """Make sure that no option is given that another one leaves without effect.

    :param modes: those given, by rank.
    :raise InputError: one is.
    """
    first, others = (modes[0], modes[1:]) if modes else ("", [])
    if first == "--clear":
        others += [f"--{name}" for name in filters]
    if first in ("--clear", "--har") and others:
        raise InputError([Problem(first, 0, 0, "", f"does not go with {', '.join(others)}")])


def _show(journal: RequestList, *, as_json: bool) -> None:
    """Print requests, and how many more there are.

    JSON is left in ASCII, since what a client sent may hold what a terminal acts on.
    """
    color = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for summary in journal["requests"]:
        if as_json:
            click.echo(json.dumps(summary))
        else:
            click.echo(click.style(request_line(summary), fg=_colour(summary)), color=color)
    if left_out := journal["total"] - len(journal["requests"]):
        complain([f"{left_out} earlier ones left out; see --limit"])


def _colour(summary: RequestSummary) -> str | None:
    """Return red for what failed by the server's doing, yellow for the client's."""
    status = summary["status"]
    if status is None or status >= 500:
        return "red"
    return "yellow" if status >= 400 else None


def _follow(client: ControlClient, filters: RequestFilters, *, as_json: bool) -> NoReturn:
    """Print requests as they come; a server that goes away is waited for.

    After that and after a reset numbers begin anew, so the journal is read from its start.
    """
    from mockpets.client import NoAnswer

    absent = _absent(client)  # who sees nothing come may have meant another
    complain([f"following session {client.name} of {client.url}; Ctrl-C ends it{absent}"])
    seen = client.journal(**filters)
    _show(seen, as_json=as_json)
    since, goes_on = seen["last"], True
    while True:
        asked: RequestFilters = {**filters, "since": since, "limit": _FOLLOWED}
        try:
            if goes_on:
                client.events(seen["change"], _WAIT_SECONDS)
            new = client.journal(**asked)
        except NoAnswer:
            if goes_on:
                complain([f"{client.base_url} does not answer any more; waiting until it does"])
            since, goes_on = 0, False
            time.sleep(_AGAIN_SECONDS)
            continue
        if goes_on and (new["last"] < since or new["resets"] != seen["resets"]):
            since, goes_on = 0, False
            continue
        _show(new, as_json=as_json)
        seen, since, goes_on = new, new["last"], True


def _absent(client: ControlClient) -> str:
    """Return what to add where a session is told of that there is not, else nothing."""
    names = [session["name"] for session in client.sessions()]
    if client.name in names:
        return ""
    near = did_you_mean(client.name, names)
    return "; there is none of that name yet" + (f", {near}" if near else "")


COMMANDS = (use, requests)
"""In the order of the help."""
