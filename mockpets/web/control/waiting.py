"""Let a view wait for a session to change, without a thread on our server.

Our server holds the request, and calls the view again after each change and when the time is over.
The thread of a test client waits.
"""

from __future__ import annotations

from functools import partial
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from mockpets.web.delivery import check_room
from mockpets.wsgi_extension import ORDER, RETRIED, SERVER, CallAgain

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.session.change_feed import ChangeFeed
    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest
    from mockpets.wsgi_extension import Server

T = TypeVar("T")


def wait_until(
    call: ControlRequest, within: float, check: Callable[[Session, bool], tuple[T, int | None]]
) -> T:
    """Return the result of a check that no longer has to wait, or the last one in time.

    :param within: seconds.
    :param check: called with the session and whether the time is over, again after each change;
        returns the result, and None or the number of the change after which to check again. Our
        server does not send a response with a result that may still change.
    :raise RequestError: ``busy`` if too many responses are parked already, ``session_dropped``.
    """
    environ, sessions, session = call.request.environ, call.context.sessions, call.session
    server: Server | None = environ.get(SERVER)
    end = monotonic() + within
    left: float = environ.get(RETRIED, within)
    while True:
        result, change = check(session, left <= 0)
        if change is None or left <= 0:
            return result
        if server is not None:
            if RETRIED not in environ:  # a call that waits keeps its place while it checks
                check_room(environ, session.name)
            environ[ORDER] = CallAgain(partial(session.changes.wait, change), left, session.name)
            return result
        if sessions.find(session.name) in (session, None):  # otherwise created during the check
            block(session.changes, change, left)
        left = end - monotonic()
        sessions.closed_names.check(session.name)
        session = sessions.peek(session.name)  # it may have been created or deleted since


def block(changes: ChangeFeed, number: int, seconds: float) -> None:
    """Block the thread for some seconds, or until the next change after a number."""
    changed = Event()
    cancel = changes.wait(number, changed.set)
    changed.wait(seconds)
    cancel()
