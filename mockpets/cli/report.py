"""The command `report`: what a front end does wrong."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.commands import Choice, unknown_names, writing
from mockpets.cli.commands import report as print_problems
from mockpets.cli.layout import hang, on_terminal
from mockpets.cli.options import flag, given, option, with_format
from mockpets.cli.remote import (
    contracts_of_server,
    session_names,
    with_contracts,
    with_servers,
)
from mockpets.constants import DEFAULT_SESSION
from mockpets.errors import InputError, problem_with
from mockpets.units import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mockpets.client import ControlClient
    from mockpets.contract.contract_model import Contracts
    from mockpets.errors import Problem
    from mockpets.report.findings import Report
    from mockpets.report.recorded import Recorded
    from mockpets.settings import Settings

_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file for the summary of the job."""
_OF_SERVER: Final = {"url", "token", "host", "port", "sessions"}
"""The options that select a server, or a session of it."""
_OF_FILES: Final = {"har", "base_url"}


@click.command(
    epilog="The exit status is 1 if a rule of --fail-on has findings, and 2 if an option or a file "
    "is invalid.",
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
@with_format(Choice(["text", "github", "json"]))
@option(
    "--fail-on RULE",
    "Exit with status 1 if this rule has findings; 'error' means any rule of that level, 'all' "
    "any rule.  Repeatable, or comma-separated.",
    multiple=True,
)
@with_contracts
@with_servers
def report(
    clients: list[ControlClient],
    settings: Callable[[], Settings],
    files: tuple[Path, ...],
    har: bool,
    sessions: tuple[str, ...],
    base_url: str | None,
    output_format: str,
    fail_on: tuple[str, ...],
) -> int:
    """Checks the request logs of a server, or with --har the HAR files of mockpets, Playwright or a
    browser, for retries without a pause, duplicate creates, unknown parameters and more.
    """
    if problems := [*_problems(files, is_har=har)]:
        raise InputError(problems)

    from mockpets.report.client_checks import build
    from mockpets.report.har_reader import base_url as parse_base_url
    from mockpets.report.har_reader import read
    from mockpets.settings.named_contracts import contracts_of

    failing = _failing(fail_on)  # before a server or a file is read
    base = None if base_url is None else parse_base_url(base_url)
    limits: list[str] = []
    if har:
        contracts = contracts_of(settings())
        requests, _ = read(files, base, contracts)
        place = counted(len({*files}), "file")
    else:
        logs = _logs(clients, sessions)
        contracts = contracts_of_server(clients[0], settings())
        requests = [*_recorded(logs, limits, contracts)]
        place = counted(len(logs), "session")
    result = build(requests, place, limits, contracts)
    _write(result, output_format)
    if broken := [rule.name for rule in result.by_rule if rule.name in failing]:
        print_problems([f"--fail-on: findings of {', '.join(broken)}"])
        return 1
    return 0


def _failing(names: tuple[str, ...]) -> set[str]:
    """Return the rules whose findings fail the command; raise `InputError` if one is unknown."""
    from mockpets.report.findings import CLIENT_RULES

    return failing_rules(names, {rule.name: rule.level for rule in CLIENT_RULES}, ("error",))


def failing_rules(
    names: Iterable[str], rules: Mapping[str, str], levels: Sequence[str]
) -> set[str]:
    """Return the rules that values of ``--fail-on`` name; raise `InputError` if one is unknown.

    :param rules: name to level.
    :param levels: those that can be named, the worst first; each includes those before it.
    """
    selected = {name: {name} for name in rules}
    expected = f"rules: {', '.join(selected)}; or {', '.join(levels)}, or all"
    selected["all"] = {*selected}
    for position, level in enumerate(levels, 1):
        selected[level] = {name for name in rules if rules[name] in levels[:position]}
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


def _recorded(
    logs: list[tuple[ControlClient, str]], limits: list[str], contracts: Contracts
) -> Iterator[Recorded]:
    """Yield the requests in the logs of sessions; add a sentence about a cut log to `limits`."""
    from mockpets.constants import LOG_ENTRIES
    from mockpets.report.client_checks import dropped_limit
    from mockpets.report.har_reader import requests_of

    for client, name in logs:
        session = client.session(name)
        yield from requests_of(session.har(limit=LOG_ENTRIES), contracts)
        limits += dropped_limit(name, session.request_log(limit=1)["dropped"])


def _write(report: Report, name: str) -> None:
    """Print a report; with GitHub's format, also add it to the summary of the job."""
    from mockpets.report.formats import WRITERS

    if name == "github":
        add_to_job(WRITERS["markdown"](report))
    text = WRITERS[name](report)
    if name == "text" and on_terminal():
        text = "\n".join(map(hang, text.split("\n")))
    click.echo(text)


def add_to_job(markdown: str) -> None:
    """Add a text to the summary of a job of GitHub Actions, if there is one.

    :raise InputError: the file cannot be written.
    """
    if summary := os.environ.get(_SUMMARY):
        with writing(Path(summary)), Path(summary).open("ab") as stream:
            stream.write(f"{markdown}\n".encode())


def _problems(files: tuple[Path, ...], *, is_har: bool) -> Iterator[Problem]:
    """Yield the problems of the options."""
    if files and not is_har:
        yield problem_with(str(files[0]), "files are read only with --har", "add --har")
    rejected, what, hint = _OF_FILES, "missing FILE", "name one or more HAR files"
    if files:
        rejected, what = _OF_SERVER, "cannot be combined with FILE"
        hint = "read a server or files, not both"
    for each in given(rejected):
        yield problem_with(each, what, hint)
