"""The names of the cases of a test."""

from dataclasses import dataclass, field
from signal import Signals
from typing import NamedTuple

import pytest

from tests.case_names import ROOT, name_of


class Pair(NamedTuple):
    first: int
    second: str = "x"


@dataclass
class Row:
    path: str
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@pytest.mark.parametrize(("value", "name"), [
    ("GET /v1/pets", "GET /v1/pets"),
    ("", "''"),
    ("é\n", "\\xe9\\n"),
    ("\ud800", "\\ud800"),
    (b"\xff", "\\xff"),
    ("a" * 27, "a" * 23 + "..."),
    (None, "None"),
    (16**5000, "0x1" + "0" * 20 + "..."),
    (Signals.SIGTERM, "SIGTERM"),
    (len, "len"),
    ([], "[]"),
    (["use", "empty"], "use empty"),
    ({"b", "a", "c"}, "a b c"),
    ({"status": 404, "headers": {}}, "status=404 headers={}"),
    (ROOT / "docs/operate/containers.md", "docs/operate/containers.md"),
    (Pair(1), "first=1"),
    (Row("/v1"), "path=/v1 headers={}"),
    (object(), "object"),
])  # fmt: skip
def test_a_case_has_a_short_printable_name(value: object, name: str) -> None:
    assert name_of(value) == name
