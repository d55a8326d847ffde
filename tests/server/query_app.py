"""Apps for tests of the server without the real app."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

from mockpets.faults import FAULTS
from mockpets.interface import Arrival, Delivery, Incoming, Job, Later, Reply, Result
from mockpets.request_log.wait import Wait
from mockpets.session.gates import Gates


@dataclass(frozen=True)
class FunctionApp:
    """Handles requests by a function."""

    handle: Callable[[Incoming], Reply | Later]


def size(body: Result) -> int:
    assert isinstance(body, bytes)
    return len(body)


def cancel() -> None:
    """Do nothing: these apps keep nothing while they wait."""


class QueryApp:
    """Returns a reply, which is delivered as the query of the request describes."""

    def __init__(self) -> None:
        self.gates = Gates(lambda: None)
        self.calls: list[str] = []
        self.jobs: dict[str, Callable[[], object]] = {}
        self.threads: set[str] = set()

    def handle(self, incoming: Incoming) -> Reply | Later:
        environ = incoming.environ
        path, query = environ["PATH_INFO"], dict(parse_qsl(environ["QUERY_STRING"]))
        self.calls.append(path)
        self.threads.add(threading.current_thread().name)
        if path == "/bug":
            raise RuntimeError("a bug")
        if incoming.is_arriving:
            return Later(Arrival(), lambda body: self.reply(incoming, query, size(body)), cancel)
        read = len(environ["wsgi.input"].read())
        if job := self.jobs.pop(query.get("job", ""), None):
            resume = partial(self.reply, incoming, query, read)
            return Later(Job(job, query.get("owner", "")), lambda _: resume(), cancel)
        return self.reply(incoming, query, read)

    def reply(self, incoming: Incoming, query: dict[str, str], read: int) -> Reply:
        method, path = incoming.environ["REQUEST_METHOD"], incoming.environ["PATH_INFO"]
        body = b"x" * int(query.get("size", 0)) or f"{method} {path} {read}".encode()
        assert incoming.server is not None
        has_room = incoming.server.room(query.get("owner", ""))
        status = "200 OK" if has_room else "503 Service Unavailable"
        length = len(body) + int(query["more"]) if "more" in query else None
        return Reply(status, [], body, length, delivery=self.delivery(query))

    def delivery(self, query: dict[str, str]) -> Delivery:
        gate = query.get("hold")
        hold: Any = (
            None if gate is None else lambda release: self.gates.hold(Wait(0, gate), release)
        )
        return Delivery(
            delay=float(query.get("delay", 0)),
            hold=hold,
            throttle=int(query["throttle"]) if "throttle" in query else None,
            fault=FAULTS[query["fault"]] if "fault" in query else None,
            close="close" in query,
            owner=query.get("owner", ""),
        )
