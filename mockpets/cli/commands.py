"""The classes of the commands, and how problems are printed.

Keep imports light: ``mockpets --help`` loads this module.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import click

from mockpets.cli.layout import hang
from mockpets.errors import InputError, Problem, did_you_mean, invalid, printable, problem_with
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TextIO


LOCK_FILES: Final = ("package-lock.json", "pnpm-lock.yaml", "yarn.lock")
"""What npm, pnpm and Yarn write."""


def report(lines: Iterable[object], more: Iterable[str] = ()) -> None:
    """Print problems or messages to stderr, one line each; ignore a stderr that is closed.

    On a terminal, long lines are wrapped, except for those with a command to copy.

    :param more: lines that continue the last message, printed without a prefix.
    """
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    try:
        for line in (*(f"mockpets: {line}" for line in lines), *more):
            fits = not is_terminal or ", run: " in line
            click.echo(printable(line) if fits else hang(printable(line)), err=True)
    except OSError:
        discard_output(sys.stderr)


def program() -> str:
    """Return the command that runs this mockpets, as files and messages show it.

    It has no path of this machine: mockpets.pyz counts only within the working directory.
    """
    path = Path(sys.argv[0])
    if path.suffix != ".pyz":
        return "mockpets"
    if is_npm_package():
        return f"{npm_runner()} mockpets"
    relative = Path(os.path.relpath(path)).as_posix()
    return "mockpets" if relative.startswith("..") else f"python3 {shlex.quote(relative)}"


def is_npm_package() -> bool:
    """Return whether the npm package runs this mockpets."""
    path = Path(sys.argv[0])
    return path.suffix == ".pyz" and "node_modules" in path.parts


def lock_file() -> Path | None:
    """Return the lock file of the working directory, or of the nearest folder above with one."""
    folders = (Path(), *Path.cwd().parents)
    paths = (folder / name for folder in folders for name in LOCK_FILES)
    return next((path for path in paths if path.exists()), None)


def npm_runner() -> str:
    """Return what runs the commands of npm packages here; npx cannot run those of Yarn's PnP."""
    path = lock_file()
    return "yarn" if path and path.name == "yarn.lock" else "npx"


def cannot_write(path: Path, error: OSError) -> InputError:
    """Return the error for a file that cannot be written."""
    hint = ""
    if isinstance(error, IsADirectoryError):
        hint = "add the name of a file in this folder"
    elif isinstance(error, FileNotFoundError | NotADirectoryError):
        hint = f"create the folder {quote(str(path.parent))} first"
    elif isinstance(error, PermissionError):
        hint = "check the permissions of the file and its folder"
    return invalid(str(path), f"cannot write this file: {error.strerror}", hint)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the operating system about a file into that of `cannot_write`."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


def write_new(path: Path, text: str, hint: str) -> None:
    """Write a new file, and print its name.

    :param hint: what to do if it exists.
    :raise InputError: it exists, or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        raise already_exists(path, hint) from error
    except OSError as error:
        raise cannot_write(path, error) from error
    click.echo(f"wrote {path}")


def already_exists(path: Path, hint: str) -> InputError:
    """Return the error for a file that must not exist."""
    return invalid("", f"{path} already exists", hint)


def unknown_names(
    option: str, kind: str, names: Iterable[str], known: Collection[str], expected: str
) -> list[Problem]:
    """Return a problem for each unknown name, with the nearest one or what is expected."""
    problems = []
    for name in dict.fromkeys(names):
        if name not in known:
            hint = did_you_mean(name, known) or expected
            problems.append(problem_with(option, f"unknown {kind} {quote(name)}", hint))
    return problems


def discard_output(stream: TextIO) -> None:
    """Redirect a broken output stream, which would fail again at exit, to the null device."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


class Choice(click.Choice[str]):
    """One of several words; the error for another one suggests the nearest."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return click's message with the nearest word."""
        message = super().get_invalid_choice_message(value, ctx).rstrip(".")
        return "; ".join(filter(None, [message, did_you_mean(value, self.choices)]))


class Group(click.Group):
    """Commands; the error for an unknown name suggests the nearest one."""

    more_names: ClassVar[tuple[str, ...]] = ()
    """Names that are accepted in place of a command."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order in which the commands were added."""
        return list(self.commands)

    def sections(self) -> Mapping[str, Mapping[str, str]]:
        """Return the first sentence of each command's help by name, by heading."""
        names = self.commands.items()
        return {"Commands": {name: command.get_short_help_str(200) for name, command in names}}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with the first sentence of their help."""
        width = max(map(len, self.list_commands(ctx)))  # the same in all sections
        for heading, commands in self.sections().items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{width}}", text) for name, text in commands.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names, or raise `InputError`."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            name = " ".join([*ctx.command_path.split()[1:], args[0]])
            known = f"available commands: {', '.join(names)}"
            hint = did_you_mean(args[0], [*names, *self.more_names]) or known
            raise invalid(name, "unknown command", hint)
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


def walk(group: click.Group, prefix: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield each command of a group with its path, also those of inner groups."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None  # noqa: S101 - it is listed
        yield prefix + name, command
        if isinstance(command, click.Group):
            yield from walk(command, f"{prefix}{name} ")


def curl_command(headers: Sequence[str], url: str) -> str:
    """Return the curl command of a GET request."""
    return " ".join(["curl", *(f"-H {_quoted(each)}" for each in headers), shlex.quote(url)])


def _quoted(header: str) -> str:
    """Return a header for a shell.

    Double quotes work in every shell, also on Windows, but not for every value.
    """
    is_plain = re.fullmatch(r"[\w-]+: (?:[\w.-]+ )?[\w.+/=~:-]+", header)
    return f'"{header}"' if is_plain else shlex.quote(header)
