"""`mockpets compare`: against itself, against services with drifts, and against hostile ones."""

from __future__ import annotations

import base64
import itertools
import json
import os
import socket
import ssl
import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.cli.main import main
from mockpets.cli.report_options import Output, deliver
from mockpets.client import ControlClient
from mockpets.constants import VERSION
from mockpets.report import service as service_module
from mockpets.report.findings import COMPARE_RULES
from mockpets.report.formats import WRITERS
from tests.cases import each as for_each
from tests.programs import need
from tests.report.services import Request, forever, raw, service, with_body, with_pets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from mockpets.report.findings import Report
    from tests.http_client import Response

KEY = "mockpets"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MOCKPETS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PET_KEY", KEY)
    monkeypatch.chdir(tmp_path)


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str
    text: str
    """The same report as text."""

    @property
    def report(self) -> Any:
        return json.loads(self.out)

    @property
    def rules(self) -> list[str]:
        """The rules that have findings."""
        return list(dict.fromkeys(each["rule"] for each in self.report["findings"]))

    @property
    def messages(self) -> list[str]:
        return [each["message"] for each in self.report["findings"]]


@pytest.fixture
def compare(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return a function that compares a service, with a report in JSON."""

    def run(url: str, *options: str) -> Result:
        texts = [""]

        def with_text(report: Report, output: Output) -> int:
            texts.append(WRITERS["text"](report))
            return deliver(report, output)

        monkeypatch.setattr("mockpets.cli.compare.deliver", with_text)
        words = ("--against", url, "--key-env", "PET_KEY", "--format", "json")
        status = main(["compare", *words, *options])
        return Result(status, *capsys.readouterr(), texts[-1])

    return run


Compare = Any


def unchanged(_: Request, response: Response) -> Response:
    return response


# --- mockpets with other data ---------------------------------------------------------------------


@for_each(
    "settings",
    [
        {},
        {"seed": 7, "count": 21},
        {"locale": "ja_JP"},
        {"count": 0},
        {"count": 1},
        {"count": 1000},
        {"scenario": ("awkward-names",)},
        {"scenario": ("big-ids",)},
        {"scenario": ("no-status",)},
        {"scenario": ("sold-out",)},
        {"prefix": "/mock"},
    ],
)
def test_mockpets_itself_has_no_findings(compare: Compare, settings: dict[str, Any]) -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",), **settings)) as server:
        prefix = settings.get("prefix", "")
        result = compare(f"{server.url.removesuffix(prefix)}{prefix}/v1/", "--fail-on", "all")

    assert result.messages == []
    assert (result.status, result.err) == (0, "")


def test_only_get_and_head_are_sent_and_each_request_names_the_client(compare: Compare) -> None:
    with MockpetsServer(Settings(port=0, host=("127.0.0.1",))) as server:
        result = compare(f"{server.url}/v1")
        url, control = server.url, ControlClient(server.url)
        log = [control.request(each["number"]) for each in control.requests()]

    methods = Counter(each["method"] for each in log)
    assert methods.keys() == {"GET", "HEAD"}
    assert result.report["checked"] == f"{len(log)} requests to {url}/v1"
    assert 10 < len(log) <= 30
    for each in log:
        assert ["User-Agent", f"mockpets/{VERSION}"] in each["request"]["headers"]
        assert each["request"]["body"]["size"] == 0


# --- Drifts ---------------------------------------------------------------------------------------

Drift = Any


def pets(change: Callable[[dict[str, Any]], object]) -> Drift:
    return lambda _, response: with_pets(response, change)


def when(condition: Callable[[Request, Response], bool], change: Drift) -> Drift:
    return lambda request, response: (
        change(request, response) if condition(request, response) else response
    )


def without(*names: str) -> Drift:
    def change(_: Request, response: Response) -> Response:
        kept = {name: text for name, text in response.headers.items() if name not in names}
        return replace(response, headers=kept)

    return change


def html(_: Request, response: Response) -> Response:
    return with_body(response, b"<h1>Sorry</h1>", content_type="text/html")


def sold_to_adopted(pet: dict[str, Any]) -> None:
    if pet.get("status") == "sold":
        pet["status"] = "adopted"


def limit_ignored(request: Request, response: Response) -> Response:
    pet = {"id": 1, "name": "Miso", "categoryId": 2}
    return with_body(response, json.dumps([pet] * 20).encode()) if request.is_limited else response


def status_is(*statuses: int) -> Callable[[Request, Response], bool]:
    return lambda _, response: response.status in statuses


def of_path(start: str) -> Callable[[Request, Response], bool]:
    return lambda request, _: request.target.startswith(start)


def to_status(status: int) -> Drift:
    def change(_: Request, response: Response) -> Response:
        body = {"code": "other", "message": "Other.", "status": status}
        return with_body(replace(response, status=status), json.dumps(body).encode())

    return change


def error(**changes: object) -> Drift:
    return lambda _, response: with_body(
        response, json.dumps({**response.json, **changes}).encode()
    )


SIX = {
    "missing-property": pets(lambda pet: pet.pop("categoryId")),
    "type": pets(lambda pet: pet.update(categoryId=str(pet["categoryId"]))),
    "enum-value": pets(sold_to_adopted),
    "limit": limit_ignored,
    "error-body": when(status_is(401), html),
    "missing-header": without("sunset"),
}
MORE = [
    ("missing-property", pets(lambda pet: pet.pop("id"))),
    ("type", pets(lambda pet: pet.update(name=None))),
    ("type", pets(lambda pet: pet.update(status=None))),
    (
        "type",
        when(
            lambda q, r: r.status == 200 and q.target == "/v1/pets/1",
            lambda _, r: with_body(r, b"[]"),
        ),
    ),
    ("type", when(lambda q, _: q.is_limited, lambda _, r: with_body(r, b'{"pets": []}'))),
    ("type", when(lambda q, _: q.is_limited, lambda _, r: with_body(r, b"[7]"))),
    ("enum-value", pets(lambda pet: pet.update(status=pet.get("status", "sold").upper()))),
    ("unknown-property", pets(lambda pet: pet.update(ownerId=3))),
    ("unknown-property", when(status_is(401), error(details={}))),
    (
        "filter",
        when(of_path("/v1/pets?status=sold"), pets(lambda pet: pet.update(status="pending"))),
    ),
    ("filter", when(of_path("/v1/pets?status"), pets(lambda pet: pet.pop("status")))),
    (
        "content-type",
        when(status_is(200), lambda _, r: with_body(r, r.body, content_type="text/plain")),
    ),
    ("content-type", when(status_is(200), without("content-type"))),
    (
        "content-type",
        when(status_is(200), lambda _, r: with_body(r, r.body, content_encoding="br")),
    ),
    ("error-body", when(status_is(404), error(message=None))),
    ("error-body", when(status_is(404), error(status=400))),
    ("error-body", when(status_is(404), error(status="404"))),
    ("error-body", when(status_is(404), lambda _, r: with_body(r, b'"no"'))),
    ("error-body", when(status_is(401), lambda _, r: with_body(r, b""))),
    ("status", when(lambda q, _: not q.key, to_status(403))),
    ("status", when(lambda q, _: q.key not in ("", KEY), to_status(403))),
    ("status", when(of_path("/v1/pets?status=sold"), to_status(500))),
    ("status", when(of_path("/v1/pets/9"), to_status(400))),
    ("invalid-input", when(of_path("/v1/pets?limit=0"), to_status(422))),
    (
        "invalid-input",
        when(of_path("/v1/pets?status=unknown"), lambda _, r: replace(r, status=200)),
    ),
    ("invalid-input", when(of_path("/v1/pets/abc"), to_status(400))),
    ("missing-header", without("www-authenticate")),
    ("head", when(lambda q, _: q.method == "HEAD", lambda _, r: replace(r, status=405))),
    ("head", when(lambda q, _: q.method == "HEAD", without("content-type"))),
    ("removed-operation", when(of_path("/v1/pets/"), to_status(410))),
    ("removed-operation", when(of_path("/v1/pets/"), to_status(404))),
    ("redirect", when(of_path("/v1/pets/1"), lambda _, r: replace(r, status=301))),
]


@for_each("rule, drift", [*SIX.items(), *MORE])
def test_a_drift_is_found_by_its_own_rule_and_no_other(
    compare: Compare, rule: str, drift: Drift
) -> None:
    with service(drift) as running:
        result = compare(running.url, "--fail-on", rule)
        others = [f"--fail-on={each.name}" for each in COMPARE_RULES if each.name != rule]
        passed = compare(running.url, *others) if drift in SIX.values() else None

    assert result.rules == [rule]
    assert (result.status, result.err) == (1, f"mockpets: --fail-on: findings of {rule}\n")
    assert passed is None or (passed.status, passed.rules, passed.err) == (0, [rule], "")


def test_the_six_drifts_together_are_found_by_six_rules(compare: Compare) -> None:
    def with_type(request: Request, response: Response) -> Response:
        # A property cannot be missing and have another type: one of both in each operation.
        others = [drift for rule, drift in SIX.items() if rule not in ("type", "missing-property")]
        rule = "type" if request.target.startswith("/v1/pets/") else "missing-property"
        for drift in (SIX[rule], *others):
            response = drift(request, response)
        return response

    with service(with_type) as running:
        result = compare(running.url)
    assert set(result.rules) == set(SIX)
    assert (result.status, result.err) == (0, "")


def test_every_rule_has_a_test() -> None:
    tested = {*SIX, *(rule for rule, _ in MORE), *(rule for _, rule, _ in HOSTILE)}

    assert tested == {rule.name for rule in COMPARE_RULES}


def test_messages_name_the_property_and_what_was_expected(compare: Compare) -> None:
    def drift(request: Request, response: Response) -> Response:
        response = SIX["type"](request, SIX["enum-value"](request, response))
        return (
            with_body(response, b"", content_type="text/html")
            if response.status == 401
            else response
        )

    with service(drift) as running:
        result = compare(running.url)
        text = result.text.splitlines()

    assert result.messages == [
        'Pet.categoryId must be an integer, got the text "6"',
        'Pet.status must be one of available, pending, sold, got "adopted"',
        "listPets 401: Content-Type must be application/json, got 'text/html'",
        "getPet 401: Content-Type must be application/json, got 'text/html'",
    ]
    evidence = result.report["findings"][0]["evidence"]
    assert evidence[0]["request"] == "GET /v1/pets"
    assert evidence[0]["detail"] == "in 20 of 20 pets"
    invalid = [each["detail"] for each in result.report["findings"][2]["evidence"]]
    assert invalid == ["without a key", "with an invalid key"]
    assert text[0] == f"4 findings of 3 rules in 17 requests to {running.url}"
    assert text[text.index("") + 1] == "error: Wrong type (type)"


def test_extra_response_headers_and_another_order_are_no_findings(compare: Compare) -> None:
    def drift(_: Request, response: Response) -> Response:
        headers = {**response.headers, "x-trace": "1"}
        return replace(response, headers=dict(reversed(headers.items())))

    with service(drift) as running:
        assert compare(running.url).rules == []


def test_a_pet_that_was_deleted_meanwhile_is_no_finding(compare: Compare) -> None:
    with service(
        when(lambda q, r: q.target == "/v1/pets/1" and r.status == 200, to_status(404))
    ) as running:
        assert compare(running.url).rules == []


def test_a_default_limit_below_that_of_the_contract_is_found(compare: Compare) -> None:
    def drift(request: Request, response: Response) -> Response:
        if request.target != "/v1/pets" or response.status != 200:
            return response
        return with_body(response, json.dumps(response.json[:10]).encode())

    with service(drift) as running:
        result = compare(running.url)
    assert result.messages == ["without a limit, the service returns fewer than 20 pets"]


# --- What could not be checked --------------------------------------------------------------------


@for_each(
    "count, limit",
    [
        (0, "the service has no pets, so the properties of a pet, the limits, the filters and"),
        (1, "no page has more than 1 pet, so these limits were not checked: 1, 20, 100"),
        (20, "no page has more than 20 pets, so these limits were not checked: 20, 100"),
        (50, "no page has more than 50 pets, so these limits were not checked: 100"),
    ],
)
def test_the_report_lists_what_the_data_did_not_show(
    compare: Compare, count: int, limit: str
) -> None:
    with service(unchanged, count=count) as running:
        limits = compare(running.url).report["limits"]

    assert limits[0].startswith(limit)


def test_without_pets_no_id_is_invented(compare: Compare) -> None:
    with service(unchanged, count=0) as running:
        compare(running.url)

    asked = [each.target for each in running.requests if each.target.startswith("/v1/pets/")]
    assert asked == ["/v1/pets/9223372036854775807"] * 2 + ["/v1/pets/abc"]


@for_each("most", [1, 7, 16])
def test_at_most_so_many_requests_are_sent(compare: Compare, most: int) -> None:
    with service(unchanged) as running:
        result = compare(running.url, "--max-requests", str(most))

    assert len(running.requests) == most
    assert f"and the requests after it were not sent: --max-requests is {most}" in result.out
    assert result.report["checked"].startswith(f"{most} request")


def test_a_429_ends_the_comparison(compare: Compare) -> None:
    with service(when(of_path("/v1/pets?status=sold"), to_status(429))) as running:
        result = compare(running.url)

    assert running.requests[-1].target == "/v1/pets?status=sold"
    assert "were not sent: the service responded with 429" in result.out


def test_the_time_for_all_requests_is_limited(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "COMPARE_SECONDS", (10.0, 1.0))
    silent = when(lambda q, _: q.target != "/v1/pets", lambda *_: never())
    with service(silent) as running:
        result = compare(running.url)

    assert len(running.requests) == 4
    assert "were not sent: all requests together may take 1s" in result.out


# --- Hostile services -----------------------------------------------------------------------------


def never() -> Iterator[bytes]:
    """Send nothing, and keep the connection until the client leaves."""
    left, right = socket.socketpair()
    with left, right:
        yield b""
        left.settimeout(20)
        try:
            left.recv(1)
        except TimeoutError:
            return


def chunked(body: bytes) -> Iterator[bytes]:
    return raw(body, "Transfer-Encoding: chunked")


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def one_pet(pet_id: object, name: str = '""') -> bytes:
    """Return a list with a pet, whose values are JSON."""
    return f'[{{"id": {pet_id}, "name": {name}, "categoryId": 2}}]'.encode()


HOSTILE: list[tuple[str, str, Callable[[], Iterable[bytes]]]] = [
    ("an endless body", "no-response", lambda: forever(HEAD + b"\r\n", b"[" * 9999)),
    ("an endless head", "no-response", lambda: forever(HEAD, b"a: b\r\n" * 999)),
    ("an endless header", "no-response", lambda: forever(HEAD, b"a" * 9999)),
    (
        "an endless number of 100",
        "no-response",
        lambda: itertools.repeat(b"HTTP/1.1 100 C\r\n\r\n" * 999),
    ),
    ("an endless chunk", "no-response", lambda: forever(next(chunked(b"")), b"1\r\n[\r\n" * 999)),
    (
        "endless trailers",
        "no-response",
        lambda: forever(next(chunked(b"")) + b"0\r\n", b"a:b\r\n" * 999),
    ),
    ("100,000 headers", "no-response", lambda: [HEAD, b"a: b\r\n" * 100_000, b"\r\n[]"]),
    ("a chunk size that is no number", "no-response", lambda: chunked(b"zz\r\n[]\r\n0\r\n\r\n")),
    ("a negative chunk size", "no-response", lambda: chunked(b"-5\r\n[]\r\n0\r\n\r\n")),
    ("a huge chunk size", "no-response", lambda: chunked(b"f" * 60000 + b"\r\n[]")),
    ("a chunk that ends early", "no-response", lambda: chunked(b"ffff\r\n[]")),
    ("a body that ends early", "no-response", lambda: raw(b"[]", "Content-Length: 999")),
    ("a huge Content-Length", "no-response", lambda: raw(b"[]", f"Content-Length: {10**30}")),
    ("another protocol", "no-response", lambda: [b"SSH-2.0-OpenSSH_9.9\r\n"]),
    ("binary data", "no-response", lambda: [bytes(range(256)) * 9]),
    ("HTTP/2", "no-response", lambda: [b"HTTP/2.0 200 OK\r\n\r\n"]),
    ("a status that is no number", "no-response", lambda: raw(b"[]", status="2xx OK")),
    ("nothing", "no-response", list),
    ("silence", "no-response", never),
    ("a status beyond 599", "status", lambda: raw(b"[]", status="999 What")),
    (
        "a Content-Length that is too small",
        "invalid-json",
        lambda: raw(b"[{}]", "Content-Length: 1"),
    ),
    ("an empty body", "invalid-json", lambda: raw(b"")),
    ("other text than UTF-8", "invalid-json", lambda: raw(b'["\xff"]')),
    ("UTF-16", "invalid-json", lambda: raw("[]".encode("utf-16"))),
    ("deep JSON", "invalid-json", lambda: raw(b"[" * 100_000)),
    ("deep and closed JSON", "invalid-json", lambda: raw(b"[" * 900 + b"]" * 900)),
    ("NaN", "invalid-json", lambda: raw(b"[NaN]")),
    ("a duplicate", "invalid-json", lambda: raw(b'[{"id": 1, "id": 2}]')),
    (
        "a duplicate behind many properties",
        "invalid-json",
        lambda: raw(b"[{" + b",".join(b'"%d":0' % n for n in [*range(80_000), 79_999]) + b"}]"),
    ),
    ("gzip", "content-type", lambda: raw(b"\x1f\x8b\x08\0\0", "Content-Encoding: gzip")),
    ("a long integer", "type", lambda: raw(one_pet("9" * 500_000, "0"))),
    ("a huge exponent", "type", lambda: raw(one_pet("1e999999999"))),
    ("an exponent beyond all limits", "type", lambda: raw(one_pet("1e" + "9" * 99))),
    ("half a surrogate pair", "type", lambda: raw(one_pet(1, r'"\ud800"'))),
    ("a long text", "type", lambda: raw(one_pet('"' + "x" * 999_000 + '"'))),
    ("many items", "type", lambda: raw(b"[" + b"0," * 500_000 + b"0]")),
    (
        "many properties",
        "unknown-property",
        lambda: raw(
            (
                '[{"id": 1, "name": "", "categoryId": 2'
                + "".join(f',"\\u001b{n}":0' for n in range(50_000))
                + "}]"
            ).encode()
        ),
    ),
    (
        "escape codes in a header",
        "redirect",
        lambda: raw(b"", "Location: \x1b[2J\x9b", status="302 Go"),
    ),
    ("a redirect without a target", "redirect", lambda: raw(b"", status="307 Go")),
]


@for_each("name, rule, hostile", HOSTILE)
def test_a_hostile_response_is_a_finding_in_plain_words(
    compare: Compare, name: str, rule: str, hostile: Callable[[], Iterable[bytes]]
) -> None:
    with service(when(lambda request, _: request.is_limited, lambda *_: hostile())) as running:
        result = compare(running.url, "--timeout", "1s" if hostile is never else "20s")

    assert [each for each in result.rules if each != "limit"] == [rule], name
    assert result.status == 0
    assert len(result.messages) <= 21
    for line in (result.text + result.out).splitlines():
        assert line.isprintable()
        assert len(line) < 1000
        assert "Error(" not in line
        assert "Traceback" not in line


def test_interim_responses_are_skipped(compare: Compare) -> None:
    def hints(_: Request, response: Response) -> Iterable[bytes]:
        yield b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        head = f"HTTP/1.1 {response.status} X\r\n"
        yield head.encode()
        yield "".join(f"{name}: {text}\r\n" for name, text in response.headers.items()).encode()
        yield b"\r\n" + response.body

    with service(hints) as running:
        assert compare(running.url).rules == []


# --- No service -----------------------------------------------------------------------------------


@for_each(
    "hostile, reason",
    [
        (never, "no complete response within 0.2s"),
        (list, "the connection was closed without a response"),
        (
            lambda: [b"220 mail.example ESMTP\r\n"],
            "expected an HTTP response, got '220 mail.example",
        ),
        (lambda: forever(HEAD + b"\r\n", b"x" * 9999), "the response is larger than 1MiB"),
    ],
)
def test_a_service_without_any_response_is_an_error(
    compare: Compare, hostile: Callable[[], Iterable[bytes]], reason: str
) -> None:
    with service(lambda *_: hostile()) as running:
        seconds = "200ms" if hostile is never else "20s"
        result = compare(running.url, "--timeout", seconds, "--max-requests", "2")

    assert (result.status, result.out) == (1, "")
    assert result.err.startswith(f"mockpets: cannot use the responses of {running.url} ({reason}")
    assert result.err.endswith("; check that --against is the base URL of the service\n")


def test_a_port_without_a_service_is_an_error_after_one_attempt(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    result = compare(f"http://127.0.0.1:{port}/v1")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with_proxy = compare(f"http://127.0.0.1:{port}/v1")

    start = f"mockpets: cannot connect to http://127.0.0.1:{port}/v1 (Connection refused); "
    assert result.err == f"{start}check --against, and that the service is running\n"
    assert "does not use the proxy that the environment names" in with_proxy.err
    assert result.status == 1


def test_an_unknown_host_is_an_error(compare: Compare) -> None:
    result = compare("https://no-such-host.invalid/v1")

    assert result.status == 1
    assert "(the host name is unknown: " in result.err
    assert "; check the host in --against" in result.err


@for_each(
    "status, reason",
    [
        (401, "rejects the key (status 401); check the variable that --key-env names"),
        (403, "rejects the key (status 403); check the variable that --key-env names"),
        (429, "limits the rate of requests (status 429); try again later"),
    ],
)
def test_a_service_that_rejects_the_first_request_is_an_error(
    compare: Compare, status: int, reason: str
) -> None:
    with service(to_status(status)) as running:
        result = compare(running.url)

    assert (result.status, result.out) == (1, "")
    assert result.err == f"mockpets: {running.url} {reason}\n"
    assert len(running.requests) == 1


# --- TLS ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost and its key, in one file."""
    folder = tmp_path_factory.mktemp("tls")
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key -out cert"
    names = ["-addext", "subjectAltName=DNS:localhost"]
    subprocess.run(
        [need("openssl"), *words.split(), *names], cwd=folder, check=True, capture_output=True
    )
    both = folder / "both"
    both.write_text((folder / "key").read_text() + (folder / "cert").read_text())
    return both


@pytest.mark.tool
@for_each(
    "host, trusted, reason",
    [
        ("localhost", True, ""),
        ("localhost", False, "the TLS certificate is not valid: self-signed certificate"),
        ("127.0.0.1", True, "the TLS certificate is not valid: IP address mismatch"),
    ],
)
def test_the_certificate_is_verified(
    compare: Compare,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    trusted: bool,
    reason: str,
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.with_name("cert")))
    with service(unchanged, lambda each: context.wrap_socket(each, server_side=True)) as running:
        result = compare(running.url.replace("http://127.0.0.1", f"https://{host}"))

    if reason:
        assert result.status == 1
        assert f"({reason}" in result.err
        assert running.requests == []
    else:
        assert result.rules == []
        assert len(running.requests) == 17


def test_https_to_a_port_without_tls_is_an_error(compare: Compare) -> None:
    with service(unchanged) as running:
        result = compare(running.url.replace("http:", "https:"))

    assert result.status == 1
    assert "(TLS failed: " in result.err
    assert "does the service use http:// there?" in result.err


def test_redirects_are_not_followed(compare: Compare) -> None:
    with service(unchanged) as other:
        location = {"location": f"{other.url}/pets?token=abc"}
        redirect = lambda _, response: replace(response, status=302, headers=location)  # noqa: E731
        with service(redirect) as running:
            result = compare(running.url)

    assert result.rules == ["redirect"]
    assert other.requests == []
    assert f"to '{other.url}/pets?token=[redacted]'" in result.out


# --- The key --------------------------------------------------------------------------------------

SECRET = 'sk_live/9fK+"q&Zw=7~<ü>'.replace("ü", "%") + "T0pS3cretPart" * 8


def echoes() -> dict[str, str]:
    encoded = base64.b64encode(SECRET.encode()).decode()
    return {
        "as it is": SECRET,
        "percent-encoded": quote(SECRET, safe=""),
        "in lower case": SECRET.lower(),
        "for JSON": json.dumps(SECRET)[1:-1],
        "in base64": encoded,
        "in base64 of a longer text": base64.b64encode(f"u:Bearer {SECRET}!".encode()).decode(),
        "in URL-safe base64": base64.urlsafe_b64encode(f"a{SECRET}".encode()).decode(),
    }


PLACES: dict[str, Callable[[Response, str], Response | Iterable[bytes]]] = {
    "a value": lambda r, k: with_pets(r, lambda pet: pet.update(status=k)),
    "a value of another type": lambda r, k: with_pets(r, lambda pet: pet.update(id=k)),
    "a name": lambda r, k: with_pets(r, lambda pet: pet.update({k: 1})),
    "a duplicate name": lambda r, k: with_body(
        r, b"[{%s:1,%s:1}]" % ((json.dumps(k).encode(),) * 2)
    ),
    "the whole body": lambda r, k: with_body(r, json.dumps(k).encode()),
    "the content type": lambda r, k: with_body(r, b"[]", content_type=f"text/{k}"),
    "the encoding": lambda r, k: with_body(r, b"[]", content_encoding=k),
    "the location": lambda r, k: with_body(replace(r, status=302), b"", location=f"/login/{k}"),
    "the status line": lambda _, k: [f"HTTP/1.1 {k}\r\n\r\n".encode()],
    "another protocol": lambda _, k: [f"Hello {k}\r\n\r\n".encode()],
    "an error": lambda _, k: raw(
        json.dumps({"code": 1, "message": k, "status": k}).encode(), status="401 No"
    ),
}


@for_each("place", PLACES)
def test_the_key_is_never_printed(
    compare: Compare, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("PET_KEY", SECRET)
    for name, echo in echoes().items():

        def change(request: Request, response: Response, echo: str = echo) -> Any:
            is_echo = request.target != "/v1/pets" or request.key != SECRET
            return PLACES[place](response, echo) if is_echo else response

        with service(change, api_key=(SECRET,)) as running:
            result = compare(running.url)

        assert result.report["findings"]
        for output in (result.out + result.err, result.text):
            printed = output.lower()
            around = (16, 8) if name == "in base64 of a longer text" else (0, 0)
            for start in range(around[0], len(echo) - 9 - around[1]):
                part = echo[start : start + 10].lower()
                assert part not in printed, f"{name}: {part}"
            assert "[redacted]" in printed or place == "a duplicate name"


def test_a_numeric_key_is_redacted_in_ids_and_numbers(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "73190482551"
    monkeypatch.setenv("PET_KEY", key)
    drift = pets(lambda pet: pet.update(id=int(key), name=int(key)))
    with service(drift, api_key=(key,)) as running:
        result = compare(running.url)

    assert key not in result.out
    assert "GET /v1/pets/[redacted]" in result.out


def test_the_key_is_only_in_the_authorization_header(compare: Compare) -> None:
    with service(unchanged) as running:
        compare(running.url)

    keys = Counter(each.key for each in running.requests)
    assert keys.pop(KEY) > 10
    assert keys.pop("") == 1
    assert sum(keys.values()) == 2
    assert not [key for key in keys if key == KEY]


@for_each(
    "value, message",
    [
        (None, "this variable is not set; pass the name of the variable that has the key"),
        ("", "this variable is empty"),
        ("abcsecret\n", "character 10 of 10 is U+000A; remove the line end"),
        ("abcsecret\r\nX-Evil: 1", "character 10 of 20 is U+000D; check how the variable is set"),
        ("abc secret", "character 4 of 10 is U+0020; check how the variable is set"),
        ("abcsecré", "character 8 of 8 is U+00E9; check how the variable is set"),
        ("abcsecr\u20ac", "character 8 of 8 is U+20AC; check how the variable is set"),
        ("abcsecr\udcff", "character 8 of 8 is U+DCFF; check how the variable is set"),
    ],
)
def test_an_invalid_key_is_rejected_without_printing_it(
    compare: Compare, monkeypatch: pytest.MonkeyPatch, value: str | None, message: str
) -> None:
    if value is None:
        monkeypatch.delenv("PET_KEY")
    else:
        monkeypatch.setenv("PET_KEY", value)
    with service(unchanged) as running:
        result = compare(running.url)

    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.startswith("mockpets: --key-env: ")
    assert "secr" not in result.err
    assert running.requests == []


def test_a_key_in_place_of_the_name_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["compare", "--against", "https://h.example/v1", "--key-env", "sk_live_abc"])

    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert "sk_live" not in err
    assert "pass the name of the variable that has the key, not the key itself" in err


# --- Options --------------------------------------------------------------------------------------


@for_each(
    "url, message",
    [
        (
            "petstore.example/v1",
            "missing scheme, got 'petstore.example/v1'; did you mean 'https://petstore.",
        ),
        (
            "localhost:7387",
            "missing scheme, got 'localhost:7387'; did you mean 'http://localhost:7387/v1",
        ),
        ("//petstore.example/v1", "did you mean 'https://petstore.example/v1'?"),
        ("", "missing scheme, got ''"),
        ("ftp://petstore.example/v1", "not a valid URL, got 'ftp://petstore.example/v1'"),
        ("https:///v1", "not a valid URL"),
        ("https://h.example:99999/v1", "not a valid URL"),
        ("https://h.example/a b/v1", "not a valid URL"),
        ("https://h.example/ü/v1", "not a valid URL"),
        ("https://h.example/v1\r\nX: 1", "not a valid URL"),
        (
            "https://h.example/v1?key=topsecret",
            "must not contain a query or a fragment; use 'https://h.example/v1'",
        ),
        ("https://h.example/v1#topsecret", "must not contain a query or a fragment"),
        (
            "https://me:topsecret@h.example/v1",
            "must not contain a user name or password, which reports would show; remove",
        ),
        ("me:topsecret@h.example/v1", "must not contain a user name or password"),
        ("https://me:topsecret?@h.example/v1", "must not contain a user name or password"),
        (
            "https://h.example",
            "ends with /v1, got 'https://h.example'; did you mean 'https://h.example/v1'?",
        ),
        ("https://h.example/v2", "did you mean 'https://h.example/v2/v1'?"),
        ("https://h.example/v1/pets", "did you mean 'https://h.example/v1'?"),
        ("https://h.example/v1/pets/3", "did you mean 'https://h.example/v1'?"),
        (
            "http://localhost:7387/__mockpets/",
            "not a part of the contract; did you mean 'http://localhost:7387/v1'?",
        ),
        ("http://localhost:7387/__mockpets/v1", "the control API is not a part of the contract"),
        (
            "http://h.example/v1",
            "unencrypted to another machine; use https://, or --allow-http in a network",
        ),
        ("http://127.0.0.1.nip.example/v1", "http:// would send the key unencrypted"),
        ("http://0.0.0.0/v1", "http:// would send the key unencrypted"),
    ],
)
def test_an_invalid_url_is_rejected_with_the_nearest_valid_one(
    compare: Compare, monkeypatch: pytest.MonkeyPatch, url: str, message: str
) -> None:
    monkeypatch.setattr(service_module.Service, "send_all", lambda *_: pytest.fail("was sent"))
    result = compare(url)

    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("mockpets: --against: ")
    assert message in result.err
    assert "topsecret" not in result.err
    assert len(result.err.splitlines()) == 1


@for_each(
    "options, message",
    [
        (("--max-requests", "0"), "--max-requests: must be an integer from 1 to 1000, got '0'"),
        (("--max-requests", "1001"), "--max-requests: must be an integer from 1 to 1000"),
        (("--timeout", "5"), "--timeout: must be a duration such as 300ms, 1.5s or 1m, got '5'"),
        (("--timeout", "0s"), "--timeout: must be longer than 0s"),
        (("--timeout", "2m"), "--timeout: must be a duration of at most 60s"),
        (("--fail-on", "limits"), "--fail-on: unknown rule 'limits'; did you mean 'limit'?"),
        (("--key", "x"), "--key: unknown option; did you mean '--key-env'?"),
    ],
)
def test_an_invalid_option_is_rejected_before_requests_are_sent(
    compare: Compare, options: tuple[str, ...], message: str
) -> None:
    with service(unchanged) as running:
        result = compare(running.url, *options)

    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert running.requests == []


@for_each("words", [[], ["--against", "https://h.example/v1"]])
def test_both_options_are_required(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *words]) == 2
    assert "this option is required; see 'mockpets compare --help'" in capsys.readouterr().err


def test_every_invalid_option_is_reported(
    compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PET_KEY")
    lines = compare("ftp://x", "--timeout", "1").err.splitlines()

    assert [line.split(": ")[1] for line in lines] == ["--against", "--key-env", "--timeout"]


def test_http_to_another_machine_needs_a_switch(compare: Compare) -> None:
    result = compare("http://no-such-host.invalid/v1", "--allow-http")

    assert result.status == 1
    assert "the host name is unknown" in result.err


def test_the_report_is_written_to_a_file(compare: Compare, tmp_path: Path) -> None:
    with service(SIX["type"]) as running:
        result = compare(running.url, "-o", "report.json")

    assert result.out == ""
    document = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert [each["rule"] for each in document["findings"]] == ["type"]
