"""Answer a request to ``/v1``: who asks, what the scenarios say, then the real operation.

The order is the README's: an unknown path and method are refused first, then the key is checked,
then the scenario's stubs are asked, then the operation looks at the request itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from werkzeug.exceptions import RequestEntityTooLarge

from mockpets.contract.schemas import parse_pet_id
from mockpets.errors import RequestError
from mockpets.scenario.engine import Outcome
from mockpets.scenario.matching import ABSENT, Facts, path_matches
from mockpets.scenario.model import BREAKING
from mockpets.strict_json import parse_json
from mockpets.units import parse_duration
from mockpets.web.authentication import check_key, read_key
from mockpets.web.delivery import has_room
from mockpets.web.exchange import Response, current_request
from mockpets.web.session_selector import requested_delay, select
from mockpets.wsgi_extension import SERVER

if TYPE_CHECKING:
    from collections.abc import Callable

    from mockpets.pets.store import Store
    from mockpets.scenario.library import Stack
    from mockpets.scenario.model import Canned
    from mockpets.session.registry import SessionRegistry
    from mockpets.session.session import Activation, Session
    from mockpets.settings import Settings
    from mockpets.web.authentication import Key
    from mockpets.web.exchange import Request
    from mockpets.web.public_mode import VisitorSessions

    Act = Callable[[Request, Store], Response]


class Playback:
    """Plays the scenarios around each operation.

    :param settings: which keys are valid, and how late every answer is.
    :param visitors: who each have their own session; None when clients name theirs.
    """

    def __init__(
        self, settings: Settings, sessions: SessionRegistry, visitors: VisitorSessions | None
    ) -> None:
        self._settings = settings
        self._sessions = sessions
        self._strangers = visitors
        self._delay = parse_duration(settings.delay)

    @property
    def has_control(self) -> bool:
        """Whether the control API is there."""
        return self._settings.control != "off"

    def look_at(self, request: Request) -> tuple[Key, str, Stack]:
        """Put what a request names into its exchange; return its key, session and scenarios.

        :raise RequestError: what the selection refuses.
        """
        key = read_key(request, self._settings)
        own = None if self._strangers is None else self._strangers.name(request)
        return key, *select(request, self._sessions, key.selector, own)

    def methods(self, request: Request) -> set[str]:
        """Return the methods that the scenarios of a request define for its path."""
        stack = request.exchange.stack
        return {
            stub.match.method
            for stub in (stack.stubs if stack else ())
            if stub.match.method and stub.match.path and path_matches(stub.match.path, request.path)
        }

    def play(self, operation: str | None, act: Act, **_: str) -> Response:
        """Return the answer to the current request, whose path and method are known.

        :param operation: the contract's, or None for what only a scenario can answer.
        :param act: the real operation, given the pets that the request is for.
        :raise RequestError: what the selection, the key check or the operation refuses, and
            ``busy`` when the answer is to wait and as many wait already as may, or when there are
            too many sessions.
        :raise NotReady: pets have to be made first, and the server can have it done.
        """
        request = current_request()
        exchange = request.exchange
        exchange.operation = operation
        key, name, stack = self.look_at(request)
        if not key.valid:
            code = "key_invalid" if key.given else "key_missing"
            exchange.notes.append((code, f"the API key is {code[4:]}"))
        check_key(key)
        session = exchange.session or self._sessions.take(name)
        exchange.session = session
        # A server that takes orders has a thread for what takes long.
        activation = session.use(stack.names, at_once=SERVER in request.environ)
        outcome = self._decided(request, session, activation)
        if outcome.skip:
            # Never sent as it is: the connection breaks, and the operation is not to be done.
            return Response(status=502)
        if outcome.reply is not None:
            return _canned(outcome.reply)
        return act(request, activation.store)

    def _decided(self, request: Request, session: Session, activation: Activation) -> Outcome:
        """Put into the exchange what is to happen, by the scenarios and the request's own delay.

        :raise RequestError: ``busy`` when the answer is to wait and as many wait already as may,
            ``forbidden`` when the connection is to break and this server breaks none.
        """
        exchange, delay = request.exchange, requested_delay(request) + self._delay
        if activation.stack.stubs:
            exchange.outcome = session.decide(activation, _facts(request))
            if exchange.outcome.fault in BREAKING and not self._sessions.shared.breaks:
                exchange.outcome = Outcome(exchange.outcome.stubs)
                what = "connections are not broken here: the server runs with --public"
                raise RequestError("forbidden", what)
        if delay:
            delay = min(exchange.outcome.delay + delay, self._sessions.shared.max_delay)
            exchange.outcome = replace(exchange.outcome, delay=delay)
        if not has_room(request.environ, exchange.outcome):
            exchange.outcome = Outcome(exchange.outcome.stubs)
            raise RequestError(
                "busy",
                "as many answers as may be are delayed, slow or held already; try again later",
                [("Retry-After", "1")],
            )
        return exchange.outcome


def _canned(reply: Canned) -> Response:
    """Return a scenario's reply as it was written."""
    response = Response(reply.body, reply.status, list(reply.headers))
    if not reply.body:
        del response.headers["Content-Type"]  # of a body that is not there
    return response


def _facts(request: Request) -> Facts:
    """Return what stubs can match on."""
    pet_id = (request.view_args or {}).get("pet_id")
    return Facts(
        operation=request.exchange.operation,
        method=request.method,
        path=request.path,
        pet_id=None if pet_id is None else parse_pet_id(pet_id),
        query=dict(request.args.lists()),
        headers={name.lower(): value for name, value in request.headers.items()},
        body=_body(request),
    )


def _body(request: Request) -> object:
    """Return the value of a JSON body; what is no JSON has no members to match on."""
    try:
        raw = request.get_data()
        return parse_json(raw) if raw else ABSENT
    except (RequestError, RequestEntityTooLarge):
        return ABSENT
