"""The browser that all tests of a worker share; a start takes seconds.

The browser is the headless shell of Chromium, which takes half the time of `chromium --headless`.
With ``TEST_BROWSER=firefox``, it is an unmodified Firefox over WebDriver BiDi.
"""

import asyncio
import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.programs import need

FIREFOX = os.environ.get("TEST_BROWSER") == "firefox"


def chromium(playwright: Playwright, *arguments: str) -> Browser:
    return playwright.chromium.launch(
        executable_path=need("chromium-headless-shell"),
        args=["--no-sandbox", "--no-proxy-server", *arguments],
    )


def firefox(playwright: Playwright) -> Browser:
    return playwright.firefox.launch(
        channel="moz-firefox",  # WebDriver BiDi works without Playwright's patched build
        executable_path=need("firefox-esr"),
        firefox_user_prefs={"network.dns.localDomains": "evil.test", "network.proxy.type": 0},
    )


@pytest.fixture(scope="session")
def _shared_browser() -> Iterator[tuple[Browser, asyncio.AbstractEventLoop]]:
    """Start the browser; yield it with the event loop of Playwright, which stays a running one."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        local = "--host-resolver-rules=MAP evil.test 127.0.0.1"
        browser = firefox(playwright) if FIREFOX else chromium(playwright, local)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser, loop
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(_shared_browser: tuple[Browser, asyncio.AbstractEventLoop]) -> Iterator[Browser]:
    """Return the browser of the worker; open a new context or page in each test, and close it.

    The event loop is a running one for this test only: other tests start loops of their own.
    """
    browser, loop = _shared_browser
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)
