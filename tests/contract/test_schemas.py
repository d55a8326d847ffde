"""A property added in ``contract/schemas.py`` works everywhere."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import mockpets
from mockpets.constants import INT64_MAX, INT64_MIN
from mockpets.contract.fields import Int64
from mockpets.contract.schemas import NEW_PET_FIELDS, PET_FIELDS, NewPet, Pet
from mockpets.contract.serialization import InvalidPetError, dump_pet, load_pet

INT64 = f"must be an integer from {INT64_MIN} to {INT64_MAX}"
PACKAGE = Path(mockpets.__file__).parent

COLOR = (
    '}\n"""NewPet: the body of createPet',
    '    "color": Text("Its color.", "black"),\n}\n"""NewPet: the body of createPet',
)
SETUP = """
import json, pathlib
from werkzeug.test import Client
from mockpets import Settings, create_app
from mockpets.contract.openapi import document
from mockpets.contract.collections import PETS
from mockpets.records.table import dumped, make_table
from mockpets.scenario.language.loader import load_fixture, scenario_schema
from mockpets.storage.persistence import persist_sessions

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
    return [got.status_code, got.get_json()]

def restored(pets):
    for before in (pets, None):
        sessions = create_app(Settings(data=("pets=0",))).extensions["mockpets"].sessions
        with persist_sessions("state", sessions):
            session = sessions.default
            store = session.store(session.stack(session.active))
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
    "fixture": [*map(json.loads, load_fixture(pathlib.Path("pets.json"), "f", "pets"))],
    "state": json.loads(store.page(10)),
    "notes": [note for row in call("GET", "/__mockpets/requests")[1]["requests"]
              for note in row["notes"] if note["code"].startswith("ignored")],
    "openapi": document()["components"]["schemas"]["Pet"]["properties"]["color"],
    "schema": "color" in json.dumps(scenario_schema()),
}))
"""


def changed(folder: Path, edit: tuple[str, str], script: str) -> dict[str, Any]:
    """Run a script with a copy of mockpets in which one place of one file is changed."""
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "mockpets", ignore=skip)
    for kind in ("scenarios", "fixtures"):
        if not (PACKAGE / "_shipped").is_dir():
            shutil.copytree(PACKAGE.parent / kind, folder / kind)
    schemas = folder / "mockpets" / "contract" / "schemas.py"
    text = schemas.read_text(encoding="utf-8")
    assert text.count(edit[0]) == 1
    schemas.write_text(text.replace(*edit), encoding="utf-8")
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


@pytest.mark.parametrize(("kind", "fields"), [(NewPet, NEW_PET_FIELDS), (Pet, PET_FIELDS)])
def test_types_and_schemas_have_the_same_properties(kind: Any, fields: dict[str, Any]) -> None:
    assert set(kind.__annotations__) == set(fields)
    assert {
        name for name, each in kind.__annotations__.items() if "NotRequired" not in str(each)
    } == {name for name, each in fields.items() if each.required}


def test_a_pet_is_the_same_after_loading_and_dumping() -> None:
    full = {name: field.metadata["examples"][0] for name, field in PET_FIELDS.items()}
    backwards = dict(reversed(full.items()))

    assert dump_pet(load_pet(backwards)) == json.dumps(full, separators=(",", ":")).encode()
    assert list(load_pet(backwards)) == list(full) == ["id", *NEW_PET_FIELDS]
    assert load_pet({**full, "more": 1}) == full
    assert str(load_pet({**full, "id": 1.0})["id"]) == "1"
    with pytest.raises(InvalidPetError) as caught:
        load_pet({**full, "name": 7, "id": None})
    assert [path for path, _ in caught.value.problems] == [("id",), ("name",)]


@pytest.mark.parametrize(("text", "is_integer"), [
    *((text, True) for text in ("2", "-7", "337.0", "1e2", str(INT64_MAX))),
    *((text, False) for text in ("", "two", "2.5", "+2", " 2", "02", "0x2", "٣", "true", '"2"')),
    *((text, False) for text in (str(INT64_MAX + 1), "1e999999", "-" * 9, "2,3", "NaN", '"2"')),
])  # fmt: skip
def test_quotes_around_an_integer_as_in_json_are_the_problem(text: str, is_integer: bool) -> None:
    assert Int64("").problem(text).endswith("; remove the quotes") == is_integer
