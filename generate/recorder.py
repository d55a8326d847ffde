"""Record animations of an app beside the panel, frame by frame.

A frame is a page with screenshots of an app and the panel, or with the output of a command.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
from base64 import b64encode
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from textwrap import dedent
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import expect

from generate import SCREENSHOTS
from tests.programs import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

    from mockpets.client import ControlClient

WIDTH, HEIGHT, SCALE = 700, 484, 2
"""CSS pixels of a frame, about as wide as a README on GitHub, and device pixels in each."""
APP, PANEL = (224, 384), (430, 384)
"""Width and height at which the pages are shown."""
APP_ZOOM = 0.8  # the form of the app needs more than its width
PANEL_LEFT, PANEL_TOP = 14 + 1 + APP[0] + 1 + 14 + 1, 12 + 40 + 1 + 33
"""Where the panel lies in a frame."""
LINES, CHARACTERS = 14, 68
"""What of an output, and of a command, fits into a frame of a terminal in large letters."""
LEVELS = [round(value / 17) * 17 for value in range(256)]
"""Sixteen of each colour in an animation: letters look the same, at two thirds of the bytes."""
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
.column section {{ flex: 1 1 auto; }}
section.terminal {{ width: 100%; height: {APP[1] + 35}px; background: #12211e; color: #dbe7e4; }}
.terminal h2 {{ background: #263a36; border-color: #263a36; }}
pre {{ padding: 14px; font: 15px/1.5 "DejaVu Sans Mono", monospace; }}
pre p {{ white-space: pre-wrap; min-height: 1em; padding-left: 6ch; text-indent: -6ch; }}
pre.small {{ padding: 9px 14px; font-size: 13px; line-height: 1.45; }}
b {{ color: #5ee0a0; }}
b.error {{ color: #ff8a80; }}
"""
ARROW = (
    '<svg style="left: {}px; top: {}px" viewBox="0 0 16 20">'
    '<path d="M1 1v15l4-3.6 2.4 5.8 2.8-1.2-2.4-5.7 5.4-.3z" fill="#000" stroke="#fff"/></svg>'
)


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
        windows = window(self.title, _shot(self.app), APP[0]) + self.panel_window(sheet)
        self._add(_page(caption, windows), milliseconds)

    def pictures(self, caption: str, shown: Mapping[str, bytes], milliseconds: int) -> None:
        """Add a frame of pictures by their titles, side by side at the same width."""
        width = (WIDTH - 28 - 14 * (len(shown) - 1)) // len(shown) - 2
        windows = (window(title, picture, width) for title, picture in shown.items())
        self._add(_page(caption, "".join(windows)), milliseconds)

    def still(self, caption: str, windows: str, size: tuple[int, int]) -> Image.Image:
        """Return a picture of windows, of a size in CSS pixels."""
        self.stage.set_viewport_size({"width": size[0], "height": size[1]})
        picture = self._compose(_page(caption, windows))
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
        """Add a frame of a terminal. Its letters are small if its text is long."""
        texts = dedent(output).strip("\n").splitlines()
        lines = [f"<b>$</b> {escape(command)}", *map(_marked, texts)]
        body = "".join(f"<p>{line}</p>" for line in lines)
        is_small = len(lines) > LINES or len(command) > CHARACTERS
        size = ' class="small"' if is_small else ""
        self._add(
            f'<h1>{escape(caption)}</h1><section class="terminal"><h2>Terminal</h2>'
            f"<pre{size}>{body}</pre></section>",
            milliseconds,
        )

    def _add(self, body: str, milliseconds: int) -> None:
        self._body = body
        self.frames.append((self._compose(body), milliseconds))

    def _compose(self, body: str) -> Image.Image:
        self.stage.set_content(f"<style>{STYLE}</style>{body}")
        self.stage.wait_for_function("[...document.images].every(image => image.complete)")
        return Image.open(io.BytesIO(self.stage.screenshot())).convert("RGB")

    def panel_window(self, sheet: bytes, width: int = PANEL[0]) -> str:
        """Return the HTML of the panel as it is now.

        :param sheet: a picture that covers its bottom.
        """
        over = f'<img class="over" width="{width}" src="{_source(sheet)}">' if sheet else ""
        return window("mockpets panel", _shot(self.panel), width, over)


def window(title: str, picture: bytes, width: int, more: str = "") -> str:
    """Return the HTML of a window with a picture."""
    image = f'<img width="{width}" src="{_source(picture)}">'
    return f"<section><h2>{escape(title)}</h2>{image}{more}</section>"


def _page(caption: str, windows: str) -> str:
    return f"<h1>{escape(caption)}</h1><div>{windows}</div>"


def _source(picture: bytes) -> str:
    return f"data:image/png;base64,{b64encode(picture).decode()}"


def _marked(line: str) -> str:
    """Return the HTML of a line of an output, with its sign of success or failure in colour."""
    good = re.sub(r"^( *(?:✓|\d+ passed))", r"<b>\1</b>", escape(line))
    return re.sub(r"^(error:)", r'<b class="error">\1</b>', good)


def _shot(page: Page) -> bytes:
    return page.screenshot(animations="disabled")


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


def log_in(app: Page) -> None:
    """Log in to the app of `examples/clinic`."""
    app.get_by_label("Email").fill("kim@clinic.example")
    app.get_by_label("Password").fill("let-me-in")
    app.get_by_role("button", name="Log in", exact=True).click()
    patients = app.get_by_role("list", name="Patients").get_by_role("listitem")
    expect(patients).to_have_count(10)


def save(frames: list[tuple[Image.Image, int]], name: str) -> None:
    """Write an animation into the documentation."""
    pictures = [picture.point(LEVELS * 3) for picture, _ in frames]
    pictures[0].save(
        SCREENSHOTS / f"{name}.webp",
        save_all=True,
        append_images=pictures[1:],
        duration=[milliseconds for _, milliseconds in frames],
        loop=0,
        lossless=True,
        quality=100,
        method=6,
    )


def save_still(still: Image.Image, name: str) -> None:
    """Write a picture into the documentation."""
    still.quantize(256, dither=Image.Dither.NONE).save(SCREENSHOTS / f"{name}.png", optimize=True)
