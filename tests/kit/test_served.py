"""A server provides the files of the kit, for teams without Python and for pages."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any

import pytest

from mockpets import Settings, create_app
from mockpets.cli.main import main
from mockpets.kit_files import files_of
from tests.http_client import Client, InProcess

NAMES = files_of()


def file(call: Client, name: str) -> str:
    response = call("GET", f"/__mockpets/{name}", key=None)
    assert response.status == 200
    return response.body.decode()


@pytest.mark.parametrize(
    "settings", [{}, {"public": True}, {"control_token": "t" * 16}, {"control": "off"}]
)
def test_every_file_is_served_without_a_token(
    fresh: Callable[..., Client], settings: dict[str, Any]
) -> None:
    call = fresh(**settings)
    for name in {*NAMES} - {"toolbar.js"}:  # tests/web/control/test_access.py
        response = call("GET", f"/~w1/__mockpets/{name}", key=None)
        if "control" in settings:
            assert response.json["message"].startswith("the control API is disabled")
            continue
        kind = {
            ".js": "text/javascript; charset=utf-8",
            ".ts": "text/plain; charset=utf-8",
            ".json": "application/json",
        }[PurePath(name).suffix]
        assert (response.status, response.header("Content-Type")) == (200, kind)


def test_the_command_writes_and_accepts_what_the_server_provides(
    call: Client, tmp_path: Path
) -> None:
    for name in NAMES:
        (tmp_path / name).write_text(file(call, name), encoding="utf-8")

    assert main(["kit", str(tmp_path), "--check"]) == 0


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [("http://localhost:5173", True), ("http://evil.test", False), ("https://app.test", True)],
)
def test_pages_on_the_origins_of_the_control_api_may_import_it(
    fresh: Callable[..., Client], origin: str, allowed: bool
) -> None:
    call = fresh(control_origin=("https://app.test",))

    response = call("GET", "/__mockpets/client.js", headers={"Origin": origin}, key=None)

    assert response.header("Access-Control-Allow-Origin") == (origin if allowed else None)
    assert response.header("Cross-Origin-Resource-Policy") is None
    assert response.header("X-Content-Type-Options") == "nosniff"


def test_the_scenario_names_are_those_of_the_server_also_after_a_reload(tmp_path: Path) -> None:
    """Those of files with problems too, unless the name itself is the problem."""
    (tmp_path / "first.yaml").write_text("description: d\nstubs: []\n")
    app = create_app(Settings(scenarios_dir=(tmp_path,)))
    call = Client(InProcess(app))
    before = re.findall(r'\| "(.*)"', file(call, "scenarios.d.ts"))
    for name in ("broken", "Not Valid"):
        (tmp_path / f"{name}.yaml").write_text("stubs: 3\n")
    app.extensions["mockpets"].reloader.look()
    after = re.findall(r'\| "(.*)"', file(call, "scenarios.d.ts"))

    assert {"empty", "first"} < {*before}
    assert before[0] == "first"
    assert after == ["first", "broken", *before[1:]]  # your own come first
    listed = file(call, "scenarios.js")
    assert '{ name: "first", description: "d" }' in listed
    assert '{ name: "broken", description: "" }' in listed
    assert "Not Valid" not in listed


def test_the_toolbar_is_one_small_file(call: Client) -> None:
    """`test_declarations` shows that it is made of the modules, and so has the protocol of now."""
    text = file(call, "toolbar.js")

    assert len(gzip.compress(text.encode(), 9)) <= 14_000
    assert re.findall(r"\bimport\b(?!\.meta\.url)|\bexport\b", text) == []
