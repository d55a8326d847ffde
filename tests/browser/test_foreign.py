"""Pages on other origins may link to the panel, but cannot use the control API."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from mockpets import MockpetsServer, Settings
from mockpets.constants import CONTROL_PREFIX, TOOLBAR_PATH
from mockpets.kit_files import files_of
from tests.browser.panel import Panel
from tests.http_client import Client, OverSocket
from tests.pages import foreign_page
from tests.routes import PANEL_FILES, complete_app

OPEN = {
    "", "/", "/health", "/ready", "/docs", "/openapi.json", "/control.openapi.json",
    "/schema/scenario.json", "/panel/{version}/{name}", *(f"/{name}" for name in files_of()),
} - {"/toolbar.js"}  # fmt: skip
"""Paths without secrets, below the prefix."""

BODIES: dict[str, object] = {
    "PUT /scenario": {"scenario": "empty"},
    "PUT /data/pets": [],
    "PATCH /data/pets/1": {"name": "changed"},
    "POST /verify": {"match": {}},
    "PUT /sessions/default": {"data": {"pets": []}},
    "PUT /sessions/new": {"scenario": "empty"},
}

ATTACK = """
async ([url, calls]) => {
  const read = [];
  const attempts = [];
  for (const {method, path, body} of calls) {
    const target = url + path;
    const text = JSON.stringify(body);
    const json = {"Content-Type": "application/json"};
    const ways = [
      {method, headers: json, body: method === "GET" ? undefined : text ?? "{}"},
      {method, body: method === "GET" ? undefined : text},
      {method, credentials: "include"},
      {method: "POST", mode: "no-cors", body: text ?? "{}"},
      {method: "POST", mode: "no-cors"},
      {method: "GET", mode: "no-cors"},
    ];
    for (const way of ways) {
      attempts.push(fetch(target, way).then(
        async (response) => {
          if (response.type !== "opaque") read.push([way.method, path, await response.text()]);
        }, () => {}));
    }
    for (const tag of ["img", "script", "iframe"]) {
      attempts.push(new Promise((done) => {
        const node = document.createElement(tag);
        node.onload = node.onerror = done;
        node.src = target;
        document.body.append(node);
      }));
    }
    attempts.push(new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.name = `f${attempts.length}`;
      document.body.append(frame);
      const form = document.createElement("form");
      Object.assign(form, {method: "POST", action: target, target: frame.name});
      form.enctype = "text/plain";
      const field = document.createElement("input");
      Object.assign(field, {name: text ? text.slice(0, -1) + ', "x": "' : "{", value: '"}'});
      form.append(field);
      document.body.append(form);
      frame.onload = done;
      form.submit();
    }));
  }
  await Promise.all(attempts);
  return read;
}
"""


@pytest.fixture(scope="module")
def evil() -> Iterator[str]:
    """Serve a page on another host name, which resolves to this machine."""
    with foreign_page() as port:
        yield f"http://evil.test:{port}"


def guarded() -> list[dict[str, Any]]:
    """Return every call of the control API that needs protection, from the app's routes."""
    calls = set()
    for rule in complete_app().url_map.iter_rules():
        path = rule.rule.replace("<", "{").replace(">", "}")
        below = path.removeprefix(CONTROL_PREFIX)
        if below == path or below in OPEN or rule.methods is None:
            continue
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            for name in ("default", "new") if "sessions" in path else ("1",):
                filled = re.sub(r"{\w+}", "1", below.replace("{name}", name))
                calls.add((method, filled))
    return [
        {"method": method, "path": CONTROL_PREFIX + path, "body": BODIES.get(f"{method} {path}")}
        for method, path in sorted(calls)
    ]


def state_of(server: MockpetsServer) -> Any:
    """Return all state that a call could change, except for idle times and rejected origins."""
    caller = Client(OverSocket(server.url))
    state = {
        path: caller("GET", f"{CONTROL_PREFIX}/{path}").json
        for path in ("state", "data", "data/pets", "requests", "gates", "sessions")
    }
    for session in state["sessions"]["sessions"]:
        del session["idle_seconds"]
    del state["state"]["rejected_origins"], state["state"]["change"], state["requests"]["change"]
    return state


def test_a_foreign_page_cannot_use_the_control_api(
    server: MockpetsServer, evil: str, visit: Callable[..., Panel]
) -> None:
    caller = Client(OverSocket(server.url))
    caller("GET", "/v1/pets/1")
    before = state_of(server)
    calls = guarded()
    assert len(calls) > 25
    page = visit(evil, "/").page
    page.set_default_timeout(60_000)
    read = page.evaluate(ATTACK, [server.url, calls])

    assert read == []
    assert state_of(server) == before


LOAD = """
async (url) => {
  const tag = (attributes) => new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), attributes);
    script.onload = done;
    script.onerror = failed;
    script.src = url;
    document.head.append(script);
  });
  const ways = [tag({ type: "module" }), tag({}), import(url)];
  return (await Promise.allSettled(ways)).map(({ status }) => status);
}
"""
REJECTED = ["rejected"] * 3
AS_MODULE = ["fulfilled", "rejected", "fulfilled"]


def test_only_pages_that_may_call_or_lack_only_the_token_can_load_the_toolbar(
    server: MockpetsServer, evil: str, browser: Browser
) -> None:
    local = evil.replace("evil.test", "127.0.0.1")
    with (
        MockpetsServer(Settings(port=0, control_token="a-token-of-tests")) as closed,
        browser.new_context() as context,
    ):
        page = context.new_page()
        for url, own, expected in (
            (server.url, evil, REJECTED),
            (closed.url, evil, REJECTED),
            (server.url, local, AS_MODULE),
            (closed.url, local, AS_MODULE),
        ):
            page.goto(own)
            assert page.evaluate(LOAD, url + TOOLBAR_PATH) == expected
            shown = 1 if expected != REJECTED else 0
            expect(page.locator("body > *")).to_have_count(shown)


def test_the_panel_names_the_pages_that_were_rejected(
    server: MockpetsServer, visit: Callable[..., Panel]
) -> None:
    """The page sees only a CORS error; the panel, already open, shows which option allows it."""
    panel = visit(server.url)
    notice = panel.page.get_by_role("dialog", name="Rejected pages")
    expect(panel.page.get_by_text("Live", exact=True)).to_be_visible()
    with foreign_page() as port:
        origin = f"http://evil.test:{port}"
        option = notice.get_by_text(f"--control-origin {origin}", exact=True)
        expect(option).to_be_hidden()
        page = visit(origin, "/").page
        call = "(url) => fetch(url, {method: 'PUT'}).catch((error) => error.name)"
        assert page.evaluate(call, f"{server.url}/__mockpets/scenario") == "TypeError"

    panel.use(panel.page.get_by_title("Rejected pages"))
    expect(option).to_be_visible()
    panel.use(notice.get_by_role("button", name="Dismiss"))
    expect(notice).to_be_hidden()


def test_dns_rebinding_gives_no_access(server: MockpetsServer, visit: Callable[..., Panel]) -> None:
    """Reject by the Host header: to the browser, the page has the server's origin."""
    port = server.url.rpartition(":")[2]
    page = visit(f"http://evil.test:{port}").page

    expect(page.get_by_text("Disconnected")).to_be_visible()
    expect(page.get_by_role("alert").locator(".toast")).to_contain_text("evil.test")
    status = page.evaluate("fetch('reset', {method: 'POST'}).then((response) => response.status)")
    assert status == 403


def test_a_link_from_another_origin_opens_the_panel(
    server: MockpetsServer, visit: Callable[..., Panel]
) -> None:
    with foreign_page(f'<!doctype html><a href="{server.url}/__mockpets/">panel</a>') as port:
        panel = visit(f"http://evil.test:{port}", "/")
        panel.page.get_by_role("link").click()

        expect(panel.page.get_by_text("Live", exact=True)).to_be_visible()
        expect(panel.active).to_have_text(["default"])


def test_pages_cannot_frame_the_panel(
    server: MockpetsServer, evil: str, visit: Callable[..., Panel]
) -> None:
    page = visit(evil, "/").page
    page.evaluate(
        """(url) => new Promise((done) => {
            const frame = document.createElement("iframe");
            frame.onload = done;
            frame.src = url;
            document.body.append(frame);
        })""",
        f"{server.url}/__mockpets/",
    )

    [frame] = page.frames[1:]
    frame.wait_for_url(re.compile(r"chrome-error://|about:neterror\?e=cspBlocked"))


def test_every_page_has_a_content_security_policy(server: MockpetsServer) -> None:
    caller = Client(OverSocket(server.url))
    files = [f"/{PANEL_FILES}/{name}" for name in ("main.js", "panel.css", "icon.svg")]
    for path in ("/", *files, "/docs"):
        response = caller("GET", CONTROL_PREFIX + path, key=None)
        assert response.status == 200
        policy = response.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        caching = "public, max-age=31536000, immutable" if path in files else "no-cache"
        assert response.headers["cache-control"] == caching
    for name in ("nothing.js", "..%2fpages.py", "../pages.py", "", "preact.LICENSE.txt"):
        assert caller("GET", f"{CONTROL_PREFIX}/{PANEL_FILES}/{name}").status == 404
    old = caller("GET", f"{CONTROL_PREFIX}/panel/000000000000/main.js")
    assert old.status == 404 and old.headers["cache-control"] == "no-store"
    assert "reload the page" in json.loads(old.body)["message"]
