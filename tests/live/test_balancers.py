"""Processes behind the balancers of `mockpets deploy`: a request reaches the one of its session.

Each process has another number of pets, and gives a session another ID.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import Client, OverSocket, Response
from tests.live import balancers

Balancer = Callable[[Sequence[int]], AbstractContextManager[str]]

pytestmark = pytest.mark.tool

TOKEN = "only-for-this-test"
PROCESSES = 4
SESSIONS = int(os.environ.get("SCALE_SESSIONS", "40"))
NAMES = ("w1", "w2", "w3", "w4", "w5")
"""Each row is sent with each of these, which four processes share: none gets them all by luck."""
Headers = list[tuple[str, str]]


class Way(NamedTuple):
    """A way of naming the session SESSION in a request.

    :param nginx: whether nginx routes it, too; else it rejects the request.
    """

    path: str
    headers: Headers
    nginx: bool = True


KEY = ("Authorization", "Bearer mockpets")
PETS = "/v1/pets"
WAYS = {
    "base path": Way("/~SESSION/v1/pets", []),
    "base path with scenarios": Way("/~SESSION+retry+empty/v1/pets", []),
    "base path, encoded tilde": Way("/%7ESESSION/v1/pets", []),
    "base path, upper case": Way("/~XSESSION/v1/pets", [], nginx=False),
    "base path before all others": Way("/~SESSION/v1/pets",
        [("Mockpets-Session", "other"), ("baggage", "mockpets.session=another"),
        ("Authorization", "Bearer mockpets~third")]),
    "header": Way(PETS, [("Mockpets-Session", "SESSION")]),
    "header, upper case": Way(PETS, [("Mockpets-Session", "XSESSION")], nginx=False),
    "header below scenarios in the base path": Way("/~+retry/v1/pets",
        [("Mockpets-Session", "SESSION")]),
    "header before baggage and key": Way(PETS,
        [("baggage", "mockpets.session=another"), ("Mockpets-Session", "SESSION"),
        ("Authorization", "Bearer mockpets~third")]),
    "baggage": Way(PETS, [("baggage", "mockpets.session=SESSION")]),
    "baggage among others, with properties": Way(PETS,
        [("baggage", "a=1;x=y, mockpets.session=SESSION;ttl=5 ,mockpets.scenario=empty")]),
    "baggage, the last of two entries": Way(PETS,
        [("baggage", "mockpets.session=another,mockpets.session=SESSION")]),
    "baggage, percent-encoded": Way(PETS, [("baggage", "mockpets.session=%78SESSION")],
        nginx=False),
    "baggage before the key": Way(PETS,
        [("baggage", "mockpets.session=SESSION"), ("Authorization", "Bearer mockpets~third")]),
    "key": Way(PETS, [("Authorization", "Bearer mockpets~SESSION")]),
    "key, upper case": Way(PETS, [("Authorization", "Bearer mockpets~XSESSION")], nginx=False),
    "key below baggage of another program": Way(PETS,
        [("baggage", "tenant=7"), ("Authorization", "Bearer mockpets~SESSION")]),
    "key before the cookie": Way(PETS,
        [("Authorization", "Bearer mockpets~SESSION"), ("Cookie", "mockpets=other")]),
    "cookie": Way(PETS, [("Cookie", "mockpets=SESSION")]),
    "cookie among others, with scenarios": Way(PETS,
        [("Cookie", "theme=dark; xmockpets=other; mockpets=SESSION%2Bretry; mockpets-x=other")]),
    "cookie, upper case": Way(PETS, [("Cookie", "mockpets=XSESSION")], nginx=False),
    "cookie, the mock's own page": Way(PETS,
        [("Cookie", "mockpets=SESSION"), ("Host", "mock.test"), ("Origin", "http://mock.test")]),
    "cookie, a page on this machine": Way(PETS,
        [("Cookie", "mockpets=SESSION+retry"), ("Origin", "http://app.localhost:5173")]),
    "cookie, a path with a space": Way("/v1/pets/a%20b", [("Cookie", "mockpets=SESSION")]),
    "key, a path with a space": Way(
        "/v1/pets/a%20b", [("Authorization", "Bearer mockpets~SESSION")]),
    "cookie, only with scenarios, below a header": Way(PETS,
        [("Cookie", "mockpets=%2Bretry"), ("Mockpets-Session", "SESSION")]),
}  # fmt: skip
TWO_FIELDS = Way(PETS, [("baggage", "mockpets.session=SESSION"), ("baggage", "tenant=7")])
"""nginx reads only one of the fields."""


def way_of(row: Way, name: str) -> Way:
    headers = [(field, value.replace("SESSION", name)) for field, value in row.headers]
    if "Authorization" not in dict(headers):
        headers.append(KEY)
    return Way(row.path.replace("SESSION", name), headers)


def send(url: str, way: Way) -> Response:
    """Send a GET whose header fields may repeat."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=20)
    try:
        connection.putrequest("GET", way.path, skip_host="Host" in dict(way.headers))
        for field, value in way.headers:
            connection.putheader(field, value)
        connection.endheaders()
        response = connection.getresponse()
        headers = {field.lower(): value for field, value in response.getheaders()}
        return Response(response.status, headers, response.read())
    finally:
        connection.close()


@contextmanager
def processes() -> Iterator[list[str]]:
    """Run the processes; yield their URLs."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                MockpetsServer(Settings(port=0, data=(f"pets={count}",), control_token=TOKEN))
            ).url
            for count in range(1, PROCESSES + 1)
        ]


def ports(urls: Sequence[str]) -> list[int]:
    return [urlsplit(url).port or 0 for url in urls]


@pytest.fixture(scope="module")
def servers() -> Iterator[list[str]]:
    with processes() as urls:
        yield urls


@pytest.fixture(scope="module")
def haproxy(servers: list[str]) -> Iterator[str]:
    with balancers.haproxy(ports(servers)) as url:
        yield url


@pytest.fixture(scope="module")
def nginx(servers: list[str]) -> Iterator[str]:
    with balancers.nginx(ports(servers)) as url:
        yield url


@pytest.fixture(params=["haproxy", "nginx"])
def balancer(request: pytest.FixtureRequest) -> str:
    """The URL of each balancer in turn."""
    url: str = request.getfixturevalue(request.param)
    return url


def process_of(url: str, name: str) -> int:
    """Return the number of the process that a balancer selects for a session."""
    return len(send(url, Way(f"/~{name}{PETS}", [KEY])).json)


def check_ways(url: str, direct: str, row: Way) -> None:
    """Send a row with each name to a process, which names the session, and through a balancer."""
    for name in NAMES:
        way = way_of(row, name)
        session = send(direct, way).header("Mockpets-Session")
        expected = send(url, Way(f"/~{session}{PETS}", [KEY]))
        response = send(url, way)

        assert session in (name, f"x{name}")
        assert response.header("Mockpets-Session") == session
        assert response.header("Mockpets-Session-Id") == expected.header("Mockpets-Session-Id")


def test_names_spread_over_the_processes(balancer: str) -> None:
    reached = {process_of(balancer, f"spread-{number}") for number in range(40)}

    assert reached == set(range(1, PROCESSES + 1))


@pytest.mark.parametrize("row", [*WAYS.values(), TWO_FIELDS], ids=[*WAYS, "baggage in two fields"])
def test_haproxy_finds_the_session_that_mockpets_finds(
    row: Way, haproxy: str, servers: list[str]
) -> None:
    check_ways(haproxy, servers[0], row)


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.nginx])
def test_nginx_finds_the_session_that_mockpets_finds(
    name: str, nginx: str, servers: list[str]
) -> None:
    check_ways(nginx, servers[0], WAYS[name])


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if not way.nginx])
def test_nginx_rejects_names_that_it_cannot_normalize(name: str, nginx: str) -> None:
    response = send(nginx, way_of(WAYS[name], "w1"))

    assert (response.status, response.json["code"]) == (422, "invalid_session")
    assert "lower case" in response.json["message"]


@pytest.mark.parametrize("row", [
    Way(PETS, [KEY]),
    Way("/v1/pets/1", [KEY]),
    Way("/~+empty/v1/pets", [KEY]),
    Way(PETS, [KEY, ("Cookie", "mockpets=SESSION"), ("Origin", "https://evil.test")]),
    Way(PETS, [KEY, ("Cookie", "mockpets=SESSION"), ("Origin", "null")]),
], ids=[
    "list", "pet", "scenarios in the base path", "cookie of another page", "cookie of a file"
])  # fmt: skip
def test_a_request_without_a_session_reaches_the_one_of_the_default_session(
    row: Way, balancer: str
) -> None:
    """Other origins cannot use the cookie."""
    expected = send(balancer, Way(f"/~default{PETS}", [KEY])).header("Mockpets-Session-Id")
    ids = {send(balancer, way_of(row, name)).header("Mockpets-Session-Id") for name in NAMES}

    assert ids == {expected}


@pytest.mark.parametrize("path", ["/", "/other", "/v1", "/~+retry/other"])
def test_the_cookie_counts_outside_the_base_path_of_the_contract(path: str, balancer: str) -> None:
    """The contract of another process may have any base path."""
    for name in NAMES:
        made = send(balancer, Way(f"/~{name}{PETS}", [KEY]))
        response = send(balancer, Way(path, [KEY, ("Cookie", f"mockpets={name}")]))

        assert response.header("Mockpets-Session-Id") == made.header("Mockpets-Session-Id")


@pytest.mark.parametrize("run", [balancers.haproxy, balancers.nginx])
def test_token_and_cookie_of_a_control_call_name_no_session(run: Balancer) -> None:
    """In the control API, the key is the token, and no cookie is read."""
    with ExitStack() as stack:
        tokens = [f"{TOKEN}~{name}" for name in reversed(NAMES)]
        settings = [
            Settings(port=0, control_token=token, data=(f"pets={number}",))
            for number, token in enumerate(tokens)
        ]
        urls = [stack.enter_context(MockpetsServer(one)).url for one in settings]
        url = stack.enter_context(run(ports(urls)))
        call = Client(OverSocket(url))
        reached = process_of(url, "default")
        accepted = [
            call("GET", "/__mockpets/state", key=token, headers={"Cookie": cookie}).status == 200
            for token, cookie in zip(tokens, map("mockpets={}".format, NAMES), strict=True)
        ]

    assert accepted == [number == reached for number in range(len(tokens))]


@pytest.mark.parametrize("base", ["", "/~another"])
def test_a_call_for_the_session_in_its_path_reaches_that_session(base: str, balancer: str) -> None:
    call = Client(OverSocket(balancer))
    for name in NAMES:
        path = f"{base}/__mockpets/sessions/{name}"
        call("DELETE", path, key=TOKEN)
        assert call("PUT", path, key=TOKEN, json_body={"seed": 7}).status == 201
        assert call("GET", f"/~{name}/__mockpets/state", key=TOKEN).json["seed"] == 7
        assert call("DELETE", path, key=TOKEN).status == 200
        assert call("GET", path, key=TOKEN).status == 404


def test_no_session_gets_what_another_one_has(balancer: str) -> None:
    """Each session has one pet of its own, which all ways of naming the session list."""
    control = ControlClient(balancer, "none", TOKEN)
    names = [f"many-{number}" for number in range(SESSIONS)]
    rows = [WAYS[name] for name in ("base path", "header", "baggage", "key")]
    for name in names:
        control.make_session(name, data={"pets": [{"id": 1, "name": name, "categoryId": 1}]})
    listed = [[send(balancer, way_of(row, name)).json for row in rows] for name in names]
    found = {name: control.find_session(name)["requests"] for name in names}
    for name in names:
        control.drop_session(name)

    assert [[pets[0]["name"] for pets in four] for four in listed] == [[name] * 4 for name in names]
    assert found == dict.fromkeys(names, 4)
