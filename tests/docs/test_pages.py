"""What the pages of the documentation show works as it stands; `page` has the comments used."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from mockpets.cli.main import main
from mockpets.client import ControlClient
from mockpets.scenario.check import check
from tests.cli.test_main import wait_until
from tests.docs.page import PAGES, ROOT, SHOP, Block, blocks, name_of, needs_mark, setting, tabs
from tests.programs import PROGRAMS, environment, free_port, need, run_within

MARKS = {"run", "serve", "file", "save", "kit file", "test file", "scenario", "not run"}
TIME = re.compile(r"\d\d:\d\d:\d\d\.\d{3}Z")
COMMIT = re.compile(r"(?<=\d\.\d\.\d)\+[\w.]+")
"""What a version has after its number, which depends on the installation."""
PYTEST = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # the other plugins take seconds to load
    "PYTEST_PLUGINS": "xdist.plugin,mockpets.pytest_plugin",
}
LINK_CHROMIUM = Path(__file__).with_name("chromium.py")
OF_README = {
    *("the main job", "the test command", "tour", "tour command", "own scenario"),
    *("own document", "own state", "own repository"),
}
"""tests/test_readme.py runs these."""
OF_KIT = {"write", "kit commands"}
"""tests/kit/test_docs.py runs these."""


def pages_with(mark: str) -> list[Path]:
    """Return the pages that have a block with this mark."""
    return [page for page in PAGES if any(block.mark == mark for block in blocks(page))]


def is_long(page: Path, block: Block) -> bool:
    """Return whether a command is run with the long tests."""
    return block.argument == "long" or setting(page, "long") is not None


def commands() -> list[object]:
    """Return the pages with commands, each once for the short and once for the long ones.

    A page with tabs is there for each of them.
    """
    return [
        pytest.param(page, tab, with_long, id=name_of(page), marks=markers(page, with_long))
        for page in pages_with("run")
        for tab in range(tabs(page))
        for with_long in sorted({is_long(page, b) for b in blocks(page, tab) if b.mark == "run"})
    ]


def programs(page: Path, with_long: bool) -> list[str]:
    """Return the programs that the commands of a page need, apart from Python and a base system."""
    shown = [each for each in blocks(page) if each.mark == "run"]
    text = "\n".join(each.text for each in shown if is_long(page, each) == with_long)
    names = [name for name in ("curl", "node", "npm", "npx") if re.search(rf"\b{name}\b", text)]
    return [*names, *(["chromium-headless-shell"] if "playwright install" in text else [])]


def markers(page: Path, with_long: bool) -> list[pytest.MarkDecorator]:
    """Return the markers of a page's commands; those that download packages are in `.ci/long`."""
    names = {PROGRAMS[name].group for name in programs(page, with_long)}
    if with_long:
        names.add("long")
    return [getattr(pytest.mark, name) for name in sorted(names)]


def test_every_block_is_run_or_has_a_reason() -> None:
    problems = []
    for page, block in [(each, block) for each in PAGES for block in blocks(each)]:
        if needs_mark(block):
            problems.append(f"{name_of(page)}: add a comment above this block:\n{block.text}")
        if block.mark and block.mark not in MARKS | OF_README | OF_KIT:
            problems.append(f"{name_of(page)}: unknown comment '{block.mark}'")
        if block.mark == "not run" and not block.argument:
            problems.append(f"{name_of(page)}: the reason is missing:\n{block.text}")

    assert problems == []


@dataclass(frozen=True)
class Reader:
    """Someone who follows a page in an empty folder, with mockpets on the PATH.

    :param host: the `host:port` of the page's server.
    :param app_port: the port of the page's app.
    """

    folder: Path
    home: Path
    host: str
    app_port: int

    @property
    def variables(self) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "PLAYWRIGHT_BROWSERS_PATH": str(self.home / "browsers"),
            "MOCKPETS_URL": f"http://{self.host}",
            "MOCKPETS_PORT": self.host.partition(":")[2],
            "NO_COLOR": "1",
        }

    def adapt(self, text: str) -> str:
        """Return a text of the page with this machine's server and paths."""
        here = {
            "localhost:7387": self.host,
            "5173": str(self.app_port),
            "/path/to/mockpets": str(ROOT),
        }
        # In one pass: a port may contain the digits of the next one.
        text = re.sub("|".join(here), lambda found: here[found[0]], text)
        return re.sub(
            r"(\S*playwright install) chromium$",
            rf"\1 --dry-run chromium | {sys.executable} {LINK_CHROMIUM}",
            text,
            flags=re.MULTILINE,
        )

    def write_shop(self, text: str) -> None:
        """Write the document that pages use for your own API, if a file or command names it."""
        path = self.folder / SHOP.argument
        if SHOP.argument in text and not path.exists():
            path.write_text(SHOP.text, encoding="utf-8")

    def write(self, block: Block) -> None:
        self.write_shop(block.text)
        path = self.folder / block.argument
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.adapt(block.text), encoding="utf-8")

    def save(self, block: Block) -> None:
        """Write a file, and wait until the running server has loaded it."""
        client = ControlClient(f"http://{self.host}")
        events = client.events()
        self.write(block)
        while "files" not in events["changed"]:
            before, events = events, client.events(since=events["change"], wait=20)
            assert events["change"] > before["change"], "the server does not load the file"

    def run(self, block: Block) -> None:
        """Run a command and compare its output, except for times and the version's commit."""
        for _ in range(500 if block.text.startswith("grep ") else 1):
            done = self.call(block)
            if done.stdout:  # the server writes its log beside the requests
                break
        output = done.stdout.replace(self.host, "localhost:7387")
        assert (done.returncode != 0) == (block.argument == "fails"), output + done.stderr
        if block.output:
            shown, expected = (
                COMMIT.sub("", TIME.sub("TIME", each.rstrip("\n")))
                for each in (output, block.output)
            )
            assert shown == expected, block.text

    def call(self, block: Block) -> subprocess.CompletedProcess[str]:
        self.write_shop(block.text)
        has_own_pytest = ".venv/bin/pytest" in block.text
        variables = {**self.variables, **({} if has_own_pytest else PYTEST)}
        return run_within(300, self.folder, "sh", "-ec", self.adapt(block.text), **variables)

    @contextmanager
    def serve(self, command: str, banner: str = "") -> Iterator[None]:
        """Run a command that starts mockpets and keeps running."""
        self.write_shop(command)
        with subprocess.Popen(
            ["sh", "-c", f"exec {command}"],
            cwd=self.folder,
            env=environment(**self.variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # one line for each request
            text=True,
        ) as process:
            assert process.stdout is not None
            try:
                lines = [process.stdout.readline()] if "--log json" not in command else []
                if lines:
                    assert re.match(r"mockpets \S+ serves (.+ at http|\d+ contracts:)", lines[0])
                else:
                    assert wait_until(lambda: main(["health", "--url", f"http://{self.host}"]) == 0)
                while banner and lines[-1] and "Ctrl-C" not in lines[-1]:
                    lines.append(process.stdout.readline())
                # As on a terminal, which has no line for coding agents.
                lines = [line for line in lines if not line.startswith("coding agents")]
                shown = "".join(lines).replace(self.host, "localhost:7387")
                assert not banner or shown == banner
                yield
            finally:
                process.terminate()


@pytest.mark.parametrize(("page", "tab", "with_long"), commands())
def test_the_commands_work(page: Path, tab: int, with_long: bool, tmp_path: Path) -> None:
    """In the order of the page, in one folder, which also gets the files of the page."""
    for name in programs(page, with_long):
        need(name)
    reader = Reader(tmp_path / "page", tmp_path / "home", f"localhost:{free_port()}", free_port())
    reader.folder.mkdir()
    reader.home.mkdir()
    options = setting(page, "server")
    with ExitStack() as running:
        for block in blocks(page, tab):
            if block.mark in ("file", "test file") and block.argument:
                reader.write(block)
            elif block.mark == "save":
                reader.save(block)
            elif block.mark == "serve":
                running.enter_context(reader.serve(block.text.strip(), block.output))
            elif block.mark == "run" and is_long(page, block) == with_long:
                if options is not None:
                    running.enter_context(reader.serve(f"mockpets serve {options} --log quiet"))
                    options = None
                reader.run(block)


@pytest.mark.long
@pytest.mark.parametrize("page", pages_with("test file"), ids=name_of)
def test_the_pytest_tests_pass(page: Path, tmp_path: Path) -> None:
    """Each file in a run of its own, since a run has one server."""
    for block in blocks(page):
        if block.mark != "test file":
            continue
        (tmp_path / SHOP.argument).write_text(SHOP.text, encoding="utf-8")
        (tmp_path / "test_shown.py").write_text(block.text, encoding="utf-8")
        done = run_within(120, tmp_path, sys.executable, "-m", "pytest", "-q", **PYTEST)
        assert done.returncode == 0, done.stdout
        assert re.search(r"^\d+ passed", done.stdout, re.MULTILINE)


def test_the_scenarios_have_no_problems(tmp_path: Path) -> None:
    for number, page in enumerate(pages_with("scenario")):
        folder = tmp_path / str(number)
        folder.mkdir()
        for block in blocks(page):
            if block.mark == "scenario":
                path = folder / f"{block.argument.removesuffix('.yaml')}.yaml"
                path.write_text(block.text, encoding="utf-8")
        result = check([folder], [], [])
        assert (result.problems, result.warnings) == ((), ()), name_of(page)
