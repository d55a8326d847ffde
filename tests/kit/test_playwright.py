"""kit/playwright.js gives each Playwright test its own session.

One run has all specs, also the files that the pages show.
"""

import json
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
import requests

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.kit_files import Known, list_scenarios
from mockpets.scenario.library import load_library
from tests.kit.project import CONFIG, Outcomes, run_checks, run_playwright, run_specs
from tests.kit.test_docs import shown_files
from tests.kit.test_node import PEOPLE
from tests.kit.test_server import COMMAND
from tests.pages import Respond, serving
from tests.programs import free_port

pytestmark = [pytest.mark.browser, pytest.mark.node]

SPECS = Path(__file__).with_name("specs")
TOKEN = "t" * 32
HEADERS = {"Authorization": "Bearer mockpets"}
PROJECTS = """\
  projects: [
    { name: "kit", testMatch: /(sessions|states|failing|lost).spec/ },
    { name: "public", testMatch: "public.spec.ts", use: { mockUrl: process.env.PUBLIC_URL } },
    {
      name: "login",
      testMatch: "login.spec.ts",
      use: { mockUrl: process.env.PEOPLE_URL, baseURL: process.env.PEOPLE_APP },
    },
    { name: "pages", testMatch: PAGES, use: { baseURL: process.env.SHOP_URL } },
  ],
});
"""


WORKER = """
self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
self.addEventListener("fetch", (event) => event.respondWith(fetch(event.request)));
"""
PAGE = """\
<!doctype html><title>App</title><p>Loading</p>
<button>Show sold</button><button>Show pending</button>
<script>
  const show = (text) => (document.querySelector("p").textContent = text);
  let last = 0;
  const load = async (query, describe) => {
    const number = (last += 1);
    const headers = { Authorization: "Bearer mockpets" };
    const pets = await (await fetch(`MOCK/v1/pets${query}`, { headers })).json();
    if (number === last) show(describe(pets.length));
  };
  for (const button of document.querySelectorAll("button")) {
    const status = button.textContent.split(" ")[1];
    button.onclick = () => load(`?status=${status}`, (count) => `${count} ${status}`);
  }
  load("", (count) => (count ? `${count} pets` : "No pets yet"));
</script>
"""
"""A page that fetches pets."""


PEOPLE_PAGE = """\
<!doctype html><title>App</title><p>Loading</p>
<script>
  const stored = JSON.parse(localStorage.getItem("session") ?? "null");
  const token = stored?.token ?? localStorage.getItem("jwt");
  const [url, options] = location.pathname === "/cookie"
    ? ["MOCK/staff/me", { credentials: "include" }]
    : ["MOCK/api/me", { headers: token ? { Authorization: `Bearer ${token}` } : {} }];
  const load = async () => {
    const response = await fetch(url, options);
    return response.ok ? (await response.json()).email : "Log in";
  };
  const calls = location.pathname === "/twice" ? [load(), load()] : [load()];
  Promise.all(calls).then((emails) => {
    const shown = [stored?.user.name, ...emails].filter(Boolean);
    document.querySelector("p").textContent = shown.join(" ");
  });
</script>
"""
"""A page that shows who is logged in."""


def echo(path: str, headers: Mapping[str, str]) -> tuple[str, str]:
    """Return a page, its service worker, or at /echo... the headers of the request."""
    if path.startswith("/echo"):
        lowered = {name.lower(): value for name, value in headers.items()}
        return "application/json", json.dumps(lowered)
    if path == "/worker.js":
        return "text/javascript", WORKER
    return "text/html", "<!doctype html><title>App</title>"


def front_end(mock: str, page: str = PAGE) -> Respond:
    """Return a front end: a page, and at /server one whose server has fetched the pets."""

    def respond(path: str, headers: Mapping[str, str]) -> tuple[str, str]:
        if path != "/server":
            return "text/html", page.replace("MOCK", mock)
        named = {name: headers[name] for name in headers if name.lower().startswith("mockpets")}
        response = requests.get(f"{mock}/v1/pets", headers=named | HEADERS, timeout=20)
        return "text/html", f"<!doctype html><title>App</title><p>{len(response.json())} pets</p>"

    return respond


REUSE = """\
import { expect, test } from "./mockpets/playwright";

for (const title of ["a", "b", "c", "d"]) {
  test(title, async ({ mock }) => {
    expect(await mock.pets.all()).toHaveLength(16);
  });
}
"""


def specs(*names: str) -> dict[str, str]:
    """Return specs of ours, as files of a project."""
    paths = [SPECS / f"{name}.spec.ts" for name in names]
    return {f"tests/{path.name}": path.read_text(encoding="utf-8") for path in paths}


COUNTS = {"sessions": 17, "failing": 12, "states": 17, "public": 1, "lost": 4, "login": 8}
"""The number of tests in each spec."""


@pytest.mark.parametrize(
    "names",
    [("sessions", "states", "login"), pytest.param((*COUNTS,), marks=pytest.mark.long)],
    ids=["some", "all"],
)
def test_specs(tmp_path: Path, names: tuple[str, ...]) -> None:
    """In one run, because a start takes seconds; the tests of the documentation only with all."""
    counts = {name: COUNTS[name] for name in names}
    files = shown_files() if counts == COUNTS else {}
    known = {**load_library((), ()).descriptions(), "fresh-cat": "The server does not know it."}
    shown = {Path(path).name: path for path in files}
    # Like the one that `webServer()` starts.
    settings = Settings(port=0, sessions="declared")
    public = Settings(port=0, public=True, control_token=TOKEN)
    with (
        MockpetsServer(settings) as server,
        MockpetsServer(public) as public_server,
        MockpetsServer(PEOPLE) as people_server,
        serving(echo) as app,
        serving(echo) as third,
        serving(front_end(server.url)) as shop,
        serving(front_end(people_server.url, PEOPLE_PAGE)) as people_app,
    ):
        outcomes = run_specs(
            tmp_path,
            {
                **specs(*counts),
                **files,
                "tests/mockpets/scenarios.js": list_scenarios(Known(known)),
            },
            CONFIG.replace("});\n", PROJECTS.replace("PAGES", json.dumps([*shown]))),
            MOCKPETS_URL=server.url,
            APP_URL=app,
            THIRD_URL=third,
            SHOP_URL=shop,
            PUBLIC_URL=public_server.url,
            PEOPLE_URL=people_server.url,
            PEOPLE_APP=people_app,
            PUBLIC_TOKEN=TOKEN,
        )
        left = [each["name"] for each in ControlClient(server.url).sessions()]
        left += [each["name"] for each in ControlClient(public_server.url, token=TOKEN).sessions()]

    def check_counts() -> None:
        assert {*left} == {"default"}  # the others are deleted
        pages = {name.removesuffix(".spec.ts"): 1 for name in shown}
        assert {name: len(each) for name, each in outcomes.items()} == counts | pages

    checks = {
        "failing": check_failing,
        "states": check_states,
        "public": check_public,
        "lost": check_lost,
        "login": check_login,
    }
    run_checks(
        {name: partial(checks.get(name, check_passed), each) for name, each in outcomes.items()}
        | {"counts": check_counts}
    )


@pytest.mark.long
def test_a_reused_server_is_one_warning_and_its_scenario_is_not_that_of_the_tests(
    tmp_path: Path,
) -> None:
    own = 'import { webServer } from "./tests/mockpets/playwright";\n'
    config = own + CONFIG.replace(
        "fullyParallel", "webServer: webServer({ args: '--scenarios-dir mine' }), fullyParallel"
    )
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/retry.yaml").write_text("description: Ours.\nstubs: []\n")
    with MockpetsServer(Settings(port=0, scenario=("empty",), api_key=("*",))) as server:
        url = server.url
        outcomes = run_playwright(tmp_path, {"tests/a.spec.ts": REUSE}, config, MOCKPETS_URL=url)

    assert {title: each.status for title, each in outcomes.items()} == dict.fromkeys(
        "abcd", "passed"
    )
    [warning] = filter(None, (each.stderr for each in outcomes.values()))
    assert warning == (
        f"mockpets: the tests use the server that was already running at {url}, which differs from "
        "the one they would start: it has --api-key *, it lacks --sessions declared, its scenario "
        "'retry' has another text; stop it, so that the tests start their own, or add its options "
        "to 'args' in the configuration\n"
    )


STARTED = """\
import { expect, test } from "./mockpets/playwright";
import { Mockpets } from "./mockpets/client";

for (const title of ["a", "b", "c"]) {
  test(title, async ({ mock }) => {
    expect(mock.url).toBe(process.env.FIRST);
    expect(await mock.pets.all()).toHaveLength(3);
    expect(new Mockpets().url).toBe(process.env.FIRST);
  });
}
"""
STARTS = """\
import { webServer } from "./tests/mockpets/playwright";

const { COMMAND: command, FIRST, SECOND, CHOSEN_IN_WORKER, TEST_WORKER_INDEX } = process.env;
const url = TEST_WORKER_INDEX === undefined ? FIRST : CHOSEN_IN_WORKER;
const first = webServer({ command, url, data: { pets: 3 } });
const servers = [first, webServer({ command, url: SECOND })];
"""


@pytest.mark.long
def test_the_tests_use_the_first_server_of_the_configuration(tmp_path: Path) -> None:
    """Not the one of MOCKPETS_URL, nor the URL that the configuration has in a worker."""
    config = STARTS + CONFIG.replace("fullyParallel", "webServer: servers, fullyParallel")
    names = ("FIRST", "SECOND", "CHOSEN_IN_WORKER", "MOCKPETS_URL")
    urls = {name: f"http://localhost:{free_port()}" for name in names}
    files = {"tests/started.spec.ts": STARTED}
    outcomes = run_playwright(tmp_path, files, config, COMMAND=COMMAND, CI="1", **urls)

    assert list(outcomes) == ["a", "b", "c"]
    check_passed(outcomes)


def check_passed(outcomes: Outcomes) -> None:
    assert {title: each for title, each in outcomes.items() if each.status != "passed"} == {}


def check_failing(outcomes: Outcomes) -> None:
    """Each failed test shows why."""
    errors = {title: "\n".join(each.errors) for title, each in outcomes.items()}

    assert {each.status for each in outcomes.values()} == {"failed"}
    for title, message in {
        "a verification": 'query.limit: expected "4", got "3"',
        "a negated verification": "unexpected requests: 1\n   1  ",
        "an invalid match": "unknown key 'opration'; did you mean 'operation'",
        "something else than the fixture": "toHaveReceived expects the fixture 'mock'",
        "an unknown scenario": "unknown scenario 'emtpy'; did you mean 'empty'?",
        "an unknown sessionIn": "sessionIn must be 'route', 'header' or 'key', got 'cookie'",
        "a port in the options of the server": "name the port in 'url' or MOCKPETS_URL",
        "a server that is not there": "cannot connect to http://localhost:1 ",
    }.items():
        assert message in errors[title], title
        assert "at mockpets/" not in errors[title], title
        if errors[title].startswith("MockpetsError"):  # shown at the line of the test
            assert "playwright.js" not in (outcomes[title].location or "")
    dropped = outcomes["a page that drops the session"]
    # Perhaps with the number of requests that other tests sent without a session.
    assert "or none, are not shown" in dropped.attachments["mockpets requests"]
    session = json.loads(outcomes["a verification"].attachments["mockpets-session.json"])
    assert (session["format"], session["scenario"]) == (1, ["default"])
    requests = outcomes["a verification"].attachments["mockpets requests"]
    assert re.fullmatch(
        r"   1  [0-9:.]{12}  GET    /v1/pets\?limit=3 +401  [0-9.]+ ms  -  the API key is invalid",
        requests,
    )
    har = json.loads(outcomes["a verification"].attachments["mockpets.har"])
    assert [entry["response"]["status"] for entry in har["log"]["entries"]] == [401]
    assert "secret" not in json.dumps(har)
    assert "no requests to " in outcomes["an assertion"].attachments["mockpets requests"]
    assert outcomes["an assertion without requests"].attachments == {}
    continued = outcomes["a route that continues"].attachments["mockpets requests"]
    assert re.search(
        r"\nmeanwhile, (1 request|\d requests) that named no session (was|were) rejected: "
        r"if a route of your test calls continue\(\), .* call fallback\(\) instead$",
        continued,
    ), continued


def check_lost(outcomes: Outcomes) -> None:
    """Every test fails with the reason."""
    for title, outcome in outcomes.items():
        lost = f"session {title.replace(' ', '-')}-[a-z0-9]+ was lost: the server was restarted"
        assert (outcome.status, bool(re.search(lost, outcome.errors[0]))) == ("failed", True), title


def check_login(outcomes: Outcomes) -> None:
    """All pass but the one whose user does not exist."""
    failed = outcomes["fails the test"]
    check_passed({title: each for title, each in outcomes.items() if each is not failed})
    assert "no record of clinic.members has the name 'Kimm'; known: " in failed.errors[0]


def check_states(outcomes: Outcomes) -> None:
    """A test is skipped unless it reaches its state."""
    for title, outcome in outcomes.items():
        first = title.partition(":")[0].partition(" ")[0]
        expected = first if first in ("skipped", "failed") else "passed"
        if title == "an expected failure stays one":
            expected = "failed"
        assert outcome.status == expected, (title, outcome.errors)
        assert "state screenshot" not in outcome.attachments
    for title, reason in {
        "stubs that took no part": "scenario missing affected no request",
        "an expression that took no part": "scenario listPets:503 affected no request",
        "pets that nobody lists": "no request listed or fetched pets in scenario empty",
        "pets that were listed in another state": "no request listed or fetched pets in",
    }.items():
        assert outcomes[f"skipped: {title}"].skip_reason.startswith(reason)
    assert outcomes["skipped by itself"].skip_reason == "its own reason"
    for title, message in {
        "a scenario that the server does not have": "has no scenario 'fresh-cat', but the kit "
        "lists it; write the kit again with 'mockpets kit', or start the server with the same",
        "an expression that the server does not have": "unknown operation 'listPet' in "
        "'listPet:503'; did you mean 'listPets'?",
        "two sources of scenarios": "runs in state 'missing', so its session cannot start with "
        'scenario "slow" too; remove it',
        "a state that is not reached": 'Expected: "another"',
    }.items():
        assert message in "\n".join(outcomes[f"failed: {title}"].errors)


def check_public(outcomes: Outcomes) -> None:
    """What the server does not allow is skipped."""
    assert outcomes["offline"].status == "skipped"
    reason = "connection faults are disabled: the server runs with --public"
    assert outcomes["offline"].skip_reason == reason
