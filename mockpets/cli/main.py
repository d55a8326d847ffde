"""The entry point of the command line.

It turns errors into exit statuses: 2 for usage, settings and files, 1 for everything else. It
imports a command when it is called, so that ``--help`` loads little more than click.
"""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli import layout  # noqa: F401 - makes click use our formatter
from mockpets.cli.commands import Group, discard_output, report
from mockpets.errors import InputError, did_you_mean, problem_with
from mockpets.version import FULL_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COMMANDS: Final = {
    "Run a server": {
        "serve": ("serve", "Start the mock server; stop it with Ctrl-C or SIGTERM."),
        "health": ("remote", "Check whether a running server responds."),
        "settings": (
            "settings",
            "Print every setting that 'serve' would use here, with its source.",
        ),
        "deploy": ("deploy", "Print the files to run several processes behind HAProxy."),
    },
    "Control a running server": {
        "use": ("remote", "Switch the scenarios of a running server, or print the active ones."),
        "requests": ("remote", "Show the request log of a running server, one line per request."),
        "why": ("why", "Explain why a request gets its response."),
        "verify": ("control", "Check that a running server received the expected requests."),
        "reset": ("control", "Reset a session: records, counters, random numbers and request log."),
        "data": (
            "control",
            "List the collections of a running server, or list and change the records of one.",
        ),
        "pets": ("control", "List the pets of a running server, or change them."),
        "stub": ("record", "Print a stub made from a recorded request and its response."),
        "record": ("record", "Record the requests of a session as a scenario."),
        "held": ("control", "List the waiting responses of a running server, or release some."),
        "gates": ("control", "List the gates of a running server, or open one."),
        "sessions": (
            "control",
            "List the sessions of a running server; drop, export or import one.",
        ),
        "link": ("control", "Print a link that opens your app in a session, with scenarios."),
        "mcp": ("mcp", "Connect a coding agent to a running server: MCP over stdin and stdout."),
    },
    "Report on a front end or a service": {
        "audit": (
            "audit",
            "Open an app's pages while its API fails, and report what its users would see.",
        ),
        "report": ("report", "Report what a front end does wrong in its requests."),
        "replay": (
            "replay",
            "Send the requests of HAR files to a server, and compare status and body.",
        ),
    },
    "Scenario files and documents": {
        "scenarios": ("file_commands", "List the scenarios: name and description."),
        "check": ("file_commands", "Check scenario and fixture files."),
        "new": ("file_commands", "Write a scenario file to start from."),
        "fixture": ("file_commands", "Print generated records as a fixture file."),
        "contract": (
            "contract",
            "Show what each operation of an OpenAPI document does, and by which rule.",
        ),
        "openapi": ("file_commands", "Print a contract as an OpenAPI 3.1 document."),
        "schema": ("file_commands", "Print the JSON Schema of scenario files, for your editor."),
    },
    "Write tests in TypeScript": {
        "init": (
            "init",
            "Set up a front-end repository: Playwright, a first test, a scenario and a CI job.",
        ),
        "kit": (
            "kit",
            "Write the TypeScript client, with the types of your contract, into a folder.",
        ),
    },
    "Help coding agents": {
        "skill": ("skill", "Print the skill for coding agents: how to use mockpets, on one page."),
    },
}
"""The commands by heading, in the order of the help: the module with the function of that name, and
the first sentence of its help, which the docstring of the function continues."""
_ROWS: Final = {name: row for rows in _COMMANDS.values() for name, row in rows.items()}
_NAME: Final = "mockpets"
_INTERRUPTED: Final = 130
"""The exit status that shells use for Ctrl-C."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, by default that of the process, and return its exit status."""
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
    """Return the arguments with `help` as an option; no arguments are `help`."""
    if words in ([], ["help"], ["help", "help"]):
        return ["--help"]
    return [*words[1:], "--help"] if words[0] == "help" else words


def _usage(error: click.ClickException) -> object:
    """Return the message of a usage error, with the option or argument that it is about."""
    context = getattr(error, "ctx", None)
    if context is None:
        return error.format_message().rstrip(".")
    see_help = f"see '{context.command_path} --help'"
    if isinstance(error, click.NoSuchOption):
        # click would list all similar options alphabetically, not the nearest.
        known = [option.strip("-") for param in context.command.params for option in param.opts]
        near = did_you_mean(error.option_name.strip("-"), known).replace(" '", " '--")
        return problem_with(error.option_name, "unknown option", near or see_help)
    param = getattr(error, "param", None)
    if type(error) is click.BadParameter and param is not None:
        name = param.human_readable_name if isinstance(param, click.Argument) else param.opts[0]
        return problem_with(name, error.message.rstrip("."))
    return f"{error.format_message().rstrip('.')}; {see_help}"


class _Commands(Group):
    more_names = ("help", "--version")

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the help."""
        return [*_ROWS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name, imported when it is first needed."""
        if cmd_name in _ROWS and cmd_name not in self.commands:
            module, text = _ROWS[cmd_name]
            command = getattr(import_module(f"mockpets.cli.{module}"), cmd_name)
            command.help = f"{text}\n\n{cleandoc(command.help or '')}".rstrip()
            self.add_command(command)
        return super().get_command(ctx, cmd_name)

    def sections(self) -> Mapping[str, Mapping[str, str]]:
        """Return the first sentence of each command's help by name, by heading."""
        return {
            heading: {name: text for name, (_, text) in commands.items()}
            for heading, commands in _COMMANDS.items()
        }


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'mockpets help COMMAND' shows the options of a command. "
    "'mockpets skill' explains mockpets to coding agents.",
)
@click.version_option(
    FULL_VERSION, "--version", "-V", package_name="mockpets", message="%(package)s %(version)s"
)
def _commands() -> None:
    """Mock server for the pet store API, or your own: keeps records, and simulates failures."""
