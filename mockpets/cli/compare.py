"""The command `compare`."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.commands import Command
from mockpets.cli.commands import report as print_problems
from mockpets.cli.options import flag, integer, option
from mockpets.cli.report_options import deliver, with_output
from mockpets.constants import COMPARE_SECONDS
from mockpets.errors import InputError, problem_with
from mockpets.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.cli.report_options import Output
    from mockpets.errors import Problem

COMPARE_REQUESTS: Final = 30
"""Maximum number of requests of `mockpets compare`, unless `--max-requests` is set."""


@click.command(
    cls=Command,
    epilog="The exit status is 1 if the service does not respond or a rule of --fail-on has "
    "findings, and 2 if an option is invalid.",
)
@option(
    "--against URL", "Base URL of the service, such as https://petstore.example/v1.", required=True
)
@option(
    "--key-env NAME",
    "Environment variable that contains the API key of the service.",
    required=True,
)
@option(
    "--max-requests NUMBER",
    "Send at most NUMBER requests.",
    type=integer(1, 1000),
    default=str(COMPARE_REQUESTS),
)
@option("--timeout TIME", "Time for each request, such as 30s.", default=f"{COMPARE_SECONDS[0]:g}s")
@flag("--allow-http", text="Allow http:// to another machine, which sends the key unencrypted.")
@with_output
def compare(
    against: str, key_env: str, max_requests: int, timeout: str, allow_http: bool, output: Output
) -> int:
    """Compare the real service with the contract that mockpets implements.

    Sends only GET and HEAD, one request after the other, and compares statuses, types, limits,
    filters and errors, never values such as names. A finding is a difference that your tests
    against mockpets cannot show.
    """
    from mockpets.client import NoAnswer
    from mockpets.report.compare_checks import compare as compared
    from mockpets.report.findings import COMPARE_RULES
    from mockpets.report.service import Service, read_key, read_url

    output.failing(COMPARE_RULES)  # an unknown rule is an error before requests are sent
    problems: list[Problem] = []
    with _collected(problems):
        url = read_url(against, allow_http=allow_http)
    with _collected(problems):
        key = read_key(key_env, os.environ)
    try:
        seconds = parse_duration(timeout)
        if not seconds:
            raise ValueError("must be longer than 0s")
    except ValueError as error:
        problems.append(problem_with("--timeout", str(error)))
    if problems:
        raise InputError(problems)
    service = Service(url, key, seconds)
    try:
        results, limits = service.send_all(max_requests)
    except NoAnswer as error:
        print_problems([error])
        return 1
    return deliver(compared(results, url.text, limits, service.redact), output)


@contextmanager
def _collected(problems: list[Problem]) -> Iterator[None]:
    """Add the problems of an InputError to a list."""
    try:
        yield
    except InputError as error:
        problems += error.problems
