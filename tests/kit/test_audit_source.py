"""Mistakes in the JavaScript of the audit do not compile; `.ci/run` checks its format and style."""

import json
import shutil
from pathlib import Path

import pytest

from mockpets.packaged_data import shipped
from tests.programs import need, need_packages, run_within

KIT = shipped("kit")
SETTINGS = Path(__file__).parents[2] / "tsconfig.json"
MISTAKES = {
    "causes.js": ("finding: { steps, page, state }", "finding: { steps, pages, state }"),
    "probe.js": ("opener.serverSide", "opener.serverside"),
    "browser.js": ("call.ended === null", 'call.ended === "never"'),
    "judge.js": ("last.asksPassword", "last.asksPasword"),
    "quiet.js": ("ended ?? begun", "ended"),
    "observe.js": ("{ snapshot: now }", "{ snapshots: now }"),
}
"""Of each module, a text, and what makes it a mistake."""


@pytest.mark.node
def test_mistakes_in_the_modules_do_not_compile(tmp_path: Path) -> None:
    shutil.copytree(KIT, tmp_path / "kit")
    for name, (text, mistake) in MISTAKES.items():
        path = tmp_path / "kit/audit" / name
        source = path.read_text("utf-8")
        assert text in source, name
        path.write_text(source.replace(text, mistake, 1), "utf-8")

    assert compiled(tmp_path) == sorted(MISTAKES)


def compiled(folder: Path) -> list[str]:
    """Return the files of the audit in which `tsc` finds errors, in a copy of the kit."""
    (folder / "package.json").write_text('{"type": "module"}')
    options = json.loads(SETTINGS.read_text("utf-8"))["compilerOptions"]
    options = {**options, "types": ["node"], "typeRoots": ["node_modules/@types"]}
    settings = {"compilerOptions": options, "files": ["kit/audit/main.js"]}
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    (folder / "node_modules").symlink_to(need_packages())
    done = run_within(120, folder, need("tsc"), "-p", ".", "--pretty", "false")
    lines = [line for line in done.stdout.splitlines() if line.startswith("kit/audit/")]
    return sorted({line.removeprefix("kit/audit/").partition("(")[0] for line in lines})
