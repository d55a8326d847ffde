"""The commands for the state of a running server, from its request log to its sessions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote_plus, urlunsplit

import click

from mockpets import constants
from mockpets.cli import remote
from mockpets.cli.commands import ListGroup, cannot_write, report
from mockpets.cli.layout import cut, table
from mockpets.cli.options import flag, integer, option, read_json, with_json, with_options
from mockpets.errors import InputError, Problem, did_you_mean, invalid, printable
from mockpets.settings.validators import scenario_name
from mockpets.strict_json import dump_json, load_plain_json
from mockpets.units import counted, either, is_expression, quote
from mockpets.urls import plain_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mockpets.client import ControlClient
    from mockpets.contract.control_types import CollectionSummary, SessionExport, Times


def _listed(
    client: ControlClient, kind: str, rows: Sequence[Sequence[object]], columns: Sequence[str]
) -> Iterator[str]:
    """Yield rows below the names of their columns, or say that the list is empty."""
    missing = remote.missing_session(client)
    if missing or not rows:
        report([f"{'' if rows else 'no '}{kind} in session {client.name}{missing}"])
    if rows:
        yield from table([columns, *rows])


# --- Links ------------------------------------------------------------------------------------


@click.command()
@click.argument("app_url", metavar="APP_URL")
@option("--scenario NAMES", "Scenarios, separated by commas; the first takes precedence.")
@remote.with_client
def link(client: ControlClient, app_url: str, scenario: str | None) -> None:
    """The toolbar, or the kit's openLink in your app's server, stores the names in the cookie
    'mockpets', which the browser sends with each request. The link does not contain files: another
    person needs the same scenario files. If the server requires a token and you pass none, the
    names are not checked.
    """
    parts = plain_url(app_url)
    if parts is None:
        what = f"must be the URL of a page of your app, got {shown_url(app_url)!r}"
        hint = "write it in full and without a user name, such as http://localhost:5173/pets"
        raise invalid("APP_URL", what, hint)
    try:
        names = (
            []
            if scenario is None
            else [scenario_name(name.strip()) for name in scenario.split(",")]
        )
    except ValueError as error:
        raise invalid("--scenario", str(error)) from error
    if len(names) > constants.STACK_DEPTH:  # the server would reject the cookie
        what = f"must name at most {constants.STACK_DEPTH} scenarios, got {len(names)}"
        raise invalid("--scenario", what, "stack fewer, or write one that extends others")
    _check_link(client, names)
    is_default = names and client.name == constants.DEFAULT_SESSION
    value = quote_plus("+".join(["" if is_default else client.name, *names]))
    others = [part for part in parts.query.split("&") if part.partition("=")[0] != constants.COOKIE]
    query = "&".join([*filter(None, others), f"{constants.COOKIE}={value}"])
    click.echo(printable(urlunsplit(parts._replace(query=query))))


def _check_link(client: ControlClient, names: Sequence[str]) -> None:
    """Check the scenarios of a link as far as the server allows; print what the link lacks."""
    from mockpets.client import ControlError
    from mockpets.scenario.folders import find

    try:
        listed = client.scenarios()["scenarios"]
        known = {row["name"] for row in listed if row["description"] is not None}
        for expression in filter(is_expression, names):
            client.scenario(expression)
        if unknown := [name for name in names if name not in known and not is_expression(name)]:
            hint = did_you_mean(unknown[0], known) or "'mockpets scenarios' lists them"
            raise invalid("--scenario", f"unknown scenario {unknown[0]!r}", hint)
        if missing := remote.missing_session(client):
            report([f"session {client.name}{missing}"])
    except ControlError as error:
        if error.code == "not_found":  # an expression
            hint = "'mockpets contract' lists the operations"
            raise invalid("--scenario", error.message, hint) from error
        reason = "the server requires a token" if error.code == "unauthorized" else error
        report([f"the names in the link are not checked: {reason}"])
    shipped = find("scenarios", ())
    if own := [name for name in names if name not in shipped and not is_expression(name)]:
        report([f"another person needs the same scenario files: {', '.join(own)}"])


# --- Verify and reset -------------------------------------------------------------------------


@click.command(
    epilog="The exit status is 0 if the number of requests is as expected, 1 if it is not, and 2 "
    "if an option is invalid.",
)
@option("--operation NAME", "Only this operation, such as createPet.")
@option("--method NAME", "With --path: only this method, such as DELETE.")
@option("--path PATH", "With --method: only this path, such as /v1/pets/*.")
@option(
    "--match JSON",
    "Only requests that meet these conditions, as in the match of a stub, such as "
    """'{"body": {"name": "Miso"}}'.""",
)
@option("--status CODE", "Only responses with this status, such as 503 or 5xx.")
@option("--outcome NAME", "Only this outcome: pending, sent, client_left or broken.")
@option("--times NUMBER", "Expect exactly NUMBER requests.", type=integer(0))
@option("--at-least NUMBER", "Expect NUMBER or more.  [default: 1]", type=integer(0))
@option("--at-most NUMBER", "Expect NUMBER or fewer.", type=integer(0))
@option("--within TIME", "How long to wait for the requests, such as 5s; at most 30s.")
@with_json
@remote.with_client
def verify(
    client: ControlClient,
    match: str | None,
    times: int | None,
    at_least: int | None,
    at_most: int | None,
    within: str | None,
    as_json: bool,
    **conditions: str | None,
) -> int:
    """If not, shows the nearest requests and how they differ."""
    from mockpets.client import ControlError, VerificationError

    expected: int | Times | None = times
    limits = {"at_least": at_least, "at_most": at_most}
    if given := {name: limit for name, limit in limits.items() if limit is not None}:
        if times is not None:
            others = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise invalid("--times", f"cannot be combined with {others}")
        expected = cast("Times", given)
    try:
        result = client.verify(_match(match, conditions), expected, within)
    except VerificationError as error:
        if not as_json:
            raise
        remote.show(error.details, (), as_json=True)
        return 1
    except ControlError as error:
        if error.status != constants.ERRORS["invalid_request"]:
            raise
        raise InputError(remote.problems_of(error)) from error
    count = result["matched"]
    if not (count or as_json) and (missing := remote.missing_session(client)):
        report([f"no requests in session {client.name}{missing}"])
    remote.show(result, [f"verified: {counted(count, 'matching request')}"], as_json=as_json)
    return 0


def _match(text: str | None, conditions: dict[str, str | None]) -> dict[str, Any]:
    """Return the conditions of `--match` and of the other options as one document."""
    match: Any = {}
    if text is not None:
        match = read_json("--match", text, """'{"operation": "createPet"}'""")
        if not isinstance(match, dict):
            raise invalid("--match", "must be a JSON object", """try '{"role": "create"}'""")
    for name, value in conditions.items():
        if value is None:
            continue
        if name in match:
            raise invalid(f"--{name}", f"is also in --match: {json.dumps(match[name])}", "use one")
        match[name] = value
    return cast("dict[str, Any]", match)


@click.command()
@flag("--all", "of_all", text="Reset every session.")
@remote.with_clients
def reset(clients: list[ControlClient], of_all: bool) -> None:
    """Active scenarios stay active. With several --url, resets the session where it exists."""
    if of_all:
        for client in clients:
            if client.name != constants.DEFAULT_SESSION:
                raise invalid("--all", f"cannot be combined with session {client.name}")
        click.echo(f"reset sessions: {sum(client.reset_sessions() for client in clients)}")
        return
    for client in remote.with_session(clients):
        if missing := remote.missing_session(client):
            report([f"creating session {client.name}{missing}"])
        active = ", ".join(client.reset())
        click.echo(printable(f"reset session {client.name}; active: {active}"))


# --- Data -------------------------------------------------------------------------------------

_WHERE: Final = option(
    "--where PROPERTY=VALUE",
    "Only records with this value. Repeatable; values of one property are alternatives.",
    multiple=True,
)
_NEEDS: Final = {
    "set": ("a number, the name of a fixture, or a file", "3"),
    "add": ("a record as JSON", """'{"name": "Miso", "categoryId": 2}'"""),
    "clear": ("", ""),
}
"""What each action needs, with an example."""
_IN_PANEL: Final = "change it in the panel, or with ControlClient.data()"
_OTHER_ACTIONS: Final = {
    **dict.fromkeys(("list", "show"), "leave it out to list the records"),
    **dict.fromkeys(("update", "change", "delete", "remove"), _IN_PANEL),
    "reset": "use 'mockpets reset'",
}
"""What to use instead of actions that users may expect."""


_with_action = with_options(
    click.argument("action", metavar=f"[{'|'.join(_NEEDS)}]", required=False),
    click.argument("value", metavar="[NUMBER|FIXTURE|FILE|RECORD]", required=False),
    _WHERE,
    with_json,
    remote.with_client,
)
"""Add the arguments and options of an action on records to a command."""


@click.command()
@click.argument("name", required=False)
@_with_action
def data(
    client: ControlClient, name: str | None, where: tuple[str, ...], as_json: bool, **action: Any
) -> None:
    """NAME is a collection of the contract or of the active scenarios. `set` replaces all records
    with NUMBER generated ones, with those of a FIXTURE, or with those in a JSON or YAML FILE, in
    the format of a fixture or of --json. `add` adds a RECORD, such as '{"name": "Miso",
    "categoryId": 2}', regardless of stubs. `clear` removes all records.
    """
    if name is not None:
        _act(client, name, where=where, as_json=as_json, **action)
        return
    if where:
        raise invalid(
            "--where", "needs a collection", f"try 'mockpets data pets --where {where[0]}'"
        )
    listed = client.collections()
    rows = [(row["name"], row["total"], row["path"], _remark(row)) for row in listed]
    columns = ("name", "records", "path", "")
    lines = _listed(client, "collections", rows, columns)
    remote.show({"data": listed}, lines, as_json=as_json)


@click.command()
@_with_action
def pets(client: ControlClient, as_json: bool, **action: Any) -> None:
    """Short for 'mockpets data pets'."""
    _act(client, "pets", as_json=as_json, **action)


def _act(
    client: ControlClient,
    name: str,
    action: str | None,
    value: str | None,
    where: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    """List the records of a collection, or change them."""
    if action is not None:
        _check_action(name, action, value)
    if where and action is not None:
        raise invalid("--where", f"has no effect with {action}", "remove it")
    target = f"{name}{remote.in_session(client)}"
    if action is None:
        _list_records(client, name, where, as_json=as_json)
    elif action == "add":
        added = client.add_record(name, read_json("add", value or "", _NEEDS["add"][1]))
        text = f"added to {target}: {json.dumps(added, ensure_ascii=False)}"
        remote.show(added, [text], as_json=as_json)
    else:
        total = client.set_records(name, [] if action == "clear" else _source(value or ""))
        remote.show({"total": total}, [f"{target}: {total}"], as_json=as_json)


def _check_action(name: str, action: str, value: str | None) -> None:
    """Raise `InputError` for an unknown action, or if its value is missing or superfluous."""
    command = "mockpets pets" if name == "pets" else f"mockpets data {name}"
    if name in _NEEDS and action not in _NEEDS:  # such as `data set pets 3`
        example = f"'mockpets data {action} {name}'"
        raise invalid("NAME", f"must be a collection, got {quote(name)}", f"try {example}")
    if action not in _NEEDS:
        hint = _OTHER_ACTIONS.get(action) or did_you_mean(action, _NEEDS)
        if re.fullmatch("[0-9]+", action):
            hint = f"try '{command} set {action}'"
        raise invalid("", f"unknown action {quote(action)}", hint or f"use {either(_NEEDS)}")
    needed, example = _NEEDS[action]
    if needed and value is None:
        raise invalid(action, f"needs {needed}", f"try: {command} {action} {example}")
    if not needed and value is not None:
        raise invalid(action, f"takes no value, got {quote(value)}", "remove it")


def _source(text: str) -> int | str | Path:
    """Return the records that an argument names: a number, a fixture or a file."""
    if re.fullmatch("-?[0-9]{1,100}", text):  # the server checks the range
        return int(text)
    if text.lower().endswith(constants.FIXTURE_SUFFIXES):
        return Path(text)
    if not re.fullmatch(constants.SCENARIO_NAME, text):
        files = f"a {either(constants.FILE_SUFFIXES)} file"
        what = f"must be a number, the name of a fixture, or {files}, got {quote(text)}"
        raise invalid("set", what)
    return text


def _list_records(
    client: ControlClient, name: str, where: tuple[str, ...], *, as_json: bool
) -> None:
    filters: dict[str, list[str]] = {}
    for text in where:
        property_name, equals, wanted = text.partition("=")
        if not (property_name and equals):
            what = f"must be PROPERTY=VALUE, such as status=sold, got {quote(text)}"
            raise invalid("--where", what)
        filters.setdefault(property_name, []).append(wanted)
    records = client.records(name, **filters)
    named = dict.fromkeys(name for record in records for name in record)
    properties = [name for name in named if name[:1] != "~"]  # no response shows the others
    names = sorted(properties, key=lambda name: name != "id")[:_COLUMNS]
    rows = [[_cell(record.get(key, "-")) for key in names] for record in records]
    kind = f"matching records of {name}" if where else name
    remote.show({"records": records}, _listed(client, kind, rows, names), as_json=as_json)


_COLUMNS: Final = 8
"""Properties of records that a list shows."""


def _remark(row: CollectionSummary) -> str:
    is_from_another = row["content_of"] not in (None, row["scenario"])
    parts = [
        f"of scenario {row['scenario']}" if row["scenario"] else "",
        f"records of scenario {row['content_of']}" if is_from_another else "",
        f"hidden by {row['hidden_by']}" if row["hidden_by"] else "",
        "changed" if row["changed"] else "",
    ]
    return ", ".join(filter(None, parts))


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return cut(printable(text), 40)


# --- Gates and sessions -----------------------------------------------------------------------


held: Final = ListGroup(name="held")


@held.command("list")
@with_json
@remote.with_client
def list_held(client: ControlClient, as_json: bool) -> None:
    """List the responses that are held, delayed or throttled."""
    waiting = client.held()
    rows = [
        (
            row["request"],
            f"{row['method']} {row['target']}",
            row["status"] or "-",
            f"{row['waits']} at {row['gate']}" if row["waits"] == "held" else row["waits"],
            f"{row['waited_ms'] / 1000:.1f} s",
        )
        for row in waiting
    ]
    columns = ("request", "", "status", "waits", "for")
    lines = _listed(client, "waiting responses", rows, columns)
    remote.show({"held": waiting}, lines, as_json=as_json)


@held.command("release")
@click.argument("numbers", nargs=-1, required=True, type=integer(1), metavar="NUMBER...")
@option(
    "--reply JSON",
    """Response to send instead, as in the sequence of a stub, such as '{"status": 500}'.""",
)
@option("--delay TIME", "Delay before each response is sent, such as 3s.")
@remote.with_client
def release_held(
    client: ControlClient, numbers: tuple[int, ...], reply: str | None, delay: str | None
) -> None:
    """Release the responses to some requests, by number."""
    value = None if reply is None else read_json("--reply", reply, """'{"status": 500}'""")
    released = client.release(*numbers, reply=value, delay=delay)
    click.echo(f"released {', '.join(map(str, released))}")


gates: Final = ListGroup(name="gates")


@gates.command("list")
@with_json
@remote.with_client
def list_gates(client: ControlClient, as_json: bool) -> None:
    """List the gates with the number of held responses."""
    gates = client.gates()
    rows, columns = [*gates.items()], ("gate", "held")
    lines = _listed(client, "held responses", rows, columns)
    remote.show({"gates": gates}, lines, as_json=as_json)


@gates.command("open")
@click.argument("name")
@remote.with_client
def open_gate(client: ControlClient, name: str) -> None:
    """Release the responses held at a gate."""
    released = client.open_gate(name)
    if not released:
        names = client.gates()
        near = did_you_mean(name, names) or (f"gates: {', '.join(names)}" if names else "")
        report([Problem("", 0, 0, "", f"no response is held at gate '{name}'", near)])
    click.echo(f"released {released}")


sessions: Final = ListGroup(name="sessions")


@sessions.command("list")
@with_json
@remote.with_servers
def list_sessions(clients: list[ControlClient], as_json: bool) -> None:
    """List the sessions, with their counts and active scenarios."""
    sessions = [row for client in clients for row in client.sessions()]
    columns = ("session", "records", "requests", "held", "idle (s)", "seed", "active")
    rows = [
        (
            row["name"],
            "-" if row["records"] is None else row["records"],
            row["requests"],
            row["held"],
            f"{row['idle_seconds']:.0f}",
            row["seed"],
            ", ".join(row["active"]),
        )
        for row in sessions
    ]
    lines = _listed(clients[0], "sessions", rows, columns)
    remote.show({"sessions": sessions}, lines, as_json=as_json)


@sessions.command("drop")
@click.argument("name", required=False)
@flag("--all", "of_all", text="Drop every session; reset the default one.")
@remote.with_server
def drop_session(client: ControlClient, name: str | None, of_all: bool) -> None:
    """Remove a session, or all, and release the responses that they hold.

    For a minute, the server responds with 410 to requests that name a removed session, so that an
    open page does not recreate it.
    """
    if of_all == (name is not None):
        raise invalid("sessions drop", "needs either NAME or --all")
    if name is None:
        click.echo(f"dropped sessions: {client.drop_sessions()}")
    else:
        click.echo(printable(f"dropped {client.drop_session(name)}"))


_EXPORT_BYTES: Final = 64 * 1024 * 1024
"""The longest file with a session: the log may be long, and is not sent."""
_FILE: Final = click.argument("file", metavar="FILE.json", type=click.Path(path_type=Path))


@sessions.command("export")
@_FILE
@flag("--log", text="Add the request log as HAR, with secrets redacted.")
@remote.with_client
def export_session(client: ControlClient, file: Path, log: bool) -> None:
    """Write data, scenarios, counters, seed and clock of a session to a new file.

    Name the session with --session.
    """
    exported = client.export_session(log=log)
    try:
        text = json.dumps(exported, indent=1)
    except TypeError:  # a Decimal
        text = dump_json(exported).decode()
    try:
        # Exclusively: never write to where a symbolic link leads.
        with file.open("x", encoding="utf-8") as stream:
            stream.write(f"{text}\n")
    except FileExistsError as error:
        raise invalid(str(file), "already exists", "choose another name, or delete it") from error
    except OSError as error:
        raise cannot_write(file, error) from error
    click.echo(printable(f"exported session {client.name} to {file}"))


@sessions.command("import")
@_FILE
@remote.with_client
def import_session(client: ControlClient, file: Path) -> None:
    """Replace the contents of a session with those in a file; create the session if necessary.

    The request log starts again. Name the session with --session.
    """
    from mockpets.client import ControlError
    from mockpets.text_files import read_any_text

    text = read_any_text(file, str(file), _EXPORT_BYTES)
    try:
        exported = load_plain_json(text)
    except (ValueError, RecursionError) as error:
        raise invalid(str(file), f"is not valid JSON: {error}") from error
    if not isinstance(exported, dict):
        raise invalid(str(file), "must be a JSON object", "export a session first")
    try:
        summary = client.import_session(cast("SessionExport", exported))
    except ControlError as error:
        if not error.problems:
            raise
        problems = [replace(each, file=str(file)) for each in remote.problems_of(error)]
        raise InputError(problems) from error
    active = ", ".join(summary["active"])
    click.echo(printable(f"imported session {client.name}; active: {active}"))
