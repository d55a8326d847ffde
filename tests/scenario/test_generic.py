"""Beside a document, the server has the shipped scenarios that name nothing of the pet store."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mockpets import Settings, create_app
from mockpets.errors import InputError
from mockpets.scenario.contracts import load_contracts
from mockpets.scenario.files import find
from mockpets.scenario.generic import GENERIC
from mockpets.scenario.language.loader import load_scenario
from mockpets.scenario.library import load_library
from tests.http_client import Client

CLINIC = Path(__file__).parents[1] / "contract/documents/clinic.yaml"
OF_PETS = {
    *("after-removal", "awkward-names", "big-ids", "create-rejected", "crowded", "expired-key"),
    *("full-page", "maintenance", "missing", "no-status", "orders", "sold-out", "unauthorized"),
}


def test_each_shipped_scenario_is_for_any_contract_or_for_the_pet_store() -> None:
    assert {*find("scenarios", ())} == {*GENERIC, *OF_PETS}
    assert [text for text in GENERIC.values() if "pet" in text.lower()] == []


def test_beside_a_document_those_for_any_contract_are_loaded_without_problems() -> None:
    library = load_library([], [], contracts=load_contracts([str(CLINIC)]))

    assert (library.problems, library.descriptions()) == ({}, {**GENERIC})
    assert {*library.sources} == {*GENERIC}


def test_they_are_those_of_the_files_read_for_the_document() -> None:
    contracts = load_contracts([str(CLINIC)])
    sources = find("scenarios", ())

    for name, scenario in load_library([], [], contracts=contracts).scenarios.items():
        each = sources[name]
        read = load_scenario(each.path, each.shown, known=sources, fixtures={}, contracts=contracts)
        assert scenario == replace(read, description=GENERIC[name])


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
        "scenarios: broken-json, default, "
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
    (tmp_path / "more.yaml").write_text("description: Mine.\nextends: [missing]\n")
    library = load_library([tmp_path], [], contracts=load_contracts([str(CLINIC)]))

    assert {*library.problems} == {"mine", "more"}
    assert {*library.scenarios} == {*GENERIC, "sold-out"}


def test_with_own_fixtures_none_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "names.yaml").write_text("[]")
    monkeypatch.setattr("mockpets.scenario.language.loader.load_scenario", None)
    library = load_library([], [tmp_path], contracts=load_contracts([str(CLINIC)]))

    assert {*library.scenarios} == {*GENERIC}
