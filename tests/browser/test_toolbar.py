"""The toolbar in an app on another origin: every function by keyboard, links, strict pages."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from mockpets import MockpetsServer, Settings
from mockpets.constants import PROTOCOL
from mockpets.packaged_data import shipped
from tests.browser.test_looks import AXE, CHECK, RULES
from tests.browsers import FIREFOX
from tests.docs.page import ROOT, blocks
from tests.docs.test_proxies import vite
from tests.http_client import Client, OverSocket
from tests.pages import foreign_page
from tests.programs import need, need_packages, run

PAGE = """<!doctype html><html lang="en"{html}><meta charset="utf-8"><title>App</title>{policy}
<meta name="viewport" content="width=device-width">
<main><h1>App</h1><button id="load">Load</button><p id="out"></p></main>
<script type="module" nonce="n" src="{url}/__mockpets/toolbar.js"></script>
<script type="module" nonce="n">
const load = async (path = "pets?limit=2") => {{
  const headers = {{ Authorization: "Bearer mockpets" }};
  out.textContent = "loading";
  try {{
    const options = {{ headers, credentials: "include" }};
    const response = await fetch(`{url}/v1/${{path}}`, options);
    const value = await response.json();
    out.textContent = `${{response.status}} ${{value.length ?? value.code ?? value.id}}`;
  }} catch (error) {{
    out.textContent = "failed";
  }}
}};
document.querySelector("#load").onclick = () => load();
addEventListener("keydown", ({{ key }}) => (document.title += key));
{more}
window.loadPath = load;
load();
</script>"""
POLICY = '<meta http-equiv="Content-Security-Policy" content="{}">'
PAGE_OF_DOCS = ROOT / "docs" / "recipes" / "toolbar.md"
STRICT = "default-src 'self'; script-src 'nonce-n' {url}; connect-src 'self' {url}"
WORKER = """
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
"""
REGISTER = """
await navigator.serviceWorker.register("/worker.js");
if (!navigator.serviceWorker.controller)
  await new Promise((resolve) => (navigator.serviceWorker.oncontrollerchange = resolve));
"""
HOOK = 'addEventListener("mockpets", (event) => { event.preventDefault(); load(); });'
OPEN = """
const { attachShadow } = Element.prototype;
Element.prototype.attachShadow = function () { return attachShadow.call(this, { mode: "open" }); };
"""
"""Its controls are hidden from locators, but not from ours."""
DIRECTION = """
(name) => {
  const root = document.querySelector("mockpets-toolbar").shadowRoot;
  const [here, target] = [root.activeElement, root.getElementById(name)];
  if (here === target) return "";
  if (here === null) throw new Error(`the focus left the toolbar on the way to ${name}`);
  const before = here.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING;
  return before ? "Shift+Tab" : "Tab";
}
"""


LONG = pytest.mark.long


class App:
    """An app with the toolbar, used with the keyboard only."""

    def __init__(self, page: Page, origin: str, server: MockpetsServer) -> None:
        self.page, self.origin, self.server = page, origin, server
        self.control = Client(OverSocket(server.url))
        self.out, self.pill = page.locator("#out"), page.locator("#pill")
        page.add_init_script(OPEN)
        self.warnings: list[str] = []
        self.errors: list[str] = []
        page.on("console", lambda message: self.warnings.append(message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def visit(self, query: str = "") -> None:
        self.page.goto(f"{self.origin}/{query}")

    def open(self) -> None:
        expect(self.pill).to_be_visible()
        self.page.keyboard.press("Alt+m")
        self.reaches("add")

    def reaches(self, name: str) -> None:
        expect(self.page.locator(f"[id='{name}']")).to_be_focused()

    def press(self, name: str, key: str = "Enter") -> None:
        """Reach a control with Tab and press a key."""
        expect(self.page.locator(f"[id='{name}']")).to_be_enabled()
        while direction := self.page.evaluate(DIRECTION, name):
            self.page.keyboard.press(direction)
        self.page.keyboard.press(key)

    def active(self) -> list[str]:
        return self.control("GET", "/__mockpets/scenarios").json["active"]  # type: ignore[no-any-return]  # JSON

    def axe(self) -> list[str]:
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE)
        return self.page.evaluate(CHECK, RULES)  # type: ignore[no-any-return]  # JSON


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0)) as running:
        yield running


@contextmanager
def app(
    browser: Browser,
    server: MockpetsServer,
    policy: str = "",
    more: str = "",
    query: str = "",
    html: str = "",
    **options: object,
) -> Iterator[App]:
    policy = policy.format(url=server.url)
    text = PAGE.format(policy=policy, url=server.url, more=more, html=html)
    context: BrowserContext = browser.new_context(**options)  # type: ignore[arg-type]  # passed through
    context.set_default_timeout(20_000)
    with foreign_page(text, {"/worker.js": WORKER}) as port, context:
        opened = App(context.new_page(), f"http://localhost:{port}", server)
        opened.visit(query)
        yield opened
        # Firefox also reports what the policy blocks.
        assert [text for text in opened.errors if "settings blocked" not in text] == []


@pytest.mark.parametrize(("policy", "more"), [
    pytest.param(POLICY.format(STRICT), HOOK, id="strict policy"),
    pytest.param("", HOOK, id="plain", marks=LONG),
    pytest.param("", REGISTER + HOOK, id="service worker", marks=LONG),
])  # fmt: skip
def test_every_function_by_keyboard(
    browser: Browser, server: MockpetsServer, policy: str, more: str
) -> None:
    with app(browser, server, policy, more) as one:
        page = one.page
        expect(one.out).to_have_text("200 2")
        page.locator("#load").focus()
        one.open()

        # Switch and stack: the first takes precedence.
        page.keyboard.type("empt")
        page.keyboard.press("Enter")
        expect(one.out).to_have_text("200 0")
        page.keyboard.type("503")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(one.out).to_have_text("503 maintenance")
        expect(one.pill).to_contain_text("maintenance + empty")
        assert one.active() == ["maintenance", "empty"]
        one.press("remove-maintenance")
        expect(one.out).to_have_text("200 0")
        one.press("add", "r")
        page.keyboard.type("etry")
        page.keyboard.press("Control+Enter")
        expect(one.out).to_have_text("503 service_unavailable")
        assert one.active() == ["retry"]
        assert "e" not in page.title()[3:]  # the app's own keys did not fire

        # Why, in one sentence.
        row = page.get_by_role("button", name="fail-twice").first
        row.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_text("stub retry/fail-twice responds with 503")).to_be_visible()

        # Delay for all, and reset with undo.
        one.press("delay-300ms")
        expect(page.locator("#delay-300ms")).to_have_attribute("aria-pressed", "true")
        assert one.active() == ["mockpets-toolbar", "retry"]
        one.press("reset")
        expect(page.get_by_text("Session reset")).to_be_visible()
        one.press("undo")
        expect(page.get_by_text("Session reset")).to_be_hidden()
        log = one.control("GET", "/__mockpets/requests").json["requests"]
        assert log[0]["number"] == 1
        one.press("delay-")
        expect(page.locator("#delay-")).to_have_attribute("aria-pressed", "true")
        assert one.active() == ["retry"]

        # Leave and return, also from the field.
        page.keyboard.press("Escape")
        expect(page.locator("#panel")).to_be_hidden()
        expect(page.locator("#load")).to_be_focused()
        one.open()
        page.keyboard.press("Escape")
        expect(page.locator("#panel")).to_be_hidden()
        expect(page.locator("#load")).to_be_focused()


RESPONSES = {
    "Real 200": "200 2",
    "401": "401 unauthorized",
    "404": "404 pet_not_found",
    "500": "500 internal_server_error",
    "Empty": "200 0",
    "Broken": "failed",
}


def test_ask_before_each_response(browser: Browser, server: MockpetsServer) -> None:
    with app(browser, server) as one:
        page = one.page
        expect(one.out).to_have_text("200 2")
        one.open()
        one.press("ask", "Space")
        expect(page.get_by_role("switch", name="Ask before each response")).to_be_checked()
        for name, text in RESPONSES.items():
            page.evaluate("load.click()")
            responses = page.get_by_role("group", name="Respond with")
            response = responses.get_by_role("button", name=name, exact=True)
            expect(one.pill).to_contain_text("1 held")
            response.focus()
            page.keyboard.press("Enter")
            expect(one.out).to_have_text(text)
            expect(one.pill).not_to_contain_text("held")
        page.evaluate("load.click()")
        page.get_by_role("button", name="Slow").focus()
        page.keyboard.press("Enter")
        expect(one.pill).not_to_contain_text("held")
        [waiting] = one.control("GET", "/__mockpets/held").json["held"]
        assert (waiting["waits"], waiting["delay_ms"]) == ("delayed", 3000)

        # Only listPets can respond with a page; off releases what is still held.
        page.evaluate("void loadPath('pets/3')")
        expect(page.get_by_role("button", name="Empty", exact=True)).to_be_disabled()
        one.press("ask", "Space")
        expect(one.out).to_have_text("200 3")
        assert one.active() == ["default"]


def test_the_states_of_what_the_page_called(browser: Browser, server: MockpetsServer) -> None:
    with app(browser, server, more=HOOK) as one:
        page = one.page
        expect(one.out).to_have_text("200 2")
        one.open()
        called = page.locator(".states")
        expect(called).to_have_count(1)
        expect(called).to_have_accessible_name("listPets")
        one.press("listPets:500")
        expect(one.out).to_have_text("500 internal_server_error")
        expect(one.pill).to_contain_text("listPets:500")
        one.reaches("listPets:500")
        one.press("listPets:empty")
        expect(one.out).to_have_text("200 0")
        one.press("listPets:hold")
        expect(page.locator("#panel li.waits")).to_contain_text("held")
        assert one.active() == ["listPets:hold", "listPets:empty"]
        on = called.locator("[aria-pressed=true]")
        expect(on).to_have_text(["empty", "hold"])
        assert one.axe() == []
        page.get_by_role("button", name="Release request").click()
        expect(one.out).to_have_text("200 0")
        one.press("listPets:hold")
        expect(on).to_have_text(["empty"])
        one.press("more-listPets")
        one.press("listPets:malformed_json")
        expect(one.out).to_have_text("failed")
        assert one.active() == ["listPets:malformed_json"]
        one.press("more-listPets")
        one.press("listPets:malformed_json")
        expect(one.out).to_have_text("200 2")
        assert one.active() == ["default"]
        page.evaluate("void loadPath('pets/3')")
        expect(called.last).to_have_accessible_name("getPet")
        expect(called.last.get_by_role("button")).to_have_text(
            ["200", "401", "404", "500", "3s", "hold", "offline", "…"]
        )


def test_a_switch_of_a_state_reloads_and_a_link_carries_it(
    browser: Browser, server: MockpetsServer
) -> None:
    with app(browser, server) as one:
        expect(one.out).to_have_text("200 2")
        one.open()
        one.press("more-listPets")
        one.press("listPets:429")
        expect(one.out).to_have_text("429 too_many_requests")
        one.reaches("listPets:429")  # after the page was loaded again
        one.press("listPets:429")
        expect(one.out).to_have_text("200 2")

        one.visit("?mockpets=demo%2Blistpets%3A503")
        expect(one.out).to_have_text("503 service_unavailable")
        expect(one.pill).to_contain_text("demo · listpets:503")
        one.visit("?mockpets=demo%2Blistpts%3A503")
        message = "unknown operation 'listpts' in 'listpts:503'; did you mean 'listPets'?"
        expect(one.page.locator("#panel").get_by_role("alert")).to_have_text(message)
        expect(one.pill).to_contain_text("demo · default")


def test_a_click_on_a_label_changes_its_switch_and_a_note_disappears(
    browser: Browser, server: MockpetsServer
) -> None:
    with app(browser, server) as one:
        page = one.page
        page.clock.install()
        one.visit()
        one.open()
        page.get_by_text("Ask before each response").click()
        expect(page.get_by_role("switch", name="Ask before each response")).to_be_checked()
        page.evaluate("navigator.clipboard.writeText = async () => {}")
        page.get_by_role("button", name="Copy link").click()
        expect(page.locator("#panel").get_by_text("Link copied")).to_be_visible()
        page.clock.fast_forward(5_000)
        expect(page.get_by_text("Link copied")).to_have_count(0)


def test_it_releases_the_responses_held_at_a_gate_and_keeps_a_document(
    browser: Browser, server: MockpetsServer
) -> None:
    """Such as that of a test, which has no name by which it could be activated again."""
    url = server.url
    stub = {"name": "pay", "hold": "cart", "reply": {"error": "unauthorized"}}
    document = {"description": "A gate.", "stubs": [stub]}
    with app(browser, server) as one:
        expect(one.out).to_have_text("200 2")
        one.control("PUT", "/__mockpets/scenario", json_body={"scenario": document})
        one.page.evaluate("load.click()")
        one.open()
        row = one.page.locator("#panel li.waits")
        expect(row).to_contain_text("held401")
        one.press("release-2")
        expect(one.out).to_have_text("401 unauthorized")
        expect(row).to_have_count(0)
        one.press("ask", "Space")
        expect(one.page.get_by_role("switch")).to_be_checked()
        assert one.active() == ["mockpets-toolbar", "inline-1"]
        one.page.evaluate("load.click()")
        one.page.get_by_role("button", name="Real 401").click()
        expect(one.out).to_have_text("401 unauthorized")

        server.stop()
        expect(one.page.locator("mockpets-toolbar")).to_have_count(0)
        [line] = [text for text in one.warnings if text.startswith("mockpets:")]
        assert line == f"mockpets: the toolbar is off: {url} no longer responds"
        one.errors.clear()  # Firefox reports what it cannot reach


@pytest.mark.parametrize("hook", ["", pytest.param(HOOK, marks=LONG)], ids=["reload", "hook"])
def test_a_link_sets_the_cookie_and_leaves_the_address(
    browser: Browser, server: MockpetsServer, hook: str
) -> None:
    query = "list?tab=1&mockpets=demo%2Bempty#top"
    with app(browser, server, more=hook, query=query) as one:
        expect(one.out).to_have_text("200 0")
        expect(one.pill).to_contain_text("demo · empty")
        demo = {"Mockpets-Session": "demo"}
        assert one.control("GET", "/__mockpets/requests", headers=demo).json["total"] == 1
        assert one.page.url == f"{one.origin}/list?tab=1#top"
        [cookie] = one.page.context.cookies()
        assert (cookie["name"], cookie["value"], cookie["path"]) == (
            "mockpets",
            "demo%2Bempty",
            "/",
        )

        # "Copy link" returns the same state; a switch then belongs to the session.
        one.page.evaluate("navigator.clipboard.writeText = async (text) => (window.copied = text)")
        one.open()
        one.press("link")
        expect(one.page.locator("#panel").get_by_text("Link copied")).to_be_visible()
        copied = one.page.evaluate("copied")
        assert copied == f"{one.origin}/list?tab=1&mockpets=demo%2Bempty#top"
        with one.page.context.expect_page() as panel:
            one.press("open")
        panel.value.wait_for_url(f"{server.url}/~demo/__mockpets/*")
        panel.value.close()
        one.press("remove-empty")
        expect(one.out).to_have_text("200 2")
        expect(one.pill).to_contain_text("demo · default")
        assert [each["value"] for each in one.page.context.cookies()] == ["demo"]

        one.visit("?mockpets=%2Bemtpy")
        problem = "unknown scenario 'emtpy'; did you mean 'empty'?"
        expect(one.page.get_by_role("alert")).to_have_text(problem)
        assert "%2B" not in "".join(each["value"] for each in one.page.context.cookies())


MODULE = '<script type="module" src="{url}/__mockpets/toolbar.js"></script>'
LOAD = """<script>
const headers = {{ Authorization: "Bearer mockpets" }};
const load = async (more) =>
  (await fetch("{url}/v1/pets?limit=2", {{ headers, ...more }})).json();
</script>"""
CALL = '<script type="module">load({{ {more} }});</script>'
STRICT_MODE = """<script type="module">
const first = new AbortController();
load({{ credentials: "include", signal: first.signal }}).catch(() => {{}});
setTimeout(() => first.abort());
</script>"""
"""As in React's StrictMode, which runs an effect, its cleanup, and the effect again."""
LATE_TOOLBAR = """<script>
addEventListener("mockpets", (event) => event.preventDefault());
load().then(() => import("{url}/__mockpets/toolbar.js"));
</script>"""
CREDENTIALS = "credentials: 'include'"
CHECKED = "**/requests?limit=*"
NOTES = Path(__file__).parents[1] / "kit" / "notes.yaml"
ADVICE = 'Add this to their options: credentials: "include" (axios: withCredentials: true)'


@contextmanager
def linked_app(browser: Browser, server: MockpetsServer, text: str) -> Iterator[App]:
    with foreign_page("<!doctype html><body>" + text) as port, browser.new_context() as context:
        one = App(context.new_page(), f"http://localhost:{port}", server)
        yield one
        assert one.errors == []


@pytest.mark.parametrize("names", ["demo", "+unauthorized"])
@pytest.mark.parametrize("more", ["", CREDENTIALS], ids=["no credentials", "credentials"])
def test_it_says_why_a_link_has_no_effect(
    browser: Browser, server: MockpetsServer, names: str, more: str
) -> None:
    text = (MODULE + LOAD + CALL).format(url=server.url, more=more)
    with linked_app(browser, server, text) as one:
        with one.page.expect_response(CHECKED):
            one.visit(f"?mockpets={names.replace('+', '%2B')}")
        one.open()
        expect(one.page.locator("#panel").get_by_text(ADVICE)).to_have_count(0 if more else 1)
        expect(one.pill.get_by_text("not sent")).to_have_count(0 if more else 1)
        # A switch then belongs to the session `default`, in which are the requests of this page.
        if not more and names != "demo":
            one.page.evaluate("addEventListener('mockpets', (event) => event.preventDefault())")
            one.press("remove-unauthorized")
            expect(one.pill).not_to_contain_text("not sent")


def test_the_requests_of_each_contract_also_at_the_root(browser: Browser) -> None:
    settings = Settings(port=0, contract=(f"/={NOTES}", "pet-store"))
    with MockpetsServer(settings) as server, app(browser, server, more=HOOK) as one:
        page, fetch = one.page, "(path) => void fetch(path).then(({ status }) => title = status)"
        expect(one.out).to_have_text("200 2")
        one.open()
        one.press("ask", "Space")
        expect(page.get_by_role("switch")).to_be_checked()
        page.evaluate(fetch.replace("title", "document.title"), f"{server.url}/notes/1")
        expect(page.get_by_role("status")).to_have_text("Choose the response to GET /notes/1")
        expect(page.get_by_role("button", name="Empty", exact=True)).to_be_disabled()
        page.get_by_role("group", name="Respond with").get_by_role("button", name="404").click()
        expect(page).to_have_title("404")
        expect(page.get_by_title("GET /notes/1")).to_contain_text("/notes/1")
        expect(page.locator(".states")).to_have_count(2)
        expect(page.get_by_title("GET /v1/pets?limit=2")).to_contain_text("GET/pets?limit=2")


def test_it_says_why_a_link_has_no_effect_with_a_contract_at_the_root(browser: Browser) -> None:
    text = MODULE + "<script type=module>(await fetch('{url}/notes')).text();</script>"
    with (
        MockpetsServer(Settings(port=0, contract=(f"/={NOTES}",))) as server,
        linked_app(browser, server, text.format(url=server.url)) as one,
    ):
        one.visit("?mockpets=demo")
        expect(one.pill).to_contain_text("not sent")


@pytest.mark.parametrize("first", [STRICT_MODE, LATE_TOOLBAR], ids=["aborted", "before the link"])
def test_a_request_that_could_not_have_the_state_of_the_link_is_no_reason_to_warn(
    browser: Browser, server: MockpetsServer, first: str
) -> None:
    toolbar = MODULE if first == STRICT_MODE else ""
    text = (toolbar + LOAD + first).format(url=server.url)
    with linked_app(browser, server, text) as one:
        with one.page.expect_response(CHECKED):
            one.visit("?mockpets=demo%2Bempty")
            expect(one.pill).to_contain_text("demo · empty")
            one.page.evaluate("load({ credentials: 'include' })")
        one.open()
        expect(one.pill).not_to_contain_text("not sent")
        assert [text for text in one.warnings if "credentials" in text] == []


NO_CONNECT = POLICY.format("default-src 'self'; script-src 'nonce-n' {url}; connect-src 'self'")
NO_SERVER = " data-mockpets-url='http://localhost:9'"


@pytest.mark.parametrize(("policy", "html", "query", "reason"), [
    (NO_CONNECT, "", "", "connect-src of the page's Content-Security-Policy lacks {url}; add it,"),
    ("", NO_SERVER, "", "cannot connect to http://localhost:9; is mockpets running there, and"),
    ("", "", "?mockpets=-no-", "invalid session name '-no-'"),
], ids=["policy", "no server", "invalid session"])  # fmt: skip
def test_the_toolbar_removes_itself_with_one_line(
    browser: Browser, server: MockpetsServer, policy: str, html: str, query: str, reason: str
) -> None:
    with app(browser, server, policy, query=query, html=html) as one:
        expect(one.page.locator("mockpets-toolbar")).to_have_count(0)
        [line] = [text for text in one.warnings if text.startswith("mockpets:")]
        assert line.startswith(f"mockpets: the toolbar is off: {reason.format(url=server.url)}")
        assert one.page.context.cookies() == []


def test_it_leaves_a_server_with_another_protocol(browser: Browser, server: MockpetsServer) -> None:
    """The page may call the server, so its options are not the reason."""

    def answer(route: Route) -> None:
        response = route.fetch()
        other = {"version": "9.0", "protocol": PROTOCOL + 1}
        route.fulfill(response=response, json=response.json() | other)

    with app(browser, server) as one:
        expect(one.pill).to_be_visible()
        one.page.route("**/__mockpets/state", answer)
        one.visit()
        expect(one.page.locator("mockpets-toolbar")).to_have_count(0)
        [line] = [text for text in one.warnings if text.startswith("mockpets:")]
        reason = f"{server.url} is mockpets 9.0, and this toolbar is for another version"
        assert line == f"mockpets: the toolbar is off: {reason}; update the older one"


@pytest.mark.parametrize("address", [
    *("data:application/json,{}#", "blob:http://localhost/1", "file:///tmp", "javascript:0"),
    *("ftp://localhost", "http://[", "http://ann:s3cret@localhost:9", "http://ann@localhost:9"),
])  # fmt: skip
def test_an_address_that_is_not_a_plain_http_url_is_rejected(
    browser: Browser, server: MockpetsServer, address: str
) -> None:
    with app(browser, server, html=f" data-mockpets-url='{address}'") as one:
        requested: list[str] = []
        one.page.on("request", lambda request: requested.append(request.url))
        one.visit()
        expect(one.out).to_have_text("200 2")
        message = "data-mockpets-url of <html> must be an http or https URL without a user name"
        lines = [text for text in one.warnings if text.startswith("mockpets:")]
        assert lines[-1].startswith(f"mockpets: the toolbar is off: {message}, such as http://")
        assert one.errors == []
        assert "s3cret" not in str(one.warnings)
        assert [url for url in requested if not url.startswith((one.origin, server.url))] == []


def test_only_the_html_element_names_another_server(
    browser: Browser, server: MockpetsServer
) -> None:
    """Any other could be in a text of a visitor, whose attributes a sanitizer lets through."""
    with app(browser, server, f"<p{NO_SERVER}></p>") as one:
        one.open()
        one.page.keyboard.type("empt")
        one.page.keyboard.press("Enter")
        expect(one.out).to_have_text("200 0")


def test_an_object_that_a_server_sends_is_shown_as_text(
    browser: Browser, server: MockpetsServer
) -> None:
    script = "<script>parent.document.title = 'changed'</script>"
    element = {"tag": "iframe", "properties": {"srcdoc": script}, "children": []}
    held = {"gate": "toolbar", "waits": "held", "request": 1, "method": element, "status": 200}
    more = {"target": "/v1/x", "waited_ms": 1, "operation": "listPets", "session": "default"}

    def answer(route: Route) -> None:
        route.fulfill(json={"held": [held | more]}, headers={"Access-Control-Allow-Origin": "*"})

    with app(browser, server) as one:
        one.page.route("**/__mockpets/held", answer)
        one.open()
        expect(one.page.get_by_text("[object Object]").first).to_be_visible()
        assert one.page.locator("iframe").count() == 0
        assert one.page.title() != "changed"


def test_an_invalid_file_does_not_stop_the_search(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "zz-own.yaml").write_text("description: d\nstubs: [{reply: {status: 503}}]\n")
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        (tmp_path / "zz-broken.yaml").write_text("description: null\n")
        control = Client(OverSocket(server.url))
        deadline = monotonic() + 20
        while "zz-broken" not in control("GET", "/__mockpets/scenarios").body.decode():
            assert monotonic() < deadline
            sleep(0.05)
        with app(browser, server) as one:
            one.open()
            one.page.keyboard.type("zz-")
            expect(one.page.get_by_role("option")).to_have_count(2)
            expect(one.page.get_by_role("option", name="zz-broken")).to_contain_text("description")
            one.page.keyboard.type("own")
            one.page.keyboard.press("Enter")
            expect(one.out).to_have_text("503 service_unavailable")


@pytest.mark.parametrize(("settings", "host", "served", "option"), [
    pytest.param({"control_token": "a-token-of-the-tests"}, "localhost", True, "--control open",
        id="a token is needed"),
    pytest.param({}, "evil.test", False, "--control-origin {origin}", id="another origin"),
])  # fmt: skip
def test_the_pill_names_the_option_if_the_page_may_not_call(
    browser: Browser, settings: dict[str, str], host: str, served: bool, option: str
) -> None:
    with MockpetsServer(Settings(port=0, **settings)) as server, ExitStack() as stack:  # type: ignore[arg-type]  # a test's own settings
        script = (ROOT / "kit" / "toolbar.js").read_text(encoding="utf-8")
        url = f"{server.url}/__mockpets/toolbar.js" if served else "/toolbar.js"
        text = f"<!doctype html><html data-mockpets-url={server.url}><body>"
        text += f'<script type="module" src="{url}"></script>'
        port = stack.enter_context(foreign_page(text, {"/toolbar.js": script}))
        context = stack.enter_context(browser.new_context())
        one = App(context.new_page(), f"http://{host}:{port}", server)
        one.visit("?mockpets=demo%2Bempty")

        reason = f"Toolbar off; links may have no effect: {server.url} rejects this page. "
        reason += "Start it with " + option.format(origin=one.origin)
        expect(one.pill).to_have_text(reason)
        assert f"mockpets: {reason}" in one.warnings


def test_it_is_accessible_fits_a_phone_and_remembers_its_corner(
    browser: Browser, server: MockpetsServer
) -> None:
    size = {"width": 390, "height": 844}
    scheme = {} if FIREFOX else {"color_scheme": "dark"}  # Firefox cannot emulate it
    with app(browser, server, viewport=size, **scheme) as one:
        assert one.axe() == []
        one.open()
        one.press("ask", "Space")
        expect(one.page.get_by_role("switch")).to_be_checked()
        one.page.evaluate("load.click()")
        expect(one.page.get_by_role("button", name="Real 200")).to_be_visible()
        one.page.keyboard.press("Tab")
        one.page.locator("#add").focus()
        one.page.keyboard.press("ArrowDown")
        assert one.axe() == []
        box = one.page.locator("#panel").bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
        one.page.keyboard.press("Escape")
        one.press("pill", "ArrowUp")
        one.page.keyboard.press("ArrowLeft")
        one.page.reload()
        box = one.pill.bounding_box()
        assert box is not None and box["x"] < 100 and box["y"] < 100
        expect(one.page.locator("#panel")).to_be_visible()  # as before the reload
        one.page.get_by_role("button", name="Close").click()
        one.pill.hover()
        one.page.mouse.down()
        one.page.mouse.move(380, 800, steps=5)
        one.page.mouse.up()
        expect(one.page.locator("#panel")).to_be_hidden()  # a click would open it
        one.visit()
        box = one.pill.bounding_box()
        assert box is not None
        assert (390 - box["x"] - box["width"], 844 - box["y"] - box["height"]) == (16, 16)
        one.pill.click()
        expect(one.page.locator("#panel")).to_be_visible()


def test_the_bar_of_the_documentation_works(browser: Browser, server: MockpetsServer) -> None:
    [text] = [block.text for block in blocks(PAGE_OF_DOCS) if "new Mockpets" in block.text]
    assert len(text.splitlines()) <= 20
    script = text.replace("http://localhost:7387/__mockpets", f"{server.url}/__mockpets")
    script = script.replace("new Mockpets()", f"new Mockpets({{ url: '{server.url}' }})")
    options = "{ headers: { Authorization: 'Bearer mockpets' } }"
    request = f"void fetch('{server.url}/v1/pets', {options})"
    with foreign_page(f"<script type=module>{script}</script>") as port:
        page = browser.new_page(base_url=f"http://localhost:{port}")
        page.goto("/")
        with page.expect_event("load"):
            page.get_by_label("Scenario").select_option("loading")
        page.evaluate(request)
        page.get_by_role("button", name="Release").click()
        expect(page.get_by_role("status")).to_have_text("GET /v1/pets 200")
        expect(page.get_by_label("Scenario")).to_have_value("loading")
        page.close()


LIBRARIES = {
    "TanStack Query": """
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
const queryClient = new QueryClient();
const useData = () => useQuery({ queryKey: ["pets"], queryFn: load });
const wrap = (child) => h(QueryClientProvider, { client: queryClient }, child);
""",
    "SWR": """
import useSWR, { mutate } from "swr";
const useData = () => useSWR("pets", load);
const wrap = (child) => child;
""",
}
COMPONENT = """
import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
const headers = { Authorization: "Bearer mockpets" };
const load = () => fetch(`${API}/v1/pets?limit=2`, { headers }).then((response) => response.json());
const Pets = () => `${useData().data?.length} pets`;
createRoot(document.getElementById("out")).render(wrap(h(Pets)));
"""


@pytest.mark.node
@pytest.mark.long
@pytest.mark.parametrize("library", LIBRARIES)
def test_one_line_refetches_without_a_reload(
    library: str, browser: Browser, server: MockpetsServer, tmp_path: Path
) -> None:
    [text] = [block.text for block in blocks(PAGE_OF_DOCS) if "invalidateQueries" in block.text]
    line = text.splitlines()[[*LIBRARIES].index(library)]
    (tmp_path / "node_modules").symlink_to(need_packages())
    (tmp_path / "app.js").write_text(f"{LIBRARIES[library]}{COMPONENT}{line}", "utf-8")
    (tmp_path / "vite.config.js").write_text(
        "const define = { 'process.env.NODE_ENV': '\"production\"', API: process.env.API };\n"
        "const lib = { entry: 'app.js', formats: ['es'], fileName: 'built' };\n"
        "export default { define, build: { lib, outDir: '.', emptyOutDir: false } };",
        "utf-8",
    )
    environment = {**os.environ, "API": json.dumps(server.url)}
    subprocess.run([need("vite"), "build"], cwd=tmp_path, env=environment, check=True)
    [built] = tmp_path.glob("built.*")
    page = (
        '<p id="out"></p><script type="module" src="/built.js"></script>'
        f'<script type="module" src="{server.url}/__mockpets/toolbar.js"></script>'
    )
    with (
        foreign_page(page, {"/built.js": built.read_text("utf-8")}) as port,
        browser.new_context() as context,
    ):
        one = App(context.new_page(), f"http://localhost:{port}", server)
        one.visit()
        expect(one.out).to_have_text("2 pets")
        one.page.evaluate("window.notReloaded = true")
        one.open()
        one.page.keyboard.type("empt")
        one.page.keyboard.press("Enter")
        expect(one.out).to_have_text("0 pets")
        assert one.page.evaluate("window.notReloaded")


@pytest.mark.node
@pytest.mark.long
@pytest.mark.parametrize("way", ["Python", "npm"])
def test_the_imports_of_the_documentation_load_the_toolbar(
    way: str, browser: Browser, server: MockpetsServer, tmp_path: Path
) -> None:
    [text] = [block.text for block in blocks(PAGE_OF_DOCS) if "import.meta.env.DEV" in block.text]
    [line] = [each for each in text.splitlines() if each.endswith(f"// {way}")]
    if way == "Python":
        done = run(tmp_path, "mockpets", "kit", "src/mockpets", "--toolbar")
        assert done.returncode == 0, done.stderr
    else:
        (tmp_path / "src").mkdir()
        shutil.copytree(shipped("kit"), tmp_path / "node_modules/mockpets")
    (tmp_path / "src/app.js").write_text(line, "utf-8")
    with vite(tmp_path, "export default {};") as url:
        (tmp_path / "index.html").write_text(
            f'<!doctype html><html data-mockpets-url="{server.url}">'
            '<script type="module" src="/src/app.js"></script>',
            "utf-8",
        )
        page = browser.new_page()
        page.add_init_script(OPEN)
        page.goto(url)
        expect(page.locator("#pill")).to_be_visible()
        page.close()
