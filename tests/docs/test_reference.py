"""The generated parts of the reference are what the code has, and no part is forgotten."""

import re
from typing import get_args

from generate import reference
from generate.reference import PARTS, generated, names_of
from mockpets.constants import Change
from mockpets.seed.names import LOCALES
from tests.docs.page import PAGES, ROOT, name_of

FOLDER = ROOT / "docs" / "reference"


def test_the_generated_parts_are_up_to_date() -> None:
    texts = {name_of(page): page.read_text("utf-8") for page in PAGES}
    with_parts = {name: text for name, text in texts.items() if names_of(text)}
    stale = [name for name, text in texts.items() if text != generated(text)]

    assert with_parts
    assert stale == [], "run .venv/bin/python -m generate"
    assert (ROOT / "llms.txt").read_text("utf-8") == reference.llms_txt(), "run it"


def test_each_part_is_on_one_page() -> None:
    names = [name for page in PAGES for name in names_of(page.read_text("utf-8"))]

    assert sorted(names) == sorted(PARTS)


def test_the_control_reference_names_all_that_can_change() -> None:
    text = (FOLDER / "control-api.md").read_text("utf-8")
    [sentence] = re.findall(r"reports what changed: (.*?)\.", text, re.DOTALL)

    assert re.findall(r"`(\w+)`", sentence) == list(get_args(Change))


def test_the_page_of_settings_lists_every_locale() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    [listed] = re.findall(r"^The locales are (.*?)\.$", text, re.MULTILINE | re.DOTALL)

    assert re.findall("`(.*?)`", listed) == list(LOCALES)
