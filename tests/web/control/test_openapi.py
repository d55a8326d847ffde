"""The OpenAPI document of the control API is valid and describes the routes as they are.

`test_types` compares it with the requests and responses of a real server.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from mockpets.constants import ERRORS
from mockpets.contract.control_calls import CALLS
from mockpets.contract.pet_store import PET_STORE
from mockpets.web.control.call import VIEWS
from mockpets.web.control.routes import control_document
from tests.http_client import Client

DOCUMENT = control_document()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPEN = {"health", "ready", "openapi", "controlOpenapi", "scenarioSchema", "resetVisitor"}


OPERATIONS = {
    operation["operationId"]: operation
    for item in DOCUMENT["paths"].values()
    for operation in item.values()
}


def test_the_control_document_is_valid_openapi_3_1() -> None:
    validate(DOCUMENT)

    assert DOCUMENT["openapi"] == "3.1.0"


def test_operation_ids_are_the_methods_of_the_python_client_in_camel_case() -> None:
    methods = {name for name in vars(ControlClient) if name[0] != "_"}
    of_the_client = {re.sub(r"_(.)", lambda match: match[1].upper(), name) for name in methods}

    # `request_log` is another form of `requests`, `active` a part of `session`.
    no_calls = {
        *("session", "gate", "data", "activate", "url", "name", "baseUrl", "rootUrl", "bases"),
        *("headers", "close", "requestLog", "active", "mcp"),
    }
    more = {"ready", "openapi", "controlOpenapi", "scenarioSchema", "resetVisitor", "setClock"}
    assert OPERATIONS.keys() == (of_the_client - no_calls) | more


def test_every_call_has_the_view_of_its_name() -> None:
    assert {call: view.__name__ for call, view in VIEWS.items()} == {
        call: name for name, call in CALLS.items()
    }


def test_every_operation_has_a_summary_a_description_and_a_known_tag() -> None:
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    for name, operation in OPERATIONS.items():
        assert operation["summary"] and operation["summary"][-1] != ".", name
        assert operation["description"].startswith(operation["summary"]), name
        assert ":raise" not in operation["description"] and "``" not in operation["description"]
    assert {tag for each in OPERATIONS.values() for tag in each["tags"]} == tags


def test_only_calls_without_secrets_need_no_token() -> None:
    """On loopback no call needs one, so the token is optional."""
    assert DOCUMENT["security"] == [{}, {"bearerAuth": []}]
    assert {name for name, each in OPERATIONS.items() if "security" in each} == OPEN


def test_bodies_reject_unknown_properties_and_responses_may_have_more() -> None:
    bodies = {
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].split("/")[-1]
        for operation in OPERATIONS.values()
        if "requestBody" in operation
    }
    closed = {name for name, each in SCHEMAS.items() if each.get("additionalProperties") is False}

    assert bodies == {
        *("ScenarioSelection", "SessionContents", "ClockChange", "RecordsSource", "SessionExport"),
        *("Verification", "RequestToExplain", "GateWait", "Release"),
        "UserSelection",
        *("ScenarioDocument", "DataRecord"),
    }
    assert closed >= (bodies - {"RecordsSource", "DataRecord"}) | {
        *("ScenarioDocument", "Stub", "Match", "VerificationMatch", "PetInput", "Times")
    }
    assert closed.isdisjoint({"State", "Pet", "RequestSummary", "SessionSummary", "Error"})


def test_named_enumerations_are_components_and_listed_once() -> None:
    named = {name for name, each in SCHEMAS.items() if "enum" in each}

    assert named == {
        *("Change", "ErrorCode", "Fault", "NoteCode", "Operation", "PetStatus", "Repeat"),
        *("Removal", "RequestOutcome", "Responder", "Role", "ScenarioGroup", "StubResult"),
        "WaitKind",
    }
    assert SCHEMAS["ErrorCode"]["enum"] == [*ERRORS, "pet_not_found"]
    assert json.dumps(DOCUMENT).count('["available", "pending", "sold"]') == 1


def test_the_pet_is_that_of_the_contract() -> None:
    pets = PET_STORE.document["components"]["schemas"]

    assert {name: SCHEMAS[name] for name in ("Pet", "PetStatus")} == {
        name: pets[name] for name in ("Pet", "PetStatus")
    }


def test_conditional_headers_are_documented() -> None:
    parameters = DOCUMENT["paths"]["/scenarios/{name}"]["put"]["parameters"]
    assert {each["name"] for each in parameters if each.get("in") == "header"} == {
        "If-Match",
        "If-None-Match",
    }


@pytest.mark.parametrize("settings", [{}, {"control": "off"}, {"public": True}])
@pytest.mark.parametrize("base", ["", "/~w1"])
def test_the_control_document_is_served_without_a_token(
    fresh: Callable[..., Client], settings: dict[str, Any], base: str
) -> None:
    response = fresh(**settings)("GET", f"{base}/__mockpets/control.openapi.json", key=None)

    assert response.status == 200
    assert [server["url"] for server in response.json["servers"]] == [f"{base}/__mockpets"]
    assert {**response.json, "servers": DOCUMENT["servers"]} == DOCUMENT


HOOKS = """
import schemathesis

@schemathesis.hook
def map_body(context, body):
    waits = isinstance(body, dict) and ("within" in body or "/wait" in context.operation.path)
    return {**body, "within": "50ms"} if waits else body
"""
"""Schemathesis waits ten seconds for a response, and a call up to thirty, if its body says so."""


@pytest.mark.long
def test_a_running_control_api_agrees_with_its_document(tmp_path: Path) -> None:
    """Schemathesis sends what the document allows, and compares the responses with it."""
    checks = (
        "not_a_server_error",
        *("status_code_conformance", "content_type_conformance", "response_schema_conformance"),
    )
    (tmp_path / "hooks.py").write_text(HOOKS, encoding="utf-8")
    with MockpetsServer(Settings(port=0)) as server:
        url = server.url.removesuffix("/v1") + "/__mockpets/control.openapi.json"
        run = subprocess.run(
            [
                *(sys.executable, "-m", "schemathesis.cli", "run", url),
                *("--phases", "fuzzing", "--mode", "positive", "--max-examples=20"),
                *("--checks", ",".join(checks)),
                *("--no-color", "--generation-database", ":memory:"),
            ],
            cwd=tmp_path,
            env={**os.environ, "SCHEMATHESIS_HOOKS": "hooks"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    assert run.returncode == 0, run.stdout[-5000:] + run.stderr[-2000:]
    # Schemathesis skips the call that returns the document itself.
    assert f"Tested: {len(OPERATIONS) - 1}" in run.stdout
