"""`serve --state`: sessions survive any end of the server, and a failing disk does not stop it."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.errors import InputError
from mockpets.seed.generator import generate
from tests.cli.test_main import SECONDS, base_of, logged, program, serving, wait_until
from tests.http_client import Client, OverSocket, Response
from tests.storage.kill_process import KINDS

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="sends signals"),
    pytest.mark.usefixtures("here"),
]

ROUNDS = int(os.environ.get("KILL_ROUNDS", "50"))
PET: Any = {"name": "Miso", "categoryId": 2}
SESSIONS = ("default", "w3")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of the state file, in its own folder."""
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept" / "pets.state"


@contextmanager
def in_process(file: Path, **settings: Any) -> Iterator[Client]:
    """Run a server with a state file in this process until the block ends; yield a caller."""
    with MockpetsServer(Settings(port=0, state=str(file), **settings)) as server:
        yield Client(OverSocket(server.url))


@contextmanager
def keeping(file: Path, *arguments: str) -> Iterator[tuple[Any, Client]]:
    """Run the program with a state file; yield the process, whose log is JSON, and a caller."""
    with serving("--state", str(file), "--log", "json", *arguments) as (process, banner):
        yield process, Client(OverSocket(base_of(banner).removesuffix("/v1")))


def left_in(file: Path) -> set[str]:
    return {each.name for each in file.parent.iterdir()}


def stored(file: Path) -> list[str]:
    """Return the JSON of all records in the file of a server that has stopped, bases last."""
    with closing(sqlite3.connect(file)) as connection:
        return [
            text
            for statement in ("SELECT record FROM records", "SELECT rows FROM bases")
            for (text,) in connection.execute(statement)
        ]


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
    after: str | None = ""
    while after is not None:  # a page has at most a thousand
        query = f"?after={after}" if after else ""
        page = call("GET", f"/~{session}/__mockpets/data/pets{query}").json
        found, after = found + page["records"], page["next"]
    return found


@pytest.mark.usefixtures("saves_often")
def test_the_clock_of_a_session_is_kept(file: Path) -> None:
    at = "2031-02-03T04:05:06.789Z"
    changes = {"frozen": {"now": at, "frozen": True}, "moved": {"advance": "30d"}, "real": None}
    with in_process(file, now="2030-01-01") as call:
        for name, change in changes.items():
            call("PUT", f"/~{name}/__mockpets/clock", json_body=change or {"now": None})
        call("GET", "/~other/v1/pets")
        assert is_saved(call)
    with in_process(file) as call:
        clocks = {name: call("GET", f"/~{name}/__mockpets/clock").json for name in [*changes]}
        other = call("GET", "/~other/__mockpets/clock").json
    assert clocks["frozen"] == {"now": at, "frozen": True, "set": True}
    assert clocks["moved"] == {"now": "2030-01-31T00:00:00.000Z", "frozen": True, "set": True}
    assert clocks["real"]["set"] is other["set"] is False
    # A session without a clock of its own has that of the server.
    with in_process(file, now="2032-01-01") as call:
        assert call("GET", "/~other/v1/pets").header("Date") == "Thu, 01 Jan 2032 00:00:00 GMT"
        assert call("GET", "/~real/__mockpets/clock").json["set"] is True


# --- Restarts -----------------------------------------------------------------------------------


@pytest.mark.long
def test_a_kill_after_the_file_was_changed_or_replaced_loses_nothing(file: Path) -> None:
    with keeping(file) as (process, call):
        post(call, "First")
        assert is_saved(call)
        backup = file.read_bytes()
        post(call, "Second")
        assert is_saved(call)
        copy = file.with_name("copy")
        copy.write_bytes(backup)
        for number, data in enumerate((b"", backup, None)):
            copy.replace(file) if data is None else file.write_bytes(data)
            post(call, f"After {number}")
            assert is_saved(call)
        process.kill()
        process.wait(SECONDS)
    assert left_in(file) <= {"pets.state", "pets.state-journal"}
    with in_process(file) as call:
        names = [pet["name"] for pet in pets(call)[16:]]
        assert names == ["First", "Second", "After 0", "After 1", "After 2"]


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_a_signal_saves_pending_changes(file: Path, number: signal.Signals) -> None:
    with keeping(file) as (process, call):
        post(call, "Last")
        process.send_signal(number)
        process.communicate(timeout=SECONDS)
        assert process.returncode == 0

    assert left_in(file) == {"pets.state"}
    with in_process(file) as call:
        assert [pet["name"] for pet in pets(call)[16:]] == ["Last"]


def test_sessions_are_restored(file: Path) -> None:
    wanted = {"scenario": ["retry", "slow"], "seed": 7}
    with in_process(file, scenario=("jittery",)) as call:
        assert call("PUT", "/__mockpets/sessions/w3", json_body=wanted).status == 201
        post(call, "Ours", "w4")
        call("PATCH", "/__mockpets/data/pets/3", json_body={"name": "Renamed"})
        call("DELETE", "/__mockpets/data/pets/5")
        nine = [{"id": 9, "name": "Nine", "categoryId": 1}]
        call("PUT", "/~w5/__mockpets/data/pets", json_body=nine)
        document = {"description": "x", "stubs": [{"reply": {"status": 503}}]}
        call("PUT", "/~w6/__mockpets/scenario", json_body={"scenario": [document, "missing"]})
        before = {each["name"]: each for each in sessions(call)}
        all_pets = {name: pets(call, name) for name in before}
    with in_process(file, scenario=("jittery",)) as call:
        after = {each["name"]: each for each in sessions(call)}
        assert after.keys() == before.keys() == {"default", "w3", "w4", "w5", "w6"}
        for name, one in before.items():
            one |= {"requests": 0, "last_request": None}  # request logs are not saved
            if name == "w6":
                one["active"] = ["missing"]  # inline scenarios are not saved
            assert {**after[name], "idle_seconds": 0} == {**one, "idle_seconds": 0}
            assert pets(call, name) == all_pets[name]
        assert post(call, "Next").json["id"] == 17, "no id is given twice"
        assert post(call, "Ten", "w5").json["id"] == 17
        call("PUT", "/~w3/__mockpets/scenario", json_body={"scenario": "default"})
    with in_process(file, scenario=("empty",), seed=9) as call:
        active = {each["name"]: (each["active"], each["seed"]) for each in sessions(call)}
        # Values left at the server's defaults follow the new defaults; chosen ones stay.
        assert active["w3"] == (["default"], 7)
        assert active["w4"] == (["empty"], 9)


def sessions(call: Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call("GET", "/__mockpets/sessions").json["sessions"]
    return found


def test_a_reset_restores_the_initial_pets_of_the_session(file: Path) -> None:
    three = [{"id": 3, "name": "Three", "categoryId": 1}]
    with in_process(file) as call:
        call("PUT", "/__mockpets/sessions/own", json_body={"data": {"pets": three}})
        call("PUT", "/__mockpets/sessions/seed", json_body={"seed": 7})
        for session in ("own", "seed", "other"):
            post(call, "More", session)
    with in_process(file) as call:
        for session, start in (
            ("own", three),
            ("seed", list(generate(16, 7, "en_US"))),
            ("other", list(generate(16, 1, "en_US"))),
        ):
            assert pets(call, session)[-1]["name"] == "More"
            call("POST", f"/~{session}/__mockpets/reset")
            assert pets(call, session) == start


def test_a_kill_leaves_a_gap_of_ids(file: Path) -> None:
    """docs/operate/save-and-upgrade.md promises both numbers."""
    given = []
    with in_process(file) as call:
        given.append(post(call, "One").json["id"])
    with keeping(file) as (process, call):
        given.append(post(call, "One").json["id"])
        process.kill()
        process.wait(SECONDS)
    with in_process(file) as call:  # a killed server leaves no lock
        given.append(post(call, "One").json["id"])

    assert given == [17, 18, 1018]


def test_the_data_of_the_command_line_comes_back(file: Path) -> None:
    """A reset restores what each server is started with, unless the session has its own."""
    with in_process(file, data=("pets=3",)) as call:
        post(call, "More")
        call("PUT", "/__mockpets/sessions/w3", json_body={"data": {"pets": 2}})
        before = {name: pets(call, name) for name in ("default", "w3")}
        assert [len(each) for each in before.values()] == [4, 2]
    with in_process(file, data=("pets=5",)) as call:
        assert {name: pets(call, name) for name in before} == before
        for name in before:
            call("POST", f"/~{name}/__mockpets/reset")
        assert [len(pets(call, name)) for name in before] == [5, 2]


@pytest.mark.slow
def test_many_records_without_ids_get_none_twice_after_a_kill(file: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "shop.yaml").write_text(
        "description: d\nresources: [{path: /v1/orders}, {path: /v1/notes}]\n"
        "data: {orders: [{id: 1}], notes: [{id: a}]}\n"
    )
    arguments = ("--scenarios-dir", str(tmp_path / "mine"))
    given: dict[str, list[object]] = {"orders": [], "notes": []}
    for size in (1500, 3000, 1):
        with keeping(file, *arguments) as (process, call):
            for name, ids in given.items():
                path = f"/~default+shop/__mockpets/data/{name}"
                response = call("PUT", path, json_body=[{"n": n} for n in range(size)])
                assert response.json == {"total": size}
                after: str | None = ""
                while after is not None:
                    page = call("GET", f"{path}?after={after}" if after else path).json
                    ids += [record["id"] for record in page["records"]]
                    after = page["next"]
            process.kill()
            process.wait(SECONDS)
    for ids in given.values():
        assert len(ids) == len({*map(str, ids)}) == 4501


@pytest.mark.slow
@pytest.mark.usefixtures("saves_often")
def test_records_of_a_scenario_that_is_missing_wait_for_its_file(
    file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    shop = folder / "shop.yaml"
    text = "description: d\nresources: [{path: /v1/orders}]\ndata: {orders: [{id: 1}]}\n"
    shop.write_text(text)
    orders = "/~w3+shop/v1/orders"
    with in_process(file, scenarios_dir=(folder,)) as call:
        for number in range(3):
            assert call("POST", orders, json_body={"number": number}).status == 201
        assert call("PATCH", f"{orders}/1", json_body={"paid": True}).status == 200
        assert call("DELETE", f"{orders}/2").status == 204
        before = call("GET", orders).json
    shop.unlink()
    with in_process(file, scenarios_dir=(folder,)) as call:
        post(call, "Meanwhile", "w3")
        assert is_saved(call)
    shop.write_text(text)
    with in_process(file, scenarios_dir=(folder,)) as call:
        assert call("GET", orders).json == before
        assert before == [{"id": 1, "paid": True}, {"id": 3, "number": 1}, {"id": 4, "number": 2}]
        assert pets(call, "w3")[-1]["name"] == "Meanwhile"
    shop.write_text(text.replace("id: 1", "id: 7"))
    with in_process(file, scenarios_dir=(folder,)) as call:
        assert call("GET", orders).json == [{"id": 7}], "its file has other content"


# --- The ID of a session ------------------------------------------------------------------------


def session_id(call: Client, session: str = "default") -> str:
    """Return the ID of a session, which all responses name in the same way."""
    ids = {
        call("GET", f"/~{session}{path}").header("Mockpets-Session-Id")
        for path in ("/v1/pets", "/v1/pets/0", "/__mockpets/state", "/__mockpets/data/pets?limit=x")
    }
    ids.add(call("GET", f"/__mockpets/sessions/{session}").json["id"])
    ids.add(call("PUT", f"/__mockpets/sessions/{session}").json["id"])
    (found,) = ids
    assert found is not None
    return found


@pytest.mark.slow
def test_the_session_id_is_new_after_a_kill_but_not_after_a_stop(file: Path) -> None:
    with in_process(file) as call:
        before = {name: session_id(call, name) for name in ("default", "w3")}
        assert len(set(before.values())) == 2
        call("POST", "/~w3/__mockpets/reset")
        assert session_id(call, "w3") == before["w3"]
    with keeping(file) as (process, call):
        assert {name: session_id(call, name) for name in before} == before
        post(call, "Saved", "w3")
        assert is_saved(call)
        process.kill()
        process.wait(SECONDS)
    with in_process(file) as call:
        after = {name: session_id(call, name) for name in before}
        assert not {*before.values()} & {*after.values()}
        call("DELETE", "/__mockpets/sessions/w3")
        assert session_id(call, "w3") != after["w3"]


# --- Visitors -----------------------------------------------------------------------------------


def test_visitors_are_not_saved(file: Path) -> None:
    """After a restart a visitor gets a new session name, so the old sessions are useless."""
    token = "a-token-of-the-tests"
    for _ in range(2):
        with in_process(file, public=True, host=("127.0.0.1",), control_token=token) as call:
            control = partial(call, headers={"Authorization": f"Bearer {token}"})
            response = call("POST", "/v1/pets", json_body=PET)
            assert response.json["id"] == 17
            visitor = response.header("Mockpets-Session")
            found = control("GET", "/__mockpets/sessions").json["sessions"]
            assert [each["name"] for each in found] == ["default", visitor]
        assert b"Miso" not in file.read_bytes()
        assert stored(file) == []


# --- Unusable files -----------------------------------------------------------------------------


def refused(*arguments: str) -> str:
    """Start a server that must not start; return the one line it prints."""
    with program("serve", "--port", "0", *arguments) as process:
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (2, "")
    [line] = err.splitlines()
    return str(line)


def test_a_damaged_file_is_reported_in_one_line_and_kept(file: Path) -> None:
    with in_process(file) as call:
        post(call, "Precious")
    data = file.read_bytes()
    data = data[:4096] + b"\xff" * 8 + data[4104:]
    file.write_bytes(data)

    line = refused("--state", str(file))
    assert line.startswith(f"mockpets: {file}: is damaged: ")
    assert line.endswith("; restore a backup, or move the file away to start with new records")
    assert file.read_bytes() == data


@pytest.mark.slow
def test_a_file_of_the_format_before_is_reported_in_one_line_and_kept(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA application_id = {0x6D706574}")
        connection.execute("PRAGMA user_version = 3")
        connection.execute("CREATE TABLE pets (pet)")
        connection.commit()
    data = file.read_bytes()

    assert refused("--state", str(file)) == (
        f"mockpets: --state {file}: another version of mockpets wrote it: format 3, not 4; "
        "restore a backup, or move the file away to start with new records"
    )
    assert file.read_bytes() == data


@pytest.mark.usefixtures("saves_often")
def test_a_second_server_is_rejected_in_one_line(file: Path) -> None:
    with in_process(file) as call:
        post(call, "Ours")
        assert refused("--state", str(file)) == (
            f"mockpets: --state {file}: in use by another mockpets; stop it, or use another file: "
            "each server needs its own"
        )
        post(call, "More")
        assert is_saved(call)


@pytest.mark.skipif(not Path("/sys/kernel").is_dir(), reason="needs a folder closed to all")
def test_an_unwritable_folder_is_rejected() -> None:
    with pytest.raises(InputError) as rejected, in_process(Path("/sys/kernel/pets.state")):
        pass

    assert str(rejected.value) == (
        "--state /sys/kernel/pets.state: cannot be written: Permission denied; SQLite "
        "writes the file and others beside it: use a folder that this user may write to"
    )


# --- Failing disks ------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="limits a process that runs")
def test_a_disk_error_is_reported_and_heals(file: Path) -> None:
    import resource  # not available on Windows

    with keeping(file) as (process, call):
        post(call, "Before")
        assert is_saved(call)
        # The kernel fails all writes beyond this size; the log goes to a pipe.
        limits = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (file.stat().st_size, limits[1]))
        names = [f"{number} " + "n" * 200 for number in range(100)]
        for name in names:
            post(call, name, "new")
        assert wait_until(lambda: progress(call)["trouble"])
        assert progress(call)["trouble"] == "disk I/O error"
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, limits)
        assert is_saved(call)
        process.kill()
        process.wait(SECONDS)
    with keeping(file) as (_, call):
        assert [pet["name"] for pet in pets(call)[16:]] == ["Before"]
        assert [pet["name"] for pet in pets(call, "new")[16:]] == names


@pytest.mark.long
def test_servers_killed_at_random_moments(file: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.storage.kill_process", str(file), str(ROUNDS)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60 + 3 * ROUNDS,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    # Check the test itself: kills must interrupt saves, and lose what was not saved.
    assert found["interrupted"] > ROUNDS // 10
    assert found["lost"] > ROUNDS // 10
    assert found["keys"] > 10 * ROUNDS
    assert min(found[kind] for kind in KINDS) > ROUNDS // 20
