"""The command `settings`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from mockpets.cli.layout import table
from mockpets.cli.options import with_json, with_settings
from mockpets.cli.remote import show
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@with_json
@with_settings()
def settings(config: Path | None, as_json: bool, **flags: object) -> None:
    """Accepts the options of 'serve'. For a running server, see 'settings' in GET
    /__mockpets/state.
    """
    from mockpets.settings.effective import effective_settings, value_text

    effective = effective_settings(load_settings(flags, os.environ, config))
    cells = [(row["name"], value_text(row), row["source"]) for row in effective]
    show(effective, table([("setting", "value", "source"), *cells]), as_json=as_json)
