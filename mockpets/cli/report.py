"""The command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click
from click.core import ParameterSource

from mockpets.cli.commands import Command, unknown_names
from mockpets.cli.commands import report as print_problems
from mockpets.cli.completion import words
from mockpets.cli.options import flag, integer, option
from mockpets.cli.remote import from_server, session_names, with_servers
from mockpets.cli.report_options import Output, add_summary, deliver, print_text, with_output
from mockpets.constants import DEFAULT_SESSION, EQUAL_REQUESTS, OPERATIONS, UNREAD_RESPONSES
from mockpets.errors import InputError, problem_with
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mockpets.client import ControlClient
    from mockpets.constants import Operation
    from mockpets.errors import Problem
    from mockpets.report.har import Exchange

_COVERAGE_FORMATS: Final = ("text", "markdown", "github", "json")
_OF_SERVER: Final = ("url", "token", "host", "port")
"""The options that select a server."""
_OF_CLIENT: Final = ("har", "sessions", "base_url", "max_equal_requests", "max_unread", "fail_on")
"""The options that only the report on the client has."""
_OF_COVERAGE: Final = ("operation", "fail_under")


@click.command(
    cls=Command,
    epilog="The exit status is 1 if a rule of --fail-on has findings or the coverage is below "
    "--fail-under, and 2 if an option or a file is invalid.",
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@flag("--har", text="Read HAR files instead of a server.")
@option(
    "--session NAME",
    "Only this session.  Repeatable.  [default: the one in the URL, or all]",
    from_server(session_names),
    dest="sessions",
    multiple=True,
)
@option(
    "--base-url URL",
    "Base URL of the API in HAR files, such as https://staging.example/v1.  [default: "
    "requests to mockpets]",
)
@option(
    "--max-equal-requests NUMBER",
    "Report more than NUMBER equal requests in one second.",
    type=integer(1),
    default=str(EQUAL_REQUESTS),
)
@option(
    "--max-unread NUMBER",
    "Report more than NUMBER responses that the client did not read.",
    type=integer(0),
    default=str(UNREAD_RESPONSES),
)
@flag("--coverage", text="Report the state coverage instead.")
@option(
    "--operation NAME",
    "With --coverage: only this operation, such as listPets.  Repeatable.",
    words(OPERATIONS),
    multiple=True,
)
@option(
    "--fail-under PERCENT",
    "With --coverage: exit with status 1 if less than PERCENT of the states were served.",
    type=integer(0, 100),
)
@with_output
@with_servers
def report(
    clients: list[ControlClient],
    files: tuple[Path, ...],
    har: bool,
    sessions: tuple[str, ...],
    base_url: str | None,
    max_equal_requests: int,
    max_unread: int,
    coverage: bool,
    operation: tuple[str, ...],
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
    if problems := [*_problems(files, output, is_har=har, has_coverage=coverage)]:
        raise InputError(problems)
    if coverage:
        return _coverage(clients, files, operation, fail_under, output)

    from mockpets.report.client_checks import build
    from mockpets.report.findings import CLIENT_RULES
    from mockpets.report.har import base_url as parse_base_url
    from mockpets.report.har import read

    output.failing(CLIENT_RULES)  # before a server or a file is read
    base = None if base_url is None else parse_base_url(base_url)
    limits: list[str] = []
    if har:
        exchanges = _selected(read(files, base), sessions)
        place = counted(len(files), "file")
    else:
        logs = _logs(clients, sessions)
        exchanges = [*_recorded(logs, limits)]
        place = counted(len(logs), "session")
    most = {"max_equal_requests": max_equal_requests, "max_unread": max_unread}
    return deliver(build(exchanges, place, limits, **most), output)


def _logs(
    clients: list[ControlClient], sessions: tuple[str, ...]
) -> list[tuple[ControlClient, str]]:
    """Return the selected sessions with their servers, by default all.

    :raise InputError: no server has one of them.
    """
    known = [(client, name) for client in clients for name in session_names(client)]
    name = clients[0].name
    if not sessions and name == DEFAULT_SESSION:
        return known
    wanted = [name.lower() for name in sessions or (name,)]
    names = dict.fromkeys(name for _, name in known)
    wanted = _existing(wanted, names, "--session" if sessions else "--url")
    return [(client, name) for name in wanted for client, other in known if name == other]


def _selected(exchanges: list[Exchange], sessions: tuple[str, ...]) -> list[Exchange]:
    """Return the exchanges of the selected sessions; raise `InputError` if a session has none."""
    if not sessions:
        return exchanges
    known = dict.fromkeys(exchange.session for exchange in exchanges if exchange.session)
    wanted = _existing([name.lower() for name in sessions], known, "--session")
    return [exchange for exchange in exchanges if exchange.session in wanted]


def _existing(wanted: Sequence[str], known: Iterable[str], option: str) -> list[str]:
    """Return names without duplicates; raise `InputError` if one is not known."""
    names = [*known]
    expected = f"sessions: {', '.join(names[:10]) or 'none'}"
    if problems := unknown_names(option, "session", wanted, names, expected):
        raise InputError(problems)
    return [*dict.fromkeys(wanted)]


def _recorded(logs: list[tuple[ControlClient, str]], limits: list[str]) -> Iterator[Exchange]:
    """Yield the exchanges in the logs of sessions; add a sentence about a cut log to `limits`."""
    from mockpets.report.client_checks import dropped_limit
    from mockpets.report.har import exchanges_of

    size = logs[0][0].state()["settings"]["journal_size"]
    for client, name in logs:
        session = client.session(name)
        yield from exchanges_of(session.har(limit=size))
        limits += dropped_limit(name, session.journal(limit=1)["dropped"])


def _coverage(
    clients: list[ControlClient],
    files: tuple[Path, ...],
    operations: tuple[str, ...],
    fail_under: int | None,
    output: Output,
) -> int:
    """Write the state coverage, and return the exit status."""
    from mockpets.journal.coverage import build
    from mockpets.report.coverage import WRITERS, read

    rows = (
        read(files) if files else [row for client in clients for row in client.coverage()["rows"]]
    )
    selected = cast("Iterable[Operation]", dict.fromkeys(operations or OPERATIONS))
    result = build(rows, selected)
    if output.format == "github":
        add_summary(WRITERS["markdown"](result))
    print_text(WRITERS[output.format](result), output.file)
    if fail_under is not None and result.percent < fail_under:
        message = f"the state coverage is {result.percent} %, less than {fail_under} %"
        print_problems([f"--fail-under: {message}"])
        return 1
    return 0


def _problems(
    files: tuple[Path, ...], output: Output, *, is_har: bool, has_coverage: bool
) -> Iterator[Problem]:
    """Yield the problems of the options."""
    context = click.get_current_context()
    flags = {param.name: param.opts[0] for param in context.command.params}

    def passed(names: tuple[str, ...]) -> Iterator[str]:
        for name in names:
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                yield flags[name]

    if has_coverage and output.format not in _COVERAGE_FORMATS:
        what = f"cannot be {output.format} with --coverage"
        yield problem_with("--format", what, f"formats: {', '.join(_COVERAGE_FORMATS)}")
    if has_coverage:
        for flag in passed(_OF_CLIENT):
            yield problem_with(flag, "cannot be combined with --coverage", "pass one of them")
        expected = f"operations: {', '.join(OPERATIONS)}"
        given = context.params["operation"]
        yield from unknown_names("--operation", "operation", given, OPERATIONS, expected)
    else:
        for flag in passed(_OF_COVERAGE):
            yield problem_with(flag, "is an option of --coverage", "add --coverage")
    if files and not (is_har or has_coverage):
        hint = "add --har for HAR files, or --coverage for files of state coverage"
        yield problem_with(str(files[0]), "missing option for the kind of this file", hint)
    elif is_har and not files and not has_coverage:
        yield problem_with("--har", "missing FILE", "name one or more HAR files")
    if not (is_har or has_coverage) and context.params["base_url"] is not None:
        hint = "add --har and FILE, or select a server with --url"
        yield problem_with("--base-url", "is an option of --har", hint)
    for flag in passed(_OF_SERVER) if files else ():
        yield problem_with(flag, "cannot be combined with FILE", "read a server or files, not both")
