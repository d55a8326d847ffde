"""Read a scenario or fixture file into the model, or refuse it with all that is wrong with it.

In four steps, each of which knows only the one before: `text` opens and decodes the file,
`document` makes a tree of it within limits, the shapes of `grammar` and `animals` read the tree,
and `conformance` holds each reply against the contract. Nothing but `InputError` comes out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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


def load_scenario(
    path: Path, shown: str, *, known: Collection[str], fixtures: Mapping[str, tuple[Pet, ...]]
) -> Scenario:
    """Return the scenario that a file holds; its name is the file's stem.

    :param path: ends in ``.json`` for JSON, in anything else for YAML.
    :param shown: how problems and lists name the file.
    :param known: names of all scenarios, which this one may extend.
    :param fixtures: pets by fixture name; one that cannot be read may raise InputError.
    :raise InputError: with every problem, in the order of the file.
    """
    text = read_text(path, shown, FILE_BYTES)
    diagnostics = Diagnostics(shown, path.stem, known, fixtures)
    _check_name(diagnostics, "rename the file")
    return _scenario(text, diagnostics, is_json=_is_json(path))


def load_document(
    text: str,
    name: str,
    shown: str,
    *,
    known: Collection[str],
    fixtures: Mapping[str, tuple[Pet, ...]],
    is_json: bool = False,
) -> Scenario:
    """Return the scenario that a text holds, as `load_scenario` does for a file.

    :param name: of the scenario, in kebab-case.
    :param shown: how problems name the text.
    :raise InputError: with every problem, in the order of the text.
    """
    check_text(text, shown, FILE_BYTES)
    diagnostics = Diagnostics(shown, name, known, fixtures)
    _check_name(diagnostics, "choose another")
    return _scenario(text, diagnostics, is_json=is_json)


def load_fixture(path: Path, shown: str) -> tuple[Pet, ...]:
    """Return the pets of a fixture file, a list of Pet objects, in the order of their ids.

    :param path: ends in ``.json`` for JSON, in anything else for YAML.
    :param shown: how problems name the file.
    :raise InputError: with every problem, in the order of the file.
    """
    text = read_text(path, shown, FIXTURE_BYTES)
    diagnostics = Diagnostics(shown, path.stem)
    _check_name(diagnostics, "rename the file")
    document = parse(text, shown, is_json=_is_json(path), nodes=FIXTURE_NODES)
    pets: tuple[Pet, ...] = _read(document, PETS, diagnostics)
    return pets


def scenario_schema() -> Schema:
    """Return the JSON Schema of a scenario file, by which editors complete and explain it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Scenario of mockpets",
        **SCENARIO.schema(),
    }


def _scenario(text: str, diagnostics: Diagnostics, *, is_json: bool) -> Scenario:
    document = parse(
        text,
        diagnostics.file,
        is_json=is_json,
        nodes=FILE_NODES,
        # Four times what it may have without aliases; what its replies hold is kept in memory.
        characters=4 * FILE_BYTES,
    )
    scenario: Scenario = _read(document, SCENARIO, diagnostics)
    return scenario


def _read(document: Document, shape: Shape, diagnostics: Diagnostics) -> Any:
    """Return what a shape makes of a document.

    :raise InputError: if there is any problem.
    """
    diagnostics.problems.extend(document.problems)
    value = shape.read(document.root, diagnostics)
    diagnostics.close()
    return value


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _check_name(diagnostics: Diagnostics, hint: str) -> None:
    """Note a name that is no scenario's or fixture's."""
    if not re.fullmatch(SCENARIO_NAME, diagnostics.name) or len(diagnostics.name) > NAME_LENGTH:
        what = (
            f"the name must be in kebab-case (a-z, 0-9, single dashes; at most {NAME_LENGTH}), "
            f"got {quote(diagnostics.name)}"
        )
        diagnostics.problems.append(Problem(diagnostics.file, 0, 0, "", what, hint))
