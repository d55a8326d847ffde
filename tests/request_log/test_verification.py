"""Verification: its parameters, its matches and its messages."""

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.constants import REQUEST_OUTCOMES
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import InputError
from mockpets.request_log import verification
from mockpets.request_log.entry import Entry
from mockpets.request_log.queries import summary
from mockpets.request_log.request_log import Kept, RequestLog, RequestLogs
from mockpets.request_log.verification import Progress, Verdict, check, details, rank
from mockpets.scenario.language.expectations import Times, Verification, parse
from mockpets.scenario.matching import ABSENT, Facts, difference
from mockpets.scenario.scenario_model import Condition, Match
from mockpets.strict_json import dump_json, parse_json
from tests.pet_store import OPERATIONS
from tests.request_log.entries import add, created, entry, message


def verified(wanted: dict[str, Any], *entries: Entry, **context: Any) -> Verdict:
    """Verify entries; `wanted` is the match, and can contain `times`."""
    times = {"times": wanted.pop("times")} if "times" in wanted else {}
    return checked(parse(json.dumps({"match": wanted} | times), BUILT_IN), entries, **context)


def checked(verification: Verification, entries: Iterable[Entry], **context: Any) -> Verdict:
    """Check entries that are not ranked yet."""
    return check(verification, [(rank(verification, each), each) for each in entries], **context)


# --- Reading ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("times", "expected", "words"), [
    (None, Times(1, None), "at least 1"),
    (0, Times(0, 0), "exactly 0"),
    (2, Times(2, 2), "exactly 2"),
    (2.0, Times(2, 2), "exactly 2"),
    ({"at_least": 3}, Times(3, None), "at least 3"),
    ({"at_most": 3}, Times(0, 3), "at most 3"),
    ({"at_most": 0}, Times(0, 0), "exactly 0"),
    ({"at_least": 2, "at_most": 4}, Times(2, 4), "2 to 4"),
    ({"at_least": 2, "at_most": 2}, Times(2, 2), "exactly 2"),
])  # fmt: skip
def test_times(times: object, expected: Times, words: str) -> None:
    text = json.dumps({"match": {}} | ({} if times is None else {"times": times}))

    assert parse(text, BUILT_IN).times == expected
    assert str(expected) == words


def test_a_match_is_the_same_as_for_stubs() -> None:
    match = '{"operation": "getPet", "params": {"petId": 3}, "query": {"full": {"present": true}}}'

    assert parse(f'{{"match": {match}}}', BUILT_IN).match == Match(
        ("getPet",),
        params=(Condition("petId", "equals", "3"),),
        query=(Condition("full", "present", True),),
    )


@pytest.mark.parametrize(("text", "problems"), [
    ("", ["body: is empty"]),
    ("{}", ["body:1:1: missing key 'match'; add conditions as in a stub, or {} for all requests"]),
    ('{"match": {"operation": "creatPet"},\n "time": 2}',
     ["body:1:25: match.operation: must be listPets, createPet or getPet, "
         "got 'creatPet'; did you mean 'createPet'?",
      "body:2:2: unknown key 'time'; did you mean 'times'?"]),
    ('{"match": {}, "times": {"at_least": 3, "at_most": 1}}',
     ["body:1:24: times: at_least 3 is more than at_most 1; swap them"]),
    ('{"match": {}, "times": {}}',
     ["body:1:24: times: the range has no limit; add at_least or at_most"]),
    ('{"match": {}, "times": -1}',
     ["body:1:24: times: must be an integer from 0 to 1000000, got -1"]),
    ('{"match": {}, "times": "2"}',
     ["body:1:24: times: must be a number or {at_least, at_most}, got '2'"]),
    ('{"match": {"outcome": "client-left"}}',
     ["body:1:23: match.outcome: must be pending, sent, client_left or broken, "
      "got 'client-left'; did you mean 'client_left'?"]),
    ('{"match": {"status": 600, "operation": "listPets"}}',
     ["body:1:22: match.status: must be an integer from 100 to 599, got 600"]),
    ('{"match": {"status": ["50x", "sold", true]}}',
     ["body:1:23: match.status.1: must be a status such as 503, or a class such as 5xx, got '50x'",
      "body:1:30: match.status.2: must be a status such as 503, or a class such as 5xx, "
          "got 'sold'; for a pet's status, use query or body",
      "body:1:38: match.status.3: must be a status such as 503, or a class such as 5xx, got true"]),
    ('{"match": {"outcome": []}}', ["body:1:23: match.outcome: must have at least 1 item, got 0"]),
    ('{"match": {"params": {"petId": 3}, "operation": "listPets", "outcome": "sent"}}',
     ["body:1:22: match.params: listPets has no petId, only getPet does; "
      "remove it, or move it to a separate stub"]),
])  # fmt: skip
def test_problems_have_their_position(text: str, problems: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        parse(text, BUILT_IN)

    assert [str(problem) for problem in caught.value.problems] == problems


@pytest.mark.parametrize(
    ("name", "count", "problem"),
    [("x" * 17_000, 1, "body: is larger than 16 KiB"), ("x", 100, "has more than 200 values")],
    ids=["one long name", "many values"],
)
def test_a_match_that_is_too_large_is_rejected(name: str, count: int, problem: str) -> None:
    match = {"query": {f"{name}{number}": "a" for number in range(count)}}

    with pytest.raises(InputError, match=problem):
        parse(json.dumps({"match": match}), BUILT_IN)


# --- Messages ---------------------------------------------------------------------------------

MIO = created(2, b'{"name":"Mio","categoryId":1}')
MISO = created(4, b'{"name":"Miso","categoryId":1}')
UNRECORDED = MISO._replace(request=MISO.request._replace(body=b""))
LIST = entry(1, "/v1/pets?status=sold")


def test_the_nearest_requests_are_explained_in_order() -> None:
    verdict = verified({"operation": "createPet", "body": {"name": "Miso"}}, LIST, MIO)

    assert not verdict.passed
    assert verdict.message == (
        'expected at least 1 request: createPet with body.name equals "Miso"; 0 of 2 matched\n'
        "nearest:\n"
        '  request 2, POST /v1/pets, responded 201: body.name: expected "Miso", got "Mio"\n'
        '    body: {"name":"Mio","categoryId":1}'
    )
    assert details(verdict) == {
        "matched": 0,
        "unknown": 0,
        "expected": "at least 1",
        "match": 'createPet with body.name equals "Miso"',
        "nearest": [
            {
                "request": summary(MIO),
                "differences": [{"where": "body.name", "expected": '"Miso"', "got": '"Mio"'}],
            }
        ],
    }


def test_matches_are_listed_if_there_are_too_many() -> None:
    verdict = verified({"operation": "createPet", "times": 1}, LIST, MIO, MISO)

    assert verdict.message == (
        "expected exactly 1 request: createPet; 2 of 3 matched\n"
        "matched:\n"
        "  request 2, POST /v1/pets, responded 201\n"
        "  request 4, POST /v1/pets, responded 201"
    )
    assert (verdict.matched, verdict.nearest) == ((MIO, MISO), ())


def test_matches_are_listed_with_the_nearest_if_there_are_too_few() -> None:
    broken = created(5, b'{"name":"Mi"}', status=None, fault="connection_reset", outcome="broken")
    wanted = {"body": {"name": {"contains": "Mi"}, "categoryId": 1}, "times": {"at_least": 3}}

    assert verified(wanted, MIO, MISO, broken).message == (
        'expected at least 3 requests: any request with body.name contains "Mi" '
        "and body.categoryId equals 1; 2 of 3 matched\n"
        "matched:\n"
        "  request 2, POST /v1/pets, responded 201\n"
        "  request 4, POST /v1/pets, responded 201\n"
        "nearest:\n"
        "  request 5, POST /v1/pets, broken by connection_reset: "
        "body.categoryId is missing, expected 1\n"
        '    body: {"name":"Mi"}'
    )


@pytest.mark.parametrize(("context", "owner"), [({}, ""), ({"session": "w3"}, " of session 'w3'")])
def test_the_message_for_an_empty_request_log_suggests_causes(
    context: dict[str, str], owner: str
) -> None:
    assert verified({}, **context).message == (
        f"expected at least 1 request: any request; the request log{owner} is empty: "
        "did the calls go to another session, or were they preflights?"
    )


def test_the_message_counts_dropped_requests() -> None:
    lines = verified({"operation": "getPet"}, LIST, dropped=12).message.splitlines()

    assert lines[-1] == (
        "older requests dropped from the request log: 12; clear it (DELETE requests) "
        "before the calls that you verify"
    )
    assert lines[0].endswith("; 0 of 1 matched")
    # All requests were dropped, so the message does not suggest that the calls are missing.
    assert "0 of 0 matched" in verified({}, dropped=3).message


@pytest.mark.parametrize(("times", "dropped", "passes"), [
    ({"at_least": 1}, 12, True),
    ({"at_most": 1}, 0, True),
    ({"at_most": 1}, 1, False),
    (1, 1, False),
    # Even if all dropped requests matched, the verification would pass.
    ({"at_most": 3}, 2, True),
    ({"at_most": 3}, 3, False),
    ({"at_least": 1, "at_most": 3}, 2, True),
])  # fmt: skip
def test_dropped_requests_may_have_matched(times: object, dropped: int, passes: bool) -> None:
    verdict = verified({"operation": "listPets", "times": times}, LIST, dropped=dropped)

    assert verdict.passed == passes
    if not passes:
        first, *_, last = verdict.message.splitlines()
        assert first.endswith(f": listPets; 1 of 1 matched, and up to {dropped} more may have")
        assert last.startswith(f"older requests dropped from the request log: {dropped}; clear it ")


def test_dropped_requests_are_not_counted_if_the_result_is_certain() -> None:
    verdict = verified({"operation": "listPets", "times": 0}, LIST, dropped=12)

    assert "1 of 1 matched\n" in verdict.message


@pytest.mark.parametrize(("wanted", "numbers"), [
    # Fewest differences, then other values, then similar ones, then the newest.
    # Requests of another operation are not listed.
    ({"operation": "createPet", "body": {"name": "X"}}, [5, 2, 3]),
    ({"body": {"name": "X", "categoryId": 1}}, [2, 5, 3]),
    ({"operation": "getPet"}, []),
    ({"method": "PATCH", "path": "/v1/pets/*"}, []),
    ({"operation": ["listPets", "getPet"], "query": {"status": "pending"}}, [1]),
    ({"query": {"status": "pending"}}, [1, 5, 3]),
    ({"operation": "createPet", "query": {"status": "sold"}}, [5, 3, 2]),
])  # fmt: skip
def test_the_order_of_the_nearest(wanted: dict[str, Any], numbers: list[int]) -> None:
    bare, other = created(3, b"{}"), created(5, b'{"name":"Mio","categoryId":2}')
    verdict = verified(wanted, LIST, MIO, bare, other)

    assert [near.entry.number for near in verdict.nearest] == numbers


@pytest.mark.parametrize(("expected", "names"), [
    pytest.param("Mio", ["Miso", "Tom", "Rex"], id="similar"),
    pytest.param("MISO", ["Miso", "Tom", "Rex"], id="another case"),
    pytest.param({"one_of": ["Bella", "Lucky"]}, ["Lucy", "Lucy", "Lucy"], id="one of several"),
])  # fmt: skip
def test_the_nearest_requests_have_the_most_similar_values(
    expected: object, names: list[str]
) -> None:
    sent = ["Miso", *["Lucy"] * 150, "Tom", "Rex"]
    entries = [
        created(number, json.dumps({"name": name, "categoryId": 1}).encode())
        for number, name in enumerate(sent, 1)
    ]
    verdict = verified({"operation": "createPet", "body": {"name": expected}}, *entries)

    got = [json.loads(near.entry.request.body)["name"] for near in verdict.nearest]
    assert got == names


@pytest.mark.parametrize(("wanted", "line"), [
    ({"operation": "getPet"}, "the request log has no getPet request"),
    ({"operation": ["getPet", "createPet"], "body": {"name": "X"}},
     "the request log has no getPet or createPet request"),
    ({"method": "GET", "path": "/v1/store/*", "query": {"page": "2"}},
     "the request log has no GET /v1/store/* request"),
])  # fmt: skip
def test_a_message_reports_that_no_request_is_like_the_match(
    wanted: dict[str, Any], line: str
) -> None:
    verdict = verified(wanted, LIST, entry(2, "/v1/store/orders", operation=None, method="PUT"))

    assert verdict.message.splitlines()[1:] == [line]
    assert details(verdict)["nearest"] == []


@pytest.mark.parametrize(("condition", "body", "text"), [
    ("X", b'{"name":"Mio"}', 'body.name: expected "X", got "Mio"'),
    (2, b'{"name":"2"}', 'body.name: expected 2, got "2"'),
    ("absent", b"{}", 'body.name is missing, expected "absent"'),
    ("X", b'{"name":"absent"}', 'body.name: expected "X", got "absent"'),
    ({"contains": "X"}, b"{}", 'body.name is missing, expected contains "X"'),
    ({"present": True}, b"{}", "body.name is missing"),
    ({"present": False}, b'{"name":1}', "body.name: expected absent, got 1"),
    ("X", b"name=X", 'body.name is missing: the body is not JSON, expected "X"'),
])  # fmt: skip
def test_a_difference_in_words(condition: object, body: bytes, text: str) -> None:
    lines = verified({"body": {"name": condition}}, created(1, body)).message.splitlines()

    assert lines[2].endswith(f"responded 201: {text}")
    assert lines[3] == f"    body: {body.decode()}"


@pytest.mark.parametrize(("body", "shown"), [
    (b'{\n  "name": "Mio",\r\n  "x": "a\\nb"\n}', '{ "name": "Mio", "x": "a\\nb" }'),
    (b"\xff\x00", "\\xff\\x00"),
    (b'{"x":"' + b"y" * 500 + b'"}', '{"x":"' + "y" * 391 + "..."),
])  # fmt: skip
def test_a_message_shows_the_body_on_one_line(body: bytes, shown: str) -> None:
    message = verified({"operation": "createPet", "headers": {"x": "1"}}, created(1, body)).message

    assert message.splitlines()[-1] == f"    body: {shown}"


def test_a_message_reports_the_size_of_a_body_that_is_not_recorded() -> None:
    message = verified({"body": {"name": "Mio"}}, UNRECORDED).message

    assert message.splitlines()[-1] == f"    body: not recorded, {MISO.request.size} bytes"


# --- Outcomes ---------------------------------------------------------------------------------

EACH = [created(n, b"{}", outcome=outcome) for n, outcome in enumerate(REQUEST_OUTCOMES, 1)]


@pytest.mark.parametrize(("wanted", "numbers"), [
    ({}, [1, 2, 3, 4]),
    ({"outcome": "pending"}, [1]),
    ({"outcome": "sent"}, [2]),
    ({"outcome": "client_left", "operation": "createPet"}, [3]),
    ({"outcome": ["broken", "pending"]}, [1, 4]),
    ({"outcome": "broken", "operation": "getPet", "times": 0}, []),
    ({"status": 201}, [2, 3, 4]),  # a pending response has no status yet
    ({"status": ["503", "2XX"], "outcome": ["broken", "pending"]}, [4]),
    ({"status": "5xx", "times": 0}, []),
])  # fmt: skip
def test_requests_match_by_outcome(wanted: dict[str, Any], numbers: list[int]) -> None:
    verdict = verified(wanted, *EACH)

    assert verdict.passed
    assert [entry.number for entry in verdict.matched] == numbers


# --- Data that is not recorded ----------------------------------------------------------------


def got(verdict: Verdict) -> list[str]:
    return [mismatch.got for mismatch in verdict.nearest[0].differences]


@pytest.mark.parametrize(
    "condition",
    ["Bearer mockpets", "[redacted]", {"contains": "e"}, {"matches": "*"}, {"one_of": ["a", "b"]}],
)
@pytest.mark.parametrize("part", ["headers", "query"])
def test_a_secret_matches_nothing(part: str, condition: object) -> None:
    name = {"headers": "Authorization", "query": "token"}[part]
    sent = entry(1, "/v1/pets?token=abc", headers=[("authorization", "Bearer mockpets")])
    verdict = verified({part: {name: condition}}, sent)

    assert (verdict.passed, got(verdict)) == (False, ["[redacted]"])
    last = (
        "secret values are not recorded: match them with 'present', or Authorization also with "
        "'equals'"
    )
    assert verdict.message.splitlines()[-1] == last


def test_a_partly_redacted_value_may_have_matched() -> None:
    sent = entry(1, headers=[("Referer", "http://front.test/?token=abc")])
    asked = {"headers": {"Referer": "http://front.test/?token=abc"}, "times": 0}
    verdict = verified(asked, sent)

    assert (verdict.passed, verdict.unknown) == (False, 1)
    assert got(verdict) == ['"http://front.test/?token=[redacted]"']
    assert verified({"headers": {"Referer": "http://front.test/"}, "times": 0}, entry(2)).passed


def test_a_secret_matches_present() -> None:
    sent = entry(1, "/v1/pets?token=abc", headers=[("authorization", "Bearer mockpets")])
    there = {"headers": {"Authorization": {"present": True}}, "query": {"token": {"present": True}}}

    assert verified(there, sent).passed
    assert not verified(there, entry(2)).passed


@pytest.mark.parametrize("condition", ["Miso", {"present": True}, {"present": False}])
def test_a_truncated_body_matches_no_condition(condition: object) -> None:
    long = created(1, b'{"name":"Miso","more":"' + b"x" * 5000 + b'"}')
    verdict = verified({"operation": "createPet", "body": {"name": condition}}, long)

    assert got(verdict) == ["cut off after 4096 bytes"]
    assert verified({"operation": "createPet"}, long).passed


def test_a_body_that_was_not_recorded_matches_no_condition() -> None:
    assert got(verified({"body": {"name": "Miso"}}, UNRECORDED)) == ["not recorded"]
    assert not verified({"body": {"name": {"present": False}}}, UNRECORDED).passed


LONG = created(1, b'{"name":"Miso","more":"' + b"x" * 5000 + b'"}')
WITH_KEY = created(1, b"{}", headers=[("authorization", "Bearer mockpets")])


@pytest.mark.parametrize(("sent", "wanted", "passes"), [
    (LONG, {"body": {"name": "Mio"}}, False),
    (LONG, {"operation": "createPet", "body": {"name": "Mio"}}, False),
    (LONG, {"operation": "getPet", "body": {"name": "Mio"}}, True),
    (WITH_KEY, {"headers": {"Authorization": "Bearer other"}}, False),
    (WITH_KEY, {"headers": {"Authorization": {"present": False}}}, True),
], ids=[
    "long body", "operation", "another operation", "another key", "no key"
])  # fmt: skip
def test_missing_data_cannot_prove_that_no_request_was_made(
    sent: Entry, wanted: dict[str, Any], passes: bool
) -> None:
    verdict = verified(wanted | {"times": 0}, sent)

    assert verdict.passed == passes
    if not passes:
        assert "; 0 of 1 matched, and up to 1 more may have\nnearest:\n" in verdict.message
        assert [near.entry for near in verdict.nearest] == [sent]


@pytest.mark.parametrize(("body", "expected"), [
    (b"name=Miso", "absent, the body is not JSON"),
    (b'{"name":"Miso"', "absent, the body is not JSON"),
    (b"\xff", "absent, the body is not JSON"),
    (b'["Miso"]', "absent"),
    (b"", "absent"),
])  # fmt: skip
def test_a_body_without_properties(body: bytes, expected: str) -> None:
    sent = created(1, body)

    assert got(verified({"body": {"name": "Miso"}}, sent)) == [expected]
    assert verified({"body": {"name": {"present": False}}}, sent).passed


# --- Limits of a message ----------------------------------------------------------------------


def test_a_message_is_short_for_any_request() -> None:
    names = {f"name-{number:02}": "x" * 150 for number in range(90)}
    sent = created(1, b"", target="/v1/pets?name-00=" + "y" * 9000)
    text = verified({"query": names}, sent).message

    assert len(text) < 10_000
    assert max(map(len, text.splitlines())) < 5_000
    assert text.endswith("; and 80 more")
    assert len(verified({}, *[entry(n) for n in range(500)]).message) == 0
    many = verified({"times": 0}, *[entry(number) for number in range(1, 501)]).message
    assert many.splitlines()[-2:] == ["  request 10, GET /v1/pets, responded 200", "  and 490 more"]


def test_a_message_has_no_control_characters() -> None:
    sent = created(1, '{"name":"\\u001b[31m\u202e"}'.encode(), session="w3")
    text = verified({"body": {"name": "Miso\u2066"}}, sent, session="w3").message

    assert all(line.isprintable() for line in text.splitlines())
    assert 'got "\\x1b[31m\\u202e"' in text


def test_half_a_surrogate_pair_can_be_reported() -> None:
    sent = created(1, b'{"name":"\\ud83d"}')
    verdict = verified({"body": {"name": "x"}}, sent)

    assert "\\ud83d" in verdict.message
    assert json.loads(dump_json(details(verdict)))["nearest"][0]["differences"] == [
        {"where": "body.name", "expected": '"x"', "got": '"\\ud83d"'}
    ]


# --- As stubs match ---------------------------------------------------------------------------

WORDS = st.sampled_from(["", "a", "b", "ab", "1", "é ü", "[x]"])
QUERIES = st.lists(st.tuples(st.sampled_from(["p", "q"]), WORDS), max_size=3)
SENT = st.dictionaries(st.sampled_from(["x-a", "X-B"]), WORDS)
BODIES = st.one_of(
    st.just(ABSENT),
    st.dictionaries(
        st.sampled_from(["m", "n"]),
        st.one_of(WORDS, st.none(), st.booleans(), st.integers(0, 2), st.lists(WORDS, max_size=2)),
    ),
)
OPERATORS = st.one_of(
    WORDS,
    st.fixed_dictionaries({"contains": WORDS}),
    st.fixed_dictionaries({"matches": st.sampled_from(["*", "a*", "?"])}),
    st.fixed_dictionaries({"present": st.booleans()}),
    st.fixed_dictionaries({"one_of": st.lists(WORDS, min_size=1, max_size=2)}),
)
MATCHES = st.fixed_dictionaries({}, optional={
    "operation": st.sampled_from(["listPets", "createPet"]),
    "query": st.dictionaries(st.sampled_from(["p", "q"]), OPERATORS, max_size=2),
    "headers": st.dictionaries(st.sampled_from(["X-A", "x-b"]), OPERATORS, max_size=2),
    "body": st.dictionaries(st.sampled_from(["m", "n"]), OPERATORS, max_size=2),
})  # fmt: skip


@given(MATCHES, QUERIES, SENT, BODIES)
def test_a_verification_matches_the_same_requests_as_a_stub(
    wanted: dict[str, Any], pairs: list[tuple[str, str]], sent: dict[str, str], body: object
) -> None:
    """For any condition, a recorded request matches like the request itself."""
    raw = b"" if body is ABSENT else dump_json(body)
    query: dict[str, list[str]] = {}
    for name, value in pairs:
        query.setdefault(name, []).append(value)
    low = {name.lower(): value for name, value in sent.items()}
    parsed = parse_json(raw) if raw else ABSENT
    facts = Facts(OPERATIONS["listPets"], "GET", "/v1/pets", query, low, parsed)
    target = "/v1/pets?" + "&".join(
        f"{name}={''.join(f'%{byte:02X}' for byte in value.encode())}" for name, value in pairs
    )
    verification = parse(json.dumps({"match": wanted}), BUILT_IN)
    kept = entry(1, target, request=message(sent.items(), raw))
    verdict = checked(verification, [kept])

    mismatches = difference(verification.match, facts)
    assert verdict.passed == (not mismatches)
    is_nearest = mismatches and all(each.where != "operation" for each in mismatches)
    assert [list(near.differences) for near in verdict.nearest] == (
        [mismatches] if is_nearest else []
    )


# --- Waiting ----------------------------------------------------------------------------------

OUTCOMES: Any = [{"outcome": "pending"}, {"outcome": ["sent", "broken"]}]
ADD = st.tuples(st.just("add"), st.sampled_from("abc"), st.sampled_from([200, 201, 503, None]))
STEPS = st.one_of(
    ADD,
    ADD,
    st.tuples(st.just("end"), st.integers(0, 9), st.sampled_from(REQUEST_OUTCOMES[1:])),
    st.tuples(st.sampled_from(["detach", "reset", "delete"])),
    st.just(("check",)),
)


@pytest.mark.hypothesis
@given(
    st.lists(STEPS, min_size=10, max_size=30),
    st.fixed_dictionaries(
        {},
        optional={
            "operation": st.just("createPet"),
            "body": st.just({"name": "a"}),
            "headers": st.just({"cookie": "a=1"}),
        },
    ),
    st.sampled_from([{}, {"status": 201}, {"status": "2xx"}, *OUTCOMES]),
    st.sampled_from([0, 1, 2, {"at_least": 1}, {"at_most": 1}, {"at_least": 1, "at_most": 2}]),
)
def test_comparing_what_is_new_has_the_result_of_comparing_everything(
    steps: list[tuple[Any, ...]], match: Any, response: Any, times: Any
) -> None:
    body = {"match": match | response, "times": times, "within": "5s"}
    expected = parse(json.dumps(body), BUILT_IN)
    progress, request_logs = Progress(expected), RequestLogs(9_000)
    request_log = request_logs.new(3)
    pending: list[Kept] = []
    for step, *values in [*steps, ("check",)]:
        if step == "add":
            pet = f'{{"name":"{values[0]}"}}'.encode()
            make = entry if values[0] == "c" else created
            number, headers = request_log.next_number(), [("Cookie", f"{values[0]}=1")]
            made = make(number, body=pet, headers=headers, status=values[1], outcome="pending")
            pending.append(add(request_log, made))
        elif step == "end":
            if pending:
                request_log.end(pending.pop(values[0] % len(pending)), values[1])
        elif step == "delete":
            request_log, pending = request_logs.new(3), []
        elif step != "check":
            getattr(request_log, step)()
        else:
            result = everything_compared(expected, request_log)
            waits = expected.may_change(len(result.matched), passed=result.passed)
            found = progress.check(request_log, "w1", is_last=False)
            assert found == (None if waits else result)
            assert progress.check(request_log, "w1", is_last=True) == result


def everything_compared(expected: Verification, request_log: RequestLog) -> Verdict:
    return checked(
        expected,
        request_log.entries(),
        session="w1",
        dropped=request_log.dropped,
        dropped_for_memory=request_log.dropped_for_memory,
    )


def test_an_entry_is_compared_once_unless_its_response_was_not_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[int] = []

    def recorded(expected: Any, entry: Entry) -> Any:
        compared.append(entry.number)
        return rank(expected, entry)

    rank = verification.rank
    monkeypatch.setattr(verification, "rank", recorded)
    for match in ({}, {"status": 200}):
        compared.clear()
        request_log = RequestLogs(100_000).new(10)
        progress = Progress(
            parse(json.dumps({"match": match, "times": 9, "within": "5s"}), BUILT_IN)
        )
        kept = add(request_log, entry(1, outcome="pending"))
        for number in (2, 3):
            add(request_log, entry(number))
            for _ in range(2):
                assert progress.check(request_log, "w1", is_last=False) is None
            request_log.end(kept, "sent")
        assert progress.check(request_log, "w1", is_last=True) is not None
        assert compared == [1, 2, 1, 3]
