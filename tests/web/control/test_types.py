"""The types of the control API match the wire: one row for each route, on a real server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from inspect import isfunction
from time import monotonic
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import pytest
from jsonschema import Draft202012Validator

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.constants import (
    CONTROL_PREFIX,
    DOCS_PATH,
    ERRORS,
    LLMS_PATH,
    MCP_PATH,
    OPERATIONS,
    PANEL_FILE_PATH,
    PANEL_PATH,
    ErrorCode,
    Operation,
)
from mockpets.contract import control_types as types
from mockpets.contract.schemas import NewPet, Pet
from mockpets.kit import files_of
from mockpets.web.control.call import Call
from mockpets.web.control.routes import control_document
from tests.cases import each
from tests.http_client import JSON, Client, OverSocket
from tests.routes import complete_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.http_client import Response

NEW_PET = {"name": "Mio", "categoryId": 1, "status": "sold"}

# --- Checking a value's type ----------------------------------------------------------------------


def mismatches(value: object, kind: Any, where: str = "$") -> list[str]:
    """Yield every place where a JSON value does not match a type, also extra or missing keys."""
    if kind is Any:
        return []
    if is_typeddict(kind):
        return _object_mismatches(value, kind, where)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return mismatches(value, arguments[0], where)
    if origin in (Union, UnionType):
        return min((mismatches(value, each, where) for each in arguments), key=len)
    if origin is Annotated:  # text, with its values
        (values,) = kind.__metadata__
        return [] if value in values else [f"{where}: {value!r} is none of {values}"]
    if origin is Literal:
        exact = any(type(value) is type(each) and value == each for each in arguments)
        return [] if exact else [f"{where}: {value!r} is none of {arguments}"]
    if origin is list:
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no array"]
        (item,) = arguments
        return [
            found
            for place, each in enumerate(value)
            for found in mismatches(each, item, f"{where}[{place}]")
        ]
    if origin is not None:  # dict or Mapping
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no object"]
        _, item = arguments
        return [
            found
            for name, each in value.items()
            for found in mismatches(each, item, f"{where}.{name}")
        ]
    allowed = (int, float) if kind is float else (kind,)
    return [] if type(value) in allowed else [f"{where}: {value!r} is no {kind.__name__}"]


def _object_mismatches(value: object, kind: Any, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no object"]
    hints = get_type_hints(kind, include_extras=True)
    needed = {
        name
        for name, hint in hints.items()
        if get_origin(hint) is not NotRequired and name not in kind.__optional_keys__
    }
    found = [f"{where}.{name}: unknown key" for name in sorted(value.keys() - hints.keys())]
    found += [f"{where}.{name}: missing" for name in sorted(needed - value.keys())]
    for name in value.keys() & hints.keys():
        found += mismatches(value[name], hints[name], f"{where}.{name}")
    return found


class Inner(TypedDict):
    word: Literal["a", "b"]


class Outer(TypedDict):
    inner: list[Inner]
    number: NotRequired[int | None]
    ratio: NotRequired[float]
    counts: NotRequired[dict[str, int]]


@each(
    "value, found",
    [
        ({"inner": []}, []),
        ({"inner": [{"word": "a"}], "number": None, "ratio": 1, "counts": {"x": 1}}, []),
        ({"inner": [{"word": "c"}]}, ["$.inner[0].word: 'c' is none of ('a', 'b')"]),
        ({"inner": [{}]}, ["$.inner[0].word: missing"]),
        ({"inner": [], "more": 1}, ["$.more: unknown key"]),
        ({"inner": {}}, ["$.inner: {} is no array"]),
        ({"inner": [], "number": True}, ["$.number: True is no int"]),
        ({"inner": [], "ratio": "1"}, ["$.ratio: '1' is no float"]),
        ({"inner": [], "counts": {"x": 1.5}}, ["$.counts.x: 1.5 is no int"]),
        ([], ["$: [] is no object"]),
    ],
)
def test_a_value_is_checked_against_its_type(value: object, found: list[str]) -> None:
    assert mismatches(value, Outer) == found


# --- Routes ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One route.

    :param path: the path of the route.
    :param returns: the type of its response.
    :param filled: the path with its parameters and a query.
    :param takes: the type of its body.
    :param bodies: bodies that together have every key of `takes`.
    """

    method: str
    path: str
    returns: Any
    filled: str = ""
    takes: Any = NoneType
    bodies: tuple[Any, ...] = (None,)
    headers: tuple[tuple[str, str], ...] = ()


MISO: Any = {"id": 7, "name": "Miso", "categoryId": 2, "status": "sold"}
DOCUMENT: Any = {
    "description": "d",
    "stubs": [{"match": {"operation": "createPet"}, "reply": {"error": "invalid_request"}}],
}
GENERATED: Any = {"count": 3, "seed": 4, "locale": "de_DE"}
MATCH: Any = {"operation": "listPets"}
Object = Mapping[str, Any]
ROWS = [
    Row("GET", "health", types.Health),
    Row("GET", "ready", types.Health),
    Row("GET", "openapi.json", Object),
    Row("GET", "control.openapi.json", Object),
    Row("GET", "schema/scenario.json", Object),
    Row("GET", "state", types.State),
    Row("GET", "scenarios", types.ScenarioList),
    Row("GET", "scenarios/{name}", types.ScenarioDetails, "scenarios/retry"),
    Row(
        *("PUT", "scenarios/{name}", types.ScenarioDetails, "scenarios/new"),
        takes=types.Document,
        bodies=(DOCUMENT,),
        headers=(("If-None-Match", "*"),),
    ),
    Row(
        *("POST", "scenarios/check", types.CheckedScenario, ""),
        takes=types.Document,
        bodies=(DOCUMENT,),
    ),
    Row(
        *("PUT", "scenario", types.Activated, ""),
        takes=types.ScenarioSelection,
        bodies=tuple({"scenario": each} for each in ("empty", DOCUMENT, ["default", DOCUMENT])),
    ),
    Row(
        *("PUT", "overrides/{name}", types.ScenarioDetails, "overrides/new"),
        takes=types.Document,
        bodies=(DOCUMENT,),
    ),
    Row("DELETE", "overrides/{name}", types.ScenarioList, "overrides/new"),
    Row("GET", "sessions", types.SessionList),
    Row("GET", "sessions/{name}", types.SessionSummary, "sessions/default"),
    Row(
        *("PUT", "sessions/{name}", types.SessionSummary, "sessions/w2"),
        takes=types.SessionContents,
        bodies=(
            {},
            {"scenario": ["default"], "seed": 3, "pets": [MISO], "clock": {"frozen": True}},
        ),
    ),
    Row("GET", "clock", types.ClockState),
    Row(
        *("PUT", "clock", types.ClockState, ""),
        takes=types.ClockChange,
        bodies=({"now": "2031-01-01", "frozen": True}, {"advance": "1d"}, {"now": None}),
    ),
    Row("DELETE", "sessions/{name}", types.DroppedSession, "sessions/w2"),
    Row("POST", "sessions/{name}/undo", types.Undone, "sessions/w2/undo"),
    Row("GET", "pets", types.PetPage, "pets?limit=2"),
    Row(
        *("PUT", "pets", types.PetTotal, ""),
        takes=types.PetsSource,
        bodies=(3, "showroom", GENERATED, [MISO]),
    ),
    Row("POST", "pets", Pet, "pets", takes=NewPet, bodies=(NEW_PET,)),
    Row(
        *("PATCH", "pets/{id}", Pet, "pets/7"),
        takes=types.PetChange,
        bodies=({"name": "Mio", "categoryId": 1, "status": None},),
    ),
    Row("DELETE", "pets/{id}", types.PetTotal, "pets/7"),
    Row(
        *("PUT", "scenario", types.Activated, ""),
        takes=types.ScenarioSelection,
        bodies=({"scenario": "shop"},),
    ),
    Row("GET", "data", types.ResourceList),
    Row(
        *("PUT", "data/{name}", types.RecordTotal, "data/orders"),
        takes=list[types.Document],
        bodies=([{"id": 7}, {"petId": 3}],),
    ),
    Row(
        *("POST", "data/{name}", Object, "data/orders"),
        takes=types.Document,
        bodies=({"petId": 3},),
    ),
    Row("GET", "data/{name}", types.RecordPage, "data/orders?limit=2&after=7"),
    Row("GET", "data/{name}/{record}", Object, "data/orders/7"),
    Row(
        *("PATCH", "data/{name}/{record}", Object, "data/orders/7"),
        takes=types.Document,
        bodies=({"petId": None},),
    ),
    Row("DELETE", "data/{name}/{record}", types.RecordTotal, "data/orders/7"),
    Row("PUT", "snapshots/{name}", types.SnapshotSummary, "snapshots/one"),
    Row("GET", "snapshots", types.SnapshotList),
    Row("GET", "snapshots/{name}", types.SnapshotDetails, "snapshots/one"),
    Row("POST", "snapshots/{name}/restore", types.PetTotal, "snapshots/one/restore"),
    Row("DELETE", "snapshots/{name}", types.SnapshotList, "snapshots/one"),
    Row("GET", "requests", types.RequestList),
    Row("GET", "requests/{number}", types.RequestDetails, "requests/1"),
    Row("GET", "requests/{number}/explain", types.Explanation, "requests/1/explain"),
    Row(
        *("POST", "explain", types.Explanation, ""),
        takes=types.RequestToExplain,
        bodies=(
            {"method": "GET", "path": "/v1/pets"},
            {"method": "POST", "path": "/v1/pets", "headers": {"X": "y"}, "body": [1, None, "a"]},
            {
                "method": "GET",
                "path": "/v1/pets",
                "draft": {"name": "new", "text": "description: d"},
            },
        ),
    ),
    Row("GET", "requests.har", types.Har),
    Row(
        *("POST", "verify", types.VerifiedRequests, ""),
        takes=types.Verification,
        bodies=(
            {"match": MATCH},
            {"match": MATCH, "times": {"at_least": 1, "at_most": 99}},
            {"match": {**MATCH, "outcome": "sent"}},
            {"match": {**MATCH, "outcome": ["sent", "client_left"]}},
            {"match": {"method": "GET", "path": "/v1/nothing"}, "times": 0, "within": "1ms"},
        ),
    ),
    Row("GET", "events", types.Events, "events?since=0"),
    Row("GET", "held", types.WaitingResponses, "held?sessions=all"),
    Row("GET", "gates", types.GateCounts),
    Row(
        *("POST", "gates/{name}/wait", types.HeldResponses, "gates/door/wait"),
        takes=types.GateWait,
        bodies=({}, {"held": 1, "within": "1s"}),
    ),
    Row(
        *("POST", "held/release", types.ReleasedRequests, ""),
        takes=types.Release,
        bodies=({"requests": [6], "reply": {"status": 200, "text": "x"}, "delay": "30s"},),
    ),
    Row("POST", "gates/{name}/open", types.OpenedGate, "gates/door/open"),
    Row("GET", "requests/{number}/stub", types.RecordedStub, "requests/3/stub?status=404&times=2"),
    Row("POST", "requests/{number}/stub", types.StubInUse, "requests/3/stub?exact=true"),
    Row("DELETE", "requests/{number}/stub", types.DroppedStub, "requests/3/stub"),
    Row("POST", "recording", types.RecordingStarted),
    Row("GET", "recording", types.RecordedScenario),
    Row("GET", "findings", types.Findings),
    Row("GET", "coverage", types.StateCoverage),
    Row("DELETE", "coverage", types.ClearedCoverage),
    Row("DELETE", "requests", types.ClearedRequests),
    Row("POST", "reset", types.ActiveScenarios),
    Row("POST", "sessions/reset", types.ResetSessions),
    Row("DELETE", "sessions", types.DroppedSessions),
]
"""In an order in which each row finds what earlier rows created."""
DOCUMENT = control_document()
KIT = {f"{CONTROL_PREFIX}/{name}" for name in files_of()}
METRICS_PATH = f"{CONTROL_PREFIX}/metrics"
PAGES = {CONTROL_PREFIX, PANEL_PATH, PANEL_FILE_PATH, DOCS_PATH, LLMS_PATH}
NO_JSON = PAGES | KIT | {METRICS_PATH, MCP_PATH}

OUTCOMES = """
description: Every kind of outcome.
stubs:
  - {name: slow, delay: 1ms, throttle: 1 MB/s}
  - {match: {operation: getPet, petId: 1}, fault: malformed_json}
  - {match: {operation: getPet, petId: 2}, fault: connection_reset}
"""
SHOP = "description: d\nresources: [{path: /v1/store/orders}]\n"
HELD = "description: d\nstubs: [{match: {operation: listPets}, hold: door}]\n"


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


def document_problems(row: Row, body: Any, response: Response) -> list[str]:
    """Return where a call differs from the OpenAPI document: its query, body and response."""
    operation = DOCUMENT["paths"][f"/{row.path}"][row.method.lower()]
    described = operation["responses"][str(response.status)]
    schemas = [(response.json, described["content"]["application/json"]["schema"])]
    if body is not None:
        content = operation["requestBody"]["content"]
        schemas.append((body, content["application/json"]["schema"]))
    return [
        f"{error.json_path}: {error.message}"
        for value, schema in schemas
        for error in Draft202012Validator(
            {**schema, "components": DOCUMENT["components"]}
        ).iter_errors(value)
    ]


def wait_until(ready: Callable[[], object]) -> None:
    end = monotonic() + 20
    while not ready():
        assert monotonic() < end


def send(call: Client, row: Row, body: Any) -> Response:
    raw = None if body is None else json.dumps(body).encode()
    path = f"/__mockpets/{row.filled or row.path}"
    headers = {**(JSON if raw else {}), **dict(row.headers)}
    return call(row.method, path, body=raw, headers=headers, key=None)


def test_every_route_accepts_and_returns_its_types(server: MockpetsServer) -> None:
    call = Client(OverSocket(server.url))
    for row in ROWS:
        for body in row.bodies:
            response = send(call, row, body)
            where = f"{row.method} {row.path} {body}"
            assert response.status in (200, 201), f"{where}: {response.body!r}"
            assert mismatches(response.json, row.returns) == [], where
            assert mismatches(body, row.takes) == [], where
            assert document_problems(row, body, response) == [], where
        if is_typeddict(row.takes):
            assert {key for body in row.bodies for key in body} == get_type_hints(row.takes).keys()


def test_the_rows_cover_every_nullable_property(server: MockpetsServer) -> None:
    call = Client(OverSocket(server.url))
    state = call("GET", "/__mockpets/state").json
    requests = call("GET", "/__mockpets/requests").json["requests"]
    messages = [call("GET", f"/__mockpets/requests/{each['number']}").json for each in requests]

    assert state["state_file"] is not None and state["gates"]
    assert any(each["description"] is None and each["problems"] for each in state["scenarios"])
    for key in ("operation", "status", "fault", "off_contract", "throttle"):
        assert {each[key] is None for each in requests} == {True, False}, key
    assert {code["code"] for each in requests for code in each["notes"]} >= {"ignored_query"}
    assert any(each["request"]["body"]["base64"] for each in messages)
    entries = call("GET", "/__mockpets/requests.har").json["log"]["entries"]
    assert any("_encoding" in each["request"].get("postData", {}) for each in entries)
    assert any("_error" in each["response"] for each in entries)


def test_there_is_a_row_for_every_route_and_its_view_has_the_same_type() -> None:
    app = complete_app()
    routes = {
        (method, rule.rule.replace("<", "{").replace(">", "}")): app.view_functions[rule.endpoint]
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(CONTROL_PREFIX)
    }
    rows = {(row.method, f"{CONTROL_PREFIX}/{row.path}"): row for row in ROWS}

    assert rows.keys() == {route for route in routes if route[1] not in NO_JSON}
    for route, row in rows.items():
        view: Any = routes[route]
        view = view.args[0] if isinstance(view, partial) else view  # what it calls
        view = view.view if isinstance(view, Call) else view
        name = row.returns.__name__ if is_typeddict(row.returns) else "Mapping[str, Any]"
        returned = view.__annotations__["return"].replace("types.", "")
        assert returned == f"JsonResponse[{name}]", route


# --- Errors ---------------------------------------------------------------------------------------


@each(
    "method, path, body, details",
    [
        ("GET", "scenarios/nothing", None, None),
        ("PUT", "scenario", {"scenario": 3, "x": 1}, types.InvalidInputDetails),
        ("PUT", "scenario", {"scenario": {"description": 3}}, types.InvalidInputDetails),
        ("PUT", "pets", {"count": -1}, types.InvalidInputDetails),
        ("POST", "verify", {"match": {}, "times": "x"}, types.InvalidInputDetails),
        (
            "POST",
            "verify",
            {"match": {"operation": "listPets", "query": {"limit": "3"}}},
            types.VerificationDetails,
        ),
        ("POST", "verify", {"match": {}, "within": 5}, types.InvalidInputDetails),
        ("POST", "gates/nothing/wait", {"within": "0s"}, types.HeldResponses),
        ("POST", "gates/nothing/wait", {"held": 0}, types.InvalidInputDetails),
        ("POST", "held/release", {"requests": []}, types.InvalidInputDetails),
    ],
)
def test_every_error_has_its_type(
    call: Client, method: str, path: str, body: Any, details: Any
) -> None:
    call("GET", "/v1/pets")
    row = Row(method, path.replace("nothing", "{name}"), types.Error, path)
    response = send(call, row, body)
    error = response.json

    assert mismatches(error, types.Error) == []
    assert document_problems(row, None, response) == []
    # The document rejects invalid bodies too.
    assert bool(document_problems(row, body, response)) == (details is types.InvalidInputDetails)
    assert mismatches(error.get("details"), details or NoneType) == []
    assert details is not types.VerificationDetails or error["details"]["nearest"]


# --- The client -----------------------------------------------------------------------------------

NAMES = {**vars(types), "types": types}
"""The names in the annotations of `ControlClient`."""

CALLS: dict[str, tuple[Any, ...]] = {
    "health": (),
    "state": (),
    "scenarios": (),
    "active": (),
    "scenario": ("retry",),
    "save_scenario": ("saved", "description: d"),
    "check_scenario": ("description: 3",),
    "override_scenario": ("new", "description: d"),
    "drop_override": ("new",),
    "gates": (),
    "held": (),
    "wait_for_gate": ("door",),
    "open_gate": ("other",),
    "set_pets": ([MISO],),
    "pets": (),
    "activate": ("shop",),
    "resources": (),
    "set_records": ("orders", [{"id": 7}]),
    "add_record": ("orders", {"petId": 3}),
    "records": ("orders",),
    "record": ("orders", 7),
    "change_record": ("orders", 7, {"petId": 3}),
    "delete_record": ("orders", 7),
    "snapshot": ("one",),
    "snapshots": (),
    "snapshot_pets": ("one",),
    "restore": ("one",),
    "drop_snapshot": ("one",),
    "delete_pet": (7,),
    "requests": (),
    "journal": (),
    "request": (1,),
    "explain": (),
    "har": (),
    "verify": (MATCH,),
    "events": (),
    "metrics": (),
    "findings": (),
    "stub": (3,),
    "respond_like": (3,),
    "drop_stub": (3,),
    "start_recording": (),
    "recording": (),
    "coverage": (),
    "clear_coverage": (),
    "sessions": (),
    "make_session": ("w2",),
    "find_session": ("w2",),
    "drop_session": ("w2",),
    "undo": ("w2",),
    "reset_sessions": (),
    "drop_sessions": (),
    "clear_requests": (),
    "use": ("empty",),
    "reset": (),
}
"""In an order in which each call finds what earlier calls created."""


def test_every_call_of_the_client_returns_what_it_is_annotated_with(server: MockpetsServer) -> None:
    client = ControlClient(server.url)
    names = {name for name, each in vars(ControlClient).items() if isfunction(each)}
    assert {name for name in names if name[0] != "_"} - CALLS.keys() == {
        *("add_pet", "change_pet", "close", "explain_request", "gate", "session", "release"),
        *("data", "mcp"),
    }

    for name, arguments in CALLS.items():
        if name == "delete_pet":
            hints = get_type_hints(ControlClient.change_pet, localns=NAMES)
            assert mismatches(client.add_pet(name="Mio", categoryId=1), hints["return"]) == []
            assert mismatches(client.change_pet(7, name="Mio"), hints["return"]) == []
        if name == "explain":
            hints = get_type_hints(ControlClient.explain_request, localns=NAMES)
            explanation = client.explain_request(method="GET", path="/v1/pets")
            assert mismatches(explanation, hints["return"]) == []
        hints = get_type_hints(getattr(ControlClient, name), localns=NAMES)
        assert mismatches(getattr(client, name)(*arguments), hints["return"]) == [], name


# --- Enumerations ---------------------------------------------------------------------------------


def test_every_enumeration_has_the_values_of_its_table(call: Client) -> None:
    named = call("GET", "/__mockpets/schema/scenario.json").json["$defs"]

    assert get_args(Operation) == tuple(OPERATIONS)
    assert get_args(ErrorCode) == tuple(ERRORS)
    (values,) = get_args(types.Fault)[1:]
    assert [*values] == named["Fault"]["enum"]
