"""The command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click
from click.core import ParameterSource

from mockpets.cli.commands import Command
from mockpets.cli.commands import report as print_problems
from mockpets.cli.completion import from_server, words
from mockpets.cli.options import integer
from mockpets.cli.remote import session_names, with_server
from mockpets.cli.report_options import Output, add_summary, deliver, print_text, with_output
from mockpets.constants import DEFAULT_SESSION, OPERATIONS
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.client import ControlClient
    from mockpets.constants import Operation
    from mockpets.report.exchanges import Exchange
    from mockpets.report.findings import Report

EQUAL_REQUESTS: Final = 5
"""Equal requests in a second without a finding, unless `--max-equal-requests` is set."""
UNREAD_RESPONSES: Final = 3
"""Unread responses without a finding, unless `--max-unread` is set."""

_COVERAGE_FORMATS: Final = ("text", "markdown", "github", "json")
_OF_SERVER: Final = {"url": "--url", "token": "--token", "host": "--host", "port": "--port"}
"""The options that select a server."""
_OF_CLIENT: Final = {
    "is_har": "--har",
    "sessions": "--session",
    "base_url": "--base-url",
    "max_equal_requests": "--max-equal-requests",
    "max_unread": "--max-unread",
    "fail_on": "--fail-on",
}
"""The options that only the report on the client has."""
_OF_COVERAGE: Final = {"operations": "--operation", "fail_under": "--fail-under"}


@click.command(
    cls=Command,
    epilog="The exit status is 1 if a rule of --fail-on has findings or the coverage is below "
    "--fail-under, and 2 if an option or a file is invalid.",
)
@click.argument(
    "files",
    nargs=-1,
    type=click.Path(path_type=Path),
    metavar="[FILE]...",
)
@click.option("--har", "is_har", is_flag=True, help="Read HAR files instead of a server.")
@click.option(
    "--session",
    "sessions",
    multiple=True,
    metavar="NAME",
    shell_complete=from_server(session_names),
    help="Only this session.  Repeatable.  [default: the one in the URL, or all]",
)
@click.option(
    "--base-url",
    metavar="URL",
    help="Base URL of the API in HAR files, such as https://staging.example/v1.  [default: "
    "requests to mockpets]",
)
@click.option(
    "--max-equal-requests",
    type=integer(1),
    default=str(EQUAL_REQUESTS),
    metavar="NUMBER",
    help=f"Report more than NUMBER equal requests in one second.  [default: {EQUAL_REQUESTS}]",
)
@click.option(
    "--max-unread",
    type=integer(0),
    default=str(UNREAD_RESPONSES),
    metavar="NUMBER",
    help="Report more than NUMBER responses that the client did not read.  "
    f"[default: {UNREAD_RESPONSES}]",
)
@click.option("--coverage", is_flag=True, help="Report the state coverage instead.")
@click.option(
    "--operation",
    "operations",
    multiple=True,
    metavar="NAME",
    shell_complete=words(OPERATIONS),
    help="With --coverage: only this operation, such as listPets.  Repeatable.",
)
@click.option(
    "--fail-under",
    type=integer(0, 100),
    metavar="PERCENT",
    help="With --coverage: exit with status 1 if less than PERCENT of the states were served.",
)
@with_output
@with_server
def report(
    client: ControlClient,
    files: tuple[Path, ...],
    is_har: bool,
    sessions: tuple[str, ...],
    base_url: str | None,
    max_equal_requests: int,
    max_unread: int,
    coverage: bool,
    operations: tuple[str, ...],
    fail_under: int | None,
    output: Output,
) -> int:
    """Report what a front end does wrong in its requests.

    Checks the request logs of a server, or with --har the HAR files of mockpets, Playwright or a
    browser, for retries without a pause, duplicate creates, unknown parameters and more.

    With --coverage, reports which states of the API a front end was tested with instead: each
    operation and state that the server has sent to any session since its start, and the scenario
    that fills each hole. With FILE, it adds up reports that were saved with --format json, such as
    those of several servers.
    """
    if problems := [*_problems(files, output, is_har=is_har, has_coverage=coverage)]:
        raise InputError(problems)
    if coverage:
        return _coverage(client, files, operations, fail_under, output)

    from mockpets.report.client_checks import build
    from mockpets.report.har import base_url as parse_base_url
    from mockpets.report.har import read
    from mockpets.report.rules import CLIENT_RULES

    output.failing(CLIENT_RULES)  # before a server or a file is read
    base = None if base_url is None else parse_base_url(base_url)
    limits: list[str] = []
    if is_har:
        exchanges = _selected(read(files, base), sessions)
        place = counted(len(files), "file")
    else:
        names = _names(client, sessions)
        exchanges = [*_recorded(client, names, limits)]
        place = counted(len(names), "session")
    if cut := sum(exchange.body is None for exchange in exchanges):
        limits.append(f"the bodies of {counted(cut, 'request')}, which are not recorded completely")
    if not (exchanges or limits):
        limits.append("all rules, because there are no requests; a deleted session has no log")
    checked = f"{counted(len(exchanges), 'request')} in {place}"
    result: Report = build(
        exchanges,
        checked,
        limits,
        max_equal_requests=max_equal_requests,
        max_unread=max_unread,
    )
    return deliver(result, output)


# --- The client -------------------------------------------------------------------------------


def _names(client: ControlClient, sessions: tuple[str, ...]) -> list[str]:
    """Return the names of the selected sessions of a server, by default all.

    :raise InputError: a session does not exist.
    """
    known = session_names(client)
    if not sessions and client.name == DEFAULT_SESSION:
        return known
    wanted = [name.lower() for name in sessions or (client.name,)]
    return _existing(wanted, known, "--session" if sessions else "--url")


def _selected(exchanges: list[Exchange], sessions: tuple[str, ...]) -> list[Exchange]:
    """Return the exchanges of the selected sessions, by default all.

    :raise InputError: no exchange is of a session.
    """
    if not sessions:
        return exchanges
    known = dict.fromkeys(exchange.session for exchange in exchanges if exchange.session)
    wanted = _existing([name.lower() for name in sessions], known, "--session")
    return [exchange for exchange in exchanges if exchange.session in wanted]


def _existing(wanted: Iterable[str], known: Iterable[str], option: str) -> list[str]:
    """Return names without duplicates.

    :raise InputError: a name is not known.
    """
    names, problems = [*known], []
    for name in dict.fromkeys(wanted):
        if name not in names:
            hint = did_you_mean(name, names) or f"sessions: {', '.join(names[:10]) or 'none'}"
            problems.append(Problem(option, 0, 0, "", f"unknown session {quote(name)}", hint))
    if problems:
        raise InputError(problems)
    return [*dict.fromkeys(wanted)]


def _recorded(client: ControlClient, names: list[str], limits: list[str]) -> Iterator[Exchange]:
    """Yield the exchanges in the request logs of sessions.

    :param limits: gets a sentence about each log that is not complete.
    """
    from mockpets.report.har import exchanges_of

    size = client.state()["settings"]["journal_size"]
    if not size:
        limits.append("all requests, because the server keeps none; raise --journal-size")
    for name in names:
        session = client.session(name)
        yield from exchanges_of(session.har(limit=max(size, 1)), name)
        if dropped := session.journal(limit=1)["dropped"]:
            what = f"{counted(dropped, 'request')} that the log of session {name} has dropped"
            limits.append(f"{what}; raise --journal-size or --journal-memory")


# --- The state coverage -----------------------------------------------------------------------


def _coverage(
    client: ControlClient,
    files: tuple[Path, ...],
    operations: tuple[str, ...],
    fail_under: int | None,
    output: Output,
) -> int:
    """Write the state coverage, and return the exit status."""
    from mockpets.report.coverage import WRITERS, build
    from mockpets.report.coverage_reader import read

    rows = read(files) if files else client.coverage()["rows"]
    selected = cast("Iterable[Operation]", dict.fromkeys(operations or OPERATIONS))
    result = build(rows, selected)
    if output.format == "github":
        add_summary(lambda _: WRITERS["markdown"](result))
    print_text(WRITERS[output.format](result), output.file)
    if fail_under is not None and result.percent < fail_under:
        message = f"the state coverage is {result.percent} %, less than {fail_under} %"
        print_problems([Problem("--fail-under", 0, 0, "", message)])
        return 1
    return 0


# --- Options ----------------------------------------------------------------------------------


def _problems(
    files: tuple[Path, ...], output: Output, *, is_har: bool, has_coverage: bool
) -> Iterator[Problem]:
    """Yield the problems of the options."""
    context = click.get_current_context()

    def passed(flags: dict[str, str]) -> Iterator[str]:
        for name, flag in flags.items():
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                yield flag

    def problem(option: str, what: str, hint: str) -> Problem:
        return Problem(option, 0, 0, "", what, hint)

    if has_coverage and output.format not in _COVERAGE_FORMATS:
        what = f"cannot be {output.format} with --coverage"
        yield problem("--format", what, f"formats: {', '.join(_COVERAGE_FORMATS)}")
    if has_coverage:
        for flag in passed(_OF_CLIENT):
            yield problem(flag, "cannot be combined with --coverage", "pass one of them")
        for name in dict.fromkeys(context.params["operations"]):
            if name not in OPERATIONS:
                hint = did_you_mean(name, OPERATIONS) or f"operations: {', '.join(OPERATIONS)}"
                yield problem("--operation", f"unknown operation {quote(name)}", hint)
    else:
        for flag in passed(_OF_COVERAGE):
            yield problem(flag, "is an option of --coverage", "add --coverage")
    if files and not (is_har or has_coverage):
        hint = "add --har for HAR files, or --coverage for files of state coverage"
        yield problem(str(files[0]), "missing option for the kind of this file", hint)
    elif is_har and not files and not has_coverage:
        yield problem("--har", "missing FILE", "name one or more HAR files")
    if not (is_har or has_coverage) and context.params["base_url"] is not None:
        hint = "add --har and FILE, or select a server with --url"
        yield problem("--base-url", "is an option of --har", hint)
    for flag in passed(_OF_SERVER) if files else ():
        yield problem(flag, "cannot be combined with FILE", "read a server or files, not both")
