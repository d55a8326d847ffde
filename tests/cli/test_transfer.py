"""The commands `sessions export` and `sessions import`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockpets.client import ControlClient
from tests.http_client import Client

Run = Callable[..., tuple[int, list[str], list[str]]]


def test_a_session_is_exported_and_imported(run: Run, client: ControlClient, call: Client) -> None:
    client.make_session("w1", scenario=["empty", "missing"], seed=7, data={"pets": 3})
    call("GET", "/~w1/v1/pets")
    added = call("POST", "/~w1+default/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    exported = ["exported session w1 to w1.json"]
    imported = ["imported session w2; active: empty, missing"]
    assert run("sessions", "export", "w1.json", "--session", "w1") == (0, exported, [])
    assert run("sessions", "import", "w1.json", "--session", "w2") == (0, imported, [])

    document = json.loads(Path("w1.json").read_text("utf-8"))
    assert document == client.export_session("w1")
    assert client.export_session("w2") == {**document, "session": "w2"}
    assert call("GET", "/~w2+default/v1/pets").json[-1] == added.json


def test_every_number_and_text_survives_the_file(
    run: Run, client: ControlClient, call: Client
) -> None:
    orders = {"name": "shop", "description": "d", "resources": [{"path": "/v1/orders"}]}
    client.make_session("w1", scenario=[orders])
    text, digits = "\u00e9" * 30_000, "9" * 60
    record = f'{{"a":1e400,"b":{digits},"c":1.5,"d":1e-400,"e":"{text}"}}'.encode()
    headers = {"Content-Type": "application/json"}
    for _ in range(10):  # escaped, they would be longer than an import may be
        response = call("POST", "/~w1/v1/orders", body=record, headers=headers)
        assert response.status == 201, response.body
    assert run("sessions", "export", "w1.json", "--session", "w1")[0] == 0
    imported = ["imported session w2; active: shop"]
    assert run("sessions", "import", "w1.json", "--session", "w2") == (0, imported, [])

    assert call("GET", "/~w2/v1/orders").body == call("GET", "/~w1/v1/orders").body


def test_without_a_name_it_is_the_default_session(run: Run, client: ControlClient) -> None:
    assert run("sessions", "export", "a.json") == (0, ["exported session default to a.json"], [])
    client.use("flaky")
    imported = ["imported session default; active: default"]
    assert run("sessions", "import", "a.json") == (0, imported, [])
    assert client.state()["active"] == ["default"]


def test_the_log_is_exported_on_request_and_not_sent(run: Run, call: Client) -> None:
    call("GET", "/~w1/v1/pets")
    assert run("sessions", "export", "a.json", "--log", "--session", "w1")[0] == 0
    path = Path("a.json")
    document = json.loads(path.read_text("utf-8"))
    [entry] = document["log"]["log"]["entries"]
    assert entry["request"]["url"].endswith("/~w1/v1/pets")
    assert "Bearer mockpets" not in path.read_text("utf-8")

    entry["comment"] = "x" * 2**20  # longer than any body may be
    path.write_text(json.dumps(document), "utf-8")
    assert run("sessions", "import", "a.json", "--session", "w1")[0] == 0


VALID: Any = {"format": 1, "scenario": "default", "seed": 1}
FILES: dict[str, Any] = {
    "not-json.json": '{"format": 1,',
    "list.json": "[]",
    "problems.json": json.dumps(
        {**VALID, "seed": -1, "data": [{"collection": "pets", "next": 1, "records": 5}]}
    ),
    "scenario.json": json.dumps({**VALID, "scenario": "emty"}),
    "newer.json": json.dumps({**VALID, "format": 2, "mockpets": "7.1.0"}),
    "text.json": b"\xff\xfe{\0",
}


@pytest.mark.parametrize(
    ("file", "status", "messages"),
    [
        ("missing.json", 2, ["missing.json: file not found; check the path"]),
        ("not-json.json", 2, ["not-json.json: is not valid JSON: "]),
        ("list.json", 2, ["list.json: must be a JSON object; export a session first"]),
        (
            "problems.json",
            2,
            [
                "problems.json: seed: must be an integer from 0 to ",
                "problems.json: data.1.records: must be a list",
            ],
        ),
        ("scenario.json", 1, ["unknown scenario 'emty'; did you mean 'empty'?"]),
        ("newer.json", 2, ["newer.json: was exported by mockpets 7.1.0 in format 2; mockpets "]),
        ("text.json", 2, ["text.json: is UTF-16 or UTF-32; save it as UTF-8"]),
    ],
)
def test_an_invalid_file_is_reported_with_its_places(
    run: Run, client: ControlClient, file: str, status: int, messages: list[str]
) -> None:
    for name, text in FILES.items():
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    result, out, err = run("sessions", "import", file, "--session", "w1")

    assert (result, out, len(err)) == (status, [], len(messages)), err
    for line, message in zip(err, messages, strict=True):
        assert line.startswith(f"mockpets: {message}"), line
    assert [each["name"] for each in client.sessions()] == ["default"]


@pytest.mark.usefixtures("client")
def test_an_export_never_replaces_a_file_or_follows_a_link(run: Run) -> None:
    Path("a.json").write_text("precious", "utf-8")
    Path("link.json").symlink_to("a.json")
    Path("dangling.json").symlink_to("b.json")
    for name in ("a.json", "link.json", "dangling.json"):
        message = f"mockpets: {name}: already exists; choose another name, or delete it"
        assert run("sessions", "export", name) == (2, [], [message])
    assert Path("a.json").read_text("utf-8") == "precious"
    assert not Path("b.json").exists()


@pytest.mark.usefixtures("client")
def test_a_file_that_cannot_be_written_is_reported(run: Run) -> None:
    status, out, [line] = run("sessions", "export", "missing/a.json")
    assert (status, out) == (2, [])
    assert line.startswith("mockpets: missing/a.json: cannot write this file: ")
    status, out, [line] = run("sessions", "export", "a.json", "--session", "w9")
    assert (status, out, Path("a.json").exists()) == (1, [], False)
    assert line.startswith("mockpets: unknown session 'w9'")
