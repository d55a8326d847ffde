"""The commands that work without a server: they read or write files and print."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockpets.cli.commands import Command, report
from mockpets.cli.layout import TERM_COLUMNS, HelpFormatter
from mockpets.cli.options import with_settings
from mockpets.constants import NAME_LENGTH, SCENARIO_NAME
from mockpets.errors import InputError, Problem, printable
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from mockpets.cli.scenario_check import CheckResult
    from mockpets.scenario.library import Library


@click.command(cls=Command)
@click.option("-v", "--verbose", is_flag=True, help="Show the file of each scenario.")
@with_settings("scenarios_dir", "fixtures_dir")
def scenarios(verbose: bool, config: Path | None, **flags: object) -> int:
    """List the scenarios: name and description."""
    settings = load_settings(flags, os.environ, config)

    from mockpets.scenario.library import load_library

    library = load_library(settings.scenarios_dir, settings.fixtures_dir)
    formatter = HelpFormatter()
    width = min(max(map(len, library.scenarios)), TERM_COLUMNS)  # the same in all groups
    for group, names in library.grouped().items():
        rows = [
            (f"{name:<{width}}", _described(library, name, verbose=verbose))
            for name in names
            if name in library.scenarios
        ]
        if rows:  # an invalid file has no description; its problems follow
            with formatter.section(group):
                formatter.write_dl(rows)
    click.echo(formatter.getvalue().rstrip())
    problems = [problem for group in library.problems.values() for problem in group]
    report(problems)
    return 2 if problems else 0


def _described(library: Library, name: str, *, verbose: bool) -> str:
    """Return the description of a scenario, and its file if the list is verbose."""
    description = library.scenarios[name].description
    return printable(f"{description} [{library.sources[name].place}]" if verbose else description)


@click.command(cls=Command)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE|DIR]...")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Output format.  [default: text]",
)
@with_settings("scenarios_dir", "fixtures_dir")
def check(paths: tuple[Path, ...], output_format: str, config: Path | None, **flags: object) -> int:
    """Check scenario and fixture files, and try each stub.

    Without FILE or DIR, checks all files that `serve` would load. A list is a fixture if the file
    is JSON or in a folder named fixtures or given with --fixtures-dir; other files are scenarios.
    Warns about stubs that are never reached. The exit status is 1 if there are problems.
    """
    settings = load_settings(flags, os.environ, config)

    from mockpets.cli.scenario_check import check as run

    result = run(paths, settings.scenarios_dir, settings.fixtures_dir)
    if output_format == "json":
        click.echo(json.dumps(_as_json(result), indent=2, ensure_ascii=False).encode())
    else:
        for line in _as_text(result):
            click.echo(printable(line))
    return 1 if result.problems else 0


def _as_json(result: CheckResult) -> dict[str, Any]:
    """Return the result of a check as JSON, with the same names as `CheckResult`."""
    return asdict(result)


def _as_text(result: CheckResult) -> Iterator[str]:
    """Yield the lines of a check's report: problems and warnings, else what the files cover."""
    from mockpets.contract.schemas import RESPONSES

    yield from map(str, result.problems)
    for warning in result.warnings:
        yield str(replace(warning, where=f"warning: {warning.where}"))
    checked = (
        f"{_count(result.scenarios, 'scenario')} and {_count(result.fixtures, 'fixture')} "
        f"checked: {_count(result.problems, 'problem')}"
        + (f" and {_count(result.warnings, 'warning')}" if result.warnings else "")
    )
    if result.problems:  # the rest would push them off the screen
        yield checked
        return
    yield f"{checked}; {result.tried} stub{'' if result.tried == 1 else 's'} tried"
    for label in result.untried:
        yield f"not tried, because no matching request could be built: {label}"
    width = max(map(len, [*result.coverage, "operation"]))
    yield ""
    yield f"{'operation':<{width}}  status  scenarios"
    for operation, row in result.coverage.items():
        for status, names in row.items():
            mark = " " if status in RESPONSES.get(operation, ()) else "*"
            yield f"{operation:<{width}}  {status}{mark}    {', '.join(names) or '-'}"
    yield "* not listed in the contract"


def _count(items: Sized, name: str) -> str:
    return f"{len(items)} {name}{'' if len(items) == 1 else 's'}"


@click.command(cls=Command)
@click.argument("name")
@with_settings("scenarios_dir")
def new(name: str, config: Path | None, **flags: object) -> None:
    """Write a scenario file to start from.

    It shows the whole scenario language in comments. The file goes into the last --scenarios-dir,
    or into the working directory.
    """
    settings = load_settings(flags, os.environ, config)
    if not re.fullmatch(SCENARIO_NAME, name) or len(name) > NAME_LENGTH:
        expected = (
            f"must be in kebab-case (a-z, 0-9, single hyphens; at most {NAME_LENGTH} characters)"
        )
        message = f"{expected}, got {name!r}"
        raise InputError([Problem("NAME", 0, 0, "", message, "try 'my-scenario'")])
    folder = settings.scenarios_dir[-1] if settings.scenarios_dir else Path()
    path = folder / f"{name}.yaml"

    from mockpets.scenario.files import find
    from mockpets.scenario.template import new_scenario

    replaced = find("scenarios", settings.scenarios_dir[:-1]).get(name)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(new_scenario(name))
    except OSError as error:
        problem = Problem(str(path), 0, 0, "", f"cannot write this file: {error.strerror}")
        if isinstance(error, FileExistsError):
            hint = "choose another name, or delete it"
            problem = Problem("", 0, 0, "", f"{path} already exists", hint)
        raise InputError([problem]) from error
    click.echo(f"wrote {path}")
    if replaced:
        what = f"in a server that loads it, {path} replaces {replaced.shown}"
        report([f"note: {what}; to keep both, rename the file"])
    click.echo(f"check it  mockpets check {path}")
    click.echo(f"use it    mockpets serve --scenarios-dir {folder} --scenario {name}")


@click.command(cls=Command)
def schema() -> None:
    """Print the JSON Schema of scenario files, for your editor."""
    from mockpets.scenario.language.loader import scenario_schema

    click.echo(json.dumps(scenario_schema(), indent=2, ensure_ascii=False).encode())


@click.command(cls=Command)
@with_settings("count", "seed", "locale")
def fixture(config: Path | None, **flags: object) -> None:
    """Print generated pets as a fixture file."""
    settings = load_settings(flags, os.environ, config)

    from mockpets.contract.serialization import dump_pet
    from mockpets.pets.default_pets import generate

    pets = generate(settings.count, settings.seed, settings.locale)
    # As bytes, because a fixture is UTF-8 whatever the encoding of the terminal.
    click.echo(b"[" + b",".join(b"\n" + dump_pet(pet) for pet in pets) + b"\n]")


@click.command(cls=Command)
@click.option("--control", is_flag=True, help="Print the control API instead.")
def openapi(control: bool) -> None:
    """Print the contract as an OpenAPI 3.1 document."""
    if control:
        from mockpets.web.control.routes import control_document as document
    else:
        from mockpets.contract.openapi import document

    click.echo(json.dumps(document(), indent=2, ensure_ascii=False).encode())
