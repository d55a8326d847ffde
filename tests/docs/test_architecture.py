"""The pages about the design name files that exist."""

from __future__ import annotations

import re

from tests.docs.page import ROOT

FOLDER = ROOT / "docs" / "contributors"


def test_the_modules_exist() -> None:
    for page in ("architecture.md", "decisions.md"):
        text = (FOLDER / page).read_text(encoding="utf-8")
        files = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)
        assert files, page
        for file in files:
            assert (ROOT / file).is_file() or (ROOT / "mockpets" / file).is_file(), file


def test_the_diagram_names_packages() -> None:
    text = (FOLDER / "architecture.svg").read_text(encoding="utf-8")
    packages = re.findall(r'class="name"[^>]*>([a-z]+)/<', text)

    assert len(packages) == 8
    for package in packages:
        assert (ROOT / "mockpets" / package / "__init__.py").is_file(), package
