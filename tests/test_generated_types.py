"""The types that TypeScript users generate from our documents compile, and they catch typos."""

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mockpets.contract.pet_store import PET_STORE
from mockpets.scenario.language.loader import scenario_schema
from mockpets.web.control.routes import control_document
from tests.programs import need

pytestmark = pytest.mark.node

USE = {
    "use_pets.ts": """
import type { paths, components } from "./openapi";

type List = paths["/pets"]["get"];
export const query: NonNullable<List["parameters"]["query"]> = { limit: 5, status: "sold" };
export const page: List["responses"][200]["content"]["application/json"] = [
  { id: 1, name: "Miso", categoryId: 2, status: "sold" },
];
export const pet: components["schemas"]["NewPet"] = { name: "Miso", categoryId: 2 };
export const path: paths["/pets/{petId}"]["get"]["parameters"]["path"] = { petId: 3 };
type Invalid = paths["/pets"]["post"]["responses"][400];
export function show(error: Invalid["content"]["application/json"]) {
  return `${error.status} ${error.code.toUpperCase()}: ${error.message.trim()}`;
}
""",
    "use_control.ts": """
import type { paths, operations, components } from "./control";

type Body<Call extends { requestBody?: { content: { "application/json": unknown } } }> =
  NonNullable<Call["requestBody"]>["content"]["application/json"];
type Result<Call extends { responses: { 200: { content: { "application/json": unknown } } } }> =
  Call["responses"][200]["content"]["application/json"];

export const use: Body<paths["/scenario"]["put"]> = {
  scenario: ["retry", { description: "Down.", stubs: [{ reply: { status: 503 } }] }],
};
export const verify: Body<operations["verify"]> = {
  match: { operation: "createPet", body: { name: { contains: "Mi" } } },
  times: { at_least: 1 },
  within: "5s",
};
export const left: Body<operations["verify"]> = { match: { outcome: ["client_left", "broken"] } };
export const session: Body<operations["makeSession"]> = {
  scenario: "empty",
  seed: 3,
  data: { pets: [{ id: 1, name: "Miso", categoryId: 2 }], orders: [{ id: 1, petId: 3 }] },
};
export const filters: NonNullable<operations["requests"]["parameters"]["query"]> = {
  operation: "listPets", note: "ignored_query", status: "4xx", limit: 3,
};
export const header: operations["state"]["parameters"]["header"] = { "Mockpets-Session": "w1" };
export function read(state: Result<operations["state"]>, log: Result<operations["requests"]>) {
  const records: number | null = state.counts.records;
  const notes: components["schemas"]["NoteCode"][] = log.requests.flatMap((each) =>
    each.notes.map((note) => note.code),
  );
  const fault: components["schemas"]["Fault"] | null | undefined = log.requests[0]?.fault;
  return [records?.toFixed(), state.active[0]?.trim(), state.state_file?.saved, notes, fault];
}
export function explain(error: components["schemas"]["Error"]): string {
  const { details } = error;
  if (details && "problems" in details) return details.problems.map((each) => each.what).join();
  if (details && "held" in details) return `${details.held}`;
  return details ? details.nearest.map((each) => each.request.number).join() : error.message;
}
""",
    "use_scenario.ts": """
import type { Scenario, Stub, Match } from "./scenario";

const match: Match = { operation: ["listPets"], headers: { Accept: { contains: "json" } } };
const stub: Stub = { match, times: 2, delay: { min: "1s", max: "2s" }, reply: "pass" };
export const scenario: Scenario = {
  $schema: "scenario.json",
  description: "Slow, then down.",
  extends: ["retry"],
  data: { pets: { count: 3, locale: "de_DE" }, orders: [{ id: 1, petId: 3 }] },
  stubs: [
    stub,
    { sequence: ["pass", { error: "unauthorized" }, { fault: "empty_reply" }], repeat: "cycle" },
    { reply: { status: 503, headers: { "Retry-After": 5 } } },
  ],
};
""",
}
"""A file for each document, with what its users would write."""

TYPOS = {
    # name of the file: its text, what the compiler must name
    "macth.ts": (
        'import type { Scenario } from "./scenario";\n'
        'export const a: Scenario = { description: "d", stubs: [{ macth: {}, delay: "1s" }] };\n',
        "'macth'"),
    "pass.ts": (
        'import type { Stub } from "./scenario";\nexport const a: Stub = { reply: "pas" };\n',
        '"pas"'),
    "stub_outcome.ts": (
        'import type { components } from "./control";\n'
        'type Stub = components["schemas"]["Stub"];\n'
        'export const a: Stub = { match: { outcome: "sent" } };\n', "'outcome'"),
    "filter.ts": (
        'import type { paths } from "./control";\n'
        'type Query = NonNullable<paths["/requests"]["get"]["parameters"]["query"]>;\n'
        'export const a: Query = { opration: "listPets" };\n', "'opration'"),
    "session.ts": (
        'import type { operations } from "./control";\n'
        'type Header = operations["state"]["parameters"]["header"];\n'
        'export const a: Header = { "Mockpets-Sesion": "w1" };\n', "'\"Mockpets-Sesion\"'"),
}  # fmt: skip


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A TypeScript project with the types that the generators make of each document."""
    folder = tmp_path_factory.mktemp("types")
    documents = {"openapi": PET_STORE.document, "control": control_document()}
    for name, content in {**documents, "scenario": scenario_schema()}.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    # One process for both documents.
    apis = {
        name: {"root": f"{name}.json", "x-openapi-ts": {"output": f"{name}.d.ts"}}
        for name in documents
    }
    (folder / "redocly.yaml").write_text(json.dumps({"apis": apis}))
    generators = [
        (need("openapi-typescript"),),
        (need("json2ts"), "scenario.json", "scenario.d.ts"),
    ]
    with ThreadPoolExecutor() as pool:
        for generator in pool.map(lambda command: run(folder, *command), generators):
            assert generator.returncode == 0, generator.stdout + generator.stderr
    return folder


def test_generated_types_compile_and_reject_typos_by_name(project: Path) -> None:
    """In one call of the compiler, which reports every file."""
    files = {**USE, **{name: text for name, (text, _) in TYPOS.items()}}
    for name, text in files.items():
        (project / name).write_text(text)
    # Without the library of browsers, whose types take a second to read.
    options = ("--strict", "--noEmit", "--pretty", "false", "--lib", "es2022")
    compiled = run(project, need("tsc"), *options, *files)
    errors = dict(
        re.findall(r"^(\w+\.ts)(.*?)(?=^\w+\.ts|\Z)", compiled.stdout, re.MULTILINE | re.DOTALL)
    )

    assert errors.keys() == TYPOS.keys(), compiled.stdout
    assert {name: typo for name, (_, typo) in TYPOS.items() if typo not in errors[name]} == {}
