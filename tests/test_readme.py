"""What the README shows works as it stands; `.ci/run` runs its two commands in a fresh clone."""

import re
import sys
from pathlib import Path

import pytest

from mockpets import Settings, create_app
from mockpets.constants import CONTROL_PREFIX
from tests.docs.page import PAGES, ROOT, SHOP, Block, blocks
from tests.docs.test_pages import Reader
from tests.http_client import Client, InProcess, OverSocket
from tests.programs import free_port, need

README = blocks(ROOT / "README.md")


def shown(mark: str) -> str:
    """Return the text of the block with a mark."""
    [text] = [block.text for block in README if block.mark == mark]
    return text


@pytest.mark.tool  # curl
def test_the_tour_on_the_server_of_the_main_job(tmp_path: Path) -> None:
    """The numbers of the requests in its output show that the page misses none."""
    need("curl")
    install, serve = shown("the main job").rsplit(" && ", 1)
    assert install.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    reader = Reader(tmp_path, tmp_path, f"localhost:{free_port()}", 0)
    tour = [block for block in README if block.mark.startswith("tour")]
    assert len(tour) == 3
    with reader.serve(serve.strip()):
        for block in tour:
            assert block.output
            reader.run(block)


@pytest.mark.slow
def test_a_documented_error_of_the_own_document(tmp_path: Path) -> None:
    (tmp_path / "openapi.yaml").write_text(SHOP.text, encoding="utf-8")
    reader = Reader(tmp_path, tmp_path, f"localhost:{free_port()}", 0)
    contract, serve = shown("own document").splitlines()
    reader.run(Block("run", "", "sh", contract, ""))
    call = Client(OverSocket(f"http://{reader.host}"))
    with reader.serve(serve):
        [order, *_] = call("GET", "/api/orders").json
        path = f"/api/orders/{order['id']}"
        assert call("GET", path).json == order
        reader.run(Block("run", "", "sh", shown("own state"), ""))
        assert call("GET", path).status == 404


@pytest.mark.browser
@pytest.mark.node
@pytest.mark.long  # npm downloads Playwright
def test_a_javascript_repository(tmp_path: Path) -> None:
    """Without an app, the test of its page and the seed of agents are skipped."""
    need("chromium-headless-shell")
    need("npm")
    (tmp_path / "openapi.yaml").write_text(SHOP.text, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"name": "app", "private": true}')
    reader = Reader(tmp_path, tmp_path, f"localhost:{free_port()}", 0)

    done = reader.call(Block("run", "", "sh", shown("own repository"), ""))

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^ +2 skipped\n +1 passed", done.stdout, re.MULTILINE), done.stdout


def test_the_own_scenario_keeps_orders_and_lacks_a_pet(tmp_path: Path) -> None:
    (tmp_path / "shop.yaml").write_text(shown("own scenario"), encoding="utf-8")
    call = Client(InProcess(create_app(Settings(scenarios_dir=(tmp_path,), scenario=("shop",)))))

    created = call("POST", "/v1/orders", json_body={"petId": 7})
    assert (created.status, created.json) == (201, {"petId": 7, "id": 1})
    assert call("PATCH", "/v1/orders/1", json_body={"petId": 8}).json == {"petId": 8, "id": 1}
    assert call("GET", "/v1/orders").json == [{"petId": 8, "id": 1}]
    assert call("DELETE", "/v1/orders/1").status == 204
    assert [call("GET", f"/v1/pets/{number}").status for number in (3, 4)] == [404, 200]


def test_the_test_command_is_one_line_that_ends_in_pytest() -> None:
    """`.ci/run` runs it as it stands; a test that ran it would run itself."""
    command = shown("the test command")

    assert command.count("\n") == 1
    assert command.rstrip().endswith(".venv/bin/pytest")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_control_paths_named_exist() -> None:
    call = Client(InProcess(create_app(Settings())))
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    paths = set(re.findall(rf"`GET ({CONTROL_PREFIX}/[a-z./]+)`", text))

    assert paths
    assert [path for path in paths if call("GET", path).status != 200] == []
