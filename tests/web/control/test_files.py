"""Check and save scenario files with the control API, and read what is needed for that."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import ControlClient
from mockpets.constants import CONTROL_PREFIX, FILE_BYTES, OVERRIDES
from tests.http_client import Client, InProcess, Response

YAML = {"Content-Type": "application/yaml"}
TEXT = "description: Mine.  # with a comment\nstubs:\n  - reply: {status: 503}\n"
NEW = {"If-None-Match": "*"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "mine.yaml").write_text(TEXT)
    return folder


@pytest.fixture
def call(folder: Path) -> Client:
    return Client(InProcess(create_app(Settings(scenarios_dir=(folder,)))))


def read(call: Client, name: str = "mine") -> Any:
    return call("GET", f"{CONTROL_PREFIX}/scenarios/{name}").json


def put(call: Client, name: str, text: str, headers: dict[str, str]) -> Response:
    path = f"{CONTROL_PREFIX}/scenarios/{name}"
    return call("PUT", path, body=text.encode(), headers={**YAML, **headers})


def match(details: Any) -> dict[str, str]:
    return {"If-Match": f'"{details["digest"]}"'}


def files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_scenario_has_its_text_and_what_is_needed_to_save_it(call: Client, folder: Path) -> None:
    response = call("GET", f"{CONTROL_PREFIX}/scenarios/mine")
    mine, shipped = response.json, read(call, "retry")

    assert response.header("ETag") == f'"{mine["digest"]}"'
    assert (mine["text"], mine["path"]) == (TEXT, str(folder / "mine.yaml"))
    assert (mine["writable"], mine["read_only"]) == (True, None)
    assert (shipped["writable"], shipped["path"]) == (False, None)
    assert "is shipped with mockpets" in shipped["read_only"]


def test_a_file_is_changed_and_in_use_at_once(call: Client, folder: Path) -> None:
    (folder / "mine.yaml").chmod(0o640)
    call("GET", "/v1/pets", scenario="mine")
    response = put(call, "mine", TEXT.replace("503", "502"), match(read(call)))

    assert response.status == 200
    assert response.json["digest"] == read(call)["digest"]
    assert files(folder) == {"mine.yaml": TEXT.replace("503", "502")}
    assert (folder / "mine.yaml").stat().st_mode & 0o777 == 0o640
    assert call("GET", "/v1/pets", scenario="mine").status == 502


def test_a_new_file_is_created(call: Client, folder: Path) -> None:
    response = put(call, "check", TEXT, NEW)

    assert response.status == 201
    assert response.json["path"] == str(folder / "check.yaml")
    assert files(folder)["check.yaml"] == TEXT
    assert read(call, "check")["text"] == TEXT
    # JSON is YAML too.
    body = json.dumps({"description": "d"}).encode()
    headers = {"Content-Type": "application/json", **NEW}
    path = f"{CONTROL_PREFIX}/scenarios/other"
    assert call("PUT", path, body=body, headers=headers).status == 201


def test_a_file_that_changed_meanwhile_stays(call: Client, folder: Path) -> None:
    before = match(read(call))
    (folder / "mine.yaml").write_text("description: Another editor's.\n")
    changed = put(call, "mine", TEXT, before)
    created = put(call, "mine", TEXT, NEW)
    (folder / "mine.yaml").unlink()
    deleted = put(call, "mine", TEXT, before)

    for response, how in ((changed, "has changed"), (created, "was created"), (deleted, "deleted")):
        assert (response.status, response.json["code"]) == (409, "conflict")
        assert how in response.json["message"]
    assert files(folder) == {}


@pytest.mark.parametrize(("text", "line", "column", "what"), [
    ("description: d\nstubs:\n  - repyl: {status: 503}\n", 3, 5, "repyl"),
    ("description: [\n", 2, 1, ""),
    ("description: d\nextends: mine\n", 2, 10, "itself"),
    ("description: d\nextends: nobody\n", 2, 10, "nobody"),
    ("description: d\u202e\n", 1, 15, "U+202E"),
    ("", 0, 0, ""),
    ("- 1\n", 1, 1, ""),
])  # fmt: skip
def test_an_invalid_file_is_not_saved(
    text: str, line: int, column: int, what: str, call: Client, folder: Path
) -> None:
    response = put(call, "mine", text, match(read(call)))

    assert (response.status, response.json["code"]) == (422, "invalid_scenario")
    problem = response.json["details"]["problems"][0]
    assert (problem["line"], problem["column"]) == (line, column) or not what
    assert what in problem["what"]
    assert problem["file"] == str(folder / "mine.yaml")
    assert files(folder) == {"mine.yaml": TEXT}


def test_two_scenarios_cannot_extend_each_other(call: Client, folder: Path) -> None:
    assert put(call, "other", "description: d\nextends: mine\n", NEW).status == 201
    response = put(call, "mine", "description: d\nextends: other\n", match(read(call)))

    assert response.status == 422
    assert "cycle" in response.json["message"]
    assert files(folder)["mine.yaml"] == TEXT


@pytest.mark.parametrize("headers", [
    {}, {"If-Match": "*"}, {"If-Match": "abc"}, {"If-Match": f'W/"{"0" * 32}"'},
    {"If-None-Match": f'"{"0" * 32}"'}, {"If-Match": f'"{"0" * 32}"', **NEW},
])  # fmt: skip
def test_a_condition_is_required(headers: dict[str, str], call: Client, folder: Path) -> None:
    response = put(call, "mine", "description: d\n", headers)

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    assert "If-None-Match: *" in response.json["message"]
    assert files(folder) == {"mine.yaml": TEXT}


@pytest.mark.parametrize(
    ("name", "status"),
    [("Mine", 400), ("..%2Fmine", 404), ("a_b", 400), ("%2e%2e", 400), ("a" * 65, 400)],
)
def test_a_name_cannot_lead_elsewhere(name: str, status: int, call: Client, folder: Path) -> None:
    assert put(call, name, TEXT, NEW).status == status
    assert files(folder) == {"mine.yaml": TEXT}
    assert [each.name for each in folder.parent.iterdir()] == ["scenarios"]


def test_a_shipped_scenario_stays(call: Client, folder: Path) -> None:
    for headers in (NEW, match(read(call, "retry"))):
        response = put(call, "retry", TEXT, headers)
        assert (response.status, response.json["code"]) == (403, "forbidden")
        assert "save it under another name" in response.json["message"]
    assert files(folder) == {"mine.yaml": TEXT}


def test_nothing_is_written_through_a_link(call: Client, folder: Path) -> None:
    target = folder.parent / "target.yaml"
    target.write_text(TEXT)
    (folder / "linked.yaml").symlink_to(folder / "mine.yaml")
    (folder / "outside.yaml").symlink_to(target)
    (folder / "dangling.yaml").symlink_to(folder.parent / "nothing")
    for name in ("linked", "outside", "dangling"):
        details = read(call, name)
        for headers in (NEW, {"If-Match": f'"{"0" * 32}"'}):
            assert put(call, name, "description: d\n", headers).status == 403
        assert details.get("writable", False) is False

    assert target.read_text() == (folder / "mine.yaml").read_text() == TEXT
    assert not (folder.parent / "nothing").exists()


def test_without_a_writable_folder_the_error_says_what_to_do() -> None:
    call = Client(InProcess(create_app(Settings())))
    response = put(call, "new", TEXT, NEW)

    assert (response.status, response.json["code"]) == (403, "forbidden")
    assert "no writable scenario folder" in response.json["message"]
    assert "PUT scenario" in response.json["message"]


def test_a_public_server_saves_nothing(folder: Path) -> None:
    settings = Settings(public=True, control_token="secret-of-the-owner", scenarios_dir=(folder,))
    call = Client(InProcess(create_app(settings)))
    token = {"Authorization": "Bearer secret-of-the-owner"}
    path = f"{CONTROL_PREFIX}/scenarios/mine"
    details = call("GET", path, headers=token, key=None).json
    headers = {**YAML, **token, **match(details)}
    response = call("PUT", path, body=b"description: d\n", headers=headers, key=None)

    assert (details["writable"], details["path"]) == (False, None)
    assert (response.status, response.json["code"]) == (403, "forbidden")
    assert "--public" in response.json["message"]
    assert files(folder) == {"mine.yaml": TEXT}


def test_a_large_text_is_rejected(call: Client, folder: Path) -> None:
    for method, path in (("PUT", "mine"), ("POST", "check")):
        body = b"#" * (FILE_BYTES + 1)
        headers = {**YAML, **NEW}
        response = call(method, f"{CONTROL_PREFIX}/scenarios/{path}", body=body, headers=headers)
        assert (response.status, response.json["code"]) == (413, "payload_too_large")
    assert files(folder) == {"mine.yaml": TEXT}


def test_yaml_is_accepted_only_where_a_file_is(call: Client) -> None:
    path = f"{CONTROL_PREFIX}/scenario"
    assert call("PUT", path, body=b'{"scenario": "empty"}', headers=YAML).status == 400
    path = f"{CONTROL_PREFIX}/scenarios/check"
    assert call("POST", path, body=b"a: 1", headers={"Content-Type": "text/plain"}).status == 400


def check(call: Client, text: str, query: str = "") -> Response:
    path = f"{CONTROL_PREFIX}/scenarios/check{query}"
    return call("POST", path, body=text.encode(), headers=YAML)


def test_a_text_is_checked_as_the_command_checks_a_file(call: Client, folder: Path) -> None:
    good = check(call, TEXT, "?name=mine").json
    assert (good["scenarios"], good["problems"], good["stubs"]) == (["mine"], [], 1)
    bad = check(call, "description: d\nstubs:\n  - {reply: pass, timse: 1}\n").json
    assert [(each["line"], each["file"]) for each in bad["problems"]] == [(3, "scenario.yaml")]
    twice = "description: d\nstubs:\n  - {reply: {status: 500}}\n  - {reply: {status: 502}}\n"
    [warning] = check(call, twice).json["warnings"]
    assert "never reached" in warning["what"]
    assert files(folder) == {"mine.yaml": TEXT}


@pytest.mark.parametrize("query", ["?name=A", "?name=", "?name=a/b", "?nmae=a", "?name=a&name=b"])
def test_an_invalid_query_of_a_check_is_rejected(query: str, call: Client) -> None:
    assert check(call, TEXT, query).status == 400


# --- Overrides: texts for one session only --------------------------------------------------------


def override(call: Client, name: str, text: str, base: str = "") -> Response:
    path = f"{base}{CONTROL_PREFIX}/overrides/{name}"
    return call("PUT", path, body=text.encode(), headers=YAML, key=None)


@pytest.mark.parametrize("name", ["mine", "retry", "new"])
def test_an_override_applies_to_its_session_until_it_is_deleted(
    name: str, call: Client, folder: Path
) -> None:
    before = call("GET", f"{CONTROL_PREFIX}/scenarios").json["scenarios"]
    made = override(call, name, TEXT.replace("503", "502"), "/~w1")
    changed = override(call, name, TEXT.replace("503", "504"), "/~w1")
    call("PUT", f"/~w1{CONTROL_PREFIX}/scenario", json_body={"scenario": [name, "empty"]}, key=None)

    assert (made.status, changed.status) == (201, 200)
    assert (changed.json["override"], changed.json["writable"]) == (True, False)
    assert "504" in changed.json["text"]
    assert call("GET", "/~w1/v1/pets").status == 504
    assert call("GET", "/v1/pets").status == 200
    assert call("GET", f"{CONTROL_PREFIX}/scenarios").json["scenarios"] == before
    assert files(folder) == {"mine.yaml": TEXT}

    call("POST", f"/~w1{CONTROL_PREFIX}/reset", key=None)
    assert call("GET", "/~w1/v1/pets").status == 504
    dropped = call("DELETE", f"/~w1{CONTROL_PREFIX}/overrides/{name}", key=None)
    assert dropped.json["scenarios"] == before
    assert dropped.json["active"] == (["empty"] if name == "new" else [name, "empty"])
    expected = 200 if name == "new" else 503
    assert call("GET", "/~w1/v1/pets").status == expected
    assert call("DELETE", f"/~w1{CONTROL_PREFIX}/overrides/{name}", key=None).status == 404


def test_a_request_may_name_an_override_and_the_last_one_sent_counts(call: Client) -> None:
    override(call, "new", TEXT)
    assert call("GET", "/v1/pets", scenario="new").status == 503
    document = {"name": "new", "description": "d", "stubs": [{"reply": {"status": 502}}]}
    call("PUT", f"{CONTROL_PREFIX}/scenario", json_body={"scenario": document})
    assert call("GET", "/v1/pets").status == 502
    override(call, "new", TEXT)
    assert call("GET", "/v1/pets").status == 503


@pytest.mark.parametrize(("name", "text", "status", "word"), [
    ("mine", "description: d\nstubs:\n  - repyl: pass\n", 422, "repyl"),
    ("mine", "", 422, ""),
    ("mine", "description: d\nextends: mine\n", 422, "itself"),
    ("A", TEXT, 400, "kebab-case"),
    ("a" * 65, TEXT, 400, "kebab-case"),
    ("mine", "#" * (FILE_BYTES + 1), 413, "256 KiB"),
])  # fmt: skip
def test_an_invalid_override_changes_nothing(
    name: str, text: str, status: int, word: str, call: Client
) -> None:
    response = override(call, name, text, "/~w1")

    assert response.status == status
    assert word in response.json["message"]
    names = [each["name"] for each in call("GET", f"{CONTROL_PREFIX}/sessions").json["sessions"]]
    assert names == ["default"]


def test_a_session_has_a_limited_number_of_overrides(call: Client) -> None:
    statuses = [override(call, f"n{number}", TEXT).status for number in range(OVERRIDES + 1)]
    assert statuses == [201] * OVERRIDES + [503]
    assert override(call, "n0", TEXT).status == 200


def test_a_public_server_has_no_overrides() -> None:
    settings = Settings(public=True, control_token="secret-of-the-owner")
    call = Client(InProcess(create_app(settings)))
    headers = {**YAML, "Authorization": "Bearer secret-of-the-owner"}
    path = f"{CONTROL_PREFIX}/overrides/mine"
    response = call("PUT", path, body=TEXT.encode(), headers=headers, key=None)

    assert (response.status, response.json["code"]) == (403, "forbidden")


def test_a_restart_keeps_no_override(tmp_path: Path) -> None:
    settings = Settings(port=0, state=str(tmp_path / "pets.state"))
    with MockpetsServer(settings) as server:
        client = ControlClient(server.url, "w1")
        client.override_scenario("new", TEXT)
        client.use("new", "empty")
        client.add_record("pets", {"name": "Miso", "categoryId": 2})
    with MockpetsServer(settings) as server:
        assert ControlClient(server.url, "w1").active() == ["empty"]


# --- Drafts in explanations -----------------------------------------------------------------------


def explain(call: Client, text: str, base: str = "") -> Response:
    headers = {"Authorization": "Bearer mockpets", "Mockpets-Scenario": "mine"}
    request = {"method": "GET", "path": f"{base}/v1/pets", "headers": headers}
    body = {**request, "draft": {"name": "mine", "text": text}}
    return call("POST", f"{CONTROL_PREFIX}/explain", json_body=body)


def test_a_draft_is_explained_and_changes_nothing(call: Client) -> None:
    override(call, "mine", TEXT.replace("503", "500"), "/~w1")
    for base in ("", "/~w1", "/~new"):
        explained = explain(call, TEXT.replace("503", "502"), base)
        assert explained.json["request"]["status"] == 502, base
    assert call("GET", "/v1/pets", scenario="mine").status == 503
    assert call("GET", "/~w1/v1/pets", scenario="mine").status == 500


def test_an_invalid_draft_is_rejected_with_its_problems(call: Client) -> None:
    response = explain(call, "description: d\nstubs:\n  - repyl: pass\n")
    assert (response.status, response.json["code"]) == (422, "invalid_scenario")
    assert response.json["details"]["problems"][0]["line"] == 3
    body = {"method": "GET", "path": "/v1/pets", "draft": {"name": "a", "txt": ""}}
    response = call("POST", f"{CONTROL_PREFIX}/explain", json_body=body)
    assert response.status == 400
    assert "did you mean 'text'?" in response.json["message"]
