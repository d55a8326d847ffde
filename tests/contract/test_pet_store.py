"""A property, a filter or an operation that is added to pet-store.yaml alone works everywhere."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import mockpets
from generate import compiled_contract
from mockpets.constants import API_PREFIX, INT64_MAX
from mockpets.contract.error_messages import INVALID_KEY
from mockpets.contract.fields import INT64 as INT64_TYPE
from mockpets.contract.fields import Integer
from mockpets.contract.pet_store import PET_STORE

PACKAGE = Path(mockpets.__file__).parent

COLOR = (
    (
        "          examples: [available]\n      required: [categoryId, name]\n",
        "          examples: [available]\n"
        "        color: &color {type: string, description: Its color., examples: [black]}\n"
        "      required: [categoryId, name]\n",
    ),
    ("        status: *status\n", "        status: *status\n        color: *color\n"),
)
FILTER = (
    (
        "        - in: query\n          name: status\n",
        "        - in: query\n          name: categoryId\n"
        "          schema: {type: integer, format: int64}\n"
        "        - in: query\n          name: status\n",
    ),
    ("      filters: [status]\n", "      filters: [status, categoryId]\n"),
)
_WRITES = """\
    {method}:
      operationId: {name}
      summary: {name}
      parameters: [{{in: path, name: petId, required: true, schema: {{type: integer}}}}]
{body}      responses:
        "{status}": {{description: Done.{content}}}
        "400": {{description: Invalid.}}
        "404": {{description: No such animal.}}
        default: *other
"""
_PET = ", content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}"
_BODY = """\
      requestBody:
        content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}
"""


def _operation(method: str, name: str, status: int, body: str, content: str) -> str:
    return _WRITES.format(method=method, name=name, status=status, body=body, content=content)


OPERATIONS = (
    (
        "          headers: *removal\n        default: *other\n",
        "          headers: *removal\n        default: *other\n"
        + _operation("put", "replacePet", 200, _BODY, _PET)
        + _operation("patch", "updatePet", 200, "", _PET)
        + _operation("delete", "deletePet", 204, "", ""),
    ),
    (
        "    createPet: {create: pets}\n",
        "    createPet: {create: pets}\n    replacePet: {replace: pets}\n"
        "    updatePet: {update: pets}\n    deletePet: {delete: pets}\n",
    ),
)
SETUP = """
import json, pathlib
from werkzeug.test import Client
from mockpets import Settings, create_app
from mockpets.contract.pet_store import PET_STORE
from mockpets.kit_files import Known, declare_contract
PETS = PET_STORE.collections["pets"]
from mockpets.records.table import dumped, make_table
from mockpets.scenario.language.loader import load_fixture, scenario_schema
from mockpets.storage.persistence import persist_sessions
from mockpets.web.control.routes import control_document

client = Client(create_app(Settings(data=("pets=0",))))

def call(method, path, body=None):
    got = client.open(
        path,
        method=method,
        headers={"Authorization": "Bearer mockpets"},
        base_url="http://localhost:7387",
        environ_base={"REMOTE_ADDR": "127.0.0.1"},
        json=body,
    )
    return [got.status_code, got.get_json(silent=True)]

def restored(pets):
    for before in (pets, None):
        sessions = create_app(Settings(data=("pets=0",))).extensions["mockpets"].sessions
        with persist_sessions("state", sessions):
            session = sessions.default
            store = session.store(session.stack(session.active), PETS)
            if before:
                store.replace(make_table(PETS, dumped(PETS, before)))
    return store
"""

PROPERTY = """
pets = [{"id": 1, "name": "a", "categoryId": 1, "color": "red"}]
pathlib.Path("pets.json").write_text(json.dumps(pets))
store = restored(pets)
scenario = {"description": "x", "data": {"pets": pets}, "stubs": []}
print(json.dumps({
    "create": call("POST", "/v1/pets", {"color": "red", "name": "a", "categoryId": 1}),
    "list": call("GET", "/v1/pets"),
    "get": call("GET", "/v1/pets/1"),
    "wrong": call("POST", "/v1/pets", {"color": 7, "name": "a", "categoryId": 1})[1]["message"],
    "change": call("PATCH", "/__mockpets/data/pets/1", {"color": "blue"}),
    "removed": call("PATCH", "/__mockpets/data/pets/1", {"color": None}),
    "put": call("PUT", "/__mockpets/data/pets", pets),
    "control": call("GET", "/__mockpets/data/pets")[1]["records"],
    "scenario": [
        call("PUT", "/__mockpets/scenario", {"scenario": scenario})[0],
        call("GET", "/v1/pets")[1],
    ],
    "fixture": [*map(json.loads, load_fixture(pathlib.Path("pets.json"), "f", PETS))],
    "state": json.loads(store.page(10)),
    "notes": [note for row in call("GET", "/__mockpets/requests")[1]["requests"]
              for note in row["notes"] if note["code"].startswith("ignored")],
    "openapi": PET_STORE.document["components"]["schemas"]["Pet"]["properties"]["color"],
    "schema": "color" in json.dumps(scenario_schema()),
}))
"""


LISTS = """
for status, category in (("sold", 1), ("sold", 2), ("pending", 2), ("available", 2)):
    call("POST", "/v1/pets", {"name": "a", "categoryId": category, "status": status})

def ids(query):
    got = call("GET", "/v1/pets?" + query)
    return [pet["id"] for pet in got[1]] if got[0] == 200 else got[1]["message"]

queries = ("categoryId=2", "categoryId=2&status=sold", "limit=1&categoryId=2", "categoryId=9")
print(json.dumps({
    **{query: ids(query) for query in (*queries, "categoryId=x")},
    "filters": list(PETS.filters),
    "notes": [note for row in call("GET", "/__mockpets/requests")[1]["requests"]
              for note in row["notes"] if note["code"] == "ignored_query"],
}))
"""
WRITES = """
call("POST", "/v1/pets", {"name": "a", "categoryId": 1, "status": "sold"})
scenario = {"description": "x", "stubs": [
    {"match": {"operation": "deletePet"}, "reply": {"status": 204}, "times": 1}]}
print(json.dumps({
    "replaced": call("PUT", "/v1/pets/1", {"name": "b", "categoryId": 2}),
    "wrong": call("PUT", "/v1/pets/1", {"name": 7})[1]["message"],
    "updated": call("PATCH", "/v1/pets/1?dry=1", {"status": "pending"}),
    "unknown": call("PATCH", "/v1/pets/1", {"colour": 1})[1]["message"],
    "missing": [call(method, "/v1/pets/9", {"name": "b", "categoryId": 2})[1]["code"]
                for method in ("PUT", "PATCH", "DELETE")],
    "method": call("POST", "/v1/pets/1")[1]["message"],
    "scenario": call("PUT", "/__mockpets/scenario", {"scenario": scenario})[0],
    "stub": [call("DELETE", "/v1/pets/1")[0], call("GET", "/v1/pets/1")[0]],
    "deleted": [call("DELETE", "/v1/pets/1?force=1"), call("GET", "/v1/pets/1")[0]],
    "ignored": [note["text"] for row in call("GET", "/__mockpets/requests")[1]["requests"]
                for note in row["notes"] if note["code"] == "ignored_query"],
    "log": [row["operation"] for row in call("GET", "/__mockpets/requests")[1]["requests"]],
    "labels": [note for row in call("GET", "/__mockpets/requests")[1]["requests"]
               for note in row["notes"] if note["code"] == "off_contract"],
    "types": control_document()["components"]["schemas"]["Operation"]["enum"],
}))
"""


TYPES = """
print(json.dumps({"types": declare_contract(Known({}))}))
"""


def changed(folder: Path, edits: Iterable[tuple[str, str]], script: str) -> dict[str, Any]:
    """Run a script with a copy of mockpets in which the document of the contract is changed."""
    shutil.copytree(PACKAGE, folder / "mockpets")  # with its bytecode: compiling takes a second
    for kind in ("scenarios", "fixtures"):
        if not (PACKAGE / "_shipped").is_dir():
            shutil.copytree(PACKAGE.parent / kind, folder / kind)
    text = (PACKAGE / "contract" / "pet-store.yaml").read_text(encoding="utf-8")
    for before, after in edits:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    (folder / "mockpets" / "contract" / "pet-store.yaml").write_text(text, encoding="utf-8")
    compiled = folder / "mockpets" / "contract" / "compiled.py"
    compiled.write_text(compiled_contract.module(text), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", SETUP + script],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    result: dict[str, Any] = json.loads(run.stdout)
    return result


def test_a_new_property_works_everywhere(tmp_path: Path) -> None:
    result = changed(tmp_path, COLOR, PROPERTY)
    red = {"id": 1, "name": "a", "categoryId": 1, "color": "red"}

    assert result["create"] == [201, red]
    assert result["list"] == [200, [red]]
    assert result["get"] == [200, red]
    assert result["wrong"] == "color must be a string of Unicode text, got 7"
    assert result["change"] == [200, red | {"color": "blue"}]
    assert result["removed"] == [200, {"id": 1, "name": "a", "categoryId": 1}]
    assert result["put"] == [200, {"total": 1}]
    assert result["control"] == result["fixture"] == result["state"] == [red]
    assert result["scenario"] == [200, [red]]
    assert result["notes"] == []
    assert result["openapi"] == {
        "type": "string",
        "description": "Its color.",
        "examples": ["black"],
    }
    assert result["schema"]


@pytest.mark.slow
def test_a_second_filter_needs_only_the_document(tmp_path: Path) -> None:
    result = changed(tmp_path, FILTER, LISTS)

    assert result["filters"] == ["status", "categoryId"]
    assert result["categoryId=2"] == [2, 3, 4]
    assert result["categoryId=2&status=sold"] == [2]
    assert result["limit=1&categoryId=2"] == [2]
    assert result["categoryId=9"] == []
    assert result["categoryId=x"] == 'categoryId must be an integer, got "x"'
    assert result["notes"] == []


@pytest.mark.slow
def test_an_operation_with_a_role_needs_only_the_document(tmp_path: Path) -> None:
    result = changed(tmp_path, OPERATIONS, WRITES)

    assert result["replaced"] == [200, {"id": 1, "name": "b", "categoryId": 2}]
    assert result["wrong"].startswith("name must be a string of Unicode text, got 7; categoryId is")
    assert result["updated"] == [200, {"id": 1, "name": "b", "categoryId": 2, "status": "pending"}]
    assert result["unknown"].startswith("the body must be an object with at least one of name,")
    assert result["missing"] == ["pet_not_found"] * 3
    assert result["method"].endswith("allowed: GET, HEAD, DELETE, PATCH, PUT, OPTIONS")
    assert (result["scenario"], result["stub"]) == (200, [204, 200])
    assert result["deleted"] == [[204, None], 404]
    assert result["ignored"] == [f"ignored parameters: '{name}'" for name in ("dry", "force")]
    assert {"replacePet", "updatePet", "deletePet"} < set(result["log"])
    assert result["labels"] == []
    assert result["types"][-3:] == ["replacePet", "updatePet", "deletePet"]


@pytest.mark.slow
def test_the_types_of_the_kit_follow_the_document(tmp_path: Path) -> None:
    text = changed(tmp_path, (*COLOR, *OPERATIONS), TYPES)["types"]
    operations = ("listPets", "createPet", "getPet", "replacePet", "updatePet", "deletePet")

    assert re.findall(r"(?m)^    (\w+): {$", text) == [*operations]
    bodies = re.findall(r"(?m)^    (\w+): {$|requestBody\??: (.*)", text)
    with_body = [name for (name, _), (_, body) in pairwise(bodies) if "NewPet" in body]
    assert with_body == ["createPet", "replacePet"]
    assert len(re.findall(r"(?m)^  (?:New)?Pet: {[^}]*color\?: string", text)) == 2


def test_a_pet_is_the_same_after_loading_and_dumping() -> None:
    schema = PET_STORE.schemas["Pet"]
    full = {name: field.metadata["examples"][0] for name, field in schema.fields.items()}
    backwards = dict(reversed(full.items()))

    assert schema.dump(schema.load(backwards)) == json.dumps(full, separators=(",", ":")).encode()
    assert list(schema.load(backwards)) == list(full)
    assert schema.load({**full, "more": 1}) == full
    assert str(schema.load({**full, "id": 1.0})["id"]) == "1"
    wrong = {**full, "name": 7, "id": None}
    assert [path for path, _ in schema.problems(wrong)] == [("id",), ("name",)]


@pytest.mark.parametrize(("text", "is_integer"), [
    *((text, True) for text in ("2", "-7", "337.0", "1e2", str(INT64_MAX))),
    *((text, False) for text in ("", "two", "2.5", "+2", " 2", "02", "0x2", "٣", "true", '"2"')),
    *((text, False) for text in (str(INT64_MAX + 1), "1e999999", "-" * 9, "2,3", "NaN", '"2"')),
])  # fmt: skip
def test_quotes_around_an_integer_as_in_json_are_the_problem(text: str, is_integer: bool) -> None:
    assert Integer(INT64_TYPE).problem(text).endswith("; remove the quotes") == is_integer


def test_what_the_program_knows_without_the_document_is_the_same_there() -> None:
    assert PET_STORE.base == API_PREFIX
    assert PET_STORE.failures["unauthorized"].message == INVALID_KEY
