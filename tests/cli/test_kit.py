"""The command `kit`, also in a project that uses Playwright."""

import json
import os
import re
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from mockpets.packaged_data import shipped

Kit = Any
CLIENT = [
    *("package.json", "client.js", "client.d.ts", "connection.js", "connection.d.ts"),
    *("control.js", "control.d.ts", "types.js", "types.d.ts"),
    *("contract.d.ts", "scenarios.d.ts"),
]
SSR = ["package.json", "ssr.js", "ssr.d.ts"]
SHARED = ["shared.js", "scenarios.js"]
SERVER = ["server.js", "server.d.ts"]
STATES = ["states.js", "states.d.ts"]
REPORTER = ["states-reporter.js", "states-reporter.d.ts", "states-sheet.js"]
ORDERS = ["interleavings.js", "orders.js"]
PLAYWRIGHT = [
    *(*SHARED, *SERVER, *STATES, *REPORTER, *ORDERS),
    *("playwright.js", "playwright.d.ts"),
]
VITEST = [*SHARED, "requests.js", *SERVER, *STATES, "vitest.js", "vitest.d.ts"]
STORYBOOK = [*SHARED, "requests.js", "storybook-parameters.d.ts", "storybook.js", "storybook.d.ts"]
CYPRESS = [*SHARED, "cypress-command.d.ts", "cypress.js", "cypress.d.ts"]
HEADER = (
    f'// mockpets {version("mockpets")}: written by "mockpets kit"; '
    "run it again, do not edit; agents: mockpets skill"
)
OUT_OF_DATE = "out of date, or changed by a formatter: exclude the folder from formatting"
TIRED_CAT = """\
description: Pet 3 is missing.
stubs:
  - match: {operation: getPet, params: {petId: 3}}
    reply: {error: pet_not_found}
"""


@pytest.fixture(autouse=True)
def _program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the tested program on the PATH."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def kit(run: Any) -> Any:
    """Return a function that runs the command; see `run`."""
    return partial(run, "kit")


def scenario_file(path: str, text: str = TIRED_CAT) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text(text)


def contents(folder: str = ".") -> dict[str, str]:
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    return {path.as_posix(): path.read_text() for path in files}


# --- Write ------------------------------------------------------------------------------------


def test_the_client_is_written_with_a_header(kit: Kit) -> None:
    status, out, err = kit("test/mock")

    assert (status, err) == (0, [])
    assert out == [
        *(f"wrote test/mock/{name}" for name in CLIENT),
        "check the kit  mockpets kit test/mock --check",
    ]
    written = contents()
    assert written.keys() == {f"test/mock/{name}" for name in CLIENT}
    for name in CLIENT[1:]:
        unchecked = ["// @ts-nocheck: the declarations have the types"]
        head = [HEADER, "/* eslint-disable */", *(unchecked if name.endswith(".js") else []), ""]
        assert written[f"test/mock/{name}"].splitlines()[: len(head)] == head
    source = (shipped("kit") / "client.js").read_text(encoding="utf-8")
    assert written["test/mock/client.js"].endswith(source)
    assert json.loads(written["test/mock/package.json"]) == {
        "description": f"{HEADER[3:].partition(';')[0]}; the files here are ES modules".replace(
            '"', "'"
        ),
        "type": "module",
    }


def test_playwright_gets_its_fixtures_and_a_configuration(kit: Kit) -> None:
    status, out, err = kit("mock", "--playwright")

    assert (status, err) == (0, [])
    assert out[len(CLIENT) :] == [
        *(f"wrote mock/{name}" for name in PLAYWRIGHT),
        "wrote playwright.config.ts",
        "check the kit  mockpets kit mock --check",
    ]
    assert contents()["playwright.config.ts"].splitlines() == [
        'import { defineConfig } from "@playwright/test";',
        'import { webServer } from "./mock/playwright";',
        "export default defineConfig({",
        "  fullyParallel: true,",
        '  // use: { baseURL: "http://localhost:5173" }, // your app',
        "  webServer: webServer(),",
        "});",
    ]


@pytest.mark.parametrize(
    ("option", "files"),
    [("ssr", SSR), ("storybook", [*CLIENT, *STORYBOOK]), ("cypress", [*CLIENT, *CYPRESS])],
)
def test_another_integration_gets_its_files(kit: Kit, option: str, files: list[str]) -> None:
    status, out, err = kit("tests/mock", f"--{option}")

    assert (status, err) == (0, [])
    assert out == [
        *(f"wrote tests/mock/{name}" for name in files),
        "check the kit  mockpets kit tests/mock --check",
    ]
    assert contents().keys() == {f"tests/mock/{name}" for name in files}


def test_a_folder_with_tests_has_one_client_for_all_parts(kit: Kit) -> None:
    """The order in which the parts are written does not matter."""
    kit("one", "--ssr")
    kit("one")  # part of an app: no client is added
    kit("two")
    Path("two/client.d.ts").unlink()
    kit("two", "--ssr")
    kit("three", "--playwright", "--ssr")

    assert {*contents("one")} == {f"one/{name}" for name in SSR}
    assert {*contents("two")} == {f"two/{name}" for name in {*CLIENT, *SSR}}
    assert {*contents("three")} == {f"three/{name}" for name in {*CLIENT, *SSR, *PLAYWRIGHT}}


def test_vitest_gets_its_files(kit: Kit) -> None:
    status, out, err = kit("tests/mock", "--vitest")

    assert (status, err) == (0, [])
    assert out[len(CLIENT) :] == [
        *(f"wrote tests/mock/{name}" for name in VITEST),
        "add globalSetup and setupFiles to vitest.config.ts: see the recipe for Vitest",
        "check the kit  mockpets kit tests/mock --check",
    ]


@pytest.mark.parametrize("suffix", ["ts", "cjs"])
def test_an_existing_configuration_stays_and_the_lines_to_add_are_shown(
    kit: Kit, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("app").mkdir()
    monkeypatch.chdir("app")
    Path(f"playwright.config.{suffix}").write_text("export default {};\n")

    _, out, _ = kit("../mock", "--playwright")

    assert contents() == {f"playwright.config.{suffix}": "export default {};\n"}
    assert out[-8:-1] == [
        f"add the server to playwright.config.{suffix}:",
        '  import { webServer } from "../mock/playwright";',
        "  export default defineConfig({",
        "    fullyParallel: true,",
        '    // use: { baseURL: "http://localhost:5173" }, // your app',
        "    webServer: webServer(),",
        "  });",
    ]


def test_a_configuration_that_has_the_server_needs_nothing(kit: Kit) -> None:
    kit("mock", "--playwright")
    before = contents()
    status, out, _ = kit("mock", "--playwright")

    assert status == 0 and len(out) == 1 + len([*CLIENT, *PLAYWRIGHT])
    assert contents() == before


def test_an_option_that_a_configuration_lacks_is_shown(kit: Kit) -> None:
    kit("mock", "--playwright")
    scenario_file("mine/tired-cat.yaml")
    _, out, _ = kit("mock", "--playwright", "--scenarios-dir", "mine")

    assert out[-3:-1] == ["    }),", "  });"] and '      args: "--scenarios-dir mine",' in out


def test_no_written_file_has_a_path_of_this_machine(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # where mockpets is not
    kit("mock", "--playwright", "--vitest")

    assert "webServer: webServer()," in Path("playwright.config.ts").read_text()
    assert not [name for name, text in contents().items() if str(Path.cwd()) in text]


def test_given_settings_are_in_the_configuration_and_in_the_commands(kit: Kit) -> None:
    scenario_file("my scenarios/tired-cat.yaml")
    _, out, _ = kit("mock", "--playwright", "--scenarios-dir", "my scenarios")

    assert out[-1] == "check the kit  mockpets kit mock --check"
    config = Path("playwright.config.ts").read_text()
    args = """    args: "--scenarios-dir 'my scenarios'",\n"""
    assert f"  webServer: webServer({{\n{args}  }}),\n" in config
    _, _, err = kit("other", "--vitest", "--scenarios-dir", "my scenarios", "--check")
    command = "mockpets kit other --vitest --scenarios-dir 'my scenarios'"
    assert err[-1] == f"mockpets: to write these files again, run: {command}"


def test_the_scenario_names_are_those_of_the_repository(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario_file("own/tired-cat.yaml")
    monkeypatch.setenv("MOCKPETS_SCENARIOS_DIR", "own")
    kit("mock")

    names = re.findall(r'"([a-z0-9-]+)"', Path("mock/scenarios.d.ts").read_text().split("=")[1])
    expected = {path.stem for path in shipped("scenarios").iterdir()} | {"tired-cat"}
    assert (names[0], sorted(names)) == ("tired-cat", sorted(expected))


def test_problems_of_scenario_files_are_reported_and_their_names_are_kept(kit: Kit) -> None:
    """A file whose name is invalid has no name that a test could use."""
    scenario_file("own/broken.yaml", "description: d\nstubs: 3\n")
    scenario_file("own/Not Valid.yaml")
    status, _, err = kit("mock", "--scenarios-dir", "own")

    assert status == 0
    named, broken = err
    assert named.startswith("mockpets: own/Not Valid.yaml: the name must be in kebab-case (a-z")
    assert broken.startswith("mockpets: own/broken.yaml:2:8: stubs: must be a list, got 3")
    names = Path("mock/scenarios.d.ts").read_text()
    assert '"broken"' in names and "Not Valid" not in names


def test_the_npm_package_writes_only_types_unless_a_tool_is_named(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["node_modules/mockpets/mockpets.pyz"])
    assert kit("tests")[:2] == (
        0,
        ["wrote tests/mockpets.d.ts", "check the kit  npx mockpets kit tests --check"],
    )
    assert kit("tests", "--check") == (0, ["1 file is up to date"], [])
    assert kit("lib", "--ssr")[0] == 0
    assert kit("lib", "--check") == (0, ["3 files are up to date"], [])
    Path("package.json").write_text("{}")
    assert kit()[1][0] == "wrote mockpets.d.ts"


def test_types_are_one_file_that_formatters_may_change(kit: Kit) -> None:
    own = (
        "description: d\nstubs: [{hold: checkout}, {hold: empty}]\nresources: [{path: /v1/carts}]\n"
    )
    scenario_file("own/held-cat.yaml", own)
    scenario_file("own/empty.yaml", "description: d\n")
    status, out, err = kit("--types", "--scenarios-dir", "own")

    assert (status, err) == (0, [])
    assert out == ["wrote mockpets.d.ts", "check the kit  mockpets kit . --check"]
    text = Path("mockpets.d.ts").read_text()
    shipped, rest = text.split("    gates:")
    assert shipped.splitlines()[:7] == [
        HEADER,
        "// options: --scenarios-dir=own",
        "export {};",
        "",
        'declare module "mockpets" {',
        "  interface Register {",
        "    scenarios:",
    ]
    assert {'      | "held-cat"', '      | "sold-out"'} < {*shipped.replace(";", "").splitlines()}
    held = ' "checkout" | "empty" | "loading";\n    resources: "carts";\n  }\n}\n'
    assert rest == held, "the npm package has the types of the built-in contract"
    changed = text.replace("  ", "\t").replace('"', "'").replace(";", "")
    Path("mockpets.d.ts").write_text(changed)
    assert kit("--types", "--check") == (0, ["1 file is up to date"], [])
    assert kit(".", "--check")[0] == 0
    Path("own/held-cat.yaml").unlink()
    long = [f"{letter}{'-long-cat' * 4}" for letter in "ab"]
    for name in long:
        scenario_file(f"own/{name}.yaml", "description: d\n")
    again = "mockpets: to write these files again, run: mockpets kit . --types"
    assert kit("--types", "--check") == (
        *(1, []),
        [f"mockpets: mockpets.d.ts: {OUT_OF_DATE}", again],
    )
    assert kit("--types")[0] == 0
    assert f'\n      | "{long[0]}"\n      | "{long[1]}"' in Path("mockpets.d.ts").read_text()
    Path("mockpets.d.ts").write_text(changed.replace("=own", "=own '"))
    assert kit("--types")[2][0].startswith("mockpets: mockpets.d.ts: options: must be a list of")
    Path("mockpets.d.ts").write_text("export {};\n")
    what = "this file exists, and 'mockpets kit' did not write it"
    assert kit("--types")[2][0].startswith(f"mockpets: mockpets.d.ts: {what}")


def test_files_of_others_are_never_overwritten(kit: Kit) -> None:
    Path("mock").mkdir()
    Path("mock/client.js").write_text("// mine\n")
    Path("mock/client.d.ts").write_text("")
    status, out, err = kit("mock", "--playwright")

    assert (status, out) == (2, [])
    what = "this file exists, and 'mockpets kit' did not write it"
    hint = "rename it, or choose another folder"
    assert err == [f"mockpets: mock/{name}: {what}; {hint}" for name in CLIENT[1:3]]
    assert contents() == {"mock/client.js": "// mine\n", "mock/client.d.ts": ""}


def test_files_are_never_written_through_links(kit: Kit) -> None:
    Path("mock").mkdir()
    Path("mock/client.js").symlink_to("../outside.js")
    Path("playwright.config.ts").symlink_to("outside.ts")
    what = "this file exists, and 'mockpets kit' did not write it"
    hint = "rename it, or choose another folder"
    status, out, err = kit("mock", "--playwright")
    assert (status, out, err) == (2, [], [f"mockpets: mock/client.js: {what}; {hint}"])

    kit("other")
    original = Path("other/client.js").read_text() + "// changed\n"
    Path("other/client.js").write_text(original)
    Path("mock/client.js").unlink()
    Path("mock/client.js").symlink_to("../other/client.js")
    status, out, _ = kit("mock", "--playwright")

    assert status == 0
    assert "add the server to playwright.config.ts:" in out
    assert not Path("outside.js").exists()
    assert not Path("outside.ts").exists()
    assert Path("other/client.js").read_text() == original
    assert not Path("mock/client.js").is_symlink()


def test_an_older_version_is_replaced_with_its_playwright_files(kit: Kit) -> None:
    kit("mock", "--playwright")
    new = contents()
    for path in map(Path, new):
        end = "\n" if path.suffix == ".json" else "// old\n"
        path.write_text(path.read_text().replace(version("mockpets"), "0.0.1") + end)
    Path("playwright.config.ts").unlink()
    del new["playwright.config.ts"]
    status, _, _ = kit("mock")

    assert status == 0
    assert contents() == new, "the user has deleted the configuration"


def test_only_regular_files_are_read(kit: Kit) -> None:
    """A FIFO would wait for a writer, and a link to a device never end."""
    Path("mock").mkdir()
    Path("mock/client.js").symlink_to("/dev/zero")
    error = "mockpets: mock/client.js: cannot read this file: it is not a regular file"
    assert kit("mock") == kit("mock", "--check") == (2, [], [error])

    Path("mock/client.js").unlink()
    os.mkfifo("mock/client.js")
    assert kit("mock") == (2, [], [error])


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems reject such names")
def test_a_path_that_is_not_utf_8_is_rejected(kit: Kit) -> None:
    folder = os.fsdecode(b"\xff")
    Path(folder).mkdir()
    status, _, err = kit("mock", "--scenarios-dir", folder)

    what = "cannot write this file: a path in it is not UTF-8; rename the folder"
    assert (status, err) == (2, [f"mockpets: mock/package.json: {what}"])
    assert not Path("mock").exists()


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "DIR: this argument is required; see 'mockpets kit --help'"),
    ([""], "DIR: must be a folder such as tests/mockpets, got ''"),
    (["file"], "[DIR]: Directory 'file' is a file"),
    (["file/mock"], "file/mock/package.json: cannot write this file: Not a directory"),
    (["--types", "--ssr"], "--types: cannot be combined with --ssr; the npm package has all"),
    (["mock", "--scenarios-dir", ""], "--scenarios-dir: must be an existing folder"),
])  # fmt: skip
def test_invalid_calls_are_explained(kit: Kit, arguments: list[str], message: str) -> None:
    Path("file").write_text("")
    status, out, err = kit(*arguments)

    assert (status, out) == (2, [])
    assert any(line.startswith(f"mockpets: {message}") for line in err), err


# --- Stored options ---------------------------------------------------------------------------


@pytest.mark.parametrize("folder", ["one/mock", "../mock", "absolute"])
def test_the_folder_alone_repeats_the_options_from_every_working_directory(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """Also an absolute path becomes a relative one, which other machines have too."""
    Path("app").mkdir()
    monkeypatch.chdir("app")  # the folder above is this test's own
    scenario_file("my own/tired-cat.yaml")
    Path("other.toml").write_text('scenario = ["empty"]\n')
    own = str(Path("my own").absolute()) if folder == "absolute" else "my own"
    here = Path.cwd()
    options = ("--playwright", "--ssr", "--scenarios-dir", own, "--config", "other.toml")
    kit(folder, *options)
    out = Path(folder).resolve()
    before = contents(str(out))

    assert '"tired-cat"' in before[f"{out}/scenarios.d.ts"]
    assert str(here) not in before[f"{out}/package.json"]
    assert kit(folder)[0] == 0
    assert contents(str(out)) == before
    (here / "inner").mkdir()
    monkeypatch.chdir("inner")
    relative = os.path.relpath(out)
    assert kit(relative, "--check")[::2] == (0, [])
    assert kit(relative)[0] == 0
    assert contents(str(out)) == before


def test_a_given_option_replaces_the_stored_one(kit: Kit) -> None:
    for folder in ("a", "b"):
        scenario_file(f"{folder}/cat-{folder}.yaml")
    kit("mock", "--vitest", "--scenarios-dir", "a")
    status, _, err = kit("mock", "--scenarios-dir", "b", "--check")

    changed = ("package.json", "scenarios.d.ts", "scenarios.js")
    assert status == 1
    assert err == [
        *(f"mockpets: mock/{name}: {OUT_OF_DATE}" for name in changed),
        "mockpets: to write these files again, run: mockpets kit mock --scenarios-dir b",
    ]
    kit("mock", "--scenarios-dir", "b", "--vitest")
    assert kit("mock", "--check")[0] == 0


@pytest.mark.parametrize(("options", "message"), [
    ('["--scenarios-dir=../gone"]',
     "--scenarios-dir: must be an existing folder, got 'gone'; mock/package.json stores "
         "this option: give it again, with the current path"),
    ('["--config=../gone.toml"]',
     "--config gone.toml: file not found; mock/package.json stores this option: give it "
         "again, with the current path"),
    ('["--vitets"]',
     "mock/package.json: mockpets.options: unknown option '--vitets'; did you mean '--vitest'?"),
    ("[3]", "mock/package.json: mockpets.options: must be a list of texts such as"),
    ("[" * 100_000, "mock/package.json: mockpets.options: must be a list of texts such as"),
])  # fmt: skip
def test_invalid_stored_options_are_explained(kit: Kit, options: str, message: str) -> None:
    kit("mock", "--vitest")
    package = Path("mock/package.json")
    stored = package.read_text()
    package.write_text(re.sub(r"\[.*\]", options, stored, flags=re.DOTALL))
    before = contents()

    for check in ([], ["--check"]):
        status, out, err = kit("mock", *check)
        assert (status, out, len(err)) == (2, [], 1)
        assert err[0].startswith(f"mockpets: {message}"), err
    assert contents() == before


# --- Check ------------------------------------------------------------------------------------


def test_a_fresh_kit_passes_the_check_also_with_crlf(kit: Kit) -> None:
    """Git writes CRLF on Windows."""
    kit("mock", "--playwright")
    crlf = Path("mock/client.js").read_bytes().replace(b"\n", b"\r\n")
    Path("mock/client.js").write_bytes(crlf)
    Path("playwright.config.ts").write_text("changed")
    status, out, err = kit("mock", "--check")

    count = len([*CLIENT, *PLAYWRIGHT])
    assert (status, out, err) == (0, [f"{count} files are up to date"], [])
    assert Path("mock/client.js").read_bytes() == crlf


def test_the_check_names_every_file_and_the_command_that_fixes_it(kit: Kit) -> None:
    own = ("--scenarios-dir", "own")
    foreign = "'mockpets kit' did not write this file; rename it, or choose another folder"
    scenario_file("own/tired-cat.yaml")
    scenario_file("own/old-cat.yaml")
    kit("mock", "--playwright", *own)
    Path("own/old-cat.yaml").rename("own/new-cat.yaml")
    Path("mock/client.js").unlink()
    for name, text in (("client.d.ts", "own"), ("playwright.d.ts", HEADER + "\nchanged")):
        Path("mock", name).write_text(text)
    control = Path("mock/control.d.ts")
    control.write_text(control.read_text().replace(version("mockpets"), "0.0.1", 1))
    before = contents()
    status, out, err = kit("mock", *own, "--check")

    assert (status, out) == (1, [])
    assert [line.removeprefix("mockpets: ") for line in err] == [
        "mock/client.js: this file is missing",
        f"mock/client.d.ts: {foreign}",
        f"mock/control.d.ts: {OUT_OF_DATE}",
        f"mock/scenarios.d.ts: {OUT_OF_DATE}",
        f"mock/scenarios.js: {OUT_OF_DATE}",
        f"mock/playwright.d.ts: {OUT_OF_DATE}",
        "to write these files again, run: mockpets kit mock --scenarios-dir own",
    ]
    assert contents() == before

    Path("mock/client.d.ts").unlink()
    assert kit("mock", *own)[0] == 0
    assert kit("mock", *own, "--check")[0] == 0


def test_a_playwright_file_of_the_user_is_not_part_of_the_kit(kit: Kit) -> None:
    Path("mock").mkdir()
    Path("mock/playwright.js").write_text("// mine\n")

    assert kit("mock")[0] == 0
    assert kit("mock", "--check")[0] == 0
    assert Path("mock/playwright.js").read_text() == "// mine\n"
