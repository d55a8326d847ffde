"""Every call of the control API: responses, errors, and effects."""

import json
import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.constants import PROTOCOL
from mockpets.version import FULL_VERSION
from tests.http_client import JSON, Client, InProcess, OverSocket, Response
from tests.routes import PANEL_FILES
from tests.server.raw_http import Wire, port_of
from tests.web.test_contract import assert_error

Make = Callable[..., Client]

PET: Any = {"name": "Miso", "categoryId": 2}


def at(call: Client, method: str, path: str, body: object = None, session: str = "w1") -> Response:
    """Call the control API for a session; a body of bytes is sent unchanged."""
    raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    target = f"/~{session}/__mockpets/{path}"
    return call(method, target, body=raw, headers=JSON if raw is not None else {}, key=None)


def good(response: Response) -> Any:
    assert response.status in (200, 201), response.body
    return response.json


# --- Invalid bodies -------------------------------------------------------------------------------

BAD: dict[tuple[str, str], list[tuple[bytes, str, str]]] = {
    ("PUT scenario", "invalid_request"): [
        (b"", "0:0", "is empty"),
        (b"{", "1:2", "is not valid JSON: "),
        (b"[]", "1:1", "must be a mapping, "),
        (b"{}", "1:1", "missing key 'scenario'"),
        (b'{"scenario": []}', "1:14 scenario", "must have at least one"),
        (b'{"a": "\xff"}', "", "the body must be UTF-8; byte 7 is invalid"),
        (b'{"scenario": "empty", "x": 1}', "1:23", "unknown key 'x'; known keys: scenario"),
        (b'{"scenario": ' + b"[" * 50 + b"]" * 50 + b"}", "1:53",
         "is nested deeper than 40 levels"),
        (b'{"scenario": [7, {"description": 8}]}', "1:15 scenario.1",
         "must be a scenario name or a"),
    ],
    ("PUT scenario", "unknown_scenario"): [
        (b'{"scenario": "emtpy"}', "", "unknown scenario 'emtpy'; did you mean 'empty'?"),
        (b'{"scenario": ["empty", "../x"]}', "", "invalid scenario name '../x'"),
        (b'{"scenario": ""}', "", "empty scenario name in the body"),
    ],
    ("PUT scenario", "invalid_scenario"): [
        (b'{"scenario": {"description": "d", \n"extends": "emtpy"}}', "2:12 scenario.extends",
         "unknown scenario 'emtpy"),
        (b'{"scenario": {"description": "d", \n"data": {"pets": "showrom"}}}',
         "2:18 scenario.data.pets", "unknown fixture 'showrom'; did"),
        (b'{"scenario": ["empty",\n{"description": "d",\n"stubs": [{"reply": {"error": "x"}},\n'
            b'{"reply": {"error": "y"}}]}, {"descripton": 1}]}',
         "3:31 scenario.2.stubs.1.reply.error, 4:21 scenario.2.stubs.2.reply.error, "
             "4:31 scenario.3", "must be invalid_request, unauthorized, pet_not_found"),
    ],
    ("PUT data/pets", "invalid_request"): [
        (b"", "0:0", "is empty"),
        (b"null", "1:1", "must be a fixture name"),
        (b"100001", "1:1", "must be an integer"),
        (b'"showrom"', "1:1", "unknown fixture 'showrom"),
        (b'"../x"', "1:1", ""),
        (b'{"pets": []}', "1:2", "unknown key 'pets'"),
        (b'{"count": 3,\n"locale": "xx"}', "2:11 locale", "must be en_US, en_GB"),
        (b'[{"id": 1, "name": "a", "categoryId": 1},\n{"id": 1, "name": 7, "status": "lost"}]',
         "2:1 2.categoryId, 2:8 2.id, 2:19 2.name, 2:32 2.status",
         "is required (and 3 more, in details)"),
        (b'[{"id": 9223372036854775808, "name": "a", "categoryId": 1}]', "1:9 1.id",
         "must be an integer from -9223372036854775808 to "),
    ],
    ("PATCH data/pets/1", "invalid_request"): [
        (b"", "", "the body is empty; it must be a JSON object"),
        (b"{}", "", "the body must be an object with at least one of"),
        (b'{"id": 1}', "", "id cannot be changed"),
        (b'{"x": 1}', "", "unknown property 'x'; known"),
        (b'{"name": null}', "", "name must be a string"),
        (b'{"name": 7, "status": "lost"}', "",
         "name must be a string of Unicode text, got 7; status must be one of available, "),
    ],
    ("PATCH data/pets/1", "payload_too_large"): [
        (b'{"name": "' + b"x" * 70_000 + b'"}', "", "the body is too large; send at most 64 KiB")],
    ("PATCH data/pets/99", "pet_not_found"): [(b'{"name": "x"}', "", "no animal has the id 99")],
    ("PATCH data/pets/x", "pet_not_found"): [
        (b'{"name": "x"}', "", "no animal has the id 'x': an id is")],
    ("PUT sessions/new", "invalid_request"): [
        (b'{"sed": 1}', "1:2", "unknown key"),
        (b'{"seed": "1",\n"data": {"pets": "nix"}}', "1:10 seed, 2:18 data.pets",
         "must be an integer from 0 to "),
    ],
    ("PUT sessions/new", "unknown_scenario"): [
        (b'{"data": {"pets": 3}, "scenario": "emtpy"}', "",
         "unknown scenario 'emtpy'; did you mean 'empty'?"),
    ],
    ("POST verify", "invalid_request"): [
        (b"", "0:0", "is empty"),
        (b"{}", "1:1", "missing key 'match'; add"),
        (b'{"match": {}, "times": {"at_least": 2,\n"at_most": 1}}', "1:24 times",
         "at_least 2 is more than"),
    ],
}  # fmt: skip
"""Call and error code to bodies, with the places of all problems, and how the message starts.

A place is a line, a column and a name. The message has the first place in front.
"""


@pytest.fixture(scope="module")
def used(call: Client) -> Client:
    """A server whose session `w1` differs from a new one in every changeable property."""
    good(at(call, "PUT", "scenario", {"scenario": ["retry", "slow"]}))
    call("POST", "/~w1+empty/v1/pets", json_body=PET)
    call("POST", "/~w1+default/v1/pets", json_body=PET)
    return call


def world_of(call: Client) -> list[Any]:
    """Return everything visible of session `w1`, except its idle time."""
    seen = [good(at(call, "GET", path)) for path in ("state", "data/pets", "requests")]
    listed = good(at(call, "GET", "sessions"))["sessions"]
    return [*seen, [(each["name"], each["active"], each["seed"]) for each in listed]]


@pytest.mark.parametrize(
    ("target", "code", "row"), [(*key, row) for key, rows in BAD.items() for row in rows]
)
def test_an_invalid_body_is_reported_with_places_and_changes_nothing(
    used: Client, target: str, code: str, row: tuple[bytes, str, str]
) -> None:
    body, places, message = row
    before = world_of(used)
    method, path = target.split()
    response = at(used, method, path, body)

    assert_error(response, code, *(["details"] if places else []))
    if places:
        problems = response.json["details"]["problems"]
        rows = [f"{row['line']}:{row['column']} {row['where']}".strip() for row in problems]
        assert ", ".join(rows) == places
        assert {each["file"] for each in problems} == {"body"}
        assert all(each["what"] for each in problems)
        first = rows[0].replace(" ", ": ") + ": "
        message = ("body: " if first == "0:0: " else f"body:{first}") + message
    assert response.json["message"].startswith(message)
    assert world_of(used) == before


def test_the_number_of_scenarios_is_limited(used: Client) -> None:
    names = [f"all:{number}ms" for number in range(1, 33)]
    response = at(used, "PUT", "scenario", {"scenario": [*names, "offline"]})
    assert_error(response, "unknown_scenario")
    assert "too many scenarios in the body: at most 32, got 33" in response.json["message"]
    assert good(at(used, "PUT", "scenario", {"scenario": names}, "w8"))["active"] == names


# --- Invalid names and queries --------------------------------------------------------------------


WRONG = {
    "not_found": {
        "GET scenarios/emtpy": "unknown scenario 'emtpy'; did you mean 'empty'?",
        "DELETE sessions/w11": "unknown session 'w11'; did you mean 'w1'?",
        "GET requests/99":
            "the request log of session 'w1' has no request '99'; it keeps 2 of 2 requests",
        "GET requests/x": "the request log of session 'w1' has no request 'x'; ",
        "GET nothing": "the control API has no path '/__mockpets/nothing'",
    },
    "invalid_request": {
        "DELETE sessions/default": "the session 'default' cannot be deleted",
        "GET data/pets?limit=1001": "limit must be an integer from 1 to 1000, got",
        "GET data/pets?lmit=1":
            "no record of pets has the property 'lmit'; did you mean 'limit'?",
        "GET data/pets?colour=red&status=sold":
            "no record of pets has the property 'colour'; known parameters: after, limit, id, name",
        "GET requests?operation=listPet": "operation must be one of listPets, ",
        "GET requests.har?status=404&status=4xx": "status must be sent only once",
        "GET events?since=x": "since must be an integer of at least 0",
        "GET events?wait=31": "wait must be an integer from 0 to 30 (seconds), got '",
        "POST reset?x=1": "unknown parameter 'x'; this call has no parameters",
        "PUT data/pets?x": "unknown parameter 'x'; this call has no parameters",
    },
    "invalid_session": {
        "PUT sessions/a%20b": "invalid session name 'a b' in the path: use a-z",
        "GET sessions/-x": "invalid session name '-x' in the path: use a-z",
    },
    "pet_not_found": {
        "GET data/pets?after=x": "no animal has the id 'x': an id is an integer, such as 7",
        "DELETE data/pets/99": "no animal has the id 99",
        "DELETE data/pets/1.0": "no animal has the id '1.0': an id is an integer, such as 7",
    },
    "method_not_allowed": {
        "POST data/pets/1": "POST is not allowed on /__mockpets/data/pets/1; allowed: ",
    },
}  # fmt: skip
"""Error code to calls with an unknown name or an invalid query, and the start of the message."""


@pytest.mark.parametrize(
    ("code", "row"), [(code, row) for code, rows in WRONG.items() for row in rows.items()]
)
def test_unknown_names_are_reported_with_the_nearest(
    used: Client, code: str, row: tuple[str, str]
) -> None:
    before = world_of(used)
    method, path = row[0].split()
    response = at(used, method, path)

    assert_error(response, code)
    assert response.json["message"].startswith(row[1])
    assert world_of(used) == before


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "state"), ("POST", "reset"), ("PUT", "data/pets")]
)
def test_an_unknown_header_of_ours_is_rejected_and_changes_nothing(
    used: Client, method: str, path: str
) -> None:
    before = world_of(used)
    response = used(method, f"/__mockpets/{path}", headers={"Mockpets-Sesion": "w1"}, key=None)

    assert_error(response, "unknown_header")
    message = "unknown header 'Mockpets-Sesion'; did you mean 'Mockpets-Session'?"
    assert response.json["message"] == message
    assert world_of(used) == before
    known = {"Mockpets-Delay": "1s", "Mockpets-Request": "7"}  # a client sends them with every call
    assert at(used, "GET", "state").status == 200
    assert used("GET", "/__mockpets/state", headers=known, key=None).status == 200


@pytest.mark.parametrize("name", ["session", "Session"])
def test_a_session_parameter_is_rejected_with_how_to_name_a_session(
    used: Client, name: str
) -> None:
    response = used("GET", f"/__mockpets/state?{name}=worker-3", key=None)

    assert_error(response, "invalid_request")
    assert response.json["message"] == (
        f"unknown parameter '{name}'; name the session in the base path "
        "(/~NAME/__mockpets/state) or in the header Mockpets-Session"
    )


@pytest.mark.parametrize(("query", "message"), [
    ("opration=x", "unknown parameter 'opration'; did you mean 'operation'?"),
    ("status=404&status=4xx", "status must be sent only once, got 2 values"),
    ("limt=1&since=1&since=2&pth=b&limit=0",
     "unknown parameter 'limt'; did you mean 'limit'?; since must be sent only once, got 2 "
         "values; unknown parameter 'pth'; did you mean 'path'?; limit must be an integer from "
         "1 to 1000, got '0'"),
    ("x%0A=1",
     "unknown parameter 'x\\n'; known parameters: limit, operation, method, path, status, "
         "stub, note, outcome, since"),
])  # fmt: skip
def test_all_invalid_parameters_are_reported_at_once(
    used: Client, query: str, message: str
) -> None:
    response = at(used, "GET", f"requests?{query}")

    assert_error(response, "invalid_request")
    assert response.json["message"] == message


def test_hints_are_found_only_for_the_unknown_parameters_that_are_reported(
    used: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hint takes 30 microseconds, and a query has room for thousands of parameters."""
    names: list[str] = []

    def hint(name: str, _: object) -> str:
        names.append(name)
        return "hint"

    monkeypatch.setattr("mockpets.web.control.call.did_you_mean", hint)
    at(used, "GET", "requests?" + "&".join(f"n{number}" for number in range(900)))

    assert names == [f"n{number}" for number in range(20)]


def test_every_response_has_the_protocol_and_pages_may_read_it(used: Client) -> None:
    shown = {"version": FULL_VERSION, "protocol": PROTOCOL}
    health = {"status": "ok", **shown, "bases": ["/v1"]}
    assert used("GET", "/__mockpets/health", key=None).json == health
    assert good(at(used, "GET", "state")).items() >= shown.items()
    page = {"Origin": "http://localhost:5173"}
    for method, path in (("GET", "health"), ("DELETE", "sessions/none"), ("GET", "nothing")):
        response = used(method, f"/__mockpets/{path}", key=None, headers=page)
        assert response.header("Mockpets-Protocol") == str(PROTOCOL), path
        assert "Mockpets-Protocol" in (response.header("Access-Control-Expose-Headers") or "")


@pytest.mark.parametrize(
    "path", ["health", "ready", "metrics", "", "docs", f"{PANEL_FILES}/main.js"]
)
def test_probes_metrics_and_pages_ignore_query_parameters(used: Client, path: str) -> None:
    assert used("GET", f"/__mockpets/{path}?x=1", key=None).status == 200


# --- Pets -----------------------------------------------------------------------------------------


def test_pets_are_listed_in_pages(call: Client) -> None:
    good(at(call, "PUT", "data/pets", 2500, "parts"))
    seen: list[Any] = []
    query = ""
    sizes = []
    while query is not None:
        part = good(at(call, "GET", f"data/pets?{query}", session="parts"))
        assert part["total"] == 2500
        sizes.append(len(part["records"]))
        seen += part["records"]
        query = None if part["next"] is None else f"after={part['next']}"  # type: ignore[assignment]  # None ends it

    assert sizes == [1000, 1000, 500]
    assert [pet["id"] for pet in seen] == list(range(1, 2501))
    sold = good(at(call, "GET", "data/pets?status=sold&limit=3", session="parts"))
    wanted = [pet for pet in seen if pet.get("status") == "sold"]
    assert (sold["total"], sold["records"], sold["next"]) == (
        len(wanted),
        wanted[:3],
        str(wanted[2]["id"]),
    )
    exact = good(at(call, "GET", f"data/pets?after={seen[-4]['id']}&limit=3", session="parts"))
    assert (exact["records"], exact["next"]) == (seen[-3:], None)


@pytest.mark.parametrize(
    ("body", "total"), [([], 0), (0, 0), (40, 40), ({"count": 3, "seed": 7}, 3), ("showroom", None)]
)
def test_pets_can_be_replaced_in_every_form_that_files_allow(
    call: Client, body: object, total: int | None
) -> None:
    result = good(at(call, "PUT", "data/pets", body, "put"))["total"]
    assert total in (None, result)
    assert good(at(call, "GET", "data/pets", session="put"))["total"] == result
    new = call("POST", "/~put/v1/pets", json_body=PET).json["id"]
    assert new > 0 and call("GET", f"/~put/v1/pets/{new}").json == {"id": new, **PET}
    good(at(call, "POST", "reset", session="put"))
    assert good(at(call, "GET", "data/pets", session="put"))["total"] == 16


def test_a_pet_can_be_changed_and_deleted(call: Client) -> None:
    pet = good(at(call, "PUT", "data/pets", [{"id": -5, **PET, "status": "sold"}], "one"))
    assert pet == {"total": 1}
    changed = good(at(call, "PATCH", "data/pets/-5", {"status": None, "categoryId": 3}, "one"))
    assert changed == {"id": -5, "name": "Miso", "categoryId": 3}
    assert (
        good(at(call, "PATCH", "data/pets/-5", {"status": "pending"}, "one"))["status"] == "pending"
    )
    assert call("GET", "/~one/v1/pets?status=pending").json[0]["categoryId"] == 3
    raw = at(call, "PATCH", "data/pets/-5", b'{"categoryId": 4.0}', "one")
    assert b'"categoryId":4,' in raw.body
    assert good(at(call, "DELETE", "data/pets/-5", session="one")) == {"total": 0}
    assert call("GET", "/~one/v1/pets/-5").status == 404


# --- Inline scenarios -----------------------------------------------------------------------------

TEAPOT: Any = {
    "description": "Pet 1 is a teapot, twice.",
    "stubs": [
        {"name": "pot", "match": {"operation": "getPet", "params": {"petId": 1}}, "times": 2,
         "off_contract": True, "reply": {"status": 418, "text": "short and stout"}},
    ],
}  # fmt: skip


def pots(call: Client, session: str, count: int = 3) -> list[int]:
    return [call("GET", f"/~{session}/v1/pets/1").status for _ in range(count)]


def test_an_inline_scenario_belongs_to_one_session_until_the_next_activation(call: Client) -> None:
    assert good(at(call, "PUT", "scenario", {"scenario": TEAPOT}, "d1")) == {"active": ["inline-1"]}
    first = call("GET", "/~d1/v1/pets/1")
    assert (first.status, first.body) == (418, b"short and stout")
    assert first.header("Mockpets-Stub") == "inline-1/pot"
    assert first.header("Mockpets-Scenario") == "inline-1"
    assert pots(call, "d1", 2) == [418, 200]
    assert pots(call, "d2", 1) == [200]
    assert_error(call("GET", "/~d2+inline-1/v1/pets/1"), "unknown_scenario")

    rows = {row["name"]: row for row in good(at(call, "GET", "scenarios", None, "d1"))["scenarios"]}
    assert rows["inline-1"]["inline"] and not rows["empty"]["inline"]
    assert rows["inline-1"]["description"] == TEAPOT["description"]
    one = good(at(call, "GET", "scenarios/inline-1", None, "d1"))
    assert json.loads(one["text"]) == TEAPOT
    assert [stub["label"] for stub in one["stubs"]] == ["inline-1/pot"]
    assert_error(at(call, "GET", "scenarios/inline-1", None, "d2"), "not_found")
    good(at(call, "PUT", "scenario", {"scenario": "default"}, "d1"))
    assert pots(call, "d1", 1) == [200]
    assert_error(call("GET", "/~d1+inline-1/v1/pets/1"), "unknown_scenario")


def test_inline_scenarios_stack_extend_and_define_pets(call: Client) -> None:
    brings = {"data": {"pets": [{"id": 7, **PET}]}}  # without a description
    failing = {"description": "d", "extends": "retry"}
    body = {"scenario": [TEAPOT, "missing", brings, failing]}
    active = good(at(call, "PUT", "scenario", body, "stack"))["active"]
    assert active == ["inline-1", "missing", "inline-2", "inline-3"]
    assert good(at(call, "GET", "data/pets", session="stack"))["records"] == [{"id": 7, **PET}]
    assert call("GET", "/~stack/v1/pets/1").status == 418
    assert call("GET", "/~stack/v1/pets/7").header("Mockpets-Stub") == "missing/gone"
    assert [call("GET", "/~stack/v1/pets").status for _ in range(3)] == [503, 503, 200]
    call("POST", "/~stack/v1/pets", json_body=PET)

    # A second inline scenario of the same name has its own pets.
    good(at(call, "PUT", "scenario", {"scenario": brings}, "stack"))
    assert call("GET", "/~stack/v1/pets").json == [{"id": 7, **PET}]
    good(at(call, "PUT", "scenario", {"scenario": "default"}, "stack"))
    assert good(at(call, "GET", "data/pets", session="stack"))["total"] == 16


def test_a_failed_change_keeps_an_inline_scenario_and_its_counters(call: Client) -> None:
    good(at(call, "PUT", "scenario", {"scenario": TEAPOT}, "fail"))
    assert pots(call, "fail", 1) == [418]
    for body in ({"scenario": "emtpy"}, {"scenario": [{"description": "d"}, {"x": 1}]}):
        assert at(call, "PUT", "scenario", body, "fail").status == 422
        refused = at(call, "PUT", "sessions/fail", body | {"seed": 9, "data": {"pets": []}})
        assert refused.status == 422
    assert pots(call, "fail", 2) == [418, 200]
    result = good(at(call, "GET", "sessions/fail"))
    assert (result["seed"], result["records"]) == (1, 16)


NAMED: Any = {"name": "teapot", **TEAPOT}


def test_an_inline_scenario_can_have_a_name(call: Client) -> None:
    unnamed = {"description": "d", "stubs": [{"delay": "1ms"}]}
    body = {"scenario": [NAMED, unnamed, "missing"]}
    active = {"active": ["teapot", "inline-2", "missing"]}
    assert good(at(call, "PUT", "scenario", body, "named")) == active
    response = call("GET", "/~named/v1/pets/1")
    assert (response.status, response.header("Mockpets-Stub")) == (418, "teapot/pot")
    assert response.header("Mockpets-Scenario") == "teapot, inline-2, missing"
    assert json.loads(good(at(call, "GET", "scenarios/teapot", session="named"))["text"]) == NAMED
    # A single request can name it, in this session only.
    assert call("GET", "/~named+teapot/v1/pets/1").status == 418
    assert_error(call("GET", "/~unnamed+teapot/v1/pets/1"), "unknown_scenario")
    # It can be sent again. Without the others, it goes on; the second time, it starts again.
    good(at(call, "PUT", "scenario", {"scenario": NAMED}, "named"))
    assert pots(call, "named", 1) == [200]
    good(at(call, "PUT", "scenario", {"scenario": NAMED}, "named"))
    assert pots(call, "named") == [418, 418, 200]
    good(at(call, "PUT", "scenario", {"scenario": "default"}, "named"))
    assert_error(call("GET", "/~named+teapot/v1/pets/1"), "unknown_scenario")


@pytest.mark.parametrize(("scenario", "problem"), [
    ({"name": "empty"}, "scenario.name: another scenario already has the name 'empty'"),
    ({"name": "default"}, "scenario.name: another scenario already has the name 'default'"),
    ([NAMED, {"name": "teapot"}], "scenario.2.name: another scenario already has the name"),
    ({"name": "inline-1"}, "scenario.name: 'inline-1' is reserved for scenarios without a"),
    ([{}, {"name": "inline-1"}], "scenario.2.name: another scenario already has the name"),
    ({"name": "Tea Pot"}, "scenario.name: must be a scenario name (a-z, 0-9, single hyphens;"),
    ({"name": "a" * 65}, "scenario.name: must be a scenario name"),
    ({"name": None}, "scenario.name: must be a scenario name"),
    ({"nmae": "a"}, "scenario: unknown key 'nmae'; did you mean 'name'?"),
    ({"name": "own", "extends": "own"}, "scenario.extends: a scenario cannot extend itself"),
])  # fmt: skip
def test_an_invalid_name_of_an_inline_scenario_is_rejected(
    call: Client, scenario: Any, problem: str
) -> None:
    many = scenario if isinstance(scenario, list) else [scenario]
    described = [{"description": "d", **each} for each in many]
    body = {"scenario": described if isinstance(scenario, list) else described[0]}
    before = good(at(call, "GET", "scenarios", session="named"))["active"]
    for method, path in (("PUT", "scenario"), ("PUT", "sessions/named")):
        response = at(call, method, path, body, "named")
        assert_error(response, "invalid_scenario", "details")
        [found] = response.json["details"]["problems"]
        assert f"{found['where']}: {found['what']}; {found['hint']}".startswith(problem)
    assert good(at(call, "GET", "scenarios", session="named"))["active"] == before


def test_an_inline_scenario_cannot_be_activated_again_by_its_name(call: Client) -> None:
    good(at(call, "PUT", "scenario", {"scenario": NAMED}, "kept"))
    for path in ("scenario", "sessions/kept"):
        response = at(call, "PUT", path, {"scenario": ["slow", "teapot"]}, "kept")
        assert_error(response, "unknown_scenario")
        assert response.json["message"].startswith("'teapot' cannot be activated by name: it is")
    assert good(at(call, "GET", "scenarios", session="kept"))["active"] == ["teapot"]
    # Together with the document it is only its name.
    both = {"scenario": [NAMED, "teapot"]}
    assert good(at(call, "PUT", "scenario", both, "kept")) == {"active": ["teapot"]}


# --- Sessions -------------------------------------------------------------------------------------


def test_a_session_is_created_as_requested_and_reset_to_that(call: Client) -> None:
    pets = [{"id": 3, **PET}]
    body = {"scenario": [TEAPOT, "retry"], "seed": 77, "data": {"pets": pets}}
    made = at(call, "PUT", "sessions/Made", body)
    assert made.status == 201
    result = {
        "name": "made",
        "active": ["inline-1", "retry"],
        "seed": 77,
        "records": 1,
        "requests": 0,
    }
    assert result.items() <= made.json.items()
    assert made.json["base_path"] == "/~made/v1"
    call("POST", "/~made/v1/pets", json_body=PET)
    good(at(call, "POST", "reset", session="made"))
    assert good(at(call, "GET", "data/pets", session="made"))["records"] == pets
    again = at(call, "PUT", "sessions/made")
    assert (again.status, again.json["seed"], again.json["records"]) == (200, 77, 1)
    # A seed alone means generated pets, different from those of the server's seed.
    good(at(call, "PUT", "sessions/made", {"seed": 5}))
    grown = good(at(call, "GET", "data/pets", session="made"))
    assert grown["total"] == 16
    assert grown["records"] != good(at(call, "GET", "data/pets", session="seed-1"))["records"]
    dropped = good(at(call, "DELETE", "sessions/made"))
    assert dropped == {"dropped": "made", "id": again.json["id"]}
    assert good(at(call, "GET", "data/pets", session="made"))["total"] == 16


def test_an_invalid_session_is_not_created(call: Client) -> None:
    wrong: list[Any] = [
        {"scenario": "emtpy"}, {"seed": "x"}, {"data": {"pets": [{}]}}, {"scenario": {"x": 1}},
    ]  # fmt: skip
    for body in wrong:
        assert at(call, "PUT", "sessions/unborn", body).status in (400, 422)
        assert_error(at(call, "GET", "sessions/unborn"), "not_found")


# --- State, gates, request log ----------------------------------------------------------------


def test_state_has_every_specified_property(fresh: Make) -> None:
    call = fresh(api_key=("*",), seed=3)
    call("GET", "/~w1/v1/pets")
    state = good(at(call, "GET", "state"))

    assert state["counts"] == {"records": 16, "requests": 1, "sessions": 2, "held": 0, "unnamed": 0}
    wanted = {"key": "mockpets", "any_key": True, "base_path": "/~w1/v1", "max_records": 10_000}
    wanted |= {"request_log_size": 1000, "public": False, "max_sessions": 1000}
    assert state["settings"].pop("all")
    assert state["settings"] == wanted | {"options": ["--seed 3", "--api-key *"]}
    head = {"session": "w1", "resets": 0, "active": ["default"], "seed": 3, "gates": {}}
    assert head.items() <= state.items()
    assert state["change"] >= 2


REACHED: dict[str, tuple[str, list[str], str]] = {
    # session: the scenario, requests that do not show it, and one that does
    "stubbed": ("missing",
        ["GET /~stubbed+missing/v1/pets", "GET /~x+missing/v1/pets/1", "GET /~stubbed/v1/pets/1"],
        "GET /~stubbed+missing/v1/pets/1"),
    "stocked": ("sold-out",
        ["GET /~stocked/v1/pets", "POST /~stocked+sold-out/v1/pets"],
        "GET /~stocked+sold-out/v1/pets/1"),
    "plain": ("default", ["GET /~plain/v1/other"], "POST /~plain/v1/pets"),
    "extending": ("own", ["GET /~extending/v1/pets"], "GET /~extending/v1/pets/1"),
}  # fmt: skip
REASONS = {
    "missing": "scenario missing affected no request",
    "sold-out": "no request listed or fetched pets in scenario sold-out",
    "default": "no request called the pet store in scenario default",
    "own": "scenario own affected no request",
}


@pytest.mark.parametrize(("session", "row"), REACHED.items())
def test_a_scenario_is_reached_by_a_request_that_shows_it(
    call: Client, session: str, row: tuple[str, list[str], str]
) -> None:
    name, before, reaching = row
    if name == "own":
        document = {"name": "own", "description": "d", "extends": "missing"}
        good(at(call, "PUT", "scenario", {"scenario": document}, session))

    def unreached() -> object:
        return good(at(call, "GET", f"scenarios/{name}", None, session))["unreached"]

    def send(request: str, key: str | None = "mockpets") -> None:
        method, target = request.split()
        call(method, target, json_body=PET if method == "POST" else None, key=key)

    for request in before:
        send(request)
    send(reaching, key=None)  # 401
    assert unreached() == REASONS[name]
    send(reaching)
    assert unreached() is None
    if name != "own":
        good(at(call, "POST", "reset", None, session))
        assert unreached() == REASONS[name]


def test_only_public_servers_disable_scenarios_that_break_connections(
    fresh: Callable[..., Client],
) -> None:
    token = "t" * 16
    for public, reason in (
        (False, None),
        (True, "connection faults are disabled: the server runs with --public"),
    ):
        call = fresh(public=public, control_token=token)
        for name, expected in (("offline", reason), ("truncated", None), ("default", None)):
            details = good(call("GET", f"/__mockpets/scenarios/{name}", key=token))
            assert details["disabled"] == expected


def test_the_request_log_can_be_filtered_and_cleared(call: Client) -> None:
    for target in ("/~log/v1/pets", "/~log/v1/pets/1", "/~log/v1/pets/99", "/~log+retry/v1/pets"):
        call("GET", target)
    call("POST", "/~log/v1/pets", json_body=PET)

    def numbers(query: str) -> list[int]:
        rows = good(at(call, "GET", f"requests?{query}", session="log"))["requests"]
        return [row["number"] for row in rows]

    assert numbers("") == [1, 2, 3, 4, 5]
    assert numbers("limit=2") == [4, 5]
    assert numbers("operation=getPet&status=4xx") == [3]
    assert numbers("stub=retry/*") == [4]
    whole = good(at(call, "GET", "requests?limit=1", session="log"))
    assert (whole["total"], whole["last"], whole["dropped"]) == (5, 5, 0)
    assert good(at(call, "DELETE", "requests", session="log")) == {"cleared": 5}
    call("GET", "/~log/v1/pets")
    assert numbers("") == [6]
    good(at(call, "POST", "reset", session="log"))
    call("GET", "/~log/v1/pets")
    assert numbers("") == [1]
    assert good(at(call, "GET", "requests", session="log"))["resets"] == whole["resets"] + 1


# --- Long bodies, over a socket -------------------------------------------------------------------


@pytest.fixture
def live(tmp_path: Path) -> Iterator[MockpetsServer]:
    pets = "\n".join(f"- {{id: {each}, name: a, categoryId: 1}}" for each in range(1, 8_001))
    (tmp_path / "many.yaml").write_text(pets)
    with MockpetsServer(Settings(port=0, fixtures_dir=(tmp_path,))) as server:
        yield server


def long_bodies() -> Iterator[tuple[str, bytes, str]]:
    pets = [{"id": each, "name": "a", "categoryId": 1} for each in range(1, 8_001)]
    yield "data/pets", json.dumps(pets).encode(), '{"total":8000}'
    yield "data/pets", b'"many"', '{"total":8000}'
    stubs = [
        {"match": {"params": {"petId": each}, "operation": "getPet"}, "delay": "0s"}
        for each in range(1600)  # a document has at most 20,000 values
    ]
    document = {"scenario": {"description": "d", "stubs": stubs}}
    yield "scenario", json.dumps(document).encode(), '{"active":["inline-1"]}'
    yield (
        "sessions/new",
        b'{"data": {"pets": "many"}, "seed": 2}',
        '"seed":2,"clock":null,"records":8000',
    )
    yield "sessions/new", b'{"data": {"pets": 30000}}', '"records":30000'


LONG_BODIES = [*long_bodies()]


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        *(pytest.param(*each, marks=pytest.mark.slow) for each in LONG_BODIES[:2]),
        *(pytest.param(*each, marks=pytest.mark.long) for each in LONG_BODIES[2:]),
    ],
    ids=range(5),
)
def test_a_long_body_does_not_block_other_clients(
    live: MockpetsServer, path: str, body: bytes, says: str
) -> None:
    port = port_of(live.url)
    with Wire(port) as slow, Wire(port) as other:
        head = f"PUT /__mockpets/{path} HTTP/1.1\r\nHost: localhost\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        slow.send(head.encode() + body)
        for _ in range(5):
            assert other.get("/__mockpets/health").read().status == 200
        early, _, _ = select.select([slow.socket], [], [], 0)
        reply = slow.read()

    assert not early
    assert says in reply.body.decode()


def test_a_body_above_1_mib_is_rejected(live: MockpetsServer) -> None:
    body = b"[" + b" " * 2**20 + b"]"
    inside = Client(InProcess(create_app(Settings())))
    for call in (inside, Client(OverSocket(live.url))):
        assert_error(
            call("PUT", "/__mockpets/data/pets", body=body, headers=JSON), "payload_too_large"
        )
    assert inside("GET", "/__mockpets/data/pets").json["total"] == 16


def test_verify_reports_a_session_lost_in_a_restart_to_a_caller_that_sends_its_id(
    fresh: Make,
) -> None:
    def verify(call: Client, session_id: str) -> Response:
        headers = {"Mockpets-Session-Id": session_id}
        body = {"match": {"operation": "listPets"}, "times": {"at_least": 0}}
        return call("POST", "/~w3/__mockpets/verify", json_body=body, headers=headers, key=None)

    before, after = fresh(), fresh()
    first = before("GET", "/~w3/v1/pets").header("Mockpets-Session-Id") or ""
    assert verify(before, first).status == 200
    for restarted in (verify(after, first), verify(before, "another")):
        assert_error(restarted, "session_dropped")
        assert restarted.json["message"].startswith(
            "session w3 was lost: the server was restarted, or another client deleted"
        )
    # The name is not closed: the session can be used again.
    assert after("GET", "/~w3/v1/pets").status == 200
