"""compose.yaml: held against the compose specification, and its wiring started without Docker.

The schema is the specification's own, as check-jsonschema carries it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jsonschema
import pytest
import yaml

import mockpets
from mockpets.settings import Settings
from mockpets.settings.model import rows
from mockpets.settings.sources import URL_VARIABLE
from tests.http_client import Client, OverSocket, Response
from tests.programs import free_port
from tests.test_container_files import PAGES, environment, one

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
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


def test_it_is_a_compose_file() -> None:
    assert flaws(COMPOSE) == []


def test_the_mock_is_confined() -> None:
    assert MOCK["cap_drop"] == ["ALL"]
    assert MOCK["read_only"] is True
    assert MOCK["security_opt"] == ["no-new-privileges:true"]
    assert MOCK["mem_limit"]
    assert MOCK["pids_limit"]
    assert all(volume.endswith(":ro") for volume in MOCK["volumes"])
    assert not {"privileged", "cap_add", "user", "network_mode", "pid", "devices"} & MOCK.keys()


def test_the_image_is_this_version_s() -> None:
    images = {MOCK["image"]}
    for page in PAGES:
        images |= set(re.findall(r"\bmockpets:\d[\w.]*", page.read_text(encoding="utf-8")))

    assert images == {f"mockpets:{mockpets.__version__}"}


def test_only_this_machine_can_call_it() -> None:
    port = Settings().port

    assert MOCK["ports"] == [f"127.0.0.1:{port}:{port}"]


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


class Composed:
    """The services on this machine: what is mounted is a folder, what is named `mock` a port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        mounts = dict(reversed(volume.split(":")[:2]) for volume in MOCK["volumes"])
        given = {"MOCKPETS_CONTROL_TOKEN": TOKEN}
        inside = environment() | resolved(MOCK["environment"], given)
        ours = {name: value for name, value in inside.items() if name.startswith("MOCKPETS_")}
        for source in mounts.values():
            (folder / source).mkdir(parents=True)
        folders = {n: str(folder / mounts[value]) for n, value in ours.items() if value in mounts}
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.mock = keep | ours | folders | {"MOCKPETS_PORT": str(self.port)}
        self.app = resolved(APP["environment"], given)
        assert len(folders) == len(mounts), "a mount that no variable leads to"

    def command(self, words: list[str]) -> list[str]:
        assert words[0] == "mockpets"
        return [sys.executable, "-m", *words]

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[str]]:
        words = self.command([*json.loads(one("ENTRYPOINT")), *json.loads(one("CMD"))])
        with subprocess.Popen(
            words, cwd=self.folder, env=self.mock, stdout=subprocess.PIPE, text=True
        ) as process:
            try:
                yield process
            finally:
                process.terminate()
                process.communicate(timeout=SECONDS)

    def is_healthy(self) -> bool:
        kind, *words = MOCK["healthcheck"]["test"]
        assert kind == "CMD"  # which needs no shell
        found = subprocess.run(
            self.command(words),
            cwd=self.folder,
            env=self.mock,
            capture_output=True,
            timeout=int(MOCK["healthcheck"]["timeout"].rstrip("s")),
            check=False,
        )
        return found.returncode == 0

    def ask(self, method: str, url: str, token: str | None, **options: Any) -> Response:
        """Ask as the app would, by the address that it has."""
        parts = urlsplit(url)
        assert (parts.hostname, parts.port) == ("mock", Settings().port)
        call = Client(OverSocket(f"http://127.0.0.1:{self.port}"))
        return call(method, parts.path, headers={"Host": parts.netloc}, key=token, **options)


def test_it_works_as_wired(tmp_path: Path) -> None:
    composed = Composed(tmp_path)
    zoo = '[{"id": 1, "name": "Zelda", "categoryId": 1}]'
    (tmp_path / "mock/fixtures/zoo.json").write_text(zoo, encoding="utf-8")
    scenario = "description: The zoo.\npets: zoo\n"
    (tmp_path / "mock/scenarios/visit.yaml").write_text(scenario, encoding="utf-8")
    assert APP["depends_on"] == {"mock": {"condition": "service_healthy"}}

    assert not composed.is_healthy()
    with composed.started() as mock:
        end = monotonic() + SECONDS
        while not composed.is_healthy():
            assert mock.poll() is None
            assert monotonic() < end
        app = composed.app
        pets, key = f"{app['API_URL']}/pets", app["API_KEY"]
        own = f"{key}~default"
        assert composed.ask("GET", pets, key).json["code"] == "session_required"
        assert len(composed.ask("GET", pets, own).json) == Settings().pet_count
        assert composed.ask("GET", pets, own, scenario="visit").json == json.loads(zoo)
        reset = f"{app['MOCKPETS_URL']}/~default/__mockpets/reset"
        assert composed.ask("POST", reset, None).status == 401
        assert composed.ask("POST", reset, app["MOCKPETS_CONTROL_TOKEN"]).status == 200
    assert mock.returncode == 0
