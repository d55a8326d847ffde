"""The kit runs in JavaScript runtimes and test runners, also for packages of the type `commonjs`.

`tests/browser/test_kit.py` runs the same tour in browsers. ``TEST_RUNTIMES`` has the paths of more
runtimes, separated by spaces: another Node, Deno, Bun.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from tests.kit.project import install_kit, write_kit
from tests.programs import need, run_within

pytestmark = pytest.mark.node

TOUR = Path(__file__).with_name("tour.mjs")
IMPORTING = """
import * as kit from "mockpets";
import { tour } from "./tour.mjs";
console.log(JSON.stringify(await tour(kit)));
"""
REQUIRING = """
const kit = require("mockpets");
import("./tour.mjs").then(async ({ tour }) => console.log(JSON.stringify(await tour(kit))));
"""
PLAYWRIGHT_CONFIG = """
import { defineConfig } from "@playwright/test";
import { webServer } from "mockpets/playwright";

export default defineConfig({ testMatch: "*.spec.ts", webServer: webServer() });
"""
PLAYWRIGHT_TEST = """
import { expect, test } from "mockpets/playwright";
import { tour } from "./tour.mjs";
import * as kit from "mockpets";

test("tour", async ({ mock }) => {
  expect((await tour(kit)).at(-1)).toBe("drop");
  await fetch(`${mock.baseUrl}/pets`);
  await expect(mock).toHaveReceived({ operation: "listPets" });
});
"""
VITEST = """
import { expect, test } from "vitest";
import * as kit from "mockpets";
import { tour } from "./tour.mjs";

test("tour", async () => {
  expect((await tour(kit)).at(-1)).toBe("drop");
});
"""
OPTIONS = {"deno": ("run", "--allow-net", "--allow-env"), "bun": ("run",)}
RUNTIMES = ["node", *os.environ.get("TEST_RUNTIMES", "").split()]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in which the kit is installed, of the type that `npm init` chooses."""
    install_kit(tmp_path)
    shutil.copy(TOUR, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "commonjs"}')
    return tmp_path


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start the server that the tour finds by the variable."""
    with MockpetsServer(Settings(port=0)) as running:
        monkeypatch.setenv("MOCKPETS_URL", running.url)
        monkeypatch.delenv("MOCKPETS_CONTROL_TOKEN", raising=False)
        yield


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_client_runs_in_a_runtime(project: Path, runtime: str) -> None:
    program = need(runtime)
    (project / "main.mjs").write_text(IMPORTING)

    check_tour(project, program, *OPTIONS.get(Path(program).name, ()), "main.mjs")


def test_a_commonjs_package_can_require_it_and_import_written_files(project: Path) -> None:
    write_kit(project / "tests/mockpets")
    (project / "main.js").write_text(REQUIRING)
    (project / "main.mjs").write_text(
        IMPORTING.replace('"mockpets"', '"./tests/mockpets/client.js"')
    )

    for file in ("main.js", "main.mjs"):
        check_tour(project, need("node"), file)


def check_tour(project: Path, *command: str) -> None:
    ran = run_within(120, project, *command)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert json.loads(ran.stdout)[-1] == "drop"


@pytest.mark.parametrize(("files", "command"), [
    pytest.param(
        {"playwright.config.ts": PLAYWRIGHT_CONFIG, "tour.spec.ts": PLAYWRIGHT_TEST},
        ("playwright", "test", "--reporter=line"),
        marks=pytest.mark.long,
    ),
    ({"tour.test.ts": VITEST}, ("vitest", "run", "--no-color")),
], ids=["playwright", "vitest"])  # fmt: skip
def test_a_test_runner_uses_the_package_from_a_commonjs_package(
    project: Path, files: dict[str, str], command: tuple[str, ...]
) -> None:
    for name, text in files.items():
        (project / name).write_text(text)

    ran = run_within(120, project, need(command[0]), *command[1:])

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout
