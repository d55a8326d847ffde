"""The headings of the troubleshooting page are messages as the program sends them."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Final

import pytest
import requests

from mockpets import MockpetsServer, Settings
from tests.docs.page import ROOT

PAGE: Final = (ROOT / "docs/bugs/troubleshooting.md").read_text("utf-8")
HEADINGS: Final = re.findall(r"^### `(.+)`$", PAGE, re.MULTILINE)
KEY: Final = {"Authorization": "Bearer mockpets"}
PET: Final = {"name": "Miso", "categoryId": 2}
STATE: Final = "__mockpets/state"


def call(
    server: MockpetsServer, path: str, method: str = "GET", pet: object = None, **headers: str
) -> str:
    """Return the message of a response; `headers` have underscores for hyphens."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    response = requests.request(
        method, f"{server.url}/{path}", headers={**KEY, **names}, json=pet, timeout=10
    )
    body = response.json()
    return str(body["message"]) if isinstance(body, dict) and "message" in body else ""


def messages() -> Iterator[str]:
    """Yield the messages of the mistakes that the page is about."""
    with MockpetsServer(Settings(port=0, max_sessions=3)) as server:
        yield call(server, "pets")
        yield call(server, "v1/pets", Authorization="")
        server_port = server.url.rpartition(":")[2]
        yield call(server, "v1/pets", Mockpets_Sesion="a")
        yield call(server, STATE, Host="mock:7387")
        yield call(server, STATE, Origin="https://app.example")
        assert call(server, STATE, Origin="http://localhost:5173") == ""
        call(server, "__mockpets/sessions/worker-3", "PUT")
        call(server, "__mockpets/sessions/worker-3?closed=60s", "DELETE")
        yield call(server, "~worker-3/v1/pets")
        for number in range(3):
            last = call(server, f"~worker-{number + 10}/v1/pets")
        yield last.replace("all 3 ", "all 1000 ")
        command = [sys.executable, "-m", "mockpets", "serve", "--port", server_port]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 1
        yield done.stderr.removeprefix("mockpets: ").replace(server_port, "7387")
    with MockpetsServer(Settings(port=0, sessions="declared")) as server:
        yield call(server, "v1/pets")
        yield call(server, "~worker-3/v1/pets")
    with MockpetsServer(Settings(port=0, control_token="a-long-token")) as server:
        yield call(server, STATE, Authorization="")
        assert call(server, STATE).startswith("the control token is invalid")
    with MockpetsServer(Settings(port=0, max_records=1)) as server:
        call(server, "v1/pets", "POST", PET)
        yield call(server, "v1/pets", "POST", PET).replace("at most 1 ", "at most 10000 ")
    with MockpetsServer(Settings(port=0, public=True, control="off", visitor_rate=60)) as server:
        yield next(
            message for _ in range(1000) if (message := call(server, "v1/pets?limit=1")) != ""
        )


FROM_ANOTHER_MACHINE: Final = "the control API only accepts requests from the same machine"
"""tests/web/control/test_access.py sends this request."""


@pytest.mark.slow
def test_each_heading_is_a_message_and_each_message_has_a_heading() -> None:
    sent = [*messages()]
    headings = [each for each in HEADINGS if each != FROM_ANOTHER_MACHINE]

    assert FROM_ANOTHER_MACHINE in HEADINGS
    assert [h for h in headings if not any(each.startswith(h) for each in sent)] == [], sent
    assert [each for each in sent if not each.startswith(tuple(HEADINGS))] == []
