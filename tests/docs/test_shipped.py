"""The page of the shipped scenarios is up to date."""

from __future__ import annotations

import re

from tests.docs import shipped
from tests.docs.page import ROOT

PAGE = ROOT / "docs" / "reference" / "shipped-scenarios.md"


def test_the_page_is_up_to_date() -> None:
    """If it is not, run `python -m tests.docs.reference`."""
    text = PAGE.read_text(encoding="utf-8")
    pattern = r"^<!-- generated: shipped -->\n(.*?)^<!-- end -->$"
    [part] = re.findall(pattern, text, re.MULTILINE | re.DOTALL)

    assert part.strip() == shipped.part().strip()
