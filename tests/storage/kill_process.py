"""Kill a process that keeps saving its state, and check the file it leaves."""

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

# Enough pets for a slow write; the name of the first is a counter.
START = make_table({"id": number, "name": "0", "categoryId": 1} for number in range(1, 501))


def counter(store: Store) -> int:
    return int(json.loads(store.get(1) or b"{}")["name"])


def restored(path: Path) -> Store:
    """Return the pets of the file, which must be complete."""
    store = Store(START, 10)
    with claim(path) as file:
        for session in read_state(file, START, None):
            store.restore(session.pets)
    return store


def save_for_ever(path: Path, acknowledge: int) -> None:
    """Increment the counter in the file; report each acknowledged number to a descriptor."""
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
        time.sleep(random.random() * 0.01)  # not waiting for anything, but to hit a random moment
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        lines = [last, *acknowledged]
    # The kill may truncate the last number, which then was not acknowledged.
    return max(int(line) for line in lines if line.endswith("\n"))


def main(path: Path, rounds: int) -> None:
    """Print the number of rounds that were killed during a write."""
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
