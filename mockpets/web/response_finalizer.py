"""Give every answer what it must carry, and hand it over.

This is the one way out: whatever a view or an error has made passes here, is ordered from the
server as the scenarios have it, and is written into its session's journal.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Final

from mockpets.constants import (
    CONTROL_PREFIX,
    DEPRECATION,
    DOCS_PATH,
    OFF_CONTRACT_HEADER,
    PETS_PATH,
    REQUEST_HEADER,
    SCENARIO_HEADER,
    SEED_HEADER,
    SESSION_HEADER,
    STUB_HEADER,
    SUNSET,
)
from mockpets.contract.schemas import RESPONSES
from mockpets.redaction import redacted_target
from mockpets.scenario.engine import NOTHING
from mockpets.scenario.model import BREAKING
from mockpets.telemetry.access_log import Access, access, wanted
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
    from mockpets.web.exchange import Pair, Request
    from mockpets.wsgi_extension import DeliveryOrder

_ALWAYS: Final = (("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
_TURNED_AWAY: Final = (401, 403, 429)
"""What callers of the control API are told who may not call it, or have guessed too often."""


def finish(
    settings: Settings,
    sessions: SessionRegistry,
    delivery: Delivery,
    metrics: Metrics,
    response: Response,
) -> Response:
    """Return an answer with all that it must carry, recorded, and ordered from the server."""
    request = current_request()
    environ, path = request.environ, request.path
    order: DeliveryOrder | None = environ.get(ORDER)
    if order is not None and order.job is not None:
        return response  # not ready
    is_preflight = request.method == "OPTIONS"
    added = [*_ALWAYS]
    if path.startswith(CONTROL_PREFIX):
        added += cors.for_some(environ, settings.control_origin, preflight=is_preflight)
        response.carry(added)
        looks = request.method in ("GET", "HEAD", "OPTIONS")  # as the panel does, again and again
        if not looks or response.status_code in _TURNED_AWAY:
            access(_line(request, response))
        return response
    exchange = request.exchange
    status = response.status_code
    if status == 401 and "WWW-Authenticate" not in response.headers:
        added.append(challenge(given=bearer(request) is not None))
    if exchange.operation == "getPet":
        added += _deprecation(request)
    reason = _off_contract(request, status)
    number = 0
    if exchange.session is not None and not is_preflight:
        number = exchange.session.journal.next_number()
        added.append((REQUEST_HEADER, str(number)))
    added += _explanation(request, reason)
    added += cors.for_all(environ, preflight=is_preflight)
    response.carry(added, below=exchange.outcome.reply is not None)
    session = exchange.session or sessions.default
    close = _breaks(request, session)
    if exchange.outcome is not NOTHING or close:
        delivery.deliver(response, environ, exchange.outcome, session.gates, close=close)
    if number:
        record(request, response, number, reason)
    if not is_preflight:
        broken = exchange.outcome.fault in BREAKING
        took = perf_counter() - exchange.started
        answered = None if broken else status
        metrics.observe(exchange.operation, answered, took, exchange.outcome.delay)
        if wanted():
            access(_line(request, response, number))
    return response


def _line(request: Request, response: Response, number: int = 0) -> Access:
    """Return what the log tells of an exchange.

    :param number: the one in the journal, 0 when it is not there.
    """
    exchange = request.exchange
    session, stack, outcome = exchange.session, exchange.stack, exchange.outcome
    return Access(
        method=request.method,
        target=redacted_target(target(request.environ)),
        status=None if outcome.fault in BREAKING else response.status_code,
        ms=(perf_counter() - exchange.started) * 1000,
        delay_ms=outcome.delay * 1000,
        size=response.content_length or len(response.get_data()),
        number=number,
        session=session.name if session else "",
        scenarios=stack.names if stack else (),
        stubs=outcome.stubs,
        fault=outcome.fault,
        notes=tuple(code for code, _ in exchange.notes),
    )


def _breaks(request: Request, session: Session) -> bool:
    """Whether a later request on the same connection may find it broken.

    Browsers quietly repeat a request whose reused connection breaks, so none is to be reused
    then: the page would not see the failure. A preflight does not carry the header that it asks
    leave for.
    """
    stack = request.exchange.stack
    if (stack is not None and stack.breaks) or session.breaks:
        return session.may_break
    if request.method != "OPTIONS" or not session.may_break:
        return False
    asked: str = request.environ.get("HTTP_ACCESS_CONTROL_REQUEST_HEADERS", "")
    return SCENARIO_HEADER.lower() in asked.lower()


def _deprecation(request: Request) -> tuple[Pair, ...]:
    """Say that the operation is deprecated, since when, until when, and what to use instead."""
    prefix = request.root_path
    link = (
        f'<{prefix}{PETS_PATH}>; rel="successor-version", '
        f'<{prefix}{DOCS_PATH}>; rel="deprecation"; type="text/html"'
    )
    return ("Deprecation", DEPRECATION), ("Sunset", SUNSET), ("Link", link)


def _explanation(request: Request, reason: str | None) -> list[Pair]:
    """Say who answered, why, and how long it took.

    :param reason: why the contract does not know the answer, or None when it does.
    """
    exchange, said = request.exchange, []
    session, stack, outcome = exchange.session, exchange.stack, exchange.outcome
    if session is not None:
        said.append((SESSION_HEADER, session.name))
    if session is not None and stack is not None:
        said.append((SCENARIO_HEADER, ", ".join(stack.names)))
        said.append((STUB_HEADER, ", ".join(outcome.stubs) or "-"))
        if stack.by_chance:
            said.append((SEED_HEADER, str(session.seed)))
    if reason is not None:
        said.append((OFF_CONTRACT_HEADER, reason))
    took = (perf_counter() - exchange.started) * 1000
    late = f", delay;dur={outcome.delay * 1000:.0f}" if outcome.delay else ""
    said.append(("Server-Timing", f"app;dur={took:.2f}{late}"))
    return said


def _off_contract(request: Request, status: int) -> str | None:
    """Return why the contract does not know an answer, or None when it does."""
    exchange = request.exchange
    outcome = exchange.outcome
    if outcome.fault is not None:
        return f"fault {outcome.fault}"
    if outcome.reply is not None:
        return outcome.reply.off_contract
    if exchange.operation is None:
        return "the contract has no such operation"
    if status in RESPONSES[exchange.operation]:
        return None
    return f"status {status} is not listed for {exchange.operation}"
