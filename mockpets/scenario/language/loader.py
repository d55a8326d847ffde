"""Load a scenario or fixture file into the model, or report every problem of the file.

Four steps, each of which depends only on the one before: `text` opens and decodes the file,
`parser` builds a tree within limits, the shapes of `scenario` and `pets` read the tree, and
`contract_check` checks each response. The only exception these functions raise is `InputError`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    FILE_BYTES,
    FILE_NODES,
    FIXTURE_BYTES,
    FIXTURE_NODES,
    NAME_LENGTH,
    SCENARIO_NAME,
)
from mockpets.errors import Problem
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.parser import parse
from mockpets.scenario.language.pets import PETS
from mockpets.scenario.language.scenario import SCENARIO
from mockpets.scenario.language.shapes import Definitions
from mockpets.scenario.language.text import check_text, read_text
from mockpets.units import quote

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path
    from typing import Any

    from mockpets.contract.schemas import Pet
    from mockpets.scenario.language.parser import Document
    from mockpets.scenario.language.shapes import Schema, Shape
    from mockpets.scenario.model import Scenario

_LIST_HINT: Final = (
    "put the list under 'stubs:' and add 'description:'; a list of pets is a fixture, which "
    "belongs in a folder of --fixtures-dir"
)


def load_scenario(
    path: Path, shown: str, *, known: Collection[str], fixtures: Mapping[str, tuple[Pet, ...]]
) -> Scenario:
    """Return the scenario in a file; its name is the file's stem.

    :param path: a JSON file if it ends in ``.json``, else a YAML file.
    :param shown: the file's name in messages and lists.
    :param known: names of all scenarios, which this one may extend.
    :param fixtures: pets by fixture name; an invalid fixture may raise InputError.
    :raise InputError: with every problem, in file order.
    """
    text = read_text(path, shown, FILE_BYTES)
    diagnostics = Diagnostics(shown, path.stem, known, fixtures)
    _check_name(diagnostics, "rename the file")
    return _scenario(text, diagnostics, is_json=is_json_file(path))


def load_document(
    text: str,
    name: str,
    shown: str,
    *,
    known: Collection[str],
    fixtures: Mapping[str, tuple[Pet, ...]],
    is_json: bool = False,
) -> Scenario:
    """Return the scenario in a text, as `load_scenario` does for a file.

    :param name: the scenario's name, in kebab-case.
    :param shown: the text's name in messages.
    :raise InputError: with every problem, in text order.
    """
    check_text(text, shown, FILE_BYTES)
    diagnostics = Diagnostics(shown, name, known, fixtures)
    _check_name(diagnostics, "choose another name")
    return _scenario(text, diagnostics, is_json=is_json)


def load_fixture(path: Path, shown: str) -> tuple[Pet, ...]:
    """Return the pets of a fixture file, which is a list of Pet objects, in the order of their ids.

    :param path: a JSON file if it ends in ``.json``, else a YAML file.
    :param shown: the file's name in messages.
    :raise InputError: with every problem, in file order.
    """
    text = read_text(path, shown, FIXTURE_BYTES)
    diagnostics = Diagnostics(shown, path.stem)
    _check_name(diagnostics, "rename the file")
    document = parse(text, shown, is_json=is_json_file(path), nodes=FIXTURE_NODES)
    pets: tuple[Pet, ...] = _read(document, PETS, diagnostics)
    return pets


def scenario_schema() -> Schema:
    """Return the JSON Schema of a scenario file; editors complete and explain keys with it."""
    definitions = Definitions("#/$defs/")
    SCENARIO.schema(definitions)
    root = definitions.schemas.pop(SCENARIO.name)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCENARIO.name,
        **root,
        "$defs": definitions.schemas,
    }


def _scenario(text: str, diagnostics: Diagnostics, *, is_json: bool) -> Scenario:
    document = parse(
        text,
        diagnostics.file,
        is_json=is_json,
        nodes=FILE_NODES,
        # Four times the limit without aliases; the server keeps the responses in memory.
        characters=4 * FILE_BYTES,
    )
    if document.root.kind == "list":
        diagnostics.add(document.root, "must be a mapping, got a list", _LIST_HINT)
        diagnostics.close()
    scenario: Scenario = _read(document, SCENARIO, diagnostics)
    return scenario


def _read(document: Document, shape: Shape, diagnostics: Diagnostics) -> Any:
    """Return the value that a shape reads from a document.

    :raise InputError: the document has a problem.
    """
    diagnostics.problems.extend(document.problems)
    value = shape.read(document.root, diagnostics)
    diagnostics.close()
    return value


def is_json_file(path: Path) -> bool:
    """Return whether a file is read as JSON; any other file is read as YAML."""
    return path.suffix.lower() == ".json"


def _check_name(diagnostics: Diagnostics, hint: str) -> None:
    """Report a name that is not valid for a scenario or fixture."""
    if not re.fullmatch(SCENARIO_NAME, diagnostics.name) or len(diagnostics.name) > NAME_LENGTH:
        what = (
            f"the name must be in kebab-case (a-z, 0-9, single hyphens; at most {NAME_LENGTH} "
            f"characters), got {quote(diagnostics.name)}"
        )
        diagnostics.problems.append(Problem(diagnostics.file, 0, 0, "", what, hint))
