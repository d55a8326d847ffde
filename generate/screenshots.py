"""Take the screenshot of the documentation: `python -m generate.screenshots`.

It shows the default port, which must be free.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path

from playwright.sync_api import sync_playwright

from generate import SCREENSHOTS
from mockpets import MockpetsServer, Settings
from tests.browsers import chromium
from tests.http_client import Client, OverSocket
from tests.server.raw_http import Wire, port_of

CHECKOUT = """\
description: Payment is held, the list is slow, and one pet crashes.
stubs:
  - name: hold-payment
    match: {method: POST, path: /v1/store/orders}
    hold: payment
    reply: {status: 201, body: {id: 3, petId: 17, quantity: 1, status: placed, complete: false}}
  - name: slow-list
    match: {operation: listPets, query: {limit: "100"}}
    delay: 1200ms
  - name: slow-cart
    match: {method: GET, path: /v1/store/orders}
    delay: 400ms
    reply: {status: 200, body: [{id: 1, petId: 3, quantity: 1, status: placed}]}
  - name: crash
    match: {operation: getPet, params: {petId: 19}}
    reply: {status: 500}
  - name: drop
    match: {operation: getPet, params: {petId: 12}}
    fault: connection_reset
"""
LIST = "/v1/pets?status=available&limit=20"


def fill(url: str, stack: ExitStack) -> None:
    """Send requests with a mix of problems; the last two responses are held."""
    client = Client(OverSocket(url))

    def call(method: str, target: str, **more: object) -> None:
        with suppress(OSError, HTTPException):  # broken connections
            client(method, target, **more)  # type: ignore[arg-type]  # passed through

    for name in ("checkout-retry-chromium-w1", "pets-empty-chromium-w3", "storybook", "anna"):
        call("PUT", f"/__mockpets/sessions/{name}", json_body={"scenario": "empty"})
    call("PUT", "/__mockpets/scenario", json_body={"scenario": ["retry", "checkout"]})
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
    for path in ("/v1/pets/12", "/v1/pets/19", "/v1/store/orders"):
        call("GET", path)
        time.sleep(0.1)
    call("GET", "/v1/pets", key=None)
    for _ in range(2):
        wire = stack.enter_context(Wire(port_of(url)))
        lines = ("POST /v1/store/orders HTTP/1.1", "Host: a", "Authorization: Bearer mockpets")
        wire.send("\r\n".join([*lines, "Content-Length: 0", "", ""]).encode())
        time.sleep(0.2)


def main() -> None:
    """Open the panel with a request, and write the picture."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "checkout.yaml").write_text(CHECKOUT, encoding="utf-8")
        server = stack.enter_context(MockpetsServer(Settings(scenarios_dir=(folder,))))
        fill(server.url, stack)
        browser = chromium(stack.enter_context(sync_playwright()))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{server.url}/__mockpets/#requests/2")
        page.locator("#entry .code").wait_for()
        page.wait_for_load_state("load")
        page.wait_for_timeout(700)  # what the view loads, and the tint of new rows
        page.screenshot(path=SCREENSHOTS / "panel-1440-light.png")
        browser.close()


if __name__ == "__main__":
    main()
