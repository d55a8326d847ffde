"""SECURITY.md names the tests that show each promise."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROMISES = (
    (ROOT / "SECURITY.md")
    .read_text(encoding="utf-8")
    .split("\n## What mockpets promises\n", 1)[1]
    .split("\n## ", 1)[0]
)
NAMED = re.findall(r"^  - `(.*)`$", PROMISES, re.MULTILINE)


def test_each_promise_names_its_tests() -> None:
    promises = re.split(r"^- ", PROMISES, flags=re.MULTILINE)[1:]
    without = [each.splitlines()[0] for each in promises if "\n  - `tests/" not in each]

    assert len(promises) >= 20
    assert without == []
    assert len(NAMED) == PROMISES.count("  - ") == len(set(NAMED))


@pytest.mark.parametrize("named", NAMED)
def test_each_named_test_exists(named: str) -> None:
    file, _, name = named.partition("::")
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))

    assert name in [each.name for each in module.body if isinstance(each, ast.FunctionDef)]
