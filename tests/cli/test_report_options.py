"""`--format`, `--output` and `--fail-on`, as every command with a report has them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import click
import pytest

from mockpets.cli import main as command_line
from mockpets.cli.commands import Command
from mockpets.cli.main import main
from mockpets.cli.report_options import FORMATS, Output, deliver, with_output
from mockpets.errors import printable
from mockpets.report.formats import WRITERS
from tests.cases import each as for_each
from tests.docs.page import ROOT
from tests.report.reports import REPORT, SUMMARY

if TYPE_CHECKING:
    from collections.abc import Callable

Run = Any
VARIABLE = "GITHUB_STEP_SUMMARY"
FAILS = ["mockpets: --fail-on: findings of retry-pauses"]


@click.command(cls=Command)
@with_output
def sample(output: Output) -> int:
    """Report something."""
    return deliver(REPORT, output)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the command, in an empty folder and outside of GitHub Actions."""
    module = ModuleType("mockpets.cli.sample")
    module.__dict__["sample"] = sample
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(command_line._SECTIONS["Run a server"], "sample", "Sample.")
    monkeypatch.setattr(command_line._commands, "commands", {})
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, list[str]]]:
    """Return a function that runs the command and returns status, output and errors."""

    def run_it(*arguments: str) -> tuple[int, str, list[str]]:
        status = main(["sample", *arguments])
        out, err = capsys.readouterr()
        return status, out, err.splitlines()

    return run_it


@for_each("name", [each for each in FORMATS if each != "github"])
def test_a_format_goes_to_standard_output_or_to_a_file(run: Run, name: str) -> None:
    text = WRITERS[name](REPORT) + "\n"

    assert run("--format", name) == (0, text, [])
    assert run("--format", name, "-o", "report") == (0, "", [])
    assert Path("report").read_bytes() == text.encode()


def test_the_default_is_text(run: Run) -> None:
    assert run() == (0, WRITERS["text"](REPORT) + "\n", [])


def test_an_unknown_format_is_rejected_with_the_list(run: Run) -> None:
    status, out, [error] = run("--format", "xml")

    assert (status, out) == (2, "")
    assert error.startswith("mockpets: --format: 'xml' is not one of 'text', 'markdown', 'github'")


@for_each("name", ["sarif", "html"])
def test_a_removed_format_is_rejected_with_those_that_exist(run: Run, name: str) -> None:
    formats = "text, markdown, github, json, junit"
    message = f"mockpets: --format: the format '{name}' was removed; formats: {formats}"

    assert run("--format", name) == (2, "", [message])


def test_a_file_is_replaced(run: Run) -> None:
    Path("report").write_text("before\n" * 1000, encoding="utf-8")
    run("-o", "report")

    assert Path("report").read_text(encoding="utf-8") == WRITERS["text"](REPORT) + "\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs Unix pipes")
def test_a_report_can_be_written_to_a_pipe(run: Run) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run("-o", "pipe")[0] == 0
        assert os.read(reader, 1 << 20).decode() == WRITERS["text"](REPORT) + "\n"
    finally:
        os.close(reader)


@for_each(
    "file, problem",
    [
        ("no/such/report", "No such file or directory; create the folder 'no/such' first"),
        ("a-file/report", "Not a directory; create the folder 'a-file' first"),
        ("a-folder", "Is a directory; add the name of a file in this folder"),
        ("\x1b/x", "No such file or directory; create the folder '\\x1b' first"),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error(run: Run, file: str, problem: str) -> None:
    Path("a-folder").mkdir()
    Path("a-file").touch()
    status, out, errors = run("-o", file)

    expected = [f"mockpets: {printable(file)}: cannot write this file: {problem}"]
    assert (status, out, errors) == (2, "", expected)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs Unix permissions")
def test_a_file_without_permission_is_an_error(tmp_path: Path) -> None:
    """Runs as another user if this is the superuser, who can write everything."""
    script = (
        "import os, sys; from pathlib import Path; from tests.cli.test_report_options import *;"
        "os.geteuid() == 0 and os.setuid(65534);"
        "sys.exit(sample.main(['-o', 'report'], standalone_mode=False))"
    )
    Path("report").touch(0o400)
    tmp_path.chmod(0o755)
    result = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert result.stderr.splitlines()[-1].endswith(
        "report: cannot write this file: Permission denied; "
        "check the permissions of the file and its folder"
    )


@for_each("name", FORMATS)
@for_each("encoding", ["ascii", "iso8859-5"])  # which click takes for UTF-8; Cyrillic
def test_a_terminal_that_is_not_utf_8_gets_the_whole_report(
    name: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "summary.md")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    status = main(["sample", "--format", name])
    text = WRITERS[name](REPORT) + "\n"

    assert status == 0
    if encoding != "ascii":
        text = text.replace("\u00e9", "\\xe9")
    assert written.getvalue().decode() == text


# --- GitHub ---------------------------------------------------------------------------------------


def test_github_gets_a_summary_and_annotations(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "summary.md")
    Path("summary.md").write_text("# Before\n\n", encoding="utf-8")

    assert run("--format", "github") == (0, WRITERS["github"](REPORT) + "\n", [])
    golden = SUMMARY.read_text(encoding="utf-8")
    assert Path("summary.md").read_text(encoding="utf-8") == f"# Before\n\n{golden}"


@for_each("value", [None, ""])
def test_github_needs_its_variable(
    run: Run, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)

    assert run("--format", "github") == (
        2,
        "",
        [
            "mockpets: --format: github needs the variable GITHUB_STEP_SUMMARY, which GitHub "
            "Actions sets to a file; use --format markdown, or set it: "
            "GITHUB_STEP_SUMMARY=summary.md"
        ],
    )


def test_github_cannot_be_written_to_a_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "summary.md")

    assert run("--format", "github", "-o", "report") == (
        2,
        "",
        [
            "mockpets: --output: cannot be combined with --format github, which GitHub reads from "
            "standard output; remove it, or use --format markdown"
        ],
    )
    assert [*Path().iterdir()] == []


def test_a_summary_that_cannot_be_written_is_an_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "gone/summary.md")

    assert run("--format", "github") == (
        2,
        "",
        [
            "mockpets: gone/summary.md: cannot write this file: No such file or directory; "
            "create the folder 'gone' first"
        ],
    )


# --- The exit status ------------------------------------------------------------------------------


@for_each(
    "names, status, errors",
    [
        (["retry-pauses"], 1, FAILS),
        (["key-in-query"], 0, []),
        (["key-in-query,retry-pauses"], 1, FAILS),
        (["key-in-query", "retry-pauses"], 1, FAILS),
        (["all"], 1, ["mockpets: --fail-on: findings of retry-pauses, deprecated-operation"]),
        (["error"], 1, FAILS),
        (
            ["error,deprecated-operation"],
            1,
            ["mockpets: --fail-on: findings of retry-pauses, deprecated-operation"],
        ),
    ],
)
def test_findings_of_these_rules_fail_the_command(
    run: Run, names: list[str], status: int, errors: list[str]
) -> None:
    options = [word for name in names for word in ("--fail-on", name)]

    assert run(*options) == (status, WRITERS["text"](REPORT) + "\n", errors)


@for_each(
    "name, problem",
    [
        ("retry-pause", "unknown rule 'retry-pause'; did you mean 'retry-pauses'?"),
        (
            "x",
            "unknown rule 'x'; rules: retry-pauses, deprecated-operation, key-in-query; or error, "
            "or all",
        ),
        ("errors", "unknown rule 'errors'; did you mean 'error'?"),
        (
            "warning,all",
            "unknown rule 'warning'; rules: retry-pauses, deprecated-operation, key-in-query; "
            "or error, or all",
        ),
        ("all,alll", "unknown rule 'alll'; did you mean 'all'?"),
    ],
)
def test_an_unknown_rule_is_an_error(run: Run, name: str, problem: str) -> None:
    assert run("--fail-on", name, "-o", "report") == (2, "", [f"mockpets: --fail-on: {problem}"])
    assert [*Path().iterdir()] == []
