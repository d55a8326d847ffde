"""Access to the control API: every route and kind of caller, and attempts to bypass the check."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count, product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mockpets import Settings, create_app
from mockpets.constants import CONTROL_PREFIX, TOOLBAR_PATH
from mockpets.kit_files import files_of
from mockpets.web.cors import REJECTED_ORIGINS
from tests.http_client import JSON, InProcess, Response
from tests.routes import complete_app
from tests.server.raw_http import Wire

TOKEN = "a-token-of-the-tests"
FREE = {
    "/__mockpets", "/__mockpets/", "/__mockpets/control.openapi.json", "/__mockpets/docs",
    "/__mockpets/health", "/__mockpets/llms.txt", "/__mockpets/openapi.json",
    "/__mockpets/panel/<version>/<name>", "/__mockpets/ready", "/__mockpets/schema/scenario.json",
    *(f"/__mockpets/{name}" for name in files_of()),
} - {TOOLBAR_PATH}  # fmt: skip
"""The routes without secrets, as listed in product.md; all others are guarded."""
VALUES = {"<name>": "x", "<version>": "x", "<id>": "1", "<number>": "1", "<record>": "1"}


def routes() -> Iterator[tuple[str, str, str]]:
    """Yield rule, method and path of every route of the control API."""
    for rule in complete_app().url_map.iter_rules():
        path = rule.rule
        for part, value in VALUES.items():
            path = path.replace(part, value)
        if rule.rule.startswith(CONTROL_PREFIX):
            assert "<" not in path, f"add the parameters of {rule.rule} to VALUES"
            for method in sorted(rule.methods or ()):
                yield rule.rule, method, path


ROUTES = sorted(routes())
GUARDED = [(method, path) for rule, method, path in ROUTES if rule not in FREE]


@dataclass(frozen=True)
class Caller_:  # noqa: N801 - `Client` is a door's
    """A kind of caller.

    :param gets: ``pass``, or the expected error code.
    :param peer: the address of the connection.
    """

    who: str
    gets: str
    headers: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    peer: str = "127.0.0.1"


def page(site: str | None, origin: str | None, host: str = "localhost:7387") -> dict[str, str]:
    """Return the headers that a browser sends for a page."""
    message = {"Host": host}
    if site is not None:
        message["Sec-Fetch-Site"] = site
    if origin is not None:
        message["Origin"] = origin
    return message


NETWORK = {"host": ("0.0.0.0",), "control_token": TOKEN}  # noqa: S104 - not bound here
LOCAL_TOKEN = {"control_token": TOKEN}
OPEN = {"host": ("0.0.0.0",), "control": "open"}  # noqa: S104
OFF = {"control": "off"}
FRONT = {"control_origin": ("https://front.example",)}
WITH = {"Authorization": f"Bearer {TOKEN}"}
EVIL = page("cross-site", "http://evil.test")

CALLERS = [
    Caller_("curl", "pass"),
    Caller_("curl over IPv6", "pass", {"Host": "[::1]:7387"}, peer="::1"),
    Caller_("the panel", "pass", page("same-origin", "http://localhost:7387")),
    Caller_("a page on another port", "pass", page("same-site", "http://localhost:5173")),
    Caller_("a foreign page", "forbidden", EVIL),
    Caller_("a rebound name", "forbidden", page("same-origin", None, "evil.test:7387")),
    Caller_("the network, on loopback", "forbidden", peer="10.0.0.7"),
    Caller_("the network, mapped", "forbidden", peer="::ffff:10.0.0.7"),
    Caller_("the network, by a proxy on loopback", "forbidden", {"X-Forwarded-For": "10.0.0.7"}),
    Caller_("a proxy of the standard", "forbidden", {"Forwarded": "for=127.0.0.1"}),
    Caller_("a peer that is no address", "forbidden", peer="unix"),
    Caller_("the network, no token", "unauthorized", settings=NETWORK, peer="10.0.0.7"),
    Caller_("loopback, no token", "unauthorized", settings=NETWORK),
    Caller_("loopback, a token is set", "unauthorized", settings=LOCAL_TOKEN),
    Caller_("the wrong token", "unauthorized", {"Authorization": f"Bearer {TOKEN}x"}, NETWORK,
        "10.0.0.7"),
    Caller_("no ASCII token", "unauthorized", {"Authorization": "Bearer \xe9"}, NETWORK,
        "10.0.0.7"),
    Caller_("another scheme", "unauthorized", {"Authorization": f"Basic {TOKEN}"}, NETWORK),
    Caller_("an API key", "unauthorized", {"Authorization": "Bearer mockpets"}, NETWORK),
    Caller_("the network, with token", "pass", WITH | {"Host": "mock.corp"}, NETWORK, "10.0.0.7"),
    Caller_("a foreign page, with token", "forbidden", WITH | EVIL, NETWORK, "10.0.0.7"),
    Caller_("the panel without TLS, where browsers say no Sec-Fetch-Site", "pass",
        WITH | page(None, "http://mock.corp:7387", "mock.corp:7387"), NETWORK, "10.0.0.7"),
    Caller_("a page of our name over another scheme, or port", "forbidden",
        WITH | page("cross-site", "http://mock.corp:7387", "mock.corp:7387"), NETWORK, "10.0.0.7"),
    Caller_("open, by a compose name", "pass", {"Host": "mockpets:7387"}, OPEN, "172.18.0.3"),
    Caller_("open, the panel by a compose name", "pass",
        page(None, "http://mockpets:7387", "mockpets:7387"), OPEN, "172.18.0.3"),
    Caller_("open, by a public name", "forbidden", {"Host": "pets.example"}, OPEN, "172.18.0.3"),
    Caller_("open, a foreign page", "forbidden", EVIL, OPEN, "172.18.0.3"),
    Caller_("open, another page of the network", "forbidden",
        page(None, "http://other:80", "mockpets:7387"), OPEN, "172.18.0.3"),
    Caller_("off", "not_found", settings=OFF),
]  # fmt: skip


def without_waiting(
    path: str, headers: dict[str, str], body: bytes | None
) -> tuple[dict[str, str], bytes | None]:
    """Return the headers and a body for a request, for the call `gates/NAME/wait` with no wait.

    By default, it waits for 5 s, and most tests here make every call.
    """
    if path.endswith("/wait") and body in (None, b"{}"):
        return JSON | headers, b'{"within": "0s"}'
    return headers, body


class Server:
    """An app with these settings, and the visible effects of calls."""

    def __init__(self, **settings: Any) -> None:
        # A minute passes with each request, so that the rate limit is never reached.
        app = create_app(Settings(**settings), partial(next, count(0.0, 60.0)))
        self._inside = InProcess(app)
        self._sessions = app.extensions["mockpets"].sessions

    def ask(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes | None = None,
        peer: str = "127.0.0.1",
    ) -> Response:
        headers, body = without_waiting(path, headers, body)
        return self._inside.ask(method, path, headers, body, peer)

    def traces(self) -> list[Any]:
        """Return the state that every call with an effect changes."""
        return [
            # `_last` leaves out changes of the server: a rejected origin is such a change.
            (session.name, session.active, session.changes._last, session.request_log.last)
            for session in self._sessions.all()
        ]


@pytest.fixture(scope="module")
def servers() -> dict[str, Server]:
    kinds = [FRONT, *(caller.settings for caller in CALLERS)]
    return {
        key: Server(**settings) for key, settings in {repr(each): each for each in kinds}.items()
    }


def test_open_routes_are_those_that_product_md_lists() -> None:
    """A new route must be guarded: a foreign page without a token sees only these."""
    server = Server(**NETWORK)
    answered = {
        rule
        for rule, method, path in ROUTES
        if server.ask(method, path, EVIL, peer="10.0.0.7").status != 401
    }

    assert answered == FREE | {TOOLBAR_PATH}
    assert {rule for rule, _, _ in ROUTES} > FREE


@pytest.mark.parametrize(
    "caller",
    [caller for caller in CALLERS if caller.settings != OFF],
    ids=lambda caller: caller.who,
)
def test_routes_without_secrets_are_open(servers: dict[str, Server], caller: Caller_) -> None:
    server = servers[repr(caller.settings)]
    for path in ("health", "ready", "openapi.json", "control.openapi.json", "docs"):
        got = server.ask("GET", f"/__mockpets/{path}", caller.headers, peer=caller.peer)
        assert got.status == 200, path


def error_of(response: Response) -> tuple[str, str]:
    """Return the code and the message of an Error body, or of an error of JSON-RPC."""
    body = response.json
    if "error" in body:
        return body["error"]["data"]["code"], body["error"]["message"]
    return body["code"], body["message"]


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.who)
def test_who_may_call_what(servers: dict[str, Server], caller: Caller_) -> None:
    server = servers[repr(caller.settings)]
    before, sent = server.traces(), {"Host": "localhost:7387", **caller.headers}
    status = {"unauthorized": 401, "forbidden": 403}.get(caller.gets, 404)
    base = "/~w1" if caller.gets == "pass" else "/~new"
    for (method, path), (start, body) in product(GUARDED, (("", None), (base, b"{}"))):
        target = start + path
        got = server.ask(method, target, sent | (JSON if body else {}), body, caller.peer)
        if caller.gets == "pass":
            assert got.status not in (401, 403, 500), (method, target)
            assert "control API" not in got.text, (method, target)
            continue
        is_told = caller.gets == "unauthorized" or caller.settings in (NETWORK, OPEN)
        if path == TOOLBAR_PATH and method in ("GET", "HEAD") and is_told:
            assert got.status == 200, target  # it reports the option that the page needs
            continue
        assert got.status == status, (method, target)
        assert method == "HEAD" or error_of(got)[0] == caller.gets, (method, target)
        assert server.traces() == before, (method, target)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "text"]
)
def test_every_call_rejects_a_body_that_is_not_json(servers: dict[str, Server], kind: str) -> None:
    """Bodies that a form can send without a preflight are rejected, with any parameters."""
    server = servers["{}"]
    for method, path in GUARDED:
        for more in ("", "; x=application/json", ", application/json"):
            before = server.traces()
            got = server.ask(method, path, {"Content-Type": kind + more}, b'{"scenario": "empty"}')
            assert got.status == 400, (method, path, more)
            if method != "HEAD":
                assert "must be application/json" in error_of(got)[1]
            assert server.traces() == before


SITES = [None, "same-origin", "same-site", "none", "cross-site", "", "Same-Origin", "elsewhere"]
ORIGINS = {
    None: None,
    "http://localhost:5173": True, "https://localhost": True, "http://127.0.0.1:5173": True,
    "http://127.255.3.2": True, "http://[::1]:80": True, "http://a.b.localhost:1": True,
    "https://front.example": True, "HTTPS://Front.Example": True,
    "null": False, "": False, "http://evil.test": False, "http://127.0.0.1.evil.test": False,
    "http://127.0.0.1@evil.test": False, "http://xlocalhost:5173": False,
    "http://localhost:5173/": False, "http://localhost:5173, http://evil.test": False,
    "file://localhost": False, "http://10.0.0.7": False, "localhost:5173": False,
}  # fmt: skip
"""Origin to whether it may call, if the browser does not send Sec-Fetch-Site: same-origin."""
HOSTS = {
    "localhost": True, "LOCALHOST:7387": True, "pets.localhost:1": True, "127.0.0.1:7387": True,
    "[::1]": True, "192.168.1.5:7387": True, "pets.test:7387": True, "front.example": False,
    "mockpets": None, "my_mock-1:7387": None,
    "evil.test": False, "localhost.": False, "localhost.evil.test": False,
    "127.0.0.1.nip.test": False, "[::1].evil.test": False, "localhost:7387:1": False,
    "localhost:port": False, "localhost@evil.test": False, "localhost, evil.test": False,
    "l\xf6calhost": False, ".".join(["a"] * 100): False, "": False,
}  # fmt: skip
"""Host to whether it is accepted; None if only an open control API accepts it."""


@pytest.mark.parametrize("is_every", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("control", ["auto", "open"])
@pytest.mark.parametrize(("method", "path"), [("GET", "state"), ("POST", "reset")])
def test_combinations_of_host_origin_and_site(
    control: str, method: str, path: str, is_every: bool
) -> None:
    server = Server(
        control=control, control_origin=("https://front.example", "http://pets.test:3000")
    )
    some = [*product(HOSTS, [None], [None]), *product(["localhost"], ORIGINS, SITES)]
    wrong = []
    for host, origin, site in product(HOSTS, ORIGINS, SITES) if is_every else some:
        headers = page(site, origin, host)
        status = server.ask(method, f"/__mockpets/{path}", headers).status
        is_host = HOSTS[host] or (HOSTS[host] is None and control == "open")
        is_page = site in ("same-origin", "same-site", "none")
        is_page = is_page or (site is None if origin is None else bool(ORIGINS[origin]))
        if status != (200 if is_host and is_page else 403):
            wrong.append((headers, status))

    assert not wrong


def test_no_response_contains_the_token(servers: dict[str, Server]) -> None:
    server = servers[repr(NETWORK)]
    for headers in ({}, {"Authorization": "Bearer no"}, WITH):
        for _, method, path in ROUTES:
            got = server.ask(method, path, {"Host": "localhost", **headers})
            assert TOKEN not in got.text + str(got.headers), (method, path)
    refused = server.ask("GET", "/__mockpets/state", {})
    assert refused.header("WWW-Authenticate") == 'Bearer realm="mockpets control"'


def test_a_public_bind_generates_a_unique_token() -> None:
    tokens = set()
    for _ in range(3):
        app = create_app(Settings(host=("0.0.0.0",)))  # noqa: S104 - not bound here
        token = app.extensions["mockpets"].token
        tokens.add(token)
        ask = InProcess(app).ask
        assert ask("GET", "/__mockpets/state", {}, None).status == 401
        right = {"Authorization": f"bearer {token}"}
        assert ask("GET", "/__mockpets/state", right, None).status == 200

    assert len(tokens) == 3
    assert min(map(len, tokens)) >= 32
    assert create_app(Settings()).extensions["mockpets"].token == ""


# --- CORS ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", [origin for origin in ORIGINS if origin])
def test_only_allowed_pages_may_read(servers: dict[str, Server], origin: str) -> None:
    server = servers[repr(FRONT)]
    for _, method, path in ROUTES:
        for verb in {method, "OPTIONS"}:
            asks = {"Access-Control-Request-Method": method} if verb == "OPTIONS" else {}
            got = server.ask(verb, path, page("cross-site", origin) | asks)
            allowed = got.header("Access-Control-Allow-Origin")
            assert allowed == (origin if ORIGINS[origin] else None), (verb, path)
            assert got.header("Access-Control-Allow-Credentials") is None
            assert "Origin" in (got.header("Vary") or "").split(", ")
            if verb == "OPTIONS":
                assert got.status == 204
                methods = got.header("Access-Control-Allow-Methods") or ""
                is_named = method in (*methods.split(", "), "HEAD")  # HEAD needs no permission
                assert is_named == ORIGINS[origin] or method == "HEAD"
                names = (got.header("Access-Control-Allow-Headers") or "").lower()
                assert ("authorization" in names) == ORIGINS[origin]


def test_a_preflight_needs_no_token_and_changes_nothing() -> None:
    server = Server(**NETWORK)
    before = server.traces()
    for method, path in GUARDED:
        headers = page("cross-site", "http://localhost:5173")
        headers["Access-Control-Request-Method"] = method
        assert server.ask("OPTIONS", f"/~new{path}", headers, peer="10.0.0.7").status == 204

    assert server.traces() == before


@pytest.mark.parametrize("origin", ["http://localhost:5173", "https://front.example"])
def test_a_page_that_may_call_can_load_the_toolbar(servers: dict[str, Server], origin: str) -> None:
    """`test_who_may_call_what` shows that others cannot."""
    got = servers[repr(FRONT)].ask("GET", TOOLBAR_PATH, page("cross-site", origin))

    assert (got.status, got.header("Content-Type")) == (200, "text/javascript; charset=utf-8")
    assert got.header("Access-Control-Allow-Origin") == origin
    assert got.header("Cross-Origin-Resource-Policy") == "same-origin"  # without CORS, only ours
    assert got.header("Cache-Control") == "no-cache"
    assert b"import.meta.url" in got.body


@pytest.mark.parametrize(("settings", "allowed"), [
    pytest.param({}, False, id="this machine only"),
    pytest.param(LOCAL_TOKEN, False, id="this machine only, with a token"),
    pytest.param(NETWORK, True, id="other machines, with a token"),
    pytest.param(OPEN, True, id="other machines, open"),
])  # fmt: skip
def test_any_page_can_load_the_toolbar_from_a_server_for_other_machines(
    servers: dict[str, Server], settings: dict[str, Any], allowed: bool
) -> None:
    """It then reports that the page may not call the control API."""
    got = servers[repr(settings)].ask("GET", TOOLBAR_PATH, EVIL)

    assert (got.status == 200) == allowed
    expected = "http://evil.test" if allowed else None
    assert got.header("Access-Control-Allow-Origin") == expected


# --- Rejected origins ---------------------------------------------------------------------------

PREFLIGHT = {"Access-Control-Request-Method": "PUT"}
EVIL_MESSAGE = (
    "the control API rejects requests from pages on http://evil.test; if you trust them, start "
    "the server with --control-origin http://evil.test"
)
NULL_MESSAGE = (
    "the control API rejects requests from pages without an origin, such as local files and "
    "sandboxed frames; serve the page from localhost"
)


def rejected_origins(server: Server) -> list[str]:
    state = server.ask("GET", "/__mockpets/state", {"Host": "localhost:7387"}).json
    origins: list[str] = state["rejected_origins"]
    return origins


@pytest.mark.parametrize(("origin", "listed", "message"), [
    ("http://evil.test", "http://evil.test", EVIL_MESSAGE),
    ("HTTP://Evil.Test", "http://evil.test", EVIL_MESSAGE),
    ("null", "null", NULL_MESSAGE),
])  # fmt: skip
@pytest.mark.parametrize("way", ["preflight", "call", "old browser"])
def test_a_rejected_page_is_named_in_the_log_and_in_the_state_once(
    caplog: pytest.LogCaptureFixture, origin: str, listed: str, message: str, way: str
) -> None:
    """A browser hides the 403 from the page, and after a rejected preflight it sends no call."""
    server = Server()
    headers = page(None if way == "old browser" else "cross-site", origin)
    method = "OPTIONS" if way == "preflight" else "PUT"
    for _ in range(3):
        headers |= PREFLIGHT if way == "preflight" else {}
        response = server.ask(method, "/~w3/__mockpets/scenario", headers)
        assert response.header("Access-Control-Allow-Origin") is None
        assert response.header("Access-Control-Allow-Methods") is None

    assert [each.getMessage() for each in caplog.records if each.name == "mockpets"] == [message]
    assert rejected_origins(server) == [listed]
    if way != "preflight":
        assert (response.status, response.json["message"]) == (403, message)


@pytest.mark.parametrize("origin", [
    "http://evil.test/path", "http://evil.test\x1b[31m", "http://evil.test, http://b.test",
    "chrome-extension://abcdef", "http://" + "e" * 300,
])  # fmt: skip
def test_an_invalid_origin_is_rejected_but_neither_logged_nor_listed(
    caplog: pytest.LogCaptureFixture, origin: str
) -> None:
    server = Server()
    server.ask("OPTIONS", "/__mockpets/state", page("cross-site", origin) | PREFLIGHT)
    response = server.ask("GET", "/__mockpets/state", page("cross-site", origin))

    assert response.status == 403
    assert response.json["message"].endswith("start the server with --control-origin")
    assert rejected_origins(server) == []
    assert not [each for each in caplog.records if each.name == "mockpets"]


def test_the_number_of_rejected_origins_is_limited(caplog: pytest.LogCaptureFixture) -> None:
    server = Server()
    for number in range(REJECTED_ORIGINS + 5):
        headers = page("cross-site", f"http://page{number}.test")
        server.ask("POST", "/__mockpets/reset", headers)
    messages = [each.getMessage() for each in caplog.records if each.name == "mockpets"]

    assert len(rejected_origins(server)) == len(messages) == REJECTED_ORIGINS
    assert [each.endswith("further origins are not logged") for each in messages] == [
        *[False] * (REJECTED_ORIGINS - 1),
        True,
    ]


@pytest.mark.parametrize(("method", "path", "headers"), [
    ("OPTIONS", "/__mockpets/state", page("cross-site", "https://front.example") | PREFLIGHT),
    ("OPTIONS", "/__mockpets/state", page("cross-site", "http://evil.test")),
    ("OPTIONS", "/__mockpets/health", page("cross-site", "http://evil.test") | PREFLIGHT),
    ("OPTIONS", "/v1/pets", page("cross-site", "http://evil.test") | PREFLIGHT),
    ("GET", "/__mockpets/health", page("cross-site", "http://evil.test")),
    ("GET", "/__mockpets/state", page("cross-site", None)),
])  # fmt: skip
def test_only_rejected_control_calls_are_listed(
    method: str, path: str, headers: dict[str, str]
) -> None:
    server = Server(**FRONT)
    server.ask(method, path, headers)

    assert rejected_origins(server) == []


def test_a_new_rejected_origin_is_reported_to_the_panel_as_a_change() -> None:
    server = Server()
    local = {"Host": "localhost"}
    before = server.ask("GET", "/~w3/__mockpets/events", local).json["change"]
    for _ in range(2):
        server.ask("OPTIONS", "/__mockpets/state", page("cross-site", "http://a.test") | PREFLIGHT)
    events = server.ask("GET", f"/~w3/__mockpets/events?since={before}", local).json

    assert events["changed"] == ["origins"]
    assert events["change"] == before + 1


@pytest.mark.slow
def test_visitors_of_a_public_server_cannot_fill_the_list_with_preflights() -> None:
    server = Server(public=True, control_token=TOKEN)
    server.ask("OPTIONS", "/__mockpets/state", page("cross-site", "http://evil.test") | PREFLIGHT)
    server.ask("GET", "/__mockpets/state", page("cross-site", "http://evil.test"))
    state = server.ask("GET", "/__mockpets/state", WITH | {"Host": "localhost"}).json

    assert state["rejected_origins"] == []


# --- Bypasses -----------------------------------------------------------------------------------

FORMS = [
    "/__mockpets/reset", "//__mockpets/reset", "///__mockpets/reset", "/__mockpets//reset",
    "/__mockpets/reset/", "/__mockpets/./reset", "/./__mockpets/reset", "/v1/../__mockpets/reset",
    "/v1/%2e%2e/__mockpets/reset", "/v1/..%2f__mockpets/reset", "/__mockpets/health/../reset",
    "/__mockpets/panel/../reset", "/__mockpets/panel/..%2freset", "/%5f_mockpets/reset",
    "/%5F%5Fmockpets/reset", "/__mockpets/%72eset", "/__mockpets%2freset", "/%2f__mockpets/reset",
    "/__MOCKPETS/reset", "/__mockpets/RESET", "/__mockpets/reset?x=/health", "/__mockpets/reset?",
    "/__mockpets/reset;x=1", "/__mockpets/reset%00", "/__mockpets/reset%20", "/__mockpets\\reset",
    "/~default/__mockpets/reset", "/~/__mockpets/reset", "/~+default/__mockpets/reset",
    "/%7Edefault/__mockpets/reset", "/~default//__mockpets/reset",
    "/~default/~default/__mockpets/reset", "/~default%2f__mockpets/reset",
    "/~x/../__mockpets/reset", "http://{host}/__mockpets/reset", "http://{host}//__mockpets/reset",
    "http://evil.test/__mockpets/reset", "HTTP://{host}/__mockpets/reset",
    "http://{host}/%5f_mockpets/reset", "http://localhost@evil.test/__mockpets/reset",
    "http://me@{host}/__mockpets/reset", "http://[::1/__mockpets/reset",
    "http://[x]/__mockpets/reset", "http:///__mockpets/reset", "/http://{host}/__mockpets/reset",
    "//{host}/__mockpets/reset", "*", "__mockpets/reset",
]  # fmt: skip


def resets(port: int) -> int:
    with Wire(port) as wire:
        wire.send(b"GET /__mockpets/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        count: int = wire.read().json["resets"]
        return count


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "message", [EVIL, page(None, None, "evil.test")], ids=["another page", "another host"]
)
def test_no_form_of_a_target_bypasses_the_check(
    port: int, form: str, message: dict[str, str]
) -> None:
    before = resets(port)
    for method in ("POST", "post", "GET", "POST\t"):
        lines = [f"{method} {form.format(host=message['Host'])} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in message.items()]
        with Wire(port) as wire:
            wire.send("\r\n".join([*lines, "", ""]).encode())
            assert wire.read().status in (400, 403, 404, 405), method

    assert resets(port) == before


def test_the_forms_work_for_an_allowed_caller(port: int) -> None:
    """Check the test above: an allowed caller reaches the routes."""
    reached = set()
    for form in FORMS:
        with Wire(port) as wire:
            target = form.format(host="localhost")
            wire.send(f"POST {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            if wire.read().status == 200:
                reached.add(form)

    assert {"/__mockpets/reset", "/%5f_mockpets/reset", "/~/__mockpets/reset"} <= reached
    assert {"http://{host}/__mockpets/reset", "/%7Edefault/__mockpets/reset"} <= reached
    # Slashes are decoded before the check, so these are not different paths.
    assert not {form for form in reached if ".." in form or "evil" in form or "@" in form}


@pytest.mark.parametrize("count", [1, 2])
def test_repeated_headers_are_not_combined(port: int, count: int) -> None:
    """A second Origin or Sec-Fetch-Site does not replace the first."""
    before = resets(port)
    for pair in (
        ["Origin: http://evil.test", "Origin: http://localhost"][:count],
        ["Origin: http://localhost", "Origin: http://evil.test"][-count:],
        ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-origin"][:count],
        ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"][-count:],
    ):
        with Wire(port) as wire:
            lines = ["POST /__mockpets/reset HTTP/1.1", "Host: localhost", *pair, "", ""]
            wire.send("\r\n".join(lines).encode())
            assert wire.read().status == 403, pair

    assert resets(port) == before


# --- Fuzz ---------------------------------------------------------------------------------------

NAMES = st.sampled_from(
    [
        *("Host", "Origin", "Sec-Fetch-Site", "Authorization", "Content-Type", "Content-Length"),
        *("Mockpets-Session", "Mockpets-Scenario", "Mockpets-Delay", "Accept", "Cookie"),
        *("Access-Control-Request-Method", "Access-Control-Request-Headers", "Forwarded"),
        *("X-Forwarded-For", "X-Forwarded-Host", "Upgrade", "Range", "If-None-Match", "Expect"),
        *("Transfer-Encoding", "Content-Encoding", "Referer"),
    ]
)
WORDS = st.sampled_from(
    [
        *("localhost", "http://localhost:1", "null", "same-origin", "Bearer", "Bearer mockpets"),
        *("Bearer mockpets~w+empty", f"Bearer {TOKEN}", "application/json", "websocket", "w1"),
        *("[::1", "http://[::1", "1" * 5000, "~" * 99, "empty,empty", "utf-8''%ff", "bytes=0-"),
    ]
)
LATIN = st.text(st.characters(codec="latin-1", exclude_characters="\r\n\0"), max_size=30)
HEADERS = st.dictionaries(NAMES | st.text("abc-_XYZ", min_size=1, max_size=9), WORDS | LATIN)
TARGETS = st.sampled_from([path for _, _, path in ROUTES] + ["/v1/pets", "/v1/pets/1", "/", "/x"])
QUERIES = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=20)
BASES = st.sampled_from(["", "", "/~w1", "/~+empty", "/~w1+retry", "/~w\xc3\xa9", "/~+"])
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"])
BODIES = st.none() | st.sampled_from([b"{}", b"[]", b'"x"', b"7", b"\xff", b"{" * 99, b"null"])


@pytest.fixture(scope="module")
def fuzzed() -> list[Server]:
    every = product(("", TOKEN), ("mockpets", "*"))
    return [Server(control_token=token, api_key=(key,)) for token, key in every]


@given(method=METHODS, base=BASES, path=TARGETS, query=QUERIES, headers=HEADERS, body=BODIES)
@example("GET", "", "/__mockpets/data", "", {"Content-Length": "1" * 5000}, None)
def test_no_headers_cause_an_internal_error(
    fuzzed: list[Server],
    method: str,
    base: str,
    path: str,
    query: str,
    headers: dict[str, str],
    body: bytes | None,
) -> None:
    for server in fuzzed:
        got = server.ask(method, f"{base}{path}?{query}", headers, body)
        assert got.status != 500
        if got.status >= 400 and got.text:
            error = json.loads(got.text)
            is_mcp = path == "/__mockpets/mcp"  # JSON-RPC
            assert (is_mcp and "error" in error) or {"code", "message", "status"} <= error.keys()
