"""SECURITY.md names the tests that show each promise."""

import ast
import re
from functools import cache
from pathlib import Path

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


@cache
def functions_of(file: str) -> set[str]:
    module = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {each.name for each in module.body if isinstance(each, ast.FunctionDef)}


def test_each_named_test_exists() -> None:
    pairs = [named.split("::") for named in NAMED]

    assert [each for each in pairs if each[1] not in functions_of(each[0])] == []
