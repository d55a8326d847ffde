"""`sessions`, `requests`, `report` and `reset` with several `--url`."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket

Run = Any


@pytest.fixture
def urls() -> Iterator[list[str]]:
    """The options of two servers: the first one has the session `w1`, both have `w2`."""
    with MockpetsServer(Settings(port=0)) as first, MockpetsServer(Settings(port=0)) as second:
        for server, name in ((first, "w1"), (second, "w2"), (first, "w2")):
            ControlClient(server.url).make_session(name)
            Client(OverSocket(server.url))("GET", f"/~{name}/v1/pets?limit=3")
        yield ["--url", first.url, "--url", second.url, "--url", first.url]


def test_each_server_is_called_once(run: Run, urls: list[str]) -> None:
    _, sessions, _ = run("sessions", *urls, "--json")
    _, requests, _ = run("requests", *urls, "--session", "w2")
    _, recorded, _ = run("requests", *urls, "--session", "w2", "--har")
    _, only, _ = run("requests", *urls, "--session", "w1", "--json")
    _, report, _ = run("report", *urls, "--session", "w2")
    har = json.loads("\n".join(recorded))["log"]["entries"]
    names = [row["name"] for row in json.loads("\n".join(sessions))["sessions"]]

    assert sorted(names) == ["default", "default", "w1", "w2", "w2"]
    assert [line.split()[2:4] for line in requests] == [["GET", "/v1/pets?limit=3"]] * 2
    assert [entry["startedDateTime"] for entry in har] == sorted(
        entry["startedDateTime"] for entry in har
    )
    assert (len(har), len(only)) == (2, 1)
    assert report[0] == "no findings in 2 requests in 2 sessions"
    assert run("requests", *urls, "--session", "w2", "--clear")[1] == ["cleared 2"]


def test_a_session_is_reset_only_where_it_exists(run: Run, urls: list[str]) -> None:
    status, out, err = run("reset", *urls, "--session", "w1")

    assert (status, out, err) == (0, ["reset session w1; active: default"], [])
    assert run("reset", *urls, "--all")[1] == ["reset sessions: 5"]


@pytest.mark.parametrize(("words", "message"), [
    (["requests", "--session", "w9"], "--session: no server has the session 'w9'"),
    (["reset", "--session", "w9"], "--session: no server has the session 'w9'"),
    (["report", "--session", "w9"], "--session: unknown session 'w9'"),
    (["requests", "--follow"], "--follow: cannot be combined with several --url"),
    (["reset", "--all", "--session", "w1"], "--all: cannot be combined with session w1"),
])  # fmt: skip
def test_what_no_server_can_do_is_rejected(
    words: list[str], message: str, run: Run, urls: list[str]
) -> None:
    status, out, [error] = run(*words, *urls)

    assert (status, out) == (2, [])
    assert error.startswith(f"mockpets: {message}")
