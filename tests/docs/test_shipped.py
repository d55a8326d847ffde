"""The page of the shipped scenarios is up to date, and its grouping is complete."""

from __future__ import annotations

import re

import pytest

from tests.docs import shipped
from tests.docs.page import ROOT

PAGE = ROOT / "docs" / "scenarios" / "shipped.md"


def test_the_page_is_up_to_date() -> None:
    """If it is not, run `python -m tests.docs.reference`."""
    text = PAGE.read_text(encoding="utf-8")
    pattern = r"^<!-- generated: shipped -->\n(.*?)^<!-- end -->$"
    [part] = re.findall(pattern, text, re.MULTILINE | re.DOTALL)

    assert part.strip() == shipped.part().strip()


def test_a_scenario_without_a_group_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "NEEDS", {**shipped.NEEDS, "Errors": ()})

    with pytest.raises(ValueError, match="server-error"):
        shipped.part()
