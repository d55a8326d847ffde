"""The command `init`: set up a front-end repository with Vite and Playwright."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets import kit as texts
from mockpets.cli.commands import cannot_write, lock_file, npm_runner, program
from mockpets.cli.kit import CONFIGS, kit, read_file, write_file
from mockpets.cli.options import flag
from mockpets.cli.templates import fill, template
from mockpets.errors import invalid, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCENARIOS: Final = "mock/scenarios"
_PACKAGE: Final = Path("package.json")
_GITLAB_FILE: Final = Path(".gitlab-ci.yml")
_ENV: Final = Path(".env.development")
"""Not `.env`, which a production build reads too."""
_VARIABLE: Final = "VITE_API_URL"
_RESULTS: Final = "test-results/"
"""What Playwright writes; the HAR of each test is in it."""
_VITE: Final = """\
[
    {server},
    {{
      command: "{runner} vite --port 5173 --strictPort",
      url: "http://localhost:5173",
      reuseExistingServer: !process.env.CI,
    }},
  ]"""
_NPM: Final = "npm install --save-dev"
_MANAGERS: Final = {
    "package-lock.json": ("npm ci", ", cache: npm", _NPM),
    "pnpm-lock.yaml": (
        "corepack enable && pnpm install --frozen-lockfile",
        "",
        "pnpm add --save-dev",
    ),
    "yarn.lock": ("corepack enable && yarn install --immutable", "", "yarn add --dev"),
    "": ("npm install", "", _NPM),
}
"""How CI installs packages, what GitHub caches, and how users add a package, by the lock file."""
_YARN_1: Final = "# yarn lockfile v1"


@dataclass(frozen=True)
class _Repository:
    """The front end in the working directory.

    :param package: the contents of package.json.
    :param command: the command that runs mockpets here, also in CI.
    :param runner: what runs the commands of npm packages, such as ``npx``.
    :param manager: the row of `_MANAGERS`.
    :param has_sheet: whether a sheet of every state is wanted.
    """

    package: dict[str, Any]
    command: str
    runner: str
    manager: tuple[str, str, str]
    has_sheet: bool

    @property
    def is_npm(self) -> bool:
        """Return whether the npm package is installed, which has the kit."""
        return self.command == f"{self.runner} mockpets"

    @property
    def module(self) -> str:
        """Return what tests import."""
        return "mockpets/playwright" if self.is_npm else "./mockpets/playwright"

    @property
    def kit(self) -> Path:
        """Return what `mockpets kit` writes: a file or a folder."""
        return Path("tests", texts.TYPES_FILE if self.is_npm else "mockpets")

    @property
    def packages(self) -> set[str]:
        """Return the names of the npm packages that it lists."""
        return {*self.package.get("devDependencies", {}), *self.package.get("dependencies", {})}


@click.command()
@flag("--dry-run", text="Show what would be written, and write nothing.")
@flag("--states", text="Also write tests that picture the app in every state.")
@click.pass_context
def init(context: click.Context, dry_run: bool, states: bool) -> None:
    """Set up a front-end repository: Playwright, a first test, a scenario and a CI job.

    Run it in the folder with package.json. It writes no file that exists, except for a script in
    package.json and a line in .env.development and .gitignore, and shows what to add to your own
    TypeScript. A second run changes nothing.
    """
    front_end = _Repository(_package(), program(), npm_runner(), _manager(), states)
    new, changed = _new_files(front_end), dict(_changed_files(front_end))
    has_kit = front_end.kit.exists()
    # Otherwise `mockpets kit` shows the lines for the configuration.
    hints = [*_hints(front_end, with_config=front_end.is_npm or has_kit or dry_run)]
    if has_kit and not (new or changed):
        click.echo("nothing to write: this repository is set up")
    elif dry_run:
        lines = [path.as_posix() for path in new]
        lines += [f"{path.as_posix()}: {line}" for path, (_, line) in changed.items()]
        for line in [*lines, *([] if has_kit else [front_end.kit.as_posix()])]:
            click.echo(printable(f"would write {line}"))
    else:
        _write(front_end, context, new, changed)
    for line in hints:
        click.echo(printable(line))
    click.echo(printable(f"for coding agents  {front_end.command} skill --install"))
    has_page = states or "vite" in front_end.packages
    playwright = f"{front_end.runner} playwright"
    browser = f"{playwright} install chromium && " if has_page else ""
    click.echo(f"run the test  {browser}{playwright} test")


def _manager() -> tuple[str, str, str]:
    path = lock_file()
    install, cache, add = _MANAGERS[path.name if path else ""]
    if path and _YARN_1 in (read_file(path) or "")[:200]:
        install = install.replace("--immutable", "--frozen-lockfile")
    return install, cache, add


def _write(
    front_end: _Repository,
    context: click.Context,
    new: dict[Path, str],
    changed: dict[Path, tuple[str, str]],
) -> None:
    """Write the files and, unless it exists, the kit."""
    for path, text in new.items():
        write_file(path, text)
    for path, (text, line) in changed.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise cannot_write(path, error) from error
        click.echo(printable(f"wrote {path}: {line}"))
    if not front_end.kit.exists():
        options: dict[str, Any] = {"scenarios_dir": (_SCENARIOS,)}
        if front_end.is_npm:
            context.invoke(kit, folder=front_end.kit.parent, types=True, **options)
        else:
            context.invoke(kit, folder=front_end.kit, playwright=True, **options)


def _new_files(front_end: _Repository) -> dict[Path, str]:
    """Return the files that are missing, with their texts."""
    schema = "../scenario.schema.json"
    has_schema = front_end.is_npm and not Path(".pnp.cjs").exists()  # else editors cannot open it
    if has_schema:
        schema = "../../node_modules/mockpets/scenario.schema.json"
    values = {"module": front_end.module, "schema": schema}
    names = [
        f"{_SCENARIOS}/pet-missing.yaml",
        "tests/pets.spec.ts",
        "tests/seed.spec.ts",
        "tests/tsconfig.json",
        *["tests/states.spec.ts"] * front_end.has_sheet,
    ]
    if front_end.command != "mockpets" and not _GITLAB_FILE.exists():
        values["install"], values["cache"], _ = front_end.manager
        folder = (front_end.kit.parent if front_end.is_npm else front_end.kit).as_posix()
        values |= {"program": front_end.command, "runner": front_end.runner, "folder": folder}
        names.append(".github/workflows/playwright.yml")
    files = {name: fill(template("front_end", Path(name).name), values) for name in names}
    if not has_schema:
        from mockpets.scenario.language.loader import scenario_schema

        files["mock/scenario.schema.json"] = json.dumps(scenario_schema(), indent=2) + "\n"
    if not _existing_config():
        files[CONFIGS[0]] = _config(front_end)
    return {Path(name): text for name, text in files.items() if not os.path.lexists(name)}


def _changed_files(front_end: _Repository) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield the files that get a line: their new text, and the line as messages show it."""
    if "mock" not in front_end.package.get("scripts", {}):
        command = "mockpets" if front_end.is_npm else front_end.command
        script = {"mock": f"{command} serve --scenarios-dir {_SCENARIOS}"}
        scripts = {**front_end.package.get("scripts", {}), **script}
        indent = re.search(r"^([ \t]+)", read_file(_PACKAGE) or "", re.MULTILINE)
        package = {**front_end.package, "scripts": scripts}
        text = json.dumps(package, indent=indent[1] if indent else 2, ensure_ascii=False)
        yield _PACKAGE, (text + "\n", json.dumps(script)[1:-1])
    if "vite" in front_end.packages:
        yield from _with_line(_ENV, f"{_VARIABLE}=http://localhost:7387/v1", rf"\s*{_VARIABLE}\s*=")
    yield from _with_line(Path(".gitignore"), _RESULTS, rf".*{_RESULTS[:-1]}")


def _with_line(path: Path, line: str, present: str) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield a file with one more line, unless a line of it matches the pattern."""
    text = read_file(path) or ""
    if not re.search(f"^{present}", text, re.MULTILINE):
        end = "\n" if text and not text.endswith("\n") else ""
        yield path, (f"{text}{end}{line}\n", line)


def _hints(front_end: _Repository, *, with_config: bool) -> Iterator[str]:
    """Yield what users do themselves."""
    if "@playwright/test" not in front_end.packages:
        yield f"install Playwright  {front_end.manager[2]} @playwright/test"
    config = _existing_config()
    wanted = ["states-reporter"] * front_end.has_sheet + ["mockpets/playwright"] * with_config
    text = (read_file(config) or "") if config else ""
    if config and any(word not in text for word in wanted):
        yield f"add to {config}:"
        yield from (f"  {line}" if line else "" for line in _config(front_end).splitlines()[1:])
    elif front_end.has_sheet and "vite" not in front_end.packages and "baseURL" not in text:
        yield f"set use.baseURL in {CONFIGS[0]} to the URL of your app"
    if front_end.command == "mockpets":
        yield "for CI, install the npm package or commit mockpets.pyz, and run init again"
    elif _GITLAB_FILE.exists() and "mockpets" not in (read_file(_GITLAB_FILE) or ""):
        yield f"add a job to {_GITLAB_FILE}: see the recipe 'CI' in the documentation"


def _existing_config() -> Path | None:
    return next((Path(name) for name in CONFIGS if os.path.lexists(name)), None)


def _config(front_end: _Repository) -> str:
    command = front_end.command
    is_default = front_end.is_npm or command == "mockpets"
    first = "" if is_default else f"command: {json.dumps(command)}, "
    server = f'webServer({{ {first}args: "--scenarios-dir {_SCENARIOS}" }})'
    module = front_end.module.replace("./", "./tests/")
    reporter = module.replace("playwright", "states-reporter") + ".js" * (not front_end.is_npm)
    use, servers = 'mockHar: "always"', server
    if "vite" in front_end.packages:
        use, servers = (
            f'baseURL: "http://localhost:5173", {use}',
            _VITE.format(server=server, runner=front_end.runner),
        )
    values = {
        "module": module,
        "reporter": f'\n  reporter: [["list"], ["{reporter}"]],' * front_end.has_sheet,
        "use": use,
        "servers": servers,
    }
    return fill(template("front_end", CONFIGS[0]), values)


def _package() -> dict[str, Any]:
    """Return the contents of package.json."""
    text = read_file(_PACKAGE)
    if text is None:
        raise invalid(str(_PACKAGE), "file not found", "run this in the folder of your front end")
    try:
        package = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise invalid(str(_PACKAGE), f"not valid JSON: {error}") from error
    tables = ("scripts", "dependencies", "devDependencies")
    if not isinstance(package, dict):
        raise invalid(str(_PACKAGE), "must be an object")
    for name in tables:
        if not isinstance(package.get(name, {}), dict):
            raise invalid(f"{_PACKAGE}: {name}", "must be an object")
    return package
