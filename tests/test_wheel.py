"""The built wheel: its contents, and a server that runs from it outside the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from generate import build_files
from mockpets.constants import VERSION
from tests.programs import run

pytestmark = pytest.mark.long

ROOT = Path(__file__).parent.parent
PIP = (sys.executable, "-m", "pip")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (*PIP, "wheel", "--quiet", "--no-deps", "-w", folder, ROOT)
    done = run(folder, *build, GIT_DIR=str(folder))  # as in a hook of another repository
    assert done.returncode == 0, done.stderr
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_has_only_the_package_and_the_shipped_files(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "mockpets").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    shipped = {
        f"mockpets/_shipped/{folder}/{path.name}"
        for folder in ("fixtures", "scenarios", "skill")
        for path in (ROOT / folder).iterdir()
    }
    kit = {
        f"mockpets/_shipped/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "kit").rglob("*")
        if path.is_file()
    }
    links = re.findall(r"\]\(\.\./(docs/[^)#]+)", (ROOT / "skill/SKILL.md").read_text("utf-8"))
    pages = {f"mockpets/_shipped/{page}" for page in links}
    commit = {"mockpets/_commit.py" for _ in ROOT.glob(".git")}

    assert inside == package | shipped | kit | pages | commit | build_files.files().keys()


def version_in(site: Path) -> str:
    """Return what `mockpets --version` prints, without the name."""
    command = (sys.executable, "-m", "mockpets", "--version")
    return run(site, *command, PYTHONPATH=str(site), PYTHONSAFEPATH="1").stdout.split()[-1]


@pytest.fixture(scope="module")
def build_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a build needs; pip would install it again for each of them."""
    folder = tmp_path_factory.mktemp("build")
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]
    install = (*PIP, "install", "--quiet", "--target", folder, *requires["requires"])
    assert run(folder, *install).returncode == 0
    return folder


@pytest.mark.parametrize(("commit", "version"), [
    ("0123abcd-dirty", f"{VERSION}+g0123abc.dirty"),
    ("in an sdist", f"{VERSION}+gfedcba9"),
    ("v0.1", None),
])  # fmt: skip
def test_a_build_without_a_repository_has_the_commit_of_a_variable_or_of_an_sdist(
    tmp_path: Path, build_tools: Path, commit: str, version: str | None
) -> None:
    """As in the Dockerfile; the repository around the source is another one."""
    source, site = tmp_path / "source", tmp_path / "site"
    (tmp_path / ".git").mkdir()
    for name in ("mockpets", "kit", "scenarios", "fixtures", "skill", "docs", "generate"):
        ignore = shutil.ignore_patterns("node_modules", "__pycache__")
        shutil.copytree(ROOT / name, source / name, ignore=ignore)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    if commit == "in an sdist":
        (source / "mockpets/_commit.py").write_text('COMMIT = "gfedcba9"\n')
        commit = ""
    install = (*PIP, "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", site)
    variables = {"MOCKPETS_COMMIT": commit, "PYTHONPATH": str(build_tools)}
    done = run(source, *install, source, **variables)
    if version is None:
        assert "MOCKPETS_COMMIT must be a commit such as $(git rev-parse HEAD)" in done.stderr
    else:
        assert version_in(site) == version, done.stderr


def test_the_server_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """Dependencies come from this environment, the package only from the wheel."""
    site = tmp_path / "site"
    done = run(tmp_path, *PIP, "install", "--quiet", "--no-deps", "--target", site, wheel)
    assert done.returncode == 0, done.stderr
    code = (
        "import sys, mockpets; print(mockpets.__file__); "
        "from mockpets.cli.main import main; sys.exit(main())"
    )
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--scenario", "full-page", "--port", "0"],
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            assert Path(process.stdout.readline()).is_relative_to(site)
            if (ROOT / ".git").exists():
                commit = run(ROOT, "git", "rev-parse", "HEAD").stdout[:7]
                assert re.fullmatch(rf"{VERSION}\+g{commit}(\.dirty)?", version_in(site))
            url = ""
            for line in process.stdout:
                url = next((word for word in line.split() if word.endswith("/v1")), url)
                if "Ctrl-C" in line:
                    break
            request = Request(f"{url}/pets?limit=100", headers={"Authorization": "Bearer mockpets"})  # noqa: S310 - our own server
            with urlopen(request, timeout=10) as response:  # noqa: S310
                assert len(json.load(response)) == 100
            kit = url.replace("/v1", "/__mockpets/playwright.js")
            with urlopen(kit, timeout=10) as response:  # noqa: S310
                assert b"webServer" in response.read()
        finally:
            process.terminate()
        assert process.wait(timeout=20) == 0
