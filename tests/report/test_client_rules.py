"""Each rule of `mockpets report` on requests with chosen times: what is a finding, and what not.

Each case runs on our request log and on the file of a browser.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mockpets.report.findings import CLIENT_RULES
from tests.report.traffic import Kind, Sent, create, document, report, series, write

KINDS: tuple[Kind, ...] = ("log", "browser")
Findings = Any
"""Returns the findings on requests."""


@pytest.fixture
def findings(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[Any]]:
    monkeypatch.chdir(tmp_path)

    def run(requests: Sequence[Sent], kinds: tuple[Kind, ...] = KINDS) -> list[Any]:
        found: list[list[Any]] = []
        for kind in kinds:
            file = write(f"{kind}.har", document(requests, kind))
            status, result, err = report(capsys)("--har", file)
            assert (status, err) == (0, [])
            found.append(result["findings"])
        texts = [[(each["rule"], each["message"]) for each in result] for result in found]
        assert all(each == texts[0] for each in texts)
        return found[0]

    return run


def failing(*starts: float, **rest: Any) -> list[Sent]:
    """Return a request that gets a 503 each time, in 10 ms."""
    return series(*starts, **{"status": 503, **rest})


def limited(*starts: float, after: str, **rest: Any) -> list[Sent]:
    """Return a request that gets a 503 with Retry-After each time."""
    return failing(*starts, headers={"Retry-After": after}, **rest)


def lists(starts: Sequence[float], **rest: Any) -> list[Sent]:
    """Return different lists."""
    return [Sent(at, target=f"/v1/pets?limit={n}", **rest) for n, at in enumerate(starts, 1)]


def summary(value: Any) -> str | None:
    """Name a case by its requests: the first, and when all were sent."""
    match value:
        case [Sent() as first, *_]:
            times = " ".join(f"{each.at:g}" for each in value)
            return f"{first.method} {first.target:.20} {first.status} at {times}"[:40]
    return None


BACKOFF, IGNORED, STORM = "retry-without-backoff", "retry-after-ignored", "request-storm"
DUPLICATE, AFTER_401, REPEATED = "duplicate-create", "request-after-401", "rejected-body-repeated"
UNREAD, OFF_CONTRACT, KEY = "response-unread", "off-contract-path", "key-in-query"
GROWING, STEADY = [0, 1010, 3020, 7030], [0, 1010, 2020, 3030]
DATE = "Sat, 21 Nov 2026 13:00:00 GMT"
BAD = {"name": "", "categoryId": 2}
TEXT = {"Accept": "text/html,*/*"}


def at_once(starts: Sequence[float], pause: float) -> list[Sent]:
    """Return requests of two components, which fetch at nearly the same time."""
    return failing(*sorted([*starts, *(at + pause for at in starts)]))


@pytest.mark.parametrize(("expected", "requests"), [
    # --- retry-without-backoff: three retries with equal pauses ---
    ([BACKOFF], failing(0, 310, 620, 930)),
    ([], failing(0, 310, 620)),
    # 300, 290 and 434 or 435 ms: growth counts from any earlier pause
    ([BACKOFF], failing(0, 310, 610, 1054)),
    ([], failing(0, 310, 610, 1055)),
    ([BACKOFF], failing(0, 1010, 1520, 1830)),
    # Two retries with pauses below 100 ms, but not one.
    ([BACKOFF], failing(0, 109, 218)),
    ([], failing(0, 110, 220)),
    ([], failing(0, 11)),
    # Short pauses count as 100 ms: 60, 110, 130 or 150
    ([BACKOFF], failing(0, 70, 190, 330)),
    ([], failing(0, 70, 190, 350)),
    # SWR: (0.5 to 1.5) * 2^n; the least growth that its random numbers allow
    ([], failing(*GROWING)),
    ([], failing(0, 2010, 4020, 8030)),
    *(([BACKOFF], failing(0, 310, 620, 930, status=each)) for each in (500, 502, 429)),
    *(([], failing(0, 310, 620, 930, status=each)) for each in (200, 404, 400)),
    ([BACKOFF], failing(0, 310, 620, 930, outcome="broken")),
    ([], failing(0, 310, 620, outcome="client_left")),
    ([], [*failing(0, 310), *series(620), *failing(930, 1240, 1550)]),  # a success between
    ([], lists([0, 310, 620, 930], status=503)),
    ([], [create(310 * n, {"name": f"{n}", "categoryId": 1}, status=503) for n in range(4)]),
    ([], [Sent(310 * n, status=503, session=f"s{n}") for n in range(4)]),
    # After 30 s, a request is a new attempt.
    ([], failing(0, 30_010, 60_020, 90_030)),
    ([BACKOFF], failing(0, 30_009, 60_018, 90_027)),
    ([], limited(*STEADY, after="1")),
    ([], limited(0, 960, 1920, 2880, after="1")),
    ([BACKOFF, IGNORED], limited(0, 959, 1918, 2877, after="1")),
    # StrictMode sends twice; two clients do not hide each other.
    ([], failing(0, 12)),
    ([], at_once(GROWING, 12)),
    ([BACKOFF], at_once(STEADY, 12)),
    ([BACKOFF], at_once(STEADY, 3)),
    # As the log has them: responses in half a millisecond, and starts that are rounded down.
    ([BACKOFF], failing(0, 1, 2, ms=1.5)),
    ([], [create(at, ms=1.9) for at in (0, 1, 2)]),
    ([BACKOFF], failing(930, 0, 620, 310)),  # the order in a file does not matter
    # --- retry-after-ignored, with a tolerance of 50 ms ---
    ([IGNORED], limited(0, 959, after="1")),
    ([], limited(0, 960, after="1")),
    ([IGNORED], limited(0, 949, after="Sat, 21 Nov 2026 12:00:01 GMT")),
    ([], limited(0, 950, after="Sat, 21 Nov 2026 12:00:01 GMT")),
    # The clock of the server is an hour off. Its dates have no fractions: 1 to 2 s are left.
    ([IGNORED], failing(0, 959, headers={"Date": DATE, "Retry-After": DATE[:-6] + "02 GMT"})),
    ([], failing(0, 960, headers={"Date": DATE, "Retry-After": DATE[:-6] + "02 GMT"})),
    *(([], limited(0, 200, after=each))
        for each in ("", "soon", "-1", "1.5", "9" * 30, "Sat, 99 Nov 2026 12:00 GMT")),
    ([], limited(0, 1010, after="1 Jan 99999999999999999999 00:00:00")),
    ([], limited(0, 1010, after="1 Jan 2026 00:00:00 +99999999999999")),
    ([], [*limited(0, after="5"), Sent(200, target="/v1/pets?limit=3")]),
    # At the same time, the client may not have read it.
    ([], limited(0, 5, after="5")),
    ([], limited(0, 49, after="5")),
    ([IGNORED], limited(0, 50, after="5")),
    # A person who reloads the page, too fast for a person, and a timer.
    ([], limited(0, 3000, 7000, 9000, after="120", status=404)),
    ([IGNORED], limited(0, 3000, 7000, 7800, after="120", status=404)),
    ([BACKOFF, IGNORED], limited(0, 5010, 10_100, 15_110, after="120")),
    ([], limited(0, 120, after="120", sent=TEXT)),
    ([], [*limited(0, after="60"), *limited(60_010, 61_020, after="1")]),  # the last counts
    # --- request-storm: six equal requests in a second ---
    ([STORM], series(0, 200, 400, 600, 800, 999)),
    ([], series(0, 200, 400, 600, 800, 1000)),
    ([], lists(range(20))),
    # The list after each new pet is none, but a second one is.
    ([], [create(100 * n, {"name": f"{n}", "categoryId": 2}) for n in range(9)]
        + series(*range(20, 900, 100))),
    ([STORM], [create(100 * n, {"name": f"{n}", "categoryId": 2}) for n in range(9)]
        + series(*range(20, 900, 100), *range(40, 900, 100))),
    # --- duplicate-create: while the same is pending ---
    ([DUPLICATE], [create(0, ms=3000), create(2999)]),
    ([], [create(0, ms=3000), create(3000)]),
    ([], [create(0, ms=3000), create(5, {"name": "Mio", "categoryId": 2})]),
    ([], series(0, 5, ms=3000)),
    # --- request-after-401: two more ---
    ([AFTER_401], lists([0, 500, 900], status=401)),
    ([], lists([0, 500], status=401)),
    # They began before the client knew.
    ([], lists(range(0, 50, 12), status=401)),
    ([], lists(range(0, 900, 99), status=401, ms=900)),
    ([], [Sent(500 * n, status=401, key=f"Bearer {n}") for n in range(3)]),
    # The key works again; a failure does not prove that.
    ([], [*series(0, 500, 1500, 2000, status=401), Sent(1000)]),
    ([AFTER_401], [*series(0, 600, 900, status=401), Sent(300, status=503)]),
    # --- rejected-body-repeated ---
    ([], [create(0, BAD, status=400), create(900, {"name": "a", "categoryId": 1})]),
    ([], [create(0, status=400), create(900, status=201)]),
    ([DUPLICATE], [create(0, status=400), create(9, status=400)]),  # sent before the 400
    ([], series(0, 900, target="/v1/pets?limit=0", status=400)),
    # --- response-unread: more than three; StrictMode sends again at once ---
    ([UNREAD], lists(range(0, 1200, 300), outcome="client_left")),
    ([], lists(range(0, 900, 300), outcome="client_left")),
    ([], lists(range(0, 2700, 300), outcome="client_left") + lists(range(99, 2799, 300))),
    # --- What the contract names, or a browser sends ---
    ([], [Sent(0, target="/v1/pets?limit=3&status=sold&status=pending")]),
    *(([], [Sent(0, "POST", body=body, status=400)])
        for body in ("", "[]", "3", "{", '{"name": "Mi', "[" * 100_000)),
    *(([], [Sent(0, method, target), Sent(900)])
        for method, target in (
            ("HEAD", "/v1/pets"), ("GET", "/v1/store/orders"), ("OPTIONS", "/v1/pet"),
            ("GET", "/favicon.ico"), ("GET", "/.well-known/appspecific/com.chrome.devtools.json"),
        )),
    # A path that a scenario's own stub responds to.
    ([], [Sent(0, target="/v1/x", headers={"Mockpets-Stub": "mine/x"})]),
    ([OFF_CONTRACT], [Sent(0, target="/v1/x", status=404, headers={"Mockpets-Stub": "-"})]),
    # --- In the order of the rules ---
    ([OFF_CONTRACT, "deprecated-operation", BACKOFF], [
        Sent(0, target="/v1/x", status=404),
        Sent(900, target="/v1/pets/3"),
        *failing(0, 310, 620, 930),
    ]),
], ids=summary)  # fmt: skip
def test_requests_break_exactly_these_rules(
    findings: Findings, expected: list[str], requests: list[Sent]
) -> None:
    assert [each["rule"] for each in findings(requests)] == expected


@pytest.mark.parametrize(("rule", "requests", "messages"), [
    (BACKOFF, failing(0, 310, 620, 930),
     "GET /v1/pets was sent again 3 times after failures, with pauses of 300 ms, 300 ms, 300 ms"),
    (IGNORED, limited(0, 959, after="1"),
     "GET /v1/pets was sent again after 949 ms instead of 1 s, despite Retry-After"),
    (STORM, series(*range(0, 2000, 100)),
     "GET /v1/pets was sent 20 times in 1.9 s; at most 5 equal requests a second are expected"),
    (DUPLICATE, [create(0, ms=3000), create(100, ms=3000), create(3050)],
     "POST /v1/pets was sent again 2 times with the same body while the first was pending"),
    (AFTER_401, series(0, 500, 1000, status=401, key=None),
     "2 requests returned 401 without a new key after the first 401"),
    (REPEATED, [create(0, BAD, status=400), create(900, BAD, status=400)],
     "POST /v1/pets got 400, and the same body was sent again 1 time"),
    (UNREAD, series(*range(0, 20_000, 5000), outcome="client_left"),
     "the client aborted 4 requests without reading the response; the limit is 3"),
    ("deprecated-operation",
     [Sent(0, target="/v1/pets/3"), Sent(900, "HEAD", "/v1/pets/4", status=404)],
     "the deprecated operation getPet was called in 2 requests"),
    ("unknown-parameter", [Sent(0, target="/v1/pets?limt=3&%1b=1")],
     "listPets has no query parameter 'limt', in 1 request; did you mean 'limit'?|"
         "listPets has no query parameter '\\x1b', in 1 request"),
    ("unknown-property",
     [create(at, {**BAD, "name": "a", "category": 2, "photos": []}) for at in (0, 900)],
     "createPet has no property 'category', in 2 requests; did you mean 'categoryId'?|"
         "createPet has no property 'photos', in 2 requests"),
    *((OFF_CONTRACT, [Sent(0, method, target, status=404)], f"the path {what}, in 1 request")
        for method, target, what in (
            ("GET", "/v1/pets/", "'/v1/pets/' is not in the contract"),
            ("GET", "/v1/pets/3/photos", "'/v1/pets/{number}/photos' is not in the contract"),
            ("DELETE", "/v1/pets/3", "'/v1/pets/{number}' has no method 'DELETE'"),
            ("POST", "/v1/store/orders", "'/v1/store/orders' has no method 'POST'"),
        )),
])  # fmt: skip
def test_the_message_of_a_finding(
    findings: Findings, rule: str, requests: list[Sent], messages: str
) -> None:
    found = findings(requests)

    assert {each["rule"] for each in found} == {rule}
    assert [each["message"] for each in found] == messages.split("|")
    assert all(len(each["evidence"]) <= 10 for each in found)


def test_evidence_names_the_request_before(findings: Findings) -> None:
    [finding] = findings(failing(0, 310, 620, 930))

    details = [each["detail"] for each in finding["evidence"]]
    assert details == ["", *(f"300 ms after request {number}" for number in (1, 2, 3))]


@pytest.mark.parametrize(("rule", "requests"), [
    *((KEY, [Sent(0, target=f"/v1/pets?limit=3&{name}=s3cret-value")])
        for name in ("api_key", "token", "access_token", "code", "client%5Fsecret")),
    *((rule, [Sent(0, target=f"/v1/pets?{query}")])
        for rule, query in (
            (KEY, "token%3Ds3cret-value"), (KEY, "token%3Ds3cret-value="),
            ("unknown-parameter", "x%3Dtoken%3Ds3cret-value"),
        )),
    (AFTER_401, series(0, 500, 900, status=401, key="Bearer s3cret-value")),
], ids=summary)  # fmt: skip
def test_a_secret_is_not_printed(findings: Findings, rule: str, requests: list[Sent]) -> None:
    found = findings(requests)

    assert [each["rule"] for each in found] == [rule]
    assert "s3cret-value" not in json.dumps(found)


@pytest.mark.parametrize("target", ["/", "/docs", "/panel", "/v1", "/v1/"])
@pytest.mark.parametrize(("sent", "expected"), [(TEXT, []), ({"Accept": "*/*"}, [OFF_CONTRACT])])
def test_a_page_that_a_person_opens_is_no_finding(
    findings: Findings, target: str, sent: dict[str, str], expected: list[str]
) -> None:
    found = findings([Sent(0, target=target, status=404, sent=sent), Sent(900)], kinds=("log",))
    assert [each["rule"] for each in found] == expected


def test_a_long_url_is_cut_to_200_characters(findings: Findings) -> None:
    target = "/v1/pets?limit=" + "1" * 500
    [finding] = findings(series(*range(0, 120, 10), target=target))
    assert {each["request"] for each in finding["evidence"]} == {f"GET {target[:197]}..."}
    assert finding["message"].startswith(f"GET {target[:197]}... was sent")


@pytest.mark.long
def test_many_requests_without_a_response_are_checked_in_time(findings: Findings) -> None:
    start = time.process_time()
    [finding] = findings(series(*range(0, 20_000 * 7, 7), ms=10**9))
    assert finding["rule"] == STORM
    assert time.process_time() - start < 20  # quadratic time would be minutes


def test_errors_come_before_warnings_and_each_rule_has_texts() -> None:
    levels = [rule.level for rule in CLIENT_RULES]
    assert levels == sorted(levels)
    assert len({rule.name for rule in CLIENT_RULES}) == 12
    assert len({rule.fix for rule in CLIENT_RULES}) == 12
    assert all(rule.explanation.endswith(".") and rule.fix.endswith(".") for rule in CLIENT_RULES)
