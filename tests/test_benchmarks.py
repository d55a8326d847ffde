"""The benchmark: checks before timing, its client, the setup of peers, and its report."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from benchmarks.__main__ import main
from benchmarks.checks import ABILITIES, CheckResult, check
from benchmarks.goals import goals
from benchmarks.installs import UnavailableError, install, mockpets_for
from benchmarks.load import client_name, send_load
from benchmarks.mix import OPERATIONS, PARTS, mix, status_problems
from benchmarks.mix_load import lua, send_mix, time_mix
from benchmarks.peers import RECIPES, make_ready
from benchmarks.process import started
from benchmarks.report import BEGIN, END
from benchmarks.rounds import Plan, measure
from benchmarks.subjects import NEW, PETS, Subject, installed_size
from mockpets import MockpetsServer, Settings
from mockpets.pets.generator import generate
from tests.cases import each as for_each
from tests.programs import need

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
GENERATED = generate(PETS, 1, "en_US")
LIST = Subject("any", (), Path())
MIX = mix(LIST)
CONTRACT = {name: part.status for name, part in PARTS.items()}
SECONDS = 60
WITH_EACH_CLIENT = pytest.mark.parametrize(
    "client", [pytest.param("wrk", marks=pytest.mark.tool), "built-in"]
)


def port_of(server: MockpetsServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with MockpetsServer(Settings(port=0, count=PETS, max_pets=100_000)) as server:
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


def test_mockpets_has_all_abilities(port: int) -> None:
    result = check(LIST, port, GENERATED)
    assert result == CheckResult("", True, ABILITIES, CONTRACT)


@for_each("scenario", ["empty", "server-error", "broken-json", "full-page"])
def test_a_server_with_another_page_is_not_timed(scenario: str) -> None:
    with MockpetsServer(Settings(port=0, count=PETS, scenario=(scenario,))) as server:
        result = check(LIST, port_of(server), GENERATED)
    assert result.problem.startswith("expected a list of 20 pets, got ")


def test_missing_abilities_are_detected() -> None:
    settings = Settings(port=0, count=PETS, any_key=True, scenario=("create-rejected",))
    with MockpetsServer(settings) as server:
        result = check(LIST, port_of(server), GENERATED)
    assert not result.creates
    assert set(ABILITIES) - set(result.able) == {"remembers"}
    without_create = {name: status for name, status in CONTRACT.items() if name != "create"}
    assert result.statuses == without_create, "the mix lacks what the server cannot do"


@for_each(
    "target, statuses",
    [
        ("/v1/pets?id={id}", {"get": 200, "missing pet": 200}),
        ("/v1/pets/{id}0", {"missing pet": 404}),  # some of these pets exist
        ("/v1/none/{id}", {"missing pet": 404}),
    ],
)
def test_a_server_without_single_pets_keeps_what_makes_sense_in_its_mix(
    target: str, statuses: dict[str, int]
) -> None:
    with MockpetsServer(Settings(port=0, count=PETS)) as server:
        result = check(LIST._replace(pet_target=target), port_of(server), GENERATED)
    assert set(ABILITIES) - set(result.able) == {"get"}
    rest = {name: CONTRACT[name] for name in ("list", "create", "limit=0", "no key")}
    assert result.statuses == {**rest, **statuses}


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


def test_the_mix_is_the_same_each_time_and_for_each_server() -> None:
    assert mix(LIST) == MIX
    other = LIST._replace(
        list_target="/pets?_per_page={limit}", status_parameter="is", pet_target="/pets/{id}"
    )
    assert [item.part for item in mix(other)] == [item.part for item in MIX]
    targets = {item.target for item in mix(other)}
    assert {"/pets?_per_page=5", "/pets?_per_page=100&is=sold", "/pets/50"} <= targets
    assert lua(MIX, 7387, paced=True) == lua(mix(LIST), 7387, paced=True)


def test_a_part_that_a_server_cannot_do_is_left_out() -> None:
    rest = mix(LIST, CONTRACT.keys() - {"get"})
    assert rest == [item for item in MIX if item.part != "get"]


@for_each("part", PARTS)
def test_the_requests_have_the_headers_of_a_browser(part: str) -> None:
    request = next(item for item in MIX if item.part == part)
    head, _, body = request.encoded(7387).decode("ascii").partition("\r\n\r\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    assert fields["Host"] == "localhost:7387"
    assert {"Origin", "Sec-Fetch-Mode", "Referer", "User-Agent", "sec-ch-ua"} <= set(fields)
    assert ("Authorization" in fields) == (part != "no key")
    assert body == request.body
    assert fields.get("Content-Length") == (str(len(NEW)) if part == "create" else None)


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


@pytest.mark.slow
@WITH_EACH_CLIENT
def test_a_run_with_another_status_is_an_error(
    port: int, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if client == "built-in":
        monkeypatch.setenv("PATH", "")
    else:
        need("wrk")
    with pytest.raises(RuntimeError, match=r"mix: .*responses 200, expected 0"):
        send_mix(port, MIX, {**CONTRACT, "list": 404, "get": 404}, 1)
    with pytest.raises(RuntimeError, match=r"mix: .* before the run: 401 for a missing key$"):
        time_mix(port, MIX, {**CONTRACT, "no key": 200}, 1)


@pytest.mark.slow
def test_a_subject_that_changes_its_statuses_is_reported(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "mockpets", "serve", "--port", "{port}", "--count", str(PETS))
    subject = Subject("any", command, tmp_path)
    checked = {"any": CheckResult("", statuses={"list": 200, "limit=0": 200})}
    skipped: list[tuple[str, str]] = []
    plan = Plan(1, 1, (), 0)
    samples = measure([subject], checked, plan, lambda _: None, lambda *item: skipped.append(item))
    [(name, why)] = skipped
    assert name == "any"
    assert re.match(r"round 1 of 1 is incomplete: mix: \d.* responses 200, expected \d", why)
    assert not [figure for [figures] in samples.values() for figure in figures if "mix" in figure]


@pytest.mark.slow
@WITH_EACH_CLIENT
def test_the_mix_is_measured_as_a_whole_and_by_operation(
    port: int, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if client == "built-in":
        monkeypatch.setenv("PATH", "")
    else:
        need("wrk")
    load = send_mix(port, MIX, CONTRACT, 1)
    assert load.rate > 10
    assert 0 < load.p50 <= load.p99 < 1000
    times = time_mix(port, MIX, CONTRACT, 1)
    assert set(times) == {f"mix_{item}_{name}" for item in OPERATIONS for name in ("p50", "p99")}
    assert all(value > 0 for value in times.values())
    part = [item for item in MIX if item.part == "get"]
    assert set(time_mix(port, part, CONTRACT, 1)) == {"mix_get_p50", "mix_get_p99"}


# --- The client ---------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [None, NEW])
@pytest.mark.slow
def test_the_built_in_client_works_without_wrk(
    port: int, body: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert client_name() == "the built-in client"
    load = send_load(port, LIST.page() if body is None else "/v1/pets", 4, 1, body)
    assert load.rate > 10
    assert 0 < load.p50 <= load.p99 < 1000


@pytest.mark.slow
def test_an_error_under_load_is_reported(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="400"):
        send_load(port, LIST.page(limit=0), 1, 1)


# --- Peers --------------------------------------------------------------------------------------


@for_each("recipe", RECIPES)
def test_a_peer_can_be_set_up_repeatedly(recipe: Any, tmp_path: Path) -> None:
    for _ in range(2):
        recipe.set_up(tmp_path, GENERATED)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    first = next(pet["name"] for pet in GENERATED if pet.get("status") == "available")
    assert recipe.kind == "constant" or any(first in text for text in texts)
    for path in tmp_path.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    for path in tmp_path.rglob("*.toml"):
        tomllib.loads(path.read_text(encoding="utf-8"))
    pinned = re.compile(r".+(@|==)\d+\.\d+\.\d+\S*")
    assert all(pinned.fullmatch(package) for package in recipe.packages)


@pytest.mark.slow
def test_unavailable_peers_report_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    reason = r"(npm|Java) is not installed|npm has no Node|pip cannot install \S+==\S+: ."
    for recipe in RECIPES:
        with pytest.raises(UnavailableError, match=reason):
            make_ready(recipe, tmp_path, GENERATED)


def test_a_python_that_cannot_run_mockpets_reports_why(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such module: venv >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(UnavailableError, match="no such module: venv"):
        mockpets_for(str(python), tmp_path, ROOT)
    process = run("--short", "--python", tmp_path / "missing")
    assert process.returncode == 2
    assert f"--python: {tmp_path}/missing is not a program" in process.stderr


def test_npm_installs_each_version_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\necho $@ >> {tmp_path}/calls\ntest $6 != bad@1.0.0\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for version in ("1.0.0", "1.0.0", "1.0.1"):
        assert install(tmp_path / "peer", (f"good@{version}",)).name == "node_modules"
    for _ in range(2):  # a failed installation is retried
        with pytest.raises(UnavailableError, match=r"npm cannot install bad@1\.0\.0"):
            install(tmp_path / "other", ("bad@1.0.0",))
    packages = [line.split()[-1] for line in (tmp_path / "calls").read_text().splitlines()]
    assert packages == ["good@1.0.0", "good@1.0.1", "bad@1.0.0", "bad@1.0.0"]


@pytest.mark.slow
def test_packages_from_pypi_have_their_own_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = "peerless-1.0.0.dist-info"
    with zipfile.ZipFile(tmp_path / "peerless-1.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("peerless.py", "import sys\nprint(sys.prefix)\n")
        wheel.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: peerless\nVersion: 1.0.0\n"
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    peer = tmp_path / "peer"
    packages = install(peer, ("peerless==1.0.0",))
    output = subprocess.check_output([peer / "venv/bin/python", "-m", "peerless"], text=True)
    assert Path(output.strip()) == peer / "venv"
    assert list(packages.rglob("peerless*.pyc")), "compiled, like mockpets"
    assert not list(packages.rglob("pip")), "no other packages"
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    assert install(peer, ("peerless==1.0.0",)) == packages


def test_each_start_of_a_subject_has_fresh_files(tmp_path: Path) -> None:
    posted = tmp_path / "db.json"
    append = f"open({str(posted)!r}, 'a').write('more'); print(open({str(posted)!r}).read())"
    command = (sys.executable, "-c", append)
    subject = Subject("any", command, tmp_path, renew=lambda: _write(posted, "pets, "))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"pets, more$"), started(subject):
            pass


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def test_the_installed_size_includes_requirements() -> None:
    assert installed_size("flask") > installed_size("werkzeug") > 500_000


# --- A run and its page -------------------------------------------------------------------------


def row(name: str, kind: str, able: str = "", **figures: float) -> dict[str, Any]:
    values = {
        "mix": 800.0,
        "mix_p99": 3.0,
        "mix_get_p50": 0.25,
        "mix_get_p99": 0.5,
        "list_16": 1000.0,
        "p50_16": 1.0,
        "p99_16": 2.0,
        "first_ms": 100.0,
        **figures,
    }
    return {
        "name": name,
        "kind": kind,
        "version": "1.2.3",
        "note": "default setup",
        "able": able.split(),
        "statuses": CONTRACT,
        "size": 2_000_000,
        "figures": values,
    }


RESULTS: dict[str, Any] = {
    "at": "2026-01-01",
    "command": "python -m benchmarks",
    "rounds": 3,
    "seconds": 1,
    "machine": {
        "processor": "a processor",
        "cores": 2,
        "system": "Linux",
        "python": "Python 3.11",
        "client": "wrk",
        "load": 0.1,
    },
    "rows": [
        row("mockpets", "mockpets", " ".join(ABILITIES), create=500.0, rss_load=40.0),
        row("waitress, raw", "constant", list_16=1250.0),
        row("waitress, Flask", "stack", "key", first_ms=50.0),
        {
            **row("Prism", "peer", "key refuses", mix=400.0, mix_p99=1.5, rss_load=300.0),
            "statuses": {**CONTRACT, "limit=0": 422, "missing pet": 200},
        },
        {
            **row("Static <1>, own code", "peer", mix=4000.0, create=9000.0, rss_load=30.0),
            "statuses": {name: CONTRACT[name] for name in ("list", "create", "limit=0", "no key")},
        },
    ],
    "skipped": [{"name": "MockServer", "why": "Java is not installed"}],
    "scale": {"list_of_16": 1000.0, "list_of_100000": 500.0, "session_us": 12.0},
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(RESULTS), encoding="utf-8")
    return path


def test_memory_is_compared_with_node_and_java() -> None:
    [ours, *_] = RESULTS["rows"]
    others = [
        row("apimock-rs", "peer", rss_load=6.0),
        row("Mockaton", "peer", rss_load=100.0),
    ]
    [memory] = [
        goal
        for goal in goals({**RESULTS, "rows": [ours, *others]})
        if goal.what == "RSS after load"
    ]
    assert (memory.measured, memory.reached) == ("0.40 of the best, Mockaton", True)


def reached(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[str, bool | None]]:
    [ours, *_] = RESULTS["rows"]
    results = goals({**RESULTS, "rows": [ours, *rows]})
    return {(goal.what, goal.goal): (goal.measured, goal.reached) for goal in results}


def test_the_mix_is_compared_with_peers_that_do_the_whole_job() -> None:
    whole = " ".join(ABILITIES)
    goal = (
        "mix",
        "more than 1 times the best peer that does the whole job, own code included",
    )
    others = [row("Fixed", "peer", "key", mix=9000.0), row("Some", "peer", "refuses", mix=9000.0)]
    slower = row("MSW, own code", "peer", whole, mix=400.0)
    assert reached([*others, slower])[goal] == ("2.00 of the best, MSW, own code", True)
    faster = row("mocks-server, own code", "peer", whole, mix=1000.0)
    measured = "0.80 of the best, mocks-server, own code"
    assert reached([*others, slower, faster])[goal] == (measured, False)
    assert reached(others)[goal] == ("not measured", None)


def test_the_mix_is_compared_with_another_checkout_only_if_measured() -> None:
    goal = ("mix", "at least 1.4 times the version before")
    assert reached([row("mockpets, before", "stack", mix=500.0)])[goal] == ("1.60", True)
    assert reached([row("mockpets, before", "stack", mix=600.0)])[goal] == ("1.33", False)
    assert goal not in reached([])


def test_goals_compare_with_peers_that_do_a_similar_job() -> None:
    others = [
        *RESULTS["rows"][2:],
        row("json-server beta", "peer", "remembers", list_16=1100.0, mix_p99=9.0, rss_load=50.0),
        row("mountebank, own code", "peer", create=400.0),
    ]
    results = reached(others)
    peers = "each peer that checks requests or keeps pets"
    assert results["mix p99", f"below {peers}"] == ("2.00 of the best, Prism", False)
    beta = "at least 0.9 of json-server beta, which checks nothing"
    assert results["list, 16 connections", beta] == ("0.91", True)
    create = "more than 1 times mountebank with its user's code"
    assert results["create", create] == ("1.25 of the best, mountebank, own code", True)
    script = "at most 1.6 times a one-route Flask script"
    assert results["first 200", script] == ("2.00", False)
    assert results["RSS after load", "below each Node and Java peer"][1] is False
    scale = "list from 100,000 pets", "at most 1.2 times the time from 16 pets"
    assert results[scale][1] is False
    assert results["new session with 10,000 pets", "at most 50 µs"][1] is True


def test_a_saved_run_becomes_a_page_and_a_picture(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{BEGIN}\nan earlier run\n{END}\n\nAfter.\n", encoding="utf-8")
    for _ in range(2):
        process = run("--load", saved, "--write", page)
        assert process.returncode == 0, process.stderr
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert process.stdout in text
    assert "an earlier run" not in text
    prism = "400 (0.50) | - | 1.50 | 1,000 (1.00) | 1.00 | 2.00 | - | key, refuses | default setup"
    assert f"| Prism 1.2.3 | {prism} |" in text
    assert "| Static <1> 1.2.3, own code | 4,000 (5.00) |" in text
    assert "MockServer: Java is not installed" in text
    assert "| check requests, keep no pets | Prism 0.50 |" in text
    assert "| what the user's code does | Static <1>, own code 5.00 |" in text
    assert "\n### " not in text, "the page's title is the only heading above these"
    image = ElementTree.fromstring(page.with_suffix(".svg").read_text(encoding="utf-8"))  # noqa: S314 - a trusted file
    texts = ["".join(item.itertext()) for item in image.iter("{http://www.w3.org/2000/svg}text")]
    names = ["Static <1>, own code", "mockpets", "Prism"]
    assert [text for text in texts if text in names][1:] == names, "after the legend"


def test_the_report_marks_what_a_server_cannot_do(saved: Path) -> None:
    report = run("--load", saved).stdout
    times = "- / - | 0.25 / 0.50 | - / - | - / -"
    assert f"| **mockpets** | {times} | none |" in report
    assert f"| Prism 1.2.3 | {times} | 422 for limit=0; 200 for a missing pet |" in report
    static = "without single pets; without a missing pet"
    assert f"| Static <1> 1.2.3, own code | {times} | {static} |" in report
    assert f"| waitress, raw | {times} | all responses are constant |" in report


def test_a_page_without_marks_stays_unchanged(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", encoding="utf-8")
    assert run("--load", saved, "--write", page).returncode != 0
    assert page.read_text(encoding="utf-8") == "nothing here\n"


@pytest.mark.slow
def test_a_short_run_measures_compiled_mockpets(tmp_path: Path) -> None:
    results, compiled = tmp_path / "run.json", tmp_path / "compiled"
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(compiled)}
    options = ["--short", "--only", "mockpets", "--rounds", "1", "--seconds", "1"]
    process = program(*options, "--cache", tmp_path, "--save", results, **environment)
    assert process.returncode == 0, process.stderr
    [ours] = json.loads(results.read_text(encoding="utf-8"))["rows"]
    assert ours["able"] == list(ABILITIES)
    assert {"mix", "mix_get_p99", "list_16", "p99_16", "create", "first_ms"} <= set(ours["figures"])
    assert all(value > 0 for value in ours["figures"].values())
    sources = {path.name.split(".")[0] for path in compiled.rglob("*.pyc")}
    assert {
        path.stem for name in ("mockpets", "benchmarks") for path in (ROOT / name).glob("*.py")
    } <= sources
    assert "argparse" not in sources, "only our own code"


@pytest.mark.slow
@pytest.mark.long
def test_another_checkout_is_measured_in_the_same_run(tmp_path: Path) -> None:
    other, output = tmp_path / "other", tmp_path / "run.json"
    for name in ("mockpets", "scenarios", "fixtures"):
        shutil.copytree(ROOT / name, other / name)
    constants = other / "mockpets" / "constants.py"
    text = constants.read_text(encoding="utf-8")
    constants.write_text(text.replace("PAGE_MIN: Final = 1", "PAGE_MIN: Final = 0"), "utf-8")
    options = ["--short", "--only", "mockpets", "--rounds", "1", "--seconds", "1"]
    process = program(*options, "--before", other, "--cache", tmp_path, "--save", output)
    assert process.returncode == 0, process.stderr
    results = json.loads(output.read_text(encoding="utf-8"))
    able = {row["name"]: row["able"] for row in results["rows"]}
    assert set(ABILITIES) - set(able["mockpets, before"]) == {"refuses"}, (
        "the other checkout's code"
    )
    assert able["mockpets"] == list(ABILITIES)
    assert "--before DIR" in results["command"]


def test_a_folder_that_is_not_a_checkout_is_rejected(tmp_path: Path) -> None:
    process = run("--short", "--before", tmp_path)
    assert process.returncode == 2
    assert f"--before: {tmp_path} is not a checkout of mockpets" in process.stderr


def test_an_unknown_name_is_rejected_with_the_available_ones() -> None:
    process = run("--short", "--only", "Prims")
    assert process.returncode == 2
    assert "--only: unknown Prims; available: mockpets, " in process.stderr


def test_the_performance_page_has_its_marks() -> None:
    text = (ROOT / "docs" / "understand" / "performance.md").read_text(encoding="utf-8")
    assert text.index(BEGIN) < text.index(END)
