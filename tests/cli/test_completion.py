"""Tab completion, as the scripts of the shells ask for it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mockpets.cli.main import main
from tests.cases import each as for_each
from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECONDS = 20
"""The time limit for every step, in seconds."""
VARIABLE = "_MOCKPETS_COMPLETE"
Complete = Any


@pytest.fixture
def complete(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], list[str]]:
    """Return a function that completes the last word of a line, as bash does."""

    def complete_it(line: str) -> list[str]:
        monkeypatch.setenv(VARIABLE, "bash_complete")
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
        with pytest.raises(SystemExit) as stop:
            main([])
        monkeypatch.delenv(VARIABLE)
        out, err = capsys.readouterr()
        assert (stop.value.code, err) == (0, "")
        items = [line for line in out.splitlines() if line]
        assert all(item.startswith("plain,") for item in items)
        return [item.removeprefix("plain,") for item in items]

    return complete_it


@for_each(
    "line, expected",
    [
        ("mockpets se", ["serve", "settings", "sessions"]),
        ("mockpets gates ", ["list", "open"]),
        ("mockpets pets list --status s", ["sold"]),
        ("mockpets pets set sh", ["showroom"]),
        ("mockpets serve --scenario=em", ["empty"]),
        ("mockpets serve --scenario retry,em", ["retry,empty"]),
        ("mockpets serve --log j", ["json", "json-quiet"]),
        ("mockpets serve --port ", []),
        ("mockpets use retr", ["retry", "retry-now"]),
    ],
)
def test_completion(complete: Complete, line: str, expected: list[str]) -> None:
    assert complete(line) == expected


def test_scenarios_complete_from_own_folders(
    complete: Complete, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "mine").mkdir()
    (here / "mine" / "tired-cat.yaml").write_text("not: even valid\n", encoding="utf-8")
    (here / "mine" / "two.json").write_text("[]", encoding="utf-8")

    assert complete("mockpets serve --scenario ti") == []
    assert complete("mockpets serve --scenarios-dir mine --scenario ti") == ["tired-cat"]
    assert complete("mockpets serve --scenarios-dir no --scenario em") == ["empty"]
    monkeypatch.setenv("MOCKPETS_SCENARIOS_DIR", "mine")
    assert complete("mockpets serve --scenario ti") == ["tired-cat"]


def test_folders_are_left_to_the_shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for option, kind in [
        ("serve --scenarios-dir", "dir"),
        ("serve --state", "file"),
        ("serve --config", "file"),
        ("kit --out", "dir"),
    ]:
        monkeypatch.setenv(VARIABLE, "bash_complete")
        monkeypatch.setenv("COMP_WORDS", f"mockpets {option} m")
        monkeypatch.setenv("COMP_CWORD", "3")
        with pytest.raises(SystemExit):
            main([])
        assert capsys.readouterr().out == f"{kind},m\n"


def test_completion_imports_nothing_heavy() -> None:
    script = (
        "import sys, atexit\n"
        "heavy = {'faker', 'flask', 'marshmallow', 'waitress', 'werkzeug', 'yaml'}\n"
        "atexit.register(lambda: print(sorted(heavy & set(sys.modules)), file=sys.stderr))\n"
        "from mockpets.cli.main import main\n"
        "main()"
    )
    for words in ("serve --scenario ", "use --url http://127.0.0.1:1 ", "pets set "):
        asked = {"COMP_WORDS": f"mockpets {words}", "COMP_CWORD": str(words.count(" ") + 1)}
        done = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | asked | {VARIABLE: "bash_complete"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        assert done.stderr == "[]\n"
        assert "showroom" in done.stdout or "empty" in done.stdout


@pytest.mark.tool
@for_each(
    "words, expected",
    [
        ("serve --scenario sold", ["sold-out"]),
        ("serve --scenario retry,em", ["retry,empty"]),
    ],
)
def test_completion_in_a_real_bash(here: Path, words: str, expected: list[str]) -> None:
    (here / "bin").mkdir()
    program = here / "bin" / "mockpets"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mockpets "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = f"""
eval "$(_MOCKPETS_COMPLETE=bash_source mockpets)"
COMP_WORDS=(mockpets {words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
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
