"""What `report` and `compare` share: how a report is written, and which findings fail the command.

`with_output` adds the options, `Output` is their values, and `deliver` writes the report.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.cli.commands import report as print_problems
from mockpets.cli.completion import words
from mockpets.cli.layout import hang, on_terminal
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mockpets.report.findings import Report, Rule

FORMATS: Final = ("text", "markdown", "github", "json", "junit")
"""The names of `report.formats.WRITERS`, which ``--help`` does not import."""
_REMOVED: Final = ("sarif", "html")
"""Formats of earlier versions."""
_ERRORS, _ALL = "error", "all"
"""The values of `--fail-on` besides rules: the rules of level ``error``, and all."""
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub Actions names the file for the summary of the job."""
_SUMMARY_ROOM: Final = 1024
"""The least number of bytes that a summary needs."""


@dataclass(frozen=True, slots=True)
class Output:
    """The values of the options.

    :param file: None for standard output.
    :param fail_on: names of rules, ``error`` or ``all``, in the order in which they were passed.
    """

    format: str
    file: Path | None
    fail_on: tuple[str, ...]

    def failing(self, rules: Sequence[Rule]) -> frozenset[str]:
        """Return the names of the rules whose findings fail the command.

        :raise InputError: `--fail-on` names a rule that does not exist, with the nearest name.
        """
        selected = {rule.name: {rule.name} for rule in rules}
        selected[_ERRORS] = {rule.name for rule in rules if rule.level == "error"}
        selected[_ALL] = {rule.name for rule in rules}
        if problems := [
            Problem("--fail-on", 0, 0, "", f"unknown rule {quote(name)}", _nearest(name, selected))
            for name in dict.fromkeys(self.fail_on)
            if name not in selected
        ]:
            raise InputError(problems)
        return frozenset[str]().union(*(selected[name] for name in self.fail_on))


def _format(name: str) -> str:
    """Check the name of a format. A click type, since `click.Choice` knows no removed names."""
    if name in _REMOVED:
        hint = f"formats: {', '.join(FORMATS)}"
        raise click.BadParameter(f"the format {quote(name)} was removed; {hint}")
    if name not in FORMATS:
        listed = ", ".join(map(quote, FORMATS))
        raise click.BadParameter(f"{quote(name)} is not one of {listed}")
    return name


def with_output(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the output to a command, and pass it their values as `output`.

    The command raises `InputError` for `--format github` outside of GitHub Actions, or with a file.
    """

    @wraps(command)
    def run(
        *arguments: Any,
        output_format: str,
        file: Path | None,
        fail_on: tuple[str, ...],
        **rest: Any,
    ) -> Any:
        if output_format == "github":
            _check_github(file)
        names = tuple(name for each in fail_on for name in each.split(","))
        return command(*arguments, output=Output(output_format, file, names), **rest)

    options = (
        click.option(
            "--format",
            "output_format",
            type=_format,
            metavar=f"[{'|'.join(FORMATS)}]",
            shell_complete=words(FORMATS),
            default=FORMATS[0],
            help=f"Output format.  [default: {FORMATS[0]}]",
        ),
        click.option(
            "--output",
            "-o",
            "file",
            type=click.Path(path_type=Path, readable=False),
            metavar="FILE",
            help="File to write.  [default: standard output]",
        ),
        click.option(
            "--fail-on",
            multiple=True,
            metavar="RULE",
            help="Exit with status 1 if this rule has findings; 'error' for any rule of level "
            "error, 'all' for any rule.  Repeatable, or comma-separated.",
        ),
    )
    for option in reversed(options):
        run = option(run)
    return run


def deliver(report: Report, output: Output) -> int:
    """Write a report, and return the exit status.

    :raise InputError: the file cannot be written.
    """
    from mockpets.report.formats import WRITERS, github_summary

    failing = output.failing(report.rules)
    if output.format == "github":
        add_summary(lambda room: github_summary(report, room))
    text = WRITERS[output.format](report)
    if output.format == "text" and output.file is None and on_terminal():
        text = "\n".join(map(hang, text.split("\n")))
    print_text(text, output.file)
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
    else:
        _write(file, "wb", lambda _: text)


def add_summary(write: Callable[[int], str]) -> None:
    """Append a text to the summary of a GitHub job.

    :param write: called with the number of bytes that the step may still add; returns the text.
    :raise InputError: the file of the summary cannot be written, or is full.
    """
    from mockpets.report.formats import SUMMARY_BYTES

    def written(used: int) -> str:
        if (room := SUMMARY_BYTES - used - 1) < _SUMMARY_ROOM:
            what = f"has {used} of the {SUMMARY_BYTES} bytes that GitHub allows for a step"
            raise InputError([Problem(_SUMMARY, 0, 0, "", what, "run mockpets in another step")])
        return write(room)

    _write(Path(os.environ[_SUMMARY]), "ab", written)


def _write(file: Path, mode: str, write: Callable[[int], str]) -> None:
    """Write or append a text and a line end to a file, in UTF-8.

    :param write: called with the size of the file; returns the text.
    :raise InputError: the file cannot be written.
    """
    try:
        with file.open(mode) as stream:
            size = os.fstat(stream.fileno()).st_size  # a pipe has no position
            stream.write(f"{write(size)}\n".encode())
    except OSError as error:
        what = f"cannot write this file: {error.strerror}"
        hint = ""
        if isinstance(error, IsADirectoryError):
            hint = "add the name of a file in this folder"
        elif isinstance(error, FileNotFoundError | NotADirectoryError):
            hint = f"create the folder {quote(str(file.parent))} first"
        elif isinstance(error, PermissionError):
            hint = "check the permissions of the file and its folder"
        raise InputError([Problem(str(file), 0, 0, "", what, hint)]) from error


def _check_github(file: Path | None) -> None:
    """Check that GitHub can read the report.

    :raise InputError: it cannot.
    """
    if file is not None:
        what = "cannot be combined with --format github, which GitHub reads from standard output"
        hint = "remove it, or use --format markdown"
        raise InputError([Problem("--output", 0, 0, "", what, hint)])
    if not os.environ.get(_SUMMARY):
        what = f"github needs the variable {_SUMMARY}, which GitHub Actions sets to a file"
        hint = f"use --format markdown, or set it: {_SUMMARY}=summary.md"
        raise InputError([Problem("--format", 0, 0, "", what, hint)])


def _nearest(name: str, known: Iterable[str]) -> str:
    *rules, errors, everything = known
    expected = f"rules: {', '.join(rules)}; or {errors}, or {everything}"
    return did_you_mean(name, [*rules, errors, everything]) or expected
