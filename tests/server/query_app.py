"""A WSGI app that follows its query, for tests of the server without the real app."""

import threading
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl
from wsgiref.types import StartResponse, WSGIEnvironment

from mockpets.faults import FAULTS
from mockpets.journal.wait import Wait
from mockpets.session.gates import Gates
from mockpets.wsgi_extension import ORDER, SERVER, Deliver, RunJob


class QueryApp:
    """Returns a response, and a delivery order, as the query describes."""

    def __init__(self) -> None:
        self.gates = Gates(lambda: None)
        self.calls: list[str] = []
        self.jobs: dict[str, Callable[[], object]] = {}
        self.threads: set[str] = set()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path, query = environ["PATH_INFO"], dict(parse_qsl(environ["QUERY_STRING"]))
        self.calls.append(path)
        self.threads.add(threading.current_thread().name)
        if path == "/bug":
            raise RuntimeError("a bug")
        read = len(environ["wsgi.input"].read())
        environ[ORDER] = self.order(query)
        body = (
            b"x" * int(query.get("size", 0))
            or f"{environ['REQUEST_METHOD']} {path} {read}".encode()
        )
        announced = len(body) + int(query.get("more", 0))
        has_room = environ[SERVER].room(query.get("owner", ""))
        status = "200 OK" if has_room else "503 Service Unavailable"
        start_response(status, [("Content-Length", str(announced))])
        return [body]

    def order(self, query: dict[str, str]) -> Deliver | RunJob | None:
        if not query:
            return None
        gate = query.get("hold")
        hold: Any = (
            None if gate is None else lambda release: self.gates.hold(Wait(0, gate), release)
        )
        if job := self.jobs.pop(query.get("job", ""), None):
            return RunJob(job, query.get("owner", ""))
        return Deliver(
            delay=float(query.get("delay", 0)),
            hold=hold,
            throttle=int(query["throttle"]) if "throttle" in query else None,
            fault=FAULTS[query["fault"]] if "fault" in query else None,
            close="close" in query,
            owner=query.get("owner", ""),
        )
