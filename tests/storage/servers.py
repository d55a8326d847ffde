"""A server's sessions with a state file, without HTTP and without a thread."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from mockpets.contract.collections import OwnSchema
from mockpets.contract.contract_model import Collection, Key
from mockpets.limits import Limits
from mockpets.memory_budget import MemoryBudget
from mockpets.records.store import Store
from mockpets.records.table import TableCache, make_table, rows_of
from mockpets.request_log.request_log import RequestLogs
from mockpets.scenario.library import Library
from mockpets.scenario.scenario_model import Scenario
from mockpets.seed.generated_records import generate
from mockpets.session.registry import SessionRegistry
from mockpets.session.session import Session, SharedState
from mockpets.storage.database import open_database
from mockpets.storage.persistence import restore_sessions
from tests.pet_store import PETS

DISK_ERROR = sqlite3.OperationalError("disk I/O error")


def pets(*names: str) -> tuple[bytes, ...]:
    """Return pets as JSON, with IDs from 1."""
    return tuple(
        PETS.schema.dump({"id": place, "name": name, "categoryId": 1})
        for place, name in enumerate(names, 1)
    )


def scenario(name: str, *names: str, orders: Sequence[bytes] | None = None) -> Scenario:
    """Return a scenario that gives content to pets, and may define orders with some records."""
    data = {"pets": pets(*names)}
    if orders is None:
        return Scenario(name, "x", (), (), name, data)
    return Scenario(name, "x", (), (), name, data | {"orders": tuple(orders)}, (ORDERS,))


ORDERS = Collection("orders", "/v1/store/orders", OwnSchema("id"), "sold")
TEXTS = Collection("texts", "/v1/texts", OwnSchema("id", types=(("id", "string"),)), "sold")
SOLD = scenario("sold", "Kit", "Tom", orders=[b'{"id":1,"petId":3}'])
EMPTY = scenario("empty")


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
        library = Library({one.name: one for one in scenarios or (SOLD, EMPTY)}, {}, {})
        budget = MemoryBudget(2**28, "records")
        shared = SharedState(
            library=lambda: library,
            tables=TableCache(generate, budget),
            starts={"pets": make_table(PETS, rows_of(pets(*start)))},
            scenarios=active,
            seed=seed,
            locale="en_US",
            request_log=partial(RequestLogs(2**20).new, 100),
            records=budget,
            limits=Limits(records=10**6),
        )
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

    def store(self, session: str = "default", *stack: str, collection: Collection = PETS) -> Store:
        found = self.session(session)
        return found.store(found.stack(stack), collection)

    def post(self, session: str = "default", *stack: str, name: str = "Miso") -> int:
        """Do what a createPet request does; return the ID."""
        key = self.store(session, *stack).create({"name": name, "categoryId": 2})[1]["id"]
        assert isinstance(key, int)
        return key

    def order(self, session: str = "default", collection: Collection = ORDERS, **order: Any) -> Key:
        """Do what a POST request to a scenario's own collection does; return the ID."""
        key: Key = self.store(session, "sold", collection=collection).create(order)[1]["id"]
        return key

    def orders(self, session: str = "default", collection: Collection = ORDERS) -> list[Any]:
        return [
            json.loads(row) for row in self.store(session, "sold", collection=collection).rows()
        ]

    def names(self, session: str = "default", *stack: str) -> list[str]:
        return [json.loads(row)["name"] for row in self.store(session, *stack).rows()]

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """Return what the file has in a table."""
        return self.saver._database.rows(table)

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

    def executemany(self, statement: str, *parameters: Any) -> sqlite3.Cursor:
        self.fails(statement)
        return super().executemany(statement, *parameters)


def failing() -> tuple[Callable[..., sqlite3.Connection], type[FailingConnection]]:
    """Return what opens connections of a class, and the class, whose `fails` a test may set."""
    one = type("One", (FailingConnection,), {})
    return partial(sqlite3.connect, factory=one), one
