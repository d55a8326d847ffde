"""Run sessions from creation to deletion: ``python life.py CLIENT LIVES``, with `MOCKPETS_URL`.

CLIENT is `python` for `ControlClient`, or `http` for HTTP alone, with a connection for each request
as curl has. Prints the milliseconds of each life as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from http.client import HTTPConnection
from urllib.parse import urlsplit

from mockpets.client import ControlClient

_URL = os.environ["MOCKPETS_URL"]
_USES = 5


def _send(
    connection: HTTPConnection, method: str, target: str, body: object = None, session: str = ""
) -> None:
    headers = {"Authorization": "Bearer mockpets", "Content-Type": "application/json"}
    if session:
        headers["Mockpets-Session"] = session
    connection.request(method, target, None if body is None else json.dumps(body), headers)
    response = connection.getresponse()
    text = response.read()
    if response.status >= 300:
        raise RuntimeError(f"{method} {target}: {response.status}: {text[:200]!r}")


def _python(name: str) -> None:
    _CONTROL.make_session(name, scenario="empty")
    session = _CONTROL.session(name)
    target = urlsplit(f"{session.base_url}/pets").path
    for _ in range(_USES):
        _send(_FRONT_END, "GET", target)
    session.verify({"operation": "listPets"}, times=_USES)
    _CONTROL.drop_session(name)


def _http(name: str) -> None:
    def send(method: str, target: str, body: object = None) -> None:
        connection = HTTPConnection(_HOST)
        _send(connection, method, target, body, name)
        connection.close()

    send("PUT", f"/__mockpets/sessions/{name}", {"scenario": "empty"})
    for _ in range(_USES):
        send("GET", f"/~{name}/v1/pets")
    send("POST", "/__mockpets/verify", {"match": {"operation": "listPets"}, "times": _USES})
    send("DELETE", f"/__mockpets/sessions/{name}")


_HOST = urlsplit(_URL).netloc
_CONTROL = ControlClient(_URL)
_FRONT_END = HTTPConnection(_HOST)


def main(client: str, lives: int) -> None:
    """Run the lives one after another."""
    live = {"python": _python, "http": _http}[client]
    milliseconds = []
    for number in range(lives):
        start = time.perf_counter()
        live(f"life-{number}")
        milliseconds.append((time.perf_counter() - start) * 1000)
    print(json.dumps(milliseconds))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
