"""The benchmark: right answers are asked for before anything is timed, and a run becomes a page."""

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

from benchmarks.checks import ABILITIES, examine
from benchmarks.goals import goals
from benchmarks.installs import UnavailableError, install
from benchmarks.load import ask, asked_with
from benchmarks.peers import RECIPES, make_ready
from benchmarks.process import started
from benchmarks.report import BEGIN, END
from benchmarks.subjects import NEW, PETS, Subject, installed_size
from mockpets import MockpetsServer, Settings
from mockpets.pets.generator import generate

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
ANIMALS = generate(PETS, 1, "en_US")
LIST = Subject("any", (), Path())
SECONDS = 60


def port_of(server: MockpetsServer) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with MockpetsServer(Settings(port=0, count=PETS, max_pets=100_000)) as server:
        yield port_of(server)


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *map(str, words)]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


# --- Right answers ------------------------------------------------------------------------------


def test_mockpets_does_the_whole_job(port: int) -> None:
    found = examine(LIST, port, ANIMALS)
    assert (found.wrong, found.creates, found.able) == ("", True, ABILITIES)


@pytest.mark.parametrize("scenario", ["empty", "server-error", "broken-json", "full-page"])
def test_who_gives_another_page_is_not_timed(scenario: str) -> None:
    with MockpetsServer(Settings(port=0, count=PETS, scenario=(scenario,))) as server:
        assert "the list is not" in examine(LIST, port_of(server), ANIMALS).wrong


def test_what_a_server_does_not_do_is_found_out() -> None:
    settings = Settings(port=0, count=PETS, any_key=True, scenario=("create-rejected",))
    with MockpetsServer(settings) as server:
        found = examine(LIST, port_of(server), ANIMALS)
    assert not found.creates
    assert set(ABILITIES) - set(found.able) == {"remembers"}


# --- Asking -------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", [None, NEW])
def test_the_own_client_asks_where_there_is_no_wrk(
    port: int, body: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    assert asked_with() == "the benchmark's own client"
    load = ask(port, LIST.page() if body is None else "/v1/pets", 4, 1, body)
    assert load.rate > 10
    assert 0 < load.p50 <= load.p99 < 1000


def test_a_refusal_under_load_is_no_result(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="400"):
        ask(port, LIST.page(limit=0), 1, 1)


# --- Peers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_peer_can_be_set_up_again_and_again(recipe: Any, tmp_path: Path) -> None:
    for _ in range(2):
        recipe.set_up(tmp_path, ANIMALS)
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    first = next(pet["name"] for pet in ANIMALS if pet.get("status") == "available")
    assert any(first in text for text in texts)
    for path in tmp_path.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"))
    for path in tmp_path.rglob("*.toml"):
        tomllib.loads(path.read_text(encoding="utf-8"))
    pinned = re.compile(r".+(@|==)\d+\.\d+\.\d+\S*")
    assert all(pinned.fullmatch(package) for package in recipe.packages)


def test_what_cannot_be_had_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    why = r"(npm|Java) is not installed|npm has no Node|pip cannot install \S+==\S+: ."
    for recipe in RECIPES:
        with pytest.raises(UnavailableError, match=why):
            make_ready(recipe, tmp_path, ANIMALS)


def test_npm_is_asked_once_for_each_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\necho $@ >> {tmp_path}/asked\ntest $6 != bad@1.0.0\n")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for version in ("1.0.0", "1.0.0", "1.0.1"):
        assert install(tmp_path / "peer", (f"good@{version}",)).name == "node_modules"
    for _ in range(2):  # what failed is tried again
        with pytest.raises(UnavailableError, match=r"npm cannot install bad@1\.0\.0"):
            install(tmp_path / "other", ("bad@1.0.0",))
    asked = [line.split()[-1] for line in (tmp_path / "asked").read_text().splitlines()]
    assert asked == ["good@1.0.0", "good@1.0.1", "bad@1.0.0", "bad@1.0.0"]


def test_what_is_had_from_pypi_has_an_environment_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = "peerless-1.0.0.dist-info"
    with zipfile.ZipFile(tmp_path / "peerless-1.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("peerless.py", "import sys\nprint(sys.prefix)\n")
        wheel.writestr(
            f"{about}/METADATA", "Metadata-Version: 2.1\nName: peerless\nVersion: 1.0.0\n"
        )
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    peer = tmp_path / "peer"
    packages = install(peer, ("peerless==1.0.0",))
    said = subprocess.check_output([peer / "venv/bin/python", "-m", "peerless"], text=True)
    assert Path(said.strip()) == peer / "venv"
    assert list(packages.rglob("peerless*.pyc")), "compiled, as mockpets is"
    assert not list(packages.rglob("pip")), "nothing else is in it"
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    assert install(peer, ("peerless==1.0.0",)) == packages


def test_a_subject_finds_its_files_as_they_were_at_each_start(tmp_path: Path) -> None:
    posted = tmp_path / "db.json"
    append = f"open({str(posted)!r}, 'a').write('more'); print(open({str(posted)!r}).read())"
    command = (sys.executable, "-c", append)
    subject = Subject("any", command, tmp_path, renew=lambda: _write(posted, "pets, "))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"pets, more$"), started(subject):
            pass


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def test_what_is_installed_is_counted_with_all_it_needs() -> None:
    assert installed_size("flask") > installed_size("werkzeug") > 500_000


# --- A run and its page -------------------------------------------------------------------------


def row(name: str, kind: str, able: str = "", **figures: float) -> dict[str, Any]:
    given = {"list_16": 1000.0, "p50_16": 1.0, "p99_16": 2.0, "first_ms": 100.0, **figures}
    return {
        "name": name,
        "kind": kind,
        "version": "1.2.3",
        "note": "as it is",
        "able": able.split(),
        "size": 2_000_000,
        "figures": given,
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
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(RESULTS), encoding="utf-8")
    return path


def test_memory_is_held_against_node_and_java() -> None:
    [ours, *_] = RESULTS["rows"]
    others = [
        row("apimock-rs", "peer", rss_load=6.0),
        row("Mockaton", "peer", rss_load=100.0),
    ]
    [told] = [
        goal
        for goal in goals({**RESULTS, "rows": [ours, *others]})
        if goal.what == "memory after the load"
    ]
    assert (told.measured, told.reached) == ("0.40 of the best, Mockaton", True)


def test_own_code_is_held_apart() -> None:
    [ours, *_] = RESULTS["rows"]
    others = [
        row("Prism", "peer", "refuses", list_16=500.0),
        row("MSW, own code", "peer", "refuses", list_16=5000.0),
    ]
    told = {
        goal.goal: (goal.measured, goal.reached)
        for goal in goals({**RESULTS, "rows": [ours, *others]})
        if goal.what == "list, 16 connections"
    }
    like = "ahead of each peer that checks or remembers"
    assert told[f"{like} of itself"] == ("2.00 of the best, Prism", True)
    assert told[f"{like} by its user's own code"] == ("0.20 of the best, MSW, own code", False)
    assert any(each.name.endswith(", own code") for each in RECIPES)


def test_goals_are_held_against_those_who_do_a_like_job() -> None:
    told = {(goal.what, goal.goal): goal for goal in goals(RESULTS)}
    reached = {key: goal.reached for key, goal in told.items()}
    like = "each peer that checks or remembers of itself"
    assert reached["list, 16 connections", "0.75 of stock waitress' constant answer"] is True
    assert reached["list, 16 connections", "1 of stock waitress' constant answer"] is False
    assert reached["list, 16 connections", f"ahead of {like}"] is True, "one of fixed answers leads"
    assert reached["its p99", f"below {like}"] is False
    assert reached["create", f"ahead of {like}"] is None, "Prism's was not had"
    assert reached["memory after the load", "below each Node and Java peer"] is False
    assert reached["list from 100,000 pets against from 16", "at most 1.2 times as long"] is False
    assert reached["a new session over 10,000 pets", "at most 50 µs"] is True
    assert told["first 200", "at most 2.5 times a one-route Flask script"].measured == "2.00"


def test_a_run_that_was_kept_is_put_into_a_page_and_a_picture(kept: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{BEGIN}\nan earlier run\n{END}\n\nAfter.\n", encoding="utf-8")
    for _ in range(2):
        done = run("--load", kept, "--write", page)
        assert done.returncode == 0, done.stderr
    text = page.read_text(encoding="utf-8")
    assert text.startswith("Before.\n")
    assert text.endswith("After.\n")
    assert done.stdout in text
    assert "an earlier run" not in text
    assert "| Prism 1.2.3 | 900 (0.90) | 1.00 | 1.50 | - | key, refuses | as it is |" in text
    assert "| Static <1> 1.2.3, own code | 4,000 (4.00) |" in text
    assert "MockServer: Java is not installed" in text
    drawn = ElementTree.fromstring(page.with_suffix(".svg").read_text(encoding="utf-8"))  # noqa: S314 - our own
    words = ["".join(item.itertext()) for item in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if word in ("Static <1>, own code", "mockpets", "Prism")][
        1:
    ] == [
        "Static <1>, own code",
        "mockpets",
        "Prism",
    ]


def test_a_page_without_marks_is_left_alone(kept: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n", encoding="utf-8")
    assert run("--load", kept, "--write", page).returncode != 0
    assert page.read_text(encoding="utf-8") == "nothing here\n"


def test_a_short_run_measures_mockpets_itself_compiled(tmp_path: Path) -> None:
    saved, compiled = tmp_path / "run.json", tmp_path / "compiled"
    keep_nothing = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": str(compiled)}
    words = ["--short", "--only", "mockpets", "--rounds", "1", "--seconds", "1"]
    done = run(*words, "--cache", tmp_path, "--save", saved, **keep_nothing)
    assert done.returncode == 0, done.stderr
    [found] = json.loads(saved.read_text(encoding="utf-8"))["rows"]
    assert found["able"] == list(ABILITIES)
    assert {"list_16", "p99_64", "create", "first_ms"} <= set(found["figures"])
    assert all(value > 0 for value in found["figures"].values())
    sources = {path.name.split(".")[0] for path in compiled.rglob("*.pyc")}
    assert {
        path.stem for name in ("mockpets", "benchmarks") for path in (ROOT / name).glob("*.py")
    } <= sources
    assert "argparse" not in sources, "only what is ours"


def test_another_checkout_is_measured_in_the_same_run(tmp_path: Path) -> None:
    other, saved = tmp_path / "other", tmp_path / "run.json"
    for name in ("mockpets", "scenarios", "fixtures"):
        shutil.copytree(ROOT / name, other / name)
    constants = other / "mockpets" / "constants.py"
    text = constants.read_text(encoding="utf-8")
    constants.write_text(text.replace("PAGE_MIN: Final = 1", "PAGE_MIN: Final = 0"), "utf-8")
    words = ["--short", "--only", "mockpets", "--rounds", "1", "--seconds", "1"]
    done = run(*words, "--before", other, "--cache", tmp_path, "--save", saved)
    assert done.returncode == 0, done.stderr
    results = json.loads(saved.read_text(encoding="utf-8"))
    able = {row["name"]: row["able"] for row in results["rows"]}
    assert set(ABILITIES) - set(able["mockpets, before"]) == {"refuses"}, "it is the other's code"
    assert able["mockpets"] == list(ABILITIES)
    assert "--before DIR" in results["command"]


def test_a_folder_that_is_not_a_checkout_is_rejected(tmp_path: Path) -> None:
    done = run("--short", "--before", tmp_path)
    assert done.returncode == 2
    assert f"--before: {tmp_path} is not a checkout of mockpets" in done.stderr


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    done = run("--short", "--only", "Prims")
    assert done.returncode == 2
    assert "nothing is called Prims" in done.stderr


def test_the_page_of_the_docs_has_its_marks() -> None:
    text = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    assert text.index(BEGIN) < text.index(END)
