"""`states()`: one Playwright test under every scenario, and the table of the results."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.kit import list_scenarios
from mockpets.scenario.library import load_library
from tests.kit.project import CONFIG, run_playwright, serving
from tests.kit.test_docs import App
from tests.kit.test_playwright import spec

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
GAUNTLET = Path(__file__).with_name("gauntlet")
REPORTED = CONFIG.replace(
    'reporter: [["json"', 'reporter: [["./tests/mockpets/states-reporter.js"], ["json"'
)
SCENARIOS = load_library((), ()).descriptions()
UNREACHED = {
    *("after-removal", "create-rejected", "double-submit", "expired-key", "flaky-create"),
    *("missing", "orders"),
}
"""Scenarios that do not change the first request for the list."""


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    """Like the one that `webServer()` starts."""
    with MockpetsServer(Settings(port=0, sessions="declared")) as running:
        yield running


def with_reason(annotations: list[tuple[str, str]]) -> str:
    return next(reason for kind, reason in annotations if kind == "skip")


def without_status(server: MockpetsServer) -> set[str]:
    """Return the scenarios whose pets, as a page lists them, include one without a status."""
    names = set()
    for name in SCENARIOS:
        control = ControlClient(server.url, "pets")
        control.make_session("pets", scenario=name)
        if control.scenario(name)["brings_pets"]:
            pets = control.pets()[:100]
            names |= {name} if any("status" not in pet for pet in pets) else set()
        control.drop_session("pets")
    return names


# --- Tests ------------------------------------------------------------------------------------


@pytest.mark.browser
def test_a_test_is_skipped_unless_it_reaches_its_state(
    server: MockpetsServer, tmp_path: Path
) -> None:
    known = list_scenarios({**SCENARIOS, "fresh-cat": "The server does not know it."})
    files = {**spec("states"), "tests/mockpets/scenarios.js": known}
    outcomes = run_playwright(tmp_path, files, MOCKPETS_URL=server.url)

    for title, outcome in outcomes.items():
        first = title.partition(":")[0].partition(" ")[0]
        expected = first if first in ("skipped", "failed") else "passed"
        if title == "an expected failure stays one":
            expected = "failed"
        assert outcome.status == expected, (title, outcome.errors)
        assert "state screenshot" not in outcome.attachments
    assert len(outcomes) == 14
    for title, reason in {
        "stubs that took no part": "scenario missing affected no request",
        "pets that nobody lists": "no request listed or fetched pets in scenario empty",
        "pets that were listed in another state": "no request listed or fetched pets in",
    }.items():
        assert with_reason(outcomes[f"skipped: {title}"].annotations).startswith(reason)
    assert with_reason(outcomes["skipped by itself"].annotations) == "its own reason"
    for title, message in {
        "a scenario that the server does not have": "has no scenario 'fresh-cat', but the kit "
        "lists it; write the kit again with 'mockpets kit', or start the server with the same",
        "two sources of scenarios": "runs in state 'missing', so its session cannot start with "
        'scenario "slow" too; remove it',
        "a state that is not reached": 'Expected: "another"',
    }.items():
        assert message in "\n".join(outcomes[f"failed: {title}"].errors)
    assert [each["name"] for each in ControlClient(server.url).sessions()] == ["default"]


@pytest.mark.browser
def test_what_the_server_does_not_allow_is_skipped(tmp_path: Path) -> None:
    text = """
        import { states, test } from "./mockpets/playwright";
        for (const state of states({ only: ["offline"] })) {
          test(state.name, state.details, async ({ mock }) => {
            throw new Error("the test has run");
          });
        }
    """
    token = "t" * 32
    with MockpetsServer(Settings(port=0, public=True, control_token=token)) as server:
        outcomes = run_playwright(
            tmp_path,
            {"tests/public.spec.ts": text},
            MOCKPETS_URL=server.url,
            MOCKPETS_CONTROL_TOKEN=token,
        )
        sessions = ControlClient(server.url, token=token).sessions()

    assert outcomes["offline"].status == "skipped"
    reason = "connection faults are disabled: the server runs with --public"
    assert with_reason(outcomes["offline"].annotations) == reason
    assert {each["name"] for each in sessions} <= {"default"}


# --- An app with bugs, and the table ----------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("has_bugs", [True, False])
def test_exactly_the_states_that_show_a_bug_fail(
    server: MockpetsServer, tmp_path: Path, has_bugs: bool
) -> None:
    page = (GAUNTLET / "index.html").read_text(encoding="utf-8").replace("MOCK", server.url)
    smoke = (GAUNTLET / "smoke.spec.ts").read_text(encoding="utf-8")
    crashing = without_status(server)
    with serving(type("_App", (App,), {"page": page})) as app:
        outcomes = run_playwright(
            tmp_path,
            {"tests/smoke.spec.ts": smoke},
            config=REPORTED,
            MOCKPETS_URL=server.url,
            APP_URL=app,
            APP_PATH="/?bugs" if has_bugs else "/",
        )
    by_state = {title.removeprefix("smoke: "): each for title, each in outcomes.items()}

    assert by_state.keys() == SCENARIOS.keys()
    causes = {
        **dict.fromkeys(crashing, "an uncaught error"),
        "offline": "a spinner",
        "unauthorized": "a blank page",
    }
    assert {"no-status", "full-page", "awkward-names", "crowded"} <= crashing
    failed = {name for name, each in by_state.items() if each.status == "failed"}
    assert failed == (causes.keys() if has_bugs else set()), {n: by_state[n].errors for n in failed}
    for name in failed:
        assert by_state[name].errors[0].startswith(f"Error: {causes[name]}")
    skipped = {name for name, each in by_state.items() if each.status == "skipped"}
    assert skipped == UNREACHED
    for name in skipped:
        reason = f"scenario {name} affected no request"
        assert with_reason(by_state[name].annotations) == reason
    assert {*by_state} - failed - skipped == {
        name for name, each in by_state.items() if each.status == "passed"
    }

    # The table has the same results, and each page a screenshot.
    text = (tmp_path / "test-results/states.html").read_text(encoding="utf-8")
    rows = re.findall(r'<tr class="(\S+)"><td><a href="#(\d+)">([a-z0-9-]+)</a><td>(\w+)', text)
    assert {name: result for result, _, name, _ in rows} == {
        name: each.status for name, each in by_state.items()
    }
    images = re.findall(r'<figure id="(\d+)">.*?src="data:image/png;base64,iVBORw0KGgo', text)
    assert images == [number for _, number, _, _ in rows]
    assert not re.search(r'(?:src|href)="(?!#|data:image/png)', text), "it is one file"
    markdown = (tmp_path / "test-results/states.md").read_text(encoding="utf-8").splitlines()
    assert len(markdown) == 4 + len(SCENARIOS)
    [missing] = [line for line in markdown if "smoke: missing" in line]
    assert missing.endswith("| scenario missing affected no request |")
    assert f"{len(skipped)} skipped" in markdown[0]


@pytest.mark.slow
def test_the_test_that_the_documentation_shows_passes(
    server: MockpetsServer, tmp_path: Path
) -> None:
    page = (GAUNTLET / "index.html").read_text(encoding="utf-8").replace("MOCK", server.url)
    shown = (ROOT / "docs/recipes/gauntlet.md").read_text(encoding="utf-8")
    [(path, text)] = re.findall(r"<!-- kit file: (\S+) -->\n```ts\n(.*?)```", shown, re.DOTALL)
    with serving(type("_App", (App,), {"page": page})) as app:
        outcomes = run_playwright(
            tmp_path, {path: text}, config=REPORTED, MOCKPETS_URL=server.url, APP_URL=app
        )

    states = {name: outcomes[f"smoke: {name}"].status for name in SCENARIOS}
    assert states == {name: "skipped" if name in UNREACHED else "passed" for name in SCENARIOS}


@pytest.mark.browser
def test_the_table_escapes_titles_and_errors(server: MockpetsServer, tmp_path: Path) -> None:
    text = """
        import { expect, states, test } from "./mockpets/playwright";
        for (const state of states({ only: ["empty"] })) {
          test(`<img src=x> | ${state.name}`, state.details, async ({ mock }) => {
            throw new Error("<script>x()</script> | `\\u001b[31mred\\u0007 &amp;\\nsecond");
          });
        }
        test("has no state", ({ mock }) => void mock);
    """
    run_playwright(
        tmp_path, {"tests/escape.spec.ts": text}, config=REPORTED, MOCKPETS_URL=server.url
    )
    html = (tmp_path / "test-results/states.html").read_text(encoding="utf-8")
    [markdown] = [
        line
        for line in (tmp_path / "test-results/states.md").read_text().splitlines()
        if "empty" in line
    ]

    assert "<script" not in html
    assert "<img" not in html
    shown = unescape(html)
    assert "<img src=x> | empty" in shown
    assert "Error: <script>x()</script> | `red  &amp;\n" in shown
    assert "has no state" not in shown
    assert r"\<img src=x\> \| empty" in markdown
    assert len(re.split(r"(?<!\\)\|", markdown)) == 4 + 2, "four cells"
