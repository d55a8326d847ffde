"""The request log as an HTTP Archive."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockpets.request_log.entry import Entry
from mockpets.request_log.har_export import document
from mockpets.request_log.queries import summary
from mockpets.strict_json import dump_json
from tests.request_log.entries import AT, ENTRIES, created, entry, message

# --- HAR 1.2 ----------------------------------------------------------------------------------

# The parts of the standard that our archives use, compared with npm's `har-schema`. Stricter than
# both: additional names must begin with `_`.
TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": -1}
TIME = {"type": "number", "minimum": -1}


def thing(required: dict[str, Any], **optional: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": required | {"comment": TEXT} | optional,
        "required": list(required),
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def many(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


PAIR = thing({"name": TEXT, "value": TEXT})
BOTH = {
    "httpVersion": {"pattern": r"^HTTP/1\.[01]$"},
    "cookies": many(PAIR),
    "headers": many(PAIR),
    "headersSize": COUNT,
    "bodySize": COUNT,
}
# RFC 3986: every character that needs an escape has one, and every escape is valid.
URL = {"pattern": r"^https?://[^/]+/(?:[A-Za-z0-9/?:@!$&'()*+,;=._~-]|%[0-9A-Fa-f]{2})*$"}
POSTED = thing({"mimeType": TEXT, "text": TEXT, "params": many(PAIR)})
REQUEST = thing({"method": TEXT, "url": URL, "queryString": many(PAIR)} | BOTH, postData=POSTED)
CONTENT = thing({"size": COUNT, "mimeType": TEXT}, text=TEXT, encoding={"const": "base64"})
RESPONSE = thing(
    {"status": COUNT, "statusText": TEXT, "content": CONTENT, "redirectURL": TEXT} | BOTH
)
TIMINGS = thing(
    {"send": TIME, "wait": TIME, "receive": TIME}, blocked=TIME, dns=TIME, connect=TIME, ssl=TIME
)
ROW = thing(
    {
        "startedDateTime": {"pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"},
        "time": {"type": "number", "minimum": 0},
        "request": REQUEST,
        "response": RESPONSE,
        "cache": thing({}),
        "timings": TIMINGS,
    }
)
CREATOR = thing({"name": TEXT, "version": TEXT})
LOG = thing({"version": {"const": "1.2"}, "creator": CREATOR, "entries": many(ROW)})
HAR = Draft202012Validator(thing({"log": LOG}))


def archive(*entries: Entry) -> list[dict[str, Any]]:
    """Return the entries of an archive, after validation and a JSON round trip."""
    made = json.loads(dump_json(document(entries, "0.1.0")))
    HAR.validate(made)
    rows: list[dict[str, Any]] = made["log"]["entries"]
    return rows


# --- Contents ---------------------------------------------------------------------------------


def test_a_request_and_its_response() -> None:
    made = created(
        3,
        b'{"name":"Miso"}',
        target="/~w3/v1/pets?dry=a%20b",
        path="/v1/pets",
        headers=[("Host", "localhost:7387"), ("Authorization", "Bearer mockpets")],
        response=message(
            [("Content-Type", "application/json"), ("Location", "/~w3/v1/pets/1")], b'{"id":1}\n'
        ),
        app_ms=0.5,
        delay_ms=2000,
    )
    (row,) = archive(made)

    assert row["startedDateTime"] == "2026-11-21T07:00:03.123Z"
    assert row["time"] == row["timings"]["wait"] == 2000.5
    assert row["request"] == {
        "method": "POST",
        "url": "http://localhost:7387/~w3/v1/pets?dry=a%20b",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [
            {"name": "Content-Type", "value": "application/json"},
            {"name": "Host", "value": "localhost:7387"},
            {"name": "Authorization", "value": "Bearer [redacted]"},
        ],
        "queryString": [{"name": "dry", "value": "a b"}],
        "postData": {"mimeType": "application/json", "text": '{"name":"Miso"}', "params": []},
        "headersSize": -1,
        "bodySize": 15,
    }
    assert row["response"] == {
        "status": 201,
        "statusText": "Created",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [
            {"name": "Content-Type", "value": "application/json"},
            {"name": "Location", "value": "/~w3/v1/pets/1"},
        ],
        "content": {"size": 9, "mimeType": "application/json", "text": '{"id":1}\n'},
        "redirectURL": "/~w3/v1/pets/1",
        "headersSize": -1,
        "bodySize": 9,
    }
    assert row["_mockpets"] == summary(made)


@pytest.mark.parametrize(("target", "host", "url"), [
    ("/v1/pets", "localhost:7387", "http://localhost:7387/v1/pets"),
    ("/v1/pets", "[::1]:7387", "http://[::1]:7387/v1/pets"),
    ("/v1/pets", None, "http://localhost/v1/pets"),
    ("/v1/pets", "a b/c", "http://localhost/v1/pets"),
    ("http://mock.test/v1/pets", "other.test", "http://mock.test/v1/pets"),
    ("*", "mock.test", "http://mock.test/*"),
    ("//a/b", "mock.test", "http://mock.test//a/b"),
    ('/v1/p|"é?a=%zz&b=%20', "h", "http://h/v1/p%7C%22%C3%A9?a=%25zz&b=%20"),
    ("/?token=abc", "h", "http://h/?token=%5Bredacted%5D"),
])  # fmt: skip
def test_urls(target: str, host: str | None, url: str) -> None:
    headers = [("Host", host)] if host else []

    assert archive(entry(1, target, headers=headers))[0]["request"]["url"] == url


def test_binary_bodies_are_base64() -> None:
    (row,) = archive(created(1, b"\xff\x00", response=message([], b"\x89PNG", 3)))

    assert row["request"]["postData"] == {
        "mimeType": "application/json", "text": "/wA=", "_encoding": "base64", "params": [],
    }  # fmt: skip
    assert row["response"]["content"] == {
        "size": 4,
        "mimeType": "",
        "text": "iVBO",
        "encoding": "base64",
        "comment": "the first 3 of 4 bytes",
    }


@pytest.mark.parametrize(("made", "error"), [
    (entry(1, status=None, fault="connection_reset", outcome="broken"), "connection_reset"),
    (entry(1, fault="truncated_body", outcome="broken"), "truncated_body"),
    (entry(1, outcome="broken"), "broken"),
    (entry(1, outcome="pending"), "pending"),
    (entry(1, outcome="client_left"), "client_left"),
    (entry(1, fault="malformed_json", outcome="client_left"), "client_left"),
], ids=[
    "reset", "truncated", "broken", "pending", "client left", "client left during a fault"
])  # fmt: skip
def test_a_response_that_was_not_sent_has_status_0_and_an_error(made: Entry, error: str) -> None:
    (row,) = archive(made)

    assert row["response"] == {
        "status": 0,
        "statusText": "",
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": [],
        "content": {"size": 0, "mimeType": "", "text": ""},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": 0,
        "_error": error,
    }
    assert row["_mockpets"] == summary(made)


@pytest.mark.parametrize(("status", "text"), [(200, "OK"), (429, "Too Many Requests"), (299, "")])
def test_reasons(status: int, text: str) -> None:
    assert archive(entry(1, status=status))[0]["response"]["statusText"] == text


@pytest.mark.parametrize(("times", "wait", "receive"), [
    ({}, 301, 2000),  # still pending
    ({"held_ms": 400.5}, 401.5, 2000),
    ({"held_ms": 400.5, "total_ms": 2500.5}, 401.5, 2099),
    ({"held_ms": 20.0, "total_ms": 250.0}, 250, 0),  # the client left before the delay ended
])  # fmt: skip
def test_throttled_and_held_responses(times: dict[str, Any], wait: float, receive: float) -> None:
    sent = message([], b"x" * 4000)
    row = archive(entry(1, app_ms=1, delay_ms=300, throttle=2000, response=sent, **times))[0]

    timings = row["timings"]
    assert (timings["wait"], timings["receive"], row["time"]) == (wait, receive, wait + receive)


@pytest.mark.parametrize(("outcome", "so_far"), [("sent", ""), ("pending", " so far")])
def test_a_comment_names_the_gate(outcome: str, so_far: str) -> None:
    (row,) = archive(entry(1, hold="door", held_ms=400.5, outcome=outcome))

    assert row["comment"] == f"held at the gate 'door' for 400.5 ms{so_far}"


def test_entries_are_sorted_by_time() -> None:
    rows = archive(entry(1, at=AT + 9), entry(2, at=AT + 3))

    assert [row["_mockpets"]["number"] for row in rows] == [2, 1]


@pytest.mark.slow
@given(st.lists(ENTRIES, max_size=3))
def test_any_request_log_gives_a_valid_archive(entries: list[Entry]) -> None:
    for row in archive(*entries):
        spent = [spent for spent in row["timings"].values() if spent != -1]
        assert row["time"] == pytest.approx(sum(spent))
        assert not re.search(r"[\ud800-\udfff]", json.dumps(row, ensure_ascii=False))
