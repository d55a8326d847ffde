"""The notes of the request log: every code, and when it is present."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from mockpets.constants import NoteCode
from tests.http_client import JSON, Client

Make = Callable[..., Client]

GOOD = b'{"name": "Miso", "categoryId": 2}'
MORE = b'{"name": "Miso", "categoryId": 2, "id": 9, "colour": "red"}'
DEPRECATED = {
    "deprecated": "GET /pets/{petId} is deprecated and will be removed on 5 December 2030"
}
OFF_LIST = "status 400 is not in the contract for listPets"


@dataclass(frozen=True)
class Row:
    """A request, with the caller's options, and the text of each note on it by code."""

    method: str
    target: str
    options: dict[str, Any]
    notes: dict[str, str]


NO_OPERATION = "the contract does not define this operation"


def posted(body: bytes) -> dict[str, Any]:
    return {"body": body, "headers": JSON}


ROWS = [
    Row("GET", "/v1/pets", {}, {}),
    Row("POST", "/v1/pets", posted(GOOD), {}),
    Row("GET", "/v1/pets?limt=3&x=1&x=2", {}, {"ignored_query": "ignored parameters: 'limt', 'x'"}),
    Row("GET", "/v1/pets?limit=0", {},
        {"limit_out_of_range": "limit=0 is not between 1 and 100", "off_contract": OFF_LIST}),
    Row("GET", "/v1/pets?limit=abc", {}, {"off_contract": OFF_LIST}),
    Row("POST", "/v1/pets", posted(MORE),
        {"ignored_members": "ignored properties: 'colour', 'id'"}),
    Row("POST", "/v1/pets", posted(b"[]"), {}),
    Row("POST", "/v1/pets?dry=1&status=sold", posted(GOOD),
        {"ignored_query": "ignored parameters: 'dry', 'status'"}),
    Row("GET", "/v1/pets/1?full=%C3%A9&full=2&&x", {},
        {"ignored_query": "ignored parameters: 'full', 'x'", **DEPRECATED}),
    # An unknown path has no parameters to compare with.
    Row("GET", "/v1/pest?x=1", {}, {"unmatched": "the contract does not define this path"}),
    Row("GET", "/v1/pets/1", {}, DEPRECATED),
    Row("GET", "/v1/pets", {"key": None}, {"key_missing": "the API key is missing"}),
    Row("GET", "/v1/pets", {"key": "wrong"}, {"key_invalid": "the API key is invalid"}),
    Row("GET", "/v1/pets", {"scenario": "server-error"}, {"off_contract": "status 500"}),
    Row("GET", "/v1/pets", {"scenario": "offline"}, {"off_contract": "fault connection_reset"}),
    Row("DELETE", "/v1/pets", {},
        {"unmatched": "the contract does not define this method for the path"}),
    Row("GET", "/pets", {}, {"unmatched": "the path is outside the pet store"}),
    Row("GET", "/v1/pets", {"headers": {"Mockpets-Delay": "1ms", "X-Mock": "1"}}, {}),
    Row("GET", "/v1/pets",
        {"headers": {"My-Mockpets": "1", "Mockpets-Seed": "7", "mockpets-stub": "x"}},
        {"ignored_headers": "ignored headers: 'Mockpets-Seed', 'Mockpets-Stub' (response "
         "headers, without effect on a request)"}),
    Row("GET", "/v1/store/orders", {"headers": {"Mockpets-Seed": "7"}},
        {"ignored_headers": "ignored headers: 'Mockpets-Seed' (response headers, without effect "
            "on a request)", "off_contract": NO_OPERATION}),
    Row("GET", "/v1/store/orders", {}, {"off_contract": NO_OPERATION}),
    Row("GET", "/v1/pets",
        {"headers": {"Cookie": "mockpets=w9", "Origin": "https://other.example"}},
        {"ignored_cookie": "the cookie mockpets has no effect from pages on "
         "https://other.example; if you trust them, start the server with --control-origin "
         "https://other.example"}),
]  # fmt: skip


def kept(call: Client) -> Any:
    rows = call("GET", "/~notes/__mockpets/requests", key=None).json["requests"]
    return rows[-1]


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row.method} {row.target:.30} {' '.join(row.notes):.30}"
)
def test_every_note(call: Client, row: Row) -> None:
    call("GET", "/~notes/v1/pets")  # creates the session
    try:
        call(row.method, f"/~notes{row.target}", **row.options)
    except ConnectionError:
        assert row.options["scenario"] == "offline"
    entry = kept(call)

    assert (entry["method"], entry["target"]) == (row.method, f"/~notes{row.target}")
    told = {note["code"]: note["text"] for note in entry["notes"]}
    assert told.keys() == row.notes.keys()
    assert len(told) == len(entry["notes"])
    for code, text in row.notes.items():
        assert told[code].startswith(text), code
    for code in row.notes:
        query = f"requests?note={code}&since={entry['number'] - 1}"
        found = call("GET", f"/~notes/__mockpets/{query}", key=None).json["requests"]
        assert [each["number"] for each in found] == [entry["number"]]


OF_OTHER_TESTS = {
    *(
        "clock",
        "released",
        "server_limit",
        "references",
        "reference_missing",
        "repeated",
        "resource",
    )
}


def test_every_note_code_is_tested() -> None:
    assert {code for row in ROWS for code in row.notes} | OF_OTHER_TESTS == {*get_args(NoteCode)}


def test_a_request_that_a_limit_of_the_server_rejects_has_a_note(fresh: Make) -> None:
    call = fresh(max_records=1)
    for status in (201, 507):
        assert call("POST", "/~notes/v1/pets", body=GOOD, headers=JSON).status == status
    texts = {note["code"]: note["text"] for note in kept(call)["notes"]}

    assert texts["server_limit"].startswith("store_full: requests can add at most 1 pets; ")
    assert call("POST", "/~notes/v1/pets", scenario="server-error").status == 500
    assert [note["code"] for note in kept(call)["notes"]] == ["off_contract"]


@pytest.mark.parametrize(("where", "what"), [("query", "parameters"), ("members", "properties")])
def test_a_note_lists_a_limited_number_of_names(call: Client, where: str, what: str) -> None:
    names = [f"{number:02}{'n' * 500}" for number in range(20)]
    call("GET", "/~notes/v1/pets")
    if where == "query":
        call("GET", "/~notes/v1/pets?" + "&".join(f"{name}=1" for name in names))
    else:
        body = dict.fromkeys(names, 1) | {"name": "Miso", "categoryId": 2}
        call("POST", "/~notes/v1/pets", json_body=body)
    note = kept(call)["notes"][0]

    assert note["code"] == f"ignored_{where}"
    assert note["text"].startswith(f"ignored {what}: '00nnn")
    assert note["text"].endswith(", ...")
    assert len(note["text"]) < 500


@pytest.mark.parametrize("name", ["page", "offset", "cursor"])
def test_the_note_of_a_paging_parameter_says_that_the_contract_has_no_paging(
    name: str, fresh: Make
) -> None:
    call = fresh(scenario=("crowded",))
    first, second = (call("GET", f"/v1/pets?limit=100&{name}={n}").json for n in (1, 2))
    notes = call("GET", "/__mockpets/requests/2").json["notes"]

    assert second == first
    assert notes == [
        {
            "code": "ignored_query",
            "text": f"ignored parameters: '{name}'; the contract has no paging",
        }
    ]
    described = call("GET", "/__mockpets/scenarios/crowded").json["description"]
    assert "the contract has no paging" in described


SECRET = "S-7f3a9c1e"
REPEATED = {
    "a URL in a parameter": ("query.next", f"?next=http%3A%2F%2Fx%2F%3Faccess_token%3D{SECRET}"),
    "a pair in a parameter": ("query.next", f"?next=token%3D{SECRET}"),
    "a URL in a header": ("headers.referer", ""),
    "a property": ("body.password", ""),
    "a value below a property": ("body.token.value", ""),
    "a URL in a property": ("body.back", ""),
    "the whole body": ("body", ""),
}


def use_order(call: Client, source: str) -> None:
    reply = {"status": 201, "headers": {"X-Repeats": f"{{{source}}}"}}
    stub = {"match": {"method": "POST", "path": "/v1/orders"}, "reply": reply}
    document = {"description": "d", "stubs": [{"off_contract": True, **stub}]}
    assert call("PUT", "/__mockpets/scenario", json_body={"scenario": document}).status == 200


def send_order(call: Client, query: str = "", **options: Any) -> None:
    url = f"https://x.test/?a=1&access_token={SECRET}"
    body = {"password": SECRET, "token": {"value": SECRET}, "back": url, "name": "Ann"}
    headers = {"Referer": url, "X-Name": "Ann"}
    call("POST", f"/v1/orders{query}", json_body=body, headers=headers, **options)


@pytest.mark.parametrize("kind", REPEATED)
def test_notes_do_not_repeat_secrets(fresh: Make, kind: str) -> None:
    source, query = REPEATED[kind]
    call = fresh()
    use_order(call, source)
    send_order(call, query)
    request = call("GET", "/__mockpets/requests").json["requests"][-1]
    explained = call("GET", f"/__mockpets/requests/{request['number']}/explain").json
    [row] = call("GET", "/__mockpets/requests.har").json["log"]["entries"]

    for name, shown in (("list", request), ("HAR", row["_mockpets"]), ("explain", explained)):
        assert SECRET not in str(shown), name
        assert "[redacted]" in str(shown), name
    assert f"{source} is " in str(request["notes"])


def test_names_in_notes_have_no_values(fresh: Make) -> None:
    call = fresh()
    call("GET", f"/v1/pets?token%3D{SECRET}")

    assert SECRET not in call("GET", "/__mockpets/requests").text


def test_an_explanation_does_not_show_a_secret_property(fresh: Make) -> None:
    call = fresh()
    conditions = {"body": {"password": "other", "back": "other", "name": "other"}}
    stub = {"match": {"operation": "createPet", **conditions}, "reply": {"status": 503}}
    document = {"description": "d", "stubs": [{"off_contract": True, **stub}]}
    call("PUT", "/__mockpets/scenario", json_body={"scenario": document})
    body = {"password": SECRET, "back": f"https://x.test/?code={SECRET}", "name": "Ann"}
    call("POST", "/v1/pets", json_body=body)
    compared = call("GET", "/__mockpets/requests/1/explain").json["stubs"][0]["conditions"]

    got = {each["where"]: (each["got"], each["holds"]) for each in compared}
    assert got["body.password"] == ('"[redacted]"', False)
    assert got["body.back"] == ('"https://x.test/?code=[redacted]"', False)
    assert got["body.name"] == ('"Ann"', False)


@pytest.mark.parametrize("source", ["body.name", "query.name", "headers.x-name", "body"])
def test_notes_have_no_values_with_public(fresh: Make, tmp_path: Path, source: str) -> None:
    reply = {"status": 201, "headers": {"X-Repeats": f"{{{source}}}"}}
    stub = {"match": {"method": "POST", "path": "/v1/orders"}, "reply": reply}
    document = {"description": "d", "stubs": [{"off_contract": True, **stub}]}
    (tmp_path / "repeats.json").write_text(json.dumps(document), "utf-8")
    files: Any = {"scenarios_dir": (tmp_path,), "scenario": ("repeats",)}
    call = fresh(public=True, control_token="a-token-of-the-tests", **files)
    token: Any = {"headers": {"Authorization": "Bearer a-token-of-the-tests"}, "key": None}
    session = f"/~v-{32 * '0'}"
    order: Any = {"json_body": {"name": "Ann"}, "headers": {"X-Name": "Ann"}}
    assert call("POST", f"{session}/v1/orders?name=Ann", **order).status == 201
    call("GET", f"{session}/v1/pets?limit=7777")
    rows = call("GET", f"{session}/__mockpets/requests", **token).json["requests"]

    notes = {note["code"]: note["text"] for row in rows for note in row["notes"]}
    assert notes["references"] == f"{source} is repeated"
    assert notes["limit_out_of_range"] == "limit is not between 1 and 100"
    assert "Ann" not in str(notes)
