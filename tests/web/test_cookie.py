"""The cookie that names a session: what it selects, when it is ignored, and errors that delete it.

`test_baggage` has its precedence, `test_notes` the note about an ignored one.
"""

from collections.abc import Callable

import pytest

from tests.http_client import Client, Response
from tests.web.test_contract import assert_error
from tests.web.test_session_selector import chosen

Make = Callable[..., Client]

NONE = ("default", "default")
DELETED = "mockpets=; Path=/; Max-Age=0; SameSite=Lax"


def ask(call: Client, cookie: str, path: str = "/v1/pets", **headers: str) -> Response:
    return call("GET", path, headers={"Cookie": cookie, **headers})


@pytest.mark.parametrize(("cookie", "selected"), [
    ("mockpets=w1", ("w1", "default")),
    ("mockpets=W1", ("w1", "default")),
    ("mockpets=w1+empty", ("w1", "empty")),
    ("mockpets=w1%2Bempty%2bcrowded", ("w1", "empty, crowded")),
    ("mockpets=w1%20empty", ("w1", "empty")),
    ("mockpets=w1 empty", ("w1", "empty")),
    ("mockpets=%2Bempty", ("default", "empty")),
    ("mockpets=+empty", ("default", "empty")),
    ('mockpets="w1+empty"', ("w1", "empty")),
    (" a=1;b=2 ;\tmockpets = w1 ; c=3", ("w1", "default")),
    ("a=1, mockpets=w1, c=3", ("w1", "default")),  # two fields, joined
    ("mockpets=w1; mockpets=w2", ("w1", "default")),
    # Of other programs, and empty ones.
    ("", NONE),
    ("mockpets", NONE),
    ("mockpets=", NONE),
    ('mockpets=""; mockpets=w1', NONE),
    ("Mockpets=w1; xmockpets=w1; mockpets-x=w1; a=mockpets=w1; __Host-mockpets=w1", NONE),
])  # fmt: skip
def test_a_cookie_selects_session_and_scenarios(
    call: Client, cookie: str, selected: tuple[str, str]
) -> None:
    assert chosen(ask(call, cookie)) == selected


@pytest.mark.parametrize(("cookie", "code", "start"), [
    ("mockpets=w1+emtpy", "unknown_scenario", "unknown scenario 'emtpy'; did you mean 'empty'? T"),
    ("mockpets=w1%2B", "unknown_scenario", "empty scenario name in the cookie; "),
    ("mockpets=%2B" + "x%2B" * 32 + "x", "unknown_scenario", "too many scenarios in the cookie: "),
    ("mockpets=w1++empty", "unknown_scenario", "empty scenario name in the cookie"),
    ("mockpets=-w1", "invalid_session", "invalid session name '-w1' in the cookie: "),
    ("mockpets=%FF", "invalid_session", "invalid session name "),
    ("mockpets=w1%252Bempty", "invalid_session", "invalid session name 'w1%2Bempty'"),
    ("mockpets=../v1", "invalid_session", "invalid session name '../v1' in the cookie"),
    ("mockpets=" + "w" * 65, "invalid_session", "invalid session name 'www"),
], ids=[
    "unknown scenario", "no scenario", "33 scenarios", "empty scenario", "hyphen",
    "not UTF-8", "encoded twice", "path", "long session"
])  # fmt: skip
def test_an_unknown_name_is_reported_once_since_the_response_deletes_the_cookie(
    call: Client, cookie: str, code: str, start: str
) -> None:
    response = ask(call, cookie)

    assert_error(response, code)
    assert response.header("Set-Cookie") == DELETED
    message = response.json["message"]
    assert message.startswith(start)
    assert "he name comes from the cookie mockpets, which this response deletes" in message


def test_an_undeclared_session_is_reported_once(fresh: Make) -> None:
    call = fresh(sessions="declared")
    call("PUT", "/__mockpets/sessions/w1", key=None)

    assert chosen(ask(call, "mockpets=w1"))[0] == "w1"
    unknown = ask(call, "mockpets=w2")
    assert_error(unknown, "unknown_session")
    assert unknown.header("Set-Cookie") == DELETED
    assert_error(ask(call, "theme=dark"), "session_required")


@pytest.mark.parametrize(("path", "headers", "status"), [
    ("/~w2/v1/pets", {"Mockpets-Scenario": "emtpy"}, 422),  # the cookie's names are valid
    ("/~-/v1/pets", {}, 422),
    ("/v1/pets?limit=0", {}, 400),
    ("/v1/pest", {}, 404),
    ("/v1/pets", {"Authorization": "none"}, 401),
    ("/v1/pets", {"Mockpets-Sesion": "w2"}, 422),
    ("/~closed/v1/pets", {}, 410),
])  # fmt: skip
def test_other_errors_keep_the_cookie(
    call: Client, path: str, headers: dict[str, str], status: int
) -> None:
    call("PUT", "/__mockpets/sessions/closed", key=None)
    call("DELETE", "/__mockpets/sessions/closed?closed=60s", key=None)
    response = ask(call, "mockpets=w1+empty", path, **headers)

    assert response.status == status
    assert response.header("Set-Cookie") is None


@pytest.mark.parametrize("wrong", ["-", "w1+emtpy", "%FF+%FF"])
@pytest.mark.parametrize(
    "path", ["state", "data/pets", "requests", "scenario", "", "docs", "health", "toolbar.js"]
)
def test_the_control_api_and_the_panel_never_read_it(call: Client, path: str, wrong: str) -> None:
    method, body = ("PUT", {"scenario": "default"}) if path == "scenario" else ("GET", None)
    for cookie in (f"mockpets={wrong}", "mockpets=w1+empty"):
        headers = {"Cookie": cookie}
        got = call(method, f"/__mockpets/{path}", headers=headers, json_body=body, key=None)
        assert (got.status, got.header("Set-Cookie")) == (200, None)
        assert got.header("Mockpets-Session") in ("default", None)


@pytest.mark.parametrize("path", ["/pets", "/", "/favicon.ico", "/v1", "/v10/pets"])
def test_other_paths_do_not_read_it(fresh: Make, path: str) -> None:
    call = fresh()
    ask(call, "mockpets=w1", path)

    [session] = call("GET", "/__mockpets/sessions", key=None).json["sessions"]
    assert session["name"] == "default"


# --- Where it has an effect ---------------------------------------------------------------------

OWN = {"Host": "pets.example:8080"}


@pytest.mark.parametrize(("headers", "selects"), [
    ({}, True),
    ({"Origin": "http://localhost:5173"}, True),
    ({"Origin": "https://127.0.0.1"}, True),
    ({"Origin": "https://front.example"}, True),
    ({"Origin": "HTTPS://Front.Example"}, True),
    ({**OWN, "Origin": "http://pets.example:8080"}, True),
    ({**OWN, "Origin": "https://PETS.example:8080"}, True),
    ({**OWN, "Origin": "https://pets.example"}, False),
    ({"Origin": "https://evil.test"}, False),
    ({"Origin": "https://front.example.evil.test"}, False),
    ({"Origin": "http://localhost:5173, https://evil.test"}, False),
    ({"Origin": "null"}, False),
    ({"Origin": "x" * 5000}, False),
])  # fmt: skip
@pytest.mark.parametrize("cookie", ["mockpets=w1+empty", "mockpets=-"])
def test_pages_that_may_not_call_the_control_api_cannot_select_with_it(
    fresh: Make, headers: dict[str, str], selects: bool, cookie: str
) -> None:
    call = fresh(control_origin=("https://front.example",))
    response = ask(call, cookie, **headers)

    assert response.header("Access-Control-Allow-Origin") == headers.get("Origin")
    if cookie == "mockpets=-":
        assert (response.status, response.header("Set-Cookie")) == (
            (422, DELETED) if selects else (200, None)
        )
        return
    assert chosen(response) == (("w1", "empty") if selects else NONE)
    entry = call("GET", f"/~{'w1' if selects else 'default'}/__mockpets/requests/1", key=None).json
    assert [note["code"] for note in entry["notes"]] == ([] if selects else ["ignored_cookie"])
    for note in entry["notes"]:
        has_option = note["text"].endswith(" --control-origin " + headers["Origin"])
        assert has_option or note["text"].endswith(" from pages without an origin")
    assert dict(entry["request"]["headers"])["Cookie"] == "[redacted]"


def test_a_public_server_ignores_it(fresh: Make) -> None:
    call = fresh(public=True, control_token="t" * 16)
    for value in ("v-" + "0" * 32, "w1+empty", "-"):
        assert ask(call, f"mockpets={value}", Origin="http://localhost:5173").status == 200
    _default, visitor = call("GET", "/__mockpets/sessions", key="t" * 16).json["sessions"]
    log = call("GET", f"/~{visitor['name']}/__mockpets/requests", key="t" * 16).json["requests"]

    assert [each["notes"][0]["text"] for each in log] == [
        "the cookie mockpets has no effect with --public"
    ] * 3


def test_a_request_with_an_ignored_cookie_is_explained_with_one_note(fresh: Make) -> None:
    headers = {"Cookie": "mockpets=w1", "Origin": "https://app.example"}
    request = {"method": "GET", "path": "/v1/pets", "headers": headers}
    explained = fresh()("POST", "/__mockpets/explain", json_body=request).json

    codes = [note["code"] for note in explained["request"]["notes"]]
    assert codes.count("ignored_cookie") == 1
