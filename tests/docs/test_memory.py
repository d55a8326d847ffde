"""The table of memory adds up the limits, and container files follow it."""

import gc
import re
import sys
import tracemalloc
from pathlib import Path
from typing import Final
from unittest import mock

import pytest

from mockpets import Settings, create_app
from mockpets.constants import CONNECTIONS, HEAD_BYTES
from mockpets.limits import USUAL
from mockpets.public.public_limits import PUBLIC
from mockpets.server.server_limits import ServerLimits
from tests.docs.page import ROOT
from tests.http_client import Client, InProcess
from tests.live.processes import rss, serving
from tests.programs import run_within

PAGE: Final = (ROOT / "docs/operate/deploy-and-monitor.md").read_text("utf-8")
ROWS: Final = {
    cells[0].split(", 7 KiB")[0].strip("* "): tuple(cells[1:3])
    for line in PAGE.splitlines()
    if len(cells := [cell.strip("* ") for cell in line.strip("|").split("|")]) == 4
}
SESSION_BYTES: Final = 7 * 1024
ARRIVING: Final = ServerLimits().bodies_bytes + CONNECTIONS * HEAD_BYTES
LIMITS: Final = {
    "sessions": (USUAL.sessions * SESSION_BYTES, PUBLIC.sessions * SESSION_BYTES),
    "request logs and records": (USUAL.memory, PUBLIC.memory),
    "requests that are arriving": (ARRIVING, ARRIVING),
}
IDLE: Final = "Python and mockpets, idle"


def test_each_part_has_the_size_of_its_limit() -> None:
    shown = {part: [int(cell) for cell in ROWS[part]] for part in LIMITS}

    assert shown == {part: [-(-size // 2**20) for size in each] for part, each in LIMITS.items()}


def test_the_sums_are_right_and_below_the_limits_of_the_containers() -> None:
    for column in (0, 1):
        parts = [int(ROWS[part][column]) for part in (*LIMITS, IDLE)]
        assert int(ROWS["sum"][column]) == sum(parts)
        assert sum(parts) <= int(ROWS["limit of the container"][column])
    [compose] = re.findall(r"mem_limit: (\d+)m", (ROOT / "compose.yaml").read_text("utf-8"))
    [demo] = re.findall(r"--memory (\d+)m", (ROOT / "docs/operate/demo.md").read_text("utf-8"))
    assert ROWS["limit of the container"] == (compose, demo)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="only Linux shows the memory of a process")
def test_an_idle_server_takes_what_the_table_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """After a first start, which compiles the modules, as `pip install` does."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    with serving():
        pass
    for words, shown in zip(((), ("--public",)), ROWS[IDLE], strict=True):
        with serving(*words) as (_, pid):
            assert int(shown) * 2 / 3 < rss(pid) <= int(shown)


@pytest.mark.slow
def test_a_session_takes_no_more_than_the_table_says() -> None:
    """In a process of its own: threads of other tests allocate too."""
    done = run_within(100, ROOT, sys.executable, "-m", "tests.docs.test_memory")

    assert 1024 < float(done.stdout) <= SESSION_BYTES


def _bytes_of_a_session() -> float:
    """What each of 500 sessions takes, without the request log, which has a row of its own."""
    with mock.patch("mockpets.web.app.LOG_ENTRIES", 0):
        call = Client(InProcess(create_app(Settings(max_sessions=2000))))

    def use(name: str) -> None:
        assert call("GET", "/v1/pets", headers={"Mockpets-Session": name}).status == 200

    for number in range(50):
        use(f"first-{number}")
    tracemalloc.start()
    for number in range(500):
        use(f"s{number}")
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    return taken / 500


if __name__ == "__main__":
    print(_bytes_of_a_session())
