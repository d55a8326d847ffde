"""Shared by the commands: options built from the settings, and how problems are printed."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import click

from mockpets.cli.completion import any_file, files_of, folders, locales, words
from mockpets.constants import SCENARIO_NAME
from mockpets.errors import InputError, Problem, did_you_mean, printable
from mockpets.settings.model import rows
from mockpets.settings.sources import CONFIG_VARIABLE
from mockpets.settings.validators import OneOf
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import TextIO

    from click.shell_completion import CompletionItem

    from mockpets.cli.completion import Complete
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
        parent = context.parent.command if context.parent else None
        if isinstance(parent, ListGroup) and argument in parent.commands:
            return f"write the options after '{argument}'"
        known = {name for param in self.params for name in param.opts}
        if argument.lower() in ("on", "off", "true", "false"):
            return "switches take no value"
        for option, pattern in _PATTERNS.items():
            if option in known and re.fullmatch(pattern, argument):
                return f"did you mean {option} {argument}?"
        return f"see '{context.command_path} --help'"


class Group(click.Group):
    """Commands; the error for an unknown name suggests the nearest one."""

    command_class = Command
    more_names: ClassVar[tuple[str, ...]] = ()
    """Names that are accepted in place of a command."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order in which the commands were added."""
        return list(self.commands)

    def sections(self) -> Mapping[str, Sequence[click.Command]]:
        """Return the commands by heading, in the order of the help."""
        return {"Commands": list(self.commands.values())}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the commands with the first sentence of their help."""
        width = max(map(len, self.commands))  # the same in all sections
        for heading, commands in self.sections().items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(f"{each.name:<{width}}", each.get_short_help_str(200)) for each in commands]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names.

        :raise InputError: the command is unknown.
        """
        if args[0] not in self.commands and not ctx.resilient_parsing:
            known = f"available commands: {', '.join(self.commands)}"
            hint = did_you_mean(args[0], [*self.commands, *self.more_names]) or known
            name = " ".join([*ctx.command_path.split()[1:], args[0]])
            raise InputError([Problem(name, 0, 0, "", "unknown command", hint)])
        return super().resolve_command(ctx, args)


class ListGroup(Group):
    """Commands for things of one kind; without a command, runs the command `list`."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(
            **attributes,
            subcommand_metavar="[COMMAND] [OPTIONS]...",
            options_metavar="",
            epilog="Without COMMAND, runs 'list'.",
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, of which the first names a command or is an option of `list`."""
        is_option = bool(args) and args[0].startswith("-")
        if is_option and args[0] in ctx.help_option_names:
            return super().parse_args(ctx, args)
        if is_option or not (args or ctx.resilient_parsing):
            args = ["list", *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Complete the commands, and the options of `list`."""
        items = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return items
        command = self.commands["list"]
        own = click.Context(command, parent=ctx, info_name="list", resilient_parsing=True)
        return command.shell_complete(own, incomplete)


def walk(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield each command of a group with its path, also those of inner groups."""
    for name, command in group.commands.items():
        yield prefix + name, command
        if isinstance(command, click.Group):
            yield from walk(command, f"{prefix}{name} ")


def integer(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a click type: a function that parses an integer.

    :param least: the smallest valid value.
    :param most: the largest valid value; None for one of 19 digits.
    """
    bounds = f"of {least} or more" if most is None else f"from {least} to {most}"

    def parse(text: str) -> int:
        number = int(text) if re.fullmatch("-?[0-9]{1,19}", text) else least - 1
        if number < least or (most is not None and number > most):
            raise click.BadParameter(f"must be an integer {bounds}, got {quote(text)}")
        return number

    return parse


_PATTERNS: Final = {"--port": "[0-9]{2,5}", "--url": r"https?://\S+", "--scenario": SCENARIO_NAME}
"""Patterns of typical option values."""

_COMPLETIONS: Final[Mapping[str, Complete]] = {
    "scenario": files_of("scenarios"),
    "scenarios_dir": folders,
    "fixtures_dir": folders,
    "locale": locales,
    "state": any_file,
}
"""Setting to the completion of its value."""

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
    return click.option(
        row.flag,
        row.name,
        multiple=row.repeats != "no",
        metavar=row.metavar,
        help=text,
        shell_complete=_completion(row),
    )


def _completion(row: Row) -> Complete | None:
    """Return how a shell completes the value of a setting, or None for a value of any text."""
    if isinstance(row.check, OneOf):
        return words(row.check.words)
    return _COMPLETIONS.get(row.name)


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
