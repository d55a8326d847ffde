"""The commands that read files and print: what they find wrong, what they know, what they make."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockpets.cli.options import Command, complain, with_settings
from mockpets.constants import NAME_LENGTH, SCENARIO_NAME
from mockpets.errors import InputError, Problem, printable
from mockpets.settings.sources import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from mockpets.cli.scenario_check import Checked


@click.command(cls=Command)
@with_settings("scenarios_dir", "fixtures_dir")
def scenarios(config: Path | None, **flags: object) -> int:
    """List the scenarios: name, description and file."""
    settings = load_settings(flags, os.environ, config)

    from mockpets.scenario.library import load_library

    library = load_library(settings.scenarios_dir, settings.fixtures_dir)
    width = max(map(len, library.scenarios), default=0)
    for name, scenario in sorted(library.scenarios.items()):
        source = library.sources[name]
        files = " in place of ".join((source.shown, *reversed(source.replaces)))
        click.echo(printable(f"{name:<{width}}  {scenario.description}  [{files}]"))
    problems = [problem for found in library.problems.values() for problem in found]
    complain(problems)
    return 2 if problems else 0


@click.command(cls=Command)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE|DIR]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="For people or for programs.  [default: text]",
)
@with_settings("scenarios_dir", "fixtures_dir")
def check(paths: tuple[Path, ...], form: str, config: Path | None, **flags: object) -> int:
    """Check scenario and fixture files, and try each stub once.

    Without files or folders: all that `serve` would read. The exit status is 1 if there is any
    problem.
    """
    settings = load_settings(flags, os.environ, config)

    from mockpets.cli.scenario_check import check as run

    checked = run(paths, settings.scenarios_dir, settings.fixtures_dir)
    if form == "json":
        click.echo(json.dumps(_as_json(checked), indent=2, ensure_ascii=False).encode())
    else:
        for line in _as_text(checked):
            click.echo(printable(line))
    return 1 if checked.problems else 0


def _as_json(checked: Checked) -> dict[str, Any]:
    """Return what a check found as JSON has it; its names are the same as `Checked`'s."""
    found = asdict(checked)
    found["problems"] = [asdict(problem) for problem in checked.problems]
    return found


def _as_text(checked: Checked) -> Iterator[str]:
    """Yield what a check found, the problems first."""
    from mockpets.contract.schemas import RESPONSES

    yield from map(str, checked.problems)
    yield (
        f"{_count(checked.scenarios, 'scenario')} and {_count(checked.fixtures, 'fixture')} "
        f"checked: {_count(checked.problems, 'problem')}; {checked.tried} stubs tried"
    )
    for label in checked.untried:
        yield f"not tried, since no request could be made for it: {label}"
    width = max(map(len, [*checked.coverage, "answered to"]))
    yield ""
    yield f"{'answered to':<{width}}  with   by the scenarios"
    for asked, row in checked.coverage.items():
        for status, names in row.items():
            mark = " " if status in RESPONSES.get(asked, ()) else "*"
            yield f"{asked:<{width}}  {status}{mark}   {', '.join(names) or '-'}"
    yield "* not in the contract"


def _count(things: Sized, name: str) -> str:
    return f"{len(things)} {name}{'' if len(things) == 1 else 's'}"


@click.command(cls=Command)
@click.argument("name")
@with_settings("scenarios_dir")
def new(name: str, config: Path | None, **flags: object) -> None:
    """Write a scenario file to start from, with a comment for all it can say.

    Into the last --scenarios-dir, or here.
    """
    settings = load_settings(flags, os.environ, config)
    if not re.fullmatch(SCENARIO_NAME, name) or len(name) > NAME_LENGTH:
        what = f"must be in kebab-case (a-z, 0-9, single dashes; at most {NAME_LENGTH})"
        raise InputError([Problem("NAME", 0, 0, "", f"{what}, got {name!r}", "try 'my-scenario'")])
    folder = settings.scenarios_dir[-1] if settings.scenarios_dir else Path()
    path = folder / f"{name}.yaml"

    from mockpets.scenario.template import new_scenario

    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(new_scenario(name))
    except OSError as error:
        hint = "choose another name, or remove it" if isinstance(error, FileExistsError) else ""
        what = f"cannot be written: {error.strerror}"
        raise InputError([Problem(str(path), 0, 0, "", what, hint)]) from error
    click.echo(f"wrote {path}")
    click.echo(f"check it  mockpets check {path}")
    click.echo(f"use it    mockpets serve --scenarios-dir {folder} --scenario {name}")


@click.command(cls=Command)
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors."""
    from mockpets.scenario.language.loader import scenario_schema

    click.echo(json.dumps(scenario_schema(), indent=2, ensure_ascii=False).encode())


@click.command(cls=Command)
@with_settings("count", "seed", "locale")
def fixture(config: Path | None, **flags: object) -> None:
    """Print generated pets as a fixture file."""
    settings = load_settings(flags, os.environ, config)

    from mockpets.contract.serialization import dump_pet
    from mockpets.pets.generator import generate

    pets = generate(settings.count, settings.seed, settings.locale)
    # As bytes, since a fixture is UTF-8 whatever the terminal is.
    click.echo(b"[" + b",".join(b"\n" + dump_pet(pet) for pet in pets) + b"\n]")


@click.command(cls=Command)
def openapi() -> None:
    """Print the contract as an OpenAPI 3.1 document."""
    from mockpets.contract.openapi import document

    click.echo(json.dumps(document(), indent=2, ensure_ascii=False).encode())


COMMANDS = (scenarios, check, new, fixture, openapi, schema)
"""In the order of the help."""
