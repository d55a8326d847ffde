"""Let a scenario respond to recorded requests, in an app without a server."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mockpets.constants import BODY_BYTES, DEFAULT_SESSION
from mockpets.recording.exchange import AssignedIds, exchange_of
from mockpets.request_log.entry import Message
from mockpets.scenario.language.control_bodies import parse_session_config
from mockpets.session.registry import SessionRegistry
from mockpets.strict_json import dump_ascii
from mockpets.web.dry_run import Rehearsal, Rehearsed, rehearsal_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.recording.exchange import Exchange
    from mockpets.session.session import SharedState, Snapshot
    from mockpets.settings import Settings

_BUDGET: Final = 2 * BODY_BYTES
"""For the record of one request, with its response."""
_HEADERS: Final = (
    *("authorization", "content-encoding", "content-type"),
    *("api-key", "apikey", "x-api-key", "x-auth-token"),
)
"""What operations, resources and the check of the key read of a request."""


class SessionModel:
    """A session with one active scenario: a `recording.infer.Model`.

    :raise DocumentError: the scenario is invalid.
    """

    def __init__(
        self, settings: Settings, shared: SharedState, document: Mapping[str, Any]
    ) -> None:
        # A scenario cannot set the clock, so a removed operation needs a stub.
        shared = replace(
            rehearsal_state(shared, shared.library(), _BUDGET), scenarios=(), clock=None
        )
        # In ASCII, because the language rejects invisible characters unless they are escaped.
        body = dump_ascii({"scenario": document})
        config = parse_session_config(body, shared.library(), session=False)
        self._key, self._prefix = settings.key, settings.prefix
        self._sessions = SessionRegistry(shared, 1)
        self._sessions.default.activate(config.names or (), config.inline)
        self._model_ids, self._recorded_ids = AssignedIds(), AssignedIds()
        """The model's ids for recorded ones, and the other way round."""
        self._rehearsal = Rehearsal(settings, self._sessions, DEFAULT_SESSION)

    def respond(self, exchange: Exchange) -> Exchange:
        """Send a request again, and return it with the new response.

        Another server has assigned other ids: those of the recorded responses take their place.
        """
        played = self._send(exchange, self._model_ids.in_target(exchange.target))
        if exchange.created_id != played.created_id:
            self._model_ids.learn(exchange, played)
            self._recorded_ids.learn(played, exchange)
        body = self._recorded_ids.in_body(played.body, played.path, exchange.id_names)
        if body == played.body or played.response.cut:
            return played
        data = dump_ascii(body).encode()
        return played._replace(response=Message(played.response.head, data, len(data)))

    def _send(self, exchange: Exchange, target: str) -> Exchange:
        headers = dict(exchange.request.headers)
        headers = {name: headers[name] for name in headers if name.lower() in _HEADERS}
        if exchange.has_key:
            more, target = exchange.with_key(self._key, target)
            headers |= more
        request = {"method": exchange.method, "path": target, "headers": headers}
        played = Rehearsed(request | {"content": exchange.request.body}, self._prefix)
        session = self._rehearsal.play(played)
        [entry] = session.request_log.entries()
        return exchange_of(entry)

    def save(self) -> Snapshot:
        """Return the state before a request, for `restore`."""
        return self._sessions.default.snapshot()

    def restore(self, saved: Snapshot) -> None:
        """Undo what came since."""
        self._sessions.default.load(saved)
