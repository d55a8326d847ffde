"""The pet store as a document that mockpets does not know, compared with the built-in one."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import mockpets
from mockpets import Settings, create_app
from tests.http_client import Client, InProcess, Response

PETS: Any = [
    {"id": number, "name": f"Pet {number}", "categoryId": number % 3 + 1, "status": status}
    for number, status in enumerate(["available", "pending", "sold", "available"] * 6, 1)
]
NEW: Any = {"name": "Miso", "categoryId": 2}
REQUESTS: dict[str, tuple[str, str, Any]] = {
    "list": ("GET", "/v1/pets", None),
    "status": ("GET", "/v1/pets?status=sold", None),
    "limit": ("GET", "/v1/pets?limit=3", None),
    "status and limit": ("GET", "/v1/pets?status=available&limit=2", None),
    "the most": ("GET", "/v1/pets?limit=100", None),
    "no status": ("GET", "/v1/pets?status=", None),
    "limit 0": ("GET", "/v1/pets?limit=0", None),
    "limit 101": ("GET", "/v1/pets?limit=101", None),
    "limit x": ("GET", "/v1/pets?limit=x", None),
    "bad status": ("GET", "/v1/pets?status=gone", None),
    "two limits": ("GET", "/v1/pets?limit=1&limit=2", None),
    "unknown parameter": ("GET", "/v1/pets?page=2", None),
    "get": ("GET", "/v1/pets/3", None),
    "get 404": ("GET", "/v1/pets/404", None),
    "get x": ("GET", "/v1/pets/x", None),
    "get 01": ("GET", "/v1/pets/01", None),
    "get too large": ("GET", "/v1/pets/99999999999999999999", None),
    "create": ("POST", "/v1/pets", NEW),
    "create with a status": ("POST", "/v1/pets", {**NEW, "status": "sold"}),
    "create with an id": ("POST", "/v1/pets", {**NEW, "id": 3}),
    "create with more": ("POST", "/v1/pets", {**NEW, "colour": "red"}),
    "create nothing": ("POST", "/v1/pets", {}),
    "create without a name": ("POST", "/v1/pets", {"categoryId": 1}),
    "create with a wrong type": ("POST", "/v1/pets", {**NEW, "categoryId": "2"}),
    "create with a null": ("POST", "/v1/pets", {**NEW, "status": None}),
    "create with a bad status": ("POST", "/v1/pets", {**NEW, "status": "gone"}),
    "create a list": ("POST", "/v1/pets", [NEW]),
    "create without a body": ("POST", "/v1/pets", None),
    "delete": ("DELETE", "/v1/pets/3", None),
    "orders": ("GET", "/v1/store/orders", None),
}
HEADERS = ("content-type", "location", "www-authenticate", "allow", "link", "sunset", "deprecation")


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Client, Client]:
    """The built-in pet store, and the same document without what only mockpets reads."""
    source = Path(mockpets.__file__).parent / "contract/pet-store.yaml"
    document = yaml.safe_load(source.read_text())
    del document["x-mockpets"]
    file = tmp_path_factory.mktemp("foreign") / "pet-store.json"
    file.write_text(json.dumps(document))
    built_in = Client(InProcess(create_app(Settings())))
    return built_in, Client(InProcess(create_app(Settings(contract=(str(file),)))))


def shown(response: Response) -> dict[str, Any]:
    """Return what is compared."""
    found: dict[str, Any] = {name: response.header(name) for name in HEADERS}
    found |= {"status": response.status, "body": json.loads(response.body or b"null")}
    if response.status >= 400 and isinstance(found["body"], dict):
        found |= {f"error {name}": value for name, value in found.pop("body").items()}
    return found


_LINK = "the built-in one also links to its own documentation of the removal"
_QUOTES = "the built-in one quotes the text that it got; a document's parameters are read first"
_FORM = "the message is the document's example with the key in it; ours explains the form of an id"
_BODY = "a document's messages begin with the part of the body, and the whole body has no name"
DIFFERENCES: dict[str, tuple[set[str], str]] = {
    "get": ({"link"}, _LINK),
    "get 404": ({"link"}, _LINK),
    "get x": ({"link", "error message"}, f"{_LINK}; {_FORM}"),
    "get 01": ({"link", "error message"}, f"{_LINK}; {_FORM}"),
    "get too large": ({"link", "error message"}, f"{_LINK}; {_FORM}"),
    "limit 0": ({"error message"}, _QUOTES),
    "limit 101": ({"error message"}, _QUOTES),
    "create a list": ({"error message"}, _BODY),
    "create without a body": ({"error message"}, _BODY),
    "orders": (
        {"status", "error code", "error message", "error status"},
        "`undescribed` is ours: a document cannot name an operation without describing it",
    ),
}
"""What differs, by the name of the request, and why; all else is equal to the byte of JSON."""


@pytest.mark.parametrize("name", REQUESTS)
def test_the_pet_store_as_a_foreign_document(servers: tuple[Client, Client], name: str) -> None:
    method, path, body = REQUESTS[name]
    results = []
    for call in servers:
        call("PUT", "/__mockpets/data/pets", json_body=PETS)
        results.append(shown(call(method, path, json_body=body)))
    one, other = results
    differ = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    expected, _ = DIFFERENCES.get(name, (set(), ""))
    assert {*differ} == expected, [(one.get(key), other.get(key)) for key in differ]
    if name.startswith("get") and other["status"] == 404:
        assert path.rpartition("/")[2] in other["error message"]


def test_both_start_with_pets_and_list_what_is_created(servers: tuple[Client, Client]) -> None:
    for call in servers:
        call("POST", "/__mockpets/reset")
        pets = call("GET", "/v1/pets?limit=100").json
        assert pets and all(each.keys() >= {"id", "name", "categoryId"} for each in pets)
        made = call("POST", "/v1/pets", json_body=NEW)
        assert made.header("Location") == f"/v1/pets/{made.json['id']}"
        assert call("GET", "/v1/pets?limit=100").json == [*pets, made.json]
        assert call("GET", f"/v1/pets/{made.json['id']}").json == made.json
        assert call("GET", "/v1/pets", scenario="empty").json == []
