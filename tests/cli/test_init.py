"""The command `init` in a front-end repository; `tests/test_release.py` runs its test."""

import json
import os
import re
import shlex
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from mockpets import MockpetsServer, Settings
from tests.cli.test_kit import contents
from tests.kit.project import install_kit
from tests.pages import serving
from tests.programs import need, run_within

Init = Any
PACKAGE = {"name": "shop", "devDependencies": {"vite": "8", "@playwright/test": "1"}}
SCENARIO = "mock/scenarios/create-pet-400.yaml"
NEW = {
    *("mockpets.toml", SCENARIO, "tests/errors.spec.ts", "tests/seed.spec.ts"),
    *("tests/tsconfig.json", ".github/workflows/playwright.yml", "playwright.config.ts"),
    "tests/mockpets.d.ts",
}
CREATED = [
    "  mockpets.toml, playwright.config.ts",
    "  .github/workflows/: playwright.yml",
    "  mock/scenarios/: create-pet-400.yaml",
    "  tests/: errors.spec.ts, seed.spec.ts, tsconfig.json, mockpets.d.ts",
]
SCRIPT = '"mock": "mockpets serve"'
CHANGED = [
    f"  package.json: {SCRIPT}",
    "  .env.development: VITE_API_URL=http://localhost:7387/v1",
    "  .gitignore: test-results/",
]
READ = ["read first:", "  tests/errors.spec.ts", f"  {SCENARIO}"]
LAST = [
    "next:",
    "  npx playwright install chromium",
    "  npx playwright test",
    "for coding agents: npx mockpets skill --install",
]


@pytest.fixture
def init(run: Any, monkeypatch: pytest.MonkeyPatch) -> Init:
    """Return a function that runs the command as the npm package does, in a Vite project."""
    Path("package.json").write_text(json.dumps(PACKAGE, indent="\t"))
    monkeypatch.setattr(sys, "argv", ["node_modules/mockpets/mockpets.pyz"])
    return partial(run, "init")


def test_it_writes_what_it_has_shown_and_a_second_run_changes_nothing(init: Init) -> None:
    before = contents()
    status, shown, err = init("--dry-run")
    assert (status, err, contents()) == (0, [], before)
    assert shown == ["would create:", *CREATED, "would change:", *CHANGED, *LAST]

    status, out, err = init()
    assert (status, err) == (0, [])
    assert out == ["created:", *CREATED, "changed:", *CHANGED, *READ, *LAST]
    written = contents()
    assert written.keys() == NEW | {line.partition(":")[0].strip() for line in CHANGED}
    package = {**PACKAGE, "scripts": json.loads(f"{{{SCRIPT}}}")}
    assert written["package.json"] == json.dumps(package, indent="\t") + "\n"
    job = yaml.safe_load(written[".github/workflows/playwright.yml"])
    steps = [step.get("run") for step in job["jobs"]["playwright"]["steps"]]
    assert "npx mockpets kit tests --check" in steps
    assert str(Path.cwd()) not in str(written)

    assert init() == (0, ["nothing to write: this repository is set up", *LAST], [])
    assert contents() == written


def test_your_own_files_stay_and_you_see_what_to_add(init: Init) -> None:
    own = {
        "playwright.config.mts": "export default {};\n",
        "tests/errors.spec.ts": "",
        ".gitlab-ci.yml": "a: 1\n",
        ".env.development": "VITE_API_URL=https://staging.example/v1",
        ".gitignore": "/test-results",
        "package.json": '{"scripts": {"mock": "mine"}}',
    }
    Path("tests").mkdir()
    for name, text in own.items():
        Path(name).write_text(text)
    before = contents()
    _, shown, _ = init("--dry-run")
    assert contents() == before
    status, out, err = init()

    assert (status, err) == (0, [])
    assert {name: contents()[name] for name in own} == own
    new = {"mockpets.toml", SCENARIO, "tests/tsconfig.json", "tests/mockpets.d.ts"}
    assert contents().keys() - own.keys() == {*new, "tests/seed.spec.ts"}
    kept = ["  playwright.config.mts, package.json, .gitignore", "  tests/: errors.spec.ts"]
    end = out.index("read first:")
    assert out[end - 3 : end] == ["kept:", *kept]
    assert shown[shown.index("would keep:") + 1 :][:2] == kept
    assert out[end + 1 : end + 3] == [f"  {SCENARIO}", "add to playwright.config.mts:"]
    assert "  npm install --save-dev @playwright/test" in out[out.index("next:") :]
    assert "    webServer: webServer()," in out[out.index("add to playwright.config.mts:") :]
    assert "add a job to .gitlab-ci.yml: see the recipe 'CI' in the documentation" in out
    assert out[-2] == "  npx playwright test"
    assert "  npx playwright install chromium" not in out, "no page is opened"


def test_what_was_written_before_an_error_is_listed(init: Init) -> None:
    Path("mock").write_text("")
    status, out, err = init()

    assert (status, out) == (2, ["created:", "  mockpets.toml", "  tests/: errors.spec.ts"])
    assert err[0].startswith(f"mockpets: {SCENARIO}: cannot write this file: ")


def test_lines_are_added_below_yours(init: Init) -> None:
    Path(".gitignore").write_text("node_modules")
    Path(".env.development").write_text("# VITE_API_URL=\n")
    assert init()[0] == 0

    assert Path(".gitignore").read_text() == "node_modules\ntest-results/\n"
    assert Path(".env.development").read_text().startswith("# VITE_API_URL=\nVITE_API_URL=http")


YARN_4 = "__metadata:\n  version: 8\n"


@pytest.mark.parametrize(
    ("name", "text", "install", "runner"),
    [
        pytest.param("package-lock.json", "{}", "npm ci", "npx", id="npm"),
        pytest.param("pnpm-lock.yaml", "", "pnpm install --frozen-lockfile", "npx", id="pnpm"),
        pytest.param("yarn.lock", YARN_4, "yarn install --immutable", "yarn", id="Yarn 4"),
        pytest.param(
            "yarn.lock",
            "# THIS IS AN AUTOGENERATED FILE.\n# yarn lockfile v1\n",
            "yarn install --frozen-lockfile",
            "yarn",
            id="Yarn 1",
        ),
    ],
)
def test_ci_and_playwright_use_the_package_manager(
    init: Init, name: str, text: str, install: str, runner: str
) -> None:
    Path(name).write_text(text)
    status, out, err = init()

    assert (status, err) == (0, [])
    job = yaml.safe_load(Path(".github/workflows/playwright.yml").read_text())
    steps = [step["run"] for step in job["jobs"]["playwright"]["steps"] if "run" in step]
    assert steps[0].removeprefix("corepack enable && ") == install
    assert {step.partition(" ")[0] for step in steps[1:]} == {runner}
    assert f'command: "{runner} vite --port 5273' in Path("playwright.config.ts").read_text()
    commands = [f"  {runner} playwright {words}" for words in ("install chromium", "test")]
    assert out[-4:-1] == ["next:", *commands]
    assert init()[1][0] == "nothing to write: this repository is set up"


def test_with_plug_and_play_editors_get_a_schema_that_they_can_open(init: Init) -> None:
    """Yarn installs the package into no `node_modules` of the repository."""
    Path("yarn.lock").write_text(YARN_4)
    Path(".pnp.cjs").write_text("")
    assert init()[0] == 0

    [line] = re.findall("schema=(.*)", Path(SCENARIO).read_text())
    assert json.loads(Path("mock/scenarios", line).read_text())["$schema"]


@pytest.mark.parametrize(("program", "command"), [
    ("mockpets.pyz", "python3 mockpets.pyz"),
    ("my tools/mockpets.pyz", "python3 'my tools/mockpets.pyz'"),
    ("/elsewhere/mockpets.pyz", "mockpets"),
    ("/usr/bin/mockpets", "mockpets"),
])  # fmt: skip
def test_without_the_npm_package_it_writes_the_kit_and_the_command(
    init: Init, monkeypatch: pytest.MonkeyPatch, program: str, command: str
) -> None:
    folder = Path("".join(filter(str.isalnum, program)))
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("package.json").write_text("{}")
    monkeypatch.setattr(sys, "argv", [program])
    status, out, err = init()
    written = contents()

    assert (status, err) == (0, [])
    assert {"tests/mockpets/playwright.js", "mock/scenario.schema.json"} <= written.keys()
    shown = f"{{ command: {json.dumps(command)} }}" if command != "mockpets" else ""
    server = f"webServer({shown})"
    assert server in written["playwright.config.ts"]
    assert './tests/mockpets/playwright"' in written["playwright.config.ts"]
    assert (".github/workflows/playwright.yml" in written) == (command != "mockpets")
    assert ("for CI, choose how to install" in "\n".join(out)) == (command == "mockpets")
    files = len([name for name in written if name.startswith("tests/mockpets/")])
    assert files > 20
    assert f"  tests/mockpets/: {files} files" in out
    assert shlex.split(command)[-1] in written["package.json"]
    monkeypatch.chdir(os.pardir)


@pytest.mark.parametrize(("text", "message"), [
    (None, "package.json: file not found; run this in the folder of your front end"),
    ("{", "package.json: not valid JSON: Expecting property name"),
    ("[" * 100_000, "package.json: not valid JSON: "),
    ("[]", "package.json: must be an object"),
    ('{"scripts": 3}', "package.json: scripts: must be an object"),
])  # fmt: skip
def test_a_package_json_that_cannot_be_used_is_explained(
    init: Init, text: str | None, message: str
) -> None:
    Path("package.json").unlink(missing_ok=True)
    if text is not None:
        Path("package.json").write_text(text)
    status, out, err = init()

    assert (status, out, len(err)) == (2, [], 1)
    assert err[0].startswith(f"mockpets: {message}"), err


def test_it_writes_tests_that_picture_every_state(init: Init) -> None:
    """The reporter is in the configuration, or in the lines to add."""
    assert init("--states")[0] == 0
    reporter = 'reporter: [["list"], ["mockpets/states-reporter"]],'
    assert f"  {reporter}\n" in Path("playwright.config.ts").read_text()
    assert len(Path("tests/states.spec.ts").read_text().splitlines()) == 11
    assert init("--states")[1] == ["nothing to write: this repository is set up", *LAST]

    Path("playwright.config.ts").write_text('import "mockpets/playwright";\n')
    assert not any("reporter" in line for line in init()[1])
    assert f"    {reporter}" in init("--states")[1]

    Path("playwright.config.ts").unlink()
    Path("package.json").write_text("{}")
    url = "set use.baseURL in playwright.config.ts to the URL of your app"
    assert url in init("--states")[1]


@pytest.mark.node
def test_playwright_never_tests_another_app_at_the_port(init: Init) -> None:
    """Nor the same app with another back end, which is why it has a port of its own."""
    install_kit(Path())
    assert init()[0] == 0
    config = Path("playwright.config.ts")
    with (
        serving(lambda *_: ("text/html", "another app")) as url,
        MockpetsServer(Settings(port=0)) as server,
    ):
        config.write_text(config.read_text().replace("http://localhost:5273", url))
        variables = {"MOCKPETS_URL": server.url, "CI": ""}
        done = run_within(60, Path(), need("playwright"), "test", **variables)

    assert done.returncode == 1
    assert f"{url} is already used, make sure that nothing is running" in done.stdout + done.stderr


@pytest.mark.node
@pytest.mark.parametrize(("kind", "flags"), [
    ("module", ["--verbatimModuleSyntax", "--isolatedModules"]),
    pytest.param(
        "commonjs",
        ["--module", "nodenext", "--moduleResolution", "nodenext"],
        marks=pytest.mark.long,
    ),
])  # fmt: skip
def test_prettier_biome_and_the_compiler_accept_what_it_writes(
    init: Init, kind: str, flags: list[str]
) -> None:
    install_kit(Path())
    Path("package.json").write_text(json.dumps({**PACKAGE, "type": kind}))
    Path("biome.json").write_text('{ "formatter": { "indentStyle": "space" } }\n')
    assert init("--states")[0] == 0

    for tool, *options in (
        ("prettier", "--check", "."),
        ("biome", "check", "."),
        ("tsc", "-p", "tests", *flags),
    ):
        command = [need(tool), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
