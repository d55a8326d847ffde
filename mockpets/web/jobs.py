"""Functions that a view awaits: a job on the worker, a change of a session, the body.

A view that waits is a coroutine, which `App.handle` runs up to there, and continues afterwards. A
view without ``await`` may be a plain function.
"""

from __future__ import annotations

import logging
from types import coroutine
from typing import TYPE_CHECKING, Final, TypeVar

from mockpets.errors import InputError, RequestError
from mockpets.interface import Arrival, Job, Pause
from mockpets.web.messages import Response

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from mockpets.interface import After, Hold, Result
    from mockpets.records.store import Store
    from mockpets.scenario.library import Binding
    from mockpets.session.session import Session, Work
    from mockpets.web.messages import Request, Steps

T = TypeVar("T")

_log: Final = logging.getLogger("mockpets")
_ATTEMPTS: Final = 3
"""How often to generate records for one request: the scenarios can change meanwhile."""


@coroutine
def _wait_for(after: After) -> Generator[After, Result, Result]:
    """Return what the server gives to `Later.resume`."""
    return (yield after)


async def body_of(request: Request) -> None:
    """Wait for the end of a body that has not arrived completely."""
    if request.incoming.is_arriving:
        body = await _wait_for(Arrival())
        assert isinstance(body, bytes)  # noqa: S101 - see `Arrival`
        request.take_body(body)


async def pause(hold: Hold, until: float, owner: str) -> bool:
    """Wait until a hold or the time ends; return whether the time is over, as for `Pause`."""
    return bool(await _wait_for(Pause(hold, until, owner)))


async def run_job(request: Request, job: Callable[[], T], what: str, *, is_long: bool = True) -> T:
    """Return the result of a job; the worker thread runs a long one.

    :param what: the job, for the error message if it fails: ``reading the body``.
    :raise InputError: raised by the job.
    :raise RequestError: raised by the job, or ``internal_error`` if a long one fails.
    """
    if not is_long:
        return job()
    results: list[T | InputError | RequestError] = []
    await _wait_for(Job(lambda: results.append(_attempt(job, what)), request.session_name))
    [result] = results
    if isinstance(result, (InputError, RequestError)):
        raise result
    return result


async def store_of(request: Request, find: Callable[[], tuple[Session, Binding]]) -> Store:
    """Return the records of a collection that a request sees; the worker generates many.

    :param find: returns the session and the definition, which others can change during the job.
    :raise RequestError: ``store_full``, ``busy``.
    """

    def work() -> Sequence[Work]:
        session, binding = find()
        return session.work_for(binding)

    await generate(request, work)
    session, binding = find()
    return session.store_of(binding)


async def generate(request: Request, work_for: Callable[[], Sequence[Work]]) -> None:
    """Generate the tables that a request needs on the worker thread, until there is no more work.

    :param work_for: returns the work to do, which others can change during a job.
    :raise RequestError: ``busy`` if it changes all the time.
    """
    for _ in range(_ATTEMPTS):
        work = work_for()
        if not work:
            return
        for each in work:
            await run_job(request, each.run, each.what)
    if work_for():
        message = "the scenarios change faster than their records can be generated; try again"
        raise RequestError("busy", message)


def run_without_server(view: Response | Steps) -> Response:
    """Return the response of a view without a server: its jobs run now, and nothing else waits."""
    value: Result = None
    while not isinstance(view, Response):
        try:
            value = without_server(view.send(value))
        except StopIteration as returned:
            view = returned.value
    return view


def without_server(after: After) -> Result:
    """Return what a view gets where nothing can wait: the time of a pause is over."""
    if isinstance(after, Job):
        after.run()
        return None
    return True


def _attempt(job: Callable[[], T], what: str) -> T | InputError | RequestError:
    """Return the result of a job, or an error if it raised an exception, which is logged."""
    try:
        return job()
    except (InputError, RequestError) as error:  # such as too little memory for the records
        return error
    except MemoryError:
        _log.exception("%s failed", what)
        fix = "the server has too little memory; send or request less at once, or give it more"
    except Exception:  # noqa: BLE001 - a job may fail in any way
        _log.exception("%s failed", what)
        fix = "this is a bug in mockpets; report it with the traceback in the log"
    return RequestError("internal_error", f"{what} failed: {fix}")
