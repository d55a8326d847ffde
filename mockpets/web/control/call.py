"""What the views of the control API share: the request, its body, and the JSON response."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast, overload

from mockpets.constants import (
    BASE_MARK,
    FIXTURE_BYTES,
    PROBLEMS_SHOWN,
    SESSION_HEADER,
)
from mockpets.contract.query_parameters import PARAMETERS
from mockpets.errors import DocumentError, InputError, RequestError, did_you_mean
from mockpets.strict_json import dump_json
from mockpets.units import quote
from mockpets.web.jobs import store_of
from mockpets.web.messages import Response
from mockpets.web.session_selector import named_scenarios

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from mockpets.admission import Admission
    from mockpets.constants import ErrorCode
    from mockpets.contract.contract_model import Collection, Contracts
    from mockpets.contract.control_calls import Call
    from mockpets.contract.control_types import InputProblem, InvalidInputDetails
    from mockpets.contract.query_parameters import Parameter
    from mockpets.records.store import Store
    from mockpets.scenario.library import Binding, Stack
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.settings import Settings
    from mockpets.telemetry.metrics import Metrics
    from mockpets.web.cors import RejectedOrigins
    from mockpets.web.messages import Request, View

T = TypeVar("T")

VIEWS: Final[dict[Call[Any], View]] = {}
"""Call to what responds to it."""
LONG: Final = 8 * 1024
"""The size in bytes above which parsing a body, with line numbers, takes milliseconds."""


@dataclass(frozen=True)
class ControlContext:
    """The parts of an app that the control API reads and changes.

    :param token: what callers must send; empty if none is required.
    :param started: in seconds since 1970.
    """

    settings: Settings
    sessions: SessionRegistry
    token: str
    admission: Admission
    metrics: Metrics
    rejected_origins: RejectedOrigins
    started: float
    reload: Callable[[], None]

    @property
    def contracts(self) -> Contracts:
        """The contracts that the server has."""
        return self.sessions.shared.library().contracts


class ControlRequest:
    """An authorized request to the control API.

    :param query: the values of its query parameters.
    """

    def __init__(self, call: Call[Any], context: ControlContext, request: Request) -> None:
        self.call = call
        self.context = context
        self.request = request
        self.query: Mapping[str, Any] = {}
        self._session: Session | None = None
        self._kept: Session | None = None
        """That of the registry, when `_session` was found."""
        self._created: tuple[Session, float] | None = None
        """The session that this call has created, and for how long its name was closed."""

    @property
    def session(self) -> Session:
        """The session that the request names, which others can drop or replace during a wait.

        :raise RequestError: ``session_dropped``, ``unknown_session``, ``busy``.
        """
        sessions, name = self.context.sessions, self.request.session_name
        if self.call.session == "none":
            return sessions.default  # the header is only for a load balancer
        kept = sessions.get(name)
        if self._session is not None and kept is self._kept:
            return self._session
        if self.call.session == "changes":
            closed = sessions.closed_names.seconds(name)
            session = sessions.get_or_create(name, reopen=True)
            if kept is None:
                self._created = session, closed
        else:
            session = sessions.read(name)
        self._session, self._kept = session, sessions.get(name)
        return session

    def undo_creation(self) -> None:
        """Drop the session that this call has created, unless others have used it since."""
        if self._created is None:
            return
        session, closed = self._created
        is_same = self.context.sessions.get(session.name) is session
        if is_same and not (session.is_changed or session.request_log.last):
            self.context.sessions.drop(session.name, closed, undoable=False)

    @property
    def name(self) -> str:
        """The value of the parameter in the path; use `part` if there are several."""
        [value] = (self.request.view_args or {}).values()
        return str(value)

    def part(self, name: str) -> str:
        """Return the value of one of several parameters in the path."""
        return str((self.request.view_args or {})[name])

    @property
    def contracts(self) -> Contracts:
        """The contracts that the server has."""
        return self.context.contracts

    def stack(self) -> Stack:
        """Return the scenarios on which the request acts: those it names, or the active ones.

        :raise RequestError: ``unknown_scenario``.
        """
        return self.session.stack(named_scenarios(self.request) or self.session.active)

    async def store(self, collection: Collection) -> Store:
        """Return the records of a collection that requests with these scenarios see.

        :raise RequestError: ``unknown_scenario`` or ``store_full``.
        """

        def find() -> tuple[Session, Binding]:
            stack = self.stack()
            return self.session, stack.binding(stack.current(collection))

        return await store_of(self.request, find)


class JsonResponse(Response, Generic[T]):
    """A JSON response whose body has the type `T`, for type checkers."""


def responds_to(call: Call[T]) -> _Binding[T]:
    """Bind a view to a call; type checkers compare their types."""
    return _Binding(call)


@dataclass(frozen=True)
class _Binding(Generic[T]):
    call: Call[T]

    @overload
    def __call__(
        self, view: Callable[[ControlRequest], JsonResponse[T]]
    ) -> Callable[[ControlRequest], JsonResponse[T]]: ...

    @overload
    def __call__(
        self, view: Callable[[ControlRequest], Coroutine[Any, Any, JsonResponse[T]]]
    ) -> Callable[[ControlRequest], Coroutine[Any, Any, JsonResponse[T]]]: ...

    @overload
    def __call__(
        self: _Binding[str], view: Callable[[ControlRequest], Coroutine[Any, Any, Response]]
    ) -> Callable[[ControlRequest], Coroutine[Any, Any, Response]]: ...

    def __call__(self, view: View) -> View:
        VIEWS[self.call] = view
        return view


def json_response(value: T, status: int = 200) -> JsonResponse[T]:
    """Return a value as a JSON response."""
    return JsonResponse(dump_json(value) + b"\n", status)


def body_text(request: Request, max_bytes: int = FIXTURE_BYTES) -> str:
    """Return the body as text, or raise ``invalid_request`` or ``payload_too_large``."""
    raw: bytes = request.get_data()
    if len(raw) > max_bytes:
        raise RequestError(
            "payload_too_large", f"the body is too large; send at most {max_bytes // 1024} KiB"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"the body must be UTF-8; byte {error.start} is invalid"
        raise RequestError("invalid_request", message) from error


def read_query(
    request: Request,
    parameters: str | None,
    contracts: Contracts,
    *,
    ignores_others: bool = False,
) -> dict[str, Any]:
    """Return the values of the query parameters by name.

    :param parameters: the key of those that a call accepts; None if it ignores any.
    :raise RequestError: ``invalid_request`` if some are unknown, repeated or invalid.
    """
    if parameters is None:
        return {}
    known = PARAMETERS[parameters]
    values: dict[str, Any] = {}
    problems = []
    for name, texts in request.args.lists():
        if name not in known and ignores_others:
            continue
        if name not in known:
            instead = _instead(name, known, request)
            problems.append(f"unknown parameter {quote(name)}; {instead}")
        elif len(texts) > 1:
            problems.append(f"{name} must be sent only once, got {len(texts)} values")
        else:
            try:
                values[name] = known[name].value(texts[0], contracts)
            except ValueError as error:
                problems.append(f"{name} {error}")
        if len(problems) == PROBLEMS_SHOWN:  # thousands of hints would take long
            break
    if problems:
        raise RequestError("invalid_request", "; ".join(problems))
    return values


def _instead(name: str, known: Mapping[str, Parameter], request: Request) -> str:
    """Return what to send instead of an unknown query parameter."""
    if name.lower() == "session":
        path = f"/{BASE_MARK}NAME{request.path[:80]}"
        return f"name the session in the base path ({path}) or in the header {SESSION_HEADER}"
    if not known:
        return "this call has no parameters"
    return did_you_mean(name, known) or f"known parameters: {', '.join(known)}"


def invalid_body(error: InputError) -> RequestError:
    """Return the error for an invalid body; its details list every problem."""
    first, *more = map(str, error.problems)
    rest = f" (and {len(more)} more, in details)" if more else ""
    problems = [cast("InputProblem", asdict(problem)) for problem in error.problems]
    details: InvalidInputDetails = {"problems": problems}
    is_document = isinstance(error, DocumentError)
    code: ErrorCode = "invalid_scenario" if is_document else "invalid_request"
    return RequestError(code, f"{first}{rest}", details=details)
