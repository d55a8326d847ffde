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

    from mockpets.contract import Pet

__all__ = [
    "json_server",
    "mockaton",
    "mockaton_code",
    "mockoon",
    "mockserver",
    "mountebank",
    "mountebank_code",
    "msw",
    "prism",
    "wiremock",
]

_FILES = Path(__file__).parent / "peer_files"
_PATH = "/v1/pets"
_JSON = {"Content-Type": "application/json"}
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


def prism(folder: Path, pets: Sequence[Pet]) -> None:
    """Give Prism our OpenAPI document, the page as its example; it knows no servers' prefix."""
    from mockpets.web.openapi import document

    spec: dict[str, Any] = deepcopy(dict(document()))
    spec.pop("servers", None)
    spec["paths"] = {f"/v1{path}": item for path, item in spec["paths"].items()}
    operations = spec["paths"][_PATH]
    operations["get"]["responses"]["200"]["content"]["application/json"]["example"] = _page(pets)
    created = operations["post"]["responses"]["201"]["content"]["application/json"]
    created["example"] = _created(pets)
    _write(folder / "openapi.json", spec)


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
        answer = {"statusCode": status, "headers": _JSON, "body": _compact(body)}
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
    config = "export default { mocksDir: 'mocks', onReady() {} }\n"
    _write(folder / "mockaton.config.js", config)
    _write(folder / "package.json", {"private": True, "type": "module"})
    (folder / "mocks" / "v1").mkdir(parents=True, exist_ok=True)


def msw(folder: Path, pets: Sequence[Pet]) -> None:
    """Give MSW its handlers."""
    _store(folder, pets)
    shutil.copy(_FILES / "msw.mjs", folder / "msw.mjs")


def _store(folder: Path, pets: Sequence[Pet]) -> None:
    shutil.copy(_FILES / "store.mjs", folder / "store.mjs")
    _write(folder / "pets.json", list(pets))
