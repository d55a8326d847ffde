"""Take the screenshot of the documentation: `python -m tests.browser.screenshots`.

It shows the default port, which must be free. With a folder as argument, all views are taken in
both themes at three widths, to look at them one by one.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket
from tests.programs import need
from tests.server.raw_http import Wire, port_of

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
FILES = {
    "checkout": """\
description: Payment is held, the list is slow, and one pet crashes.
stubs:
  - name: hold-payment
    match: {method: POST, path: /v1/store/orders}
    hold: payment
    sequence:
      - {status: 201, body: {id: 3, petId: 17, quantity: 1, status: placed, complete: false}}
      - {status: 409}
    repeat: cycle
    # The contract names this path but does not describe it.
    off_contract: true
  - name: slow-list
    match: {operation: listPets, query: {limit: "100"}}
    delay: 1200ms
  - name: slow-cart
    match: {method: GET, path: /v1/store/orders}
    delay: 400ms
    reply: {status: 200, body: [{id: 1, petId: 3, quantity: 1, status: placed}]}
    off_contract: true
  - name: crash
    match: {operation: getPet, petId: 19}
    reply: {status: 500}
  - name: drop
    match: {operation: getPet, petId: 12}
    fault: connection_reset
  - name: cut-list
    match: {operation: listPets, query: {limit: "50"}}
    fault: truncated_body
""",
    "list": """\
description: The first list waits at a gate.
stubs:
  - {name: hold, match: {operation: listPets, query: {limit: "20"}}, after: 1, hold: list}
""",
    "brief-outage": "description: The first request fails.\nstubs: [{reply: {status: 503}}]\n",
    "clinic": """\
description: Visits of pets, which the app adds and changes.
resources:
  - path: /v1/vet-visits
    items:
      - {id: 1, petId: 3, reason: Vaccination, day: 2026-11-30, paid: false}
      - {id: 2, petId: 7, reason: "A limp, for two days", day: 2026-12-01, paid: true}
      - {id: 3, petId: 17, reason: Check-up, day: 2026-12-04, paid: false}
""",
    "holiday-sale": "description: Every pet is on sale.\n",
    "a-scenario-of-the-checkout-team-with-a-name-of-sixty-letters": "description: Long.\n",
}
BROKEN = "description: Every pet is on sale.\nstubs:\n  - {reply: {status: 503}, delay: 5}\n"
"""What `holiday-sale` becomes while the server runs."""
SESSIONS = (
    "checkout-retry-chromium-w1",
    "checkout-retry-firefox-w2",
    "pets-empty-chromium-w3",
    "demo-berlin",
    "storybook",
    "anna",
    "nightly-4812-accessibility-with-long-names",
    "worker-3",
    "worker-4",
    "screenshots",
    "upgrade-check",
)
LIST = "/v1/pets?status=available&limit=20"

VIEWS = {
    "requests": "#requests",
    "panel": "#requests/2",
    "held": "#requests/21",
    "palette": "#requests",
    "scenarios": "#scenarios/checkout",
    "pets": "#pets",
    "data": "#data",
    "sessions": "#sessions",
    "findings": "#findings",
    "try": "#try",
    "reference": "docs",
}
"""Maps names of pictures to the end of their URLs."""
SIZES = {390: 844, 768: 1000, 1440: 900}
THEMES = ("light", "dark")


def fill(url: str, stack: ExitStack) -> None:
    """Send requests with a mix of problems; the last three responses are held."""
    client = Client(OverSocket(url))

    def call(method: str, target: str, **more: object) -> None:
        with suppress(OSError, HTTPException):  # broken connections
            client(method, target, **more)  # type: ignore[arg-type]  # passed through

    def held(head: str) -> None:
        wire = stack.enter_context(Wire(port_of(url)))
        lines = (f"{head} HTTP/1.1", "Host: a", "Authorization: Bearer mockpets")
        wire.send("\r\n".join([*lines, "Content-Length: 0", "", ""]).encode())
        time.sleep(0.2)

    for position, name in enumerate(SESSIONS):
        scenario = ["retry", "flaky"] if position % 3 == 0 else "empty"
        call("PUT", f"/__mockpets/sessions/{name}", json_body={"scenario": scenario})
        for _ in range(position % 4):
            call("GET", f"/~{name}{LIST}")
    active = ["retry", "checkout", "list", "clinic"]
    call("PUT", "/__mockpets/scenario", json_body={"scenario": active})
    for _ in range(3):
        call("GET", LIST)
        time.sleep(0.3)
    for path in ("/v1/pets/3", "/v1/pets/7", "/v1/pet"):
        call("GET", path)
    time.sleep(2.1)  # the next requests are another run
    call("POST", "/v1/pets", json_body={"name": "Miso"})
    time.sleep(0.4)
    call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    call("GET", "/v1/pets?status=available&tags=organic&sort=name&limit=100")
    call("DELETE", "/v1/pets/3")
    for path in ("/v1/pets/12", "/v1/pets?limit=50", "/v1/pets/19"):
        call("GET", path)
        time.sleep(0.1)
    call("GET", "/v1/pets", key=None)
    time.sleep(2.1)
    call("GET", "/v1/pets/3")
    call("GET", "/v1/store/orders")
    held("POST /v1/store/orders")
    time.sleep(1)
    call("POST", "/__mockpets/gates/payment/open")
    call("GET", "/v1/store/orders")
    call("POST", "/v1/pets", json_body={"name": 3})
    for head in ("POST /v1/store/orders", "POST /v1/store/orders", f"GET {LIST}"):
        held(head)


def take(page: Page, url: str, name: str, path: Path) -> None:
    """Open a view, wait until it is complete, and take the screenshot."""
    page.goto(f"{url}/__mockpets/{VIEWS[name]}")
    if name == "reference":
        page.get_by_role("button", name="Call getPet").wait_for()
    else:
        page.get_by_text("Live", exact=True).wait_for(state="attached")
    if name in ("panel", "held"):
        page.locator("#entry .code").wait_for()
    if name == "palette":
        page.keyboard.press("Control+k")
        page.keyboard.type("re")
        page.get_by_role("option", name="checkout-retry-firefox").wait_for()
    if name == "try":
        page.get_by_role("combobox", name="Scenario").select_option("default")
        page.get_by_role("textbox", name="limit").fill("2")
        page.get_by_role("button", name="Call listPets").click()
        page.locator(".response .code").wait_for()
    page.wait_for_load_state("load")
    page.wait_for_timeout(700)  # what the view loads, and the tint of new rows
    page.screenshot(path=path)


def without_folder(folder: Path, route: Route) -> None:
    """Respond without the temporary folder, which the pictures must not show."""
    response = route.fetch()
    route.fulfill(response=response, body=response.text().replace(str(folder), "/home/anna/mocks"))


def main() -> None:
    """Take the picture of the documentation, or all."""
    everything = [(name, width, theme) for name in VIEWS for width in SIZES for theme in THEMES]
    one = [("panel", 1440, "light")]
    target, shots = (Path(sys.argv[1]), everything) if sys.argv[1:] else (FOLDER, one)
    target.mkdir(exist_ok=True)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name, text in FILES.items():
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        settings = Settings(scenarios_dir=(folder,))
        server = stack.enter_context(MockpetsServer(settings))
        fill(server.url, stack)
        (folder / "holiday-sale.yaml").write_text(BROKEN, encoding="utf-8")
        time.sleep(1.5)  # until the server has read it
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(
            executable_path=need("chromium"), args=["--no-sandbox", "--no-proxy-server"]
        )
        for name, width, theme in shots:
            context = browser.new_context(
                viewport={"width": width, "height": SIZES[width]},
                color_scheme="dark" if theme == "dark" else "light",
            )
            files = re.compile("/__mockpets/(state|scenarios)")
            context.route(files, partial(without_folder, folder))
            take(context.new_page(), server.url, name, target / f"{name}-{width}-{theme}.png")
            context.close()
        browser.close()


if __name__ == "__main__":
    main()
