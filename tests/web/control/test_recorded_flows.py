"""Ten typical flows: the recording has at most 1.5 times the lines of the file that a person wrote.

`tests/recordings` has both. ``python -m tests.web.control.test_recorded_flows`` records them again.
"""

from http.client import HTTPException
from pathlib import Path
from typing import Final

import pytest
import yaml

from mockpets import MockpetsServer, Settings
from mockpets.client import ControlClient
from tests.http_client import JSON, Client, OverSocket

FOLDER: Final = Path(__file__).parent.parent.parent / "recordings"
MISO: Final = '{"name":"Miso","categoryId":2}'
REX: Final = '{"name":"Rex","categoryId":1}'
ORDER: Final = '{"petId":7,"status":"placed"}'
FLOWS: Final[dict[str, list[str]]] = {
    "retry-checkout": ["GET /pets", "GET /pets", "GET /pets", "GET /pets/1", f"POST /pets {MISO}"],
    "expired-login": ["GET /pets", "GET /pets/1", "GET /pets", "GET /pets", f"POST /pets {MISO}"],
    "taken-name": [f"POST /pets {MISO}", f"POST /pets {REX}", "GET /pets?limit=100"],
    "missing-pet": ["GET /pets", "GET /pets/3", "GET /pets/2", "GET /pets/3"],
    "shop": [
        *("GET /store/orders", f"POST /store/orders {ORDER}", f"POST /store/orders {ORDER}"),
        *(f"POST /store/orders {ORDER}", "GET /store/orders/2", "POST /store/orders {}"),
        *("DELETE /store/orders/1", "GET /store/orders", "GET /store/orders/1"),
    ],
    "first-page-empty": ["GET /pets", "GET /pets", f"POST /pets {REX}", "GET /pets", "GET /pets/3"],
    "slow-search": ["GET /pets", "GET /pets?status=sold", "GET /pets", "GET /pets?status=sold"],
    "lost-response": [f"POST /pets {MISO}", f"POST /pets {MISO}", "GET /pets?limit=100"],
    "maintenance": ["GET /pets", "GET /pets/1", f"POST /pets {MISO}", "GET /store/orders"],
    "other-endpoints": ["GET /owners/1", "GET /pets", "DELETE /pets/2", "GET /owners/1"],
}
"""Requests, and the scenario in whose file they are described."""
MOST: Final = 1.5


def play(server: MockpetsServer, name: str, document: object) -> str:
    """Send a flow's requests under a scenario; return the recording."""
    call, control = Client(OverSocket(server.url)), ControlClient(server.url, name)
    control.make_session(name, scenario=document)  # type: ignore[arg-type]  # a whole scenario
    for line in FLOWS[name]:
        method, path, *body = line.split(" ", 2)
        content = body[0].encode() if body else None
        try:
            call(method, f"/~{name}/v1{path}", body=content, headers=JSON if body else {})
        except (OSError, HTTPException):
            continue  # the scenario breaks the connection
    recording = control.recording()
    assert recording["notes"] == []
    return recording["yaml"]


@pytest.mark.parametrize("name", FLOWS)
def test_a_recording_is_hardly_longer_than_a_file_that_a_person_wrote(name: str) -> None:
    written = (FOLDER / f"{name}.yaml").read_text("utf-8")
    recorded = (FOLDER / f"{name}.recorded.yaml").read_text("utf-8")
    with MockpetsServer(Settings(port=0)) as server:
        again = play(server, name, yaml.safe_load(written))

    assert again == recorded
    assert len(recorded.splitlines()) <= MOST * len(written.splitlines())


if __name__ == "__main__":
    with MockpetsServer(Settings(port=0)) as started:
        for flow in FLOWS:
            text = (FOLDER / f"{flow}.yaml").read_text("utf-8")
            recording = play(started, flow, yaml.safe_load(text))
            (FOLDER / f"{flow}.recorded.yaml").write_text(recording, "utf-8")
            print(f"{flow}: {len(recording.splitlines())} lines, {len(text.splitlines())} written")
