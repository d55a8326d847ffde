"""The generated declarations of the kit are up to date, and the hand-written ones find them."""

from __future__ import annotations

import re
import subprocess

import pytest

from mockpets.constants import PROTOCOL, VERSION
from mockpets.packaged_data import shipped
from tests.kit.declarations import control, scenarios
from tests.programs import need

KIT = shipped("kit")


STALE = "out of date; run .venv/bin/python -m tests.kit.declarations"


def test_the_lists_of_scenarios_are_up_to_date() -> None:
    for name, text in scenarios().items():
        assert (KIT / name).read_text(encoding="utf-8") == text, STALE


@pytest.mark.node
def test_the_declarations_of_the_control_api_are_up_to_date() -> None:
    assert (KIT / "control.d.ts").read_text(encoding="utf-8") == control(), STALE


def test_the_client_has_the_version_and_the_protocol_of_the_server() -> None:
    client = (KIT / "client.js").read_text(encoding="utf-8")

    assert f'const VERSION = "{VERSION}";\nconst PROTOCOL = {PROTOCOL};\n' in client


def test_the_declarations_export_no_empty_types() -> None:
    control = (KIT / "control.d.ts").read_text(encoding="utf-8")

    assert not re.findall(r"Record<string, never>;$", control, re.MULTILINE)


@pytest.mark.node
@pytest.mark.slow
def test_the_declarations_of_the_client_compile() -> None:
    """Without the types of Node, which `test_types.py` has."""
    options = ("--strict", "--noEmit", "--pretty", "false", "--module", "nodenext")
    files = ("client.d.ts", "control.d.ts", "scenarios.d.ts")
    compiled = subprocess.run(
        [need("tsc"), *options, "--lib", "es2022,dom", *files],
        cwd=KIT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (compiled.returncode, compiled.stdout) == (0, "")
