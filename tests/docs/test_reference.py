"""The generated parts of the reference are what the code has, and no part is forgotten."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from mockpets.constants import Change
from mockpets.kit import FILES
from mockpets.packaged_data import shipped
from mockpets.pets.names import LOCALES
from mockpets.settings.model import rows
from tests.docs import reference
from tests.docs.page import PAGES, ROOT, name_of
from tests.docs.reference import PARTS, explained, generated, names_of

FOLDER = ROOT / "docs" / "reference"


def test_the_generated_parts_are_up_to_date() -> None:
    texts = {name_of(page): page.read_text("utf-8") for page in PAGES}
    with_parts = {name: text for name, text in texts.items() if names_of(text)}
    stale = [name for name, text in with_parts.items() if text != generated(text)]

    assert with_parts
    assert stale == [], "run .venv/bin/python -m tests.docs.reference"
    assert (ROOT / "llms.txt").read_text("utf-8") == reference.llms_txt(), "run it"


def test_each_part_is_on_one_page() -> None:
    names = [name for page in PAGES for name in names_of(page.read_text("utf-8"))]

    assert sorted(names) == sorted(PARTS)


def test_each_part_that_is_begun_is_ended() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        begun = re.findall("^<!-- generated: .* -->$", text, re.MULTILINE)
        assert len(begun) == len(names_of(text)), name_of(page)
        assert len(begun) == len(re.findall("^<!-- end -->$", text, re.MULTILINE)), name_of(page)


def test_text_around_a_part_stays_and_the_part_is_replaced() -> None:
    page = "# A\n\n<!-- generated: outcomes -->\nold\n<!-- end -->\n\nB\n"
    text = generated(page)

    assert text.startswith("# A\n\n<!-- generated: outcomes -->\n\n| outcome |")
    assert text.endswith("|\n\n<!-- end -->\n\nB\n")
    assert "old" not in text
    assert generated(text) == text


def test_a_new_code_must_be_explained_and_an_old_one_removed() -> None:
    assert list(explained(["a", "b"], {"b": "2", "a": "1"})) == [("a", "1"), ("b", "2")]
    with pytest.raises(ValueError, match=r"exactly these: \['new'\]"):
        list(explained(["a", "new"], {"a": "1"}))
    with pytest.raises(ValueError, match=r"exactly these: \['old'\]"):
        list(explained(["a"], {"a": "1", "old": "2"}))


def test_a_new_setting_must_be_in_a_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reference._GROUPS, "log", ("name",))

    with pytest.raises(ValueError, match="log"):
        reference.settings("log")


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
