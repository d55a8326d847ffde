"""The benchmark: checks before timing, the mix, the setup of peers, and its tables."""

import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import main
from benchmarks.checks import ABILITIES, check, statuses
from benchmarks.compare import QUESTIONS, report
from benchmarks.idle import Machine
from benchmarks.load import status_problems, timed_of
from benchmarks.mix import PARTS, mix, requests
from benchmarks.peers import PEERS, set_up
from benchmarks.subjects import PETS, Subject
from benchmarks.tables import RESULTS, put_into
from mockpets import MockpetsServer, Settings
from mockpets.seed.generator import generate
from tests.programs import need

ROOT = Path(__file__).parent.parent
GENERATED = generate(PETS, 1, "en_US")
LIST = Subject("any", (), Path())
MIX = mix(LIST)
CONTRACT = {name: part.status for name, part in PARTS.items()}
SECONDS = 240
"""Until a benchmark that hangs is ended; one that runs needs 40 s on two idle cores."""


def port_of(server: MockpetsServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with MockpetsServer(Settings(port=0, data=(f"pets={PETS}",), max_records=100_000)) as server:
        yield port_of(server)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run `python -m benchmarks` in this process."""
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = int(stop.code or 0)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())


def program(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m benchmarks` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


# --- Checks -------------------------------------------------------------------------------------


def statuses_of(subject: Subject, port: int) -> dict[str, int]:
    return statuses(port, requests(subject), CONTRACT)


def test_mockpets_has_all_abilities(port: int) -> None:
    assert check(LIST, port, GENERATED) == (True, ABILITIES)
    assert statuses_of(LIST, port) == CONTRACT


@pytest.mark.parametrize("scenario", ["empty", "server-error", "broken-json", "full-page"])
def test_a_server_with_another_page_is_not_timed(scenario: str) -> None:
    with (
        MockpetsServer(Settings(port=0, data=(f"pets={PETS}",), scenario=(scenario,))) as server,
        pytest.raises(RuntimeError, match=r"^expected a list of 20 pets, got "),
    ):
        check(LIST, port_of(server), GENERATED)


# --- The front-end mix ----------------------------------------------------------------------------


def test_the_mix_has_the_shares_of_a_front_end() -> None:
    parts = Counter(item.part for item in MIX)
    operations = Counter(PARTS[item.part].operation for item in MIX)
    shares = {name: count / len(MIX) for name, count in operations.items()}
    assert shares == {"list": 0.6, "get": 0.25, "create": 0.1, "rejected": 0.05}
    assert parts["limit=0"] == parts["no key"] == parts["missing pet"]
    for part, different in (("list", 30), ("get", 50), ("create", 1)):
        counts = Counter(item.target for item in MIX if item.part == part)
        assert len(counts) == different
        assert len(set(counts.values())) == 1, "each as often as the others"
    assert "/v1/pets?limit=5" in {item.target for item in MIX}, "with and without a status"


def test_the_statuses_of_a_run_are_compared_with_those_of_the_check() -> None:
    statuses = [CONTRACT[item.part] for item in MIX]
    received = Counter(statuses * 10 + statuses[:333])
    assert not status_problems(MIX, CONTRACT, received)
    received[200] -= 16  # each connection waits for a response at the end
    assert not status_problems(MIX, CONTRACT, received)
    received[401], received[200] = 0, received[200] + received[401]
    assert "0 responses 401, expected 10" in status_problems(MIX, CONTRACT, received)
    received[500] = 1
    assert "1 responses 500, expected 0" in status_problems(MIX, CONTRACT, received)


def test_without_wrk_nothing_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    process = run("--short", "--cache", tmp_path)
    assert process.returncode == 1
    assert process.stderr.startswith("wrk is not installed; install it, such as with 'apt-get")


# --- Peers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_can_be_set_up_repeatedly(name: str, tmp_path: Path) -> None:
    peer = PEERS[name]
    for _ in range(2):
        set_up(peer, tmp_path, GENERATED)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    first = next(pet["name"] for pet in GENERATED if pet.get("status") == "available")
    assert any(first in text for text in texts)
    for path in tmp_path.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    pinned = re.compile(r".+@\d+\.\d+\.\d+\S*")
    assert all(pinned.fullmatch(package) for package in peer["packages"])


# --- A run and its tables -----------------------------------------------------------------------


def row(name: str, able: str = "", version: str = "", **figures: float) -> dict[str, Any]:
    values = {"mix_16": 800.0, "mix_get_p50": 0.25, "mix_get_p99": 0.5, "first_ms": 100.0}
    return {
        "name": name,
        "version": version,
        "note": "default setup",
        "able": able.split(),
        "statuses": CONTRACT,
        "figures": {**values, **figures},
    }


ROWS: list[dict[str, Any]] = [
    row("mockpets", " ".join(ABILITIES), list_16=1000.0, create=500.0, rss_load=40.0),
    {**row("Flask, one route"), "figures": {"first_ms": 50.0}},
    {
        **row("Prism", "key refuses", "1.2.3", mix_16=400.0, rss_load=300.0),
        "statuses": {**CONTRACT, "limit=0": 422, "missing pet": 200},
    },
    {
        **row("Static, own code", "", "1.2.3", mix_16=4000.0, list_16=500.0, create=9000.0),
        "statuses": {name: CONTRACT[name] for name in ("list", "create", "limit=0", "no key")},
    },
]


def test_each_question_has_a_table_with_ratios_of_the_servers_that_were_measured() -> None:
    titles, tables = [*report(ROWS, QUESTIONS)][::2], [*report(ROWS, QUESTIONS)][1::2]
    assert titles == ["### Mix", "### Operations", "### Start", "### Memory"]
    names = [[line.split(" | ")[0][2:] for line in table.split("\n")[2:]] for table in tables]
    static, prism, script = "Static 1.2.3, own code", "Prism 1.2.3", "Flask, one route"
    assert names == [
        [static, "**mockpets**", prism],
        [static, "**mockpets**"],
        [static, "**mockpets**", prism, script],
        ["**mockpets**", prism],
    ]
    assert "| Static 1.2.3, own code | - | 4,000 (5.00) | - | - | - |" in tables[0]
    assert "| - | 500 (0.50) | - | - | - | 9,000 (18.00) |" in tables[1]
    assert "| Flask, one route | 50 (0.50) |" in tables[2]
    assert "| Prism 1.2.3 | - | 300 (7.50) | - |" in tables[3]
    assert [*report(ROWS, ("start",))] == ["### Start", tables[2]]


def test_the_report_marks_what_a_server_cannot_do() -> None:
    _, mix_table, *_ = report(ROWS, QUESTIONS)
    times = "- / - | 0.25 / 0.50 | - / - | - / -"
    assert f"| {times} | all | none | default setup |" in mix_table
    other = "422 for limit=0; 200 for a missing pet"
    assert f"| {times} | key, refuses | {other} | default setup |" in mix_table
    static = "without single pets; without a missing pet"
    assert f"| {times} | fixed responses | {static} | default setup |" in mix_table


def test_a_section_of_a_page_is_replaced(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    before = "<!-- measured: curves -->\n\nother\n\n<!-- end -->\n\n<!-- measured: servers -->"
    after = "<!-- end -->\n\nAfter.\n"
    page.write_text(f"{before}\n\nold\n\n{after}", encoding="utf-8")
    for text in ("first", "second"):
        put_into(page, "servers", text)
    assert page.read_text(encoding="utf-8") == f"{before}\n\nsecond\n\n{after}"


def test_the_results_have_a_section_for_each_run() -> None:
    text = RESULTS.read_text(encoding="utf-8")
    sections = re.findall("<!-- measured: (.*) -->(?s:.*?)<!-- end -->", text)
    assert sections == ["servers", "curves"]


@pytest.mark.parametrize(("rates", "busy", "problem"), [
    ([1000, 1070], [0.0, 0.02], ""),
    ([1000, 900, 1000], [0.0], "the control's speed varied by 11%; at most 8% is idle"),
    ([1000, 1000], [0.0, 0.25], "other programs took 12%; at most 8% is idle"),
])  # fmt: skip
def test_figures_of_a_busy_machine_are_not_written(
    rates: list[float],
    busy: list[float],
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def measure(_: object, __: object, machine: Machine) -> dict[str, Any]:
        machine.rates += rates
        machine.busy += busy
        return {"rows": ROWS, "skipped": []}

    monkeypatch.setattr("benchmarks.__main__._measure", measure)
    monkeypatch.setattr("benchmarks.__main__.client_name", lambda: "wrk 4")
    page, marks = tmp_path / "page.md", "<!-- measured: servers -->\n<!-- end -->\n"
    page.write_text(marks, encoding="utf-8")
    process = run("start", "--cache", tmp_path, "--write", page)

    assert "| **mockpets** | 100 (1.00) |" in process.stdout, "printed in any case"
    if problem:
        assert (process.returncode, page.read_text(encoding="utf-8")) == (1, marks)
        assert problem in process.stderr
        assert f"{page} is unchanged: measure again on an idle machine" in process.stderr
    else:
        assert (process.returncode, process.stderr) == (0, "")
        assert process.stdout.strip() in page.read_text(encoding="utf-8")


@pytest.mark.tool
@pytest.mark.slow
def test_a_short_run_measures_compiled_mockpets(tmp_path: Path) -> None:
    need("wrk")
    results, compiled = tmp_path / "run.json", tmp_path / "compiled"
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(compiled)}
    options = ["--short", "--only", "mockpets", "--rounds", "1", "--seconds", "1"]
    outputs: list[str | Path] = ["--python", sys.executable, "--cache", tmp_path, "--save", results]
    process = program(*options, *outputs, **environment)
    assert process.returncode == 0, process.stderr
    run = json.loads(results.read_text(encoding="utf-8"))
    [ours, other] = run["rows"]
    assert other["name"].startswith(f"mockpets, Python {platform.python_version()}")
    assert [len(run["machine"][name]) for name in ("rates", "busy")] == [3, 3], "before each turn"
    assert "a control was measured: its median varied by" in process.stdout
    assert ours["able"] == list(ABILITIES)
    assert {"mix_16", "mix_get_p99", "list_16", "p99_16", "create", "first_ms"} <= set(
        ours["figures"]
    )
    assert all(value > 0 for value in ours["figures"].values())
    sources = {path.name.split(".")[0] for path in compiled.rglob("*.pyc")}
    assert {
        path.stem for name in ("mockpets", "benchmarks") for path in (ROOT / name).glob("*.py")
    } <= sources
    assert "argparse" not in sources, "only our own code"


@pytest.mark.parametrize(("arguments", "message"), [
    (("--short", "--only", "Prims"), "--only: unknown Prims; available: mockpets, "),
    (("mixed",), "QUESTION: unknown mixed; available: mix, operations, start, memory, curves"),
])  # fmt: skip
def test_an_unknown_name_is_rejected_with_the_available_ones(
    arguments: tuple[str, ...], message: str
) -> None:
    process = run(*arguments)
    assert process.returncode == 2
    assert message in process.stderr


def test_equal_latencies_of_several_threads_are_added() -> None:
    rows = [["list", "200", "250", "3"], ["list", "200", "250", "4"], ["get", "200", "250", "1"]]

    assert timed_of(rows) == {("list", 200, 250): 7, ("get", 200, 250): 1}
