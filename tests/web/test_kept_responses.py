"""Responses that are sent again: never after a change of anything that they depend on.

A request with a cookie that nobody has sent before always gets a new response.
"""

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.constants import SESSION_HEADER
from mockpets.records.store import Store
from mockpets.records.table import parse_row
from mockpets.web import documented
from mockpets.web.stateful.action import Action
from tests.http_client import Client, InProcess, OverSocket, Response
from tests.web.checked_client import CLINIC, Checked, op, several, thing, write

NEW_COOKIE = count()
KIND = {"name": "X-Kind", "in": "header", "schema": {"enum": ["short", "long"]}}
ADA: Any = {"name": "Ada Berg", "email": "ada@example.com"}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the responses that were made, and not sent again."""
    paths: list[str] = []
    respond = documented.respond

    def counted(operation: Any, request: Any, act: Any, store: Any) -> Any:
        paths.append(request.path)
        return respond(operation, request, act, store)

    monkeypatch.setattr(documented, "respond", counted)
    return paths


def clinic_of(**settings: Any) -> Client:
    return Client(InProcess(create_app(Settings(contract=(str(CLINIC),), **settings))))


def essence(response: Response) -> tuple[object, ...]:
    differing = ("date", "server-timing", "mockpets-request-id", "mockpets-request")
    headers = {name: text for name, text in response.headers.items() if name not in differing}
    return response.status, headers, response.body


@pytest.mark.parametrize(
    "path",
    ["/owners?limit=5", "/owners?q=a&sort=-name", "/owners/1", "/owners/1/animals", "/animals/2",
     "/me", "/settings", "/version", "/appointments", "/tags"],
)  # fmt: skip
def test_an_equal_request_gets_the_same_response_again(path: str, made: list[str]) -> None:
    call = clinic_of()
    first, *others = (call("GET", f"/api{path}") for _ in range(4))
    assert first.status == 200, first
    assert [essence(each) for each in others] == [essence(first)] * 3
    assert len(made) == 1


def test_a_server_sends_a_response_again(made: list[str]) -> None:
    with MockpetsServer(Settings(contract=(str(CLINIC),), port=0)) as server:
        call = Client(OverSocket(server.url))
        first, second = (call("GET", "/api/owners") for _ in range(2))
        assert call("GET", "/api/owners", body=b"{}").status == 200
    assert essence(first) == essence(second)
    assert len(made) == 2, "with a body, it is made again"


@pytest.mark.parametrize("path", ["/owners/99", "/owners?limit=x", "/animals/1?unknown=1"])
def test_what_the_request_log_explains_is_made_again(path: str, made: list[str]) -> None:
    call = clinic_of()
    assert len({call("GET", f"/api{path}").body for _ in range(3)}) == 1
    assert len(made) == 3


def test_a_long_response_is_made_again(blog: Checked, made: list[str]) -> None:
    blog("POST", "/posts", {"title": "A" * 40_000})
    for _ in range(2):
        assert len(blog("GET", "/posts").body) > 40_000
    assert made == ["/posts"] * 3


def test_sessions_that_changed_nothing_share_a_response(made: list[str]) -> None:
    call = clinic_of()
    sessions = [{SESSION_HEADER: f"s{number}"} for number in range(5)]
    before = [call("GET", "/api/owners", headers=each).body for each in sessions]
    assert len({*before}) == len(made) == 1
    call("DELETE", "/api/owners/1", headers=sessions[1])
    after = [call("GET", "/api/owners", headers=each).body for each in sessions]
    assert [one == other for one, other in zip(before, after, strict=True)] == [
        *(True, False, True, True, True)
    ]


PARTS = {
    "token": {"headers": {"Authorization": "Bearer other"}},
    "host": {"headers": {"Host": "api.example"}},
    "cookie": {"headers": {"Cookie": "a=b"}},
    "preference": {"headers": {"Prefer": "dynamic=true"}},
    "scenario": {"scenario": "empty"},
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_a_request_that_differs_gets_its_own_response(part: Any, made: list[str]) -> None:
    call = clinic_of()
    call("GET", "/api/owners")
    call("GET", "/api/owners", **part)
    assert len(made) == 2


@pytest.mark.parametrize("query", ["", "?limit=1", "?limit=2", "?q=a"])
def test_another_query_gets_its_own_response(query: str, made: list[str]) -> None:
    call = clinic_of()
    call("GET", "/api/owners?sort=name")
    call("GET", f"/api/owners{query}")
    assert len(made) == 2


def test_a_person_gets_their_own_response_without_a_declared_credential(blog: Checked) -> None:
    assert [blog.call("GET", "/user", key=who).status for who in ("x", None, "x")] == [
        *(200, 401, 200)
    ]


def test_a_declared_header_is_part_of_a_request(blog: Checked, made: list[str]) -> None:
    kinds = ("short", "long", "wrong", "short")
    assert [blog("GET", "/tags", headers={"X-Kind": each}).status for each in kinds] == [
        *(200, 200, 400, 200)
    ]
    assert made == ["/tags"] * 3


def test_a_header_with_an_underscore_is_read_each_time(blog: Checked, made: list[str]) -> None:
    assert [blog("GET", "/kinds").json for _ in range(2)] == ["any"] * 2
    assert made == ["/kinds"] * 2


def test_what_was_read_during_a_change_is_not_kept(
    blog: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    respond = documented.respond

    def changed(operation: Any, request: Any, act: Any, store: Any) -> Any:
        store.change("2", lambda record: {**record, "title": "changed"})
        return respond(operation, request, act, store)

    before = blog("GET", "/posts").json
    blog.control("POST", "reset")
    with monkeypatch.context() as patched:
        patched.setattr(documented, "respond", changed)
        assert blog("GET", "/posts", limit=2).json[1]["title"] == "changed"
    blog.control("POST", "reset")
    assert blog("GET", "/posts", limit=2).json == before[:2]


def test_a_change_of_people_while_records_are_read_is_not_kept(
    blog: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_of = Action.store_of

    def changed(action: Action, name: str) -> Store:
        store = store_of(action, name)
        for row in store.rows(1):
            store.change(parse_row(row)["username"], lambda record: {**record, "name": "changed"})
        return store

    before = blog("GET", "/posts").json
    with monkeypatch.context() as patched:
        patched.setattr(Action, "store_of", changed)
        assert "changed" in {each["author"]["name"] for each in blog("GET", "/posts", limit=9).json}
    blog.control("POST", "reset")
    assert blog("GET", "/posts", limit=9).json == before[:9]


def test_a_link_names_the_host_of_the_request() -> None:
    call = clinic_of()
    for host in ("one.example", "two.example", "one.example"):
        found = call("GET", "/api/owners?limit=1", headers={"Host": host})
        assert found.text.count(f"http://{host}/api/owners") >= found.text.count("http://"), found


WRITES: dict[str, Callable[[Random], tuple[str, str, object]]] = {
    "owner": lambda random: ("POST", "/owners", {**ADA, "name": f"N{random.random()}"}),
    "replaced": lambda random: ("PUT", f"/owners/{random.randrange(1, 9)}", {**ADA, "name": "R"}),
    "deleted": lambda random: ("DELETE", f"/owners/{random.randrange(1, 9)}", None),
    "favorite": lambda random: ("POST", f"/animals/{random.randrange(1, 9)}/favorite", None),
    "no favorite": lambda random: ("DELETE", f"/animals/{random.randrange(1, 9)}/favorite", None),
    "me": lambda random: ("PATCH", "/me", {"name": f"M{random.random()}"}),
}
READS = (
    *("/owners?limit=4", "/owners/3", "/owners/3/animals", "/animals", "/animals/4"),
    *("/me", "/members", "/members/1", "/settings"),
)


@pytest.mark.slow
def test_no_change_leaves_an_old_response(clinic: Checked) -> None:
    random = Random(67)
    differing = 0
    for step in range(250):
        session, who = random.choice(("", "one")), random.choice(("somebody", "other"))
        match random.randrange(12):
            case 0:
                clinic.control("POST", "undo", session=session)
            case 1:
                clinic.control("POST", "reset", session=session)
            case _:
                method, path, body = random.choice([*WRITES.values()])(random)
                clinic(method, path, body, who=who, session=session)
        for path in random.sample(READS, 4):
            one = clinic("GET", path, who=who, session=session)
            new = {"Cookie": f"new={next(NEW_COOKIE)}"}
            other = clinic("GET", path, who=who, session=session, headers=new)
            assert essence(one) == essence(other), (step, path)
            differing += one.status != 200
    assert differing, "deleted records are read, too"


def test_a_change_of_whom_records_embed_is_seen(blog: Checked) -> None:
    names = []
    for name in ("Ann", "Anna", "Ann"):
        blog("PUT", "/user", {"name": name}, who="x")
        names += [blog("GET", "/posts").json[0]["author"]["name"] for _ in range(2)]
    assert names == ["Ann", "Ann", "Anna", "Anna", "Ann", "Ann"]


@pytest.fixture
def blog(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    author = thing("username", username="string", name="string")
    post = thing("id", id="integer", title="string", author=author)
    user = thing("username", username="string", name="string", token="string")
    login = thing("username", "password", username="string", password="string")
    paths = {
        "/users/login": {"post": op(user, login)},
        "/user": {"get": op(user), "put": op(user, thing(name="string"))},
        "/posts": {
            "get": op(several(post), None, "limit"),
            "post": op(post, thing(title="string"), status=201),
        },
        "/tags": {"get": op(several({"type": "string"}), None, KIND)},
        "/kinds": {"get": op({"type": "string", "example": "any"}, None, {**KIND, "name": "a_b"})},
    }
    return Checked(write(tmp_path_factory.mktemp("blog"), paths))
