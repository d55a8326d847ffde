"""Record the story of the README: `python -m generate.story`.

Somebody activates `retry` in the panel, the app of `examples/react` fails, and the panel says why.
Then the app of `examples/clinic`, whose API is an OpenAPI document, gets a documented error. At the
end, Playwright tests pass. A frame is a page with screenshots of an app and the panel.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64encode
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import FloatRect, expect, sync_playwright

from generate import SCREENSHOTS
from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.browsers import chromium
from tests.examples.project import install, playwright
from tests.programs import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Locator, Page

WIDTH, HEIGHT, SCALE = 700, 484, 2
"""CSS pixels of a frame, about as wide as a README on GitHub, and device pixels in each."""
APP, PANEL = (224, 384), (430, 384)
"""Width and height at which the pages are shown."""
PHONE, PHONE_PANEL = (390, 510), (360, 410)
"""The picture for phones, which shows only the panel."""
HALF = (APP[1] + 35 - 10) // 2
"""Height of one of two apps above each other, with its title."""
APP_ZOOM = 0.8  # the form of the app needs more than its width
PANEL_LEFT, PANEL_TOP = 14 + 1 + APP[0] + 1 + 14 + 1, 12 + 40 + 1 + 33
"""Where the panel lies in a frame."""
STYLE = f"""
* {{ box-sizing: border-box; margin: 0; }}
body {{ padding: 12px 14px; background: #dfe9e6;
  color: #12211e; font-family: "DejaVu Sans", sans-serif; overflow: hidden; }}
h1 {{ font-size: 23px; line-height: 30px; height: 40px; }}
div {{ position: relative; display: flex; gap: 14px; }}
section {{ position: relative; overflow: hidden; background: #fff; border: 1px solid #9fb3ae;
  border-radius: 8px; }}
h2 {{ font-size: 13px; line-height: 32px; padding: 0 12px; border-bottom: 1px solid #c9d6d3;
  background: #f2f6f5; }}
img {{ display: block; }}
img.over {{ position: absolute; bottom: 0; border-top: 1px solid #9fb3ae;
  box-shadow: 0 -3px 12px #0003; }}
svg {{ position: absolute; width: 26px; }}
.column {{ flex-direction: column; gap: 10px; }}
.column section {{ height: {HALF}px; }}
section.terminal {{ width: 100%; height: {APP[1] + 35}px; background: #12211e; color: #dbe7e4; }}
.terminal h2 {{ background: #263a36; border-color: #263a36; }}
pre {{ padding: 14px; font: 15px/1.5 "DejaVu Sans Mono", monospace; }}
pre p {{ white-space: pre-wrap; min-height: 1em; padding-left: 6ch; text-indent: -6ch; }}
b {{ color: #5ee0a0; }}
"""
ARROW = (
    '<svg style="left: {}px; top: {}px" viewBox="0 0 16 20">'
    '<path d="M1 1v15l4-3.6 2.4 5.8 2.8-1.2-2.4-5.7 5.4-.3z" fill="#000" stroke="#fff"/></svg>'
)
TEST = ("list", "--reporter=list")
NOISE = re.compile(r"^(?:\[WebServer\]|npm notice).*\n| \([\d.]+(?:ms|s|m)\)$", re.MULTILINE)
"""What is not of the tests, and times, which say only how busy this machine is."""


@dataclass
class Recorder:
    """Composes frames in a page of its own.

    :ivar frames: pictures and the milliseconds for which each is shown.
    """

    stage: Page
    app: Page
    panel: Page
    title: str = "Your app"
    frames: list[tuple[Image.Image, int]] = field(default_factory=list)
    _body: str = ""

    def show(self, caption: str, milliseconds: int, sheet: bytes = b"") -> None:
        """Add a frame of both pages as they are now.

        :param sheet: a picture that covers the bottom of the panel.
        """
        windows = f"<section><h2>{self.title}</h2>{_image(self.app, APP[0])}</section>"
        self._add(_page(caption, windows + self._panel(PANEL[0], sheet)), milliseconds)

    def both(self, caption: str, apps: dict[str, bytes], sheet: bytes) -> Image.Image:
        """Return a picture of two apps, one above the other, beside the panel.

        :param apps: pictures of the apps by their titles.
        """
        windows = "".join(
            f'<section><h2>{title}</h2><img width="{APP[0]}" src="{_source(shot)}"></section>'
            for title, shot in apps.items()
        )
        column = f'<div class="column">{windows}</div>'
        return self._compose(_page(caption, column + self._panel(PANEL[0], sheet)))

    def phone(self, caption: str, sheet: bytes) -> Image.Image:
        """Return a picture of the panel alone."""
        self.stage.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        picture = self._compose(_page(caption, self._panel(PHONE_PANEL[0], sheet)))
        self.stage.set_viewport_size({"width": WIDTH, "height": HEIGHT})
        return picture

    def point(self, target: Locator, milliseconds: int) -> None:
        """Add the last frame again, with the mouse pointer on an element of the panel."""
        box = target.bounding_box()
        assert box is not None
        left = PANEL_LEFT + box["x"] + min(box["width"] / 2, 60)
        top = PANEL_TOP + box["y"] + box["height"] / 2
        body = self._body
        self._add(body + ARROW.format(left, top), milliseconds)
        self._body = body

    def terminal(self, caption: str, command: str, output: str, milliseconds: int) -> None:
        """Add a frame of a terminal."""
        lines = [f"<b>$</b> {escape(command)}"]
        for line in output.strip().splitlines():
            text = escape(line.strip())
            lines.append(re.sub(r"^(✓|\d+ passed)", r"<b>\1</b>", text))
        body = "".join(f"<p>{line}</p>" for line in lines)
        self._add(
            f'<h1>{escape(caption)}</h1><section class="terminal"><h2>Terminal</h2>'
            f"<pre>{body}</pre></section>",
            milliseconds,
        )

    def _add(self, body: str, milliseconds: int) -> None:
        self._body = body
        self.frames.append((self._compose(body), milliseconds))

    def _compose(self, body: str) -> Image.Image:
        self.stage.set_content(f"<style>{STYLE}</style>{body}")
        self.stage.wait_for_function("[...document.images].every(image => image.complete)")
        return Image.open(io.BytesIO(self.stage.screenshot())).convert("RGB")

    def _panel(self, width: int, sheet: bytes) -> str:
        over = f'<img class="over" width="{width}" src="{_source(sheet)}">' if sheet else ""
        return f"<section><h2>mockpets panel</h2>{_image(self.panel, width)}{over}</section>"


def _page(caption: str, windows: str) -> str:
    return f"<h1>{escape(caption)}</h1><div>{windows}</div>"


def _source(picture: bytes) -> str:
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _image(page: Page, width: int) -> str:
    return f'<img width="{width}" src="{_source(page.screenshot(animations="disabled"))}">'


def open_page(browser: Browser, size: tuple[int, int], zoom: float = 1) -> Page:
    """Open an empty page that is shown with a size in CSS pixels."""
    return browser.new_page(
        viewport={"width": round(size[0] / zoom), "height": round(size[1] / zoom)},
        device_scale_factor=SCALE * zoom,
    )


def why(panel: Page, row: Locator, end_text: str) -> bytes:
    """Take a picture of the tabs and the Why of a request, without the buttons above them.

    :param end_text: the text at the end of the picture.
    """
    row.click()
    tab = panel.get_by_role("tab", name="Why")
    end = panel.locator("#entry").get_by_text(end_text).last
    tab.click()
    end.wait_for()
    first, last, size = tab.bounding_box(), end.bounding_box(), panel.viewport_size
    assert first is not None
    assert last is not None
    assert size is not None
    height = last["y"] + last["height"] + 10 - first["y"]
    sheet = panel.screenshot(
        clip={"x": 0, "y": first["y"], "width": size["width"], "height": height}
    )
    panel.keyboard.press("Escape")
    expect(panel.locator("#entry")).to_be_hidden()
    return sheet


def newest_request(panel: Page, control: ControlClient) -> Locator:
    """Show the request log; return its newest request once it is as in a picture."""
    panel.goto(f"{control.url}/__mockpets/#requests")
    row = panel.locator(".row.request").first
    row.wait_for()
    panel.wait_for_timeout(800)  # the tint of new rows
    return row


def record_pets(
    recorder: Recorder, control: ControlClient, app_url: str
) -> tuple[Image.Image, bytes]:
    """Record the pet store; return the picture for phones and that of the failed app."""
    app, panel = recorder.app, recorder.panel
    busy = app.get_by_role("status")
    app.clock.install(time="2030-01-01T09:00")
    app.clock.pause_at("2030-01-01T10:00")  # so that the app waits until the picture is taken
    app.goto(app_url)
    expect(app.get_by_role("listitem")).to_have_count(16)
    panel.goto(f"{control.url}/__mockpets/#scenarios")
    choice = panel.get_by_role("checkbox", name="Use retry", exact=True)
    choice.evaluate("node => node.scrollIntoView({block: 'center'})")
    recorder.show("Your app runs against mockpets", 2000)
    recorder.point(choice, 800)
    choice.click()
    expect(panel.locator(".one-chip")).to_contain_text("retry")
    recorder.show("Click a state: retry", 1700)

    control.clear_requests()
    app.reload()
    expect(busy).to_contain_text("Trying again in 1 second.")
    row = newest_request(panel, control)
    recorder.show("Your app gets a 503", 2500)
    says_why, last = "The panel says why", "at most 2 times"
    recorder.show(says_why, 4500, why(panel, row, last))
    failed = app.screenshot(animations="disabled")
    panel.set_viewport_size({"width": PHONE_PANEL[0], "height": PHONE_PANEL[1]})
    narrow = recorder.phone(says_why, why(panel, row, last))
    panel.set_viewport_size({"width": PANEL[0], "height": PANEL[1]})
    return narrow, failed


def record_clinic(
    recorder: Recorder, control: ControlClient, app_url: str, pets: bytes
) -> Image.Image:
    """Record an API that has only a document; return the picture with both apps.

    :param pets: a picture of the first app.
    """
    app, panel = recorder.app, recorder.panel
    app.goto(app_url)
    app.get_by_label("Email").fill("kim@clinic.example")
    app.get_by_label("Password").fill("let-me-in")
    app.get_by_role("button", name="Log in", exact=True).click()
    patients = app.get_by_role("list", name="Patients").get_by_role("listitem")
    expect(patients).to_have_count(10)
    control.use("listPatients:500")
    control.clear_requests()
    app.reload()
    expect(app.get_by_role("alert")).to_be_visible()
    newest_request(panel, control)
    row = panel.locator(".row.request", has_text="500").first  # the app sends others, too
    sheet = why(panel, row, "responds with 500")
    recorder.show("The same for your own API: a 500", 4500, sheet)
    box = app.get_by_role("alert").bounding_box()
    assert box is not None
    width, height = APP[0] / APP_ZOOM, HALF / APP_ZOOM
    clip = FloatRect(x=0, y=box["y"] - 12, width=width, height=height)
    clinic = app.screenshot(clip=clip, full_page=True)
    apps = {"Pet store": pets, recorder.title: clinic}
    return recorder.both("The pet store, or your own API", apps, sheet)


@contextmanager
def app_of(folder: Path, api: str) -> Iterator[str]:
    """Build an example for an API and serve it; yield its URL."""
    port = free_port()
    vite = str(folder / "node_modules" / ".bin" / "vite")
    environment = {**os.environ, "VITE_API_URL": api, "VITE_API_KEY": "mockpets"}
    subprocess.run([vite, "build", "--logLevel=error"], cwd=folder, env=environment, check=True)
    with subprocess.Popen(
        [vite, "preview", f"--port={port}", "--strictPort"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    ) as preview:
        try:
            assert preview.stdout is not None
            next(line for line in preview.stdout if "Local" in line)
            yield f"http://localhost:{port}"
        finally:
            preview.terminate()


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
        phone, failed = record_pets(recorder, ControlClient(pet_store.url), app_url)
        recorder.app, recorder.title = open_page(browser, APP, APP_ZOOM), "Your own API"
        app_url = enter(app_of(clinic, f"{own.url}/api"))
        wide = record_clinic(recorder, ControlClient(own.url), app_url, failed)
        settings = Settings(port=0, scenarios_dir=(react / "scenarios",), sessions="declared")
        with MockpetsServer(settings) as of_tests:
            status, output = playwright(react, *TEST, MOCKPETS_URL=of_tests.url)
        if status:
            sys.exit(output)
        command = "npx playwright test list"
        recorder.terminal("Playwright tests pass", command, NOISE.sub("", output), 4000)
        browser.close()
    save(recorder.frames, {"story.png": wide, "story-phone.png": phone})


def save(frames: list[tuple[Image.Image, int]], stills: dict[str, Image.Image]) -> None:
    """Write the pictures, without loss, into the documentation."""
    pictures, durations = zip(*frames, strict=True)
    pictures[0].save(
        SCREENSHOTS / "story.webp",
        save_all=True,
        append_images=pictures[1:],
        duration=list(durations),
        loop=0,
        lossless=True,
        quality=100,
        method=6,
    )
    for name, still in stills.items():
        still.quantize(256, dither=Image.Dither.NONE).save(SCREENSHOTS / name, optimize=True)


if __name__ == "__main__":
    main()
