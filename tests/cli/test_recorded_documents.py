"""Record, replay and report with an OpenAPI document: its operations, envelopes and statuses."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from mockpets import MockpetsServer, Settings
from tests.http_client import Client, OverSocket

Run = Any
Fresh = Any
CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
KEY = "sk-live-1f9d8c7b6a5e4d3c2b1a"
NOTES = """\
openapi: 3.1.0
info: {title: Notes, version: "1"}
servers: [{url: https://notes.example/v2}]
security: [{key: []}]
paths:
  /notes:
    get:
      operationId: listNotes
      parameters: [{name: q, in: query, schema: {type: string}}]
      responses:
        "200":
          description: ok
          content: {application/hal+json: {schema: {type: object, required: [items], properties: {
            items: {type: array, items: &note {$ref: "#/components/schemas/Note"}}}}}}
    post:
      operationId: addNote
      requestBody: {content: {application/json: {schema: *note}}}
      responses:
        "201": {description: ok, content: {application/json: {schema: *note}}}
        "422": {description: invalid, content: {application/json: {schema: {type: object}}}}
  /notes/{slug}:
    get:
      operationId: getNote
      parameters: [{name: slug, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: ok, content: {application/json: {schema: *note}}}
        4XX: {description: error, content: {application/json: {schema: {type: object}}}}
components:
  securitySchemes: {key: {type: apiKey, in: query, name: api_key}}
  schemas:
    Note:
      type: object
      required: [slug, text]
      properties:
        slug: {type: string, readOnly: true}
        text: {type: string}
        createdAt: {type: string, format: date-time, readOnly: true}
"""


@pytest.fixture(scope="module")
def clinic_server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC),))) as server:
        yield server


@pytest.fixture
def clinic(
    clinic_server: MockpetsServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run
) -> Client:
    """Return a client of a server with the document, which the settings name, too."""
    monkeypatch.setenv("MOCKPETS_URL", clinic_server.url)
    (tmp_path / "mockpets.toml").write_text(f"contract = {json.dumps([str(CLINIC)])}\n")
    assert run("reset")[0] == 0
    return Client(OverSocket(clinic_server.url))


def traffic(call: Client) -> None:
    """Send requests to the clinic, whose responses have times, keys and envelopes."""
    call("GET", "/api/owners?limit=2&city=Bern")
    made = call("POST", "/api/owners", json_body={"name": "Zoe", "email": "z@b.ch"}).json["data"]
    call("GET", f"/api/owners/{made['id']}")
    call("POST", f"/api/owners/{made['id']}/animals", json_body={"name": "Rex", "species": "dog"})
    call("GET", f"/api/owners/{made['id']}/animals")
    call("POST", "/api/appointments", json_body={"animalId": 1, "startsAt": "2030-01-01T10:00:00Z"})
    call("GET", "/api/appointments?animalId=1")
    call("GET", "/api/owners/999")
    call("DELETE", f"/api/owners/{made['id']}")


def test_a_recording_of_a_document_keeps_its_state_and_needs_no_stubs(
    run: Run, clinic: Client, tmp_path: Path
) -> None:
    traffic(clinic)
    status, lines, err = run("record", "flow", "--output", "flow.yaml")
    document = yaml.safe_load((tmp_path / "flow.yaml").read_text())

    assert (status, err, lines[0]) == (0, [], "flow.yaml: 9 requests, 0 stubs")
    assert [*document["data"]] == ["members", "owners", "animals", "appointments", "settings"]
    assert run("check", "flow.yaml")[0] == 0


def test_a_har_file_of_the_clinic_is_replayed_and_recorded(
    run: Run, clinic: Client, tmp_path: Path
) -> None:
    traffic(clinic)
    har = "\n".join(run("requests", "--har")[1])
    (tmp_path / "flow.har").write_text(har)
    run("reset")
    assert run("replay", "flow.har") == (0, ["9 requests: 0 differences"], [])
    status, lines, err = run("record", "flow", "--har", "flow.har", "--output", "flow.yaml")

    assert (status, err, lines[0]) == (0, [], "flow.yaml: 9 requests, 0 stubs")
    assert lines[1].startswith("kept 1 owner and ")
    assert run("check", "flow.yaml")[0] == 0


def test_replay_names_the_place_of_a_difference_in_an_envelope(
    run: Run, clinic: Client, tmp_path: Path
) -> None:
    clinic("GET", "/api/owners/1")
    har = "\n".join(run("requests", "--har")[1])
    (tmp_path / "flow.har").write_text(har.replace("Ada Berg", "Eda Berg"))
    status, lines, _ = run("replay", "flow.har")

    assert status == 1
    assert lines[0].endswith('body.data.name: "Ada Berg", recorded "Eda Berg"')


def test_replay_finds_the_parents_of_a_contract_that_shares_their_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop.yaml").write_text(NOTES.replace("/notes", "/owners"))
    contracts = ("/shop=shop.yaml", str(CLINIC))
    (tmp_path / "mockpets.toml").write_text(f"contract = {json.dumps(contracts)}\n")
    owner, animal = {"name": "Zoe", "email": "z@b.ch"}, {"name": "Rex", "species": "dog"}
    monkeypatch.chdir(tmp_path)
    with MockpetsServer(Settings(port=0, contract=contracts)) as server:
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        call = Client(OverSocket(server.url))
        made = call("POST", "/api/owners", json_body=owner).json["data"]["id"]
        assert call("POST", f"/api/owners/{made}/animals", json_body=animal).json["ownerId"] == made
        (tmp_path / "flow.har").write_text("\n".join(run("requests", "--har")[1]))
        assert call("POST", "/api/owners", json_body=owner).json["data"]["id"] == made + 1

        assert run("replay", "flow.har") == (0, ["2 requests: 0 differences"], [])


def test_a_stub_of_a_picture_leaves_the_body_to_the_document(run: Run, clinic: Client) -> None:
    clinic("GET", "/api/animals/1/photo")
    status, lines, _ = run("stub", "1")

    assert status == 0
    assert "  reply: {status: 200}" in lines


@pytest.mark.parametrize(("status", "is_documented"), [(404, True), (401, True), (409, False)])
@pytest.mark.parametrize("more", [(), ("pet-store",)])
def test_a_stub_with_another_status_names_no_error_of_the_pet_store(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    more: tuple[str, ...],
    status: int,
    is_documented: bool,
) -> None:
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC), *more))) as server:
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        call = Client(OverSocket(server.url))
        call("GET", "/api/owners/2")
        _, lines, err = run("stub", "1", "--status", status, "--use")
        response = call("GET", "/api/owners/2")

    assert (err, response.status) == ([], status)
    assert f"  reply: {{status: {status}}}" in lines
    assert ("  off_contract: true" in lines) is not is_documented


def test_why_and_verify_name_operations_of_the_document(run: Run, clinic: Client) -> None:
    clinic("POST", "/api/owners", json_body={"name": "Zoe"})
    assert run("verify", "--operation", "createOwner", "--status", "422")[0] == 0
    status, _, err = run("verify", "--operation", "createOwnr")
    assert (status, err[0].endswith("got 'createOwnr'; did you mean 'createOwner'?")) == (2, True)
    _, lines, _ = run("why", "GET", "/api/owners/3")
    assert "operation getOwner (get of owners" in " ".join(lines)


def test_visitors_of_a_public_server_have_records_of_their_own(fresh: Fresh) -> None:
    call = fresh(public=True, contract=(str(CLINIC),))
    made = call("POST", "/api/owners", json_body={"name": "Zoe", "email": "z@b.ch"})
    session = made.header("Mockpets-Session") or ""

    assert (made.status, session[:2]) == (201, "v-")
    total = call("GET", "/api/owners?page=2").json["meta"]["total"]
    assert total in (16, 17)  # of this visitor, or of the next one
    assert call("GET", "/api/owners", key=None).status == 401


# --- Another API ----------------------------------------------------------------------------------


def row(method: str, path: str, status: int, body: object, sent: object = None) -> dict[str, Any]:
    request: dict[str, Any]
    kind = {"name": "Content-Type", "value": "application/json"}
    if isinstance(body, dict) and "items" in body:
        kind = {**kind, "value": "application/hal+json"}
    request = {"method": method, "url": f"https://notes.example/v2{path}", "headers": []}
    if sent is not None:
        kinds = {"headers": [{"name": "Content-Type", "value": "application/json"}]}
        request |= kinds | {"postData": {"text": json.dumps(sent)}}
    content = {"text": json.dumps(body), "size": 9}
    response = {"status": status, "headers": [kind], "content": content}
    at = "2026-11-21T07:00:00.123Z"
    return {"startedDateTime": at, "time": 9, "request": request, "response": response}


def har_of(path: Path, *rows: dict[str, Any]) -> str:
    path.write_text(json.dumps({"log": {"entries": [*rows]}}))
    return path.name


NOTE = {"slug": "first", "text": "One", "createdAt": "2025-01-01T00:00:00Z"}
NEW = {"slug": "srv-77", "text": "Two", "createdAt": "2026-11-21T07:00:00.124Z"}
BASE = ("--base-url", "https://notes.example/v2")


def test_a_har_file_of_another_api_keeps_its_state_and_drops_its_secrets(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "notes.yaml").write_text(NOTES)
    key = f"api_key={KEY}"
    har = har_of(
        tmp_path / "notes.har",
        row("GET", f"/notes?{key}", 200, {"items": [NOTE]}),
        row("POST", f"/notes?{key}", 201, NEW, {"text": "Two"}),
        row("GET", f"/notes/srv-77?{key}", 200, NEW),
        row("GET", f"/notes?{key}", 200, {"items": [NEW, NOTE]}),
        row("GET", f"/notes/nix?{key}", 418, {"oops": KEY}),
    )
    words = ("--contract", "notes.yaml")
    status, lines, err = run("record", "flow", "--har", har, *BASE, *words, "--output", "flow.yaml")
    text = (tmp_path / "flow.yaml").read_text()
    document = yaml.safe_load(text)

    assert (status, err) == (0, []), text
    assert KEY not in text + "".join(lines)
    assert document["data"] == {"notes": [NOTE]}
    assert [each["match"]["operation"] for each in document["stubs"]] == ["getNote"]
    assert document["stubs"][0]["reply"]["status"] == 418
    assert run("check", "flow.yaml", *words)[0] == 0
    assert any(line.startswith("kept 1 note ") for line in lines)


def test_without_the_document_the_same_file_is_outside_the_contract(
    run: Run, tmp_path: Path
) -> None:
    har = har_of(tmp_path / "notes.har", row("GET", "/notes", 200, {"items": [NOTE]}))
    status, _, _ = run("record", "flow", "--har", har, *BASE, "--output", "flow.yaml")

    assert status == 0
    document = yaml.safe_load((tmp_path / "flow.yaml").read_text())
    assert document["stubs"][0]["match"] == {"method": "GET", "path": "/v1/notes"}


def test_responses_that_break_the_document_are_listed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.yaml").write_text(NOTES)
    har = har_of(
        tmp_path / "notes.har",
        row("GET", "/notes", 200, {"items": [{"slug": 3}]}),
        row("GET", "/notes", 500, {}),
        row("GET", "/notes/a", 404, {}),
    )
    _, lines, _ = run(
        "record", "flow", "--har", har, *BASE, "--contract", "notes.yaml", "-o", "flow.yaml"
    )

    assert [line for line in lines if line.startswith("off contract")] == [
        "off contract: listNotes 200: items.slug must be a string, got 3 (1 request)",
        "off contract: listNotes 200: items.text is required (1 request)",
        "off contract: listNotes 500: the contract does not list this status (1 request)",
    ]


@pytest.mark.parametrize("option", ["contract", "corrections", "base-url"])
def test_only_har_files_are_read_with_other_contracts(
    run: Run, tmp_path: Path, option: str
) -> None:
    (tmp_path / "notes.yaml").write_text(NOTES)
    line = f"mockpets: --{option}: is for HAR files; add --har FILE"
    assert run("record", "flow", f"--{option}", "notes.yaml") == (2, [], [line])


# --- Reports --------------------------------------------------------------------------------------


def rules(run: Run, *words: object) -> tuple[int, dict[str, str], Any]:
    status, out, err = run("report", "--json", *words)
    assert err == [] or status, err
    report = json.loads("\n".join(out))
    return status, {each["rule"]: each["message"] for each in report["findings"]}, report


def test_a_report_knows_the_parameters_and_properties_of_the_document(
    run: Run, clinic: Client
) -> None:
    clinic("GET", "/api/owners?city=Bern&lmit=2")
    clinic("POST", "/api/owners", json_body={"name": "Zoe", "email": "z@b.ch", "nmae": 1})
    clinic("GET", "/api/wombats/9220a090-fcb9-4cf6-9fd4-b34940cfa3a4")
    _, found, report = rules(run)

    assert found == {
        "unknown-parameter": "listOwners has no query parameter 'lmit', in 1 request; did you "
        "mean 'limit'?",
        "unknown-property": "createOwner has no property 'nmae', in 1 request; did you "
        "mean 'name'?",
        "off-contract-path": "the path '/api/wombats/{id}' is not in the contract, in 1 request",
    }
    texts = json.dumps(report["rules"])
    assert [
        word for word in ("/v1", "/pets", "createPet", "NewPet", "two pets") if word in texts
    ] == []


def test_a_report_of_a_document_without_findings(run: Run, clinic: Client) -> None:
    traffic(clinic)
    assert rules(run)[:2] == (0, {})


def test_a_body_that_was_rejected_with_422_must_not_be_sent_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.yaml").write_text(NOTES)
    rows = [row("POST", "/notes", 422, {}, {"text": 1}) for _ in range(2)]
    rows[1]["startedDateTime"] = "2026-11-21T07:00:03.123Z"
    har = har_of(tmp_path / "notes.har", *rows)
    _, found, _ = rules(run, "--har", har, *BASE, "--contract", "notes.yaml")

    message = "POST /v2/notes got 422, and the same body was sent again 1 time"
    assert found == {"rejected-body-repeated": message}


@pytest.mark.parametrize(("query", "expected"), [
    (f"api_key={KEY}", {}),
    (f"token={KEY}", {"key-in-query": "the name of the query parameter 'token' suggests a secret, "
                                      "in 1 request"}),
    ("filter=x", {"unknown-parameter": "listNotes has no query parameter 'filter', in 1 request"}),
])  # fmt: skip
def test_a_key_may_be_where_the_document_asks_for_it(
    run: Run, tmp_path: Path, query: str, expected: dict[str, str]
) -> None:
    (tmp_path / "notes.yaml").write_text(NOTES)
    har = har_of(tmp_path / "notes.har", row("GET", f"/notes?{query}", 200, {"items": []}))
    _, found, report = rules(run, "--har", har, *BASE, "--contract", "notes.yaml")

    assert found == expected
    assert KEY not in json.dumps(report)


@pytest.mark.usefixtures("clinic")
def test_a_report_needs_the_contracts_of_the_server(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mockpets.toml").unlink()
    status, out, [line] = run("report")

    assert (status, out) == (2, [])
    assert line.startswith("mockpets: --contract: the server at http://")
    assert line.endswith(f"serves Clinic, and the settings name another; pass --contract {CLINIC}")
    assert run("report", "--contract", CLINIC)[0] == 0


@pytest.mark.parametrize("command", [
    "record flow --har a.har", "replay a.har", "report --har a.har",
])  # fmt: skip
@pytest.mark.parametrize(("words", "expected"), [
    ("--contract nix.yaml", "--contract: must be an existing OpenAPI document"),
    ("--corrections nix.yaml", "--corrections: must be an existing file"),
])  # fmt: skip
def test_invalid_contracts_are_reported(
    run: Run, tmp_path: Path, command: str, words: str, expected: str
) -> None:
    har_of(tmp_path / "a.har", row("GET", "/notes", 200, {}))
    status, out, err = run(*command.split(), *BASE, *words.split())

    assert (status, out) == (2, [])
    assert err[0].startswith(f"mockpets: {expected}")
