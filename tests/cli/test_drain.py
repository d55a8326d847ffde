"""`serve --drain`: after SIGTERM, the server reports that it stops, and serves until then."""

import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from mockpets import Settings, create_app
from tests.cli.test_main import SECONDS, base_of, serving, wait_until
from tests.http_client import Client, InProcess, OverSocket
from tests.server.raw_http import Clock, running
from tests.web.test_contract import assert_error

READY, HEALTH = "/__mockpets/ready", "/__mockpets/health"
PET = {"name": "Miso", "categoryId": 2}

posix = pytest.mark.skipif(sys.platform == "win32", reason="ends the server by a signal")


def client(banner: str) -> Client:
    return Client(OverSocket(base_of(banner).removesuffix("/v1")))


def ended(process: subprocess.Popen[str]) -> list[str]:
    """Return the lines of the log without the time, and without those of requests."""
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    lines = [line.split(" ", 1)[1] for line in err.splitlines()]
    return [line for line in lines if not line[0].isdigit()]


@posix
@pytest.mark.parametrize(
    "second", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(
    "options", [(), pytest.param(("--control", "off"), marks=pytest.mark.slow)]
)
def test_after_sigterm_only_ready_fails_until_a_second_signal(
    second: signal.Signals, options: tuple[str, ...]
) -> None:
    with serving("--drain", "10m", *options) as (process, banner):
        call = client(banner)
        assert call("GET", READY).body == call("GET", HEALTH).body
        process.send_signal(signal.SIGTERM)

        assert wait_until(lambda: call("GET", READY).status == 503)
        stopping = call("GET", READY)
        assert_error(stopping, "stopping")
        assert stopping.json["message"].startswith("the server stops in ")
        assert call("GET", HEALTH).status == 200
        made = call("POST", "/v1/pets", json_body=PET)
        assert made.status == 201
        assert call("GET", f"/v1/pets/{made.json['id']}").json == made.json
        process.send_signal(second)

        log = ended(process)
        assert log[0].startswith("info: stopping in 600 s: GET /__mockpets/ready responds with 503")
        assert log[1:] == ["info: stopped"]


@posix
@pytest.mark.parametrize(
    ("options", "number"),
    [
        ((), signal.SIGTERM),
        pytest.param((), signal.SIGINT, marks=pytest.mark.slow),
        pytest.param(("--drain", "10m"), signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_without_drain_or_by_ctrl_c_the_server_stops_at_once(
    options: tuple[str, ...], number: signal.Signals
) -> None:
    with serving(*options) as (process, banner):
        assert client(banner)("GET", "/v1/pets").status == 200
        process.send_signal(number)

        assert ended(process) == ["info: stopped"]


def test_the_server_stops_when_the_time_has_passed() -> None:
    clock = Clock()
    with running(create_app(Settings()), clock=clock) as server:
        call = Client(OverSocket(f"http://127.0.0.1:{server.port}"))
        server.loop.stop_after(30)
        server.until(lambda: server.loop.scheduler.timers.timeout() is not None)
        clock.pass_(29)
        assert call("GET", READY).json["message"].startswith("the server stops in 1 s; ")
        assert call("GET", "/v1/pets").status == 200
        clock.pass_(1)

        server.thread.join(SECONDS)
        assert not server.thread.is_alive()


def test_another_wsgi_server_is_always_ready(fresh: Callable[..., Client]) -> None:
    call = fresh(drain=30.0)

    assert isinstance(call.transport, InProcess)
    assert call("GET", READY).status == call("GET", HEALTH).status == 200
