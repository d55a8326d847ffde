"""The control API: activating scenarios, reset, gates, and access."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.settings.settings_table import rows
from tests.http_client import JSON, Client, InProcess, OverSocket

Make = Callable[..., Client]

PET: Any = {"name": "Miso", "categoryId": 2}


def put(call: Client, body: object, **options: Any) -> Any:
    return call("PUT", "/__mockpets/scenario", json_body=body, key=None, **options)


def test_activating_resets_counters_and_keeps_pets(fresh: Make) -> None:
    call = fresh(scenario=("retry", "empty"))

    def statuses() -> list[int]:
        return [call("GET", "/v1/pets").status for _ in range(3)]

    assert statuses() == [503, 503, 200]
    call("POST", "/v1/pets", json_body=PET)
    assert statuses() == [200, 200, 200]
    put(call, {"scenario": ["retry", "empty"]})
    assert statuses() == [503, 503, 200]
    assert len(call("GET", "/v1/pets").json) == 1


def test_reset_restores_the_initial_state_and_keeps_the_scenario(fresh: Make) -> None:
    call = fresh(scenario=("retry",))
    start = call("GET", "/v1/pets", scenario="default").body
    assert call("GET", "/v1/pets").status == 503
    call("POST", "/v1/pets", json_body=PET, scenario="default")
    call("POST", "/v1/pets", json_body=PET, scenario="empty")
    response = call("POST", "/__mockpets/reset", key=None)

    assert (response.status, response.json) == (200, {"active": ["retry"]})
    assert [call("GET", "/v1/pets").status for _ in range(3)] == [503, 503, 200]
    assert call("GET", "/v1/pets").body == start
    assert call("GET", "/v1/pets", scenario="empty").json == []
    assert call("POST", "/v1/pets", json_body=PET).json["id"] == 17


# --- Access -------------------------------------------------------------------------------------


# --- What UTF-8 cannot encode -------------------------------------------------------------------

HALF = "\\ud800"
HALVES = [
    ("PUT", "data/pets", f'[{{"id": 1, "name": "{HALF}", "categoryId": 1}}]'),
    ("PUT", "data/pets", f'{{"{HALF}": 1}}'),
    ("PATCH", "data/pets/1", f'{{"name": "{HALF}"}}'),
    ("PUT", "scenario", f'{{"scenario": "{HALF}"}}'),
    ("PUT", "scenario", f'{{"scenario": ["empty", {{"name": "{HALF}", "description": "d"}}]}}'),
    ("PUT", "scenario",
     f'{{"scenario": {{"description": "d", "stubs": [{{"reply": {{"body": "{HALF}"}}}}]}}}}'),
    ("PUT", "sessions/w3", f'{{"scenario": {{"description": "{HALF}"}}, "seed": 2}}'),
    ("POST", "verify", f'{{"match": {{"body": {{"name": "{HALF}"}}}}}}'),
]  # fmt: skip


@pytest.fixture(scope="module")
def unchanged() -> Iterator[Client]:
    """A server over a socket, for requests that change nothing in it."""
    with MockpetsServer(Settings(port=0)) as server:
        yield Client(OverSocket(server.url))


@pytest.mark.parametrize("size", [0, 9000])
@pytest.mark.parametrize(("method", "path", "text"), HALVES)
def test_half_a_surrogate_pair_is_a_problem_of_the_body(
    unchanged: Client, method: str, path: str, text: str, size: int
) -> None:
    """A long body is read on the worker thread, so the server takes part."""
    body = text.encode() + b" " * size
    response = unchanged(method, f"/__mockpets/{path}", body=body, headers=JSON, key=None)

    assert response.status in (400, 422)
    assert response.json["code"] in ("invalid_request", "invalid_scenario")
    assert "ud800" in response.body.decode().lower().replace("u+d800", "ud800")
    assert unchanged("GET", "/__mockpets/state", key=None).json["active"] == ["default"]


@pytest.mark.parametrize(
    "path", ["cafe/caf\udce9.yaml", "caf\udce9/cafe.yaml"], ids=["file", "folder"]
)
def test_a_path_that_is_not_utf_8_is_listed_with_escapes(tmp_path: Path, path: str) -> None:
    file = tmp_path / path
    try:
        file.parent.mkdir()
        app = create_app(Settings(scenarios_dir=(file.parent,)))
        file.write_text("description: d\nstubs: []\n")
    except OSError:
        pytest.skip("the file system has only names in UTF-8")
    app.extensions["mockpets"].reloader.look()
    call = Client(InProcess(app))

    for listed in ("scenarios", "state"):
        rows = call("GET", f"/__mockpets/{listed}", key=None).json["scenarios"]
        [row] = [row for row in rows if row["name"].startswith("caf")]
        assert row["source"].endswith(path.replace("\udce9", r"\udce9"))
        assert bool(row["problems"]) is ("\udce9" in file.name)
    assert call("GET", f"/__mockpets/scenarios/{quote(row['name'])}", key=None).status == 200


# --- Files that cannot be reloaded --------------------------------------------------------------


def test_the_reason_why_files_are_not_reloaded_is_listed(tmp_path: Path) -> None:
    app = create_app(Settings(scenarios_dir=(tmp_path,)))
    reloader, call = app.extensions["mockpets"].reloader, Client(InProcess(app))

    def problems() -> list[str]:
        reloader.look()
        listed, state = (
            call("GET", f"/__mockpets/{path}", key=None).json for path in ("scenarios", "state")
        )
        assert listed["folder_problems"] == state["folder_problems"]
        reasons: list[str] = listed["folder_problems"]
        return reasons

    def change() -> int:
        number: int = call("GET", "/__mockpets/events", key=None).json["change"]
        return number

    assert problems() == []
    (tmp_path / "mine.yaml").write_text("description: Mine.\n")
    (tmp_path / "mine.json").write_text('{"description": "Other."}')
    before = change()
    [problem] = problems()
    assert problem.endswith(
        "mine.yaml: mine.json also has the name 'mine'; rename or remove one of them"
    )
    events = call("GET", f"/__mockpets/events?since={before}", key=None).json
    assert events["changed"] == ["files"], "the panel reads the state again"
    assert problems() == [problem]
    assert change() == events["change"], "the same problem is reported once"
    unknown = call("GET", "/v1/pets", scenario="mine").json["message"]
    assert unknown.endswith(f"; changed files are not reloaded: {problem}")
    assert call("GET", "/v1/pets").status == 200

    (tmp_path / "mine.json").unlink()
    assert problems() == []
    assert call("GET", "/v1/pets", scenario="mine").status == 200


def test_a_removed_folder_is_listed_and_reloads_again_when_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    app = create_app(Settings(scenarios_dir=(folder,)))
    reloader, call = app.extensions["mockpets"].reloader, Client(InProcess(app))
    folder.rename(tmp_path / "away")
    reloader.look()
    [problem] = call("GET", "/__mockpets/scenarios", key=None).json["folder_problems"]
    assert problem.startswith(f"{folder}: cannot read this folder of scenarios: ")

    (tmp_path / "away").rename(folder)
    reloader.look()
    assert call("GET", "/__mockpets/scenarios", key=None).json["folder_problems"] == []


def test_failed_requests_are_counted_for_each_session(fresh: Make) -> None:
    call = fresh()
    for method, path, more in (
        ("GET", "/~w1/v1/pets", {}),
        ("GET", "/~w1/v1/pets?limit=0", {}),
        ("GET", "/~w1/v1/pets", {"key": None}),
        ("GET", "/~w1/v1/pets", {"scenario": "server-error"}),
        ("GET", "/~w1/v1/pets", {"scenario": "truncated"}),
    ):
        call(method, path, **more)
    sessions = call("GET", "/__mockpets/sessions", key=None).json["sessions"]
    assert [(each["requests"], each["failed"]) for each in sessions] == [(0, 0), (5, 4)]
    call("DELETE", "/~w1/__mockpets/requests", key=None)
    assert call("GET", "/__mockpets/sessions/w1", key=None).json["failed"] == 0


def test_a_response_that_waits_has_not_failed_until_it_is_released_with_an_error() -> None:
    held = {"description": "d", "stubs": [{"hold": "door", "reply": {"status": 503}}]}
    with MockpetsServer(Settings(port=0)) as server, ThreadPoolExecutor() as pool:
        call = Client(OverSocket(server.url))
        put(call, {"scenario": held})
        responses = [pool.submit(call, "GET", "/v1/pets") for _ in range(2)]
        path = "/__mockpets/gates/door/wait"
        assert call("POST", path, json_body={"held": 2}, key=None).status == 200

        def failed() -> int:
            count: int = call("GET", "/__mockpets/sessions/default", key=None).json["failed"]
            return count

        assert failed() == 0
        instead = {"requests": [1], "reply": {"status": 200}}
        call("POST", "/__mockpets/held/release", json_body=instead, key=None)
        call("POST", "/__mockpets/gates/door/open", key=None)
        assert sorted(each.result(10).status for each in responses) == [200, 503]
        while failed() != 1:
            call("GET", "/__mockpets/events?since=0&wait=1", key=None)


def test_the_state_has_every_setting_with_its_source_and_no_secret(fresh: Make) -> None:
    shown = fresh(seed=4, api_key=("s3cret",))("GET", "/__mockpets/state", key=None)

    every = {one["name"]: (one["value"], one["source"]) for one in shown.json["settings"]["all"]}
    assert every.keys() == {row.key for row in rows()}
    assert every["seed"] == (4, "code")
    assert every["api-key"] == ("[redacted]", "code")
    assert every["max-sessions"] == (shown.json["settings"]["max_sessions"], "default")
