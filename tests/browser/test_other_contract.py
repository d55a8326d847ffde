"""The panel with the contract of a clinic: names, paths, key and bodies come from the server.

The routes of the page respond as a server with this contract would; the rest is the real server.
"""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from tests.browser.panel import Panel
from tests.browsers import FIREFOX

BASE = "/clinic/api"
OWNER = {
    "allOf": [
        {"$ref": "#/components/schemas/Person"},
        {
            "required": ["phone"],
            "properties": {
                "id": {"type": "integer", "readOnly": True},
                "kind": {"$ref": "#/components/schemas/Kind"},
                "phone": {"type": ["string", "null"], "example": "555"},
                "referred": {"$ref": "#/components/schemas/Owner"},
            },
        },
    ]
}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Clinic", "version": "1"},
    "security": [{"clinicKey": []}],
    "paths": {
        "/owners": {
            "summary": "No operation.",
            "get": {
                "operationId": "listOwners",
                "parameters": [{"$ref": "#/components/parameters/Page"}],
                "responses": {},
            },
            "post": {
                "operationId": "addOwner",
                "requestBody": {"$ref": "#/components/requestBodies/Owner"},
                "responses": {},
            },
        },
        "/owners/{id}/visits": {
            "parameters": [
                {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                {"name": "X-Trace", "in": "header", "required": True, "example": "t1"},
                {"name": "key", "in": "query", "schema": {"$ref": "#/components/schemas/Kind"}},
            ],
            "get": {"security": [{"inQuery": []}], "responses": {}},
        },
    },
    "components": {
        "parameters": {
            "Page": {"name": "page", "in": "query", "required": True, "schema": {"default": 2}}
        },
        "requestBodies": {
            "Owner": {
                "content": {
                    "application/vnd.clinic+json": {
                        "schema": {
                            "type": "object",
                            "properties": {"owner": {"$ref": "#/components/schemas/Owner"}},
                        }
                    }
                }
            }
        },
        "schemas": {
            "Kind": {"type": "string", "enum": ["cat", "dog"]},
            "Owner": OWNER,
            "Person": {
                "type": "object",
                "required": ["surname"],
                "properties": {"surname": {"type": "string"}},
            },
        },
        "securitySchemes": {
            "clinicKey": {"type": "apiKey", "in": "header", "name": "X-Clinic-Key"},
            "inQuery": {"type": "apiKey", "in": "query", "name": "token"},
        },
    },
}
CONTRACT = {
    "title": "Clinic",
    "base": BASE,
    "collections": [{"name": "owners", "path": f"{BASE}/owners", "lists": ["listOwners"]}],
    "errors": {"404": "no_owner"},
}
DESCRIBED = {
    "file": "clinic.yaml",
    "title": "Clinic",
    "version": "1",
    "label": None,
    "base": BASE,
    "operations": [
        {"name": name, "method": method, "path": path, "does": ["list"], "states": ["200"]}
        for name, method, path in (
            ("listOwners", "GET", "/owners"),
            ("addOwner", "POST", "/owners"),
            ("GET /owners/{id}/visits", "GET", "/owners/{id}/visits"),
        )
    ],
    "collections": [{"name": "owners", "schema": {"$ref": "#/components/schemas/Owner"}}],
    "notes": [],
}
OWNERS = {
    "name": "owners",
    "scenario": None,
    "path": f"{BASE}/owners",
    "id": "id",
    "total": 1,
    "changed": False,
    "content_of": None,
    "hidden_by": None,
}
RECORDS = {"records": [{"id": 7, "surname": "Ito", "kind": "dog"}], "total": 1, "next": None}

Sent = list[tuple[str, str, str | None, str | None]]


@pytest.fixture
def sent() -> Sent:
    """Return the requests to the contract: method, URL without the host, key and body."""
    return []


@pytest.fixture
def clinic(session: str, visit: Callable[..., Panel], sent: Sent) -> Panel:
    """Open the panel of a server with the contract of the clinic."""

    def with_contract(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "contracts": [CONTRACT]})

    def add(route: Route) -> None:
        request, url = route.request, urlsplit(route.request.url)
        target = f"{url.path}?{url.query}" if url.query else url.path
        key = request.headers.get("x-clinic-key")
        sent.append((request.method, target, key, request.post_data))
        route.fulfill(status=201, json={"owner": {"id": 8, "surname": "Diaz"}})

    panel = visit(session, "/__mockpets/health")
    root = urlsplit(session).path
    document = {**DOCUMENT, "servers": [{"url": root + BASE}]}
    page = panel.page
    page.route("**/__mockpets/state", with_contract)
    page.route("**/__mockpets/openapi.json", lambda route: route.fulfill(json=document))
    contracts = {"contracts": [DESCRIBED]}
    page.route("**/__mockpets/contract", lambda route: route.fulfill(json=contracts))
    page.route("**/__mockpets/data", lambda route: route.fulfill(json={"data": [OWNERS]}))
    page.route("**/__mockpets/data/owners?*", lambda route: route.fulfill(json=RECORDS))
    page.route(f"**{BASE}/**", add)
    page.goto(f"{session}/__mockpets/")
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    return panel


def test_try_the_operations_of_the_document(clinic: Panel, sent: Sent, session: str) -> None:
    root = urlsplit(session).path
    clinic.view("Try it")
    form = clinic.page.get_by_role("form", name="Call listOwners")
    expect(form.get_by_role("textbox", name="page")).to_have_value("2")
    clinic.button("Call listOwners").click()
    expect(clinic.page.locator("main .response")).to_contain_text("201")

    clinic.button("addOwner").click()
    form = clinic.page.get_by_role("form", name="Call addOwner")
    expect(form.get_by_role("textbox", name="surname")).to_have_value("text")
    form.get_by_role("button", name="JSON").click()
    body = json.loads(form.get_by_role("textbox", name="Body").input_value())
    assert body["owner"].pop("referred").keys() == {"surname", "phone"}
    assert body == {"owner": {"surname": "text", "kind": "cat", "phone": "555"}}
    expect(form.get_by_label("curl command")).to_contain_text("application/vnd.clinic+json")

    visits = "GET /owners/{id}/visits"
    clinic.button(visits).click()
    form = clinic.page.get_by_role("form", name=f"Call {visits}")
    form.get_by_role("textbox", name="id").fill("7$&")
    form.get_by_role("combobox", name="key").select_option("dog")
    expect(form.get_by_role("textbox", name="X-Trace")).to_have_value("t1")
    expect(form.get_by_label("curl command")).to_contain_text("X-Trace: t1")
    clinic.button(f"Call {visits}").click()
    expect(clinic.page.locator(".sent li")).to_have_count(2)
    assert sent == [
        ("GET", f"{root}{BASE}/owners?page=2", "mockpets", None),
        ("GET", f"{root}{BASE}/owners/7%24%26/visits?key=dog&token=mockpets", None, None),
    ]

    clinic.button("Any path").click()
    form = clinic.page.get_by_role("form", name="Call any path")
    path = form.get_by_role("textbox", name="Path")
    expect(path).to_have_value(f"{BASE}/owners")
    path.fill("owners")
    expect(form.get_by_role("alert")).to_contain_text(f"such as {BASE}/owners.")


@pytest.mark.skipif(FIREFOX, reason="over BiDi, Playwright has no bodies of requests")
def test_add_a_record_in_its_envelope(clinic: Panel, sent: Sent, session: str) -> None:
    clinic.view("Data")
    heads = clinic.page.locator("table.editable thead th")
    expect(heads).to_have_text(["id", "surname", "kind", "phone", "referred"])
    expect(clinic.page.get_by_label("kind of record 7, Ito", exact=True)).to_have_value("dog")
    clinic.button("Add a record").click()
    form = clinic.page.get_by_role("form", name="Add a record")
    form.get_by_role("textbox", name="surname").fill("Diaz")
    form.get_by_role("combobox", name="kind").select_option("cat")
    expect(form.get_by_role("textbox", name="phone")).to_have_value("555")
    form.get_by_role("button").click()

    expect(form.get_by_role("status")).to_have_text("201: Added record 8, Diaz.")
    body = '{"owner": {"surname": "Diaz", "kind": "cat", "phone": "555"}}'
    assert sent == [("POST", f"{urlsplit(session).path}{BASE}/owners", "mockpets", body)]


def test_names_and_paths_in_texts_are_those_of_the_contract(clinic: Panel) -> None:
    clinic.call("GET", "/v1/pets")  # a request outside the server's contract creates no session
    clinic.call("GET", f"{BASE}/owners?page=1")
    soft = clinic.page.locator(".c-path .target > .soft:first-child")
    expect(soft).to_have_text(["", BASE])
    filters = clinic.page.get_by_role("combobox", name="Filter")
    filters.fill("path:")
    assert clinic.page.get_by_role("option").first.text_content() == f"path:{BASE}/*"
    filters.fill("oper")
    expect(clinic.page.get_by_role("option", name="operation:")).to_contain_text("listOwners")
    filters.fill("")

    clinic.menu("Menu", "Reset session")
    expect(clinic.page.locator(".toast")).to_contain_text(
        "Session reset: owners and counters restored, request log cleared."
    )
    clinic.view("Sessions")
    expect(clinic.page.get_by_role("columnheader", name="Owners")).to_be_visible()
    clinic.view("Scenarios")
    clinic.button("New scenario").click()
    source = clinic.page.get_by_role("textbox", name="Source of the new scenario")
    assert "    match: {operation: listOwners}\n" in source.input_value()
