"""The import rule by package, and one home for each third-party package."""

import ast
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import mockpets

PACKAGE = Path(mockpets.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
PACKAGES = [path for path in MODULES if path.name == "__init__.py"]
# The import rule, one row per package (CONTRIBUTING.md has the same): a package imports only from
# packages on lower levels, so packages on one level do not import each other. The last column lists
# the third-party packages that only packages with them in it may import.
RULE = [
    # level, package, third-party packages
    (13, "mockpets.__main__", ()),
    (12, "mockpets.cli", ("click",)),
    (12, "mockpets.pytest_plugin", ("pytest",)),
    (11, "mockpets.server", ("waitress",)),
    (10, "mockpets.web", ("flask", "werkzeug")),
    (10, "mockpets.storage", ("sqlite3",)),
    (10, "mockpets.audit", ("jinja2",)),
    (9, "mockpets.report", ()),
    (8, "mockpets.recording", ()),
    (8, "mockpets.session", ()),
    (8, "mockpets.client", ()),
    (7, "mockpets.request_log", ()),
    (7, "mockpets.settings", ()),
    (6, "mockpets.scenario", ("yaml",)),
    (5, "mockpets.seed", ("faker",)),
    (4, "mockpets.records", ()),
    (3, "mockpets.contract", ("marshmallow", "werkzeug", "yaml")),
    (2, "mockpets.telemetry", ("prometheus_client",)),
    # The leaves import only each other.
    (1, "mockpets.public", ()),
    (1, "mockpets.clock", ()), (1, "mockpets.constants", ()), (1, "mockpets.errors", ()),
    (1, "mockpets.faults", ()), (1, "mockpets.http", ()), (7, "mockpets.kit_files", ()),
    (1, "mockpets.skill_files", ()), (1, "mockpets.memory_budget", ()),
    (1, "mockpets.packaged_data", ()), (1, "mockpets.kept_results", ()),
    (1, "mockpets.addresses", ()), (1, "mockpets.admission", ()), (1, "mockpets.limits", ()),
    (1, "mockpets.redaction", ()), (1, "mockpets.strict_json", ()), (1, "mockpets.units", ()),
    (1, "mockpets.urls", ()), (1, "mockpets.version", ()), (1, "mockpets.interface", ()),
    (1, "mockpets.syntax_errors", ()), (1, "mockpets.text_files", ()), (1, "mockpets.lexemes", ()),
]  # fmt: skip
LEVELS = {package: level for level, package, _ in RULE}
LEAF = 1
HOMES = {
    third_party: {package for _, package, homes in RULE if third_party in homes}
    for third_party in sorted({each for _, _, homes in RULE for each in homes})
}

# Within a package, a third-party package may have a narrower home.
NARROW_HOMES = {
    "faker": {"mockpets.seed.generator"},
    "marshmallow": {"mockpets.contract.validation", "mockpets.contract.schema_validation"},
    "prometheus_client": {"mockpets.telemetry.metrics"},
    "yaml": {
        "mockpets.contract.reading",
        "mockpets.scenario.language.parser",
        "mockpets.scenario.language.writer",
    },
}


def name_of(path: Path) -> str:
    parts = ["mockpets", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@dataclass(frozen=True)
class Code:
    """What a file imports, also within functions and for types, and the functions it calls."""

    imports: frozenset[str]
    calls: frozenset[str]


@cache
def code_of(path: Path) -> Code:
    """Read a file; its syntax tree is not kept, because later garbage collections visit it."""
    imported, calls = set[str](), set[str]()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            base = node.module or ""
            names = {f"{base}.{alias.name}" for alias in node.names}
            imported |= {name for name in names if name in NAMES} or {base}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.add(node.func.id)
    return Code(frozenset(imported), frozenset(calls))


def imports_of(path: Path) -> frozenset[str]:
    """Return every module that a file imports."""
    return code_of(path).imports


NAMES = {name_of(path) for path in MODULES}


def package_of(name: str) -> str:
    return ".".join(name.split(".")[:2])


@pytest.mark.parametrize("path", MODULES)
def test_imports_point_to_lower_levels(path: Path) -> None:
    name = name_of(path)
    if name == "mockpets":
        return  # it imports its public names when they are first used
    own = package_of(name)
    targets = {package_of(target) for target in imports_of(path) if target in NAMES} - {own}
    wrong = {
        target
        for target in targets
        if LEVELS[target] >= LEVELS[own] and not LEVELS[target] == LEVELS[own] == LEAF
    }

    assert not wrong, f"{name} must not import {sorted(wrong)}"


@pytest.mark.parametrize("path", PACKAGES)
def test_a_package_reexports_only_its_own_names(path: Path) -> None:
    name = name_of(path)
    own = {target for target in imports_of(path) if target.partition(".")[0] == "mockpets"}

    assert name == "mockpets" or all(target.startswith(f"{name}.") for target in own)


def test_there_are_no_import_cycles() -> None:
    arrows = {
        name_of(path): imports_of(path) & NAMES for path in MODULES if path.name != "__init__.py"
    }
    while free := {name for name, targets in arrows.items() if not targets & arrows.keys()}:
        arrows = {name: targets for name, targets in arrows.items() if name not in free}

    assert not arrows


@pytest.mark.parametrize("path", MODULES)
def test_third_party_packages_are_imported_only_at_home(path: Path) -> None:
    name = name_of(path)
    tops = {target.partition(".")[0] for target in imports_of(path)}
    foreign = tops - set(sys.stdlib_module_names) - {"mockpets", "__future__"}
    away = {
        top
        for top in foreign
        if package_of(name) not in HOMES.get(top, ()) or name not in NARROW_HOMES.get(top, {name})
    }

    assert not away


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("http/*.py")))
def test_http_is_pure(path: Path) -> None:
    imported = imports_of(path)
    own = {target for target in imported if target.partition(".")[0] == "mockpets"}
    effects = {"asyncio", "os", "select", "selectors", "socket", "ssl", "threading", "waitress"}

    assert own <= {
        "mockpets.errors",
        *(name for name in NAMES if name.startswith("mockpets.http.")),
    }
    assert not {target.partition(".")[0] for target in imported} & effects


def test_the_package_does_not_run_text_as_code() -> None:
    banned = {"eval", "exec", "compile", "__import__"}
    calls = {(name_of(path), called) for path in MODULES for called in code_of(path).calls & banned}
    modules = {
        (name_of(path), module)
        for path in MODULES
        for module in imports_of(path)
        if module.partition(".")[0] in {"pickle", "marshal", "subprocess", "shelve", "runpy"}
    }

    # The audit runs the user's Node, with our script or the user's Playwright.
    runs = {"mockpets.audit.node", "mockpets.audit.playwright_run"}
    assert calls | modules == {(module, "subprocess") for module in runs}
