"""The state file: its format, and that no failure damages it."""

from __future__ import annotations

import errno
import json
import logging
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import count
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.errors import InputError
from mockpets.memory_budget import MemoryBudget
from mockpets.pets.store import Store
from mockpets.pets.table import ENTRY_BYTES, make_table
from mockpets.session.save_progress import SaveProgress
from mockpets.storage.format import SessionState, dump_state, load_state
from mockpets.storage.saver import Saver, read_state
from mockpets.storage.state_file import StateFile, claim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.schemas import NewPet

START = make_table({"id": number, "name": f"pet {number}", "categoryId": 1} for number in (1, 2))
MISO: NewPet = {"name": "Miso", "categoryId": 2, "status": "sold"}


def saved(store: Store, name: str = "default", **more: Any) -> SessionState:
    return SessionState(name, store.save(None), **more)


def text(*sessions: SessionState) -> bytes:
    return b"".join(dump_state(sessions))


def rows(session: SessionState) -> list[bytes]:
    return [*session.pets.base.rows.values(), *session.pets.own.rows.values()]


def problems(data: bytes, budget: MemoryBudget | None = None) -> list[str]:
    with pytest.raises(InputError) as rejected:
        load_state(data, "f", START, budget)
    return [str(problem) for problem in rejected.value.problems]


# --- The format -------------------------------------------------------------------------------


def test_every_line_is_json() -> None:
    store, other = Store(START, 10), Store(START, 10)
    store.create(MISO)
    lines = text(saved(store), saved(other, "w3", active=("retry", "slow"), seed=7)).splitlines(
        keepends=True
    )

    assert list(map(json.loads, lines[:-1])) == [
        {"mockpets_state": 1},
        {"table": 0, "pets": [json.loads(START.rows[1]), json.loads(START.rows[2])]},
        {
            "session": "default",
            "start": None,
            "table": 0,
            "next_id": 4,
            "active": None,
            "seed": None,
            "pets": [{"id": 3, **MISO}],
        },
        {
            "session": "w3",
            "start": None,
            "table": 0,
            "next_id": 3,
            "active": ["retry", "slow"],
            "seed": 7,
            "pets": [],
        },
    ]
    assert json.loads(lines[-1]) == {"sha256": sha256(b"".join(lines[:-1])).hexdigest()}


def test_restored_pets_can_be_changed() -> None:
    store = Store(START, 10)
    store.create(MISO)
    store.change(1, {"name": "other"})
    store.delete(2)
    (state,) = load_state(text(saved(store, active=("retry",), seed=7)), "f", START)
    again = Store(START, 10)
    again.restore(state.pets)

    assert again.page(100) == store.page(100)
    assert (state.name, state.active, state.seed) == ("default", ("retry",), 7)
    for one in (store, again):
        one.change(3, {"status": None})
        one.delete(1)
    assert again.page(100) == store.page(100) == b'[{"id":3,"name":"Miso","categoryId":2}]'


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
OPERATIONS = ["create", "change", "delete", "replace", "reset"]
HISTORIES = st.lists(
    st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 6), NAMES),
    max_size=20,
)


@given(st.lists(HISTORIES, max_size=3))
def test_any_sessions_survive_a_round_trip(histories: list[list[tuple[str, int, str]]]) -> None:
    stores = []
    for history in histories:
        store = Store(START, 100)
        stores.append(store)
        for operation, number, name in history:
            if operation == "create":
                store.create({"name": name, "categoryId": number})
            elif operation == "replace":
                store.replace(make_table([{"id": number, "name": name, "categoryId": 1}]))
            elif operation == "reset":
                store.reset()
            elif store.get(number) and operation == "change":
                store.change(number, {"name": name})
            elif store.get(number):
                store.delete(number)
    states = [saved(store, f"s{number}") for number, store in enumerate(stores)]
    again = load_state(text(*states), "f", START)

    assert text(*again) == text(*states)
    for state, store in zip(again, stores, strict=True):
        restored = Store(START, 100)
        restored.restore(state.pets)
        assert restored.page(100) == store.page(100)
        assert restored.create(MISO) == store.create(MISO)  # ids are never reused


def test_restored_sessions_share_tables() -> None:
    stores = [Store(START, 10) for _ in range(3)]
    stores[2].replace(make_table([{"id": 9, "name": "own", "categoryId": 1}]))
    states = [saved(store, f"s{number}") for number, store in enumerate(stores)]
    one, other, third = load_state(text(*states), "f", START)

    assert one.pets.base is other.pets.base is START
    assert third.pets.base is not START


def test_restored_pets_do_not_depend_on_the_initial_pets() -> None:
    data = text(saved(Store(START, 10)))
    (state,) = load_state(data, "f", make_table([]))

    assert rows(state) == list(START.rows.values())


def test_restored_pets_count_against_the_budget() -> None:
    store = Store(START, 10)
    store.create(MISO)
    budget = MemoryBudget(10**6, "pets")
    (state,) = load_state(text(saved(store)), "f", make_table([]), budget)
    base = budget.used
    again = Store(START, 10, budget)
    again.restore(state.pets)

    assert base == 2 * ENTRY_BYTES + sum(map(len, START.rows.values()))
    assert budget.used == base + ENTRY_BYTES + len(state.pets.own.rows[3])
    store.replace(make_table([{"id": 9, "name": "own", "categoryId": 1}]))
    (message,) = problems(text(saved(store)), MemoryBudget(100, "pets"))
    assert message.startswith("f:2: pets: the pets of all sessions together may use at most ")


# --- Invalid files ----------------------------------------------------------------------------


def whole() -> bytes:
    store = Store(START, 10)
    store.create(MISO)
    return text(saved(store))


def signed(*lines: object) -> bytes:
    """Return a file with a valid checksum and any content."""
    body = b"".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n"
        for line in ({"mockpets_state": 1}, *lines)
    )
    return body + json.dumps({"sha256": sha256(body).hexdigest()}).encode() + b"\n"


def test_a_truncated_file_is_rejected() -> None:
    data = whole()
    for end in range(len(data)):
        problems(data[:end])
    problems(data + b"\n")
    problems(data + data)


@given(st.integers(0, len(whole()) - 1), st.integers(1, 255))
def test_a_changed_byte_is_detected(place: int, flip: int) -> None:
    data = bytearray(whole())
    data[place] ^= flip

    assert len(problems(bytes(data))) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "f: is empty; use another file, or move it away"),
        (b"\0" * 100, "f: is not a mockpets state file; use another file, or move it away"),
        (b"[]\n", "f: is not a mockpets state file; use another file, or move it away"),
        (b"[" * 100_000, "f: is not a mockpets state file; use another file, or move it away"),
        (
            b'{"mockpets_state":2}\nwhatever',
            "f:1: mockpets_state: unknown format 2; this version of mockpets reads format 1; use "
            "the version that wrote the file, or move the file away to start with new pets",
        ),
        (
            b'{"mockpets_state":1}\n{"table":0,"pe',
            "f:2: is truncated: the last line has no checksum; restore a backup, or move the file "
            "away to start with new pets",
        ),
        (
            signed().replace(b": 1", b":  1"),
            "f:2: sha256: is corrupt: the checksum does not match the content; restore a backup, "
            "or move the file away to start with new pets",
        ),
    ],
)
def test_damaged_files_have_distinct_messages(data: bytes, message: str) -> None:
    assert problems(data) == [message]


PET = {"id": 1, "name": "x", "categoryId": 1}
TABLE = {"table": 0, "pets": [PET]}
SESSION = {"session": "w3", "table": 0, "next_id": 5, "active": None, "seed": None, "pets": []}


@pytest.mark.parametrize(
    ("lines", "messages"),
    [
        ([b"[]\n"], ["f:2: is not a JSON object"]),
        ([b"[" * 10_000 + b"\n"], ["f:2: is not a JSON object"]),
        ([{"table": 1, "pets": []}], ["f:2: table: must be 0, got 1"]),
        ([{"table": False, "pets": []}], ["f:2: table: must be 0, got false"]),
        ([{"table": 0}], ["f:2: pets: must be an array, got null"]),
        ([{"table": 0, "pets": [PET, PET]}], ["f:2: pets: must have unique ids"]),
        (
            [{"table": 0, "pets": [PET, {"id": "2"}, 3]}],
            [
                "f:2: pets.1.name: is required",
                "f:2: pets.1.categoryId: is required",
                'f:2: pets.1.id: must be an integer, got the text "2"; remove the quotes',
                "f:2: pets.2: must be an object",
            ],
        ),
        (
            [{**SESSION, "session": "W 3"}],
            [
                'f:2: session: must be a session name, got "W 3"',
                "f:2: table: must be the number of a table above, got 0",
            ],
        ),
        ([TABLE, SESSION, SESSION], ['f:4: session: duplicate session "w3"']),
        (
            [TABLE, {**SESSION, "active": ["A"], "seed": -1, "next_id": 1}],
            [
                "f:3: active: must be null or scenario names, got an array",
                "f:3: seed: must be null or an integer >= 0, got -1",
                "f:3: next_id: must be an integer >= 2, got 1",
            ],
        ),
        (
            [TABLE, {**SESSION, "active": [], "seed": True, "next_id": 2**63 + 1}],
            [
                "f:3: active: must be null or scenario names, got an array",
                "f:3: seed: must be null or an integer >= 0, got true",
                "f:3: next_id: must be an integer >= 2, got 9223372036854775809",
            ],
        ),
        (
            [TABLE, {**SESSION, "start": 1}],
            ["f:3: start: must be null or the number of a table above, got 1"],
        ),
        ([TABLE, {**SESSION, "pets": [PET]}], ["f:3: pets: must have higher ids than table 0"]),
    ],
)
def test_invalid_content_is_reported_with_its_place(
    lines: Sequence[object], messages: list[str]
) -> None:
    hint = "; restore a backup, or move the file away to start with new pets"

    assert problems(signed(*lines)) == [f"{line}{hint}" for line in messages]


def test_many_problems_are_summarized() -> None:
    message = problems(signed({"table": 0, "pets": [0] * 50}))

    assert (len(message), message[-1]) == (21, "f: and 30 more problems")


def test_integers_may_be_written_in_other_forms() -> None:
    (state,) = load_state(
        signed({"table": 0, "pets": [{**PET, "id": 1.0, "more": 1}]}, SESSION), "f", START
    )

    assert rows(state) == [b'{"id":1,"name":"x","categoryId":1}']


# --- The file ---------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state"


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_only_the_owner_can_read_the_file(path: Path) -> None:
    with claim(path) as file:
        assert file.read() is None
        file.write([b"one\n", b"two\n"])
        file.write(iter([b"three\n", b""]))
        assert file.read() == b"three\n"

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert left_in(path.parent) == [".state.lock", "state"]


def test_a_leftover_temporary_file_is_removed(path: Path) -> None:
    path.write_bytes(b"good")
    path.with_name(".state.tmp").write_bytes(b"half")
    with claim(path) as file:
        assert left_in(path.parent) == [".state.lock", "state"]
        assert file.read() == b"good"


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    there = tmp_path / "elsewhere" / "file"
    there.parent.mkdir()
    path.symlink_to(there)
    with claim(path) as file:
        file.write([b"x"])

    assert path.is_symlink()
    assert there.read_bytes() == b"x"
    assert left_in(there.parent) == [".file.lock", "file"]


def test_a_link_in_place_of_the_temporary_file_is_not_followed(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    with claim(path) as file:
        path.with_name(".state.tmp").symlink_to(victim)
        file.write([b"x"])

    assert (victim.read_bytes(), path.read_bytes()) == (b"precious", b"x")


def test_two_servers_cannot_have_one_file(path: Path) -> None:
    with claim(path), pytest.raises(InputError) as rejected, claim(path):
        pass

    assert str(rejected.value) == (
        f"--state {path}: in use by another mockpets; stop it, or use another file: "
        "two servers would overwrite each other's pets"
    )
    with claim(path):
        pass


def test_an_unusable_path_is_reported_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, message in {
        tmp_path: "is a folder; use a file in the folder",
        tmp_path / "none" / "state": "the folder does not exist; create it first",
        tmp_path / "file" / "state": "cannot create a file in the folder: Not a directory; each "
        "save creates a new file there; use a folder that this user may write to",
    }.items():
        with pytest.raises(InputError) as rejected, claim(path):
            pass
        assert str(rejected.value) == f"--state {path}: {message}"


def test_a_read_only_folder_is_reported_at_the_start(path: Path) -> None:
    with pytest.raises(InputError) as rejected, claim(path, Failing(1, errno.EACCES)):
        pass

    assert str(rejected.value).startswith(
        f"--state {path}: cannot create a file in the folder: Permission denied; "
    )


def test_reading_a_special_file_does_not_block(path: Path) -> None:
    os.mkfifo(path)
    with claim(path) as file, pytest.raises(InputError, match="cannot be read: is not a regular"):
        read_state(file, START, None)


def test_an_invalid_file_is_named_and_kept(path: Path) -> None:
    path.write_bytes(b"notes\n")
    with (
        claim(path) as file,
        pytest.raises(InputError, match=f"^{path}: is not a mockpets state file"),
    ):
        read_state(file, START, None)

    assert path.read_bytes() == b"notes\n"


# --- Failing disks ----------------------------------------------------------------------------


class Failing:
    """A system that fails from some call on for some calls, and writes 7 bytes at a time.

    :param at: the number of the first call that fails, from 0.
    """

    def __init__(self, at: int = 10**9, code: int = errno.EIO, times: int = 1) -> None:
        self.at, self.code, self.times = at, code, times
        self.calls: list[str] = []

    def _call(self, name: str, *arguments: Any) -> Any:
        number = len(self.calls)
        self.calls.append(name)
        if self.at <= number < self.at + self.times:
            if name == "close":
                os.close(*arguments)  # as the kernel does, even if it reports an error
            raise OSError(self.code, os.strerror(self.code))
        return getattr(os, name)(*arguments)

    def open(self, path: Path, flags: int, mode: int = 0o777, /) -> int:
        return int(self._call("open", path, flags, mode))

    def write(self, descriptor: int, data: bytes | memoryview, /) -> int:
        return int(self._call("write", descriptor, data[:7]))

    def fsync(self, descriptor: int, /) -> None:
        self._call("fsync", descriptor)

    def close(self, descriptor: int, /) -> None:
        self._call("close", descriptor)

    def replace(self, source: Path, target: Path, /) -> None:
        self._call("replace", source, target)

    def unlink(self, path: Path, /) -> None:
        self._call("unlink", path)


PARTS = [b"a new text\n", b"of two lines\n"]
CALLS = ["unlink", "open", *["write"] * 4, "fsync", "close", "replace", "open", "fsync", "close"]


def test_content_is_flushed_before_the_rename_and_the_folder_after(path: Path) -> None:
    system = Failing()
    StateFile(path, system).write(PARTS)

    assert system.calls == CALLS
    assert path.read_bytes() == b"".join(PARTS)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize("at", range(len(CALLS)))
def test_after_any_failure_the_file_is_intact_and_the_next_write_works(
    path: Path, at: int, times: int, code: int
) -> None:
    path.write_bytes(b"old")
    system = Failing(at, code, times)
    file = StateFile(path, system)
    if CALLS[at] == "unlink" and times == 1:
        file.write(PARTS)  # there was nothing to remove
    else:
        with pytest.raises(OSError, match=os.strerror(code)):
            file.write(PARTS)

    replaced = "replace" in system.calls[:at] or (CALLS[at], times) == ("unlink", 1)
    assert path.read_bytes() == (b"".join(PARTS) if replaced else b"old")
    if times == 1:
        assert left_in(path.parent) == ["state"]
    system.at = 10**9
    file.write([b"newer"])
    assert path.read_bytes() == b"newer"
    assert left_in(path.parent) == ["state"]


# --- The saver --------------------------------------------------------------------------------


class World:
    """One session with a saver; `post` does what a request does."""

    def __init__(self, file: StateFile) -> None:
        self.store = Store(START, 10**6)
        self.progress = SaveProgress()
        self.saver = Saver(file, self.collect, self.progress, 3600)

    def collect(self) -> list[SessionState]:
        return [saved(self.store)]

    def post(self) -> None:
        self.store.create(MISO)


def pets_in(path: Path) -> int:
    (state,) = load_state(path.read_bytes(), "f", START)
    return len(rows(state))


def test_it_writes_only_changes(path: Path) -> None:
    system = Failing()
    shared = World(StateFile(path, system))
    for pets, written in ((2, 1), (2, 1), (3, 2), (3, 2)):
        if pets > shared.store.total():
            shared.post()
        shared.saver.look()
        assert (pets_in(path), system.calls.count("replace")) == (pets, written)
        assert shared.progress.saved == shared.progress.begun
    assert shared.progress.saved == 4


def test_a_failing_disk_is_logged_once_and_nothing_is_acknowledged(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "mockpets")
    system = Failing()
    shared = World(StateFile(path, system))
    shared.saver.look()
    system.at, system.times, system.code = len(system.calls) + 1, 10**9, errno.ENOSPC
    for _ in range(3):
        shared.post()
        shared.saver.look()
    assert (pets_in(path), shared.progress.begun, shared.progress.saved) == (2, 4, 1)
    assert shared.progress.trouble == "No space left on device"
    system.code = errno.EBUSY
    shared.saver.look()
    system.times = 0
    shared.saver.look()

    assert (pets_in(path), shared.progress.saved, shared.progress.trouble) == (5, 6, "")
    stays = "keeping the last saved version and retrying"
    assert [record.getMessage() for record in caplog.records] == [
        f"cannot save the state to {path}: No space left on device; {stays}",
        f"cannot save the state to {path}: Device or resource busy (a mounted file cannot be "
        f"replaced; mount its folder instead); {stays}",
        f"saving the state to {path} works again",
    ]


def test_a_write_that_failed_late_is_repeated(path: Path) -> None:
    system = Failing()
    shared = World(StateFile(path, system))
    shared.saver.look()
    before = shared.store.save(None)
    shared.post()
    system.at = len(system.calls) + len(CALLS) - 2  # the folder's fsync; text in longer pieces
    system.at += len(path.read_bytes()) // 7
    shared.saver.look()
    shared.store.restore(before)
    shared.saver.look()

    assert (pets_in(path), shared.progress.saved) == (2, 3)


def test_the_thread_saves_at_the_start_and_at_the_end(path: Path) -> None:
    begun = Event()

    class Telling(Failing):
        def fsync(self, descriptor: int, /) -> None:
            super().fsync(descriptor)
            if self.calls.count("fsync") == 2:
                begun.set()

    shared = World(StateFile(path, Telling()))
    shared.saver.start()
    assert begun.wait(10)
    shared.post()
    shared.saver.stop()

    assert (pets_in(path), shared.progress.saved) == (3, 2)


def test_the_thread_continues_after_an_internal_error(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    turns, enough = count(), Event()
    shared = World(StateFile(path, Failing()))

    def collect() -> list[SessionState]:
        turn = next(turns)
        if turn == 0:
            raise ZeroDivisionError
        shared.post()
        if turn == 3:
            enough.set()
        return shared.collect()

    saver = Saver(StateFile(path, Failing()), collect, SaveProgress(), 0.001)
    saver.start()
    assert enough.wait(10)
    saver.stop()

    assert pets_in(path) >= 5
    assert [record.getMessage() for record in caplog.records] == [
        "unexpected error while saving the state; retrying"
    ]


def test_a_hanging_disk_does_not_block_the_stop(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hangs, goes_on = Event(), Event()

    class Hanging(Failing):
        def fsync(self, descriptor: int, /) -> None:
            hangs.set()
            goes_on.wait(10)
            super().fsync(descriptor)

    shared = World(StateFile(path, Hanging()))
    shared.saver.start()
    assert hangs.wait(10)
    shared.saver.stop(0.01)
    goes_on.set()

    assert [record.getMessage() for record in caplog.records] == [
        "timed out while saving the state; the last changes may be lost"
    ]


def test_requests_are_served_while_saving(path: Path) -> None:
    shared = World(StateFile(path, os))
    noted = {0: 0}  # number of the last poll, to the posts that the next one must include

    def work() -> None:
        for number in range(1, 3001):
            shared.post()
            noted[shared.progress.begun] = number

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work)
        while not working.done():
            shared.saver.look()
            assert pets_in(path) >= 2 + noted.get(shared.progress.saved - 1, 0)
        working.result()
    shared.saver.look()

    assert pets_in(path) == 3002


ROUNDS = int(os.environ.get("KILL_ROUNDS", "50"))


@pytest.mark.slow
def test_after_a_kill_the_file_has_all_acknowledged_changes(path: Path) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.storage.kill_process", str(path), str(ROUNDS)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60 + ROUNDS,
        check=False,
    )

    assert run.stderr == ""
    # Check the test itself: some kills must happen during a write.
    assert int(run.stdout) > 0
