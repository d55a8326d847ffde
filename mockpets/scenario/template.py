"""The scenario file that ``mockpets new`` writes, with a commented-out example of every key.

The template names parts of the contract, such as ``<LIST>``. Lines between ``<IF NAME>`` and
``<END>`` are for contracts that have the part.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mockpets.constants import BUILT_IN_CONTRACT
from mockpets.contract.states import documented, statuses
from mockpets.seed.generated_records import generate
from mockpets.strict_json import dump_json
from mockpets.units import either

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.contract_model import Contracts, Operation

_FILE: Final = Path(__file__).with_name("template.yaml")
"""Lines that begin with ``##`` explain; the lines that begin with ``#`` below are an example."""
_SECTION: Final = re.compile(r"^<IF (\w+)>\n(.*?)^<END>\n", re.MULTILINE | re.DOTALL)


def new_scenario(name: str, contracts: Contracts) -> str:
    """Return the text of a new scenario file, with examples for the first of the contracts."""
    parts = _parts(contracts)
    base = "slow" if name != "slow" else "retry"  # a scenario cannot extend itself
    parts |= {"NAME": name, "BASE": base}
    text = _FILE.read_text(encoding="utf-8")
    text = _SECTION.sub(lambda match: match[2] if match[1] in parts else "", text)
    return re.sub("<([A-Z_]+)>", lambda match: parts[match[1]], text)


def _parts(contracts: Contracts) -> dict[str, str]:
    """Return the parts that a contract has, by their names in the template."""
    contract = contracts.all[0]
    operations = [*contract.operations.values()]
    is_built_in = contract.label == BUILT_IN_CONTRACT
    parts = {
        "BASE_PATH": contract.base,
        "LINK": "petId" if is_built_in else "customerId",
        "PETS" if is_built_in else "DOCUMENT": "",
    }
    if operations:
        parts["OPERATION"] = _quoted(_first(operations, "list").name)
        parts["CHANGE"] = _quoted(_first(operations, "create").name)
    roles = [*dict.fromkeys(each.role for each in operations if each.role)]
    if roles:
        role = "create" if "create" in roles else roles[0]
        parts |= {"ROLES": either(roles), "ROLE": role}
    if contract.collections:
        collection = next(iter(contract.collections.values()))
        parts["COLLECTION"] = _quoted(collection.name)
    if is_built_in:
        return parts
    if contract.collections:
        (record,) = generate(collection, 1, 1, "en_US")
        parts["RECORD"] = collection.schema.dump(record).decode()
    if "list" in roles:
        parts["LIST"] = parts["OPERATION"]
    for each in operations:
        parts["OWN_OPERATION"] = ""
        if each.parameters.fields:
            parts.setdefault("PARAMETER", _quoted(next(iter(each.parameters.fields))))
            parts.setdefault("WITH_PARAMETER", _quoted(each.name))
        if each.query.fields:
            parts.setdefault("QUERY", _quoted(next(iter(each.query.fields))))
            parts.setdefault("WITH_QUERY", _quoted(each.name))
        if each.body is not None and each.body.schema.fields:
            parts.setdefault("PROPERTY", _quoted(next(iter(each.body.schema.fields))))
            parts.setdefault("WITH_PROPERTY", _quoted(each.name))
        for status in statuses(documented(each)):
            if "400" <= status < "500":
                parts.setdefault("ERROR", status)
                parts.setdefault("WITH_ERROR", _quoted(each.name))
    return parts


def _first(operations: Sequence[Operation], role: str) -> Operation:
    """Return the first operation with a role; without one, the first of all."""
    return next((each for each in operations if each.role == role), operations[0])


def _quoted(name: str) -> str:
    """Return a name in YAML: as it is, or in quotes."""
    return name if re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name) else dump_json(name).decode()
