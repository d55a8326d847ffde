"""The React example shows the same under a recording of a service, and passes its own tests.

The HAR files are Playwright's, in Chromium and Firefox. The services are json-server, Prism, and a
mockpets with other pets.
"""

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from mockpets import MockpetsServer, Settings
from tests.browsers import chromium, firefox
from tests.examples.project import COMMANDS, install, outcomes
from tests.examples.project import playwright as playwright_tests
from tests.programs import free_port, need

pytestmark = [getattr(pytest.mark, name) for name in ("long", "browser", "node", "tool")]

SERVICES = {
    "json-server": ("json-server@0.17.4", ["json-server", "db.json", "--port"], ""),
    "Prism": ("@stoplight/prism-cli@5.14.2", ["prism", "mock", "api.json", "--cors", "-p"], ""),
    "mockpets": ("", ["mockpets", "serve", "--seed", "99", "--data", "pets=7", "--port"], "/v1"),
}
PETS = [
    {"id": 1, "name": "Ada", "categoryId": 1, "status": "available"},
    {"id": 2, "name": "Bo", "categoryId": 2},
    {"id": 5, "name": "Cleo", "categoryId": 1, "status": "sold"},
]

BANNER = "This page uses an operation of the server that will be removed on 5 December 2030.\n\n"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = install("react", tmp_path_factory.mktemp("recorded"))
    packages = [package for package, _, _ in SERVICES.values() if package]
    options = ["--prefix", "services", "--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    (folder / "services").mkdir()
    subprocess.run([need("npm"), "install", *options, *packages], cwd=folder, check=True)
    document = subprocess.run([COMMANDS / "mockpets", "openapi"], check=True, capture_output=True)
    (folder / "services" / "api.json").write_bytes(document.stdout)
    return folder


@contextmanager
def running(command: list[str], folder: Path, port: int) -> Iterator[None]:
    """Run a server of a package in a folder until the block ends."""
    path = os.pathsep.join([f"{folder}/node_modules/.bin", str(COMMANDS), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    try:
        while True:
            with suppress(OSError), socket.create_connection(("localhost", port), 1):
                break
            assert process.poll() is None, command
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def built(app: Path, url: str) -> Iterator[str]:
    """Serve the app, built for an API."""
    port = free_port()
    environment = {**os.environ, "VITE_API_URL": url, "VITE_API_KEY": "mockpets"}
    vite = [need("npx"), "vite"]
    subprocess.run([*vite, "build"], cwd=app, env=environment, check=True, capture_output=True)
    preview = ["vite", "preview", "--port", str(port), "--strictPort"]
    with running(preview, app, port):
        yield f"http://localhost:{port}"


def screens(page: Page, url: str) -> list[str]:
    """Use the app; return the texts of its main views."""
    texts: list[str] = []

    def look(operation: str) -> None:
        """Keep the text of the page when the next response has arrived."""
        page.get_by_role("status").wait_for(state="hidden")
        page.get_by_text(operation).first.wait_for()
        texts.append(page.locator("#root").inner_text())

    page.goto(url)
    look("Add pet")
    page.get_by_label("Name").fill("Miso")
    page.get_by_label("Category").fill("2")
    with page.expect_response(lambda response: response.request.method == "GET"):
        page.get_by_role("button", name="Add pet").click()
    look("Add pet")
    page.get_by_role("link").first.click()
    look("Category")
    page.get_by_role("link", name="All pets").click()
    page.get_by_role("link", name="Miso").last.click()
    look("Category")
    with page.expect_response("**/pets/9999"):
        page.goto(f"{url}/#/pets/9999")
    page.locator("h2").wait_for()
    look("All pets")
    return texts


@pytest.mark.parametrize("browser", ["Chromium", "Firefox"])
@pytest.mark.parametrize("service", SERVICES)
def test_the_app_shows_the_same(service: str, browser: str, app: Path, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    _, command, prefix = SERVICES[service]
    port = free_port()
    base, har = f"http://localhost:{port}{prefix}", tmp_path / "recorded.har"
    (app / "services" / "db.json").write_text(json.dumps({"pets": PETS}), "utf-8")
    with sync_playwright() as playwright:
        started = (firefox if browser == "Firefox" else chromium)(playwright)

        def shown(url: str, **options: Any) -> list[str]:
            context = started.new_context(**options)
            result = screens(context.new_page(), url)
            context.close()
            return result

        with running([*command, str(port)], app / "services", port), built(app, base) as url:
            before = shown(url, record_har_path=har, record_har_content="embed")
        file = tmp_path / "recorded.yaml"
        command = [str(COMMANDS / "mockpets"), "record", "recorded", "--base-url", base]
        files = ["--har", str(har), "-o", str(file)]
        done = subprocess.run([*command, *files], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert ("off contract" in done.stdout) == (service == "json-server")
        settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("recorded",))
        with MockpetsServer(settings) as server, built(app, f"{server.url}/v1") as url:
            after = shown(url)
        entries = json.loads(har.read_text("utf-8"))["log"]["entries"]
        headers = [each["name"].lower() for one in entries for each in one["response"]["headers"]]
        if "sunset" not in headers:  # mockpets adds it to each response
            after = [text.replace(BANNER, "") for text in after]
        assert after == before, file.read_text("utf-8")
        started.close()
    # The example's own tests, in sessions that begin with the recorded scenario.
    folders = (tmp_path, app / "scenarios")
    settings = Settings(port=0, scenarios_dir=folders, scenario=("recorded",), sessions="declared")
    with MockpetsServer(settings) as server:
        status, output = playwright_tests(app, MOCKPETS_URL=server.url)
    assert (status, outcomes(output)) == (0, ["24 passed"]), output
