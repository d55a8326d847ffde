"""`mockpets why`: the explanation as text, and every argument that is wrong."""

from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket
from tests.web.control.test_mcp import use_tool
from tests.web.documents import document, operation, write

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str],
    client: ControlClient,  # noqa: ARG001 - names the server in the environment
) -> Run:
    def run_it(*arguments: str) -> tuple[int, str, str]:
        status = main(["why", *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return run_it


LISTED = """\
GET /v1/pets?status=sold (request 1, session default, scenarios flaky, retry, missing)
Why: stub flaky/fail responds with 503

1. flaky/fail: responds: 0.134364 is below 0.25, seed 1
   every request: responds with 503 (off contract); 25 % of requests

2. retry/fail-twice: not reached: an earlier stub responds
   every request: responds with 503 (off contract); at most 2 times

3. missing/gone: not reached: an earlier stub responds
   every get: responds with 404
      condition  expected  actual
   ✗  role       get       list
"""


def test_the_last_request_is_explained(run: Run, call: Client, client: ControlClient) -> None:
    client.use("flaky", "retry", "missing")
    call("GET", "/v1/pets?status=sold")

    for arguments in ([], ["last"], ["1"]):
        assert run(*arguments) == (0, LISTED, "")


def test_a_request_that_was_not_sent_is_explained_and_changes_nothing(
    run: Run, client: ControlClient
) -> None:
    client.use("retry")

    outputs = {run("get", "/v1/pets/1") for _ in range(3)}

    assert outputs == {
        (
            0,
            "GET /v1/pets/1 (not sent, session default, scenarios retry)\n"
            "Why: stub retry/fail-twice responds with 503\n\n"
            "1. retry/fail-twice: responds: use 1 of 2\n"
            "   every request: responds with 503 (off contract); at most 2 times\n",
            "",
        )
    }
    assert client.requests() == []


@pytest.mark.parametrize(("stub", "requests", "result"), [
    ({"after": 2, "reply": {"error": "unauthorized"}}, 1,
     'skipped: matching request 2 of 2 that "after" skips'),
    ({"times": 1, "reply": {"error": "unauthorized"}}, 1, "used up: 1 of 1"),
    ({"sequence": [{"error": "unauthorized"}], "repeat": "none"}, 1, "sequence used up"),
    ({"probability": 0, "reply": {"error": "unauthorized"}}, 0, " is not below 0, seed 1"),
    ({"delay": "1ms"}, 0, "1. inline-1/1: applies\n"),
    ({"match": {"operation": "getPet"}, "delay": "1ms"}, 0, "inline-1/1: does not match\n"),
], ids=["after", "times", "sequence", "probability", "applies", "no match"])  # fmt: skip
def test_the_result_of_a_stub_names_its_limit(
    run: Run, call: Client, client: ControlClient, stub: object, requests: int, result: str
) -> None:
    client.use({"description": "d", "stubs": [stub]})
    for _ in range(requests):
        call("GET", "/v1/pets")

    assert result in run("GET", "/v1/pets")[1]


def test_headers_and_a_body_are_part_of_the_request(run: Run) -> None:
    body = '{"name": "Miso", "categoryId": 2}'
    rejected = ("POST", "/v1/pets", "--body", body, "-H", "Mockpets-Scenario: create-rejected")

    assert "Why: stub create-rejected/reject responds with 400" in run(*rejected)[1]
    assert "responds with 201" in run("POST", "/v1/pets", "--body", body)[1]
    wrong = ("GET", "/v1/pets", "-H", "authorization: Bearer x")
    assert "401 before any scenario ran: the API key is invalid" in run(*wrong)[1]


def test_an_output_without_the_marks_has_words(
    client: ControlClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.use("missing")
    output = BytesIO()
    monkeypatch.setattr("sys.stdout", TextIOWrapper(output, "ascii"))
    assert main(["why", "GET", "/v1/pets"]) == 0

    assert output.getvalue().decode().splitlines()[-1].split() == ["NO", "role", "get", "list"]


def test_a_hostile_value_does_not_reach_the_terminal(
    run: Run, call: Client, client: ControlClient
) -> None:
    match = {"query": {"a": "b"}}
    client.use({"description": "d", "stubs": [{"match": match, "delay": "1ms"}]})
    call("GET", "/v1/pets?a=%1b%5b31m")

    out = run()[1]

    assert "\x1b" not in out
    assert "[31m" in out


def test_a_long_summary_is_wrapped(run: Run) -> None:
    _, out, _ = run("GET", "/v1/pets", "-H", "Mockpets-Scenario: mising")

    first, second, third, *_ = out.split("\n")
    assert first == "GET /v1/pets (not sent, session default)"
    assert second.startswith("Why: 422 before any scenario ran: ")
    assert third.startswith("     ")
    assert "\\n" not in out


def test_a_session_that_does_not_exist_is_reported(run: Run) -> None:
    status, out, err = run("GET", "/v1/pets", "--session", "new")

    assert (status, "session new" in out) == (0, True)
    assert err == "mockpets: explained for session new; this session does not exist yet\n"


@pytest.mark.parametrize(("arguments", "status", "message"), [
    ([], 1, "the request log of session 'default' has no request '1'; it is empty"),
    (["7"], 1, "the request log of session 'default' has no request '7'; it is empty"),
    (["GET"], 2, "a method and a path such as GET /v1/pets; got 'GET'"),
    (["-1"], 2, "-1: unknown option"),
    (["a", "b", "c"], 2, "got 3 arguments"),
    (["GET", "pets"], 2, "path: must be a path such as /v1/items?limit=5, got 'pets'"),
    (["G T", "/v1/pets"], 2, "method: must be a method such as GET or POST, got 'G T'"),
    (["OPTIONS", "/v1/pets"], 2, "no scenario applies to a preflight"),
    (["GET", "/__mockpets/state"], 2, "no scenario applies to the control API"),
    (["GET", "/v1/pets", "-H", "x"], 2, "--header: must be 'NAME: VALUE', got 'x'"),
    (["GET", "/v1/pets", "-H", "x y: 1"], 2, "headers: invalid header name 'x y'"),
    (["POST", "/v1/pets", "--body", "{"], 2, "--body: the text is not JSON"),
    (["1", "--body", "{}"], 2, "--body: is only for a request that was not sent"),
    (["-H", "x: y"], 2, "--header: is only for a request that was not sent"),
])  # fmt: skip
def test_wrong_arguments_are_reported(
    run: Run, arguments: list[str], status: int, message: str
) -> None:
    result, out, err = run(*arguments)

    assert (result, out) == (status, "")
    assert message in err


def test_the_key_is_where_the_operation_of_a_document_needs_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    schemes = {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}
    paths = {"/a": {"get": operation(name="getA")}}
    root = document(paths, security=[{"key": []}], components={"securitySchemes": schemes})
    settings = Settings(
        port=0,
        contract=(str(write(here / "a.json", root)),),
        api_key=("m",),
        sources={"api_key": ("--api-key", 0, 0, "")},  # else any key is valid
    )
    with MockpetsServer(settings) as server:
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        outputs = [run("GET", "/a")[1], run("GET", "/a", "-H", "X-Key: x")[1]]
        call = Client(OverSocket(server.url))
        tried = use_tool(call, "try_request", method="GET", path="/a")["structuredContent"]

    assert "responds with 200" in outputs[0]
    assert "401" in outputs[1]
    assert tried["status"] == 200
