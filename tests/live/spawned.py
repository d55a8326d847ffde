"""Run the event loop in another process, with limits that no option sets."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Final

from mockpets.interface import App
from mockpets.server.descriptors import raise_limit
from mockpets.server.loop import Loop
from mockpets.server.server_limits import ServerLimits
from mockpets.server.sockets import bind
from mockpets.settings import Settings

HOST: Final = "127.0.0.1"


def _serve(ports: Connection, make_app: Callable[[], App], limits: ServerLimits) -> None:
    raise_limit(limits.connections)
    sockets = bind(Settings(host=(HOST,), port=0))
    ports.send(sockets[0].getsockname()[1])
    Loop(make_app(), sockets, limits).run()


@contextmanager
def spawned(make_app: Callable[[], App], limits: ServerLimits) -> Iterator[int]:
    """Serve an app until the block ends, and yield the port.

    :param make_app: a function of a module, since the other process imports it.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, make_app, limits))
    process.start()
    try:
        yield ours.recv()
    finally:
        process.kill()
        process.join()
