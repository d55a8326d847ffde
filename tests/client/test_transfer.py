"""The client's calls that take a session to another server."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient, ControlError

MISO: Any = {"name": "Miso", "categoryId": 2}


@pytest.fixture(scope="module")
def other() -> Iterator[MockpetsServer]:
    """Another server, with other pets and a scenario."""
    settings = Settings(port=0, host=("127.0.0.1",), data=("pets=2",), scenario=("empty",))
    with MockpetsServer(settings) as running:
        yield running


def test_a_session_goes_to_another_server(server: MockpetsServer, other: MockpetsServer) -> None:
    one, two = ControlClient(server.url, "w1"), ControlClient(other.url, "w2")
    added = one.add_record("pets", MISO)
    exported = one.export_session()
    summary = two.import_session(exported)

    assert (summary["name"], summary["active"]) == ("w2", ["default"])
    assert two.record("pets", added["id"]) == added
    assert two.export_session() == {**exported, "session": "w2"}
    assert two.export_session("w2", log=True).keys() - exported.keys() == {"log"}


def test_the_client_keeps_its_session_after_an_import(server: MockpetsServer) -> None:
    """Importing creates the session again if it was deleted, with another ID."""
    client = ControlClient(server.url, "w3")
    client.add_record("pets", MISO)
    exported = client.export_session()
    client.drop_session("w3")
    client.import_session(exported)

    assert client.records("pets")[-1]["name"] == "Miso"
    client.import_session(exported, "w4")
    assert [each["name"] for each in client.sessions()][-2:] == ["w3", "w4"]


def test_an_invalid_export_is_an_error_with_its_problems(server: MockpetsServer) -> None:
    invalid: Any = {"format": 1, "scenario": "default", "seed": "x"}
    with pytest.raises(ControlError) as caught:
        ControlClient(server.url, "w5").import_session(invalid)
    assert [problem.where for problem in caught.value.problems] == ["seed"]
