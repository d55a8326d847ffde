"""The commands for the state of a running server."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import Client
from tests.web.checked_client import CLINIC

SECONDS = 20
"""The time limit for every step, in seconds."""
Run = Any
HOLDS = {
    "description": "Holds the list.",
    "stubs": [{"match": {"operation": "listPets"}, "hold": "checkout"}],
}


# --- verify -----------------------------------------------------------------------------------


@pytest.fixture
def _requested(call: Client) -> None:
    call("GET", "/v1/pets?limit=1")
    call("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 2})
    call("DELETE", "/v1/pets/7")


@pytest.mark.usefixtures("_requested")
@pytest.mark.parametrize(("options", "count"), [
    ([], 3),
    (["--operation", "createPet", "--times", "1"], 1),
    (["--operation", "getPet", "--at-most", "0"], 0),
    (["--at-least", "2", "--at-most", "3"], 3),
    (["--at-least", "3", "--within", "30s"], 3),
    (["--method", "DELETE", "--path", "/v1/pets/*"], 1),
    (["--operation", "createPet", "--match", '{"body": {"name": {"contains": "is"}}}'], 1),
    (["--match", '{"method": "DELETE"}', "--path", "/v1/pets/7"], 1),
    (["--status", "201", "--outcome", "sent"], 1),
])  # fmt: skip
def test_verify_exits_with_0_if_the_requests_are_as_expected(
    run: Run, options: list[str], count: int
) -> None:
    expected = f"verified: {count} matching request{'' if count == 1 else 's'}"

    assert run("verify", *options) == (0, [expected], [])


@pytest.mark.usefixtures("_requested")
def test_verify_exits_with_1_and_the_explanation_of_the_server(
    run: Run, client: ControlClient
) -> None:
    with pytest.raises(AssertionError) as expected:
        client.verify({"operation": "createPet", "body": {"name": "Mio"}}, 2)
    lines = f"mockpets: {expected.value}".split("\n")  # one prefix

    command = ["verify", "--operation=createPet", "--times=2", '--match={"body":{"name":"Mio"}}']
    assert run(*command) == (1, [], lines)
    assert any("nearest" in line for line in lines)


@pytest.mark.usefixtures("_requested")
def test_verify_prints_the_details_of_a_failure_as_json(run: Run) -> None:
    status, out, err = run("verify", "--json", "--operation=createPet", "--times=2")
    details = json.loads("\n".join(out))
    assert (status, err) == (1, [])
    assert (details["matched"], details["expected"]) == (1, "exactly 2")
    assert details.keys() >= {"match", "nearest", "unknown"}


@pytest.mark.parametrize(("options", "messages"), [
    (["--status=50x"], ["match.status: must be a status such as 503, or a class such as 5xx"]),
    (["--match", "createPet"], ["--match: the text is not JSON: Expecting value at line 1"]),
    (["--match", "[]"], ["--match: must be a JSON object; try '{\"role\": \"create\"}'"]),
    (["--match", '{"role": "get", "role": "get"}'],
     ['--match: the text has the property "role" more than once']),
    (["--match", '{"bdoy": {}, "role": "x"}'],
     ["match: unknown key 'bdoy'; did you mean 'body'?", "match.role: must be"]),
    (["--match", '{"operation": "getPet"}', "--operation=createPet"],
     ['--operation: is also in --match: "getPet"; use one']),
    (["--method=GET"], ["match: 'method' requires 'path'; add path: /v1/..., or use "]),
    (["--times=1", "--at-least=1", "--at-most=2"],
     ["--times: cannot be combined with --at-least, --at-most"]),
    (["--at-least=3", "--at-most=1"], ["times: at_least 3 is more than at_most 1"]),
    (["--within=31s"], ["within: must be a duration of at most 30s, got '31s'"]),
    (["--times=-1"], ["--times: must be an integer of 0 or more, got '-1'"]),
])  # fmt: skip
@pytest.mark.usefixtures("client")
def test_verify_exits_with_2_for_invalid_options(
    run: Run, options: list[str], messages: list[str]
) -> None:
    status, out, err = run("verify", *options)

    assert (status, out, len(err)) == (2, [], len(messages))
    for line, message in zip(err, messages, strict=True):
        assert line.startswith(f"mockpets: {message}"), line


# --- reset ------------------------------------------------------------------------------------


def test_reset_resets_one_session(run: Run, client: ControlClient, call: Client) -> None:
    client.use("slow", "retry")
    client.set_records("pets", 5)
    call("GET", "/~other/v1/pets")

    expected = "reset session default; active: slow, retry"
    assert run("reset") == (0, [expected], [])
    assert (len(client.records("pets")), client.requests()) == (2, [])
    assert len(client.session("other").requests()) == 1
    assert run("reset", "--session=other")[:2] == (0, ["reset session other; active: default"])
    assert client.session("other").requests() == []


def test_a_missing_session_is_reported(run: Run, client: ControlClient) -> None:
    client.make_session("worker-3")
    missing = "in session wroker-3; this session does not exist yet, did you mean 'worker-3'?"

    status, out, err = run("pets", "--session=wroker-3")
    assert (status, out[0].split()[0], err) == (0, "id", [f"mockpets: pets {missing}"])
    verified = run("verify", "--session=wroker-3", "--times=0")
    assert verified == (0, ["verified: 0 matching requests"], [f"mockpets: no requests {missing}"])
    [created] = run("reset", "--session=wroker-3")[2]
    assert created.startswith("mockpets: creating session wroker-3; this session does not exist")


# --- pets -------------------------------------------------------------------------------------


def test_pets_are_listed_as_aligned_text_or_json(run: Run, client: ControlClient) -> None:
    pets: list[Any] = [
        {"id": 1, "name": "Miso", "categoryId": 2, "status": "sold"},
        {"id": 900, "name": "\x1b[31m", "categoryId": 31},
    ]
    client.set_records("pets", pets)
    lines = [
        " id  name      categoryId  status",
        "  1  Miso               2  sold",
        "900  \\x1b[31m          31  -",
    ]

    assert run("pets") == run("data", "pets") == (0, lines, [])
    sold = ["id  name  categoryId  status", " 1  Miso           2  sold"]
    assert run("pets", "--where=status=sold") == (0, sold, [])
    assert all(line.isprintable() for line in run("pets", "--json")[1])


def test_no_records_are_reported(run: Run, client: ControlClient) -> None:
    client.set_records("pets", [])

    assert run("pets") == (0, [], ["mockpets: no pets in session default"])
    none = ["mockpets: no matching records of pets in session default"]
    assert run("pets", "--where=status=sold") == (0, [], none)
    missing = (
        "mockpets: no pets in session nwe; this session does not exist yet, did you mean 'new'?"
    )
    client.make_session("new")
    client.use("empty")
    assert run("data", "pets", "--session=nwe")[2] == [missing.replace("no pets", "pets")]


def test_pets_are_replaced_and_added(run: Run, client: ControlClient) -> None:
    pets = client.data("pets")
    assert run("pets", "set", "5") == (0, ["pets: 5"], [])
    assert run("pets", "set", "showroom", "--session=w3") == (0, ["pets in session w3: 24"], [])
    assert len(pets.all()) == 5
    client.use("create-rejected")
    pets.set([{"id": 7, "name": "Miso", "categoryId": 2}])
    rex = '{"name": "R\u00e9x", "categoryId": 3, "status": "sold"}'
    added = ['added to pets: {"id": 8, "name": "R\u00e9x", "categoryId": 3, "status": "sold"}']
    assert run("pets", "add", rex) == (0, added, [])
    bo = '{"name": "Bo", "categoryId": 4}'
    status, out, err = run("data", "pets", "add", bo, "--json")
    expected = {"id": 9, "name": "Bo", "categoryId": 4}
    assert (status, json.loads("\n".join(out)), err) == (0, expected, [])
    assert pets.all()[2] == expected
    assert run("pets", "clear") == (0, ["pets: 0"], [])
    assert json.loads("\n".join(run("data", "pets", "set", "2", "--json")[1])) == {"total": 2}


def test_pets_are_replaced_by_those_of_a_file(
    run: Run, client: ControlClient, tmp_path: Path
) -> None:
    pets = client.data("pets")
    rows = [{"id": 4, "name": "Mio", "categoryId": 1}, {"id": 9, "name": "Rex", "categoryId": 2}]
    json_file, yaml_file = tmp_path / "pets.json", tmp_path / "pets.YAML"
    json_file.write_text(json.dumps(rows), encoding="utf-8")
    yaml_file.write_text("- {id: 5, name: Bo, categoryId: 1}\n", encoding="utf-8")

    assert run("pets", "set", str(json_file)) == (0, ["pets: 2"], [])
    assert pets.all() == rows
    assert run("pets", "set", str(yaml_file)) == (0, ["pets: 1"], [])
    assert pets.all() == [{"id": 5, "name": "Bo", "categoryId": 1}]
    json_file.write_text('[{"id": 4,\n "nmae": "Mio", "categoryId": 1}]', encoding="utf-8")
    status, _, err = run("pets", "set", str(json_file))
    assert status == 2 and err[0].startswith(f"mockpets: {json_file}:2:2: ")
    json_file.write_text('{"records": [{"id": 4, "nmae": 1}]}', encoding="utf-8")
    status, _, err = run("pets", "set", str(json_file))
    assert status == 2 and err[0].startswith(f"mockpets: {json_file}:1:14: records.1.")
    json_file.write_text("3", encoding="utf-8")
    status, _, err = run("pets", "set", str(json_file))
    assert status == 2 and err[0].endswith(":1:1: must be a list of records, got 3")
    status, _, err = run("pets", "set", str(tmp_path / "none.json"))
    assert status == 2 and str(tmp_path / "none.json") in err[0]
    assert len(pets.all()) == 1


@pytest.mark.parametrize("words", [["pets"], ["data", "pets"], ["data", "orders"]], ids=" ".join)
def test_printed_records_can_be_set_again(
    run: Run, client: ControlClient, tmp_path: Path, words: list[str]
) -> None:
    client.use(SHOP)
    printed = run(*words, "--json")[1]
    kept = client.records(words[-1])
    file = tmp_path / "kept.json"
    file.write_text("\n".join(printed), encoding="utf-8")
    assert run(*words, "clear") == (0, [f"{words[-1]}: 0"], [])

    assert run(*words, "set", str(file)) == (0, [f"{words[-1]}: {len(kept)}"], [])
    assert client.records(words[-1]) == kept != []


# --- data -------------------------------------------------------------------------------------


SHOP: dict[str, Any] = {
    "description": "d",
    "resources": [{"path": "/v1/store/orders"}, {"path": "/v1/notes"}],
    "data": {"orders": [{"id": 1, "petId": 3}, {"id": 20, "note": "ü"}]},
}


def test_collections_and_records_are_listed(run: Run, client: ControlClient) -> None:
    only_pets = ["name  records  path", "pets        2  /v1/pets"]
    assert run("data") == (0, only_pets, [])
    client.use(SHOP)
    client.data("notes").add({"text": "\x1b[31m", "tags": ["a"]})
    collections = [
        "name    records  path",
        "pets          2  /v1/pets",
        "orders        2  /v1/store/orders  of scenario inline-1",
        "notes         1  /v1/notes         of scenario inline-1, changed",
    ]
    assert run("data") == (0, collections, [])
    orders = ["id  petId  note", " 1      3  -", "20      -  ü"]
    assert run("data", "orders") == (0, orders, [])
    assert run("data", "notes")[1] == ["id  text      tags", ' 1  \\x1b[31m  ["a"]']
    records = {"records": SHOP["data"]["orders"]}
    assert json.loads("\n".join(run("data", "orders", "--json")[1])) == records
    client.data("notes").set([])
    assert run("data", "notes") == (0, [], ["mockpets: no notes in session default"])
    unknown = "mockpets: unknown collection 'order'; did you mean 'orders'?"
    assert run("data", "order") == (1, [], [unknown])


def test_the_list_says_whose_records_a_collection_has(run: Run, client: ControlClient) -> None:
    client.use("empty", SHOP)

    assert run("data")[1] == [
        "name    records  path",
        "pets          0  /v1/pets          records of scenario empty",
        "orders        0  /v1/store/orders  of scenario inline-1, records of scenario empty",
        "notes         0  /v1/notes         of scenario inline-1, records of scenario empty",
    ]


@pytest.mark.parametrize(("where", "ids"), [
    (["status=sold"], [2]),
    (["status=sold", "status=pending"], [2, 3]),  # any of the values of one property
    (["status=sold", "name=Miso"], []),  # and all of the properties
    (["name=Miso"], [1, 3]),
    (["id=2"], [2]),
    (["name=a=b"], [4]),
])  # fmt: skip
def test_records_are_filtered_by_their_properties(
    run: Run, client: ControlClient, where: list[str], ids: list[int]
) -> None:
    rows = [("Miso", "available"), ("Rex", "sold"), ("Miso", "pending"), ("a=b", "available")]
    client.set_records("pets", [
        {"id": number, "name": name, "categoryId": 1, "status": status}
        for number, (name, status) in enumerate(rows, 1)
    ])  # fmt: skip
    options = [word for text in where for word in ("--where", text)]

    status, out, err = run("pets", *options, "--json")

    assert (status, err) == (0, [])
    assert [record["id"] for record in json.loads("\n".join(out))["records"]] == ids


# --- gates ------------------------------------------------------------------------------------


def test_gates_are_listed_and_opened(run: Run, client: ControlClient, call: Client) -> None:
    assert run("gates") == (0, [], ["mockpets: no held responses in session default"])
    client.use(HOLDS)
    since = client.events()["change"]
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(call, "GET", "/v1/pets")
        while not client.gates():
            since = client.events(since, 20)["change"]
        assert run("gates") == (0, ["gate      held", "checkout     1"], [])
        near = "no response is held at gate 'chekout'; did you mean 'checkout'?"
        assert run("gates", "open", "chekout") == (0, ["released 0"], [f"mockpets: {near}"])
        other = "no response is held at gate 'x'; gates: checkout"
        assert run("gates", "open", "x") == (0, ["released 0"], [f"mockpets: {other}"])
        assert run("gates", "open", "checkout") == (0, ["released 1"], [])
        assert held.result(SECONDS).status == 200


def test_held_responses_are_listed_and_released(
    run: Run, client: ControlClient, call: Client
) -> None:
    assert run("held") == (0, [], ["mockpets: no waiting responses in session default"])
    client.use(HOLDS)
    since = client.events()["change"]
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(call, "GET", "/v1/pets?limit=2")
        while not client.held():
            since = client.events(since, 20)["change"]
        status, [head, row], err = run("held", "list")
        assert (status, head.split(), err) == (0, ["request", "status", "waits", "for"], [])
        assert row.split()[:7] == [
            *("1", "GET", "/v1/pets?limit=2"),
            *("200", "held", "at", "checkout"),
        ]
        status, out, [line] = run("held", "release", "1", "7", "--reply", '{"status": 500}')
        assert (status, out) == (1, [])
        assert "request 7 does not wait for its response" in line
        assert run("held", "release", "0")[0] == run("held", "release")[0] == 2
        assert run("held", "release", "1", "--reply", "{")[0] == 2
        assert run("held", "release", "1", "--reply", '{"status": 500}') == (0, ["released 1"], [])
        assert held.result(SECONDS).status == 500


# --- link -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "link"), [
    (["/pets"], "/pets?mockpets=default"),
    (["", "--scenario=empty"], "?mockpets=%2Bempty"),
    (["/", "--session", "demo", "--scenario", "slow, Empty"], "/?mockpets=demo%2Bslow%2Bempty"),
    (["/", "--scenario=getPet:404,all:2ms"], "/?mockpets=%2BgetPet%3A404%2Ball%3A2ms"),
    (["/?a=%20&&mockpets=old&b#top", "--session=demo"], "/?a=%20&b&mockpets=demo#top"),
    (["/@ann?mail=a@b"], "/@ann?mail=a@b&mockpets=default"),
])  # fmt: skip
def test_a_link_has_the_session_and_the_scenarios(
    run: Run, client: ControlClient, options: list[str], link: str
) -> None:
    client.make_session("demo")
    path, *others = options
    expected = [f"https://app.example:8443{link}"]

    assert run("link", f"https://app.example:8443{path}", *others) == (0, expected, [])


def test_a_link_needs_no_token_and_names_the_scenario_files_that_it_needs(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "shop.yaml").write_text("description: d\n", encoding="utf-8")
    files = "mockpets: another person needs the same scenario files: shop"
    settings = Settings(
        port=0, host=("127.0.0.1",), scenarios_dir=(tmp_path,), control_token="s3cret-token"
    )
    with MockpetsServer(settings) as server:
        words = ("link", "http://a/", "--scenario", "empty,shop", "--url", server.url)
        expected = ["http://a/?mockpets=%2Bempty%2Bshop"]
        unchecked = "mockpets: the names in the link are not checked: the server requires a token"
        assert run(*words) == (0, expected, [unchecked, files])
        assert run(*words, "--token", "s3cret-token") == (0, expected, [files])
        status, _, [line] = run("link", "http://a/", "--scenario", "s h", "--url", server.url)
        assert (status, line[:45]) == (2, "mockpets: --scenario: must be a scenario name")


@pytest.mark.usefixtures("client")
def test_an_expression_in_a_link_is_checked(run: Run) -> None:
    status, _, [line] = run("link", "http://a/", "--scenario", "getPets:404")
    assert (status, line) == (
        2,
        "mockpets: --scenario: unknown operation 'getPets' in 'getPets:404'; did you mean "
        "'getPet'?; 'mockpets contract' lists the operations",
    )


@pytest.mark.usefixtures("client")
def test_expressions_are_used_without_quotes(call: Client) -> None:
    """Bash and zsh pass them on as they are."""
    for shell in ("bash", "zsh"):
        if shutil.which(shell) is None:
            continue
        command = f"{sys.executable} -m mockpets use getPet:404 all:3ms createPet:empty_reply"
        assert subprocess.check_output([shell, "-c", command], text=True) == (
            "active: getPet:404, all:3ms, createPet:empty_reply\n"
        )
        assert call("GET", "/v1/pets/1").status == 404


# --- sessions ---------------------------------------------------------------------------------


def test_sessions_are_listed_and_dropped(run: Run, client: ControlClient, call: Client) -> None:
    client.make_session("w3", scenario=["slow", "empty"], seed=7)
    call("GET", "/~w3+default/v1/pets")
    status, out, err = run("sessions")

    assert (status, err, len(out)) == (0, [], 3)
    assert out[0].split("  ")[0] == "session"
    assert out[2].split() == ["w3", "0", "1", "0", out[2].split()[4], "7", "slow,", "empty"]
    listed = json.loads("\n".join(run("sessions", "--json")[1]))["sessions"]
    assert [session["name"] for session in listed] == ["default", "w3"]
    assert run("sessions", "drop", "w3") == (0, ["dropped w3"], [])
    assert call("GET", "/~w3/v1/pets").status == 410
    assert [session["name"] for session in client.sessions()] == ["default"]


def test_all_sessions_are_reset_and_dropped(run: Run, client: ControlClient, call: Client) -> None:
    for name in ("w1", "w2", "default"):
        call("GET", f"/~{name}/v1/pets")

    assert run("reset", "--all") == (0, ["reset sessions: 3"], [])
    assert [each["requests"] for each in client.sessions()] == [0, 0, 0]
    assert run("sessions", "drop", "--all") == (0, ["dropped sessions: 2"], [])
    assert call("GET", "/~w1/v1/pets").status == 410


# --- Errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("arguments", "status", "message"), [
    ("pets --where status", 2, "--where: must be PROPERTY=VALUE, such as status=sold, got 'sta"),
    ("pets --where =sold", 2, "--where: must be PROPERTY=VALUE, such as status=sold, got '=sold'"),
    ("pets --where statu=sold", 1, "no record of pets has the property 'statu'; did you mean "),
    ("pets --where limit=1", 2, "limit: cannot be a filter: the control API pages by it; filter "),
    ("pets set 3 --where id=1", 2, "--where: has no effect with set; remove it"),
    ("data --where status=sold", 2,
     "--where: needs a collection; try 'mockpets data pets --where status=sold'"),
    ("pets add", 2, """add: needs a record as JSON; try: mockpets pets add '{"name": "Miso","""),
    ("pets add Miso", 2, "add: the text is not JSON: Expecting value at line 1, column 1; try '{"),
    ("pets add {}", 1, "name is required; categoryId is required"),
    ('pets add {"name":"R","categoryId":1,"status":"x"}', 1, "status must be one of available, "),
    ('pets add {"name":"R","categoryId":1,"nmae":1}', 1, "unknown property 'nmae'; did you mean "),
    (f'pets add {{"name":"R","categoryId":{2**63}}}', 1, "categoryId must be "),
    ("pets list", 2, "unknown action 'list'; leave it out to list the records"),
    ("pets 3", 2, "unknown action '3'; try 'mockpets pets set 3'"),
    ("data pets claer", 2, "unknown action 'claer'; did you mean 'clear'?"),
    ("data pets xyzzy", 2, "unknown action 'xyzzy'; use set, add or clear"),
    ("data set pets 3", 2, "NAME: must be a collection, got 'set'; try 'mockpets data pets set'"),
    ("data orders set", 2, "set: needs a number, the name of a fixture, or a file; try: mockpets "),
    ("data orders", 1, "unknown collection 'orders'; known: pets; others need the scenario that "),
    ("data a/b", 2, "invalid data name 'a/b'; the name must not be empty or contain '/'"),
    ("data p\udcff", 2, "invalid data name 'p\\udcff'; the name must be UTF-8"),
    ("data \udcff add {}", 2, "invalid data name '\\udcff'; the name must be UTF-8"),
    ("pets --where name=\udcff", 2, "name: must be UTF-8, got '\\udcff'; correct the characters"),
    ("pets --where na\udcff=x", 2, "na\\udcff: must be UTF-8, got 'na\\udcff'; correct the char"),
    ("requests --path /\udcff", 2, "path: must be UTF-8, got '/\\udcff'; correct the characters"),
    ('pets add {"id":1e-99999999999999999999}', 2, "add: the text has a number with an exponent "),
    ('pets add {"id":1e99999999999999999999}', 2, "add: the text has a number with an exponent "),
    ('pets add {"id":-1e400}', 2, "add: the text has a number with an exponent that "),
    ('pets add {"name":"\\ud800"}', 2, "add: the text has half of a surrogate pair; try '{"),
    ("pets clear 3", 2, "clear: takes no value, got '3'; remove it"),
    ("pets set 3 4", 2, "Got unexpected extra argument (4); see 'mockpets pets --help'"),
    ("pets set pets.txt", 2, "set: must be a number, the name of a fixture, or a .yaml, .yml or "),
    ("pets set none.json", 2, "none.json: file not found; check the path"),
    ("held release", 2, "Missing argument 'NUMBER...'; see 'mockpets held release --help'"),
    ("held release 7", 1, "request 7 does not wait for its response"),
    ("pets update 3", 2, "unknown action 'update'; change it in the panel, or with ControlClient"),
    ("pets delete 3", 2, "unknown action 'delete'; change it in the panel, or with ControlClient"),
    ("pets set showrom", 1, "unknown fixture 'showrom'; did you mean 'showroom'?"),
    ("pets set 100001", 1, "must be an integer from 0 to 100000, got 100001"),
    (f"pets set {'9' * 101}", 1, "must be a fixture name (a-z, 0-9, single hyphens; "),
    ("gates open ", 2, "invalid gate name ''; the name must not be empty or contain '/'"),
    ("gates opne x", 2, "gates opne: unknown command; did you mean 'open'?"),
    ("sessions drop w3", 1, "unknown session 'w3'"),
    ("sessions drop", 2, "sessions drop: needs either NAME or --all"),
    ("sessions drop --all w3", 2, "sessions drop: needs either NAME or --all"),
    ("reset --all --session w3", 2, "--all: cannot be combined with session w3"),
    ("link /pets", 2, "APP_URL: must be the URL of a page of your app, got '/pets'; write it "),
    ("link http://[::1", 2, "APP_URL: must be the URL of a page of your app, got 'http://[:"),
    ("link http://a:99999/", 2, "APP_URL: must be the URL of a page of your app, got 'http://a:99"),
    ("link http://a\t/", 2, "APP_URL: must be the URL of a page of your app, got 'http://a\\t/'"),
    (f"link http://a --scenario {','.join(['retry'] * 33)}", 2,
     "--scenario: must name at most 32 scenarios, got 33; stack fewer"),
    ("link javascript:x", 2, "APP_URL: must be the URL of a page"),
    ("link http://me:topsecret@a/", 2, "APP_URL: must be the URL of a page of your app, got 'http://"
     "[redacted]@a/'; write it in full and without a user name, such as http://localhost:5173/pets"),
    *((f"link {url}", 2, "APP_URL: must be the URL of a page of your app, got '" + shown) for
      url, shown in (("me:topsecret@a", "[redacted]@a'"), ("ftp://me:topsecret@a", "[redacted]@a'"),
      ("http://me:topsecret@[", "http://[redacted]@['"), ("http://me@a", "http://[redacted]@a'"),
      ("http://me:topsecret%40a", "http://[redacted]@a'"))),
    ("link http://a --scenario empty,retyr", 2,
     "--scenario: unknown scenario 'retyr'; did you mean 'retry'?"),
    ("reset --session a,b", 2, "session: invalid session name 'a,b'"),
])  # fmt: skip
@pytest.mark.usefixtures("client")
def test_an_error_is_one_line_with_the_nearest_name(
    run: Run, arguments: str, status: int, message: str
) -> None:
    result, out, [line] = run(*arguments.split(" "))

    assert (result, out) == (status, [])
    assert line.startswith(f"mockpets: {message}")


@pytest.mark.parametrize("group", ["held", "gates"])
def test_help_of_a_group_lists_its_commands(run: Run, group: str) -> None:
    status, out, err = run("help", group)

    assert (status, err) == (0, [])
    assert out[0] == f"Usage: mockpets {group} [COMMAND] [OPTIONS]..."
    assert "  Without COMMAND, runs 'list'." in out
    assert run("help", group, "list") == run(group, "list", "--help")


# --- A server of a document ---------------------------------------------------------------------


@pytest.fixture
def _clinic(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with MockpetsServer(Settings(port=0, contract=(str(CLINIC),))) as server:
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        yield


@pytest.mark.usefixtures("_clinic")
def test_the_records_of_a_document_are_listed_with_the_key_first(run: Run) -> None:
    animals = run("data", "animals")[1]
    assert animals[0].split()[:2] == ["id", "name"]
    assert animals[1].split()[:2] == ["1", "Bella"]
    status, settings, err = run("data", "settings")
    assert (status, err, len(settings)) == (0, [], 2)
    assert settings[0].split() == ["name", "opensAt", "closesAt", "reminders"]
    message = "settings is a single object, which exists already; change it instead"
    added = run("data", "settings", "add", '{"name": "a"}')
    assert added == (1, [], [f"mockpets: {message}"])


@pytest.mark.parametrize(("text", "expected"), [
    ('[{"id": 1, "name": "Miso"}]', []),
    ('[{"id": 1, "name": 3}]', ["1.name: must be a string, got 3"]),
])  # fmt: skip
def test_a_file_of_records_is_checked_by_the_schema_of_the_document(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, expected: list[str]
) -> None:
    """Also if its collection has the name of one of the pet store."""
    pet = "{type: object, required: [id], properties: {id: {type: integer}, name: {type: string}}}"
    (tmp_path / "zoo.yaml").write_text(
        "openapi: 3.1.0\ninfo: {title: Zoo, version: '1'}\npaths:\n  /pets:\n    get:\n"
        "      responses: {'200': {description: ok, content: {application/json: {schema: "
        f"{{type: array, items: {pet}}}}}}}}}}}\n"
    )
    (tmp_path / "own.json").write_text(text)
    with MockpetsServer(Settings(port=0, contract=("zoo.yaml",))) as server:
        monkeypatch.setenv("MOCKPETS_URL", server.url)
        status, _, err = run("data", "pets", "set", "own.json")

    assert (status, err) == (len(expected), [f"mockpets: {each}" for each in expected])


@pytest.mark.usefixtures("_clinic")
def test_the_sessions_of_a_document_have_records(run: Run) -> None:
    sessions = run("sessions")[1]
    assert sessions[0].split()[:3] == ["session", "records", "requests"]
    assert sessions[1].split()[:3] == ["default", "81", "0"]
