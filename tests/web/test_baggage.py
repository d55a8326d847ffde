"""Sessions named in `baggage` (W3C Baggage), and the precedence of all places that name them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets import Settings, create_app
from tests.http_client import Client, InProcess
from tests.web.test_contract import assert_error
from tests.web.test_session_selector import chosen

Make = Callable[..., Client]


def pets(call: Client, baggage: str, path: str = "/v1/pets", **options: Any) -> Any:
    return call("GET", path, headers={"baggage": baggage, **options.pop("headers", {})}, **options)


@pytest.mark.parametrize(("baggage", "session", "scenario"), [
    ("mockpets.session=w1", "w1", "default"),
    ("mockpets.session=W1", "w1", "default"),
    ("mockpets.scenario=empty", "default", "empty"),
    ("mockpets.scenario=empty+slow-body", "default", "empty, slow-body"),
    ("mockpets.session=w1,mockpets.scenario=empty%2Bretry", "w1", "empty, retry"),
    ("mockpets.scenario=%65mpty,mockpets.session=%77%31", "w1", "empty"),
    ("userId=alice , \t mockpets.session = w1\t; ttl=60;x , other=%FF", "w1", "default"),
    ("mockpets.session=first,mockpets.session=last", "last", "default"),
    ("mockpets.session=w1;mockpets.session=w2", "w1", "default"),  # a property
    ("mockpets.scenario=empty;p=1,k=v", "default", "empty"),
    # Members of others, and malformed ones.
    ("", "default", "default"),
    (",,=,;,a,b=,=c, ", "default", "default"),
    ("session=w1,xmockpets.session=w1,mockpetsXsession=w1", "default", "default"),
    ("mock pets.session=w1,mockpets.session w1,mockpets.\xe9=1", "default", "default"),
])  # fmt: skip
def test_baggage_selects_session_and_scenarios(
    call: Client, baggage: str, session: str, scenario: str
) -> None:
    response = pets(call, baggage)

    assert chosen(response) == (session, scenario)
    assert response.status == (503 if "retry" in scenario else 200)


NEAR = "in baggage; did you mean 'mockpets.session'?"


@pytest.mark.parametrize(("baggage", "code", "parts"), [
    ("mockpets.sesion=w1", "unknown_header", [f"unknown key 'mockpets.sesion' {NEAR}"]),
    ("Mockpets.Session=w1,mockpets.session=w2", "unknown_header",
     [f"unknown key 'Mockpets.Session' {NEAR}"]),
    ("mockpets.a=1,x=1,mockpets.b=2", "unknown_header",
     ["'mockpets.a'", "'mockpets.b'", "known: mockpets.session, mockpets.scenario"]),
    ("mockpets.session=", "invalid_session", ["invalid session name '' in baggage"]),
    ("mockpets.session", "invalid_session", ["invalid session name '' in baggage"]),
    ("mockpets.session=a%20b", "invalid_session", ["invalid session name 'a b' in baggage"]),
    ("mockpets.session=%FF%FE", "invalid_session", ["in baggage"]),
    ("mockpets.scenario=emtpy", "unknown_scenario", ["did you mean 'empty'?"]),
    ("mockpets.scenario=", "unknown_scenario", ["empty scenario name in baggage"]),
    ("mockpets.scenario=empty++slow", "unknown_scenario", ["empty scenario name in baggage"]),
], ids=[
    "misspelt", "upper case", "two unknown keys", "empty session", "no value", "space",
    "not UTF-8", "unknown scenario", "empty scenario", "empty scenario between"
])  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/pets", "/__mockpets/data/pets"])
def test_invalid_members_of_ours_are_rejected(
    call: Client, baggage: str, code: str, parts: list[str], path: str
) -> None:
    if path != "/v1/pets" and "scenario=" in baggage and code == "unknown_scenario":
        path = "/v1/pets/1"  # not every call of the control API reads scenarios
    response = pets(call, baggage, path)

    assert_error(response, code)
    for part in parts:
        assert part in response.json["message"]


def test_visitors_of_a_public_server_can_name_a_session_that_nobody_can_guess(fresh: Make) -> None:
    call = fresh(public=True, control_token="t" * 16)
    chosen_name = "v-0123456789abcdef0123456789abcdef"

    assert chosen(pets(call, f"mockpets.session={chosen_name}"))[0] == chosen_name
    assert chosen(pets(call, "mockpets.scenario=empty"))[1] == "empty"
    assert_error(pets(call, "mockpets.session=w1"), "invalid_session")
    assert_error(pets(call, "mockpets.sesion=x"), "unknown_header")


def test_values_of_others_are_redacted_in_the_request_log(fresh: Make) -> None:
    call = fresh()
    pets(call, "userId=alice;secret=1, mockpets.session=w1 ,broken,mockpets.scenario=empty")

    log = call("GET", "/~w1/__mockpets/requests/1").json
    headers = dict(log["request"]["headers"])
    assert headers["Baggage"] == (
        "userId=[redacted], mockpets.session=w1 ,[redacted],mockpets.scenario=empty"
    )
    assert "alice" not in str(log)


# --- Precedence of the places -------------------------------------------------------------------

PLACES = ("path", "header", "baggage", "key", "cookie")
SCENARIOS = ("empty", "crowded", "sold-out", "full-page")
NAMES = st.text("abcXYZ019._-", min_size=1, max_size=12).filter(lambda name: name[0].isalnum())
APP = InProcess(create_app(Settings()))
CHOICE = st.tuples(st.none() | NAMES, st.lists(st.sampled_from(SCENARIOS), max_size=2, unique=True))


def in_baggage(draw: Callable[..., Any], name: str | None, scenarios: list[str]) -> str:
    """Return a header with these members in any order, encoding and company."""

    def encoded(value: str) -> str:
        escape = draw(st.sampled_from([quote, lambda text: text, lambda text: quote(text, "")]))
        every = "".join(f"%{ord(letter):02x}" for letter in value)
        return str(draw(st.sampled_from([escape(value), every])))

    ours = [] if name is None else [f"mockpets.session={encoded(name)}"]
    ours += [f"mockpets.scenario={encoded('+'.join(scenarios))}"] if scenarios else []
    others = ["userId=a", "x=%2C;p=1", "", "broken", "session=no", "=", "k=v;mockpets.session=no"]
    members = draw(st.permutations(ours + draw(st.lists(st.sampled_from(others), max_size=4))))
    pad = st.sampled_from(["", " ", "\t"])
    suffix = st.sampled_from(["", ";ttl=1", " ; p"])
    return ",".join(f"{draw(pad)}{each}{draw(suffix)}{draw(pad)}" for each in members)


@given(data=st.data(), choices=st.fixed_dictionaries(dict.fromkeys(PLACES, CHOICE)))
def test_the_first_place_that_names_something_wins(
    data: st.DataObject, choices: dict[str, tuple[str | None, list[str]]]
) -> None:
    headers = {"Authorization": "Bearer mockpets"}
    path = "/v1/pets"
    ordered = [choices[place] for place in PLACES]
    for place, (name, scenarios) in choices.items():
        selector = "+".join([name or "", *scenarios])
        if place == "path" and selector:
            path = f"/~{selector}/v1/pets"
        if place == "header" and name:
            headers["Mockpets-Session"] = name
        if place == "header" and scenarios:
            headers["Mockpets-Scenario"] = " , ".join(scenarios)
        if place == "baggage" and (value := in_baggage(data.draw, name, scenarios)):
            headers["baggage"] = value
        if place == "key" and selector:
            headers["Authorization"] += f"~{selector}"
        if place == "cookie" and selector:
            headers["Cookie"] = f"theme=dark; mockpets={quote(selector)}"
    session = next((name for name, _ in ordered if name), "default").lower()
    stack = next((names for _, names in ordered if names), ["default"])

    response = APP.ask("GET", path, headers, None)

    assert chosen(response) == (session, ", ".join(stack)), headers
