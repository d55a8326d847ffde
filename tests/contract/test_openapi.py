"""The OpenAPI document is valid, agrees with the contract, and describes the server."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from mockpets import MockpetsServer, Settings
from mockpets.contract.pet_store import PET_STORE
from mockpets.limits import USUAL
from tests.http_client import Client

DOCUMENT = PET_STORE.document
ROOT = str(Path(__file__).parents[2])


def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, item in DOCUMENT["paths"].items()
        for method, operation in item.items()
    }


def test_the_document_is_valid_openapi_3_1() -> None:
    validate(DOCUMENT)

    assert DOCUMENT["openapi"] == "3.1.0"


def test_the_document_has_exactly_the_operations_of_the_contract() -> None:
    listed = {name: (method, "/v1" + path) for name, (method, path, _) in operations().items()}

    assert listed == {n: (e.method, e.path) for n, e in PET_STORE.operations.items()}


def test_statuses_outside_the_contract_are_marked() -> None:
    for name, (_, _, operation) in operations().items():
        listed = {
            int(status)
            for status, response in operation["responses"].items()
            if status != "default" and not response.get("x-off-contract")
        }
        assert listed == set(PET_STORE.operations[name].statuses)


def test_every_other_status_has_an_error_body() -> None:
    for _, _, operation in operations().values():
        [media] = operation["responses"]["default"]["content"].values()
        assert media["schema"] == {"$ref": "#/components/schemas/Error"}


def test_the_schemas_have_the_names_of_the_contract() -> None:
    status = {"$ref": "#/components/schemas/PetStatus"}
    schemas = DOCUMENT["components"]["schemas"]

    assert set(schemas) == {"PetStatus", "NewPet", "Pet", "Pets", "Error"}
    assert schemas["PetStatus"]["enum"] == ["available", "pending", "sold"]
    assert json.dumps(DOCUMENT).count('"enum"') == 1
    for name in ("NewPet", "Pet"):
        assert schemas[name]["properties"]["status"].items() >= status.items()
    _, _, listed = operations()["listPets"]
    assert [each["schema"] for each in listed["parameters"] if each["name"] == "status"] == [status]
    page = listed["responses"]["200"]["content"]["application/json"]["schema"]
    assert page == {"$ref": "#/components/schemas/Pets"}
    assert schemas["Pets"]["items"] == {"$ref": "#/components/schemas/Pet"}


def test_integers_have_no_bounds_that_javascript_rounds() -> None:
    numbers = re.findall(r"\d{16,}", json.dumps(DOCUMENT))

    assert numbers == []
    assert json.dumps(DOCUMENT).count('"format": "int64"') == 4


def test_examples_are_named_and_no_deprecated_keyword_is_used() -> None:
    """OpenAPI 3.1 deprecates `example` in schemas."""
    assert '"example"' not in json.dumps(DOCUMENT)


def test_license_and_contact_say_that_they_are_not_those_of_the_service() -> None:
    info = DOCUMENT["info"]

    assert (info["license"]["identifier"], "mockpets" in info["license"]["name"]) == ("MIT", True)
    assert "mockpets" in info["contact"]["name"]


@pytest.mark.parametrize("base", ["", "/~w1", "/~w1+empty"])
def test_the_server_is_the_one_of_the_session(call: Client, base: str) -> None:
    document = call("GET", f"{base}/__mockpets/openapi.json", key=None).json

    assert [server["url"] for server in document["servers"]] == [f"{base}/v1"]
    assert {**document, "servers": None} == {**DOCUMENT, "servers": None}


def test_schemas_agree_with_the_contract() -> None:
    schemas = DOCUMENT["components"]["schemas"]

    assert sorted(schemas["NewPet"]["required"]) == ["categoryId", "name"]
    assert sorted(schemas["Pet"]["required"]) == ["categoryId", "id", "name"]
    assert sorted(schemas["Error"]["required"]) == ["code", "message", "status"]
    assert schemas["Pet"]["properties"]["id"]["format"] == "int64"


def test_examples_are_valid() -> None:
    count = 0
    for _, _, operation in operations().values():
        bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
        for body in bodies:
            for media in body.get("content", {}).values():
                schema = {**media["schema"], "components": DOCUMENT["components"]}
                for example in media["examples"].values():
                    Draft202012Validator(schema).validate(example["value"])
                    count += 1

    assert count >= 10


def test_the_examples_of_errors_are_what_the_server_sends(
    call: Client, fresh: Callable[..., Client]
) -> None:
    new: Any = {"categoryId": 1}
    sent = {
        ("listPets", "400"): call("GET", "/v1/pets?limit=0"),
        ("listPets", "401"): call("GET", "/v1/pets", key=None),
        ("createPet", "400"): call("POST", "/v1/pets", json_body=new),
        ("createPet", "401"): call("POST", "/v1/pets", json_body=new, key=None),
        ("createPet", "413"): call("POST", "/v1/pets", body=b" " * 65_537),
        ("getPet", "401"): call("GET", "/v1/pets/404", key=None),
        ("getPet", "404"): call("GET", "/v1/pets/404"),
    }
    examples = {
        (name, status): example["value"]
        for name, (_, _, operation) in operations().items()
        for status, response in operation["responses"].items()
        if "400" <= status < "default"
        for example in response["content"]["application/json"]["examples"].values()
    }
    full = fresh(max_records=1)
    for _ in range(2):
        last = full("POST", "/v1/pets", json_body={"name": "Miso", "categoryId": 1})
    message = examples.pop(("createPet", "507"))["message"]

    assert last.json["message"] == message.replace(f"most {USUAL.records}", "most 1")
    assert {key: response.json for key, response in sent.items()} == examples


def test_the_reference_page_has_every_operation_and_the_target_of_the_link(call: Client) -> None:
    link = call("GET", "/v1/pets/1").header("Link") or ""
    [path] = re.findall(r'<([^>]*)>; rel="deprecation"', link)
    response = call("GET", path, key=None)

    assert response.status == 200
    assert response.header("Content-Type") == "text/html; charset=utf-8"
    assert "default-src 'none'" in (response.header("Content-Security-Policy") or "")
    page = response.body.decode()
    for operation in PET_STORE.operations.values():
        assert f'id="{operation.name}"' in page
        assert f"{operation.method} {operation.path}" in page
    assert 'id="deprecation"' in page
    assert "Thu, 05 Dec 2030 00:00:00 GMT" in page
    assert not re.search(r"(?:src|href)=\"?(?:https?:)?//", page)


# --- Schemathesis: the document against the running server ------------------------------------


@pytest.mark.long
def test_the_server_agrees_with_the_document(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "schemathesis.cli", "run"]
    options = [
        *("--header", "Authorization: Bearer mockpets"),
        *("--phases", "examples,coverage,fuzzing,stateful"),
        *("--checks", "all", "--mode", "all", "--max-examples=200"),
        *("--no-color", "--generation-database", ":memory:"),
    ]
    with MockpetsServer(Settings(port=0)) as server:
        document_url = server.url.removesuffix("/v1") + "/__mockpets/openapi.json"
        run = subprocess.run(
            [*command, document_url, *options],
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "tests.contract.int64", "PYTHONPATH": ROOT},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    assert "Tested: 3" in run.stdout
