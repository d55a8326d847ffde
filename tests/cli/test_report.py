"""`mockpets report --coverage`: from a server and from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.constants import PROBLEMS_SHOWN
from tests.cases import each as for_each
from tests.http_client import Client, OverSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

Run = Any
TOKEN = "a-token-of-the-tests"
REPORT = ("report", "--coverage")
EXPORT = "write one with 'mockpets report --coverage --format json'"


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


def row(**changes: object) -> dict[str, object]:
    """Return a row of a valid document."""
    return {
        "operation": "listPets",
        "states": ["success"],
        "status": 200,
        "scenarios": ["default"],
        "fault": None,
        "delay": "none",
        "count": 1,
        **changes,
    }


def write(name: str, *rows: dict[str, Any], **changes: object) -> str:
    """Write a document, and return the file's name."""
    total = sum(each["count"] for each in rows if type(each.get("count")) is int)
    document = {"version": "0.1.0", "total": total, "rows": rows, **changes}
    Path(name).write_text(json.dumps(document), encoding="utf-8")
    return name


# --- From a server --------------------------------------------------------------------------------


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


@pytest.mark.usefixtures("call")
def test_a_server_without_requests_has_only_operations_that_were_never_called(run: Run) -> None:
    status, out, _ = run(*REPORT)

    assert status == 0
    assert out[13:19] == [
        "0 of 27 states served: 0 %",
        "",
        "listPets was never called: 9 states",
        "createPet was never called: 9 states",
        "getPet was never called: 9 states",
        "",
    ]
    assert out[19] == "scenarios served: none"


def test_selected_operations_are_the_whole_matrix(run: Run, call: Client) -> None:
    call("GET", "/v1/pets/3", scenario="missing")

    options = ("--operation", "getPet", "--operation", "createPet", "--operation", "getPet")
    _, out, _ = run(*REPORT, *options)
    assert out[0] == "state         getPet  createPet"
    assert [line.split()[0] for line in out[1:4]] == ["success", "400", "401"]
    assert "1 of 18 states served: 5 %" in out
    assert not [line for line in out if "listPets" in line]


def test_markdown(run: Run, call: Client) -> None:
    call("GET", "/v1/pets")

    status, out, err = run(*REPORT, "--format", "markdown", "--operation", "listPets")
    assert (status, err) == (0, [])
    assert out[:8] == [
        "## State coverage",
        "",
        "**1 of 9 states served: 11 %**",
        "",
        "| state | listPets |",
        "|---|---:|",
        "| success | 1 |",
        "| empty | 0 |",
    ]
    assert "- listPets empty: never served; `mockpets use empty`" in out


def test_github_gets_markdown_as_the_summary_of_the_job_and_text_for_the_log(
    run: Run, call: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("GET", "/v1/pets")
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))

    assert run(*REPORT, "--format", "github") == run(*REPORT)
    assert summary.read_text().splitlines() == run(*REPORT, "--format", "markdown")[1]


def test_json_is_read_again_as_is_the_body_of_the_control_api(run: Run, call: Client) -> None:
    call("GET", "/v1/pets")
    call("GET", "/v1/pets/999")
    text = run(*REPORT)[1]
    exported = "\n".join(run(*REPORT, "--format", "json")[1])
    body = call("GET", "/__mockpets/coverage", key=TOKEN).body
    Path("exported.json").write_text(exported, encoding="utf-8")
    Path("body.json").write_bytes(body)

    assert run(*REPORT, "exported.json") == (0, text, [])
    assert run(*REPORT, "body.json") == (0, text, [])
    again = "\n".join(run(*REPORT, "--format", "json", "exported.json")[1])
    assert again == exported
    summary = json.loads(exported)["summary"]
    assert summary["percent"] == 7
    assert summary["matrix"]["getPet"]["404"] == 1
    assert {"operation": "getPet", "state": "5xx", "scenario": "server-error"} in summary["holes"]
    assert summary["never_called"] == ["createPet"]


def test_the_coverage_is_written_to_a_file(run: Run) -> None:
    write("a.json", row())
    text = run(*REPORT, "a.json")[1]

    assert run(*REPORT, "a.json", "-o", "coverage.txt") == (0, [], [])
    assert Path("coverage.txt").read_text(encoding="utf-8").splitlines() == text


def test_json_keeps_the_rows_of_other_operations(run: Run, call: Client) -> None:
    call("GET", "/v1/pets")
    exported = run(*REPORT, "--format", "json", "--operation", "getPet")[1]

    Path("a.json").write_text("\n".join(exported), encoding="utf-8")
    assert "1 of 9 states served: 11 %" in run(*REPORT, "a.json", "--operation", "listPets")[1]


@pytest.mark.usefixtures("call")
def test_a_missing_token_is_reported(run: Run) -> None:
    status, out, err = run(*REPORT, "--token", "not-the-token-of-the-tests")

    assert (status, out) == (1, [])
    assert "pass the token with --token" in err[-1]


# --- --fail-under and the other options -----------------------------------------------------------


@for_each("least, status", [("0", 0), ("11", 0), ("12", 1), ("100", 1)])  # 1 of 9 is 11.1 %
def test_fail_under_sets_the_exit_status(run: Run, least: str, status: int) -> None:
    write("a.json", row())

    result, out, err = run(*REPORT, "a.json", "--operation", "listPets", "--fail-under", least)
    assert result == status
    assert "1 of 9 states served: 11 %" in out
    message = f"mockpets: --fail-under: the state coverage is 11 %, less than {least} %"
    assert err == ([message] if status else [])


def test_fail_under_100_passes_without_holes(run: Run) -> None:
    states = ["success", "empty", "401", "5xx", "slow", "held", "broken", "malformed"]
    write("a.json", row(states=[*states, "off contract"]))

    status, out, _ = run(*REPORT, "a.json", "--operation", "listPets", "--fail-under", "100")
    assert status == 0
    assert out[-4:-2] == ["9 of 9 states served: 100 %", ""]


@for_each(
    "arguments, message",
    [
        (["report", "a.json"], "a.json: missing option for the kind of this file; add --har for"),
        ([*REPORT, "--har"], "--har: cannot be combined with --coverage; pass one of them"),
        ([*REPORT, "--session", "a"], "--session: cannot be combined with --coverage"),
        ([*REPORT, "--max-unread", "3"], "--max-unread: cannot be combined with --coverage"),
        ([*REPORT, "--fail-on", "all"], "--fail-on: cannot be combined with --coverage"),
        ([*REPORT, "--operation", "getpet"], "--operation: unknown operation 'getpet'; did you"),
        (
            [*REPORT, "--operation", "x"],
            "--operation: unknown operation 'x'; operations: listPets, createPet, getPet",
        ),
        ([*REPORT, "--fail-under", "101"], "--fail-under: must be an integer from 0 to 100, got"),
        ([*REPORT, "--fail-under", "80%"], "--fail-under: must be an integer from 0 to 100, got"),
        ([*REPORT, "--fail-under", "-1"], "--fail-under: must be an integer from 0 to 100, got"),
        ([*REPORT, "--format", "xml"], "--format: 'xml' is not one of"),
        (
            [*REPORT, "--format", "junit"],
            "--format: cannot be junit with --coverage; formats: text, markdown, github, json",
        ),
        (
            [*REPORT, "a.json", "--url", "http://localhost:1"],
            "--url: cannot be combined with FILE; read a server or files, not both",
        ),
    ],
)
def test_invalid_options(run: Run, arguments: list[str], message: str) -> None:
    write("a.json", row())

    status, out, err = run(*arguments)
    assert (status, out) == (2, [])
    assert len(err) == 1
    assert err[0].startswith(f"mockpets: {message}")


def test_files_need_no_server_although_a_variable_names_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCKPETS_URL", "http://localhost:1")

    assert run(*REPORT, write("a.json", row()))[0] == 0


# --- Several files --------------------------------------------------------------------------------


def test_files_of_several_servers_add_up(run: Run) -> None:
    write("a.json", row(count=2), row(operation="getPet", states=["404"], status=404))
    write("b.json", row(count=3), row(operation=None, states=[], scenarios=["mine"]))

    status, out, err = run(*REPORT, "a.json", "b.json")
    assert (status, err) == (0, [])
    assert out[1] == "success              5          0       0"
    assert out[5] == "404                  -          -       1"
    assert "scenarios served: default, mine" in out
    merged = json.loads("\n".join(run(*REPORT, "a.json", "b.json", "--format", "json")[1]))
    assert [each["count"] for each in merged["rows"]] == [5, 1, 1]
    assert merged["total"] == 7


def test_rows_without_scenarios_count(run: Run) -> None:
    rest = {"status": None, "scenarios": None, "fault": None, "delay": None}
    write("a.json", row(states=["401"], **rest), row(states=["slow", "held"], **rest))

    out = run(*REPORT, "a.json")[1]
    assert out[4].split() == ["401", "1", "0", "0"]
    assert out[7].split() == ["slow", "1", "0", "0"]
    assert out[8].split() == ["held", "1", "0", "0"]


def test_counts_are_exact(run: Run) -> None:
    write("a.json", row(count=2**53 - 1))
    write("b.json", row(count=2**53 - 1))

    assert run(*REPORT, "a.json", "b.json")[1][1].split()[1] == str(2**54 - 2)


@for_each("other", ["a.json", "./a.json", "link.json"])
def test_a_file_that_is_named_twice_is_rejected(run: Run, other: str) -> None:
    write("a.json", row())
    Path("link.json").symlink_to("a.json")

    status, out, err = run(*REPORT, "a.json", other)
    assert (status, out) == (2, [])
    hint = "name each file once" if other != "link.json" else "it is the same file as a.json"
    what = "is named twice, so that its responses would count twice"
    assert err == [f"mockpets: {Path(other)}: {what}; {hint}"]


# --- Invalid files --------------------------------------------------------------------------------

DOCUMENT = '{"version":"0.1.0","total":0,"rows":[]}'


@for_each(
    "content, message",
    [
        (b"", f"is empty; {EXPORT}"),
        (b" \n", f"is empty; {EXPORT}"),
        (b"\xef\xbb\xbf", f"is empty; {EXPORT}"),
        (b"{", f":1:2: is not JSON: Expecting property name enclosed in double quotes; {EXPORT}"),
        (b'{\n  "rows": [,]}', f":2:12: is not JSON: Expecting value; {EXPORT}"),
        (b"{} {}", f":1:4: is not JSON: Extra data; {EXPORT}"),
        (b"state  listPets", f":1:1: is not JSON: Expecting value; {EXPORT}"),
        (b'{"a": 1, "a": 2}', f'the file has the property "a" more than once; {EXPORT}'),
        (b'{"a": NaN}', f"the file is not JSON: NaN is not a valid JSON number; {EXPORT}"),
        (b"[" * 30 + b"]" * 30, f"the file is nested deeper than 20 levels; {EXPORT}"),
        (b"\xff{}", ":1:1: the byte 0xFF is not UTF-8; save it as UTF-8"),
        (DOCUMENT.encode("utf-16"), "is UTF-16 or UTF-32; save it as UTF-8"),
        (b"[]", f"must be an object with version, total and rows, got an array; {EXPORT}"),
        (b"3", f"must be an object with version, total and rows, got 3; {EXPORT}"),
        (b'{"log": {}}', f"is a HAR document, not a document of state coverage; {EXPORT}"),
        (b'{"openapi": "3.1.0"}', "is an OpenAPI document, not a document of state coverage"),
        (b'{"description": "d", "stubs": []}', "is a scenario, not a document of state coverage"),
        (b'{"code": "unauthorized"}', "is an error response, not a document of state coverage"),
        (b'{"suites": []}', "is a report of Playwright, not a document of state coverage"),
        (b'{"requests": []}', "is a request log, not a document of state coverage"),
        (b'{"version": "1", "total": 0}', f"rows: missing property; {EXPORT}"),
        (b'{"version": "1", "total": 0, "row": []}', 'rows: missing property; rename "row"'),
        (b'{"version": 1, "total": 0, "rows": []}', "version: must be a string, got 1"),
        (b'{"version": "1", "total": 0, "rows": {}}', "rows: must be an array, got an object"),
        (
            b'{"version": "1", "total": -1, "rows": []}',
            "total: must be an integer from 0 to 9007199254740991, got -1",
        ),
    ],
)
def test_invalid_files(run: Run, content: bytes, message: str) -> None:
    Path("a.json").write_bytes(content)

    status, out, err = run(*REPORT, "a.json")
    assert (status, out) == (2, [])
    assert len(err) == 1
    where = "mockpets: a.json" if message[0] == ":" else "mockpets: a.json: "
    assert err[0].startswith(where + message)


def test_a_byte_order_mark_is_allowed(run: Run) -> None:
    Path("a.json").write_bytes(b"\xef\xbb\xbf" + DOCUMENT.encode())

    assert run(*REPORT, "a.json")[0] == 0


COUNT = "must be an integer from 1 to 9007199254740991, got"


@for_each(
    "changes, where, message",
    [
        ({"operation": "listPet"}, "operation", 'unknown operation "listPet"; did you mean \'lis'),
        ({"operation": 3}, "operation", "unknown operation 3; expected one of: listPets, create"),
        ({"states": ["sucess"]}, "states", "unknown state \"sucess\"; did you mean 'success'?"),
        ({"states": [200]}, "states", "unknown state 200; expected one of: success, empty, 400"),
        ({"states": "success"}, "states", 'must be an array, got "success"'),
        ({"status": 99}, "status", "must be an integer from 100 to 599, got 99"),
        ({"status": "200"}, "status", 'must be an integer from 100 to 599, got "200"'),
        ({"status": True}, "status", "must be an integer from 100 to 599, got true"),
        ({"scenarios": "default"}, "scenarios", 'must be an array, got "default"'),
        ({"scenarios": ["\u001b[31m"]}, "scenarios", '"\\u001b[31m" is not a valid scenario name'),
        ({"scenarios": [3]}, "scenarios", "3 is not a valid scenario name; use kebab-case"),
        ({"fault": "conection_reset"}, "fault", 'unknown fault "conection_reset"; did you mean'),
        ({"delay": "2s"}, "delay", 'unknown delay class "2s"; expected one of: none, short, long'),
        ({"count": 0}, "count", f"{COUNT} 0"),
        ({"count": -3}, "count", f"{COUNT} -3"),
        ({"count": 1.5}, "count", f"{COUNT} 1.5"),
        ({"count": 1e300}, "count", f"{COUNT} 1"),
        ({"count": 2**53}, "count", f"{COUNT} 9007199254740992"),
        ({"count": 10**50}, "count", f"{COUNT} 1"),
        ({"count": True}, "count", f"{COUNT} true"),
        ({"count": "1"}, "count", f'{COUNT} "1"'),
    ],
)
def test_invalid_rows(run: Run, changes: dict[str, object], where: str, message: str) -> None:
    write("a.json", row(), row(**changes), total=1)

    status, out, err = run(*REPORT, "a.json")
    assert (status, out) == (2, [])
    assert len(err) == 1
    assert err[0].startswith(f"mockpets: a.json: rows.2.{where}: {message}")


@for_each("name", row().keys())
def test_every_property_of_a_row_is_required(run: Run, name: str) -> None:
    changed = row()
    del changed[name]
    write("a.json", changed, total=1)

    assert run(*REPORT, "a.json") == (
        2,
        [],
        [f"mockpets: a.json: rows.1.{name}: missing property; {EXPORT}"],
    )


def test_a_row_that_is_not_an_object(run: Run) -> None:
    write("a.json", total=0, rows=[3])

    assert run(*REPORT, "a.json")[2] == ["mockpets: a.json: rows.1: must be an object, got 3"]


def test_all_problems_of_all_files_are_reported_together(run: Run) -> None:
    write("a.json", row(operation="listPet", count=-1), row(delay="2s"))
    Path("folder").mkdir()
    Path("b.json").write_text("{", encoding="utf-8")

    status, out, err = run(*REPORT, "a.json", "folder", "missing.json", "b.json", "a.json")
    assert (status, out) == (2, [])
    assert [line.split("; ")[0].removeprefix("mockpets: ") for line in err] == [
        'a.json: rows.1.operation: unknown operation "listPet"',
        "a.json: rows.1.count: must be an integer from 1 to 9007199254740991, got -1",
        'a.json: rows.2.delay: unknown delay class "2s"',
        "folder: is a folder",
        "missing.json: file not found",
        "b.json:1:2: is not JSON: Expecting property name enclosed in double quotes",
        "a.json: is named twice, so that its responses would count twice",
    ]


def test_the_problems_of_a_file_are_counted_when_there_are_many(run: Run) -> None:
    write("a.json", *[row(delay="2s") for _ in range(PROBLEMS_SHOWN + 3)])

    _, _, err = run(*REPORT, "a.json")
    assert len(err) == PROBLEMS_SHOWN + 1
    assert err[-1].startswith("mockpets: a.json: and 3 more problems; ")


def test_properties_of_a_newer_version_are_allowed(run: Run) -> None:
    write("a.json", row(more=1), more={})

    assert run(*REPORT, "a.json")[0] == 0
