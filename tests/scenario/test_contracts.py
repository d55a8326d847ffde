"""Which contracts a server has: their paths, their names, and what is wrong with them."""

from pathlib import Path

import pytest

from mockpets.contract.contract_model import Contracts
from mockpets.contract.pet_store import BUILT_IN
from mockpets.errors import InputError
from mockpets.scenario.contract_files import load_contracts
from tests.web.documents import Node, document, json_of, operation, write

ITEM: Node = {
    "type": "object",
    "required": ["id"],
    "properties": {"id": {"type": "integer", "readOnly": True}, "name": {"type": "string"}},
}
USERS: Node = {
    "/users": {
        "get": operation(name="listUsers", _200=json_of({"type": "array", "items": ITEM})),
        "post": operation(name="createUser", body=json_of(ITEM), _201=json_of(ITEM)),
    },
    "/version": {"get": operation(name="version")},
}
POSTS: Node = {"/posts": {"get": operation(name="ListUsers")}}


@pytest.fixture(autouse=True)
def folder(here: Path) -> Path:
    """Write documents to the current folder; messages name them as they are given."""
    servers = [{"url": "https://api.example/{v}", "variables": {"v": {"default": "v2"}}}]
    write(here / "users.json", document(USERS, title="Users", servers=servers))
    write(here / "Posts.v2.json", document(POSTS, title=""))
    (here / "more").mkdir()
    write(here / "more" / "users.json", document(USERS, servers=[{"url": "/more"}]))
    return here


def load(*texts: str, corrections: str = "") -> Contracts:
    return load_contracts(texts, Path(corrections) if corrections else None)


def problems(*texts: str, corrections: str = "") -> list[str]:
    with pytest.raises(InputError) as caught:
        load(*texts, corrections=corrections)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("texts", "bases"),
    [
        ([], ["/v1"]),
        (["pet-store"], ["/v1"]),
        (["/v1=pet-store"], ["/v1"]),
        (["users.json"], ["/v2"]),
        (["/blog=users.json"], ["/blog"]),
        (["/a/b.c/=users.json"], ["/a/b.c"]),
        (["/=users.json"], [""]),
        (["Posts.v2.json"], [""]),
        (["pet-store", "users.json", "Posts.v2.json"], ["/v1", "/v2", ""]),
        (["/a=users.json", "/b=users.json"], ["/a", "/b"]),
    ],
)
def test_a_document_lies_at_its_server_or_as_given(texts: list[str], bases: list[str]) -> None:
    contracts = load(*texts)
    assert [each.base for each in contracts.all] == bases
    assert (contracts is BUILT_IN) == (not texts)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("/", ""),
        ("", ""),
        ("https://api.example", ""),
        ("https://api.example/", ""),
        ("https://api.example:8080/v1/", "/v1"),
        ("//api.example/v1.2/a+b", "/v1.2/a+b"),
        ("/api/v3", "/api/v3"),
        ("api/v3", "/api/v3"),
        ("./api", "/api"),
        ("http://localhost:3000/a%20b", "/a b"),
    ],
)
def test_the_base_path_is_that_of_the_first_server(folder: Path, url: str, base: str) -> None:
    servers = [{"url": url}, {"url": "/other"}]
    write(folder / "a.json", document(USERS, servers=servers))
    assert [each.base for each in load("a.json").all] == [base]


def test_names_and_titles() -> None:
    contracts = load("users.json", "/x=Posts.v2.json")
    assert [(each.name, each.label) for each in contracts.all] == [
        ("Users", "users"),
        ("posts", "posts"),
    ]


def test_what_two_documents_have_gets_the_name_of_the_document() -> None:
    contracts = load("users.json", "/b=Posts.v2.json", "more/users.json")

    assert [*contracts.operations] == [
        *("users.listUsers", "users.createUser", "users.version", "posts.ListUsers"),
        *("users-2.listUsers", "users-2.createUser", "users-2.version"),
    ]
    assert [*contracts.collections] == ["users.users", "users-2.users"]
    for name, each in contracts.operations.items():
        assert each.name == name
        assert contracts.operation_at(each.method, each.path) is each
    collection = contracts.operations["users-2.listUsers"].collection
    assert collection is contracts.collections["users-2.users"]


def test_names_of_one_document_stay_beside_the_pet_store() -> None:
    contracts = load("pet-store", "users.json")
    assert {"listPets", "listUsers"} <= contracts.operations.keys()
    assert [*contracts.collections] == ["pets", "users"]


AGAIN = "give it another path: --contract"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ["users.json", "/v2=Posts.v2.json"],
            [f"/v2=Posts.v2.json lies at /v2, as users.json does; {AGAIN} /posts=Posts.v2.json"],
        ),
        (
            ["Posts.v2.json", "/=users.json"],
            [f"/=users.json lies at /, as Posts.v2.json does; {AGAIN} /users=users.json"],
        ),
        (
            ["pet-store", "/v1=users.json"],
            [f"/v1=users.json lies at /v1, as pet-store does; {AGAIN} /users=users.json"],
        ),
        (
            ["/__mockpets=users.json"],
            [
                "/__mockpets=users.json lies at /__mockpets, which is for mockpets itself; "
                f"{AGAIN} /users=users.json"
            ],
        ),
        (
            ["/v1=users.json", "pet-store"],
            [
                "pet-store lies at /v1, as /v1=users.json does; "
                "give /v1=users.json another path: --contract /users=users.json"
            ],
        ),
        (["pet-store", "pet-store"], ["pet-store lies at /v1, as pet-store does; name it once"]),
        (["/pets=pet-store"], ["pet-store lies at /v1, not at /pets; write --contract pet-store"]),
    ],
)
def test_two_contracts_cannot_lie_at_one_path(texts: list[str], expected: list[str]) -> None:
    assert problems(*texts) == [f"--contract: {each}" for each in expected]


@pytest.mark.parametrize("url", ["/__mockpets", "/__mockpets/v1", "/~w1/v1", "/~"])
def test_a_server_cannot_be_below_a_path_of_mockpets(folder: Path, url: str) -> None:
    write(folder / "a.json", document(USERS, servers=[{"url": url}]))
    assert problems("a.json") == [
        f"--contract: a.json lies at {url}, which is for mockpets itself; {AGAIN} /a=a.json"
    ]


def test_every_invalid_document_is_reported(folder: Path) -> None:
    (folder / "a.yaml").write_text("openapi: 3.1.0\npaths: [\n", encoding="utf-8")
    (folder / "b.yaml").write_text("swagger: '2.0'\npaths: {}\n", encoding="utf-8")
    first, second = problems("a.yaml", "users.json", "b.yaml")
    assert first == "a.yaml:3:1: a bracket is never closed; add the closing bracket"
    assert second.startswith("b.yaml: is a Swagger 2.0 document; ")


@pytest.mark.parametrize("info", [{}, {"info": 3}, {"info": {"title": 5}}, {"info": None}])
def test_a_document_without_a_title_is_named_after_its_file(folder: Path, info: Node) -> None:
    root = {"openapi": "3.1.0", "paths": USERS, **info}
    write(folder / "My API.v1.json", root)
    assert [each.name for each in load("My API.v1.json").all] == ["my-api"]


# --- Corrections ------------------------------------------------------------------------------

UNKNOWN = "operations:\n  versoin: {example: true}\n"


def test_corrections_are_read_beside_the_document_or_as_given(folder: Path) -> None:
    (folder / "users.mockpets.yaml").write_text(UNKNOWN, encoding="utf-8")
    assert problems("users.json") == [
        "users.mockpets.yaml:2:3: operations: unknown operation 'versoin'; did you mean 'version'?"
    ]
    (folder / "given.yaml").write_text(UNKNOWN, encoding="utf-8")
    assert problems("users.json", corrections="given.yaml")[0].startswith("given.yaml:2:3: ")
    assert problems("pet-store", "users.json", corrections="given.yaml")


@pytest.mark.parametrize(
    ("texts", "count"),
    [([], "none"), (["pet-store"], "none"), (["/a=users.json", "/b=users.json"], "2")],
)
def test_given_corrections_are_for_one_document(folder: Path, texts: list[str], count: str) -> None:
    (folder / "given.yaml").write_text("{}\n", encoding="utf-8")
    assert problems(*texts, corrections="given.yaml") == [
        f"--corrections: is for one document, and --contract names {count}; "
        "name one, or put each file beside its document, as blog.mockpets.yaml"
    ]
