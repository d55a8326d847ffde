"""Take the screenshots of `docs/screenshots`: `python -m tests.browser.screenshots`.

The pictures show the default port, which must be free.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket
from tests.programs import need

if TYPE_CHECKING:
    from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "docs" / "screenshots"
HELD = """\
description: Responses to createPet wait at the gate checkout.
stubs:
  - match: {operation: createPet}
    reply: pass
    hold: checkout
"""

SHOTS = [
    # name, width, height, theme, view
    *(
        (f"panel-{width}-{theme}", width, height, theme, view)
        for width, height, view in (
            (360, 780, "#scenarios"),
            (768, 1000, "#requests"),
            (1440, 900, "#requests/6"),
        )
        for theme in ("light", "dark")
    ),
    ("requests-360-light", 360, 780, "light", "#requests"),
    ("pets-1440-light", 1440, 900, "light", "#pets"),
    ("try-1440-dark", 1440, 900, "dark", "#try"),
    ("sessions-1440-light", 1440, 900, "light", "#sessions"),
    ("reference-1440-light", 1440, 900, "light", "docs"),
    ("reference-360-dark", 360, 780, "dark", "docs"),
]


def fill(url: str) -> None:
    """Send requests with a mix of problems."""
    call = Client(OverSocket(url))
    call("PUT", "/__mockpets/sessions/worker-3", json_body={"scenario": "crowded"})
    call("PUT", "/__mockpets/snapshots/before-the-demo")
    call("PUT", "/__mockpets/scenario", json_body={"scenario": ["retry", "slow"]})
    call("GET", "/v1/pets", key=None, scenario="default")
    call("GET", "/v1/pets", scenario="default")
    call("POST", "/v1/pets", json_body={"name": "Miso"}, scenario="default")
    call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2}, scenario="default")
    call("GET", "/v1/pets?limit=0", scenario="default")
    call("GET", "/v1/pets?status=available&limit=20", headers={"Accept": "application/json"})
    call("GET", "/v1/pets/3", scenario="missing")
    call("GET", "/v1/pet", scenario="default")
    call("GET", "/v1/store/orders", scenario="orders")


def take(page: Page, url: str, view: str, path: Path) -> None:
    """Open a view, wait until it is complete, and take the screenshot."""
    page.goto(f"{url}/__mockpets/{view}")
    if view == "docs":
        page.get_by_role("button", name="Call getPet").wait_for()
    else:
        page.get_by_text("Live", exact=True).wait_for()
    if view == "#try":
        page.get_by_role("combobox", name="Scenario").select_option("default")
        page.get_by_role("textbox", name="limit").fill("2")
        page.get_by_role("button", name="Call listPets").click()
        page.locator(".response pre").wait_for()
    if "/" in view:
        page.locator("#entry-title").wait_for()
    page.wait_for_load_state("load")
    page.screenshot(path=path)


def main() -> None:
    """Take all screenshots."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "held.yaml").write_text(HELD, encoding="utf-8")
        browser = playwright.chromium.launch(
            executable_path=need("chromium"), args=["--no-sandbox", "--no-proxy-server"]
        )
        with MockpetsServer(Settings(scenarios_dir=(Path(folder),))) as server:
            fill(server.url)
            for name, width, height, theme, view in SHOTS:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if theme == "dark" else "light",
                )
                take(context.new_page(), server.url, view, FOLDER / f"{name}.png")
                context.close()
        browser.close()


if __name__ == "__main__":
    main()
