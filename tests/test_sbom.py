"""The bill of materials that the image contains, made here for the packages of this environment."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from tests.test_container_files import ALL, PROJECT, needed

SCRIPT = Path(__file__).parent.parent / "deploy" / "sbom.py"


@cache
def text() -> str:
    command = [sys.executable, "-I", str(SCRIPT)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def components() -> dict[str, Any]:
    return {each["name"]: each for each in json.loads(text())["components"]}


def test_it_is_a_cyclonedx_document() -> None:
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text()) is None


def test_the_schema_finds_mistakes() -> None:
    validator = JsonStrictValidator(SchemaVersion.V1_6)

    assert validator.validate_str(text().replace('"purl"', '"url"')) is not None


@pytest.mark.parametrize("name", sorted({"mockpets", *needed(PROJECT["dependencies"])}))
def test_each_package_has_its_version_and_licences(name: str) -> None:
    component = components()[name]

    assert component["version"] == version(name)
    assert component["purl"] == f"pkg:pypi/{name}@{version(name)}"
    assert component["licenses"]


def test_the_image_is_built_with_it() -> None:
    made = " ".join(rest for word, rest in ALL if word == "RUN")

    assert "/opt/mockpets/bin/python deploy/sbom.py >/opt/mockpets/sbom.cdx.json" in made
