"""The kit's declarations accept what users write, and reject typos.

``types/`` has both, for a project in which the package is installed.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mockpets.kit_files import TYPES_FILE, Known, known_of, render
from mockpets.scenario.contract_files import load_contracts
from mockpets.scenario.library import load_library
from tests.kit.project import install_kit
from tests.programs import need, run, run_within

TYPES = Path(__file__).with_name("types")
BLOG = Path(__file__).with_name("types_blog")
STORYBOOK_PACKAGE = {
    # In place of Storybook, which is large; tests/examples compiles stories with the real one.
    "package.json": '{"exports": {"./internal/types": {"types": "./types.d.ts"}}}',
    "types.d.ts": "export interface Parameters { [name: string]: any }\n",
}
OPTIONS = {
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
    "noEmit": True,
    "skipDefaultLibCheck": True,  # those of TypeScript itself; all others are checked
    "target": "es2022",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": ["node"],
    "module": "nodenext",
}


@pytest.mark.node
def test_what_users_write_compiles_and_typos_do_not(tmp_path: Path) -> None:
    """`test_package.py` checks that other ways to resolve modules find the declarations."""
    install_kit(tmp_path)
    storybook = tmp_path / "node_modules" / "storybook"
    storybook.mkdir()
    for name, text in STORYBOOK_PACKAGE.items():
        (storybook / name).write_text(text)
    shutil.copytree(TYPES, tmp_path / "types")
    scenarios = {**load_library((), ()).descriptions(), "tired-cat": ""}
    own = render(TYPES_FILE, Known(scenarios, ["feed", "loading", "orders"], ["orders", "carts"]))
    (tmp_path / TYPES_FILE).write_text(own)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    # The package of Cypress is large: `test_cypress.py` compiles the declarations for it.
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS}))

    compiled = run_within(120, tmp_path, need("tsc"), "--project", ".", "--pretty", "false")

    assert (compiled.returncode, compiled.stdout) == (0, "")


def blog(folder: Path, **more: str) -> Path:
    """Return a project with the types of a blog's contract; `more` as for `Known.paths`."""
    install_kit(folder)
    shutil.copytree(BLOG, folder, dirs_exist_ok=True)
    library = load_library((), (), contracts=load_contracts([str(BLOG / "blog.yaml")]))
    known = replace(
        known_of(library),
        scenarios={**library.descriptions(), "tired-author": ""},
        gates=["feed"],
        resources=["carts"],
        paths=more,
    )
    (folder / TYPES_FILE).write_text(render(TYPES_FILE, known))
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS}))
    return folder


@pytest.mark.node
@pytest.mark.parametrize(
    "paths",
    [{}, pytest.param({"blog": "./schema.js"}, marks=pytest.mark.long)],
    ids=["own", "openapi-typescript"],
)
def test_the_types_of_a_document(tmp_path: Path, paths: dict[str, str]) -> None:
    """Of the document itself, or of the `paths` that openapi-typescript has made of it."""
    folder = blog(tmp_path, **paths)
    if paths:
        made = run_within(60, folder, need("openapi-typescript"), "blog.yaml", "-o", "schema.d.ts")
        assert made.returncode == 0, made.stderr
    compiled = run_within(120, folder, need("tsc"), "--project", ".", "--pretty", "false")

    assert (compiled.returncode, compiled.stdout) == (0, "")
    mistakes = (folder / "mistakes.ts").read_text().count("@ts-expect-error - ")
    assert mistakes >= 20


LINT = """
import tseslint from "typescript-eslint";
export default [
  { ignores: ["mockpets.d.ts", "mistakes.ts", "*.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { project: "./tsconfig.json" } } },
];
"""


@pytest.mark.node
@pytest.mark.long
def test_a_linter_with_types_finds_no_unsafe_value(tmp_path: Path) -> None:
    folder = blog(tmp_path)
    (folder / "eslint.config.mjs").write_text(LINT)
    linted = run_within(120, folder, need("eslint"), "right.ts")

    assert (linted.returncode, linted.stdout) == (0, "")
    (folder / "right.ts").write_text("export const unsafe = JSON.parse('1').a;\n")
    linted = run_within(120, folder, need("eslint"), "right.ts")
    assert "no-unsafe-member-access" in linted.stdout


COMPLETIONS = [
    ('mock.use("Create|");', ["CreateArticle:201", "CreateArticle:401", "CreateArticle:422"]),
    ('mock.use("GetArticles:|");', ["GetArticles:200", "GetArticles:empty", "GetArticles:offline"]),
    ('mock.use("tired|");', ["tired-author"]),
    ('mock.data("|");', ["articles", "comments", "users", "carts"]),
    ('mock.data("articles").add({ | });', ["title", "tags", "author", "subtitle"]),
    ('mock.data("articles").all({ status: "|" });', ["draft", "published"]),
    ("mock.make({ data: { | } });", ["articles", "comments", "users", "carts"]),
    ('mock.use({ stubs: [{ match: { operation: "|" } }] });', ["CreateArticle", "GetArticles"]),
    ('mock.verify({ operation: "CreateArticle", body: { article: { | } } });', ["title", "status"]),
    ('mock.verify({ operation: "GetArticles", query: { | } });', ["author", "limit", "status"]),
    ('mock.use({ stubs: [{ match: { operation: "GetArticle", params: { | } } }] });', ["slug"]),
    ('mock.gate("|");', ["feed"]),
]
"""Lines with a bar at the cursor, and what an editor must offer there."""


@pytest.mark.node
def test_an_editor_completes_what_the_contract_has(tmp_path: Path) -> None:
    need("tsc")
    folder = blog(tmp_path)
    head = 'import { Mockpets } from "mockpets";\nconst mock = new Mockpets();\nvoid '
    for number, (line, _) in enumerate(COMPLETIONS):
        (folder / f"line{number}.ts").write_text(head + line)
    asked = run_within(120, folder, need("node"), str(TYPES.parent / "complete.mjs"), ".")

    assert asked.returncode == 0, asked.stderr
    for (line, wanted), offered in zip(COMPLETIONS, json.loads(asked.stdout), strict=True):
        assert {*wanted} <= {*offered}, (line, offered)


@pytest.mark.node
def test_a_formatter_may_change_the_types(tmp_path: Path) -> None:
    blog(tmp_path)
    text = (tmp_path / TYPES_FILE).read_text()
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / TYPES_FILE).write_text(text)
    scenarios = tmp_path / "mock"
    scenarios.mkdir()
    (scenarios / "tired-author.yaml").write_text("description: d\nstubs: [{hold: feed}]\n")
    options = ("--contract", "blog.yaml", "--scenarios-dir", "mock")
    assert run(tmp_path, "mockpets", "kit", "--types", *options).returncode == 0
    before = (tmp_path / TYPES_FILE).read_text()
    formatted = run_within(60, tmp_path, need("prettier"), "--write", "--single-quote", TYPES_FILE)

    assert formatted.returncode == 0, formatted.stderr
    assert (tmp_path / TYPES_FILE).read_text() != before
    checked = run(tmp_path, "mockpets", "kit", "--types", "--check")
    assert (checked.returncode, checked.stderr) == (0, "")
