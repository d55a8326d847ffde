"""The records of documents in sessions, scenarios, files and the control API."""

import json
from pathlib import Path
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings, create_app
from mockpets.errors import InputError
from tests.http_client import Client, InProcess, OverSocket
from tests.web.checked_client import CLINIC, Checked, at, op, several, thing, write

OWNER: Any = {"name": "Ada", "email": "ada@example.com"}
MERGE = {"Content-Type": "application/merge-patch+json"}
SCENARIOS: dict[str, Any] = {
    "named": {"data": {"owners": [{"id": 7, "name": "Seven"}, {"name": "Next"}]}},
    "many": {"data": {"owners": 40}},
    "none": {"data": {"owners": []}},
    "nothing": {"data": {"*": []}},
    "seeded": {"data": {"owners": {"count": 3, "seed": 5}}},
    "children": {"data": {"animals": [{"name": "Rex"}], "owners": [{"id": 30, "name": "Thirty"}]}},
    "few": {"data": {"animals": [{"name": each} for each in "abcd"], "owners": 3}},
    "orphans": {"data": {"animals": [{"name": "Rex"}], "owners": []}},
    "adopted": {"data": {"owners": 1, "animals": [{"name": "Rex", "ownerId": 5}, {"name": "Tom"}]}},
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    folder = tmp_path_factory.mktemp("scenarios")
    for name, scenario in SCENARIOS.items():
        (folder / f"{name}.json").write_text(json.dumps({"description": "d", **scenario}))
    return Checked(CLINIC, scenarios_dir=(folder,))


@pytest.fixture
def clinic(shared: Checked) -> Checked:
    """A server of the clinic as at its start."""
    shared.control("DELETE", "sessions")
    shared.control("POST", "reset")
    shared.control("DELETE", "requests")
    return shared


def owners(clinic: Checked, **options: Any) -> list[dict[str, Any]]:
    found = clinic("GET", "/owners", limit=50, **options).json
    assert found["meta"]["total"] == len(found["data"])
    return list(found["data"])


def test_a_record_is_generated_below_a_parent_that_exists(clinic: Checked) -> None:
    clinic.control("PUT", "data/owners", [{"id": 700, **OWNER}])

    one, other = (clinic.control("POST", "data/animals") for _ in range(2))

    listed = clinic("GET", "/owners/700/animals").json
    assert {one["id"], other["id"]} == {each["id"] for each in listed}


def test_sessions_are_separate_and_start_alike(clinic: Checked) -> None:
    start = owners(clinic, session="one")
    assert start == owners(clinic, session="two") == owners(clinic)
    made = clinic("POST", "/owners", OWNER, session="one").json["data"]
    clinic("DELETE", "/owners/1", session="two")
    assert owners(clinic, session="one") == [*start, made]
    assert owners(clinic, session="two") == start[1:]
    assert clinic("GET", "/owners/1/animals", session="two").status == 404
    assert clinic("GET", "/owners/1/animals", session="one").json
    assert owners(clinic) == start


def test_another_seed_makes_other_records(clinic: Checked) -> None:
    before = owners(clinic, session="one")
    clinic.control("PUT", "sessions/one", {"seed": 9})
    clinic.control("POST", "reset", session="one")
    after = owners(clinic, session="one")
    assert after[2:] != before[2:] and after[:2] == before[:2], "the examples stay"


def test_reset_and_undo(clinic: Checked) -> None:
    start = owners(clinic, session="one")
    clinic("DELETE", "/owners/1", session="one")
    changed = owners(clinic, session="one")
    clinic.control("POST", "reset", session="one")
    assert owners(clinic, session="one") == start
    assert clinic("GET", "/owners/1/animals", session="one").json, "children are back"
    clinic.control("POST", "sessions/one/undo")
    assert owners(clinic, session="one") == changed
    assert clinic("POST", "/owners", OWNER, session="one").json["data"]["id"] == 17


CONTENTS: dict[str, Any] = {
    "named": ([7, 2], ["Seven", "Next"]),
    "many": ([*range(1, 41)], None),
    "none": ([], []),
    "nothing": ([], []),
    "seeded": ([1, 2, 3], None),
    "children": ([30], ["Thirty"]),
    "empty": ([], []),
}


@pytest.mark.parametrize(("name", "expected"), CONTENTS.items())
def test_a_scenario_has_records_of_its_own(clinic: Checked, name: str, expected: Any) -> None:
    keys, names = expected
    start = owners(clinic)
    found = owners(clinic, scenario=name)
    assert [each["id"] for each in found] == keys
    assert names is None or [each["name"] for each in found] == names
    made = clinic("POST", "/owners", OWNER, scenario=name).json["data"]
    assert owners(clinic, scenario=name)[-1] == made
    assert owners(clinic) == start
    for path in ("/animals", "/appointments", "/members", "/tags", "/settings", "/me"):
        status = clinic("GET", path, scenario=name).status
        assert status in (200, 401, 404), path
    if name in ("nothing", "empty"):
        assert clinic("GET", "/animals", scenario=name).json == {"animals": [], "total": 0}
        assert clinic("GET", "/tags", scenario=name).json == []


def test_records_of_a_scenario_belong_to_existing_ones(clinic: Checked) -> None:
    animals = clinic("GET", "/animals", scenario="children").json["animals"]
    assert [each["name"] for each in animals] == ["Rex"]
    assert animals[0]["ownerId"] == 30, "the owner that the same data has"
    assert clinic("GET", "/owners/30/animals", scenario="children").json == animals
    few = clinic("GET", "/animals", scenario="few").json["animals"]
    assert [each["ownerId"] for each in few] == [1, 2, 3, 1]
    adopted = clinic("GET", "/animals", scenario="adopted").json["animals"]
    assert [each["ownerId"] for each in adopted] == [5, 1], "a given owner stays"
    assert len(clinic("GET", "/animals", scenario="orphans").json["animals"]) == 1


def test_records_of_a_scenario_below_one_another_in_any_order(tmp_path: Path) -> None:
    item = thing("id", "name", id="integer", name="string")
    paths: dict[str, Any] = {"/a": {"get": op(several(item))}}
    for path, keys in (("/a/{aId}/b", "aId"), ("/a/{aId}/b/{bId}/c", "aId,bId")):
        paths[path.rpartition("/")[0]] = at(keys, get=op(item))
        paths[path] = at(keys, get=op(several(item)), post=op(item, item, status=201))
    data = {"c": [{"name": "deep"}], "b": [{"id": 70, "name": "b"}], "a": [{"id": 9, "name": "a"}]}
    scenario = {"description": "d", "data": data}
    folder = tmp_path / "scenarios"
    folder.mkdir()
    (folder / "deep.json").write_text(json.dumps(scenario))
    call = Checked(write(tmp_path, paths), scenarios_dir=(folder,))
    assert [e["id"] for e in call("GET", "/a/9/b", scenario="deep").json] == [70]
    assert [e["name"] for e in call("GET", "/a/9/b/70/c", scenario="deep").json] == ["deep"]


BAD: dict[str, tuple[Any, str]] = {
    "type": ({"owners": [{"name": 5}]}, '"data.owners.1.name","what":"must be a string'),
    "key": ({"owners": [{"id": "x"}]}, '"data.owners.1.id","what":"must be'),
    "twice": ({"owners": [{"id": 1}, {"id": 1}]}, "already has"),
    "key of another kind": ({"owners": [{"id": True}]}, "id"),
    "record": ({"owners": ["a"]}, "must be a mapping"),
    "unknown": ({"ownres": [{"id": 1}]}, "owners"),
    "too many": ({"owners": 10**9}, "owners"),
}


@pytest.mark.parametrize(("data", "what"), BAD.values(), ids=BAD)
def test_invalid_data_of_a_scenario_is_reported(clinic: Checked, data: Any, what: str) -> None:
    body = {"description": "d", "data": data}
    response = clinic.call("POST", "/__mockpets/scenarios/check", json_body=body)
    problems = response.json["problems"]
    assert problems and what in response.text, response.text


def test_a_collection_outside_data_is_reported(clinic: Checked) -> None:
    body = {"description": "d", "animals": []}
    response = clinic.call("POST", "/__mockpets/scenarios/check", json_body=body)
    [problem] = response.json["problems"]
    assert problem["what"] == "unknown key 'animals'"
    assert problem["hint"] == "write it under data: 'data: {animals: ...}'"


def test_data_of_a_number_and_a_file(tmp_path: Path) -> None:
    file = tmp_path / "owners.yaml"
    file.write_text("- {id: 5, name: Five}\n- {name: Six}\n")
    cases = {"owners=40": [*range(1, 41)], f"owners={file}": [5, 2], "owners=0": []}
    for given, keys in cases.items():
        clinic = Checked(CLINIC, data=(given,))
        assert [each["id"] for each in owners(clinic)] == keys, given
        if keys:
            made = clinic("POST", f"/owners/{keys[0]}/animals", {"name": "a", "species": "cat"})
            assert made.status == 201


@pytest.mark.parametrize("given", ["owners=-1", "owners=x.yaml", "ownrs=4", "owners="])
def test_invalid_data_stops_the_start(given: str) -> None:
    with pytest.raises((InputError, ValueError)):
        create_app(Settings(contract=(str(CLINIC),), data=(given,)))


def test_a_file_with_an_invalid_record_stops_the_start(tmp_path: Path) -> None:
    file = tmp_path / "owners.json"
    file.write_text('[{"id": 1, "name": 5}]')
    with pytest.raises(InputError) as caught:
        create_app(Settings(contract=(str(CLINIC),), data=(f"owners={file}",)))
    assert "name" in str(caught.value) and "must be a string" in str(caught.value)


def test_the_control_api_changes_records(clinic: Checked) -> None:
    listed = clinic.control("GET", "data/owners?limit=2")
    assert (listed["total"], listed["id"], [each["id"] for each in listed["records"]]) == (
        *(16, "id"), [1, 2],
    )  # fmt: skip
    made = clinic.control("POST", "data/owners", {"name": "New"})
    assert clinic("GET", f"/owners/{made['id']}").json["data"]["name"] == made["name"] == "New"
    patched = clinic.control("PATCH", "data/owners/1", {"name": "Patched", "id": 9})
    assert clinic("GET", "/owners/1").json["data"] == patched
    assert clinic.control("PATCH", "data/owners/1", {"name": 5}) == 400
    assert clinic.control("PATCH", "data/owners/99", {"name": "a"}) == 404
    assert clinic.control("POST", "data/owners", {"id": 1}) == 409
    assert clinic.control("POST", "data/owners", []) == 400
    assert clinic.control("PUT", "data/owners", [{"id": 3, "email": 4}]) == 400
    clinic.control("DELETE", "data/owners/1")
    assert clinic("GET", "/owners/1").status == 404
    clinic.control("PUT", "data/owners", [{"id": 30, "name": "Only"}])
    assert [(each["id"], each["name"]) for each in owners(clinic)] == [(30, "Only")]
    clinic.control("PUT", "data/owners", 20)
    assert len(owners(clinic)) == 20


def test_a_record_that_is_added_gets_what_it_lacks(clinic: Checked) -> None:
    made = [clinic.control("POST", "data/animals", {"name": name}) for name in ("A", "B")]
    assert [each["id"] for each in made] == [33, 34]
    shown = ("name", "species", "ownerId", "favoritesCount")
    for each in made:
        animal = clinic("GET", f"/animals/{each['id']}").json
        assert {name: animal[name] for name in shown} == {name: each[name] for name in shown}
        of_owner = clinic("GET", f"/owners/{each['ownerId']}/animals").json
        assert each["id"] in [one["id"] for one in of_owner]
    given = {"id": 50, "name": "C", "species": "cat", "ownerId": 3, "favorite": False}
    given["favoritesCount"] = 0
    assert clinic.control("POST", "data/animals", given) == given
    member = clinic.control("POST", "data/members", {"name": "Eva"})
    assert clinic("GET", f"/members/{member['id']}").json == member


def test_a_single_object_is_not_added_again(clinic: Checked) -> None:
    settings = {"name": "Other", "opensAt": "07:00"}
    assert clinic.control("POST", "data/settings", settings) == 409
    assert clinic.control("GET", "data/settings")["total"] == 1
    clinic.control("PUT", "data/settings", [])
    clinic.control("POST", "data/settings", settings)
    assert clinic("GET", "/settings").json == {**clinic("GET", "/settings").json, **settings}
    assert clinic.control("POST", "data/settings", settings) == 409


def test_a_session_is_exported_and_imported(clinic: Checked) -> None:
    token = clinic(
        "POST", "/auth/register",
        {"name": "Kim", "email": "kim@example.com", "password": "let-me-in"},
        who=None, session="one",
    ).json["token"]  # fmt: skip
    clinic("POST", "/animals/1/favorite", who=token, session="one")
    made = clinic("POST", "/owners", OWNER, session="one").json["data"]
    exported = clinic.control("GET", "sessions/one/export")
    other = Checked(CLINIC)
    assert other.control("PUT", "sessions/two/export", exported) not in (400, 404, 422)
    assert owners(other, session="two")[-1] == made
    assert other("GET", "/me", who=token, session="two").json["name"] == "Kim"
    assert other("GET", "/animals/1", who=token, session="two").json["favorite"] is True
    login = {"email": "kim@example.com", "password": "wrong-password"}
    assert other("POST", "/auth/login", login, who=None, session="two").status == 401
    again = other.control("GET", "sessions/two/export")
    assert again["data"] == exported["data"]


def test_sessions_survive_a_restart(here: Path) -> None:
    state = str(here / "clinic.state")
    settings = Settings(port=0, contract=(str(CLINIC),), state=state)
    with MockpetsServer(settings) as server:
        call = Client(OverSocket(server.url))
        made = call("POST", "/~one/api/owners", json_body=OWNER).json["data"]
        call("DELETE", "/~one/api/owners/2")
        call("POST", "/~one/api/animals/1/favorite")
        before = call("GET", "/~one/api/owners?limit=50").json
    with MockpetsServer(settings) as server:
        call = Client(OverSocket(server.url))
        assert call("GET", "/~one/api/owners?limit=50").json == before
        assert call("GET", "/~one/api/animals/1").json["favorite"] is True
        again = call("POST", "/~one/api/owners", json_body=OWNER).json["data"]
        assert again["id"] == made["id"] + 1
        assert len(call("GET", "/api/owners?limit=50").json["data"]) == 16


def test_requests_are_logged_and_verified_by_operation_and_body(clinic: Checked) -> None:
    clinic("POST", "/owners", OWNER)
    clinic("GET", "/owners/999")
    logged = clinic.control("GET", "requests?operation=createOwner")["requests"]
    assert [(each["operation"], each["status"]) for each in logged] == [("createOwner", 201)]
    logged = clinic.control("GET", "requests?status=404")["requests"]
    assert [each["operation"] for each in logged] == ["getOwner"]
    match = {"operation": "createOwner", "body": {"name": "Ada"}}
    assert clinic.control("POST", "verify", {"match": match, "times": 1})["matched"]
    wrong = {"operation": "createOwner", "body": {"name": "Eve"}}
    assert clinic.control("POST", "verify", {"match": wrong, "times": 1}) >= 400


def test_records_count_towards_the_memory() -> None:
    clinic = Checked(CLINIC, memory=2**22)
    address = {"street": "s" * 60_000, "city": "c"}
    body = {**OWNER, "address": address}
    call = clinic.call
    statuses = [call("POST", "/api/owners", json_body=body).status for _ in range(60)]
    assert {*statuses} == {201, 507} and statuses[0] == 201 and statuses[-1] == 507
    assert (
        call("PATCH", "/api/owners/1", json_body={"address": address}, headers=MERGE).status == 507
    )
    assert call("GET", "/api/owners?limit=1").status == 200
    clinic.control("POST", "reset")
    assert call("POST", "/api/owners", json_body=body).status == 201


def test_two_documents_with_the_same_names_are_served() -> None:
    paths = (f"/one={CLINIC}", f"/two={CLINIC}")
    call = Client(InProcess(create_app(Settings(contract=paths))))
    made = call("POST", "/two/owners", json_body=OWNER)
    assert made.status == 201 and made.header("Location") == "/two/owners/17", made
    assert call("GET", "/two/owners/17").status == 200
    assert call("GET", "/one/owners/17").status == 404
    assert call("GET", "/one/owners/1/animals").status == 200
    assert call("DELETE", "/one/owners/1").status == 204
    assert call("GET", "/two/owners/1/animals").json
    first = call("GET", "/two/members").json[0]
    assert call("GET", "/two/me").json == first


def test_two_documents_share_the_name_of_one_collection(tmp_path: Path) -> None:
    shop = write(tmp_path, {"/owners": {"get": op(several(thing("id", "name", name="string")))}})
    data = {"animals": [{"name": "Rex"}], "clinic.owners": [{"id": 30, "name": "Thirty"}]}
    (tmp_path / "children.json").write_text(json.dumps({"description": "d", "data": data}))
    settings = Settings(contract=(f"/shop={shop}", str(CLINIC)), scenarios_dir=(tmp_path,))
    call = Client(InProcess(create_app(settings)))

    animal = {"name": "Tom", "species": "cat"}
    assert call("POST", "/api/owners/1/animals", json_body=animal).status == 201
    assert call("GET", "/api/animals", scenario="children").json["animals"][0]["ownerId"] == 30
    assert call("DELETE", "/api/owners/1").status == 204
    assert call("GET", "/api/owners/1/animals").status == 404
    assert call("GET", "/shop/owners").json[0]["id"] == "owner-1"
