"""The commands for the state of a running server, from its request log to its sessions."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from mockpets.cli.commands import Command, ListGroup, report
from mockpets.cli.completion import files_of, from_server, words
from mockpets.cli.layout import table
from mockpets.cli.options import integer
from mockpets.cli.remote import missing_session, problems_of, with_client, with_server
from mockpets.constants import (
    DEFAULT_SESSION,
    ERRORS,
    FILE_SUFFIXES,
    INT64_MAX,
    INT64_MIN,
    OPERATIONS,
    PET_STATUSES,
    REQUEST_OUTCOMES,
)
from mockpets.errors import InputError, Problem, RequestError, did_you_mean, printable
from mockpets.strict_json import dump_json, parse_json
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.client import ControlClient
    from mockpets.contract.control_types import Times
    from mockpets.contract.schemas import Pet

    Decorated = Callable[..., Any]

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _print_list(
    client: ControlClient, kind: str, rows: Sequence[Sequence[object]], columns: Sequence[str]
) -> None:
    """Print rows below the names of their columns, or report that there are none."""
    missing = missing_session(client)
    if missing or not rows:
        report([f"{'' if rows else 'no '}{kind} in session {client.name}{missing}"])
    if not rows:
        return
    for line in table([columns, *rows]):
        click.echo(printable(line))


def _print_json(value: object) -> None:
    """Print a value as JSON; in ASCII, because names can contain terminal control characters."""
    click.echo(json.dumps(value, indent=2))


def _in_session(client: ControlClient) -> str:
    return "" if client.name == DEFAULT_SESSION else f" in session {client.name}"


# --- Verify and reset -------------------------------------------------------------------------


@click.command(
    cls=Command,
    epilog="The exit status is 0 if the number of requests is as expected, 1 if it is not, and 2 "
    "if an option is invalid.",
)
@click.option(
    "--operation",
    metavar="NAME",
    shell_complete=words(OPERATIONS),
    help="Only this operation, such as createPet.",
)
@click.option("--method", metavar="NAME", help="With --path: only this method, such as DELETE.")
@click.option("--path", metavar="PATH", help="With --method: only this path, such as /v1/pets/*.")
@click.option(
    "--match",
    metavar="JSON",
    help="Only requests that meet these conditions, as in the match of a stub, such as "
    """'{"body": {"name": "Miso"}}'.""",
)
@click.option(
    "--status", metavar="CODE", help="Only responses with this status, such as 503 or 5xx."
)
@click.option(
    "--outcome",
    metavar="NAME",
    shell_complete=words(REQUEST_OUTCOMES),
    help="Only this outcome: pending, sent, client_left or broken.",
)
@click.option("--times", type=integer(0), metavar="NUMBER", help="Expect exactly NUMBER requests.")
@click.option(
    "--at-least", type=integer(0), metavar="NUMBER", help="Expect NUMBER or more.  [default: 1]"
)
@click.option("--at-most", type=integer(0), metavar="NUMBER", help="Expect NUMBER or fewer.")
@click.option(
    "--within", metavar="TIME", help="How long to wait for the requests, such as 5s; at most 30s."
)
@_as_json
@with_client
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
    """Check that a running server received the expected requests.

    If it did not, shows the nearest requests and how they differ.
    """
    from mockpets.client import ControlError, VerificationError

    expected: int | Times | None = times
    limits = {"at_least": at_least, "at_most": at_most}
    if given := {name: limit for name, limit in limits.items() if limit is not None}:
        if times is not None:
            others = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise _invalid("--times", f"cannot be combined with {others}")
        expected = cast("Times", given)
    try:
        result = client.verify(_match(match, conditions), expected, within)
    except VerificationError as error:
        if not as_json:
            raise
        _print_json(error.details)
        return 1
    except ControlError as error:
        if error.status != ERRORS["invalid_request"]:
            raise
        raise InputError([_of_option(each, conditions) for each in problems_of(error)]) from error
    if as_json:
        _print_json(result)
    else:
        count = result["matched"]
        if not count and (missing := missing_session(client)):
            report([f"no requests in session {client.name}{missing}"])
        click.echo(f"verified: {count} matching request{'' if count == 1 else 's'}")
    return 0


def _match(text: str | None, conditions: dict[str, str | None]) -> dict[str, Any]:
    """Return the conditions of `--match` and of the other options as one document."""
    match: Any = {}
    if text is not None:
        try:
            match = json.loads(dump_json(parse_json(text.encode(errors="surrogateescape"))))
        except RequestError as error:
            message = error.message.replace("the body", "the text")
            raise _invalid("--match", message, """try '{"operation": "createPet"}'""") from error
        if not isinstance(match, dict):
            raise _invalid("--match", "must be a JSON object", """try '{"petId": 3}'""")
    for name, value in conditions.items():
        if value is None:
            continue
        if name in match:
            raise _invalid(f"--{name}", f"is also in --match: {json.dumps(match[name])}", "use one")
        match[name] = value
    for name, other in (("method", "path"), ("path", "method")):
        if conditions[name] is not None and other not in match:
            raise _invalid(f"--{name}", f"requires --{other}", "or use --operation")
    return cast("dict[str, Any]", match)


def _of_option(problem: Problem, conditions: dict[str, str | None]) -> Problem:
    """Return a problem of the server with the option that caused it."""
    body, _, where = problem.where.partition(".")
    if conditions.get(where) is not None:
        return replace(problem, file=f"--{where}", where="")
    options = {"match": "--match", "within": "--within"}
    return replace(problem, file=options.get(body, "--at-least"), where=where)


def _invalid(option: str, message: str, hint: str = "") -> InputError:
    return InputError([Problem(option, 0, 0, "", message, hint)])


@click.command(cls=Command)
@click.option("--all", "of_all", is_flag=True, help="Reset every session.")
@with_client
def reset(client: ControlClient, of_all: bool) -> int:
    """Reset a session: pets, counters, random numbers and request log.

    Active scenarios and snapshots stay.
    """
    if of_all:
        if client.name != DEFAULT_SESSION:
            raise _invalid("--all", f"cannot be combined with session {client.name}")
        click.echo(f"reset sessions: {client.reset_sessions()}")
        return 0
    if missing := missing_session(client):
        report([f"creating session {client.name}{missing}"])
    active = client.reset()
    click.echo(printable(f"reset session {client.name}; active: {', '.join(active)}"))
    return 0


# --- Pets and snapshots -----------------------------------------------------------------------


class _NumberCommand(Command):
    """A command whose argument may be a negative number, which click takes for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options and arguments into the context."""
        numbers = [word for word in args if re.fullmatch("-[0-9]+", word)]
        if numbers and "--" not in args:
            args = [*(word for word in args if word not in numbers), "--", *numbers]
        return super().parse_args(ctx, args)


@click.group(cls=ListGroup)
def pets() -> None:
    """List, add, change, replace or delete the pets of a running server."""


@pets.command("list")
@click.option(
    "--status",
    metavar="STATUS",
    shell_complete=words(PET_STATUSES),
    help=f"Only pets with this status: {', '.join(PET_STATUSES)}.",
)
@_as_json
@with_client
def list_pets(client: ControlClient, status: str | None, as_json: bool) -> int:
    """List the pets by id."""
    result = client.pets(status)
    if as_json:
        _print_json(result)
        return 0
    rows = [(pet["id"], pet["categoryId"], pet.get("status", "-"), pet["name"]) for pet in result]
    kind = f"{status} pets" if status else "pets"
    _print_list(client, kind, rows, ("id", "category", "status", "name"))
    return 0


@pets.command("set", cls=_NumberCommand)
@click.argument("source", metavar="NUMBER|FIXTURE|FILE", shell_complete=files_of("fixtures"))
@with_client
def set_pets(client: ControlClient, source: str) -> int:
    """Replace all pets, with generated ones, or with those of a fixture or a file.

    FILE is a JSON or YAML file as in a folder of fixtures, such as ./pets.json.
    """
    is_number = re.fullmatch("-?[0-9]{1,100}", source)  # the server checks the range
    pets: Any = int(source) if is_number else source
    if source.lower().endswith(FILE_SUFFIXES):
        from mockpets.scenario.language.loader import load_fixture

        pets = load_fixture(Path(source), source)
    _report_pets(client, client.set_pets(pets))
    return 0


def _pet_options(*, required: bool) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the options for a pet's properties."""
    status = ", ".join(PET_STATUSES) if required else f"{', '.join(PET_STATUSES)}, or none"
    options = (
        click.option("--name", metavar="NAME", required=required, help="Name of the pet."),
        click.option(
            "--category",
            "categoryId",
            type=integer(INT64_MIN, INT64_MAX),
            metavar="ID",
            required=required,
            help="ID of its category.",
        ),
        click.option(
            "--status",
            metavar="STATUS",
            shell_complete=words(PET_STATUSES),
            help=f"Its status: {status}.",
        ),
        _as_json,
        with_client,
    )
    return lambda command: reduce(lambda inner, option: option(inner), reversed(options), command)


def _show_pet(client: ControlClient, verb: str, pet: Pet, *, as_json: bool) -> int:
    if as_json:
        _print_json(pet)
        return 0
    parts = [f"category {pet['categoryId']}", *filter(None, [pet.get("status")])]
    text = f"{verb} pet {pet['id']}{_in_session(client)}: {pet['name']}, {', '.join(parts)}"
    click.echo(printable(text))
    return 0


@pets.command("add")
@_pet_options(required=True)
def add_pet(client: ControlClient, as_json: bool, **values: Any) -> int:
    """Add a pet, whatever the active scenarios respond to createPet."""
    pet = client.add_pet(**{name: value for name, value in values.items() if value is not None})
    return _show_pet(client, "added", pet, as_json=as_json)


@pets.command("update", cls=_NumberCommand)
@click.argument("pet_id", metavar="ID", type=integer(INT64_MIN, INT64_MAX))
@_pet_options(required=False)
def update_pet(client: ControlClient, pet_id: int, as_json: bool, **values: Any) -> int:
    """Change the name, category or status of a pet; --status none removes the status."""
    changes = {name: value for name, value in values.items() if value is not None}
    if not changes:
        hint = "add --name, --category or --status"
        raise InputError([Problem("", 0, 0, "", "there is nothing to change", hint)])
    if changes.get("status") == "none":
        changes["status"] = None
    return _show_pet(client, "updated", client.change_pet(pet_id, **changes), as_json=as_json)


@pets.command("delete", cls=_NumberCommand)
@click.argument("pet_id", metavar="ID", type=integer(INT64_MIN, INT64_MAX))
@with_client
def delete_pet(client: ControlClient, pet_id: int) -> int:
    """Delete a pet."""
    _report_pets(client, client.delete_pet(pet_id))
    return 0


def _report_pets(client: ControlClient, total: int) -> None:
    click.echo(f"pets{_in_session(client)}: {total}")


@click.group(cls=ListGroup)
def snapshot() -> None:
    """Save the pets of a running server under a name, and restore them."""


def _snapshot_names(client: ControlClient) -> list[str]:
    return [each["name"] for each in client.snapshots()]


_snapshot_name = click.argument("name", shell_complete=from_server(_snapshot_names))


@snapshot.command("list")
@_as_json
@with_client
def list_snapshots(client: ControlClient, as_json: bool) -> int:
    """List the snapshots by name, with the time in UTC."""
    result = client.snapshots()
    if as_json:
        _print_json(result)
        return 0
    rows = [(each["name"], each["pets"], each["at"]) for each in result]
    _print_list(client, "snapshots", rows, ("name", "pets", "saved"))
    return 0


@snapshot.command("save")
@_snapshot_name
@with_client
def save_snapshot(client: ControlClient, name: str) -> int:
    """Save the current pets; replaces a snapshot of the same name."""
    saved = client.snapshot(name)
    click.echo(printable(f"saved {saved['name']}: {saved['pets']} pets"))
    return 0


@snapshot.command("restore")
@_snapshot_name
@with_client
def restore_snapshot(client: ControlClient, name: str) -> int:
    """Replace the pets with those of a snapshot."""
    _report_pets(client, client.restore(name))
    return 0


@snapshot.command("delete")
@_snapshot_name
@with_client
def delete_snapshot(client: ControlClient, name: str) -> int:
    """Delete a snapshot."""
    client.drop_snapshot(name)
    click.echo(printable(f"deleted {name.strip().lower()}"))
    return 0


# --- Gates and sessions -----------------------------------------------------------------------


@click.group(cls=ListGroup)
def gates() -> None:
    """List the gates of a running server, or open one."""


@gates.command("list")
@_as_json
@with_client
def list_gates(client: ControlClient, as_json: bool) -> int:
    """List the gates with the number of held responses."""
    result = client.gates()
    if as_json:
        _print_json(result)
    else:
        _print_list(client, "held responses", [*result.items()], ("gate", "held"))
    return 0


@gates.command("open")
@click.argument("name", shell_complete=from_server(lambda client: client.gates()))
@with_client
def open_gate(client: ControlClient, name: str) -> int:
    """Release the responses held at a gate."""
    released = client.open_gate(name)
    if not released:
        names = client.gates()
        near = did_you_mean(name, names) or (f"gates: {', '.join(names)}" if names else "")
        report([Problem("", 0, 0, "", f"no response is held at gate '{name}'", near)])
    click.echo(f"released {released}")
    return 0


@click.group(cls=ListGroup)
def sessions() -> None:
    """List the sessions of a running server, or drop one."""


@sessions.command("list")
@_as_json
@with_server
def list_sessions(client: ControlClient, as_json: bool) -> int:
    """List the sessions, with their counts and active scenarios."""
    result = client.sessions()
    if as_json:
        _print_json(result)
        return 0
    columns = ("session", "pets", "requests", "held", "idle (s)", "seed", "active")
    rows = [
        (
            each["name"],
            "-" if each["pets"] is None else each["pets"],
            each["requests"],
            each["held"],
            f"{each['idle_seconds']:.0f}",
            each["seed"],
            ", ".join(each["active"]),
        )
        for each in result
    ]
    _print_list(client, "sessions", rows, columns)
    return 0


@sessions.command("drop")
@click.argument(
    "name",
    required=False,
    shell_complete=from_server(lambda client: [each["name"] for each in client.sessions()]),
)
@click.option("--all", "of_all", is_flag=True, help="Drop every session; reset the default one.")
@click.option(
    "--closed",
    default="60s",
    metavar="DURATION",
    help="How long requests that name the session get 410, so that an open page does not create "
    "it again; 0s: not at all.  [default: 60s]",
)
@with_server
def drop_session(client: ControlClient, name: str | None, of_all: bool, closed: str) -> int:
    """Remove a session, or all, and release the responses that they hold."""
    if of_all:
        if name is not None:
            raise _invalid("--all", f"cannot be combined with the name {quote(name)}")
        click.echo(f"dropped sessions: {client.drop_sessions(closed)}")
        return 0
    if name is None:
        hint = "'mockpets sessions' lists the names; to drop every session, pass --all"
        raise InputError([Problem("", 0, 0, "", "missing argument NAME", hint)])
    click.echo(printable(f"dropped {client.drop_session(name, closed)}"))
    return 0
