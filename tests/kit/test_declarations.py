"""The generated files of the kit are up to date, and its modules have no mistakes of type."""

import re
import shutil
from pathlib import Path

import pytest

from generate import CannotGenerateError, bundle, declarations
from generate.declarations import constants, control, modules, scenarios
from mockpets.packaged_data import shipped
from tests.programs import need

KIT = shipped("kit")


STALE = "out of date; run .venv/bin/python -m generate"


def test_the_lists_of_scenarios_are_up_to_date() -> None:
    for file, text in scenarios().items():
        assert file.read_text(encoding="utf-8") == text, STALE


def test_the_constants_are_those_of_the_server() -> None:
    [(file, text)] = constants().items()

    assert file.read_text(encoding="utf-8") == text, STALE


@pytest.mark.node
def test_the_declarations_of_the_control_api_are_up_to_date() -> None:
    need("openapi-typescript")
    [(file, text)] = control().items()

    assert file.read_text(encoding="utf-8") == text, STALE


@pytest.mark.node
def test_the_declarations_are_those_of_the_modules() -> None:
    need("tsc")
    made = modules()

    assert {file.name for file in made} >= {"client.d.ts", "connection.d.ts"}
    for file, text in made.items():
        assert file.read_text(encoding="utf-8") == text, STALE
        # The compiler writes a name so if it takes it for that of the built-in contract.
        assert 'import("./scenarios.js")' not in text, file.name
        assert not re.search(r"[:<|(,] ?any\b(?! )", text), file.name


@pytest.mark.node
def test_the_toolbar_is_made_of_its_modules() -> None:
    need("rolldown")
    [(file, text)] = bundle.toolbar().items()

    assert file.read_text(encoding="utf-8") == text, STALE


MISTAKES = {
    "a call that does not exist": ("client", '"POST /reset"', '"POST /resets"'),
    "a path without its value": ("client", "path: { number: last || 1 }", "path: {}"),
    "an unknown parameter": ("client", "query: { limit: 1 }", "query: { limits: 1 }"),
    "a body of another call": ("client", "body: { scenario }", "body: { scenarios: scenario }"),
    "another property of a response": ("client", "const { active } =", "const { actives } ="),
    "an unknown code of an error": ("client", '"unknown_session"]', '"unknown_sessions"]'),
    "an option that does not exist": ("client", "options.session", "options.sessions"),
    "a promise in place of a value": (
        "client",
        'await this.#call("GET /held")',
        'this.#call("GET /held")',
    ),
    "a text in place of a number": ("connection", "status = 0,", 'status = "0",'),
    "a value that may be missing": ("connection", "] ?? 0", "]"),
    "a kind of change that does not exist": ("client", '"gates" : kind', '"gate" : kind'),
    "a property of a problem": ("connection", "where, what, hint }", "where, text, hint }"),
    "a method that does not exist": (
        "playwright",
        "testInfo.skip(Boolean(disabled)",
        "testInfo.skips(Boolean(disabled)",
    ),
    "an option of another function": ("storybook", '{ cache: "no-store" }', "{ cached: true }"),
    "a call of the toolbar that does not exist": (
        "toolbar/actions",
        '"POST /reset"',
        '"POST /resets"',
    ),
    "an attribute that does not exist": ("toolbar/panel", 'role: "dialog"', 'rol: "dialog"'),
    "a number in place of a text": ("orders", '("\'", "%27")', '("\'", 27)'),
}
"""A module, a text in it, and what makes it a mistake."""


@pytest.mark.node
@pytest.mark.long
def test_no_mistake_in_a_module_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need("tsc")
    kit = tmp_path / "kit"
    shutil.copytree(KIT, kit)
    places = {}
    for what, (module, right, wrong) in MISTAKES.items():
        file = kit / f"{module}.js"
        before, found, after = file.read_text("utf-8").partition(right)
        assert found, what
        assert right not in after, what
        file.write_text(before + wrong + after, "utf-8")
        first = before.count("\n") + 1
        places[what] = module, range(first, first + wrong.count("\n") + 1)
    monkeypatch.setattr(declarations, "KIT", kit)

    with pytest.raises(CannotGenerateError) as error:
        modules()
    found_at = {
        (module, int(line))
        for module, line in re.findall(r"^kit/([\w/-]+)\.js\((\d+)", str(error.value), re.MULTILINE)
    }
    missed = [
        what
        for what, (module, lines) in places.items()
        if not any((module, line) in found_at for line in lines)
    ]
    assert missed == []
