"""Tab completion in a real shell."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import need

SECONDS = 20
"""The time limit for every step, in seconds."""


@pytest.mark.tool
@pytest.mark.parametrize(("words", "expected"), [
    ("se", ["serve", "settings", "sessions"]),
    ("gates ", ["list", "open"]),
    ("serve --scenarios", ["--scenarios-dir"]),
])  # fmt: skip
def test_completion_in_a_real_bash(here: Path, words: str, expected: list[str]) -> None:
    (here / "bin").mkdir()
    program = here / "bin" / "mockpets"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mockpets "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = f"""
eval "$(_MOCKPETS_COMPLETE=bash_source mockpets)"
COMP_WORDS=(mockpets {words}) COMP_CWORD={len(words.split(" "))}
complete -p mockpets | grep -q _mockpets_completion || exit 1
_mockpets_completion mockpets
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    path = os.pathsep.join([str(here / "bin"), os.environ.get("PATH", os.defpath)])
    done = subprocess.run(
        [need("bash"), "--norc", "-ec", script],
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == expected
