"""A deprecated operation of a document is noted, and sends the dates of its corrections."""

from pathlib import Path
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.errors import InputError
from tests.http_client import Client, InProcess

SHOP = """\
openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /old: {get: {operationId: getOld, deprecated: true, responses: {"204": {description: ok}}}}
  /new: {get: {operationId: getNew, deprecated: false, responses: {"204": {description: ok}}}}
"""


def served(folder: Path, corrections: str = "") -> Client:
    (folder / "shop.yaml").write_text(SHOP)
    if corrections:
        (folder / "shop.mockpets.yaml").write_text(f"operations: {corrections}\n")
    return Client(InProcess(create_app(Settings(contract=(str(folder / "shop.yaml"),)))))


def notes(call: Client) -> list[tuple[str, str]]:
    """Return the notes of the last request."""
    request: Any = call("GET", "/__mockpets/requests").json["requests"][-1]
    return [(each["code"], each["text"]) for each in request["notes"]]


@pytest.mark.parametrize(
    ("corrections", "path", "headers", "note"),
    [
        ("", "/old", (None, None), "getOld is deprecated"),
        ("", "/new", (None, None), None),
        (
            "{getOld: {deprecation: 2026-01-01, sunset: 2030-12-05}}",
            "/old",
            ("@1767225600", "Thu, 05 Dec 2030 00:00:00 GMT"),
            "getOld is deprecated and will be removed on 2030-12-05",
        ),
        (
            "{getNew: {sunset: '2030-12-05'}}",
            "/new",
            (None, "Thu, 05 Dec 2030 00:00:00 GMT"),
            "getNew is deprecated and will be removed on 2030-12-05",
        ),
        (
            "{GET /new: {deprecation: 2026-01-01}}",
            "/new",
            ("@1767225600", None),
            "getNew is deprecated",
        ),
    ],
)
def test_the_note_and_the_headers(
    tmp_path: Path,
    corrections: str,
    path: str,
    headers: tuple[str | None, str | None],
    note: str | None,
) -> None:
    call = served(tmp_path, corrections)
    response = call("GET", path)

    assert (response.status, response.headers.get("link")) == (204, None)
    assert (response.headers.get("deprecation"), response.headers.get("sunset")) == headers
    assert notes(call) == ([("deprecated", note)] if note else [])


@pytest.mark.parametrize("day", ["2026-02-30", "soon", "5", "{}", "2026-1-1", "''"])
def test_a_day_that_does_not_exist_is_a_problem(tmp_path: Path, day: str) -> None:
    with pytest.raises(InputError) as caught:
        served(tmp_path, f"{{getOld: {{sunset: {day}}}}}")

    assert "shop.mockpets.yaml:1:" in str(caught.value)
    assert "must be a day such as 2026-01-31" in str(caught.value)


def test_the_docs_page_has_a_deprecated_operation(tmp_path: Path) -> None:
    assert "/old" in served(tmp_path)("GET", "/__mockpets/docs").text
