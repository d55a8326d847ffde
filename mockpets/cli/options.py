"""The options that commands share, built from the settings."""

from __future__ import annotations

import json
import os
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from mockpets.errors import RequestError, invalid
from mockpets.settings import validators
from mockpets.settings.settings_table import rows
from mockpets.settings.sources import CONFIG_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from mockpets.cli.commands import Choice
    from mockpets.settings.settings_table import Row

    Decorated = Callable[..., Any]


def with_options(*options: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Add options to a command, in the order of its help."""

    def decorate(command: Decorated) -> Decorated:
        for add in reversed(options):
            command = add(command)
        return command

    return decorate


def integer(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a click type for integers in this range; without `most`, of up to 19 digits."""
    check = validators.integer(least, most)

    def parse(text: str) -> int:
        try:
            return check(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from error

    return parse


def option(
    usage: str, text: str, *, dest: str = "", **attributes: Any
) -> Callable[[Decorated], Decorated]:
    """Add an option with a value to a command; attributes are as for `click.option`.

    :param usage: as the help shows it, such as ``--output, -o FILE``.
    :param dest: the parameter of the command, if it is not named like the flag.
    """
    flags, _, metavar = usage.rpartition(" ")
    names = [*flags.split(", "), *filter(None, [dest])]
    if "default" in attributes:
        text = f"{text}  [default: {attributes['default']}]"
    return click.option(*names, metavar=metavar, help=text, **attributes)


def only_one(_: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """Return the value of an option of which click would use the last of several."""
    if len(values) > 1:
        hint = "pass one; 'sessions', 'requests', 'report' and 'reset' accept several"
        raise invalid(param.opts[0], "is given more than once", hint)
    return values[0] if values else None


def given(names: Container[str]) -> list[str]:
    """Return the flags of those of some parameters that are on this command line."""
    context = click.get_current_context()
    return [
        param.opts[0]
        for param in context.command.params
        if param.name in names
        and context.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    ]


def flag(*names: str, text: str) -> Callable[[Decorated], Decorated]:
    """Add an option without a value to a command."""
    return click.option(*names, is_flag=True, help=text)


with_json = flag("--json", "as_json", text="Print JSON.")


def with_format(kind: Choice) -> Callable[[Decorated], Decorated]:
    """Add `--format`, and `--json` for its value `json`, to a command, as `output_format`."""

    def choose(command: Decorated) -> Decorated:
        @wraps(command)
        def run(*arguments: Any, output_format: str | None, as_json: bool, **rest: Any) -> Any:
            if as_json and output_format not in (None, "json"):
                what = f"cannot be combined with --format {output_format}"
                raise invalid("--json", what, "remove one of them")
            chosen = "json" if as_json else output_format or "text"
            return command(*arguments, output_format=chosen, **rest)

        return run

    text = "Output format.  [default: text]"
    return with_options(
        click.option("--format", "output_format", type=kind, help=text),
        flag("--json", "as_json", text="The same as --format json."),
        choose,
    )


def read_json(flag: str, text: str, example: str) -> Any:
    """Return the value of an option as JSON; raise `InputError`, with an example, if it is not."""
    from mockpets.strict_json import dump_json, parse_json  # most commands do not need it

    try:
        value = json.loads(dump_json(parse_json(text.encode(errors="surrogateescape"))))
        json.dumps(value, allow_nan=False)
    except RequestError as error:
        message = error.message.replace("the body", "the text")
        raise invalid(flag, message, f"try {example}") from error
    except UnicodeEncodeError as error:
        raise invalid(flag, "the text has half of a surrogate pair", f"try {example}") from error
    except (TypeError, ValueError) as error:  # 1e9999999999999999999, 1e999
        message = "the text has a number with an exponent that is out of range"
        raise invalid(flag, message, f"try {example}") from error
    return value


_REPEATS: Final = {"": "", ",": " Repeatable, or comma-separated.", os.pathsep: " Repeatable."}


def _option(row: Row, text: str | None) -> Callable[[Decorated], Decorated]:
    """Return the click option of a setting; its value stays text, because `Row.read` parses it."""
    default = row.unset or row.shown(row.default)
    text = text or f"{row.help}{_REPEATS[row.separator]}"
    text = f"{text}  [default: {default}; variable: {row.variable}]"
    if row.is_switch:
        return click.option(f"{row.flag}/--no-{row.key}", row.name, default=None, help=text)
    multiple = bool(row.separator)
    return option(f"{row.flag} {row.metavar}", text, dest=row.name, multiple=multiple)


def with_settings(
    *names: str, texts: Mapping[str, str] | None = None, has_file: bool = True
) -> Callable[[Decorated], Decorated]:
    """Add ``--config`` and the options of these settings, or of all, to a command.

    :param texts: help by name, if a setting has another meaning for the command.
    :param has_file: whether to add ``--config``, which another decorator may add.
    """
    options = [
        _option(row, (texts or {}).get(row.name))
        for row in rows()
        if not names or row.name in names
    ]
    if has_file:
        default = f"[default: mockpets.toml, if it exists; variable: {CONFIG_VARIABLE}]"
        file = click.Path(path_type=Path)
        options.append(option("--config FILE", f"Settings file.  {default}", type=file))
    return with_options(*options)
