"""What the commands share: options made from the table of settings, and how problems are told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.settings import CONFIG_VARIABLE, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mockpets.settings import Row

    Command = Callable[..., Any]

__all__ = ["complain", "with_settings"]


def complain(lines: Iterable[object]) -> None:
    """Print problems to the standard error output, a line each."""
    for line in lines:
        click.echo(f"mockpets: {line}", err=True)


_REPEATS: Final = {"no": "", "comma": " Repeat it, or part by commas.", "path": " May repeat."}


def _option(row: Row) -> Callable[[Command], Command]:
    """Return the click option of a setting; text as it came, since the table checks it."""
    default = row.default
    if row.is_switch:
        default = "on" if default else "off"
    elif row.repeats != "no":
        default = ", ".join(default) or "none"
    text = f"{row.help}{_REPEATS[row.repeats]}  [default: {default}; variable: {row.variable}]"
    if row.is_switch:
        return click.option(f"{row.flag}/--no-{row.key}", row.name, default=None, help=text)
    repeats = row.repeats != "no"
    return click.option(row.flag, row.name, multiple=repeats, metavar=row.metavar, help=text)


def with_settings(*names: str) -> Callable[[Command], Command]:
    """Give a command the settings of these names, or all, as options, and ``--config``."""

    def decorate(command: Command) -> Command:
        command = click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Settings file.  "
            f"[default: mockpets.toml, if there is one; variable: {CONFIG_VARIABLE}]",
        )(command)
        for row in reversed(rows()):
            if not names or row.name in names:
                command = _option(row)(command)
        return command

    return decorate
