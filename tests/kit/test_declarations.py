"""The generated declarations of the kit are up to date, and the hand-written ones find them."""

import pytest

from generate.declarations import control, scenarios
from mockpets.constants import PROTOCOL, VERSION
from mockpets.packaged_data import shipped
from tests.programs import need

KIT = shipped("kit")


STALE = "out of date; run .venv/bin/python -m generate"


def test_the_lists_of_scenarios_are_up_to_date() -> None:
    for file, text in scenarios().items():
        assert file.read_text(encoding="utf-8") == text, STALE


@pytest.mark.node
def test_the_declarations_of_the_control_api_are_up_to_date() -> None:
    need("openapi-typescript")
    [(file, text)] = control().items()

    assert file.read_text(encoding="utf-8") == text, STALE


def test_the_client_has_the_version_and_the_protocol_of_the_server() -> None:
    client = (KIT / "client.js").read_text(encoding="utf-8")

    assert f'const VERSION = "{VERSION}";\nconst PROTOCOL = {PROTOCOL};\n' in client
