"""Kill a server at random moments, restart it, and check what its state file brings back.

In every third round, another program changes or replaces the file while the server runs.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from mockpets import MockpetsServer, Settings, create_app
from mockpets.storage.persistence import persist_sessions

ORDERS = ("default+shop", "a+shop")
"""The targets to whose resource the records are posted."""
TARGETS = (
    *("default", "default+empty", "default+sold-out", "a+no-status", "b+full-page+empty"),
    *ORDERS,
)
"""Sessions and stacks of scenarios as in a base path; each has its own pets or records."""
SHOP = "description: d\nresources: [{path: /v1/store/orders, items: [{id: 1, name: first}]}]\n"
CHANGES: tuple[Callable[[Path, Path], object], ...] = (
    lambda _, path: os.truncate(path, 0),  # : > pets.state
    lambda backup, path: shutil.copyfile(backup, path),
    lambda backup, path: Path(shutil.copyfile(backup, f"{backup}2")).replace(path),
)
HEADERS = {"Authorization": "Bearer mockpets", "Content-Type": "application/json"}


def serve_until_killed(path: Path, out: int, turn: int, changed: int | None) -> None:
    """Report the pets of all targets, then post pets and save them; write each step to `out`.

    :param changed: read after the first save, when the file was changed; None without a change.
    """
    is_changed = changed is not None

    def report(*step: object) -> None:
        os.write(out, json.dumps(step).encode() + b"\n")

    def call(method: str, target: str, path: str, body: object = None) -> tuple[Any, str]:
        data = None if body is None else json.dumps(body)
        connection.request(method, f"/~{target}{path}", data, HEADERS)
        response = connection.getresponse()
        assert response.status < 400, (target, path, response.status)
        return json.loads(response.read()), response.getheader("Mockpets-Session-Id", "")

    folder = path.with_name("scenarios")
    folder.mkdir(exist_ok=True)
    (folder / "shop.yaml").write_text(SHOP)
    settings = Settings(port=0, pets="2", log="quiet", scenarios_dir=(folder,))
    app = create_app(settings)
    progress = app.extensions["mockpets"].sessions.save_progress
    with (
        persist_sessions(str(path), app.extensions["mockpets"].sessions),
        MockpetsServer(settings, app) as server,
    ):
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=20)
        for target in TARGETS:
            there: dict[int, str] = {}
            kind, part = ("data/orders", "records") if target in ORDERS else ("pets", "pets")
            after: int | str | None = ""
            while after is not None:  # a page has at most 1000
                query = f"?after={after}" if after else ""
                page, session_id = call("GET", target, f"/__mockpets/{kind}{query}")
                there |= {pet["id"]: pet["name"] for pet in page[part]}
                after = page["next"]
            report("there", target, session_id, there)
        number = 0
        while True:
            for _ in range(random.randrange(1, 8)):
                number += 1
                target, name = random.choice(TARGETS), f"{turn} {number}"
                report("posting", target, name)
                place = "/v1/store/orders" if target in ORDERS else "/v1/pets"
                pet, session_id = call("POST", target, place, {"name": name, "categoryId": 1})
                report("posted", target, pet["id"], name, session_id)
                progress.requested.set()  # save all the time, so that kills hit saves
            saved = number
            while progress.wait_for_save().trouble:
                assert is_changed
            report("saved", saved)
            if changed is not None:
                report("change")
                os.read(changed, 1)
                changed = None


class Expected:
    """What the file must have, by the steps that the servers reported."""

    def __init__(self) -> None:
        self.rounds = self.lost = 0
        self.ids: dict[str, str] = {}
        self.given: dict[str, set[int]] = {target: set() for target in TARGETS}
        """All IDs that responses had, also of pets that were lost."""
        self.pets: dict[str, dict[int, str]] = {target: {} for target in TARGETS}
        self.saved: set[str] = set()
        """The names of pets that were reported as saved."""
        self.posting = ("", "")
        self.round: list[str] = []

    def check(self, target: str, session_id: str, there: dict[int, str]) -> None:
        """Check the pets that a restarted server has."""
        posted, session = self.pets[target], target.partition("+")[0]
        start = {pet: name for pet, name in there.items() if not name.split()[0].isdigit()}
        now = {pet: name for pet, name in there.items() if pet not in start}
        missing = {name for pet, name in posted.items() if now.get(pet) != name}
        assert not missing & self.saved, f"{target}: saved, but not there: {missing & self.saved}"
        unknown = {name for pet, name in now.items() if posted.get(pet) != name}
        assert unknown <= {self.posting[1]}, f"{target}: not posted: {unknown}"
        self.lost += bool(missing)
        # A session that was not saved before the kill does not exist yet, and has no ID.
        is_new = not session_id or session_id != self.ids.get(session)
        assert is_new, f"{target}: was killed, and kept its ID"
        self.pets[target] = now

    def read(self, lines: list[Any]) -> None:
        """Read the steps of one server."""
        there = [step for kind, *step in lines if kind == "there"]
        for target, session_id, pets in there:
            self.check(target, session_id, {int(pet): name for pet, name in pets.items()})
        self.ids.update((target.partition("+")[0], session_id) for target, session_id, _ in there)
        self.posting, self.round = ("", ""), []
        for kind, *step in lines:
            if kind == "posting":
                self.posting = (step[0], step[1])
            elif kind == "posted":
                target, pet, name, session_id = step
                self.ids[target.partition("+")[0]] = session_id
                assert pet not in self.given[target], f"{target}: {pet} was given twice"
                self.given[target].add(pet)
                self.pets[target][pet] = name
                self.posting = ("", "")
                self.round.append(name)
            elif kind == "saved":
                self.saved.update(self.round[: step[0]])
        self.rounds += 1


def read_until(kind: str, steps: TextIO) -> Iterator[str]:
    """Yield steps up to the first of this kind."""
    for line in iter(steps.readline, ""):
        yield line
        if line.startswith(f'["{kind}"'):
            return


def one_round(path: Path, turn: int, change: Callable[[], object] | None) -> list[Any]:
    """Return the steps that a server reported before it was killed.

    :param change: changes the file; the kill comes after the next save, because what the file has
        lost is safe only as long as the process lives until then.
    """
    reading, writing = os.pipe()
    changed, done = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            random.seed()
            serve_until_killed(path, writing, turn, changed if change else None)
        except BaseException:  # noqa: BLE001 - reported, and the parent fails
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as steps:
        lines = [steps.readline() for _ in TARGETS]
        if change is not None:
            lines += read_until("change", steps)
            change()
            os.write(done, b"x")
            lines += read_until("saved", steps)
        steps_before_kill = random.randrange(40)
        lines += [steps.readline() for _ in range(steps_before_kill)]
        time.sleep(random.random() * 0.01)  # not to wait for anything, but to hit a random moment
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        lines += steps
    for descriptor in (changed, done):
        os.close(descriptor)
    # The kill may truncate the last line, which then was not reported.
    return [json.loads(line) for line in lines if line.endswith("\n")]


def main(path: Path, rounds: int) -> None:
    """Print what the rounds have done, how many kills interrupted a save, and what was lost."""
    expected, interrupted, backup = Expected(), 0, path.with_name("backup")
    for turn in range(rounds):
        change = None
        if turn % 3 == 2:
            change = partial(CHANGES[turn // 3 % len(CHANGES)], backup, path)
        lines = one_round(path, turn, change)
        journal = path.with_name(f"{path.name}-journal")
        interrupted += journal.exists() and journal.stat().st_size > 0
        expected.read(lines)
        if turn % 3 == 0:
            shutil.copyfile(path, backup)
    result = {
        "interrupted": interrupted,
        "changed": rounds // 3,
        "lost": expected.lost,
        "posted": sum(map(len, expected.given.values())),
        "saved": len(expected.saved),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
