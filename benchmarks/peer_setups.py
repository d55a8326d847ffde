"""The files that make each peer do the job, as well as it can.

Every set-up is given the peer's own folder, outside the checkout, and the pets. Code that a peer's
user would have to write is in `peer_files/`, to be read as such.
"""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.load import KEY
from benchmarks.subjects import LIMIT, NEW, STATUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mockpets.contract.schemas import Pet

__all__ = [
    "apimock",
    "connexion",
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
_JSON = {"Content-Type": "application/json"}
_BEARER = "bearerAuth"
"""What our OpenAPI document calls the key."""
_NO_KEY = {"code": "unauthorized", "message": "The API key is missing or invalid.", "status": 401}


def _write(path: Path, value: object) -> None:
    """Write text, or a value as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
    path.write_text(text, encoding="utf-8")


def _page(pets: Sequence[Pet]) -> list[Pet]:
    """Return what the timed request is to be answered with."""
    return [pet for pet in pets if pet.get("status") == STATUS][:LIMIT]


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _created(pets: Sequence[Pet]) -> dict[str, Any]:
    """Return the one answer to a POST of peers that do not count."""
    return {"id": len(pets) + 1, **json.loads(NEW)}


# --- Answers from a description, or from data ---------------------------------------------------


def _openapi(pets: Sequence[Pet]) -> dict[str, Any]:
    """Return our OpenAPI document, the page as its example; the servers' prefix is in its paths."""
    from mockpets.contract.openapi import document

    spec: dict[str, Any] = deepcopy(dict(document()))
    spec.pop("servers", None)
    spec["paths"] = {f"/v1{path}": item for path, item in spec["paths"].items()}
    operations = spec["paths"][_PATH]
    operations["get"]["responses"]["200"]["content"]["application/json"]["example"] = _page(pets)
    created = operations["post"]["responses"]["201"]["content"]["application/json"]
    created["example"] = _created(pets)
    return spec


def prism(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Prism our OpenAPI document."""
    _write(folder / "openapi.json", _openapi(pets))


def scalar(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Scalar our OpenAPI document, and what starts it."""
    _scalar(folder, _openapi(pets))


def _scalar(folder: Path, spec: dict[str, Any]) -> None:
    _write(folder / "openapi.json", spec)
    shutil.copy(_FILES / "scalar.mjs", folder / "scalar.mjs")


def connexion(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Connexion our OpenAPI document, and what starts it; it knows no OpenAPI 3.1."""
    spec = {**_openapi(pets), "openapi": "3.0.3"}
    spec["components"]["securitySchemes"][_BEARER]["x-bearerInfoFunc"] = "app.key"
    _write(folder / "openapi.json", spec)
    shutil.copy(_FILES / "connexion.py", folder / "app.py")


def json_server(folder: Path, pets: Sequence[Pet]) -> None:
    """Give json-server its database, made anew, its routes and its middleware."""
    _write(folder / "db.json", {"pets": pets})
    _write(folder / "routes.json", {"/v1/*": "/$1"})
    shutil.copy(_FILES / "json-server.cjs", folder / "middleware.cjs")
    (folder / "public").mkdir(exist_ok=True)  # the beta does not start without it in production


def mockoon(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Mockoon a CRUD route over a data bucket, and a rule for the key."""
    environment = json.loads((_FILES / "mockoon.json").read_text(encoding="utf-8"))
    environment["data"][0]["value"] = _compact(pets)
    _write(folder / "mockoon.json", environment)


# --- Fixed answers ------------------------------------------------------------------------------


def wiremock(folder: Path, pets: Sequence[Pet]) -> None:
    """Give WireMock a stub for each answer, and one of low priority for a missing key."""
    with_key = {"headers": {"Authorization": {"equalTo": KEY}}}
    query = {"limit": {"equalTo": str(LIMIT)}, "status": {"equalTo": STATUS}}
    page = {"method": "GET", "urlPath": _PATH, "queryParameters": query, **with_key}
    post = {"method": "POST", "urlPath": _PATH, **with_key}

    def stub(request: object, status: int, body: object, priority: int) -> dict[str, object]:
        response = {"status": status, "headers": _JSON, "body": _compact(body)}
        return {"priority": priority, "request": request, "response": response}

    stubs = [
        stub(page, 200, _page(pets), 1),
        stub(post, 201, _created(pets), 1),
        stub({"method": "ANY", "urlPath": _PATH}, 401, _NO_KEY, 9),
    ]
    shutil.rmtree(folder / "mappings", ignore_errors=True)
    _write(folder / "mappings" / "pets.json", {"mappings": stubs})


def mockserver(folder: Path, pets: Sequence[Pet]) -> None:
    """Give MockServer an expectation for each answer, and one of low priority for a missing key."""
    key = {"headers": {"Authorization": [KEY]}}
    query = {"limit": [str(LIMIT)], "status": [STATUS]}
    page = {"method": "GET", "path": _PATH, "queryStringParameters": query, **key}
    post = {"method": "POST", "path": _PATH, **key}

    def expectation(request: object, status: int, body: object, priority: int) -> dict[str, object]:
        headers = {name: [value] for name, value in _JSON.items()}
        answer = {"statusCode": status, "headers": headers, "body": _compact(body)}
        return {"priority": priority, "httpRequest": request, "httpResponse": answer}

    expectations = [
        expectation(page, 200, _page(pets), 1),
        expectation(post, 201, _created(pets), 1),
        expectation({"path": _PATH}, 401, _NO_KEY, 0),
    ]
    _write(folder / "expectations.json", expectations)


def mountebank(folder: Path, pets: Sequence[Pet]) -> None:
    """Give mountebank a stub for each answer, and a default one for a missing key."""
    key = {"Authorization": KEY}
    query = {"limit": str(LIMIT), "status": STATUS}

    def stub(request: object, status: int, body: object) -> dict[str, object]:
        headers = {**_JSON, "Connection": "keep-alive"}  # else it ends the connection
        answer = {"statusCode": status, "headers": headers, "body": _compact(body)}
        return {"predicates": [{"equals": request}], "responses": [{"is": answer}]}

    stubs = [
        stub({"method": "GET", "path": _PATH, "query": query, "headers": key}, 200, _page(pets)),
        stub({"method": "POST", "path": _PATH, "headers": key}, 201, _created(pets)),
        stub({"path": _PATH}, 401, _NO_KEY),
    ]
    _imposter(folder, stubs)


def mountebank_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Give mountebank a function."""
    code = (_FILES / "mountebank.js").read_text(encoding="utf-8")
    function = code[code.index("(config)") :].replace("PETS", _compact(pets), 1)
    _imposter(folder, [{"responses": [{"inject": function}]}])


def _imposter(folder: Path, stubs: Sequence[object]) -> None:
    # The file is a template (EJS), so that the port can be told when it starts.
    imposter = {"port": 0, "protocol": "http", "stubs": stubs}
    text = json.dumps({"imposters": [imposter]})
    _write(
        folder / "imposters.ejs", text.replace('"port": 0', '"port": <%- process.env.PORT %>', 1)
    )


def apimock(folder: Path, pets: Sequence[Pet]) -> None:
    """Give apimock-rs a rule for each answer, and a last one for a missing key."""

    def toml(text: str) -> str:
        return json.dumps(text, ensure_ascii=False)  # JSON's escapes are among TOML's

    def rule(status: int, body: object, *when: str) -> str:
        lines = ["[[rules]]", f"when.request.url_path = {toml(_PATH)}", *when]
        lines += [f"respond.status = {status}", f"respond.text = {toml(_compact(body))}"]
        return "\n".join([*lines, "respond.headers.Content-Type = 'application/json'", ""])

    key = f"when.request.headers.authorization.value = {toml(KEY)}"
    page = rule(200, _page(pets), "when.request.method = 'GET'", key)
    post = rule(201, _created(pets), "when.request.method = 'POST'", key)
    _write(folder / "rules.toml", "\n".join([page, post, rule(401, _NO_KEY)]))
    (folder / "files").mkdir(exist_ok=True)
    service = "[service]\nrule_sets = ['rules.toml']\nfallback_respond_dir = 'files'\n"
    _write(folder / "apimock.toml", service)


def mocks_server(folder: Path, pets: Sequence[Pet]) -> None:
    """Give mocks-server a route for each answer."""

    def route(name: str, method: str, status: int, body: object) -> dict[str, object]:
        variant = {"id": "pets", "type": "json", "options": {"status": status, "body": body}}
        return {"id": name, "url": _PATH, "method": method, "variants": [variant]}

    _mocks_server(folder)
    routes = [route("list", "GET", 200, _page(pets)), route("create", "POST", 201, _created(pets))]
    _write(folder / "mocks/routes/pets.json", routes)


def _mocks_server(folder: Path) -> None:
    shutil.copy(_FILES / "mocks.config.js", folder / "mocks.config.js")
    _write(
        folder / "mocks/collections.json", [{"id": "pets", "routes": ["list:pets", "create:pets"]}]
    )
    (folder / "mocks" / "routes").mkdir(exist_ok=True)


def mockaton(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Mockaton a file for each answer."""
    _mockaton(folder)
    _write(folder / "mocks/v1/pets.GET.200.json", _compact(_page(pets)))
    _write(folder / "mocks/v1/pets.POST.201.json", _compact(_created(pets)))


# --- Own code -----------------------------------------------------------------------------------


def mockaton_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Mockaton a function for each operation."""
    _mockaton(folder)
    _store(folder, pets)
    shutil.copy(_FILES / "mockaton-get.mjs", folder / "mocks/v1/pets.GET.200.js")
    shutil.copy(_FILES / "mockaton-post.mjs", folder / "mocks/v1/pets.POST.201.js")


def _mockaton(folder: Path) -> None:
    # Its only way to be quiet; it would write a line for each request.
    config = "console.log = () => {}\nexport default { mocksDir: 'mocks', onReady() {} }\n"
    _write(folder / "mockaton.config.js", config)
    _write(folder / "package.json", {"private": True, "type": "module"})
    (folder / "mocks" / "v1").mkdir(parents=True, exist_ok=True)


def mocks_server_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Give mocks-server a middleware for each operation."""
    _mocks_server(folder)
    _store(folder, pets)
    shutil.copy(_FILES / "mocks-server.js", folder / "mocks/routes/pets.js")


def scalar_code(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Scalar a seed for its store, and a handler for each operation."""
    spec = _openapi(pets)
    spec["components"]["schemas"]["Pet"]["x-seed"] = f"seed({_compact(pets)})"
    for method in ("get", "post"):
        code = (_FILES / f"scalar-{method}.js").read_text(encoding="utf-8")
        spec["paths"][_PATH][method]["x-handler"] = code
    _scalar(folder, spec)


def msw(folder: Path, pets: Sequence[Pet]) -> None:
    """Give MSW its handlers."""
    _store(folder, pets)
    shutil.copy(_FILES / "msw.mjs", folder / "msw.mjs")


def _store(folder: Path, pets: Sequence[Pet]) -> None:
    shutil.copy(_FILES / "store.mjs", folder / "store.mjs")
    _write(folder / "pets.json", list(pets))
