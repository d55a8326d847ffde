"""Pages on other origins import the client, from the server or built by Vite, and use a session."""

from __future__ import annotations

import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.kit.project import install_kit
from tests.kit.test_runtimes import TOUR
from tests.programs import need
from tests.test_generated_types import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from mockpets import MockpetsServer

PAGE = '<!doctype html><title>An app</title><script type="module" src="/main.js"></script>'
MAIN = """
import * as kit from "{client}";
import {{ tour }} from "./tour.mjs";

globalThis.start = (url) => tour(kit, {{ url }});
"""


class _Files(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class's name
        pass


def from_the_server(folder: Path, server: MockpetsServer) -> Path:
    """Write an app that imports the client from its URL."""
    (folder / "main.js").write_text(MAIN.format(client=f"{server.url}/__mockpets/client.js"))
    return folder


def built_by_vite(folder: Path, _: MockpetsServer) -> Path:
    """Build an app that has the package installed; its package.json has no type."""
    install_kit(folder)
    (folder / "package.json").write_text("{}")
    (folder / "main.js").write_text(MAIN.format(client="mockpets"))
    built = run(folder, need("vite"), "build", "--logLevel", "warn")
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "dist"


@pytest.fixture(params=[from_the_server, pytest.param(built_by_vite, marks=pytest.mark.node)])
def origin(request: pytest.FixtureRequest, server: MockpetsServer, tmp_path: Path) -> Iterator[str]:
    """Serve an app, and return its origin."""
    (tmp_path / "index.html").write_text(PAGE)
    shutil.copy(TOUR, tmp_path)
    write: Callable[[Path, MockpetsServer], Path] = request.param
    files = partial(_Files, directory=str(write(tmp_path, server)))
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()
        thread.join()


def test_the_client_runs_in_a_page_on_another_origin(
    browser: Browser, server: MockpetsServer, origin: str
) -> None:
    page = browser.new_page()
    page.goto(origin)  # until the module has run

    done = page.evaluate("(url) => start(url)", server.url)
    page.close()

    assert done[-1] == "drop"
