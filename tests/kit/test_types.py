"""The kit's declarations accept what users write, and reject typos.

``types/`` has both, for a project in which the package is installed.
"""

import json
import shutil
from pathlib import Path

import pytest

from mockpets.kit import TYPES_FILE, render
from tests.kit.project import install_kit
from tests.programs import need, run_within

TYPES = Path(__file__).with_name("types")
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
    own = render(
        TYPES_FILE,
        {"tired-cat": "", "empty": ""},
        ["feed", "loading", "orders"],
        ["pets", "orders"],
    )
    (tmp_path / TYPES_FILE).write_text(own)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    # The package of Cypress is large: `test_cypress.py` compiles the declarations for it.
    (tmp_path / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS}))

    compiled = run_within(120, tmp_path, need("tsc"), "--project", ".", "--pretty", "false")

    assert (compiled.returncode, compiled.stdout) == (0, "")
