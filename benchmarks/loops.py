"""How long do users wait? Sessions, tests with a session each, saved scenarios.

The scripts and tests that it runs are in ``loop_files``. All of them use `mockpets serve` in a
process of its own, except the tests of pytest, whose plugin starts a server.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, cast

from benchmarks.load import KEY
from benchmarks.process import call, cpu_seconds, started
from benchmarks.subjects import ROOT, environment, serving
from benchmarks.tables import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


CLIENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "HTTP, a connection for each request": (sys.executable, "life.py", "http", "{lives}"),
    "Python, `ControlClient`": (sys.executable, "life.py", "python", "{lives}"),
    "JavaScript, `Mockpets` in Node": ("node", "life.mjs", "{lives}"),
    "pytest, fixture `mockpets`": (
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini"),
        "test_life.py",
    ),
    "Playwright, fixture `mock`": ("playwright", "test"),
    "Vitest, `useMockpets`": ("vitest", "run"),
}
"""The clients, and their commands."""

_FILES: Final = Path(__file__).parent / "loop_files"
_MODULES: Final = ROOT / "tests" / "node_modules"
_TABLE: Final = Path(__file__).with_name("loops.md")
_SECONDS: Final = 600
_LIVES: Final = 200
_TESTS: Final = 1000
_IDLE_SECONDS: Final = 5
_WARM: Final = 0.1
"""The share of the first lives or tests that is not counted: imports, connections, caches."""


# --- A session's life -----------------------------------------------------------------------------


def time_life(client: str, lives: int) -> float:
    """Return the median of the milliseconds of a life; for a test runner, of one whole test.

    :param client: one of `CLIENTS`.
    :raise RuntimeError: its program is not installed, or it fails.
    """
    with loop_folder() as folder:
        if "pytest" in client:
            return _settled(run_pytest(folder, "test_life.py", lives)["times"])
        with started(serving(folder)) as server:
            return _settled(_times(folder, live(client, folder, server.port, lives)))


def live(client: str, folder: Path, port: int, lives: int) -> str:
    """Run the lives of one client, and return its output."""
    variables = {"MOCKPETS_URL": f"http://localhost:{port}", "LIVES": str(lives)}
    return _run(CLIENTS[client], folder, lives, variables)


def _times(folder: Path, output: str) -> list[float]:
    """Return the milliseconds that a script has printed, or a test runner has reported."""
    report = folder / "report.json"
    if not report.exists():
        return cast("list[float]", json.loads(output))
    results = json.loads(report.read_text(encoding="utf-8"))
    if "testResults" in results:  # of Vitest
        tests = [test for file in results["testResults"] for test in file["assertionResults"]]
        return [test["duration"] for test in tests]
    specs = [spec for suite in results["suites"] for spec in suite["specs"]]
    return [spec["tests"][0]["results"][0]["duration"] for spec in specs]


def _settled(times: Sequence[float]) -> float:
    return median(times[int(len(times) * _WARM) :])


@contextmanager
def loop_folder() -> Iterator[Path]:
    """Yield a temporary folder with our files and the kit."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(_FILES, folder, dirs_exist_ok=True)
        (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        kit = (sys.executable, "-m", "mockpets", "kit", "--out", "mockpets", "--playwright")
        _run((*kit, "--vitest"), folder, 0, {})
        if _MODULES.is_dir():
            (folder / "node_modules").symlink_to(_MODULES)
        yield folder


def _run(command: Sequence[str], folder: Path, lives: int, variables: Mapping[str, str]) -> str:
    """Run a command in a folder and return its output.

    :raise RuntimeError: the program is not installed, or it fails.
    """
    program = shutil.which(command[0], path=_MODULES / ".bin") or shutil.which(command[0])
    if program is None:
        raise RuntimeError(f"{command[0]} is not installed; run npm install in tests/")
    done = subprocess.run(  # noqa: S603 - a fixed command
        [program, *(part.format(lives=lives) for part in command[1:])],
        cwd=folder,
        env={**os.environ, **environment(), **variables},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-1000:]}")
    return done.stdout


# --- Tests of pytest ------------------------------------------------------------------------------


def run_pytest(folder: Path, file: str, tests: int, *options: str) -> dict[str, Any]:
    """Run a file of tests and return what our conftest.py has written."""
    *command, _ = CLIENTS["pytest, fixture `mockpets`"]
    _run((*command, *options, file), folder, tests, {"LIVES": str(tests)})
    figures: dict[str, Any] = json.loads((folder / "times.json").read_text(encoding="utf-8"))
    return figures


def measure_tests(tests: int, rounds: int) -> dict[str, float]:
    """Return requests per test, and the milliseconds more than without the plugin.

    `loaded` is with the plugin and without its fixture, `session` with a session for each test;
    `cpu_ms` is processor time.
    """
    ways = {
        "bare": ("test_bare.py", "-p", "no:mockpets"),
        "loaded": ("test_bare.py",),
        "session": ("test_bare.py", "-o", "usefixtures=mockpets"),
    }
    samples: dict[tuple[str, str], list[float]] = {}
    with loop_folder() as folder:
        for _ in range(rounds):
            for way, (file, *options) in ways.items():
                figures = run_pytest(folder, file, tests, *options)
                for name, value in {
                    "ms": _settled(figures["times"]),
                    "cpu_ms": _settled(figures["processor"]),
                    "requests": figures["requests"] / tests,
                }.items():
                    samples.setdefault((way, name), []).append(value)
    medians = {key: median(values) for key, values in samples.items()}
    return {
        f"{way}_{name}": value - medians["bare", name]
        for (way, name), value in medians.items()
        if way != "bare"
    }


# --- Commands -------------------------------------------------------------------------------------


def measure_commands(rounds: int) -> dict[str, float]:
    """Return by how much commands take longer than `import click`: ms for the help, else times."""
    times: dict[str, list[float]] = {}
    with loop_folder() as folder, started(serving(folder)) as server:
        url = f"http://127.0.0.1:{server.port}"
        program = str(Path(sys.executable).with_name("mockpets"))
        commands = {
            "click": (sys.executable, "-c", "import click"),
            "help": (program, "--help"),
            "use": (program, "use", "empty", "--url", url),
            "health": (program, "health", "--url", url),
        }
        for _ in range(rounds):
            for name, command in commands.items():
                start = time.perf_counter()
                _run(command, folder, 0, {})
                times.setdefault(name, []).append((time.perf_counter() - start) * 1000)
    found = {name: median(values) for name, values in times.items()}
    return {
        "help_ms": found["help"] - found["click"],
        "use_times": found["use"] / found["click"],
        "health_times": found["health"] / found["click"],
    }


# --- Saved scenarios ------------------------------------------------------------------------------

_SCENARIO: Final = "description: Saved.\nstubs:\n  - reply: {{status: {status}}}\n"
_STATUSES: Final = (500, 503)


def measure_reload(saves: int) -> dict[str, float]:
    """Return milliseconds from a save to the first response that shows it, and what polling costs.

    `renamed` replaces the file, as most editors do; `written` writes in place. `idle_cpu` is the
    share of a core in percent that the server takes without requests.
    """
    times: dict[str, list[float]] = {"renamed": [], "written": []}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenarios = folder / "scenarios"
        scenarios.mkdir()
        file, draft = scenarios / "saved.yaml", folder / "draft"
        file.write_text(_SCENARIO.format(status=_STATUSES[-1]), encoding="utf-8")
        with started(serving(folder, "--scenarios-dir", str(scenarios))) as server:
            for number in range(saves):
                status = _STATUSES[number % 2]
                way = "renamed" if number % 4 < 2 else "written"
                time.sleep(number / saves * 0.5)  # another moment between two polls each time
                start = time.perf_counter()
                target = draft if way == "renamed" else file
                target.write_text(_SCENARIO.format(status=status), encoding="utf-8")
                if way == "renamed":
                    draft.replace(file)
                _wait_for(server.port, status, start + 10)
                times[way].append((time.perf_counter() - start) * 1000)
            before = cpu_seconds(server.pid)
            time.sleep(_IDLE_SECONDS)
            idle = (cpu_seconds(server.pid) - before) / _IDLE_SECONDS * 100
    figures = {
        f"{way}_{name}": form(values)
        for way, values in times.items()
        for name, form in (("ms", median), ("worst_ms", max))
    }
    return {**figures, "idle_cpu": idle}


def _wait_for(port: int, status: int, deadline: float) -> None:
    headers = {"Authorization": KEY, "Mockpets-Scenario": "saved"}
    while call(port, "/v1/pets", headers=headers).status != status:
        if time.perf_counter() > deadline:
            raise RuntimeError(f"the saved scenario with status {status} did not become active")
        time.sleep(0.001)


# --- All ------------------------------------------------------------------------------------------


def measure(log: Callable[[str], None]) -> dict[str, Any]:
    """Return all figures; those that cannot be measured are logged and missing."""
    parts: dict[str, Callable[[], Any]] = {
        **{client: partial(time_life, client, _LIVES) for client in CLIENTS},
        "tests": lambda: measure_tests(_TESTS, 3),
        "commands": lambda: measure_commands(30),
        "reload": lambda: measure_reload(40),
    }
    results = {}
    for name, part in parts.items():
        log(f"loops: {name}")
        try:
            results[name] = part()
        except (ImportError, OSError, RuntimeError) as error:
            log(f"  {name} skipped: {error}")
    return results


# --- The tables -----------------------------------------------------------------------------------


def report(results: Mapping[str, Any]) -> str:
    """Return the figures of `measure` as two tables."""
    lives = [[name, f"{results[name]:.1f}"] for name in CLIENTS if name in results]
    parts = [table(["a session's life", "ms"], lives), ""]
    for row in _TABLE.read_text(encoding="utf-8").splitlines():
        with suppress(KeyError):  # not measured
            parts.append(row.format_map(results))
    return "\n".join(parts)
