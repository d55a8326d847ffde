"""Beside a document, the server has the shipped scenarios that name nothing of the pet store."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mockpets import Settings, create_app
from mockpets.cli.main import main
from mockpets.errors import InputError
from mockpets.scenario.contract_files import load_contracts
from mockpets.scenario.folders import find
from mockpets.scenario.generic import GENERIC
from mockpets.scenario.library import load_library
from tests.http_client import Client, Response
from tests.web.documents import ERROR, client_of, json_of, operation, serve_in

CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
OF_PETS = {"after-removal", "big-ids", "crowded", "no-status", "orders", "sold-out"}
DESCRIPTIONS = {name: each.description for name, each in GENERIC.items()}


def test_each_shipped_scenario_is_for_any_contract_or_for_the_pet_store() -> None:
    assert {*find("scenarios", ())} == {*GENERIC, *OF_PETS}
    assert [text for text in DESCRIPTIONS.values() if "pet" in text.lower()] == []


def test_beside_a_document_those_for_any_contract_are_loaded_without_problems() -> None:
    library = load_library([], [], contracts=load_contracts([str(CLINIC)]))

    assert (library.problems, library.descriptions()) == ({}, DESCRIPTIONS)
    assert ({*library.sources}, library.skipped) == ({*GENERIC}, {})


@pytest.mark.parametrize("contracts", [("pet-store",), (str(CLINIC), "pet-store")])
def test_with_the_pet_store_all_are_loaded(contracts: tuple[str, ...]) -> None:
    library = load_library([], [], contracts=load_contracts(contracts))

    assert (library.problems, {*library.scenarios}) == ({}, {*GENERIC, *OF_PETS})
    assert library.descriptions()["empty"] == "No pets, so the list is empty."


def test_an_equal_collection_leaves_out_those_that_name_it(tmp_path: Path) -> None:
    """Both are renamed, such as to `pet-store.pets`."""
    document = tmp_path / "zoo.yaml"
    document.write_text(
        "openapi: 3.1.0\ninfo: {title: Zoo, version: '1'}\npaths:\n  /pets:\n    get:\n"
        "      operationId: listPets\n      responses: {'200': {description: ok}}\n"
    )
    library = load_library([], [], contracts=load_contracts([str(document), "pet-store"]))

    assert (library.problems, {*library.scenarios}) == ({}, {*GENERIC})


def test_a_scenario_of_the_pet_store_says_so(fresh: Callable[..., Client]) -> None:
    with pytest.raises(InputError) as caught:
        create_app(Settings(contract=(str(CLINIC),), scenario=("sold-out",)))
    assert str(caught.value).startswith(
        "--scenario: the scenario 'sold-out' is for pet-store, which is not served; known "
        "scenarios: awkward-names, broken-json, "
    )
    response = fresh(contract=(str(CLINIC),))(
        "GET", "/api/owners", headers={"Mockpets-Scenario": "nix"}
    )
    assert response.status == 422
    assert "'nix'; known" in response.text


def test_an_own_file_that_does_not_fit_is_a_problem_and_may_have_the_same_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "sold-out.yaml").write_text("description: Mine.\nstubs: [{delay: 1s}]\n")
    (tmp_path / "mine.yaml").write_text("description: Mine.\ndata: {pets: 40}\n")
    (tmp_path / "more.yaml").write_text("description: Mine.\nextends: [orders]\n")
    library = load_library([tmp_path], [], contracts=load_contracts([str(CLINIC)]))

    assert {*library.problems} == {"mine", "more"}
    assert {*library.scenarios} == {*GENERIC, "sold-out"}


def test_with_own_fixtures_none_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "names.yaml").write_text("[]")
    monkeypatch.setattr("mockpets.scenario.language.loader.load_scenario", None)
    library = load_library([], [tmp_path], contracts=load_contracts([str(CLINIC)]))

    assert {*library.scenarios} == {*GENERIC}


# --- What they do to a document -----------------------------------------------------------------

LABEL = "mockpets-off-contract"


@pytest.fixture
def clinic() -> Client:
    return client_of(CLINIC)


def sent(
    call: Client, scenario: str, path: str, method: str = "GET", body: object = None
) -> Response:
    headers = {"Mockpets-Scenario": scenario}
    return call(method, f"/api/{path}", headers=headers, json_body=body)


def test_missing_sends_the_documented_404_with_the_key(clinic: Client) -> None:
    response = sent(clinic, "missing", "owners/3")

    missing = {"error": "not_found", "message": "owner 3 not found", "status": 404}
    assert (response.status, response.json, response.header(LABEL)) == (404, missing, None)
    assert sent(clinic, "missing", "owners").status == 200


def test_create_rejected_sends_the_documented_422(clinic: Client) -> None:
    owner = {"name": "Ada", "email": "ada@example.org"}
    response = sent(clinic, "create-rejected", "owners", "POST", owner)

    assert (response.status, response.header(LABEL)) == (422, None)
    assert response.json["message"] == "already taken; choose another one"
    assert sent(clinic, "create-rejected", "owners").status == 200


@pytest.mark.parametrize(("scenario", "successes"), [("unauthorized", 0), ("expired-key", 3)])
def test_a_revoked_and_an_expired_credential(clinic: Client, scenario: str, successes: int) -> None:
    responses = [sent(clinic, scenario, "me") for _ in range(successes + 2)]

    assert [each.status for each in responses] == [200] * successes + [401, 401]
    assert responses[-1].header("WWW-Authenticate") == 'Bearer realm="mockpets"'
    assert responses[-1].header(LABEL) is None
    assert ("expired" in responses[-1].json["message"]) == (successes == 3)


def test_maintenance_says_so_and_when_to_try_again(clinic: Client) -> None:
    response = sent(clinic, "maintenance", "owners")

    assert (response.status, response.header("Retry-After")) == (503, "120")
    assert response.json["detail"] == "closed for maintenance; try again in two minutes"


def test_an_error_has_the_documented_body(tmp_path: Path) -> None:
    get = operation(name="getA", _200=json_of({}), default=json_of(ERROR))
    call = serve_in(tmp_path)({"/a": {"get": get}})

    for scenario, status in (("server-error", 500), ("rate-limited", 429), ("retry", 503)):
        response = call("GET", "/a", headers={"Mockpets-Scenario": scenario})
        assert (response.status, response.json["status"]) == (status, status)
        assert response.header(LABEL) is None


def test_full_page_fills_each_collection(clinic: Client) -> None:
    assert sent(clinic, "full-page", "owners").json["meta"]["total"] == 100
    assert len(sent(clinic, "full-page", "members").json) == 100


def test_awkward_names_are_in_each_free_text(clinic: Client) -> None:
    usual = sent(clinic, "default", "owners").json["data"]
    awkward = sent(clinic, "awkward-names", "owners").json["data"]

    for before, now in zip(usual, awkward, strict=False):
        same = ("id", "email", "createdAt", "phone")
        assert [now.get(name) for name in same] == [before.get(name) for name in same]
    assert {"Q", "\N{DOG FACE}", "<b>Bold</b>"} <= {each["name"] for each in awkward}
    assert "<b>Bold</b>" in {each["address"]["city"] for each in awkward if "address" in each}


def test_those_without_a_place_are_skipped_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = operation(name="addA", _201=json_of({}), _409=json_of(ERROR))
    call = serve_in(tmp_path)(
        {
            "/ping": {"get": operation(name="ping", _200=json_of({}), _404=json_of({}))},
            "/a": {"post": taken},
        }
    )
    skipped = {
        "awkward-names": "no operation has records",
        "create-rejected": "no operation has the role create",
        "double-submit": "no operation has the role create",
        "expired-key": "no operation documents 401 or 403",
        "flaky-create": "no operation has the role create",
        "full-page": "no operation has records",
        "missing": "no operation has the role get",
        "unauthorized": "no operation documents 401 or 403",
    }

    assert call("GET", "/__mockpets/scenarios").json["skipped"] == skipped
    response = call("GET", "/ping", headers={"Mockpets-Scenario": "missing"})
    assert response.status == 422
    assert "'missing' is skipped: no operation has the role get; known" in response.text
    assert call("GET", "/ping", headers={"Mockpets-Scenario": "flaky"}).status in (200, 503)
    assert main(["scenarios", "--contract", str(tmp_path / "test.json")]) == 0
    out = capsys.readouterr().out
    assert "Skipped, because they do not fit the contracts:" in out
    assert re.search("missing +no operation has the role get\n", out)
