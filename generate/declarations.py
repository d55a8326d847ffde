"""Make the generated declarations of the kit: those of the scenarios, and of the control API."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

from generate import CannotGenerateError
from mockpets.contract.pet_store import PET_STORE
from mockpets.kit import declare_scenarios, list_scenarios
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from mockpets.web.control.routes import control_document
from tests.programs import INSTALL_PACKAGES, NODE_MODULES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

KIT: Final = shipped("kit")
_OPTIONS: Final = (
    "--root-types",
    "--root-types-no-schema-prefix",
    "--default-non-nullable=false",  # a property with a default may be missing from a request
    "--empty-objects-unknown",  # so that a reply's `body: {a: 1}` compiles
)
_HEADER: Final = """\
// Generated with openapi-typescript from the OpenAPI document of the control API
// (`mockpets openapi --control`). In a checkout of mockpets, this command writes it again:
// .venv/bin/python -m generate

"""
_UNUSED: Final = r"export type (?:paths|webhooks|\$defs|operations) = Record<string, never>;\n"


def scenarios() -> dict[Path, str]:
    """Return the files with the shipped scenarios."""
    library = load_library((), ())
    listed = library.descriptions()
    return {
        KIT / "scenarios.d.ts": declare_scenarios(
            listed, library.gates(), library.collection_names()
        ),
        KIT / "scenarios.js": list_scenarios(listed),
    }


def control() -> dict[Path, str]:
    """Return the file with the objects that the control API accepts and returns.

    :raise CannotGenerateError: an npm package is missing.
    """
    return {KIT / "control.d.ts": declared(control_document(), PET_STORE.document)}


def declared(control: Mapping[str, Any], contract: Mapping[str, Any]) -> str:
    """Return the declarations of a control API, and of the bodies of a contract's requests.

    :param control: the OpenAPI document of the control API; `contract` is that of the contract.
    :raise CannotGenerateError: an npm package is missing.
    """
    program = shutil.which("openapi-typescript", path=NODE_MODULES / ".bin")
    if program is None:
        raise CannotGenerateError(
            f"openapi-typescript is not installed; to install it: {INSTALL_PACKAGES}"
        )
    document: dict[str, Any] = {**control}
    schemas = {**_bodies(contract), **document["components"]["schemas"]}
    query = [each for each in document["paths"]["/requests"]["get"]["parameters"] if "in" in each]
    filters = {
        "type": "object",
        "description": "The filters of the request log, all of which a request must pass.",
        "properties": {
            each["name"]: {"description": each["description"], **each["schema"]} for each in query
        },
        "additionalProperties": False,
    }
    document["paths"] = {}
    named = sorted({**schemas, "RequestFilters": filters}.items())
    document["components"] = {"schemas": dict(named)}
    generator = subprocess.run(
        [program, *_OPTIONS],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert generator.returncode == 0, generator.stderr
    text = generator.stdout[generator.stdout.index("export ") :]  # after the generator's comment
    return _HEADER + re.sub(_UNUSED, "", text)


def _bodies(contract: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema with the JSON body of each operation that has one, and those it refers to."""
    operations = [each for item in contract["paths"].values() for each in item.values()]
    bodies = {
        each["operationId"]: each["requestBody"]["content"]["application/json"]["schema"]
        for each in operations
        if "requestBody" in each
    }
    schemas: dict[str, Any] = {
        "RequestBodies": {
            "type": "object",
            "description": "The bodies of requests to the contract, by operation.",
            "properties": bodies,
            "required": [*bodies],
        }
    }
    names = _references(bodies)
    while names:
        name = names.pop()
        if name not in schemas:
            schemas[name] = contract["components"]["schemas"][name]
            names += _references(schemas[name])
    return schemas


def _references(node: object) -> list[str]:
    return re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(node))
