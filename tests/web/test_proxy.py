"""Running behind a proxy: trusted headers, and a server under a prefix."""

import json
import re
from ipaddress import ip_network
from typing import Any
from urllib.parse import quote
from wsgiref.types import WSGIEnvironment

import pytest
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st

from mockpets import Settings, create_app
from mockpets.web.proxy import UNKNOWN, forwarded

KEY = {"Authorization": "Bearer mockpets"}
TRUSTED = ("10.0.0.1", "10.1.0.0/16", "::1", "2001:db8::/32")
NETWORKS = [ip_network(text) for text in TRUSTED]
PEER = "10.0.0.1"
FORGED = {
    "X_FORWARDED_FOR": "127.0.0.1",
    "X_FORWARDED_PROTO": "https",
    "X_FORWARDED_HOST": "evil.test",
    "X_FORWARDED_PREFIX": "/evil",
    "X_FORWARDED_PORT": "1",
    "FORWARDED": "for=127.0.0.1;host=evil.test;proto=https",
    "X_REAL_IP": "127.0.0.1",
}


def environ_of(peer: str, headers: dict[str, str]) -> WSGIEnvironment:
    return {
        "REMOTE_ADDR": peer,
        "REMOTE_HOST": peer,
        "REMOTE_PORT": "50000",
        "HTTP_HOST": "mock:7387",
        "SCRIPT_NAME": "",
        "PATH_INFO": "/v1/pets",
        "wsgi.url_scheme": "http",
    } | {f"HTTP_{name}": value for name, value in headers.items()}


def altered(peer: str, headers: dict[str, str]) -> dict[str, Any]:
    """Return what `forwarded` changes in an environ, by key; None for a removed key."""
    before, environ = environ_of(peer, headers), environ_of(peer, headers)
    forwarded(environ, NETWORKS)
    return {
        key: environ.get(key)
        for key in before.keys() | environ.keys()
        if before.get(key) != environ.get(key)
    }


def client_of(peer: str, message: str | None) -> str:
    headers = {} if message is None else {"X_FORWARDED_FOR": message}
    environ = environ_of(peer, headers)
    forwarded(environ, NETWORKS)
    return str(environ["REMOTE_ADDR"])


# --- Trusted headers --------------------------------------------------------------------------


@given(
    st.dictionaries(st.sampled_from(sorted(FORGED)), st.text(st.characters(codec="latin-1"))),
    st.sampled_from(["127.0.0.1", "10.0.0.2", "::2"]),
)
def test_any_headers_of_an_untrusted_peer_are_ignored(headers: dict[str, str], peer: str) -> None:
    assert altered(peer, headers) == {}


def test_headers_of_a_trusted_proxy_are_used() -> None:
    message = {
        "X_FORWARDED_FOR": "192.0.2.7",
        "X_FORWARDED_PROTO": "HTTPS",
        "X_FORWARDED_HOST": "demo.example:8443",
        "X_FORWARDED_PREFIX": "/apps/mock/",
    }

    assert altered(PEER, message) == {
        "REMOTE_ADDR": "192.0.2.7",
        "REMOTE_HOST": "192.0.2.7",
        "REMOTE_PORT": None,
        "wsgi.url_scheme": "https",
        "HTTP_HOST": "demo.example:8443",
        "SCRIPT_NAME": "/apps/mock",
    }


@pytest.mark.parametrize(("message", "client"), [
    ("192.0.2.7", "192.0.2.7"),
    ("192.0.2.7:50123", "192.0.2.7"),
    (" 192.0.2.7 ", "192.0.2.7"),
    ("2001:db9::1", "2001:db9::1"),
    ("[2001:db9::1]", "2001:db9::1"),
    ("[2001:db9::1]:443", "2001:db9::1"),
    ("::ffff:192.0.2.7", "192.0.2.7"),
    # Values that the client sent are to the left of its address.
    ("127.0.0.1, 192.0.2.7", "192.0.2.7"),
    ("nonsense, 192.0.2.7", "192.0.2.7"),
    ("10.0.0.1, 10.1.2.3, 192.0.2.7", "192.0.2.7"),
    # A chain of trusted proxies is skipped.
    ("198.51.100.9, 192.0.2.7, 10.1.2.3", "192.0.2.7"),
    ("192.0.2.7, 2001:db8::5, 10.1.2.3", "192.0.2.7"),
    ("192.0.2.7, ::ffff:10.1.2.3", "192.0.2.7"),
    ("10.1.2.3, 10.1.2.4", "10.1.2.3"),  # a client on a proxy's own machine
    # No client address.
    (None, UNKNOWN),
    ("", UNKNOWN),
    ("unknown", UNKNOWN),
    ("_hidden", UNKNOWN),
    ("192.0.2.7,", UNKNOWN),
    ("192.0.2.7, localhost", UNKNOWN),
    ("192.0.2.7, 10.1.2.3, 300.1.1.1", UNKNOWN),
    ("192.0.2.7, \u0661.2.3.4", UNKNOWN),
    ("127.0.0.1/8", UNKNOWN),
])  # fmt: skip
def test_the_client_is_the_last_untrusted_hop(message: str | None, client: str) -> None:
    assert client_of(PEER, message) == client


@given(st.text(st.characters(codec="latin-1")), st.sampled_from([PEER, "10.1.255.255", "::1"]))
def test_a_client_cannot_forge_its_address(text: str, peer: str) -> None:
    """A proxy appends the address of its client."""
    assert client_of(peer, f"{text}, 192.0.2.7") == "192.0.2.7"


@pytest.mark.parametrize(("header", "value"), [
    ("X_FORWARDED_PROTO", "gopher"),
    ("X_FORWARDED_PROTO", ""),
    ("X_FORWARDED_HOST", "a b"),
    ("X_FORWARDED_HOST", "evil.test/path"),
    ("X_FORWARDED_HOST", "a\r\nX: y"),
    ("X_FORWARDED_HOST", "a:port"),
    ("X_FORWARDED_PREFIX", "/"),
    ("X_FORWARDED_PREFIX", "mock"),
    ("X_FORWARDED_PREFIX", "//evil.test"),
    ("X_FORWARDED_PREFIX", "/a//b"),
    ("X_FORWARDED_PREFIX", "/a/../b"),
    ("X_FORWARDED_PREFIX", '/a>; rel="x"'),
    ("X_FORWARDED_PREFIX", "/~w3"),
])  # fmt: skip
def test_invalid_forwarded_values_are_ignored(header: str, value: str) -> None:
    message = {"X_FORWARDED_FOR": "192.0.2.7", header: value}

    assert altered(PEER, message).keys() == {"REMOTE_ADDR", "REMOTE_HOST", "REMOTE_PORT"}


def test_the_last_of_several_values_is_used() -> None:
    message = {"X_FORWARDED_PROTO": "https, http", "X_FORWARDED_HOST": "evil.test, demo.example"}
    changes = altered(PEER, message)

    assert "wsgi.url_scheme" not in changes  # it is http
    assert changes["HTTP_HOST"] == "demo.example"


# --- Under a prefix ---------------------------------------------------------------------------


def mounted(prefix: str, trusted: tuple[str, ...] = ()) -> FlaskClient:
    """A client on 127.0.0.1, of the real app."""
    return create_app(Settings(prefix=prefix, behind_proxy=trusted)).test_client()


def test_locations_and_links_keep_the_prefix() -> None:
    client = mounted("/mock")
    made = client.post("/mock/v1/pets", json={"name": "Miso", "categoryId": 2}, headers=KEY)

    assert made.headers["Location"] == "/mock/v1/pets/17"
    got = client.get("/mock/v1/pets/17", headers=KEY)
    assert got.get_json()["name"] == "Miso"
    assert got.headers["Link"] == (
        '</mock/v1/pets>; rel="successor-version", '
        '</mock/__mockpets/docs>; rel="deprecation"; type="text/html"'
    )
    assert client.get("/mock/__mockpets/health").status_code == 200


@pytest.mark.parametrize(
    ("base", "status"),
    [("~w3 ", 201), ("~w3\n", 422), ("~w3\r\nX-Evil: b", 422), ("~\u20ac", 422), ("~a\nb", 422)],
)
def test_a_base_path_is_quoted_in_headers(base: str, status: int) -> None:
    new = {"name": "Miso", "categoryId": 2}
    client = create_app(Settings()).test_client()
    made = client.post(f"/{quote(base)}/v1/pets", json=new, headers=KEY)
    got = client.get(f"/{quote(base)}/v1/pets/1", headers=KEY)

    assert made.status_code == status
    assert made.headers.get("Location") == (
        f"/{quote(base, safe='~')}/v1/pets/17" if status == 201 else None
    )
    assert got.headers["Link"].startswith(f"</{quote(base, safe='~')}/v1/pets>; ")
    for response in (made, got):
        assert all(re.fullmatch("[ -~]*", value) for value in response.headers.values())


def test_a_location_is_ascii() -> None:
    client = create_app(Settings()).test_client()
    mount = {
        "SCRIPT_NAME": "/käfig".encode().decode("latin-1")
    }  # set by another WSGI server (PEP 3333)
    new = {"name": "Miso", "categoryId": 2}
    made = client.post("/v1/pets", json=new, headers=KEY, environ_overrides=mount)

    assert made.headers["Location"] == "/k%C3%A4fig/v1/pets/17"


def test_a_forwarded_prefix_is_added() -> None:
    client = mounted("", ("127.0.0.1",))
    headers = KEY | {"X-Forwarded-Prefix": "/mock", "X-Forwarded-For": "192.0.2.7"}
    made = client.post("/v1/pets", json={"name": "Miso", "categoryId": 2}, headers=headers)

    assert made.headers["Location"] == "/mock/v1/pets/17"


@pytest.mark.parametrize("path", ["/v1/pets", "/", "/mockery/v1/pets", "/Mock/v1/pets", "/moc"])
def test_paths_outside_the_prefix_are_not_found(path: str) -> None:
    origin = {"Origin": "http://localhost:5173"}
    response = mounted("/mock").get(path, headers=KEY | origin)

    assert response.status_code == 404
    assert json.loads(response.data) == {
        "code": "not_found",
        "message": f"unknown path '{path}'; the server's prefix is /mock, so use /mock{path}. "
        "If your proxy strips the prefix, let it send X-Forwarded-Prefix and remove --prefix",
        "status": 404,
    }
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Access-Control-Allow-Origin"] == "http://localhost:5173"
    assert response.headers["Cache-Control"] == "no-store"


def test_a_path_outside_the_prefix_is_shown_decoded_and_suggested_encoded() -> None:
    response = mounted("/mock").get("/caf%C3%A9%00", headers=KEY)

    message = json.loads(response.data)["message"]
    assert message.startswith(
        r"unknown path '/café\x00'; the server's prefix is /mock, so use /mock/caf%C3%A9%00. "
    )


@pytest.mark.parametrize(("path", "message"), [
    ("/mock/pets", "the base URL must end with /v1: /mock/v1/pets"),
    ("/mock/v1/pets/", "remove the trailing slash: /mock/v1/pets"),
    ("/mock/v1/pest", "did you mean '/mock/v1/pets'? To define "),
    ("/mock/w3/v1/pets",
     "the pet store is at /mock/v1/pets, and the base path of a session starts with a "
         "tilde: /mock/~w3/v1/pets"),
    ("/mock/~w3/pets/7", "the base URL must end with /v1: /mock/~w3/v1/pets/7"),
    ("/mock/~w3/w4/v1/pets", "did you mean '/mock/~w3/v1/pets'?"),
])  # fmt: skip
def test_a_hint_includes_the_prefix(path: str, message: str) -> None:
    response = mounted("/mock").get(path, headers=KEY)

    actual = response.get_json()["message"]
    assert actual.partition("a response, add a stub")[0] == f"unknown path {path!r}; {message}"


# --- The control API --------------------------------------------------------------------------


@pytest.mark.parametrize("message", [None, "unknown", "192.0.2.7", "127.0.0.1, 192.0.2.7"])
def test_a_client_behind_a_proxy_is_not_local(message: str | None) -> None:
    headers = {} if message is None else {"X-Forwarded-For": message}
    response = mounted("", ("127.0.0.1",)).post("/__mockpets/reset", headers=headers)

    assert response.status_code in (401, 403)
