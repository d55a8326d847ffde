"""Record the story of the README: `python -m generate.story`.

Somebody activates `retry` in the panel, the app of `examples/react` fails, and the panel says why.
Then the app of `examples/clinic`, whose API is an OpenAPI document, gets a documented error. At the
end, Playwright tests pass.
"""

from __future__ import annotations

import re
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from playwright.sync_api import FloatRect, expect, sync_playwright

from generate.recorder import (
    APP,
    APP_ZOOM,
    HEIGHT,
    PANEL,
    WIDTH,
    Recorder,
    app_of,
    log_in,
    newest_request,
    open_page,
    save,
    save_still,
    why,
    window,
)
from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.browsers import chromium
from tests.examples.project import install, playwright

if TYPE_CHECKING:
    from PIL import Image
    from playwright.sync_api import Locator, Page

HALF: Final = (APP[1] + 35 - 10) // 2 - 35
"""Height of one of two apps above each other, without its title."""
PHONE, PHONE_PANEL = (390, 874), (360, 410)
"""The picture for phones, and its panel, in CSS pixels."""
PHONE_HALF: Final = 132
"""Height of an app in the picture for phones."""
TEST = ("list", "--reporter=list")
NOISE = re.compile(r"^(?:\[WebServer\]|npm notice).*\n| \([\d.]+(?:ms|s|m)\)$", re.MULTILINE)
"""What is not of the tests, and times, which say only how busy this machine is."""


@dataclass(frozen=True)
class Failed:
    """Pictures of an app that has got an error, for both still pictures."""

    wide: bytes
    phone: bytes


def failed(app: Page, message: Locator) -> Failed:
    """Take pictures of the app from a message on."""

    def shot(width: int, height: int) -> bytes:
        size = {"width": round(width / APP_ZOOM), "height": round(APP[1] / APP_ZOOM)}
        app.set_viewport_size(size)  # type: ignore[arg-type]  # a ViewportSize
        box = message.bounding_box()
        assert box is not None
        top, high = box["y"] - 12, height / APP_ZOOM
        clip = FloatRect(x=0, y=top, width=size["width"], height=high)
        return app.screenshot(clip=clip, full_page=True, animations="disabled")

    return Failed(phone=shot(PHONE_PANEL[0], PHONE_HALF), wide=shot(APP[0], HALF))


def record_pets(recorder: Recorder, control: ControlClient, app_url: str) -> Failed:
    """Record the pet store; return pictures of the failed app."""
    app, panel = recorder.app, recorder.panel
    busy = app.get_by_role("status")
    app.clock.install(time="2030-01-01T09:00")
    app.clock.pause_at("2030-01-01T10:00")  # so that the app waits until the picture is taken
    app.goto(app_url)
    expect(app.get_by_role("listitem")).to_have_count(16)
    panel.goto(f"{control.url}/__mockpets/#scenarios")
    choice = panel.get_by_role("checkbox", name="Activate retry", exact=True)
    choice.evaluate("node => node.scrollIntoView({block: 'center'})")
    recorder.show("Your app runs against mockpets", 2000)
    recorder.point(choice, 800)
    choice.click()
    expect(panel.locator(".one-chip")).to_contain_text("retry")
    recorder.show("Click a scenario: retry", 1700)

    control.clear_requests()
    app.reload()
    expect(busy).to_contain_text("Trying again in 1 second.")
    row = newest_request(panel, control)
    recorder.show("Your app gets a 503", 2500)
    recorder.show("The panel says why", 4500, why(panel, row, "at most 2 times"))
    return failed(app, busy)


def record_clinic(
    recorder: Recorder, control: ControlClient, app_url: str, pets: Failed
) -> tuple[Image.Image, Image.Image]:
    """Record an API that has only a document; return pictures with both apps, wide and for phones.

    :param pets: pictures of the first app.
    """
    app, panel = recorder.app, recorder.panel
    app.goto(app_url)
    log_in(app)
    control.use("listPatients:500")
    control.clear_requests()
    app.reload()
    expect(app.get_by_role("alert")).to_be_visible()
    newest_request(panel, control)
    row = panel.locator(".row.request", has_text="500").first  # the app sends others, too
    last = "responds with 500"
    sheet = why(panel, row, last)
    recorder.show("The same for your own API: a 500", 4500, sheet)
    clinic = failed(app, app.get_by_role("alert"))
    pet_store, own = "Pet store", recorder.title
    apps = window(pet_store, pets.wide, APP[0]) + window(own, clinic.wide, APP[0])
    windows = f'<div class="column">{apps}</div>{recorder.panel_window(sheet)}'
    wide = recorder.still("The pet store, or your own API", windows, (WIDTH, HEIGHT))

    panel.set_viewport_size({"width": PHONE_PANEL[0], "height": PHONE_PANEL[1]})
    width = PHONE_PANEL[0]
    apps = window(pet_store, pets.phone, width) + window(own, clinic.phone, width)
    narrow = recorder.panel_window(why(panel, row, last), width)
    windows = f'<div class="column">{apps}{narrow}</div>'
    return wide, recorder.still("The panel says why", windows, PHONE)


def main() -> None:
    """Write the animation and the still pictures."""
    with ExitStack() as stack:
        enter = stack.enter_context
        react = install("react", Path(enter(tempfile.TemporaryDirectory())))
        clinic = install("clinic", Path(enter(tempfile.TemporaryDirectory())))
        contract = (str(clinic / "api/clinic.yaml"),)
        data = (f"patients={clinic / 'data/patients.yaml'}",)
        pet_store = enter(MockpetsServer(Settings(port=0)))
        own = enter(MockpetsServer(Settings(port=0, contract=contract, data=data)))
        browser = chromium(enter(sync_playwright()))
        recorder = Recorder(
            stage=open_page(browser, (WIDTH, HEIGHT)),
            app=open_page(browser, APP, APP_ZOOM),
            panel=open_page(browser, PANEL),
        )
        app_url = enter(app_of(react, f"{pet_store.url}/v1"))
        pets = record_pets(recorder, ControlClient(pet_store.url), app_url)
        recorder.app, recorder.title = open_page(browser, APP, APP_ZOOM), "Your own API"
        app_url = enter(app_of(clinic, f"{own.url}/api"))
        wide, phone = record_clinic(recorder, ControlClient(own.url), app_url, pets)
        settings = Settings(port=0, scenarios_dir=(react / "scenarios",), sessions="declared")
        with MockpetsServer(settings) as of_tests:
            status, output = playwright(react, *TEST, MOCKPETS_URL=of_tests.url)
        if status:
            sys.exit(output)
        command = "npx playwright test list"
        recorder.terminal("Playwright tests pass", command, NOISE.sub("", output), 4000)
        browser.close()
    save(recorder.frames, "story")
    save_still(wide, "story")
    save_still(phone, "story-phone")


if __name__ == "__main__":
    main()
