"""The built wheel: its contents, and a server that runs from it outside the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from mockpets.kit import files_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "-w",
            str(folder),
            str(ROOT),
        ],
        check=True,
        timeout=120,
    )
    [path] = folder.glob("*.whl")
    return path


def test_the_wheel_has_only_the_package_and_the_shipped_files(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "mockpets").rglob("*.py")}
    shipped = {
        f"mockpets/_shipped/{folder}/{path.name}"
        for folder in ("fixtures", "scenarios")
        for path in (ROOT / folder).iterdir()
    }
    kit = {f"mockpets/_shipped/kit/{name}" for name in files_of()} - {
        "mockpets/_shipped/kit/package.json"  # the command makes it
    }
    folder = ROOT / "mockpets" / "web" / "panel"
    panel = {path.relative_to(ROOT).as_posix() for path in folder.iterdir()}
    others = {"mockpets/py.typed", "mockpets/web/templates/docs.html"}

    assert inside == package | shipped | kit | panel | others


def test_the_server_runs_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """Dependencies come from this environment, the package only from the wheel."""
    site = tmp_path / "site"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            str(site),
            str(wheel),
        ],
        check=True,
        timeout=120,
    )
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
