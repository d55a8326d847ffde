"""The documentation stays short: every page that is added makes the others harder to find."""

import re
from runpy import run_path

from tests.docs.page import PAGES, ROOT, SKILL

GENERATED = re.compile(r"^<!-- generated: .+? -->$.*?^<!-- end -->$", re.MULTILINE | re.DOTALL)
CHARACTERS_OF_A_TOKEN = 4
SEARCH_WORDS = re.compile(r"^<!-- search: .+? -->$", re.MULTILINE | re.DOTALL)


def words(name: str) -> int:
    """Return the number of words of a page that are written by hand, with those of its code."""
    text = (ROOT / name).read_text("utf-8")
    return len(SEARCH_WORDS.sub("", GENERATED.sub("", text)).split())


def test_the_readme_has_at_most_1_000_words() -> None:
    """With its code and all that is generated."""
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 1_000


def test_the_pages_have_at_most_22_000_words() -> None:
    names = [str(page.relative_to(ROOT)) for page in PAGES[1:] if page != SKILL]

    assert sum(map(words, names)) <= 22_000, sorted((words(name), name) for name in names)
    assert words("docs/contributors/performance.md") <= 900


def test_the_skill_is_short() -> None:
    """As https://agentskills.io asks: an agent reads the description always, the body on demand."""
    _, head, body = SKILL.read_text("utf-8").split("---\n", 2)
    name, description = re.findall(r"^(?:name|description): (.+)$", head, re.MULTILINE)

    assert re.fullmatch("[a-z0-9-]{1,64}", name)
    assert len(description.split()) <= 60
    assert body.count("\n") < 150
    assert len(body) / CHARACTERS_OF_A_TOKEN < 1500


def test_the_navigation_has_at_most_five_groups_and_32_entries() -> None:
    groups = run_path(str(ROOT / "docs" / "llms.py"))["navigation"]()
    shown = {name: pages for name, pages in groups.items() if name != "Project"}

    assert 1 < len(shown) <= 5
    assert len(shown) < sum(map(len, shown.values())) <= 32
