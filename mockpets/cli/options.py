"""Shared by the commands: options built from the settings, and how problems are printed."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.constants import SCENARIO_NAME
from mockpets.errors import InputError, Problem, printable
from mockpets.settings.model import rows
from mockpets.settings.sources import CONFIG_VARIABLE
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TextIO

    from mockpets.settings.model import Row

    Decorated = Callable[..., Any]


def report(lines: Iterable[object]) -> None:
    """Print problems or messages to stderr, one line each; ignore a stderr that is closed."""
    try:
        for line in lines:
            click.echo(printable(f"mockpets: {line}"), err=True)
    except OSError:
        discard_output(sys.stderr)


def discard_output(stream: TextIO) -> None:
    """Redirect a broken output stream to the null device.

    Otherwise the interpreter flushes the stream at exit and prints an error.
    """
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


class Command(click.Command):
    """A command that suggests a fix for an unexpected argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse options and arguments into the context.

        :raise InputError: an argument is left over.
        """
        ctx.allow_extra_args = True  # so that click does not report them in its own words
        extra = super().parse_args(ctx, args)
        if extra and not ctx.resilient_parsing:
            message = f"unexpected argument {quote(extra[0])}"
            hint = self._suggestion(extra[0], ctx)
            raise InputError([Problem(ctx.info_name or "", 0, 0, "", message, hint)])
        return extra

    def _suggestion(self, argument: str, context: click.Context) -> str:
        """Return how to fix an unexpected argument."""
        known = {name for param in self.params for name in param.opts}
        if argument.lower() in ("on", "off", "true", "false"):
            return "switches take no value"
        for option, pattern in _PATTERNS.items():
            if option in known and re.fullmatch(pattern, argument):
                return f"did you mean {option} {argument}?"
        return f"see '{context.command_path} --help'"


def integer(least: int) -> Callable[[str], int]:
    """Return a click type: a function that parses an integer.

    :param least: the smallest valid value.
    """

    def parse(text: str) -> int:
        if not re.fullmatch("[0-9]{1,18}", text) or int(text) < least:
            raise click.BadParameter(f"must be an integer of {least} or more, got {quote(text)}")
        return int(text)

    return parse


_PATTERNS: Final = {"--port": "[0-9]{2,5}", "--url": r"https?://\S+", "--scenario": SCENARIO_NAME}
"""Patterns of typical option values."""

_REPEATS: Final = {"no": "", "comma": " Repeatable, or comma-separated.", "path": " Repeatable."}


def _option(row: Row, text: str | None) -> Callable[[Decorated], Decorated]:
    """Return the click option of a setting; its value stays text, because `Row.read` parses it.

    :param text: the help, if not the one of the row.
    """
    default = row.default
    if row.is_switch:
        default = "on" if default else "off"
    elif row.repeats != "no":
        default = ", ".join(default)
    elif row.is_seconds:
        default = f"{default:g}s"
    text = text or f"{row.help}{_REPEATS[row.repeats]}"
    text = f"{text}  [default: {'none' if default == '' else default}; variable: {row.variable}]"
    if row.is_switch:
        return click.option(f"{row.flag}/--no-{row.key}", row.name, default=None, help=text)
    repeats = row.repeats != "no"
    return click.option(row.flag, row.name, multiple=repeats, metavar=row.metavar, help=text)


def with_settings(
    *names: str, texts: Mapping[str, str] | None = None
) -> Callable[[Decorated], Decorated]:
    """Add ``--config`` and the options of these settings, or of all, to a command.

    :param texts: help by name, if a setting has another meaning for the command.
    """

    def decorate(command: Decorated) -> Decorated:
        command = click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Settings file.  "
            f"[default: mockpets.toml, if it exists; variable: {CONFIG_VARIABLE}]",
        )(command)
        for row in reversed(rows()):
            if not names or row.name in names:
                command = _option(row, (texts or {}).get(row.name))(command)
        return command

    return decorate
