"""Make the generated declarations of the kit: those of the scenarios, and of the control API."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

from generate import CannotGenerateError
from mockpets.kit import declare_contract, declare_scenarios, known_of, list_scenarios
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
_CONTENTS: Final = {
    "ScenarioDocument": "data",
    "SessionContents": "data",
    "SessionExport": "starts",
}
_OF_THE_PET_STORE: Final = ("Pet", "PetInput", "PetStatus", "PetsContent")
_UNUSED: Final = r"export type (?:paths|webhooks|\$defs|operations) = Record<string, never>;\n"


def scenarios() -> dict[Path, str]:
    """Return the files with the shipped scenarios."""
    known = known_of(load_library((), ()))
    return {
        KIT / "scenarios.d.ts": declare_scenarios(known),
        KIT / "scenarios.js": list_scenarios(known),
        KIT / "contract.d.ts": declare_contract(known),
    }


def control() -> dict[Path, str]:
    """Return the file with the objects that the control API accepts and returns.

    :raise CannotGenerateError: an npm package is missing.
    """
    return {KIT / "control.d.ts": declared(control_document())}


def declared(control: Mapping[str, Any]) -> str:
    """Return the declarations of the OpenAPI document of a control API, for any contract.

    :raise CannotGenerateError: an npm package is missing.
    """
    program = shutil.which("openapi-typescript", path=NODE_MODULES / ".bin")
    if program is None:
        raise CannotGenerateError(
            f"openapi-typescript is not installed; to install it: {INSTALL_PACKAGES}"
        )
    document: dict[str, Any] = {**control}
    schemas = _of_any_contract(document["components"]["schemas"])
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


def _of_any_contract(schemas: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas without what is of one contract: `contract.d.ts` has that."""
    result: dict[str, Any] = json.loads(json.dumps(schemas))
    names = {"type": "string"}
    records = {"type": "array", "items": {"type": "object", "additionalProperties": True}}
    result["Operation"] = {"description": "The name of an operation.", **names}
    result["ErrorReply"]["properties"]["error"] = {
        "description": "The error code, which sets the status.",
        **names,
    }
    result["PageReply"]["properties"]["page"] = {
        "description": "Records, or the name of a fixture; the query of the request applies.",
        "anyOf": [names, records],
    }
    for name, part in _CONTENTS.items():
        del result[name]["properties"][part]["properties"]["pets"]
    for name in _OF_THE_PET_STORE:
        del result[name]
    return result
