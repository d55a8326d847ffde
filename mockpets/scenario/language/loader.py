"""Load a scenario or fixture file into the model, or report every problem of the file.

Four steps, each of which depends only on the one before: `text` opens and decodes the file,
`parser` builds a tree within limits, the shapes of `scenario` and `data` read the tree, and
`contract_check` checks each response. The only exception these functions raise is `InputError`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mockpets.constants import (
    FILE_BYTES,
    FILE_NODES,
    FIXTURE_BYTES,
    FIXTURE_NODES,
)
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import invalid, problem_with
from mockpets.scenario.language.contents import records_shape
from mockpets.scenario.language.diagnostics import Diagnostics
from mockpets.scenario.language.parser import read
from mockpets.scenario.language.scenario import SCENARIO
from mockpets.scenario.language.shapes import Definitions
from mockpets.text_files import check_text, read_any_text, read_text
from mockpets.units import parse_name

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path
    from typing import Any

    from mockpets.contract.contract_model import Collection as CollectionOfContract
    from mockpets.contract.contract_model import Contracts
    from mockpets.scenario.language.diagnostics import Fixtures
    from mockpets.scenario.language.shapes import Schema, Shape
    from mockpets.scenario.scenario_model import Scenario


def load_scenario(
    path: Path,
    shown: str,
    *,
    known: Collection[str],
    fixtures: Fixtures,
    contracts: Contracts = BUILT_IN,
    text: str | None = None,
) -> Scenario:
    """Return the scenario in a file; its name is the file's stem.

    :param shown: the file's name in messages and lists.
    :param contracts: those whose operations it may name.
    :param known: names of all scenarios, which this one may extend.
    :param text: its content; by default that of the file.
    :raise InputError: with every problem, in file order.
    """
    diagnostics = Diagnostics(shown, contracts, path.stem, known, fixtures)
    _check_name(path, diagnostics)
    if text is None:
        text = read_any_text(path, shown, FILE_BYTES)
    check_text(text, shown, FILE_BYTES)
    scenario: Scenario = _read(path, text, SCENARIO, diagnostics, FILE_NODES)
    return scenario


def load_fixture(
    path: Path, shown: str, collection: CollectionOfContract | None, *, is_named: bool = True
) -> tuple[bytes, ...]:
    """Return the records in a fixture file as JSON: a contract's by key, others as in the file.

    :param collection: the contract's for which they are; None for one of a scenario.
    :param is_named: whether it is in a folder of fixtures, so that its name is in kebab case. If
        not, it can also have the form that `mockpets data --json` prints.
    :raise InputError: as `load_scenario`.
    """
    diagnostics = Diagnostics(shown, BUILT_IN, path.stem)  # records name no parts of a contract
    if is_named:
        _check_name(path, diagnostics)
    text = read_text(path, shown, FIXTURE_BYTES)
    shape = records_shape(collection, with_mapping=not is_named)
    records: tuple[bytes, ...] = _read(path, text, shape, diagnostics, FIXTURE_NODES)
    return records


def _check_name(path: Path, diagnostics: Diagnostics) -> None:
    try:
        parse_name(path.stem)
    except ValueError as error:
        problem = problem_with(diagnostics.file, f"the name {error}", "rename the file")
        diagnostics.problems.append(problem)


def _read(path: Path, text: str, shape: Shape, diagnostics: Diagnostics, nodes: int) -> Any:
    if path.suffix.lower() == ".csv":
        raise invalid(diagnostics.file, "CSV is not supported", "save the records as JSON or YAML")
    return read(text, shape, diagnostics, is_json=is_json_file(path), nodes=nodes)


def is_json_file(path: Path) -> bool:
    """Return whether a file is read as JSON; any other file is read as YAML."""
    return path.suffix.lower() == ".json"


@lru_cache(4)  # contracts change when a document is saved
def scenario_schema(contracts: Contracts = BUILT_IN) -> Schema:
    """Return the JSON Schema of a scenario file, for editors; do not modify it."""
    definitions = Definitions("#/$defs/", contracts)
    SCENARIO.schema(definitions)
    root = definitions.schemas.pop(SCENARIO.name)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCENARIO.name,
        **root,
        "$defs": definitions.schemas,
    }
