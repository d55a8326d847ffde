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
        "- match: {operation: getPet, petId: 3, query: {debug: '1'}}",
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

    assert (status, out, err) == (0, [f"{file}: 1 request, 1 stub"], [])
    text = file.read_text("utf-8")
    assert run("check", file)[0] == 0
    assert run("record", "all-rejected", *options)[1] == [f"{file}: 1 request, 1 stub, as before"]
    assert file.read_text("utf-8") == text
    call("GET", "/v1/pets/1")
    assert run("record", "all-rejected", *options)[1] == [f"{file}: 2 requests, 1 stub"]
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
