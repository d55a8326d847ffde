"""The first test that `mockpets init` writes, for apps that handle errors and apps that do not."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from tests.kit.project import install_kit
from tests.pages import serving
from tests.programs import need, run_within

pytestmark = [pytest.mark.browser, pytest.mark.node, pytest.mark.long]

CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
PAGE = """\
<!doctype html><title>App</title><h1>Animals</h1><p></p>
<script type="module">
  const headers = { Authorization: "Bearer mockpets" };
  const show = (text) => (document.querySelector("p").innerText = text);
  const get = (path) => fetch("MOCK/api" + path, { headers });
  const names = ({ animals }) => animals.map((each) => each.name).join("\\n") || "No animals";
  const list = (body) => `${new Date().toISOString()}\\n${names(body)}`;
  show("Loading");
  APP
</script>
"""
LOAD = 'const response = await get("/animals");'
READ = "const body = await response.json();"
APPS = {
    "a message": f'{LOAD} show(response.ok ? list(await response.json()) : "Cannot load");',
    "an alert": f'{LOAD} if (response.ok) show(list(await response.json())); else alert("Error");',
    "a message after retries": f"""
        for (const pause of [500, 1000, 0]) {{
          {LOAD}
          if (response.ok) {{ show(list(await response.json())); break; }}
          if (pause) await new Promise((done) => setTimeout(done, pause)); else show("Try later");
        }}""",
    "an empty list": f"{LOAD} show(list(response.ok ? await response.json() : {{ animals: [] }}));",
    "loading": f"{LOAD} if (response.ok) show(list(await response.json()));",
    "a blank page": f"{LOAD} if (!response.ok) document.body.remove(); {READ} show(list(body));",
    "undefined": f"{LOAD} {READ} show(`${{body.animals?.length}} animals`); show(list(body));",
    "another call": 'show(String((await get("/version")).ok));',
    "no call": 'show("Hello");',
}
GREEN = ("a message", "an alert", "a message after retries")
CONFIG = """\
import config from "./playwright.config";

export default {
  ...config,
  webServer: undefined,
  workers: 2,
  timeout: 60_000, // for busy machines
  expect: { timeout: 20_000 },
  grep: /says that/,
  reporter: [["json", { outputFile: "report.json" }]],
  use: {
    ...config.use,
    baseURL: process.env.APP_URL,
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] },
  },
  projects: APPS.map((name) => ({ name, use: { userAgent: name } })),
};
"""


def test_it_is_red_for_an_app_that_stays_silent(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each app is a project of Playwright, which the server knows by its browser's name."""
    install_kit(here)
    (here / "package.json").write_text('{"type": "module", "devDependencies": {"vite": "8"}}')
    monkeypatch.setattr(sys, "argv", ["node_modules/mockpets/mockpets.pyz"])
    assert main(["init", "--contract", str(CLINIC)]) == 0
    (here / "apps.config.ts").write_text(CONFIG.replace("APPS", json.dumps([*APPS])))
    spec = here / "tests/errors.spec.ts"
    text = spec.read_text()
    assert 'const LIST = "listAnimals";' in text
    assert text.count("15_000") == 1
    spec.write_text(text.replace("15_000", "5_000"))

    settings = Settings(
        port=0,
        sessions="declared",
        contract=(str(CLINIC),),
        scenarios_dir=(Path("mock/scenarios"),),
    )
    with MockpetsServer(settings) as server:

        def respond(_: str, headers: Mapping[str, str]) -> tuple[str, str]:
            [name] = (text for name, text in headers.items() if name.lower() == "user-agent")
            page = PAGE.replace("APP\n", APPS.get(name, "")).replace("MOCK", server.url)
            return "text/html; charset=utf-8", page

        with serving(respond) as url:
            variables = {"MOCKPETS_URL": server.url, "APP_URL": url, "HOME": str(here)}
            variables["CHROMIUM"] = need("chromium-headless-shell")
            command = (need("playwright"), "test", "--config", "apps.config.ts", "errors")
            done = run_within(500, here, *command, **variables)

    report = json.loads((here / "report.json").read_text())
    specs = report["suites"][0]["suites"][0]["specs"]
    results = {test["projectName"]: test["results"][-1] for each in specs for test in each["tests"]}
    statuses = {name: result["status"] for name, result in results.items()}
    expected = {name: "passed" if name in GREEN else "failed" for name in APPS}
    assert statuses == {**expected, "no call": "skipped"}, done.stdout

    [error] = results["an empty list"]["errors"]
    assert "the page shows nothing new with listAnimals:" in error["message"]
    [error] = results["another call"]["errors"]
    assert "name an operation that the page calls as LIST" in error["message"]
    [printed] = results["no call"]["stderr"]
    reason = "no request to the mock; its base URL is VITE_API_URL"
    assert printed["text"] == f"skipped: {reason}\n"
