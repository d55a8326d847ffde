"""The command `report`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click
from click.core import ParameterSource

from mockpets.cli.commands import Command
from mockpets.cli.commands import report as print_problems
from mockpets.cli.completion import any_file, words
from mockpets.cli.options import integer
from mockpets.cli.remote import with_server
from mockpets.constants import OPERATIONS
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mockpets.client import ControlClient
    from mockpets.constants import Operation

_FORMATS: Final = ("text", "markdown", "json")
_OF_SERVER: Final = ("url", "token", "host", "port")
"""The options that select a server."""


@click.command(
    cls=Command,
    epilog="The exit status is 1 if the coverage is below --fail-under, and 2 if an option or a "
    "file is invalid.",
)
@click.argument(
    "files",
    nargs=-1,
    type=click.Path(path_type=Path),
    metavar="[FILE]...",
    shell_complete=any_file,
)
@click.option("--coverage", is_flag=True, help="Report the state coverage.")
@click.option(
    "--operation",
    "operations",
    multiple=True,
    metavar="NAME",
    shell_complete=words(OPERATIONS),
    help="Only this operation, such as listPets.  Repeatable.",
)
@click.option(
    "--fail-under",
    type=integer(0, 100),
    metavar="PERCENT",
    help="Exit with status 1 if less than PERCENT of the states were served.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(_FORMATS),
    default="text",
    help="Output format.  [default: text]",
)
@with_server
def report(
    client: ControlClient,
    files: tuple[Path, ...],
    coverage: bool,
    operations: tuple[str, ...],
    fail_under: int | None,
    output_format: str,
) -> int:
    """Report which states of the API a front end was tested with.

    --coverage lists each operation and state that the server has sent to any session since its
    start, and the scenario that fills each hole. With FILE, it adds up reports that were saved with
    --format json, such as those of several servers.
    """
    if problems := [*_problems(files, operations, has_report=coverage)]:
        raise InputError(problems)

    from mockpets.report.coverage import build
    from mockpets.report.coverage_reader import read
    from mockpets.report.coverage_writers import WRITERS

    rows = read(files) if files else client.coverage()["rows"]
    selected = cast("Iterable[Operation]", dict.fromkeys(operations or OPERATIONS))
    result = build(rows, selected)
    click.echo(WRITERS[output_format](result))
    if fail_under is not None and result.percent < fail_under:
        message = f"the state coverage is {result.percent} %, less than {fail_under} %"
        print_problems([Problem("--fail-under", 0, 0, "", message)])
        return 1
    return 0


def _problems(
    files: tuple[Path, ...], operations: tuple[str, ...], *, has_report: bool
) -> Iterator[Problem]:
    """Yield the problems of the options."""
    if not has_report:
        hint = "add --coverage, the only report"
        yield Problem("report", 0, 0, "", "missing option that selects what to report", hint)
    for name in dict.fromkeys(operations):
        if name not in OPERATIONS:
            hint = did_you_mean(name, OPERATIONS) or f"operations: {', '.join(OPERATIONS)}"
            yield Problem("--operation", 0, 0, "", f"unknown operation {quote(name)}", hint)
    source = click.get_current_context().get_parameter_source
    for name in _OF_SERVER if files else ():
        if source(name) is ParameterSource.COMMANDLINE:
            hint = "read a server or files, not both"
            yield Problem(f"--{name}", 0, 0, "", "cannot be combined with FILE", hint)
