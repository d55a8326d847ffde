"""The state sheet: hostile texts, what has changed, and wrong folders and options."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from mockpets import MockpetsServer, Settings
from tests.kit.project import CONFIG, run_again, run_playwright
from tests.programs import need

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

SPEC = (Path(__file__).with_name("specs") / "sheet.spec.ts").read_text(encoding="utf-8")
SHEET = '["./tests/mockpets/states-reporter.js", { outputFolder: process.env.FOLDER }]'
REPORTERS = f'reporter: [{SHEET}, ["json"'
WRONG = {
    "a list": 'such as { widths: [390, 1440], themes: ["light", "dark"] }, got []',
    "an unknown property": "unknown property 'width' of mockScreens; did you mean 'widths'?",
    "a width that is too small": "widths must list whole numbers from 200 to 4000, got [20]",
    "a width that is a text": 'widths must list whole numbers from 200 to 4000, got ["390"]',
    "no widths": "widths must list whole numbers from 200 to 4000, got []",
    "an unknown theme": "themes must list 'light', 'dark' or both, got [\"drak\"]",
}


@contextmanager
def opened(sheet: Path) -> Iterator[Any]:
    """Open a sheet in a browser; fail if it throws, prints an error or requests anything."""
    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=need("chromium-headless-shell"),
            args=["--no-sandbox", "--no-proxy-server"],
        )
        page = browser.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text))
        page.on("dialog", lambda dialog: problems.append(dialog.message))
        page.goto(sheet.as_uri())
        page.on("request", lambda request: problems.append(request.url[:100]))
        yield page
        browser.close()
    outside = [problem for problem in problems if not problem.startswith("data:image/png")]
    assert outside == []


def test_the_sheet_shows_hostile_texts_and_what_changed(tmp_path: Path) -> None:
    config = CONFIG.replace('reporter: [["json"', REPORTERS)
    sheet = tmp_path / "sheets/states.html"
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        variables = {"MOCKPETS_URL": server.url, "FOLDER": "sheets"}

        # A file that is not a sheet is no sheet to compare with.
        sheet.parent.mkdir()
        sheet.write_text("<html><time datetime='x'>")
        outcomes = run_playwright(tmp_path, {"tests/sheet.spec.ts": SPEC}, config, **variables)
        for title, message in WRONG.items():
            assert message in outcomes[f"wrong: {title}"].errors[0], title
        check_first(sheet)

        # A picture of the last sheet that is corrupt does not break the page.
        text = sheet.read_text(encoding="utf-8")
        corrupt = re.sub(r'(?<=alt="empty)([^>]*· 900 · dark" src="[^,]+,)iVBOR', r"\1AAAAA", text)
        assert corrupt != text
        sheet.write_text(corrupt, encoding="utf-8")
        done = run_again(tmp_path, **variables, CHANGED="all")
        assert "4 screenshots changed, 1 new, 1 gone" in done.stdout
        check_changed(sheet)


def check_first(sheet: Path) -> None:
    """It shows all texts as they are, in two themes and widths."""
    text = sheet.read_text(encoding="utf-8")
    assert "No last sheet to compare with" in text
    with opened(sheet) as page:
        assert page.locator("thead th").all_inner_texts()[1:] == [
            *("390 light", "390 dark", "900 light", "900 dark", "1280 light")
        ]
        row = page.locator("tr", has_text="<img src=x onerror")
        shown = row.inner_text()
        assert "</script><img src=x onerror=alert(1)>\"' & end" in " ".join(shown.split())
        assert "uncaught error: </ul><script>alert(1)</script>" in shown
        assert "unknown-parameter: " in shown
        assert "390: the page is " in shown
        assert "900: the page" not in shown
        assert row.locator("button img").count() == 4
        assert page.locator("img[src=x], i").count() == 0
        sizes = row.locator("img").evaluate_all("all => all.map(each => each.naturalWidth)")
        assert sizes == [390, 390, 900, 900]
    findings = sheet.with_name("states.md").read_text(encoding="utf-8")
    assert r"\<img src=x" in findings


def check_changed(sheet: Path) -> None:
    """A keyboard is enough to see each difference."""
    with opened(sheet) as page:
        assert "Error: </table><b>" in page.locator("tr.failed").first.inner_text()
        assert page.locator("button.changed").count() == 4
        assert page.locator("button.new").count() == 1
        assert page.locator("button.same").count() == 1
        page.get_by_text("Gone since the last sheet: 1").click()
        assert page.get_by_text("no-status · as it was · 1280 · light").is_visible()
        page.locator("button.changed").first.focus()
        page.keyboard.press("Enter")
        facts = page.get_by_text(re.compile("^[1-9][0-9]+ of 280800 pixels differ$"))
        facts.wait_for()
        pixel = "canvas => [...canvas.getContext('2d').getImageData(12, 12, 1, 1).data]"
        canvas = page.locator("canvas")
        assert canvas.evaluate(pixel) == [220, 0, 60, 255]
        page.get_by_role("button", name="Before").click()
        page.wait_for_function(f"({pixel})(document.querySelector('canvas'))[2] === 255")
        page.keyboard.press("ArrowRight")
        page.get_by_text("· 390 · dark").wait_for()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.get_by_text("this screenshot cannot be decoded").wait_for()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="hidden")
        page.get_by_label("Only states that failed").check()
        assert page.get_by_role("button", name="renamed").is_visible()
