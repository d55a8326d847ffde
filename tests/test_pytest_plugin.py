"""The pytest plugin, tested in nested runs of pytest."""

from collections.abc import Callable
from pathlib import Path

import pytest

# Here, because a nested run forgets the modules that it imports, such as the classes of YAML.
import mockpets.scenario.language.loader  # noqa: F401 - for its imports
from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient

Run = Callable[..., pytest.RunResult]

CLINIC = Path(__file__).parent / "contract" / "documents" / "clinic.yaml"
NOTES = Path(__file__).parent / "kit" / "notes.yaml"
SECONDS = 60
"""Time limit of a nested run."""
PLUGIN = ("-p", "mockpets.pytest_plugin", "-W", "error")


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a test file with only our plugin."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("MOCKPETS_CONTROL_TOKEN", raising=False)

    def run_it(text: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(text)
        return pytester.runpytest_inprocess(*PLUGIN, *arguments)

    return run_it


CLIENTS = """
    import httpx
    import requests

    MISO = {"name": "Miso", "categoryId": 2}

    def test_with_requests(mockpets):
        mockpets.use("empty")
        with requests.Session() as front_end:
            front_end.headers.update(mockpets.headers)
            assert front_end.post(f"{mockpets.url}/pets", json=MISO).status_code == 201
        assert mockpets.pets.all() == [{"id": 1, **MISO}]
        mockpets.verify({"operation": "createPet", "body": {"name": "Miso"}}, times=1)

    def test_with_httpx(mockpets):
        with httpx.Client(base_url=mockpets.url, headers=mockpets.headers) as front_end:
            assert len(front_end.get("/pets").json()) == 16
            front_end.post("/pets", json=MISO)
        assert len(mockpets.pets.all()) == 17
        assert [r["operation"] for r in mockpets.requests()] == ["listPets", "createPet"]
        mockpets.reset()
        assert (len(mockpets.pets.all()), mockpets.requests()) == (16, [])

    def test_with_neither(mockpets, mockpets_server):
        assert mockpets.url.startswith(f"{mockpets_server.url}/~test-with-neither-")
        assert mockpets.key == "mockpets"
        assert mockpets.requests() == []

    def test_with_the_session_in_the_key(mockpets, mockpets_server):
        headers = {"Authorization": f"Bearer {mockpets.key}~{mockpets.control.name}"}
        url = f"{mockpets_server.url}/v1/pets"
        assert requests.post(url, json=MISO, headers=headers).status_code == 201
        mockpets.verify({"operation": "createPet"}, times=1)
        assert mockpets.explain()["by"] == "operation"
        mockpets.use("missing")
        unsent = mockpets.explain_request(method="GET", path="/v1/pets/1", headers={"x": "y"})
        assert unsent["stub"] == "missing/gone"
        assert unsent["request"]["session"] == mockpets.control.name
        without_key = {"authorization": ""}
        rejected = mockpets.explain_request(method="GET", path="/v1/pets", headers=without_key)
        assert rejected["by"] == "check"
"""


def test_a_user_logs_in(run: Run) -> None:
    text = f"""
        import pytest, requests
        from mockpets import Settings

        @pytest.fixture(scope="session")
        def mockpets_settings():
            return Settings(port=0, contract=({str(CLINIC)!r},))

        def test_me(mockpets):
            kim = mockpets.data("members").add({{"name": "Kim"}})
            login = mockpets.log_in({{"name": "Kim"}})
            assert login["key"] == kim["id"]
            me = requests.get(f"{{mockpets.url}}/me", headers=login["headers"]).json()
            assert me == login["user"]
            assert mockpets.log_in(contract="clinic")["key"] != kim["id"]

        def test_another_session(mockpets):
            mockpets.log_in({{"name": "Kim"}})
    """
    result = run(text)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines("E*no record of members has the name 'Kim'; known: *")


def test_each_test_has_its_own_session(run: Run) -> None:
    run(CLIENTS).assert_outcomes(passed=4)


@pytest.mark.long
def test_each_xdist_worker_has_its_own_server(run: Run) -> None:
    pytest.importorskip("xdist")
    text = """
        import pytest, requests

        @pytest.mark.parametrize("number", range(8))
        def test_alone(mockpets, number):
            headers = mockpets.headers
            body = {"name": str(number), "categoryId": 1}
            requests.post(f"{mockpets.url}/pets", json=body, headers=headers)
            assert [pet["name"] for pet in mockpets.pets.all()[16:]] == [str(number)]
    """

    run(text, "-p", "xdist", "-n", "2").assert_outcomes(passed=8)


# --- Servers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["option", "ini"])
def test_a_running_server_can_be_used(
    run: Run, pytester: pytest.Pytester, server: MockpetsServer, way: str
) -> None:
    arguments = [f"--mockpets-url={server.url}/v1"] if way == "option" else []
    if way == "ini":
        pytester.makeini(f"[pytest]\nmockpets_url = {server.url}")
    text = f"""
        def test_it(mockpets, mockpets_server):
            assert mockpets_server.url == "{server.url}"
            assert mockpets.url.startswith("{server.url}/~test-it-")
            assert mockpets.key == "mockpets"
    """

    run(text, *arguments).assert_outcomes(passed=1)


def test_the_configuration_names_the_pets_and_a_marker_a_file(
    run: Run, pytester: pytest.Pytester
) -> None:
    (pytester.path / "pets.json").write_text('[{"id": 4, "name": "Mio", "categoryId": 1}]')
    pytester.makeini("[pytest]\nmockpets_data = pets=pets.json")
    text = """
        from pathlib import Path

        import pytest

        def test_a(mockpets):
            assert [pet["id"] for pet in mockpets.pets.all()] == [4]
            assert mockpets.clock.freeze("2031-01-01")["frozen"]

        OWN, THEN = {"pets": Path("own.yml")}, {"now": "2031-01-01", "frozen": True}

        @pytest.mark.mockpets(data=OWN, clock=THEN)
        def test_b(mockpets):
            assert [pet["id"] for pet in mockpets.pets.all()] == [5]
            assert mockpets.clock.get()["now"] == "2031-01-01T00:00:00.000Z"
    """
    (pytester.path / "own.yml").write_text("- {id: 5, name: Bo, categoryId: 1}\n")
    run(text).assert_outcomes(passed=2)


def test_a_running_server_with_other_options_is_one_warning_and_tests_start_from_default(
    run: Run, pytester: pytest.Pytester
) -> None:
    own, served = pytester.mkdir("own"), pytester.mkdir("served")
    for path in (own / "tired-cat.yaml", own / "same.yaml", served / "same.yaml"):
        path.write_text("description: d\nstubs: []\n")
    pytester.makeini("[pytest]\nmockpets_scenarios_dir = own")
    text = """
        def test_a(mockpets):
            assert len(mockpets.pets.all()) == 4

        def test_b(mockpets):
            assert mockpets.control.state()["active"] == ["default"]
    """
    settings = Settings(
        port=0,
        scenario=("empty",),
        api_key=("*",),
        seed=4,
        data=("pets=4",),
        sessions="declared",
        scenarios_dir=(served,),
    )
    with MockpetsServer(settings) as server:
        url = server.url
        result = run(text, f"--mockpets-url={url}", "-W", "default")

    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(
        [
            f"*the mockpets server at {url} is not as the tests would start it: it has --seed 4, "
            "it has --data pets=4, it has --api-key [*], it lacks the scenario 'tired-cat'; "
            "restart it, or change the fixture mockpets_settings"
        ]
    )


def test_the_url_ends_with_the_base_path_of_the_first_contract(run: Run) -> None:
    contracts = (f"/api/v2={NOTES}", "pet-store")
    text = f"""
        import pytest, requests
        from mockpets import Settings

        @pytest.fixture(scope="session")
        def mockpets_settings():
            return Settings(port=0, contract={contracts})

        def test_it(mockpets):
            mockpets.data("notes").set([{{"id": 1, "text": "Feed Miso"}}])
            [note] = requests.get(f"{{mockpets.url}}/notes").json()
            assert note["text"] == "Feed Miso"
            assert mockpets.control.bases == ("/api/v2", "/v1")

        def test_fails(mockpets):
            assert mockpets.url == mockpets.control.root_url
    """
    with MockpetsServer(Settings(port=0, contract=contracts)) as server:
        for options in ((), (f"--mockpets-url={server.url}",)):
            result = run(text, *options, "-W", "error")
            result.assert_outcomes(passed=1, failed=1)
            result.stdout.re_match_lines(
                ["no requests to (http://localhost:.*/~test-fails-.*)/api/v2 or .*/v1; requests"]
            )


def test_the_settings_can_be_overridden(run: Run) -> None:
    text = """
        import pytest
        from mockpets import Settings

        @pytest.fixture(scope="session")
        def mockpets_settings():
            token = "opensesame"
            keys = ("k1", "k2")
            data = ("pets=3",)
            return Settings(
                port=0, prefix="/mock", data=data, api_key=keys, control_token=token
            )

        def test_it(mockpets):
            assert (len(mockpets.pets.all()), mockpets.key) == (3, "k1")
            assert "/mock/~test-it-" in mockpets.url
    """

    run(text).assert_outcomes(passed=1)


def test_the_token_is_read_from_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def test_it(mockpets): assert len(mockpets.pets.all()) == 16"
    with MockpetsServer(Settings(port=0, control_token="opensesame")) as server:
        run(text, f"--mockpets-url={server.url}").assert_outcomes(errors=1)
        monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", "opensesame")
        run(text, f"--mockpets-url={server.url}").assert_outcomes(passed=1)


def test_an_unreachable_server_is_reported(run: Run) -> None:
    result = run("def test_it(mockpets): pass", "--mockpets-url=http://127.0.0.1:1")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["E *NoAnswer: cannot connect to http://127.0.0.1:1 (*); is mockpets running there?"]
    )


# --- Sessions and reports ---------------------------------------------------------------------


def test_sessions_are_named_after_tests_and_removed(run: Run, server: MockpetsServer) -> None:
    text = """
        import pytest, re

        @pytest.mark.parametrize("text", ["../Ü+~ x", "a" * 200])
        def test_names(mockpets, text):
            assert re.fullmatch("test-names-[a-z0-9-]{1,53}", mockpets.control.name)
            assert len(mockpets.control.name) <= 64

        def test_fails(mockpets):
            assert not mockpets.pets.all()

        def test_drops_it_itself(mockpets):
            mockpets.control.drop_session(mockpets.control.name)

        @pytest.fixture
        def broken(mockpets):
            raise RuntimeError

        def test_broken(broken):
            pass
    """
    result = run(text, f"--mockpets-url={server.url}")

    result.assert_outcomes(passed=3, failed=1, errors=1)
    assert [each["name"] for each in ControlClient(server.url).sessions()] == ["default"]


def test_the_report_of_a_failed_test_lists_its_requests(run: Run) -> None:
    text = """
        import pytest, requests

        def ask(mockpets, *limits):
            for limit in limits:
                requests.get(f"{mockpets.url}/pets?limit={limit}", headers=mockpets.headers)

        def test_fails(mockpets):
            ask(mockpets, 0, "%1b", 100)
            mockpets.verify({"operation": "createPet"})

        def test_fails_late(mockpets):
            ask(mockpets, *range(1, 25))
            assert False

        @pytest.fixture
        def broken(mockpets):
            ask(mockpets, 77)
            raise RuntimeError

        def test_broken(broken):
            pass

        def test_silent(mockpets):
            assert False

        def test_without():
            assert False

        def test_passes(mockpets):
            ask(mockpets, 88)
    """
    result = run(text, "-p", "no:randomly")
    shown = result.stdout.str()

    result.assert_outcomes(passed=1, failed=4, errors=1)
    result.stdout.fnmatch_lines(
        [
            "*_ ERROR at setup of test_broken _*",
            "*- mockpets requests -*",
            "   1  ??:??:??.???  GET    /v1/pets?limit=77 * 200  * ms  -",
            "*_ test_fails _*",
            '>       mockpets.verify({"operation": "createPet"})',
            "E       *VerificationError: *createPet*",
            "*- mockpets requests -*",
            "   1  ??:??:??.???  GET    /v1/pets?limit=0 * 400  * ms  -  *",
            "   2  ??:??:??.???  GET    /v1/pets?limit=%1B * 400  * ms  -  *",
            "   3  ??:??:??.???  GET    /v1/pets?limit=100 * 200  * ms  -",
            "*_ test_fails_late _*",
            "*- mockpets requests -*",
            "(4 earlier requests not shown)",
            "   5  * 200  *",
            "  24  * 200  *",
            "*_ test_silent _*",
            "*- mockpets requests -*",
            "no requests to http://localhost:*/~test-silent-*/v1; requests that name another *",
        ]
    )
    assert shown.count("- mockpets requests -") == 4
    assert "limit=88" not in shown
    assert "client.py" not in shown  # the traceback ends in the test


def test_the_report_mentions_a_server_that_has_stopped(run: Run) -> None:
    text = """
        import pytest
        from mockpets import MockpetsServer
        from mockpets.client import ControlClient
        from mockpets.pytest_plugin import Server

        @pytest.fixture(scope="session")
        def dying():
            with MockpetsServer() as server:
                yield server

        @pytest.fixture(scope="session")
        def mockpets_server(dying):
            return Server("mockpets", ControlClient(dying.url))

        def test_it(mockpets, dying):
            dying.stop()
            assert False, "first"
    """
    result = run(text)

    result.assert_outcomes(failed=1, errors=1)  # its session cannot be dropped
    result.stdout.fnmatch_lines(["E *first*", "*- mockpets requests -*", "cannot connect to http*"])


def test_a_lost_session_fails_every_affected_test_with_the_reason(run: Run) -> None:
    text = """
        import pytest
        from mockpets import MockpetsServer, Settings, create_app
        from mockpets.client import ControlClient
        from mockpets.pytest_plugin import Server

        class App:
            app = create_app(Settings())
            def handle(self, incoming):
                return self.app.handle(incoming)

        app = App()

        @pytest.fixture(scope="session")
        def mockpets_server():
            with MockpetsServer(app=app) as server:
                yield Server("mockpets", ControlClient(server.url))

        @pytest.fixture
        def restarted(mockpets):
            app.app = create_app(Settings())

        def test_reads(mockpets, restarted):
            mockpets.verify({"operation": "getPet"}, times=0, within="1ms")

        def test_passes_by_accident(mockpets, restarted):
            pass

        def test_puzzling(mockpets, restarted):
            assert 1 == 2

        def test_fails_by_hand(mockpets, restarted):
            pytest.fail("puzzling")

        def test_skips(mockpets, restarted):
            pytest.skip("why")

        def test_without_a_restart(mockpets):
            mockpets.use({"description": "d", "stubs": [{"hold": "door"}]})
            assert mockpets.gate("door").open() == 0
            mockpets.reset()
    """
    result = run(text)
    shown = result.stdout.str()

    result.assert_outcomes(failed=4, passed=1, skipped=1)
    for name in ("reads", "passes-by-accident", "puzzling", "fails-by-hand"):
        message = f"E *SessionLostError: session test-{name}-* was lost: the server was restarted*"
        result.stdout.fnmatch_lines_random([message])
    assert "client.py:" not in shown


def test_a_marker_selects_what_the_session_starts_with(run: Run) -> None:
    text = """
        import pytest

        pytestmark = pytest.mark.mockpets("empty")

        def test_marked_module(mockpets):
            assert mockpets.pets.all() == []

        @pytest.mark.mockpets("slow", "default", seed=7, data={"pets": 3})
        def test_marked(mockpets):
            state = mockpets.control.state()
            assert (state["active"], state["seed"]) == (["slow", "default"], 7)
            assert len(mockpets.pets.all()) == 3

        @pytest.mark.mockpets("emtpy")
        def test_misspelt(mockpets):
            pass
    """
    result = run(text, "--strict-markers")

    result.assert_outcomes(passed=2, errors=1)
    result.stdout.fnmatch_lines(["E *unknown scenario 'emtpy'; did you mean 'empty'*"])


def test_a_session_that_another_client_deletes_is_reported(run: Run) -> None:
    text = """
        import pytest
        from mockpets.client import ControlClient

        def test_deleted(mockpets):
            ControlClient(mockpets.url).drop_session(mockpets.control.name)

        def test_replaced(mockpets):
            other = ControlClient(mockpets.url)
            other.drop_session(other.name)
            other.make_session(other.name)
    """
    result = run(text)

    result.assert_outcomes(passed=2, errors=2)
    for name in ("deleted", "replaced"):
        result.stdout.fnmatch_lines_random([f"E *session test-{name}-* was lost: *"])


SLOW = ("faker", "flask", "http.client", "marshmallow", "waitress", "werkzeug", "yaml")


@pytest.mark.usefixtures("run")
def test_runs_without_the_fixtures_import_nothing_slow(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys

        def test_it():
            assert "mockpets.pytest_plugin" in sys.modules
            assert not {set(SLOW)} & set(sys.modules)
        """
    )

    pytester.runpytest_subprocess(*PLUGIN, timeout=SECONDS).assert_outcomes(passed=1)
