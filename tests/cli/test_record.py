"""`mockpets stub` and `mockpets record`: what they print, and which files they replace."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket

Run = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, scenario=("unauthorized",))) as server:
        yield server


def test_a_stub_is_printed_used_and_dropped(
    server: MockpetsServer, run: Run, tmp_path: Path
) -> None:
    call = Client(OverSocket(server.url))
    call("GET", "/v1/pets/3?debug=1")
    status, out, err = run("stub", "1", "--url", server.url)

    assert (status, err) == (0, [])
    assert out == [
        "description: 'From request 1: GET /v1/pets/3?debug=1'",
        "stubs:",
        "- match: {operation: getPet, params: {petId: 3}, query: {debug: '1'}}",
        "  reply: {error: unauthorized}",
        "# It matches 1 request of the log, such as 1.",
    ]
    file = tmp_path / "like-this.yaml"
    options = ("--status", "404", "--times", "1", "--use", "-o", file)
    run("stub", "1", *options, "--url", server.url)
    assert yaml.safe_load(file.read_text("utf-8"))["stubs"][0]["times"] == 1
    assert [call("GET", "/v1/pets/3?debug=1").status for _ in range(2)] == [404, 401]
    assert run("stub", "1", "--drop", "--url", server.url)[1] == ["active: unauthorized"]
    run("stub", "1", "--use", "--url", server.url)
    _, out, _ = run("stub", "1", "--drop", "--json", "--url", server.url)
    assert json.loads("\n".join(out))["active"] == ["unauthorized"]
    assert run("stub", "9", "--url", server.url)[0] == 1


def test_a_recording_replaces_only_its_own_unchanged_file(
    server: MockpetsServer, run: Run, tmp_path: Path
) -> None:
    call, file = Client(OverSocket(server.url)), tmp_path / "all-rejected.yaml"
    options = ("-o", file, "--url", server.url)
    call("GET", "/v1/pets")
    status, out, err = run("record", "all-rejected", *options)

    use = f"use it  mockpets serve --scenarios-dir {tmp_path} --scenario all-rejected"
    assert (status, out, err) == (0, [f"{file}: 1 request, 1 stub", use], [])
    text = file.read_text("utf-8")
    assert run("check", file)[0] == 0
    assert run("record", "all-rejected", *options)[1][0] == f"{file}: 1 request, 1 stub, as before"
    assert file.read_text("utf-8") == text
    call("GET", "/v1/pets/1")
    assert run("record", "all-rejected", *options)[1][0] == f"{file}: 2 requests, 1 stub"
    for other in (text.replace("unauthorized", "invalid_request"), "description: mine\n"):
        file.write_text(other, "utf-8")
        status, _, err = run("record", "all-rejected", *options)
        assert status == 2
        assert f"{file} " in err[0]
        assert "choose another name, or delete the file" in err[0]
        assert file.read_text("utf-8") == other


def test_a_recording_starts_where_it_is_told(
    server: MockpetsServer, run: Run, tmp_path: Path
) -> None:
    call = Client(OverSocket(server.url))
    call("GET", "/v1/pets")
    assert run("record", "start", "--url", server.url)[1] == ["recording from request 2 on"]
    file = tmp_path / "none.yaml"
    _, out, _ = run("record", "none", "-o", file, "--json", "--url", server.url)

    assert json.loads("\n".join(out))["requests"] == 0
    status, _, err = run("record", "Not A Name", "--url", server.url)
    assert (status, err) == (
        2,
        ["mockpets: NAME: must be start or a scenario name in kebab-case, got 'Not A Name'"],
    )
    problem = "cannot be combined with 'start'; pass the name of the scenario to write"
    assert run("record", "start", "--har", "a.har") == (2, [], [f"mockpets: --har: {problem}"])
    status, _, err = run("record", "x", "-o", tmp_path / "no" / "x.yaml", "--url", server.url)
    assert status == 2
    assert "create the folder" in err[0]


@pytest.fixture
def with_folder(tmp_path: Path) -> Iterator[MockpetsServer]:
    """A server whose scenario folder is below the working directory of the commands."""
    folder = tmp_path / "mock"
    folder.mkdir()
    (folder / "mine.yaml").write_text("description: mine\n", "utf-8")
    with MockpetsServer(Settings(port=0, scenarios_dir=(folder,))) as server:
        yield server


def test_a_recording_is_saved_by_the_server_and_used_with_the_printed_command(
    with_folder: MockpetsServer, run: Run
) -> None:
    url = with_folder.url
    call = Client(OverSocket(url))
    call("POST", "/v1/pets", json_body={"name": "Rex", "categoryId": 1}, key="mockpets~w3")
    options = ("--url", url, "--session", "w3")
    status, out, err = run("record", "today", *options)

    use = f"use it  mockpets use today --url {url} --session w3"
    assert (status, out, err) == (0, ["mock/today.yaml: 1 request, 0 stubs", use], [])
    assert run(*use.split()[3:]) == (0, ["active in session w3: today"], [])
    assert not Path("today.yaml").exists()
    assert (
        run("record", "today", *options)[1][0] == "mock/today.yaml: 1 request, 0 stubs, as before"
    )
    call("GET", "/v1/pets/1", scenario="unauthorized", key="mockpets~w3")
    assert run("record", "today", *options)[1][0] == "mock/today.yaml: 2 requests, 1 stub"
    document = json.loads("\n".join(run("record", "other", "--json", *options)[1]))
    assert document["path"] == "mock/other.yaml"


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("mine", "mock/mine.yaml is not a recorded file; choose another name, or delete the file"),
        ("empty", "is shipped with mockpets; save it under another name; or pass --output FILE"),
    ],
    ids=["a file of yours", "a shipped scenario"],
)
def test_a_recording_replaces_no_other_scenario_of_the_server(
    with_folder: MockpetsServer, run: Run, name: str, problem: str
) -> None:
    status, out, err = run("record", name, "--url", with_folder.url)

    assert (status, out, len(err)) == (2, [], 1)
    assert problem in err[0]
    assert Path("mock/mine.yaml").read_text("utf-8") == "description: mine\n"


def test_a_recording_of_a_server_without_a_folder_is_saved_here(
    server: MockpetsServer, run: Run
) -> None:
    status, out, err = run("record", "today", "--url", server.url)

    use = "use it  mockpets serve --scenarios-dir . --scenario today"
    assert (status, out, err) == (0, ["today.yaml: 0 requests, 0 stubs", use], [])
    assert run("check", "today.yaml")[0] == 0
