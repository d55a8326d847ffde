"""Kill a process that saves its state again and again, and look at what it leaves."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from mockpets.pets.store import Store
from mockpets.pets.table import make_table
from mockpets.session.save_progress import SaveProgress
from mockpets.storage.format import SessionState
from mockpets.storage.saver import Saver, read_state
from mockpets.storage.state_file import claim

# Enough pets that a write takes a while; the name of the first is a counter.
START = make_table({"id": number, "name": "0", "categoryId": 1} for number in range(1, 501))


def counter(store: Store) -> int:
    return int(json.loads(store.get(1) or b"{}")["name"])


def restored(path: Path) -> Store:
    """The pets of the file, which must be whole."""
    store = Store(START, 10)
    with claim(path) as file:
        for session in read_state(file, START, None):
            store.restore(session.pets)
    return store


def save_for_ever(path: Path, acknowledge: int) -> None:
    """Count on in the file; write to a descriptor each number that is acknowledged as saved."""
    store = restored(path)
    number = counter(store)
    with claim(path) as file:
        progress = SaveProgress()
        saver = Saver(file, lambda: [SessionState("default", store.save(None))], progress)
        while True:
            number += 1
            store.change(1, {"name": str(number)})
            begun = progress.begun
            saver.look()
            if progress.saved > begun:
                os.write(acknowledge, f"{number}\n".encode())


def one_round(path: Path) -> int:
    """Return the last number that was acknowledged before the kill."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            save_for_ever(path, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as acknowledged:
        last = acknowledged.readline()
        time.sleep(random.random() * 0.01)  # not to wait for anything: to hit any moment
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        lines = [last, *acknowledged]
    # A number may be cut off by the kill; it was not acknowledged then.
    return max(int(line) for line in lines if line.endswith("\n"))


def main(path: Path, rounds: int) -> None:
    """Print how many rounds were killed in the middle of a write."""
    midway = 0
    for _ in range(rounds):
        last = one_round(path)
        midway += path.with_name(f".{path.name}.tmp").exists()
        store = restored(path)
        assert counter(store) >= last, f"{last} was acknowledged, {counter(store)} is there"
        assert counter(store) <= last + 1
        assert store.total() == 500
        assert sorted(os.listdir(path.parent)) == [f".{path.name}.lock", path.name]  # noqa: PTH208
    print(midway)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
