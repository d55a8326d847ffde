"""`mockpets record --har` and `mockpets replay`: HAR files of services, browsers and mockpets."""

import json
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import sleep
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
import yaml

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket
from tests.programs import certificate
from tests.report.test_har import INVALID_ENTRIES, INVALID_FILES, broken

Run = Callable[..., tuple[int, list[str], list[str]]]

BASE = "https://petstore.example/api/v1"
CAT, DOG = ({"id": 11, "name": "Cat", "categoryId": 1}, {"id": 12, "name": "Dog", "categoryId": 2})
NEW = {"id": 500, "name": "Miso", "categoryId": 2}
SECRETS = ("hunter2", "s3cr3t", "t0ken")


def entry(method: str, target: str, status: int, body: Any, sent: Any = None) -> dict[str, Any]:
    """Return an entry as Chromium writes it."""
    headers = [
        {"name": ":authority", "value": "petstore.example"},
        {"name": "authorization", "value": "Bearer hunter2"},
        {"name": "cookie", "value": "sid=s3cr3t"},
        {"name": "content-type", "value": "application/json"},
    ]
    request: dict[str, Any] = {"method": method, "url": BASE + target, "headers": headers}
    request["bodySize"] = 0
    if sent is not None:
        request["postData"] = {"mimeType": "application/json", "text": json.dumps(sent)}
    content = {"mimeType": "application/json", "text": json.dumps(body)}
    response = {
        "status": status,
        "headers": [
            {"name": "content-type", "value": "application/json"},
            {"name": "set-cookie", "value": "sid=s3cr3t"},
            {"name": "x-api-token", "value": "t0ken"},
        ],
        "content": {"size": len(content["text"]), **content},
    }
    return {"startedDateTime": "2026-11-23T10:00:00Z", "request": request, "response": response}


def har(path: Path, *entries: dict[str, Any]) -> Path:
    for second, each in enumerate(entries):
        minute, place = divmod(second, 60)
        each["startedDateTime"] = f"2026-11-23T10:{minute:02}:{place:02}Z"
        each["time"] = 5
    path.write_text(json.dumps({"log": {"entries": entries}}), "utf-8")
    return path


@pytest.fixture
def service(tmp_path: Path) -> Path:
    """The requests of an app to a service, whose pet 11 changes without a request."""
    script = entry("GET", "", 200, "")
    script["request"]["url"] = "https://cdn.example/app.js"
    return har(
        tmp_path / "service.har",
        entry("GET", "/pets?limit=20&access_token=t0ken", 200, [CAT, DOG]),
        entry("POST", "/pets", 201, NEW, {"name": "Miso", "categoryId": 2}),
        entry("GET", "/pets/500", 200, NEW),
        entry("GET", "/pets/11", 200, CAT),
        entry("GET", "/pets/11", 200, {**CAT, "status": "sold"}),
        entry("GET", "/pets/12", 503, {"error": "down"}),
        entry("GET", "/owners", 200, [{"id": 1}]),
        entry("OPTIONS", "/pets", 204, ""),
        {**entry("GET", "/pets", 200, []), "_fromCache": "memory"},
        script,
    )


@pytest.fixture
def scenario(service: Path, run: Run, tmp_path: Path) -> Path:
    file = tmp_path / "service.yaml"
    status, out, err = run("record", "service", "--har", service, "--base-url", BASE, "-o", file)
    assert (status, err) == (0, [])
    assert out == [
        f"{file}: 7 requests, 3 stubs",
        "kept 2 pets of 7 requests",
        "dropped 3 requests to other URLs, preflights or cached",
        "dropped secrets: authorization (7), cookie (7), set-cookie (7), x-api-token (7)",
        "off contract: getPet 200: no Sunset header; the scenario sends it (3 requests)",
        "off contract: getPet 503: the contract does not list this status (1 request)",
        f"use it  mockpets serve --scenarios-dir {tmp_path} --scenario service",
    ]
    return file


@pytest.fixture
def server(scenario: Path) -> Iterator[MockpetsServer]:
    settings = Settings(port=0, scenarios_dir=(scenario.parent,), scenario=("service",))
    with MockpetsServer(settings) as server:
        yield server


def test_only_requests_below_the_base_url_count(run: Run, tmp_path: Path) -> None:
    """The page called mockpets too, and one file is a log of mockpets."""
    ours = entry("GET", "", 404, {"error": "not the service's"})
    ours["request"]["url"] = "http://localhost:7387/v1/pets/11"
    ours["response"]["headers"].append({"name": "Mockpets-Request", "value": "7"})
    page = har(tmp_path / "page.har", entry("GET", "/pets/11", 200, CAT), ours)
    with MockpetsServer(Settings(port=0)) as server:
        Client(OverSocket(server.url))("GET", "/v1/pets/999")
        document = ControlClient(server.url).har()
    entries = [*json.loads(page.read_text("utf-8"))["log"]["entries"], *document["log"]["entries"]]
    page.write_text(json.dumps({"log": {"entries": entries}}), "utf-8")
    file = tmp_path / "service.yaml"
    status, out, err = run("record", "service", "--har", page, "--base-url", BASE, "-o", file)

    assert (status, err) == (0, [])
    assert out[:3] == [
        f"{file}: 1 request, 0 stubs",
        "kept 1 pet of 1 request",
        "dropped 2 requests to other URLs, preflights or cached",
    ]
    assert yaml.safe_load(file.read_text("utf-8"))["data"] == {"pets": [CAT]}


def test_a_service_becomes_pets_and_few_stubs(scenario: Path) -> None:
    text = scenario.read_text("utf-8")

    assert [secret for secret in SECRETS if secret in text] == []
    document = yaml.safe_load(text)
    assert document["data"] == {"pets": [CAT, DOG]}
    assert document["stubs"] == [
        {
            "match": {"operation": "getPet", "params": {"petId": 11}},
            "after": 1,
            "reply": {"status": 200, "body": {**CAT, "status": "sold"}},
        },
        {
            "match": {"operation": "getPet", "params": {"petId": 12}},
            "reply": {"status": 503, "body": {"error": "down"}},
        },
        {
            "match": {"method": "GET", "path": "/v1/owners"},
            "reply": {"status": 200, "body": [{"id": 1}]},
        },
    ]


def test_a_recording_proves_itself(server: MockpetsServer, service: Path, run: Run) -> None:
    options = (service, "--base-url", BASE, "--url", server.url)
    status, out, err = run("replay", *options)

    assert (status, out, err) == (0, ["7 requests: 0 differences"], [])
    client, log = ControlClient(server.url), service.with_name("log.har")
    log.write_text(json.dumps(client.har()), "utf-8")
    status, out, err = run("replay", log, "--url", server.url)
    counts = 'request 4, GET /v1/pets/11: body.status: "sold", recorded missing'
    assert (status, out[1:]) == (1, [counts, "7 requests: 2 differences"])
    client.reset()
    assert run("replay", log, "--url", server.url)[1] == ["7 requests: 0 differences"]


def test_a_collection_that_remembers_becomes_a_resource(run: Run, tmp_path: Path) -> None:
    order = {"petId": 3, "quantity": 2}
    file = har(
        tmp_path / "orders.har",
        entry("GET", "/store/orders", 200, [{"id": 1, "petId": 7, "quantity": 1}]),
        entry("POST", "/store/orders", 201, {"id": 2, **order}, order),
        entry(
            "GET", "/store/orders", 200, [{"id": 1, "petId": 7, "quantity": 1}, {"id": 2, **order}]
        ),
        entry("GET", "/store/orders/2", 200, {"id": 2, **order}),
        entry("POST", "/store/orders", 503, {}, order),
        entry("GET", "/store/orders/9", 404, {"error": "gone"}),
    )
    out = tmp_path / "orders.yaml"
    assert run("record", "orders", "--har", file, "--base-url", BASE, "-o", out)[0] == 0
    document = yaml.safe_load(out.read_text("utf-8"))

    assert document["resources"] == [{"path": "/v1/store/orders"}]
    assert document["data"]["orders"] == [{"id": 1, "petId": 7, "quantity": 1}]
    assert [stub["sequence"] for stub in document["stubs"]] == [
        ["pass", {"status": 503, "body": {}}],
        ["pass", {"status": 404, "body": {"error": "gone"}}],
    ]
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("orders",))
    with MockpetsServer(settings) as server:
        options = (file, "--base-url", BASE, "--url", server.url)
        assert run("replay", *options)[1] == ["6 requests: 0 differences"]


@pytest.mark.parametrize("number", [8841, "ord-8x7", "fd1a7a8e-3c8e-4a0e-9b5a-3f3d9a1c0b55"])
def test_ids_of_another_server_are_mapped(number: Any, run: Run, tmp_path: Path) -> None:
    order, orders, one = {"petId": 8841}, "/store/orders", f"/store/orders/{number}"
    message = f"orders has no record with the id {number}"
    gone = {"code": "not_found", "message": message, "status": 404}
    file = har(
        tmp_path / "orders.har",
        entry("GET", "/pets/8841", 200, {**CAT, "id": 8841}),
        entry("GET", orders, 200, []),
        entry("POST", orders, 201, {"id": number, **order}, order),
        entry("GET", orders, 200, [{"id": number, **order}]),
        entry("GET", f"{orders}?petId=8841", 200, [{"id": number, **order}]),
        entry("GET", one, 200, {"id": number, **order}),
        entry("PATCH", one, 200, {"id": number, "petId": 9}, {"petId": 9}),
        entry("DELETE", one, 204, ""),
        entry("GET", one, 404, gone),
        entry("GET", "/pets/8841", 200, {**CAT, "id": 8841}),
    )
    file.write_text(file.read_text("utf-8").replace('"text": "\\"\\""', '"text": ""'), "utf-8")
    out, base = tmp_path / "orders.yaml", ("--base-url", BASE)
    status, lines, err = run("record", "orders", "--har", file, *base, "-o", out)
    assert (status, lines[:2], err) == (
        0,
        [f"{out}: 10 requests, 0 stubs", "kept 1 pet and 1 resource of 10 requests"],
        [],
    )
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("orders",))
    with MockpetsServer(settings) as server:
        status, lines, _ = run("replay", file, *base, "--url", server.url)
    assert (status, lines) == (0, ["10 requests: 0 differences"])


def test_bodies_have_no_secrets_either(run: Run, tmp_path: Path) -> None:
    key, session, word = "key-" * 5, "cookie-value-" * 3, "hunter2"
    login = {"user": "Ann", "password": word}
    echo = {"author": "Ann", "code": "a", "seen": [f"Bearer {key}"], "via": {"sid": session}}
    file = har(
        tmp_path / "login.har",
        entry("POST", "/login", 200, {"access_token": "t0ken", "token_type": "Bearer"}, login),
        entry("GET", "/echo", 200, echo),
        entry("GET", f"/keys/{key}?q={key}", 200, []),
        entry("GET", "/users", 200, []),
        entry("POST", "/users", 201, {"id": 1, **login}, login),
        entry("GET", "/users", 200, [{"id": 1, **login}]),
    )
    text = file.read_text("utf-8").replace("s3cr3t", session).replace("Bearer hunter2", f"X {key}")
    file.write_text(text, "utf-8")
    out, base = tmp_path / "login.yaml", ("--base-url", BASE)
    status, lines, err = run("record", "login", "--har", file, *base, "-o", out, "--json")
    result = json.loads("\n".join(lines))
    assert (status, err) == (0, [])
    assert "access_token in a body (1)" in result["summary"][1]
    assert "password in a body (4)" in result["summary"][1]

    document = yaml.safe_load(out.read_text("utf-8"))
    bodies = [stub["reply"]["body"] for stub in document["stubs"]]
    assert {"access_token": "[redacted]", "token_type": "Bearer"} in bodies
    assert {**echo, "seen": ["Bearer [redacted]"], "via": {"sid": "[redacted]"}} in bodies
    assert document["resources"] == [{"path": "/v1/users"}]
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("login",))
    with MockpetsServer(settings) as server:
        options = (file, *base, "--url", server.url)
        assert run("replay", *options)[1] == ["6 requests: 0 differences"]
        ControlClient(server.url).use("default")
        different = run("replay", *options)[1]
    assert different[-1] == "6 requests: 6 differences"
    secrets = (key, session, word, "t0ken")
    texts = (out.read_text("utf-8"), *lines, *different)
    assert [secret for secret in secrets if secret in "\n".join(texts)] == []


def test_gates_are_opened(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "held.har"
    with MockpetsServer(Settings(port=0, scenario=("loading",))) as server:
        client, call = ControlClient(server.url), Client(OverSocket(server.url))
        thread = Thread(target=call, args=("GET", "/v1/pets/2"))
        thread.start()
        client.gate("loading").held()
        client.gate("loading").open()
        thread.join()
        file.write_text(json.dumps(client.har()), "utf-8")
        assert run("replay", file, "--url", server.url)[:2] == (0, ["1 request: 0 differences"])


def test_differences_are_named(run: Run, service: Path) -> None:
    with MockpetsServer(Settings(port=0, data=("pets=3",))) as server:
        status, out, _ = run("replay", service, "--base-url", BASE, "--url", server.url)

    assert status == 1
    assert "request 6, GET /v1/pets/12: 404, recorded 503" in out
    assert "request 7, GET /v1/owners: 404, recorded 200" in out
    assert any(line.startswith("request 1, GET /v1/pets?limit=20") for line in out)
    assert out[-1] == "7 requests: 5 differences"
    assert not [secret for secret in SECRETS if secret in "\n".join(out)]


KEY = 'k3y"of/the+service'


class Service(NamedTuple):
    """A service that runs: its URL, and method, path and key of each request."""

    url: str
    seen: list[str]


@contextmanager
def running(
    status: int = 200,
    body: bytes = b"[]",
    headers: Mapping[str, str] = MappingProxyType({}),
    certificate: Path | None = None,
    pause: float = 0,
) -> Iterator[Service]:
    """Run a service that responds to every request in the same way.

    :param pause: seconds before each byte of the body of responses to API requests.
    """
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(f"{self.command} {self.path} {self.headers.get('Authorization')}")
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if not pause or "__mockpets" in self.path:
                self.wfile.write(body)
                return
            with suppress(ConnectionError):  # the client may have left
                for byte in body:
                    sleep(pause)
                    self.wfile.write(bytes([byte]))

        do_POST = do_GET  # noqa: N815 - the name that http.server looks for

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            scheme = "https"
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield Service(f"{scheme}://127.0.0.1:{server.server_address[1]}", seen)
        server.shutdown()
        thread.join()


@pytest.fixture
def to_service(
    service: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, list[str], list[str]]]:
    """Return a function that sends the recorded requests to another service."""
    monkeypatch.setenv("STAGING_KEY", KEY)

    def send(url: str, *options: str) -> tuple[int, list[str], list[str]]:
        words = ("replay", service, "--base-url", BASE, "--key-env", "STAGING_KEY")
        return run(*words, "--url", url, *options)

    return send


NOT_FOUND = json.dumps({"code": "not_found", "message": "unknown path", "status": 404}).encode()


@pytest.mark.parametrize(("status", "body"), [(200, b"[]"), (404, NOT_FOUND)])
def test_another_service_gets_no_writes(to_service: Run, status: int, body: bytes) -> None:
    with running(status, body) as other:
        result, out, _ = to_service(f"{other.url}/v1")

        assert (result, out[-1]) == (1, "6 requests: 6 differences, 1 write not sent")
        requests = [line for line in other.seen if "__mockpets" not in line]
        assert len(requests) == 6
        assert all(line.startswith("GET /v1/") and line.endswith(f" {KEY}") for line in requests)
        assert not [line for line in other.seen if "__mockpets" in line and KEY in line]
        to_service(other.url, "--allow-writes")
        assert f"POST /v1/pets Bearer {KEY}" in other.seen


def test_redirects_are_not_followed(to_service: Run) -> None:
    with running() as other, running(302, b"", {"Location": f"{other.url}/v1/pets"}) as moved:
        out = to_service(moved.url)[1]

    assert "302, recorded 200" in out[0]
    assert other.seen == []


@pytest.mark.parametrize(("recorded", "line"), [
    (1, "request 1, GET /v1/pets: no response, recorded 200"),
    pytest.param(60_000, "1 request: 0 differences", marks=pytest.mark.slow),
], ids=["longer than recorded", "as long as recorded"])  # fmt: skip
def test_a_service_that_sends_byte_by_byte_has_a_time_limit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: int, line: str
) -> None:
    monkeypatch.setattr("mockpets.cli.replay._SECONDS", 0.5)
    monkeypatch.setenv("STAGING_KEY", KEY)
    file = har(tmp_path / "a.har", entry("GET", "/pets", 200, []))
    file.write_text(file.read_text("utf-8").replace('"time": 5', f'"time": {recorded}'), "utf-8")
    with running(200, b"[        ]", pause=0.2) as other:
        words = ("replay", file, "--base-url", BASE, "--key-env", "STAGING_KEY", "--url", other.url)
        assert run(*words)[1][0] == line


@pytest.mark.tool
@pytest.mark.parametrize(
    ("host", "is_trusted"), [("localhost", True), ("localhost", False), ("127.0.0.1", True)]
)
def test_the_certificate_is_verified(
    to_service: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, host: str, is_trusted: bool
) -> None:
    both = certificate(tmp_path)
    if is_trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(both))
    with running(certificate=both) as other:
        out = to_service(other.url.replace("127.0.0.1", host))[1]

    is_verified = is_trusted and host == "localhost"
    assert len([line for line in other.seen if "__mockpets" not in line]) == 6 * is_verified
    assert out[-1].startswith("6 requests: 6 differences")


@pytest.mark.parametrize(
    "echo", [KEY, f"Bearer {KEY} " * 99, KEY[:-1], f"{KEY[:9]}...", f"{KEY[:-1]}x{KEY[:-1]}"]
)
def test_the_key_is_never_printed(to_service: Run, echo: str) -> None:
    bodies = [json.dumps([{"name": echo, echo: echo}]), json.dumps({"message": echo}), echo]
    for body in bodies:
        for options in ((), ("--json",)):
            with running(200, body.encode()) as other:
                _, out, err = to_service(other.url, *options)
            assert "k3y" not in "\n".join([*out, *err])


@pytest.mark.parametrize(("key", "got", "line"), [
    ("sk_live_1234567", {"a": "sk_live_****"}, "1 request: 0 differences"),
    ("sk_live_1234567", {"a": "sk_live_#"}, 'body.a: "[redacted]#", recorded "[redacted]****"'),
    ("1234567890", {"a": 123456789}, 'body.a: "[redacted]", recorded "sk_live_****"'),
    ("k3y", {"a": "k3"}, 'body.a: "k3", recorded "sk_live_****"'),
    ("k3y", {"a": "k3yk3y"}, 'body.a: "[redacted][redacted]", recorded "sk_live_****"'),
], ids=["same", "other", "number", "part of a short key", "short key"])  # fmt: skip
def test_a_part_of_the_key_is_not_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, got: Any, line: str
) -> None:
    monkeypatch.setenv("STAGING_KEY", key)
    file = har(tmp_path / "a.har", entry("GET", "/pets", 200, {"a": "sk_live_****"}))
    with running(200, json.dumps(got).encode()) as other:
        words = ("replay", file, "--base-url", BASE, "--key-env", "STAGING_KEY", "--url", other.url)
        assert line in run(*words)[1][0]


HALF = "\ud800"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(("got", "line"), [
    ({"id": HALF}, 'body.id: "\\ud800", recorded 1'),
    ({"id": 1, HALF: [HALF]}, 'body.\\ud800: ["\\ud800"], recorded missing'),
    ({"id": 1, "n": f"\u00e9{HALF}"}, 'body.n: "\u00e9\\ud800", recorded missing'),
    ({"id": 1, "token": HALF, "n": HALF}, 'body.token: "[redacted]", recorded missing'),
], ids=["value", "name", "text", "secret"])  # fmt: skip
def test_half_a_surrogate_pair_in_a_response_is_a_difference(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, got: Any, line: str
) -> None:
    monkeypatch.setenv("STAGING_KEY", KEY)
    rows = entry(method, "/things", 201, {"id": 1}), entry("GET", "/things/1", 201, {"id": 1})
    words = ("replay", har(tmp_path / "a.har", *rows), "--base-url", BASE, "--allow-writes")
    with running(201, json.dumps(got).encode()) as other:
        _, lines, err = run(*words, "--key-env", "STAGING_KEY", "--url", other.url)

    assert (lines[0], err) == (f"request 1, {method} /v1/things: {line}", [])
    assert lines[-1] == "2 requests: 2 differences"


@pytest.mark.parametrize(("value", "message"), [
    (None, "this variable is not set; pass the name of the variable that has the key"),
    ("", "this variable is empty"),
    *((f"abcsecr{wrong}", "the key must be printable ASCII") for wrong in ("\n", " ", "\u20ac")),
])  # fmt: skip
def test_an_invalid_key_is_rejected_without_printing_it(
    to_service: Run, monkeypatch: pytest.MonkeyPatch, value: str | None, message: str
) -> None:
    if value is None:
        monkeypatch.delenv("STAGING_KEY")
    else:
        monkeypatch.setenv("STAGING_KEY", value)
    with running() as other:
        status, out, [error] = to_service(other.url)
        assert not [line for line in other.seen if "__mockpets" not in line]

    assert (status, out) == (2, [])
    assert error.startswith(f"mockpets: --key-env: {message}")
    assert "secr" not in error


def test_another_service_needs_its_key(service: Path, run: Run) -> None:
    with running() as other:
        options = ("replay", service, "--base-url", BASE, "--url", other.url)
        status, _, [error] = run(*options)
        assert (status, error) == (
            1,
            f"mockpets: {other.url} is not a mockpets server (status 200)",
        )
        assert "sk_live" not in str(run(*options, "--key-env", "sk_live_abc"))


@pytest.mark.parametrize(
    "url", ["http://no-such-host.invalid/v1", "http://127.0.0.1.nip.invalid/v1"]
)
def test_http_to_another_machine_is_rejected(to_service: Run, url: str) -> None:
    message = "mockpets: --url: http:// would send the key unencrypted to another machine; use"
    status, _, [error] = to_service(url)
    assert (status, error) == (2, f"{message} https://")


INVALID = [
    (b'{"log": {"entries": []}}', " has no request to the API"),
    *INVALID_FILES,
    *((json.dumps(broken(**changes)).encode(), message) for changes, message in INVALID_ENTRIES),
]


@pytest.mark.parametrize("command", [("record", "x", "--har"), ("replay",)])
def test_invalid_files_are_errors(command: tuple[str, ...], run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.har"
    for content, message in INVALID:
        path.write_bytes(content)
        status, out, err = run(*command, path, "--base-url", BASE)
        assert (status, out) == (2, [])
        assert message.partition("; ")[0] in err[0]
        assert "s3cret" not in str(err)


@pytest.mark.slow
def test_large_recordings_are_rejected(run: Run, tmp_path: Path) -> None:
    deep, large = "[" * 100_000 + "]" * 100_000, "x" * 300_000
    pets = [
        [{"id": 100 * n + m, "name": "x" * 50, "categoryId": 1} for m in range(100)]
        for n in range(60)
    ]
    cases: list[tuple[list[Any], str]] = [
        ([{}] * 1001, "has 1001 requests to the API, of at most 1000"),
        (pets, "the recording is too large for a scenario: it is larger than 256 KiB"),
        ([[f"{n}" * 250_000] for n in range(3)], "too large for a scenario: it is larger than 256"),
        ([deep], "kept 0 pets of 1 request"),
        ([large], "the body of the response to request 1 is not recorded"),
    ]
    for bodies, message in cases:
        entries = [entry("GET", "/pets", 200, body) for body in bodies]
        for each, body in zip(entries, bodies, strict=True):
            if isinstance(body, str):
                each["response"]["content"]["text"] = body
        path = har(tmp_path / "large.har", *entries)
        status, out, err = run(
            "record", "x", "--har", path, "--base-url", BASE, "-o", path.with_name("x")
        )
        assert message in "\n".join([*out, *err]), status


def test_strange_responses_are_recorded_or_rejected(run: Run, tmp_path: Path) -> None:
    entries = [
        entry("GET", "/pets", 200, [{"id": "x"}, None, {"id": 2**70, "name": 3}]),
        entry("GET", "/pets/9", 200, {"from": "body.x", "default": {"from": "now"}}),
        entry("GET", "/a/{b}/\u202e", 200, "{now} \u202e \\{count}"),
        entry("GET", "/pets/%00", 404, {"code": "pet_not_found", "message": [], "status": 404}),
        entry("PATCH", "/pets/1", 299, {"literal": {"from": "x"}}),
        entry("GET", "/pets/1", 0, ""),
    ]
    entries.append(entry("GET", "/b", 200, {"literal": {"from": "x"}}))
    entries[4]["response"]["content"] = {"size": 3, "text": "//79", "encoding": "base64"}
    entries[5]["response"]["_error"] = "net::ERR_CONNECTION_RESET"
    file, path = tmp_path / "strange.yaml", har(tmp_path / "strange.har", *entries)
    status, out, err = run("record", "strange", "--har", path, "--base-url", BASE, "-o", file)

    lost = "the body of the response to request 5 is not recorded"
    assert (status, out[0]) == (1, f"{file}: 7 requests, 4 stubs")
    assert [lost in each for each in err] == [True]
    status, out, err = run("check", file)
    assert status == 0, (out, err, file.read_text("utf-8"))


def test_a_list_that_ignores_the_query_is_recorded_as_it_was(run: Run, tmp_path: Path) -> None:
    pets = [{**CAT, "status": "sold"}, {**DOG, "status": "pending"}]
    targets = ("/pets?limit=1", "/pets?status=available", "/pets?limit=0")
    file = har(tmp_path / "lists.har", *(entry("GET", target, 200, pets) for target in targets))
    out = tmp_path / "lists.yaml"
    assert run("record", "lists", "--har", file, "--base-url", BASE, "-o", out)[0] == 0
    settings = Settings(port=0, scenarios_dir=(tmp_path,), scenario=("lists",))
    with MockpetsServer(settings) as server:
        options = (file, "--base-url", BASE, "--url", server.url)
        assert run("replay", *options)[1] == ["3 requests: 0 differences"]


STRANGE = {
    "nested values": (json.dumps({"a": 1}).replace("1", '{"a":' * 500 + "1" + "}" * 500), {}, ""),
    "nested lists": ("[" * 500 + "]" * 500, {}, ""),
    "secret": (json.dumps({"token": "a-secret-\ud800", "n": "a-secret-\ud800"}), {}, ""),
    "half a surrogate pair": ('"\\ud800"', {"text": '"\ud800"'}, ""),
    "method": ("{}", {"method": "G\ud800"}, 'method must be a word such as GET, got "G\\ud800"'),
    "media type": ("{}", {"sent": "text/\u4e16"}, "content-type of the request must be ASCII, got"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_har_files_have_no_traceback(run: Run, tmp_path: Path, name: str) -> None:
    body, changes, message = STRANGE[name]
    row = entry("GET", "/things", 200, {})
    row["response"]["content"]["text"] = changes.get("text", body)
    row["request"]["method"] = changes.get("method", "GET")
    row["request"]["headers"].append(
        {"name": "content-type", "value": changes.get("sent", "application/json")}
    )
    file, out = har(tmp_path / "a.har", row), tmp_path / "a.yaml"
    status, lines, err = run("record", "a", "--har", file, "--base-url", BASE, "-o", out)

    if message:
        assert (status, lines, len(err)) == (2, [], 1)
        assert f"a.har: log.entries.1: {message}" in err[0]
    else:
        assert (status, err) == (0, [])
        assert run("check", out)[0] == 0


def test_many_secrets_are_compared_only_where_one_may_be() -> None:
    """20,000 secrets with the same beginning: the text is compared with few of them."""
    from mockpets.recording.secret_removal import _Repeated

    class Counted(str):
        compared = 0

        def startswith(self, *arguments: Any) -> bool:
            Counted.compared += 1
            return super().startswith(*arguments)

    secrets = [f"eyJhbGciOiJIUzI1NiJ9.{number:09}" for number in range(20_000)]
    text = Counted(" ".join(f"{secret[:-9]}{number:08}x" for number, secret in enumerate(secrets)))

    assert _Repeated(secrets).removed(text) == text
    assert Counted.compared <= 2 * len(secrets)
