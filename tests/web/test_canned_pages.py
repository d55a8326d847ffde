"""A page of pets as the reply of a stub: `reply: {page: ...}`."""

import pytest

from mockpets import Settings, create_app
from tests.http_client import Client, InProcess

PAGE = [
    {"id": 9, "name": "Zoe", "categoryId": 1, "status": "sold"},
    {"id": 2, "name": "Ada", "categoryId": 1, "status": "available"},
    *({"id": 100 + n, "name": "Rex", "categoryId": 1} for n in range(30)),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", PAGE[:20]),
        ("?limit=1", PAGE[:1]),
        ("?limit=100", PAGE),
        ("?status=available", PAGE[1:2]),
        ("?status=pending", []),
        ("?status=sold&limit=5", PAGE[:1]),
    ],
    ids=["default limit", "limit", "highest limit", "status", "another status", "both"],
)
def test_a_page_is_filtered_and_limited_like_the_operation_s_list(
    query: str, expected: object
) -> None:
    call = paged(PAGE)
    response = call("GET", f"/v1/pets{query}")

    assert response.json == expected
    assert response.header("Mockpets-Stub") == "paged/1"
    assert response.header("Mockpets-Off-Contract") is None


def test_a_page_rejects_the_queries_that_the_operation_rejects() -> None:
    response = paged(PAGE)("GET", "/v1/pets?limit=0")

    assert (response.status, response.json["code"]) == (400, "invalid_request")
    assert "limit" in response.json["message"]


def test_a_page_that_is_too_long_for_the_contract_is_sent_whole() -> None:
    pets = [{"id": n, "name": "Rex", "categoryId": 1} for n in range(1, 102)]
    response = paged(pets, off_contract=True)("GET", "/v1/pets?limit=3")

    assert response.json == pets
    assert response.header("Mockpets-Off-Contract") == "the page has 101 pets, more than 100"


def paged(pets: object, **more: object) -> Client:
    """Return a client of an app whose listPets responds with a page."""
    call = Client(InProcess(create_app(Settings())))
    stub = {"match": {"operation": "listPets"}, "reply": {"page": pets}, **more}
    scenario = {"name": "paged", "description": "A page.", "stubs": [stub]}
    used = call("PUT", "/__mockpets/scenario", json_body={"scenario": scenario})
    assert used.status == 200, used.text
    return call
