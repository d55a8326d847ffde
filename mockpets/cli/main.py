"""The command line: reads what the user wants, hands it on, and tells what came of it.

The border: only the `cli` modules know click and print, and this one turns errors into exit
statuses: 2 for what the user wrote (usage, settings, files), 1 for the rest. Commands import what
they need when they run, so that ``--help`` and ``health`` load neither Flask nor Faker.
"""

from __future__ import annotations

import gc
import logging
import os
import re
import shlex
import sys
import textwrap
from contextlib import ExitStack
from threading import Thread
from typing import TYPE_CHECKING, Final, cast

import click

from mockpets.cli import files, remote
from mockpets.cli.options import Command, complain, give_up, with_settings
from mockpets.constants import API_PREFIX, HEALTH_PATH, PANEL_PATH, PETS_PATH
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.settings.sources import URL_VARIABLE, load_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mockpets.settings import Settings
    from mockpets.telemetry.access_log import Format

_log: Final = logging.getLogger("mockpets")
_HEALTH_SECONDS: Final = 3.0
_INTERRUPTED: Final = 130
"""The status that shells know Ctrl-C by."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    :param arguments: by default those of the process; none of them asks for help.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        if hasattr(sys.stdout, "reconfigure"):  # a name that a terminal cannot show is no error
            sys.stdout.reconfigure(errors="backslashreplace")
        status = _commands.main(words or ["--help"], prog_name="mockpets", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        complain([_usage(error)])
        return error.exit_code
    except InputError as error:
        complain(error.problems)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except OSError as error:  # stdout is full, or no one reads it any more
        if not isinstance(error, BrokenPipeError):
            complain([error.strerror or error])
        give_up(sys.stdout)
        return 1
    return status or 0


def _usage(error: click.ClickException) -> object:
    """Return a mistake in the use of a command as one line."""
    if isinstance(error, click.BadOptionUsage):
        owners = _owners(error.option_name, takes_value=True)
        return f"{error.option_name}: {'a value is missing' if owners else 'takes no value'}"
    context = getattr(error, "ctx", None)
    if context is None:
        return error.format_message()
    help_hint = f"see '{context.command_path} --help'"
    if isinstance(error, click.NoSuchOption):
        return _no_such_option(error.option_name, context.command, help_hint)
    param = getattr(error, "param", None)
    if isinstance(error, click.MissingParameter) and param is not None:
        return Problem(param.human_readable_name, 0, 0, "", "a value is missing", help_hint)
    if isinstance(error, click.BadParameter) and param is not None:
        return Problem(param.opts[0], 0, 0, "", error.message.rstrip("."))
    return f"{error.format_message().rstrip('.')}; {help_hint}"


def _no_such_option(name: str, command: click.Command, help_hint: str) -> Problem:
    """Return the problem that a command lacks an option, and who has it or one like it."""
    if owners := _owners(name):
        owner = "serve" if "serve" in owners else owners[0]  # it has the most
        hint = f"{name} belongs to 'mockpets {owner}'"
        return Problem(name, 0, 0, "", "no such option here", hint)
    # click names all that are alike, sorted by letters.
    known = [option.strip("-") for item in command.params for option in item.opts]
    near = did_you_mean(name.strip("-"), known).replace(" '", " '--")
    return Problem(name, 0, 0, "", "no such option", near or help_hint)


def _owners(name: str, *, takes_value: bool = False) -> list[str]:
    """Return the commands that have an option, or have it with a value."""
    return [
        owner
        for owner, command in _commands.commands.items()
        for item in command.params
        if name in (*item.opts, *item.secondary_opts)
        and not (takes_value and getattr(item, "is_flag", False))
    ]


class _Commands(click.Group):
    """The commands; a name that is none is answered with the nearest."""

    command_class = Command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names.

        :raise InputError: it names none.
        """
        if args[0] not in self.commands and not ctx.resilient_parsing:
            hint = did_you_mean(args[0], self.commands) or f"there are: {', '.join(self.commands)}"
            raise InputError([Problem(args[0], 0, 0, "", "no such command", hint)])
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mockpets", message="%(package)s %(version)s")
def _commands() -> None:
    """Run a mock server for the pet store service: exact, stateful, able to misbehave."""


for _command in files.COMMANDS:
    _commands.add_command(_command)


# --- Commands ---------------------------------------------------------------------------------


@_commands.command(
    epilog="Every option can also be set by its variable or, under its name without the dashes, "
    "in mockpets.toml; the option comes before the variable, and the variable before the file."
)
@with_settings()
def serve(config: Path | None, **flags: object) -> int:
    """Start the mock server, until Ctrl-C or SIGTERM."""
    settings = load_settings(flags, os.environ, config)
    gc.disable()  # what is imported now stays; looking through it again and again takes time

    from mockpets.server import bind
    from mockpets.server import serve as run
    from mockpets.storage.persistence import persist_sessions
    from mockpets.telemetry.access_log import configure
    from mockpets.web.app import create_app

    app = create_app(settings)
    mock = app.extensions["mockpets"]
    with ExitStack() as until_the_end:
        form = cast("Format", settings.log_format)
        until_the_end.enter_context(configure(form, sys.stderr, quiet=settings.quiet))
        until_the_end.enter_context(persist_sessions(settings.state, mock.sessions))
        try:
            sockets = bind(settings)
        except InputError as error:  # what was written is right, but the machine refuses
            complain(error.problems)
            return 1
        port = sockets[0].getsockname()[1]
        banner = _banner(settings, port, mock.token, sorted(mock.reloader.library.scenarios))
        panel = _panel(settings, port, mock.token) if settings.open else ""
        mock.reloader.start()
        until_the_end.callback(mock.reloader.stop)
        gc.freeze()
        gc.enable()
        run(app, sockets, lambda: _announce(banner, panel))
        _log.info("stopped")
    return 0


def _panel(settings: Settings, port: int, token: str) -> str:
    """Return the panel's address, empty when there is none; it takes the token from there."""
    if settings.control == "off":
        return ""
    return settings.url(port) + settings.prefix + PANEL_PATH + (f"#token={token}" if token else "")


def _announce(banner: str, panel: str) -> None:
    """Print the banner; a standard output that is full or closed stops no server.

    :param panel: its address, if it is to be opened in a browser.
    """
    if panel:
        import webbrowser  # few want it

        Thread(target=webbrowser.open, args=(panel,), daemon=True).start()
    try:
        click.echo(banner)
    except OSError as error:
        give_up(sys.stdout)
        first = banner.partition("\n")[0]
        _log.error("cannot print the banner: %s; %s", error.strerror, first)


def _banner(settings: Settings, port: int, token: str, names: Iterable[str]) -> str:
    """Return what a person needs to begin.

    :param port: the one that listens.
    :param token: of the control API, shown when no one knows it yet.
    :param names: all scenarios there are.
    """
    from importlib.metadata import version

    keys = [*settings.api_key, *(["or any other"] if settings.any_key else [])]
    header = f"Authorization: Bearer {keys[0]}"
    # Double quotes suit every shell, Windows' too, but not every key.
    safe = re.fullmatch(r"[\w.+/=~:-]+", keys[0])
    quoted = f'"{header}"' if safe else shlex.quote(header)
    known = textwrap.fill(", ".join(names), 88, break_on_hyphens=False, subsequent_indent=" " * 11)
    root = settings.url(port) + settings.prefix
    secret = token if token != settings.control_token else ""
    panel = _panel(settings, port, secret) or "off"
    token_line = f"\ntoken      {secret}, for the control API" if secret else ""
    return f"""mockpets {version("mockpets")} serves the pet store at {root}{API_PREFIX}

panel      {panel}{token_line}
key        {", ".join(keys)}
scenario   {", ".join(settings.scenario)}
scenarios  {known}

Try it:
  curl -H {quoted} {shlex.quote(root + PETS_PATH)}

Ctrl-C stops it."""


@_commands.command()
@click.option(
    "--url",
    envvar=URL_VARIABLE,
    metavar="URL",
    help=f"The server.  [default: that of host and port; variable: {URL_VARIABLE}]",
)
@with_settings(
    "host",
    "port",
    texts={"host": "Address or host name of the server.", "port": "TCP port of the server."},
)
def health(url: str | None, config: Path | None, **flags: object) -> int:
    """Ask a running server whether it is alive (exit status 0)."""
    from mockpets.client.connection import Connection, NoAnswer, split_url

    try:
        if url is None:
            settings = load_settings(flags, os.environ, config)
            url = settings.url() + settings.prefix
        root, *_ = split_url(url)
        answer = Connection(root, _HEALTH_SECONDS).ask("GET", HEALTH_PATH)
    except (InputError, NoAnswer) as error:
        complain(str(error).split("\n"))
        return 1
    if answer.status != 200:
        complain([f"{root} answers its health check with {answer.status}, expected 200"])
        return 1
    if b'"status":"ok"' not in answer.body:
        complain([f"{root} answers, but not as mockpets does; is mockpets running there?"])
        return 1
    click.echo(f"mockpets: {root} is alive")
    return 0


for _command in remote.COMMANDS:
    _commands.add_command(_command)
