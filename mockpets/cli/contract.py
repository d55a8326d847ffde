"""The command `contract`: what each operation of a contract does."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

import click

from mockpets.cli.commands import already_exists, write_new
from mockpets.cli.layout import wrap
from mockpets.cli.options import flag, with_json, with_settings
from mockpets.errors import invalid, printable
from mockpets.settings.sources import load_settings

_EXISTS: Final = "edit it, or delete it first"


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@with_json
@flag("--new", text="Write FILE.mockpets.yaml with the operations without state, to correct them.")
@with_settings("corrections")
def contract(
    file: Path | None, as_json: bool, new: bool, config: Path | None, **flags: object
) -> None:
    """Lists the collections with their key and parent, the operations of each, what was not
    understood, and the operations that only respond with an example. Corrections are applied.
    Without FILE, shows the contracts that 'serve' would serve here.

    With --new, writes a file beside FILE in which you correct what is wrong: shop.mockpets.yaml
    for shop.yaml.
    """
    if new and (file is None or as_json):
        what = "needs FILE" if file is None else "cannot be combined with --json"
        raise invalid("--new", what, "name an OpenAPI document" if file is None else "remove one")

    from mockpets.contract.contract_description import as_text, description, new_corrections
    from mockpets.contract.corrections import corrections_beside, corrections_files
    from mockpets.scenario.contract_files import Given, load_contract
    from mockpets.settings.named_contracts import contracts_of

    if new and file is not None and file.name and (known := corrections_beside(file)):
        raise already_exists(known, _EXISTS)
    settings = load_settings(flags, os.environ, config)
    if file is None:
        shown = [*map(description, contracts_of(settings).all)]
    else:
        given = flags["corrections"]
        corrections = Path(str(given)) if given else None
        shown = [description(load_contract(Given(None, file, str(file)), corrections))]
    if as_json:
        data = shown[0] if len(shown) == 1 else {"contracts": shown}
        click.echo(json.dumps(data, indent=2, ensure_ascii=False, default=float).encode())
    elif new and file is not None:
        write_new(corrections_files(file)[0], new_corrections(shown[0]), _EXISTS)
    else:
        click.echo("\n\n".join("\n".join(map(_fit, as_text(data))) for data in shown))


def _fit(line: str) -> str:
    """Return a line wrapped to the terminal, with its own indent and two more."""
    indent = line[: len(line) - len(line.lstrip())]
    return wrap(printable(line.lstrip()), indent, f"{indent}  ") if line else line
