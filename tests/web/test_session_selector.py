"""Session and scenarios by base path, header and key: the table of product.md, and edge cases."""

from collections.abc import Callable
from typing import Any

import pytest

from mockpets.constants import EXPOSED_HEADERS, FORWARDED_HEADERS
from tests.http_client import Client, Response
from tests.web.test_contract import assert_error

Make = Callable[..., Client]

PET: Any = {"name": "Miso", "categoryId": 2}


def chosen(response: Response) -> tuple[str | None, str | None]:
    return response.header("Mockpets-Session"), response.header("Mockpets-Scenario")


# --- Precedence ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("base", "expected"), [
    ("/~", ("default", "default")),
    ("/~w3", ("w3", "default")),
    ("/~W3", ("w3", "default")),
    ("/%7Ew3", ("w3", "default")),
    ("/%7ew3%2bempty", ("w3", "empty")),
    ("/~+empty", ("default", "empty")),
    ("/~+EMPTY", ("default", "empty")),
    ("/~w3+empty", ("w3", "empty")),
    ("/~w3+retry+empty", ("w3", "retry, empty")),
    ("/~w3+empty+empty", ("w3", "empty")),
    ("/~" + "w" * 64, ("w" * 64, "default")),
])  # fmt: skip
def test_base_paths_select_sessions_and_scenarios(
    call: Client, base: str, expected: tuple[str, str]
) -> None:
    assert chosen(call("GET", f"{base}/v1/pets")) == expected
    state = call("GET", f"{base}/__mockpets/state", key=None).json
    assert state["session"] == expected[0]
    assert state["active"] == ["default"]
    own = "/v1" if expected[0] == "default" else f"/~{expected[0]}/v1"
    assert state["settings"]["base_path"] == own


@pytest.mark.parametrize(("base", "code", "says"), [
    ("/~bad%20name", "invalid_session", "invalid session name 'bad name' in the base path"),
    ("/~%E2%84%AA", "invalid_session", "invalid session name '\u212a' in the base path"),
    ("/~w%0A", "invalid_session", "invalid session name 'w\\n' in the base path"),
    ("/~.", "invalid_session", "invalid session name '.' in the base path"),
    ("/~%FF", "invalid_session", "invalid session name '\ufffd' in the base path"),
    ("/~" + "w" * 65, "invalid_session", "invalid session name 'www"),
    ("/~w3+", "unknown_scenario", "empty scenario name in the base path; name one"),
    ("/~w3+sold_out", "unknown_scenario", "invalid scenario name 'sold_out' in the base path: use "
     "a-z, 0-9 and single hyphens, such as 'sold-out'; at most 64 characters"),
    ("/~w3+emtpy", "unknown_scenario", "unknown scenario 'emtpy'; did you mean 'empty'?"),
    ("/~+" + "+".join("a" * 33), "unknown_scenario", "too many scenarios in the base path"),
], ids=[
    "space", "Kelvin sign", "line feed", "dot", "not UTF-8", "long session", "no scenario",
    "underscore", "unknown scenario", "33 scenarios"
])  # fmt: skip
@pytest.mark.parametrize("key", ["mockpets", None, "wrong"])
def test_invalid_base_paths_are_rejected(
    call: Client, base: str, code: str, says: str, key: str | None
) -> None:
    """Rejected before the key is checked, with a status that the contract does not use."""
    response = call("GET", f"{base}/v1/pets", key=key)
    assert_error(response, code)
    assert response.json["message"].startswith(says)
    assert response.header("Access-Control-Allow-Origin") is None
    cross = call("GET", f"{base}/v1/pets", key=key, headers={"Origin": "http://a.test"})
    assert cross.header("Access-Control-Allow-Origin") == "http://a.test"


@pytest.mark.parametrize(("headers", "code"), [
    ({"Mockpets-Session": ""}, "invalid_session"),
    ({"Mockpets-Session": "a b"}, "invalid_session"),
    ({"Mockpets-Session": "../x"}, "invalid_session"),
    ({"Mockpets-Session": "w3, w4"}, "invalid_session"),
    ({"Mockpets-Session": "\xe9"}, "invalid_session"),
    ({"Mockpets-Scenario": ""}, "unknown_scenario"),
    ({"Mockpets-Scenario": "empty,"}, "unknown_scenario"),
    ({"Mockpets-Scenario": "empty retry"}, "unknown_scenario"),
    ({"Mockpets-Scenario": "nix"}, "unknown_scenario"),
])  # fmt: skip
def test_invalid_headers_are_rejected(call: Client, headers: dict[str, str], code: str) -> None:
    assert_error(call("GET", "/v1/pets", headers=headers), code)
    assert call("GET", "/v1/pets", headers=headers).header("Mockpets-Stub") in (None, "-")


# --- Unknown headers ----------------------------------------------------------------------------

KNOWN = "known: Mockpets-Session, Mockpets-Scenario, Mockpets-Delay"


@pytest.mark.parametrize(("names", "message"), [
    (["Mockpets-Scenaro"], "unknown header 'Mockpets-Scenaro'; did you mean 'Mockpets-Scenario'?"),
    (["mockpets-x"], f"unknown header 'Mockpets-X'; {KNOWN}"),
    (["X-Mockpet-Delay"], "unknown header 'X-Mockpet-Delay'; did you mean 'Mockpets-Delay'?"),
    (["Mokpet-Session"], "unknown header 'Mokpet-Session'; did you mean 'Mockpets-Session'?"),
    (["Mpckets-Scenario"], "unknown header 'Mpckets-Scenario'; did you mean 'Mockpets-Scenario'?"),
    (["Mockpets-Dely", "Mockpets-X"],
     "unknown header 'Mockpets-Dely'; did you mean 'Mockpets-Delay'?; "
         f"unknown header 'Mockpets-X'; {KNOWN}"),
], ids=["one near", "none near", "X-", "Mok", "Mpc", "two"])  # fmt: skip
@pytest.mark.parametrize("key", ["mockpets", None])
@pytest.mark.parametrize("path", ["/v1/pets", "/v1/pets/1", "/v1/nothing", "/v1/store/orders"])
def test_unknown_headers_of_ours_are_rejected_with_the_nearest(
    call: Client, names: list[str], message: str, key: str | None, path: str
) -> None:
    response = call("GET", path, headers=dict.fromkeys(names, "x"), key=key)

    assert_error(response, "unknown_header")
    assert response.json["message"] == message


def test_an_unknown_header_is_recorded_and_labelled_but_changes_nothing(fresh: Make) -> None:
    call = fresh()
    call("GET", "/~w3/v1/pets")
    response = call("POST", "/~w3/v1/pets", json_body=PET, headers={"Mockpets-Foo": "1"})
    [_, entry] = call("GET", "/~w3/__mockpets/requests", key=None).json["requests"]

    assert chosen(response) == ("w3", None)
    label = "status 422 is not in the contract for createPet"
    assert response.header("Mockpets-Off-Contract") == label
    assert (entry["status"], entry["off_contract"]) == (422, label)
    assert len(call("GET", "/~w3/v1/pets").json) == 16
    assert_error(call("GET", "/~new/v1/pets", headers={"Mockpets-Foo": "1"}), "unknown_header")
    assert [each["name"] for each in sessions(call)] == ["default", "w3"]


def test_many_and_long_unknown_headers_give_a_short_message(call: Client) -> None:
    headers = {f"Mockpets-{number:03}-{'x' * 200}": "1" for number in range(40)}
    message = call("GET", "/v1/pets", headers=headers).json["message"]

    assert message.count("unknown header ") == 20
    assert "x" * 64 not in message


OURS = {name for name in EXPOSED_HEADERS if name.startswith("Mockpets-")}


@pytest.mark.parametrize("name", sorted(OURS | {*FORWARDED_HEADERS}))
def test_the_names_of_our_response_headers_are_accepted(call: Client, name: str) -> None:
    values = {"Mockpets-Session": "w3", "Mockpets-Scenario": "empty"}
    response = call("GET", "/v1/pets", headers={name: values.get(name, "1")})

    assert response.status == 200


@pytest.mark.parametrize("name", ["Session", "Pockets-Session-X", "Mocks-Session", "X-Mock"])
def test_names_that_only_resemble_ours_are_accepted(call: Client, name: str) -> None:
    assert call("GET", "/v1/pets", headers={name: "w3"}).status == 200


def test_a_preflight_accepts_an_unknown_header_so_that_the_page_can_read_the_error(
    call: Client,
) -> None:
    origin = {"Origin": "http://localhost:5173"}
    asks = {
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization,mockpets-scenaro",
    }
    preflight = call("OPTIONS", "/v1/pets", headers=origin | asks, key=None)
    response = call("GET", "/v1/pets", headers=origin | {"Mockpets-Scenaro": "empty"})

    assert (preflight.status, response.status) == (204, 422)
    names = preflight.header("Access-Control-Allow-Headers") or ""
    assert "mockpets-scenaro" in names
    assert response.header("Access-Control-Allow-Origin") == origin["Origin"]


# --- By the key ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "expected"), [
    ("mockpets", ("default", "default")),
    ("mockpets~", ("default", "default")),
    ("mockpets~w3", ("w3", "default")),
    ("mockpets~W3+Empty", ("w3", "empty")),
    ("mockpets~+empty", ("default", "empty")),
    ("mockpets~w3+retry+empty", ("w3", "retry, empty")),
    ("my~own~key", ("default", "default")),
    ("my~own~key~w3", ("w3", "default")),
    ("my~own~key~+empty", ("default", "empty")),
])  # fmt: skip
def test_keys_select_sessions_and_scenarios(
    fresh: Make, key: str, expected: tuple[str, str]
) -> None:
    call = fresh(api_key=("mockpets", "my~own~key"))
    assert chosen(call("GET", "/v1/pets", key=key)) == expected


@pytest.mark.parametrize(
    "key", ["mockpets~w3~x", "mockpets~~w3", "~w3", "~", "MOCKPETS~w3", "my~own", "my~own~key2"]
)
def test_invalid_keys_are_rejected(fresh: Make, key: str) -> None:
    """The exact key is tried first, then only the part before the last ``~``."""
    call = fresh(api_key=("mockpets", "my~own~key"))
    assert_error(call("GET", "/v1/pets", key=key), "unauthorized")
    assert [each["name"] for each in sessions(call)] == ["default"]


@pytest.mark.parametrize(("key", "expected"), [
    ("anything", ("default", "default")),
    ("anything~w3", ("w3", "default")),
    ("a~b~w3+empty", ("w3", "empty")),
    ("eyJ~Zm9v/YmFy=", ("default", "default")),
    ("~w3", ("default", "default")),
    ("a~not a name", ("default", "default")),
    ("a~" + "x" * 65, ("default", "default")),
    ("a~w3+", ("default", "default")),
])  # fmt: skip
def test_with_any_key_an_invalid_selector_is_part_of_the_key(
    fresh: Make, key: str, expected: tuple[str, str]
) -> None:
    assert chosen(fresh(api_key=("*",))("GET", "/v1/pets", key=key)) == expected
    assert_error(fresh(api_key=("*",))("GET", "/v1/pets", key=None), "unauthorized")


@pytest.mark.parametrize("scheme", ["Token", "Basic", "JWT"])
def test_with_any_key_another_scheme_than_bearer_is_named(fresh: Make, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} bW9ja3BldHM6"}
    response = fresh(api_key=("*",))("GET", "/v1/pets", key=None, headers=headers)

    assert_error(response, "unauthorized")
    assert response.json["message"] == (
        f"the Authorization header must have 'Bearer' and any token, got the scheme '{scheme}'; "
        "send 'Authorization: Bearer <API_KEY>'"
    )


# --- Effects of a selection ---------------------------------------------------------------------


def sessions(call: Client) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = call("GET", "/__mockpets/sessions", key=None).json["sessions"]
    return listed


@pytest.mark.parametrize("key", [None, "wrong", "wrong~w4"])
@pytest.mark.parametrize("path", ["/v1/pets", "/v1/pets/1", "/v1/none", "/v1/store/orders", "/x"])
def test_without_a_key_no_session_is_created(fresh: Make, key: str | None, path: str) -> None:
    call = fresh()
    for target, headers in ((f"/~w3{path}", {}), (path, {"Mockpets-Session": "w3"})):
        for method in ("GET", "HEAD", "OPTIONS", "POST", "BREW"):
            response = call(method, target, key=key, headers=headers)
            assert response.header("Mockpets-Session") is None
            assert response.header("Mockpets-Request") is None

    assert [each["name"] for each in sessions(call)] == ["default"]


def test_naming_scenarios_keeps_the_active_ones_and_continues_their_sequence(fresh: Make) -> None:
    call = fresh()

    assert [call("GET", "/~w3+retry/v1/pets").status for _ in range(3)] == [503, 503, 200]
    assert call("GET", "/~w4+retry/v1/pets").status == 503
    assert call("GET", "/~w3/v1/pets").header("Mockpets-Scenario") == "default"
    call("POST", "/__mockpets/reset", key=None)
    assert call("GET", "/~w3+retry/v1/pets").status == 200
    call("POST", "/~w3/__mockpets/reset", key=None)
    assert call("GET", "/~w3+retry/v1/pets").status == 503


def test_location_and_links_keep_the_base_path(call: Client) -> None:
    for base in ("/~loc", "/~loc+empty", "/~LOC", "/~+empty", "/~"):
        made = call("POST", f"{base}/v1/pets", json_body=PET)
        where = made.header("Location") or ""
        assert where == f"{base}/v1/pets/{made.json['id']}"
        got = call("GET", where)
        assert got.json == made.json
        assert f'<{base}/v1/pets>; rel="successor-version"' in (got.header("Link") or "")
        docs = f"<{base}/__mockpets/docs>"
        assert docs in (got.header("Link") or "")
        assert call("GET", docs[1:-1], key=None).status == 200


PAGES = {"/": "", "/panel": "", "/docs": "docs", "/v1": "docs", "/v1/": "docs"}


@pytest.mark.parametrize("path", PAGES)
def test_a_path_opened_in_a_browser_leads_to_a_page_of_its_session(fresh: Make, path: str) -> None:
    call, html = fresh(), {"Accept": "text/html,application/xhtml+xml"}
    for base in ("", "/~w3", "/~w3+empty"):
        response = call("GET", f"{base}{path}", headers=html, key=None)
        page = f"{base}/__mockpets/{PAGES[path]}"
        assert (response.status, response.header("Location")) == (302, page)
        assert call("GET", page, key=None).status == 200
    for method, headers in (("GET", {}), ("GET", {"Accept": "*/*"}), ("POST", html)):
        assert call(method, path, headers=headers, key=None).status in (404, 405)
    call = fresh(control="off")
    assert call("GET", path, headers=html, key=None).status == (302 if path == "/" else 404)


def test_control_calls_use_the_pets_of_the_named_scenarios(fresh: Make) -> None:
    call = fresh()
    path = "/~w3+empty/__mockpets/data/pets"
    assert call("GET", path, key=None).json["total"] == 0
    assert call("PUT", path, json_body=[{"id": 5, **PET}], key=None).json == {"total": 1}
    header = {"Mockpets-Scenario": "empty"}
    assert call("GET", "/~w3/__mockpets/data/pets", headers=header, key=None).json["total"] == 1
    assert call("GET", "/~w3/__mockpets/data/pets", key=None).json["total"] == 16
    assert call("GET", "/~w3+empty/v1/pets").json == [{"id": 5, **PET}]
    assert_error(call("GET", "/~w3+emtpy/__mockpets/data/pets", key=None), "unknown_scenario")


# --- Explanation headers ------------------------------------------------------------------------
