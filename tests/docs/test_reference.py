"""The generated parts of the reference are what the code has, and no part is forgotten."""

from __future__ import annotations

import re
from typing import get_args

from generate import reference
from generate.reference import PARTS, generated, names_of
from mockpets.constants import Change
from mockpets.kit import FILES
from mockpets.packaged_data import shipped
from mockpets.pets.names import LOCALES
from mockpets.settings.model import rows
from tests.docs.page import PAGES, ROOT, name_of

FOLDER = ROOT / "docs" / "reference"


def test_the_generated_parts_are_up_to_date() -> None:
    texts = {name_of(page): page.read_text("utf-8") for page in PAGES}
    with_parts = {name: text for name, text in texts.items() if names_of(text)}
    stale = [name for name, text in with_parts.items() if text != generated(text)]

    assert with_parts
    assert stale == [], "run .venv/bin/python -m generate.reference"
    assert (ROOT / "llms.txt").read_text("utf-8") == reference.llms_txt(), "run it"


def test_each_part_is_on_one_page() -> None:
    names = [name for page in PAGES for name in names_of(page.read_text("utf-8"))]

    assert sorted(names) == sorted(PARTS)


def test_every_setting_is_in_a_table_with_its_default_and_help() -> None:
    text = (FOLDER / "settings.md").read_text("utf-8")
    listed = re.findall(
        r"^\| `(--[a-z-]+)` \| `([A-Z_]+)` \| (.+?) \| (.+) \|$", text, re.MULTILINE
    )

    assert {(flag, variable) for flag, variable, _, _ in listed} == {
        (row.flag, row.variable) for row in rows()
    }
    assert len(listed) == len(rows())
    helps = {flag: help_text.replace("`", "") for flag, _, _, help_text in listed}
    assert helps == {row.flag: row.help for row in rows()}


def test_the_javascript_reference_has_every_method_and_option() -> None:
    text = (ROOT / "docs/recipes/vitest.md").read_text("utf-8")
    assert "client.d.ts" in FILES
    declared = (shipped("kit") / "client.d.ts").read_text("utf-8")
    options, gate, client = (
        re.search(rf"^export {kind} \{{\n(.*?)^\}}", declared, re.MULTILINE | re.DOTALL)
        for kind in ("interface Options", "interface Gate", "class Mockpets")
    )
    assert options and gate and client
    names = set()
    for part in (options[1], gate[1], client[1]):
        names |= set(re.findall(r"^  (?:static |readonly )*(\w+)\??[(:<]", part, re.MULTILINE))
    names -= {"constructor"}
    table = "\n".join(re.findall(r"^\|.*\|$", text, re.MULTILINE))

    assert {"url", "make", "held", "open", "slug", "baseUrl"} <= names
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", table)] == []


def test_the_control_reference_names_all_that_can_change() -> None:
    text = (FOLDER / "control-api.md").read_text("utf-8")
    [sentence] = re.findall(r"reports what changed: (.*?)\.", text, re.DOTALL)

    assert re.findall(r"`(\w+)`", sentence) == list(get_args(Change))


def test_the_page_of_settings_lists_every_locale() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    [listed] = re.findall(r"^The locales are (.*?)\.$", text, re.MULTILINE | re.DOTALL)

    assert re.findall("`(.*?)`", listed) == list(LOCALES)
