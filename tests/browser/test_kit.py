"""Pages on other origins import the client, from the server or built by Vite, and use a session."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from mockpets import MockpetsServer
from tests.kit.project import install_kit
from tests.kit.test_runtimes import TOUR
from tests.pages import serving
from tests.programs import need, run_within

PAGE = (
    '<!doctype html><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>'
)
MAIN = """
import * as kit from "{client}";
import {{ tour }} from "./tour.mjs";

globalThis.start = (url) => tour(kit, {{ url }});
"""


def from_the_server(folder: Path, server: MockpetsServer) -> Path:
    """Write an app that imports the client from its URL."""
    (folder / "main.js").write_text(MAIN.format(client=f"{server.url}/__mockpets/client.js"))
    return folder


def built_by_vite(folder: Path, _: MockpetsServer) -> Path:
    """Build an app that has the package installed; its package.json has no type."""
    install_kit(folder)
    (folder / "package.json").write_text("{}")
    (folder / "main.js").write_text(MAIN.format(client="mockpets"))
    built = run_within(120, folder, need("vite"), "build", "--logLevel", "warn")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "dist"


@pytest.fixture(params=[from_the_server, pytest.param(built_by_vite, marks=pytest.mark.node)])
def origin(request: pytest.FixtureRequest, server: MockpetsServer, tmp_path: Path) -> Iterator[str]:
    """Serve an app, and return its origin."""
    (tmp_path / "index.html").write_text(PAGE)
    shutil.copy(TOUR, tmp_path)
    write: Callable[[Path, MockpetsServer], Path] = request.param
    folder = write(tmp_path, server)

    def respond(path: str, _: Mapping[str, str]) -> tuple[str, str]:
        file = folder / (path.lstrip("/") or "index.html")
        kind = "text/html" if file.suffix == ".html" else "text/javascript"
        return kind, file.read_text(encoding="utf-8")

    with serving(respond) as url:
        yield url


def test_the_client_runs_in_a_page_on_another_origin(
    browser: Browser, server: MockpetsServer, origin: str
) -> None:
    page = browser.new_page()
    page.goto(origin)  # until the module has run

    done = page.evaluate("(url) => start(url)", server.url)
    page.close()

    assert done[-1] == "drop"
