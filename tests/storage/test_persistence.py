"""`serve --state`: sessions survive any end of the server, and a failing disk does not stop it."""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.pets.generator import generate
from tests.cli.test_main import SECONDS, base_of, logged, program, serving, wait_until
from tests.http_client import Client, OverSocket, Response

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

ROUNDS = int(os.environ.get("KILL_ROUNDS", "50")) // 5
"""Each round takes seconds; `test_format` kills only the saver, and more often."""
PET: Any = {"name": "Miso", "categoryId": 2}
SESSIONS = ("default", "w3")


@pytest.fixture(autouse=True)
def _no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MOCKPETS_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of the state file, in its own folder."""
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "pets.state"


@contextmanager
def keeping(file: Path, *arguments: str) -> Iterator[tuple[Any, Client]]:
    """Run the program with a state file; yield the process, whose log is JSON, and a caller."""
    with serving("--state", str(file), "--log-format", "json", *arguments) as (process, banner):
        yield process, Client(OverSocket(base_of(banner).removesuffix("/v1")))


def progress(call: Client) -> dict[str, Any]:
    found: dict[str, Any] = call("GET", "/__mockpets/state").json["state_file"]
    return found


def is_saved(call: Client) -> bool:
    """Wait until all changes so far are on the disk; return False on a timeout."""
    begun = progress(call)["begun"]
    return wait_until(lambda: progress(call)["saved"] > begun)


def end(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """Stop a server as a container engine does; return its log without the requests."""
    process.terminate()
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    return [line for line in logged(err) if line["logger"] != "mockpets.access"]


def post(call: Client, name: str, session: str = "default") -> Response:
    response = call("POST", f"/~{session}/v1/pets", json_body=PET | {"name": name})
    assert response.status == 201
    return response


def pets(call: Client, session: str = "default") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:  # a page has at most a thousand
        page = call("GET", f"/~{session}/__mockpets/pets?after={after}").json
        found, after = found + page["pets"], page["next"]
    return found


# --- Restarts -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, pytest.param(ROUNDS, marks=pytest.mark.slow)])
def test_a_kill_loses_no_acknowledged_change(file: Path, rounds: int) -> None:
    random = Random(7)
    posted: dict[str, list[str]] = {session: [] for session in SESSIONS}
    saved = dict.fromkeys(SESSIONS, 0)
    for number in range(rounds + 1):
        with keeping(file, "--count", "2") as (process, call):
            for session in SESSIONS:
                found = pets(call, session)
                there = [pet["name"] for pet in found[2:]]
                assert saved[session] <= len(there)
                assert there == posted[session][: len(there)], "not as they came, or torn"
                assert [pet["id"] for pet in found] == list(range(1, len(found) + 1))
                posted[session] = there
            for step in range(6):
                for session in SESSIONS:
                    name = f"{session} {number} {step}"
                    post(call, name, session)
                    posted[session].append(name)
            assert is_saved(call)
            saved = {session: len(names) for session, names in posted.items()}
            for step in range(random.randrange(60)):  # kill at a random moment of a save
                session = random.choice(SESSIONS)
                post(call, f"late {number} {step}", session)
                posted[session].append(f"late {number} {step}")
            process.kill()
            process.wait(SECONDS)
    assert min(saved.values()) >= 6 * rounds
    left = sorted(each.name for each in file.parent.iterdir())
    assert set(left) <= {".pets.state.lock", ".pets.state.tmp", "pets.state"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_pending_changes(file: Path, number: signal.Signals) -> None:
    with keeping(file) as (process, call):
        post(call, "Last")
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
        assert process.returncode == 0

    assert sorted(each.name for each in file.parent.iterdir()) == [".pets.state.lock", "pets.state"]
    with keeping(file) as (_, call):
        assert [pet["name"] for pet in pets(call)[16:]] == ["Last"]


def test_sessions_are_restored(file: Path) -> None:
    wanted = {"scenario": ["retry", "slow"], "seed": 7}
    with keeping(file, "--scenario", "jittery") as (process, call):
        assert call("PUT", "/__mockpets/sessions/w3", json_body=wanted).status == 201
        post(call, "Ours", "w4")
        call("PATCH", "/__mockpets/pets/3", json_body={"name": "Renamed"})
        call("DELETE", "/__mockpets/pets/5")
        call("PUT", "/~w5/__mockpets/pets", json_body=[{"id": 9, "name": "Nine", "categoryId": 1}])
        document = {"description": "x", "stubs": [{"reply": {"status": 503}}]}
        call("PUT", "/~w6/__mockpets/scenario", json_body={"scenario": [document, "missing"]})
        before = {each["name"]: each for each in sessions(call)}
        all_pets = {name: pets(call, name) for name in before}
        end(process)
    with keeping(file, "--scenario", "jittery") as (process, call):
        after = {each["name"]: each for each in sessions(call)}
        assert after.keys() == before.keys() == {"default", "w3", "w4", "w5", "w6"}
        for name, one in before.items():
            one["requests"] = 0  # journals are not saved
            if name == "w6":
                one["active"] = ["missing"]  # inline scenarios are not saved
            assert {**after[name], "idle_seconds": 0} == {**one, "idle_seconds": 0}
            assert pets(call, name) == all_pets[name]
        assert post(call, "Next").json["id"] == 17, "no id is given twice"
        assert post(call, "Ten", "w5").json["id"] == 17
        call("PUT", "/~w3/__mockpets/scenario", json_body={"scenario": "default"})
        end(process)
    with keeping(file, "--scenario", "empty", "--seed", "9") as (_, call):
        active = {each["name"]: (each["active"], each["seed"]) for each in sessions(call)}
        # Values left at the server's defaults follow the new defaults; chosen ones stay.
        assert active["w3"] == (["default"], 7)
        assert active["w4"] == (["empty"], 9)


def sessions(call: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call("GET", "/__mockpets/sessions").json["sessions"]
    return found


def test_a_reset_restores_the_initial_pets_of_the_session(file: Path) -> None:
    own = {"pets": [{"id": 3, "name": "Three", "categoryId": 1}]}
    with keeping(file) as (process, call):
        call("PUT", "/__mockpets/sessions/own", json_body=own)
        call("PUT", "/__mockpets/sessions/seed", json_body={"seed": 7})
        for session in ("own", "seed", "other"):
            post(call, "More", session)
        end(process)
    with keeping(file) as (_, call):
        for session, start in (
            ("own", own["pets"]),
            ("seed", list(generate(16, 7, "en_US"))),
            ("other", list(generate(16, 1, "en_US"))),
        ):
            assert pets(call, session)[-1]["name"] == "More"
            call("POST", f"/~{session}/__mockpets/reset")
            assert pets(call, session) == start


def test_visitors_are_not_saved(file: Path) -> None:
    """After a restart a visitor gets a new session name, so the old sessions are useless."""
    token = "a-token-of-the-tests"
    arguments = ("--public", "--control-token", token)
    for _ in range(2):
        with keeping(file, *arguments) as (process, call):
            control = partial(call, headers={"Authorization": f"Bearer {token}"})
            response = call("POST", "/v1/pets", json_body=PET)
            assert response.json["id"] == 17
            found = control("GET", "/__mockpets/sessions").json["sessions"]
            assert [each["name"] for each in found] == [
                "default",
                response.header("Mockpets-Session"),
            ]
            end(process)
        assert b"Miso" not in file.read_bytes()
        assert b'"default"' in file.read_bytes()


def test_a_server_in_a_test_saves_sessions_too(file: Path) -> None:
    settings = Settings(port=0, state=str(file))
    for number in range(3):
        with MockpetsServer(settings) as server:
            call = Client(OverSocket(server.url))
            assert len(pets(call)) == 16 + number
            post(call, "One more")


def test_without_a_file_no_progress_is_reported() -> None:
    with MockpetsServer(Settings(port=0)) as server:
        assert progress(Client(OverSocket(server.url))) is None


# --- Unusable files -----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_missing_scenario_is_logged(file: Path, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "tired.yaml").write_text("description: x\nstubs: []\n")
    with keeping(file, "--scenarios-dir", "own") as (process, call):
        call("PUT", "/~w3/__mockpets/scenario", json_body={"scenario": ["tired", "slow"]})
        post(call, "Ours", "w3")
        end(process)
    with keeping(file) as (process, call):
        assert call("GET", "/~w3/__mockpets/state").json["active"] == ["default"]
        assert [pet["name"] for pet in pets(call, "w3")[16:]] == ["Ours"]
        warnings = [line for line in end(process) if line["level"] == "warning"]

    assert len(warnings) == 1
    assert "session 'w3'" in warnings[0]["message"]
    assert "unknown scenario 'tired'" in warnings[0]["message"]


def refused(*arguments: str) -> str:
    """Start a server that must not start; return the one line it prints."""
    with program("serve", "--port", "0", *arguments) as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (2, "")
    [line] = err.splitlines()
    return str(line)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-40], "is truncated"),
        (lambda data: data.replace(b"Buster", b"Bustar"), "is corrupt"),
        pytest.param(lambda _: b"", "is empty", marks=pytest.mark.slow),
        pytest.param(
            lambda _: b'{"pets": []}\n', "is not a mockpets state file", marks=pytest.mark.slow
        ),
        (lambda _: b'{"mockpets_state": 99}\n', "unknown format 99"),
        pytest.param(
            lambda _: b"\x00" * 4096, "is not a mockpets state file", marks=pytest.mark.slow
        ),
    ],
)
def test_a_damaged_file_is_reported_in_one_line_and_kept(
    file: Path, damage: Any, message: str
) -> None:
    with MockpetsServer(Settings(port=0, state=str(file))) as server:
        post(Client(OverSocket(server.url)), "Precious")
    data = damage(file.read_bytes())
    file.write_bytes(data)

    line = refused("--state", str(file))
    assert line.startswith(f"mockpets: {file}")
    assert message in line
    assert file.read_bytes() == data


def test_a_file_with_too_many_sessions_is_reported_in_one_line(file: Path) -> None:
    with MockpetsServer(Settings(port=0, state=str(file))) as server:
        for session in ("one", "two"):
            post(Client(OverSocket(server.url)), "a", session)

    line = refused("--state", str(file), "--max-sessions", "2")
    assert "session two" in line
    assert "higher limits" in line


@pytest.mark.slow
def test_a_second_server_on_the_same_file_is_rejected(file: Path) -> None:
    with keeping(file) as (process, call):
        link = file.with_name("link.state")
        link.symlink_to(file.name)
        for path in (file, link):
            assert "in use by another mockpets" in refused("--state", str(path))
        post(call, "Still here")
        assert is_saved(call)
        process.kill()
        process.wait(SECONDS)
    with keeping(file) as (_, call):  # a killed server leaves no lock
        assert len(pets(call)) == 17


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a folder closed to all")
def test_an_unwritable_folder_is_reported_in_one_line() -> None:
    line = refused("--state", "/sys/kernel/pets.state")

    assert line.startswith("mockpets: --state /sys/kernel/pets.state: cannot create a file in the")
    assert "use a folder that this user may write to" in line


# --- Failing disks ------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_failing_disk_does_not_stop_the_server(file: Path) -> None:
    away = file.parent.with_name("away")
    with keeping(file) as (process, call):
        post(call, "Before")
        assert is_saved(call)
        good = file.read_bytes()
        file.parent.rename(away)
        post(call, "Meanwhile")
        assert wait_until(lambda: progress(call)["trouble"])
        trouble = progress(call)
        assert trouble["trouble"] == "No such file or directory"
        begun = trouble["begun"]
        assert wait_until(lambda: progress(call)["begun"] > begun + 1)  # it retries
        assert progress(call)["saved"] == trouble["saved"] < begun
        assert (away / file.name).read_bytes() == good
        assert [pet["name"] for pet in pets(call)[16:]] == ["Before", "Meanwhile"]
        away.rename(file.parent)
        assert is_saved(call)
        assert progress(call)["trouble"] == ""
        log = [line["message"] for line in end(process)]

    assert [line.partition(";")[0] for line in log] == [
        f"cannot save the state to {file}: No such file or directory",
        f"saving the state to {file} works again",
        "stopped",
    ]
    assert file.read_bytes() != good


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits a process that runs")
def test_a_full_disk_leaves_only_the_last_valid_file(file: Path) -> None:
    import resource  # not available on Windows

    with keeping(file) as (process, call):
        post(call, "Before")
        assert is_saved(call)
        good = file.read_bytes()
        # Like a full disk, this limits all files; the log goes to a pipe.
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (8192, 8192))
        for number in range(40):
            post(call, f"{number} " + "n" * 200)
        assert wait_until(lambda: progress(call)["trouble"])
        assert file.read_bytes() == good
        log = end(process)

    assert file.read_bytes() == good
    assert sorted(each.name for each in file.parent.iterdir()) == [".pets.state.lock", "pets.state"]
    assert ["File too large" in line["message"] for line in log] == [True, False]
    with keeping(file) as (_, call):
        assert [pet["name"] for pet in pets(call)[16:]] == ["Before"]


def test_the_file_is_plain_text_for_its_owner(file: Path) -> None:
    with keeping(file) as (process, call):
        post(call, "Zo\u00eb")
        end(process)

    assert file.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert lines[1]["pets"] == list(generate(16, 1, "en_US"))
    assert lines[2]["pets"] == [{"id": 17, "name": "Zo\u00eb", "categoryId": 2}]
