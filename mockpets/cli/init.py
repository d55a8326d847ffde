"""The command `init`: set up a front-end repository with Vite and Playwright."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets import kit_files as texts
from mockpets.cli.app_source import documents, framework, url_variables
from mockpets.cli.commands import lock_file, npm_runner, program, writing
from mockpets.cli.kit import CONFIGS, read_file, write_file, write_kit
from mockpets.cli.options import flag, option, with_settings
from mockpets.cli.templates import fill, template
from mockpets.constants import BUILT_IN_CONTRACT
from mockpets.errors import invalid, printable
from mockpets.settings.sources import load_settings
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mockpets.cli.app_source import Framework
    from mockpets.contract.contract_model import Contract

_SCENARIOS: Final = "mock/scenarios"
_SETTINGS: Final = Path("mockpets.toml")
_PACKAGE: Final = Path("package.json")
_GITLAB_FILE: Final = Path(".gitlab-ci.yml")
_ENV: Final = Path(".env.development")
"""Not `.env`, which a production build reads too."""
_IGNORED: Final = Path(".gitignore")
_SERVER: Final = "http://localhost:7387"
_RESULTS: Final = "test-results/"
"""What Playwright writes; the HAR of each test is in it."""
_APP: Final = """\
[
    {server},
    {{
      // Never your development server, which may use another back end.
      command: "{runner} {command}",
      url: "http://localhost:{port}",
      env: {{ {variable}: `${{mock}}{base}` }},
      reuseExistingServer: false,
    }},
  ]"""
_MOCK: Final = f"""\

// Set MOCKPETS_URL for another port or server.
const mock = process.env.MOCKPETS_URL ?? "{_SERVER}";
"""
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
_LISTED: Final = 9
"""A folder with more files is shown with their number."""


@dataclass(frozen=True)
class _Repository:
    """The front end in the working directory.

    :param package: the contents of package.json.
    :param command: the command that runs mockpets here, also in CI.
    :param runner: what runs the commands of npm packages, such as ``npx``.
    :param manager: the row of `_MANAGERS`.
    :param has_sheet: whether a sheet of every state is wanted.
    :param contract: the one that the first test is about.
    :param given: the lines of mockpets.toml by key, with the options that were given.
    :param missing: those that a mockpets.toml of the user's own lacks.
    :param scenarios: the folder with the scenario files.
    :param variable: the variable with the app's base URL; empty without one.
    :param note: where it comes from, and how to name another one.
    """

    package: dict[str, Any]
    command: str
    runner: str
    manager: tuple[str, str, str]
    has_sheet: bool
    contract: Contract
    given: Mapping[str, tuple[str, ...]]
    missing: Mapping[str, tuple[str, ...]]
    scenarios: Path
    variable: str
    note: str

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
        return _packages(self.package)

    @property
    def framework(self) -> Framework | None:
        """Return what serves the app, if it is known."""
        return framework(self.packages)

    @property
    def base_url(self) -> str:
        """Return the line of `_ENV` with the app's base URL."""
        return f"{self.variable}={_SERVER}{self.contract.base}"


@click.command()
@flag("--dry-run", text="Show what would be written, without writing it.")
@flag("--states", text="Also write tests that take screenshots of the app in every state.")
@option(
    "--variable NAME",
    "Variable with the base URL of the API.  [default: the one that your app reads, or "
    "VITE_API_URL]",
)
@with_settings("contract", "corrections", has_file=False)
def init(dry_run: bool, states: bool, variable: str | None, **flags: object) -> None:
    """Run it in the folder with package.json. It writes mockpets.toml, which names your contract
    for the other commands. It changes no existing files, except that it adds a script to
    package.json and a line to .env.development and .gitignore. It shows what to add to your own
    files. A second run changes nothing.
    """
    front_end = _front_end(states, variable, flags)
    files, changed = _files(front_end), dict(_changed_files(front_end))
    new = {path: text for path, text in files.items() if not os.path.lexists(path)}
    has_kit = front_end.kit.exists()
    kept = [path for path in files if path not in new] + [front_end.kit] * has_kit
    kept += [path for path in _edited_files(front_end) if path not in changed]
    hints = [*_hints(front_end)]  # before `_write`, which may change what they are about
    if has_kit and not (new or changed):
        click.echo("nothing to write: this repository is set up")
    elif dry_run:
        _show("would create", _by_folder([*new, *([] if has_kit else [front_end.kit])]))
        _show("would change", (f"{path}: {line}" for path, (_, line) in changed.items()))
        _show("would keep", _by_folder(kept))
    else:
        _write(front_end, new, changed)
        _show("kept", _by_folder(kept))
        shown = (path for path in new if path.name == "errors.spec.ts" or path.suffix == ".yaml")
        _show("read first", (path.as_posix() for path in shown))
    for line in hints:
        click.echo(printable(line))
    _show("next", _commands(front_end, has_page=states or front_end.framework is not None))
    click.echo(printable(f"for coding agents: {front_end.command} skill --install"))


def _show(title: str, lines: Iterable[str]) -> None:
    """Print a list with its title, unless it is empty."""
    if shown := [f"  {line}" for line in lines]:
        for line in [f"{title}:", *shown]:
            click.echo(printable(line))


def _by_folder(paths: Iterable[Path]) -> Iterator[str]:
    """Yield a line for each folder, with the names of its files or their number."""
    folders: dict[Path, list[str]] = {}
    for path in paths:
        folders.setdefault(path.parent, []).append(path.name)
    for folder, names in sorted(folders.items()):
        shown = ", ".join(names) if len(names) <= _LISTED else counted(len(names), "file")
        yield shown if folder == Path() else f"{folder.as_posix()}/: {shown}"


def _commands(front_end: _Repository, *, has_page: bool) -> Iterator[str]:
    """Yield what to run next."""
    if "@playwright/test" not in front_end.packages:
        yield f"{front_end.manager[2]} @playwright/test"
    if has_page:
        yield f"{front_end.runner} playwright install chromium"
    yield f"{front_end.runner} playwright test"


def _front_end(states: bool, variable: str | None, flags: Mapping[str, object]) -> _Repository:
    """Return what is in the working directory; raise `InputError` for what cannot be used."""
    package = _package()
    if variable is not None and not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", variable):
        hint = "write a name such as VITE_API_URL"
        raise invalid("--variable", f"must be the name of a variable, got {quote(variable)}", hint)
    settings = load_settings(flags, os.environ, None)
    if not settings.contract and not _SETTINGS.exists() and len(found := documents()) == 1:
        what = f"{found[0]} is an OpenAPI document"
        hint = f"to use it, add --contract {found[0]}; for the pet store, --contract pet-store"
        raise invalid("--contract", what, hint)

    from mockpets.settings.named_contracts import contracts_of

    contracts = contracts_of(settings)
    given = {
        "contract": tuple(map(_relative, settings.contract)),
        "corrections": tuple(map(_relative, filter(None, [settings.corrections]))),
        "scenarios-dir": tuple(map(_relative, settings.scenarios_dir or [_SCENARIOS])),
    }
    own = load_settings({}, {}, None) if _SETTINGS.exists() else None
    missing = {
        name: values
        for name, values in given.items()
        if own and values and not getattr(own, name.replace("-", "_"))
    }
    name, note = _variable(_packages(package), variable)
    return _Repository(
        package=package,
        command=program(),
        runner=npm_runner(),
        manager=_manager(),
        has_sheet=states,
        contract=contracts.all[0],
        given={name: values for name, values in given.items() if values},
        missing=missing,
        scenarios=Path(given["scenarios-dir"][-1]),
        variable=name,
        note=note,
    )


def _relative(text: str | Path) -> str:
    """Return a path, of a contract also after ``/PATH=``, relative to the working directory."""
    base, equals, file = str(text).rpartition("=") if "=" in str(text) else ("", "", str(text))
    if file == BUILT_IN_CONTRACT:
        return str(text)
    return f"{base}{equals}{Path(os.path.relpath(file)).as_posix()}"


def _variable(packages: set[str], wanted: str | None) -> tuple[str, str]:
    """Return the variable with the app's base URL, and a note about it; both can be empty."""
    known = framework(packages)
    found = url_variables(known.prefix if known else "")
    if wanted:
        return wanted, ""
    if not found:
        return (f"{known.prefix}API_URL" if known else ""), ""
    name, *others = found
    more = f"; it also reads {', '.join(others)}" if others else ""
    text = (
        f"base URL  {name}, which {found[name]} reads{more}; for another one, add --variable NAME"
    )
    return name, text


def _manager() -> tuple[str, str, str]:
    path = lock_file()
    install, cache, add = _MANAGERS[path.name if path else ""]
    if path and _YARN_1 in (read_file(path) or "")[:200]:
        install = install.replace("--immutable", "--frozen-lockfile")
    return install, cache, add


def _write(
    front_end: _Repository, new: dict[Path, str], changed: dict[Path, tuple[str, str]]
) -> None:
    """Write the files and, unless it exists, the kit; list those written, also if one fails."""
    created: list[Path] = []
    lines: list[str] = []
    try:
        for path, text in new.items():
            write_file(path, text)
            created.append(path)
        for path, (text, line) in changed.items():
            with writing(path):
                path.write_text(text, encoding="utf-8")
            lines.append(f"{path}: {line}")
        if not front_end.kit.exists():  # it reads mockpets.toml
            folder = front_end.kit.parent if front_end.is_npm else front_end.kit
            options = dict(front_end.missing)
            write_kit(folder, options, created.append, types=front_end.is_npm)
    finally:
        _show("created", _by_folder(created))
        _show("changed", lines)


def _files(front_end: _Repository) -> dict[Path, str]:
    """Return the texts of the files that it needs, with its own configuration of Playwright."""
    from mockpets.cli.first_test import parts

    folder = front_end.scenarios
    own_schema = Path(folder.parent, "scenario.schema.json")
    has_schema = front_end.is_npm and not Path(".pnp.cjs").exists()  # else editors cannot open it
    schema = Path("node_modules/mockpets/scenario.schema.json") if has_schema else own_schema
    variable = front_end.variable
    values = {
        "module": front_end.module,
        "schema": Path(os.path.relpath(schema, folder)).as_posix(),
        "settings": "\n".join(_toml(front_end.given)),
        "base_url": f"; its base URL is {variable}" if variable else "",
        **parts(front_end.contract),
    }
    scenario = (folder / f"{values['scenario']}.yaml").as_posix()
    names = {
        _SETTINGS.name: _SETTINGS.name,
        "tests/errors.spec.ts": "errors.spec.ts",
        scenario: "scenario.yaml",
        "tests/seed.spec.ts": "seed.spec.ts",
        "tests/tsconfig.json": "tsconfig.json",
    }
    if front_end.has_sheet:
        names["tests/states.spec.ts"] = "states.spec.ts"
    if front_end.command != "mockpets" and not _GITLAB_FILE.exists():
        values["install"], values["cache"], _ = front_end.manager
        kit_folder = (front_end.kit.parent if front_end.is_npm else front_end.kit).as_posix()
        values |= {"program": front_end.command, "runner": front_end.runner, "folder": kit_folder}
        names[".github/workflows/playwright.yml"] = "playwright.yml"
    files = {name: fill(template("front_end", source), values) for name, source in names.items()}
    if not has_schema:
        from mockpets.scenario.language.loader import scenario_schema

        files[own_schema.as_posix()] = json.dumps(scenario_schema(), indent=2) + "\n"
    files[(_existing_config() or Path(CONFIGS[0])).name] = _config(front_end)
    return {Path(name): text for name, text in files.items()}


def _toml(lines: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of mockpets.toml for settings: a list, but the only file of corrections."""
    for name, values in lines.items():
        value = values[0] if name == "corrections" else [*values]
        yield f"{name} = {json.dumps(value, ensure_ascii=False)}"


def _edited_files(front_end: _Repository) -> list[Path]:
    """Return the files that need a line, whether they have it or not."""
    return [_PACKAGE, *([_ENV] if front_end.variable else []), _IGNORED]


def _changed_files(front_end: _Repository) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield the files that get a line: their new text, and the line as messages show it."""
    if "mock" not in front_end.package.get("scripts", {}):
        command = "mockpets" if front_end.is_npm else front_end.command
        script = {"mock": f"{command} serve"}
        scripts = {**front_end.package.get("scripts", {}), **script}
        indent = re.search(r"^([ \t]+)", read_file(_PACKAGE) or "", re.MULTILINE)
        package = {**front_end.package, "scripts": scripts}
        text = json.dumps(package, indent=indent[1] if indent else 2, ensure_ascii=False)
        yield _PACKAGE, (text + "\n", json.dumps(script)[1:-1])
    if front_end.variable:
        yield from _with_line(_ENV, front_end.base_url, rf"\s*{front_end.variable}\s*=")
    yield from _with_line(_IGNORED, _RESULTS, rf".*{_RESULTS[:-1]}")


def _with_line(path: Path, line: str, present: str) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Yield a file with one more line, unless a line of it matches the pattern."""
    text = read_file(path) or ""
    if not re.search(f"^{present}", text, re.MULTILINE):
        end = "\n" if text and not text.endswith("\n") else ""
        yield path, (f"{text}{end}{line}\n", line)


def _hints(front_end: _Repository) -> Iterator[str]:
    """Yield what users do themselves."""
    if front_end.note:
        yield front_end.note
    if front_end.missing:
        yield f"add to {_SETTINGS}:"
        yield from (f"  {line}" for line in _toml(front_end.missing))
    for file in filter(_is_outside, front_end.given.get("contract", ())):
        yield f"{file} is outside of this repository; for CI, copy it into the repository"
    env = read_file(_ENV) or ""
    name, line = front_end.variable, front_end.base_url
    if name and line not in env and re.search(rf"^\s*{name}\s*=", env, re.MULTILINE):
        yield f"{_ENV} has another {name}; to develop with the mock, write {line}"
    config = _existing_config()
    wanted = ["states-reporter"] * front_end.has_sheet + ["mockpets/playwright"]
    text = (read_file(config) or "") if config else ""
    if config and any(word not in text for word in wanted):
        yield f"add to {config}:"
        yield from (f"  {line}" if line else "" for line in _config(front_end).splitlines()[1:])
    elif front_end.has_sheet and front_end.framework is None and "baseURL" not in text:
        yield f"set use.baseURL in {CONFIGS[0]} to the URL of your app"
    if front_end.command == "mockpets":
        yield "for CI, choose how to install mockpets: see the recipe 'CI' in the documentation"
    elif _GITLAB_FILE.exists() and "mockpets" not in (read_file(_GITLAB_FILE) or ""):
        yield f"add a job to {_GITLAB_FILE}: see the recipe 'CI' in the documentation"


def _is_outside(contract: str) -> bool:
    """Return whether the file of a contract is outside of the Git repository, if there is one."""
    folders = (Path.cwd(), *Path.cwd().parents)
    root = next((folder for folder in folders if (folder / ".git").exists()), None)
    file = Path(contract.rpartition("=")[2]).resolve()
    return contract != BUILT_IN_CONTRACT and root is not None and root.resolve() not in file.parents


def _existing_config() -> Path | None:
    return next((Path(name) for name in CONFIGS if os.path.lexists(name)), None)


def _config(front_end: _Repository) -> str:
    command, app = front_end.command, front_end.framework
    is_default = front_end.is_npm or command == "mockpets"
    server = "webServer()" if is_default else f"webServer({{ command: {json.dumps(command)} }})"
    module = front_end.module.replace("./", "./tests/")
    reporter = module.replace("playwright", "states-reporter") + ".js" * (not front_end.is_npm)
    use, servers, mock = 'mockHar: "always"', server, ""
    if app is not None:
        use = f'baseURL: "http://localhost:{app.port}", {use}'
        servers = _APP.format(
            server=server,
            runner=front_end.runner,
            command=app.command,
            port=app.port,
            variable=front_end.variable,
            base=front_end.contract.base,
        )
        mock = _MOCK
    values = {
        "module": module,
        "reporter": f'\n  reporter: [["list"], ["{reporter}"]],' * front_end.has_sheet,
        "use": use,
        "mock": mock,
        "servers": servers,
    }
    return fill(template("front_end", CONFIGS[0]), values)


def _packages(package: Mapping[str, Any]) -> set[str]:
    return {*package.get("devDependencies", {}), *package.get("dependencies", {})}


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
