"""`mockpets report` on the request logs of a server."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.client import ControlClient
from mockpets.errors import printable
from tests.http_client import Client, OverSocket
from tests.report.traffic import Sent, document, report, write

Run = Any
TOKEN = "a-token-of-the-tests"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockpetsServer]:
    settings = Settings(port=0, host=("127.0.0.1",), control_token=TOKEN)
    monkeypatch.setattr("mockpets.web.app.LOG_ENTRIES", 8)
    with MockpetsServer(settings) as server:
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        monkeypatch.setenv("MOCKPETS_CONTROL_TOKEN", TOKEN)
        yield server


@pytest.fixture
def call(server: MockpetsServer) -> Client:
    return Client(OverSocket(server.url))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any], list[str]]]:
    return report(capsys)


def test_all_sessions_of_a_server_are_checked(run: Run, call: Client) -> None:
    call("GET", "/v1/pets/3")
    call("GET", "/~checkout/v1/pets?page=2&api_key=s3cret-value")
    call("POST", "/~checkout/v1/pets", body=b'{"name": "Miso", "categoryId": 2, "photos": []}')

    status, result, err = run()
    assert (status, err) == (0, [])
    assert result["summary"] == "4 findings of 4 rules in 3 requests in 2 sessions"
    assert [(each["rule"], each["source"]) for each in result["findings"]] == [
        ("unknown-parameter", "session checkout"),
        ("unknown-property", "session checkout"),
        ("key-in-query", "session checkout"),
        ("deprecated-operation", "session default"),
    ]
    assert result["findings"][0]["evidence"][0]["number"] == 1
    assert result["limits"] == []
    assert "s3cret-value" not in json.dumps(result)


def test_the_server_and_its_export_have_the_same_findings(
    run: Run, call: Client, server: MockpetsServer
) -> None:
    call("GET", "/v1/pets/3")
    call("GET", "/v1/pets?page=2", scenario="server-error")
    write("a.har", ControlClient(server.url, token=TOKEN).har())

    live, saved = run()[1], run("--har", "a.har")[1]
    assert [each["rule"] for each in live["findings"]] == [
        "unknown-parameter",
        "deprecated-operation",
    ]
    for each in (*live["findings"], *saved["findings"]):
        del each["source"], each["file"]
    assert live["findings"] == saved["findings"]


def test_selected_sessions(run: Run, call: Client, server: MockpetsServer) -> None:
    call("GET", "/v1/pets")
    call("GET", "/~a/v1/pets")
    call("GET", "/~b/v1/pets")

    assert run("--session", "A", "--session", "b")[1]["checked"] == "2 requests in 2 sessions"
    assert run("--session", "a", "--session", "a")[1]["checked"] == "1 request in 1 session"
    assert run("--url", f"{server.url}/~b/v1")[1]["checked"] == "1 request in 1 session"


@pytest.mark.parametrize(("arguments", "message"), [
    (["--session", "chekout"], "--session: unknown session 'chekout'; did you mean 'checkout'?"),
    (["--session", "x"], "--session: unknown session 'x'; sessions: default, checkout"),
    (["--session", "no name"], "--session: unknown session 'no name'; sessions: default, che"),
])  # fmt: skip
def test_an_unknown_session(run: Run, call: Client, arguments: list[str], message: str) -> None:
    call("GET", "/~checkout/v1/pets")

    status, result, err = run(*arguments)
    assert (status, result, len(err)) == (2, {}, 1)
    assert err[0].startswith(f"mockpets: {message}")


def test_a_report_without_requests_says_that_nothing_was_checked(
    run: Run, call: Client, server: MockpetsServer
) -> None:
    call("GET", "/~a/v1/pets?page=2")
    ControlClient(server.url, token=TOKEN).drop_session("a")

    status, result, _ = run("--fail-on", "all")
    assert (status, result["summary"]) == (0, "no findings in 0 requests in 1 session")
    assert result["limits"] == [
        "all rules, because there are no requests; a deleted session has no log"
    ]


def test_a_report_creates_no_session(run: Run, call: Client, server: MockpetsServer) -> None:
    call("GET", "/~a/v1/pets")
    run()
    run("--session", "other")

    names = [each["name"] for each in ControlClient(server.url, token=TOKEN).sessions()]
    assert names == ["default", "a"]


def test_dropped_requests_are_a_limit(run: Run, call: Client) -> None:
    for number in range(10):
        call("GET", f"/v1/pets?limit={number + 1}")

    result = run()[1]
    assert result["checked"] == "8 requests in 1 session"
    assert result["limits"] == [
        "2 requests that the log of session default has dropped; clear it before the run, or "
        "raise --memory"
    ]


def test_the_report_as_text(call: Client, capsys: pytest.CaptureFixture[str]) -> None:
    call("GET", "/v1/pets?page=2")

    assert main(["report", "--fail-on", "all"]) == 1
    out, err = capsys.readouterr()
    assert err == "mockpets: --fail-on: findings of unknown-parameter\n"
    lines = out.splitlines()
    assert lines[:4] == [
        "1 finding of 1 rule in 1 request in 1 session",
        "",
        "error: Unknown query parameter (unknown-parameter)",
        "  session default: listPets has no query parameter 'page', in 1 request",
    ]
    assert lines[4].startswith("    request 1, ")


# --- --format github and --fail-on ------------------------------------------------------

SUMMARY = "GITHUB_STEP_SUMMARY"


@pytest.fixture
def har(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """The options of a report with a finding of each level, outside of GitHub Actions."""
    monkeypatch.delenv(SUMMARY, raising=False)
    requests = [Sent(0, target="/v1/pets?caf\u00e9=1"), Sent(900, target="/v1/pets/3")]
    return ("--har", write("a.har", document(requests)))


@pytest.mark.parametrize(("file", "problem"), [
    ("no/such/report", "No such file or directory; create the folder 'no/such' first"),
    ("a.har/report", "Not a directory; create the folder 'a.har' first"),
    ("a-folder", "Is a directory; add the name of a file in this folder"),
    ("\x1b/x", "No such file or directory; create the folder '\\x1b' first"),
])  # fmt: skip
def test_a_summary_that_cannot_be_written_is_an_error(
    run: Run, har: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, file: str, problem: str
) -> None:
    Path("a-folder").mkdir()
    message = [f"mockpets: {printable(file)}: cannot write this file: {problem}"]
    monkeypatch.setenv(SUMMARY, file)
    assert run(*har, "--format", "github") == (2, {}, message)


@pytest.mark.parametrize(
    "encoding", ["ascii", "iso8859-5"]
)  # which click takes for UTF-8; Cyrillic
def test_a_terminal_that_is_not_utf_8_gets_the_whole_report(
    encoding: str, har: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    assert main(["report", *har]) == 0
    shown = "\u00e9" if encoding == "ascii" else "\\xe9"
    assert f"no query parameter 'caf{shown}', in" in written.getvalue().decode()


def test_github_gets_a_summary_and_annotations(
    har: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SUMMARY, "summary.md")
    Path("summary.md").write_text("# Before\n\n", encoding="utf-8")

    assert main(["report", *har, "--format", "github"]) == 0
    kinds = [line.partition(" ")[0] for line in capsys.readouterr().out.splitlines()]
    assert kinds == ["::notice", "::error", "::warning"]
    summary = Path("summary.md").read_text(encoding="utf-8")
    assert summary.startswith("# Before\n\n## Client behaviour\n\n```text\n2 findings of 2 rules ")
    assert "\nerror: Unknown query parameter (" in summary


@pytest.mark.parametrize(("names", "failing"), [
    (["key-in-query"], ""),
    (["key-in-query,unknown-parameter"], "unknown-parameter"),
    (["key-in-query", "unknown-parameter"], "unknown-parameter"),
    (["error"], "unknown-parameter"),
    (["error,deprecated-operation"], "unknown-parameter, deprecated-operation"),
    (["all"], "unknown-parameter, deprecated-operation"),
])  # fmt: skip
def test_findings_of_these_rules_fail_the_command(
    run: Run, har: tuple[str, ...], names: list[str], failing: str
) -> None:
    status, result, err = run(*har, *(word for name in names for word in ("--fail-on", name)))

    assert (status, len(result["findings"])) == (int(bool(failing)), 2)
    assert err == ([f"mockpets: --fail-on: findings of {failing}"] if failing else [])


@pytest.mark.parametrize(("name", "problem"), [
    ("retry-after", "unknown rule 'retry-after'; did you mean 'retry-after-ignored'?"),
    ("warning,all", "unknown rule 'warning'; rules: duplicate-create, unknown-parameter, "),
    ("all,alll", "unknown rule 'alll'; did you mean 'all'?"),
])  # fmt: skip
@pytest.mark.parametrize("requests", [("--har", "a.har"), ("--url", "http://localhost:1")])
def test_an_unknown_rule_is_an_error_before_requests_are_read(
    run: Run, requests: tuple[str, ...], name: str, problem: str
) -> None:
    status, _, [error] = run(*requests, "--fail-on", name)

    assert status == 2
    assert error.startswith(f"mockpets: --fail-on: {problem}")
