"""The command `compare`."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.commands import Command
from mockpets.cli.commands import report as print_problems
from mockpets.cli.options import integer
from mockpets.cli.report_options import deliver, with_output
from mockpets.constants import COMPARE_SECONDS
from mockpets.errors import InputError, Problem
from mockpets.units import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockpets.cli.report_options import Output

COMPARE_REQUESTS: Final = 30
"""Maximum number of requests of `mockpets compare`, unless `--max-requests` is set."""

_MOST_REQUESTS: Final = 1000


@click.command(
    cls=Command,
    epilog="The exit status is 1 if the service does not respond or a rule of --fail-on has "
    "findings, and 2 if an option is invalid.",
)
@click.option(
    "--against",
    required=True,
    metavar="URL",
    help="Base URL of the service, such as https://petstore.example/v1.",
)
@click.option(
    "--key-env",
    required=True,
    metavar="NAME",
    help="Environment variable that contains the API key of the service.",
)
@click.option(
    "--max-requests",
    type=integer(1, _MOST_REQUESTS),
    default=str(COMPARE_REQUESTS),
    metavar="NUMBER",
    help=f"Send at most NUMBER requests.  [default: {COMPARE_REQUESTS}]",
)
@click.option(
    "--timeout",
    default=f"{COMPARE_SECONDS[0]:g}s",
    metavar="TIME",
    help=f"Time for each request, such as 30s.  [default: {COMPARE_SECONDS[0]:g}s]",
)
@click.option(
    "--allow-http",
    is_flag=True,
    help="Allow http:// to another machine, which sends the key unencrypted.",
)
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
    from mockpets.report.rules import COMPARE_RULES
    from mockpets.report.service import Service, read_key, read_url, send_all

    output.failing(COMPARE_RULES)  # an unknown rule is an error before requests are sent
    problems: list[Problem] = []
    with _collected(problems):
        url = read_url(against, allow_http=allow_http)
    with _collected(problems):
        key = read_key(key_env, os.environ)
    with _collected(problems):
        seconds = _seconds(timeout)
    if problems:
        raise InputError(problems)
    service = Service(url, key, seconds)
    try:
        results, limits = send_all(service, max_requests)
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


def _seconds(text: str) -> float:
    """Return the value of `--timeout`.

    :raise InputError: it is not a duration, or 0.
    """
    try:
        seconds = parse_duration(text)
        if not seconds:
            raise ValueError("must be longer than 0s")
    except ValueError as error:
        raise InputError([Problem("--timeout", 0, 0, "", str(error))]) from error
    return seconds
