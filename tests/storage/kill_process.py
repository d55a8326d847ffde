"""Kill a server at random moments, restart it, and check what its state file brings back.

The requests create, change, delete and replace records, reset sessions and set clocks. In every
third round, another program changes or replaces the file while the server runs.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import urlsplit

from mockpets import MockpetsServer, Settings, create_app
from mockpets.storage.persistence import persist_sessions

TARGETS = (
    *("default pets", "default+empty pets", "default+sold-out pets", "a+no-status pets"),
    *("b+full-page pets", "default+shop orders", "a+shop orders", "a+shop notes"),
)
"""Sessions and stacks of scenarios as in a base path, and a collection; each has its records."""
PLACES = {"pets": "/v1/pets", "orders": "/v1/store/orders", "notes": "/v1/notes"}
SESSIONS = ("default", "a", "b")
SHOP = """
description: d
resources: [{path: /v1/store/orders}, {path: /v1/notes}]
data: {orders: [{id: 1, name: first}], notes: [{id: a, name: first}]}
"""
CHANGES: tuple[Callable[[Path, Path], object], ...] = (
    lambda _, path: os.truncate(path, 0),  # : > pets.state
    lambda backup, path: shutil.copyfile(backup, path),
    lambda backup, path: Path(shutil.copyfile(backup, f"{backup}2")).replace(path),
    lambda _, path: path.unlink(),
)
HEADERS = {"Authorization": "Bearer mockpets", "Content-Type": "application/json"}
KINDS = {"create": 12, "change": 4, "delete": 3, "put": 1, "reset": 1, "clock": 2}
"""What requests do, and how often."""


def serve_until_killed(path: Path, out: int, turn: int, changed: int | None) -> None:
    """Report the records of all targets, then change them and save; write each step to `out`.

    :param changed: read after the first save, when the file was changed; None without a change.
    """
    is_changed = changed is not None

    def report(*step: object) -> None:
        os.write(out, json.dumps(step).encode() + b"\n")

    def call(method: str, base: str, path: str, body: object = None) -> tuple[Any, str]:
        data = None if body is None else json.dumps(body)
        connection.request(method, f"/~{base}{path}", data, HEADERS)
        response = connection.getresponse()
        text = response.read()
        assert response.status < 400, (base, path, response.status, text[:500])
        return json.loads(text), response.getheader("Mockpets-Session-Id", "")

    def records(target: str) -> tuple[dict[str, str], str]:
        base, name = target.split()
        there: dict[str, str] = {}
        after: str | None = ""
        while after is not None:  # a page has at most 1000
            query = f"?after={after}" if after else ""
            page, session_id = call("GET", base, f"/__mockpets/data/{name}{query}")
            there |= {str(record["id"]): record["name"] for record in page["records"]}
            after = page["next"]
        return there, session_id

    def act(kind: str, target: str, text: str) -> object:
        """Change something; return what the response says of it."""
        base, name = target.split()
        data = f"/__mockpets/data/{name}"
        if kind == "create":
            return call("POST", base, PLACES[name], {"name": text, "categoryId": 1})[0]["id"]
        if kind == "put":
            count = random.choice((1, 30, 700))
            some = [{"name": text, "categoryId": 1} for _ in range(count)]
            if name == "pets":  # which must have IDs
                some = [{"id": place, **pet} for place, pet in enumerate(some, 1)]
            call("PUT", base, data, some)
            return records(target)[0]
        if kind == "reset":
            return call("POST", base, "/__mockpets/reset")[1]
        if kind == "clock":
            call("PUT", base, "/__mockpets/clock", {"now": text, "frozen": True})
            return None
        key, text = text.split(" ", 1)
        change = ("PATCH", {"name": text}) if kind == "change" else ("DELETE", None)
        call(change[0], base, f"{data}/{key}", change[1])
        return None

    folder = path.with_name("scenarios")
    folder.mkdir(exist_ok=True)
    (folder / "shop.yaml").write_text(SHOP)
    settings = Settings(port=0, data=("pets=2",), log="quiet", scenarios_dir=(folder,))
    app = create_app(settings)
    progress = app.extensions["mockpets"].sessions.save_progress
    with (
        persist_sessions(str(path), app.extensions["mockpets"].sessions),
        MockpetsServer(settings, app) as server,
    ):
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=20)
        for target in TARGETS:
            there, session_id = records(target)
            report("there", target, session_id, there)
        for session in SESSIONS:
            clock, session_id = call("GET", session, "/__mockpets/clock")
            report("there", session, session_id, clock["now"] if clock["set"] else None)
        number = 0
        while True:
            for _ in range(random.randrange(1, 8)):
                number += 1
                target, text = random.choice(TARGETS), f"{turn} {number}"
                (kind,) = random.choices(list(KINDS), list(KINDS.values()))
                if kind in {"change", "delete"}:
                    if not (there := records(target)[0]):
                        continue
                    text = f"{random.choice([*there])} {text}"
                if kind == "clock":
                    text = f"2030-01-01T{turn // 60 % 24:02}:{turn % 60:02}:00.{number % 1000:03}Z"
                report("doing", number, kind, target, text)
                report("done", number, act(kind, target, text))
                progress.requested.set()  # save all the time, so that kills hit saves
            saved = number
            while progress.wait_for_save().trouble:
                assert is_changed
            report("saved", saved)
            if changed is not None:
                report("change")
                os.read(changed, 1)
                changed = None


class State(NamedTuple):
    """What a target had after a request.

    :param number: of the request.
    :param value: the names of records by key, or the clock of a session.
    :param given: all keys that responses had since the last reset.
    """

    number: int
    value: Any
    given: set[str]


class Expected:
    """What the file may have, by the steps that the servers reported."""

    def __init__(self) -> None:
        self.lost = 0
        self.done = Counter[str]()
        self.keys = 0
        self.ids: dict[str, str] = {}
        self.states: dict[str, list[State]] = {}
        """The states of each target: the last one that was saved, and those that followed."""
        self.starts: dict[str, Any] = {}
        self.pending: tuple[str, str, str] | None = None
        """Kind, target and text of the request that was killed."""

    def check(self, target: str, session_id: str, value: Any) -> None:
        """Check what a restarted server has of a target."""
        session = target.partition("+")[0].split()[0]
        # A session that was not saved before the kill does not exist yet, and has no ID.
        is_new = not session_id or session_id != self.ids.get(session)
        assert is_new, f"{target}: was killed, and kept its ID"
        if target not in self.states:
            self.starts[target] = value
            self.states[target] = [State(0, value, {*(value or ())})]
            return
        states = self.states[target]
        if self.is_pending(target, value, states[-1].value):
            is_reset = self.pending is not None and self.pending[0] == "reset"
            given = {*(self.starts[target] or ())} if is_reset else states[-1].given
        else:
            matching = [place for place, state in enumerate(states) if state.value == value]
            assert matching, f"{target}: lost or changed: {value}, not one of {states}"
            self.lost += matching[-1] < len(states) - 1
            # A reset starts the keys again. The file may have the last one of equal states, and so
            # every reset before it.
            given = set[str]().union(*(state.given for state in states[matching[-1] :]))
        self.states[target] = [State(0, value, given)]

    def is_pending(self, target: str, value: Any, before: Any) -> bool:
        """Return whether a target has the change that was killed."""
        if self.pending is None:
            return False
        kind, changed, text = self.pending
        if kind == "reset":
            is_same_session = changed.partition("+")[0].split()[0] == target.partition("+")[0]
            return is_same_session and value == self.starts[target]
        if kind == "clock":
            return bool(changed.partition("+")[0].split()[0] == target and value == text)
        if changed != target:
            return False
        if kind == "put":
            return {*value.values()} == {text}
        if kind == "create":
            return bool({key: name for key, name in value.items() if name != text} == before)
        return bool(value == changed_records(kind, before, text))

    def read(self, lines: list[Any]) -> None:
        """Read the steps of one server."""
        there = [step for kind, *step in lines if kind == "there"]
        for target, session_id, value in there:
            self.check(target, session_id, value)
        self.ids.update((target.partition("+")[0].split()[0], each) for target, each, _ in there)
        self.pending = None
        for step, *details in lines:
            if step == "doing":
                _, *pending = details
                self.pending = pending[0], pending[1], pending[2]
            elif step == "done" and self.pending is not None:
                number, response = details
                self.note(number, response, *self.pending)
                self.pending = None
            elif step == "saved":
                for states in self.states.values():
                    last = max(n for n, state in enumerate(states) if state.number <= details[0])
                    del states[:last]

    def note(self, number: int, response: Any, kind: str, target: str, text: str) -> None:
        """Note the state after a request."""
        self.done[kind] += 1
        session = target.partition("+")[0].split()[0]
        if kind == "reset":
            for each in TARGETS:
                if each.partition("+")[0].split()[0] == session:
                    start = self.starts[each]
                    self.states[each].append(State(number, start, {*start}))
            return
        if kind == "clock":
            self.states[session].append(State(number, text, set()))
            return
        _, value, given = self.states[target][-1]
        if kind in {"create", "put"}:
            new = {str(response): text} if kind == "create" else response
            if kind == "create" or not target.endswith("pets"):
                assert not given & new.keys(), f"{target}: given twice: {given & new.keys()}"
            given |= new.keys()
            self.keys += len(new)
            value = value | new if kind == "create" else new
        else:
            value = changed_records(kind, value, text)
        self.states[target].append(State(number, value, given))


def changed_records(kind: str, records: dict[str, str], text: str) -> dict[str, str]:
    """Return records after a change or a deletion."""
    key, name = text.split(" ", 1)
    others = {each: records[each] for each in records if each != key}
    return {**records, key: name} if kind == "change" else others


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
        lines = [steps.readline() for _ in (*TARGETS, *SESSIONS)]
        if change is not None:
            lines += read_until("change", steps)
            change()
            os.write(done, b"x")
            lines += read_until("saved", steps)
        steps_before_kill = random.randrange(60)
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
        "keys": expected.keys,
        **expected.done,
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
