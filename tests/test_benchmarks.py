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
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from benchmarks.checks import ABILITIES, check
from benchmarks.goals import goals
from benchmarks.installs import UnavailableError, install
from benchmarks.load import client_name, send_load
from benchmarks.peers import RECIPES, make_ready
from benchmarks.process import started
from benchmarks.report import BEGIN, END
from benchmarks.subjects import NEW, PETS, Subject, installed_size
from mockpets import MockpetsServer, Settings
from mockpets.pets.generator import generate

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
GENERATED = generate(PETS, 1, "en_US")
LIST = Subject("any", (), Path())
SECONDS = 60


def port_of(server: MockpetsServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with MockpetsServer(Settings(port=0, count=PETS, max_pets=100_000)) as server:
        yield port_of(server)


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


# --- Checks -------------------------------------------------------------------------------------


def test_mockpets_has_all_abilities(port: int) -> None:
    result = check(LIST, port, GENERATED)
    assert (result.problem, result.creates, result.able) == ("", True, ABILITIES)


@pytest.mark.parametrize("scenario", ["empty", "server-error", "broken-json", "full-page"])
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


def test_an_error_under_load_is_reported(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="400"):
        send_load(port, LIST.page(limit=0), 1, 1)


# --- Peers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_peer_can_be_set_up_repeatedly(recipe: Any, tmp_path: Path) -> None:
    for _ in range(2):
        recipe.set_up(tmp_path, GENERATED)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    first = next(pet["name"] for pet in GENERATED if pet.get("status") == "available")
    assert any(first in text for text in texts)
    for path in tmp_path.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    for path in tmp_path.rglob("*.toml"):
        tomllib.loads(path.read_text(encoding="utf-8"))
    pinned = re.compile(r".+(@|==)\d+\.\d+\.\d+\S*")
    assert all(pinned.fullmatch(package) for package in recipe.packages)


def test_unavailable_peers_report_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    reason = r"(npm|Java) is not installed|npm has no Node|pip cannot install \S+==\S+: ."
    for recipe in RECIPES:
        with pytest.raises(UnavailableError, match=reason):
            make_ready(recipe, tmp_path, GENERATED)


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
    values = {"list_16": 1000.0, "p50_16": 1.0, "p99_16": 2.0, "first_ms": 100.0, **figures}
    return {
        "name": name,
        "kind": kind,
        "version": "1.2.3",
        "note": "default setup",
        "able": able.split(),
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
        row("Prism", "peer", "key refuses", list_16=900.0, p99_16=1.5, rss_load=300.0),
        row("Static <1>, own code", "peer", list_16=4000.0, create=9000.0, rss_load=30.0),
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


def test_peers_with_user_code_are_compared_separately() -> None:
    [ours, *_] = RESULTS["rows"]
    others = [
        row("Prism", "peer", "refuses", list_16=500.0),
        row("MSW, own code", "peer", "refuses", list_16=5000.0),
    ]
    results = {
        goal.goal: (goal.measured, goal.reached)
        for goal in goals({**RESULTS, "rows": [ours, *others]})
        if goal.what == "list, 16 connections"
    }
    faster = "faster than each peer that checks requests or keeps pets"
    assert results[f"{faster} by itself"] == ("2.00 of the best, Prism", True)
    assert results[f"{faster} with its user's code"] == ("0.20 of the best, MSW, own code", False)
    assert any(recipe.name.endswith(", own code") for recipe in RECIPES)


def test_goals_compare_with_peers_that_do_a_similar_job() -> None:
    results = {(goal.what, goal.goal): goal for goal in goals(RESULTS)}
    reached = {key: goal.reached for key, goal in results.items()}
    peers = "each peer that checks requests or keeps pets by itself"
    constant = "of a constant response from stock waitress"
    assert reached["list, 16 connections", f"at least 0.75 {constant}"] is True
    assert reached["list, 16 connections", f"at least 1 {constant}"] is False
    assert reached["list, 16 connections", f"faster than {peers}"] is True, "no fixed responses"
    assert reached["list p99, 16 connections", f"below {peers}"] is False
    assert reached["create", f"faster than {peers}"] is None, "not measured for Prism"
    assert reached["RSS after load", "below each Node and Java peer"] is False
    assert reached["list from 100,000 pets", "at most 1.2 times the time from 16 pets"] is False
    assert reached["new session with 10,000 pets", "at most 50 µs"] is True
    assert results["first 200", "at most 2.5 times a one-route Flask script"].measured == "2.00"


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
    assert "| Prism 1.2.3 | 900 (0.90) | 1.00 | 1.50 | - | key, refuses | default setup |" in text
    assert "| Static <1> 1.2.3, own code | 4,000 (4.00) |" in text
    assert "MockServer: Java is not installed" in text
    assert "| check requests, keep no pets | Prism 0.90 |" in text
    assert "| what the user's code does | Static <1>, own code 4.00 |" in text
    assert "\n### " not in text, "the page's title is the only heading above these"
    image = ElementTree.fromstring(page.with_suffix(".svg").read_text(encoding="utf-8"))  # noqa: S314 - a trusted file
    texts = ["".join(item.itertext()) for item in image.iter("{http://www.w3.org/2000/svg}text")]
    names = ["Static <1>, own code", "mockpets", "Prism"]
    assert [text for text in texts if text in names][1:] == names, "after the legend"


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
    process = run(*options, "--cache", tmp_path, "--save", results, **environment)
    assert process.returncode == 0, process.stderr
    [ours] = json.loads(results.read_text(encoding="utf-8"))["rows"]
    assert ours["able"] == list(ABILITIES)
    assert {"list_16", "p99_64", "create", "first_ms"} <= set(ours["figures"])
    assert all(value > 0 for value in ours["figures"].values())
    sources = {path.name.split(".")[0] for path in compiled.rglob("*.pyc")}
    assert {
        path.stem for name in ("mockpets", "benchmarks") for path in (ROOT / name).glob("*.py")
    } <= sources
    assert "argparse" not in sources, "only our own code"


@pytest.mark.slow
def test_another_checkout_is_measured_in_the_same_run(tmp_path: Path) -> None:
    other, output = tmp_path / "other", tmp_path / "run.json"
    for name in ("mockpets", "scenarios", "fixtures"):
        shutil.copytree(ROOT / name, other / name)
    constants = other / "mockpets" / "constants.py"
    text = constants.read_text(encoding="utf-8")
    constants.write_text(text.replace("PAGE_MIN: Final = 1", "PAGE_MIN: Final = 0"), "utf-8")
    options = ["--short", "--only", "mockpets", "--rounds", "1", "--seconds", "1"]
    process = run(*options, "--before", other, "--cache", tmp_path, "--save", output)
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
