"""The request and response classes: what the app knows of one exchange beyond Flask's."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast

import flask
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from mockpets.constants import BODY_BYTES
from mockpets.scenario.engine import NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import WSGIEnvironment

    from mockpets.constants import Operation
    from mockpets.contract.control_types import NoteCode
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Stack
    from mockpets.session.session import Session

    Pair = tuple[str, str]


@dataclass(slots=True)
class Exchange:
    """What is known of one request so far; the headers that explain its answer come from here.

    :param started: seconds on the performance counter.
    :param operation: the contract's operation, once the route is known; None for others.
    :param session: None until the selection is made, as is `stack`; and where there is none yet.
    :param notes: what the journal is to tell of the request, as code and text.
    """

    started: float
    operation: Operation | None = None
    session: Session | None = None
    stack: Stack | None = None
    outcome: Outcome = NOTHING
    notes: list[tuple[NoteCode, str]] = field(default_factory=list)


class Request(flask.Request):
    """A request with its exchange."""

    # Flask looks into its configuration each time; a view may still set another.
    max_content_length: int | None = BODY_BYTES

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.exchange = Exchange(perf_counter())
        self._body: bytes | None = None

    def get_data(  # type: ignore[override]  # one overload of three is all there is here
        self, cache: bool = True, **_: bool
    ) -> bytes:
        """Return the body, read at once: Werkzeug's way takes a buffer of 64 KiB for any.

        :raise RequestEntityTooLarge: it is longer than it may be.
        """
        if self._body is None:
            length = self.environ.get("CONTENT_LENGTH", "")
            if not (length.isascii() and length.isdigit()):
                return super().get_data(cache)
            most = self.max_content_length
            if most is not None and int(length) > most:
                raise RequestEntityTooLarge
            self._body = self.environ["wsgi.input"].read(int(length))
            if len(self._body) < int(length):
                raise ClientDisconnected
        return self._body

    def close(self) -> None:
        """Do nothing: no file was uploaded."""


class Response(flask.Response):
    """A response that is JSON unless it says otherwise."""

    default_mimetype = "application/json"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.carried: list[Pair] = []
        """Headers beside `headers`, none of which those have: putting a name into `headers` means
        looking at all that are there."""
        if len(arguments) < _WITH_HEADERS and not options.keys() & {"headers", "content_type"}:
            options["content_type"] = self.default_mimetype  # else Werkzeug looks for it
        super().__init__(*arguments, **options)

    def carry(self, pairs: list[Pair], *, below: bool = False) -> None:
        """Add headers.

        :param below: what the response has already of a name stays, but for ``Vary``: a scenario
            may set it on purpose, to play a service whose CORS is broken, say.
        """
        if below:
            has = {name.lower() for name, _ in self.headers} - {"vary"}
            pairs = [pair for pair in pairs if pair[0].lower() not in has]
        self.carried += pairs

    def all_headers(self) -> list[Pair]:
        """Return the headers that are sent, but for those that the server adds."""
        return [*self.headers, *self.carried]

    def get_wsgi_response(
        self, environ: WSGIEnvironment
    ) -> tuple[Iterable[bytes], str, list[Pair]]:
        """Return body, status and headers; what is long or unusual, as Werkzeug has it."""
        body: Any = self.response
        headers = self.headers.to_wsgi_list()
        plain = isinstance(body, list) and len(body) == 1 and isinstance(body[0], bytes)
        if not plain or self.status_code in _BODILESS or not all(map(_as_it_stands, headers)):
            chunks, status, headers = super().get_wsgi_response(environ)
            return chunks, status, [*headers, *self.carried]
        if "Content-Length" not in self.headers:
            headers.append(("Content-Length", str(len(body[0]))))
        headers += self.carried
        return (() if environ["REQUEST_METHOD"] == "HEAD" else body), self.status, headers


_WITH_HEADERS: Final = 3
"""Of the arguments of a response, its headers are the third."""
_BODILESS: Final = (204, 205, 304)


def _as_it_stands(header: Pair) -> bool:
    """Whether a header is sent as it was set; Werkzeug encodes URLs."""
    return header[0].lower() not in ("location", "content-location") or header[1].isascii()


def current_request() -> Request:
    """Return the request being answered; only views may ask, everything else is handed it."""
    # The object, since each look through Flask's stand-in costs as much as a view.
    return cast("Request", cast("Any", flask.request)._get_current_object())
