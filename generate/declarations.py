"""Make the generated declarations of the kit: those of the scenarios, and of the control API."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, Final

from generate import CannotGenerateError
from mockpets.kit import declare_scenarios, list_scenarios
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from mockpets.web.control.routes import control_document
from tests.programs import INSTALL_PACKAGES, NODE_MODULES

if TYPE_CHECKING:
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
    program = shutil.which("openapi-typescript", path=NODE_MODULES / ".bin")
    if program is None:
        raise CannotGenerateError(
            f"openapi-typescript is not installed; to install it: {INSTALL_PACKAGES}"
        )
    document: dict[str, Any] = {**control_document()}
    schemas = document["components"]["schemas"]
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
    return {KIT / "control.d.ts": _HEADER + re.sub(_UNUSED, "", text)}
