"""A server's sessions with a state file, without HTTP and without a thread."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from mockpets.pets.store import Store
from mockpets.pets.table import make_table
from mockpets.scenario.resources import Id, Resource

from mockpets.contract.schemas import Pet
from mockpets.scenario.model import Scenario
from mockpets.session.registry import SessionRegistry
from mockpets.session.session import Session
from mockpets.storage.database import open_database
from mockpets.storage.persistence import restore_sessions
from tests.session.shared_states import shared_state

DISK_ERROR = sqlite3.OperationalError("disk I/O error")


def pets(*names: str) -> tuple[Pet, ...]:
    return tuple(
        {"id": place, "name": name, "categoryId": 1} for place, name in enumerate(names, 1)
    )


def scenario(name: str, *names: str) -> Scenario:
    """Return a scenario that defines pets."""
    return Scenario(name, "x", (), pets(*names), (), name)


def resource(*items: bytes, name: str = "orders") -> Resource:
    """Return a resource of the scenario `sold`."""
    return Resource(f"/v1/store/{name}", name, "sold", items)


ORDERS = resource(b'{"id":1,"petId":3}')
SOLD, EMPTY = replace(scenario("sold", "Kit", "Tom"), resources=(ORDERS,)), scenario("empty")


class Server:
    """Sessions that are saved when a test says so.

    :param start: the names of the pets that each session starts with.
    :param active: the scenarios that each session starts with.
    :param connect: opens the SQLite connection.
    """

    opened: ClassVar[list["Server"]] = []
    """All servers of a test, which a fixture ends."""

    def __init__(
        self,
        path: Path,
        *scenarios: Scenario,
        start: Sequence[str] = ("Ada", "Bo"),
        active: tuple[str, ...] = (),
        seed: int = 1,
        limit: int = 10,
        connect: Callable[..., sqlite3.Connection] = sqlite3.connect,
    ) -> None:
        shared = shared_state(*(scenarios or (SOLD, EMPTY)), budget=2**24, max_new=10**6)
        table = make_table(pets(*start))
        shared = replace(shared, start=table, scenarios=active, seed=seed)
        self.sessions = SessionRegistry(shared, limit)
        self.progress = self.sessions.save_progress
        self.database = open_database(path, connect)
        try:
            self.saver = restore_sessions(self.database, self.sessions)
        except BaseException:
            self.database.close()
            raise
        self.opened.append(self)

    def session(self, name: str = "default") -> Session:
        return self.sessions.get_or_create(name)

    def store(self, session: str = "default", *stack: str) -> Store:
        found = self.session(session)
        return found.use(stack).store if stack else found.own

    def post(self, session: str = "default", *stack: str, name: str = "Miso") -> int:
        """Do what a createPet request does; return the ID."""
        store = self.store(session, *stack)
        if not store.has_reserved_id and not self.progress.trouble:
            self.session(session).note_change()
            self.save()
        return store.create({"name": name, "categoryId": 2})[0]

    def order(self, session: str = "default", resource: Resource = ORDERS, **order: Any) -> Id:
        """Do what a POST request to a resource does; return the ID."""
        found = self.session(session)
        if found.must_reserve_id(resource) and not self.progress.trouble:
            found.data.touch(resource)
            found.note_change()
            self.save()
        add = partial(resource.create, body=order, seed=1, max_new=10**6)
        return found.data.change(resource, add)[1]

    def orders(self, session: str = "default", resource: Resource = ORDERS) -> list[Any]:
        rows = self.session(session).data.records(resource).rows.values()
        return [json.loads(row) for row in rows]

    def names(self, session: str = "default", *stack: str) -> list[str]:
        rows = self.store(session, *stack).rows(None, 10**6)
        return [json.loads(row)["name"] for row in rows]

    def save(self) -> bool:
        """Save, and return whether that worked."""
        self.saver.save()
        return not self.progress.trouble

    def stop(self) -> None:
        """Stop as a server does."""
        self.saver.start()
        self.saver.stop()

    def crash(self) -> None:
        """End without saving, as a killed process does."""
        self.saver.close()


class FailingConnection(sqlite3.Connection):
    """A connection on which some statements fail.

    :param fails: called with each statement; raises to fail it.
    """

    fails: Callable[[str], None] = staticmethod(lambda _: None)

    def execute(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        self.fails(statement)
        return super().execute(statement, *parameters)


def failing() -> tuple[Callable[..., sqlite3.Connection], type[FailingConnection]]:
    """Return what opens connections of a class, and the class, whose `fails` a test may set."""
    one = type("One", (FailingConnection,), {})
    return partial(sqlite3.connect, factory=one), one
