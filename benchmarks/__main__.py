"""Run the benchmark: ``python -m benchmarks``, from a checkout with mockpets in its environment.

QUESTION is mix, operations, start or memory, which are also measured for the peers, or curves. By
default, the first four. The first run installs the peers into ``--cache``, which takes two more
minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks import curves
from benchmarks.compare import QUESTIONS, Plan, compare, report
from benchmarks.contracts import CONTRACTS, PET_STORE
from benchmarks.idle import Machine
from benchmarks.load import LEVELS, client_name
from benchmarks.peers import make_ready, peers_of
from benchmarks.subjects import OURS, SCRIPT, build, compile_ours, has_script, own_subjects
from benchmarks.tables import RESULTS, put_into

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.contracts import Contract
    from benchmarks.subjects import Subject

_SHORT: Final = Plan(2, 1, (16,), 0)
_FULL: Final = Plan(7, 1, LEVELS, 5)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the results as Markdown; return the exit status."""
    options = _options(arguments)
    preset = _SHORT if options.short else _FULL
    plan = preset._replace(
        rounds=options.rounds or preset.rounds, seconds=options.seconds or preset.seconds
    )
    machine = Machine()
    try:
        description = _machine()
        if QUESTIONS.keys() & {*options.questions}:
            description["client"] = client_name()
        results = {"machine": description, **_measure(options, plan, machine)}
        if machine.rates:
            description |= asdict(machine) | {"control": machine.summary()}
        sections = dict(_sections(results, options, plan))
        sys.stdout.write("\n\n".join(sections.values()) + "\n")
        if options.save is not None:
            options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        if problems := machine.problems():
            _log(f"the machine was not idle: {'; '.join(problems)}")
        if options.write is not None and problems:
            raise RuntimeError(f"{options.write} is unchanged: measure again on an idle machine")
        for name, text in sections.items() if options.write is not None else ():
            put_into(options.write, name, text)
    except (OSError, RuntimeError, ValueError) as error:
        _log(str(error))
        return 1
    return 0


def _measure(options: argparse.Namespace, plan: Plan, machine: Machine) -> dict[str, Any]:
    """Return the results by name; note in `machine` whether it was idle.

    :raise RuntimeError: mockpets itself fails the check.
    """
    if not compile_ours(options.before):
        _log("cannot compile mockpets: it starts slower than an installed one")
    home = options.cache.absolute()  # peers run in their own folders
    home.mkdir(parents=True, exist_ok=True)
    results: dict[str, Any] = {}
    if QUESTIONS.keys() & {*options.questions}:
        contract = CONTRACTS[options.contract]
        subjects = own_subjects(home, contract, options.before, options.python)
        if options.only:
            subjects = [item for item in subjects if item.name.startswith((OURS, *options.only))]
        peers, missing = _peers(options, home, contract)
        check = partial(machine.check, home)
        rows, skipped = compare([*subjects, *peers], plan, options.questions, check, _log)
        if OURS not in [row["name"] for row in rows]:
            raise RuntimeError("mockpets failed the check")
        results |= {"rows": rows, "skipped": [*missing, *skipped]}
    if "curves" in options.questions:
        results["curves"] = curves.measure(home, plan.rounds, _log)
    return results


def _peers(
    options: argparse.Namespace, home: Path, contract: Contract
) -> tuple[list[Subject], list[str]]:
    """Return the wanted peers that can be installed, and the others with the reason."""
    subjects, skipped = [], []
    for name, peer in ({} if options.short else peers_of(contract)).items():
        if options.only and name not in options.only:
            continue
        _log(f"installing: {name}")
        try:
            subjects.append(make_ready(peer, home, contract))
        except RuntimeError as error:
            skipped.append(f"{name}: {error}")
            _log(f"SKIPPED: {skipped[-1]}")
    return subjects, skipped


def _sections(
    results: Mapping[str, Any], options: argparse.Namespace, plan: Plan
) -> dict[str, str]:
    """Return the Markdown of each section of the page that was measured."""
    about = _about(results["machine"], options, plan)
    sections = {}
    if "rows" in results:
        parts = [about, *report(results["rows"], options.questions)]
        if results["skipped"]:
            parts += ["### Skipped", "\n".join(f"- {each}" for each in results["skipped"])]
        sections[CONTRACTS[options.contract].section] = "\n\n".join(parts)
    if "curves" in results:
        sections["curves"] = f"{about}\n\n{curves.report(results['curves'])}"
    return sections


def _about(machine: Mapping[str, Any], options: argparse.Namespace, plan: Plan) -> str:
    command = " ".join(["python -m benchmarks", *options.questions])
    command += f" --contract {options.contract}" if options.contract != PET_STORE.name else ""
    command += " --before DIR" if options.before else ""
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, `{command}`: {plan.rounds} rounds of {plan.seconds} s, "
        f"medians. Machine: {machine['processor']}, {machine['cores']} cores, load "
        f"{machine['load']} before the run, {machine['system']}, {machine['python']}"
        f"{', ' + machine['client'] if 'client' in machine else ''}. {machine.get('control', '')}"
    )


def _machine() -> dict[str, Any]:
    processor = platform.processor() or platform.machine()
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(row.split(": ")[1] for row in rows if row.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux, or not x86
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": build(sys.executable),
    }


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "mockpets-benchmarks")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add = parser.add_argument
    add("questions", nargs="*", metavar="QUESTION", help="what to measure")
    add(
        "--contract",
        choices=[*CONTRACTS],
        default=PET_STORE.name,
        help="contract to serve; default %(default)s",
    )
    add("--short", action="store_true", help="skip the peers; takes a minute")
    add("--rounds", type=int, help=f"default {_FULL.rounds}, or {_SHORT.rounds} with --short")
    add(
        "--seconds",
        type=int,
        help=f"of a measurement; default {_FULL.seconds}, or {_SHORT.seconds} with --short",
    )
    add("--only", nargs="+", default=[], metavar="NAME", help="measure only these and mockpets")
    add("--before", type=Path, metavar="DIR", help="measure another checkout in the same run")
    add(
        "--python",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="measure mockpets with other interpreters too, which have its dependencies",
    )
    add("--cache", type=Path, default=cache, metavar="DIR", help="for peers; default %(default)s")
    add("--save", type=Path, metavar="FILE", help="save the results with all samples as JSON")
    add(
        "--write",
        type=Path,
        nargs="?",
        const=RESULTS,
        metavar="PAGE",
        help="write the tables between the marks of a page; default benchmarks/RESULTS.md",
    )
    options = parser.parse_args(arguments)
    available = [*QUESTIONS, "curves"]
    if unknown := [name for name in options.questions if name not in available]:
        parser.error(f"QUESTION: unknown {', '.join(unknown)}; available: {', '.join(available)}")
    options.questions = options.questions or [*QUESTIONS]
    if "curves" in options.questions and options.contract != PET_STORE.name:
        parser.error(f"curves are measured only with --contract {PET_STORE.name}")
    if options.before is not None and not (options.before / "mockpets").is_dir():
        parser.error(f"--before: {options.before} is not a checkout of mockpets")
    contract = CONTRACTS[options.contract]
    known = [OURS, *([SCRIPT] if has_script(contract) else [])]
    known += [] if options.short else peers_of(contract)
    if unknown := [name for name in options.only if name not in known]:
        parser.error(f"--only: unknown {', '.join(unknown)}; available: {', '.join(known)}")
    return options


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
