"""`mockpets report --coverage`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.cases import each as for_each
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Run = Any
TOKEN = "a-token-of-the-tests"
REPORT = ("report", "--coverage")


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), control_token=TOKEN)) as server:
        yield server


@pytest.fixture
def call(server: MockpetsServer, monkeypatch: pytest.MonkeyPatch) -> Client:
    """A client of the server of the commands, which has counted nothing."""
    monkeypatch.setenv("MOCKPETS_URL", server.url)
    monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", TOKEN)
    ControlClient(server.url, token=TOKEN).clear_coverage()
    return Client(OverSocket(server.url))


def test_the_matrix_and_what_fills_each_hole(run: Run, call: Client) -> None:
    call("GET", "/v1/pets")
    call("GET", "/~a/v1/pets", scenario="empty")
    call("GET", "/v1/pets/3", key="other")
    call("GET", "/v1/store/orders", scenario="orders")

    status, out, err = run(*REPORT)
    assert (status, err) == (0, [])
    assert out[:17] == [
        "state         listPets  createPet  getPet",
        "success              2          0       0",
        "empty                1          -       -",
        "400                  -          0       -",
        "401                  0          0       1",
        "404                  -          -       0",
        "5xx                  0          0       0",
        "slow                 0          0       0",
        "held                 0          0       0",
        "broken               0          0       0",
        "malformed            0          0       0",
        "off contract         0          0       0",
        "",
        "3 of 27 states served: 11 %",
        "",
        "listPets 401: never served; mockpets use unauthorized",
        "listPets 5xx: never served; mockpets use server-error",
    ]
    assert out[22:25] == [
        "createPet was never called: 9 states",
        "getPet success: never served; mockpets use default",
        "getPet 404: never served; mockpets use missing",
    ]
    assert out[-2] == "scenarios served: default, empty, orders"
    assert out[-1].startswith("shipped scenarios never served: after-removal, awkward-names, big-")
    assert " empty," not in out[-1]


def test_selected_operations_are_the_whole_matrix(run: Run, call: Client) -> None:
    call("GET", "/v1/pets/3", scenario="missing")

    options = ("--operation", "getPet", "--operation", "createPet", "--operation", "getPet")
    _, out, _ = run(*REPORT, *options)
    assert out[0] == "state         getPet  createPet"
    assert [line.split()[0] for line in out[1:4]] == ["success", "400", "401"]
    assert "1 of 18 states served: 5 %" in out
    assert not [line for line in out if "listPets" in line]


def test_github_gets_markdown_as_the_summary_of_the_job_and_text_for_the_log(
    run: Run, call: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("GET", "/v1/pets")
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    options = (*REPORT, "--operation", "listPets")
    assert run(*options, "--format", "github") == run(*options)
    lines = ["## State coverage", "", "```text", *run(*options)[1], "```"]
    assert summary.read_text().splitlines() == lines


def test_json_has_all_rows_and_a_summary_of_the_selected_operations(run: Run, call: Client) -> None:
    call("GET", "/v1/pets")
    call("GET", "/v1/pets/999")
    result = json.loads("\n".join(run(*REPORT, "--json", "--operation", "getPet")[1]))
    body = call("GET", "/__mockpets/coverage", key=TOKEN).json

    summary = result.pop("summary")
    assert result == body
    assert summary["percent"] == 11
    assert summary["matrix"].keys() == {"getPet"}
    assert summary["matrix"]["getPet"]["404"] == 1
    assert {"operation": "getPet", "state": "5xx", "scenario": "server-error"} in summary["holes"]
    assert summary["never_called"] == []


@for_each("least, status", [("0", 0), ("11", 0), ("12", 1), ("100", 1)])  # 1 of 9 is 11.1 %
def test_fail_under_sets_the_exit_status(run: Run, call: Client, least: str, status: int) -> None:
    call("GET", "/v1/pets")

    result, out, err = run(*REPORT, "--operation", "listPets", "--fail-under", least)
    assert result == status
    assert "1 of 9 states served: 11 %" in out
    message = f"mockpets: --fail-under: the state coverage is 11 %, less than {least} %"
    assert err == ([message] if status else [])


@for_each(
    "options, message",
    [
        (["--har"], "--har: cannot be combined with --coverage"),
        (["--session", "a"], "--session: cannot be combined with --coverage"),
        (["--fail-on", "all"], "--fail-on: cannot be combined with --coverage"),
        (["--operation", "getpet"], "--operation: 'getpet' is not one of 'listPets', 'createPet'"),
        (["--fail-under", "101"], "--fail-under: must be an integer from 0 to 100, got"),
        (["--fail-under", "80%"], "--fail-under: must be an integer from 0 to 100, got"),
        (["a.json"], "a.json: files are read only with --har; name each server with --url"),
    ],
)
def test_invalid_options(run: Run, options: list[str], message: str) -> None:
    status, out, [error] = run(*REPORT, *options)
    assert (status, out) == (2, [])
    assert error.startswith(f"mockpets: {message}")
