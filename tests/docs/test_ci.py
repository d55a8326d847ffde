"""The jobs that the page about CI shows are valid, and `mockpets init` writes the first one.

`tests/test_release.py` runs their commands.
"""

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from mockpets.cli.main import main
from tests.docs.page import ROOT, blocks

BLOCKS = [each for each in blocks(ROOT / "docs/recipes/ci.md") if each.language == "yaml"]
WORKFLOW, WITH_UV, WITH_CONTAINER, GITLAB = (each.text for each in BLOCKS)


def check(document: object, schema: str) -> None:
    """Validate a document against a schema that check-jsonschema includes."""
    found = find_spec("check_jsonschema")  # and not imported: it may want another click than ours
    assert found is not None and found.origin is not None
    file = Path(found.origin).parent / "builtin_schemas" / "vendor" / f"{schema}.json"
    jsonschema.validate(document, json.loads(file.read_text(encoding="utf-8")))


def job(**parts: Any) -> dict[str, Any]:
    return {"on": "push", "jobs": {"test": {"runs-on": "x", "steps": [{"run": "x"}], **parts}}}


def test_the_workflows_of_github_are_valid() -> None:
    check(yaml.safe_load(WORKFLOW.replace("on:", '"on":', 1)), "github-workflows")
    for part in (WITH_UV, WITH_CONTAINER):
        check(job(**yaml.safe_load(part)), "github-workflows")


def test_the_job_of_gitlab_is_valid() -> None:
    check(yaml.safe_load(GITLAB), "gitlab-ci")


def test_init_writes_the_first_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["node_modules/mockpets/mockpets.pyz"])
    Path("package.json").write_text("{}")
    Path("package-lock.json").touch()
    assert main(["init"]) == 0
    head, _, written = Path(".github/workflows/playwright.yml").read_text().partition("\n")
    assert head.startswith("# Written by 'mockpets init'")
    assert written == WORKFLOW
