"""The benchmark: checks before timing, the mix, the setup of peers, and its tables."""

import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import main
from benchmarks.checks import check, statuses
from benchmarks.compare import QUESTIONS, report
from benchmarks.contracts import CLINIC, CONTRACTS, COUNT, LIMIT, PET_STORE, Contract
from benchmarks.idle import Machine
from benchmarks.load import status_problems, timed_of
from benchmarks.mix import PARTS, demanded, mix, requests
from benchmarks.peers import PEERS, peers_of, set_up
from benchmarks.subjects import Subject, own_subjects
from benchmarks.tables import RESULTS, put_into
from mockpets import MockpetsServer, Settings
from tests.programs import need

ROOT = Path(__file__).parent.parent
PETS = Subject("any", (), Path())
PATIENTS = PETS._replace(contract=CLINIC, targets=CLINIC.targets)
MIX = mix(PETS)
STATUSES = demanded(PET_STORE)
ABILITIES = PET_STORE.all_abilities()
SECONDS = 240
"""Until a benchmark that hangs is ended; one that runs needs 40 s on two idle cores."""


def port_of(server: MockpetsServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture
def clinic(tmp_path: Path) -> Settings:
    """The settings for the clinic with the records of the benchmark."""
    own_subjects(tmp_path, CLINIC, None)
    options = dict(option[2:].split("=", 1) for option in CLINIC.options)
    data = options["data"].replace("{records}", str(tmp_path / "clinic.json"))
    return Settings(port=0, contract=(options["contract"],), data=(data,))


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


def test_mockpets_does_the_whole_job_of_the_pet_store() -> None:
    with MockpetsServer(Settings(port=0, data=(f"pets={COUNT}",))) as server:
        port = port_of(server)
        assert check(PETS, port) == ABILITIES
        assert statuses(port, requests(PETS), STATUSES) == STATUSES


def test_mockpets_does_the_whole_job_of_the_clinic(clinic: Settings) -> None:
    with MockpetsServer(clinic) as server:
        port, expected = port_of(server), demanded(CLINIC)
        assert check(PATIENTS, port) == CLINIC.all_abilities()
        assert statuses(port, requests(PATIENTS), expected) == expected


def test_an_ability_that_a_server_lacks_is_not_listed(clinic: Settings) -> None:
    """It has another property beside the list, and every filter and page is the first page."""
    other = CLINIC.targets._replace(list="/api/patients?limit={limit}", filter="unknown")
    renamed = CLINIC._replace(totals={"page": 1, "pages": 3, "count": COUNT})
    subject = PATIENTS._replace(contract=renamed, targets=other)
    with MockpetsServer(clinic) as server:
        # Without the second page, the new record is not listed.
        assert check(subject, port_of(server)) == ("key", "limit", "get", "rejects")


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=CONTRACTS)
def test_the_timed_page_stays_the_same_when_records_are_created(contract: Contract) -> None:
    new = {"id": COUNT + 1, **json.loads(contract.new)}
    after = contract._replace(records=(*contract.records, new))
    assert after.selected(contract.timed) == contract.selected(contract.timed)
    assert len(contract.selected(contract.timed)) == LIMIT
    assert new in after.selected(contract.listed)


# --- The front-end mix ----------------------------------------------------------------------------


@pytest.mark.parametrize(("subject", "lists", "target"), [
    (PETS, 30, "/v1/pets?limit=5"),
    (PATIENTS, 20, "/api/patients?limit=25&page=2"),
])  # fmt: skip
def test_the_mix_has_the_shares_of_a_front_end(subject: Subject, lists: int, target: str) -> None:
    sequence = mix(subject)
    parts = Counter(item.part for item in sequence)
    operations = Counter(PARTS[item.part].operation for item in sequence)
    assert operations == {"list": 360, "get": 150, "create": 60, "rejected": 30}
    assert parts["limit=0"] == parts["no key"] == parts["missing record"]
    for part, different in (("list", lists), ("get", 50), ("create", 1)):
        counts = Counter(item.target for item in sequence if item.part == part)
        assert len(counts) == different
        assert len(set(counts.values())) == 1, "each as often as the others"
    assert target in {item.target for item in sequence}


def test_the_statuses_of_a_run_are_compared_with_those_of_the_check() -> None:
    expected = [STATUSES[item.part] for item in MIX]
    received = Counter(expected * 10 + expected[:333])
    assert not status_problems(MIX, STATUSES, received)
    received[200] -= 16  # each connection waits for a response at the end
    assert not status_problems(MIX, STATUSES, received)
    received[401], received[200] = 0, received[200] + received[401]
    assert "0 responses 401, expected 10" in status_problems(MIX, STATUSES, received)
    received[500] = 1
    assert "1 responses 500, expected 0" in status_problems(MIX, STATUSES, received)


def test_without_wrk_nothing_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    process = run("--short", "--cache", tmp_path)
    assert process.returncode == 1
    assert process.stderr.startswith("wrk is not installed; install it, such as with 'apt-get")


# --- Peers --------------------------------------------------------------------------------------


SERVED = [(contract, name) for contract in CONTRACTS.values() for name in peers_of(contract)]


def test_every_peer_serves_a_contract() -> None:
    assert {name for _, name in SERVED} == PEERS.keys()
    assert [*peers_of(CLINIC)] == ["Prism", "json-server beta", "Scalar", "Mockoon"]


@pytest.mark.parametrize(
    ("contract", "name"), SERVED, ids=[f"{contract.name}-{name}" for contract, name in SERVED]
)
def test_a_peer_can_be_set_up_repeatedly(contract: Contract, name: str, tmp_path: Path) -> None:
    peer = PEERS[name]
    for _ in range(2):
        set_up(peer, tmp_path, contract)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    for record in contract.selected(contract.timed):
        assert any(record["name"] in text for text in texts)
    for path in tmp_path.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    pinned = re.compile(r".+@\d+\.\d+\.\d+\S*")
    assert all(pinned.fullmatch(package) for package in peer["packages"])


def test_the_function_for_mountebank_is_an_expression(tmp_path: Path) -> None:
    """mountebank puts it in parentheses."""
    set_up(PEERS["mountebank, own code"], tmp_path, PET_STORE)
    text = (tmp_path / "imposters.ejs").read_text(encoding="utf-8")
    [imposter] = json.loads(text.replace("<%- process.env.PORT %>", "1"))["imposters"]
    function = imposter["stubs"][0]["responses"][0]["inject"]
    assert function.startswith("(config) => {")
    assert function.endswith("}")


# --- A run and its tables -----------------------------------------------------------------------


def row(name: str, able: str = "", version: str = "", **figures: float) -> dict[str, Any]:
    values = {"mix_16": 800.0, "mix_get_p50": 0.25, "mix_get_p99": 0.5, "first_ms": 100.0}
    return {
        "name": name,
        "contract": "pet-store",
        "version": version,
        "note": "default setup",
        "able": able.split(),
        "statuses": STATUSES,
        "figures": {**values, **figures},
    }


ROWS: list[dict[str, Any]] = [
    row("mockpets", " ".join(ABILITIES), list_16=1000.0, get=800.0, create=500.0, rss_load=40.0),
    {**row("Flask, one route"), "figures": {"first_ms": 50.0}},
    {
        **row("Prism", "key rejects", "1.2.3", list_16=200.0, mix_16=400.0, rss_load=300.0),
        "statuses": {**STATUSES, "limit=0": 422, "missing record": 200},
    },
    {
        **row(
            "Static, own code", "remembers", "1.2.3", mix_16=4000.0, list_16=500.0, create=9000.0
        ),
        "statuses": {name: STATUSES[name] for name in ("list", "create", "limit=0", "no key")},
    },
]


def test_each_question_has_a_table_with_ratios_of_the_servers_that_were_measured() -> None:
    titles, tables = [*report(ROWS, QUESTIONS)][::2], [*report(ROWS, QUESTIONS)][1::2]
    assert titles == ["### Mix", "### Operations", "### Start", "### Memory"]
    lines = [[line for line in table.split("\n") if line[:1] == "|"][2:] for table in tables]
    names = [[line.split(" | ")[0][2:] for line in rows] for rows in lines]
    static, prism, script = "Static 1.2.3, own code", "Prism 1.2.3", "Flask, one route"
    assert names == [
        [static, "**mockpets**", prism],
        [static, "**mockpets**", prism],
        [static, "**mockpets**", prism, script],
        ["**mockpets**", prism],
    ]
    assert "| Static 1.2.3, own code | - | 4,000 (5.00) | - | - | - |" in tables[0]
    assert "| - | 500 (0.50) | - | - | - | - ¹ | 9,000 (18.00) |" in tables[1]
    assert "| - | 200 (0.20) | - | - | - | - ¹ | - ² |" in tables[1]
    assert tables[1].split("\n\n")[1:] == [
        "¹ It does not return a record by its id, or returns one for an unknown id.",
        "² A record that was posted to it cannot be read afterwards.",
    ]
    assert "\n\n" not in tables[0], "no footnotes without their marks"
    assert "| Flask, one route | 50 (0.50) |" in tables[2]
    assert "| Prism 1.2.3 | - | 300 (7.50) | - |" in tables[3]
    assert [*report(ROWS, ("start",))] == ["### Start", tables[2]]


def test_the_report_marks_what_a_server_cannot_do() -> None:
    _, mix_table, *_ = report(ROWS, QUESTIONS)
    times = "- / - | 0.25 / 0.50 | - / - | - / -"
    assert f"| {times} | all | none | default setup |" in mix_table
    other = "422 for limit=0; 200 for a missing record"
    assert f"| {times} | key, rejects | {other} | default setup |" in mix_table
    static = "without single records; without a missing record"
    assert f"| {times} | remembers | {static} | default setup |" in mix_table


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
    assert sections == [*(contract.section for contract in CONTRACTS.values()), "curves"]


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


def test_a_run_writes_only_the_section_of_its_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{**row, "contract": "clinic"} for row in ROWS]
    measured = {"rows": rows, "skipped": []}
    monkeypatch.setattr("benchmarks.__main__._measure", lambda *_: measured)
    monkeypatch.setattr("benchmarks.__main__.client_name", lambda: "wrk 4")
    page = tmp_path / "page.md"
    pets = "<!-- measured: servers -->\n\nold\n\n<!-- end -->\n"
    page.write_text(f"{pets}<!-- measured: clinic -->\n\nold\n\n<!-- end -->\n", encoding="utf-8")
    process = run("mix", "--contract", "clinic", "--cache", tmp_path, "--write", page)
    assert (process.returncode, process.stderr) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"{pets}<!-- measured: clinic -->\n\n")
    assert process.stdout.strip() in text
    # The clinic demands 422 for an invalid request and has other abilities.
    assert "| key, rejects | 200 for a missing record | default setup |" in text
    assert "| key, limit, get, rejects, remembers | 400 for limit=0 | default setup |" in text


@pytest.mark.tool
@pytest.mark.long
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
    measured = {"mix_16", "mix_get_p99", "list_16", "p99_16", "get", "create", "first_ms"}
    assert measured <= set(ours["figures"])
    assert all(value > 0 for value in ours["figures"].values())
    sources = {path.name.split(".")[0] for path in compiled.rglob("*.pyc")}
    assert {
        path.stem for name in ("mockpets", "benchmarks") for path in (ROOT / name).glob("*.py")
    } <= sources
    assert "argparse" not in sources, "only our own code"


@pytest.mark.parametrize(("arguments", "message"), [
    (("--short", "--only", "Prims"), "--only: unknown Prims; available: mockpets, "),
    (
        ("--contract", "clinic", "--only", "MSW"),
        "--only: unknown MSW; available: mockpets, Prism, json-server beta, Scalar, Mockoon\n",
    ),
    (
        ("--contract", "petstore"),
        "argument --contract: invalid choice: 'petstore' (choose from ",
    ),
    (
        ("curves", "--contract", "clinic"),
        "curves are measured only with --contract pet-store",
    ),
    (("mixed",), "QUESTION: unknown mixed; available: mix, operations, start, memory, curves"),
])  # fmt: skip
def test_an_unknown_name_is_rejected_with_the_available_ones(
    arguments: tuple[str, ...], message: str
) -> None:
    process = run(*arguments)
    assert process.returncode == 2
    assert message in process.stderr


@pytest.mark.tool
@pytest.mark.long
def test_a_short_run_measures_the_contract_that_is_named(tmp_path: Path) -> None:
    need("wrk")
    results = tmp_path / "run.json"
    options = ["operations", "--contract", "clinic", "--short", "--rounds", "1", "--seconds", "1"]
    process = run(*options, "--cache", tmp_path, "--save", results)
    assert process.returncode == 0, process.stderr
    assert "`python -m benchmarks operations --contract clinic`: 1 rounds" in process.stdout
    [ours] = json.loads(results.read_text(encoding="utf-8"))["rows"]
    assert ours["able"] == list(CLINIC.all_abilities())
    assert {"list_16", "p50_16", "p99_16", "get", "create"} <= set(ours["figures"])


def test_equal_latencies_of_several_threads_are_added() -> None:
    rows = [["list", "200", "250", "3"], ["list", "200", "250", "4"], ["get", "200", "250", "1"]]

    assert timed_of(rows) == {("list", 200, 250): 7, ("get", 200, 250): 1}
