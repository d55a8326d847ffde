"""The tree of a contract's paths: which operations are at a path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.contract.path_tree import Routes
from mockpets.scenario.matching import path_matches

ROUTES = Routes(
    [
        ("GET", "/v1/pets", "list"),
        ("POST", "/v1/pets", "create"),
        ("GET", "/v1/pets/{petId}", "get"),
        ("GET", "/v1/pets/mine", "mine"),
        ("GET", "/v1/pets/{id}/photos", "photos"),
        ("PUT", "/v1/pets/mine/name", "rename"),
        ("GET", "/v1/orders/{orderId}", "order"),
        ("GET", "/v1/store/orders", ""),
        ("GET", "/", "root"),
    ]
)


@pytest.mark.parametrize(("path", "operations"), [
    ("/v1/pets", {"GET": "list", "POST": "create"}),
    ("/v1/pets/3", {"GET": "get"}),
    ("/v1/pets/{petId}", {"GET": "get"}),
    ("/v1/pets/mine", {"GET": "mine"}),
    ("/v1/pets/3/photos", {"GET": "photos"}),
    ("/v1/pets/mine/photos", {"GET": "photos"}),  # a name that leads nowhere is a parameter
    ("/v1/pets/mine/name", {"PUT": "rename"}),
    ("/v1/pets/3/name", {}),
    ("/v1/store/orders", {"GET": ""}),
    ("/", {"GET": "root"}),
    *((path, {}) for path in ("", "/v1", "/v1/", "/v1/pets/", "//v1/pets", "/v1//pets", "v1/pets")),
    *((path, {}) for path in ("/v1/pets/3/", "/v1/pets//photos", "/V1/pets", "/v1/orders")),
])  # fmt: skip
def test_the_operations_at_a_path(path: str, operations: dict[str, str]) -> None:
    assert ROUTES.at(path) == operations


SEGMENT = st.sampled_from(["a", "b", "", "{x}", "{y}"])
PATTERNS = st.lists(SEGMENT.filter(bool), min_size=1, max_size=4).map("/".join).map("/{}".format)


@given(st.lists(PATTERNS, max_size=6), st.lists(SEGMENT, min_size=1, max_size=4))
def test_a_path_has_an_operation_if_a_pattern_matches(
    patterns: list[str], parts: list[str]
) -> None:
    path = "/" + "/".join(part.strip("{}") for part in parts)
    routes = Routes(("GET", pattern, pattern) for pattern in patterns)
    matching = {pattern for pattern in patterns if path_matches(pattern, path)}

    found = routes.at(path).get("GET")
    assert bool(found) == bool(matching)
    assert found is None or path_matches(found, path)
