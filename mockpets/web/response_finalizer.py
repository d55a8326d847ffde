"""Complete every response: the one way out of the app.

Whatever a view or an error handler returns passes through `ResponseFinalizer.finalize`, which reads
as a list of steps: why the contract does not list the response, its number in the journal, the
headers, the delivery that the scenarios ask for, the journal entry, the metrics, the access log.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    COMMON_HEADERS,
    CONTROL_PREFIX,
    DEPRECATION,
    DOCS_PATH,
    OFF_CONTRACT_HEADER,
    PETS_PATH,
    REQUEST_HEADER,
    SCENARIO_HEADER,
    SEED_HEADER,
    STUB_HEADER,
    SUNSET,
)
from mockpets.contract.schemas import RESPONSES
from mockpets.faults import CONNECTION_FAULTS
from mockpets.scenario.engine import NOTHING
from mockpets.telemetry.access_log import Access, access, shown_target, wanted
from mockpets.web import cors
from mockpets.web.authentication import bearer, challenge
from mockpets.web.exchange import Response, current_request
from mockpets.web.journal_writer import record, target
from mockpets.wsgi_extension import ORDER

if TYPE_CHECKING:
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Session
    from mockpets.settings import Settings
    from mockpets.telemetry.metrics import Metrics
    from mockpets.web.delivery import Delivery
    from mockpets.web.exchange import Exchange, Pair, Request
    from mockpets.web.public_mode import VisitorSessions
    from mockpets.wsgi_extension import DeliveryOrder

_LOGGED: Final = (401, 403, 429)
"""Statuses that the access log lists even for control calls that only read."""


class ResponseFinalizer:
    """Completes the responses of one app.

    :param sessions: the default session is used for a request without one.
    :param visitors: count their responses in progress; None unless the server is public.
    """

    def __init__(
        self,
        settings: Settings,
        sessions: SessionRegistry,
        delivery: Delivery,
        metrics: Metrics,
        visitors: VisitorSessions | None = None,
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._delivery = delivery
        self._metrics = metrics
        self._visitors = visitors

    def finalize(self, response: Response) -> Response:
        """Return the response to the current request, completed, recorded and ready to send."""
        request = current_request()
        order: DeliveryOrder | None = request.environ.get(ORDER)
        if order is not None and (order.job is not None or order.needs_body):
            return response  # never sent: the server calls the app again
        if request.path.startswith(CONTROL_PREFIX):
            response = self._finalize_control(request, response, order)
        else:
            response = self._finalize_api(request, response)
        if self._visitors is not None:
            self._visitors.track(request)
        return response

    def _finalize_api(self, request: Request, response: Response) -> Response:
        """Complete a response outside the control API."""
        is_preflight = request.method == "OPTIONS"
        off_contract = off_contract_reason(request.exchange, response.status_code)
        number = 0 if is_preflight else journal_number(request.exchange)
        headers = headers_for(request, response, number, off_contract, preflight=is_preflight)
        response.carry(headers, below=request.exchange.outcome.reply is not None)
        self._deliver(request, response)
        if number:
            record(request, response, number, off_contract)
        if not is_preflight:
            self._observe(request.exchange, response.status_code)
            if wanted():
                access(access_line(request, response, number))
        elif request.exchange.limit is not None:
            self._metrics.count_limit(request.exchange.limit)
        return response

    def _finalize_control(
        self, request: Request, response: Response, order: DeliveryOrder | None
    ) -> Response:
        """Complete a response of the control API, which has no scenarios and is not recorded."""
        is_preflight = request.method == "OPTIONS"
        if request.exchange.session is not None:
            response.carry([*request.exchange.session.headers])
        origins = self._settings.control_origin
        response.carry(
            [*COMMON_HEADERS, *cors.for_some(request.environ, origins, preflight=is_preflight)]
        )
        if request.exchange.limit is not None:
            self._metrics.count_limit(request.exchange.limit)
        if order is not None and order.retry:
            return response  # not its last
        only_reads = request.method in ("GET", "HEAD", "OPTIONS")  # the panel polls with these
        if not only_reads or response.status_code in _LOGGED:
            access(access_line(request, response))
        return response

    def _deliver(self, request: Request, response: Response) -> None:
        """Deliver the response as its scenarios decided."""
        outcome = request.exchange.outcome
        session = request.exchange.session or self._sessions.default
        close = must_close(request, session)
        if outcome is not NOTHING or close:
            self._delivery.deliver(response, request.environ, outcome, session.gates, close=close)

    def _observe(self, exchange: Exchange, status: int) -> None:
        """Count the response in the metrics."""
        outcome = exchange.outcome
        self._metrics.observe(
            exchange.operation,
            None if outcome.fault in CONNECTION_FAULTS else status,
            perf_counter() - exchange.started,
            outcome.delay,
            exchange.limit,
        )


def off_contract_reason(exchange: Exchange, status: int) -> str | None:
    """Return why the contract does not list a response, or None if it does."""
    outcome = exchange.outcome
    if outcome.fault is not None:
        return f"fault {outcome.fault}"
    if outcome.reply is not None:
        return outcome.reply.off_contract
    if exchange.operation is None:
        return "the contract does not define this operation"
    if status in RESPONSES[exchange.operation]:
        return None
    return f"status {status} is not in the contract for {exchange.operation}"


def journal_number(exchange: Exchange) -> int:
    """Return the number that the session's journal gives an exchange; 0 without a session."""
    return 0 if exchange.session is None else exchange.session.journal.next_number()


def headers_for(
    request: Request,
    response: Response,
    number: int,
    off_contract: str | None,
    *,
    preflight: bool,
) -> list[Pair]:
    """Return the headers to add to a response outside the control API.

    :param number: the exchange's number in the journal; 0 if it is not recorded.
    :param off_contract: as `off_contract_reason` returns it.
    """
    headers: list[Pair] = [*COMMON_HEADERS]
    if response.status_code == 401 and "WWW-Authenticate" not in response.headers:
        headers.append(challenge(given=bearer(request) is not None))
    if request.exchange.operation == "getPet":
        headers += deprecation_headers(request.root_path)
    if number:
        headers.append((REQUEST_HEADER, str(number)))
    headers += explanation_headers(request.exchange, off_contract)
    headers += cors.for_all(request.environ, preflight=preflight)
    return headers


def deprecation_headers(root: str) -> tuple[Pair, ...]:
    """Return the headers of the deprecated operation: since when, until when, what to use instead.

    :param root: the part before the path: a prefix, a session's base path, or both.
    """
    link = (
        f'<{root}{PETS_PATH}>; rel="successor-version", '
        f'<{root}{DOCS_PATH}>; rel="deprecation"; type="text/html"'
    )
    return ("Deprecation", DEPRECATION), ("Sunset", SUNSET), ("Link", link)


def explanation_headers(exchange: Exchange, off_contract: str | None) -> list[Pair]:
    """Return the headers that say which session, scenarios and stub responded, and how fast.

    :param off_contract: as `off_contract_reason` returns it.
    """
    headers: list[Pair] = []
    session, stack, outcome = exchange.session, exchange.stack, exchange.outcome
    if session is not None:
        headers += session.headers
    if session is not None and stack is not None:
        headers.append((SCENARIO_HEADER, ", ".join(stack.names)))
        headers.append((STUB_HEADER, ", ".join(outcome.stubs) or "-"))
        if stack.by_chance:
            headers.append((SEED_HEADER, str(session.seed)))
    if off_contract is not None:
        headers.append((OFF_CONTRACT_HEADER, off_contract))
    took = (perf_counter() - exchange.started) * 1000
    delay = f", delay;dur={outcome.delay * 1000:.0f}" if outcome.delay else ""
    headers.append(("Server-Timing", f"app;dur={took:.2f}{delay}"))
    return headers


def must_close(request: Request, session: Session) -> bool:
    """Return whether the connection must end with the response: a later one may be broken.

    Browsers silently repeat a request whose reused connection breaks, and the page would not see
    the failure; so the connection must not be reused. A preflight lacks the scenario header whose
    use it asks for.
    """
    stack = request.exchange.stack
    if (stack is not None and stack.breaks) or session.breaks:
        return session.may_break
    if request.method != "OPTIONS" or not session.may_break:
        return False
    names: str = request.environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    return SCENARIO_HEADER.lower() in names.lower()


def access_line(request: Request, response: Response, number: int = 0) -> Access:
    """Return the access log's record of an exchange.

    :param number: the exchange's number in the journal; 0 if it is not recorded.
    """
    exchange = request.exchange
    session, stack, outcome = exchange.session, exchange.stack, exchange.outcome
    return Access(
        method=request.method,
        target=shown_target(target(request.environ)),
        status=None if outcome.fault in CONNECTION_FAULTS else response.status_code,
        ms=(perf_counter() - exchange.started) * 1000,
        delay_ms=outcome.delay * 1000,
        size=response.content_length or len(response.get_data()),
        number=number,
        session=session.name if session else "",
        scenarios=stack.names if stack else (),
        stubs=outcome.stubs,
        fault=outcome.fault,
        notes=tuple(code for code, _ in exchange.notes),
        client=request.environ.get("REMOTE_ADDR", ""),
    )
