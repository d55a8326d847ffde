"""The formats of a report: the page lists them all, and its CI configurations are valid."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from mockpets.cli.report_options import FORMATS
from tests.docs.page import ROOT, blocks

PAGE = ROOT / "docs" / "bugs" / "report.md"
CONFIGURATIONS = [yaml.safe_load(block.text) for block in blocks(PAGE) if block.language == "yaml"]


def check(document: object, schema: str) -> None:
    """Validate a document against a schema that check-jsonschema includes."""
    found = find_spec("check_jsonschema")  # and not imported: it may want another click than ours
    assert found is not None and found.origin is not None
    file = Path(found.origin).parent / "builtin_schemas" / "vendor" / f"{schema}.json"
    jsonschema.validate(document, json.loads(file.read_text(encoding="utf-8")))


def check_github(steps: object) -> None:
    check({"on": "push", "jobs": {"test": {"runs-on": "x", "steps": steps}}}, "github-workflows")


def test_the_page_lists_every_format() -> None:
    [sentence] = re.findall(r"`--format` is (.*?)\.\s", PAGE.read_text("utf-8"), re.DOTALL)

    assert tuple(re.findall(r"`(\w+)`", sentence)) == FORMATS


def test_the_steps_of_github_are_valid() -> None:
    configurations: list[Any] = [each["steps"] for each in CONFIGURATIONS if "steps" in each]

    for steps in configurations:
        check_github(steps)
    assert len(configurations) == 1
    with pytest.raises(jsonschema.ValidationError):
        check_github([{"runs": "mockpets report"}])


def test_the_job_of_gitlab_is_valid() -> None:
    [configuration] = [each for each in CONFIGURATIONS if "steps" not in each]

    check(configuration, "gitlab-ci")
    configuration["test"]["artifacts"]["reports"]["xunit"] = "mockpets.xml"
    with pytest.raises(jsonschema.ValidationError):
        check(configuration, "gitlab-ci")


def test_a_report_after_playwright_reads_saved_requests() -> None:
    """The fixture deletes the sessions, so the server has no requests of the tests."""
    reports = [
        command
        for block in blocks(PAGE)
        if block.language == "yaml"
        for command in re.findall(r"mockpets report .*", block.text)
    ]

    assert len(reports) == 2
    assert all(" --har " in command for command in reports)


def test_each_command_uses_a_format_that_exists() -> None:
    used = re.findall(r"--format (\w+)", PAGE.read_text(encoding="utf-8"))

    assert used
    assert set(used) <= set(FORMATS)
