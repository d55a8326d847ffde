"""The shape of the code: imports point one way, and each third-party package has one home."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import mockpets

PACKAGE = Path(mockpets.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# Lower rows are nearer to the user; a module imports from the rows above its own, and from
# modules of its own row only where no circle comes of it.
LAYERS = [
    ["mockpets.constants"],
    [
        "mockpets.changes",
        "mockpets.errors",
        "mockpets.gates",
        "mockpets.handover",
        "mockpets.pets.names",
        "mockpets.resources",
        "mockpets.scenario.units",
        "mockpets.secret_names",
    ],
    ["mockpets.budget"],
    ["mockpets.json_text"],
    ["mockpets.contract_errors", "mockpets.contract_fields"],
    ["mockpets.contract", "mockpets.setting_checks"],
    ["mockpets.settings"],
    ["mockpets.pets.*", "mockpets.scenario.*"],
    ["mockpets.setting_sources"],
    ["mockpets.log_writer", "mockpets.logs", "mockpets.metrics", "mockpets.rate"],
    ["mockpets.entries"],
    ["mockpets.journal", "mockpets.journal_reading"],
    ["mockpets.har", "mockpets.verify"],
    ["mockpets.snapshots", "mockpets.world"],
    ["mockpets.session"],
    ["mockpets.sessions"],
    ["mockpets.state_file", "mockpets.state"],
    ["mockpets.saver"],
    ["mockpets.kept"],
    ["mockpets.web.*"],
    ["mockpets.check", "mockpets.listen"],
    ["mockpets.server.*"],
    ["mockpets.server"],
    ["mockpets.client_connection", "mockpets.client_shapes", "mockpets.request_line"],
    ["mockpets.client"],
    ["mockpets.pytest_plugin"],
    ["mockpets.cli_options"],
    ["mockpets.cli_files", "mockpets.cli_remote"],
    ["mockpets.cli"],
    ["mockpets.__main__"],
]

HOMES = {
    "apispec": ["mockpets.web.openapi"],
    "click": ["mockpets.cli", "mockpets.cli_files", "mockpets.cli_options", "mockpets.cli_remote"],
    "faker": ["mockpets.pets.seed"],
    "flask": ["mockpets.web.*"],
    "prometheus_client": ["mockpets.metrics"],
    "pytest": ["mockpets.pytest_plugin"],
    "marshmallow": ["mockpets.contract", "mockpets.contract_fields"],
    "waitress": ["mockpets.server.*"],
    "werkzeug": ["mockpets.web.*"],
    "yaml": ["mockpets.scenario.document"],
}


def name_of(path: Path) -> str:
    parts = ["mockpets", *path.relative_to(PACKAGE).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> set[str]:
    """Every module that a file imports, wherever in the file and whether for types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            base = node.module or ""
            names = {f"{base}.{alias.name}" for alias in node.names}
            found |= {name for name in names if name in NAMES} or {base}
    return found


NAMES = {name_of(path) for path in MODULES}


def fits(name: str, patterns: list[str]) -> bool:
    return any(
        name == pattern or (pattern.endswith(".*") and name.startswith(pattern[:-1]))
        for pattern in patterns
    )


def layer_of(name: str) -> int:
    # The first row that fits: `mockpets.pets.names` is a leaf, though it lies among others.
    return next(number for number, row in enumerate(LAYERS) if fits(name, row))


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_point_one_way(path: Path) -> None:
    name = name_of(path)
    own = {found for found in imports_of(path) if found.partition(".")[0] == "mockpets"}
    if path.name == "__init__.py":
        # A package's front only hands its own names on, the top one when they are asked for.
        assert name == "mockpets" or all(found.startswith(f"{name}.") for found in own)
        return
    wrong = {found for found in own if layer_of(found) > layer_of(name)}

    assert not wrong


def test_no_imports_in_circles() -> None:
    arrows = {
        name_of(path): imports_of(path) & NAMES for path in MODULES if path.name != "__init__.py"
    }
    while free := {name for name, targets in arrows.items() if not targets & arrows.keys()}:
        arrows = {name: targets for name, targets in arrows.items() if name not in free}

    assert not arrows


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_third_party_packages_stay_at_home(path: Path) -> None:
    tops = {found.partition(".")[0] for found in imports_of(path)}
    foreign = tops - set(sys.stdlib_module_names) - {"mockpets", "__future__"}
    away = {top for top in foreign if not fits(name_of(path), HOMES.get(top, []))}

    assert not away


def test_nothing_in_the_package_runs_text_as_code() -> None:
    banned = {"eval", "exec", "compile", "__import__"}
    calls = {
        (name_of(path), node.func.id)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in banned
    }
    modules = {
        (name_of(path), found)
        for path in MODULES
        for found in imports_of(path)
        if found.partition(".")[0] in {"pickle", "marshal", "subprocess", "shelve", "runpy"}
    }

    assert not calls | modules
