"""kit/cypress.js gives each Cypress test a session. `fake.mjs` stands in for Cypress itself."""

import json
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from tests.docs.page import ROOT, SHOP, blocks
from tests.kit.project import write_kit
from tests.programs import need, run_within

pytestmark = pytest.mark.node

FOLDER = Path(__file__).with_name("cypress")
PAGE = ROOT / "docs/recipes/cypress.md"
CYPRESS = "cypress@15.3.0"
OPTIONS = {
    "strict": True, "allowJs": True, "checkJs": True, "exactOptionalPropertyTypes": True,
    "noEmit": True, "target": "es2022", "lib": ["es2022", "dom", "dom.iterable"],
    "module": "esnext", "moduleResolution": "bundler",
    "skipLibCheck": True,  # for the declarations of Cypress
    "types": ["cypress"],
}  # fmt: skip


def shown_files(tab: int) -> dict[str, str]:
    """Return the files that a tab of the page shows, by path."""
    files = (block for block in blocks(PAGE, tab) if block.mark == "file")
    return {each.argument: each.text for each in files}


@pytest.mark.parametrize(
    ("tab", "path", "empty"),
    [
        pytest.param(0, "/v1/pets", "No pets yet", marks=pytest.mark.long),
        (1, "/api/orders", "No orders yet"),
    ],
    ids=["pet store", "your own API"],
)
def test_the_tests_of_the_page_pass(tab: int, path: str, empty: str, tmp_path: Path) -> None:
    need("tsc")
    document = tmp_path / SHOP.argument
    document.write_text(SHOP.text)
    contract = (str(document),) if tab else ()
    options = [f"--contract={each}" for each in contract]
    assert main(["kit", str(tmp_path / "cypress/mockpets"), "--cypress", *options]) == 0
    for name, text in shown_files(tab).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    settings = Settings(port=0, sessions="declared", contract=contract)
    with MockpetsServer(settings) as server:
        variables = {
            "FOLDER": str(tmp_path),
            "FILES": " ".join(shown_files(tab)),
            "LIST": path,
            "EMPTY": empty,
            "ARGS": " ".join(options),
        }
        command = (need("node"), "--test", FOLDER / "page.test.mjs")
        tests = run_within(120, tmp_path, *command, MOCKPETS_URL=server.url, **variables)

    assert tests.returncode == 0, tests.stdout
    assert "# pass 1\n# fail 0" in tests.stdout


@pytest.mark.long  # npm downloads Cypress' package
def test_what_users_write_compiles_and_typos_do_not(tmp_path: Path) -> None:
    """With the files that `mockpets kit` writes, and Cypress' package without its program."""
    (tmp_path / "package.json").write_text("{}")
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    install = (need("npm"), "install", *options, CYPRESS)
    assert run_within(300, tmp_path, *install, CYPRESS_INSTALL_BINARY="0").returncode == 0
    write_kit(tmp_path / "cypress/mockpets")
    files = {f"cypress/e2e/{path.name}": path.read_text() for path in FOLDER.glob("*.cy.ts")}
    files |= shown_files(0)
    assert "cypress/support/e2e.ts" in files
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    written = [str(path) for path in (tmp_path / "cypress/mockpets").glob("*.js")]
    project = {"compilerOptions": OPTIONS, "files": [*files, *written]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(project))

    compiled = run_within(120, tmp_path, need("tsc"), "--project", ".", "--pretty", "false")

    assert (compiled.returncode, compiled.stdout) == (0, "")
