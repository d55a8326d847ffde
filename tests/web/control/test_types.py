"""The OpenAPI document and the client's annotations match the wire: one row for each route."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from inspect import isfunction
from pathlib import Path
from time import monotonic
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.constants import ERRORS, ErrorCode
from mockpets.contract import control_types as types
from mockpets.contract.pet_store import BUILT_IN
from mockpets.scenario.language.shapes import Definitions
from mockpets.web.control.control_document import schema_of
from mockpets.web.control.routes import control_document
from tests.http_client import JSON, Client, OverSocket, Response
from tests.web.documents import CLINIC, client_of

PATHS = control_document()["paths"]


def closed(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return schemas whose objects have no properties besides those that are listed."""
    return {
        name: {"additionalProperties": False, **schema} if "properties" in schema else schema
        for name, schema in schemas.items()
    }


SCHEMAS = closed(control_document()["components"]["schemas"])


def mismatches(
    value: object, schema: Mapping[str, Any], schemas: Mapping[str, Any] = SCHEMAS
) -> list[str]:
    """Return where a value does not match a schema."""
    validator = Draft202012Validator({**schema, "components": {"schemas": schemas}})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


# --- Routes ---------------------------------------------------------------------------------------

MISO: Any = {"id": 7, "name": "Miso", "categoryId": 2, "status": "sold"}
DOCUMENT: Any = {
    "description": "d",
    "stubs": [{"match": {"operation": "createPet"}, "reply": {"error": "invalid_request"}}],
}
MATCH: Any = {"operation": "listPets"}
LIST: Any = {"method": "GET", "path": "/v1/pets"}
SELECTION: Any = {
    "scenario": ["default"], "seed": 3, "data": {"pets": [MISO]}, "clock": {"frozen": True},
}  # fmt: skip
RELEASE: Any = {"requests": [6], "reply": {"status": 200, "text": "x"}, "delay": "30s"}
ROWS: list[tuple[Any, ...]] = [
    ("GET", "health"),
    ("GET", "ready"),
    ("GET", "openapi.json"),
    ("GET", "control.openapi.json"),
    ("GET", "schema/scenario.json"),
    ("GET", "contract"),
    ("GET", "state"),
    ("GET", "scenarios"),
    ("GET", "scenarios/retry"),
    ("PUT", "scenarios/new", DOCUMENT),
    ("POST", "scenarios/check", DOCUMENT),
    ("PUT", "scenario", *({"scenario": each} for each in ("empty", DOCUMENT, ["retry", DOCUMENT]))),
    ("PUT", "overrides/new", DOCUMENT),
    ("DELETE", "overrides/new"),
    ("GET", "sessions"),
    ("GET", "sessions/default"),
    ("PUT", "sessions/w2", {}, SELECTION),
    ("GET", "sessions/w2/export?log=true"),
    ("PUT", "sessions/w2/export", {"format": 1, "scenario": "default", "seed": 1}),
    ("GET", "clock"),
    ("PUT", "clock", {"now": "2031-01-01", "frozen": True}, {"advance": "1d"}, {"now": None}),
    ("DELETE", "sessions/w2"),
    ("POST", "sessions/w2/undo"),
    ("GET", "data/pets?limit=2"),
    ("PUT", "data/pets", 3, "showroom", {"count": 3, "seed": 4, "locale": "de_DE"}, [MISO]),
    ("POST", "data/pets", {"name": "Mio", "categoryId": 1, "status": "sold"}),
    ("PATCH", "data/pets/7", {"name": "Mio", "categoryId": 1, "status": None}),
    ("DELETE", "data/pets/7"),
    ("PUT", "scenario", {"scenario": "shop"}),
    ("GET", "data"),
    ("PUT", "data/orders", [{"id": 7}, {"petId": 3}]),
    ("POST", "data/orders", {"petId": 3}),
    ("GET", "data/orders?limit=2&after=7"),
    ("GET", "data/orders/7"),
    ("PATCH", "data/orders/7", {"petId": None}),
    ("DELETE", "data/orders/7"),
    ("GET", "requests"),
    *(("GET", f"requests/{number}") for number in range(1, 6)),
    ("GET", "requests/1/explain"),
    (*("POST", "explain", LIST),
     {"method": "POST", "path": "/v1/pets", "headers": {"X": "y"}, "body": [1, None, "a"]},
     {**LIST, "draft": {"name": "new", "text": "description: d"}}),
    ("GET", "requests.har"),
    (*("POST", "verify", {"match": MATCH}),
     {"match": MATCH, "times": {"at_least": 1, "at_most": 99}},
     {"match": {**MATCH, "outcome": "sent"}},
     {"match": {**MATCH, "outcome": ["sent", "client_left"]}},
     {"match": {"method": "GET", "path": "/v1/nothing"}, "times": 0, "within": "1ms"}),
    ("GET", "events?since=0"),
    ("GET", "held"),
    ("GET", "gates"),
    ("POST", "gates/door/wait", {}, {"held": 1, "within": "1s"}),
    ("POST", "held/release", RELEASE),
    ("POST", "gates/door/open"),
    ("GET", "requests/3/stub?status=404&times=2"),
    ("POST", "requests/3/stub?exact=true"),
    ("DELETE", "requests/3/stub"),
    ("POST", "recording"),
    ("GET", "recording"),
    ("GET", "findings"),
    ("DELETE", "requests"),
    ("POST", "reset"),
    ("POST", "sessions/reset"),
    ("DELETE", "sessions"),
]  # fmt: skip
"""Method, path and bodies, in an order in which each row finds what earlier rows created."""

OUTCOMES = """
description: Every kind of outcome.
stubs:
  - {name: slow, delay: 1ms, throttle: 1 MB/s}
  - {match: {operation: getPet, params: {petId: 1}}, fault: malformed_json}
  - {match: {operation: getPet, params: {petId: 2}}, fault: connection_reset}
"""
SHOP = "description: d\nresources: [{path: /v1/store/orders}]\n"
HELD = "description: d\nstubs: [{match: {operation: listPets}, hold: door}]\n"


def wait_until(ready: Callable[[], object]) -> None:
    end = monotonic() + 20
    while not ready():
        assert monotonic() < end


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MockpetsServer]:
    """A server with a state file, an invalid scenario, and requests of many kinds."""
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "outcomes.yaml").write_text(OUTCOMES)
    (folder / "held.yaml").write_text(HELD)
    (folder / "shop.yaml").write_text(SHOP)
    settings = Settings(port=0, scenarios_dir=(folder,), state=str(tmp_path / "pets.state"))
    with MockpetsServer(settings) as server, ThreadPoolExecutor() as pool:
        call = Client(OverSocket(server.url))
        (folder / "invalid.yaml").write_text("stubs: 3\n")
        wait_until(lambda: "invalid" in call("GET", "/__mockpets/scenarios").body.decode())
        call("GET", "/v1/pets?limmit=3")
        call("POST", "/v1/pets", body=b"\xff" * 5000, headers=JSON)
        call("GET", "/v1/store/orders")
        call("GET", "/v1/pets/1", scenario="outcomes")
        with pytest.raises(ConnectionError):
            call("GET", "/v1/pets/2", scenario="outcomes")
        held = pool.submit(call, "GET", "/v1/pets", scenario="held")
        wait_until(lambda: call("GET", "/__mockpets/gates").json["gates"])
        yield server
        call("POST", "/__mockpets/gates/door/open")
        call("POST", "/__mockpets/held/release", body=b'{"requests": [6]}', headers=JSON)
        assert held.result(10).status == 200


def operation_of(method: str, path: str) -> Mapping[str, Any]:
    """Return the operation object of a call; a path without parameters takes precedence."""
    place = "/" + path.partition("?")[0]
    fits = [each for each in PATHS if re.fullmatch(re.sub(r"{\w+}", "[^/]+", each), place)]
    operation: Mapping[str, Any] = PATHS[min(fits, key=lambda each: each.count("{"))][
        method.lower()
    ]
    return operation


def json_schema(described: Mapping[str, Any]) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = described["content"]["application/json"]["schema"]
    return schema


def send(call: Client, method: str, path: str, body: object) -> Response:
    raw = None if body is None else json.dumps(body).encode()
    headers = {**(JSON if raw else {}), "If-None-Match": "*"}  # for a new scenario
    return call(method, f"/__mockpets/{path}", body=raw, headers=headers, key=None)


def test_every_route_accepts_and_returns_what_the_document_says(server: MockpetsServer) -> None:
    call = Client(OverSocket(server.url))
    called = {"metrics", "resetVisitor", "logIn"}
    for method, path, *bodies in ROWS:
        operation = operation_of(method, path)
        called.add(operation["operationId"])
        for body in bodies or [None]:
            response = send(call, method, path, body)
            where = f"{method} {path} {body}"
            assert response.status in (200, 201), f"{where}: {response.body!r}"
            described = json_schema(operation["responses"][str(response.status)])
            assert mismatches(response.json, described) == [], where
            if body is not None:
                assert mismatches(body, json_schema(operation["requestBody"])) == [], where

    assert called == {each["operationId"] for item in PATHS.values() for each in item.values()}


def test_the_rows_cover_every_nullable_property(server: MockpetsServer) -> None:
    call = Client(OverSocket(server.url))
    state = call("GET", "/__mockpets/state").json
    requests = call("GET", "/__mockpets/requests").json["requests"]

    assert state["state_file"] is not None and state["gates"]
    assert any(each["description"] is None and each["problems"] for each in state["scenarios"])
    for key in ("operation", "status", "fault", "off_contract", "throttle"):
        assert {each[key] is None for each in requests} == {True, False}, key


def test_the_description_of_any_document_has_its_type() -> None:
    contracts = client_of(CLINIC, "pet-store")("GET", "/__mockpets/contract").json
    schema = json_schema(PATHS["/contract"]["get"]["responses"]["200"])
    operations = contracts["contracts"][0]["operations"]

    assert mismatches(contracts, schema) == []
    for key in ("collection", "key", "values", "note"):
        assert {each[key] is None for each in operations} == {True, False}, key
    assert {name for each in operations for name in each["paging"].values()}


COOKIE = "type: apiKey, in: cookie, name: sid"


def test_a_log_in_has_its_type(tmp_path: Path) -> None:
    """The contract of the other calls has none."""
    text = CLINIC.read_text()
    with_cookie = tmp_path / "cookie.yaml"
    with_cookie.write_text(text.replace("type: http, scheme: bearer", COOKIE))
    described = PATHS["/login"]["post"]
    schema = json_schema(described["responses"]["200"])
    for contract in (CLINIC, with_cookie):
        call = client_of(contract)
        for body in ({}, {"user": {"role": "vet"}}):
            assert mismatches(body, json_schema(described["requestBody"])) == []
            logged_in = send(call, "POST", "login", body).json
            assert mismatches(logged_in, schema) == []
        assert (logged_in["cookie"] is None) is (contract == CLINIC)


# --- Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path", "body", "details"), [
    ("GET", "scenarios/nothing", None, None),
    ("PUT", "scenario", {"scenario": 3, "x": 1}, "problems"),
    ("PUT", "scenario", {"scenario": {"description": 3}}, "problems"),
    ("PUT", "data/pets", {"count": -1}, "problems"),
    ("POST", "verify", {"match": {}, "times": "x"}, "problems"),
    ("POST", "verify", {"match": {**MATCH, "query": {"limit": "3"}}}, "nearest"),
    ("POST", "verify", {"match": {}, "within": 5}, "problems"),
    ("POST", "gates/nothing/wait", {"within": "0s"}, "held"),
    ("POST", "gates/nothing/wait", {"held": 0}, "problems"),
    ("POST", "held/release", {"requests": []}, "problems"),
])  # fmt: skip
def test_every_error_has_its_type(
    call: Client, method: str, path: str, body: Any, details: str | None
) -> None:
    call("GET", "/v1/pets")
    error, operation = send(call, method, path, body).json, operation_of(method, path)

    assert mismatches(error, json_schema(operation["responses"]["default"])) == []
    assert (details is None) is ("details" not in error)
    assert details is None or details in error["details"]
    # The document rejects invalid bodies too.
    if body is not None:
        invalid = mismatches(body, json_schema(operation["requestBody"]))
        assert bool(invalid) == (details == "problems")


# --- The client -----------------------------------------------------------------------------------

NAMES = {**vars(types), "types": types}
"""The names in the annotations of `ControlClient`."""

CALLS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("health", "contract", "state", "scenarios", "active"), ()),
    "scenario": ("retry",), "save_scenario": ("saved", "description: d"),
    "check_scenario": ("description: 3",), "override_scenario": ("new", "description: d"),
    "drop_override": ("new",), "gates": (), "held": (), "wait_for_gate": ("door",),
    "open_gate": ("other",), "activate": ("shop",),
    "collections": (), "set_records": ("orders", [{"id": 7}]), "records": ("orders",),
    "delete_record": ("orders", 7), "requests": (), "request_log": (),
    "request": (1,), "explain": (), "har": (), "verify": (MATCH,),
    **dict.fromkeys(("events", "metrics", "findings"), ()),
    **dict.fromkeys(("stub", "respond_like", "drop_stub"), (3,)),
    **dict.fromkeys(("start_recording", "recording", "sessions"), ()),
    "make_session": ("w2",), "find_session": ("w2",), "export_session": ("w2",),
    "import_session": ({"format": 1, "scenario": "default", "seed": 1}, "w2"),
    "drop_session": ("w2",), "undo": ("w2",),
    **dict.fromkeys(("reset_sessions", "drop_sessions", "clear_requests"), ()),
    "use": ("empty",), "reset": (),
}  # fmt: skip
"""In an order in which each call finds what earlier calls created."""


def test_every_call_of_the_client_returns_what_it_is_annotated_with(server: MockpetsServer) -> None:
    client = ControlClient(server.url)
    names = {name for name, each in vars(ControlClient).items() if isfunction(each)}
    assert {name for name in names if name[0] != "_"} - CALLS.keys() == {
        *("close", "explain_request", "gate", "session", "release"),
        *("data", "mcp", "add_record", "record", "change_record", "log_in"),
    }

    def check(name: str, value: object) -> None:
        definitions = Definitions("#/components/schemas/", BUILT_IN)
        method = getattr(ControlClient, name)
        hint = get_type_hints(method, localns=NAMES, include_extras=True)["return"]
        schema = schema_of(hint, definitions)
        definitions.schemas["DataRecord"] = {"type": "object"}
        assert mismatches(value, schema, closed(definitions.schemas)) == [], name

    for name, arguments in CALLS.items():
        if name == "explain":
            check("explain_request", client.explain_request(method="GET", path="/v1/pets"))
        check(name, getattr(client, name)(*arguments))


# --- Enumerations ---------------------------------------------------------------------------------


def test_every_enumeration_has_the_values_of_its_table() -> None:
    assert get_args(ErrorCode) == tuple(ERRORS)
