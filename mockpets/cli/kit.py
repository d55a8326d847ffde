"""The command `kit`: write the TypeScript kit into a repository, or check it."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockpets import kit_files as texts
from mockpets.cli.api_types import NONE, modules_of
from mockpets.cli.commands import is_npm_package, program, report, writing
from mockpets.cli.options import flag, with_options, with_settings
from mockpets.constants import BUILT_IN_CONTRACT
from mockpets.errors import InputError, did_you_mean, invalid, printable, problem_with
from mockpets.settings.sources import load_settings
from mockpets.units import counted, quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from mockpets.settings.settings_table import Settings

_SUFFIXES: Final = ("ts", "js", "mts", "mjs", "cts", "cjs")
CONFIGS: Final = tuple(f"playwright.config.{suffix}" for suffix in _SUFFIXES)
_CONFIG: Final = """\
import {{ defineConfig }} from "@playwright/test";
import {{ webServer }} from "{module}";
export default defineConfig({{
  fullyParallel: true,
  // use: {{ baseURL: "http://localhost:5173" }}, // your app
  webServer: webServer({options}),
}});
"""
_FOLDER: Final = click.Path(file_okay=False)


_with_integrations = with_options(
    *(
        flag(f"--{name}", text=f"Also write the {each.purpose}.")
        for name, each in texts.INTEGRATIONS.items()
    )
)


@click.command()
@click.argument("folder", type=_FOLDER, required=False, metavar="[DIR]")
@_with_integrations
@flag("--types", text="Write only mockpets.d.ts, for the npm package; DIR is optional.")
@flag("--check", text="Write nothing; exit with status 1 if a file is out of date.")
@click.option(
    "--api-types",
    metavar="FILE",
    multiple=True,
    help="File with the types of a contract, written by openapi-typescript, or 'none'; by default, "
    "one that is found. The kit writes the types of other contracts. Repeatable.",
)
@with_settings("scenarios_dir", "fixtures_dir", "contract", "corrections")
def kit(folder: str | None, types: bool, check: bool, **flags: Any) -> int:
    """DIR is created if it is missing. With --playwright, also writes playwright.config.ts, unless
    the working directory has a Playwright configuration. With --ssr alone, leaves out the client,
    which your app does not need.

    The npm package already has the client, so its command writes mockpets.d.ts, as --types does:
    the operations and collections of your contract, and the names of your scenarios and gates.

    The folder stores the options, and later calls reuse them. To drop an option, delete the folder
    first.
    """
    chosen = [name for name in texts.INTEGRATIONS if flags.pop(name)]
    if types and chosen:
        hint = "the npm package has all parts; to write them here, leave out --types"
        raise invalid("--types", f"cannot be combined with --{chosen[0]}", hint)
    if folder == "":  # it would be the working directory
        raise invalid("DIR", "must be a folder such as tests/mockpets, got ''")
    root = Path(folder or "")
    has_kit = _version(root / texts.PACKAGE_FILE) is not None
    types |= not (chosen or has_kit) and (is_npm_package() or (root / texts.TYPES_FILE).exists())
    if not (folder or types):
        raise invalid("DIR", "this argument is required", "see 'mockpets kit --help'")
    given = _paths(flags)
    made = _kit(root, chosen, given, is_check=check, types=types)
    command = [*shlex.split(program()), "kit", str(root)]
    if check:
        switches = [f"--{name}" for name in (["types"] if types else chosen)]
        return _check(made.files, shlex.join([*command, *switches, *_arguments(given)]))
    _write(made, _show_written)
    if "playwright" in chosen:
        _configure(root, _arguments({**made.options, "api-types": ()}))
    if "vitest" in chosen:
        click.echo("add globalSetup and setupFiles to vitest.config.ts: see the recipe for Vitest")
    click.echo(printable(f"check the kit  {shlex.join([*command, '--check'])}"))
    return 0


def write_kit(root: Path, options: Paths, written: Callable[[Path], None], *, types: bool) -> None:
    """Write the types, or the kit for Playwright, into a folder without a kit.

    :param options: those with paths, relative to the working directory.
    :param written: called with the path of each file after it was written.
    :raise InputError: a file or an option cannot be used.
    """
    _write(
        _kit(root, [] if types else ["playwright"], options, is_check=False, types=types), written
    )


@dataclass(frozen=True)
class _Kit:
    """What is to be written or checked.

    :param options: those with paths, given or stored.
    :param api_types: the file with the types of each contract, by the contract's label.
    """

    files: Mapping[Path, str]
    options: Paths
    api_types: Mapping[str, Path]


def _kit(root: Path, chosen: list[str], given: Paths, *, is_check: bool, types: bool) -> _Kit:
    """Return the files of a folder with its chosen integrations, and those that it has."""
    file = root / (texts.TYPES_FILE if types else texts.PACKAGE_FILE)
    stored, stored_paths = _stored(file)
    options = {name: {**stored_paths, **given}.get(name, ()) for name in _PATHS}
    settings = _settings(options, stored_paths.keys() - given.keys(), file)

    from mockpets.scenario.library import load_library
    from mockpets.settings.named_contracts import contracts_of

    folders = settings.scenarios_dir, settings.fixtures_dir
    library = load_library(*folders, contracts=contracts_of(settings))
    report(problem for group in library.problems.values() for problem in group)
    found, warnings = modules_of(library.contracts, options["api-types"])
    report(warnings)
    paths = {label: _imported(path, root) for label, path in found.items()}
    known = replace(texts.known_of(library), paths=paths)
    present = [
        name
        for name in ([] if types else texts.INTEGRATIONS)
        if name in {*chosen, *stored}
        or any(_version(root / file) for file in texts.own_files(name))
    ]
    # A file with problems still has a name: tests that use it fail with the problems.
    with_client = not present or _version(root / "client.js") is not None
    names = (file.name,) if types else texts.files_of(present, with_client=with_client)
    to_store = [f"--{name}" for name in present]
    to_store += [
        f"--{name}={_moved(path, lambda file: _relative(file, root))}"
        for name in _PATHS
        for path in options[name]
    ]
    if is_check and not stored and not any(options.values()):
        to_store = []  # downloaded from a server
    files = {root / name: texts.render(name, known, to_store) for name in names}
    return _Kit(files, options, found)


# --- Options ----------------------------------------------------------------------------------

_PATHS: Final = (
    *("config", "scenarios-dir", "fixtures-dir"),
    *("contract", "corrections", "api-types"),
)
"""The options whose values are paths, in the order of the written commands."""
Paths = dict[str, tuple[str, ...]]
"""The paths by option, relative to the working directory, as users write them."""


def _paths(flags: Mapping[str, Any]) -> Paths:
    config = flags["config"]
    given = {name.replace("_", "-"): value for name, value in flags.items() if value}
    return {**given, "config": (str(config),)} if config else given


def _arguments(options: Paths) -> list[str]:
    return [
        word for name, paths in options.items() for path in paths for word in (f"--{name}", path)
    ]


def _relative(path: str | Path, folder: Path = Path()) -> str:
    """Return a path relative to a folder, with slashes, so that repositories can share it."""
    return Path(os.path.relpath(path, folder)).as_posix()


def _moved(value: str, move: Callable[[str], str]) -> str:
    """Return the value of an option with its path moved: of a contract, also after ``/PATH=``."""
    base, equals, file = value.rpartition("=") if value.startswith("/") else ("", "", value)
    return value if file in (BUILT_IN_CONTRACT, NONE) else f"{base}{equals}{move(file)}"


def _stored(file: Path) -> tuple[list[str], Paths]:
    """Return the integrations, and the options with paths, of the call that wrote this file."""
    text, out = read_file(file) or "", file.parent
    integrations: list[str] = []
    paths: Paths = {}
    if texts.written_by(text) is None:
        return integrations, paths
    place = f"{file}: {'options' if file.name == texts.TYPES_FILE else 'mockpets.options'}"
    hint = "delete this file, and run 'mockpets kit' with all options"
    try:
        options = texts.stored_options(text)
    except (ValueError, RecursionError) as error:
        raise invalid(place, "must be a list of texts such as --playwright", hint) from error
    for text in options:
        name, _, value = text.removeprefix("--").partition("=")
        if name in texts.INTEGRATIONS and not value:
            integrations.append(name)
        elif name in _PATHS and value:
            moved = _moved(value, lambda file: _relative(out / file))
            paths[name] = (*paths.get(name, ()), moved)
        else:
            known = [f"--{name}" for name in (*texts.INTEGRATIONS, *_PATHS)]
            near = did_you_mean(text, known) or hint
            raise invalid(place, f"unknown option {quote(text)}", near)
    return integrations, paths


def _settings(options: Paths, repeated: Collection[str], file: Path) -> Settings:
    """Return the settings; an error for a `repeated` option, which the folder stores, says so."""
    own = ("config", "api-types")  # which are no settings
    flags = {name.replace("-", "_"): paths for name, paths in options.items() if name not in own}
    try:
        return load_settings(flags, os.environ, next(map(Path, options["config"]), None))
    except InputError as error:
        hint = f"{file} stores this option: give it again, with the current path"
        is_stored = [problem.file[2:].split(" ")[0] in repeated for problem in error.problems]
        raise InputError(
            replace(problem, hint=hint) if stored else problem
            for problem, stored in zip(error.problems, is_stored, strict=True)
        ) from error


# --- Files ------------------------------------------------------------------------------------


def read_file(path: Path) -> str | None:
    """Return a file's text; None if it is missing."""
    try:
        if path.is_char_device() or path.is_fifo():  # reading would not end
            raise OSError(None, "it is not a regular file")
        return path.read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        what = f"cannot read this file: {error.strerror}"
        raise invalid(str(path), what) from error


def _version(path: Path) -> str | None:
    return texts.written_by(read_file(path) or "")


def _write(made: _Kit, written: Callable[[Path], None]) -> None:
    """Write the files; raise `InputError` before that if one of them is someone else's."""
    what = "this file exists, and 'mockpets kit' did not write it"
    hint = "rename it, or choose another folder"
    foreign = [
        problem_with(str(path), what, hint)
        for path in made.files
        if os.path.lexists(path) and _version(path) is None
    ]
    if foreign:
        raise InputError(foreign)
    for path, text in made.files.items():
        write_file(path, text)
        written(path)
    for label, path in made.api_types.items():
        click.echo(printable(f"took the types of {label} from {path}"))


def _show_written(path: Path) -> None:
    click.echo(printable(f"wrote {path}"))


def write_file(path: Path, text: str) -> None:
    """Write a new file, or one that `mockpets kit` has written."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        what, hint = "cannot write this file: a path in it is not UTF-8", "rename the folder"
        raise invalid(str(path), what, hint) from error
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if _version(path) is not None:
            path.unlink()
        # Exclusively: never write to where a symbolic link leads.
        with path.open("xb") as file:
            file.write(data)


def _check(files: Mapping[Path, str], command: str) -> int:
    """Report the files that are not as `_write` would write them; return the exit status."""
    differences = {path: _difference(path, text) for path, text in files.items()}
    problems = [f"{path}: {what}" for path, what in differences.items() if what]
    if problems:
        report([*problems, f"to write these files again, run: {command}"])
        return 1
    number = len(files)
    click.echo(f"{counted(number, 'file')} {'is' if number == 1 else 'are'} up to date")
    return 0


def _difference(path: Path, text: str) -> str:
    """Return how a file differs from its text; empty if it does not."""
    current = read_file(path)
    if current is None:
        return "this file is missing"
    if current == text or (path.name == texts.TYPES_FILE and _words(current) == _words(text)):
        return ""
    if texts.written_by(current) is None:
        return "'mockpets kit' did not write this file; rename it, or choose another folder"
    return "out of date, or changed by a formatter: exclude the folder from formatting"


def _words(text: str) -> list[str]:
    """Return what formatters keep: the file need not be excluded from them."""
    return re.findall(r"[^\s;|\"']+", text)


# --- Test runners -----------------------------------------------------------------------------


def _configure(out: Path, options: list[str]) -> None:
    """Write a configuration of Playwright, or show what to add to the existing one."""
    module = _module(out / "playwright", Path())
    # Each on a line of its own, as Prettier leaves it at any length.
    lines = "".join(f"\n    {each}," for each in _server_options(options))
    text = _CONFIG.format(module=module, options=f"{{{lines}\n  }}" if lines else "")
    existing = next((path for path in map(Path, CONFIGS) if os.path.lexists(path)), None)
    if existing is None:
        write_file(Path(CONFIGS[0]), text)
        _show_written(Path(CONFIGS[0]))
    elif any(part not in (read_file(existing) or "") for part in (module, shlex.join(options))):
        click.echo(f"add the server to {existing}:")
        click.echo("".join(f"  {line}\n" for line in text.splitlines()[1:]), nl=False)


def _server_options(options: list[str]) -> list[str]:
    """Return the properties of the argument of `webServer` and `startServer`."""
    command = program()
    properties = {"command": "" if command == "mockpets" else command, "args": shlex.join(options)}
    return [f"{name}: {json.dumps(value)}" for name, value in properties.items() if value]


def _imported(types: Path, folder: Path) -> str:
    """Return how a module in a folder imports a file with types; any `moduleResolution` works."""
    return re.sub(r"(?:\.d)?\.(m?)ts$", r".\1js", _module(types, folder))


def _module(path: Path, folder: Path) -> str:
    """Return what a module in a folder imports another by: its relative path."""
    relative = _relative(path, folder)
    return relative if relative.startswith("../") else f"./{relative}"
