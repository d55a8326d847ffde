"""The page that `start/get-started.md` shows works in a browser, on an origin of its own."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from mockpets import MockpetsServer, Settings
from tests.docs.page import ROOT, blocks
from tests.kit.project import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGE = ROOT / "docs" / "start" / "get-started.md"


class App(BaseHTTPRequestHandler):
    """A server of one page."""

    page = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.page.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.browser
def test_the_page_reads_the_sunset_header(browser: Browser) -> None:
    [text] = [block.text for block in blocks(PAGE) if block.argument == "index.html"]
    with MockpetsServer(Settings(port=0)) as server, browser.new_context() as context:
        app = type("_App", (App,), {"page": text.replace("http://localhost:7387", server.url)})
        with serving(app) as url:
            page = context.new_page()
            page.goto(url)
            shown = "Buster; this operation ends on Thu, 05 Dec 2030 00:00:00 GMT"
            expect(page.locator("p")).to_have_text(shown)
            assert shown in PAGE.read_text(encoding="utf-8")
