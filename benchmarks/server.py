"""Our loop beside stock waitress with four threads: run ``python benchmarks/server.py``.

Two apps, a constant raw WSGI answer and our list operation, each served by both servers in turn,
round after round, so that whatever else the machine does meets them alike. Asks with wrk if it is
there, else with a small client of its own, which is slower than the loop and so flatters waitress.
What is printed are medians; quote the ratios, which hold on other machines, and not the figures.
"""

from __future__ import annotations

import argparse
import logging
import re
import selectors
import shutil
import socket
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

PATH = "/v1/pets?limit=20&status=available"
KEY = "Authorization: Bearer mockpets"
APPS = ("raw", "list")
SERVERS = ("waitress", "mockpets")


class Result(NamedTuple):
    """Requests a second, and milliseconds."""

    rate: float
    p50: float
    p99: float


# --- What is measured -------------------------------------------------------------------------


def constant(_: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    """Answer with 1.3 kB, about what our list operation does."""
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", "1300")])
    return [b"x" * 1300]


def run(server: str, name: str) -> None:
    """Serve one app until killed; prints the port first."""
    from mockpets import Settings, create_app
    from mockpets.server import bind, serve

    app: WSGIApplication = constant if name == "raw" else create_app(Settings(count=50))
    sockets = bind(Settings(host=("127.0.0.1",), port=0))
    print(sockets[0].getsockname()[1], flush=True)
    if server == "mockpets":
        serve(app, sockets, lambda: None)
    else:
        import waitress

        # It would write a line for each request that has to wait, and be slower still.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        waitress.serve(app, sockets=sockets, threads=4, connection_limit=1000, _quiet=True)


# --- Who asks ---------------------------------------------------------------------------------


def ask_with_wrk(port: int, connections: int, seconds: int) -> Result:
    """Return what wrk finds."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-H", KEY]
    url = f"http://127.0.0.1:{port}{PATH}"
    said = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout  # noqa: S603 - our own words
    if "Non-2xx" in said or "Socket errors" in said:
        raise RuntimeError(said)
    rate = float(re.search(r"Requests/sec: +([\d.]+)", said)[1])  # type: ignore[index]
    units = {"us": 0.001, "ms": 1.0, "s": 1000.0}
    times = {
        share: float(number) * units[unit]
        for share, number, unit in re.findall(r"(50|99)% +([\d.]+)(us|ms|s)\b", said)
    }
    return Result(rate, times["50"], times["99"])


def ask(port: int, connections: int, seconds: int) -> Result:
    """Ask over some connections, on each as soon as its last answer is there."""
    request = f"GET {PATH} HTTP/1.1\r\nHost: localhost\r\n{KEY}\r\n\r\n".encode()
    selector = selectors.DefaultSelector()
    took: list[float] = []
    begun = time.perf_counter()
    for _ in range(connections):
        sock = socket.create_connection(("127.0.0.1", port))
        sock.send(request)
        selector.register(sock, selectors.EVENT_READ, [time.perf_counter(), b""])
    while (now := time.perf_counter()) < begun + seconds:
        for key, _ in selector.select(1):
            state = key.data
            data = state[1] + cast(socket.socket, key.fileobj).recv(65536)
            head, found, body = data.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", head) if found else None
            if length is None or len(body) < int(length[1]):
                state[1] = data
                continue
            if not head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(head.decode())
            took.append(time.perf_counter() - state[0])
            state[:] = [time.perf_counter(), b""]
            cast(socket.socket, key.fileobj).send(request)
    for key in list(selector.get_map().values()):
        cast(socket.socket, key.fileobj).close()
    selector.close()
    took.sort()
    share = [took[int(len(took) * part)] * 1000 for part in (0.5, 0.99)]
    return Result(len(took) / (now - begun), *share)


# --- Side by side -----------------------------------------------------------------------------


def measure(server: str, name: str, connections: int, seconds: int) -> Result:
    """Return one round of one server with one app."""
    command = [sys.executable, __file__, "--run", server, name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ourselves
        try:
            port = int(next(iter(process.stdout or ())))
            use = ask_with_wrk if shutil.which("wrk") else ask
            use(port, connections, 1)  # warms up
            return use(port, connections, seconds)
        finally:
            process.kill()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2, help="of each measurement")
    parser.add_argument("--connections", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(*options.run)
        return
    print(
        f"asked with {'wrk' if shutil.which('wrk') else 'the own client'}; r/s, p50 and p99 in ms"
    )
    print("| connections | app | server | r/s | p50 | p99 | r/s against waitress' raw |")
    print("|---|---|---|---|---|---|---|")
    for connections in options.connections:
        pairs = [(server, name) for name in APPS for server in SERVERS]
        found: dict[tuple[str, str], list[Result]] = {pair: [] for pair in pairs}
        for _ in range(options.rounds):
            for pair in pairs:
                found[pair].append(measure(*pair, connections, options.seconds))
        base = median(result.rate for result in found["waitress", "raw"])
        for server, name in pairs:
            rate, p50, p99 = (median(column) for column in zip(*found[server, name], strict=True))
            cells = f"{rate:,.0f} | {p50:.1f} | {p99:.1f} | {rate / base:.2f}"
            print(f"| {connections} | {name} | {server} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
