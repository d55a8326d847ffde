"""A session: counters of two threads, random decisions, reset, changed files."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mockpets import Settings, create_app
from mockpets.scenario.matching import Facts
from mockpets.scenario.scenario_model import Canned, Scenario, Stub
from mockpets.session.session import Session
from tests.http_client import Client, InProcess
from tests.pet_store import OPERATIONS
from tests.session.shared_states import shared_state

LIST = Facts(OPERATIONS["listPets"], "GET", "/v1/pets")


def scenario(name: str, *stubs: Stub) -> Scenario:
    return Scenario(name, "d", (), stubs, name)


def session(*scenarios: Scenario) -> Session:
    return Session("test", shared_state(*scenarios))


def test_two_threads_get_each_reply_of_a_sequence_once() -> None:
    """10,000 requests on a sequence of 10,000 replies get each reply exactly once."""
    replies = tuple(Canned(200, (), str(number).encode()) for number in range(10_000))
    under_test = session(scenario("many", Stub("many/1", replies=replies, repeat="none")))

    def work(_: int) -> list[bytes]:
        bodies = []
        for _turn in range(5_000):
            outcome = under_test.decide(under_test.stack(("many",)), LIST)
            assert outcome.reply is not None
            bodies.append(outcome.reply.body)
        return bodies

    with ThreadPoolExecutor(2) as pool:
        seen = Counter(body for bodies in pool.map(work, range(2)) for body in bodies)

    assert seen == Counter(reply.body for reply in replies)
    assert under_test.decide(under_test.stack(("many",)), LIST).reply is None


def test_reset_restarts_random_decisions() -> None:
    under_test = session(
        scenario("luck", Stub("luck/1", probability=0.5, replies=(Canned(503, (), b""),)))
    )

    def draw() -> list[bool]:
        return [
            under_test.decide(under_test.stack(("luck",)), LIST).reply is None for _ in range(64)
        ]

    first = draw()
    assert draw() != first
    under_test.reset()
    assert draw() == first


# --- Changed files ----------------------------------------------------------------------------


def test_a_changed_file_resets_only_its_own_counters(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "description: d\ndata: {pets: 2}\nstubs:\n  - {times: 1, reply: {status: 500}}\n"
    )
    (tmp_path / "other.yaml").write_text(
        "description: d\nstubs:\n  - {times: 1, reply: {status: 500}}\n"
    )
    app = create_app(Settings(scenario=("mine",), scenarios_dir=(tmp_path,)))
    call, reloader = Client(InProcess(app)), app.extensions["mockpets"].reloader

    def seen(name: str | None = None) -> list[int]:
        return [call("GET", "/v1/pets", scenario=name).status for _ in range(2)]

    assert (seen(), seen("other")) == ([500, 200], [500, 200])
    call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 1})
    (tmp_path / "mine.yaml").write_text(
        "description: d\ndata: {pets: 2}\nstubs:\n  - {times: 1, reply: {status: 501}}\n# longer\n"
    )
    reloader.look()

    assert (seen(), seen("other")) == ([501, 200], [200, 200])
    assert len(call("GET", "/v1/pets").json) == 3


def test_an_active_scenario_without_its_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("description: d\n")
    app = create_app(Settings(scenario=("mine",), scenarios_dir=(tmp_path,)))
    call = Client(InProcess(app))
    assert call("GET", "/v1/pets").status == 200
    path.unlink()
    app.extensions["mockpets"].reloader.look()

    response = call("GET", "/v1/pets")
    assert (response.status, response.json["code"]) == (422, "unknown_scenario")
    assert call("GET", "/v1/pets", scenario="default").status == 200
