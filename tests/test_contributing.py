"""CONTRIBUTING.md matches the code: the map, the import rule, and the names in it."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

from tests.test_imports import HOMES, LEVELS

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "mockpets"
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    text = TEXT.split(f"\n## {title}\n", 1)[1]
    return text.split("\n## ", 1)[0]


def test_the_map_has_every_package() -> None:
    first_cells = "".join(re.findall(r"^\| (.*?) \|", section("The map"), re.MULTILINE))
    packages = {
        f"{path.relative_to(PACKAGE)}/"
        for path in PACKAGE.rglob("*")
        if path.is_dir() and (path.name == "panel" or (path / "__init__.py").exists())
    }

    assert set(re.findall(r"`([a-z_/]+/)`", first_cells)) == packages


def test_a_module_of_the_panel_imports_only_what_the_map_has_above_it() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", section("The panel"), re.MULTILINE)
    places = {name: place for place, row in enumerate(rows) for name in re.findall("`(.+?)`", row)}
    folder = PACKAGE / "web/panel"
    texts = {path.name: path.read_text("utf-8") for path in folder.glob("*.js")}

    assert places.keys() == texts.keys()
    for name, text in texts.items():
        for imported in re.findall(r'^(?:import|\}) [^;"]*"\./(.+?)";', text, re.MULTILINE):
            assert places[imported] <= places[name], f"{name} imports {imported}"


def test_the_import_rule_matches_the_tested_one() -> None:
    [line] = re.findall(r"^cli, .*$", section("The import rule"), re.MULTILINE)
    levels = [group.split(", ") for group in line.split(" > ")]
    tested: dict[int, list[str]] = {}
    for package, level in LEVELS.items():
        name = package.removeprefix("mockpets.")
        if level > 1 and name != "__main__":
            tested.setdefault(level, []).append(name)

    assert levels.pop() == ["leaves"]
    assert [sorted(group) for group in levels] == [
        sorted(tested[level]) for level in sorted(tested, reverse=True)
    ]


@pytest.mark.parametrize("library", HOMES)
def test_the_home_of_each_library_is_listed(library: str) -> None:
    spelled = {"yaml": "PyYAML", "prometheus_client": "prometheus-client"}.get(library, library)

    assert spelled.lower() in section("The import rule").lower()


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "architecture.md", "decisions.md"])
def test_all_mentioned_files_exist(page: str) -> None:
    [path] = [path for path in (ROOT / page, ROOT / "docs/contributors" / page) if path.exists()]
    folders = (ROOT / name for name in ("docs", "generate", "kit", "mockpets", "tests"))
    files = [f"/{path.relative_to(ROOT)}" for folder in folders for path in folder.rglob("*.*")]
    files += [f"/{path.name}" for path in ROOT.iterdir()]
    named = re.findall(r"`([\w./]+\.(?:py|js|md|toml))`", path.read_text(encoding="utf-8"))

    assert named
    assert not [name for name in named if not any(each.endswith(f"/{name}") for each in files)]


def test_all_mentioned_names_exist() -> None:
    places = re.findall(r"`([A-Z]\w+(?:\.\w+)?|[a-z_]+)` (?:of `\w+` )?in `([a-z_/]+\.py)`", TEXT)

    assert places
    for name, file in places:
        source = (PACKAGE / file).read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"^\s*(?:(?:async )?def |class |){part}\b", source, re.MULTILINE), (
                name,
                file,
            )


def test_types_are_checked_without_more_packages_than_the_table_installs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    installed = {*project["project"]["dependencies"], *extras["test"], *extras["lint"]}
    names = {_normal(re.split(r"[^\w.-]", each)[0]) for each in installed}
    own = {*project["tool"]["mypy"]["packages"]}
    distributions = packages_distributions()

    assert "pip install -e '.[lint]'" in TEXT
    for path in [*ROOT.glob("generate/*.py"), *ROOT.glob("benchmarks/*.py")]:
        for module in _imported(path) - sys.stdlib_module_names - own:
            packages = {_normal(each) for each in distributions.get(module, [module])}
            assert packages & names, f"{path} imports {module}: add it to an extra that mypy has"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def test_the_hooks_before_a_commit_run_what_ci_runs_and_download_nothing() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    repositories = yaml.safe_load(text)["repos"]
    entries = [hook["entry"] for each in repositories for hook in each["hooks"]]
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    [style] = re.findall(r"^style\(\) \{\n(.*?)^\}", ci, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"\.venv/bin/(?:ruff \w+|\w+)", style)

    assert [each["repo"] for each in repositories] == ["local"]
    assert len(commands) == 3
    for command in [*commands, ".venv/bin/python -m generate --check"]:
        assert any(entry.startswith(command) for entry in entries), command
