"""Let a view wait for a session to change, without a thread on our server.

Our server holds the request, and calls the view again after each change and when the time is over.
For a test client, it is over at once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from mockpets.web.delivery import check_room
from mockpets.wsgi_extension import ORDER, RETRIED, SERVER, CallAgain

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest

T = TypeVar("T")


def wait_until(
    call: ControlRequest, within: float, check: Callable[[Session, bool], tuple[T, int | None]]
) -> T:
    """Return the result of a check that no longer has to wait, or the last one in time.

    :param within: seconds.
    :param check: called with the session and whether the time is over; returns the result, and
        None or the number of the change after which to check again. Our server does not send a
        response with a result that may still change.
    :raise RequestError: ``busy`` if too many responses are parked already.
    """
    environ, session = call.request.environ, call.session
    left: float = environ.get(RETRIED, within if SERVER in environ else 0.0)
    result, change = check(session, left <= 0)
    if change is not None and left > 0:
        if RETRIED not in environ:  # a call that waits keeps its place while it checks
            check_room(environ, session.name)
        environ[ORDER] = CallAgain(partial(session.changes.wait, change), left, session.name)
    return result
