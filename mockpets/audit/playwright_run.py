"""Run the tests of an audit by the Playwright of the project, and find those that fail rightly."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mockpets.kit_files import files_of, known_of, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.kit_files import Known

RUN_MODULE: Final = "./fixture"
"""What the tests import as fixture while they run."""
_RETRIES: Final = "RETRIES_MS = 15_000"
_SHORTER: Final = "RETRIES_MS = 5_000"
"""The audit has waited longer already, and every test that fails waits as long."""
_TEST_SECONDS: Final = 60
"""Time limit of a test: it starts a browser, and waits `RETRIES_MS` for what does not come."""
_STOP_SECONDS: Final = 10
"""How long Playwright may take to stop its browsers after SIGINT."""


@dataclass(frozen=True)
class Run:
    """Where and how the tests run.

    :param app: the URL of the app.
    :param mock: the root URL of the mock.
    :param cwd: the folder of the project, which has Playwright.
    :param browser: a channel such as ``chrome``, the path of a browser, or None for Playwright's.
    :param base_url: that of the API as the app calls it, if it is not a base path of the mock.
    :param storage_state: a file with the state of the browser.
    """

    app: str
    mock: str
    cwd: Path
    browser: str | None = None
    base_url: str | None = None
    token: str | None = None
    storage_state: Path | None = None
    workers: int = 2


def not_failing(
    tests: Mapping[str, str], messages: Mapping[str, str], helpers: str, run: Run
) -> dict[str, str]:
    """Run tests; return why those are of no use that do not fail by their own assertion.

    :param tests: the texts by file name.
    :param messages: what the assertion of each reports.
    """
    results = run_tests({**tests, "audit.ts": helpers.replace(_RETRIES, _SHORTER)}, run)
    if isinstance(results, str):
        return dict.fromkeys(tests, results)
    reasons: dict[str, str] = {}
    for name in tests:
        reason = _reason(results.get(name), messages[name])
        if reason:
            reasons[name] = reason
    return reasons


def run_tests(texts: Mapping[str, str], run: Run) -> dict[str, dict[str, Any]] | str:
    """Run tests in a temporary folder; return Playwright's result of each by file name.

    Instead, return the reason why nothing has run.
    """
    modules = _modules(run.cwd)
    node = shutil.which("node")
    if modules is None or node is None:
        return f"{'@playwright/test' if node else 'node'} is not installed"
    with tempfile.TemporaryDirectory(prefix="mockpets-audit-") as name:
        folder = Path(name)
        try:
            _write(folder, texts, modules, run)
        except OSError as error:  # such as Windows without the right to make links
            return f"the tests cannot be written: {error.strerror}"
        command = [node, modules / "@playwright/test/cli.js", "test", "-c", "playwright.config.mjs"]
        output = _output([*map(str, command)], folder, _environment(run))
        try:
            report = json.loads((folder / "report.json").read_text("utf-8", errors="replace"))
        except (OSError, ValueError):
            return f"Playwright did not run: {_first_line(output)}"
    results = dict(_results(report))
    if not results and report["errors"]:
        return f"Playwright did not run: {_first_line(report['errors'][0]['message'])}"
    return results


def _output(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    """Run a command; return what it prints. An interrupted one closes its browsers."""
    with subprocess.Popen(  # noqa: S603 - the project's own Playwright
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        try:
            return process.communicate()[0]
        except BaseException:
            process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.communicate(timeout=_STOP_SECONDS)
            process.kill()
            raise


def _modules(cwd: Path) -> Path | None:
    """Return the nearest folder of packages that has Playwright."""
    folders = (each / "node_modules" for each in (cwd, *cwd.resolve().parents))
    return next((each for each in folders if (each / "@playwright/test").exists()), None)


def _write(folder: Path, texts: Mapping[str, str], modules: Path, run: Run) -> None:
    """Write the tests, our kit, the fixture and the configuration."""
    # Not in the project, whose tools may watch it; not in its node_modules, since Playwright does
    # not compile TypeScript there.
    (folder / "node_modules").symlink_to(modules.resolve(), target_is_directory=True)
    (folder / "package.json").write_text('{"type": "module"}')
    kit = folder / "tests/mockpets"
    kit.mkdir(parents=True)
    for name in files_of(["playwright"]):
        if name.endswith((".js", ".json")):
            (kit / name).write_text(render(name, _unknown()), encoding="utf-8")
    fixture = files("mockpets.audit").joinpath("fixture.ts").read_text(encoding="utf-8")
    for name, text in {
        "fixture.ts": fixture.replace("BASE;", f"{json.dumps(run.base_url)};"),
        **texts,
    }.items():
        (folder / "tests" / name).write_bytes(text.encode("utf-8", "replace"))
    config = f"export default {json.dumps(_config(len(texts), run))};\n"
    (folder / "playwright.config.mjs").write_text(config, encoding="utf-8")


def _unknown() -> Known:
    """Return what the kit need not know where nothing checks types."""
    from mockpets.scenario.library import load_library

    return known_of(load_library((), ()))


def _config(number: int, run: Run) -> dict[str, Any]:
    use: dict[str, Any] = {"baseURL": run.app, "mockUrl": run.mock}
    if run.browser is not None:
        is_path = any(separator in run.browser for separator in "/\\")
        use |= (
            {"launchOptions": {"executablePath": run.browser}}
            if is_path
            else {"channel": run.browser}
        )
    if run.storage_state is not None:
        use["storageState"] = str(run.storage_state.resolve())
    return {
        "testDir": "tests",
        "fullyParallel": True,
        "workers": run.workers,
        "timeout": _TEST_SECONDS * 1000,
        "globalTimeout": _TEST_SECONDS * 1000 * number,
        "expect": {"timeout": 5_000},
        "reporter": [["json", {"outputFile": "report.json"}]],
        "use": {**use, "actionTimeout": 10_000, "navigationTimeout": 15_000},
    }


def _environment(run: Run) -> dict[str, str]:
    environment = {**os.environ, "FORCE_COLOR": "0"}
    if run.token is not None:
        environment["MOCKPETS_CONTROL_TOKEN"] = run.token
    return environment


def _results(suite: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for inner in suite.get("suites", ()):
        yield from _results(inner)
    for spec in suite.get("specs", ()):
        yield Path(spec["file"]).name, spec["tests"][0]["results"][-1]


def _reason(result: Mapping[str, Any] | None, message: str) -> str:
    """Return why a test is of no use; empty for one that fails by its own assertion."""
    if result is None:
        return "the test did not run"
    if result["status"] == "passed":
        return "the test passes"
    errors = [_plain(each.get("message", "")) for each in result.get("errors", ())]
    if result["status"] == "failed" and errors and errors[0].startswith(f"Error: {message}\n"):
        return ""
    return f"the test fails otherwise: {_first_line(errors[0]) if errors else result['status']}"


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _first_line(text: str) -> str:
    lines = [line.strip() for line in _plain(text).splitlines() if line.strip()]
    return lines[0] if lines else "no output"
