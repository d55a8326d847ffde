"""What docs/bugs/troubleshooting.md says about browsers, measured with them and Vite's proxy."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, sync_playwright

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.browsers import chromium, firefox
from tests.docs.page import ROOT
from tests.docs.test_proxies import vite as running_vite
from tests.pages import foreign_page
from tests.programs import certificate

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

KEY: Final = "Bearer mockpets"
FAULTS: Final = [
    ("offline", "fetch fails", "502 with an empty body"),
    ("truncated", "200, reading the body fails", "200, reading the body never ends"),
    ("slow-body", "200, the body arrives slowly", "200, the body arrives slowly"),
    ("broken-json", "200, the body is not valid JSON", "200, the body is not valid JSON"),
]
"""Scenarios, what a page gets directly, and through Vite; test_proxies.py has the page's table."""
SENT_AGAIN: Final = [
    ("GET", "connection_reset", (1, 10)),
    ("GET", "empty_reply", (1, 10)),
    ("GET", "truncated_body", (1, 1)),
    ("POST", "connection_reset", (1, 1)),
]
"""Requests, faults, and how often Chromium and Firefox send the request."""

# --- Browsers and servers ---------------------------------------------------------------------


@contextmanager
def browser(name: str, *arguments: str) -> Iterator[Browser]:
    """Start a browser; only Chromium accepts arguments."""
    with sync_playwright() as playwright:
        instance = firefox(playwright) if name == "Firefox" else chromium(playwright, *arguments)
        yield instance
        instance.close()


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    """On `localhost`, whose name matters to browsers."""
    with MockpetsServer(Settings(port=0)) as running:
        yield running


@pytest.fixture(scope="module")
def vite(server: MockpetsServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start Vite with a proxy to the mock; return its URL."""
    proxy = f'export default {{server: {{proxy: {{"^/(v1|~)": "{server.url}"}}}}}};'
    with running_vite(tmp_path_factory.mktemp("vite"), proxy) as url:
        yield url


# --- Dev-server proxies -----------------------------------------------------------------------

READ = """async ([url, key]) => {
  const start = performance.now(), headers = {Authorization: key};
  let response;
  try { response = await fetch(url, {headers}); } catch { return {fails: true}; }
  const seconds = (performance.now() - start) / 1000;
  const result = {status: response.status, seconds, pieces: 0, text: ""};
  const reader = response.body.getReader(), decoder = new TextDecoder();
  const late = new Promise((resolve) => setTimeout(resolve, 5000, {late: true}));
  try {
    for (;;) {
      const {late: isLate, done, value} = await Promise.race([reader.read(), late]);
      if (isLate) { result.end = "never"; break; }
      if (done) { result.end = "complete"; break; }
      result.pieces++;
      result.text += decoder.decode(value, {stream: true});
    }
  } catch { result.end = "fails"; }
  try { JSON.parse(result.text); result.valid = true; } catch { result.valid = false; }
  return result;
}"""


def describe(read: dict[str, Any]) -> str:
    """Return what a page got, in the words of the table."""
    if read.get("fails"):
        return "fetch fails"
    status = read["status"]
    if read["end"] != "complete":
        verb = "never ends" if read["end"] == "never" else "fails"
        return f"{status}, reading the body {verb}"
    if not read["text"]:
        return f"{status} with an empty body"
    if not read["valid"]:
        return f"{status}, the body is not valid JSON"
    if read["seconds"] >= 1.9:
        return f"{status} after 2 seconds"
    return f"{status}, the body arrives slowly" if read["pieces"] > 3 else str(status)


@pytest.mark.parametrize("name", ["Chromium", "Firefox"])
def test_what_a_page_gets_directly_and_through_vite(
    server: MockpetsServer, vite: str, name: str
) -> None:
    measured = []
    with browser(name) as instance:
        page = instance.new_page()
        page.goto(vite)
        for scenario, *_ in FAULTS:
            cells = [scenario]
            for way, origin in (("direct", server.url), ("vite", "")):
                session = f"{name.lower()}-{scenario}-{way}"
                client = ControlClient(server.url, session)
                client.use(scenario)
                url = f"{origin}/~{session}/v1/pets"
                cells.append(describe(page.evaluate(READ, [url, KEY])))
            measured.append(tuple(cells))
    assert measured == FAULTS


# --- Requests that browsers send again --------------------------------------------------------

SEND = """async ([url, key, method]) => {
  const init = {method, headers: {Authorization: key}};
  if (method === "POST") {
    init.headers["Content-Type"] = "application/json";
    init.body = '{"name": "Miso", "categoryId": 2}';
  }
  try { await (await fetch(url, init)).text(); return "complete"; } catch { return "fails"; }
}"""


@pytest.mark.parametrize("name", ["Chromium", "Firefox"])
def test_the_requests_that_a_browser_sends_again(server: MockpetsServer, name: str) -> None:
    measured = []
    with foreign_page() as port, browser(name) as instance:
        page = instance.new_page()
        page.goto(f"http://127.0.0.1:{port}")
        for number, (method, fault, *_) in enumerate(SENT_AGAIN):
            client = ControlClient(server.url, f"again-{name.lower()}-{number}")
            client.use({"description": "Broken.", "stubs": [{"fault": fault}]})
            assert page.evaluate(SEND, [f"{client.base_url}/pets", KEY, method]) == "fails"
            measured.append(len(client.requests()))
    assert measured == [counts[name == "Firefox"] for _, _, counts in SENT_AGAIN]
    text = " ".join((ROOT / "docs/bugs/troubleshooting.md").read_text("utf-8").split())
    assert "Firefox sends a GET ten times. Chromium sends it once; both send a POST once." in text


# --- Requests that browsers block -------------------------------------------------------------


def load(instance: Browser, page_url: str, url: str, *permissions: str) -> tuple[str, str]:
    """Return what a page gets from a URL, and what the console shows."""
    context = instance.new_context(ignore_https_errors=True)
    if permissions:
        context.grant_permissions([*permissions])
    page = context.new_page()
    console: list[str] = []
    page.on("console", lambda message: console.append(message.text))
    page.goto(page_url)
    result = page.evaluate(SEND, [url, KEY, "GET"])
    page.evaluate("0")  # events of the console arrive before this result
    context.close()
    return str(result), " ".join(console)


@pytest.mark.tool  # openssl
def test_chromium_blocks_what_the_page_says(server: MockpetsServer, tmp_path: Path) -> None:
    local = f"{server.url}/v1/pets"
    # A name whose address is of this machine, but which is not a name of loopback.
    elsewhere = local.replace("localhost", "server.test")
    names = "--host-resolver-rules=MAP *.test 127.0.0.1"
    with foreign_page() as plain, foreign_page(certificate=certificate(tmp_path)) as secure:
        http, https = f"http://127.0.0.1:{plain}", f"https://127.0.0.1:{secure}"
        with browser("Chromium", names) as instance:
            assert load(instance, http, local) == ("complete", "")
            assert load(instance, https, local) == ("complete", "")
            result, console = load(instance, https, elsewhere)
            assert result == "fails"
            assert "requested an insecure resource" in console
        preview, insecure = f"https://preview.test:{secure}", f"http://preview.test:{plain}"
        public = f"--ip-address-space-overrides=127.0.0.1:{plain}=public,127.0.0.1:{secure}=public"
        with browser("Chromium", names, public) as instance:
            result, console = load(instance, preview, local)
            assert result == "fails"
            assert "Permission was denied for this request to access" in console
            result, console = load(instance, insecure, local)
            assert result == "fails"
            assert "not a secure context" in console
            assert load(instance, preview, local, "local-network-access") == ("complete", "")
            result, console = load(instance, preview, elsewhere, "local-network-access")
            assert result == "fails"
            assert "requested an insecure resource" in console
        off = "--disable-features=LocalNetworkAccessChecks"
        with browser("Chromium", names, public, off) as instance:
            assert load(instance, preview, local) == ("complete", "")
