"""What `report` and `compare` share: how a report is written, and which findings fail the command.

`with_output` adds the options, `Output` is their values, and `deliver` writes the report.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.cli.commands import report as print_problems
from mockpets.cli.completion import any_file
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockpets.report.findings import Report, Rule

FORMATS: Final = ("text", "json")
"""The names of `report.writers.WRITERS`, which ``--help`` does not import."""
_ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Output:
    """The values of the options.

    :param file: None for standard output.
    :param fail_on: names of rules, or ``all``, in the order in which they were passed.
    """

    format: str
    file: Path | None
    fail_on: tuple[str, ...]

    def failing(self, rules: Iterable[Rule]) -> frozenset[str]:
        """Return the names of the rules whose findings fail the command.

        :raise InputError: `--fail-on` names a rule that does not exist, with the nearest name.
        """
        known = [rule.name for rule in rules]
        if problems := [
            Problem("--fail-on", 0, 0, "", f"unknown rule {quote(name)}", _nearest(name, known))
            for name in dict.fromkeys(self.fail_on)
            if name not in (*known, _ALL)
        ]:
            raise InputError(problems)
        return frozenset(known if _ALL in self.fail_on else self.fail_on)


def with_output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the output to a command, and pass it their values as `output`."""

    @wraps(command)
    def run(
        *arguments: Any,
        output_format: str,
        file: Path | None,
        fail_on: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        names = tuple(name for each in fail_on for name in each.split(","))
        return command(*arguments, output=Output(output_format, file, names), **rest)

    options = (
        click.option(
            "--format",
            "output_format",
            type=click.Choice(FORMATS),
            default=FORMATS[0],
            help=f"Output format.  [default: {FORMATS[0]}]",
        ),
        click.option(
            "--output",
            "-o",
            "file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            shell_complete=any_file,
            help="File to write.  [default: standard output]",
        ),
        click.option(
            "--fail-on",
            multiple=True,
            metavar="RULE",
            help="Exit with status 1 if this rule has findings, or any rule with 'all'.  "
            "Repeatable, or comma-separated.",
        ),
    )
    for option in reversed(options):
        run = option(run)
    return run


def deliver(report: Report, output: Output) -> int:
    """Write a report, and return the exit status.

    :raise InputError: the file cannot be written.
    """
    from mockpets.report.writers import WRITERS

    failing = output.failing(report.rules)
    print_text(WRITERS[output.format](report), output.file)
    if broken := [rule.name for rule in report.by_rule if rule.name in failing]:
        print_problems([Problem("--fail-on", 0, 0, "", f"findings of {', '.join(broken)}")])
        return 1
    return 0


def print_text(text: str, file: Path | None) -> None:
    """Write a text and a line end to a file, or to standard output.

    :raise InputError: the file cannot be written.
    """
    if file is None:
        click.echo(text)
        return
    try:
        file.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        what = f"cannot write this file: {error.strerror}"
        raise InputError([Problem(str(file), 0, 0, "", what)]) from error


def _nearest(name: str, known: list[str]) -> str:
    return did_you_mean(name, [*known, _ALL]) or f"rules: {', '.join(known)}, or {_ALL}"
