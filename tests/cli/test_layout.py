"""What terminals of different widths show; `terminal.py` writes the files again."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click import unstyle

from mockpets.cli.layout import columns, excerpt, table, wrap
from mockpets.cli.main import main
from mockpets.client.request_line import request_line
from tests.cli.terminal import FILES, FOLDER, on_terminal, shown

terminal = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")


@terminal
@pytest.mark.parametrize(
    ("view", "width"),
    [
        pytest.param(
            *each, marks=() if each in (("banner", 80), ("help", 80)) else pytest.mark.slow
        )
        for each in FILES
    ],
)
def test_a_terminal_shows_the_golden_file(view: str, width: int, tmp_path: Path) -> None:
    golden = (FOLDER / f"{view}-{width}.txt").read_text(encoding="utf-8")

    hint = "run .venv/bin/python -m generate, and review the difference"
    assert shown(view, width, tmp_path) == golden, hint


@pytest.mark.parametrize(("view", "width"), FILES)
def test_no_line_is_longer_than_the_terminal(view: str, width: int) -> None:
    lines = (FOLDER / f"{view}-{width}.txt").read_text(encoding="utf-8").splitlines()

    # The values of a real server are longer than their placeholders.
    token = re.compile("(#token=|control token  )TOKEN")
    real = [
        token.sub(rf"\g<1>{'x' * 32}", unstyle(line)).replace("localhost:PORT", "localhost:65535")
        for line in lines
    ]
    assert [line for line in real if len(line) > width] == []


@pytest.mark.slow
@terminal
@pytest.mark.parametrize("stderr", ["terminal", "file"])
def test_an_error_is_wrapped_on_a_terminal_and_one_line_elsewhere(
    tmp_path: Path, stderr: str
) -> None:
    script = f"""import sys
sys.stderr = sys.stdout if {stderr == "terminal"} else open("errors", "w")
from mockpets.cli.main import main
main(["use", "empty", "--url", "http://localhost:1/with/a/long/path/of/some/proxy"])
main(["kit", "mock", "--check", "--playwright", "--vitest", "--storybook", "--cypress"])
"""
    shown = on_terminal(("-c", script), 80, tmp_path)
    lines = (shown if stderr == "terminal" else (tmp_path / "errors").read_text()).splitlines()

    assert len([line for line in lines if line.startswith("    ")]) == (stderr == "terminal")
    command = "mockpets kit mock --playwright --vitest --storybook --cypress"
    assert lines[-1] == f"mockpets: to write these files again, run: {command}"


@pytest.mark.slow
@terminal
@pytest.mark.parametrize(("value", "is_bold"), [("", True), ("1", False)])
def test_the_banner_is_bold_unless_the_user_wants_no_colours(
    tmp_path: Path, value: str, is_bold: bool
) -> None:
    script = f"import os; os.environ['NO_COLOR'] = {value!r}\n"
    script += "from mockpets.cli.main import main; main(['serve', '--port=0'])"

    assert ("\x1b[1m" in on_terminal(("-c", script, "serve"), 80, tmp_path)) == is_bold


@pytest.mark.parametrize(
    ("variable", "expected"), [(None, 80), ("100", 100), ("9", 40), ("999", 120), ("x", 80)]
)
def test_without_a_terminal_lines_have_80_columns(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, expected: int
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr("sys.__stdout__", None)  # the developer's terminal
    if variable is not None:
        monkeypatch.setenv("COLUMNS", variable)

    assert columns() == expected


def test_a_word_longer_than_the_line_stays_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    long = "x" * 60

    assert wrap(f"a {long} b-c", "1 ", "  ").split() == ["1", "a", long, "b-c"]


def test_a_long_scenario_name_gets_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "a" * 64
    (tmp_path / f"{name}.yaml").write_text(f"description: {'word ' * 30}\n", encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")

    assert main(["scenarios", "--scenarios-dir", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    position = lines.index(f"  {name}")
    assert re.fullmatch(" {34}(word ?)+", lines[position + 1])
    assert max(map(len, lines)) <= 80


def test_numbers_in_a_table_are_aligned_to_the_right() -> None:
    assert table([("name", "pets", "note"), ("a", 5, "x"), ("long-name", 1000, "")]) == [
        "name       pets  note",
        "a             5  x",
        "long-name  1000",
    ]


def test_a_caret_is_below_its_column_also_in_long_lines_and_after_wide_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    far, caret = excerpt(["x" * 100 + "HERE" + "y" * 100], 1, 101)
    wide, below = excerpt(["first", "猫: HERE", "last"], 2, 4)

    assert (len(far), far[caret.index("^") :][:4]) == (40, "HERE")
    assert (wide, below) == ("  2 | 猫: HERE", "    |     ^")  # in a terminal, 猫 is two cells
    assert excerpt(["\x1b[31m"], 1, 0) == ["  1 | \\x1b[31m"]
    assert excerpt(["only"], 2, 1) == []


def test_a_request_in_a_line_has_no_control_characters() -> None:
    """Those of a server that is not one of ours, which a URL may name."""
    evil = "\x1b]0;title\x07"
    summary: Any = {
        **dict.fromkeys(("method", "target", "fault"), evil),
        **dict.fromkeys(("held_ms", "hold", "throttle")),
        **dict.fromkeys(("number", "status", "app_ms", "delay_ms", "total_ms"), 200),
        "at": "2026-01-01T00:00:00Z",
        "outcome": "sent",
        "stubs": [evil],
        "notes": [{"code": evil, "text": evil}],
    }

    assert request_line(summary).isprintable()
