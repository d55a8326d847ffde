"""Measure what a new connection costs while others hold all places.

``python -m tests.live.connection_cost`` prints the CPU time of the server for each accepted
connection if none, 1,000 and 10,000 are open, and exits with status 1 if it differs by more than a
factor of 2. The open connections have sent half of a request, and the oldest makes room each time;
with none open, each client leaves at once.
"""

import argparse
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from time import process_time
from typing import Final

from mockpets.interface import App, Reply
from mockpets.server.descriptors import connections_left, raise_limit
from mockpets.server.server_limits import ServerLimits
from tests.live.spawned import HOST, spawned
from tests.server.query_app import FunctionApp

HELD: Final = (0, 1_000, 10_000)
ACCEPTED: Final = 3_000
FACTOR: Final = 2.0
SECONDS: Final = 60.0
_HEAD: Final = b"GET / HTTP/1.1\r\nHost: a\r\n"


def _make_app() -> App:
    return FunctionApp(lambda _: Reply("200 OK", [], str(process_time()).encode()))


def _cpu_seconds(port: int) -> float:
    """Return the CPU time of the server; all connections that were made before are accepted."""
    with socket.create_connection((HOST, port), SECONDS) as connection:
        connection.sendall(_HEAD + b"Connection: close\r\n\r\n")
        received = b""
        while data := connection.recv(4096):
            received += data
    return float(received.partition(b"\r\n\r\n")[2])


def cost(held: int, accepted: int) -> float:
    """Return the CPU seconds for each accepted connection.

    :param held: the number of open connections, and the limit; with 0, the limit is higher.
    """
    limits = ServerLimits(held or 2 * accepted, head_seconds=2 * SECONDS)
    with spawned(_make_app, limits) as port, ExitStack() as stack:

        def connect() -> socket.socket:
            connection = socket.create_connection((HOST, port), SECONDS)
            stack.callback(connection.close)
            connection.sendall(_HEAD)
            return connection

        for _ in range(held):
            connect()
        before = _cpu_seconds(port)
        for _ in range(accepted):
            connection = connect()
            if not held:
                connection.close()
        return (_cpu_seconds(port) - before) / accepted


def main(write: Callable[[str], object] = print) -> int:
    """Print the cost for each number of open connections."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--held", type=int, nargs="*", default=HELD)
    parser.add_argument("--accepted", type=int, default=ACCEPTED)
    given = parser.parse_args()
    wanted = max(given.held) + given.accepted + 100
    raise_limit(wanted)
    if connections_left(wanted) < wanted:
        write(f"this process may not open {wanted} files: run 'ulimit -n {wanted + 100}' before it")
        return 1
    costs = []
    for held in given.held:
        costs.append(cost(held, given.accepted))
        write(f"{held:6} open: {costs[-1] * 1e6:.1f} us of CPU for each accepted connection")
    factor = max(costs) / min(costs)
    write(f"highest / lowest: {factor:.2f}, at most {FACTOR:g}")
    return int(factor > FACTOR)


if __name__ == "__main__":
    sys.exit(main())
