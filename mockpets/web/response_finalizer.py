"""Complete every response: the one way out of the app.

Whatever a view returns passes through `ResponseFinalizer.finalize`, which adds headers, decides on
the delivery, and records, counts and logs both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

from mockpets.clock import http_date
from mockpets.constants import (
    BUILT_IN_CONTRACT,
    COMMON_HEADERS,
    CONTROL_PREFIX,
    DOCS_PATH,
    NODE_HEADER,
    OFF_CONTRACT_HEADER,
    PROTOCOL,
    PROTOCOL_HEADER,
    REQUEST_HEADER,
    SCENARIO_HEADER,
    SEED_HEADER,
    STUB_HEADER,
    TOOLBAR_PATH,
    VISITOR_RESET_PATH,
)
from mockpets.faults import NO_RESPONSE_FAULTS
from mockpets.interface import IMMEDIATE
from mockpets.public.visitor_names import shortened
from mockpets.request_log.wait import Wait
from mockpets.scenario.scenario_model import PASS, Canned
from mockpets.telemetry.access_log import Access, access, shown_target, wanted
from mockpets.web import cors
from mockpets.web.authentication import bearer, challenge
from mockpets.web.delivery import delivery_of
from mockpets.web.log_writer import record, record_release, target
from mockpets.web.playback import canned_response

if TYPE_CHECKING:
    from mockpets.admission import Admission
    from mockpets.contract.contract_model import Removal
    from mockpets.interface import Delivery, OnEnd, Pair, Reply, Send
    from mockpets.scenario.scenario_model import Reply as StubReply
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.settings import Settings
    from mockpets.telemetry.metrics import Metrics
    from mockpets.web.messages import Request, Response

_LOGGED: Final = (401, 403, 429)
"""Statuses that the access log lists even for control calls that only read."""


@dataclass(frozen=True, eq=False, repr=False)  # which delay a start
class ResponseFinalizer:
    """Completes the responses of one app."""

    settings: Settings
    sessions: SessionRegistry
    metrics: Metrics
    admission: Admission

    def finalize(self, request: Request, response: Response) -> Reply:
        """Complete and record the response to a request; return it as the server sends it."""
        session = request.session
        is_control = request.path.startswith(CONTROL_PREFIX)
        delivery, on_end = IMMEDIATE, None
        if is_control:
            self._finalize_control(request, response)
        else:
            delivery, on_end = self._finalize_api(request, response)
        reply = response.reply()
        reply.delivery, reply.on_end = delivery, on_end
        # Only a browser may use a connection of the panel for requests of an app too.
        if session is not None and (not is_control or "HTTP_SEC_FETCH_MODE" in request.environ):
            reply.session = session.name
        if request.incoming.server is not None:  # else there is no end
            reply.on_end = self.admission.track(request.address, on_end)
        return reply

    def _finalize_api(self, request: Request, response: Response) -> tuple[Delivery, OnEnd | None]:
        is_preflight = request.method == "OPTIONS"
        off_contract = off_contract_reason(request, response.status_code)
        session, on_end = request.session, None
        number = 0 if is_preflight or session is None else session.request_log.next_number()
        self._carry(request, response, number, off_contract, preflight=is_preflight)
        delivery = self._delivery(request, response, number)
        if number:
            on_end = record(request, response, number, off_contract)
        if not is_preflight:
            self._observe(request, response)
            if wanted():
                self._log(request, response, number)
        elif request.limit_code is not None:
            self.metrics.count_limit(request.limit_code)
        return delivery, on_end

    def _finalize_control(self, request: Request, response: Response) -> None:
        """Complete a response of the control API, which has no scenarios and is not recorded."""
        if request.session is not None:
            response.carry(request.session.headers)
        headers = [*COMMON_HEADERS, (PROTOCOL_HEADER, str(PROTOCOL)), *self._node]
        response.carry(headers, below=True)  # the panel's files may be cached
        response.carry(self._control_cors(request, preflight=request.method == "OPTIONS"))
        if request.limit_code is not None:
            self.metrics.count_limit(request.limit_code)
        only_reads = request.method in ("GET", "HEAD", "OPTIONS")  # the panel polls with these
        if not only_reads or response.status_code in _LOGGED:
            self._log(request, response)

    def _log(self, request: Request, response: Response, number: int = 0) -> None:
        """Log a request that is not above its client's rate; the metrics count the others."""
        if request.error_code != "rate_limited":
            line, limits = access_line(request, response, number), self.sessions.shared.limits
            access(line if limits.logs_addresses else line._replace(client=""))

    @cached_property
    def _docs(self) -> str:
        """The reference page to which deprecated operations of the built-in contract link."""
        first = self.sessions.shared.library().contracts.all[0]
        is_first = first.label == BUILT_IN_CONTRACT
        return DOCS_PATH if is_first else f"{DOCS_PATH}?contract={BUILT_IN_CONTRACT}"

    @cached_property
    def _node(self) -> tuple[Pair, ...]:
        return ((NODE_HEADER, self.settings.name),) if self.settings.name else ()

    def _control_cors(self, request: Request, *, preflight: bool) -> list[Pair]:
        settings, has_tools = self.settings, self.sessions.shared.limits.page_tools
        # The demo's page calls the first. The second reports why a page may not call the others.
        is_for_all = request.path == VISITOR_RESET_PATH or (
            request.path == TOOLBAR_PATH and has_tools and not settings.is_local
        )
        if not is_for_all:
            origins = settings.control_origin
            return cors.for_some(request.environ, origins, preflight=preflight)
        headers = [*cors.for_all(request.environ.get("HTTP_ORIGIN"))]
        return headers + (cors.for_preflight(request.environ) if preflight else [])

    def _carry(
        self,
        request: Request,
        response: Response,
        number: int,
        off_contract: str | None,
        *,
        preflight: bool = False,
    ) -> None:
        environ, operation = request.environ, request.operation
        origin = environ.get("HTTP_ORIGIN")
        described: tuple[str, ...] = ()
        removal, root = None, ""
        if operation is not None and (operation.removal or operation.details):
            removal, root = operation.removal, request.root_path
            described = operation.details.header_names if operation.details else ()
        is_short = len(origin or "") + len(root) <= _KEPT_LENGTH
        prepare = _prepared_headers if is_short else _prepared_headers.__wrapped__
        session, stack = request.session, request.stack
        shared = prepare(
            stack.names if session and stack else None,
            request.outcome.stubs,
            session.seed if session and stack and stack.by_chance else None,
            off_contract,
            origin,
            removal,
            described,
            root,
            self._docs,
        )
        headers = [*shared, *session.headers] if session else [*shared]
        if response.status_code == 401 and response.header("WWW-Authenticate") is None:
            headers.append(challenge(given=bearer(request) is not None))
        if preflight:
            headers += cors.for_preflight(environ)
        if number:
            headers.append((REQUEST_HEADER, str(number)))
        headers.append(("Server-Timing", server_timing(request)))
        headers += self._node
        clock = self.sessions.shared.clock if session is None else session.clock
        if clock is not None:
            headers.append(("Date", http_date(clock.now())))
        if request.outcome.reply is not None:
            response.carry(headers, below=True)
            return
        response.shared = len(shared)
        response.carry(headers)

    def _delivery(self, request: Request, response: Response, number: int) -> Delivery:
        """Damage a response if its outcome says so, and return how to deliver it."""
        outcome, session = request.outcome, request.session or self.sessions.default
        close = must_close(request, session)
        if not (outcome.stubs or outcome.delay or close):
            return IMMEDIATE
        watch = None
        may_wait = outcome.delay or outcome.throttle or outcome.hold
        if number and may_wait and request.incoming.server is not None:
            wait = request.wait = Wait(number, outcome.hold, outcome.delay, outcome.throttle)
            watch = partial(self._watch, request, response, wait)
        return delivery_of(request, response, session, watch, close=close)

    def _watch(self, request: Request, response: Response, wait: Wait, send: Send) -> None:
        """Let clients of the control API release a response that waits."""
        wait.release = partial(self._release, request, response, wait, send)

    def _release(
        self,
        request: Request,
        response: Response,
        wait: Wait,
        send: Send,
        reply: StubReply,
        delay: float,
    ) -> None:
        """Send a response that waits, or a reply in its place; see `Wait.release`."""
        session, before, text = request.session, response.status_code, "released"
        assert session is not None  # noqa: S101 - a response that waits has one
        if reply == PASS and not delay:
            session.gates.release(wait)
            send(None)
            return
        outcome = replace(request.outcome, delay=delay, hold=None)
        if isinstance(reply, Canned):
            outcome = replace(outcome, reply=reply, fault=None)
            response = canned_response(reply, request, session)
            text += f" with status {reply.status} instead of {before}"
        elif reply != PASS:
            outcome = replace(outcome, fault=reply)
            text += f" with fault {reply}"
        request.outcome = outcome
        off_contract = off_contract_reason(request, response.status_code)
        if isinstance(reply, Canned):
            self._carry(request, response, wait.number, off_contract)
        if delay:
            text += f" after {delay:g} s"
        session.gates.release(wait, delay)
        watch, close = partial(self._watch, request, response, wait), must_close(request, session)
        delivery = delivery_of(request, response, session, watch, close=close)
        record_release(request, response, off_contract, text)
        sent = response.reply()
        sent.delivery, sent.session = delivery, session.name
        send(sent)

    def _observe(self, request: Request, response: Response) -> None:
        status = None if request.outcome.fault in NO_RESPONSE_FAULTS else response.status_code
        seconds = perf_counter() - request.started
        operation = request.operation.name if request.operation else None
        self.metrics.observe(operation, status, seconds, request.limit_code)


def off_contract_reason(request: Request, status: int) -> str | None:
    """Return why the contract does not list a response; None if it does, or has no say.

    It has none on paths outside of it that the active scenarios define.
    """
    outcome = request.outcome
    if outcome.fault is not None:
        return f"fault {outcome.fault}"
    reply, operation = outcome.reply, request.operation
    if reply is not None and (
        operation is None
        or reply.described is None
        or (operation.details is None and reply.off_contract)
    ):
        return reply.off_contract
    if operation is None:
        path, stack = request.path, request.stack
        if stack is not None and stack.methods(path) and not stack.contracts.describes(path):
            return None
        return "the contract does not define this operation"
    if operation.lists(status):
        return None
    return f"status {status} is not in the contract for {operation.name}"


_KEPT_LENGTH: Final = 256
"""The longest origin and base path, in characters, whose headers are kept."""


@lru_cache(256)  # entries of the request log share them
def _prepared_headers(
    scenarios: tuple[str, ...] | None,
    stubs: tuple[str, ...],
    seed: int | None,
    off_contract: str | None,
    origin: str | None,
    removal: Removal | None,
    described: tuple[str, ...],
    root: str,
    docs: str,
) -> tuple[Pair, ...]:
    """Return the headers that seldom differ between two requests.

    :param scenarios: the names of the active ones; None without a session.
    :param stubs: the labels of those that apply.
    :param seed: of the session, if the scenarios respond by chance.
    :param off_contract: why the contract does not list the response; None if it does.
    :param removal: of the operation, if it is deprecated.
    :param described: the names of headers that a document has for the operation.
    :param root: a prefix or a session's base path.
    :param docs: the path of the reference page.
    """
    deprecation: tuple[Pair, ...] = ()
    if removal is not None:
        link = (
            f'<{root}{removal.successor}>; rel="successor-version", '
            f'<{root}{docs}>; rel="deprecation"; type="text/html"'
        )
        dates = ("Deprecation", removal.deprecation), ("Sunset", removal.sunset)
        links = (("Link", link),) if removal.successor else ()
        deprecation = (*(each for each in dates if each[1]), *links)
    explanation: list[Pair] = []
    if scenarios is not None:
        explanation.append((SCENARIO_HEADER, ", ".join(scenarios)))
        explanation.append((STUB_HEADER, ", ".join(stubs) or "-"))
    if seed is not None:
        explanation.append((SEED_HEADER, str(seed)))
    if off_contract is not None:
        explanation.append((OFF_CONTRACT_HEADER, off_contract))
    return (*COMMON_HEADERS, *deprecation, *explanation, *cors.for_all(origin, described))


def server_timing(request: Request) -> str:
    """Return the milliseconds that the app took, and those that a scenario adds."""
    wait = request.wait  # set if the response takes the place of one that has waited
    took = ((perf_counter() if wait is None else wait.since) - request.started) * 1000
    delay = request.outcome.delay
    return f"app;dur={took:.2f}, delay;dur={delay * 1000:.0f}" if delay else f"app;dur={took:.2f}"


def must_close(request: Request, session: Session) -> bool:
    """Return whether the connection must end with the response: a later one may be broken.

    Browsers silently repeat a request whose reused connection breaks, and the page would not see
    the failure; so the connection must not be reused. A preflight lacks the scenario header whose
    use it asks for.
    """
    stack = request.stack
    if not session.shared.limits.faults:
        return False
    breaks = stack is not None and stack.has_connection_fault
    if not breaks and (stack is None or stack.names != session.active):
        breaks = session.has_connection_fault
    if breaks or request.method != "OPTIONS":
        return breaks
    names: str = request.environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    return SCENARIO_HEADER.lower() in names.lower()


def access_line(request: Request, response: Response, number: int = 0) -> Access:
    """Return the access log's record of a request and its response."""
    session, stack, outcome = request.session, request.stack, request.outcome
    return Access(
        method=request.method,
        target=shown_target(target(request.environ)),
        status=None if outcome.fault in NO_RESPONSE_FAULTS else response.status_code,
        ms=(perf_counter() - request.started) * 1000,
        delay_ms=outcome.delay * 1000,
        size=len(response.body),
        number=number,
        session=shortened(session.name if session else request.session_name),
        scenarios=stack.names if stack else (),
        stubs=outcome.stubs,
        fault=outcome.fault,
        notes=tuple(code for code, _ in request.notes),
        client=request.environ.get("REMOTE_ADDR", ""),
        code=request.error_code,
    )
