"""What the pages of the documentation show works as it stands; `page` has the comments used."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mockpets.cli.scenario_check import check
from tests.docs.page import PAGES, Block, blocks, name_of, needs_mark, setting

if TYPE_CHECKING:
    from collections.abc import Iterator

MARKS = {"run", "file", "kit file", "test file", "scenario", "not run"}
OF_README = {"the main job", "the test command", "tour"}
"""tests/test_readme.py runs these."""


def pages_with(*marks: str) -> list[object]:
    """Return the pages that have a block with one of these marks, the slow ones marked as slow."""
    return [
        pytest.param(
            page, id=name_of(page), marks=[pytest.mark.slow] * (setting(page, "slow") is not None)
        )
        for page in PAGES
        if any(block.mark in marks for block in blocks(page))
    ]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_block_is_run_or_has_a_reason(page: Path) -> None:
    for block in blocks(page):
        assert not needs_mark(block), f"add a comment above this block:\n{block.text}"
        assert not block.mark or block.mark in MARKS | OF_README, block.mark
        assert block.mark != "not run" or block.argument, f"the reason is missing:\n{block.text}"


@contextmanager
def server(page: Path, folder: Path) -> Iterator[str]:
    """Start the server of a page, if it has one; yield the `host:port` that it listens on."""
    options = setting(page, "server")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        host = f"localhost:{probe.getsockname()[1]}"
    if options is None:
        yield host
        return
    command = f"exec mockpets serve {options} --quiet --port {host.partition(':')[2]}"
    with subprocess.Popen(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(folder, host),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "serves the pet store" in process.stdout.readline()
        try:
            yield host
        finally:
            process.terminate()


def environment(folder: Path, host: str) -> dict[str, str]:
    """Return the environment of a user who has mockpets on the PATH."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return {
        **os.environ,
        "PATH": path,
        "HOME": str(folder),
        "MOCKPETS_URL": f"http://{host}",
        "NO_COLOR": "1",
    }


def run(block: Block, folder: Path, host: str) -> None:
    """Run a command of a page and compare its output."""
    done = subprocess.run(
        ["sh", "-ec", block.text.replace("localhost:7387", host)],
        cwd=folder,
        env=environment(folder, host),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    output = done.stdout.replace(host, "localhost:7387")
    assert (done.returncode != 0) == (block.argument == "fails"), output + done.stderr
    if block.output:
        assert output.rstrip("\n") == block.output.rstrip("\n"), block.text


@pytest.mark.parametrize("page", pages_with("run"))
def test_the_commands_work(page: Path, tmp_path: Path) -> None:
    """In the order of the page, in one folder that also has the files of the page."""
    for block in blocks(page):
        if block.mark == "file":
            path = tmp_path / block.argument
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
    with server(page, tmp_path) as host:
        for block in blocks(page):
            if block.mark == "run":
                run(block, tmp_path, host)


@pytest.mark.parametrize("page", pages_with("test file"))
def test_the_pytest_tests_pass(page: Path, tmp_path: Path) -> None:
    files = [block.text for block in blocks(page) if block.mark == "test file"]
    for number, text in enumerate(files):
        (tmp_path / f"test_{number}.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if "PYTEST" not in name},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("page", pages_with("scenario"))
def test_the_scenarios_have_no_problems(page: Path, tmp_path: Path) -> None:
    for block in blocks(page):
        if block.mark == "scenario":
            name = block.argument.removesuffix(".yaml")
            (tmp_path / f"{name}.yaml").write_text(block.text, encoding="utf-8")
    result = check([tmp_path], [], [])

    assert (result.problems, result.warnings) == ((), ())
