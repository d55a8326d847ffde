"""Both compose files match the compose specification; that for one process starts without Docker.

The schema is the specification's own, as check-jsonschema carries it.
"""

import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml

import mockpets
from mockpets.cli.deploy import render
from mockpets.constants import GENERATED_RECORDS
from mockpets.settings import Settings
from mockpets.settings.settings_table import rows
from mockpets.settings.sources import URL_VARIABLE
from tests import programs
from tests.http_client import Client, OverSocket, Response
from tests.programs import free_port, run
from tests.test_container_files import PAGES, environment, one

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
DEPLOYED = yaml.safe_load(render("compose", 4)["compose.yaml"])
"""The file for several processes; tests/test_deploy.py has what is only in it."""
SERVICES = COMPOSE["services"]
MOCK, APP = SERVICES["mock"], SERVICES["app"]
TOKEN = "only-for-this-test"
SECONDS = 20
"""How long anything may take before it counts as hanging."""


# --- What it says -----------------------------------------------------------------------------


def flaws(document: object) -> list[str]:
    found = find_spec("check_jsonschema")  # and not imported: it may want another click than ours
    assert found is not None
    assert found.origin is not None
    path = Path(found.origin).parent / "builtin_schemas" / "vendor" / "compose-spec.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    errors = jsonschema.Draft202012Validator(schema).iter_errors(document)
    return [error.message for error in errors]


@pytest.mark.parametrize("document", [COMPOSE, DEPLOYED], ids=["compose.yaml", "deploy"])
def test_it_is_a_compose_file(document: Any) -> None:
    assert flaws(document) == []


@pytest.mark.parametrize(
    "service", [MOCK, *DEPLOYED["services"].values()], ids=["compose.yaml", *DEPLOYED["services"]]
)
def test_the_mock_is_confined(service: Any) -> None:
    assert service["restart"] == "unless-stopped"
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert (service["mem_limit"], service["pids_limit"]) == (MOCK["mem_limit"], MOCK["pids_limit"])
    assert all(volume.endswith(":ro") for volume in MOCK["volumes"])
    assert not {"privileged", "cap_add", "user", "network_mode", "pid", "devices"} & service.keys()


def test_the_image_is_this_version_s() -> None:
    images = {MOCK["image"]}
    for page in PAGES:
        images |= set(re.findall(r"\bmockpets:\d[\w.]*", page.read_text(encoding="utf-8")))

    assert images == {f"mockpets:{mockpets.__version__}"}


@pytest.mark.parametrize(
    ("document", "public"),
    [(COMPOSE, "mock"), (DEPLOYED, "haproxy")],
    ids=["compose.yaml", "deploy"],
)
def test_only_this_machine_can_call_it(document: Any, public: str) -> None:
    port = Settings().port
    ports = {n: each["ports"] for n, each in document["services"].items() if "ports" in each}

    assert ports.pop(public) == [f"127.0.0.1:{port}:{port}"]
    assert ports.keys() <= {"app"}


def test_every_variable_of_ours_is_a_setting() -> None:
    known = {row.variable for row in rows()}
    ours = {name for name in APP["environment"] if name.startswith("MOCKPETS_")}

    assert MOCK["environment"].keys() <= known
    assert ours <= known | {URL_VARIABLE}


def test_without_a_token_it_does_not_start() -> None:
    for service in (MOCK, APP):
        with pytest.raises(LookupError, match="at least 8 characters"):
            resolved(service["environment"], {})


# --- The same wiring, without Docker ----------------------------------------------------------


def resolved(values: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """Fill in ``${NAME:?what is wrong}`` as compose does.

    :raise LookupError: one is missing.
    """

    def fill(found: re.Match[str]) -> str:
        value = given.get(found[1])
        if not value:
            raise LookupError(found[2])
        return value

    return {name: re.sub(r"\$\{(\w+):\?(.*?)\}", fill, value) for name, value in values.items()}


@pytest.mark.slow
def test_the_app_s_requests_work_as_wired(tmp_path: Path) -> None:
    """What is mounted is a folder here, and what is named `mock` a port."""
    port, given = free_port(), {"MOCKPETS_CONTROL_TOKEN": TOKEN}
    mounts = {volume.split(":")[1]: volume.split(":")[0] for volume in MOCK["volumes"]}
    inside = environment() | resolved(MOCK["environment"], given)
    ours = {name: value for name, value in inside.items() if name.startswith("MOCKPETS_")}
    folders = {n: str(tmp_path / mounts[value]) for n, value in ours.items() if value in mounts}
    assert len(folders) == len(mounts), "a mount that no variable leads to"
    variables = ours | folders | {"MOCKPETS_PORT": str(port)}
    for source in mounts.values():
        (tmp_path / source).mkdir(parents=True)
    zoo = '[{"id": 1, "name": "Zelda", "categoryId": 1}]'
    (tmp_path / "mock/fixtures/zoo.json").write_text(zoo, encoding="utf-8")
    scenario = "description: The zoo.\ndata: {pets: zoo}\n"
    (tmp_path / "mock/scenarios/visit.yaml").write_text(scenario, encoding="utf-8")

    def is_healthy() -> bool:
        kind, *words = MOCK["healthcheck"]["test"]
        assert kind == "CMD"  # which needs no shell
        return run(tmp_path, *words, **variables).returncode == 0

    def ask(method: str, url: str, token: str | None, **options: Any) -> Response:
        """Ask as the app would, by the address that it has."""
        parts = urlsplit(url)
        assert (parts.hostname, parts.port) == ("mock", Settings().port)
        call = Client(OverSocket(f"http://127.0.0.1:{port}"))
        return call(method, parts.path, headers={"Host": parts.netloc}, key=token, **options)

    assert APP["depends_on"] == {"mock": {"condition": "service_healthy"}}
    assert not is_healthy()
    command = [*json.loads(one("ENTRYPOINT")), *json.loads(one("CMD"))]
    with subprocess.Popen(command, cwd=tmp_path, env=programs.environment(**variables)) as mock:
        try:
            end = monotonic() + SECONDS
            while not is_healthy():
                assert mock.poll() is None
                assert monotonic() < end
            app = resolved(APP["environment"], given)
            pets, key = f"{app['API_URL']}/pets", app["API_KEY"]
            assert len(ask("GET", pets, key).json) == int(GENERATED_RECORDS)
            assert ask("GET", pets, key, scenario="visit").json == json.loads(zoo)
            reset = f"{app['MOCKPETS_URL']}/__mockpets/reset"
            assert ask("POST", reset, None).status == 401
            assert ask("POST", reset, app["MOCKPETS_CONTROL_TOKEN"]).status == 200
        finally:
            mock.terminate()
    assert mock.returncode == 0
