"""Sessions that visitors of a public server name themselves, and their reset."""

import io
from collections.abc import Iterator
from itertools import count, product
from typing import Any
from urllib.parse import unquote

import pytest

from mockpets.public.public_limits import BURST, CREATE_SECONDS, PUBLIC, SESSION_PART
from mockpets.settings.settings_table import VISITOR_RATE
from mockpets.telemetry.access_log import configure
from tests.http_client import Response
from tests.public.test_public_mode import TOKEN, Public
from tests.web.test_contract import ORIGIN, assert_cors, assert_error

MINE, THEIRS = "v-" + "0123456789abcdef" * 2, "v-" + "f" * 32
RESET = "/__mockpets/visitor/reset"
PLACES = ("path", "header", "baggage", "key")
ATTACKER = "203.0.113.9"


def by(place: str, name: str) -> tuple[str, dict[str, Any]]:
    """Return the base path and the options of a request that names a session."""
    if place == "path":
        return f"/~{name}", {}
    if place == "key":
        return "", {"key": f"mockpets~{name}"}
    header = "Mockpets-Session" if place == "header" else "baggage"
    return "", {"headers": {header: name if place == "header" else f"mockpets.session={name}"}}


def ask(
    public: Public, method: str, path: str, name: str, place: str = "path", **options: Any
) -> Response:
    base, more = by(place, name)
    return public(method, base + path, options.pop("visitor", "192.0.2.1"), **more, **options)


def names(response: Response) -> set[str]:
    assert response.status == 200
    return {pet["name"] for pet in response.json}


def fresh_names() -> Iterator[str]:
    """Return session names of the form that visitors may choose."""
    return (f"v-{number:032x}" for number in count())


def pet(name: str) -> dict[str, Any]:
    return {"name": name, "categoryId": 2}


@pytest.mark.parametrize("place", PLACES)
def test_everyone_who_knows_a_random_name_uses_its_session(place: str) -> None:
    public = Public()
    added = ask(public, "POST", "/v1/pets", MINE, place, json_body=pet("Shared"))
    assert added.status == 201
    assert added.header("Mockpets-Session") == MINE
    assert_cors(added)

    elsewhere = ask(public, "GET", "/v1/pets", MINE, place, visitor="198.51.100.7")
    assert "Shared" in names(elsewhere)
    # It is neither the session of its creator's address, nor another one.
    assert "Shared" not in public.names("192.0.2.1")
    assert "Shared" not in names(ask(public, "GET", "/v1/pets", THEIRS, place))


WRONG = [
    "default", "w1", "v-" + "0" * 24, "v-" + "0" * 31, "v-" + "0" * 33, "v-" + "g" * 32, "0" * 32,
    "w-" + "0" * 32, "v_" + "0" * 32, "v-" + "0" * 16 + "-" + "0" * 15,
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_name_of_another_form_is_rejected_with_the_form_that_is_allowed(place: str) -> None:
    public = Public()
    for name in WRONG:
        for method, path in (("GET", "/v1/pets"), ("POST", "/v1/pets"), ("POST", RESET)):
            rejected = ask(public, method, path, name, place)
            assert_error(rejected, "invalid_session")
            assert_cors(rejected)
            assert "'v-' and 32 random hexadecimal digits" in rejected.json["message"], name
        assert len(public.control("GET", "sessions").json["sessions"]) == 1, name


def test_rates_count_by_address_whatever_the_session() -> None:
    public = Public(pace=0)
    several = fresh_names()
    burst = BURST * VISITOR_RATE
    statuses = [ask(public, "GET", "/v1/pets", next(several)).status for _ in range(burst + 1)]

    assert statuses == [200] * burst + [429]
    assert ask(public, "GET", "/v1/pets", MINE, visitor="192.0.2.2").status == 200


# --- One address among many ---------------------------------------------------------------------


def share(sessions: int) -> int:
    return sessions // SESSION_PART


@pytest.mark.slow
@pytest.mark.parametrize("changes", [False, True])
def test_one_address_that_creates_sessions_for_hours_replaces_few_of_others(changes: bool) -> None:
    """The server is full, and the others are away long enough to be replaced."""
    limit = 300
    public = Public(pace=0, max_sessions=limit, reset_every="168h")
    others = [f"198.51.{number // 256}.{number % 256}" for number in range(limit - 1)]
    for other in others:
        public.clock.now += 0.1
        public.post(other, name="Kept")
    public.clock.now += PUBLIC.idle_seconds
    several = fresh_names()
    method, body = ("POST", pet("Mine")) if changes else ("GET", None)
    for _ in range(3 * 3600 // 5):
        public.clock.now += 5
        ask(public, method, "/v1/pets", next(several), visitor=ATTACKER, json_body=body)

    kept = [each["name"] for each in public.control("GET", "sessions").json["sessions"]]
    created = [name for name in kept if len(name) == len(MINE)]
    assert len(created) == share(limit)
    assert len(kept) - 1 - len(created) == limit - 1 - share(limit)


def test_creations_are_counted_even_if_the_sessions_are_gone() -> None:
    """Otherwise an address could replace others while they replace its own."""
    public = Public(pace=0, max_sessions=200)
    several = fresh_names()
    for _ in range(share(200)):
        name = next(several)
        assert ask(public, "GET", "/v1/pets", name).status == 200
        assert public.control("DELETE", f"sessions/{name}").status == 200

    rejected = ask(public, "GET", "/v1/pets", next(several))
    assert_error(rejected, "rate_limited")
    assert int(rejected.header("Retry-After") or 0) >= CREATE_SECONDS / share(200)
    assert public.session().startswith("v-"), "the session of the address is not counted"
    assert ask(public, "GET", "/v1/pets", next(several), visitor="192.0.2.2").status == 200
    public.clock.now += CREATE_SECONDS / share(200)
    assert ask(public, "GET", "/v1/pets", next(several)).status == 200


def test_an_existing_session_is_open_to_an_address_that_may_create_no_more() -> None:
    public = Public(pace=0, max_sessions=200)
    ask(public, "POST", "/v1/pets", MINE, visitor="192.0.2.2", json_body=pet("Shared"))
    several = fresh_names()
    for _ in range(share(200) + 1):
        last = ask(public, "GET", "/v1/pets", next(several))

    assert last.status == 429
    assert "Shared" in names(ask(public, "GET", "/v1/pets", MINE))


@pytest.mark.long
def test_one_address_cannot_use_up_the_memory_for_pets() -> None:
    public = Public(pace=1 / VISITOR_RATE)
    several = fresh_names()
    for _ in range(20):
        name, last = next(several), None
        for number in range(1000):
            body = pet(f"{number}" + "\U0001f408" * 250)
            last = ask(public, "POST", "/v1/pets", name, visitor=ATTACKER, json_body=body)
            if last.status != 201:
                break
        if last is not None and last.status == 507:
            break
    assert last is not None
    assert_error(last, "store_full")
    long = "\U0001f408" * 250
    assert {public.post("192.0.2.2", name=long).status for _ in range(100)} == {201}


# --- The reset ----------------------------------------------------------------------------------


@pytest.mark.parametrize("control", ["auto", "off"])
@pytest.mark.parametrize("place", PLACES)
def test_a_visitor_resets_the_session_that_the_request_names(place: str, control: str) -> None:
    public = Public(control=control, control_token="" if control == "off" else TOKEN)
    for name in (MINE, THEIRS):
        ask(public, "POST", "/v1/pets", name, json_body=pet("Added"))
    public.post(name="Added")
    reset = ask(public, "POST", RESET, MINE, place)

    assert reset.status == 200
    assert reset.json == {"active": ["default"]}
    assert_cors(reset)
    assert reset.header("Mockpets-Session") == MINE
    assert "Added" not in names(ask(public, "GET", "/v1/pets?limit=100", MINE))
    assert "Added" in names(ask(public, "GET", "/v1/pets?limit=100", THEIRS))
    assert "Added" in public.names("192.0.2.1")


def test_without_a_name_the_session_of_the_address_is_reset() -> None:
    public = Public()
    public.post("192.0.2.1", name="Added")
    public.post("192.0.2.2", name="Added")
    assert public("POST", RESET, "192.0.2.1", key=None).status == 200

    assert "Added" not in public.names("192.0.2.1")
    assert "Added" in public.names("192.0.2.2")


@pytest.mark.parametrize("key", [None, "wrong", "mockpets", TOKEN])
def test_the_reset_needs_no_token_and_creates_no_session(key: str | None) -> None:
    public = Public()
    assert public("POST", RESET, key=key).status == 200
    assert ask(public, "POST", RESET, MINE).status == 200

    assert len(public.control("GET", "sessions").json["sessions"]) == 1


def test_pages_of_any_origin_may_call_the_reset() -> None:
    preflight = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "mockpets-session",
    }
    allowed = Public()("OPTIONS", RESET, headers=preflight, key=None)

    assert allowed.status == 204
    assert allowed.header("Access-Control-Allow-Origin") == ORIGIN
    assert allowed.header("Access-Control-Allow-Methods") == "POST"
    assert allowed.header("Access-Control-Allow-Headers") == "mockpets-session"


def test_the_reset_counts_as_a_request() -> None:
    public = Public(pace=0)
    statuses = [public("POST", RESET, key=None).status for _ in range(41)]
    limited = public("POST", RESET, key=None)

    assert statuses == [200] * 40 + [429]
    assert_error(limited, "rate_limited")
    assert_cors(limited)
    assert limited.json["message"].startswith("too many requests at the moment")


def test_a_reset_after_a_loss_starts_again_without_a_report() -> None:
    public = Public(pace=0, max_sessions=2)
    public.post(name="Mine")
    public.clock.now += PUBLIC.idle_seconds
    public.session("192.0.2.2")
    public.clock.now += PUBLIC.idle_seconds
    assert public("POST", RESET).status == 200

    assert public("GET", "/v1/pets").status == 200


def test_a_misspelt_header_does_not_reset_another_session() -> None:
    public = Public()
    public.post(name="Mine")

    assert_error(public("POST", RESET, headers={"Mockpets-Sesion": MINE}), "unknown_header")
    assert "Mine" in public.names("192.0.2.1")


@pytest.mark.parametrize(("control", "path"), [*product(["auto", "off"], [RESET, f"/~w1{RESET}"])])
def test_without_public_mode_the_reset_does_not_exist(control: str, path: str) -> None:
    public = Public(public=False, control=control, control_token="")
    public.post(name="Kept")
    rejected = public("POST", path)

    assert_error(rejected, "not_found")
    assert "exists only with --public; use POST /__mockpets/reset" in rejected.json["message"]
    assert "Kept" in public.names("192.0.2.1")


@pytest.mark.parametrize("path", ["state", "data/pets", "scenario", "reset", "sessions", "visitor"])
def test_a_name_opens_no_other_call_of_the_control_api(path: str) -> None:
    public = Public()
    ask(public, "POST", "/v1/pets", MINE, json_body=pet("Mine"))
    for method in ("GET", "POST", "PUT", "DELETE"):
        rejected = ask(public, method, f"/__mockpets/{path}", MINE)
        assert rejected.status in (401, 404, 405)
    assert "Mine" in names(ask(public, "GET", "/v1/pets?limit=100", MINE))


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_log_shortens_the_names_of_visitors_sessions(form: str) -> None:
    public, stream = Public(), io.StringIO()
    encoded = "".join(f"%{ord(character):02x}" for character in MINE)
    targets = [f"/~{encoded}/v1/pets", f"/~{MINE.upper()}/v1/pets", f"/v1/pets?{'a' * 980}{MINE}"]

    with configure(form, stream):
        for place in PLACES:
            assert ask(public, "GET", "/v1/pets", MINE, place).status == 200
            assert ask(public, "GET", "/other", MINE, place).status == 404
        assert ask(public, "POST", RESET, MINE).status == 200
        assert [public("GET", target).status for target in targets] == [200, 200, 200]

    lines = [unquote(line).lower() for line in stream.getvalue().splitlines()]
    assert len(lines) == 2 * len(PLACES) + 1 + len(targets)
    assert all(f"{MINE[:10]}..." in line for line in lines[:-1])
    assert not any(MINE[:11] in line for line in lines)
