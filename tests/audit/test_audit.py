"""The command `audit` on apps that handle all failures, none, or all but one.

The app `handles` has no finding, also when its pages change all the time. The app `ignores` makes
each mistake that the audit has a rule for. `examples/react` has none, and 13 mutations of one line.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.audit.playwright_run import Run, run_tests
from mockpets.client import ControlClient
from tests.audit.mutations import MUTATIONS, Mutation, build_react, source_of
from tests.audit.vite import CONTRACT, DATA, build, served, third_party
from tests.pages import Respond, serving
from tests.programs import need, need_packages, run_within

LONG: Final = [getattr(pytest.mark, name) for name in ("browser", "node", "long")]

CLINIC: Final[tuple[str | Path, ...]] = (
    *("--contract", CONTRACT),
    *(part for each in DATA for part in ("--data", each)),
)
MINUTES: Final = 15
"""Enough for all probes of an app, also on a busy machine."""


@dataclass(frozen=True)
class Mistake:
    """A rule that a page of `ignores` violates while an operation fails, waits or is empty."""

    rule: str
    page: str
    operation: str


MISTAKES: Final = (
    Mistake("silent", "/login", "logIn"),
    Mistake("raw-exception", "/register", "register"),
    Mistake("stuck", "/", "listPatients"),
    Mistake("no-empty", "/", "listPatients"),
    Mistake("collateral", "/patients/{}", "getOwner"),
    Mistake("blocked", "/patients/{}", "getOwner"),
    Mistake("looks-empty", "/patients/{}/appointments", "listAppointments"),
    Mistake("silent", "/patients/{}/appointments", "getPatient"),
    Mistake("silent", "/patients/{}/appointments", "cancelAppointment"),
    Mistake("blank", "/owners", "listOwners"),
    Mistake("uncaught", "/owners", "listOwners"),
    Mistake("blank-loading", "/owners", "listOwners"),
    Mistake("storm", "/owners/{}", "getOwner"),
    Mistake("raw-response", "/owners/{}", "getOwner"),
    Mistake("moved", "/account", "getMe"),
    Mistake("no-loading", "/account", "getMe"),
    Mistake("artefact", "/new-patient", "listOwners"),
    Mistake("unhandled-rejection", "/new-patient", "listOwners"),
    Mistake("input-lost", "/new-patient", "createPatient"),
    Mistake("not-announced", "/new-patient", "createPatient"),
    Mistake("dead-end", "/#/booking", "listPatients"),
    Mistake("double-send", "/#/booking", "createAppointment"),
)
ACTIONS: Final = {"logIn", "register", "createPatient", "createAppointment", "cancelAppointment"}


@dataclass(frozen=True)
class Result:
    """What the command wrote, printed and returned."""

    status: int
    output: str
    errors: str
    folder: Path
    audit: dict[str, Any]

    def rules(self, *levels: str) -> set[str]:
        """Return the rules of the causes of some levels."""
        return {each["rule"] for each in self.audit["causes"] if each["level"] in levels}

    def explained(self, *levels: str) -> str:
        """Return the findings of some levels as text, for the message of a failed test."""
        told = [each for each in self.audit["findings"] if each["level"] in levels]
        lines = [
            f"{each['rule']}: {each['page']} {each['action'] or ''} "
            f"{each['operation']}:{each['state']}: {each['message']} lost {each['lost']} "
            f"shown {each['shown']}"
            for each in told
        ]
        return "\n".join([self.output, *lines])


Audit = Callable[..., Result]


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    """Return a function that audits the app at a URL in a project with Playwright."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "package.json").write_text("{}", "utf-8")
    (project / "node_modules").symlink_to(need_packages())

    def run_it(url: str, *options: str | Path) -> Result:
        folder = project / "audit"
        command = ("mockpets", "audit", url, "--browser", need("chromium-headless-shell"), *options)
        done = run_within(60 * (MINUTES + 2), project, *command, HOME=str(project))
        assert (folder / "audit.json").exists(), done.stdout + done.stderr
        written = json.loads((folder / "audit.json").read_text("utf-8"))
        return Result(done.returncode, done.stdout, done.stderr, folder, written)

    return run_it


def is_found(found: dict[str, Any], mistake: Mistake) -> bool:
    """Return whether a finding is a mistake. An action may be found on the way to its page."""
    same = (found["rule"], found["operation"]) == (mistake.rule, mistake.operation)
    return same and (found["page"] == mistake.page or mistake.operation in ACTIONS)


# --- Short --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_text_of_a_mutation_occurs_once_in_the_example(mutation: Mutation) -> None:
    assert source_of(mutation).count(mutation.old) == 1


def test_the_mistakes_are_of_every_rule() -> None:
    assert len({mistake.rule for mistake in MISTAKES}) == 20


SMALL: Final = """<!doctype html>
<html lang="en">
  <title>Owners</title>
  <h1>The owners</h1>
  <p id="owner">Loading the owner…</p>
  <ul id="owners"></ul>
  <script type="module">
    const headers = { Authorization: "Bearer a-token" };
    const read = async (path) => (await fetch(`/api${path}`, { headers })).json();
    try {
      const owners = await read("/owners");
      const items = owners.map(({ name }) => `<li>${name}`);
      document.querySelector("#owners").innerHTML = items.join("") || "<li>No owners yet";
    } catch {}
    const { phone } = await read("/owners/1");
    document.querySelector("#owner").textContent = `Call ${phone}`;
  </script>
</html>
"""
"""A page whose list disappears without a message, and which shows `undefined`."""


@pytest.mark.browser
@pytest.mark.node
def test_a_page_is_audited_and_its_errors_and_warnings_are_printed_and_written(
    audit: Audit,
) -> None:
    with serving(lambda *_: ("text/html; charset=utf-8", SMALL)) as url:
        result = audit(url, *CLINIC, "--pages", "1", "--fail-on", "error")

    written = result.audit
    assert result.status == 1, result.errors
    assert (written["format"], written["complete"]) == (1, True)
    assert written["contracts"] == ["Clinic"]
    [page] = written["pages"]
    assert {*page["operations"]} == {"getOwner", "listOwners"}
    assert "createPatient" in written["not_reached"]
    assert result.rules("error") >= {"silent"}
    assert result.rules("warning") >= {"artefact"}
    assert written["probes"]["run"] == len(written["matrix"]) > 10
    for cause in written["causes"]:
        assert cause["findings"], cause
        assert {written["findings"][each]["rule"] for each in cause["findings"]} == {cause["rule"]}
    for found in written["findings"]:
        for shot in (found["healthy"], found["failing"]):
            assert (result.folder / shot).read_bytes().startswith(b"\x89PNG")
    for rule in ("silent", "artefact"):
        [title, *_] = [each["title"] for each in written["causes"] if each["rule"] == rule]
        assert title in result.output
    assert len(result.output.splitlines()) <= 30
    sheet = (result.folder / "index.html").read_text("utf-8")
    assert "listOwners" in sheet and "shots/" in sheet


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long
def test_failing_tests_are_written_and_pass_once_the_app_is_corrected(audit: Audit) -> None:
    corrected = SMALL.replace("} catch {}", "} catch { document.body.append(`No owners: retry`) }")
    text = SMALL
    with serving(lambda *_: ("text/html; charset=utf-8", text)) as url:
        result = audit(url, *CLINIC, "--pages", "1", "--tests", "e2e")
        folder = result.folder.parent / "e2e"
        [silent] = folder.glob("silent-*.spec.ts")
        tests = {each.name: each.read_text("utf-8") for each in folder.glob("*.ts")}
        text = corrected
        with MockpetsServer(Settings(port=0, contract=(str(CONTRACT),), data=DATA)) as server:
            run = Run(url, server.url, folder.parent, browser=need("chromium-headless-shell"))
            module = '"../tests/mockpets/playwright"'
            texts = {name: each.replace(module, '"./fixture"') for name, each in tests.items()}
            results = run_tests(texts, run)

    assert f"wrote e2e: {len(tests) - 1} failing test" in result.output
    assert {"audit.ts", silent.name} <= {*tests}
    assert isinstance(results, dict), results
    assert results[silent.name]["status"] == "passed", results[silent.name]


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long
@pytest.mark.parametrize("base", ["http://backend.example/v2", "https://backend.example"])
def test_the_api_may_have_another_base_url(audit: Audit, base: str) -> None:
    page = SMALL.replace("`/api${path}`", f"`{base}${{path}}`")
    with serving(lambda *_: ("text/html; charset=utf-8", page)) as url:
        result = audit(url, *CLINIC, "--pages", "1", "--minutes", "0.4", "--base-url", base)

    [found] = result.audit["pages"]
    assert {*found["operations"]} == {"getOwner", "listOwners"}


def rendered(mock: str, *, passes_session_on: bool) -> Respond:
    """Return how a server responds that renders a list of owners, and nothing if that fails."""

    def respond(path: str, headers: Mapping[str, str]) -> tuple[str, str]:
        names = {name.lower(): value for name, value in headers.items()}
        own = {"Authorization": "Bearer a-token"}
        if passes_session_on and "mockpets-session" in names:
            own["Mockpets-Session"] = names["mockpets-session"]
        text = ""
        if path == "/":
            try:
                request = Request(f"{mock}/api/owners", headers=own)  # noqa: S310 - our server
                with urlopen(request, timeout=30) as response:  # noqa: S310
                    text = "".join(f"<li>{owner['name']}" for owner in json.load(response))
            except (OSError, ValueError, HTTPException):
                pass
        return (
            "text/html; charset=utf-8",
            f"<title>Owners</title><h1>The owners</h1><ul>{text}</ul>",
        )

    return respond


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long
@pytest.mark.parametrize("passes_session_on", [True, False])
def test_calls_of_the_apps_own_server_fail_too(audit: Audit, passes_session_on: bool) -> None:
    with MockpetsServer(Settings(port=0, contract=(str(CONTRACT),), data=DATA)) as server:
        client = ControlClient(server.url)
        client.use("listAppointments:500")
        with serving(rendered(server.url, passes_session_on=passes_session_on)) as url:
            result = audit(url, "--url", server.url, "--pages", "1", "--minutes", "2")
        active = client.active()

    assert result.audit["complete"], result.explained("error")
    assert [each["operations"] for each in result.audit["pages"]] == [["listOwners"]]
    assert result.rules("error") == {"silent"}, result.explained("error", "warning")
    assert result.rules("warning") == set(), result.explained("warning")
    has_note = any("without a session" in note for note in result.audit["notes"])
    assert has_note is not passes_session_on
    assert active == ["listAppointments:500"]


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long
def test_what_ran_is_kept_if_the_server_ends(audit: Audit) -> None:
    loads: list[str] = []
    with MockpetsServer(Settings(port=0, contract=(str(CONTRACT),), data=DATA)) as server:

        def respond(path: str, _: Mapping[str, str]) -> tuple[str, str]:
            loads.append(path)
            if loads.count("/") == 12:
                server.stop()
            return "text/html; charset=utf-8", SMALL

        with serving(respond) as url:
            result = audit(url, "--url", server.url, "--pages", "1")

    assert result.status == 1
    assert "cannot connect to" in result.errors
    assert not result.audit["complete"]
    assert result.audit["probes"]["run"] > 0


# --- Long ---------------------------------------------------------------------------------------


def marked(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that runs an audit of many probes."""
    for mark in LONG:
        test = mark(test)
    return test


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def audited(audit: Audit, stack: ExitStack, folder: Path, *options: str | Path) -> Result:
    """Serve a built app, and audit it for as long as that takes."""
    url = stack.enter_context(served(folder))
    return audit(url, "--minutes", str(MINUTES), *options)


@marked
@pytest.mark.parametrize("variant", ["quiet", "noisy"])
def test_an_app_that_handles_everything_has_no_finding(
    variant: str, audit: Audit, stack: ExitStack, tmp_path: Path
) -> None:
    noise = stack.enter_context(third_party()) if variant == "noisy" else ""
    app = build("handles", tmp_path / "app", VITE_NOISE=noise)
    result = audited(audit, stack, app, *CLINIC)

    assert result.audit["complete"]
    assert result.rules("error", "warning") == set(), result.explained("error", "warning")
    print(result.explained("note"))
    called = {name for page in result.audit["pages"] for name in page["operations"]}
    written = {name for action in result.audit["actions"] for name in action["operations"]}
    reads = {mistake.operation for mistake in MISTAKES} - ACTIONS
    assert (called & reads, written & ACTIONS) == (reads, ACTIONS)


@marked
def test_each_mistake_of_an_app_that_ignores_failures_is_found(
    audit: Audit, stack: ExitStack, tmp_path: Path
) -> None:
    result = audited(audit, stack, build("ignores", tmp_path / "app"), *CLINIC)

    assert result.audit["complete"]
    missed = [
        mistake
        for mistake in MISTAKES
        if not any(is_found(each, mistake) for each in result.audit["findings"])
    ]
    assert missed == [], result.explained("error", "warning", "note")
    levels = {cause["level"] for cause in result.audit["causes"]}
    assert levels == {"error", "warning", "note"}


@marked
def test_the_react_example_has_no_finding(audit: Audit, stack: ExitStack, tmp_path: Path) -> None:
    result = audited(audit, stack, build_react(tmp_path / "react"))

    assert result.audit["complete"]
    levels = ("error", "warning", "note")
    assert result.rules(*levels) == set(), result.explained(*levels)


@marked
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_a_mutation_of_the_react_example_violates_its_rule_and_no_other(
    mutation: Mutation, audit: Audit, stack: ExitStack, tmp_path: Path
) -> None:
    result = audited(audit, stack, build_react(tmp_path / "react", mutation))

    levels = ("error", "warning", "note")
    assert result.rules(*levels) >= {*mutation.rules[:1]}, result.explained(*levels)
    assert result.rules("error") <= {*mutation.rules}, result.explained(*levels)
    if not mutation.rules:
        assert result.rules(*levels) == set(), result.explained(*levels)
