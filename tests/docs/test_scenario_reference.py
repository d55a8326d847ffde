"""The page of the scenario language has every key, each with an example that is valid."""

import re
from pathlib import Path
from typing import Any, Final

from generate.scenario_keys import DEFINITIONS, definition
from mockpets.scenario.check import check
from mockpets.scenario.language.loader import scenario_schema
from mockpets.scenario.language.reference_compiler import SOURCES
from tests.docs.page import ROOT

TEXT = (ROOT / "docs" / "reference" / "scenario-language.md").read_text(encoding="utf-8")
SECTIONS: Final = {**DEFINITIONS, "Conditions": ("TextOperators", "BodyOperators")}
"""Each section with a table of keys to the definitions of the schema that have these keys."""


def rows(title: str) -> list[tuple[str, str]]:
    """Return the keys of a section, each with its example."""
    section = TEXT.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\| `(.+?)` \| .* \| `(.+)` \|$", section, re.MULTILINE)


def test_each_section_has_the_keys_of_the_schema() -> None:
    keys = {
        title: sorted({key for name in names for key in definition(name)["properties"]})
        for title, names in SECTIONS.items()
    }

    assert {title: sorted(key for key, _ in rows(title)) for title in SECTIONS} == keys


def test_each_source_of_a_reference_has_a_valid_example(tmp_path: Path) -> None:
    examples = rows("References")

    assert [source for source, _ in examples] == [*SOURCES.values()]
    for number, (source, example) in enumerate(examples):
        assert source.partition(".")[0] in example
        path = tmp_path / f"own-{number}.yaml"
        path.write_text(f"description: d\nstubs:\n  - {{{example}}}\n")
    result = check([tmp_path], [], [])
    assert (result.problems, result.warnings) == ((), ())


def test_every_definition_with_keys_has_a_section() -> None:
    schema: Any = scenario_schema()
    with_keys = {name for name, each in schema["$defs"].items() if "properties" in each}

    assert with_keys == {name for names in SECTIONS.values() for name in names} - {""}


def test_the_examples_are_valid_and_have_the_key(tmp_path: Path) -> None:
    for section, title in enumerate(SECTIONS):
        for number, (key, example) in enumerate(rows(title), start=1):
            assert re.search(rf"(?<![\w$]){re.escape(key)}: ", example), example
            path = tmp_path / f"example-{section}-{number}.yaml"
            path.write_text(scenario(title, example), encoding="utf-8")
    result = check([tmp_path], [], [])

    assert (result.problems, result.warnings) == ((), ())


def scenario(title: str, example: str) -> str:
    """Return a scenario file with an example: a line of the file, or keys of a stub."""
    if title in ("The file", "Data", "Resources"):
        return example if "description:" in example else f"description: An example.\n{example}\n"
    effect = "" if title in ("Stubs", "Reply", "Random delays") else ", delay: 1s"
    return f"description: An example.\nstubs:\n  - {{{example}{effect}}}\n"
