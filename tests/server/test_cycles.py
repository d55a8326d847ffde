"""Requests leave no reference cycles, so the garbage collector may run seldom (`cli.serve`).

Only Werkzeug's matching leaves one, of eight objects, for a path that the app does not keep.
"""

import json
import subprocess
import sys

SECONDS = 30
COUNT_CYCLES = """
import gc, json, sys
from http.client import HTTPConnection
from urllib.parse import urlsplit
from mockpets import MockpetsServer, Settings

def ask(client, method, path, headers, body):
    client.request(method, path, body, headers)
    response = client.getresponse()
    response.read()
    return response.status

found = []
with MockpetsServer(Settings(port=0)) as server:
    parts = urlsplit(server.url)
    client = HTTPConnection(parts.hostname, parts.port, timeout=20)
    for request in json.loads(sys.argv[1]):
        ask(client, *request)
        gc.collect()
        gc.disable()
        statuses = {ask(client, *request) for _ in range(50)}
        found.append([*statuses, gc.collect() // 50])
        gc.enable()
    client.close()
print(json.dumps(found))
"""
KEY = {"Authorization": "Bearer mockpets"}
JSON = {**KEY, "Content-Type": "application/json"}
REQUESTS = [
    ("GET", "/v1/pets?limit=5&status=available", KEY, None, 200),
    ("GET", "/v1/pets/1", KEY, None, 200),
    ("POST", "/v1/pets", JSON, '{"name":"Miso","categoryId":2}', 201),
    ("POST", "/v1/pets", JSON, '{"name":', 400),
    ("GET", "/v1/pets", {"Authorization": "Bearer wrong"}, None, 401),
    ("GET", "/v1/pets/999", KEY, None, 404),
    ("GET", "/v1/pets?unknown=1", KEY, None, 200),
    # Rejected by the reader of requests:
    ("GET", "/v1/pets", {**KEY, "Transfer-Encoding": "chunked"}, "no size\r\n", 400),
    ("GET", "/v1/pets", {**KEY, "Content-Length": "9999999"}, None, 413),
    ("GET", "/v1/pets", {**KEY, "X-Long": "x" * 99_999}, None, 431),
    ("GET", "/__mockpets/state", KEY, None, 200),
    ("GET", "/__mockpets/requests", KEY, None, 200),
]


def test_requests_leave_no_cycles() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNT_CYCLES, json.dumps([row[:-1] for row in REQUESTS])],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert done.stderr == ""
    assert json.loads(done.stdout) == [[status, 0] for *_, status in REQUESTS]
