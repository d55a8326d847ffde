"""The documentation site: it builds without a warning, works from a folder, and fits a phone."""

import os
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.tables import RESULTS
from tests.docs.page import ROOT
from tests.programs import need, run_within

pytestmark = [pytest.mark.tool, pytest.mark.long]

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
CONTRAST = """async () => {
  const {violations} = await axe.run("article", {runOnly: ["color-contrast", "image-alt"]});
  return violations.flatMap(({nodes}) => nodes.map((node) => node.html));
}"""
WIDER_THAN_THE_WINDOW = """() => [...document.querySelectorAll("article *")]
  .filter((each) => each.getBoundingClientRect().right > innerWidth
    && !each.closest(".table-wrapper, pre"))
  .map((each) => each.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site as CONTRIBUTING.md says, where a warning is an error; return its folder."""
    if find_spec("sphinx") is None or find_spec("furo") is None:
        need("sphinx-build")
    folder = tmp_path_factory.mktemp("site")
    options = ("-W", "--keep-going", "-n", "-q", "-E", "-c", ROOT / "docs")
    done = run_within(300, ROOT, sys.executable, "-m", "sphinx", *options, ROOT, folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def pages_of(site: Path) -> list[Path]:
    return [path for path in sorted(site.rglob("*.html")) if path.name != "genindex.html"]


def test_the_site_has_all_pages(site: Path) -> None:
    """The first page includes the README."""
    sources = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md"), *ROOT.glob("examples/*/*.md")]
    sources.append(RESULTS)
    sources.remove(ROOT / "README.md")
    pages = {path.relative_to(site).with_suffix("") for path in pages_of(site)}

    assert pages - {path.relative_to(ROOT).with_suffix("") for path in sources} == {
        Path("index"),
        Path("search"),
    }
    assert {path.relative_to(ROOT).with_suffix("") for path in sources} <= pages
    assert (site / "index.html").read_text("utf-8").count("docs/index.html") == 2


def test_the_site_refers_to_no_other_host(site: Path) -> None:
    """Apart from links that a reader clicks on."""
    loads = re.compile(
        r"<(?!a\s)[a-z]+\s[^>]*?(?:src|srcset|href|action)=[\"'](?:https?:)?//[^>]*>"
    )
    for path in pages_of(site):
        assert loads.findall(path.read_text("utf-8")) == [], path
    for path in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//.*", path.read_text()) == []


def test_llms_txt_lists_every_page_and_the_full_file_has_their_text(site: Path) -> None:
    listing = (site / "llms.txt").read_text("utf-8")
    links = re.findall(r"^- \[.+?\]\(([^)]+)\): .", listing, re.MULTILINE)
    full = (site / "llms-full.txt").read_text("utf-8")
    sources = {
        f"_sources/{path.relative_to(site).with_suffix('.md.txt')}" for path in pages_of(site)
    }
    ours = {"_sources/docs/index.md.txt", "_sources/index.md.txt", "_sources/search.md.txt"}

    assert listing.startswith("# mockpets\n\n> A stateful mock ")
    assert len(links) == listing.count("\n- ") == len(set(links))
    assert set(links) == sources - ours
    for link in links:
        text = (site / link).read_text("utf-8")
        assert re.findall("^#+ .*", text, re.MULTILINE)[0] in full
    assert not re.search("^<!-- (?:run|file|end)", full, re.MULTILINE)


# --- In a browser -----------------------------------------------------------------------------


@pytest.fixture(params=[(390, "dark"), (1440, "light")], ids=["phone, dark", "desktop, light"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a page that reports each script error, and each request that is not for a file."""
    width, theme = request.param
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=theme)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    result = context.new_page()
    problems: list[str] = []
    result.on("pageerror", lambda error: problems.append(str(error)))
    result.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    result.on(
        "request",
        lambda sent: None if sent.url.startswith(("file:", "data:")) else problems.append(sent.url),
    )
    yield result
    context.close()
    assert problems == []


@pytest.mark.browser
def test_every_page_fits_and_can_be_read(site: Path, page: Page) -> None:
    problems = {}
    for path in pages_of(site):
        if path == site / "index.html":
            continue  # it leads to another page
        page.goto(path.as_uri())
        too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        elements = page.evaluate(WIDER_THAN_THE_WINDOW)
        page.evaluate(AXE)
        if found := [*elements, *page.evaluate(CONTRAST)] or too_wide > 0:
            problems[str(path.relative_to(site))] = found
    assert problems == {}


@pytest.mark.browser
def test_search_copy_and_the_first_page_work_from_a_folder(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    page.wait_for_url("**/docs/index.html")
    page.goto(f"{(site / 'search.html').as_uri()}?q=request log")
    expect(page.locator("#search-results li a").first).to_be_visible()
    page.goto((site / "docs" / "index.html").as_uri())
    block = page.locator("div.highlight-sh", has_text="curl").first
    block.hover()
    block.locator("button.copybtn").click()
    copied = page.evaluate("navigator.clipboard.readText()")

    assert copied == block.locator("pre").inner_text().rstrip("\n")
    assert os.linesep.join(copied.splitlines()).startswith("curl ")


@pytest.mark.browser
def test_tabs_show_one_alternative_at_a_time(site: Path, page: Page) -> None:
    page.goto((site / "docs" / "recipes" / "playwright.html").as_uri())
    tabs = page.locator(".tabs")
    pets, own = tabs.get_by_text("listPets:hold"), tabs.get_by_text("listPatients:hold")
    expect(pets).to_be_visible()
    expect(own).to_be_hidden()

    tabs.get_by_role("radio", name="Pet store").focus()
    page.keyboard.press("ArrowRight")
    expect(own).to_be_visible()
    expect(pets).to_be_hidden()

    tabs.get_by_text("Pet store", exact=True).click()
    expect(pets).to_be_visible()
    expect(own).to_be_hidden()


PHRASES = {
    "start/get-started": ("install",),
    "start/your-own-api": (
        *("swagger", "mock from openapi", "stateful", "my own API", "correct a wrong guess"),
    ),
    "start/write-a-scenario": (
        *("third request fails", "custom scenario", "record requests", "pause request"),
        "HAR replay",
    ),
    "start/concepts": ("parallel tests", "off contract"),
    "start/how-do-i": ("graphql",),
    "reference/shipped-scenarios": (
        *("spinner", "slow response", "empty list", "rate limit", "loading state", "401"),
        *("pagination", "retry", "invalid JSON", "500 error"),
    ),
    "reference/scenario-language": (
        *("slow one endpoint", "own data", "custom endpoint", "echo request body", "crud"),
    ),
    "reference/control-api": ("fake date", "mock time", "AI agent", "MCP"),
    "reference/javascript-client": ("node:test", "JavaScript client"),
    "reference/settings": ("port", "random seed"),
    "reference/request-log": ("verify request", "HAR"),
    "recipes/playwright": ("offline", "yarn pnp", "log in as a user", "several repositories"),
    "recipes/vitest": ("Jest", "fetch is not intercepted"),
    "recipes/cypress": ("cypress", "cy.intercept"),
    "recipes/ci": ("GitHub Actions", "gitlab"),
    "recipes/storybook": ("stories",),
    "recipes/pytest": ("Python tests",),
    "recipes/ssr": ("next.js", "server component"),
    "recipes/vite-and-dev-servers": ("TypeScript types", "login token", "JWT", "vite proxy"),
    "recipes/toolbar": ("share link", "toolbar"),
    "recipes/from-another-tool": ("MSW", "json-server", "prism", "wiremock", "mockoon"),
    "bugs/audit": ("audit", "blank page"),
    "bugs/races": ("race condition", "response order"),
    "bugs/troubleshooting": ("CORS", "port already in use", "wrong response"),
    "bugs/every-state": ("test coverage", "screenshots of all states"),
    "bugs/report": ("double submit",),
    "operate/containers": ("docker compose",),
    "operate/demo": ("public demo",),
    "operate/deploy-and-monitor": ("load balancer", "health check"),
    "operate/save-and-upgrade": ("persist data", "export session"),
}
"""Eighty phrases as users type them, by the page that has the feature."""


@pytest.mark.browser
def test_search_finds_what_users_type(site: Path, browser: Browser) -> None:
    """The page is among the first three results."""
    page = browser.new_page()
    missed = {}
    for path, phrases in PHRASES.items():
        for phrase in phrases:
            page.goto(f"{(site / 'search.html').as_uri()}?q={phrase}")
            done = page.locator("#search-results .search-summary")
            expect(done).to_have_text(re.compile("finished|did not match"))
            links = page.locator("#search-results li a").all()[:3]
            found = [link.get_attribute("href") for link in links]
            if not any(f"docs/{path}.html" in str(link) for link in found):
                missed[phrase] = found
    page.close()

    assert sum(map(len, PHRASES.values())) == 80
    assert missed == {}


def test_how_do_i_links_each_page_that_users_search_for() -> None:
    text = (ROOT / "docs" / "start" / "how-do-i.md").read_text("utf-8")

    assert len(re.findall(r"^- \*\*.+\?\*\*", text, re.MULTILINE)) >= 50
    others = PHRASES.keys() - {"start/how-do-i"}
    assert [path for path in others if path.removeprefix("start/") + ".md" not in text] == []
