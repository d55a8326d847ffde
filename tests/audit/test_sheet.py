"""The sheet of an audit: its texts, links and screenshots, and how it looks."""

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import unescape
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from mockpets.audit.result import Result
from mockpets.audit.sheet import write_sheet
from tests.audit.results import result

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
CHECK = """
async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const {violations} = await axe.run({runOnly: {type: "tag", values: tags}});
  return violations.map(({id, help, nodes}) =>
    `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html)}`);
}
"""
OPEN = "for (const each of document.querySelectorAll('details')) each.open = true"
WIDE = "document.documentElement.scrollWidth - innerWidth"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
HOSTILE = "</script><img src=x onerror=alert(1)>\"'><b>&amp;\u202e\ud800"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the screenshots of `result`."""
    shots = tmp_path / "shots"
    shots.mkdir()
    whole = result()
    for path in pictures(whole):
        (tmp_path / path).write_bytes(PNG)
    return tmp_path


def pictures(whole: Result) -> set[str]:
    return {
        *(each["screenshot"] for each in whole["pages"]),
        *(path for each in whole["findings"] for path in (each["healthy"], each["failing"])),
    }


def sheet(folder: Path, whole: Result) -> str:
    path = write_sheet(folder, whole)
    assert path == folder / "index.html"
    return path.read_text(encoding="utf-8")


def text_of(html: str) -> str:
    """Return the text of a sheet, in which each run of spaces is one."""
    body = re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub("<[^>]+>", " ", body)).split())


def test_it_has_the_causes_first_then_the_matrix_and_what_ran(folder: Path) -> None:
    html = sheet(folder, result())
    text = text_of(html)
    parts = [
        "Audit of http://localhost:5173/",
        "2026-11-28 21:00 UTC · 167 of 180 probes in 4 min 38 s · 5 pages, 4 actions",
        "signed in as jake@jake.jake · RealWorld Conduit API · mockpets 0.2.0",
        "The audit did not finish: 13 probes did not run.",
        "E 5 errors W 4 warnings N 1 note 2 accepted or known",
        "To see a failure in your browser, start mockpets serve with the same contract",
        "E No message for any failing read (6 of 6 operations)",
        "N Nothing is shown in place of an empty list",
        "No message for any failing read (6 of 6 operations)",
        "Show a message in place of the missing content when a request fails.",
        "mockpets use GetArticles:500",
        "GET /api/articles/how-to → 500",
        "Nothing is shown in place of an empty list",
        "Accepted or known: 2",
        "GetTags is sent 152 times in two seconds",
        "Accepted: The header has a live region of its own.",
        "Page, action and operation",
        "Post Comment on /article/{} : CreateArticleComment",
        "2 operations of the contract: DeleteArticle, UnfollowUserByUsername.",
        "The app registers a service worker, which may answer from its cache.",
    ]
    place = 0
    for part in parts:
        place = text.find(part, place)
        assert place >= 0, part
    assert 'fill getByPlaceholder("Write a comment..."): A comment' in text
    assert 'href="http://localhost:5173/article/how-to"' in html


def test_its_screenshots_are_files_beside_it(folder: Path) -> None:
    html = sheet(folder, result())
    sources = set(re.findall(r'<img src="([^"]+)"', html))
    assert sources == pictures(result())
    (folder / "shots/0.png").unlink()
    html = sheet(folder, result())
    assert "shots/0.png" not in html
    assert html.count("No screenshot") == 1


def test_it_loads_nothing_from_a_network(folder: Path) -> None:
    html = sheet(folder, result())
    [policy] = re.findall('http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert unescape(policy).startswith("default-src 'none'; img-src 'self' file:; ")
    assert not re.search(r'<(?:link|script|iframe)[^>]* (?:src|href)=|<img src="(?!shots/)', html)


def test_every_finding_and_link_of_the_matrix_is_there(folder: Path) -> None:
    html = sheet(folder, result())
    findings = re.findall(r'id="finding-(\d+)"', html)
    assert sorted(map(int, findings)) == [*range(len(result()["findings"]))]
    links = re.findall(r'class="mark (\w+)" href="#finding-(\d+)"', html)
    assert {level for level, _ in links} == {"error", "warning", "note", "accepted"}
    assert {number for _, number in links} <= {*findings}


def test_an_audit_without_findings_says_so(folder: Path) -> None:
    clean = result(causes=[], findings=[], matrix=[], pages=[], actions=[], not_reached=[])
    text = text_of(sheet(folder, {**clean, "notes": [], "complete": True, "signed_in": None}))
    assert "The audit found nothing wrong." in text
    assert "The audit did not finish" not in text
    assert "not signed in" in text
    assert "The pages and actions called every operation of the contract." in text


def hostile(value: Any) -> Any:
    """Return a value with a hostile end of each text, except for what the program decides."""
    if isinstance(value, dict):
        fixed = ("level", "healthy", "failing", "screenshot", "started", "do")
        return {key: each if key in fixed else hostile(each) for key, each in value.items()}
    if isinstance(value, list):
        return [hostile(each) for each in value]
    return value + HOSTILE if isinstance(value, str) else value


def test_a_dangerous_address_is_no_link_and_a_dangerous_path_no_screenshot(folder: Path) -> None:
    whole = result(app="javascript:alert(1)")
    for finding in whole["findings"]:
        finding["url"] = "javascript:alert(2)"
        finding["healthy"] = "shots/../../secret.png"
        finding["failing"] = "https://evil.test/shot.png"
    html = sheet(folder, whole)
    assert 'href="javascript:' not in html
    assert "secret.png" not in html
    assert "evil.test" not in html


@contextmanager
def opened(browser: Browser, file: Path, **options: Any) -> Iterator[Page]:
    """Open a sheet; fail if it throws, prints a problem, or requests what is not a screenshot."""
    problems: list[str] = []
    context = browser.new_context(**options)
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text))
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: problems.append(request.url))
    page.goto(file.as_uri())
    yield page
    context.close()
    own = file.parent.as_uri()
    assert [
        each for each in problems if not re.match(rf"{own}/(?:shots/[\w-]+\.png|index)", each)
    ] == []


@pytest.mark.browser
def test_it_passes_axe_in_both_themes(folder: Path, browser: Browser) -> None:
    # A folded finding is as an open one, and axe takes seconds for all.
    whole = result()
    for cause in whole["causes"]:
        del cause["findings"][2:]
    file = write_sheet(folder, whole)
    with opened(browser, file) as page:
        page.evaluate(AXE)
        page.evaluate(OPEN)
        for width, theme in ((390, "dark"), (1440, "light")):
            page.set_viewport_size({"width": width, "height": 844})
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]  # one of its words
            assert page.evaluate(CHECK) == [], (width, theme)


@pytest.mark.browser
@pytest.mark.parametrize("make", [result, lambda: hostile(result())], ids=["plain", "hostile"])
def test_only_the_matrix_scrolls_sideways(
    folder: Path, browser: Browser, make: Callable[[], Result]
) -> None:
    file = write_sheet(folder, make())
    with opened(browser, file) as page:
        page.evaluate(OPEN)
        for width in (390, 768, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate(WIDE) <= 0, width
        assert page.locator("script").count() == 1
        assert page.locator("img[src='x']").count() == 0


@pytest.mark.browser
def test_it_filters_opens_screenshots_and_reveals_findings(folder: Path, browser: Browser) -> None:
    file = write_sheet(folder, result())
    with opened(browser, file) as page:
        causes = page.get_by_role("article")
        expect(page.locator(".filter output")).to_have_text("12 of 12 causes")
        page.get_by_label("Errors").uncheck()
        expect(page.locator(".filter output")).to_have_text("6 of 12 causes")
        page.get_by_role("combobox", name="Page").select_option("/settings")
        expect(causes).to_have_count(1)  # what is closed does not count
        expect(page.locator("tbody:visible")).to_have_count(1)

        # A link of the matrix shows its finding, whatever the filter hides.
        page.get_by_role("combobox", name="Page").select_option("")
        page.get_by_role("link", name="GetComments:404, error").click()
        finding = page.locator(page.evaluate("location.hash"))
        expect(finding).to_be_visible()
        expect(page.get_by_label("Errors")).to_be_checked()

        finding.get_by_role("link", name="/article/{} with GetComments:404").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_role("img", name="/article/{} with GetComments:404")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(dialog.get_by_role("img", name="/article/{}, healthy")).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()

        copy = finding.get_by_role("button", name="Copy GetComments:404", exact=True)
        copy.click()
        expect(copy).to_have_text(re.compile("Copied|Selected"))
