"""Complete names in the shell.

If the running server that has the names does not respond, the list is empty. Keep imports light: a
shell waits for every completion.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

import click

from mockpets.cli.connection import connect
from mockpets.errors import MockpetsError
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.shell_completion import CompletionItem

    from mockpets.client import ControlClient

    Complete = Callable[
        [click.Context, click.Parameter, str], list[str] | list[CompletionItem[str]]
    ]

_SECONDS: Final = 0.3
"""How long a server may take for each step of a response."""


def words(known: Iterable[str]) -> Complete:
    """Return a completion of fixed words, which the command itself checks."""
    return click.Choice(sorted(known)).shell_complete


def from_server(names: Callable[[ControlClient], Iterable[str]]) -> Complete:
    """Return a completion of names that a running server knows."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        return _starting(_ask(context, names), incomplete)

    return complete


def files_of(kind: str) -> Complete:
    """Return a completion of the names of ``scenarios`` or ``fixtures``, shipped and in folders."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        return _starting(_file_names(kind, context), incomplete)

    return complete


def scenarios(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Complete the names of the running server's scenarios, or those of files without a server."""
    names = _ask(context, _valid_scenarios) or _file_names("scenarios", context)
    return _starting(names, incomplete)


def locales(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Complete the locales of generated pets."""
    from mockpets.pets.names import LOCALES  # long lists

    return _starting(LOCALES, incomplete)


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    """Return the names that start with a text, of which only the part after a comma counts."""
    before, comma, start = incomplete.rpartition(",")
    return [before + comma + name for name in sorted(names) if name.startswith(start)]


def _ask(context: click.Context, names: Callable[[ControlClient], Iterable[str]]) -> list[str]:
    """Return names from the server that the options so far select; none without a response."""
    try:
        return [*names(connect(context.params, _SECONDS))]
    except (MockpetsError, LookupError, TypeError, AttributeError):  # or unexpected JSON
        return []


def _valid_scenarios(client: ControlClient) -> list[str]:
    return [
        scenario["name"]
        for scenario in client.scenarios()["scenarios"]
        if scenario["description"] is not None and not scenario["inline"]
    ]


def _file_names(kind: str, context: click.Context) -> Iterable[str]:
    """Return the names of the files that a server with these options would load."""
    from mockpets.scenario.files import find

    name = f"{kind}_dir"
    try:
        flags = {name: context.params.get(name)}
        settings = load_settings(flags, os.environ, context.params.get("config"))
        return find(kind, getattr(settings, name))
    except MockpetsError:  # the command reports the problem
        return find(kind, ())
