"""`report` with several `--url`."""

from __future__ import annotations

import json
from typing import Any

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket

Run = Any


def test_report_calls_each_server_once(run: Run) -> None:
    with MockpetsServer(Settings(port=0)) as first, MockpetsServer(Settings(port=0)) as second:
        for server, name in ((first, "w1"), (second, "w2"), (first, "w2")):
            ControlClient(server.url).make_session(name)
            Client(OverSocket(server.url))("GET", f"/~{name}/v1/pets?limit=3")
        urls = ["--url", first.url, "--url", second.url, "--url", first.url]
        _, coverage, _ = run("report", "--coverage", *urls, "--format", "json")
        _, report, _ = run("report", *urls, "--session", "w2")
        status, out, [error] = run("report", *urls, "--session", "w9")

    assert json.loads("\n".join(coverage))["total"] == 3
    assert report[0] == "no findings in 2 requests in 2 sessions"
    assert (status, out) == (2, [])
    assert error.startswith("mockpets: --session: unknown session 'w9'")
