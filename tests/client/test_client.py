"""The client of the control API, against mockpets and against other servers."""

import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from itertools import count
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any, Self
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.client import (
    ControlClient,
    ControlError,
    GateError,
    IncompatibleServerError,
    NoAnswer,
    SessionLostError,
    VerificationError,
)
from mockpets.constants import PROTOCOL
from mockpets.errors import InputError
from mockpets.interface import App, Incoming, Later, Reply
from mockpets.version import FULL_VERSION
from tests.http_client import Client, OverSocket
from tests.server.query_app import FunctionApp

SECONDS = 20
"""The time limit for every step, in seconds."""
HEALTH: Any = {"status": "ok", "version": "0.1.0", "protocol": PROTOCOL, "bases": ["/v1"]}
MISO: Any = {"id": 1, "name": "Miso", "categoryId": 2}


@pytest.fixture(scope="module")
def server() -> Iterator[MockpetsServer]:
    with MockpetsServer(Settings(port=0, max_sessions=10_000)) as server:
        yield server


NAMES = (f"client-{number}" for number in count())


@pytest.fixture
def client(server: MockpetsServer) -> ControlClient:
    """Return a client for a session that no other test uses."""
    return ControlClient(server.url, next(NAMES))


def front_end(client: ControlClient) -> Client:
    """Return a caller of the pet store in the client's session."""
    caller = Client(OverSocket(client.url))
    prefix = urlsplit(client.base_url).path.removesuffix("/v1")

    class Prefixed(Client):
        def __call__(self, method: str, target: str, **options: Any) -> Any:
            return super().__call__(method, prefix + target, **options)

    return Prefixed(caller.transport)


# --- Which server and session -----------------------------------------------------------------


@pytest.mark.parametrize(("url", "session", "base_url", "headers"), [
    ("http://h", None, "http://h/v1", {"Mockpets-Session": "default"}),
    ("http://h/v1/", None, "http://h/v1", {"Mockpets-Session": "default"}),
    ("http://[::1]:81/v1", "W.3", "http://[::1]:81/~w.3/v1", {"Mockpets-Session": "w.3"}),
    ("https://h/~w3/v1", None, "https://h/~w3/v1", {"Mockpets-Session": "w3"}),
    ("http://h/~w3/__mockpets/", None, "http://h/~w3/v1", {"Mockpets-Session": "w3"}),
    ("http://h/~w3/v1", "default", "http://h/v1", {"Mockpets-Session": "default"}),
    ("http://h/mock/~w3/v1", None, "http://h/mock/~w3/v1", {"Mockpets-Session": "w3"}),
    ("http://h/~me/mock", None, "http://h/~me/mock/v1", {"Mockpets-Session": "default"}),
    ("http://h/~w3+empty+slow/v1", None, "http://h/~w3+empty+slow/v1",
     {"Mockpets-Session": "w3", "Mockpets-Scenario": "empty, slow"}),
], ids=[
    "origin", "base URL", "IPv6", "session", "control API", "session over path", "prefix",
    "prefix like a session", "scenarios"
])  # fmt: skip
def test_a_url_names_server_and_session(
    url: str, session: str | None, base_url: str, headers: dict[str, str]
) -> None:
    client = ControlClient(url, session)

    assert (client.base_url, client.headers) == (base_url, headers)
    assert ControlClient(base_url).base_url == base_url
    assert client.session(client.name).base_url == base_url


@pytest.mark.parametrize(("arguments", "message"), [
    ({"session": "w/3"},
     "session: invalid session name 'w/3'; use a-z, 0-9, '.', '_' and '-', start with a "
         "letter or digit, at most 64 characters"),
    ({"token": "short"}, "token: must be at least 8 visible ASCII characters without spaces"),
    ({"url": "localhost:7387"},
     "localhost:7387: not a valid server URL; use a URL such as http://localhost:7387, "
         "without a user name, query or fragment"),
])  # fmt: skip
def test_an_invalid_argument_is_reported(arguments: Mapping[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ControlClient(**{"url": "http://localhost", **arguments})

    assert str(caught.value) == message


@pytest.mark.parametrize(("url", "shown"), [
    ("http://me:topsecret@h.test", "http://[redacted]@h.test"),
    ("http://me:topsecret%40h.test", "http://[redacted]@h.test"),
    ("http://me:top/~topsecret@h.test", "http://[redacted]@h.test"),
    ("me:topsecret@h.test", "[redacted]@h.test"),
    ("http://h.test/?token=topsecret\n", "http://h.test/?token=[redacted]"),
    ("http://h.test/~a#token=topsecret", "http://h.test/~a#token=[redacted]"),
    ("http://h.test/?b=top=secret#/~secret", "http://h.test/?b=[redacted]#[redacted]"),
    ("http://h.test/#", "http://h.test/#"),
])  # fmt: skip
def test_an_error_about_a_url_hides_its_secrets(url: str, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        ControlClient(url)

    assert str(caught.value).startswith(f"{shown}: not a valid server URL; ")
    assert "secret" not in str(caught.value)


# --- Connections ------------------------------------------------------------------------------


def test_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # must not be used
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(NoAnswer, match=r"cannot connect to .* \(timed out\)"):
            ControlClient(url, timeout=0.05).state()


def responding(status: str, headers: Sequence[tuple[str, str]], body: bytes) -> FunctionApp:
    return FunctionApp(lambda _: Reply(status, [*headers], body))


@pytest.mark.parametrize(("status", "body"), [
    ("200 OK", b"<!doctype html>"),
    ("200 OK", b"\xff"),
    ("200 OK", b"[]"),
    ("302 Found", b"{}"),
    ("404 Not Found", b'{"code": "not_found"}'),
])  # fmt: skip
def test_another_kind_of_server_is_reported(status: str, body: bytes) -> None:
    app = responding(status, [("Location", "http://127.0.0.1:1/")], body)
    with recording(app, None) as (url, asked), pytest.raises(NoAnswer) as caught:
        ControlClient(url).state()

    what = f"is not a mockpets server (status {status[:3]})"
    assert (str(caught.value), len(asked)) == (f"{url} {what}", 1)


@contextmanager
def recording(
    app: App, health: dict[str, Any] | None = HEALTH
) -> Iterator[tuple[str, list[WSGIEnvironment]]]:
    """Serve an app; yield the server's URL and the environs of its requests.

    :param health: the response to ``GET health``, which is not yielded; None leaves it to the app.
    """
    asked: list[WSGIEnvironment] = []

    def record(incoming: Incoming) -> Reply | Later:
        environ = incoming.environ
        if health is not None and environ["PATH_INFO"] == "/__mockpets/health":
            return Reply("200 OK", [], json.dumps(health).encode())
        asked.append(environ)
        return app.handle(incoming)

    with MockpetsServer(app=FunctionApp(record)) as server:
        yield server.url, asked


@pytest.mark.parametrize(("health", "message"), [
    (
        {**HEALTH, "protocol": PROTOCOL - 1},
        f"is older than this client: the server is mockpets 0.1.0 (protocol {PROTOCOL - 1}), the "
        f"client mockpets {FULL_VERSION} (protocol {PROTOCOL}); where the server runs, run 'pip "
        "install .' in a current checkout of mockpets",
    ),
    ({**HEALTH, "version": "0.9.0+g16b7e1f", "protocol": PROTOCOL + 1},
     "is newer than this client: the server is mockpets 0.9.0+g16b7e1f (protocol "
         f"{PROTOCOL + 1}), the client mockpets {FULL_VERSION} (protocol {PROTOCOL}); "
         "run 'pip install .' in a current checkout of mockpets"),
])  # fmt: skip
def test_a_server_with_another_protocol_is_reported_before_any_call(
    health: dict[str, Any], message: str
) -> None:
    app = responding("200 OK", [], b"{}")
    with recording(app, health) as (url, asked):
        client = ControlClient(url, "w3")
        for call in (client.make_session, partial(client.drop_session, check_lost=True)):
            with pytest.raises(IncompatibleServerError) as caught:
                call("w3")
            assert str(caught.value) == f"the server at {url} {message}"
        assert client.health() == health["version"]

    assert asked == []


def test_a_client_asks_for_the_protocol_again_after_a_server_was_gone() -> None:
    older = {**HEALTH, "protocol": PROTOCOL - 1}
    with recording(responding("200 OK", [], b"{}")) as (url, _):
        client = ControlClient(url)
        client.state()
    with pytest.raises(NoAnswer):
        client.state()
    port = urlsplit(url).port or 0
    app = responding("200 OK", [], json.dumps(older).encode())
    with MockpetsServer(Settings(port=port), app), pytest.raises(IncompatibleServerError):
        client.state()


NOT_FOUND = b'{"code": "not_found", "message": "unknown path"}'
BASES = ["/api/v2", "/blog", ""]


@pytest.mark.parametrize(("end", "bases", "base"), [
    *((end, BASES, "/api/v2") for end in ("", "/api/v2", "/blog/", "/api/v2/articles", "/v1")),
    ("/v1", [""], ""),
], ids=str)  # fmt: skip
def test_the_base_paths_are_those_of_the_server(end: str, bases: list[str], base: str) -> None:
    health = {**HEALTH, "bases": bases}
    with recording(responding("404 Not Found", [], NOT_FOUND), health) as (url, _):
        client = ControlClient(url + end, "w3")
        assert client.base_url.endswith("/~w3/v1")
        client.health()

        assert (client.url, client.base_url) == (url, f"{url}/~w3{base}")
        assert client.bases == tuple(bases)
        assert client.session("w4").base_url == f"{url}/~w4{base}"


@pytest.mark.parametrize(("end", "bases", "kind", "message"), [
    ("/apis", ["/api"], InputError, "URL/apis: not a URL of the server at URL; use URL"),
    ("/~w3/api", ["/api"], InputError, "URL/~w3/api: not a URL of the server at URL; use URL/~w3"),
    *(("", bases, NoAnswer, "URL is not a mockpets server (status 200)")
      for bases in ([], [1], 7, None)),
])  # fmt: skip
def test_another_path_and_invalid_base_paths_are_rejected(
    end: str, bases: Any, kind: type[Exception], message: str
) -> None:
    app = responding("404 Not Found", [], NOT_FOUND)
    with recording(app, {**HEALTH, "bases": bases}) as (url, _), pytest.raises(kind) as caught:
        ControlClient(url + end).state()

    assert str(caught.value) == message.replace("URL", url).replace(f"a {url}", "a URL")


@pytest.mark.parametrize("name", HEALTH)
def test_a_health_without_one_of_its_properties_is_not_that_of_mockpets(name: str) -> None:
    health = {key: value for key, value in HEALTH.items() if key != name}
    app = responding("200 OK", [], b"{}")
    with recording(app, health) as (url, asked), pytest.raises(NoAnswer) as caught:
        ControlClient(url).state()

    assert (str(caught.value), asked) == (f"{url} is not a mockpets server (status 200)", [])


def test_a_call_sends_its_session_and_token() -> None:
    app = responding("200 OK", [], b'{"active": ["empty"], "sessions": []}')
    with recording(app) as (url, asked):
        client = ControlClient(f"{url}/~w3/v1", token="opensesame")
        client.use("empty", {"description": "Mine."})
        client.sessions()
        client.session("w4").reset()
        client.find_session("W5")
        client.metrics()

    assert [
        (each["REQUEST_METHOD"], each["PATH_INFO"], each["HTTP_MOCKPETS_SESSION"]) for each in asked
    ] == [
        ("PUT", "/__mockpets/scenario", "w3"),
        ("GET", "/__mockpets/sessions", "w3"),
        ("POST", "/__mockpets/reset", "w4"),
        ("GET", "/__mockpets/sessions/W5", "w5"),  # a load balancer finds it by the header
        ("GET", "/__mockpets/metrics", "w3"),
    ]
    assert asked[0]["CONTENT_TYPE"] == "application/json"
    assert {environ["HTTP_AUTHORIZATION"] for environ in asked} == {"Bearer opensesame"}


def test_calls_share_a_connection_and_threads_get_their_own_responses() -> None:
    def handle(incoming: Incoming) -> Reply:
        gate = incoming.environ["PATH_INFO"].split("/")[-2]
        return Reply("200 OK", [], json.dumps({"released": int(gate)}).encode())

    with recording(FunctionApp(handle)) as (url, asked):
        client = ControlClient(url)
        assert [client.open_gate(str(number)) for number in range(3)] == [0, 1, 2]
        other = client.session("w3")
        assert other.open_gate("7") == 7
        ports = {environ["REMOTE_PORT"] for environ in asked}
        with ThreadPoolExecutor(8) as pool:
            responses = list(pool.map(client.open_gate, map(str, range(200))))
        client.close()

    assert len(ports) == 1
    assert responses == list(range(200))


ASKED = "GET /__mockpets/health"
"""The first request of each client."""


class Fickle:
    """A server on a thread whose connections end, by plan.

    :param plan: for each connection, how many requests it responds to, and whether it ends only
        after one more request.
    """

    def __init__(self, plan: Sequence[tuple[int, bool]]) -> None:
        self.lines: list[str] = []
        """The received request lines, without the version."""
        self.ended = Semaphore(0)
        """Released each time a connection ends."""
        self._plan = plan
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(SECONDS)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = Thread(target=self._converse)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._listener.close()

    def _converse(self) -> None:
        for responses, one_more in self._plan:
            connection, _ = self._listener.accept()
            with connection, connection.makefile("rb") as reader:
                for _ in range(responses):
                    self._take(reader)
                    body = json.dumps({**HEALTH, "active": []})
                    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n"
                    connection.sendall((head + body).encode())
                if one_more:
                    self._take(reader)
            self.ended.release()

    def _take(self, reader: BufferedReader) -> None:
        self.lines.append(reader.readline().decode().rpartition(" ")[0])
        while reader.readline().strip():
            pass


def test_a_closed_idle_connection_is_replaced_before_sending() -> None:
    with Fickle([(2, False), (1, False)]) as server:
        client = ControlClient(server.url)
        client.reset()
        assert server.ended.acquire(timeout=SECONDS)
        client.reset()

    assert server.lines == [ASKED, *["POST /__mockpets/reset"] * 2]


def test_a_read_is_repeated_if_its_idle_connection_closes() -> None:
    with Fickle([(2, True), (1, False)]) as server:
        client = ControlClient(server.url)
        client.scenarios()
        client.scenarios()

    assert server.lines == [ASKED, *["GET /__mockpets/scenarios"] * 3]


@pytest.mark.parametrize(("call", "responses"), [("reset", 1), ("health", 0)])
def test_a_write_is_not_repeated_nor_a_read_on_a_new_connection(call: str, responses: int) -> None:
    with Fickle([(responses, True)]) as server:
        client = ControlClient(server.url)
        with pytest.raises(NoAnswer, match=r"\(Remote end closed connection"):
            getattr(client, call)()

    assert len(server.lines) == responses + 1


# --- Calls ------------------------------------------------------------------------------------


def test_records_are_read_and_changed(client: ControlClient) -> None:
    items = [{"id": f"o-{number}", "petId": 3} for number in range(1500)]
    resources = [{"path": "/v1/orders"}]
    client.use({"description": "d", "resources": resources, "data": {"orders": items}})
    orders = client.data("orders")

    assert orders.all() == items
    assert orders.set([{"petId": 1, "id": "a b"}, {"petId": 2, "id": "ü"}]) == 2
    assert orders.change("a b", {"petId": None, "x": 1}) == {"id": "a b", "x": 1}
    assert orders.get("ü") == {"id": "ü", "petId": 2}
    new = orders.add({"petId": 4})
    assert orders.delete("a b") == 2
    assert orders.all() == [{"id": "ü", "petId": 2}, new]
    changed = {each["name"]: each["changed"] for each in client.collections()}
    assert changed == {"pets": False, "orders": True}
    with pytest.raises(ControlError, match="orders has no record with the id x"):
        orders.get("x")
    for name, record in (("a/b", "1"), ("orders", ""), ("orders", "a/b")):
        with pytest.raises(InputError, match="must not be empty or contain '/'"):
            client.record(name, record)


def test_a_scenario_file_is_checked_saved_and_overridden(tmp_path: Path) -> None:
    text = "description: Mine.\nstubs: [{reply: {status: 503}}]\n"
    with MockpetsServer(Settings(port=0, scenarios_dir=(tmp_path,))) as server:
        client = ControlClient(server.url, "w1")
        [problem] = client.check_scenario("description: d\nstub: []\n", "mine")["problems"]
        assert (problem["file"], problem["line"]) == ("mine.yaml", 2)
        saved = client.save_scenario("mine", text)
        again = client.save_scenario("mine", f"{text}# more\n", saved["digest"])
        assert again["text"] == (tmp_path / "mine.yaml").read_text() == f"{text}# more\n"
        for digest in (None, saved["digest"]):
            with pytest.raises(ControlError) as caught:
                client.save_scenario("mine", text, digest)
            assert caught.value.code == "conflict"
        with pytest.raises(ControlError) as caught:
            client.save_scenario("mine", "stubs: 3", again["digest"])
        assert caught.value.code == "invalid_scenario"

        assert client.override_scenario("mine", text.replace("503", "502"))["override"]
        client.use("mine")
        assert front_end(client)("GET", "/v1/pets").status == 502
        assert "mine" in [each["name"] for each in client.drop_override("mine")]
        assert front_end(client)("GET", "/v1/pets").status == 503


def test_pets_are_read_replaced_and_changed(client: ControlClient) -> None:
    pets = client.data("pets")
    assert len(pets.all()) == 16
    assert pets.set([MISO, {**MISO, "id": 2, "status": "sold"}]) == 2
    assert pets.all() == [MISO, {**MISO, "id": 2, "status": "sold"}]
    assert pets.all(status="sold") == [{**MISO, "id": 2, "status": "sold"}]
    client.use("create-rejected")  # has no effect on what tests do themselves
    added = pets.add({"name": "Rex", "categoryId": 3})
    assert added == {"id": 17, "name": "Rex", "categoryId": 3}
    with pytest.raises(ControlError, match="unknown property 'nmae'; did you mean 'name'"):
        pets.add({"name": "Rex", "categoryId": 3, "nmae": "x"})
    with pytest.raises(ControlError, match="categoryId is required"):
        pets.add({"name": "Rex"})
    assert (client.active(), pets.delete(17)) == (["create-rejected"], 2)
    client.use("default")
    assert pets.change(2, {"name": "Tofu", "status": None}) == {**MISO, "id": 2, "name": "Tofu"}
    assert pets.delete(1) == 1
    assert front_end(client)("GET", "/v1/pets").json == [{**MISO, "id": 2, "name": "Tofu"}]
    assert pets.set([]) == 0
    assert pets.all() == []
    assert pets.set({"count": 2500}) == len(pets.all()) == 2500  # of several pages


@pytest.mark.parametrize(("filters", "ids"), [
    ({"name": "Miso"}, [1, 4]),  # named like a parameter of the method
    ({"self": "x"}, [3]),
    ({"id": 2}, [2]),
    ({"isGift": True}, [1, 3]),
    ({"isGift": True, "name": "Miso"}, [1]),
    ({"name": ["Miso", "Rex"]}, [1, 2, 4]),
    ({"note": None}, [4]),
])  # fmt: skip
def test_records_are_filtered_by_values_of_any_property(
    client: ControlClient, filters: dict[str, Any], ids: list[int]
) -> None:
    records = [
        {"id": 1, "name": "Miso", "isGift": True},
        {"id": 2, "name": "Rex", "isGift": False},
        {"id": 3, "self": "x", "isGift": True},
        {"id": 4, "name": "Miso", "note": None},
    ]
    client.use({"description": "d", "resources": [{"path": "/v1/orders"}]})
    client.set_records("orders", records)

    assert [each["id"] for each in client.records("orders", **filters)] == ids
    assert client.data("orders").all(**filters) == client.records("orders", **filters)


def test_a_record_is_added_or_generated(client: ControlClient) -> None:
    client.use("create-rejected")
    client.set_records("pets", [])
    given = client.data("pets").add({"name": "Miso", "categoryId": 2})
    made = client.data("pets").add()

    assert (given["name"], made["name"] != "") == ("Miso", True)
    assert client.records("pets") == [given, made]
    with pytest.raises(ControlError, match="did you mean 'name'"):
        client.add_record("pets", {"nmae": "Miso", "categoryId": 2})


@pytest.mark.parametrize("name", ["after", "limit"])
def test_a_filter_with_the_name_of_a_parameter_is_rejected(
    client: ControlClient, name: str
) -> None:
    with pytest.raises(InputError, match=f"{name}: cannot be a filter"):
        client.records("pets", **{name: 1})


def test_a_failed_verification_is_an_assertion_that_shows_the_requests(
    client: ControlClient,
) -> None:
    call = front_end(client)
    call("POST", "/v1/pets", json_body={"name": "Mio", "categoryId": 2})
    match = {"operation": "createPet", "body": {"name": "Miso"}}

    assert client.verify({"operation": "createPet"})["matched"] == 1
    assert client.verify({"operation": "getPet"}, times=0)["requests"] == []
    with pytest.raises(AssertionError) as caught:
        client.verify(match, times={"at_least": 1, "at_most": 2})

    error = caught.value
    assert isinstance(error, VerificationError)
    assert (error.code, error.status, error.details["matched"]) == ("verification_failed", 409, 0)
    assert "Miso" in str(error)
    assert "Mio" in str(error).replace("Miso", "")


@pytest.mark.long
def test_events_wait_for_a_change(client: ControlClient) -> None:
    hasty = ControlClient(client.base_url, timeout=0.2)
    client.state()  # the first call loads the control API, which takes part of the timeout
    now = hasty.events()
    assert hasty.events(now["change"], wait=1) == {**now, "changed": []}  # beyond the timeout
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.events, now["change"], wait=SECONDS)
        client.use("empty")
        assert "scenario" in waiting.result(SECONDS)["changed"]


def test_an_error_has_one_line_per_problem(client: ControlClient) -> None:
    with pytest.raises(ControlError) as caught:
        client.use({"descriptoin": "x", "stubs": [{"delay": 5}]})

    error = caught.value
    assert (error.code, error.status) == ("invalid_scenario", 422)
    first, *lines = str(error).split("\n")
    assert first == error.message
    assert len(lines) == len(error.details["problems"]) >= 2
    assert any("descriptoin" in line and "did you mean" in line for line in lines)


# --- Waiting ----------------------------------------------------------------------------------


def test_a_verification_can_wait_beyond_the_timeout(client: ControlClient) -> None:
    hasty = ControlClient(client.base_url, timeout=0.1)
    client.state()  # the first call loads the control API, which takes part of the timeout
    with pytest.raises(VerificationError, match="expected at least 1 request: getPet"):
        hasty.verify({"operation": "getPet"}, within="300ms")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(client.verify, {"operation": "listPets"}, 1, within="20s")
        front_end(client)("GET", "/v1/pets")
        assert waiting.result(SECONDS)["matched"] == 1


def test_a_gate_is_waited_for_and_opened(client: ControlClient) -> None:
    client.use({"description": "Holds.", "stubs": [{"hold": "door"}]})
    gate = client.gate("door")
    with pytest.raises(AssertionError, match="at least 1 response held at gate 'door'") as caught:
        gate.held(within="1ms")
    assert isinstance(caught.value, GateError)
    assert (caught.value.code, caught.value.details) == ("not_held", {"held": 0})
    with ThreadPoolExecutor(2) as pool:
        responses = [pool.submit(front_end(client), "GET", "/v1/pets") for _ in range(2)]
        assert gate.held(2, within="20s") == 2
        assert client.wait_for_gate("door") == 2
        assert gate.open() == 2
        assert {each.result(SECONDS).status for each in responses} == {200}


# --- Lost sessions ----------------------------------------------------------------------------

WHY = "the server was restarted"
EVERY_CALL: dict[str, Callable[[ControlClient], object]] = {
    "verify": lambda client: client.verify({"operation": "getPet"}, times=0),
    "records": lambda client: client.records("pets"),
    "use": lambda client: client.use("empty"),
    "gate": lambda client: client.gate("door").held(within="1ms"),
    "request": lambda client: client.request(1),
    "delete_record": lambda client: client.delete_record("pets", 4000),
    "find_session": lambda client: client.find_session(client.name),
    "sessions": lambda client: client.sessions(),
}


class Restartable:
    """A server at one address, which loses its sessions when it restarts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.is_declared = settings.sessions == "declared"
        self.app = create_app(settings)
        self.server = MockpetsServer(app=FunctionApp(lambda incoming: self.app.handle(incoming)))

    def restart(self) -> None:
        self.app = create_app(self._settings)


@pytest.fixture
def restartable(request: pytest.FixtureRequest) -> Iterator[Restartable]:
    made = Restartable(getattr(request, "param", Settings()))
    with made.server:
        yield made


@pytest.mark.parametrize(
    "restartable",
    [Settings(), Settings(sessions="declared")],
    ids=["any", "declared"],
    indirect=True,
)
@pytest.mark.parametrize("call", EVERY_CALL.values(), ids=EVERY_CALL)
def test_after_a_restart_every_call_reports_the_lost_session(
    restartable: Restartable, call: Callable[[ControlClient], object]
) -> None:
    root = ControlClient(restartable.server.url)
    for recreated in (False, True):
        client = root.session(next(NAMES))
        root.make_session(client.name)
        restartable.restart()
        if recreated and not restartable.is_declared:  # by a page that still polls
            assert front_end(client)("GET", "/v1/pets").status == 200

        assert root.health()
        for _ in range(2):  # and it stays lost
            with pytest.raises(SessionLostError, match=f"session {client.name} was lost: {WHY}"):
                call(client)


def test_a_session_is_not_lost_if_the_client_created_or_deleted_it(
    restartable: Restartable,
) -> None:
    client = ControlClient(restartable.server.url, "w1")
    assert client.requests() == []  # it does not exist yet
    client.use("empty")
    client.reset()
    assert client.drop_session("W1", closed="0s") == "w1"
    assert client.requests() == []
    client.use("empty")
    restartable.restart()
    client.make_session("w1")
    client.make_session("w1", scenario="empty")
    assert client.records("pets") == []


def test_an_invalid_call_and_a_closed_session_keep_their_own_error(
    restartable: Restartable,
) -> None:
    client = ControlClient(restartable.server.url, "w1")
    client.make_session("w1")
    with pytest.raises(ControlError, match="unknown scenario 'emtpy'"):
        client.use("emtpy")
    ControlClient(client.url).drop_session("w1")
    with pytest.raises(ControlError) as caught:
        client.records("pets")
    assert caught.value.code == "session_dropped"
    with pytest.raises(ControlError, match="invalid session name 'ü'"):
        client.find_session("ü")


def test_any_session_is_accepted_on_request(restartable: Restartable) -> None:
    client = ControlClient(restartable.server.url, "w1", any_session=True)
    client.use("empty")
    restartable.restart()
    assert client.session("w1").reset() == ["default"]


def test_finding_a_session_is_not_its_use(restartable: Restartable) -> None:
    # The header that names the session is only for a load balancer.
    now = [0.0]
    restartable.app = create_app(Settings(), lambda: now[0])
    client = ControlClient(restartable.server.url, "w1")
    client.reset()
    now[0] = 60.0
    assert [client.find_session("w1")["idle_seconds"] for _ in range(2)] == [60.0, 60.0]
    client.sessions()
    assert client.find_session("w1")["idle_seconds"] == 60.0
