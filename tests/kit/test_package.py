"""The npm package: its version, its files and its entry points."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import mockpets
from mockpets.kit_files import INTEGRATIONS, files_of
from mockpets.packaged_data import shipped
from tests.programs import need, run_within

ROOT = Path(__file__).parent.parent.parent
KIT = shipped("kit")
PACKAGE = json.loads((KIT / "package.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_it_has_the_version_and_the_licence_of_the_server() -> None:
    assert (PACKAGE["name"], PACKAGE["version"]) == (PROJECT["name"], mockpets.__version__)
    assert PACKAGE["license"] == PROJECT["license"]
    assert (KIT / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@pytest.mark.node
def test_npm_packs_the_kit_and_nothing_else(tmp_path: Path) -> None:
    options = ("--dry-run", "--json", "--silent")
    packed = run_within(60, KIT, need("npm"), "pack", *options, HOME=str(tmp_path))
    [package] = json.loads(packed.stdout)

    files = {each["path"] for each in package["files"]}
    assert files == {*files_of(), "LICENSE", "README.md", "package.json", "run.js"}


def test_every_entry_point_names_a_file_types_first() -> None:
    def targets() -> Iterator[str]:
        for conditions in PACKAGE["exports"].values():
            if isinstance(conditions, str):
                yield conditions
            else:
                assert [*conditions] == ["types", "default"]
                yield from conditions.values()

    assert all((KIT / target).is_file() for target in targets())
    assert PACKAGE["exports"].keys() == {
        ".",
        "./package.json",
        "./server",
        "./states-reporter",
        *(f"./{name}" for name in INTEGRATIONS),
    }
    assert "dependencies" not in PACKAGE


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as npm publishes it."""
    folder = tmp_path_factory.mktemp("package")
    run_within(60, KIT, need("npm"), "pack", "--silent", "--pack-destination", str(folder))
    [path] = folder.iterdir()
    return path


@pytest.mark.node
def test_publint_finds_nothing(archive: Path) -> None:
    linted = run_within(120, archive.parent, need("publint"), "run", "--strict", archive.name)

    assert linted.returncode == 0, linted.stdout
    assert "All good!" in linted.stdout


@pytest.mark.node
def test_the_types_of_every_entry_point_are_found(archive: Path) -> None:
    """In every mode. CommonJS may import ES modules: each Node that the package allows does it."""
    options = ("--profile", "strict", "--ignore-rules", "cjs-resolves-to-esm")
    checked = run_within(120, archive.parent, need("attw"), archive.name, *options)

    assert checked.returncode == 0, checked.stdout
    assert [name for name in INTEGRATIONS if f'"mockpets/{name}"' not in checked.stdout] == []
