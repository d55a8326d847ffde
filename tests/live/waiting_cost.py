"""Measure how long calls of other sessions take while calls of one session wait.

``python -m tests.live.waiting_cost`` prints the longest times with 450 waiting `verify` calls and
500 recorded requests, and with 100 and 900. A new request wakes all of them, again and again.
It exits with status 1 if a call of another session took more than a second, or if a waiting call
ended more than a second too late.
"""

import argparse
import json
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from select import select
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final

from mockpets import Settings, create_app
from mockpets.server.server_limits import ServerLimits
from tests.http_client import Client, OverSocket
from tests.live.spawned import HOST, spawned

CASES: Final = ((450, 500), (100, 900))
"""Waiting calls, and recorded requests of their session, whose log stays below its limit."""
ROUNDS: Final = 5
WITHIN: Final = 2.0
LATE: Final = 1.0
WAITING_RESPONSES: Final = 1_000
"""One session may have half of them."""
_MATCH: Final = {"operation": "listPets", "query": {"limit": "never"}}
_CALLS: Final[dict[str, tuple[str, str, Any]]] = {
    "PUT sessions/other": ("PUT", "/__mockpets/sessions/other", {}),
    "explain": ("POST", "/~other/__mockpets/explain", {"method": "GET", "path": "/v1/pets"}),
}


def _verify(within: float) -> bytes:
    body = json.dumps({"match": _MATCH, "within": f"{within:g}s"}).encode()
    head = "POST /~waiting/__mockpets/verify HTTP/1.1\r\nHost: localhost\r\n"
    head += "Content-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def cost(waiting: int, recorded: int) -> dict[str, float]:
    """Return the longest seconds of each call, and how late a waiting call has ended."""
    with (
        spawned(partial(create_app, Settings()), ServerLimits(parked=WAITING_RESPONSES)) as port,
        ExitStack() as stack,
    ):
        call = Client(OverSocket(f"http://{HOST}:{port}"))

        def send(within: float) -> socket.socket:
            connection = stack.enter_context(socket.create_connection((HOST, port)))
            connection.sendall(_verify(within))
            return connection

        def request() -> None:
            assert call("GET", "/~waiting/v1/pets?limit=1").status == 200

        def wake() -> None:
            while not ended.wait(0.05):
                request()

        for _ in range(recorded):
            request()
        connections = [send(30) for _ in range(waiting)]
        shown = f"\nmockpets_parked_answers {waiting}.0\n"
        while shown not in call("GET", "/__mockpets/metrics").body.decode():
            assert not any(select(connections, (), (), 0.1)[0]), "a call did not wait"
        ended, longest = Event(), dict.fromkeys(_CALLS, 0.0)
        wakes = Thread(target=wake)
        wakes.start()
        try:
            began = perf_counter()
            last = send(WITHIN)
            for _ in range(ROUNDS):
                for name, (method, path, body) in _CALLS.items():
                    start = perf_counter()
                    assert call(method, path, json_body=body).status in (200, 201)
                    longest[name] = max(longest[name], perf_counter() - start)
            assert last.recv(12) == b"HTTP/1.1 409"
            longest[f"within: {WITHIN:g}s, late by"] = perf_counter() - began - WITHIN
        finally:
            ended.set()
            wakes.join()
        return longest


def main(write: Callable[[str], object] = print) -> int:
    """Print the longest times of each case."""
    argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args()
    worst = 0.0
    for waiting, recorded in CASES:
        longest = cost(waiting, recorded)
        worst = max(worst, *longest.values())
        times = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in longest.items())
        write(f"{waiting} waiting calls, {recorded} requests: {times}")
    write(f"longest: {worst:.2f} s, at most {LATE:g}")
    return int(worst > LATE)


if __name__ == "__main__":
    sys.exit(main())
