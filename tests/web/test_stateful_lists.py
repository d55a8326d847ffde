"""Lists of records of a document: filters, orders and pages."""

from pathlib import Path
from typing import Any

import pytest

from mockpets.contract.schema_shapes import plain
from tests.http_client import Response
from tests.web.checked_client import Checked, op, several, thing, write

ANIMALS: list[dict[str, Any]] = [
    {"id": 1, "ownerId": 1, "species": "dog", "bornOn": "2020-01-01", "tags": ["a", "b"]},
    {"id": 2, "ownerId": 2, "species": "cat", "bornOn": "2021-01-01", "tags": ["b"]},
    {"id": 3, "ownerId": 1, "species": "dog", "bornOn": "2022-01-01", "tags": []},
    {"id": 4, "ownerId": 1, "species": "rabbit"},
]  # fmt: skip
FILTERS = {
    "": [1, 2, 3, 4],
    "species=dog": [1, 3],
    "species=parrot": [],
    "ownerId=1&species=dog": [1, 3],
    "tag=b": [1, 2],
    "tag=": [1, 2, 3, 4],
    "tag=zz": [],
    "bornAfter=2021-01-01": [2, 3],
    "bornBefore=2021-01-01": [1, 2],
    "bornAfter=2020-06-01&bornBefore=2021-06-01": [2],
    "mood=any": [1, 2, 3, 4],
    "limit=2": [1, 2],
    "limit=2&offset=1": [2, 3],
    "offset=9": [],
    "offset=99999999999999999999": [],
}


@pytest.mark.parametrize(("query", "keys"), FILTERS.items())
def test_a_list_is_filtered_by_what_its_parameters_are_named_after(
    clinic: Checked, query: str, keys: list[int]
) -> None:
    assert clinic.control("PUT", "data/animals", ANIMALS)
    assert clinic.control("PATCH", "data/animals/4", {"bornOn": None})  # it was generated
    response = clinic("GET", f"/animals?{query}")
    assert [each["id"] for each in response.json["animals"]] == keys
    total = response.json["total"]
    assert total == (
        len(keys) if not {"limit", "offset"} & {*query.replace("=", "&").split("&")} else 4
    )


OWNERS = [
    {"id": number, "name": name, "createdAt": f"2024-0{number}-01T00:00:00Z",
     "email": f"{name}@example.com", "address": {"street": "s", "city": city}}
    for number, name, city in [(1, "Cleo", "Bern"), (2, "anna", "Basel"), (3, "Bert", "Bern")]
]  # fmt: skip
OWNER_PAGES: dict[str, tuple[list[int], dict[str, int]]] = {
    "": ([1, 2, 3], {"total": 3, "page": 1, "pages": 1}),
    "limit=2": ([1, 2], {"total": 3, "page": 1, "pages": 2}),
    "limit=2&page=2": ([3], {"total": 3, "page": 2, "pages": 2}),
    "limit=2&page=3": ([], {"total": 3, "page": 3, "pages": 2}),
    "page=99999999999999999999": ([], {"total": 3, "page": 99999999999999999999, "pages": 1}),
    "city=Bern": ([1, 3], {"total": 2, "page": 1, "pages": 1}),
    "city=Bern&limit=1&page=2": ([3], {"total": 2, "page": 2, "pages": 2}),
    "q=an": ([2], {"total": 1, "page": 1, "pages": 1}),
    "q=BER": ([1, 3], {"total": 2, "page": 1, "pages": 1}),
    "q=zz": ([], {"total": 0, "page": 1, "pages": 0}),
    "sort=name": ([2, 3, 1], {"total": 3, "page": 1, "pages": 1}),
    "sort=-name": ([1, 3, 2], {"total": 3, "page": 1, "pages": 1}),
    "sort=-createdAt&limit=1": ([3], {"total": 3, "page": 1, "pages": 3}),
}


@pytest.mark.parametrize(("query", "expected"), OWNER_PAGES.items())
def test_a_page_has_its_totals(
    clinic: Checked, query: str, expected: tuple[list[int], dict[str, int]]
) -> None:
    clinic.control("PUT", "data/owners", OWNERS)
    body = clinic("GET", f"/owners?{query}").json
    assert ([each["id"] for each in body["data"]], body["meta"]) == expected


@pytest.mark.parametrize("query", ["limit=0", "limit=51", "page=0", "limit=x", "sort=email"])
def test_a_list_rejects_what_the_document_does_not_allow(clinic: Checked, query: str) -> None:
    assert clinic("GET", f"/owners?{query}").status == 422


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"mood": "calm"}, "'mood'"),
        ({"mood": "calm", "none": "1", "species": "dog"}, "'mood', 'none'"),
        ({"species": "dog", "limit": "3"}, ""),
    ],
)
def test_the_log_names_the_parameters_that_select_nothing(
    clinic: Checked, query: dict[str, Any], names: str
) -> None:
    assert clinic("GET", "/animals", **query).status == 200
    (logged,) = clinic.control("GET", "requests?limit=1")["requests"]
    texts = [each["text"] for each in logged["notes"] if each["code"] == "ignored_query"]
    assert texts == ([f"ignored parameters: {names}"] if names else [])


def test_cursors_lead_to_every_record_once(clinic: Checked) -> None:
    keys, cursor = [], None
    for _ in range(4):
        body = clinic(
            "GET", "/appointments", limit=5, **({"cursor": cursor} if cursor else {})
        ).json
        keys += [each["id"] for each in body["items"]]
        cursor = body.get("nextCursor")
        if not cursor:
            break
    assert len(keys) == len({*keys}) == 16
    for invalid in ("zz", "é", "YWZ0ZXI6LTU", "a" * 5000):  # the third is after:-5
        assert clinic("GET", "/appointments", cursor=invalid, limit=50).status == 200
    assert len(clinic("GET", "/appointments?cursor=YWZ0ZXI6LTU&limit=50").json["items"]) == 16


def test_a_cursor_is_the_key_of_the_last_record(clinic: Checked) -> None:
    first = clinic("GET", "/appointments", limit=2).json["items"]
    every = clinic("GET", "/appointments", limit=50).json["items"]
    rest = clinic("GET", "/appointments", cursor=first[1]["id"], limit=50).json["items"]
    assert rest == every[2:]


NOTE = thing("id", "title", id="integer", title="string", rank="number")
PAGED: dict[str, tuple[Any, list[Any]]] = {
    "links": (
        thing("items", items=several(NOTE), next={"type": ["string", "null"]},
              prev={"type": ["string", "null"]}, count="integer", has_more="boolean"),
        ["limit", "offset"],
    ),
    "bare": (several(NOTE), ["per_page", "page"]),
}  # fmt: skip


def notes(folder: Path, **more: Any) -> Checked:
    """Return a server of notes: `links` has links in the body, `bare` in the header Link."""
    paths: dict[str, Any] = {
        f"/{name}": {
            "get": op(
                schema, None, *query, headers=("Link", "X-Total-Count") if name == "bare" else ()
            )
        }
        for name, (schema, query) in PAGED.items()
    }
    checked = Checked(write(folder, paths | more))
    for name in PAGED:
        records = [{"id": n, "title": f"t{n}", "rank": 6 - n} for n in range(1, 6)]
        assert checked.control("PUT", f"data/{name}", records), name
    return checked


def test_links_in_the_body_lead_to_the_other_pages(tmp_path: Path) -> None:
    call = notes(tmp_path)
    first = call("GET", "/links?limit=2").json
    assert first["next"] == "http://localhost/links?limit=2&offset=2"
    assert (first["prev"], first["count"], first["has_more"]) == (None, 5, True)
    last = call("GET", "/links?limit=2&offset=4").json
    assert (last["next"], last["has_more"]) == (None, False)
    assert last["prev"] == "http://localhost/links?limit=2&offset=2"
    assert [each["id"] for each in last["items"]] == [5]
    beyond = call("GET", "/links?limit=2&offset=50").json
    assert (beyond["items"], beyond["next"]) == ([], None)
    none = call("GET", "/links?limit=0").json
    assert (none["items"], none["count"], none["has_more"], none["next"]) == ([], 5, False, None)


def test_a_required_link_to_no_page_keeps_the_response_valid(tmp_path: Path) -> None:
    required = thing("items", "next", items=several(NOTE), next="string", prev="string")
    paths = {"/required": {"get": op(required, None, "limit", "offset")}}
    call = notes(tmp_path, **paths)
    records = [{"id": n, "title": f"t{n}"} for n in range(1, 4)]
    assert call.control("PUT", "data/required", records)

    first = call("GET", "/required?limit=2").json
    assert first["next"] == "http://localhost/required?limit=2&offset=2"
    assert "prev" not in first
    last = call("GET", "/required?limit=2&offset=2").json
    assert isinstance(last["next"], str) and "offset=4" not in last["next"]
    assert last["prev"] == "http://localhost/required?limit=2&offset=0"


def test_the_header_link_leads_to_the_other_pages(tmp_path: Path) -> None:
    call = notes(tmp_path)
    response = call("GET", "/bare?per_page=2&page=2&title=")
    assert [each["id"] for each in response.json] == [3, 4]
    url = "http://localhost/bare?per_page=2&page={}&title="
    assert response.header("Link") == ", ".join(
        f'<{url.format(page)}>; rel="{name}"'
        for name, page in {"next": 3, "prev": 1, "first": 1, "last": 3}.items()
    )
    assert response.header("X-Total-Count") == "5"
    assert 'rel="next"' not in (call("GET", "/bare?per_page=2&page=3").header("Link") or "")


SORTS = {
    "sort=rank": [5, 4, 3, 2, 1],
    "sort=-rank": [1, 2, 3, 4, 5],
    "sort=rank:desc": [1, 2, 3, 4, 5],
    "sort=rank&order=desc": [1, 2, 3, 4, 5],
    "sort=-rank&order=asc": [1, 2, 3, 4, 5],
    "sort=group,-rank": [1, 3, 5, 2, 4],
    "sort=group&sort=rank": [5, 3, 1, 4, 2],
    "sort=created_at": [1, 2, 3, 4, 5],
    "sort=-created_at": [5, 4, 3, 2, 1],
    "sort=nothing": [1, 2, 3, 4, 5],
    "sort=": [1, 2, 3, 4, 5],
}


@pytest.mark.parametrize(("query", "keys"), SORTS.items())
def test_a_list_is_sorted(tmp_path: Path, query: str, keys: list[int]) -> None:
    note = thing("id", id="integer", rank="number", group="integer", createdAt="string")
    sort = {
        "name": "sort",
        "schema": {"type": "array", "items": {"type": "string"}},
        "explode": True,
    }
    if "," in query:
        sort = {"name": "sort", "schema": {"type": "string"}}
    order = {"name": "order", "schema": {"type": "string", "enum": ["asc", "desc"]}}
    call = Checked(write(tmp_path, {"/notes": {"get": op(several(note), None, sort, order)}}))
    records = [
        {"id": n, "rank": 6 - n, "group": (n + 1) % 2, "createdAt": f"2024-01-0{n}"}
        for n in range(1, 6)
    ]
    call.control("PUT", "data/notes", records)
    assert [each["id"] for each in call("GET", f"/notes?{query}").json] == keys


RANGES = {
    "since=2024-03-02": [2, 3],
    "until=2024-03-02": [1, 2],
    "since=2024-03-02T00:00:00%2B05:00": [2, 3],
    "min_price=9": [2, 3],
    "max_price=9.5": [1, 2],
    "min_price=9&max_price=9.5": [2],
    "open=true": [1],
    "open=false": [1, 2, 3, 4],
}


@pytest.mark.parametrize(("query", "keys"), RANGES.items())
def test_ranges_and_flags(tmp_path: Path, query: str, keys: list[int]) -> None:
    moment = {"type": "string", "format": "date-time"}
    sale = thing(
        "id", id="integer", soldAt=moment, price="number", isOpened="boolean", openNow="boolean"
    )
    sale["properties"].pop("isOpened")
    parameters: list[Any] = [
        {"name": "since", "schema": {"type": "string"}},
        {"name": "until", "schema": {"type": "string"}},
        {"name": "min_price", "schema": {"type": "number"}},
        {"name": "max_price", "schema": {"type": "number"}},
        {"name": "open", "schema": {"type": "boolean"}},
    ]
    call = Checked(write(tmp_path, {"/sales": {"get": op(several(sale), None, *parameters)}}))
    records = [
        {"id": 1, "soldAt": "2024-03-01T23:00:00+05:00", "price": 2, "openNow": True},
        {"id": 2, "soldAt": "2024-03-02T10:00:00Z", "price": 9.5, "openNow": False},
        {"id": 3, "soldAt": "2024-03-03T00:00:00.5Z", "price": 10, "openNow": False},
        {"id": 4, "openNow": False},
    ]
    call.control("PUT", "data/sales", records)
    call.control("PATCH", "data/sales/4", {"soldAt": None, "price": None})
    assert [each["id"] for each in call("GET", f"/sales?{query}").json] == keys


def test_tags_are_the_distinct_ones_of_all_animals(clinic: Checked) -> None:
    clinic.control("PUT", "data/animals", ANIMALS)
    assert clinic("GET", "/tags").json == ["a", "b"]
    clinic("PATCH", "/animals/3", {"tags": ["b", "c"]})
    assert clinic("GET", "/tags").json == ["a", "b", "c"]


def test_a_number_is_equal_with_and_without_trailing_zeros(tmp_path: Path) -> None:
    query = {"name": "rank", "schema": {"type": "number"}}
    call = notes(tmp_path, **{"/ranked": {"get": op(several(NOTE), None, query)}})
    call.control("PUT", "data/ranked", [{"id": 1, "rank": 3.5}, {"id": 2, "rank": 7}])
    assert [each["id"] for each in call("GET", "/ranked?rank=3.50").json] == [1]
    assert [each["id"] for each in call("GET", "/ranked?rank=7.0").json] == [2]


ODD: list[dict[str, Any]] = [
    {"id": 1, "name": 'Say "hi"', "price": 1e22, "inStock": True, "tags": ["a\\b"]},
    {"id": 2, "name": "Zoë\nÄRGER", "price": 500.0, "inStock": False, "tags": ["1"]},
    {"id": 3, "name": "7", "price": 7, "inStock": True, "tags": ["İ", "true"]},
]


@pytest.mark.parametrize(
    ("name", "value", "keys"),
    [
        ("name", 'Say "hi"', [1]),
        ("name", "Say", []),
        ("name", "Zoë\nÄRGER", [2]),
        ("name", "7", [3]),
        ("name", ["7", 'Say "hi"'], [1, 3]),
        ("price", 10**22, [1]),
        ("price", 500, [2]),
        ("price", "7.00", [3]),
        ("price", 50, []),
        ("inStock", "false", [2]),
        ("tag", "a\\b", [1]),
        ("tag", "İ", [3]),
        ("tag", "tru", []),
        ("q", '"HI"', [1]),
        ("q", "ärger", [2]),
        ("q", "\\B", [1]),
        ("q", "i\u0307", [3]),
        ("q", "name", []),
        ("q", "n", []),
        ("q", "500", []),
    ],
)
def test_a_filter_finds_values_however_they_are_written(
    tmp_path: Path, name: str, value: Any, keys: list[int]
) -> None:
    text = {"type": "string"}
    item = thing("id", id="integer", name="string", price="number", inStock="boolean")
    item["properties"]["tags"] = several(text)
    parameters: list[Any] = [
        {"name": "name", "schema": several(text)},
        {"name": "price", "schema": {"type": "number"}},
        {"name": "inStock", "schema": {"type": "boolean"}},
        {"name": "tag", "schema": text},
        {"name": "q", "schema": text},
    ]
    call = Checked(write(tmp_path, {"/items": {"get": op(several(item), None, *parameters)}}))
    assert call.control("PUT", "data/items", ODD)
    assert [each["id"] for each in call("GET", "/items", **{name: value}).json] == keys


def test_a_list_is_sorted_by_a_name_of_any_alphabet(tmp_path: Path) -> None:
    town = thing("id", id="integer", 名前="string", 地域="string")
    sort = {"name": "sort", "schema": {"type": "string"}}
    call = Checked(write(tmp_path, {"/towns": {"get": op(several(town), None, sort)}}))
    towns = [{"id": 1, "名前": "b", "地域": "a"}, {"id": 2, "名前": "a", "地域": "b"}]
    call.control("PUT", "data/towns", towns)

    assert [each["id"] for each in call("GET", "/towns", sort="名前").json] == [2, 1]
    assert [each["id"] for each in call("GET", "/towns", sort="-名前").json] == [1, 2]


def test_a_negative_offset_is_the_start(tmp_path: Path) -> None:
    body = notes(tmp_path)("GET", "/links?limit=2&offset=-2").json
    assert [each["id"] for each in body["items"]] == [1, 2]
    assert body["prev"] is None


def test_of_two_parameters_with_the_same_meaning_the_one_in_the_request_counts(
    tmp_path: Path,
) -> None:
    call = notes(tmp_path, **{"/both": {"get": op(several(NOTE), None, "limit", "per_page")}})
    for name in ("limit", "per_page"):
        assert len(call("GET", f"/both?{name}=3").json) == 3


def test_the_server_does_not_keep_the_names_in_sort(tmp_path: Path) -> None:
    sort = {"name": "sort", "schema": {"type": "string"}}
    call = notes(tmp_path, **{"/sorted": {"get": op(several(NOTE), None, sort)}})
    assert call("GET", "/sorted?sort=title").status == 200
    before = plain.cache_info().currsize
    assert call("GET", "/sorted?sort=an-unknown-property").status == 200
    assert plain.cache_info().currsize == before


def test_a_response_has_all_fields_and_the_log_says_so(tmp_path: Path) -> None:
    query = {"name": "fields", "schema": {"type": "string"}}
    call = notes(tmp_path, **{"/ranked": {"get": op(several(NOTE), None, query)}})
    call.control("PUT", "data/ranked", [{"id": 1, "rank": 3}])
    assert call("GET", "/ranked?fields=id").json[0]["rank"] == 3
    (logged,) = call.control("GET", "requests?limit=1")["requests"]
    assert "ignored parameters: 'fields'" in [each["text"] for each in logged["notes"]]


# --- Pages of a scenario --------------------------------------------------------------------------


def respond_with_page(clinic: Checked, page: object, **match: str) -> Any:
    stub = {"match": match, "reply": {"page": page}}
    body = {"scenario": {"description": "d", "stubs": [stub]}}
    return clinic.call("PUT", "/~pages/__mockpets/scenario", json_body=body)


def get(clinic: Checked, path: str, **query: Any) -> Response:
    return clinic("GET", path, session="pages", **query)


def test_a_page_of_a_scenario_is_filtered_paged_and_completed(clinic: Checked) -> None:
    page = [{"name": "Zoe", "address": {"street": "A", "city": "Rome"}}, {"name": "Ada"}, {"id": 9}]
    assert respond_with_page(clinic, page, operation="listOwners").status == 200
    owners = get(clinic, "/owners").json
    assert [each["name"] for each in owners["data"]][:2] == ["Zoe", "Ada"]
    assert owners["data"][2]["id"] == 9
    assert owners["meta"] == {"total": 3, "page": 1, "pages": 1}
    second = get(clinic, "/owners", limit=2, page=2, sort="name").json
    assert second["meta"] == {"total": 3, "page": 2, "pages": 2}
    assert len(second["data"]) == 1
    assert [e["name"] for e in get(clinic, "/owners", city="Rome").json["data"]] == ["Zoe"]
    assert get(clinic, "/owners/1").json["data"]["name"] != "Zoe", "that of the session"
    assert get(clinic, "/owners", limit=0).status == 422


def test_a_page_has_records_below_any_parent(clinic: Checked) -> None:
    page = [{"name": "Rex", "species": "dog"}]
    assert respond_with_page(clinic, page, operation="listAnimalsOfOwner").status == 200
    for owner in (1, 7):
        assert [e["name"] for e in get(clinic, f"/owners/{owner}/animals").json] == ["Rex"]


def test_an_empty_page_is_one_of_every_list(clinic: Checked) -> None:
    assert respond_with_page(clinic, [], role="list").status == 200
    assert get(clinic, "/owners").json == {
        "data": [], "meta": {"total": 0, "page": 1, "pages": 0}
    }  # fmt: skip
    assert get(clinic, "/animals").json == {"animals": [], "total": 0}
    assert get(clinic, "/owners/1/animals").json == []
    why = clinic.control("GET", "requests/1/explain", session="pages")
    assert why["summary"] == "stub inline-1/1 responds with 200"


@pytest.mark.parametrize(("page", "match", "problem"), [
    ([{"name": 5}], {"operation": "listOwners"}, "page.1.name: must be a string, got 5"),
    (["Zoe"], {"operation": "listOwners"}, "must be a mapping"),
    ("nobody", {"operation": "listOwners"}, "unknown fixture 'nobody'"),
    ([{"name": "Zoe"}], {"role": "list"}, "are for several collections"),
    ([], {"operation": "getOwner"}, "respond with a page"),
])  # fmt: skip
def test_an_invalid_page_is_reported(
    clinic: Checked, page: object, match: dict[str, str], problem: str
) -> None:
    response = respond_with_page(clinic, page, **match)
    assert response.status == 422
    assert problem in response.json["message"]
