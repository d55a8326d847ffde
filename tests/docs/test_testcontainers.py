"""The recipe for testcontainers starts the container that it describes, and its tests pass.

There is no Docker here: `containers/` replaces the start of the container by ``mockpets serve``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from mockpets.cli.main import main
from tests.docs.page import ROOT, blocks
from tests.programs import need, run

PAGE = ROOT / "docs/operate/containers.md"
FAKES = Path(__file__).with_name("containers")
COMPOSE = (ROOT / "compose.yaml").read_text(encoding="utf-8")
NODE_PACKAGES = ("testcontainers@11.14.0", "@types/node@20.19.24", "typescript@5.9.3")
PYTHON_PACKAGES = ("testcontainers==4.15.0", "mypy==1.18.2")
OPTIONS = {
    "strict": True,
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "module": "nodenext",
    "types": ["node"],
    "skipLibCheck": True,  # for the declarations of dockerode
    "outDir": "build",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with the files of the page and a folder for scenarios."""
    for block in blocks(PAGE):
        if block.mark == "file":
            path = tmp_path / block.argument
            path.parent.mkdir(exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    shutil.copy(FAKES / "pets.test.ts", tmp_path / "tests")
    (tmp_path / "mock/scenarios").mkdir(parents=True)
    return tmp_path


def environment(folder: Path, **variables: str) -> dict[str, str]:
    """Return variables with `mockpets` on the PATH, and the file for what would be started."""
    return {
        **{name: value for name, value in os.environ.items() if "PYTEST" not in name},
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "CAPTURED": str(folder / "captured.json"),
        **variables,
    }


def test_the_page_names_the_image_of_the_compose_file() -> None:
    [image] = [line.split()[1] for line in COMPOSE.splitlines() if "image: mockpets" in line]

    assert PAGE.read_text(encoding="utf-8").count(f'"{image}"') == 2


@pytest.mark.node
@pytest.mark.slow
@pytest.mark.long  # npm downloads testcontainers
def test_node(project: Path) -> None:
    options = ["--no-package-lock", "--no-audit", "--no-fund", "--silent"]
    (project / "package.json").write_text('{"type": "module"}')
    install = [need("npm"), "install", *options, *NODE_PACKAGES]
    subprocess.run(install, cwd=project, check=True, timeout=300)
    assert main(["kit", "--out", str(project / "tests/mockpets")]) == 0
    files = ["tests/container.ts", "tests/pets.test.ts"]
    (project / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": files}))
    compiled = run(project, str(project / "node_modules/.bin/tsc"), "--project", ".")
    assert (compiled.returncode, compiled.stdout) == (0, "")
    shutil.copytree(project / "tests/mockpets", project / "build/mockpets")
    shutil.copy(FAKES / "fake_docker.mjs", project)

    tests = subprocess.run(
        [need("node"), "--import", "./fake_docker.mjs", "--test", "build/pets.test.js"],
        cwd=project,
        env=environment(project),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert "# pass 1\n# fail 0" in tests.stdout, tests.stdout + tests.stderr
    assert json.loads((project / "captured.json").read_text()) == {
        "image": "mockpets:0.2.0",
        "ports": [7387],
        "ready": ["/__mockpets/ready", 7387],
        "copied": [{"source": "mock/scenarios", "target": "/scenarios"}],
        "variables": ["MOCKPETS_CONTROL_TOKEN", "MOCKPETS_SESSIONS"],
        "command": None,
    }


@pytest.mark.slow
@pytest.mark.long  # pip downloads testcontainers
def test_python(project: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(project / ".venv")], check=True, timeout=120)
    program = str(project / ".venv/bin/python")
    install = ["-m", "pip", "install", "--quiet", *PYTHON_PACKAGES]
    subprocess.run([program, *install], check=True, timeout=300)
    [packages] = (project / ".venv/lib").glob("python*/site-packages")
    # mockpets and pytest come from the environment of this test.
    outer = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})"
    (packages / "outer.pth").write_text(outer + "\n")

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [program, *arguments],
            cwd=project,
            env=environment(project, PYTHONPATH=str(FAKES)),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    checked = python("-m", "mypy", "--strict", "conftest.py", "test_pets.py")
    tests = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fake_docker")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "1 passed" in tests.stdout, tests.stdout + tests.stderr
    started = json.loads((project / "captured.json").read_text())
    assert started["environment"].keys() == {"MOCKPETS_CONTROL_TOKEN", "MOCKPETS_SESSIONS"}
    assert started["environment"]["MOCKPETS_SESSIONS"] == "declared"
    del started["environment"]
    scenarios = str(project / "mock/scenarios")
    assert started == {
        "image": "mockpets:0.2.0",
        "command": None,  # that of the image: `mockpets serve`
        "ports": {"7387": None},
        "name": None,
        "volumes": {scenarios: {"bind": "/scenarios", "mode": "ro"}},
        "tmpfs": {},
        "read_only": True,
        "cap_drop": ["ALL"],
    }
