"""The options of `report` and `compare`: how a report is written, and what fails the command."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.cli.commands import Choice, cannot_write, unknown_names
from mockpets.cli.commands import report as print_problems
from mockpets.cli.layout import hang, on_terminal
from mockpets.cli.options import option, with_format
from mockpets.errors import InputError, invalid
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.report.findings import Report, Rule

FORMATS: Final = ("text", "markdown", "github", "json", "junit")
"""The names of `report.formats.WRITERS`, which ``--help`` does not import."""
_REMOVED: Final = ("sarif", "html")
"""Formats of earlier versions."""
_ERRORS, _ALL = "error", "all"
"""The values of `--fail-on` besides rules: the rules of level ``error``, and all."""
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file for the summary of the job."""


@dataclass(frozen=True, slots=True)
class Output:
    """The values of the options; without a file, the report goes to standard output."""

    format: str
    file: Path | None
    fail_on: tuple[str, ...]

    def failing(self, rules: Sequence[Rule]) -> frozenset[str]:
        """Return the rules whose findings fail the command; raise `InputError` if unknown."""
        selected = {rule.name: {rule.name} for rule in rules}
        expected = f"rules: {', '.join(selected)}; or {_ERRORS}, or {_ALL}"
        selected[_ERRORS] = {rule.name for rule in rules if rule.level == "error"}
        selected[_ALL] = {rule.name for rule in rules}
        if problems := unknown_names("--fail-on", "rule", self.fail_on, selected, expected):
            raise InputError(problems)
        return frozenset[str]().union(*(selected[name] for name in self.fail_on))


class _Format(Choice):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the format of this name."""
        if value in _REMOVED:
            names = ", ".join(FORMATS)
            self.fail(f"the format {quote(value)} was removed; formats: {names}", param, ctx)
        return super().convert(value, param, ctx)


def with_output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the output to a command, and pass it their values as `output`."""

    @with_format(_Format(FORMATS))
    @option(
        "--output, -o FILE",
        "File to write.  [default: standard output]",
        dest="file",
        type=click.Path(path_type=Path, readable=False),
    )
    @option(
        "--fail-on RULE",
        "Exit with status 1 if this rule has findings; 'error' for any rule of level error, 'all' "
        "for any rule.  Repeatable, or comma-separated.",
        multiple=True,
    )
    @wraps(command)
    def run(
        *arguments: Any, output_format: str, file: Path | None, fail_on: Sequence[str], **rest: Any
    ) -> Any:
        if output_format == "github":
            _check_github(file)
        names = tuple(name for words in fail_on for name in words.split(","))
        return command(*arguments, output=Output(output_format, file, names), **rest)

    return run


def deliver(report: Report, output: Output) -> int:
    """Write a report, and return the exit status; raise `InputError` if it cannot be written."""
    from mockpets.report.formats import WRITERS

    failing = output.failing(report.rules)
    if output.format == "github":
        add_summary(WRITERS["markdown"](report))
    text = WRITERS[output.format](report)
    if output.format == "text" and output.file is None and on_terminal():
        text = "\n".join(map(hang, text.split("\n")))
    print_text(text, output.file)
    if broken := [rule.name for rule in report.by_rule if rule.name in failing]:
        print_problems([f"--fail-on: findings of {', '.join(broken)}"])
        return 1
    return 0


def print_text(text: str, file: Path | None) -> None:
    """Write a text and a line end to a file, or to standard output."""
    if file is None:
        click.echo(text)
    else:
        _write(file, "wb", text)


def add_summary(text: str) -> None:
    """Append a text to the summary of a GitHub job."""
    _write(Path(os.environ[_SUMMARY]), "ab", text)


def _write(file: Path, mode: str, text: str) -> None:
    try:
        with file.open(mode) as stream:
            stream.write(f"{text}\n".encode())
    except OSError as error:
        raise cannot_write(file, error) from error


def _check_github(file: Path | None) -> None:
    """Check that GitHub can read the report; raise `InputError` if it cannot."""
    if file is not None:
        what = "cannot be combined with --format github, which GitHub reads from standard output"
        hint = "remove it, or use --format markdown"
        raise invalid("--output", what, hint)
    if not os.environ.get(_SUMMARY):
        what = f"github needs the variable {_SUMMARY}, which GitHub Actions sets to a file"
        hint = f"use --format markdown, or set it: {_SUMMARY}=summary.md"
        raise invalid("--format", what, hint)
