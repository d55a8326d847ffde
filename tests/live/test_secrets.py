"""No part of a key, token, cookie or secret query parameter is recorded or logged.

The test sends random secrets in every place for them, and then searches everything readable and
the log. The server's own first API key is an exception: `state` reports it for the panel.
"""

import logging
from collections.abc import Iterator
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from mockpets import MockpetsServer, Settings, create_app
from mockpets.constants import REDACTED
from mockpets.interface import Incoming, Reply
from tests.http_client import JSON, Client, InProcess, OverSocket
from tests.server.query_app import FunctionApp

TOKEN = "Vt9-control-token-of-this-test"
KEY = "Vt9-second-key-of-this-test"
KEPT = 10
"""Requests in the log: more than one example sends."""
READS = [
    *("state", f"requests?limit={KEPT}", f"requests.har?limit={KEPT}"),
    *("sessions", "sessions/w1", "scenarios", "gates", "events?since=0", "pets", "metrics"),
    "findings",
]

MARK = "q9Zx7Qv"
"""Starts and ends every secret, so that a part of a secret is found too."""


def marked(characters: str) -> st.SearchStrategy[str]:
    return st.text(characters, max_size=60).map(lambda text: f"{MARK}{text}{MARK}")


SECRETS = marked("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+=-~ ")
HEADER_NAMES = st.sampled_from(
    [
        *("Authorization", "authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "ApiKey"),
        *("X-API_KEY", "X-Auth-Token", "X-CSRF-Token", "Client-Secret", "X-Password", "My-Auth"),
    ]
)
QUERY_NAMES = st.sampled_from(
    [
        *("token", "access_token", "id-token", "secret", "client_secret", "password", "api_key"),
        *("apikey", "API-KEY", "auth", "x-authorization", "%74oken", "to%6Ben", "passwords"),
    ]
)
TARGETS = st.sampled_from(
    [
        *("/v1/pets", "/v1/pets/1", "/v1/pets/none", "/v1/nothing", "/v1/store/orders", "/pets"),
        *("/~w1/v1/pets", "/~w1+retry/v1/pets", "/~w1+broken-json/v1/pets", "/~w1+emtpy/v1/pets"),
        *("/~w1+orders/v1/store/orders", "/~no%20name/v1/pets", "/~w1/v1/pets/1"),
    ]
)
METHODS = st.sampled_from(["GET", "GET", "POST", "HEAD", "DELETE", "OPTIONS"])


def readable(call: Client) -> str:
    """Return everything that can be read from two sessions."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    texts = []
    for base in ("", "/~w1"):
        for path in READS:
            response = call("GET", f"{base}/__mockpets/{path}", headers=token, key=None)
            assert response.status in (200, 404), path
            texts += [response.body.decode(), *response.headers.values()]
        last = call("GET", f"{base}/__mockpets/requests?limit=1", headers=token, key=None).json
        for row in last["requests"]:
            entry = call(
                "GET", f"{base}/__mockpets/requests/{row['number']}", headers=token, key=None
            )
            texts.append(entry.body.decode())
    return "\n".join(texts)


def check(call: Client, log: pytest.LogCaptureFixture, *marks: str) -> None:
    everything = readable(call) + log.text
    for mark in marks:
        assert mark not in everything, f"{mark!r} is shown"


@pytest.fixture(scope="module", params=["inside", pytest.param("socket", marks=pytest.mark.long)])
def keeping(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A server with its own key and token, and a request log that keeps what one example sends."""
    keys = ("mockpets", KEY)
    settings = Settings(port=0, api_key=keys, control_token=TOKEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mockpets.web.app.LOG_ENTRIES", KEPT)
        if request.param == "inside":
            yield Client(InProcess(create_app(settings)))
            return
        with MockpetsServer(settings) as server:
            yield Client(OverSocket(server.url))


@effort(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    secret=SECRETS,
    key=SECRETS,
    name=HEADER_NAMES,
    query=QUERY_NAMES,
    method=METHODS,
    target=TARGETS,
    data=st.data(),
)
def test_secrets_of_a_client_are_never_shown(
    keeping: Client,
    caplog: pytest.LogCaptureFixture,
    secret: str,
    key: str,
    name: str,
    query: str,
    method: str,
    target: str,
    data: st.DataObject,
) -> None:
    caplog.set_level(logging.DEBUG)
    sent = quote(secret, safe=data.draw(st.sampled_from(["", "/+=", "/"])))
    more = data.draw(st.sampled_from(["", "limit=0&", "x=1&", "limit=5&status=lost&"]))
    scheme = data.draw(st.sampled_from(["Bearer", "bearer", "Basic", "Digest"]))
    headers = {
        "Authorization": f"{scheme} {key}",
        name: f"Bearer {secret}" if "uthorization" in name else f"session={secret}",
        "Referer": f"http://front.test/?{query}={sent}",
        "Origin": "http://front.test",
    }
    body = None
    if method == "POST":
        body = b'{"name": "Miso", "categoryId": 2, "x": 1}'
        headers |= JSON
    keeping("GET", "/~w1/v1/pets", headers={"Authorization": f"Bearer {KEY}"})
    token = {"Authorization": f"Bearer {TOKEN}"}
    keeping("DELETE", "/~w1/__mockpets/data/pets/1", headers=token, key=None)
    keeping(method, f"{target}?{more}{query}={sent}", headers=headers, body=body, key=None)
    # The same with a valid key, so that the stubs and the operation see the request.
    right = {**headers, "Authorization": f"Bearer {KEY}"}
    keeping(method, f"{target}?{more}{query}={sent}&z", headers=right, body=body, key=None)
    # And to the control API, without a token or with a wrong one.
    wrong = {**headers, "Authorization": f"Bearer {key}"}
    keeping(method, f"/__mockpets/state?{query}={sent}", headers=wrong, key=None)

    check(keeping, caplog, MARK, KEY, TOKEN)


def test_the_search_finds_values_that_are_not_secret(
    keeping: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Check the test itself: the search finds a value whose name is not secret."""
    right = {"Authorization": f"Bearer {KEY}"}
    keeping("GET", "/v1/pets?plain=no-secret-at-all", headers=right | {"X-Plain": "seen-by-all"})

    everything = readable(keeping)
    assert "no-secret-at-all" in everything
    assert "seen-by-all" in everything
    assert f'["Authorization","Bearer {REDACTED}"]' in everything
    with pytest.raises(AssertionError, match="is shown"):
        check(keeping, caplog, "seen-by-all")


def test_a_failing_app_does_not_log_secrets(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: Incoming) -> Reply:
        raise RuntimeError("broken")

    with MockpetsServer(Settings(port=0), app=FunctionApp(broken)) as server:
        target = "/v1/pets?access_token=very-much-a-secret&limit=2"
        assert Client(OverSocket(server.url))("GET", target).status == 500

    assert "very-much-a-secret" not in caplog.text
    assert "limit=2" in caplog.text
