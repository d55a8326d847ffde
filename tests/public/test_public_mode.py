"""Public mode: the limits and the isolation of visitors."""

import json
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import count, product
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings, addresses, create_app
from mockpets.public.public_limits import BURST as BURST_SECONDS
from mockpets.public.public_limits import IN_PROGRESS, PARKED, PUBLIC, TOKEN_ATTEMPTS
from mockpets.settings.settings_table import VISITOR_RATE
from tests.http_client import Client, InProcess, Response
from tests.routes import PANEL_FILES
from tests.server.raw_http import Clock, Running, Wire, running
from tests.server.raw_http import Clock as ServerClock
from tests.web.test_contract import ORIGIN, assert_cors, assert_error

TOKEN = "a-token-of-the-tests"
WITH = {"Authorization": f"Bearer {TOKEN}"}
PET: Any = {"name": "Miso", "categoryId": 2}
SECONDS = 20


class Public:
    """A public server in this process, behind a proxy that reports the visitor.

    :param pace: seconds that pass with each request, so that the rate limit is not reached.
    """

    def __init__(self, pace: float = 60.0 / VISITOR_RATE, **settings: Any) -> None:
        self.clock, self.pace = Clock(), pace
        base: dict[str, Any] = {"public": True, "control_token": TOKEN, "behind_proxy": TRUSTED}
        self.app = create_app(Settings(**(base | settings)), self.clock)
        self._call = Client(InProcess(self.app))

    def __call__(
        self, method: str, target: str, visitor: str = "192.0.2.1", **options: Any
    ) -> Response:
        """Call as a visitor from an address."""
        self.clock.now += self.pace
        headers = {"X-Forwarded-For": visitor, "Origin": ORIGIN} | options.pop("headers", {})
        return self._call(method, target, headers=headers, **options)

    def post(self, visitor: str = "192.0.2.1", **members: Any) -> Response:
        return self("POST", "/v1/pets", visitor, json_body=PET | members)

    def names(self, visitor: str) -> set[str]:
        """Return the names of the pets that a visitor sees."""
        response = self("GET", "/v1/pets?limit=100", visitor)
        assert response.status == 200
        return {pet["name"] for pet in response.json}

    def session(self, visitor: str = "192.0.2.1") -> str:
        """Return the name of a visitor's session; creates the session."""
        return self("GET", "/v1/pets", visitor).headers["mockpets-session"]

    def control(self, method: str, path: str, body: object = None, session: str = "") -> Response:
        """Call the control API as the server's owner."""
        base = f"/~{session}" if session else ""
        return self._call(method, f"{base}/__mockpets/{path}", headers=WITH, json_body=body)


TRUSTED = ("127.0.0.1/32",)


# --- Limits -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "header"), [
    ("delay: 60s", "Accept: */*"), ("delay: 6s", "Mockpets-Delay: 6s"),
    ("hold: gate", "Mockpets-Delay: 4s"), ("throttle: 10 B/s", "Accept: */*"),
])  # fmt: skip
def test_a_response_waits_at_most_ten_seconds(tmp_path: Path, how: str, header: str) -> None:
    (tmp_path / "late.yaml").write_text(f"description: x\nstubs:\n  - {{{how}}}\n")
    app = create_app(Settings(public=True, control_token=TOKEN, scenarios_dir=(tmp_path,)))
    with running(app, clock=ServerClock()) as server, Wire(server.port) as visitor:
        key = "Authorization: Bearer mockpets"
        visitor.get("/v1/pets", key, "Mockpets-Scenario: late", header)
        server.until(lambda: server.waiting, 1)
        server.clock.pass_(PUBLIC.delay_seconds - 0.1)
        assert server.ask(lambda: server.waiting) == 1
        server.clock.pass_(0.1)
        reply = visitor.read()
        assert (reply.status, len(reply.json)) == (200, 16)
        assert server.ask(lambda: server.waiting) == 0
        assert visitor.is_open()


@pytest.mark.slow
def test_each_visitor_may_add_1000_pets() -> None:
    public = Public()
    for _ in range(PUBLIC.records):
        assert public.post().status == 201

    full = public.post()
    assert_error(full, "store_full")
    assert_cors(full)
    assert full.json["message"] == (
        "there is no room for more pets; start again with the original pets, or try again later"
    )
    assert public.post("192.0.2.2").status == 201


@pytest.mark.parametrize("character", ["n", "\u00e9", "\U0001f408"])
def test_a_name_has_at_most_256_characters(character: str) -> None:
    public = Public()

    assert public.post(name=character * 256).status == 201
    rejected = public.post(name=character * 257)
    assert_error(rejected, "invalid_request")
    assert_cors(rejected)
    assert "name must have at most 256 characters" in rejected.json["message"]
    assert "got 257" in rejected.json["message"]


def test_the_request_log_omits_bodies() -> None:
    public = Public()
    secret = "what-a-visitor-typed"
    number = public.post(name=secret).headers["mockpets-request"]
    session = public.session()

    entry = public.control("GET", f"requests/{number}", session=session)
    har = public.control("GET", "requests.har", session=session)
    assert secret.encode() not in entry.body + har.body
    assert entry.json["request"]["body"]["text"] == entry.json["response"]["body"]["text"] == ""
    assert entry.json["status"] == 201


@pytest.mark.parametrize("fault", ["connection_reset", "empty_reply"])
@pytest.mark.parametrize("reply", ["", ", reply: pass"])
def test_connection_faults_are_rejected(tmp_path: Path, fault: str, reply: str) -> None:
    """The request is rejected on the same connection, without any effect."""
    text = f"description: x\nstubs:\n  - {{fault: {fault}{reply}}}\n"
    (tmp_path / "broken.yaml").write_text(text)
    app = create_app(Settings(public=True, scenarios_dir=(tmp_path,), control_token=TOKEN))
    head, body = ("Authorization: Bearer mockpets", f"Origin: {ORIGIN}"), json.dumps(PET)
    with running(app) as server, Wire(server.port) as wire:
        before = wire.get("/v1/pets", *head).read()
        post = ["POST /v1/pets HTTP/1.1", "Host: test", *head, "Mockpets-Scenario: broken"]
        post += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", body]
        rejected = wire.send("\r\n".join(post).encode()).read()
        after = wire.get("/v1/pets", *head).read()

    assert (rejected.status, rejected.json["code"]) == (403, "forbidden")
    assert rejected.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert rejected.headers["Mockpets-Stub"] == "broken/1"
    assert before.json == after.json


@pytest.mark.parametrize("call", [("PUT", "scenario"), ("PUT", "sessions/new")])
def test_inline_scenarios_are_rejected(call: tuple[str, str]) -> None:
    public = Public()
    document = {"description": "x", "stubs": [{"reply": {"status": 500}}]}

    for entry in (document, ["empty", document]):
        assert_error(public.control(*call, {"scenario": entry}), "forbidden")
    assert public.control("GET", "state").json["active"] == ["default"]
    assert public.control(*call, {"scenario": "empty"}).status in (200, 201)


FULL = "too many people use this demo at the moment; try again in 60 seconds"


# --- Rate limit ---------------------------------------------------------------------------------

WAIT = "too many requests at the moment; try again in 1 second"
BURST = BURST_SECONDS * VISITOR_RATE


def test_a_rate_limited_response_has_retry_after() -> None:
    public = Public(pace=0)
    responses = [public("GET", "/v1/pets/1") for _ in range(BURST)]
    assert {response.status for response in responses} == {200}

    rejected = public("GET", "/v1/pets/1")
    assert_error(rejected, "rate_limited")
    assert_cors(rejected)
    assert rejected.header("Retry-After") == "1"
    # Responses of the deprecated operation, and those off the contract, keep their headers.
    assert rejected.header("Sunset") is not None
    assert (
        rejected.header("Mockpets-Off-Contract") == "status 429 is not in the contract for getPet"
    )
    asked = {"Access-Control-Request-Method": "POST"}  # else a page could not read the error
    assert public("OPTIONS", "/v1/pets", headers=asked, key=None).status == 204
    assert public("GET", "/v1/pets/1", "192.0.2.2").status == 200
    public.clock.now += 1 / VISITOR_RATE
    assert [public("GET", "/v1/pets").status for _ in range(2)] == [200, 429]


def test_a_rate_limited_request_has_no_effect() -> None:
    public = Public(pace=0)
    statuses = [public.post(name="Once").status for _ in range(BURST + 5)]
    public.clock.now += 60

    assert statuses == [201] * BURST + [429] * 5
    assert len(public("GET", "/v1/pets?limit=100").json) == 16 + BURST


def test_preflights_count_separately() -> None:
    public = Public(pace=0)
    for path in ("/v1/pets", "/__mockpets/state", "/nowhere") * (BURST // 3 + 1):
        last = public("OPTIONS", path, key=None)
    rejected = public("OPTIONS", "/v1/pets", key=None)
    assert (last.status, rejected.status) == (429, 429)
    assert_error(rejected, "rate_limited")
    assert rejected.header("Retry-After") == "1"
    assert rejected.json["message"] == WAIT
    assert public("OPTIONS", "/v1/pets", "192.0.2.2", key=None).status == 204
    assert public("GET", "/v1/pets").status == 200


OPEN = [
    "/__mockpets/", "/__mockpets", "/__mockpets/docs", f"/__mockpets/{PANEL_FILES}/main.js",
    "/__mockpets/client.js", "/__mockpets/openapi.json", "/__mockpets/control.openapi.json",
    "/__mockpets/schema/scenario.json", "/__mockpets/nothing", "/", "/v1/nothing",
    "/v1/pets",  # without a key
]  # fmt: skip


@pytest.mark.parametrize("path", OPEN)
def test_the_pages_that_any_visitor_may_open_count_too(path: str) -> None:
    public = Public(pace=0)
    for _ in range(BURST):
        assert public("GET", path, key=None).status in (200, 302, 308, 401, 404)

    assert_error(public("GET", path, key=None), "rate_limited")
    assert public("GET", "/v1/pets").status == 429
    assert public("GET", path, "192.0.2.2", key=None).status != 429
    samples = public.control("GET", "metrics").body.decode()
    assert 'mockpets_limit_rejections_total{code="rate_limited"} 2.0' in samples


def test_paths_outside_the_prefix_count_too() -> None:
    public = Public(pace=0, prefix="/mock")
    assert {public("GET", "/v1/pets").status for _ in range(BURST)} == {404}
    assert {public("OPTIONS", "/v1/pets").status for _ in range(BURST)} == {204}
    for method in ("GET", "OPTIONS"):
        rejected = public(method, "/v1/pets")
        assert_error(rejected, "rate_limited")
        assert rejected.header("Retry-After") == "1"
    assert public("GET", "/mock/v1/pets").status == 429
    assert public("GET", "/mock/v1/pets", "192.0.2.2").status == 200


def test_control_calls_without_the_token_count_but_not_those_of_the_owner() -> None:
    public = Public(pace=0)
    for _ in range(BURST + 1):
        last = public("GET", "/__mockpets/state", key=None)
    assert last.status == public("POST", "/__mockpets/state", key=None).status == 429
    assert public("GET", "/v1/pets").status == 429
    assert {public.control("GET", "state").status for _ in range(2 * BURST)} == {200}
    # Also from the address of the visitor.
    assert public("GET", "/__mockpets/state", key=TOKEN).status == 200


def test_a_token_cannot_be_guessed_faster_by_a_visitor_over_their_rate() -> None:
    public = Public(pace=0)
    for _ in range(BURST + 1):
        public("GET", "/v1/pets")
    statuses = [public("GET", "/__mockpets/state", key="wrong").status for _ in range(GUESSES)]

    assert set(statuses) == {429}
    assert public("GET", "/__mockpets/state", key=TOKEN).status == 429


def test_health_checks_count_separately_so_that_monitoring_works_on_a_busy_server() -> None:
    public = Public(pace=0)
    for _ in range(BURST + 1):
        public("GET", "/v1/pets")
    paths = ("/__mockpets/health", "/__mockpets/ready") * (BURST // 2)
    assert {public("GET", path, key=None).status for path in paths} == {200}
    assert public("GET", "/__mockpets/health", key=None).status == 429


# --- Responses in progress ----------------------------------------------------------------------


@contextmanager
def many_visitors() -> Iterator[tuple[Running, Callable[..., Wire]]]:
    """Run a public server behind a proxy, whose visitors do not reach the rate limit."""
    seconds = count(0, 1 / VISITOR_RATE)
    settings = Settings(public=True, control_token=TOKEN, behind_proxy=TRUSTED)
    app = create_app(settings, lambda: next(seconds))
    with running(app, clock=ServerClock()) as server, ExitStack() as stack:

        def ask(path: str, visitor: str, *headers: str) -> Wire:
            wire = stack.enter_context(Wire(server.port, receive_buffer=4096))
            key = "Authorization: Bearer mockpets"
            return wire.get(path, f"X-Forwarded-For: {visitor}", key, *headers)

        yield server, ask


def test_a_visitor_gets_a_share_of_the_parked_responses() -> None:
    share = PARKED
    with many_visitors() as (server, ask):
        delayed = [ask("/v1/pets", "192.0.2.1", "Mockpets-Delay: 5s") for _ in range(share)]
        server.until(lambda: server.waiting, share)
        rejected = ask("/v1/pets", "192.0.2.1", "Mockpets-Delay: 5s").read()
        assert rejected.status == 429
        assert rejected.json["code"] == "rate_limited"
        assert rejected.json["message"] == WAIT
        assert rejected.headers["Retry-After"] == "1"
        assert ask("/v1/pets", "192.0.2.1").read().status == 200
        others = [ask("/v1/pets", f"192.0.2.{n}", "Mockpets-Delay: 5s") for n in range(2, 9)]
        server.until(lambda: server.waiting, share + 7)

        delayed[0].close()  # who leaves frees the place
        server.until(lambda: server.waiting, share + 6)
        others.append(ask("/v1/pets", "192.0.2.1", "Mockpets-Delay: 5s"))
        server.until(lambda: server.waiting, share + 7)
        server.clock.pass_(5)
        assert {wire.read().status for wire in (*delayed[1:], *others)} == {200}
        late = ask("/v1/pets", "192.0.2.1", "Mockpets-Delay: 5s")
        server.until(lambda: server.waiting, 1)
        server.clock.pass_(5)
        assert late.read().status == 200


@pytest.mark.parametrize(
    "path", ["/__mockpets/openapi.json", pytest.param(OPEN[3], marks=pytest.mark.slow)]
)
def test_a_visitor_gets_a_share_of_the_responses_that_are_not_read(path: str) -> None:
    share = IN_PROGRESS
    with many_visitors() as (server, ask):
        page, forwarded = "/__mockpets/control.openapi.json", "X-Forwarded-For: 192.0.2.1"
        lazy = [ask(page, "192.0.2.1") for _ in range(share)]
        for wire in lazy:
            for _ in range(10):  # the kernel takes the first ones
                wire.get(page, forwarded)
        server.until(lambda: server.phases, ["write"] * share)
        for each in ("/v1/pets", path):
            rejected = ask(each, "192.0.2.1").read()
            assert rejected.status == 429
            if each == "/v1/pets":
                assert rejected.json["message"] == WAIT
            assert ask(each, "192.0.2.2").read().status == 200
        lazy[0].close()
        server.until(lambda: server.phases.count("write"), share - 1)
        assert ask(path, "192.0.2.1").read().status == 200


def test_a_visitor_whose_responses_have_ended_takes_no_memory() -> None:
    visitors = [f"198.51.100.{number}" for number in range(100)]
    with many_visitors() as (_, ask), ask("/v1/pets", "192.0.2.1") as wire:
        tracemalloc.start()
        try:
            for visitor in visitors:
                wire.read()
                wire.get("/__mockpets/health", f"X-Forwarded-For: {visitor}")
            assert wire.read().status == 200
            names = tracemalloc.Filter(inclusive=True, filename_pattern=addresses.__file__)
            lines = tracemalloc.take_snapshot().filter_traces([names]).statistics("filename")
        finally:
            tracemalloc.stop()
    kept = sum(line.count for line in lines)
    assert kept < len(visitors) / 2, lines


# --- IPv6 networks ------------------------------------------------------------------------------


def test_a_visitor_is_an_ipv6_network_of_64_bits() -> None:
    """A customer with several of them is several visitors; the limits for all bound it."""
    public = Public(pace=0)
    addresses = [f"2001:db8:0:1::{number:x}" for number in range(BURST + 1)]
    statuses = [public("GET", "/v1/pets", address).status for address in addresses]

    assert statuses == [200] * BURST + [429]
    assert {public("GET", "/v1/pets", f"2001:db8:0:{n:x}::1").status for n in range(2, 256)} == {
        200
    }


# --- Which session is replaced ------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path", "body"), [
    ("POST", "data/pets", PET),
    ("DELETE", "data/pets/3", None),
    ("PUT", "scenario", {"scenario": "empty"}),
    ("PUT", "sessions/{}", {"seed": 7}),
])  # fmt: skip
def test_an_idle_session_without_changes_is_replaced_first(
    method: str, path: str, body: Any
) -> None:
    public = Public(pace=0, max_sessions=4)
    writer, *readers, late = (f"192.0.2.{number}" for number in range(1, 5))
    changed = public.session(writer)
    assert public.control(method, path.format(changed), body, changed).status in (200, 201)
    public.clock.now += 1
    read = [public.session(reader) for reader in readers]
    assert public("GET", "/v1/pets?status=sold", readers[0], scenario="retry").status == 503
    public.clock.now += PUBLIC.idle_seconds
    added = public.session(late)

    names = {each["name"] for each in public.control("GET", "sessions").json["sessions"]}
    assert names - {"default", changed, added} < {*read}
    assert len(names) == 4
    public.clock.now += PUBLIC.idle_seconds
    for number in range(5, 7):
        public.session(f"192.0.2.{number}")
    names = {each["name"] for each in public.control("GET", "sessions").json["sessions"]}
    assert changed in names, "the others had no changes"


# --- Attempts -----------------------------------------------------------------------------------

GUESSES = TOKEN_ATTEMPTS[1]


class Guesser:
    """Sends control tokens, behind a proxy that reports the address."""

    def __init__(self, *, public: bool = True) -> None:
        self.clock = Clock()
        given = Settings(control_token=TOKEN, behind_proxy=TRUSTED, public=public)
        self._call = Client(InProcess(create_app(given, self.clock)))

    def __call__(self, key: str | None, visitor: str = "192.0.2.1") -> Response:
        sent = {"X-Forwarded-For": visitor}
        return self._call("GET", "/__mockpets/state", headers=sent, key=key)


def test_failed_attempts_limit_only_their_address() -> None:
    guess = Guesser()
    assert {guess("a-wrong-one").status for _ in range(GUESSES)} == {401}
    rejected = guess("a-wrong-one")
    assert_error(rejected, "rate_limited")
    assert rejected.header("Retry-After") == "3"
    # Even the valid token is rejected, otherwise the attempts could continue.
    assert guess(TOKEN).status == 429
    assert guess(TOKEN, "192.0.2.2").status == 200
    guess.clock.now += 3
    assert [guess(TOKEN).status for _ in range(3)] == [200] * 3
    assert [guess("a-wrong-one").status for _ in range(2)] == [401, 429]
    guess.clock.now += 60
    assert [guess("a-wrong-one").status for _ in range(GUESSES + 1)] == [401] * GUESSES + [429]


def test_without_public_mode_attempts_are_not_limited() -> None:
    guess = Guesser(public=False)
    assert {guess("a-wrong-one").status for _ in range(GUESSES + 5)} == {401}
    assert guess(TOKEN).status == 200


def test_missing_and_valid_tokens_are_not_counted() -> None:
    guess = Guesser()
    assert {guess(None).status for _ in range(GUESSES + 5)} == {401}
    assert {guess(TOKEN).status for _ in range(GUESSES + 5)} == {200}


# --- Resets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [({}, PUBLIC.reset_seconds), ({"reset_every": "10m"}, 600.0), ({"reset_every": "2h"}, 7200.0)],
)
def test_sessions_are_reset_at_an_interval(settings: dict[str, Any], seconds: float) -> None:
    public = Public(pace=0, **settings)
    first = public.clock.now
    for hour in range(1, 4):  # repeatedly
        public.clock.now = first + (hour - 1) * seconds + 100
        visitors = [f"192.0.2.{number}" for number in range(3)]
        for visitor in visitors:
            assert public.post(visitor, name="Passing").status == 201
        public.clock.now = first + hour * seconds - 0.5
        assert all("Passing" in public.names(visitor) for visitor in visitors)
        public.clock.now = first + hour * seconds
        assert not any("Passing" in public.names(visitor) for visitor in visitors)
        assert public.post(name="First").json["id"] == 17


def test_unused_sessions_are_reset_too() -> None:
    """A few with each request, so that no request waits for all of them."""
    public = Public()
    visitors = [f"192.0.2.{number}" for number in range(100)]
    for visitor in visitors:
        public.post(visitor)
    public.clock.now += PUBLIC.reset_seconds
    for _ in range(10):
        public("GET", "/v1/pets", visitors[0])

    assert b"\nmockpets_records 1616.0\n" in public.control("GET", "metrics").body


# --- Visitors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("one", "other", "same"), [
    ("192.0.2.1", "192.0.2.1", True),
    ("192.0.2.1", "192.0.2.2", False),
    ("192.0.2.1", "::ffff:192.0.2.1", True),
    ("192.0.2.1", "203.0.113.9, 192.0.2.1", True),  # values from the client are on the left
    ("203.0.113.9", "203.0.113.9, 192.0.2.1", False),
    ("192.0.2.1", "192.0.2.1, 127.0.0.1", True),  # two proxies, both trusted
    ("2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", True),
    ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
    ("2001:db8:0:1::1", "192.0.2.1", False),
    ("nonsense", "other nonsense", True),  # all unknown addresses share one session
])  # fmt: skip
def test_a_visitor_is_identified_by_the_forwarded_address(one: str, other: str, same: bool) -> None:
    public = Public()
    assert public.post(one, name="Mine").status == 201

    assert ("Mine" in public.names(other)) == same
    assert (public.session(one) == public.session(other)) == same


def test_an_untrusted_forwarded_address_is_ignored() -> None:
    """Two addresses of this machine are two visitors, whatever their headers."""
    settings = Settings(host=("127.0.0.1",), port=0, public=True, behind_proxy=("127.0.0.9/32",))
    with MockpetsServer(settings) as server:
        port = urlsplit(server.url).port or 0

        def session(source: str, headers: Mapping[str, str]) -> str | None:
            connection = HTTPConnection("127.0.0.1", port, SECONDS, source_address=(source, 0))
            try:
                connection.request("GET", "/v1/pets", headers=KEY | dict(headers))
                response = connection.getresponse()
                response.read()
                return response.headers["Mockpets-Session"]
            finally:
                connection.close()

        one, other = session("127.0.0.1", {}), session("127.0.0.2", {})
        for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Client-IP"):
            message = "for=127.0.0.2" if name == "Forwarded" else "127.0.0.2"
            assert session("127.0.0.1", {name: message}) == one != other


def test_a_request_that_waits_for_pets_to_be_generated_counts_once() -> None:
    settings = Settings(host=("127.0.0.1",), port=0, public=True, visitor_rate=1)
    with MockpetsServer(settings) as server:
        connection = HTTPConnection("127.0.0.1", urlsplit(server.url).port or 0, SECONDS)
        try:
            statuses = []
            for scenario in ("crowded", "default"):  # at most two requests at once
                headers = KEY | {"Mockpets-Scenario": scenario}
                connection.request("GET", "/v1/pets", headers=headers)
                response = connection.getresponse()
                response.read()
                statuses.append(response.status)
        finally:
            connection.close()
    assert statuses == [200, 200]


KEY = {"Authorization": "Bearer mockpets"}


@pytest.mark.parametrize("place", ["path", "header", "key", "any key"])
@pytest.mark.parametrize("whose", ["another's", "default", "one of its own", "nobody's"])
def test_a_visitor_can_only_name_its_own_session(place: str, whose: str) -> None:
    public = Public(api_key=("*",) if place == "any key" else ("mockpets",))
    me, other = "192.0.2.1", "192.0.2.2"
    public.post(other, name="Theirs")
    name = {
        "another's": public.session(other),
        "default": "default",
        "one of its own": public.session(me),
        "nobody's": "v-" + "0" * 24,
    }[whose]
    before = len(public.control("GET", "sessions").json["sessions"])
    options: dict[str, Any] = {"headers": {"Mockpets-Session": name}} if place == "header" else {}
    options |= {"key": f"mockpets~{name}"} if "key" in place else {}
    root = f"/~{name}" if place == "path" else ""

    for method, path, body in (
        ("GET", "/v1/pets", None),
        ("GET", "/v1/pets/17", None),
        ("POST", "/v1/pets", PET),
    ):
        response = public(method, root + path, me, json_body=body, **options)
        if whose == "one of its own":
            assert response.status in (200, 201, 404)
            assert response.header("Mockpets-Session") == name
        else:
            assert_error(response, "invalid_session")
            assert_cors(response)
            assert b"Theirs" not in response.body
            assert response.header("Mockpets-Request") is None
    assert len(public.control("GET", "sessions").json["sessions"]) == before
    assert len(public.control("GET", "requests", session=public.session(other)).json["requests"])
    assert "Miso" not in public.names(other)


def test_a_session_name_does_not_reveal_the_address() -> None:
    """Another server gives the same visitor another name."""
    names = {Public().session("192.0.2.1") for _ in range(3)}

    assert len(names) == 3
    assert not any("192" in name and "0.2" in name for name in names)


# --- The control API ----------------------------------------------------------------------------


@pytest.mark.parametrize("host", [("127.0.0.1", "::1"), ("0.0.0.0",)])  # noqa: S104 - not bound
def test_the_control_api_requires_a_token_on_loopback_too(host: tuple[str, ...]) -> None:
    """Behind an unknown proxy, visitors look like callers on this machine."""
    app = create_app(Settings(public=True, host=host))
    call = Client(InProcess(app))
    token = app.extensions["mockpets"].token

    for key in (None, "mockpets", "x" * len(token)):
        rejected = call("PUT", "/__mockpets/scenario", json_body={"scenario": "empty"}, key=key)
        assert_error(rejected, "unauthorized")
    assert len(token) >= 32
    assert call("GET", "/__mockpets/state", key=token).json["settings"]["public"] is True
    assert len(call("GET", "/v1/pets").json) == 16


def test_control_off_disables_the_control_api() -> None:
    public = Public(control="off", control_token="")

    methods = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO")
    paths = ("", "state", "scenario", "data/pets/1", "sessions", "metrics", "verify", "nothing")
    for method, path, base in product(methods, paths, ("", "/~w3")):
        rejected = public(method, f"{base}/__mockpets/{path}", headers=WITH)
        if method == "HEAD":
            assert (rejected.status, rejected.body) == (404, b"")
        else:
            assert_error(rejected, "not_found")
            assert rejected.json["message"].startswith("the control API is disabled")
    assert public("GET", "/__mockpets/health", key=None).status == 200


@pytest.mark.parametrize("path", ["/v1/categories", "/v1/store/orders", "/__mockpets/"])
def test_a_visitor_s_404_has_no_advice_for_operators(path: str) -> None:
    owner = Client(InProcess(create_app(Settings(control="off"))))
    visitor = Public(control="off", control_token="")

    message, advice = owner("GET", path).json["message"].rsplit("; ", 1)
    assert visitor("GET", path).json["message"] == message
    assert advice.startswith(("to define a response, add a stub", "start the server without"))


@pytest.mark.parametrize("path", ["/docs", "/panel", "/v1", "/v1/"])
def test_only_the_root_leads_a_visitor_s_browser_to_a_page(path: str) -> None:
    assert Public()("GET", path, headers={"Accept": "text/html"}).status == 404
