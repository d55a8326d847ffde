"""The page that `start/get-started.md` shows works in a browser, on an origin of its own."""

import pytest
from playwright.sync_api import Browser, expect

from mockpets import MockpetsServer, Settings
from tests.docs.page import ROOT, blocks
from tests.pages import foreign_page

PAGE = ROOT / "docs" / "start" / "get-started.md"


@pytest.mark.browser
def test_the_page_reads_the_sunset_header(browser: Browser) -> None:
    [text] = [block.text for block in blocks(PAGE) if block.argument == "index.html"]
    shown = "Buster; this operation ends on Thu, 05 Dec 2030 00:00:00 GMT"
    assert shown in PAGE.read_text(encoding="utf-8")
    with (
        MockpetsServer(Settings(port=0)) as server,
        foreign_page(text.replace("http://localhost:7387", server.url)) as port,
        browser.new_context() as context,
    ):
        page = context.new_page()
        page.goto(f"http://localhost:{port}")
        expect(page.locator("p")).to_have_text(shown)
