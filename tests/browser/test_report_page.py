"""The report as a page: it fits a phone, passes axe, and runs nothing that a client sent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import pytest

from mockpets.report.findings import Evidence, Finding
from mockpets.report.writers import WRITERS
from tests.browser.test_looks import inspect
from tests.report.reports import NASTY, REPORT, RETRY

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow

LONG = "GET /v1/pets?q=" + "x" * 300


@pytest.mark.parametrize(("width", "theme"), [(360, "dark"), (1440, "light")])
def test_the_page(
    browser: Browser, tmp_path: Path, width: int, theme: Literal["dark", "light"]
) -> None:
    texts = (*NASTY, LONG)
    evidence = tuple(Evidence(each, each, 1, "2026-11-22T12:00:00.000Z", each) for each in texts)
    findings = tuple(Finding(RETRY, each, each, evidence) for each in texts)
    report = replace(REPORT, findings=(*REPORT.findings, *findings), limits=texts)
    file = tmp_path / "report.html"
    file.write_text(WRITERS["html"](report), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme)
    requests: list[str] = []
    problems: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("console", lambda message: problems.append(message.text))
    page.goto(file.as_uri())

    assert page.locator("h3").count() == len(report.findings)
    inspect(page, "the report")
    page.get_by_role("link", name="Retry without growing pauses").click()
    assert page.url.endswith("#retry-pauses")
    assert requests == [file.as_uri()]
    assert problems == []
    page.close()
