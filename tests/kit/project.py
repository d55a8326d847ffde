"""Run Playwright tests in a project that has the kit."""

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mockpets.constants import BUILT_IN_CONTRACT
from mockpets.kit_files import files_of, known_of, render
from mockpets.packaged_data import shipped
from mockpets.scenario.contract_files import load_contracts
from mockpets.scenario.library import load_library
from tests.programs import need, need_packages, run_within

CONFIG = """\
import { defineConfig } from "@playwright/test";

export default defineConfig({
  fullyParallel: true,
  workers: 4,
  timeout: 60_000, // for busy machines
  expect: { timeout: 20_000 },
  reporter: [["json", { outputFile: "report.json" }]],
  use: {
    baseURL: process.env.APP_URL,
    extraHTTPHeaders: { "X-Own": "kept" },
    launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] },
  },
});
"""
REPORTED = CONFIG.replace(
    'reporter: [["json"', 'reporter: [["./tests/mockpets/states-reporter.js"], ["json"'
)
"""The same with the reporter of `states()`."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one Playwright test: the last attempt.

    :param location: the file of the line that the report shows for the first error, if any.
    :param annotations: type and description of each, such as ``skip`` and the reason.
    """

    status: str
    errors: list[str]
    location: str | None
    attachments: Mapping[str, str]
    annotations: list[tuple[str, str]]
    stderr: str

    @property
    def skip_reason(self) -> str:
        """Return why the test was skipped."""
        return next(reason for kind, reason in self.annotations if kind == "skip")


Outcomes = dict[str, Outcome]
"""The outcomes of a project by the titles of its tests."""


def install_kit(folder: Path) -> None:
    """Install the kit and the packages of the tests into a project, as npm does."""
    modules = folder / "node_modules"
    modules.mkdir()
    for package in need_packages().iterdir():
        (modules / package.name).symlink_to(package)
    shutil.copytree(shipped("kit"), modules / "mockpets")


def write_kit(folder: Path, contract: str = BUILT_IN_CONTRACT) -> None:
    """Write the files that `mockpets kit --contract CONTRACT` writes with all integrations."""
    folder.mkdir(parents=True)
    known = known_of(load_library((), (), contracts=load_contracts([contract])))
    for name in files_of():
        (folder / name).write_text(render(name, known), encoding="utf-8")


def run_playwright(
    folder: Path,
    files: Mapping[str, str],
    config: str = CONFIG,
    contract: str = BUILT_IN_CONTRACT,
    **variables: str,
) -> Outcomes:
    """Run tests in an empty folder; return the outcomes by the tests' titles.

    :param files: the content of each spec by its path; the kit is in ``tests/mockpets``.
    :param contract: the contract of the kit, as in `--contract`.
    """
    [outcomes] = run_specs(folder, files, config, contract, **variables).values()
    return outcomes


def run_specs(
    folder: Path,
    files: Mapping[str, str],
    config: str,
    contract: str = BUILT_IN_CONTRACT,
    **variables: str,
) -> dict[str, Outcomes]:
    """Do the same with several specs; return the outcomes by the name of the spec."""
    (folder / "node_modules").symlink_to(need_packages())
    write_kit(folder / "tests/mockpets", contract)
    (folder / "playwright.config.ts").write_text(config)
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    done = run_again(folder, **variables)
    report = json.loads((folder / "report.json").read_text())
    assert not report["errors"], (report["errors"], done.stderr)
    specs: dict[str, Outcomes] = {}
    for spec, title, outcome in _outcomes(report):
        assert title not in specs.setdefault(spec, {}), title
        specs[spec][title] = outcome
    return specs


def run_again(folder: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder in which `run_specs` has written them."""
    variables = {"CHROMIUM": need("chromium-headless-shell"), "HOME": str(folder), **variables}
    return run_within(400, folder, need("playwright"), "test", *options, **variables)


def _outcomes(suite: dict[str, Any]) -> Iterator[tuple[str, str, Outcome]]:
    for spec in suite.get("specs", ()):
        [test] = spec["tests"]
        result = test["results"][-1]
        attachments = {
            each["name"]: base64.b64decode(each["body"]).decode(errors="replace")
            if "body" in each
            else Path(each["path"]).read_text(encoding="utf-8")
            for each in result["attachments"]
            if each["name"].startswith("mockpets")
        }
        errors = [
            re.sub(r"\x1b\[[0-9;]*m", "", each["message"]) for each in result.get("errors", [])
        ]
        first = (result.get("errors") or [{}])[0]
        annotations = [(each["type"], each.get("description", "")) for each in test["annotations"]]
        location = first.get("location", {}).get("file")
        stderr = "".join(part.get("text", "") for part in result["stderr"])
        outcome = Outcome(result["status"], errors, location, attachments, annotations, stderr)
        yield Path(spec["file"]).name.partition(".")[0], spec["title"], outcome
    for inner in suite.get("suites", ()):
        yield from _outcomes(inner)


def run_checks(checks: Mapping[str, Callable[[], object]]) -> None:
    """Run all checks of one run, and fail with the names and errors of those that fail.

    One run serves many checks because a start takes seconds.
    """
    problems = []
    for name, check in checks.items():
        try:
            check()
        except (AssertionError, LookupError, ValueError) as error:
            problems.append(f"{name}: {error!r}")
    assert not problems, "\n\n".join(problems)
