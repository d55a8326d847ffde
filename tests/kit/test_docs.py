"""The TypeScript that README.md and docs/typescript.md show works as it stands."""

from __future__ import annotations

import re
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from tests.kit.project import run_playwright, serving

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "docs/typescript.md"]


def shown_files() -> dict[str, str]:
    pattern = r"<!-- kit file: (\S+) -->\n```ts\n(.*?)```"
    return {
        path: text
        for page in PAGES
        for path, text in re.findall(pattern, page.read_text(encoding="utf-8"), re.DOTALL)
    }


def shown_commands(mark: str) -> str:
    text = PAGES[1].read_text(encoding="utf-8")
    [commands] = re.findall(rf"<!-- {mark} -->\n```sh\n(.*?)```", text, re.DOTALL)
    return str(commands)


class App(BaseHTTPRequestHandler):
    """A front end of one page."""

    page = """\
<!doctype html><title>App</title><p>Loading</p>
<script>
  fetch("MOCK/v1/pets", { headers: { Authorization: "Bearer mockpets" } })
    .then((response) => response.json())
    .then((pets) => {
      document.querySelector("p").textContent = pets.length ? `${pets.length} pets` : "No pets yet";
    });
</script>
"""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(self.page)))
        self.end_headers()
        self.wfile.write(self.page.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.browser
def test_the_files_shown_pass(tmp_path: Path) -> None:
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        app = type("_App", (App,), {"page": App.page.replace("MOCK", server.url)})
        with serving(app) as url:
            outcomes = run_playwright(tmp_path, shown_files(), MOCKPETS_URL=server.url, APP_URL=url)

    assert {title: each for title, each in outcomes.items() if each.status != "passed"} == {}
    assert len(outcomes) == len(shown_files()) == 4
