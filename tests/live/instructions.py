"""Compare how many instructions a request takes with the last version that landed.

``python -m tests.live.instructions`` runs `mockpets serve` of both versions in valgrind, prints a
table, and exits with status 1 if a figure is more than a fiftieth above that of before. The
medians of batches repeat within a hundredth or so, whatever else the machine does; a batch in which
Python collects garbage may be far above, which is seldom more than one of five.

``.ci/landed`` has the commit to compare with for each contract, as ``document COMMIT``. Each line
below allows more for one figure, with the reason: ``create 1.05 checks names for line breaks``.
With bodies of the pet store's size, a document may take a quarter more than the pet store.
"""

import compileall
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from tests.built import build

ROOT: Final = Path(__file__).parent.parent.parent
LANDED: Final = ROOT / ".ci" / "landed"
MOST: Final = 1.02
MOST_OF_DOCUMENT: Final = 1.25
"""The bound for a document to the same operation of the pet store."""
SECONDS: Final = 120.0
_GIT: Final = ("git", "-C", str(ROOT))
_WARM: Final = 20
_SENT: Final = 10
_BATCHES: Final = 5
_TRIES: Final = 3
_TRY_SECONDS: Final = 30.0
"""A dump takes less than a second on an idle machine."""


class Request(NamedTuple):
    """A request and the status of its response.

    :param target: ``{number}`` in it is another number each time.
    :param like: the figure of the pet store to compare with.
    """

    status: int
    target: str
    key: str = "mockpets"
    method: str = "GET"
    body: str = ""
    like: str = ""

    def encoded(self, number: int) -> bytes:
        """Return it with the headers of a browser."""
        lines = [f"{self.method} {self.target.format(number=number)} HTTP/1.1"]
        lines += ["Host: localhost:7387", f"Authorization: Bearer {self.key}", "Accept: */*"]
        lines += ["Origin: http://localhost:5173", "Accept-Encoding: gzip, deflate, br, zstd"]
        if self.body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(self.body)}"]
        return "\r\n".join([*lines, "", self.body]).encode()


class Subject(NamedTuple):
    """A contract that is served, and requests to it.

    :param start: the name of the figure for a start until the first request has its response.
    """

    options: tuple[str, ...]
    start: str
    requests: Mapping[str, Request]


SUBJECTS: Final[Mapping[str, Subject]] = {
    "pet-store": Subject(
        (),
        "first 200",
        {
            "list": Request(200, "/v1/pets?limit=20&status=available"),
            "get": Request(200, "/v1/pets/3"),
            "create": Request(
                201, "/v1/pets", method="POST", body='{"name":"Miso","categoryId":2}'
            ),
            "400": Request(400, "/v1/pets?limit=0"),
            "401": Request(401, "/v1/pets", key="other"),
        },
    ),
    "document": Subject(
        ("--contract", str(ROOT / "tests" / "contract" / "documents" / "pets.yaml")),
        "document first 200",
        {
            "document list": Request(200, "/v1/pets?limit=20&status=available", like="list"),
            "document page": Request(200, "/v1/cats?limit=5&offset=5", like="list"),
            "document get": Request(200, "/v1/pets/3", like="get"),
            "document create": Request(
                201, "/v1/pets", method="POST", body='{"name":"Miso","categoryId":2}', like="create"
            ),
            "document replace": Request(
                200, "/v1/pets/3", method="PUT", body='{"name":"Mia","categoryId":2}', like="create"
            ),
            "document delete": Request(204, "/v1/pets/{number}", method="DELETE", like="create"),
            "document single": Request(
                200, "/v1/shop", method="PUT", body='{"name":"Miso","city":"Rome"}', like="create"
            ),
            "document search": Request(200, "/v1/owners?q=a"),
            "document owner": Request(
                201,
                "/v1/owners",
                method="POST",
                body='{"name":"Ada Berg","email":"ada@example.com"}',
            ),
            "document 404": Request(404, "/v1/pets/99999"),
            "document 400": Request(400, "/v1/pets", method="POST", body='{"name":""}'),
        },
    ),
}


def count(folder: Path, subject: Subject) -> dict[str, float]:
    """Return the instructions of a start until the first response, and of each kind of request.

    :raise RuntimeError: the server sends another status or does not start.
    """
    with tempfile.TemporaryDirectory() as name, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        output = Path(name, "callgrind")
        # Without the thread that polls the scenario files, whose share depends on the time.
        command = ["valgrind", "--tool=callgrind", "--separate-threads=yes"]
        command += [f"--callgrind-out-file={output}"]
        command += [sys.executable, "-m", "mockpets", "serve", "--port", str(port)]
        command += subject.options
        variables = {"PYTHONPATH": str(folder), "PYTHONHASHSEED": "0", "PATH": os.environ["PATH"]}
        process = subprocess.Popen(
            command, cwd=name, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            connection = _connected(port, process)
            with connection:
                _send(connection, next(iter(subject.requests.values())), range(1))
                figures: dict[str, float] = {subject.start: _counted(process, output)}
                for kind, request in subject.requests.items():
                    _send(connection, request, range(1, _WARM + 1))
                    _counted(process, output)
                    batches = []
                    for batch in range(_BATCHES):
                        first = 1 + _WARM + batch * _SENT
                        _send(connection, request, range(first, first + _SENT))
                        batches.append(_counted(process, output))
                    figures[kind] = median(batches) / _SENT
        finally:
            process.terminate()
            process.wait(SECONDS)
    return figures


def _connected(port: int, process: subprocess.Popen[bytes]) -> socket.socket:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(ConnectionRefusedError):
            return socket.create_connection(("127.0.0.1", port), SECONDS)
        time.sleep(0.05)
    raise RuntimeError("the server does not start in valgrind")


def _send(connection: socket.socket, request: Request, numbers: Iterable[int]) -> None:
    expected = f"HTTP/1.1 {request.status} ".encode()
    for number in numbers:
        connection.sendall(request.encoded(number))
        response = b""
        while not (length := _length(response)) or len(response) < length:
            data = connection.recv(65536)
            if not data:
                raise RuntimeError(f"the connection ended: {response!r}")
            response += data
        if not response.startswith(expected):
            raise RuntimeError(f"expected {request.status} for {request.target}: {response!r}")


def _length(response: bytes) -> int:
    """Return the length of a response; 0 as long as its head is not complete."""
    head, end, _ = response.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)  # a 204 has none
    return len(head) + len(end) + int(length[1] if length else 0) if end else 0


def _counted(process: subprocess.Popen[bytes], output: Path) -> int:
    """Return the instructions since the last call."""
    dumps = len([*output.parent.glob("callgrind.*-01")])
    dump = output.with_name(f"callgrind.{dumps + 1}-01")
    command = ["vgdb", f"--pid={process.pid}", "dump"]
    for _ in range(_TRIES):  # on a busy machine, vgdb may wait forever
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_TRY_SECONDS)
        except subprocess.TimeoutExpired:
            if not dump.exists():
                continue
        break
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError):
            if total := re.search(
                r"^totals: (\d+)", dump.read_text(encoding="utf-8"), re.MULTILINE
            ):
                return int(total[1])
        time.sleep(0.05)
    raise RuntimeError("valgrind does not respond")


def compare(
    before: Mapping[str, float], after: Mapping[str, float], allowances: Iterable[str]
) -> tuple[list[str], bool]:
    """Return the lines of a table, and whether each figure is within its bound."""
    allowed = dict.fromkeys(after, MOST)
    for line in allowances:
        kind = next((kind for kind in after if line.startswith(f"{kind} ")), None)
        if kind is None:
            raise ValueError(f"{LANDED}: expected one of {', '.join(after)}, got {line!r}")
        allowed[kind] = float(line.removeprefix(kind).split()[0])
    lines, within = [f"{'instructions':16} {'before':>13} {'now':>13}  ratio"], True
    for kind, figure in after.items():
        ratio = figure / before[kind]
        note = "" if ratio <= allowed[kind] else f"  above {allowed[kind]}"
        within = within and not note
        lines.append(f"{kind:16} {before[kind]:13,.0f} {figure:13,.0f}  {ratio:.3f}{note}")
    return lines, within


def compare_with_built_in(figures: Mapping[str, float]) -> tuple[list[str], bool]:
    """Return what `compare` does, of the operations of a document to those of the pet store."""
    lines, within = [f"{'instructions':16} {'pet store':>13} {'document':>13}  ratio"], True
    for kind, request in SUBJECTS["document"].requests.items():
        if request.like:
            ratio = figures[kind] / figures[request.like]
            note = "" if ratio <= MOST_OF_DOCUMENT else f"  above {MOST_OF_DOCUMENT}"
            within = within and not note
            before, now = figures[request.like], figures[kind]
            lines.append(f"{kind:16} {before:13,.0f} {now:13,.0f}  {ratio:.3f}{note}")
    return lines, within


def main() -> int:
    """Compare this checkout with the commits in ``.ci/landed``; return the exit status."""
    lines = LANDED.read_text(encoding="utf-8").splitlines()
    commits = dict(line.split() for line in lines[: len(SUBJECTS)])
    landed, ours = dict[str, float](), dict[str, float]()
    with tempfile.TemporaryDirectory() as name:
        sys.pycache_prefix = None  # the servers look for bytecode beside the code
        here = _compiled(ROOT, Path(name, "now"))
        for label, subject in SUBJECTS.items():
            commit = commits[label]
            if subprocess.run([*_GIT, "cat-file", "-e", commit], check=False).returncode:
                print(f"this clone does not have {commit} of .ci/landed: {label} is not compared")
                continue
            checkout = Path(name, label)
            subprocess.run(
                [*_GIT, "worktree", "add", "-q", "--detach", checkout, commit], check=True
            )
            try:
                before = _compiled(checkout, Path(name, f"{label} before"))
                with ThreadPoolExecutor() as pool:
                    pair = pool.map(count, (before, here), (subject, subject))
                    for figures, counted in zip((landed, ours), pair, strict=True):
                        figures.update(counted)
            finally:
                subprocess.run([*_GIT, "worktree", "remove", "--force", checkout], check=True)
    tables = [compare(landed, ours, lines[len(SUBJECTS) :])]
    if all(subject.start in ours for subject in SUBJECTS.values()):
        tables.append(compare_with_built_in(ours))
    for table, _ in tables:
        print("\n".join([*table, ""]))
    return 0 if all(within for _, within in tables) else 1


def _compiled(checkout: Path, folder: Path) -> Path:
    """Return a build of a checkout, with its bytecode."""
    result = build(checkout, folder)
    compileall.compile_dir(result / "mockpets", quiet=2)
    return result


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed")
    sys.exit(main())
