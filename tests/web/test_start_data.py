"""`--data`: a file or a number of records that every session starts with."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.errors import InputError
from mockpets.settings.sources import load_settings
from tests.http_client import Client

PETS: Any = [
    {"id": 3, "name": "Miso", "categoryId": 2, "status": "sold"},
    {"id": 7, "name": "Ada, 2", "categoryId": 1},
]
YAML = (
    "- {id: 3, name: Miso, categoryId: 2, status: sold}\n- {id: 7, name: 'Ada, 2', categoryId: 1}\n"
)
FILES = {"My pets.json": json.dumps(PETS), "pets.yml": YAML, "PETS.YAML": YAML}


@pytest.mark.parametrize(("name", "text"), FILES.items())
def test_every_session_starts_with_the_pets_of_a_file(
    fresh: Callable[..., Client], tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    call = fresh(data=(f"pets={tmp_path / name}",))

    assert call("GET", "/v1/pets").json == call("GET", "/~a/v1/pets").json == PETS
    body = {"name": "Mio", "categoryId": 1}
    assert call("POST", "/~a/v1/pets", json_body=body).json["id"] == 8
    call("PUT", "/__mockpets/sessions/a", json_body={"seed": 5})
    assert call("GET", "/~a/v1/pets").json == PETS
    call("POST", "/~a/v1/pets", json_body=body)
    call("POST", "/~a/__mockpets/reset")
    assert call("GET", "/~a/v1/pets").json == PETS


BAD = {
    "pets.json": ('[{"id": 1, "name": "a"},\n {"id": 1, "name": 5, "categoryId": 2}]',
        ["pets.json:1:2: 1.categoryId: is required",
         "pets.json:2:9: 2.id: pet 1 already has the id 1; use unique ids",
         'pets.json:2:20: 2.name: must be a string of Unicode text, got 5; quote it: "5"']),
    "gone.yaml": (None, ["gone.yaml: file not found; check the path"]),
}  # fmt: skip


@pytest.mark.parametrize(("name", "file"), BAD.items())
def test_every_problem_of_a_file_is_reported_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, file: tuple[str | None, list[str]]
) -> None:
    monkeypatch.chdir(tmp_path)
    text, problems = file
    if text is not None:
        Path(name).write_text(text)
    with pytest.raises(InputError) as caught:
        create_app(Settings(data=(f"pets={name}",), scenario=("nothing",)))

    first, *rest = map(str, caught.value.problems)
    assert first.startswith("--scenario: unknown scenario 'nothing'")
    assert rest == problems


def test_the_settings_file_can_name_a_file_of_pets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pets.yml").write_text(YAML)
    Path("mockpets.toml").write_text('data = ["pets=pets.yml"]\n')
    settings = load_settings({}, {}, None)
    assert settings.starts == {"pets": "pets.yml"}
    assert settings.options() == ["--data pets=pets.yml"]


SHOP = "description: d\nresources: [{path: /orders, required: [petId]}]\n"


def test_every_session_starts_with_the_records_of_a_scenarios_collection(
    fresh: Callable[..., Client], tmp_path: Path
) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "orders.json").write_text('[{"id": 4, "petId": 1}, {"petId": 2}]')
    call = fresh(
        scenarios_dir=(tmp_path,),
        scenario=("shop",),
        data=("pets=2", f"orders={tmp_path / 'orders.json'}"),
    )
    orders = [{"id": 4, "petId": 1}, {"id": 5, "petId": 2}]

    assert len(call("GET", "/v1/pets").json) == 2
    assert call("GET", "/orders").json == call("GET", "/~a/orders").json == orders
    assert call("POST", "/~a/orders", json_body={"petId": 3}).json == {"id": 6, "petId": 3}
    call("POST", "/~a/__mockpets/reset")
    assert call("GET", "/~a/orders").json == orders


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"id": 1}]', "petId"),
        (
            '[{"id": 1, "petId": 1}, {"id": 1, "petId": 1}]',
            "record 2: orders already has a record with the id 1",
        ),
        ("{", "orders.json:1"),
        ("40", "must be a list of records"),
    ],
)
def test_every_problem_of_records_is_reported_at_the_start(
    tmp_path: Path, text: str, problem: str
) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    (tmp_path / "orders.json").write_text(text)
    with pytest.raises(InputError) as caught:
        create_app(
            Settings(scenarios_dir=(tmp_path,), data=(f"orders={tmp_path / 'orders.json'}",))
        )

    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("orderz=3", "unknown collection 'orderz'; did you mean 'orders'?"),
        ("orders=3", "orders"),
        ("pets=-1", "-1"),
    ],
)
def test_data_that_no_collection_can_have_is_reported_at_the_start(
    tmp_path: Path, value: str, problem: str
) -> None:
    (tmp_path / "shop.yaml").write_text(SHOP)
    with pytest.raises(InputError) as caught:
        create_app(Settings(scenarios_dir=(tmp_path,), data=(value,)))

    assert problem in str(caught.value)
