"""What one request costs, counted and not timed: function calls, and bytes allocated at once.

Both are the same on every machine, and within a fiftieth from Python 3.11 to 3.13 and from the
lowest to the newest versions of what we depend on, so that they can be judged where times cannot.
The bounds leave a twentieth. When a change makes one fail: look at what it calls, and whether that
is worth it. If it is, put in what the failure says was measured, times 1.05. After an optimisation
do the same, so that it stays. For more than a count, by hand: `valgrind --tool=callgrind`, or
cProfile around what `prepared` returns.
"""

import gc
import io
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytest

from mockpets import Settings, create_app
from mockpets.contract.pet_store import PET_STORE
from mockpets.interface import App, Incoming, Reply

ROOT = Path(__file__).parent.parent
ONCE = 50
"""Requests before anything is counted: caches, lazy imports, a table's first copy."""
COUNTED = 11


class Operation(NamedTuple):
    """A request, and what it may cost.

    :param target: path and query.
    :param calls: of Python functions and of built-in ones.
    :param peak: bytes allocated at once, beyond those before.
    """

    target: str
    body: bytes
    status: str
    calls: int
    peak: int
    key: str = "mockpets"


OPERATIONS = {
    "listPets": Operation("/v1/pets?limit=20&status=available", b"", "200", 197, 5_940),
    "getPet": Operation("/v1/pets/3", b"", "200", 201, 4_880),
    "createPet": Operation("/v1/pets", b'{"name":"Miso","categoryId":2}', "201", 273, 4_800),
    "invalid query": Operation("/v1/pets?limit=0", b"", "400", 198, 4_880),
    "wrong key": Operation("/v1/pets?limit=20", b"", "401", 205, 5_090, key="other"),
    "missing pet": Operation("/v1/pets/999", b"", "404", 220, 5_020),
}
HEADERS = {
    # what a browser sends with `fetch` from another origin
    "HTTP_HOST": "localhost:7387", "HTTP_CONNECTION": "keep-alive",
    "HTTP_USER_AGENT": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0",
    "HTTP_ACCEPT": "*/*", "HTTP_ORIGIN": "http://localhost:5173",
    "HTTP_SEC_FETCH_SITE": "same-site", "HTTP_SEC_FETCH_MODE": "cors",
    "HTTP_SEC_FETCH_DEST": "empty", "HTTP_REFERER": "http://localhost:5173/",
    "HTTP_ACCEPT_ENCODING": "gzip, deflate, br, zstd", "HTTP_ACCEPT_LANGUAGE": "en-US,en;q=0.9",
}  # fmt: skip


@pytest.fixture
def app() -> Iterator[App]:
    app = create_app(Settings(data=("pets=50",)))
    with app.app_context():  # as our server has it
        yield app


@pytest.fixture
def quiet() -> Iterator[None]:
    """No collection while something is counted: its callbacks would be, too."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def prepared(app: App, operation: Operation) -> Callable[..., None]:
    """Return what sends one request, its environ changed as it is told, to an app that is warm."""
    path, _, query = operation.target.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "POST" if operation.body else "GET", "SCRIPT_NAME": "", "PATH_INFO": path,
        "QUERY_STRING": query, "REQUEST_URI": operation.target, "SERVER_NAME": "localhost",
        "SERVER_PORT": "7387", "SERVER_PROTOCOL": "HTTP/1.1", **HEADERS,
        "HTTP_AUTHORIZATION": f"Bearer {operation.key}", "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr,
        "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip
    if operation.body:
        environ["CONTENT_TYPE"] = "application/json"
        environ["CONTENT_LENGTH"] = str(len(operation.body))
    # As our server gives it to the app.
    names = tuple(key for key in environ if key.startswith("HTTP_"))
    fields = "".join(f"{key[5:]}: {environ[key]}\r\n" for key in names)
    head = f"GET {operation.target} HTTP/1.1\r\n{fields}\r\n".encode()
    answered: list[str] = []

    def send(**changes: str) -> None:
        body = {"wsgi.input": io.BytesIO(operation.body)}
        reply = app.handle(Incoming(environ | body | changes, head, names))
        assert isinstance(reply, Reply)
        answered[:] = [reply.status]

    for _ in range(ONCE):
        send()
    assert answered[0].startswith(operation.status)
    return send


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_request_calls_no_more_than_it_did(app: App, name: str) -> None:
    operation = OPERATIONS[name]
    counts = counted_calls(prepared(app, operation))
    calls = int(median(counts))
    # Later versions of Python count a few more calls for the same code.
    most = operation.calls * (1 if sys.version_info < (3, 12) else 1.04)
    assert calls <= most, f"{name} makes {calls} calls a request: {counts}"


def stub(number: int) -> dict[str, Any]:
    """Return a stub that matches no request of `OPERATIONS`, for one of them or of ten paths."""
    target = number % 13
    if target < 3:
        match: dict[str, Any] = {
            "operation": [*PET_STORE.operations][target],
            "headers": {"x-case": f"s{number}"},
        }
    else:
        path = f"/v1/store/{target}" + "/*" * (number % 2)
        match = {"method": "GET", "path": path, "query": {"page": f"{number}"}}
    return {"match": match, "delay": "1s", "times": 1}


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_a_request_calls_few_more_with_200_stubs(tmp_path: Path) -> None:
    calls = {}
    for count in (10, 200):
        document = {"description": "Match nothing.", "stubs": [stub(n) for n in range(count)]}
        (tmp_path / f"s{count}.json").write_text(json.dumps(document), encoding="utf-8")
        app = create_app(
            Settings(data=("pets=50",), scenarios_dir=(tmp_path,), scenario=(f"s{count}",))
        )
        for name, operation in OPERATIONS.items():
            calls[count, name] = int(median(counted_calls(prepared(app, operation))))

    more = [name for name in OPERATIONS if calls[200, name] > 1.5 * calls[10, name]]
    assert not more, calls


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", ["docs", "schema/scenario.json"])
def test_pages_and_documents_are_made_once(app: App, name: str) -> None:
    send = prepared(app, OPERATIONS["listPets"])
    path = {"PATH_INFO": f"/__mockpets/{name}", "QUERY_STRING": ""}
    send(**path)
    calls = int(median(counted_calls(lambda: send(**path))))
    assert calls <= 250, f"{name} makes {calls} calls a request"


def counted_calls(send: Callable[[], None]) -> list[int]:
    """Return how many functions each of some requests calls."""
    counts = []
    before = sys.getprofile()
    for _ in range(COUNTED):
        events = [0]

        def count(_frame: object, event: str, _arg: object, events: list[int] = events) -> None:
            events[0] += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            send()
        finally:
            sys.setprofile(before)
        counts.append(events[0])
    return counts


@pytest.mark.slow
def test_a_request_allocates_no_more_than_it_did() -> None:
    """In a process of its own: what other tests have loaded or patched adds some hundred bytes."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.test_cost"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    peaks = {name: int(median(each)) for name, each in json.loads(run.stdout).items()}
    assert peaks.keys() == OPERATIONS.keys()
    above = {name: peak for name, peak in peaks.items() if peak > OPERATIONS[name].peak}
    assert not above, run.stdout


def allocated_bytes() -> dict[str, list[int]]:
    """Return the bytes that each operation has allocated at once, in some requests."""
    app = create_app(Settings(data=("pets=50",)))
    peaks: dict[str, list[int]] = {}
    gc.collect()
    gc.disable()
    with app.app_context():
        for name, operation in OPERATIONS.items():
            send = prepared(app, operation)
            tracemalloc.start()
            for _ in range(COUNTED):
                before, _ = tracemalloc.get_traced_memory()
                tracemalloc.reset_peak()
                send()
                peaks.setdefault(name, []).append(tracemalloc.get_traced_memory()[1] - before)
            tracemalloc.stop()
    return peaks


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_requests_leave_nothing_behind_once_the_request_log_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mockpets.web.app.LOG_ENTRIES", ONCE // 2)
    send = prepared(create_app(Settings(data=("pets=50",))), OPERATIONS["listPets"])
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(200):
        send()
    gc.collect()
    left = sys.getallocatedblocks() - before
    assert left < 100, f"200 requests leave {left} blocks of memory behind"


@pytest.mark.slow
@pytest.mark.usefixtures("quiet")
def test_paths_and_methods_that_nobody_knows_leave_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mockpets.web.app.LOG_ENTRIES", ONCE // 2)
    send = prepared(create_app(Settings(data=("pets=50",))), OPERATIONS["listPets"])

    def wander(first: int, last: int) -> None:
        for number in range(first, last):
            send(PATH_INFO="/", REQUEST_METHOD=f"METHOD{number}")
            send(PATH_INFO="/" * number + "v1/pets")
            send(PATH_INFO=f"/v1/pets/{number}")
            send(PATH_INFO=f"/v1/nothing-{number}")

    wander(100, 400)  # fills every cache: the largest keep 256 entries
    gc.collect()
    before = sys.getallocatedblocks()
    wander(400, 600)
    gc.collect()
    left = sys.getallocatedblocks() - before
    assert left < 100, f"800 requests leave {left} blocks of memory behind"


if __name__ == "__main__":
    print(json.dumps(allocated_bytes()))
