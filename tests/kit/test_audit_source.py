"""The JavaScript of the audit compiles with its types, and has Prettier's format."""

import json
import shutil
from pathlib import Path

import pytest

from mockpets.packaged_data import shipped
from tests.programs import need, need_packages, run, run_within

KIT = shipped("kit")
OPTIONS = {
    "strict": True, "allowJs": True, "checkJs": True, "noEmit": True, "target": "es2022",
    "lib": ["es2023", "dom", "dom.iterable"], "module": "nodenext", "types": ["node"],
    "skipLibCheck": True,
}  # fmt: skip
MISTAKES = {
    "causes.js": ("finding.rule", "finding.rul"),
    "probe.js": ("opener.serverSide", "opener.serverside"),
    "browser.js": ("call.ended === null", 'call.ended === "never"'),
    "judge.js": ("last.asksPassword", "last.asksPasword"),
}
"""Of each module, a text, and what makes it a mistake."""


def compiled(folder: Path) -> list[str]:
    """Return the files of the audit in which `tsc` finds errors, in a copy of the kit."""
    (folder / "package.json").write_text('{"type": "module"}')
    settings = {"compilerOptions": OPTIONS, "files": ["kit/audit/main.js"]}
    (folder / "tsconfig.json").write_text(json.dumps(settings))
    (folder / "node_modules").symlink_to(need_packages())
    done = run_within(120, folder, need("tsc"), "-p", ".", "--pretty", "false")
    # The other modules of the kit have their types in declarations.
    lines = [line for line in done.stdout.splitlines() if line.startswith("kit/audit/")]
    return sorted({line.removeprefix("kit/audit/").partition("(")[0] for line in lines})


@pytest.mark.node
def test_the_modules_compile_strictly(tmp_path: Path) -> None:
    shutil.copytree(KIT, tmp_path / "kit")

    assert compiled(tmp_path) == []


@pytest.mark.node
def test_mistakes_in_the_modules_do_not_compile(tmp_path: Path) -> None:
    shutil.copytree(KIT, tmp_path / "kit")
    for name, (text, mistake) in MISTAKES.items():
        path = tmp_path / "kit/audit" / name
        source = path.read_text("utf-8")
        assert text in source, name
        path.write_text(source.replace(text, mistake, 1), "utf-8")

    assert compiled(tmp_path) == sorted(MISTAKES)


@pytest.mark.node
def test_the_modules_have_the_format_of_prettier() -> None:
    done = run(KIT, need("prettier"), "--check", "audit")

    assert done.returncode == 0, done.stderr
