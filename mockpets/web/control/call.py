"""What the views of the control API share: a call, its body, its answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from mockpets.constants import FIXTURE_BYTES, NAME_LENGTH, PROBLEMS_SHOWN
from mockpets.errors import InputError, NotReady, RequestError, did_you_mean
from mockpets.scenario.language.control_bodies import DocumentError
from mockpets.strict_json import dump_json, shown
from mockpets.web.exchange import Response
from mockpets.web.session_selector import checked_session, named_scenarios
from mockpets.wsgi_extension import JOB_RESULTS, SERVER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Activation, Session
    from mockpets.settings import Settings
    from mockpets.telemetry.metrics import Metrics
    from mockpets.web.exchange import Request
    from mockpets.web.public_mode import TokenAttempts

T = TypeVar("T")

LONG: Final = 8 * 1024
"""Bytes of a body that takes some milliseconds to read, with its line and column for problems."""


@dataclass(frozen=True)
class ControlContext:
    """What the control API acts on.

    :param token: what callers must send; empty when none is needed.
    :param token_attempts: of those who do not know it; None where no stranger comes.
    :param metrics: what is counted of every answer.
    """

    settings: Settings
    sessions: SessionRegistry
    token: str
    token_attempts: TokenAttempts | None
    metrics: Metrics


@dataclass(frozen=True, slots=True)
class ControlRequest:
    """One call by a caller who may.

    :param session: the one it is about.
    """

    request: Request
    context: ControlContext
    session: Session

    @property
    def name(self) -> str:
        """What the path has for ``{name}``."""
        found: str = (self.request.view_args or {})["name"]
        return found

    def activation(self) -> Activation:
        """Return the stack whose pets the call is about: the one it names, else the active one.

        :raise RequestError: ``unknown_scenario``, ``busy`` or ``store_full``.
        :raise NotReady: its pets have to be made first.
        """
        names = named_scenarios(self.request.environ) or self.session.active
        return self.session.use(names, at_once=SERVER in self.request.environ)


def json_response(value: object, status: int = 200) -> Response:
    """Return a value as a JSON answer."""
    return Response(dump_json(value) + b"\n", status)


def body_text(request: Request, most: int = FIXTURE_BYTES) -> str:
    """Return the body as text.

    :param most: bytes it may have.
    :raise RequestError: ``invalid_request`` when it is no UTF-8, ``payload_too_large``.
    """
    raw: bytes = request.get_data()
    if len(raw) > most:
        raise RequestError("payload_too_large", f"the body may have at most {most} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"the body must be UTF-8; byte {error.start} is not"
        raise RequestError("invalid_request", what) from error


def run_job(call: ControlRequest, job: Callable[[], T], *, is_long: bool) -> T:
    """Return what a job returns; a long one, of which a call may have one, the helper thread does.

    :raise NotReady: for the server, which has the job done and asks again.
    :raise InputError: what the job raises.
    """
    environ = call.request.environ
    if not is_long or SERVER not in environ:
        return job()
    for made in environ.get(JOB_RESULTS, ()):
        if isinstance(made, _Made):
            found: T = made.give()
            return found
    raise NotReady(partial(_make, job))


class _Made(NamedTuple):
    """What became of a job."""

    result: Any
    error: InputError | RequestError | None = None

    def give(self) -> Any:
        if self.error is not None:
            raise self.error
        return self.result


def _make(job: Callable[[], object]) -> _Made:
    try:
        return _Made(job())
    except (InputError, RequestError) as error:
        return _Made(None, error)


def query_parameters(request: Request, known: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Return the parameters of the query, and what is wrong with their names.

    :param known: the names that there are.
    """
    query = dict(request.args.lists())
    problems = []
    for name, values in query.items():
        if name not in known:
            near = did_you_mean(name, known) or f"known: {', '.join(known)}"
            problems.append(f"{shown(name)} is not known here; {near}")
        elif len(values) > 1:
            problems.append(f"{name} must be given once, not {len(values)} times")
    return {name: values[0] for name, values in query.items()}, problems[:PROBLEMS_SHOWN]


def rejected(error: InputError) -> RequestError:
    """Return what is wrong with a body as an answer, each problem in its details too."""
    code = "invalid_scenario" if isinstance(error, DocumentError) else "invalid_request"
    problems = [
        {
            "file": problem.file,
            "line": problem.line,
            "column": problem.column,
            "where": problem.where,
            "what": problem.what,
            "hint": problem.hint,
        }
        for problem in error.problems
    ]
    first, *more = map(str, error.problems)
    rest = f" (and {len(more)} more, in details)" if more else ""
    return RequestError(code, f"{first}{rest}", details={"problems": problems})


def checked_snapshot(name: str) -> str:
    """Return a name that a snapshot can have, in lower case.

    :raise RequestError: ``invalid_request``.
    """
    try:
        return checked_session(name, "a snapshot")
    except RequestError:
        what = (
            "a snapshot's name has a-z, 0-9, '.', '_' and '-', begins with a letter or digit, and "
            f"at most {NAME_LENGTH} characters; got {name[:NAME_LENGTH]!r}"
        )
        raise RequestError("invalid_request", what) from None
