"""The command `report`: what a front end does wrong, or which states it was tested with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

import click
from click.core import ParameterSource

from mockpets.cli.commands import Choice, cannot_write, unknown_names
from mockpets.cli.commands import report as print_problems
from mockpets.cli.layout import hang, on_terminal
from mockpets.cli.options import flag, integer, option, with_format
from mockpets.cli.remote import session_names, with_servers
from mockpets.constants import DEFAULT_SESSION, OPERATIONS
from mockpets.errors import InputError, problem_with
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mockpets.client import ControlClient
    from mockpets.constants import Operation
    from mockpets.errors import Problem
    from mockpets.report.findings import Rule
    from mockpets.report.har import Recorded

T = TypeVar("T")

_FORMATS: Final = ("text", "github", "json")
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file for the summary of the job."""
_OF_SERVER: Final = ("url", "token", "host", "port", "sessions")
"""The options that select a server, or a session of it."""
_OF_CLIENT: Final = ("har", "sessions", "base_url", "fail_on")
"""The options that only the report on the client has."""
_OF_COVERAGE: Final = ("operation", "fail_under")


@click.command(
    epilog="The exit status is 1 if a rule of --fail-on has findings or the coverage is below "
    "--fail-under, and 2 if an option or a file is invalid.",
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@flag("--har", text="Read HAR files instead of a server.")
@option(
    "--session NAME",
    "Only this session.  Repeatable.  [default: the one in the URL, or all]",
    dest="sessions",
    multiple=True,
)
@option(
    "--base-url URL",
    "Base URL of the API in HAR files, such as https://staging.example/v1.  [default: "
    "requests to mockpets]",
)
@flag("--coverage", text="Report the state coverage instead.")
@option(
    "--operation NAME",
    "With --coverage: only this operation, such as listPets.  Repeatable.",
    type=Choice(OPERATIONS),
    multiple=True,
)
@option(
    "--fail-under PERCENT",
    "With --coverage: exit with status 1 if less than PERCENT of the states were served.",
    type=integer(0, 100),
)
@with_format(Choice(_FORMATS))
@option(
    "--output, -o FILE",
    "File to write.  [default: standard output]",
    type=click.Path(path_type=Path, readable=False),
)
@option(
    "--fail-on RULE",
    "Exit with status 1 if this rule has findings; 'error' for any rule of level error, 'all' "
    "for any rule.  Repeatable, or comma-separated.",
    multiple=True,
)
@with_servers
def report(
    clients: list[ControlClient],
    files: tuple[Path, ...],
    har: bool,
    sessions: tuple[str, ...],
    base_url: str | None,
    coverage: bool,
    operation: tuple[str, ...],
    fail_under: int | None,
    output_format: str,
    output: Path | None,
    fail_on: tuple[str, ...],
) -> int:
    """Report what a front end does wrong in its requests.

    Checks the request logs of a server, or with --har the HAR files of mockpets, Playwright or a
    browser, for retries without a pause, duplicate creates, unknown parameters and more.

    With --coverage, reports which states of the API a front end was tested with instead: each
    operation and state that the server has sent to any session since its start, and the scenario
    that fills each hole. With several --url, it adds up what these servers have sent.
    """
    if problems := [*_problems(files, is_har=har, has_coverage=coverage)]:
        raise InputError(problems)
    if coverage:
        return _coverage(clients, operation, fail_under, output_format, output)

    from mockpets.report.client_checks import build
    from mockpets.report.findings import CLIENT_RULES
    from mockpets.report.formats import WRITERS
    from mockpets.report.har import base_url as parse_base_url
    from mockpets.report.har import read

    failing = _failing(CLIENT_RULES, fail_on)  # before a server or a file is read
    base = None if base_url is None else parse_base_url(base_url)
    limits: list[str] = []
    if har:
        requests, _ = read(files, base)
        place = counted(len({*files}), "file")
    else:
        logs = _logs(clients, sessions)
        requests = [*_recorded(logs, limits)]
        place = counted(len(logs), "session")
    result = build(requests, place, limits)
    _write(WRITERS, result, output_format, output)
    if broken := [rule.name for rule in result.by_rule if rule.name in failing]:
        print_problems([f"--fail-on: findings of {', '.join(broken)}"])
        return 1
    return 0


def _failing(rules: Sequence[Rule], names: tuple[str, ...]) -> set[str]:
    """Return the rules whose findings fail the command; raise `InputError` if one is unknown."""
    selected = {rule.name: {rule.name} for rule in rules}
    expected = f"rules: {', '.join(selected)}; or error, or all"
    selected["error"] = {rule.name for rule in rules if rule.level == "error"}
    selected["all"] = {rule.name for rule in rules}
    wanted = [name for words in names for name in words.split(",")]
    if problems := unknown_names("--fail-on", "rule", wanted, selected, expected):
        raise InputError(problems)
    return {rule for name in wanted for rule in selected[name]}


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
    names = dict.fromkeys(name for _, name in known)
    wanted = [*dict.fromkeys(name.lower() for name in sessions or (name,))]
    expected = f"sessions: {', '.join([*names][:10])}"
    option = "--session" if sessions else "--url"
    if problems := unknown_names(option, "session", wanted, names, expected):
        raise InputError(problems)
    return [(client, name) for name in wanted for client, other in known if name == other]


def _recorded(logs: list[tuple[ControlClient, str]], limits: list[str]) -> Iterator[Recorded]:
    """Yield the requests in the logs of sessions; add a sentence about a cut log to `limits`."""
    from mockpets.journal.journal import JOURNAL_ENTRIES
    from mockpets.report.client_checks import dropped_limit
    from mockpets.report.har import requests_of

    for client, name in logs:
        session = client.session(name)
        yield from requests_of(session.har(limit=JOURNAL_ENTRIES))
        limits += dropped_limit(name, session.journal(limit=1)["dropped"])


def _coverage(
    clients: list[ControlClient],
    operations: tuple[str, ...],
    fail_under: int | None,
    output_format: str,
    output: Path | None,
) -> int:
    """Write the state coverage, and return the exit status."""
    from mockpets.journal.coverage import build
    from mockpets.report.coverage import WRITERS

    rows = [row for client in clients for row in client.coverage()["rows"]]
    result = build(rows, cast("Iterable[Operation]", dict.fromkeys(operations or OPERATIONS)))
    _write(WRITERS, result, output_format, output)
    if fail_under is not None and result.percent < fail_under:
        message = f"the state coverage is {result.percent} %, less than {fail_under} %"
        print_problems([f"--fail-under: {message}"])
        return 1
    return 0


def _write(
    writers: Mapping[str, Callable[[T], str]], report: T, name: str, output: Path | None
) -> None:
    """Write a report to a file or to standard output; raise `InputError` if that is impossible."""
    if name == "github" and (summary := os.environ.get(_SUMMARY)):
        _save(Path(summary), "ab", writers["markdown"](report))
    text = writers[name](report)
    if output is not None:
        _save(output, "wb", text)
        return
    if name == "text" and on_terminal():
        text = "\n".join(map(hang, text.split("\n")))
    click.echo(text)


def _save(file: Path, mode: str, text: str) -> None:
    try:
        with file.open(mode) as stream:
            stream.write(f"{text}\n".encode())
    except OSError as error:
        raise cannot_write(file, error) from error


def _problems(files: tuple[Path, ...], *, is_har: bool, has_coverage: bool) -> Iterator[Problem]:
    """Yield the problems of the options."""
    context = click.get_current_context()
    flags = {param.name: param.opts[0] for param in context.command.params}

    def passed(*names: str) -> Iterator[str]:
        for name in names:
            if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                yield flags[name]

    for name in passed(*(_OF_CLIENT if has_coverage else _OF_COVERAGE)):
        what = "cannot be combined with --coverage" if has_coverage else "needs --coverage"
        yield problem_with(name, what)
    if files and not is_har:
        hint = "name each server with --url" if has_coverage else "add --har"
        yield problem_with(str(files[0]), "files are read only with --har", hint)
    for name in passed(*_OF_SERVER) if files else ():
        yield problem_with(name, "cannot be combined with FILE", "read a server or files, not both")
    if not (files or has_coverage):
        for name in passed("har", "base_url"):
            yield problem_with(name, "missing FILE", "name one or more HAR files")
