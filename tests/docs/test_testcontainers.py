"""The recipe for testcontainers starts the container that it describes, and its tests pass.

There is no Docker here: `containers/` replaces the start of the container by ``mockpets serve``.
"""

import json
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.docs.page import ROOT, blocks
from tests.programs import need, run_within

pytestmark = pytest.mark.long  # npm and pip download testcontainers

FAKES = Path(__file__).with_name("containers")
NODE_PACKAGES = ("testcontainers@11.14.0", "@types/node@20.19.24", "typescript@5.9.3")
TSC = "--strict --target es2022 --lib es2022,dom --module nodenext --skipLibCheck --outDir build"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with the files of the page and a folder for scenarios."""
    for block in blocks(ROOT / "docs/operate/containers.md"):
        if block.mark == "file":
            path = tmp_path / block.argument
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    shutil.copy(FAKES / "pets.test.ts", tmp_path / "tests")
    (tmp_path / "mock/scenarios").mkdir(parents=True)
    return tmp_path


@pytest.mark.node
def test_node(project: Path) -> None:
    (project / "package.json").write_text('{"type": "module"}')
    install = ("install", "--no-package-lock", "--no-audit", "--no-fund", "--silent")
    assert run_within(300, project, need("npm"), *install, *NODE_PACKAGES).returncode == 0
    assert run_within(120, project, "mockpets", "kit", "tests/mockpets").returncode == 0
    files = ("tests/container.ts", "tests/pets.test.ts")
    compiled = run_within(120, project, "node_modules/.bin/tsc", *TSC.split(), *files)
    assert (compiled.returncode, compiled.stdout) == (0, "")
    shutil.copytree(project / "tests/mockpets", project / "build/mockpets")
    shutil.copy(FAKES / "fake_docker.mjs", project)

    command = (need("node"), "--import", "./fake_docker.mjs", "--test", "build/pets.test.js")
    tests = run_within(120, project, *command, CAPTURED="captured.json")

    assert "# pass 1\n# fail 0" in tests.stdout, tests.stdout + tests.stderr
    assert json.loads((project / "captured.json").read_text()) == {
        "image": "mockpets:0.2.0",
        "ports": [7387],
        "ready": ["/__mockpets/ready", 7387],
        "copied": [{"source": "mock/scenarios", "target": "/scenarios"}],
        "variables": ["MOCKPETS_CONTROL_TOKEN", "MOCKPETS_SESSIONS"],
        "command": None,
    }


def test_python(project: Path) -> None:
    assert run_within(120, project, sys.executable, "-m", "venv", ".venv").returncode == 0
    python = project / ".venv/bin/python"
    install = ("-m", "pip", "install", "--quiet", "testcontainers==4.15.0")
    assert run_within(300, project, python, *install).returncode == 0
    [packages] = (project / ".venv/lib").glob("python*/site-packages")
    # mockpets and pytest come from the environment of this test.
    outer = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})"
    (packages / "outer.pth").write_text(outer + "\n")

    options = ("-q", "-p", "no:cacheprovider", "-p", "fake_docker")
    variables = {"PYTHONPATH": str(FAKES), "CAPTURED": "captured.json", "PYTEST_ADDOPTS": ""}
    tests = run_within(240, project, python, "-m", "pytest", *options, **variables)

    assert "1 passed" in tests.stdout, tests.stdout + tests.stderr
    started = json.loads((project / "captured.json").read_text())
    assert started["image"] == "mockpets:0.2.0"
    assert started["environment"].keys() == {"MOCKPETS_CONTROL_TOKEN", "MOCKPETS_SESSIONS"}
    scenarios = str(project / "mock/scenarios")
    assert started["volumes"] == {scenarios: {"bind": "/scenarios", "mode": "ro"}}
    assert (started["read_only"], started["cap_drop"]) == (True, ["ALL"])
