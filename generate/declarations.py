"""Make the declarations of the kit: of scenarios, of the control API, and of its modules."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, get_args

from generate import ROOT, CannotGenerateError
from generate.npm_programs import npm_program
from mockpets.constants import NEEDS, PROTOCOL, VERSION, Change
from mockpets.errors import invalid
from mockpets.kit_files import declare_contract, declare_scenarios, known_of, list_scenarios
from mockpets.packaged_data import shipped
from mockpets.scenario.library import load_library
from mockpets.web.control.routes import control_document
from tests.programs import NODE_MODULES

if TYPE_CHECKING:
    from collections.abc import Mapping

KIT: Final = shipped("kit")
MODULES: Final = (
    *("client", "connection", "cypress", "playwright", "server", "ssr", "states"),
    *("states-reporter", "storybook", "vitest"),
)
"""The modules whose declarations come from their JSDoc."""
_CHECKED: Final = ("toolbar/main",)
"""What is only compiled, with all that it imports."""
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
_EMIT: Final = (
    *("--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--noEmitOnError"),
    *("--outDir", "out", "--pretty", "false"),
)
_MADE: Final = "// Made by `python -m generate` from the constants of the server.\n\n"
_CONSTANTS: Final = """
/** The version of this kit. */
export declare const VERSION: string;
/** The number of the control API's protocol. */
export declare const PROTOCOL: number;
/** The kinds of change. */
export declare const CHANGES: readonly Change[];
"""
_CONTENTS: Final = {
    "ScenarioDocument": "data",
    "SessionContents": "data",
    "SessionExport": "starts",
}
_OF_THE_PET_STORE: Final = ("Pet", "PetInput", "PetStatus", "PetsContent")
_UNUSED: Final = r"export type (?:paths|webhooks|\$defs|operations) = Record<string, never>;\n"


def scenarios() -> dict[Path, str]:
    """Return the files with the shipped scenarios.

    :raise InputError: a scenario has no group.
    """
    library = load_library((), ())
    for name, scenario in library.scenarios.items():
        if scenario.group not in NEEDS:
            what, hint = "a shipped scenario requires a group", f"add one of {', '.join(NEEDS)}"
            raise invalid(library.sources[name].shown, what, hint)
    known = known_of(library)
    return {
        KIT / "scenarios.d.ts": declare_scenarios(known),
        KIT / "scenarios.js": list_scenarios(known),
        KIT / "contract.d.ts": declare_contract(known),
    }


def control() -> dict[Path, str]:
    """Return the file with the calls of the control API, and the objects of its bodies.

    :raise CannotGenerateError: an npm package is missing.
    """
    return {KIT / "control.d.ts": declared(control_document()) + _CONSTANTS}


def constants() -> dict[Path, str]:
    """Return the module with what kit, toolbar and panel know of the server that they fit."""
    changes = json.dumps(get_args(Change))
    text = (
        f'{_MADE}export const VERSION = "{VERSION}";\nexport const PROTOCOL = {PROTOCOL};\n'
        f"export const CHANGES = {changes};\n"
    )
    return {KIT / "control.js": text}


def declared(control: Mapping[str, Any]) -> str:
    """Return the declarations of the OpenAPI document of a control API, for any contract.

    :raise CannotGenerateError: an npm package is missing.
    """
    program = npm_program("openapi-typescript")
    document: dict[str, Any] = {**control}
    schemas = _of_any_contract(document["components"]["schemas"])
    filters = {
        **_parameters_in(document["paths"]["/requests"]["get"], "query"),
        "description": "The filters of the request log, all of which a request must pass.",
    }
    more = {"RequestFilters": filters, "Calls": _calls(document["paths"])}
    document["paths"] = {}
    named = sorted({**schemas, **more}.items())
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


def modules() -> dict[Path, str]:
    """Return the declarations of the kit's modules, as the compiler makes them of their JSDoc.

    It compiles copies of the modules without these declarations, which it would prefer to the
    implementation.

    :raise CannotGenerateError: an npm package is missing, or a module has a mistake.
    """
    program = npm_program("tsc")
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        kit = folder / "kit"
        made = [f"{name}.d.ts" for name in MODULES]
        shutil.copytree(KIT, kit, ignore=shutil.ignore_patterns("audit", *made))
        (folder / "node_modules").symlink_to(NODE_MODULES)
        (folder / "tests").symlink_to(ROOT / "tests")  # has what stands in for large packages
        settings = json.loads((ROOT / "tsconfig.json").read_text("utf-8"))
        compiled = (*MODULES, *_CHECKED)
        settings |= {"include": [], "files": [f"kit/{name}.js" for name in compiled]}
        (folder / "tsconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        done = subprocess.run(
            [program, *_EMIT],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,  # on a busy machine
            check=False,
        )
        if done.returncode:
            raise CannotGenerateError(done.stdout)
        return {KIT / name: (folder / "out" / name).read_text("utf-8") for name in made}


def _calls(paths: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the schema of an object with all calls, each with its query, body and response."""
    calls = {}
    for path, operations in paths.items():
        for method, operation in operations.items():
            ok = next(each for status, each in operation["responses"].items() if status[0] == "2")
            call = {"response": _body_of(ok), "query": _parameters_in(operation, "query")}
            if "requestBody" in operation:
                call["body"] = _body_of(operation["requestBody"])
            if not call["query"]["properties"]:
                del call["query"]
            calls[f"{method.upper()} {path}"] = {
                "type": "object",
                "properties": call,
                "required": ["response"],
                "additionalProperties": False,
            }
    return {
        "description": "The calls: what they accept, and what they respond with.",
        "type": "object",
        "properties": calls,
        "required": [*calls],
        "additionalProperties": False,
    }


def _parameters_in(operation: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return the schema of an object with some parameters of an operation."""
    listed = [each for each in operation.get("parameters", ()) if each.get("in") == place]
    single = [each for each in listed if each["schema"].get("type") != "object"]
    return {
        "type": "object",
        "properties": {
            each["name"]: {"description": each["description"], **each["schema"]} for each in single
        },
        "additionalProperties": single != listed,  # an object has the values of any parameters
    }


def _body_of(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a body in JSON, or of its text."""
    content = message["content"]
    schema: dict[str, Any] = content.get("application/json", next(iter(content.values())))["schema"]
    return schema


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
