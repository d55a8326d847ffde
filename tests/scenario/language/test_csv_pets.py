"""Pets from CSV: the same as from JSON, and every problem with its line."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockpets.constants import INT64_MAX, PET_STATUSES
from mockpets.errors import InputError
from mockpets.scenario.language.loader import load_fixture
from tests.cases import each

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mockpets.contract.schemas import Pet
    from tests.http_client import Client

HEADER = "id,name,categoryId,status\n"
BAD: dict[str, tuple[str, list[str]]] = {
    "empty": ("", ["f: is empty"]),
    "blank": ("\n,,\n", ["f: is empty"]),
    "unknown column": ("id,nmae\n1,x\n", ["f:1:1: unknown column 'nmae'; did you mean 'name'?"]),
    "no header": (
        "1,Miso\n",
        [
            "f:1:1: unknown column '1'; columns: id, name, categoryId, status",
            "f:1:1: unknown column 'Miso'; columns: id, name, categoryId, status",
        ],
    ),
    "column twice": ("id,name,id\n", ["f:1:1: duplicate column 'id'; remove one of them"]),
    "semicolons": (
        "id;name;categoryId\n1;x;2\n",
        ["f:1:1: unknown column 'id;name;categoryId'; separate the cells with commas"],
    ),
    "short row": (
        HEADER + "1,a,2,\n2,b\n",
        [
            "f:3:1: has 2 cells, but the header has 4; put quotes around a cell that contains a "
            "comma"
        ],
    ),
    "open quote": (
        HEADER + '1,"a,2,\n',
        ['f:2:1: is not valid CSV: unexpected end of data; write a quote inside quotes as ""'],
    ),
    "wrong values": (
        HEADER + "1,a,2,solld\n\nx,b,1.5,\n2,,3,\n1,c,007,sold\n",
        [
            'f:2:1: 1.status: must be one of available, pending, sold, got "solld"',
            "f:4:1: 2.categoryId: must be an integer, got 1.5",
            'f:4:1: 2.id: must be an integer, got "x"',
            "f:5:1: 3.name: is required",
            'f:6:1: 4.categoryId: must be an integer, got "007"',
            "f:6:1: 4.id: pet 1 already has the id 1; use unique ids",
        ],
    ),
}


def load(folder: Path, text: str) -> tuple[Pet, ...]:
    path = folder / "litter.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return load_fixture(path, "f")


@each("text, expected", BAD.values())
def test_a_bad_file_reports_every_problem(tmp_path: Path, text: str, expected: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)

    assert str(caught.value).split("\n") == expected


def test_cells_are_read_by_the_type_of_their_column(tmp_path: Path) -> None:
    text = f'name,id,categoryId,status\r\n"Mi""so, 2\n",{INT64_MAX},1,\r\n007,1,-2,sold\r\n'

    assert load(tmp_path, text) == (
        {"id": 1, "name": "007", "categoryId": -2, "status": "sold"},
        {"id": INT64_MAX, "name": 'Mi"so, 2\n', "categoryId": 1},
    )


PETS = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.integers(1, INT64_MAX),
            "name": st.text("aé猫,;\"' {}0.-", min_size=1),
            "categoryId": st.integers(-5, 5),
        },
        optional={"status": st.sampled_from(PET_STATUSES)},
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda pet: int(str(pet["id"])),
)


@given(pets=PETS)
def test_pets_survive_csv(
    tmp_path_factory: pytest.TempPathFactory, pets: list[dict[str, object]]
) -> None:
    file = StringIO()
    writer = csv.DictWriter(file, ["status", "id", "name", "categoryId"])
    writer.writeheader()
    writer.writerows(pets)

    expected = sorted(pets, key=lambda pet: int(str(pet["id"])))
    assert [*load(tmp_path_factory.mktemp("csv"), file.getvalue())] == expected


def test_a_folder_of_fixtures_may_have_csv_files(
    fresh: Callable[..., Client], tmp_path: Path
) -> None:
    (tmp_path / "litter.csv").write_text(HEADER + "7,Miso,2,sold\n")
    call = fresh(fixtures_dir=(tmp_path,))
    assert call("PUT", "/__mockpets/pets", json_body="litter").status == 200

    assert call("GET", "/v1/pets").json == [
        {"id": 7, "name": "Miso", "categoryId": 2, "status": "sold"}
    ]
