"""The bill of materials that the image contains, made here for the packages of this environment."""

import json
import platform
import re
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.programs import need
from tests.test_container_files import ALL, PROJECT, needed

SCRIPT = Path(__file__).parent.parent / "deploy" / "release" / "sbom.py"


@cache
def text() -> str:
    command = [sys.executable, "-I", str(SCRIPT)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def components(kind: str) -> dict[str, Any]:
    """Return the packages of a kind, such as ``pypi``, by name."""
    found = json.loads(text())["components"]
    return {each["name"]: each for each in found if each["purl"].startswith(f"pkg:{kind}/")}


@pytest.mark.long
def test_it_is_a_cyclonedx_document() -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text()) is None


@pytest.mark.parametrize("name", sorted({"mockpets", *needed(PROJECT["dependencies"])}))
def test_each_package_has_its_version_and_licences(name: str) -> None:
    component = components("pypi")[name]

    assert component["version"] == version(name)
    assert component["purl"] == f"pkg:pypi/{name}@{version(name)}"
    assert component["licenses"]


def test_python_has_its_version() -> None:
    assert components("generic")["python"]["version"] == platform.python_version()


@pytest.mark.tool
def test_the_packages_of_the_system_are_those_of_dpkg() -> None:
    form = "${db:Status-Status} ${Package} ${Version}\n"
    command = [need("dpkg-query"), "--show", f"--showformat={form}"]
    rows = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = {(name, each["version"]) for name, each in components("deb").items()}

    assert found == {
        (name, rest) for status, name, rest in map(str.split, rows) if status == "installed"
    }
    package = components("deb")["zlib1g"]
    system = platform.freedesktop_os_release()
    [architecture] = re.findall(r"arch=(\w+)", package["purl"])
    assert package["purl"] == (
        f"pkg:deb/{system['ID']}/zlib1g@{package['version'].replace('+', '%2B')}"
        f"?arch={architecture}&distro={system['ID']}-{system['VERSION_ID']}"
    )
    assert {"license": {"name": "Zlib"}} in package["licenses"]


def test_the_image_is_built_with_it() -> None:
    made = " ".join(rest for word, rest in ALL if word == "RUN")

    assert "/opt/mockpets/bin/python deploy/release/sbom.py >/opt/mockpets/sbom.cdx.json" in made
