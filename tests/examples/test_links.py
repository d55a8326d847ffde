"""Links open a state in a fresh context: in the React example, and in Next's, which renders.

The page in each context keeps its session, and third parties receive nothing of ours.
"""

import json
import random
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.examples.project import install
from tests.examples.test_next import build, started
from tests.kit.test_links import third_party
from tests.programs import environment, free_port, need

pytestmark = [getattr(pytest.mark, name) for name in ("long", "browser", "node", "tool")]

SHOWN: Final[Mapping[str, tuple[str, str]]] = {
    "empty": ("No pets yet",) * 2,
    "sold-out": ("Ambrose",) * 2,
    "crowded": ("Ziggy",) * 2,
    "awkward-names": ("Puuuuuuu",) * 2,
    "big-ids": ("Ten Quadrillion",) * 2,
    "unauthorized": ("the API key is invalid",) * 2,
    "rate-limited": ("Too many requests", "429 Too Many Requests"),
    "server-error": ("500 Internal Server Error",) * 2,
    "maintenance": ("Trying again in 120 seconds", "try again in 120 seconds"),
    "broken-json": ("not valid JSON", "This page couldn\u2019t load"),
}
"""What the React and the Next example show in a scenario."""
NOT_AUTOMATED = "Object.defineProperty(Navigator.prototype, 'webdriver', { value: false })"
"""The example has no toolbar in tests."""

TRACK = """
async (url) => {
  await fetch(url, { method: "POST", mode: "no-cors", credentials: "include" }).catch(() => {});
  await fetch(url, { credentials: "include" }).catch(() => {});
  const image = Object.assign(new Image(), { src: url });
  await image.decode().catch(() => {});
}
"""


@pytest.fixture(scope="module")
def react(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install("react", tmp_path_factory.mktemp("links"))


@contextmanager
def vite(folder: Path, mock: str, *, proxied: bool) -> Iterator[str]:
    """Run Vite's development server of the React example."""
    port = free_port()
    proxy = '{ "^/(~[^/]+/)?(v1|__mockpets)/": process.env.MOCK }' if proxied else "{}"
    (folder / "vite.config.ts").write_text(
        'import react from "@vitejs/plugin-react";\n'
        f"export default {{ plugins: [react()], server: {{ proxy: {proxy} }} }};\n",
        "utf-8",
    )
    html = (folder / "index.html").read_text("utf-8")
    address = "/" if proxied else mock
    tag = f'<html lang="en" data-mockpets-url="{address}">'
    (folder / "index.html").write_text(re.sub('<html lang="en".*?>', tag, html), "utf-8")
    api = {"VITE_API_URL": "/v1" if proxied else f"{mock}/v1", "VITE_API_KEY": "mockpets"}
    with subprocess.Popen(
        [need("node"), "node_modules/vite/bin/vite.js", "--port", str(port), "--strictPort"],
        cwd=folder,
        env=environment(MOCK=mock, NO_COLOR="1", **api),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            while "Local:" not in (line := process.stdout.readline()):
                assert line or process.poll() is None
            yield f"http://localhost:{port}"
        finally:
            process.terminate()


@pytest.mark.parametrize("way", ["directly", "through Vite's proxy", "Next"])
def test_links_open_ten_scenarios_and_contexts_do_not_disturb_each_other(
    way: str, react: Path, tmp_path: Path, browser: Browser
) -> None:
    received: list[dict[str, str]] = []
    with MockpetsServer(Settings(port=0)) as server, third_party(received) as third:
        if way == "Next":
            folder = install("next", tmp_path)
            assert build(folder).returncode == 0
            app = started(folder, server.url)
        else:
            app = vite(react, server.url, proxied=way != "directly")
        with app as url:
            for scenario, texts in SHOWN.items():
                with browser.new_context() as context:
                    page = context.new_page()
                    page.add_init_script(NOT_AUTOMATED)
                    page.goto(f"{url}/?a=1&mockpets=demo%2B{scenario}#top")
                    expect(page.locator("body")).to_contain_text(texts[way == "Next"])
                    assert page.url == f"{url}/?a=1#top"
            use_alternately(browser, url, third)
        mock = ControlClient(server.url)
        assert len(mock.session("demo").requests()) >= len(SHOWN)
        assert mock.requests() == []
    assert len(received) >= 4
    assert not [each for each in received if "mockpets" in json.dumps(each).lower()]
    assert not [each for each in received if "Cookie" in each]


def use_alternately(browser: Browser, url: str, third: str) -> None:
    """Add pets and reload the page, 200 times in random order, in two contexts."""
    choice = random.Random(41)
    added: dict[str, list[str]] = {"one": [], "two": []}
    with browser.new_context() as first, browser.new_context() as second:
        pages = {"one": first.new_page(), "two": second.new_page()}
        for name, page in pages.items():
            page.add_init_script(NOT_AUTOMATED)
            page.goto(f"{url}/?mockpets={name}%2Bempty")
            expect(page.get_by_text("No pets yet")).to_be_visible()
            page.evaluate(TRACK, third)
        for number in range(200):
            name = choice.choice(["one", "two"])
            if choice.random() < 0.5:
                added[name].append(f"{name}-{number}")
                add_pet(pages[name], added[name][-1])
            else:
                pages[name].reload()
            expect(pages[name].get_by_role("listitem")).to_have_text(added[name])


def add_pet(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Category").fill("1")
    page.get_by_role("button", name="Add pet").click()
