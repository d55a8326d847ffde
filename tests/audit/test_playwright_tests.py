"""The tests that the audit writes: their texts, and that each fails for its cause only."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
import requests

from mockpets import MockpetsServer, Settings
from mockpets.audit.playwright_run import Run, run_tests
from mockpets.audit.playwright_tests import (
    HELPERS,
    cause_tests,
    fixture_module,
    helpers,
    write_tests,
)
from mockpets.audit.result import Result
from mockpets.errors import InputError
from tests.audit.results import result
from tests.kit.project import write_kit
from tests.pages import serving
from tests.programs import NODE_MODULES, need, need_package, run_within

CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
APP = Path(__file__).with_name("defects.html")
SAVE = [
    {"do": "fill", "locator": 'getByPlaceholder("Name")', "value": "Ada Berg"},
    {"do": "click", "locator": 'getByRole("button", { name: "Save" })'},
]
DEFECTS: dict[str, dict[str, Any]] = {
    "silent": {},
    "silent-dialog": {},
    "silent-action": {"operation": "createOwner", "steps": SAVE},
    "silent-signed-in": {"operation": "getMe", "signed_in": True},
    "stuck": {},
    "looks-empty": {},
    "blank": {},
    "collateral": {"lost": ["TAGS"]},
    "uncaught": {},
    "unhandled-rejection": {"state": "offline"},
    "storm": {},
    "input-lost": {"operation": "createOwner", "steps": SAVE, "state": "422"},
    "double-send": {"operation": "createOwner", "steps": SAVE},
    "raw-exception": {"shown": ["Error: HTTP 500"]},
    "raw-response": {},
    "artefact": {"shown": ["There are undefined animals"]},
    "moved": {},
    "dead-end": {},
    "blank-loading": {"state": "hold"},
}
"""What the finding of each defect has besides its rule; listAnimals:500 unless it says so."""
RULES = [
    *("silent", "stuck", "looks-empty", "blank", "collateral", "uncaught", "unhandled-rejection"),
    *("storm", "input-lost", "double-send", "raw-exception", "raw-response", "artefact", "moved"),
    *("dead-end", "blank-loading"),
]


def defects(email: str = "kim@clinic.example", tags: str = "calm", **changes: Any) -> Result:
    """Return the result of an audit of the app."""
    findings, causes = [], []
    for index, (name, given) in enumerate(DEFECTS.items()):
        rule = max((each for each in RULES if name.startswith(each)), key=len)
        state, operation = given.get("state", "500"), given.get("operation", "listAnimals")
        lost = [text.replace("TAGS", tags) for text in given.get("lost", [])]
        findings.append(
            {
                "rule": rule, "level": "error", "page": f"/{name}", "url": f"/{name}",
                "signed_in": given.get("signed_in", False),
                "action": "Save" if given.get("steps") else None, "steps": given.get("steps", []),
                "operation": operation, "state": state, "expression": f"{operation}:{state}",
                "message": f"The page /{name} is wrong.", "lost": lost,
                "shown": given.get("shown", []), "requests": [], "healthy": "", "failing": "",
            }
        )  # fmt: skip
        causes.append(
            {
                "id": f"{rule}/{name}", "rule": rule, "level": "error", "title": f"{name} is wrong",
                "advice": "Correct it.", "operations": [operation], "pages": [f"/{name}"],
                "findings": [index], "accepted": None, "known": False,
            }
        )  # fmt: skip
    steps = [
        {"do": "fill", "locator": 'getByPlaceholder("E-mail")', "value": email},
        {"do": "fill", "locator": 'getByPlaceholder("Password")', "value": "let-me-in"},
        {"do": "click", "locator": 'getByRole("button", { name: "Log in" })'},
    ]
    matrix = [
        {"page": "/silent", "action": None, "operation": operation, "state": state, "level": "ok"}
        for operation, state in (
            *(("listAnimals", state) for state in ("hold", "empty", "500")),
            *((name, "hold") for name in ("createOwner", "getMe")),
        )
    ]
    return result(
        **{
            "causes": causes,
            "findings": findings,
            "matrix": matrix,
            "signed_in": email,
            "sign_in": {"url": "/log-in", "steps": steps},
            **changes,
        }
    )


# --- Their texts --------------------------------------------------------------------------------


def test_a_test_names_its_cause_and_asserts_what_the_rule_wants(tmp_path: Path) -> None:
    written = write_tests(tmp_path, defects(), None, "../mockpets/playwright")
    assert written.dropped == {}
    assert len(written.kept) == len(DEFECTS)
    assert {path.name for path in written.files} == {path.name for path in tmp_path.iterdir()}
    text = (tmp_path / "looks-empty-looks-empty.spec.ts").read_text()
    assert re.sub(r"mockpets \S+:", "mockpets VERSION:", text) == (
        '// mockpets VERSION: written by "mockpets audit"; '
        "run it again, or rename this file to edit it\n"
        'import { expect, test } from "../mockpets/playwright";\n'
        'import { RETRIES_MS, newLines, usualLines } from "./audit";\n'
        "\n"
        "// looks-empty/looks-empty: looks-empty is wrong\n"
        "// The page /looks-empty is wrong.\n"
        'test("/looks-empty does not look empty with listAnimals:500", '
        "async ({\n"
        "  mock,\n"
        "  page,\n"
        "}) => {\n"
        "  test.setTimeout(60_000);\n"
        '  const act = () => page.goto("/looks-empty");\n'
        "  const usual = await usualLines(mock, page, act, [\n"
        '    "default",\n'
        '    "listAnimals:hold",\n'
        '    "listAnimals:empty",\n'
        "  ]);\n"
        '  await mock.use("listAnimals:500");\n'
        "  await act();\n"
        "  await expect\n"
        "    .poll(() => newLines(page, usual), {\n"
        '      message: "the page looks empty",\n'
        "      timeout: RETRIES_MS,\n"
        "    })\n"
        "    .not.toEqual([]);\n"
        "});\n"
    )


def test_notes_and_accepted_causes_have_no_test() -> None:
    whole = defects()
    whole["causes"][0]["accepted"] = "on purpose"
    whole["causes"][1]["level"] = "note"
    whole["findings"][2]["expression"] = None
    whole["findings"][3]["steps"] = []
    whole["findings"][7]["lost"] = []
    tests, without = cause_tests({**whole, "sign_in": None}, "./fixture")
    assert {"silent/silent", "silent/silent-dialog"}.isdisjoint({each.cause for each in tests})
    stored, _ = cause_tests({**whole, "sign_in": None}, "./fixture", is_stored=True)
    [signed_in] = (each.text for each in stored if each.cause == "silent/silent-signed-in")
    assert "// Set use.storageState to a signed-in state." in signed_in
    assert without == {
        "silent/silent-action": "no expression reproduces it",
        "silent/silent-signed-in": "the test cannot sign in as the audit did",
        "collateral/collateral": "the finding names no text that is missing",
    }


@pytest.mark.parametrize(
    "locator",
    [
        'getByText("x").evaluate("alert(1)")',
        'getByText("x"); process.exit()',
        "getByText(`${process.exit()}`)",
        'getByText("x" + process.exit())',
        "",
    ],
)
def test_a_locator_cannot_be_code(locator: str) -> None:
    whole = defects()
    whole["findings"][2]["steps"] = cast(Any, [{"do": "click", "locator": locator}])
    _, without = cause_tests(whole, "./fixture")
    assert without["silent/silent-action"].startswith("a step has no locator that a test can use")


def test_it_never_overwrites_a_file_of_someone_else(tmp_path: Path) -> None:
    write_tests(tmp_path, defects(), None, "./mockpets/playwright")
    own = tmp_path / "stuck-stuck.spec.ts"
    own.write_text("// my own test\n")
    (tmp_path / HELPERS).unlink()
    with pytest.raises(InputError, match="'mockpets audit' did not write it"):
        write_tests(tmp_path, defects(), None, "./mockpets/playwright")
    assert own.read_text() == "// my own test\n"
    assert not (tmp_path / HELPERS).exists()
    own.unlink()
    write_tests(tmp_path, defects(), None, "./mockpets/playwright")
    assert own.exists()


def test_it_imports_the_kit_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fixture_module(Path("tests/audit")) == "../mockpets/playwright"
    assert fixture_module(Path("e2e")) == "../tests/mockpets/playwright"
    write_kit(Path("e2e/mockpets"))
    assert fixture_module(Path("e2e")) == "./mockpets/playwright"
    Path("node_modules/mockpets").mkdir(parents=True)
    assert fixture_module(Path("e2e")) == "mockpets/playwright"


HOSTILE = "*/ ${process.exit()} `\\\" ' \n\u2028 process.exit(); //"
LONG = "the quick brown fox jumps over the lazy dog " * 3


def changed(value: Any, more: str) -> Any:
    """Return the texts of the app in a finding, longer or hostile."""
    names = ("page", "url", "action", "message", "title", "value", "lost", "shown")
    if isinstance(value, dict):
        return {
            key: with_text(each, more) if key in names else changed(each, more)
            for key, each in value.items()
        }
    return [changed(each, more) for each in value] if isinstance(value, list) else value


def with_text(value: Any, more: str) -> Any:
    if isinstance(value, list):
        return [with_text(each, more) for each in value]
    return value + more if isinstance(value, str) else value


@pytest.mark.node
@pytest.mark.long
def test_they_compile_and_are_formatted_and_linted(tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    need_package("typescript-eslint")
    write_kit(tmp_path / "tests/mockpets")
    results: dict[str, Result] = {
        "plain": defects(),
        "long": defects(**changed({**defects()}, LONG)),
        "hostile": defects(**changed({**defects()}, HOSTILE)),
    }
    for finding in results["long"]["findings"]:
        for step in finding["steps"]:
            step["locator"] = step["locator"].replace("Name", LONG).replace("Save", LONG)
    for name, each in results.items():
        written = write_tests(tmp_path / "tests" / name, each, None, "../mockpets/playwright")
        assert written.dropped == {}
    # The kit in the test knows the pet store only.
    for path in (tmp_path / "tests").glob("*/*.spec.ts"):
        text = re.sub("(list|create|get)(Animals|Owner|Me)", "createPet", path.read_text())
        path.write_text(text.replace("createPet:empty", "createPet:500"))
    (tmp_path / "tsconfig.json").write_text(TSCONFIG)
    (tmp_path / "eslint.config.mjs").write_text(ESLINT)
    folders = [f"tests/{name}" for name in results]
    done = run_within(200, tmp_path, need("tsc"), "-p", ".")
    assert done.stdout == ""
    done = run_within(200, tmp_path, need("eslint"), *folders)
    assert done.stdout == ""
    for name, each in results.items():  # with their own names, which are as long as written
        write_tests(tmp_path / "tests" / name, each, None, "../mockpets/playwright")
    done = run_within(200, tmp_path, need("prettier"), "--check", *folders)
    assert done.returncode == 0, done.stderr


TSCONFIG = """{
  "compilerOptions": {
    "strict": true, "noEmit": true, "skipLibCheck": true, "noUnusedLocals": true,
    "target": "es2022", "module": "esnext", "moduleResolution": "bundler"
  },
  "include": ["tests/*/*.ts"]
}
"""
ESLINT = """
import tseslint from "typescript-eslint";
export default tseslint.config(tseslint.configs.recommendedTypeChecked, {
  languageOptions: { parserOptions: { project: "./tsconfig.json" } },
});
"""


# --- What they report ---------------------------------------------------------------------------


@contextmanager
def app(api: str, *, is_bad: bool) -> Iterator[str]:
    page = APP.read_text(encoding="utf-8").replace("API", api)
    page = page.replace("BAD;", "true;" if is_bad else "false;")

    def respond(_: str, __: Mapping[str, str]) -> tuple[str, str]:
        return "text/html; charset=utf-8", page

    with serving(respond) as url:
        yield url


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC),))) as running:
        yield running


def read(server: MockpetsServer, path: str) -> Any:
    headers = {"Authorization": "Bearer mockpets"}
    response = requests.get(f"{server.url}/api{path}", headers=headers, timeout=20)
    return response.json()


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long
def test_each_fails_for_its_cause_and_passes_on_a_corrected_app(
    tmp_path: Path, server: MockpetsServer
) -> None:
    """The app calls an API at another address than the mock, as it does outside of tests."""
    email = read(server, "/members")[0]["email"]
    whole = defects(email, json.dumps(read(server, "/tags"), separators=(",", ":")))
    tests, without = cause_tests(whole, "./fixture")
    assert without == {}
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    api = "https://api.clinic.example/api"
    with app(api, is_bad=True) as bad, app(api, is_bad=False) as good:
        texts = {each.name: each.text for each in tests}
        for each in tests:
            lines = each.text.splitlines(keepends=True)
            start = next(index for index, line in enumerate(lines) if not line.strip())
            use = f'\ntest.use({{ baseURL: "{good}" }});\n'
            texts[f"good-{each.name}"] = "".join([*lines[:start], use, *lines[start:]])
        texts[HELPERS] = helpers(whole, "./fixture").replace(
            "RETRIES_MS = 15_000", "RETRIES_MS = 5_000"
        )
        run = Run(bad, server.url, tmp_path, browser=need("chromium-headless-shell"))
        results = run_tests(texts, run)
    assert isinstance(results, dict), results
    wrong = []
    for each in tests:
        for name, wanted in ((each.name, "failed"), (f"good-{each.name}", "passed")):
            outcome = results[name]
            errors = [re.sub(r"\x1b\[[0-9;]*m", "", one["message"]) for one in outcome["errors"]]
            rightly = wanted == "passed" or (
                errors and errors[0].startswith(f"Error: {each.message}")
            )
            if outcome["status"] != wanted or not rightly:
                wrong.append(f"{name}: {outcome['status']}: {errors}")
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long
def test_only_those_are_written_that_fail_by_their_own_assertion(
    tmp_path: Path, server: MockpetsServer
) -> None:
    whole = defects()
    names = ("storm/storm", "blank/blank", "moved/moved", "dead-end/dead-end")
    whole["causes"] = [each for each in whole["causes"] if each["id"] in names]
    findings = {each["page"]: each for each in whole["findings"]}
    findings["/blank"]["expression"] = "listAnimals:200"  # it passes
    findings["/moved"]["expression"] = "listAnimals:nothing"  # the mock rejects it
    findings["/dead-end"]["operation"] = "listOwners"  # the page does not call it
    (tmp_path / "node_modules").symlink_to(NODE_MODULES)
    with app(f"{server.url}/api", is_bad=True) as bad:
        run = Run(bad, server.url, tmp_path, browser=need("chromium-headless-shell"))
        written = write_tests(tmp_path / "tests", whole, run)
    assert written.kept == ["storm/storm"]
    assert [path.name for path in written.files] == ["audit.ts", "storm-storm.spec.ts"]
    assert written.dropped["blank/blank"] == "the test passes"
    assert "nothing" in written.dropped["moved/moved"]
    assert written.dropped["dead-end/dead-end"].startswith("the test fails otherwise: ")


def test_without_playwright_each_has_the_same_reason(tmp_path: Path) -> None:
    if any((each / "node_modules/@playwright/test").exists() for each in tmp_path.parents):
        pytest.skip("a folder above has Playwright")
    written = write_tests(tmp_path / "tests", defects(), Run("", "", tmp_path))
    assert written.files == []
    assert set(written.dropped.values()) <= {
        "@playwright/test is not installed",
        "node is not installed",
    }
