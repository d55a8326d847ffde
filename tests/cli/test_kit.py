"""The command `kit`, also in a project that uses Playwright."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from mockpets.cli.main import main
from mockpets.kit import INTEGRATIONS
from mockpets.packaged_data import shipped
from tests.programs import NODE_MODULES, need

CLIENT = ["package.json", "client.js", "client.d.ts", "control.d.ts", "scenarios.d.ts"]
SSR = ["package.json", "ssr.js", "ssr.d.ts"]
SHARED = ["shared.js", "server.js", "server.d.ts"]
STATES = ["scenarios.js", "states.js", "states.d.ts"]
REPORTER = ["states-reporter.js", "states-reporter.d.ts"]
PLAYWRIGHT = [*SHARED, *STATES, *REPORTER, "playwright.js", "playwright.d.ts"]
VITEST = [
    *("shared.js", "requests.js", "server.js", "server.d.ts"),
    *(*STATES, "vitest.js", "vitest.d.ts"),
]
STORYBOOK = ["shared.js", "requests.js", "storybook.js", "storybook.d.ts"]
CYPRESS = ["shared.js", "cypress.js", "cypress.d.ts"]
HEADER = (
    f'// mockpets {version("mockpets")}: written by "mockpets kit"; '
    "run it again instead of editing this file"
)
SPEC = """\
import { expect, test } from "./e2e/mock/playwright";

test("a missing pet", async ({ mock }) => {
  await mock.use("tired-cat");
  const headers = { Authorization: `Bearer ${mock.key}` };
  const response = await fetch(`${mock.baseUrl}/pets/3`, { headers });
  expect(response.status).toBe(404);
  await expect(mock).toHaveReceived({ operation: "getPet" }, 1);
});
"""
TIRED_CAT = """\
description: Pet 3 is missing.
stubs:
  - match: {operation: getPet, petId: 3}
    reply: {error: pet_not_found}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to an empty folder in which `mockpets` on the PATH is the tested program."""
    for name in os.environ:
        if name.startswith("MOCKPETS_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def kit(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str], list[str]]:
    """Run the command; return its status and the lines of both outputs."""
    status = main(["kit", *arguments])
    out, err = capsys.readouterr()
    return status, out.splitlines(), err.splitlines()


def scenario_file(path: str, text: str = TIRED_CAT) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)


def contents(folder: str = ".") -> dict[str, str]:
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {path.as_posix(): path.read_text() for path in files}


# --- Write ------------------------------------------------------------------------------------


def test_the_client_is_written_with_a_header(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = kit(capsys, "--out", "test/mock")

    assert (status, err) == (0, [])
    assert out == [
        *(f"wrote test/mock/{name}" for name in CLIENT),
        'use it    in test/pets.spec.ts: import { Mockpets } from "./mock/client";',
        "check it  mockpets kit --out test/mock --check",
    ]
    written = contents()
    assert written.keys() == {f"test/mock/{name}" for name in CLIENT}
    for name in CLIENT[1:]:
        head, disabled, empty, *_ = written[f"test/mock/{name}"].splitlines()
        assert (head, disabled, empty) == (HEADER, "/* eslint-disable */", "")
    source = (shipped("kit") / "client.js").read_text(encoding="utf-8")
    assert written["test/mock/client.js"].endswith(source)
    assert json.loads(written["test/mock/package.json"]) == {
        "description": f"{HEADER[3:].partition(';')[0]}; the files here are ES modules".replace(
            '"', "'"
        ),
        "type": "module",
    }


def test_playwright_gets_its_fixtures_and_a_configuration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = kit(capsys, "--out", "mock", "--playwright")

    assert (status, err) == (0, [])
    assert out[5:] == [
        *(f"wrote mock/{name}" for name in PLAYWRIGHT),
        "wrote playwright.config.ts",
        'use it    in pets.spec.ts: import { expect, test } from "./mock/playwright";',
        "check it  mockpets kit --out mock --playwright --check",
    ]
    assert contents()["playwright.config.ts"].splitlines() == [
        'import { defineConfig } from "@playwright/test";',
        'import { webServer } from "./mock/playwright";',
        "export default defineConfig({ fullyParallel: true, webServer: webServer() });",
    ]


def test_an_app_gets_the_function_for_its_server_without_a_client(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, err = kit(capsys, "--out", "src/mockpets", "--ssr")

    assert (status, err) == (0, [])
    assert out == [
        *(f"wrote src/mockpets/{name}" for name in SSR),
        'use it    in src/api.ts: import { withSession } from "./mockpets/ssr";',
        "check it  mockpets kit --out src/mockpets --ssr --check",
    ]
    assert kit(capsys, *out[-1].split()[4:])[:2] == (0, ["3 files are up to date"])


def test_a_folder_with_tests_has_one_client_for_all_parts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The order in which the parts are written does not matter."""
    kit(capsys, "--out", "one", "--ssr")
    kit(capsys, "--out", "one")  # part of an app: no client is added
    kit(capsys, "--out", "two")
    Path("two/client.d.ts").unlink()
    kit(capsys, "--out", "two", "--ssr")
    kit(capsys, "--out", "three", "--playwright", "--ssr")

    assert {*contents("one")} == {f"one/{name}" for name in SSR}
    assert {*contents("two")} == {f"two/{name}" for name in {*CLIENT, *SSR}}
    assert {*contents("three")} == {f"three/{name}" for name in {*CLIENT, *SSR, *PLAYWRIGHT}}


def test_vitest_gets_its_files_and_the_lines_to_add(capsys: pytest.CaptureFixture[str]) -> None:
    scenario_file("scenarios/tired-cat.yaml")
    status, out, err = kit(
        capsys, "--out", "tests/mock", "--vitest", "--scenarios-dir", "scenarios"
    )

    assert (status, err) == (0, [])
    assert out[5:] == [
        *(f"wrote tests/mock/{name}" for name in VITEST),
        "add the server as tests/server.ts:",
        '  import { startServer } from "./mock/server";',
        '  export default () => startServer({ args: "--scenarios-dir scenarios" });',
        "add both to the configuration of Vitest:",
        '  test: { globalSetup: "./tests/server.ts", setupFiles: "./tests/mock/vitest.js" }',
        'use it    in tests/pets.test.ts: import { useMockpets } from "./mock/vitest";',
        "check it  mockpets kit --out tests/mock --vitest --scenarios-dir scenarios --check",
    ]


@pytest.mark.parametrize("config", ["vitest.config.ts", "vite.config.mjs"])
def test_a_configuration_of_vitest_that_has_the_lines_needs_nothing(
    capsys: pytest.CaptureFixture[str], config: str
) -> None:
    Path(config).write_text('export default { test: { setupFiles: ["./mock/vitest.js"] } };\n')
    _, out, _ = kit(capsys, "--out", "mock", "--vitest")

    assert len(out) == len([*CLIENT, *VITEST]) + 2


def test_storybook_gets_its_loader(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = kit(capsys, "--out", "tests/mock", "--storybook")

    assert (status, err) == (0, [])
    assert out[5:] == [
        *(f"wrote tests/mock/{name}" for name in STORYBOOK),
        "use it    in .storybook/preview.ts: "
        'import { mockpetsLoader } from "../tests/mock/storybook";',
        "check it  mockpets kit --out tests/mock --storybook --check",
    ]
    assert contents().keys() == {f"tests/mock/{name}" for name in [*CLIENT, *STORYBOOK]}


def test_cypress_gets_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = kit(capsys, "--out", "cypress/mockpets", "--cypress")

    assert (status, err) == (0, [])
    assert out[5:] == [
        *(f"wrote cypress/mockpets/{name}" for name in CYPRESS),
        'use it    in cypress/support/e2e.ts: import "../mockpets/cypress";',
        "check it  mockpets kit --out cypress/mockpets --cypress --check",
    ]


@pytest.mark.parametrize("suffix", ["ts", "js", "mts", "mjs", "cts", "cjs"])
def test_an_existing_configuration_stays_and_the_lines_to_add_are_shown(
    capsys: pytest.CaptureFixture[str], suffix: str
) -> None:
    Path(f"playwright.config.{suffix}").write_text("export default {};\n")

    _, out, _ = kit(capsys, "--out", "../mock", "--playwright")

    assert contents() == {f"playwright.config.{suffix}": "export default {};\n"}
    assert out[-5:-2] == [
        f"add the server to playwright.config.{suffix}:",
        '  import { webServer } from "../mock/playwright";',
        "  export default defineConfig({ fullyParallel: true, webServer: webServer() });",
    ]


def test_a_configuration_that_has_the_server_needs_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kit(capsys, "--out", "mock", "--playwright")
    before = contents()
    status, out, _ = kit(capsys, "--out", "mock", "--playwright")

    assert status == 0 and len(out) == 2 + len([*CLIENT, *PLAYWRIGHT])
    assert contents() == before


def test_the_configuration_names_a_mockpets_that_is_not_on_the_path(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """First one in a virtual environment of the project, then one elsewhere."""
    monkeypatch.setenv("PATH", "")
    bin_folder = Path(".venv/bin").absolute()
    bin_folder.mkdir(parents=True)
    (bin_folder / "mockpets").write_text("")
    (bin_folder / "mockpets").chmod(0o755)
    elsewhere = sys.executable
    monkeypatch.setattr(sys, "executable", str(bin_folder / "python"))
    kit(capsys, "--out", "mock", "--playwright")
    inside = Path("playwright.config.ts").read_text()
    Path("playwright.config.ts").unlink()
    monkeypatch.setattr(sys, "executable", elsewhere)
    kit(capsys, "--out", "mock", "--playwright")

    assert 'webServer({ command: ".venv/bin/mockpets" })' in inside
    command = f'webServer({{ command: "{Path(elsewhere).with_name("mockpets")}" }})'
    assert command in Path("playwright.config.ts").read_text()


def test_given_settings_are_in_the_configuration_and_in_the_commands(
    capsys: pytest.CaptureFixture[str],
) -> None:
    scenario_file("my scenarios/tired-cat.yaml")
    _, out, _ = kit(capsys, "--out", "mock", "--playwright", "--scenarios-dir", "my scenarios")

    config = Path("playwright.config.ts").read_text()
    assert """webServer({ args: "--scenarios-dir 'my scenarios'" })""" in config
    command = "mockpets kit --out mock --playwright --scenarios-dir 'my scenarios' --check"
    assert out[-1] == f"check it  {command}"


@pytest.mark.parametrize("way", ["option", "variable", "file"])
def test_the_scenario_names_are_those_of_the_repository(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    scenario_file("own/tired-cat.yaml")
    if way == "variable":
        monkeypatch.setenv("MOCKPETS_SCENARIOS_DIR", "own")
    if way == "file":
        Path("mockpets.toml").write_text('scenarios-dir = ["own"]\n')
    kit(capsys, "--out", "mock", *(["--scenarios-dir", "own"] if way == "option" else []))

    names = re.findall(r'"([a-z0-9-]+)"', Path("mock/scenarios.d.ts").read_text().split("=")[1])
    expected = {path.stem for path in shipped("scenarios").iterdir()} | {"tired-cat"}
    assert names == sorted(expected)


def test_problems_of_scenario_files_are_reported_and_their_names_are_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file whose name is invalid has no name that a test could use."""
    scenario_file("own/broken.yaml", "description: d\nstubs: 3\n")
    scenario_file("own/Not Valid.yaml")
    status, _, err = kit(capsys, "--out", "mock", "--scenarios-dir", "own")

    assert status == 0
    named, broken = err
    assert named.startswith("mockpets: own/Not Valid.yaml: the name must be in kebab-case (a-z")
    assert broken.startswith("mockpets: own/broken.yaml:2:8: stubs: must be a list, got 3")
    names = Path("mock/scenarios.d.ts").read_text()
    assert '"broken"' in names and "Not Valid" not in names


def test_files_of_others_are_never_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mock").mkdir()
    Path("mock/client.js").write_text("// mine\n")
    Path("mock/client.d.ts").write_text("")
    status, out, err = kit(capsys, "--out", "mock", "--playwright")

    assert (status, out) == (2, [])
    what = "this file exists, and 'mockpets kit' did not write it"
    hint = "rename it, or choose another folder with --out"
    assert err == [f"mockpets: mock/{name}: {what}; {hint}" for name in CLIENT[1:3]]
    assert contents() == {"mock/client.js": "// mine\n", "mock/client.d.ts": ""}


def test_an_older_version_is_replaced_with_its_playwright_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    kit(capsys, "--out", "mock", "--playwright")
    new = contents()
    for path in map(Path, new):
        path.write_text(path.read_text().replace(version("mockpets"), "0.0.1") + "// old\n")
    Path("playwright.config.ts").unlink()
    del new["playwright.config.ts"]
    status, _, _ = kit(capsys, "--out", "mock")

    assert status == 0
    assert contents() == new, "the user has deleted the configuration"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out: this option is required; see 'mockpets kit --help'"),
        (["--out", "file"], "--out: Directory 'file' is a file"),
        (["--out", "file/mock"], "file/mock/package.json: cannot write this file: Not a directory"),
        (["--out", "mock", "--scenarios-dir", "no"], "--scenarios-dir: "),
        (["--outt", "mock"], "--outt: unknown option; did you mean '--out'?"),
        (["--out", "mock", "mock"], "kit: unexpected argument 'mock'; see 'mockpets kit --help'"),
    ],
)
def test_invalid_calls_are_explained(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    Path("file").write_text("")
    status, out, err = kit(capsys, *arguments)

    assert (status, out) == (2, [])
    assert any(line.startswith(f"mockpets: {message}") for line in err), err


# --- Check ------------------------------------------------------------------------------------


def test_a_fresh_kit_passes_the_check_also_with_crlf(capsys: pytest.CaptureFixture[str]) -> None:
    """Git writes CRLF on Windows."""
    kit(capsys, "--out", "mock", "--playwright")
    crlf = Path("mock/client.js").read_bytes().replace(b"\n", b"\r\n")
    Path("mock/client.js").write_bytes(crlf)
    Path("playwright.config.ts").write_text("changed")
    status, out, err = kit(capsys, "--out", "mock", "--check")

    count = len([*CLIENT, *PLAYWRIGHT])
    assert (status, out, err) == (0, [f"{count} files are up to date"], [])
    assert Path("mock/client.js").read_bytes() == crlf


def test_the_check_names_every_file_and_the_command_that_fixes_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own, current = ("--scenarios-dir", "own"), version("mockpets")
    foreign = "'mockpets kit' did not write this file; rename it, or choose another folder"
    changed = "this file was changed; if a formatter did it, exclude the folder from formatting"
    older = f"out of date: written by mockpets 0.0.1, and this is mockpets {current}"
    scenario_file("own/tired-cat.yaml")
    scenario_file("own/old-cat.yaml")
    kit(capsys, "--out", "mock", "--playwright", *own)
    Path("own/old-cat.yaml").rename("own/new-cat.yaml")
    Path("mock/client.js").unlink()
    for name, text in (("client.d.ts", "own"), ("playwright.d.ts", HEADER + "\nchanged")):
        Path("mock", name).write_text(text)
    control = Path("mock/control.d.ts")
    control.write_text(control.read_text().replace(current, "0.0.1", 1))
    before = contents()
    status, out, err = kit(capsys, "--out", "mock", *own, "--check")

    assert (status, out) == (1, [])
    assert [line.removeprefix("mockpets: ") for line in err] == [
        "mock/client.js: this file is missing",
        f"mock/client.d.ts: {foreign}",
        f"mock/control.d.ts: {older}",
        "mock/scenarios.d.ts: out of date: it lacks 'new-cat' and still has 'old-cat'",
        "mock/scenarios.js: out of date: the names or descriptions of your scenarios have changed, "
        "or a formatter has changed this file",
        f"mock/playwright.d.ts: {changed}",
        "to write these files again, run: mockpets kit --out mock --scenarios-dir own",
    ]
    assert contents() == before

    Path("mock/client.d.ts").unlink()
    assert kit(capsys, "--out", "mock", *own)[0] == 0
    assert kit(capsys, "--out", "mock", *own, "--check")[0] == 0


def test_the_check_of_an_empty_folder_makes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = kit(capsys, "--out", "mock", "--playwright", "--check")

    assert status == 1
    assert err == [
        *(f"mockpets: mock/{name}: this file is missing" for name in [*CLIENT, *PLAYWRIGHT]),
        "mockpets: to write these files again, run: mockpets kit --out mock --playwright",
    ]
    assert contents() == {}


@pytest.mark.parametrize("name", INTEGRATIONS)
def test_the_check_reports_each_missing_file_of_an_integration_without_its_option(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    for missing in (f"{name}.js", f"{name}.d.ts"):
        kit(capsys, "--out", "mock", f"--{name}")
        Path("mock", missing).unlink()
        status, _, err = kit(capsys, "--out", "mock", "--check")

        assert (status, err[0]) == (1, f"mockpets: mock/{missing}: this file is missing")


def test_a_playwright_file_of_the_user_is_not_part_of_the_kit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("mock").mkdir()
    Path("mock/playwright.js").write_text("// mine\n")

    assert kit(capsys, "--out", "mock")[0] == 0
    assert kit(capsys, "--out", "mock", "--check")[0] == 0
    assert Path("mock/playwright.js").read_text() == "// mine\n"


# --- Playwright -------------------------------------------------------------------------------


@pytest.mark.browser
def test_playwright_runs_with_the_written_files_and_configuration(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The configuration starts the server with the scenarios whose names the test may use."""
    playwright = need(str(NODE_MODULES / ".bin/playwright"))  # Python's has the same name
    (here / "node_modules").symlink_to(NODE_MODULES)
    scenario_file("scenarios/tired-cat.yaml")
    kit(capsys, "--out", "e2e/mock", "--playwright", "--scenarios-dir", "scenarios")
    (here / "pets.spec.ts").write_text(SPEC)
    with socket.socket() as reserved:
        reserved.bind(("localhost", 0))
        port = reserved.getsockname()[1]
    run = subprocess.run(
        [playwright, "test"],
        env={**os.environ, "MOCKPETS_URL": f"http://localhost:{port}", "HOME": str(here)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout
