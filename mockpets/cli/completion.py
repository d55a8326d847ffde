"""Complete names in the shell, which waits for every completion: keep imports light."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from mockpets.errors import MockpetsError
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.shell_completion import CompletionItem

    Complete = Callable[
        [click.Context, click.Parameter, str], list[str] | list[CompletionItem[str]]
    ]


def words(known: Iterable[str]) -> Complete:
    """Return a completion of fixed words, which the command itself checks."""
    return click.Choice(sorted(known)).shell_complete


def files_of(kind: str) -> Complete:
    """Return a completion of the names of ``scenarios`` or ``fixtures``, shipped and in folders."""

    def complete(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
        # Of names with commas between them, only the last one is not complete.
        before, comma, start = incomplete.rpartition(",")
        names = sorted(name for name in _file_names(kind, context) if name.startswith(start))
        return [before + comma + name for name in names]

    return complete


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
