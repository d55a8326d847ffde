"""`mockpets report --har`: which files and entries it reads, and how it rejects invalid ones."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockpets.cli.main import main
from mockpets.report.har_reader import HAR_BYTES
from tests.report.traffic import Sent, create, document, report, series, write

Run = Any
EXPORT = "write one with 'mockpets requests --har', or save all as HAR in a browser"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MOCKPETS_"):
            monkeypatch.delenv(name)
    # A server that is not there: files need none.
    monkeypatch.setenv("MOCKPETS_URL", "http://localhost:1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict[str, Any], list[str]]]:
    return report(capsys)


def broken(**changes: object) -> dict[str, Any]:
    """Return a document whose second entry has other properties."""
    result = document(series(0, 900))
    result["log"]["entries"][1] |= changes
    return result


# --- Which requests -------------------------------------------------------------------------------

FIREFOX = {"log": {
    "browser": {"name": "Firefox", "version": "128.0"},
    "entries": [
        {
            "startedDateTime": "2026-11-21T13:00:00.120+01:00",
            "request": {
                "bodySize": 0, "method": "GET", "url": "https://staging.example/v1/pets?page=2",
                "headers": [{"name": "Authorization", "value": "Bearer s3cret"}],
            },
            "response": {
                "status": 200, "headers": [{"name": "content-type", "value": "application/json"}],
                "content": {"mimeType": "application/json", "size": 2, "text": "[]"},
            },
            "time": 31,
            "_securityState": "secure",
        },
        {
            "startedDateTime": "2026-11-21T13:00:01.000+01:00",
            "request": {
                "bodySize": 0, "method": "GET", "url": "https://cdn.example/app.js?token=other",
                "headers": [],
            },
            "response": {"status": 0, "headers": [], "content": {}},
            "time": 0,
        },
    ],
}}  # fmt: skip


def test_a_file_of_firefox(run: Run) -> None:
    write("a.har", FIREFOX)

    status, result, err = run("--har", "a.har", "--base-url", "https://staging.example/v1")
    assert (status, err) == (0, [])
    assert result["summary"] == "1 finding of 1 rule in 1 request in 1 file"
    assert result["findings"] == [{
        "rule": "unknown-parameter",
        "message": "listPets has no query parameter 'page', in 1 request",
        "source": "a.har", "file": "a.har",
        "evidence": [{
            "request": "GET /v1/pets?page=2", "response": "200", "number": None,
            "at": "2026-11-21T12:00:00.120Z", "detail": "",
        }],
    }]  # fmt: skip


@pytest.mark.parametrize(("base", "path"), [
    ("https://staging.example/v1", "/v1/pet"),
    ("https://staging.example/v1/", "/v1/pet"),
    ("https://staging.example:443/v1", "/v1/pet"),
    ("https://STAGING.example/v1", "/v1/pet"),
    ("https://staging.example/api/pets/v1", "/api/pets/v1/pet"),
    ("https://staging.example", "/pet"),
])  # fmt: skip
def test_paths_count_from_the_base_url(run: Run, base: str, path: str) -> None:
    content = document(series(0), "browser")
    entry = content["log"]["entries"][0]
    entry["request"]["url"] = f"https://staging.example{path}"
    entry["response"]["headers"] = []
    write("a.har", content)

    [finding] = run("--har", "a.har", "--base-url", base)[1]["findings"]
    assert finding["message"] == "the path '/v1/pet' is not in the contract, in 1 request"


@pytest.mark.parametrize("base", [
    "http://staging.example/v1", "https://staging.example:8443/v1", "https://example/v1",
    "https://staging.example/v", "https://staging.example/v1/pets/1",
])  # fmt: skip
def test_a_base_url_without_requests_is_reported(run: Run, base: str) -> None:
    write("a.har", FIREFOX)

    status, _, err = run("--har", "a.har", "--base-url", base)
    assert status == 2
    assert err == [
        "mockpets: a.har: has no request to the API; check --base-url: no request is below it"
    ]


def test_a_file_without_requests_to_mockpets_needs_a_base_url(run: Run) -> None:
    write("a.har", FIREFOX)

    assert run("--har", "a.har")[2] == [
        "mockpets: a.har: has no request to the API; pass the API's base URL with --base-url, "
        "such as https://staging.example/v1"
    ]


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "staging.example/v1",
            "ftp://a/v1",
            "/v1",
            "https://",
            "https://a/v1?x=1",
            "http://[a",
        ),
        *("https://me:topsecret@a/v1", "https://me@a", "me:topsecret@a", "https://a/v1\t"),
    ],
)
def test_an_invalid_base_url(run: Run, url: str) -> None:
    write("a.har", FIREFOX)

    status, _, err = run("--har", "a.har", "--base-url", url)
    assert status == 2
    message = "must be an absolute URL without a query or user name, got "
    assert err[0].startswith(f"mockpets: --base-url: {message}")
    assert err[0].endswith("; use a URL such as https://staging.example/v1")
    assert "topsecret" not in err[0]


def test_a_base_path_and_a_proxy_are_before_v1(run: Run) -> None:
    targets = ["/~my-test/v1/pets", "/api/~my-test+empty/v1/pets?limit=3", "/api/pets"]
    write("a.har", document([Sent(900 * n, target=t) for n, t in enumerate(targets)], "browser"))

    assert run("--har", "a.har")[1]["findings"] == []


def test_responses_from_the_cache_are_not_requests(run: Run) -> None:
    content = document(series(*range(20)), "browser")
    for entry in content["log"]["entries"][5:]:
        entry["_fromCache"] = "memory"
    write("a.har", content)

    assert run("--har", "a.har")[1]["checked"] == "5 requests in 1 file"


@pytest.mark.parametrize(
    "error", ["net::ERR_ABORTED", "NS_BINDING_ABORTED", "Load request cancelled"]
)
def test_each_browser_has_its_word_for_an_aborted_request(run: Run, error: str) -> None:
    content = document(series(*range(0, 3000, 310)), "browser")
    for entry in content["log"]["entries"]:
        entry["response"] |= {"status": -1, "_failureText": error}
    write("a.har", content)

    findings = run("--har", "a.har")[1]["findings"]
    assert [each["rule"] for each in findings] == ["response-unread"]


@pytest.mark.parametrize("time", [-1, None, "soon", float("nan"), 10**400])
def test_what_is_unknown_makes_no_finding(run: Run, time: object) -> None:
    content = document(series(0, 310, 620, 930, 1240, status=503), "browser")
    for entry in content["log"]["entries"]:
        entry["time"] = time
    write("a.har", content)

    assert run("--har", "a.har")[1]["findings"] == []


def test_the_time_of_a_held_response_is_unknown(run: Run) -> None:
    write("a.har", document([create(0, ms=3000, hold="loading"), create(900, hold="loading")]))
    assert run("--har", "a.har")[1]["findings"] == []

    held = create(0, hold="loading", outcome="pending")
    write("b.har", document([held, create(90_000)]))
    [finding] = run("--har", "b.har")[1]["findings"]
    assert finding["rule"] == "duplicate-create"
    assert finding["evidence"][0]["response"] == "pending"


def test_a_body_that_is_cut_is_not_compared(run: Run) -> None:
    content = document([create(0, ms=3000), create(900)])
    for entry in content["log"]["entries"]:
        entry["request"]["postData"]["comment"] = "the first 4096 of 5000 bytes"
    write("a.har", content)

    result = run("--har", "a.har")[1]
    assert result["findings"] == []
    assert result["limits"] == ["the bodies of 2 requests, which are not recorded completely"]


@pytest.mark.parametrize("kind", ["log", "browser"])
@pytest.mark.parametrize("data", ["text", 3, None, [], {}, {"text": 3}, {"text": {}}])
def test_a_body_of_another_type_is_unknown(run: Run, kind: Any, data: object) -> None:
    content = document([create(0, ms=3000), create(900)], kind)
    for entry in content["log"]["entries"]:
        entry["request"]["postData"] = data
    write("a.har", content)

    status, result, err = run("--har", "a.har")
    assert (status, result["findings"], err) == (0, [], [])
    assert result["limits"] == ["the bodies of 2 requests, which are not recorded completely"]


def test_redacted_targets_are_not_compared(run: Run) -> None:
    target = "/v1/pets?token=[redacted]"
    write("a.har", document(series(*range(20), target=target)))

    findings = run("--har", "a.har")[1]["findings"]
    assert [each["rule"] for each in findings] == ["key-in-query"]


# --- Files and sessions ---------------------------------------------------------------------------


def test_each_file_and_session_is_checked_by_itself(run: Run) -> None:
    chain = [Sent(310 * n, status=503) for n in range(4)]
    write("a.har", document(chain[:2]))
    write("b.har", document(chain[2:]))
    assert run("--har", "a.har", "b.har")[1]["findings"] == []

    write("c.har", document([*chain, *[Sent(310 * n, status=503, session="x") for n in range(4)]]))
    result = run("--har", "a.har", "c.har")[1]
    assert result["checked"] == "10 requests in 2 files"
    sources = [each["source"] for each in result["findings"]]
    assert sources == ["c.har, session default", "c.har, session x"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["--har"], "--har: missing FILE; name one or more HAR files"),
    (["a.har"], "a.har: files are read only with --har; add --har"),
    (["--base-url", "http://a/v1"], "--base-url: missing FILE; name one or more HAR files"),
    (["--format", "junit"], "--format: 'junit' is not one of 'text', 'github', 'json'"),
    (["--har", "a.har", "--url", "http://a"], "--url: cannot be combined with FILE"),
    (["--har", "a.har", "--session", "a"], "--session: cannot be combined with FILE"),
    (["--har", "a.har", "--fail-on", "storm"], "--fail-on: unknown rule 'storm'; did you mean"),
])  # fmt: skip
def test_invalid_options(run: Run, arguments: list[str], message: str) -> None:
    write("a.har", document(series(0)))

    status, result, err = run(*arguments)
    assert (status, result) == (2, {})
    assert err[0].startswith(f"mockpets: {message}")


# --- Invalid files --------------------------------------------------------------------------------


INVALID_FILES = [
    (b" \n", f":2:1: is not JSON: Expecting value; {EXPORT}"),
    (b"{", f":1:2: is not JSON: Expecting property name enclosed in double quotes; {EXPORT}"),
    (b"PK\x03\x04\xff", ":1:5: the byte 0xFF is not UTF-8; save it as UTF-8"),
    (b"[" * 200_000, ": is not JSON: maximum recursion depth exceeded"),
    (b'{"log": ' + b"9" * 5000 + b"}", ": is not JSON: Exceeds the limit (4300 digits)"),
    (b"[]", f": must be an object with log, got an array; {EXPORT}"),
    (b'{"logs": {}}', f": missing property log; {EXPORT}"),
    (b'{"log": []}', ": log must be an object, got an array"),
    (b'{"log": {"entries": {}}}', ": entries must be an array, got an object"),
    (b'{"log": {"entries": [3]}}', ": log.entries.1: must be an object with request, got 3"),
]


@pytest.mark.parametrize(("content", "message"), INVALID_FILES)
def test_invalid_files(run: Run, content: bytes, message: str) -> None:
    Path("a.har").write_bytes(content)

    status, result, err = run("--har", "a.har")
    assert (status, result) == (2, {})
    assert len(err) == 1
    assert err[0].startswith(f"mockpets: a.har{message}")


REQUEST = {"method": "GET", "url": "http://localhost:7387/v1/pets", "headers": []}
OURS = document(series(0))["log"]["entries"][0]["_mockpets"]


TIME = "startedDateTime must be a time with a time zone, from 1970 on, such as 2026-11-21T07:00"
HEADER = {"name": "Authorization", "value": ["s3cret"]}
INVALID_ENTRIES: list[tuple[dict[str, object], str]] = [
    ({"startedDateTime": "noon"}, TIME),
    ({"startedDateTime": "2026-11-21T12:00:00"}, TIME),
    ({"startedDateTime": 3}, "startedDateTime must be a string, got 3"),
    ({"startedDateTime": "0001-01-01T00:00:00+14:00"}, TIME),
    ({"startedDateTime": "9999-12-31T23:59:59-12:00"}, TIME),
    ({"request": {}}, "missing property method"),
    ({"request": {**REQUEST, "headers": {}}}, "headers must be an array, got an object"),
    ({"request": {**REQUEST, "headers": [HEADER]}}, "value must be a string, got an array"),
    ({"response": 3}, "response must be an object, got 3"),
    ({"_mockpets": 3}, "_mockpets must be an object, got 3"),
    ({"_mockpets": {**OURS, "number": "1"}}, 'number must be an integer, got "1"'),
    ({"_mockpets": {**OURS, "outcome": "snt"}}, 'unknown outcome "snt"'),
    ({"_mockpets": {**OURS, "fault": 3}}, "fault must be a string or null, got 3"),
    ({"_mockpets": {**OURS, "hold": []}}, "hold must be a string or null, got an array"),
    ({"_mockpets": {**OURS, "status": "200"}}, 'status must be an integer or null, got "200"'),
]
INVALID_OF_BROWSERS: list[tuple[dict[str, object], str]] = [
    ({"request": {**REQUEST, "url": None}}, "url must be a string, got null"),
    ({"response": {"status": "200", "headers": []}}, 'status must be an integer, got "200"'),
]


@pytest.mark.parametrize(("changes", "message"), [*INVALID_ENTRIES, *INVALID_OF_BROWSERS])
def test_invalid_entries(run: Run, changes: dict[str, object], message: str) -> None:
    content = broken(**changes)
    if (changes, message) in INVALID_OF_BROWSERS:
        del content["log"]["entries"][1]["_mockpets"]
    write("a.har", content)

    status, _, [error] = run("--har", "a.har")
    assert status == 2
    assert error.startswith(f"mockpets: a.har: log.entries.2: {message}")
    assert "s3cret" not in error


def test_a_broken_response_whose_fault_is_missing(run: Run) -> None:
    content = broken(_mockpets={**OURS, "outcome": "broken"})
    del content["log"]["entries"][1]["_mockpets"]["fault"]
    write("a.har", content)

    assert run("--har", "a.har")[::2] == (0, [])


@pytest.mark.parametrize("url", ["", "about:blank", "http://[", "http://a:b/", "data:,x", "//x/y"])
def test_other_urls_are_not_requests_to_the_api(run: Run, url: str) -> None:
    content = document(series(0, 900), "browser")
    content["log"]["entries"][1]["request"]["url"] = url
    write("a.har", content)

    assert run("--har", "a.har")[1]["checked"] == "1 request in 1 file"


def test_what_browsers_write_is_allowed(run: Run) -> None:
    content = document(series(0), "browser")
    stack: dict[str, Any] = {}
    for _ in range(100):
        stack = {"parent": stack}
    content["log"]["entries"][0] |= {"_initiator": stack, "more": "\u200b\u2028"}
    Path("a.har").write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")

    assert run("--har", "a.har")[0] == 0


def test_a_file_that_is_named_twice_is_read_once(run: Run) -> None:
    write("a.har", document([create(0)]))

    assert run("--har", "a.har", "./a.har")[1]["summary"] == "no findings in 1 request in 1 file"


def test_a_file_that_is_too_large(run: Run) -> None:
    with Path("a.har").open("wb") as file:
        file.truncate(HAR_BYTES + 1)

    assert run("--har", "a.har")[2][0].startswith("mockpets: a.har: is larger than 65536 KiB")


def test_terminal_characters_of_a_client_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    write("a.har", document([Sent(0, "G\x1b[31mET", "/v1/pets?\x1b[31m=1\ud800", 405)]))
    assert main(["report", "--har", "a.har"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b" in out
