"""The kit's declarations accept what users write, and reject typos by name.

``types/`` has what users write. The package is installed into a project for its users; the other
way to get the kit is to copy its files, which the project does as well.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockpets.kit import TYPES_FILE, render
from mockpets.packaged_data import shipped
from tests.kit.project import install_kit
from tests.programs import need
from tests.test_generated_types import run

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.node

TYPES = Path(__file__).with_name("types")
MOCK = 'import { Mockpets } from "mockpets";\nconst mock = new Mockpets();\n'
SCENARIO = 'import type { Scenario } from "mockpets";\nexport const scenario: Scenario = '
PLAYWRIGHT = 'import { expect, test, webServer } from "mockpets/playwright";\n'
SSR = 'import { withSession } from "mockpets/ssr";\n'
VITEST = 'import { useMockpets } from "mockpets/vitest";\n'
STORYBOOK = 'import type {} from "mockpets/storybook";\n' + (
    'import type { Parameters } from "storybook/internal/types";\n'
    "export const parameters: Parameters = "
)
TYPOS = {
    # name of the file: its text, what the compiler must name
    "scenario": (MOCK + 'void mock.use("rety");', '"rety"'),
    "own_scenario": (MOCK + 'void mock.use("tired-cats");', '"tired-cats"'),
    "second_scenario": (MOCK + 'void mock.use("empty", "rety");', '"rety"'),
    "made_scenario": (MOCK + 'void mock.make({ scenario: ["rety"] });', '"rety"'),
    "extends": (SCENARIO + '{ description: "d", extends: "rety" };', '"rety"'),
    "extends_list": (SCENARIO + '{ description: "d", extends: ["empty", "rety"] };', '"rety"'),
    "macth": (SCENARIO + '{ description: "d", stubs: [{ macth: {}, delay: "1s" }] };', "'macth'"),
    "inline_macth": (
        MOCK + 'void mock.use({ description: "d", stubs: [{ macth: {}, delay: "1s" }] });',
        "'macth'",
    ),
    "contians": (
        SCENARIO
        + '{ description: "d", stubs: [{ match: { query: { status: { contians: "x" } } } }] };',
        "'contians'",
    ),
    "verified_contians": (
        MOCK + 'void mock.verify({ body: { name: { contians: "x" } } });',
        "'contians'",
    ),
    "verified_property": (
        MOCK + 'void mock.verify({ operation: "createPet", body: { nmae: "x" } });',
        "'nmae'",
    ),
    "verified_value": (
        MOCK + 'void mock.verify({ operation: "createPet", body: { status: "solt" } });',
        '"solt"',
    ),
    "added_pet": (MOCK + 'void mock.addPet({ name: "Miso" });', "'categoryId'"),
    "changed_pet": (MOCK + 'void mock.changePet(7, { nmae: "x" });', "'nmae'"),
    "verified_operation": (MOCK + 'void mock.verify({ operation: "listPet" });', '"listPet"'),
    "fault": (SCENARIO + '{ description: "d", stubs: [{ fault: "conection_reset" }] };', "conec"),
    "times": (MOCK + "void mock.verify({}, { atLeast: 1 });", "'atLeast'"),
    "within": (MOCK + 'void mock.verify({}, 1, { within: "5s" });', "'string'"),
    "filter": (MOCK + 'void mock.requests({ opration: "listPets" });', "'opration'"),
    "filter_note": (MOCK + 'void mock.requests({ note: "key_mising" });', '"key_mising"'),
    "kind": (MOCK + 'mock.on("reqest", () => {});', '"reqest"'),
    "status": (MOCK + 'void mock.pets("solt");', '"solt"'),
    "pet": (MOCK + 'void mock.setPets([{ id: 1, nmae: "Miso", categoryId: 2 }]);', "'nmae'"),
    "pet_status": (
        MOCK + 'void mock.setPets([{ id: 1, name: "M", categoryId: 2, status: "solt" }]);',
        '"solt"',
    ),
    "option": (
        'import { Mockpets } from "mockpets";\nexport const mock = new Mockpets({ sesion: "a" });',
        "'sesion'",
    ),
    "details": (
        'import { MockpetsError } from "mockpets";\n'
        "export const nearest = (error: MockpetsError) => error.details.nearst;",
        "'nearst'",
    ),
    "code": (
        'import { MockpetsError } from "mockpets";\n'
        'export const lost = (error: MockpetsError) => error.code === "sesion_lost";',
        '"sesion_lost"',
    ),
    "carrier": (PLAYWRIGHT + 'test.use({ carrier: "cookie" });', '"cookie"'),
    "fixture": (PLAYWRIGHT + 'test("t", async ({ mok }) => { await mok.reset(); });', "'mok'"),
    "matcher": (
        PLAYWRIGHT
        + 'test("t", async ({ mock }) => { await expect(mock).toHaveReceived({ macth: {} }); });',
        "'macth'",
    ),
    "matched_value": (
        PLAYWRIGHT + 'test("t", async ({ page }) => { await expect(page).toHaveReceived({}); });',
        "'toHaveReceived'",
    ),
    "not_awaited": (
        SSR + "export const headers = withSession(Promise.resolve(new Headers()));",
        "Promise<Headers>",
    ),
    "no_request": (SSR + "export const headers = withSession();", "1-2 arguments"),
    "own_headers": (SSR + "export const headers = withSession({}, { Age: 1 });", "'number'"),
    "vitest_scenario": (VITEST + 'useMockpets("rety");', '"rety"'),
    "vitest_option": (VITEST + 'useMockpets("empty", { sesion: "a" });', "'sesion'"),
    "vitest_pet": (
        VITEST + 'useMockpets([], { pets: [{ id: 1, nmae: "Miso", categoryId: 2 }] });',
        "'nmae'",
    ),
    "start_server": (
        'import { startServer } from "mockpets/server";\n'
        'export default () => startServer({ comand: "mockpets" });',
        "'comand'",
    ),
    "story_scenario": (STORYBOOK + '{ mockpets: { scenario: "rety" } };', '"rety"'),
    "story_parameter": (STORYBOOK + '{ mockpets: { scenaro: "retry" } };', "'scenaro'"),
    "story_carrier": (STORYBOOK + '{ mockpets: { carrier: "heder" } };', '"heder"'),
    "web_server": (PLAYWRIGHT + 'export const s = webServer({ comand: "mockpets" });', "'comand'"),
}
OWN = {
    # As `mockpets kit --types` writes it, and what uses the names.
    "mockpets.d.ts": render(TYPES_FILE, {"tired-cat": "", "empty": ""}, ["feed", "loading"]),
    "own.ts": MOCK
    + 'import type { GateName, ScenarioName } from "mockpets";\n'
    + 'import { states } from "mockpets/playwright";\n'
    + 'void mock.use("tired-cat", "empty");\nstates({ exclude: ["tired-cat"] });\n'
    + 'export const names: [ScenarioName, GateName] = ["tired-cat", "feed"];\n',
}
STORYBOOK_PACKAGE = {
    # In place of Storybook, which is large; tests/examples compiles stories with the real one.
    "package.json": '{"exports": {"./internal/types": {"types": "./types.d.ts"}}}',
    "types.d.ts": "export interface Parameters { [name: string]: any }\n",
}
STRICT = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noEmit": True,
    "target": "es2022",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": ["node"],
}
# Its package is large: `test_cypress.py` compiles this file.
NOT_COMPILED = ["node_modules", "copied/mockpets/cypress.d.ts"]
RESOLUTION: dict[str, dict[str, object]] = {
    # Each way is a project; the declarations themselves are checked once.
    "bundler": {"module": "esnext", "moduleResolution": "bundler", "skipLibCheck": True},
    "nodenext": {"module": "nodenext", "moduleResolution": "nodenext"},
}


def project(folder: Path, way: str) -> Path:
    """Write a project with the kit, the files of its users, and the files with typos."""
    install_kit(folder)
    storybook = folder / "node_modules" / "storybook"
    storybook.mkdir()
    for name, text in STORYBOOK_PACKAGE.items():
        (storybook / name).write_text(text)
    shutil.copytree(TYPES, folder / "package")
    copied = shutil.copytree(TYPES, folder / "copied")
    shutil.copytree(shipped("kit"), copied / "mockpets")
    extension = ".js" if way == "nodenext" else ""
    for path in copied.glob("*.ts"):
        text = path.read_text(encoding="utf-8")
        text = text.replace('"mockpets"', f'"./mockpets/client{extension}"')
        path.write_text(re.sub('"mockpets/(.*?)"', rf'"./mockpets/\1{extension}"', text))
    if way == "bundler":  # without lib check: both packages declare the parameters of Storybook
        for name, text in OWN.items():
            (folder / name).write_text(text)
    for name, (text, _) in TYPOS.items():
        (folder / f"{name}.ts").write_text(text + "\n")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(
        json.dumps({"compilerOptions": {**STRICT, **RESOLUTION[way]}, "exclude": NOT_COMPILED})
    )
    return folder


def by_file(compiled: subprocess.CompletedProcess[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, text in re.findall(
        r"^([\w./-]+)\.ts(\(.*?)(?=^\S+\.ts\(|\Z)", compiled.stdout, re.MULTILINE | re.DOTALL
    ):
        found[name] = found.get(name, "") + text
    assert found, compiled.stdout + compiled.stderr
    return found


@pytest.mark.parametrize("way", [pytest.param("bundler", marks=pytest.mark.slow), "nodenext"])
def test_what_users_write_compiles_and_typos_do_not(tmp_path: Path, way: str) -> None:
    """In one call of the compiler, which reports every file."""
    errors = by_file(
        run(project(tmp_path, way), need("tsc"), "--project", ".", "--pretty", "false")
    )

    assert {name: text for name, text in errors.items() if name not in TYPOS} == {}
    assert TYPOS.keys() - errors.keys() == set()
    assert {
        name: errors[name] for name, (_, typo) in TYPOS.items() if typo not in errors[name]
    } == {}
