"""`mockpets init --contract`: what it writes for a document, reads of the app, and rejects."""

import json
import re
import sys
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.test_kit import contents

Init = Any
Run = Callable[..., tuple[int, list[str], list[str]]]
PACKAGE = {"name": "shop", "devDependencies": {"vite": "8", "@playwright/test": "1"}}
DOCUMENT = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: https://shop.example/api}]
security: [{SECURITY: []}]
paths:
  /rates:
    get: {operationId: listRates, responses: {"200": &list {description: d, content: {
      application/json: {schema: {type: array, items: {properties: {id: {type: integer}}}}}}}}}
  /orders/mine:
    get: {operationId: listMine, responses: {"200": *list, "500": &error {description: d}}}
  /orders:
    get: &listed {operationId: listOrders, responses: {"200": *list, "401": *error, "404": *error}}
    post: &posted {operationId: createOrder, responses: {"201": {description: d}, "409": *error}}
  /orders/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getOrder, responses: {"200": {description: d}, "404": *error}}
  /reports:
    get:
      operationId: listReports
      parameters: [{name: year, in: query, required: true, schema: {type: integer}}]
      responses: {"200": *list, "500": *error}
components:
  securitySchemes:
    bearer: {type: http, scheme: bearer}
    basic: {type: http, scheme: basic}
    header: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: api_key}
    cookie: {type: apiKey, in: cookie, name: sid}
"""
NAME = "write a name such as VITE_API_URL"
SPEC = Path("tests/errors.spec.ts")
TOML = Path("mockpets.toml")
ENV = Path(".env.development")


def write(name: str, text: str) -> str:
    """Write a file with its folder; return its name."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")
    return name


def document(name: str = "api/shop.yaml", text: str = DOCUMENT, security: str = "bearer") -> str:
    return write(name, text.replace("SECURITY", security))


def with_paths(**paths: dict[str, Any]) -> str:
    """Return a document with these operations below ``/``."""
    described = {f"/{name}": path for name, path in paths.items()}
    info = {"title": "A", "version": "1"}
    return yaml.safe_dump({"openapi": "3.1.0", "info": info, "paths": described})


def constants() -> dict[str, str]:
    """Return the names of operations in the first test, and the state of its page."""
    text = SPEC.read_text()
    return dict(re.findall(r"^const (\w+) = [`\"](.+?)[`\"]", text, re.MULTILINE))


@pytest.fixture
def init(run: Run, monkeypatch: pytest.MonkeyPatch) -> Init:
    """Return a function that runs the command as the npm package does, in a Vite project."""
    write("package.json", json.dumps(PACKAGE))
    monkeypatch.setattr(sys, "argv", ["node_modules/mockpets/mockpets.pyz"])
    return partial(run, "init")


def test_the_other_commands_need_no_options_afterwards(init: Init, run: Run) -> None:
    status, out, err = init("--contract", document())
    assert (status, err) == (0, [])
    assert f"  {ENV}: VITE_API_URL=http://localhost:7387/api" in out
    settings = {"contract": ["api/shop.yaml"], "scenarios-dir": ["mock/scenarios"]}
    assert tomllib.loads(TOML.read_text()) == settings
    assert constants() == {"REJECTED": "createOrder", "LIST": "listOrders", "FAILS": "${LIST}:404"}
    assert 'mock.use("create-order-409")' in SPEC.read_text()
    assert "env: { VITE_API_URL: `${mock}/api` }," in Path("playwright.config.ts").read_text()

    assert run("check")[1] == ["24 scenarios and 0 fixtures checked: 0 problems; 18 stubs"], (
        "the scenario fits the document"
    )
    assert run("kit", "tests", "--check")[0] == 0
    assert '"create-order-409"' in Path("tests/mockpets.d.ts").read_text()
    before = contents()
    for again in (), ("--contract", "api/shop.yaml"):
        assert init(*again)[1][0] == "nothing to write: this repository is set up"
    assert contents() == before


def test_a_document_may_lie_anywhere_in_the_repository(
    init: Init, run: Run, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file names no path of this machine, and CI has no file outside of the repository."""
    (here / "repository/.git").mkdir(parents=True)
    document("repository/api/shop.yaml")
    document("elsewhere/more.yaml")
    write("repository/web/package.json", json.dumps(PACKAGE))
    monkeypatch.chdir("repository/web")
    more = f"/more={here}/elsewhere/more.yaml"
    status, out, _ = init("--contract", f"{here}/repository/api/shop.yaml", "--contract", more)

    assert status == 0
    relative = ["../api/shop.yaml", "/more=../../elsewhere/more.yaml"]
    assert tomllib.loads(TOML.read_text())["contract"] == relative
    outside = "is outside of this repository; for CI, copy it into the repository"
    assert [line for line in out if outside in line] == [f"{relative[1]} {outside}"]
    assert not any(str(here) in text for text in contents().values())
    assert run("check")[0] == 0
    assert constants()["LIST"] == "shop.listOrders"


def test_the_only_document_in_a_usual_place_is_offered_and_never_chosen(init: Init) -> None:
    write("docs/notes.yaml", "text: openapi\n")
    write("docs/broken.json", '{"openapi": "3.0.0",')
    document("node_modules/x/openapi.yaml")
    before = contents()
    what = "docs/broken.json is an OpenAPI document"
    how = "to use it, add --contract docs/broken.json; for the pet store, --contract pet-store"
    assert init() == (2, [], [f"mockpets: --contract: {what}; {how}"])
    assert contents() == before

    assert init("--contract", "pet-store")[0] == 0
    assert tomllib.loads(TOML.read_text())["contract"] == ["pet-store"]
    assert init()[1][0] == "nothing to write: this repository is set up"


def test_of_several_documents_none_is_offered(init: Init) -> None:
    document()
    document("openapi.yaml")
    assert init()[0] == 0
    assert tomllib.loads(TOML.read_text()) == {"scenarios-dir": ["mock/scenarios"]}
    assert constants()["LIST"] == "listPets"


@pytest.mark.parametrize(("text", "message"), [
    ("openapi: 3.1.0\npaths: [\n", "api/a.yaml:3:1: a bracket is never closed"),
    ('swagger: "2.0"\npaths: {}\n', "api/a.yaml: is a Swagger 2.0 document"),
    ("openapi: 3.1.0\npaths: {}\n", "api/a.yaml:1:1: has no paths"),
    ("", "api/a.yaml: is empty"),
])  # fmt: skip
def test_an_invalid_document_is_reported_as_by_the_command_contract(
    init: Init, run: Run, text: str, message: str
) -> None:
    write("api/a.yaml", text)
    before = contents()
    status, out, err = init("--contract", "api/a.yaml")

    assert (status, out) == (2, [])
    assert err[0].startswith(f"mockpets: {message}")
    assert err == run("contract", "api/a.yaml")[2]
    assert contents() == before


@pytest.mark.parametrize(("arguments", "message"), [
    (("--contract", "none.yaml"),
     "--contract: must be an existing OpenAPI document, got 'none.yaml'"),
    (("--variable", "API-URL"),
     f"--variable: must be the name of a variable, got 'API-URL'; {NAME}"),
    (("--variable", ""),
     f"--variable: must be the name of a variable, got ''; {NAME}"),
    (("--contrat", "a.yaml"), "--contrat: unknown option; did you mean '--contract'?"),
])  # fmt: skip
def test_invalid_options(init: Init, arguments: tuple[str, ...], message: str) -> None:
    before = contents()
    assert init(*arguments) == (2, [], [f"mockpets: {message}"])
    assert contents() == before


def test_your_own_settings_stay_and_you_see_what_to_add(init: Init, run: Run) -> None:
    """The kit has the options until then."""
    write("mockpets.toml", "port = 7400\n")
    status, out, _ = init("--contract", document())
    start = out.index("add to mockpets.toml:")

    assert (status, TOML.read_text()) == (0, "port = 7400\n")
    lines = out[start + 1 : start + 3]
    assert lines == ['  contract = ["api/shop.yaml"]', '  scenarios-dir = ["mock/scenarios"]']
    assert '"create-order-409"' in Path("tests/mockpets.d.ts").read_text()
    TOML.write_text("".join(f"{line.strip()}\n" for line in lines))
    assert init()[1][0] == "nothing to write: this repository is set up"
    assert run("check")[0] == 0


def test_the_settings_of_a_file_are_used(init: Init, run: Run) -> None:
    document("shop.yaml")
    Path("mocks").mkdir()
    write("mockpets.toml", 'contract = ["shop.yaml"]\nscenarios-dir = ["mocks"]\n')
    status, out, err = init()

    assert (status, err) == (0, [])
    assert "add to mockpets.toml:" not in out
    text = Path("mocks/create-order-409.yaml").read_text()
    assert "$schema=../node_modules/mockpets/scenario.schema.json\n" in text
    assert constants()["LIST"] == "listOrders"
    assert run("check")[0] == 0


# --- The variable -----------------------------------------------------------------------------


@pytest.mark.parametrize(("package", "files", "variable", "shown"), [
    pytest.param("vite", {}, "VITE_API_URL", "", id="Vite"),
    pytest.param("next", {}, "NEXT_PUBLIC_API_URL", "", id="Next"),
    pytest.param("react-scripts", {}, "REACT_APP_API_URL", "", id="Create React App"),
    pytest.param("vite", {"src/api.ts": "fetch(import.meta.env.VITE_BACKEND_URL)"},
                 "VITE_BACKEND_URL", "VITE_BACKEND_URL, which src/api.ts reads;", id="its own"),
    pytest.param("vite",
                 {"src/a.vue": "VITE_CDN_URL VITE_CDN_URL", "src/b.js": "VITE_API_ENDPOINT"},
                 "VITE_API_ENDPOINT",
                 "VITE_API_ENDPOINT, which src/b.js reads; it also reads VITE_CDN_URL;",
                 id="the one with API of several"),
    pytest.param("next",
                 {"lib/a.ts": "process.env.NEXT_PUBLIC_URL + import.meta.env.VITE_API_URL"},
                 "NEXT_PUBLIC_URL", "NEXT_PUBLIC_URL, which lib/a.ts reads;", id="the framework's"),
    pytest.param("left-pad", {"a.js": "process.env.REACT_APP_URI"},
                 "REACT_APP_URI", "REACT_APP_URI, which a.js reads;", id="of no framework"),
    pytest.param("vite", {"src/a.ts": "VITE_MODE", "tests/a.ts": "VITE_A_URL", "b.md": "VITE_B_URL",
                          "vite.config.ts": "VITE_C_URL", "node_modules/a/a.js": "VITE_D_URL",
                          ".cache/a.js": "VITE_E_URL", "dist/a.js": "VITE_F_URL"},
                 "VITE_API_URL", "", id="not of other files"),
])  # fmt: skip
def test_the_base_url_is_in_the_variable_that_the_app_reads(
    init: Init, package: str, files: dict[str, str], variable: str, shown: str
) -> None:
    write("package.json", json.dumps({"dependencies": {package: "1"}}))
    for name, text in files.items():
        write(name, text)
    status, out, _ = init("--contract", document())

    assert status == 0
    assert ENV.read_text() == f"{variable}=http://localhost:7387/api\n"
    notes = [line for line in out if line.startswith("base URL")]
    hint = " for another one, add --variable NAME"
    assert notes == ([f"base URL  {shown}{hint}"] if shown else [])
    assert f"its base URL is {variable}" in SPEC.read_text()


def test_another_variable_can_be_named(init: Init) -> None:
    write("src/api.ts", "VITE_API_URL")
    status, out, _ = init("--contract", document(), "--variable", "VITE_SHOP")

    assert status == 0
    assert ENV.read_text() == "VITE_SHOP=http://localhost:7387/api\n"
    assert not any(line.startswith("base URL") for line in out)
    assert "env: { VITE_SHOP: `" in Path("playwright.config.ts").read_text()


@pytest.mark.parametrize("value", ["https://shop.example/api", "http://localhost:7387/v1", ""])
def test_the_value_of_the_variable_is_yours(init: Init, value: str) -> None:
    """The tests call the mock all the same: their configuration sets the variable."""
    text = write(str(ENV), f"VITE_API_URL={value}\n") and ENV.read_text()
    status, out, _ = init("--contract", document())

    assert (status, ENV.read_text()) == (0, text)
    line = "VITE_API_URL=http://localhost:7387/api"
    assert f"{ENV} has another VITE_API_URL; to develop with the mock, write {line}" in out


def test_without_a_framework_there_is_no_variable(init: Init) -> None:
    write("package.json", "{}")
    assert init("--contract", document())[0] == 0
    assert not ENV.exists()
    assert "env:" not in Path("playwright.config.ts").read_text()


def test_what_cannot_be_read_is_ignored(init: Init) -> None:
    Path("src/a.ts").mkdir(parents=True)
    Path("src/b.ts").symlink_to("none.ts")
    Path("src/c.ts").symlink_to("/dev/zero")
    Path("src/again").symlink_to("..")
    Path("openapi.yaml").symlink_to("/dev/zero")
    write("src/d.ts", "\0VITE_D_URL\udcff".encode("utf-8", "surrogateescape").decode("latin-1"))
    assert init("--contract", document())[0] == 0
    assert ENV.read_text().startswith("VITE_D_URL=")


# --- The operations ---------------------------------------------------------------------------


def operation(name: str, *statuses: str) -> dict[str, Any]:
    return {"operationId": name, "responses": {each: {"description": "d"} for each in statuses}}


@pytest.mark.parametrize(("paths", "expected"), [
    pytest.param({"a": {"get": operation("getA", "200")}},
                 ("getA", "getA", "500", "500"), id="a GET without errors"),
    pytest.param({"a": {"post": operation("doA", "200", "4XX")}},
                 ("doA", "doA", "400", "400"), id="only a POST, with a range"),
    pytest.param({"a": {"get": operation("getA", "200", "418", "default")}},
                 ("getA", "getA", "500", "418"), id="another error, and any"),
    pytest.param({"a": {"get": operation("getA", "200", "401", "503"),
                        "put": operation("putA", "200", "404", "422")}},
                 ("getA", "putA", "503", "422"), id="the most telling errors"),
    pytest.param({"a/{id}": {"delete": operation("a-b.c", "204", "404"), "parameters":
                  [{"name": "id", "in": "path", "required": True, "schema": {}}]}},
                 ("a-b-c", "a-b-c", "404", "404"), id="only a DELETE of a record"),
])  # fmt: skip
def test_a_contract_with_little_in_it(
    init: Init, run: Run, paths: dict[str, Any], expected: tuple[str, ...]
) -> None:
    shown, rejected, error, status = expected
    assert init("--contract", write("api/a.yaml", with_paths(**paths)))[0] == 0
    known = constants()

    assert (known["LIST"], known["REJECTED"]) == (shown, rejected)
    assert known["FAILS"] == f"${{LIST}}:{error}"
    assert f".toBe({status});" in SPEC.read_text()
    assert run("check")[0] == 0
    assert "${LIST}:empty" not in SPEC.read_text(), "only lists can be empty"


def test_long_names_fit_the_name_of_a_file(init: Init, run: Run) -> None:
    paths = with_paths(a={"get": operation("Get" + "A" * 180, "200", "500")})
    assert init("--contract", write("api/a.yaml", paths))[0] == 0
    assert run("check")[0] == 0


@pytest.mark.parametrize(("security", "path", "headers"), [
    ("bearer", "/orders", "{ Authorization: `Bearer ${mock.key}` }"),
    ("basic", "/orders", '{ Authorization: "Basic bW9ja3BldHM6bW9ja3BldHM=" }'),
    ("header", "/orders", '{ "X-Key": mock.key }'),
    ("cookie", "/orders", "{ Cookie: `sid=${mock.key}` }"),
    ("query", "/orders?api_key=${mock.key}", "{}"),
])  # fmt: skip
def test_the_request_of_the_test_has_the_credentials_of_the_operation(
    init: Init, security: str, path: str, headers: str
) -> None:
    assert init("--contract", document(security=security))[0] == 0
    text = SPEC.read_text()

    assert f"const url = `${{mock.baseUrl}}{path}`;" in text
    assert f"    headers: {headers},\n" in text


def test_corrections_are_kept(init: Init, run: Run) -> None:
    document()
    write("fixes.yaml", "operations: {listRates: {list: rates}}\n")
    status, _, err = init("--contract", "api/shop.yaml", "--corrections", "fixes.yaml")

    assert (status, err) == (0, [])
    assert tomllib.loads(TOML.read_text())["corrections"] == "fixes.yaml"
    assert run("check")[0] == 0
