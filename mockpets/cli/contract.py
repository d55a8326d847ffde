"""The command `contract`: what each operation of an OpenAPI document does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockpets.cli.commands import cannot_write
from mockpets.cli.layout import wrap
from mockpets.cli.options import flag, with_json
from mockpets.errors import invalid, printable

if TYPE_CHECKING:
    from mockpets.contract.inference import Inferred
    from mockpets.contract.openapi import Described, Document


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@with_json
@flag("--new", text="Write FILE.mockpets.yaml with the operations without state, to correct them.")
def contract(file: Path | None, as_json: bool, new: bool) -> None:
    """Show what each operation of an OpenAPI document does, and by which rule.

    Lists the collections with their key and parent, the operations of each, what was not
    understood, and the operations that only respond with an example. Without FILE, shows the
    built-in pet store.

    With --new, writes a file beside FILE in which you correct what is wrong: shop.mockpets.yaml
    for shop.yaml.
    """
    if new and (file is None or as_json):
        what = "needs FILE" if file is None else "cannot be combined with --json"
        raise invalid("--new", what, "name an OpenAPI document" if file is None else "remove one")

    from mockpets.contract.describe import as_data, as_text, new_corrections
    from mockpets.contract.inference import infer
    from mockpets.contract.openapi import base_path, load, operations

    document = _pet_store() if file is None else load(file, str(file))
    described = operations(document)
    inferred = _as_given(document, described, infer(document, described))
    data = as_data(document, described, base_path(document), inferred)
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False, default=str).encode())
    elif new and file is not None:
        _write(file.with_name(f"{file.stem}.mockpets.yaml"), new_corrections(data))
    else:
        click.echo("\n".join(map(_fit, as_text(data))))


def _fit(line: str) -> str:
    """Return a line wrapped to the terminal, with its own indent and two more."""
    indent = line[: len(line) - len(line.lstrip())]
    return wrap(printable(line.lstrip()), indent, f"{indent}  ") if line else line


def _pet_store() -> Document:
    from mockpets.contract.compiled import DOCUMENT
    from mockpets.contract.openapi import Document

    return Document(DOCUMENT, "pet-store")


def _as_given(document: Document, described: tuple[Described, ...], inferred: Inferred) -> Inferred:
    """Return what was inferred with the roles that the built-in document gives."""
    from mockpets.contract.describe import GIVEN

    given: dict[str, Any] = document.root.get(GIVEN, {}).get("operations", {})
    operations = dict(inferred.operations)
    for each in described:
        guess = operations[each.name]
        if given.get(each.name, {}).get(guess.role) == guess.collection:
            operations[each.name] = guess._replace(rule=GIVEN)
    return inferred._replace(operations=operations)


def _write(path: Path, text: str) -> None:
    """Write a new file, and print its name; raise `InputError` if it exists."""
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError as error:
        hint = "edit it, or delete it first"
        raise invalid("", f"{path} already exists", hint) from error
    except OSError as error:
        raise cannot_write(path, error) from error
    click.echo(f"wrote {path}")
