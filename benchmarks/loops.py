"""Measure the loops of users: sessions, tests with a session each, saved scenarios, the panel.

The scripts and tests that it runs are in ``loop_files``. All of them use `mockpets serve` in a
process of its own, except the tests of pytest, whose plugin starts a server.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from statistics import median
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, cast

from benchmarks.installs import UnavailableError
from benchmarks.load import KEY
from benchmarks.process import started
from benchmarks.report import table
from benchmarks.subjects import OURS, Subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from playwright.sync_api import Browser, Page

    from benchmarks.process import Server

__all__ = [
    "CLIENTS",
    "LEAST",
    "LOOPS_BEGIN",
    "LOOPS_END",
    "count_life",
    "loop_table",
    "measure_commands",
    "measure_loops",
    "measure_panel",
    "measure_reload",
    "measure_tests",
    "time_life",
]

LOOPS_BEGIN: Final = "<!-- loops: made by python -m benchmarks --loops, do not edit -->"
LOOPS_END: Final = "<!-- loops: end -->"
LEAST: Final = 8
"""The fewest requests of a session's life: create, five of the front end, verify, delete."""
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

_ROOT: Final = Path(__file__).parent.parent
_FILES: Final = Path(__file__).parent / "loop_files"
_MODULES: Final = _ROOT / "tests" / "node_modules"
_SECONDS: Final = 600
_LIVES: Final = 200
_TESTS: Final = 1000
_WARM: Final = 0.1
"""The share of the first lives or tests that is not counted: imports, connections, caches."""


# --- A session's life -----------------------------------------------------------------------------


def time_life(client: str, lives: int) -> float:
    """Return the median of the milliseconds of a life; for a test runner, of one whole test.

    :param client: one of `CLIENTS`.
    :raise UnavailableError: its program is not installed.
    :raise RuntimeError: it fails.
    """
    with _folder() as folder:
        if "pytest" in client:
            return _settled(_pytest(folder, "test_life.py", lives)["times"])
        with started(_serving(folder)) as server:
            return _settled(_times(folder, _live(client, folder, server.port, lives)))


def count_life(client: str, lives: int = 3) -> float:
    """Return how many requests a client sends for each life.

    :raise UnavailableError: its program is not installed.
    :raise RuntimeError: it fails.
    """
    with _folder() as folder:
        if "pytest" in client:
            requests: int = _pytest(folder, "test_life.py", lives)["requests"]
            return requests / lives
        with started(_serving(folder)) as server, _counting(server.port) as (port, heads):
            _live(client, folder, port, lives)
        return len(heads) / lives


def _live(client: str, folder: Path, port: int, lives: int) -> str:
    """Run the lives of one client, and return its output."""
    variables = {"MOCKPETS_URL": f"http://localhost:{port}", "LIVES": str(lives)}
    return _run(CLIENTS[client], folder, lives, variables)


@contextmanager
def _counting(port: int) -> Iterator[tuple[int, list[bytes]]]:
    """Pass connections on to a port; yield our port, and the first lines of the requests so far.

    The access log omits some requests. No client sends a request before it has the response to the
    one before, so each begins a packet.
    """
    heads: list[bytes] = []

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            """Pass on the data of one connection."""
            with socket.create_connection(("127.0.0.1", port)) as server:
                back = Thread(target=_pass_on, args=(server, self.request, []))
                back.start()
                _pass_on(self.request, server, heads)
                back.join()

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as proxy:
        thread = Thread(target=proxy.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield proxy.server_address[1], heads
        finally:
            proxy.shutdown()
            thread.join()


def _pass_on(source: socket.socket, target: socket.socket, heads: list[bytes]) -> None:
    """Pass data on until one side closes its connection."""
    with suppress(OSError):
        while data := source.recv(65536):
            heads += re.findall(rb"\A[A-Z]+ \S+ HTTP/1\.1\r\n", data)
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


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
def _folder() -> Iterator[Path]:
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


def _serving(folder: Path, *options: str) -> Subject:
    """Return mockpets as a subject whose output is in a folder."""
    _, _, *command = OURS["mockpets"]
    arguments = (sys.executable, "-m", *command, *options)
    return Subject("mockpets", arguments, folder, environment=_environment())


def _environment() -> dict[str, str]:
    known = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([str(_ROOT), *([known] if known else [])])}


def _run(command: Sequence[str], folder: Path, lives: int, variables: Mapping[str, str]) -> str:
    """Run a command in a folder and return its output.

    :raise UnavailableError: the program is not installed.
    :raise RuntimeError: it fails.
    """
    program = shutil.which(command[0], path=_MODULES / ".bin") or shutil.which(command[0])
    if program is None:
        raise UnavailableError(f"{command[0]} is not installed; run npm install in tests/")
    done = subprocess.run(  # noqa: S603 - a fixed command
        [program, *(part.format(lives=lives) for part in command[1:])],
        cwd=folder,
        env={**os.environ, **_environment(), **variables},
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {(done.stdout + done.stderr)[-1000:]}")
    return done.stdout


# --- Tests of pytest ------------------------------------------------------------------------------


def _pytest(folder: Path, file: str, tests: int, *options: str) -> dict[str, Any]:
    """Run a file of tests and return what our conftest.py has written."""
    *command, _ = CLIENTS["pytest, fixture `mockpets`"]
    _run((*command, *options, file), folder, tests, {"LIVES": str(tests)})
    figures: dict[str, Any] = json.loads((folder / "times.json").read_text(encoding="utf-8"))
    return figures


def measure_tests(tests: int, rounds: int) -> dict[str, float]:
    """Return milliseconds, processor milliseconds and requests per test.

    `bare` is without the plugin, `loaded` with the plugin and without its fixture, `session` with
    a session for each test.
    """
    ways = {
        "bare": ("test_bare.py", "-p", "no:mockpets"),
        "loaded": ("test_bare.py",),
        "session": ("test_session.py",),
    }
    samples: dict[str, list[float]] = {}
    with _folder() as folder:
        for _ in range(rounds):
            for way, (file, *options) in ways.items():
                figures = _pytest(folder, file, tests, *options)
                for name, value in {
                    "ms": _settled(figures["times"]),
                    "cpu_ms": _settled(figures["processor"]),
                    "requests": figures["requests"] / tests,
                }.items():
                    samples.setdefault(f"{way}_{name}", []).append(value)
    return {name: median(values) for name, values in samples.items()}


# --- Commands -------------------------------------------------------------------------------------


def measure_commands(rounds: int) -> dict[str, float]:
    """Return by how many ms commands take longer than what they have to import."""
    times: dict[str, list[float]] = {}
    with _folder() as folder, started(_serving(folder)) as server:
        url = f"http://127.0.0.1:{server.port}"
        program = str(Path(sys.executable).with_name("mockpets"))
        commands = {
            "click": (sys.executable, "-c", "import click"),
            "http": (sys.executable, "-c", "import click, http.client"),
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
        "use_ms": found["use"] - found["http"],
        "health_ms": found["health"] - found["http"],
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
        with started(_serving(folder, "--scenarios-dir", str(scenarios))) as server:
            connection = HTTPConnection("127.0.0.1", server.port)
            for number in range(saves):
                status = _STATUSES[number % 2]
                way = "renamed" if number % 4 < 2 else "written"
                time.sleep(number / saves * 0.5)  # another moment between two polls each time
                start = time.perf_counter()
                if way == "renamed":
                    draft.write_text(_SCENARIO.format(status=status), encoding="utf-8")
                    draft.replace(file)
                else:
                    file.write_text(_SCENARIO.format(status=status), encoding="utf-8")
                _wait_for(connection, status, start + 10)
                times[way].append((time.perf_counter() - start) * 1000)
            connection.close()
            idle = _idle_cpu(server, 5)
    figures = {
        f"{way}_{name}": form(values)
        for way, values in times.items()
        for name, form in (("ms", median), ("worst_ms", max))
    }
    return {**figures, "idle_cpu": idle}


def _wait_for(connection: HTTPConnection, status: int, deadline: float) -> None:
    headers = {"Authorization": KEY, "Mockpets-Scenario": "saved"}
    while time.perf_counter() < deadline:
        connection.request("GET", "/v1/pets", headers=headers)
        response = connection.getresponse()
        response.read()
        if response.status == status:
            return
        time.sleep(0.001)
    raise RuntimeError(f"the saved scenario with status {status} did not become active")


def _idle_cpu(server: Server, seconds: int) -> float:
    """Return the percentage of a core that an idle server takes; 0 on systems without /proc."""
    stat = Path(f"/proc/{server.pid}/stat")
    if not stat.exists():
        return 0.0

    def ticks() -> int:
        user, system = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
        return int(user) + int(system)

    before = ticks()
    time.sleep(seconds)
    return (ticks() - before) / os.sysconf("SC_CLK_TCK") / seconds * 100


# --- The panel ------------------------------------------------------------------------------------

_OBSERVE: Final = """
window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(
  ({ startTime, duration }) => ({ startTime, duration }))))
  .observe({ type: "longtask", buffered: true });
"""
_PAINT: Final = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_LOADED: Final = """() => {
  const entries = [...performance.getEntriesByType("navigation"),
    ...performance.getEntriesByType("resource")].filter(({ name }) => !name.includes("/events"));
  return [entries.length, entries.reduce((sum, { transferSize }) => sum + transferSize, 0)];
}"""


def measure_panel(requests: int, loads: int) -> dict[str, float]:
    """Return the first paint of the panel, and the long tasks while requests arrive.

    :raise UnavailableError: Playwright or chromium is not installed.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise UnavailableError("the Python package playwright is not installed") from None
    path = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise UnavailableError("chromium is not installed")
    with (
        tempfile.TemporaryDirectory() as name,
        started(_serving(Path(name))) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        url = f"http://localhost:{server.port}/__mockpets/"
        paints = []
        for _ in range(loads):
            page, figures = _load(browser, url)
            paints.append(figures["paint_ms"])
            page.close()
        page, figures = _load(browser, url)
        figures["paint_ms"] = median(paints)
        figures |= _watch(page, server, requests)
        browser.close()
    return figures


def _load(browser: Browser, url: str) -> tuple[Page, dict[str, float]]:
    """Open the panel with an empty cache."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(_OBSERVE)
    page.goto(url)
    page.wait_for_selector("#request-empty p, #request-list li")
    page.wait_for_function(f"() => {_PAINT} !== undefined")
    count, size = page.evaluate(_LOADED)
    return page, {"paint_ms": page.evaluate(_PAINT), "files": count, "bytes": size}


def _watch(page: Page, server: Server, requests: int) -> dict[str, float]:
    """Send requests, and return the long tasks of the page during the last tenth of them."""
    connection = HTTPConnection("127.0.0.1", server.port)
    late = 0.0
    for number in range(1, requests + 1):
        if number == requests * 9 // 10:
            late = page.evaluate("performance.now()")
        connection.request(
            "GET", f"/v1/pets?limit={number % 20 + 1}", headers={"Authorization": KEY}
        )
        connection.getresponse().read()
        time.sleep(0.004)  # some 200 requests per second: several updates of the list
    connection.close()
    page.wait_for_selector(f"#request-list li[data-key='{requests + 1}']")  # 1 was ours, to start
    page.wait_for_timeout(500)
    tasks: list[dict[str, float]] = page.evaluate("window.tasks")
    live = [task["duration"] for task in tasks if task["startTime"] >= late]
    return {
        "long_tasks": len(live),
        "longest_ms": max(live, default=0.0),
        "all_long_tasks": len(tasks),
        "rows": page.evaluate("document.querySelectorAll('#request-list li').length"),
        "nodes": page.evaluate("document.querySelectorAll('#request-list *').length"),
    }


# --- All ------------------------------------------------------------------------------------------


def _life(client: str) -> dict[str, float]:
    return {"ms": time_life(client, _LIVES), "requests": count_life(client)}


def measure_loops(log: Callable[[str], None]) -> dict[str, Any]:
    """Return all figures; those that cannot be measured are logged and missing."""
    parts: dict[str, Callable[[], Any]] = {
        **{client: partial(_life, client) for client in CLIENTS},
        "tests": lambda: measure_tests(_TESTS, 3),
        "commands": lambda: measure_commands(30),
        "reload": lambda: measure_reload(40),
        "panel": lambda: measure_panel(1000, 5),
    }
    results = {}
    for name, part in parts.items():
        log(f"loops: {name}")
        try:
            results[name] = part()
        except (OSError, RuntimeError, UnavailableError) as error:
            log(f"  {name} skipped: {error}")
    return results


# --- The table ------------------------------------------------------------------------------------


def loop_table(results: Mapping[str, Any]) -> str:
    """Return the figures as Markdown.

    :param results: of `measure_loops`.
    """
    lives = [
        [name, f"{results[name]['ms']:.1f}", f"{results[name]['requests']:.0f}"]
        for name in CLIENTS
        if name in results
    ]
    parts = [
        f"{results['at']}, `python -m benchmarks --loops`, medians. Machine: "
        f"{results['machine']['processor']}, {results['machine']['cores']} cores, load "
        f"{results['machine']['load']} before the run, {results['machine']['python']}.",
        table(
            ["a session's life", "ms", f"requests, at least {LEAST}"],
            lives,
        ),
        table(["loop", "figure", ""], _other_loops(results)),
    ]
    return "\n\n".join(parts) + "\n"


def _other_loops(results: Mapping[str, Any]) -> Iterator[list[str]]:
    if tests := results.get("tests"):
        for way, what in (
            ("loaded", "pytest, each test without a session"),
            ("session", "pytest, each test with a session"),
        ):
            more, cpu = (
                tests[f"{way}_{name}"] - tests[f"bare_{name}"] for name in ("ms", "cpu_ms")
            )
            yield [what, "more than without our plugin", f"{more:.2f} ms, processor {cpu:.2f} ms"]
        yield ["", "requests", f"{tests['session_requests']:.0f}"]
    if commands := results.get("commands"):
        more = "more than `python -c 'import click'`"
        yield ["`mockpets --help`", more, f"{commands['help_ms']:.0f} ms"]
        for name in ("use", "health"):
            more = "more than `python -c 'import click, http.client'`"
            yield [f"`mockpets {name}`", more, f"{commands[f'{name}_ms']:.0f} ms"]
    if reload := results.get("reload"):
        for way, what in (("renamed", "replaced"), ("written", "written in place")):
            times = f"{reload[f'{way}_ms']:.0f} ms, at most {reload[f'{way}_worst_ms']:.0f}"
            yield [f"a scenario file that is {what}", "saved to active", times]
        yield ["an idle server", "processor time", f"{reload['idle_cpu']:.1f} % of a core"]
    if panel := results.get("panel"):
        yield ["the panel", "first contentful paint", f"{panel['paint_ms']:.0f} ms"]
        size = f"{panel['files']:.0f}, {panel['bytes'] / 1000:.0f} kB"
        yield ["", "requests to load it", size]
        late = f"{panel['long_tasks']:.0f}, the longest {panel['longest_ms']:.0f} ms"
        yield ["", "tasks over 50 ms while requests 900 to 1,000 arrive", late]
        yield ["", "tasks over 50 ms in all", f"{panel['all_long_tasks']:.0f}"]
        rows = f"{panel['rows']:.0f} rows, {panel['nodes']:,.0f} elements"
        yield ["", "the list after 1,000 requests", rows]
