"""Run the benchmark: ``python -m benchmarks``, from a checkout with mockpets in its environment.

Without options, it measures everything, peers and scale, and prints Markdown. ``--write`` writes
the result into docs/understand/performance.md and draws the picture beside it. ``--short`` skips
the peers and takes about a minute. ``--loops`` measures what users wait for instead: sessions,
tests, saved scenarios and the panel. The first run installs the peers into ``--cache``, which
takes two more minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.balanced import BALANCED_BEGIN, BALANCED_END, balanced_table, measure_balanced
from benchmarks.checks import CheckResult, check, statuses
from benchmarks.curve_report import CURVES_BEGIN, CURVES_END, curves_picture, curves_table
from benchmarks.curves import measure_curves
from benchmarks.installs import UnavailableError
from benchmarks.load import client_name
from benchmarks.loops import LOOPS_BEGIN, LOOPS_END, loop_table, measure_loops
from benchmarks.peers import RECIPES, make_ready
from benchmarks.plot import picture
from benchmarks.process import started
from benchmarks.report import put_into, tables
from benchmarks.rounds import Plan, measure, medians
from benchmarks.scale import measure_scale
from benchmarks.subjects import BEFORE, OURS, PETS, compile_ours, ours, under_python
from mockpets.pets.generator import generate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.peers import Recipe
    from benchmarks.subjects import Subject
    from mockpets.contract.schemas import Pet

_ROOT = Path(__file__).parent.parent
_PAGE = _ROOT / "docs" / "understand" / "performance.md"
_SHORT = Plan(2, 1, (16,), 0)
_FULL = Plan(3, 2, (1, 16, 64), 5)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or load an earlier run, and report it; return the exit status."""
    options = _options(arguments)
    if options.loops:
        return _loops(options)
    if options.scale:
        return _scale(options)
    if options.load is not None:
        results = json.loads(options.load.read_text(encoding="utf-8"))
    else:
        results = _run(options)
        if results is None:
            return 1
    if options.save is not None:
        options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    curves = results.get("curves", {})
    text = tables(results) if results["rows"] else ""
    sys.stdout.write(text)
    if curves:
        sys.stdout.write(f"\n{curves_table(curves)}\n")
    if options.write is not None and curves and not _write_curves(options.write, results):
        return 1
    if options.write is not None and results["rows"]:
        image = options.write.with_suffix(".svg")
        label = "Requests per second in a front end's mix, time to the first response"
        section = f"![{label}]({image.name})\n\n{text}"
        try:
            put_into(options.write, section)
        except (OSError, ValueError) as error:
            _log(str(error))
            return 1
        image.write_text(picture(results), encoding="utf-8")
    return 0


def _scale(options: argparse.Namespace) -> int:
    """Measure processes behind HAProxy, or load an earlier run; return the exit status."""
    if options.load is not None:
        results = json.loads(options.load.read_text(encoding="utf-8"))
    else:
        load = round(os.getloadavg()[0], 1)
        compile_ours()
        options.cache.mkdir(parents=True, exist_ok=True)
        [subject, *_] = ours(options.cache.absolute(), generate(PETS, 1, "en_US"))
        rounds, seconds = options.rounds or _FULL.rounds, options.seconds or _FULL.seconds
        try:
            costs = measure_balanced(subject, rounds, seconds, _log)
        except RuntimeError as error:
            _log(str(error))
            return 1
        at = datetime.now(UTC).strftime("%Y-%m-%d")
        results = {"at": at, "machine": _machine(load), "costs": costs}
    return _report_part(options, results, balanced_table(results), BALANCED_BEGIN, BALANCED_END)


def _loops(options: argparse.Namespace) -> int:
    """Measure the loops of users, or load an earlier run, and report it; return the exit status."""
    if options.load is not None:
        results = json.loads(options.load.read_text(encoding="utf-8"))
    else:
        load = round(os.getloadavg()[0], 1)
        compile_ours()
        at = datetime.now(UTC).strftime("%Y-%m-%d")
        results = {"at": at, "machine": _machine(load), **measure_loops(_log)}
    return _report_part(options, results, loop_table(results), LOOPS_BEGIN, LOOPS_END)


def _report_part(
    options: argparse.Namespace, results: Mapping[str, Any], text: str, begin: str, end: str
) -> int:
    """Print the text of a run, save the run and write the text between two marks, if asked to.

    Return the exit status.
    """
    if options.save is not None:
        options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(text)
    if options.write is not None:
        try:
            put_into(options.write, text, begin, end)
        except (OSError, ValueError) as error:
            _log(str(error))
            return 1
    return 0


def _write_curves(page: Path, results: Mapping[str, Any]) -> bool:
    """Write the curves into their part of a page, and the picture beside it; return success."""
    image = page.with_name(f"{page.stem}-curves.svg")
    alternative = "CPU time of a list request as stubs, scenarios, pets, sessions and others grow"
    about = (
        f"{results['at']}, medians of {results['rounds']} rounds, "
        f"{results['machine']['cores']} cores, load {results['machine']['load']} before the run, "
        f"{results['machine']['python']}."
    )
    table = curves_table(results["curves"])
    section = f"![{alternative}]({image.name})\n\n{about}\n\n{table}\n"
    try:
        put_into(page, section, CURVES_BEGIN, CURVES_END)
    except (OSError, ValueError) as error:
        _log(str(error))
        return False
    image.write_text(curves_picture(results["curves"]), encoding="utf-8")
    return True


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--short", action="store_true", help="skip peers and scale; for CI")
    parser.add_argument(
        "--loops", action="store_true", help="measure only sessions, tests, reloads and the panel"
    )
    parser.add_argument(
        "--scale", action="store_true", help="measure only several processes behind HAProxy"
    )
    parser.add_argument(
        "--rounds",
        type=int,
        help=f"number of rounds; default {_FULL.rounds}, or {_SHORT.rounds} with --short",
    )
    parser.add_argument(
        "--seconds",
        type=int,
        help=f"seconds per measurement; default {_FULL.seconds}, or {_SHORT.seconds} with --short",
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME", help="measure only these and mockpets"
    )
    parser.add_argument(
        "--before", type=Path, metavar="DIR", help="measure another checkout in the same run"
    )
    parser.add_argument(
        "--python",
        nargs="+",
        default=[],
        metavar="PYTHON",
        help="measure mockpets under these Pythons, too; installs it for each of them",
    )
    parser.add_argument(
        "--curves", action="store_true", help="measure only how the cost of a request grows"
    )
    parser.add_argument("--no-scale", action="store_true", help="skip many pets and sessions")
    parser.add_argument(
        "--cache",
        type=Path,
        default=cache / "mockpets-benchmarks",
        metavar="DIR",
        help="folder for installed peers; default %(default)s",
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="save the results as JSON")
    parser.add_argument("--load", type=Path, metavar="FILE", help="report saved results")
    parser.add_argument(
        "--write",
        type=Path,
        nargs="?",
        const=_PAGE,
        metavar="PAGE",
        help="write the tables between the marks of a page, and the picture beside it; default "
        "docs/understand/performance.md",
    )
    options = parser.parse_args(arguments)
    if options.before is not None and not (options.before / "mockpets").is_dir():
        parser.error(f"--before: {options.before} is not a checkout of mockpets")
    for python in options.python:
        if shutil.which(python) is None:
            parser.error(f"--python: {python} is not a program")
    others = {"--short": options.short, "--only": options.only, "--before": options.before}
    if options.curves and (given := [name for name, value in others.items() if value]):
        parser.error(f"--curves measures only mockpets; remove {', '.join(given)}")
    known = [*OURS, *([] if options.short else [recipe.name for recipe in RECIPES])]
    if unknown := [name for name in options.only if name not in known]:
        parser.error(f"--only: unknown {', '.join(unknown)}; available: {', '.join(known)}")
    return options


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _run(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return a run's results, or None if mockpets itself fails the check."""
    preset = _SHORT if options.short else _FULL
    plan = preset._replace(
        rounds=options.rounds or preset.rounds, seconds=options.seconds or preset.seconds
    )
    load = round(os.getloadavg()[0], 1)
    if not compile_ours(options.before):
        _log("cannot compile mockpets: it starts slower than an installed one")
    pets = generate(PETS, 1, "en_US")
    skipped: list[dict[str, str]] = []
    options.cache = options.cache.absolute()  # peers run in their own folders
    options.cache.mkdir(parents=True, exist_ok=True)
    if options.curves:
        [subject, *_] = ours(options.cache, pets)
        curves = measure_curves(subject, plan.rounds, _log)
        about = {"at": datetime.now(UTC).strftime("%Y-%m-%d"), "command": _command(options)}
        figures = {"rows": [], "skipped": [], "scale": {}, "curves": curves}
        times = {"rounds": plan.rounds, "seconds": plan.seconds, "machine": _machine(load)}
        return {**about, **times, **figures}
    only = options.only or [*OURS, *(row.name for row in RECIPES)]
    subjects = [
        item
        for item in ours(options.cache, pets, options.before)
        if item.name in only or item.name in ("mockpets", BEFORE)
    ]
    subjects += _pythons(options.python, options.cache, subjects[0], skipped)
    if not options.short:
        wanted = [recipe for recipe in RECIPES if recipe.name in only]
        subjects += _peers(wanted, options.cache, pets, skipped)
    checked = _checked(subjects, pets, skipped)
    if "mockpets" not in checked:
        return None
    timed = [subject for subject in subjects if subject.name in checked]
    samples = measure(timed, checked, plan, _log, partial(_skip, skipped))
    scale, curves = {}, {}
    if not options.short and not options.no_scale:
        curves = measure_curves(subjects[0], plan.rounds, _log)
        scale = measure_scale(subjects[0], max(plan.rounds - 1, 1), plan.seconds, _log)
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": _command(options),
        "rounds": plan.rounds,
        "seconds": plan.seconds,
        "machine": _machine(load),
        "rows": [_row(subject, checked[subject.name], samples[subject.name]) for subject in timed],
        "skipped": skipped,
        "scale": scale,
        "curves": curves,
    }


def _command(options: argparse.Namespace) -> str:
    """Return the command that repeats a run, without the paths of its files."""
    parts = ["python -m benchmarks", *(["--short"] if options.short else [])]
    parts += [f"--rounds {options.rounds}"] if options.rounds else []
    parts += [f"--seconds {options.seconds}"] if options.seconds else []
    parts += [f"--only {shlex.join(options.only)}"] if options.only else []
    parts += ["--before DIR"] if options.before else []
    parts += [f"--python{' PYTHON' * len(options.python)}"] if options.python else []
    parts += ["--no-scale"] if options.no_scale else []
    parts += ["--curves"] if options.curves else []
    return " ".join(parts)


def _pythons(
    pythons: Sequence[str], cache: Path, default: Subject, skipped: list[dict[str, str]]
) -> list[Subject]:
    """Return mockpets under other Pythons; add those that cannot be used to `skipped`."""
    subjects: list[Subject] = []
    for python in pythons:
        _log(f"installing: mockpets for {python}")
        folder = cache / re.sub(r"\W+", "-", f"python {python}")
        try:
            subject = under_python(python, folder, default)
            if subject.name in (other.name for other in subjects):
                raise UnavailableError("another Python of this version is measured")
            subjects.append(subject)
        except UnavailableError as error:
            _skip(skipped, f"mockpets under {python}", str(error))
    return subjects


def _peers(
    recipes: Sequence[Recipe], cache: Path, pets: Sequence[Pet], skipped: list[dict[str, str]]
) -> list[Subject]:
    """Return the peers that can be installed; add the others to `skipped` with the reason."""
    subjects = []
    for recipe in recipes:
        _log(f"installing: {recipe.name}")
        try:
            subjects.append(make_ready(recipe, cache, pets))
        except UnavailableError as error:
            _skip(skipped, recipe.name, str(error))
    return subjects


def _checked(
    subjects: Sequence[Subject], pets: Sequence[Pet], skipped: list[dict[str, str]]
) -> dict[str, CheckResult]:
    """Return the abilities of each subject; add those that fail the check to `skipped`."""
    results: dict[str, CheckResult] = {}
    for subject in subjects:
        try:
            with started(subject) as server:
                if subject.kind == "constant":
                    result = CheckResult("", statuses=statuses(subject, server.port))
                else:
                    result = check(subject, server.port, pets)
        except (OSError, RuntimeError) as error:
            result = CheckResult(str(error))
        if result.problem:
            _skip(skipped, subject.name, result.problem)
        else:
            results[subject.name] = result
    return results


def _skip(skipped: list[dict[str, str]], name: str, reason: str) -> None:
    _log(f"SKIPPED: {name}: {reason}")
    skipped.append({"name": name, "why": reason})


def _row(subject: Subject, result: CheckResult, samples: list[dict[str, float]]) -> dict[str, Any]:
    return {
        "name": subject.name,
        "version": subject.version,
        "kind": subject.kind,
        "note": subject.note,
        "able": list(result.able),
        "statuses": result.statuses,
        "size": subject.size,
        "figures": medians(samples),
        "samples": samples,
    }


def _machine(load: float) -> Mapping[str, Any]:
    """Describe the machine and the client.

    :param load: load average of the minute before the run.
    """
    processor = platform.processor() or platform.machine()
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(row.split(": ")[1] for row in rows if row.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux, or not x86
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"Python {platform.python_version()}",
        "client": client_name(),
        "load": load,
    }


if __name__ == "__main__":
    sys.exit(main())
