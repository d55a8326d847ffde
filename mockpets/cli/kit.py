"""The command `kit`: write the TypeScript kit into a repository, or check it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets.cli.commands import Command, report
from mockpets.cli.completion import folders
from mockpets.cli.options import with_settings
from mockpets.errors import InputError, Problem, printable
from mockpets.kit import (
    CLIENT,
    INTEGRATIONS,
    SCENARIOS_FILE,
    STATES_FILE,
    declared_scenarios,
    files_of,
    own_files,
    render,
    written_by,
)
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

_SUFFIXES: Final = ("ts", "js", "mts", "mjs", "cts", "cjs")
_CONFIGS: Final = tuple(f"playwright.config.{suffix}" for suffix in _SUFFIXES)
_VITEST_CONFIGS: Final = tuple(
    f"{tool}.config.{suffix}" for tool in ("vitest", "vite") for suffix in _SUFFIXES
)
_CONFIG: Final = """\
import {{ defineConfig }} from "@playwright/test";
import {{ webServer }} from "{module}";
export default defineConfig({{ fullyParallel: true, webServer: webServer({options}) }});
"""


def _with_integrations(command: Callable[..., int]) -> Callable[..., int]:
    """Add an option for each integration."""
    for name, integration in reversed([*INTEGRATIONS.items()]):
        purpose = f"Also write the {integration.purpose}."
        command = click.option(f"--{name}", is_flag=True, help=purpose)(command)
    return command


@click.command(cls=Command)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="DIR",
    help="Folder for the files, such as test/mockpets; made if it is missing.",
    shell_complete=folders,
)
@_with_integrations
@click.option(
    "--check", is_flag=True, help="Write nothing; exit with status 1 if a file is out of date."
)
@with_settings("scenarios_dir", "fixtures_dir")
def kit(out: Path, check: bool, config: Path | None, **flags: Any) -> int:
    """Write the TypeScript client, with the names of your scenarios, into a folder.

    With --playwright, also writes playwright.config.ts, unless the working directory has a
    configuration. With --vitest, shows what to add to the configuration of Vitest. With --ssr
    alone, leaves out the client, which your app does not need. Parts that DIR already has are
    updated and checked without their options too.
    """
    chosen = [name for name in INTEGRATIONS if flags.pop(name)]
    settings = load_settings(flags, os.environ, config)

    from mockpets.scenario.library import load_library

    library = load_library(settings.scenarios_dir, settings.fixtures_dir)
    report(problem for group in library.problems.values() for problem in group)
    present = [
        name
        for name in INTEGRATIONS
        if name in chosen or any(_version(out / file) for file in own_files(name))
    ]
    # A file with problems still has a name: tests that use it fail with the problems.
    with_client = not present or _version(out / "client.js") is not None
    names = files_of(present, with_client=with_client)
    descriptions = library.descriptions()
    files = {out / name: render(name, descriptions) for name in names}
    options = _options(config, flags)
    command = ["mockpets", "kit", "--out", str(out), *(f"--{name}" for name in chosen), *options]
    if check:
        return _check(files, shlex.join(command))
    _write(files)
    if "playwright" in chosen:
        _configure(out, options)
    if "vitest" in chosen:
        _show_vitest(out, options)
    for line in _imports(out, present):
        click.echo(printable(f"use it    {line}"))
    click.echo(printable(f"check it  {shlex.join([*command, '--check'])}"))
    return 0


def _imports(out: Path, integrations: Iterable[str]) -> Iterator[str]:
    """Yield for each integration, or for the client, where users write which import."""
    for name in [*integrations] or ["client"]:
        part = INTEGRATIONS.get(name, CLIENT)
        user = Path(part.importer) if "/" in part.importer else out.parent / part.importer
        names = f"{{ {part.imports} }} from " if part.imports else ""
        yield f'in {user.as_posix()}: import {names}"{_module(out / name, user.parent)}";'


def _options(config: Path | None, flags: Mapping[str, Any]) -> list[str]:
    """Return the options for settings that the command was called with."""
    given = [("--config", str(config))] if config else []
    for name, values in flags.items():
        given += [(f"--{name.replace('_', '-')}", value) for value in values]
    return [*chain.from_iterable(given)]


# --- Files ------------------------------------------------------------------------------------


def _read(path: Path) -> str | None:
    """Return a file's text; None if it is missing.

    :raise InputError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        what = f"cannot read this file: {error.strerror}"
        raise InputError([Problem(str(path), 0, 0, "", what)]) from error


def _version(path: Path) -> str | None:
    """Return the version of mockpets that wrote a file; None if it did not write it."""
    return written_by(_read(path) or "")


def _write(files: Mapping[Path, str]) -> None:
    """Write the files, if none of them is someone else's.

    :raise InputError: before anything is written, or if a file cannot be written.
    """
    what = "this file exists, and 'mockpets kit' did not write it"
    hint = "rename it, or choose another folder with --out"
    foreign = [
        Problem(str(path), 0, 0, "", what, hint)
        for path in files
        if _read(path) is not None and _version(path) is None
    ]
    if foreign:
        raise InputError(foreign)
    for path, text in files.items():
        _write_file(path, text)


def _write_file(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        what = f"cannot write this file: {error.strerror}"
        raise InputError([Problem(str(path), 0, 0, "", what)]) from error
    click.echo(printable(f"wrote {path}"))


def _check(files: Mapping[Path, str], command: str) -> int:
    """Report the files that are not as `_write` would write them; return the exit status."""
    problems = [
        Problem(str(path), 0, 0, "", what)
        for path, text in files.items()
        if (what := _difference(path, text))
    ]
    if problems:
        report([*problems, f"to write these files again, run: {command}"])
        return 1
    click.echo(f"{len(files)} files are up to date")
    return 0


def _difference(path: Path, text: str) -> str:
    """Return how a file differs from its text; empty if it does not."""
    current = _read(path)
    if current is None:
        return "this file is missing"
    if current == text:
        return ""
    writer, own = written_by(current), written_by(text)
    if writer is None:
        return "'mockpets kit' did not write this file; rename it, or choose another folder"
    if writer != own:
        return f"out of date: written by mockpets {writer}, and this is mockpets {own}"
    if path.name == SCENARIOS_FILE:
        before, now = declared_scenarios(current), declared_scenarios(text)
        changes = [*_listed("lacks", now - before), *_listed("still has", before - now)]
        if changes:
            return f"out of date: it {' and '.join(changes)}"
    if path.name == STATES_FILE:
        return (
            "out of date: the names or descriptions of your scenarios have changed, or a formatter "
            "has changed this file"
        )
    return "this file was changed; if a formatter did it, exclude the folder from formatting"


def _listed(what: str, names: Iterable[str]) -> Iterator[str]:
    if names := sorted(names):
        yield f"{what} {', '.join(map(repr, names))}"


# --- Test runners -----------------------------------------------------------------------------


def _configure(out: Path, options: list[str]) -> None:
    """Write a configuration of Playwright, or show what to add to the existing one."""
    module = _module(out / "playwright", Path())
    text = _CONFIG.format(module=module, options=_server_options(options))
    existing = next((path for path in map(Path, _CONFIGS) if path.exists()), None)
    if existing is None:
        _write_file(Path(_CONFIGS[0]), text)
    elif module not in (_read(existing) or ""):
        click.echo(f"add the server to {existing}:")
        click.echo("".join(f"  {line}\n" for line in text.splitlines()[1:]), nl=False)


def _show_vitest(out: Path, options: list[str]) -> None:
    """Show what to add for Vitest, unless its configuration has it.

    No file is written: a vitest.config.ts would replace the plugins of an existing vite.config.ts.
    """
    module, server = _module(out / "vitest.js", Path()), out.parent / "server.ts"
    if any(module in (_read(Path(name)) or "") for name in _VITEST_CONFIGS):
        return
    starter = _module(server, Path())
    for line in (
        f"add the server as {server.as_posix()}:",
        f'  import {{ startServer }} from "{_module(out / "server", server.parent)}";',
        f"  export default () => startServer({_server_options(options)});",
        "add both to the configuration of Vitest:",
        f'  test: {{ globalSetup: "{starter}", setupFiles: "{module}" }}',
    ):
        click.echo(printable(line))


def _server_options(options: list[str]) -> str:
    """Return the argument of `webServer` and `startServer`; empty if they need none."""
    pairs = {"command": _own_command(), "args": shlex.join(options)}
    given = ", ".join(f"{name}: {json.dumps(value)}" for name, value in pairs.items() if value)
    return f"{{ {given} }}" if given else ""


def _module(path: Path, folder: Path) -> str:
    """Return what a module in a folder imports another by: its relative path."""
    relative = Path(os.path.relpath(path, folder)).as_posix()
    return relative if relative.startswith("../") else f"./{relative}"


def _own_command() -> str:
    """Return the command that runs this mockpets; empty if it is ``mockpets``."""
    own = shutil.which("mockpets", path=Path(sys.executable).parent)
    on_path = shutil.which("mockpets")
    if own is None:  # such as with `pip install --user`
        return "" if on_path else shlex.join([sys.executable, "-m", "mockpets"])
    if on_path and Path(on_path).resolve() == Path(own).resolve():
        return ""
    path = Path(own)
    return shlex.quote(
        str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    )
