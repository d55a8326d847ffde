"""Let a view wait for a session to change, without a thread on our server.

The view resumes after each change, and when the time is up: for a test client, at once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

from mockpets.web.delivery import check_room
from mockpets.web.jobs import pause

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from mockpets.session.session import Session
    from mockpets.web.control.call import ControlRequest

T = TypeVar("T")


async def wait_until(
    call: ControlRequest,
    within: float,
    check: Callable[[Session, bool], Awaitable[tuple[T, int | None]]],
) -> T:
    """Return the result of a check that no longer has to wait, or the last one in time.

    :param within: seconds.
    :param check: called with the session of that moment, since it can be created and dropped, and
        whether the time is over; returns the result, and None or the number of the change after
        which to check again.
    :raise RequestError: ``busy`` if too many responses are parked already.
    """
    session, server = call.session, call.request.incoming.server
    until = 0.0 if server is None else server.time() + within
    is_over, is_first = server is None or not within, True
    while True:
        result, change = await check(session, is_over)
        if change is None or is_over:
            return result
        if is_first:  # a call that waits keeps its place while it checks
            check_room(call.request, session.name)
        is_first = False
        is_over = await pause(partial(session.changes.wait, change), until, session.name)
        session = call.context.sessions.read(session.name)
