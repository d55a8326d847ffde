"""Run the benchmark: ``python -m benchmarks``, from a checkout in whose environment mockpets is.

Without options everything is measured, peers and scale, and printed as Markdown; ``--write`` puts
it into docs/performance.md and draws the picture beside it. ``--short`` leaves out the peers and is
done within a minute. Peers are installed into ``--cache`` at the first run, which takes two
minutes more.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.checks import Found, examine
from benchmarks.installs import UnavailableError
from benchmarks.load import asked_with
from benchmarks.peers import RECIPES, make_ready
from benchmarks.plot import picture
from benchmarks.process import started
from benchmarks.report import put_into, tables
from benchmarks.rounds import Plan, measure, medians
from benchmarks.scale import measure_scale
from benchmarks.subjects import BEFORE, OURS, PETS, compile_ours, ours
from mockpets.pets.generator import generate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from benchmarks.peers import Recipe
    from benchmarks.subjects import Subject
    from mockpets.contract.schemas import Pet

_ROOT = Path(__file__).parent.parent
_PAGE = _ROOT / "docs" / "performance.md"
_SHORT = Plan(2, 1, (16, 64), 0)
_FULL = Plan(3, 2, (1, 16, 64), 5)


def main(words: Sequence[str] | None = None) -> int:
    """Measure, or take an earlier run, and tell."""
    options = _options(words)
    if options.load is not None:
        results = json.loads(options.load.read_text(encoding="utf-8"))
    else:
        results = _run(options)
        if results is None:
            return 1
    if options.save is not None:
        options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    text = tables(results)
    sys.stdout.write(text)
    if options.write is not None:
        drawn = options.write.with_suffix(".svg")
        shown = f"![List requests a second, time to the first answer]({drawn.name})\n\n{text}"
        try:
            put_into(options.write, shown)
        except (OSError, ValueError) as error:
            _say(str(error))
            return 1
        drawn.write_text(picture(results), encoding="utf-8")
    return 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--short", action="store_true", help="no peers and no scale; for CI")
    parser.add_argument("--rounds", type=int, help=f"default {_FULL.rounds}")
    parser.add_argument("--seconds", type=int, help=f"of each measurement; default {_FULL.seconds}")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="these and mockpets")
    parser.add_argument(
        "--before", type=Path, metavar="DIR", help="another checkout, measured in the same run"
    )
    parser.add_argument("--no-scale", action="store_true", help="many pets and sessions left out")
    parser.add_argument(
        "--cache",
        type=Path,
        default=cache / "mockpets-benchmarks",
        metavar="DIR",
        help="where peers are installed; default %(default)s",
    )
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep what was measured, as JSON")
    parser.add_argument("--load", type=Path, metavar="FILE", help="tell of a run that was kept")
    parser.add_argument(
        "--write",
        type=Path,
        nargs="?",
        const=_PAGE,
        metavar="PAGE",
        help="put the tables between the marks of a page, and the picture beside it; default "
        "docs/performance.md",
    )
    options = parser.parse_args(words)
    if options.before is not None and not (options.before / "mockpets").is_dir():
        parser.error(f"--before: {options.before} is not a checkout of mockpets")
    known = [*OURS, *([] if options.short else [recipe.name for recipe in RECIPES])]
    if unknown := [name for name in options.only if name not in known]:
        parser.error(f"nothing is called {', '.join(unknown)}; there are: {', '.join(known)}")
    return options


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _run(options: argparse.Namespace) -> dict[str, Any] | None:
    """Return a run's results, or None when mockpets itself gives no right answers."""
    preset = _SHORT if options.short else _FULL
    plan = preset._replace(
        rounds=options.rounds or preset.rounds, seconds=options.seconds or preset.seconds
    )
    load = round(os.getloadavg()[0], 1)
    if not compile_ours(options.before):
        _say("mockpets could not be compiled: it starts later than it does when installed")
    pets = generate(PETS, 1, "en_US")
    skipped: list[dict[str, str]] = []
    options.cache = options.cache.absolute()  # peers run in their own folders
    options.cache.mkdir(parents=True, exist_ok=True)
    only = (
        {*options.only, "mockpets", BEFORE}
        if options.only
        else {*OURS, BEFORE, *(row.name for row in RECIPES)}
    )
    subjects = [item for item in ours(options.cache, pets, options.before) if item.name in only]
    if not options.short:
        wanted = [recipe for recipe in RECIPES if recipe.name in only]
        subjects += _peers(wanted, options.cache, pets, skipped)
    found = _examined(subjects, pets, skipped)
    if "mockpets" not in found:
        return None
    timed = [subject for subject in subjects if subject.name in found]
    samples = measure(timed, {name: item.creates for name, item in found.items()}, plan, _say)
    scale = {}
    if not options.short and not options.no_scale:
        scale = measure_scale(subjects[0], max(plan.rounds - 1, 1), plan.seconds, _say)
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%d"),
        "command": _command(options),
        "rounds": plan.rounds,
        "seconds": plan.seconds,
        "machine": _machine(load),
        "rows": [_row(subject, found[subject.name], samples[subject.name]) for subject in timed],
        "skipped": skipped,
        "scale": scale,
    }


def _command(options: argparse.Namespace) -> str:
    """Return the command that repeats a run; where it keeps its files is of no account."""
    words = ["python -m benchmarks", *(["--short"] if options.short else [])]
    words += [f"--rounds {options.rounds}"] if options.rounds else []
    words += [f"--seconds {options.seconds}"] if options.seconds else []
    words += [f"--only {shlex.join(options.only)}"] if options.only else []
    words += ["--before DIR"] if options.before else []
    words += ["--no-scale"] if options.no_scale else []
    return " ".join(words)


def _peers(
    recipes: Sequence[Recipe], cache: Path, pets: Sequence[Pet], skipped: list[dict[str, str]]
) -> list[Subject]:
    """Return the peers that can be had; why others cannot is told and put into `skipped`."""
    subjects = []
    for recipe in recipes:
        _say(f"getting ready: {recipe.name}")
        try:
            subjects.append(make_ready(recipe, cache, pets))
        except UnavailableError as error:
            _skip(skipped, recipe.name, str(error))
    return subjects


def _examined(
    subjects: Sequence[Subject], pets: Sequence[Pet], skipped: list[dict[str, str]]
) -> dict[str, Found]:
    """Return what each can do; who gives wrong answers is put into `skipped`, and not timed."""
    found: dict[str, Found] = {}
    for subject in subjects:
        if subject.kind == "constant":
            found[subject.name] = Found("", creates=False, able=())
            continue
        try:
            with started(subject) as server:
                result = examine(subject, server.port, pets)
        except (OSError, RuntimeError) as error:
            result = Found(str(error), creates=False, able=())
        if result.wrong:
            _skip(skipped, subject.name, result.wrong)
        else:
            found[subject.name] = result
    return found


def _skip(skipped: list[dict[str, str]], name: str, why: str) -> None:
    _say(f"LEFT OUT: {name}: {why}")
    skipped.append({"name": name, "why": why})


def _row(subject: Subject, found: Found, samples: list[dict[str, float]]) -> dict[str, Any]:
    return {
        "name": subject.name,
        "version": subject.version,
        "kind": subject.kind,
        "note": subject.note,
        "able": list(found.able),
        "size": subject.size,
        "figures": medians(samples),
        "samples": samples,
    }


def _machine(load: float) -> Mapping[str, Any]:
    """Return what the figures depend on.

    :param load: processes that ran on average in the minute before the run.
    """
    processor = platform.processor() or platform.machine()
    try:
        rows = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(row.split(": ")[1] for row in rows if row.startswith("model name"))
    except (OSError, StopIteration):
        pass  # not Linux, or no x86
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "python": f"Python {platform.python_version()}",
        "client": asked_with(),
        "load": load,
    }


if __name__ == "__main__":
    sys.exit(main())
