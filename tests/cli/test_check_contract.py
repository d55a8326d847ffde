"""The commands for scenario files know the contracts of the settings: an OpenAPI document."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mockpets import MockpetsServer, Settings
from tests.cli.test_scenario_check import examples, with_example
from tests.http_client import Client, OverSocket

Run = Any
CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
FLAG = "add off_contract: true to the stub to send it anyway"
SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /things:
    get:
      operationId: listThings
      responses:
        "200":
          description: ok
          content:
            application/hal+json:
              schema:
                type: array
                items: {type: object, required: [id], properties: {id: {type: integer}}}
        4XX: &problem
          description: An error.
          content:
            application/json: {schema: {type: object, required: [why]}}
    post:
      operationId: addThing
      responses:
        "201": {description: ok, content: {text/plain: {schema: {type: string}}}}
        default: *problem
"""


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """Return a folder whose settings name the document and the folder of scenarios."""
    (tmp_path / "mock").mkdir()
    (tmp_path / "mockpets.toml").write_text(
        f"contract = {json.dumps([str(CLINIC)])}\nscenarios-dir = ['mock']\n"
    )
    return tmp_path


def stub(*lines: str) -> str:
    return "description: d\nstubs:\n  - " + "\n    ".join(lines) + "\n"


PROBLEMS = {
    "operation": (
        stub("match: {operation: getOwnr}", "delay: 1s"),
        ["3:24: stubs.1.match.operation: must be logIn, register, getMe, updateMe, listMembers, "
         "getMember, listOwners, createOwner, getOwner, replaceOwner, updateOwner, deleteOwner or "
         "19 more, got 'getOwnr'; did you mean 'getOwner'?"],
    ),
    "parameter": (
        stub("match: {operation: getOwner, params: {ownrId: 3}}", "delay: 1s"),
        ["3:43: stubs.1.match.params: invalid path parameter 'ownrId'; did you mean 'ownerId'?"],
    ),
    "parameter of others": (
        stub("match: {operation: getOwner, params: {animalId: 3}}", "delay: 1s"),
        ["3:42: stubs.1.match.params: getOwner has no animalId; getOwner has ownerId"],
    ),
    "status": (
        stub("match: {operation: getOwner}", "reply: {status: 409}"),
        ["4:21: stubs.1.reply.status: status 409 is not in the contract for getOwner, which allows "
         f"200, 404; {FLAG}"],
    ),
    "status of some": (
        stub("match: {operation: [getOwner, listTags]}", "reply: {error: not_found}"),
        ["4:20: stubs.1.reply.error: status 404 is not in the contract for listTags, which allows "
         f"200; match only getOwner, or {FLAG}"],
    ),
    "status of most": (
        stub("reply: {status: 404}"),
        ["3:21: stubs.1.reply.status: status 404 is not in the contract for logIn, register, "
         "getMe, updateMe, listMembers, listOwners, createOwner, listAnimals, getPhoto, "
         f"listAppointments, createAppointment, listTags and 3 more; {FLAG}"],
    ),
    "error": (
        stub("match: {operation: getOwner}", "reply: {error: not_fund}"),
        ["4:20: stubs.1.reply.error: must be invalid_request, unauthorized, not_found, "
         "method_not_allowed, conflict or payload_too_large, got 'not_fund'; did you mean "
         "'not_found'?"],
    ),
    "nested body": (
        stub("match: {operation: getOwner}", "reply:", "  status: 200", "  body:", "    data:",
             "      {id: x, name: Ada, email: a@b.ch, createdAt: '2024-03-01T09:00:00Z',",
             "       address: {street: 3}}"),
        ["8:16: stubs.1.reply.body.data.id: must be an integer, got \"x\": the contract expects "
         f"the body of getOwner 200 here; {FLAG}",
         "9:21: stubs.1.reply.body.data.address.city: is required: the contract expects the body "
         f"of getOwner 200 here; {FLAG}",
         "9:30: stubs.1.reply.body.data.address.street: must be a string, got 3: the contract "
         f"expects the body of getOwner 200 here; {FLAG}"],
    ),
    "misspelt property": (
        stub("match: {operation: getOwner}", "reply: {status: 404, body: {eror: x, message: y, "
             "status: 404}}"),
        ["4:32: stubs.1.reply.body.error: is required: the contract expects Error here; rename "
         f"'eror', or {FLAG}"],
    ),
    "content type": (
        stub("match: {operation: getOwner}", "reply:", "  status: 404",
             "  headers: {Content-Type: text/json}", "  body: {error: x, message: y, status: 404}"),
        ["6:31: stubs.1.reply.headers.Content-Type: must be application/json, the content type of "
         f"getOwner; {FLAG}"],
    ),
    "json for a picture": (
        stub("match: {operation: getPhoto}", "reply: {status: 200, body: {}}"),
        ["4:32: stubs.1.reply.body: getPhoto responds with image/png; use text, with headers: "
         f"{{Content-Type: image/png}}, or {FLAG}"],
    ),
    "page of one record": (
        stub("match: {operation: getOwner}", "reply: {page: []}"),
        ["4:12: stubs.1.reply: only listMembers, listOwners, listAnimalsOfOwner, listAnimals and "
         "listAppointments respond with a page; add match: {role: list}"],
    ),
    "page": (
        stub("match: {operation: listOwners}", "reply: {page: [{id: 1, email: 3}]}"),
        ["4:35: stubs.1.reply.page.1.email: must be a string, got 3"],
    ),
    "data": (
        "description: d\ndata:\n  owner: []\n  owners:\n    - {id: x, email: 3}\n    - 7\n"
        "    - {id: 1, address: {street: 3}}\n  animals: {count: -1}\n",
        ["5:12: data.owners.1.id: must be an integer, got \"x\"",
         "5:22: data.owners.1.email: must be a string, got 3",
         "6:7: data.owners.2: must be a mapping, got 7",
         "7:33: data.owners.3.address.street: must be a string, got 3",
         "8:20: data.animals.count: must be an integer from 0 to 100000, got -1"],
    ),
    "collection": (
        "description: d\ndata: {owner: []}\n",
        ["2:8: data.owner: unknown collection 'owner'; did you mean 'owners'?"],
    ),
    "path": (
        stub("match: {method: GET, path: /api/owners/3}", "delay: 1s"),
        ["3:32: stubs.1.match.path: 'GET /api/owners/3' matches getOwner, an operation of the "
         "contract; use operation: getOwner"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBLEMS)
def test_what_the_document_does_not_have_is_a_problem_with_its_place(
    run: Run, clinic: Path, name: str
) -> None:
    text, expected = PROBLEMS[name]
    (clinic / "mock/own.yaml").write_text(text)
    status, lines, err = run("check")

    problems = [line for line in lines if line.startswith("mock/own.yaml")]
    assert (status, err) == (1, [])
    assert problems == [f"mock/own.yaml:{each}" for each in expected]
    assert lines[-1].endswith(f"checked: {len(expected)} problem{'s'[: len(expected) > 1]}")


def test_problems_of_several_stubs_and_files_are_reported_at_once(run: Run, clinic: Path) -> None:
    texts = [text for text, _ in PROBLEMS.values() if text.startswith("description: d\nstubs:\n")]
    stubs = "".join(text.partition("stubs:\n")[2] for text in texts[:4])
    (clinic / "mock/one.yaml").write_text(f"description: d\nstubs:\n{stubs}")
    (clinic / "mock/two.yaml").write_text(PROBLEMS["data"][0])
    _, lines, _ = run("check")

    starts = [re.match(r"mock/(\w+)\.yaml:(\d+):", line) for line in lines[:-1]]
    found = [(each[1], int(each[2])) for each in starts if each]
    assert found == [("one", 3), ("one", 5), ("one", 7), ("one", 10)] + [
        ("two", line) for line in (5, 5, 6, 7, 8)
    ]


WARNINGS = {
    "match: {operation: listOwners, query: {citty: Bern}}":
        "44: stubs.1.match.query.citty: 'citty' is not a query parameter of listOwners; did you "
        "mean 'city'?",
    "match: {role: list, query: {citty: Bern}}":
        "33: stubs.1.match.query.citty: 'citty' is not a query parameter of listOwners; did you "
        "mean 'city'?",
    "match: {operation: [createAnimal, createOwner], body: {spceies: dog}}":
        "60: stubs.1.match.body.spceies: 'spceies' is not a property of NewAnimal; did you mean "
        "'species'?",
    "match: {operation: createOwner, body: {wombat: x}}":
        "44: stubs.1.match.body.wombat: no valid request matches, because 'wombat' is not a "
        "property of NewOwner, which allows no others; properties: name, email, phone, address",
    "match: {operation: getOwner, body: {name: x}}":
        "40: stubs.1.match.body: no valid request matches, because getOwner has no JSON body; "
        "remove the condition",
    "match: {operation: listAnimals, query: {species: dgo}}":
        "54: stubs.1.match.query.species: no valid request matches: must be one of dog, cat, "
        "rabbit, parrot, got \"dgo\"; did you mean 'dog'?",
    "match: {operation: getOwner, params: {ownerId: abc}}":
        "52: stubs.1.match.params.ownerId: no valid request matches: must be an integer, got "
        "\"abc\"; change it, or respond with 400 if it is for invalid requests",
    "match: {operation: createOwner, body: {address: {street: A, ctiy: {present: true}}}}":
        "65: stubs.1.match.body.address.ctiy: 'ctiy' is not a property of Address; did you mean "
        "'city'?",
    "match: {operation: createOwner, body: {address: {ctiy: {contains: B, matches: '?*'}}}}":
        "54: stubs.1.match.body.address.ctiy: 'ctiy' is not a property of Address; did you mean "
        "'city'?",
    "match: {operation: createOwner, body: {adress: {city: Bern, street: A}}}":
        "44: stubs.1.match.body.adress: 'adress' is not a property of NewOwner; did you mean "
        "'address'?",
    "match: {operation: createOwner, body: {address: {city: 3}}}":
        "60: stubs.1.match.body.address.city: no valid request matches: must be a string, got 3; "
        "change it, or respond with 400 if it is for invalid requests",
    "match: {operation: createOwner, body: {address: {city: {one_of: [Bern, true]}}}}":
        "76: stubs.1.match.body.address.city.one_of.2: no valid request matches: must be a string, "
        "got true; change it, or respond with 400 if it is for invalid requests",
    "match: {operation: createAnimal, body: {tags: {\"0\": 3}}}":
        "57: stubs.1.match.body.tags.0: no valid request matches: must be a string, got 3; change "
        "it, or respond with 400 if it is for invalid requests",
    "match: {role: list, params: {animalId: 3}}":
        "12: stubs.1.match: no operation matches; change the role, or the names under params",
}  # fmt: skip


@pytest.mark.parametrize("match", WARNINGS)
def test_a_condition_that_no_valid_request_meets_is_a_warning(
    run: Run, clinic: Path, match: str
) -> None:
    (clinic / "mock/own.yaml").write_text(stub(match, "delay: 1s"))
    status, lines, _ = run("check")

    column, _, text = WARNINGS[match].partition(": ")
    assert (status, lines[:-1]) == (0, [f"mock/own.yaml:3:{column}: warning: {text}"])


@pytest.mark.parametrize("text", [
    stub("match: {operation: listOwners, query: {wombat: x}}", "delay: 1s"),
    stub("match: {role: list, query: {status: done}}", "delay: 1s"),
    stub("match: {operation: createAnimal, body: {wombat: x}}", "delay: 1s"),
    stub("match: {body: {name: x}}", "delay: 1s"),
    stub("match: {operation: createOwner, body: {address: {wombat: {a: 1}}}}", "delay: 1s"),
    stub("match: {operation: createOwner, body: {address: {city: 3}}}", "reply: {status: 422}"),
    stub("match: {operation: createAnimal, body: {wombat: {nmae: x}}}", "delay: 1s"),
    stub("match: {method: POST, path: /api/wombats, body: {a: {nmae: x}}}", "delay: 1s"),
    stub("match: {operation: createOwner, body: {email: 3}}", "reply: {error: invalid_request}"),
    stub("match: {operation: createOwner, body: {email: 3}}", "reply: {status: 422}"),
    stub("match: {operation: getOwner}", "reply: {error: unauthorized}"),
    stub("match: {operation: getPhoto}", "reply:", "  status: 200", "  text: x",
         "  headers: {Content-Type: image/png}"),
    stub("match: {operation: getOwner}", "reply: {status: 418}", "off_contract: true"),
    stub("match: {method: GET, path: /api/wombats}", "reply: {status: 418}"),
    "description: d\ndata:\n  owners: [{name: Ada}]\n  animals: 3\n  wombats: []\n"
    "resources: [{path: /api/wombats}]\n",
])  # fmt: skip
def test_what_a_request_or_a_response_may_have_is_valid(run: Run, clinic: Path, text: str) -> None:
    (clinic / "mock/own.yaml").write_text(text)
    status, lines, _ = run("check")

    assert (status, len(lines)) == (0, 1), lines


def test_a_misspelt_property_of_a_record_is_a_warning_or_a_problem(
    run: Run, clinic: Path, tmp_path: Path
) -> None:
    (clinic / "mock/own.yaml").write_text("description: d\ndata: {owners: [{id: 1, nmae: A}]}\n")
    _, lines, _ = run("check")
    assert lines[0] == (
        "mock/own.yaml:2:25: warning: data.owners.1.nmae: 'nmae' is not a property of owners; did "
        "you mean 'name'?"
    )
    document = tmp_path / "shop.yaml"
    closed = "{type: object, required: [id], additionalProperties: false, properties:"
    document.write_text(SHOP.replace("{type: object, required: [id], properties:", closed))
    (clinic / "mock/own.yaml").write_text("description: d\ndata: {things: [{id: 1, ix: 2}]}\n")
    status, lines, _ = run("check", "--contract", document)
    expected = "data.things.1.ix: 'ix' is not a property of things; properties: id"
    assert (status, lines[0]) == (1, f"mock/own.yaml:2:25: {expected}")


# --- Statuses and media types -----------------------------------------------------------------


@pytest.mark.parametrize(("reply", "expected"), [
    ("operation: listThings}, reply: {status: 404}", ""),
    ("operation: listThings}, reply: {error: conflict}", ""),
    ("operation: addThing}, reply: {status: 404}", ""),
    ("operation: addThing}, reply: {status: 200}", ""),
    ("operation: listThings}, reply: {status: 204}",
     "reply.status: status 204 is not in the contract for listThings, which allows 200, 4XX"),
    ("operation: listThings}, reply: {status: 404, body: {why: x}}", ""),
    ("operation: listThings}, reply: {status: 404, body: {wy: x}}",
     "reply.body.why: is required: the contract expects the body of listThings 404 here; rename"),
    ("operation: addThing}, reply: {status: 409, body: {}}",
     "reply.body.why: is required: the contract expects the body of addThing 409 here"),
    ("operation: addThing}, reply: {status: 201, text: made}", ""),
    ("operation: addThing}, reply: {status: 201, body: {}}",
     "reply.body: addThing responds with text/plain; use text, with headers: {Content-Type: text"),
    ("operation: listThings}, reply: {status: 200, body: [{id: x}]}",
     "reply.body.1.id: must be an integer, got \"x\": the contract expects the body of listThings"),
    ("operation: listThings}, reply: {status: 200, headers: {content-type: application/xml}, "
     "body: []}",
     "reply.headers.content-type: must be application/hal+json, the content type of listThings"),
])  # fmt: skip
def test_ranges_and_the_default_are_documented_statuses(
    run: Run, tmp_path: Path, reply: str, expected: str
) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "own.yaml").write_text(f"description: d\nstubs:\n  - {{match: {{{reply}}}\n")
    status, lines, _ = run("check", "own.yaml", "--contract", "shop.yaml")

    assert status == bool(expected)
    if expected:
        assert re.sub(r"own.yaml:3:\d+: stubs.1.", "", lines[0]).startswith(expected)


def test_a_json_body_has_the_documented_content_type(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "own.yaml").write_text(
        stub("match: {operation: listThings}", "reply: {status: 200, body: [{id: 3}]}")
    )
    assert run("check", "own.yaml", "--contract", "shop.yaml")[0] == 0
    (tmp_path / "mock").mkdir()
    (tmp_path / "own.yaml").rename(tmp_path / "mock/own.yaml")
    settings = Settings(
        port=0, contract=("shop.yaml",), scenarios_dir=(Path("mock"),), scenario=("own",)
    )
    with MockpetsServer(settings) as server:
        response = Client(OverSocket(server.url))("GET", "/things")
    assert (response.json, response.header("Content-Type")) == ([{"id": 3}], "application/hal+json")


# --- Where the contracts come from --------------------------------------------------------------

OWN = stub("match: {operation: getOwner}", "reply: {status: 404}")


@pytest.mark.parametrize("how", ["flag", "variable", "file", "config"])
def test_check_knows_the_contracts_of_the_settings(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    assert run("check", "own.yaml")[0] == 1
    words = []
    if how == "flag":
        words = ["--contract", CLINIC]
    elif how == "variable":
        monkeypatch.setenv("MOCKPETS_CONTRACT", str(CLINIC))
    else:
        name = "mockpets.toml" if how == "file" else "other.toml"
        (tmp_path / name).write_text(f"contract = {json.dumps([str(CLINIC)])}\n")
        words = ["--config", name] if how == "config" else []
    status, lines, _ = run("check", "own.yaml", *words)

    assert (status, lines) == (0, ["1 scenario and 0 fixtures checked: 0 problems; 1 stub"])


@pytest.mark.parametrize(("contracts", "own"), [
    (["pet-store"], 1), ([str(CLINIC), "pet-store"], 0), (["/x=" + str(CLINIC)], 0),
])  # fmt: skip
def test_check_knows_several_contracts(
    run: Run, tmp_path: Path, contracts: list[str], own: int
) -> None:
    (tmp_path / "own.yaml").write_text(OWN)
    words = [word for each in contracts for word in ("--contract", each)]

    assert run("check", "own.yaml", *words)[0] == own


@pytest.mark.parametrize("command", ["check", "scenarios", "schema", "new x", "fixture owners"])
@pytest.mark.parametrize(("words", "expected"), [
    (["--contract", "nix.yaml"], "--contract: must be an existing OpenAPI document"),
    (["--contract", "bad.yaml"], "bad.yaml:1:1"),
    (["--corrections", "bad.yaml"], "--corrections: is for one document, and"),
    (["--contract", CLINIC, "--corrections", "bad.yaml"], "bad.yaml:1:1: unknown key 'nix'"),
])  # fmt: skip
def test_an_invalid_document_or_correction_is_reported(
    run: Run, tmp_path: Path, command: str, words: list[str], expected: str
) -> None:
    (tmp_path / "bad.yaml").write_text("nix: 1\n")
    status, out, err = run(*command.split(), *words)

    assert (status, out) == (2, [])
    assert err[0].startswith(f"mockpets: {expected}")
    assert [each.name for each in tmp_path.iterdir()] == ["bad.yaml"]


def test_corrections_change_what_is_valid(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(stub("match: {role: list}", "reply: {page: []}"))
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "fix.yaml").write_text("operations:\n  listThings: {example: true}\n")
    words = ["own.yaml", "--contract", "shop.yaml"]
    assert run("check", *words)[0] == 0
    status, lines, _ = run("check", *words, "--corrections", "fix.yaml")

    assert (status, "no operation is a list" in lines[0]) == (1, True)


# --- Fixtures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "used_by", "expected"), [
    ("owners", "", '1:9: 1.id: must be an integer, got "x"'),
    ("others", "", ""),
    ("others", "data: {owners: others}", "2:16: data.owners: fixture 'others' is invalid:"),
    ("owners", "data: {shops: owners}\nresources: [{path: /api/shops}]", ""),
])  # fmt: skip
def test_a_fixture_is_checked_for_the_collection_of_its_name_or_its_scenario(
    run: Run, clinic: Path, name: str, used_by: str, expected: str
) -> None:
    (clinic / "fixtures").mkdir()
    (clinic / f"fixtures/{name}.json").write_text('[{"id": "x"}]')
    if used_by:
        (clinic / "mock/own.yaml").write_text(f"description: d\n{used_by}\n")
    folders = ["fixtures", *["mock"] * bool(used_by)]
    status, lines, _ = run("check", *folders, "--fixtures-dir", "fixtures")

    assert status == bool(expected)
    if expected:
        assert expected in lines[0]


def test_the_fixtures_of_the_pet_store_are_not_those_of_a_document(run: Run, clinic: Path) -> None:
    (clinic / "mock/own.yaml").write_text("description: d\ndata: {owners: showroom}\n")
    _, lines, _ = run("check")

    assert "unknown fixture 'showroom'; known fixtures: none" in lines[0]
    assert " and 0 fixtures checked" in lines[-1]


def test_fixture_prints_records_of_a_collection(run: Run, clinic: Path) -> None:
    status, out, _ = run("fixture", "owners", "--count", "3")
    assert (
        status,
        [set(each) >= {"id", "name", "email"} for each in json.loads("\n".join(out))],
    ) == (0, [True] * 3)
    (clinic / "owners.json").write_text("\n".join(out))
    assert run("check", "owners.json")[0] == 0


@pytest.mark.parametrize(("words", "expected"), [
    ([], "COLLECTION: this argument is required; collections: members, owners, animals, "
         "appointments, settings"),
    (["ownrs"], "COLLECTION: unknown collection 'ownrs'; did you mean 'owners'?"),
    (["pets"], "COLLECTION: unknown collection 'pets'; collections: members, owners, animals, "
               "appointments, settings"),
])  # fmt: skip
@pytest.mark.usefixtures("clinic")
def test_fixture_rejects_an_unknown_collection(run: Run, words: list[str], expected: str) -> None:
    assert run("fixture", *words) == (2, [], [f"mockpets: {expected}"])


# --- New files, the schema, the kit -------------------------------------------------------------


def test_a_new_file_has_examples_for_the_document(run: Run, clinic: Path) -> None:
    assert run("new", "own")[0] == 0
    text = (clinic / "mock/own.yaml").read_text()
    for number, example in enumerate(examples(text)):
        (clinic / f"mock/own-{number}.yaml").write_text(with_example(text, *example))
    status, lines, _ = run("check", *clinic.glob("mock/own*.yaml"))

    assert len(examples(text)) >= 26
    assert (status, lines[:-1]) == (0, [])
    assert re.findall("(?i)pet[^s]|<|miso|sold", text.replace("mockpets", "")) == []


@pytest.mark.parametrize("paths", ["{}", "{/up: {get: {responses: {'200': {description: ok}}}}}"])
def test_a_new_file_is_valid_for_a_document_without_collections(
    run: Run, tmp_path: Path, paths: str
) -> None:
    (tmp_path / "up.yaml").write_text(
        f"openapi: 3.1.0\ninfo: {{title: Up, version: '1'}}\npaths: {paths}\n"
    )
    status, _, err = run("new", "own", "--contract", "up.yaml")
    if not err:
        status, lines, _ = run("check", "own.yaml", "--contract", "up.yaml")
        assert (status, lines[:-1]) == (0, [])


@pytest.mark.usefixtures("clinic")
def test_the_schema_names_the_parts_of_the_document(run: Run) -> None:
    _, out, _ = run("schema")
    schema = json.loads("\n".join(out))
    check = Draft202012Validator(schema).is_valid

    assert check(
        {"description": "d", "stubs": [{"match": {"operation": "getOwner"}, "delay": "1s"}]}
    )
    assert not check(
        {"description": "d", "stubs": [{"match": {"operation": "getPet"}, "delay": "1s"}]}
    )


@pytest.mark.usefixtures("clinic")
def test_the_kit_has_the_names_of_the_document(run: Run, tmp_path: Path) -> None:
    assert run("kit", "tests", "--playwright")[0] == 0
    types = (tmp_path / "tests/contract.d.ts").read_text()

    assert "    owners: " in types
    assert " pets: " not in types
    assert '"sold-out"' not in (tmp_path / "tests/scenarios.d.ts").read_text()


@pytest.mark.parametrize("text", ["clinic.yaml", "/x=clinic.yaml", "pet-store"])
def test_the_kit_repeats_the_contract(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "clinic.yaml").write_text(CLINIC.read_text())
    run("kit", "tests/kit", "--playwright", "--contract", text)

    assert f"--contract {text}" in (tmp_path / "playwright.config.ts").read_text()
    assert run("kit", "tests/kit", "--check")[0] == 0
    (tmp_path / "clinic.yaml").unlink()
    assert run("kit", "tests/kit", "--check")[0] == (0 if text == "pet-store" else 2)
