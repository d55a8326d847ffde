"""The formats of a report: the page lists them all."""

from __future__ import annotations

import re

from mockpets.cli.report_options import FORMATS
from tests.docs.page import ROOT


def test_the_page_lists_every_format() -> None:
    page = (ROOT / "docs/bugs/report.md").read_text("utf-8")
    [sentence] = re.findall(r"`--format` is (.*?)\.\s", page, re.DOTALL)

    assert tuple(re.findall(r"`(\w+)`", sentence)) == FORMATS
