"""What the commands share: options made from the table of settings, and how problems are told."""

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
from mockpets.settings.validators import got

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TextIO

    from mockpets.settings.model import Row

    Decorated = Callable[..., Any]


def complain(lines: Iterable[object]) -> None:
    """Print problems to the standard error output, a line each, if anyone takes them."""
    try:
        for line in lines:
            click.echo(printable(f"mockpets: {line}"), err=True)
    except OSError:
        give_up(sys.stderr)


def give_up(stream: TextIO) -> None:
    """Let a standard output that takes no more lead nowhere.

    The interpreter flushes it once more when it ends, and would complain then.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


class Command(click.Command):
    """A command that answers a word too many with what may have been meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read options and arguments into the context.

        :raise InputError: a word is left.
        """
        ctx.allow_extra_args = True  # else click finds them, and has its own words for it
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            what = f"{ctx.info_name} takes no further word, {got(left[0])}"
            raise InputError([Problem("", 0, 0, "", what, self._meant(left[0], ctx))])
        return left

    def _meant(self, word: str, context: click.Context) -> str:
        """Return what to do about a word too many."""
        known = {name for param in self.params for name in param.opts}
        if word.lower() in ("on", "off", "true", "false"):
            return "a switch takes no value"
        for option, pattern in _WORDS.items():
            if option in known and re.fullmatch(pattern, word):
                return f"did you mean {option} {word}?"
        return f"see '{context.command_path} --help'"


_WORDS: Final = {"--port": "[0-9]{2,5}", "--url": r"https?://\S+", "--scenario": SCENARIO_NAME}
"""What the value of an option looks like."""

_REPEATS: Final = {"no": "", "comma": " Repeat it, or part by commas.", "path": " May repeat."}


def _option(row: Row, text: str | None) -> Callable[[Decorated], Decorated]:
    """Return the click option of a setting; text as it came, since the table checks it.

    :param text: the help, in place of the table's.
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
    """Give a command the settings of these names, or all, as options, and ``--config``.

    :param texts: help by name, for a command to which a setting means something else.
    """

    def decorate(command: Decorated) -> Decorated:
        command = click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Settings file.  "
            f"[default: mockpets.toml, if there is one; variable: {CONFIG_VARIABLE}]",
        )(command)
        for row in reversed(rows()):
            if not names or row.name in names:
                command = _option(row, (texts or {}).get(row.name))(command)
        return command

    return decorate
