"""Jobs that are too long for the app's thread: the server's worker thread runs them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mockpets.errors import InputError, NotReady, RequestError
from mockpets.wsgi_extension import JOB_RESULTS, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.web.exchange import Request

T = TypeVar("T")


def run_job(
    request: Request,
    job: Callable[[], T],
    what: str,
    *,
    is_long: bool = True,
    is_outdated: Callable[[T], bool] = lambda _: False,
    key: str = "",
) -> T:
    """Return the result of a job; the worker thread runs a long one.

    :param what: the job, for the error message if it fails: ``reading the body``.
    :param is_outdated: whether the job must run again, because its result no longer counts.
    :param key: tells the jobs of one request apart; by default `what`.
    :raise NotReady: the server runs the job and calls the view again.
    :raise InputError: raised by the job.
    """
    environ, key = request.environ, key or what
    for result in environ.get(JOB_RESULTS, ()):  # first: the job may have made itself short
        if isinstance(result, _JobResult) and result.key == key:
            if result.error is not None:
                raise result.error
            value: T = result.value
            if not is_outdated(value):
                return value
    if not is_long or SERVER not in environ:
        return job()
    raise NotReady(partial(_run, job, key), what)


class _JobResult(NamedTuple):
    key: str
    value: Any
    error: InputError | RequestError | None = None


def _run(job: Callable[[], object], key: str) -> _JobResult:
    try:
        return _JobResult(key, job())
    except (InputError, RequestError) as error:
        return _JobResult(key, None, error)
