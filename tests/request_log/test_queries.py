"""Filters of the request log, and entries as JSON."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.test import EnvironBuilder

from mockpets.contract.control_types import RequestFilters
from mockpets.contract.pet_store import BUILT_IN
from mockpets.contract.query_parameters import PARAMETERS
from mockpets.errors import RequestError
from mockpets.request_log import har_export
from mockpets.request_log.entry import Entry, Message, Note
from mockpets.request_log.queries import full, selected, summary
from mockpets.request_log.request_log import RequestLogs
from mockpets.strict_json import dump_json
from mockpets.web.control.call import read_query
from mockpets.web.messages import Request
from tests.request_log.entries import ENTRIES, add, created, entry, message

# --- Filters ----------------------------------------------------------------------------------


def asking(query: Mapping[str, str]) -> Request:
    return Request(EnvironBuilder(query_string=dict(query)).get_environ())


@pytest.mark.parametrize(("query", "expected"), [
    ({}, {}),
    ({"limit": "7", "since": "0"}, {"limit": 7, "since": 0}),
    ({"limit": "1000"}, {"limit": 1000}),
    ({"method": "post", "path": "/v1/*"}, {"method": "POST", "path": "/v1/*"}),
    ({"operation": "getPet", "note": "unmatched"}, {"operation": "getPet", "note": "unmatched"}),
    ({"status": "4XX", "stub": "-"}, {"status": "4xx", "stub": "-"}),
    ({"path": "*a" * 50, "stub": "a" * 1000}, {"path": "*a" * 50, "stub": "a" * 1000}),
    ({"status": "404", "since": "12"}, {"status": "404", "since": 12}),
    ({"outcome": "client_left"}, {"outcome": "client_left"}),
])  # fmt: skip
def test_valid_queries(query: Mapping[str, str], expected: Mapping[str, Any]) -> None:
    assert read_query(asking(query), "requests", BUILT_IN) == expected


def test_the_parameters_are_those_that_the_client_accepts() -> None:
    assert PARAMETERS["requests"].keys() == RequestFilters.__annotations__.keys()


@pytest.mark.parametrize(("query", "message"), [
    ({"limit": "0"}, "limit must be an integer from 1 to 1000, got '0'"),
    ({"limit": "1001"}, "limit must be an integer from 1 to 1000, got '1001'"),
    ({"limit": "٣"}, "limit must be an integer from 1 to 1000, got '٣'"),
    ({"since": "-1"}, "since must be an integer of at least 0, got '-1'"),
    ({"since": "9" * 5000}, f"since must be an integer of at least 0, got '{'9' * 77}...'"),
    ({"status": "40x"}, "status must be a status such as 404, or a class such as 4xx, got '40x'"),
    ({"status": "600"}, "status must be a status such as 404, or a class such as 4xx, got '600'"),
    ({"operation": "listpets"},
     "operation must be one of listPets, createPet, getPet, got 'listpets'; "
         "did you mean 'listPets'?"),
    ({"outcome": "client-left"},
     "outcome must be one of pending, sent, client_left, broken, got 'client-left'; "
         "did you mean 'client_left'?"),
    *(({name: text},
       f"{name} must be a pattern of at most 1,000 characters with at most 50 *, got "
           f"'{text[:77]}...'")
        for name in ("path", "stub") for text in ("*a" * 51, "a" * 1001)),
    ({"limit": "a", "since": "b"},
     "limit must be an integer from 1 to 1000, got 'a'; "
         "since must be an integer of at least 0, got 'b'"),
])  # fmt: skip
def test_invalid_queries(query: Mapping[str, str], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_query(asking(query), "requests", BUILT_IN)

    assert (caught.value.code, caught.value.message) == ("invalid_request", message)


def test_the_error_for_an_unknown_note_lists_all_notes() -> None:
    with pytest.raises(
        RequestError, match=r"note must be one of clock, deprecated, .*; did you mean"
    ) as caught:
        read_query(asking({"note": "deprecatd"}), "requests", BUILT_IN)
    assert caught.value.message.endswith("got 'deprecatd'; did you mean 'deprecated'?")


def test_the_newest_100_are_selected_by_default() -> None:
    entries = [entry(number) for number in range(1, 103)]

    assert selected(entries, {}) == (entries[2:], 102)


@pytest.mark.parametrize(("pattern", "path", "like"), [
    ("/v1/pets", "/v1/pets", True), ("/v1/pets", "/v1/pets/7", False),
    ("/v1/pets/*", "/v1/pets/7", True), ("/v1/*", "/v1/pets/7", True), ("*7", "/v1/pets/7", True),
    ("/v1/p?ts", "/v1/pets", False), ("/v1/p?ts", "/v1/p?ts", True), ("/v1/[a-z]", "/v1/b", False),
    ("/v1/[a-z]", "/v1/[a-z]", True), ("/V1/pets", "/v1/pets", False), ("*", "/v1/a\nb", True),
])  # fmt: skip
def test_paths_with_an_asterisk(pattern: str, path: str, like: bool) -> None:
    assert selected([entry(path=path)], {"limit": 1, "path": pattern})[1] == like


def test_a_pattern_with_many_asterisks_is_fast() -> None:
    long = entry(path="/v1/" + "a" * 16_000)

    assert selected([long], {"limit": 1, "path": "*a" * 500 + "b"}) == ([], 0)


FILTERS = st.fixed_dictionaries({"limit": st.integers(1, 5)}, optional={
    "operation": st.sampled_from(["listPets", "getPet"]),
    "method": st.sampled_from(["GET", "HEAD"]),
    "path": st.sampled_from(["/v1/pets", "/v1/*", "*/7", "/v1/[a]?"]),
    "status": st.sampled_from(["200", "2xx", "4xx", "5xx"]),
    "stub": st.sampled_from(["-", "retry/*", "*/1", "slow/1"]),
    "note": st.just("deprecated"),
    "since": st.integers(0, 50),
})  # fmt: skip


def passes(kept: Entry, wanted: dict[str, Any]) -> bool:
    """Return whether an entry passes, by a plain model of the filters."""

    def like(pattern: str, text: str) -> bool:
        return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text) is not None

    status = None if kept.outcome == "pending" else kept.status
    classes = [str(status), f"{status // 100}xx"] if status else []
    tests: dict[str, Callable[[Any], bool]] = {
        "limit": lambda _: True,
        "since": lambda value: kept.number > value,
        "operation": lambda value: kept.operation is not None and kept.operation.name == value,
        "method": lambda value: value == kept.method,
        "path": lambda value: like(value, kept.path),
        "status": lambda value: value in classes,
        "stub": lambda value: (
            kept.stubs == () if value == "-" else any(like(value, one) for one in kept.stubs)
        ),
        "note": lambda value: value in [note.code for note in kept.notes],
    }
    return all(tests[name](value) for name, value in wanted.items())


@pytest.mark.slow
@given(st.lists(ENTRIES, max_size=12), FILTERS)
def test_any_filter_selects_the_same_as_the_model(
    entries: list[Entry], wanted: dict[str, Any]
) -> None:
    entries.sort(key=lambda kept: kept.number)
    passing = [kept for kept in entries if passes(kept, wanted)]

    assert selected(entries, wanted) == (passing[-wanted["limit"] :], len(passing))


# --- As JSON ----------------------------------------------------------------------------------


def test_an_entry_as_json() -> None:
    made = created(
        3, b'{"name":"Miso"}', target="/~w3/v1/pets?dry=1", path="/v1/pets", session="w3",
        headers=[("Authorization", "Bearer mockpets")], scenarios=("retry", "slow"),
        stubs=("retry/fails",), fault="malformed_json", off_contract="503 is not listed",
        app_ms=0.4129, delay_ms=2000.0, held_ms=2500.25, total_ms=2501.0, hold="door",
        throttle=2000, notes=(Note("ignored_query", "dry"),), outcome="client_left",
    )  # fmt: skip
    expected = {
        "number": 3, "at": "2026-11-21T07:00:03.123Z", "session": "w3", "method": "POST",
        "target": "/~w3/v1/pets?dry=1", "path": "/v1/pets", "operation": "createPet", "status": 201,
        "outcome": "client_left", "scenarios": ["retry", "slow"], "stubs": ["retry/fails"],
        "fault": "malformed_json", "off_contract": "503 is not listed", "app_ms": 0.413,
        "delay_ms": 2000.0, "held_ms": 2500.25, "total_ms": 2501.0, "waits": None, "hold": "door",
        "throttle": 2000, "notes": [{"code": "ignored_query", "text": "dry"}],
    }  # fmt: skip

    assert summary(made) == expected
    assert full(made) == expected | {
        "request": {
            "headers": [
                ["Content-Type", "application/json"],
                ["Authorization", "Bearer [redacted]"],
            ],
            "body": {"size": 15, "text": '{"name":"Miso"}', "base64": False, "cut": False},
        },
        "response": {
            "headers": [["Content-Type", "application/json"]],
            "body": {"size": 3, "text": "[]\n", "base64": False, "cut": False},
        },
    }


@pytest.mark.parametrize(("made", "expected"), [
    (Message(), (0, "", False, False)),
    (message([], "é".encode() * 3, 6), (6, "ééé", False, False)),
    (message([], "é".encode() * 3, 5), (6, "éé", False, True)),
    (message([], "🐈".encode() * 3, 7), (12, "🐈", False, True)),
    (message([], b"ab\xc3"), (3, "YWLD", True, False)),
    (message([], b"ab\xc3\xff", 3), (4, "ab", False, True)),
    (message([], b"\xff\xfe\x00abc", 3), (6, "//4A", True, True)),
    (message([], b"abc", 0), (3, "", False, True)),
    (message([], b"\x00"), (1, "\x00", False, False)),
])  # fmt: skip
def test_bodies(made: Message, expected: tuple[int, str, bool, bool]) -> None:
    body = full(entry(request=made))["request"]["body"]

    assert (body["size"], body["text"], body["base64"], body["cut"]) == expected


@given(ENTRIES)
def test_any_entry_is_json(made: Entry) -> None:
    assert json.loads(dump_json(full(made)))["number"] == made.number


# --- Secrets ----------------------------------------------------------------------------------

SECRETS = st.text("abcdefghijklmnopqrstuvwxyzABCDEF0123456789._~+/-", min_size=5, max_size=40).map(
    "zqZ{}".format
)
"""Eight characters or more, and not a word that the entries contain anyway."""


def spelt(name: str, *, escaped: bool) -> str:
    """Return the name of a parameter, percent-encoded if `escaped`."""
    return "".join(f"%{ord(character):02x}" for character in name) if escaped else name


@given(
    secret=SECRETS,
    header=st.sampled_from(["Authorization", "cookie", "X-Api-Key", "X-CSRF-TOKEN", "My-Secret"]),
    scheme=st.sampled_from(["", "Bearer ", "Basic ", "id="]),
    parameter=st.sampled_from(["token", "access_token", "API-Key", "password", "client_Secret"]),
    escaped=st.booleans(),
    others=st.lists(st.sampled_from(["limit=3", "status=sold", "a=b=c", "&", "?"]), max_size=3),
)
def test_secrets_are_never_recorded(secret: str, **parts: Any) -> None:
    pair = f"{spelt(parts['parameter'], escaped=parts['escaped'])}={secret}"
    query = "&".join([*parts["others"], pair, *parts["others"]])
    headers = [
        (parts["header"], parts["scheme"] + secret),
        ("Referer", f"http://localhost:5173/page?{query}"),
        ("Host", "localhost:7387"),
    ]
    answered = message([("Set-Cookie", f"id={secret}; Path=/"), ("Location", f"/?{query}")], b"")
    request_log = RequestLogs(1_000_000).new(10)
    add(request_log, entry(1, f"/v1/pets?{query}", headers=headers, response=answered))
    (kept,) = request_log.entries()

    for document in (summary(kept), full(kept), har_export.document([kept], "0.1.0")):
        text = dump_json(document).decode()
        assert secret not in text
        assert secret not in unquote(text)
    assert secret not in repr(kept)
