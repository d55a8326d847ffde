"""The table of faults, which the language, its schema and the server read, and who repeats it."""

import re
from pathlib import Path

import pytest

import mockpets
from mockpets.contract.pet_store import BUILT_IN
from mockpets.faults import FAULTS
from mockpets.scenario.template import new_scenario

PACKAGE = Path(mockpets.__file__).parent
DOCS = Path(__file__).parent.parent / "docs" / "reference" / "scenario-language.md"


def test_the_docs_list_all_kinds() -> None:
    [table] = re.findall(
        r"\| `fault:` \| sends \| then \| what it does \|\n\|---\|---\|---\|---\|\n((?:\|.*\n)+)",
        DOCS.read_text(encoding="utf-8"),
    )

    assert table.splitlines() == [
        f"| `{kind.name}` | {kind.sends} | {kind.then} | {kind.effect} |"
        for kind in FAULTS.values()
    ]


@pytest.mark.parametrize("fault", FAULTS)
def test_only_the_table_names_a_kind(fault: str) -> None:
    files = {
        path.relative_to(PACKAGE).as_posix()
        for pattern in ("*.py", "*.js", "*.html")
        for path in PACKAGE.rglob(pattern)
        if re.search(rf"\b{fault}\b", path.read_text(encoding="utf-8"))
    }

    assert files == {"faults.py"}


def test_a_new_scenario_file_lists_all_kinds() -> None:
    assert f"## Break it: {', '.join(FAULTS)}.\n" in new_scenario("a", BUILT_IN)
