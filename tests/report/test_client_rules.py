"""Each rule of `mockpets report` on requests with chosen times: what is a finding, and what not.

Each case runs on our request log and on the file of a browser.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from mockpets.report.findings import CLIENT_RULES
from tests.cases import each as for_each
from tests.report.traffic import Kind, Sent, create, document, report, series, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


KINDS: tuple[Kind, ...] = ("log", "browser")
Rules = Any
"""Returns the names of the rules that requests break, and the messages."""


@pytest.fixture
def rules(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    monkeypatch.chdir(tmp_path)

    def run(requests: Sequence[Sent], *options: str, kinds: tuple[Kind, ...] = KINDS) -> list[str]:
        found = {}
        for kind in kinds:
            file = write(f"{kind}.har", document(requests, kind))
            status, result, err = report(capsys)("--har", file, *options)
            assert (status, err) == (0, [])
            found[kind] = [(each["rule"], each["message"]) for each in result["findings"]]
        assert all(each == found["log"] for each in found.values())
        run.messages = [message for _, message in found["log"]]  # type: ignore[attr-defined]  # for the test
        run.findings = result["findings"]  # type: ignore[attr-defined]  # for the test
        return [rule for rule, _ in found["log"]]

    return run


def failing(*starts: float, **rest: Any) -> list[Sent]:
    """Return a request that gets a 503 each time, in 10 ms."""
    return series(*starts, **{"status": 503, **rest})


# --- retry-without-backoff ------------------------------------------------------------------------

BACKOFF = ["retry-without-backoff"]


def test_three_retries_with_equal_pauses_are_a_finding(rules: Rules) -> None:
    assert rules(failing(0, 310, 620, 930)) == BACKOFF

    assert rules.messages == [
        "GET /v1/pets was sent again 3 times after failures, with pauses of 300 ms, 300 ms, 300 ms"
    ]
    details = [each["detail"] for each in rules.findings[0]["evidence"]]
    assert details == ["", *(f"300 ms after request {number}" for number in (1, 2, 3))]


def test_two_retries_with_equal_pauses_are_no_finding(rules: Rules) -> None:
    assert rules(failing(0, 310, 620)) == []


@for_each("pause, expected", [(434, BACKOFF), (435, [])])
def test_growth_counts_from_any_earlier_pause(
    rules: Rules, pause: float, expected: list[str]
) -> None:
    # 300, 290 and 434 or 435 ms: the second pause is the shortest
    assert rules(failing(0, 310, 610, 610 + 10 + pause)) == expected


def test_pauses_that_shrink_are_a_finding(rules: Rules) -> None:
    assert rules(failing(0, 1010, 1520, 1830)) == BACKOFF


@for_each("pause, expected", [(99, BACKOFF), (100, [])])
def test_two_retries_with_pauses_below_100_ms_are_a_finding(
    rules: Rules, pause: float, expected: list[str]
) -> None:
    assert rules(failing(0, 10 + pause, 20 + 2 * pause)) == expected


def test_one_immediate_retry_is_no_finding(rules: Rules) -> None:
    assert rules(failing(0, 11)) == []


def test_short_pauses_count_as_100_ms(rules: Rules) -> None:
    assert rules(failing(0, 70, 190, 330)) == BACKOFF  # 60, 110, 130
    assert rules(failing(0, 70, 190, 350)) == []  # 60, 110, 150


def test_jitter_is_growth(rules: Rules) -> None:
    # SWR: (0.5 to 1.5) * 2^n; the least growth that its random numbers allow
    assert rules(failing(0, 1010, 3020, 7030, ms=10)) == []
    assert rules(failing(0, 2010, 4020, 8030, ms=10)) == []


@for_each("status", [500, 502, 503, 429])
def test_each_failure_counts(rules: Rules, status: int) -> None:
    assert rules(failing(0, 310, 620, 930, status=status)) == BACKOFF


def test_a_broken_connection_counts(rules: Rules) -> None:
    assert rules(failing(0, 310, 620, 930, outcome="broken")) == BACKOFF


@for_each("status", [200, 404, 400])
def test_repetition_without_a_failure_does_not_count(rules: Rules, status: int) -> None:
    assert rules(series(0, 310, 620, 930, status=status)) == []


def test_a_request_that_the_client_left_is_no_failure(rules: Rules) -> None:
    assert rules(failing(0, 310, 620, outcome="client_left")) == []


def test_a_success_ends_a_chain(rules: Rules) -> None:
    assert rules([*failing(0, 310), *series(620), *failing(930, 1240, 1550)]) == []


def test_other_requests_are_not_retries(rules: Rules) -> None:
    targets = [f"/v1/pets?limit={number}" for number in (1, 2, 3, 4)]
    assert rules([Sent(310 * n, target=each, status=503) for n, each in enumerate(targets)]) == []


def test_a_retry_with_another_body_is_another_request(rules: Rules) -> None:
    bodies = [{"name": name, "categoryId": 1} for name in "abcd"]
    assert rules([create(310 * n, body, status=503) for n, body in enumerate(bodies)]) == []


def test_requests_of_other_sessions_are_not_retries(rules: Rules) -> None:
    assert rules([Sent(310 * n, status=503, session=f"s{n}") for n in range(4)]) == []


def test_after_30_seconds_a_request_is_a_new_attempt(rules: Rules) -> None:
    assert rules(failing(0, 30_010, 60_020, 90_030)) == []
    assert rules(failing(0, 30_009, 60_018, 90_027)) == BACKOFF


def test_pauses_that_retry_after_asks_for_do_not_count(rules: Rules) -> None:
    assert rules(failing(0, 1010, 2020, 3030, headers={"Retry-After": "1"})) == []


def test_the_effect_of_strict_mode_is_no_retry(rules: Rules) -> None:
    assert rules(failing(0, 12)) == []
    growing = [0, 1010, 3020, 7030]
    both = sorted([*growing, *(at + 12 for at in growing)])
    assert rules(failing(*both)) == []


def test_two_clients_do_not_hide_each_other(rules: Rules) -> None:
    starts = [0, 1010, 2020, 3030]
    assert rules(failing(*sorted([*starts, *(at + 12 for at in starts)]))) == BACKOFF
    assert rules(failing(*sorted([*starts, *(at + 3 for at in starts)]))) == BACKOFF


def test_times_are_exact_to_a_millisecond(rules: Rules) -> None:
    # As the log has them: responses in half a millisecond, and starts that are rounded down.
    assert rules(failing(0, 1, 2, ms=1.5)) == BACKOFF
    assert rules([create(0, ms=1.9), create(1, ms=1.9), create(2, ms=1.9)]) == []


# --- retry-after-ignored --------------------------------------------------------------------------

IGNORED = ["retry-after-ignored"]


@for_each("pause, expected", [(949, IGNORED), (950, [])])
def test_retry_after_has_a_tolerance_of_50_ms(
    rules: Rules, pause: float, expected: list[str]
) -> None:
    assert rules(failing(0, 10 + pause, headers={"Retry-After": "1"})) == expected
    if expected:
        message = "GET /v1/pets was sent again after 949 ms instead of 1 s, despite Retry-After"
        assert rules.messages == [message]


@for_each("at, expected", [(949, IGNORED), (950, [])])
def test_retry_after_as_a_date(rules: Rules, at: float, expected: list[str]) -> None:
    date = {"Retry-After": "Sat, 21 Nov 2026 12:00:01 GMT"}
    assert rules(failing(0, at, headers=date)) == expected


@for_each("at, expected", [(959, IGNORED), (960, [])])
def test_a_date_is_compared_with_that_of_the_response(
    rules: Rules, at: float, expected: list[str]
) -> None:
    # The clock of the server is an hour off. Its dates have no fractions: 1 to 2 seconds are left.
    date = {"Date": "Sat, 21 Nov 2026 13:00:00 GMT", "Retry-After": "Sat, 21 Nov 2026 13:00:02 GMT"}
    assert rules(failing(0, at, headers=date)) == expected


@for_each("value", ["", "soon", "-1", "1.5", "9" * 30, "Sat, 99 Nov 2026 12:00 GMT"])
def test_an_invalid_retry_after_does_not_count(rules: Rules, value: str) -> None:
    assert rules(failing(0, 200, headers={"Retry-After": value})) == []


@for_each("value", ["1 Jan 99999999999999999999 00:00:00", "1 Jan 2026 00:00:00 +99999999999999"])
def test_a_date_of_no_calendar_does_not_count(rules: Rules, value: str) -> None:
    assert rules(failing(0, 1010, headers={"Retry-After": value})) == []


@pytest.mark.slow
def test_many_requests_without_a_response_are_checked_in_time(rules: Rules) -> None:
    start = time.process_time()
    assert rules(series(*range(0, 20_000 * 7, 7), ms=10**9)) == ["request-storm"]
    assert time.process_time() - start < 20  # quadratic time would be minutes


def test_retry_after_holds_only_for_the_same_request(rules: Rules) -> None:
    limited = failing(0, headers={"Retry-After": "5"})
    assert rules([*limited, Sent(200, target="/v1/pets?limit=3")]) == []


def test_requests_at_the_same_time_do_not_ignore_retry_after(rules: Rules) -> None:
    headers = {"Retry-After": "5"}
    assert rules(failing(0, 5, headers=headers)) == []
    assert rules(failing(0, 12, headers=headers)) == []  # the client may not have read it
    assert rules(failing(0, 49, headers=headers)) == []
    assert rules(failing(0, 50, headers=headers)) == IGNORED


@for_each(
    "starts, expected",
    [
        ((0, 1010), []),
        ((0, 3000, 7000, 9000), []),  # a person who reloads the page, again and again
        ((0, 3000, 7000, 7800), IGNORED),  # too fast for a person
        ((0, 5010, 10_100, 15_110), [*BACKOFF, *IGNORED]),  # a timer
    ],
)
def test_a_person_who_reloads_the_page_does_not_ignore_retry_after(
    rules: Rules, starts: Sequence[float], expected: list[str]
) -> None:
    requests = failing(*starts, headers={"Retry-After": "120"})
    assert [rule for rule in rules(requests) if rule in expected or rule in IGNORED] == expected
    opened = failing(0, 100, 200, headers={"Retry-After": "120"}, sent={"Accept": "text/html,*/*"})
    assert not {*rules(opened)} & {*IGNORED}


def test_the_last_retry_after_counts(rules: Rules) -> None:
    first = failing(0, headers={"Retry-After": "60"})
    assert rules([*first, *failing(60_010, 61_020, headers={"Retry-After": "1"})]) == []


# --- request-storm --------------------------------------------------------------------------------

STORM = ["request-storm"]


@for_each("last, expected", [(999, STORM), (1000, [])])
def test_six_equal_requests_in_a_second_are_a_finding(
    rules: Rules, last: float, expected: list[str]
) -> None:
    assert rules(series(0, 200, 400, 600, 800, last)) == expected


def test_a_burst_is_one_finding(rules: Rules) -> None:
    assert rules(series(*range(0, 2000, 100))) == STORM
    assert rules.messages == [
        "GET /v1/pets was sent 20 times in 1.9 s; at most 5 equal requests a second are expected"
    ]
    assert len(rules.findings[0]["evidence"]) == 10


def test_different_requests_are_no_storm(rules: Rules) -> None:
    assert rules([Sent(n, target=f"/v1/pets?limit={n + 1}") for n in range(20)]) == []


def test_the_list_after_each_new_pet_is_no_storm(rules: Rules) -> None:
    creates = [create(100 * n, {"name": f"{n}", "categoryId": 2}) for n in range(9)]
    lists = series(*(100 * n + 20 for n in range(9)))
    assert rules([*creates, *lists]) == []

    # A second list after each new pet is one too many.
    more = series(*(100 * n + 40 for n in range(9)))
    assert rules([*creates, *lists, *more]) == ["request-storm"]


# --- duplicate-create -----------------------------------------------------------------------------

DUPLICATE = ["duplicate-create"]


@for_each("at, expected", [(2999, DUPLICATE), (3000, [])])
def test_a_create_while_the_same_is_pending_is_a_finding(
    rules: Rules, at: float, expected: list[str]
) -> None:
    assert rules([create(0, ms=3000), create(at)]) == expected


def test_another_body_is_no_duplicate(rules: Rules) -> None:
    assert rules([create(0, ms=3000), create(5, {"name": "Mio", "categoryId": 2})]) == []


def test_a_list_may_be_requested_twice(rules: Rules) -> None:
    assert rules(series(0, 5, ms=3000)) == []


def test_three_clicks_are_one_finding(rules: Rules) -> None:
    assert rules([create(0, ms=3000), create(100, ms=3000), create(3050)]) == DUPLICATE
    assert "sent again 2 times with the same body" in rules.messages[0]


# --- request-after-401 ----------------------------------------------------------------------------

AFTER_401 = ["request-after-401"]


@for_each("starts, expected", [((0, 500, 900), AFTER_401), ((0, 500), [])])
def test_two_more_401_are_a_finding(
    rules: Rules, starts: tuple[float, ...], expected: list[str]
) -> None:
    targets = ["/v1/pets", "/v1/pets?limit=2", "/v1/pets?limit=3"]
    requests = [Sent(at, target=t, status=401) for at, t in zip(starts, targets, strict=False)]
    assert rules(requests) == expected


def test_requests_that_began_before_the_401_do_not_count(rules: Rules) -> None:
    page = [Sent(n, target=f"/v1/pets?limit={n + 1}", status=401) for n in range(0, 50, 12)]
    assert rules(page) == []
    late = [
        Sent(n, target=f"/v1/pets?limit={n + 1}", status=401, ms=900) for n in range(0, 900, 99)
    ]
    assert rules(late) == []


def test_a_new_key_is_no_finding(rules: Rules) -> None:
    keys = ["Bearer a", "Bearer b", "Bearer c"]
    assert rules([Sent(500 * n, status=401, key=key) for n, key in enumerate(keys)]) == []


def test_a_missing_key_is_a_finding_too(rules: Rules) -> None:
    assert rules(series(0, 500, 1000, status=401, key=None)) == AFTER_401
    assert rules.messages == ["2 requests got 401 without a new key after the first 401"]


def test_a_key_that_works_again_starts_over(rules: Rules) -> None:
    before, after = series(0, 500, status=401), series(1500, 2000, status=401)
    assert rules([*before, Sent(1000), *after]) == []


def test_a_failure_does_not_prove_that_the_key_works(rules: Rules) -> None:
    assert rules(
        [*series(0, status=401), Sent(300, status=503), *series(600, 900, status=401)]
    ) == (AFTER_401)


def test_a_key_is_never_in_the_report(rules: Rules) -> None:
    assert rules(series(0, 500, 900, status=401, key="Bearer s3cret")) == AFTER_401
    assert "s3cret" not in json.dumps(rules.findings)


# --- rejected-body-repeated -----------------------------------------------------------------------

REPEATED = ["rejected-body-repeated"]
BAD = {"name": "", "categoryId": 2}


def test_a_rejected_body_that_is_sent_again_is_a_finding(rules: Rules) -> None:
    assert rules([create(0, BAD, status=400), create(900, BAD, status=400)]) == REPEATED
    message = "POST /v1/pets got 400, and the same body was sent again 1 time"
    assert rules.messages == [message]


def test_a_corrected_body_is_no_finding(rules: Rules) -> None:
    assert rules([create(0, BAD, status=400), create(900, {"name": "a", "categoryId": 1})]) == []


def test_a_body_that_is_accepted_later_is_no_finding(rules: Rules) -> None:
    assert rules([create(0, status=400), create(900, status=201)]) == []


def test_a_body_that_was_sent_before_the_400_is_no_finding(rules: Rules) -> None:
    assert "rejected-body-repeated" not in rules([create(0, status=400), create(9, status=400)])


def test_a_rejected_request_without_a_body_is_no_finding(rules: Rules) -> None:
    assert rules(series(0, 900, target="/v1/pets?limit=0", status=400)) == []


# --- response-unread ------------------------------------------------------------------------------

UNREAD = ["response-unread"]


@for_each("count, expected", [(4, UNREAD), (3, [])])
def test_more_than_three_unread_responses_are_a_finding(
    rules: Rules, count: int, expected: list[str]
) -> None:
    targets = [f"/v1/pets?limit={n + 1}" for n in range(count)]
    left = [Sent(300 * n, target=t, outcome="client_left") for n, t in enumerate(targets)]
    assert rules(left) == expected


def test_what_strict_mode_sends_again_at_once_does_not_count(rules: Rules) -> None:
    targets = [f"/v1/pets?limit={n + 1}" for n in range(9)]
    pairs = [
        each
        for n, target in enumerate(targets)
        for each in (
            Sent(300 * n, target=target, outcome="client_left"),
            Sent(300 * n + 99, target=target),
        )
    ]
    assert rules(pairs) == []


# --- What the contract does not have --------------------------------------------------------------


def test_a_deprecated_operation_is_a_finding(rules: Rules) -> None:
    assert rules([Sent(0, target="/v1/pets/3"), Sent(900, "HEAD", "/v1/pets/4", status=404)]) == [
        "deprecated-operation"
    ]
    assert rules.messages == ["the deprecated operation getPet was called in 2 requests"]


@for_each(
    "target, message",
    [
        (
            "/v1/pets?limt=3",
            "listPets has no query parameter 'limt', in 1 request; did you mean 'li",
        ),
        ("/v1/pets?limit=3&page=2", "listPets has no query parameter 'page', in 1 request"),
        ("/v1/pets?%1b=1", "listPets has no query parameter '\\x1b', in 1 request"),
    ],
)
def test_an_unknown_parameter_is_a_finding(rules: Rules, target: str, message: str) -> None:
    assert rules([Sent(0, target=target)]) == ["unknown-parameter"]
    assert rules.messages[0].startswith(message)


def test_the_parameters_of_the_contract_are_no_finding(rules: Rules) -> None:
    assert rules([Sent(0, target="/v1/pets?limit=3&status=sold&status=pending")]) == []


def test_each_unknown_property_is_one_finding(rules: Rules) -> None:
    body = {"name": "Miso", "category": 2, "categoryId": 2, "photos": []}
    assert rules([create(0, body), create(900, body)]) == ["unknown-property"] * 2
    assert rules.messages == [
        "createPet has no property 'category', in 2 requests; did you mean 'categoryId'?",
        "createPet has no property 'photos', in 2 requests",
    ]


@for_each("body", ["", "[]", "3", "{", '{"name": "Mi', "[" * 100_000])
def test_a_body_that_is_no_object_has_no_properties(rules: Rules, body: str) -> None:
    assert rules([Sent(0, "POST", body=body, status=400)]) == []


@for_each("name", ["api_key", "token", "access_token", "code", "client%5Fsecret"])
def test_a_key_in_the_query_is_a_finding_and_not_printed(rules: Rules, name: str) -> None:
    assert rules([Sent(0, target=f"/v1/pets?limit=3&{name}=s3cret-value")]) == ["key-in-query"]
    text = json.dumps(rules.findings)
    assert "[redacted]" in text
    assert "s3cret-value" not in text


@for_each("query", ["token%3Ds3cret-value", "token%3Ds3cret-value=", "x%3Dtoken%3Ds3cret-value"])
def test_a_key_after_an_encoded_equals_sign_is_not_printed(rules: Rules, query: str) -> None:
    assert len(rules([Sent(0, target=f"/v1/pets?{query}")])) == 1
    assert "s3cret-value" not in json.dumps(rules.findings)


@for_each(
    "method, target, message",
    [
        ("GET", "/v1/pet", "the path '/v1/pet' is not in the contract, in 1 request"),
        ("GET", "/v1/pets/", "the path '/v1/pets/' is not in the contract, in 1 request"),
        ("GET", "/v1/pets/3/photos", "the path '/v1/pets/{number}/photos' is not in the contract"),
        ("DELETE", "/v1/pets/3", "the path '/v1/pets/{number}' has no method 'DELETE', in 1 req"),
        ("PUT", "/v1/pets", "the path '/v1/pets' has no method 'PUT', in 1 request"),
        ("POST", "/v1/store/orders", "the path '/v1/store/orders' has no method 'POST'"),
    ],
)
def test_a_path_or_method_outside_the_contract_is_a_finding(
    rules: Rules, method: str, target: str, message: str
) -> None:
    assert rules([Sent(0, method, target, status=404)]) == ["off-contract-path"]
    assert rules.messages[0].startswith(message)


@for_each(
    "method, target",
    [
        ("HEAD", "/v1/pets"),
        ("GET", "/v1/store/orders"),
        ("OPTIONS", "/v1/pet"),
        ("GET", "/favicon.ico"),
        ("GET", "/.well-known/appspecific/com.chrome.devtools.json"),
    ],
)
def test_what_the_contract_names_and_browsers_send_is_no_finding(
    rules: Rules, method: str, target: str
) -> None:
    assert rules([Sent(0, method, target), Sent(900)]) == []


@for_each("target", ["/", "/docs", "/panel", "/v1", "/v1/"])
@for_each("accept, expected", [("text/html,*/*", []), ("*/*", ["off-contract-path"])])
def test_a_page_that_a_person_opens_is_no_finding(
    rules: Rules, target: str, accept: str, expected: list[str]
) -> None:
    opened = Sent(0, target=target, status=404, sent={"Accept": accept})
    assert rules([opened, Sent(900)], kinds=("log",)) == expected


def test_a_path_that_a_scenario_s_own_stub_answers_is_no_finding(rules: Rules) -> None:
    stub = {"Mockpets-Stub": "mine/categories", "Mockpets-Off-Contract": "..."}
    assert rules([Sent(0, target="/v1/categories", headers=stub)]) == []
    none = {"Mockpets-Stub": "-"}
    assert rules([Sent(0, target="/v1/categories", status=404, headers=none)]) != []


def test_a_long_url_is_cut_to_200_characters(rules: Rules) -> None:
    target = "/v1/pets?limit=" + "1" * 500
    rules(series(*range(0, 120, 10), target=target))
    [finding] = rules.findings
    assert {each["request"] for each in finding["evidence"]} == {f"GET {target[:197]}..."}
    assert finding["message"].startswith(f"GET {target[:197]}... was sent")


# --- All rules ------------------------------------------------------------------------------------


def test_the_order_in_a_file_does_not_matter(rules: Rules) -> None:
    assert rules(failing(930, 0, 620, 310)) == BACKOFF


def test_findings_have_the_order_of_the_rules(rules: Rules) -> None:
    unknown = Sent(0, target="/v1/x", status=404)
    requests = [unknown, Sent(900, target="/v1/pets/3"), *failing(0, 310, 620, 930)]
    assert rules(requests) == ["off-contract-path", "deprecated-operation", *BACKOFF]


def test_errors_come_before_warnings() -> None:
    levels = [rule.level for rule in CLIENT_RULES]
    assert levels == sorted(levels)


def test_every_rule_has_texts_that_differ() -> None:
    assert (
        len({rule.name for rule in CLIENT_RULES}) == len({rule.fix for rule in CLIENT_RULES}) == 12
    )
    for rule in CLIENT_RULES:
        assert rule.explanation.endswith(".")
        assert rule.fix.endswith(".")
