"""The commands that work without a server: they read or write files and print."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockpets.cli.commands import report, write_new
from mockpets.cli.layout import TERM_COLUMNS, HelpFormatter, excerpt, hang, on_terminal
from mockpets.cli.options import (
    flag,
    integer,
    only_one,
    option,
    with_json,
    with_settings,
)
from mockpets.cli.remote import connect, reporting, with_token
from mockpets.constants import RECORDS_GENERATED
from mockpets.errors import InputError, did_you_mean, invalid, printable, problem_with
from mockpets.settings.sources import URL_VARIABLE, load_settings
from mockpets.units import counted, parse_name, quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mockpets.contract.contract_model import Collection, Contracts
    from mockpets.scenario.check import CheckResult
    from mockpets.settings import Settings


@click.command()
@flag("-v", "--verbose", text="Show the file of each scenario.")
@option(
    "--url URL",
    f"URL of a running server.  [variable: {URL_VARIABLE}]",
    multiple=True,
    callback=only_one,
)
@with_json
@with_token
@with_settings("scenarios_dir", "fixtures_dir", "contract", "corrections")
def scenarios(
    verbose: bool,
    url: str | None,
    as_json: bool,
    token: str | None,
    config: Path | None,
    **flags: object,
) -> int | None:
    """With --url, lists the scenarios of a running server."""
    if not any(flags.values()):
        url = url or os.environ.get(URL_VARIABLE)
    if url is None:
        settings = load_settings(flags, os.environ, config)
        return _show_scenarios(_local_scenarios(settings), verbose, as_json)
    if problems := [
        problem_with(f"--{name.replace('_', '-')}", "cannot be combined with --url")
        for name, value in flags.items()
        if value
    ]:
        raise InputError(problems)
    client = connect({"url": url, "token": token})
    return reporting(client, lambda: _show_scenarios(client.scenarios(), verbose, as_json))


def _local_scenarios(settings: Settings) -> dict[str, Any]:
    """Return the scenarios of the shipped and the given folders, as the control API lists them."""
    from mockpets.scenario.library import load_library
    from mockpets.settings.named_contracts import contracts_of

    folders = settings.scenarios_dir, settings.fixtures_dir
    library = load_library(*folders, contracts=contracts_of(settings))
    known = library.scenarios
    scenarios = [
        {
            "group": group,
            "name": name,
            "description": known[name].description if name in known else None,
            "source": library.sources[name].shown,
            "replaces": library.sources[name].replaces,
            "problems": [str(problem) for problem in library.problems.get(name, ())],
        }
        for group, names in library.grouped().items()
        for name in names
    ]
    return {"scenarios": scenarios, "skipped": {**library.skipped}}


def _show_scenarios(listed: Mapping[str, Any], verbose: bool, as_json: bool) -> int:
    """Print scenarios by group, then the problems of invalid files; return the exit status."""
    rows = listed["scenarios"]
    problems = [problem for row in rows for problem in row["problems"]]
    if as_json:
        _print_json(listed)
        return 2 if problems else 0
    formatter = HelpFormatter()
    valid = [row for row in rows if row["description"] is not None]
    width = min(max(len(row["name"]) for row in valid), TERM_COLUMNS)  # the same in all groups
    for group, members in groupby(valid, key=lambda row: row["group"]):
        with formatter.section(group):
            for row in members:
                place = " in place of ".join((row["source"], *reversed(row["replaces"])))
                text = f"{row['description']} [{place}]" if verbose else row["description"]
                formatter.write_dl([(f"{row['name']:<{width}}", printable(text))])
    if listed["skipped"]:
        with formatter.section("Skipped, because they do not fit the contracts"):
            formatter.write_dl(
                [(f"{name:<{width}}", why) for name, why in listed["skipped"].items()]
            )
    click.echo(formatter.getvalue().rstrip())
    report(problems)
    return 2 if problems else 0


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE|DIR]...")
@with_json
@with_settings("scenarios_dir", "fixtures_dir", "contract", "corrections")
def check(
    paths: tuple[Path, ...],
    as_json: bool,
    config: Path | None,
    **flags: object,
) -> int:
    """Without FILE or DIR, checks all files that `serve` would load, against the contracts that it
    would serve: operations, parameters, statuses, bodies and records. A file that contains a list
    is a fixture if it is JSON, or in a folder named fixtures or given with --fixtures-dir; other
    files are scenarios. Warns about likely mistakes, such as stubs that are never reached. The exit
    status is 1 if there are problems.
    """
    settings = load_settings(flags, os.environ, config)

    from mockpets.scenario.check import check as run
    from mockpets.settings.named_contracts import contracts_of

    folders = settings.scenarios_dir, settings.fixtures_dir
    result = run(paths, *folders, contracts_of(settings))
    if as_json:
        _print_json(asdict(result))
    else:
        click.echo("\n".join(map(printable, _as_text(result))))
    return 1 if result.problems else 0


def _as_text(result: CheckResult) -> Iterator[str]:
    """Yield the lines of a check's report."""
    warnings = [replace(item, where=f"warning: {item.where}") for item in result.warnings]
    for problem in (*result.problems, *warnings):
        if not on_terminal():
            yield str(problem)
            continue
        yield from hang(str(problem)).split("\n")
        if problem.line:
            yield from excerpt(_lines_of(problem.file), problem.line, problem.column)
    scenarios = counted(len(result.scenarios), "scenario")
    fixtures = counted(len(result.fixtures), "fixture")
    checked = f"{scenarios} and {fixtures} checked: {counted(len(result.problems), 'problem')}"
    if result.warnings:
        checked += f" and {counted(len(result.warnings), 'warning')}"
    yield checked if result.problems else f"{checked}; {counted(result.stubs, 'stub')}"


def _lines_of(file: str) -> list[str]:
    """Return the lines of a file as YAML counts them; none if it cannot be read."""
    try:
        text = Path(file).read_text("utf-8-sig")
    except (OSError, ValueError):
        return []
    return re.split("\r\n|[\n\r\x85\u2028\u2029]", text)


@click.command()
@click.argument("name")
@with_settings("scenarios_dir", "contract", "corrections")
def new(name: str, config: Path | None, **flags: object) -> None:
    """The file shows the whole scenario language in comments. It goes into the last
    --scenarios-dir, or into the working directory.
    """
    settings = load_settings(flags, os.environ, config)
    try:
        parse_name(name)
    except ValueError as error:
        raise invalid("NAME", str(error), "try 'my-scenario'") from None
    folder = settings.scenarios_dir[-1] if settings.scenarios_dir else Path()
    path = folder / f"{name}.yaml"

    from mockpets.scenario.folders import find
    from mockpets.scenario.template import new_scenario
    from mockpets.settings.named_contracts import contracts_of

    text = new_scenario(name, contracts_of(settings))
    replaced = find("scenarios", settings.scenarios_dir[:-1]).get(name)
    write_new(path, text, "choose another name, or delete it")
    if replaced:
        note = f"note: in a server that loads it, {path} replaces {replaced.shown}"
        report([f"{note}; to keep both, rename the file"])
    click.echo(f"check it  mockpets check {path}")
    click.echo(f"use it    mockpets serve --scenarios-dir {folder} --scenario {name}")


@click.command()
@with_settings("contract", "corrections")
def schema(config: Path | None, **flags: object) -> None:
    settings = load_settings(flags, os.environ, config)

    from mockpets.scenario.language.loader import scenario_schema
    from mockpets.settings.named_contracts import contracts_of

    _print_json(scenario_schema(contracts_of(settings)))


@click.command()
@click.argument("collection", required=False, metavar="[COLLECTION]")
@option("--count NUMBER", "Number of records.", type=integer(0, RECORDS_GENERATED), default="16")
@with_settings("seed", "locale", "contract", "corrections")
def fixture(collection: str | None, count: int, config: Path | None, **flags: object) -> None:
    """COLLECTION is a collection of the contract; leave it out if there is only one."""
    settings = load_settings(flags, os.environ, config)

    from mockpets.seed.generated_records import generate
    from mockpets.settings.named_contracts import contracts_of

    kind = _collection(collection, contracts_of(settings))
    records = generate(kind, count, settings.seed, settings.locale)
    # As bytes, because a fixture is UTF-8 whatever the encoding of the terminal.
    click.echo(b"[" + b",".join(b"\n" + kind.schema.dump(each) for each in records) + b"\n]")


def _collection(name: str | None, contracts: Contracts) -> Collection:
    """Return a collection of the contracts by name; without one, the only one."""
    known = contracts.collections
    names = f"collections: {', '.join(known) or 'none'}"
    if name is None:
        if len(known) != 1:
            raise invalid("COLLECTION", "this argument is required", names)
        return next(iter(known.values()))
    if name not in known:
        hint = did_you_mean(name, known) or names
        raise invalid("COLLECTION", f"unknown collection {quote(name)}", hint)
    return known[name]


@click.command()
@click.argument("label", required=False, metavar="[CONTRACT]")
@flag("--control", text="Print the control API instead.")
@with_settings("contract", "corrections")
def openapi(label: str | None, control: bool, config: Path | None, **flags: object) -> None:
    """If there are several contracts, CONTRACT names one: shop for shop.yaml. The default is the
    first.
    """
    settings = load_settings(flags, os.environ, config)

    from mockpets.settings.named_contracts import contracts_of

    contracts = contracts_of(settings)
    if control:
        from mockpets.web.control.routes import control_document

        _print_json(control_document(contracts=contracts))
        return
    known = {each.label: each for each in contracts.all}
    if label is not None and label not in known:
        hint = did_you_mean(label, known) or f"contracts: {', '.join(known)}"
        raise invalid("CONTRACT", f"unknown contract {quote(label)}", hint)
    _print_json((known[label] if label else contracts.all[0]).document)


def _print_json(value: object) -> None:
    """Print a value as JSON in UTF-8, whatever the encoding of the terminal."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False).encode())
