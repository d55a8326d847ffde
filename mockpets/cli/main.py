"""The entry point of the command line, with the commands `serve` and `health`.

Only the `cli` modules use click and print. This module turns errors into exit statuses: 2 for
usage, settings and files, 1 for everything else. Commands import their dependencies when they run,
so that ``--help`` loads little more than click, and ``health`` no more than an HTTP client besides.
"""

from __future__ import annotations

import gc
import os
import re
import shlex
import sys
from contextlib import ExitStack, nullcontext
from itertools import chain
from typing import TYPE_CHECKING, Final, cast

import click

from mockpets.cli import control, files, kit, remote
from mockpets.cli.layout import columns, wrap
from mockpets.cli.options import Command, Group, discard_output, report, walk, with_settings
from mockpets.constants import API_PREFIX, HEALTH_PATH, PANEL_PATH, PETS_PATH, VERSION
from mockpets.errors import InputError, Problem, did_you_mean
from mockpets.settings.sources import URL_VARIABLE, load_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from mockpets.constants import ScenarioGroup
    from mockpets.settings import Settings
    from mockpets.telemetry.access_log import Format

_HEALTH_SECONDS: Final = 3.0
_NAME: Final = "mockpets"
_SHELLS: Final = ("bash", "zsh", "fish")
_INTERRUPTED: Final = 130
"""The exit status that shells use for Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    :param arguments: by default those of the process; an empty list prints the help.
    """
    words = _as_options(sys.argv[1:] if arguments is None else list(arguments))
    try:
        if hasattr(sys.stdout, "reconfigure"):  # escape what the terminal cannot show
            sys.stdout.reconfigure(errors="backslashreplace")
        status = _commands.main(words, prog_name=_NAME, standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        report([_usage(error)])
        return error.exit_code
    except InputError as error:
        report(error.problems)
        return 2
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except OSError as error:  # stdout is full, or its reader is gone
        if not isinstance(error, BrokenPipeError):
            report([error.strerror or error])
        discard_output(sys.stdout)
        return 1
    return status or 0


def _as_options(words: list[str]) -> list[str]:
    """Return the arguments with `help` and `version` as options; no arguments are `help`."""
    match words:
        case []:
            return ["--help"]
        case ["help", *rest]:
            return [*rest, "--help"]
        case ["version"]:
            return ["--version"]
        case _:
            return words


def _usage(error: click.ClickException) -> object:
    """Return a usage error as one line."""
    if isinstance(error, click.BadOptionUsage):
        owners = _owners(error.option_name, takes_value=True)
        return f"{error.option_name}: {'missing value' if owners else 'does not take a value'}"
    context = getattr(error, "ctx", None)
    if context is None:
        return error.format_message()
    help_hint = f"see '{context.command_path} --help'"
    if isinstance(error, click.NoSuchOption):
        return _unknown_option(error.option_name, context)
    param = getattr(error, "param", None)
    if isinstance(error, click.MissingParameter) and param is not None:
        if isinstance(param, click.Option):
            return Problem(param.opts[0], 0, 0, "", "this option is required", help_hint)
        name = param.human_readable_name.removesuffix("...")
        return Problem("", 0, 0, "", f"missing argument {name}", help_hint)
    if isinstance(error, click.BadParameter) and param is not None:
        name = param.human_readable_name if isinstance(param, click.Argument) else param.opts[0]
        return Problem(name, 0, 0, "", error.message.rstrip("."))
    return f"{error.format_message().rstrip('.')}; {help_hint}"


def _unknown_option(name: str, context: click.Context) -> Problem:
    """Return the problem for an unknown option, with its command or the nearest option."""
    if owners := _owners(name):
        owner = "serve" if "serve" in owners else owners[0]
        message = f"not an option of '{context.command_path}'"
        return Problem(name, 0, 0, "", message, f"use it with 'mockpets {owner}'")
    # click would list all similar options alphabetically, not the nearest.
    known = [option.strip("-") for item in context.command.params for option in item.opts]
    near = did_you_mean(name.strip("-"), known).replace(" '", " '--")
    return Problem(name, 0, 0, "", "unknown option", near or f"see '{context.command_path} --help'")


def _owners(name: str, *, takes_value: bool = False) -> list[str]:
    """Return the names of the commands that have an option, or have it with a value."""
    return [
        path
        for path, command in walk(_commands)
        for item in command.params
        if name in (*item.opts, *item.secondary_opts)
        and not (takes_value and getattr(item, "is_flag", False))
    ]


class _Commands(Group):
    """All commands."""

    more_names = ("help", "version")

    def sections(self) -> Mapping[str, Sequence[click.Command]]:
        """Return the commands by heading, in the order of the help."""
        return _SECTIONS


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'mockpets help COMMAND' shows the options of a command.",
)
@click.version_option(
    None, "--version", "-V", package_name="mockpets", message="%(package)s %(version)s"
)
def _commands() -> None:
    """Mock server for the pet store API: follows the contract, stores pets, simulates failures."""


# --- Commands ---------------------------------------------------------------------------------


@click.command(
    cls=Command,
    epilog="Each option can also be set by its environment variable, or in mockpets.toml under its "
    "name without the leading dashes. Options override variables, and variables override the file.",
)
@with_settings()
def serve(config: Path | None, **flags: object) -> int:
    """Start the mock server; stop it with Ctrl-C or SIGTERM."""
    settings = load_settings(flags, os.environ, config)
    gc.disable()  # imports create many objects that stay, and collections would slow the start
    import logging

    from mockpets.server import bind
    from mockpets.server import serve as run
    from mockpets.telemetry.access_log import configure
    from mockpets.web.app import create_app

    app = create_app(settings)
    mock = app.extensions["mockpets"]
    with ExitStack() as stack:
        log_format = cast("Format", settings.log_format)
        stack.enter_context(configure(log_format, sys.stderr, quiet=settings.quiet))
        if settings.state:
            from mockpets.storage.persistence import persist_sessions

            stack.enter_context(persist_sessions(settings.state, mock.sessions))
        try:
            sockets = bind(settings)
        except InputError as error:  # the settings are valid, but the port is unavailable
            report(error.problems)
            return 1
        port = sockets[0].getsockname()[1]
        banner = _banner(settings, port, mock.token, mock.reloader.library.grouped())
        panel = _panel(settings, port, mock.token) if settings.open else ""
        mock.reloader.start()
        stack.callback(mock.reloader.stop)
        gc.freeze()
        gc.enable()
        with _limited_log(settings):
            run(app, sockets, lambda: _announce(banner, panel), settings)
        logging.getLogger("mockpets").info("stopped")
    return 0


def _limited_log(settings: Settings) -> AbstractContextManager[None]:
    """Return a context that limits what one visitor of a public server can add to the log."""
    if not settings.public:
        return nullcontext()
    from mockpets.session.visitors import visitor_names
    from mockpets.telemetry.error_lines import limit_error_lines

    # The last name is that of the largest network, which an IPv6 visitor can choose addresses from.
    return limit_error_lines(lambda address: visitor_names(address, b"")[-1])


def _panel(settings: Settings, port: int, token: str) -> str:
    """Return the URL of the panel, with the token in its fragment; empty if the panel is off."""
    if settings.control == "off":
        return ""
    return settings.url(port) + settings.prefix + PANEL_PATH + (f"#token={token}" if token else "")


def _announce(banner: str, panel: str) -> None:
    """Print the banner, and go on if stdout is full or closed.

    :param panel: the URL to open in a browser; empty to open nothing.
    """
    if panel:
        import webbrowser
        from threading import Thread

        Thread(target=webbrowser.open, args=(panel,), daemon=True).start()
    try:
        click.echo(banner)
    except OSError as error:
        discard_output(sys.stdout)
        import logging

        first = banner.partition("\n")[0]
        log = logging.getLogger("mockpets")
        log.error("cannot print the banner: %s; %s", error.strerror, first)


def _banner_line(label: str, text: str) -> str:
    """Return a line of the banner; a URL that would not fit beside the label goes below it."""
    indent = " " * 15
    if len(indent) + max(map(len, text.split())) > columns():
        return f"{label}\n{wrap(text, '  ', '  ')}"
    return wrap(text, f"{label:<15}", indent)


def _banner(
    settings: Settings, port: int, token: str, scenarios: Mapping[ScenarioGroup, Sequence[str]]
) -> str:
    """Return the banner: URLs, keys, scenarios and a curl command.

    :param port: the actual port.
    :param token: of the control API; the banner shows it only if it was generated.
    :param scenarios: the names of all scenarios by group.
    """
    key = settings.api_key[0]
    keys = f"any, such as {key}" if settings.any_key else ", ".join(settings.api_key)
    header = f"Authorization: Bearer {key}"
    # Double quotes work in every shell, also on Windows, but not for every key.
    is_plain = re.fullmatch(r"[\w.+/=~:-]+", key)
    quoted = f'"{header}"' if is_plain else shlex.quote(header)
    root = settings.url(port) + settings.prefix
    secret = token if token != settings.control_token else ""
    panel = _panel(settings, port, secret) or "off"
    lines = {"panel": panel, "control token": secret, "key": keys}
    lines["active"] = ", ".join(settings.scenario)
    head = [_banner_line(label, text) for label, text in lines.items() if text]
    groups = [
        _banner_line(f"  {group.lower()}", ", ".join(names)) for group, names in scenarios.items()
    ]
    overview = "\n".join([*head, "available", *groups])
    return f"""mockpets {VERSION} serves the pet store at {root}{API_PREFIX}

{overview}

Try it:
  curl -H {quoted} {shlex.quote(root + PETS_PATH)}

Press Ctrl-C to stop."""


@click.command(cls=Command)
@click.option(
    "--url",
    envvar=URL_VARIABLE,
    metavar="URL",
    help=f"URL of the server.  [default: from --host and --port; variable: {URL_VARIABLE}]",
)
@with_settings(
    "host",
    "port",
    texts={"host": "Address or host name of the server.", "port": "TCP port of the server."},
)
def health(url: str | None, config: Path | None, **flags: object) -> int:
    """Check whether a running server responds.

    The exit status is 0 if it does, and 1 if it does not.
    """
    from mockpets.client.connection import Connection, NoAnswer, split_url

    try:
        if url is None:
            settings = load_settings(flags, os.environ, config)
            url = settings.url() + settings.prefix
        root, *_ = split_url(url)
        response = Connection(root, _HEALTH_SECONDS).send("GET", HEALTH_PATH)
    except (InputError, NoAnswer) as error:
        report(str(error).split("\n"))
        return 1
    if response.status != 200:
        report([f"{root} responds to the health check with {response.status}, expected 200"])
        return 1
    if b'"status":"ok"' not in response.body:
        report([f"{root} is not a mockpets server (status {response.status})"])
        return 1
    click.echo(f"mockpets: {root} is alive")
    return 0


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(_SHELLS), metavar="SHELL")
def completion(shell: str) -> None:
    """Print the script for tab completion in bash, zsh or fish.

    For bash, add this line to ~/.bashrc: eval "$(mockpets completion bash)"

    For zsh, add this line to ~/.zshrc: eval "$(mockpets completion zsh)"

    For fish: mockpets completion fish > ~/.config/fish/completions/mockpets.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click knows all of `_SHELLS`
    script = kind(_commands, {}, _NAME, f"_{_NAME.upper()}_COMPLETE").source()
    click.echo(script)


_SECTIONS: Final[Mapping[str, Sequence[click.Command]]] = {
    "Run a server": (serve, health),
    "Control a running server": (*remote.COMMANDS, *control.COMMANDS),
    "Scenario files and documents": files.COMMANDS,
    "Write tests in TypeScript": (kit.kit,),
    "Set up your shell": (completion,),
}
for _command in chain.from_iterable(_SECTIONS.values()):
    _commands.add_command(_command)
