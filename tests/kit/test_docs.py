"""The TypeScript that these pages show works as it stands."""

import json
import re
from pathlib import Path

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.kit_files import files_of
from tests.programs import free_port, need, run, run_within

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "docs/recipes/playwright.md",
    ROOT / "docs/recipes/ssr.md",
    ROOT / "docs/bugs/races.md",
    ROOT / "skill/SKILL.md",
]


def shown_files() -> dict[str, str]:
    """Return the Playwright tests by path, without that of races; test_interleavings.py has it."""
    pattern = r"<!-- kit file: (\S+) -->\n```ts\n(.*?)```"
    return {
        path: text
        for page in PAGES
        for path, text in re.findall(pattern, page.read_text(encoding="utf-8"), re.DOTALL)
        if path != "tests/races.spec.ts"
    }


def shown_commands(mark: str) -> str:
    text = PAGES[1].read_text(encoding="utf-8")
    [commands] = re.findall(rf"<!-- {mark} -->\n```sh\n(.*?)```", text, re.DOTALL)
    return str(commands)


@pytest.mark.tool
def test_the_files_are_the_same_written_and_downloaded(tmp_path: Path) -> None:
    need("curl")
    (tmp_path / "written/mock/scenarios").mkdir(parents=True)
    (tmp_path / "loaded").mkdir()
    written = run_within(240, tmp_path / "written", "sh", "-ec", shown_commands("write"))
    with MockpetsServer(Settings(port=0)) as server:
        urls = " ".join(f"-O {server.url}/__mockpets/{name}" for name in files_of(["playwright"]))
        download = f"mkdir -p tests/mockpets && cd tests/mockpets && curl -s {urls}"
        loaded = run_within(240, tmp_path / "loaded", "sh", "-ec", download)
    files = [
        {path.name: path.read_text() for path in (tmp_path / name / "tests/mockpets").iterdir()}
        for name in ("written", "loaded")
    ]

    assert (written.returncode, loaded.returncode) == (0, 0), written.stderr + loaded.stderr
    packages = [json.loads(each.pop("package.json")) for each in files]
    options = ["--playwright", "--scenarios-dir=../../mock/scenarios"]
    assert packages[0] == {**packages[1], "mockpets": {"options": options}}
    assert files[0] == files[1]
    assert {*files[0], "package.json"} == {*files_of(["playwright"])}


@pytest.mark.node
@pytest.mark.long  # npm downloads Playwright
def test_three_commands_and_six_lines_from_an_empty_folder(tmp_path: Path) -> None:
    """The server listens on another port than the default, which may be taken."""
    [install, write, test] = shown_commands("kit commands").splitlines()
    spec = shown_files()["tests/pets.spec.ts"]
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/pets.spec.ts").write_text(spec, encoding="utf-8")
    url = f"http://localhost:{free_port()}"

    for command in (install, write, test):
        done = run_within(240, tmp_path, "sh", "-ec", command, MOCKPETS_URL=url, HOME=str(tmp_path))
        assert done.returncode == 0, done.stdout + done.stderr

    assert "1 passed" in done.stdout
    assert len([line for line in spec.splitlines() if line]) == 6
    (tmp_path / "tests/typo.ts").write_text(spec.replace('use("empty")', 'use("emtpy")'))
    options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "esnext"]
    options += ["--module", "esnext", "--moduleResolution", "bundler"]
    for file, errors in (("pets.spec.ts", ""), ("typo.ts", '"emtpy"')):
        compiled = run(tmp_path, need("tsc"), *options, f"tests/{file}")
        assert errors in compiled.stdout
        assert (compiled.returncode == 0) == (not errors), compiled.stdout
