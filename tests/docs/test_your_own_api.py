"""The page about any OpenAPI document lists every rule and correction, with examples that apply."""

import re
from pathlib import Path

from mockpets.contract.contract_description import description
from mockpets.contract.corrections import CORRECTED_ROLES, CollectionCorrection, OperationCorrection
from mockpets.contract.role_rules import RULES
from mockpets.scenario.contract_files import load_contracts
from tests.docs.page import ROOT

PAGE = (ROOT / "docs" / "start" / "your-own-api.md").read_text("utf-8")
CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"


def test_each_rule_has_a_row_in_the_order_of_the_rules_or_a_sentence() -> None:
    rows = re.findall(r"^\| `([a-z-]+)`: ", PAGE, re.MULTILINE)
    names = [*RULES]

    assert rows == [name for name in names if name not in ("key-in-request", "part")]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_each_example_of_a_rule_is_one() -> None:
    data = description(load_contracts([str(CLINIC)]).all[0])
    known = {
        f"{each['method']} {each['path']}": (each["rule"], each["role"])
        for each in data["operations"]
    }
    rows = re.findall(r"^\| `([a-z-]+)`: .+? \| `([A-Z]+ .+?)` \| `(.+?)` \|$", PAGE, re.MULTILINE)

    assert len(rows) == len(RULES) - 2
    for rule, request, role in rows:
        assert known[request] == (rule, role), request


def test_each_correction_is_on_the_page() -> None:
    fields = {*OperationCorrection._fields, *CollectionCorrection._fields}
    keys = {*CORRECTED_ROLES, *fields} - {"role", "collection", "property", "place"}

    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b[:`]", PAGE)] == []
