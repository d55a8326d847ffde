"""Respond to a request under ``/v1``: `Playback.respond` lists the checks in their order."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import RequestEntityTooLarge

from mockpets.constants import BODY_BYTES, BUILT_IN_CONTRACT, DOCS_PATH, PANEL_PATH
from mockpets.contract.contract_model import DocumentOperation
from mockpets.contract.error_body import error_body
from mockpets.contract.error_messages import BODY_TOO_LARGE, NO_CONNECTION_FAULTS
from mockpets.errors import RequestError
from mockpets.faults import CONNECTION_FAULTS
from mockpets.redaction import is_secret_property, redacted, redacted_parameter
from mockpets.scenario.engine import DECIDED_WITHOUT_STUBS, Outcome
from mockpets.scenario.matching import ABSENT, Facts
from mockpets.scenario.references import Values, render
from mockpets.strict_json import dump_json, load_json, parse_json
from mockpets.web.authentication import read_key, unauthorized
from mockpets.web.cookie import read_cookie, with_deletion
from mockpets.web.delivery import check_room, waits
from mockpets.web.jobs import body_of, store_of
from mockpets.web.messages import Response
from mockpets.web.operations import key_of, page_response
from mockpets.web.session_selector import requested_delay, select

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.admission import Admission
    from mockpets.constants import NoteCode
    from mockpets.contract.contract_model import Collection, Contracts, Operation
    from mockpets.contract.security import Credential
    from mockpets.records.store import Store
    from mockpets.scenario.library import Binding, Stack
    from mockpets.scenario.scenario_model import Canned, Template
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.settings import Settings
    from mockpets.web.authentication import Key
    from mockpets.web.messages import Request, Steps

    Act = Callable[..., Response | Steps]
    CheckRoute = Callable[[Request, Stack], None]

_VALUE_SHOWN: Final = 80
"""How much of a reference's value a note has, in characters."""
_VALUE_READ: Final = 4096
"""The longest value that a note repeats, in bytes of JSON."""


class Playback:
    """Plays the active scenarios around each operation."""

    def __init__(self, settings: Settings, sessions: SessionRegistry, admission: Admission) -> None:
        self._settings = settings
        self._sessions = sessions
        self._limits = sessions.shared.limits
        self._admission = admission

    @property
    def contracts(self) -> Contracts:
        """The contracts that requests are for."""
        return self._sessions.shared.library().contracts

    def page_for(self, path: str) -> str | None:
        """Return the page to show a browser that opens a path by mistake; None for most paths."""
        if path == "/":
            return PANEL_PATH if self.has_control else DOCS_PATH
        if not self.has_control or not self._limits.page_tools:
            return None
        if path == "/panel":
            return PANEL_PATH
        bases = (each.base for each in self.contracts.all if each.base)
        is_base = any(path in (base, f"{base}/") for base in bases)
        return DOCS_PATH if path == "/docs" or is_base else None

    @property
    def has_control(self) -> bool:
        """Whether the control API is enabled."""
        return self._settings.control != "off"

    def select(self, request: Request) -> tuple[Key, str, Stack]:
        """Select a request's session and scenarios; return the key, the name, and the stack."""
        key = read_key(request, self._settings)
        cookie = read_cookie(request, self._settings) if "HTTP_COOKIE" in request.environ else None
        try:
            return key, *select(request, self._sessions, key.selector, cookie, self._admission)
        except RequestError as error:
            if cookie is None:
                raise
            raise with_deletion(error, request, key.selector, cookie) from error

    async def respond(
        self,
        operation: Operation | None,
        act: Act,
        request: Request,
        check_route: CheckRoute | None = None,
        **_: str,
    ) -> Response:
        """Return the response to a request.

        These are all the checks, in the order of docs/reference/contract.md. The first that fails
        ends the request; earlier ones are the server's (syntax, size) and the client's rate.

        :param operation: the contract's operation; None if only a scenario can respond.
        :param act: performs the operation on the records that the request sees.
        :param check_route: checks path and method if no operation's route matched.
        :raise RequestError: for a failed check, with the status given below.
        """
        request.operation = operation
        # 1. The names of the session, 410 if it is closed, our headers and the scenarios: 422.
        key, name, stack = self.select(request)
        # 2. The path, 404, then the method, 405.
        if check_route is not None:
            check_route(request, stack)
        # 3. The key: 401. An operation of a document says itself which credentials it needs.
        described = operation if isinstance(operation, DocumentOperation) else None
        if described is None and not key.valid and self._needs_key(operation):
            missing: tuple[NoteCode, str] = ("key_missing", "the API key is missing")
            invalid: tuple[NoteCode, str] = ("key_invalid", "the API key is invalid")
            request.notes.append(invalid if key.given else missing)
            raise unauthorized(key, request, self._settings)
        if request.incoming.is_arriving:
            self._check_size(request, name, stack)
            await body_of(request)
            key, name, stack = self.select(request)  # others can have changed them meanwhile
        # 4. A place for the session and its records: 503, 507.
        request.session = session = request.session or self._create(name, request)
        if described is not None:
            credential_of, unauthorized_by = _of_documents()
            request.max_content_length = self._limits.body_bytes
            credential = credential_of(described, request, self._settings)
            if credential.problem:
                request.notes.append((credential.note, credential.problem))
                return unauthorized_by(described, request, credential.problem)
            request.credential = credential.key
        stores: tuple[Store, ...] = ()
        if operation is not None and operation.collection is not None:
            store = session.made(stack.binding(operation.collection))
            if store is None:
                store = await store_of(request, partial(self._find, request, operation.collection))
                stack = self.select(request)[2]
                session = self._session(name, request)
            stores = (store,)
        # 5. The scenarios' stubs: any status, and 503 or 429 if too many responses are parked.
        outcome = self._decide(request, session, stack)
        if outcome.skip:
            return Response(status=502)  # never sent: the connection breaks instead
        if outcome.reply is not None:
            return canned_response(outcome.reply, request, session)
        # 6. The operation, or a resource: the body's size, 413, then the values, 400, 404 and 409.
        response = act(request, *stores)
        if not isinstance(response, Response):
            response = await response
            self._session(name, request)  # whose gates hold the response
        return response

    def _needs_key(self, operation: Operation | None) -> bool:
        """Return whether a request needs an API key.

        With documents only, a path that a scenario defines needs one if the user has set keys.
        """
        is_built_in = any(each.label == BUILT_IN_CONTRACT for each in self.contracts.all)
        return operation is not None or is_built_in or "api_key" in self._settings.sources

    def _find(self, request: Request, collection: Collection) -> tuple[Session, Binding]:
        """Return the session of a request and the definition of a collection, as they are now."""
        _, name, stack = self.select(request)
        return self._session(name, request), stack.binding(stack.current(collection))

    def _session(self, name: str, request: Request) -> Session:
        """Set and return the session of a request; create it if need be, or raise as `_create`."""
        request.session = session = self._sessions.find(name) or self._create(name, request)
        return session

    def _create(self, name: str, request: Request) -> Session:
        """Create a session, or raise ``busy``, ``session_dropped`` or ``rate_limited``."""
        owner = self._admission.owner(request.address, name)
        return self._sessions.get_or_create(name, owner=owner)

    def _check_size(self, request: Request, name: str, stack: Stack) -> None:
        """Check the size of a body that is larger than any operation takes, from its head.

        Unless the limits exclude it, stubs and operations of documents take more, and operations
        without a body ignore it. Raise ``payload_too_large``.
        """
        operation = request.operation
        is_built_in = operation is not None and operation.details is None
        takes_more = operation is None or operation.body is None or not is_built_in
        if self._limits.body_bytes <= BODY_BYTES or not (stack.stubs or takes_more):
            request.session = self._create(name, request)
            raise RequestError("payload_too_large", BODY_TOO_LARGE)

    def _decide(self, request: Request, session: Session, stack: Stack) -> Outcome:
        """Set and return the outcome: from the scenarios, and the request's own delay.

        :raise RequestError: ``busy`` if too many responses are parked already, ``rate_limited`` if
            too many of them are the client's, ``forbidden`` for a connection fault.
        """
        delay = requested_delay(request) + self._settings.delay
        outcome = session.decide(stack, _facts(request)) if stack.stubs else DECIDED_WITHOUT_STUBS
        if outcome.fault in CONNECTION_FAULTS and not self._limits.faults:
            request.outcome = _rejected(outcome)
            raise RequestError("forbidden", NO_CONNECTION_FAULTS)
        if delay:
            delay = min(outcome.delay + delay, self._limits.delay_seconds)
            outcome = replace(outcome, delay=delay)
        request.outcome = outcome
        if waits(outcome):
            try:
                self._admission.check_parked(request.address)
                check_room(request, session.name)
            except RequestError:
                request.outcome = _rejected(outcome)
                raise
        return outcome


@cache
def _of_documents() -> tuple[Callable[..., Credential], Callable[..., Response]]:
    """Import what only documents need: it slows down the start, and importing each request."""
    from mockpets.web.documented import credential_of, unauthorized_by

    return credential_of, unauthorized_by


def _rejected(outcome: Outcome) -> Outcome:
    """Return an outcome that a limit does not allow: without effect, but with its explanation."""
    trace = outcome.trace and outcome.trace._replace(is_rejected=True)
    return Outcome(outcome.stubs, trace=trace)


def canned_response(reply: Canned, request: Request, session: Session) -> Response:
    """Return a stub's reply to a request; raise ``invalid_request`` for the query of a page."""
    if reply.template is not None:
        return _rendered(reply, reply.template, request, session)
    if reply.is_page:
        return page_response(reply, request)
    body = reply.body
    operation = request.operation
    if reply.described is not None and isinstance(operation, DocumentOperation):
        from mockpets.web import documented  # the built-in contract needs none of it

        return documented.stubbed(operation, request, reply, reply.described)
    collection = operation.collection if operation else None
    if reply.names_key and collection is not None and request.view_args:
        missing = collection.missing(key_of(request))
        body = error_body(missing.code, missing.message, reply.status)
    response = Response(body, reply.status, reply.headers)
    if not reply.body:
        response.remove_header("Content-Type")  # it describes a body, and there is none
    return response


def _rendered(reply: Canned, template: Template, request: Request, session: Session) -> Response:
    """Return the response of a reply with references, and note their values for the request log.

    :raise RequestError: ``internal_error`` if its body is too large.
    """
    trace = request.outcome.trace
    assert trace is not None  # noqa: S101 - the engine has decided
    step = trace.steps[-1]
    label = trace.stubs[step.position].label
    facts, count = _facts(request), step.used + 1
    values = Values(facts, session.name, session.seed, label, count, session.clock)
    body, headers = render(template, values)
    if values.used:
        shown = _with_value if session.shared.limits.logs_values else _without_value
        used = [shown(source, value) for source, value in values.used.items()]
        request.notes.append(("references", "; ".join(used)))
    if values.missing:
        names = ", ".join(dict.fromkeys(values.missing))
        request.notes.append(("reference_missing", f"the request has no {names}"))
    return Response(body, reply.status, headers)


def _with_value(source: str, value: bytes) -> str:
    if len(value) > _VALUE_READ:
        return f"{source} has {len(value)} bytes"
    kind, *names = source.split(".")
    shown = load_json(value.decode())
    if kind == "query" and isinstance(shown, str):
        shown = redacted_parameter(".".join(names), shown)
    else:
        name = next(filter(is_secret_property, names), names[-1] if names else "")
        shown = redacted(name, shown, is_secret_property)
    text = dump_json(shown).decode()
    return f"{source} is {text if len(text) <= _VALUE_SHOWN else f'{text[:_VALUE_SHOWN]}...'}"


def _without_value(source: str, _: bytes) -> str:
    return f"{source} is repeated"


def _facts(request: Request) -> Facts:
    return Facts(
        operation=request.operation,
        method=request.method,
        path=request.path,
        query=dict(request.args.lists()),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=_body(request),
    )


def _body(request: Request) -> object:
    """Return the value of a JSON body, or `ABSENT` if there is no valid one."""
    try:
        raw = request.get_data()
        return parse_json(raw) if raw else ABSENT
    except (RequestError, RequestEntityTooLarge):
        return ABSENT
