"""The generated declarations of the kit are up to date, and the hand-written ones find them."""

from __future__ import annotations

import re
import subprocess

from mockpets.packaged_data import shipped
from tests.kit.declarations import declarations
from tests.programs import need

KIT = shipped("kit")


def test_the_generated_declarations_are_up_to_date() -> None:
    stale = [
        name
        for name, text in declarations().items()
        if (KIT / name).read_text(encoding="utf-8") != text
    ]

    assert not stale, "out of date; run .venv/bin/python -m tests.kit.declarations"


def test_the_declarations_export_no_empty_types() -> None:
    control = (KIT / "control.d.ts").read_text(encoding="utf-8")

    assert not re.findall(r"Record<string, never>;$", control, re.MULTILINE)


def test_the_declarations_of_the_client_compile() -> None:
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
