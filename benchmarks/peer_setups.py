"""Write the files that set up each peer for the job.

Each function gets the peer's folder, outside the checkout, and the pets. Code that users of a peer
would have to write is in `peer_files/`.
"""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.load import KEY
from benchmarks.subjects import LIMIT, MISSING_ID, NEW, STATUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.schemas import Pet

__all__ = [
    "apimock",
    "connexion",
    "constant",
    "json_server",
    "mockaton",
    "mockaton_code",
    "mockoon",
    "mocks_server",
    "mocks_server_code",
    "mockserver",
    "mountebank",
    "mountebank_code",
    "msw",
    "prism",
    "scalar",
    "scalar_code",
    "wiremock",
]

_FILES = Path(__file__).parent / "peer_files"
_PATH = "/v1/pets"
_MISSING = f"{_PATH}/{MISSING_ID}"
_JSON = {"Content-Type": "application/json"}
_BEARER = "bearerAuth"
"""The name of the key in our OpenAPI document."""
_NO_KEY = {"code": "unauthorized", "message": "The API key is missing or invalid.", "status": 401}
_INVALID = {"code": "invalid_request", "message": "limit must be 1 to 100", "status": 400}
_NOT_FOUND = {"code": "pet_not_found", "message": "There is no such pet.", "status": 404}


def _write(path: Path, value: object) -> None:
    """Write text, or a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")


def _page(pets: Sequence[Pet]) -> list[Pet]:
    """Return the expected response of the timed request."""
    return [pet for pet in pets if pet.get("status") == STATUS][:LIMIT]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _created(pets: Sequence[Pet]) -> dict[str, Any]:
    """Return the fixed response to POST of peers that cannot assign ids."""
    return {"id": len(pets) + 1, **json.loads(NEW)}


def constant(folder: Path, _: Sequence[Pet]) -> None:
    """Set up a Node server that sends a constant."""
    shutil.copy(_FILES / "constant.mjs", folder / "constant.mjs")


# --- Responses from an OpenAPI document or from data --------------------------------------------


def _openapi(pets: Sequence[Pet]) -> dict[str, Any]:
    """Return our OpenAPI document with the page as its example and full paths."""
    from mockpets.contract.openapi import document

    spec: dict[str, Any] = deepcopy(dict(document()))
    spec.pop("servers", None)
    spec["paths"] = {f"/v1{path}": item for path, item in spec["paths"].items()}
    for path, method, status, example in (
        (_PATH, "get", "200", _page(pets)),
        (_PATH, "post", "201", _created(pets)),
        (f"{_PATH}/{{petId}}", "get", "200", pets[0]),
    ):
        content = spec["paths"][path][method]["responses"][status]["content"]["application/json"]
        content.pop("examples", None)  # a document with both is invalid
        content["example"] = example
    return spec


def prism(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Prism with our OpenAPI document."""
    _write(folder / "openapi.json", _openapi(pets))


def scalar(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Scalar with our OpenAPI document."""
    _scalar(folder, _openapi(pets))


def _scalar(folder: Path, spec: dict[str, Any]) -> None:
    _write(folder / "openapi.json", spec)
    shutil.copy(_FILES / "scalar.mjs", folder / "scalar.mjs")


def connexion(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Connexion with our OpenAPI document as 3.0, since it does not support 3.1."""
    spec = {**_as_3_0(_openapi(pets)), "openapi": "3.0.3"}
    spec["info"].pop("license")  # its identifier is new in 3.1
    spec["components"]["securitySchemes"][_BEARER]["x-bearerInfoFunc"] = "app.key"
    _write(folder / "openapi.json", spec)
    shutil.copy(_FILES / "connexion.py", folder / "app.py")


def _as_3_0(value: Any) -> Any:
    """Return a part of the document without the examples and siblings of `$ref` of 3.1."""
    if isinstance(value, list):
        return [_as_3_0(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return {"$ref": value["$ref"]}
    return {name: _as_3_0(item) for name, item in value.items() if name != "examples"}


def json_server(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up json-server with a new database, routes and middleware."""
    _write(folder / "db.json", {"pets": pets})
    _write(folder / "routes.json", {"/v1/*": "/$1"})
    shutil.copy(_FILES / "json-server.cjs", folder / "middleware.cjs")
    (folder / "public").mkdir(exist_ok=True)  # the beta does not start without it in production


def mockoon(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Mockoon with a CRUD route over a data bucket and a rule for the key."""
    environment = json.loads((_FILES / "mockoon.json").read_text(encoding="utf-8"))
    environment["data"][0]["value"] = _compact(pets)
    _write(folder / "mockoon.json", environment)


# --- Fixed responses ----------------------------------------------------------------------------


def wiremock(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up WireMock with a stub per response, and one of low priority for a missing key."""
    with_key = {"headers": {"Authorization": {"equalTo": KEY}}}
    query = {"limit": {"equalTo": str(LIMIT)}, "status": {"equalTo": STATUS}}
    page = {"method": "GET", "urlPath": _PATH, "queryParameters": query, **with_key}
    post = {"method": "POST", "urlPath": _PATH, **with_key}
    get = {"method": "GET", **with_key}
    invalid = {**get, "urlPath": _PATH, "queryParameters": {"limit": {"equalTo": "0"}}}

    def stub(request: object, status: int, body: object, priority: int) -> dict[str, object]:
        response = {"status": status, "headers": _JSON, "body": _compact(body)}
        return {"priority": priority, "request": request, "response": response}

    stubs = [
        stub(page, 200, _page(pets), 1),
        stub(post, 201, _created(pets), 1),
        stub(invalid, 400, _INVALID, 1),
        stub({**get, "urlPath": _MISSING}, 404, _NOT_FOUND, 1),
        stub({**get, "urlPath": _PATH}, 200, _page(pets), 2),
        stub({**get, "urlPathPattern": f"{_PATH}/[0-9]+"}, 200, pets[0], 2),
        stub({"method": "ANY", "urlPath": _PATH}, 401, _NO_KEY, 9),
    ]
    shutil.rmtree(folder / "mappings", ignore_errors=True)
    _write(folder / "mappings" / "pets.json", {"mappings": stubs})


def mockserver(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up MockServer with an expectation per response, and one for a missing key."""
    key = {"headers": {"Authorization": [KEY]}}
    query = {"limit": [str(LIMIT)], "status": [STATUS]}
    page = {"method": "GET", "path": _PATH, "queryStringParameters": query, **key}
    post = {"method": "POST", "path": _PATH, **key}
    get = {"method": "GET", **key}
    invalid = {**get, "path": _PATH, "queryStringParameters": {"limit": ["0"]}}

    def expectation(request: object, status: int, body: object, priority: int) -> dict[str, object]:
        headers = {name: [value] for name, value in _JSON.items()}
        response = {"statusCode": status, "headers": headers, "body": _compact(body)}
        return {"priority": priority, "httpRequest": request, "httpResponse": response}

    expectations = [
        expectation(page, 200, _page(pets), 9),
        expectation(post, 201, _created(pets), 9),
        expectation(invalid, 400, _INVALID, 9),
        expectation({**get, "path": _MISSING}, 404, _NOT_FOUND, 9),
        expectation({**get, "path": _PATH}, 200, _page(pets), 1),
        expectation({**get, "path": f"{_PATH}/[0-9]+"}, 200, pets[0], 1),
        expectation({"path": _PATH}, 401, _NO_KEY, 0),
    ]
    _write(folder / "expectations.json", expectations)


def mountebank(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up mountebank with a stub per response, and a default one for a missing key."""
    key = {"Authorization": KEY}
    query = {"limit": str(LIMIT), "status": STATUS}

    get = {"method": "GET", "headers": key}

    def stub(
        request: object, status: int, body: object, predicate: str = "equals"
    ) -> dict[str, object]:
        headers = {**_JSON, "Connection": "keep-alive"}  # else it closes the connection
        response = {"statusCode": status, "headers": headers, "body": _compact(body)}
        return {"predicates": [{predicate: request}], "responses": [{"is": response}]}

    stubs = [
        stub({"method": "GET", "path": _PATH, "query": query, "headers": key}, 200, _page(pets)),
        stub({"method": "POST", "path": _PATH, "headers": key}, 201, _created(pets)),
        stub({**get, "path": _PATH, "query": {"limit": "0"}}, 400, _INVALID),
        stub({**get, "path": _PATH}, 200, _page(pets)),
        stub({**get, "path": _MISSING}, 404, _NOT_FOUND),
        stub({**get, "path": f"{_PATH}/"}, 200, pets[0], "startsWith"),
        stub({"path": _PATH}, 401, _NO_KEY),
    ]
    _imposter(folder, stubs)


def mountebank_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up mountebank with an injected function."""
    code = (_FILES / "mountebank.js").read_text(encoding="utf-8")
    function = code[code.index("(config)") :].replace("PETS", _compact(pets), 1)
    _imposter(folder, [{"responses": [{"inject": function}]}])


def _imposter(folder: Path, stubs: Sequence[object]) -> None:
    # The file is an EJS template, so that it can read the port at startup.
    imposter = {"port": 0, "protocol": "http", "stubs": stubs}
    text = json.dumps({"imposters": [imposter]})
    _write(
        folder / "imposters.ejs", text.replace('"port": 0', '"port": <%- process.env.PORT %>', 1)
    )


def apimock(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up apimock-rs with a rule per response, and a last one for a missing key."""

    def toml(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)  # JSON escapes are valid in TOML

    def rule(status: int, body: object, *when: str, path: str = toml(_PATH)) -> str:
        lines = ["[[rules]]", f"when.request.url_path = {path}", *when]
        lines += [f"respond.status = {status}", f"respond.text = {toml(_compact(body))}"]
        return "\n".join([*lines, "respond.headers.Content-Type = 'application/json'", ""])

    key = f"when.request.headers.authorization.value = {toml(KEY)}"
    get = ("when.request.method = 'GET'", key)
    page = rule(200, _page(pets), *get)
    post = rule(201, _created(pets), "when.request.method = 'POST'", key)
    missing = rule(404, _NOT_FOUND, *get, path=toml(_MISSING))
    any_pet = f"{{ value = {toml(f'{_PATH}/')}, op = 'starts_with' }}"
    pet = rule(200, pets[0], *get, path=any_pet)
    _write(folder / "rules.toml", "\n".join([page, post, missing, pet, rule(401, _NO_KEY)]))
    (folder / "files").mkdir(exist_ok=True)
    service = "[service]\nrule_sets = ['rules.toml']\nfallback_respond_dir = 'files'\n"
    _write(folder / "apimock.toml", service)


def mocks_server(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up mocks-server with a route per response, ignoring the query."""

    def route(
        name: str, method: str, status: int, body: object, url: str = _PATH
    ) -> dict[str, object]:
        variant = {"id": "pets", "type": "json", "options": {"status": status, "body": body}}
        return {"id": name, "url": url, "method": method, "variants": [variant]}

    _mocks_server(folder, "list", "missing", "get", "create")
    routes = [
        route("list", "GET", 200, _page(pets)),
        route("missing", "GET", 404, _NOT_FOUND, _MISSING),
        route("get", "GET", 200, pets[0], f"{_PATH}/:id"),
        route("create", "POST", 201, _created(pets)),
    ]
    _write(folder / "mocks/routes/pets.json", routes)


def _mocks_server(folder: Path, *routes: str) -> None:
    shutil.copy(_FILES / "mocks.config.js", folder / "mocks.config.js")
    collection = {"id": "pets", "routes": [f"{route}:pets" for route in routes]}
    _write(folder / "mocks/collections.json", [collection])
    (folder / "mocks" / "routes").mkdir(exist_ok=True)


# Mockaton ignores the query in the file name, but tries names in reverse alphabetical order:
# without the query, `pets/[id]` would match first.
_MOCKATON_LIST = "pets?limit=[limit].GET.200"


def mockaton(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Mockaton with a file per response."""
    _mockaton(folder)
    _write(folder / f"mocks/v1/{_MOCKATON_LIST}.json", _compact(_page(pets)))
    _write(folder / "mocks/v1/pets.POST.201.json", _compact(_created(pets)))
    _write(folder / "mocks/v1/pets/[id].GET.200.json", _compact(pets[0]))


# --- User code ----------------------------------------------------------------------------------


def mockaton_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Mockaton with a function per operation."""
    _mockaton(folder)
    _store(folder, pets)
    shutil.copy(_FILES / "mockaton-get.mjs", folder / f"mocks/v1/{_MOCKATON_LIST}.js")
    shutil.copy(_FILES / "mockaton-post.mjs", folder / "mocks/v1/pets.POST.201.js")
    shutil.copy(_FILES / "mockaton-pet.mjs", folder / "mocks/v1/pets/[id].GET.200.js")


def _mockaton(folder: Path) -> None:
    # Mockaton has no option to disable its log line per request.
    config = "console.log = () => {}\nexport default { mocksDir: 'mocks', onReady() {} }\n"
    shutil.rmtree(folder / "mocks", ignore_errors=True)
    _write(folder / "mockaton.config.js", config)
    _write(folder / "package.json", {"private": True, "type": "module"})
    (folder / "mocks" / "v1" / "pets").mkdir(parents=True, exist_ok=True)


def mocks_server_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up mocks-server with a middleware per operation."""
    _mocks_server(folder, "list", "get", "create")
    _store(folder, pets)
    shutil.copy(_FILES / "mocks-server.js", folder / "mocks/routes/pets.js")


def scalar_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up Scalar with seed data for its store and a handler per operation."""
    spec = _openapi(pets)
    spec["components"]["schemas"]["Pet"]["x-seed"] = f"seed({_compact(pets)})"
    for path, method, file in (
        (_PATH, "get", "scalar-get.js"),
        (_PATH, "post", "scalar-post.js"),
        (f"{_PATH}/{{petId}}", "get", "scalar-pet.js"),
    ):
        code = (_FILES / file).read_text(encoding="utf-8")
        spec["paths"][path][method]["x-handler"] = code
    _scalar(folder, spec)


def msw(folder: Path, pets: Sequence[Pet]) -> None:
    """Set up MSW with its handlers."""
    _store(folder, pets)
    shutil.copy(_FILES / "msw.mjs", folder / "msw.mjs")


def _store(folder: Path, pets: Sequence[Pet]) -> None:
    shutil.copy(_FILES / "store.mjs", folder / "store.mjs")
    _write(folder / "pets.json", list(pets))
