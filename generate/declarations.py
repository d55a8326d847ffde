"""The generated declarations of the kit: run this module to write them again.

``.venv/bin/python -m generate.declarations`` writes ``control.d.ts``, ``scenarios.d.ts`` and
``scenarios.js`` into ``kit/``, and ``tests/kit/test_declarations.py`` compares them.
"""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any, Final

from mockpets.kit import declare_scenarios, list_scenarios
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from mockpets.web.control.routes import control_document
from tests.programs import need

_OPTIONS: Final = (
    "--root-types",
    "--root-types-no-schema-prefix",
    "--default-non-nullable=false",  # a property with a default may be missing from a request
    "--empty-objects-unknown",  # so that a reply's `body: {a: 1}` compiles
)
_HEADER: Final = """\
// Generated with openapi-typescript from the OpenAPI document of the control API
// (`mockpets openapi --control`). In a checkout of mockpets, this command writes it again:
// .venv/bin/python -m generate.declarations

"""
_UNUSED: Final = r"export type (?:paths|webhooks|\$defs|operations) = Record<string, never>;\n"


def scenarios() -> dict[str, str]:
    """Return the files with the shipped scenarios, by name."""
    library = load_library((), ())
    listed = library.descriptions()
    return {
        "scenarios.d.ts": declare_scenarios(listed, library.gates(), library.resource_names()),
        "scenarios.js": list_scenarios(listed),
    }


def control() -> str:
    """Return the declarations of the objects that the control API accepts and returns."""
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
        [need("openapi-typescript"), *_OPTIONS],
        input=json.dumps(document),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert generator.returncode == 0, generator.stderr
    text = generator.stdout[generator.stdout.index("export ") :]  # after the generator's comment
    return _HEADER + re.sub(_UNUSED, "", text)


if __name__ == "__main__":
    for name, content in {"control.d.ts": control(), **scenarios()}.items():
        (shipped("kit") / name).write_text(content, "utf-8")
