"""The request and response classes, with the state of one exchange."""

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

    from mockpets.constants import ErrorCode, NoteCode, Operation
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Stack
    from mockpets.session.session import Session

    Pair = tuple[str, str]


@dataclass(slots=True)
class Exchange:
    """The state of one request, from which the headers that explain its response are made.

    :param started: when it started, in seconds of `perf_counter`.
    :param operation: the contract's operation; None for other routes, and before routing.
    :param session: the request's session; None before it is selected, and if it does not exist yet.
    :param stack: the request's scenarios; None before they are selected.
    :param notes: code and text of the notes that the journal shows with the request.
    :param limit: the code of `SERVER_LIMIT_ERRORS` with which the server rejected it, or None.
    """

    started: float
    operation: Operation | None = None
    session: Session | None = None
    stack: Stack | None = None
    outcome: Outcome = NOTHING
    notes: list[tuple[NoteCode, str]] = field(default_factory=list)
    limit: ErrorCode | None = None


class Request(flask.Request):
    """A request with its exchange."""

    # A plain attribute, because Flask's property reads the app's configuration on every access.
    max_content_length: int | None = BODY_BYTES

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        path = self.environ["PATH_INFO"]
        if path[:2] == "//":  # Werkzeug removes all but one: `//v1/pets` is another path
            self.path = "/" * (len(path) - len(path.lstrip("/")) - 1) + self.path
        self.exchange = Exchange(perf_counter())
        self._body: bytes | None = None

    def get_data(  # type: ignore[override]  # only the overload that returns bytes is supported
        self, cache: bool = True, **_: bool
    ) -> bytes:
        """Return the body, in one read: Werkzeug allocates a buffer of 64 KiB for every body.

        :raise RequestEntityTooLarge: the body is longer than `max_content_length`.
        """
        if self._body is None:
            length = self.environ.get("CONTENT_LENGTH", "")
            if not (length.isascii() and length.isdigit()):
                return super().get_data(cache)
            limit = self.max_content_length
            if limit is not None and int(length) > limit:
                raise RequestEntityTooLarge
            self._body = self.environ["wsgi.input"].read(int(length))
            if len(self._body) < int(length):
                raise ClientDisconnected
        return self._body

    def close(self) -> None:
        """Do nothing: the app accepts no file uploads, so there are no files to close."""


class Response(flask.Response):
    """A response, by default JSON."""

    default_mimetype = "application/json"

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.carried: list[Pair] = []
        """Headers to send after those in `headers`. A list, because setting a name in `headers`
        scans all of them."""
        if len(arguments) < _WITH_HEADERS and not options.keys() & {"headers", "content_type"}:
            options["content_type"] = self.default_mimetype  # saves Werkzeug a search
        super().__init__(*arguments, **options)

    def carry(self, pairs: list[Pair], *, below: bool = False) -> None:
        """Add headers.

        :param below: whether to keep headers that the response already has, except ``Vary``. A
            scenario may set them on purpose, for example to simulate broken CORS.
        """
        if below:
            existing = {name.lower() for name, _ in self.headers} - {"vary"}
            pairs = [pair for pair in pairs if pair[0].lower() not in existing]
        self.carried += pairs

    def all_headers(self) -> list[Pair]:
        """Return the headers to send, without those that the server adds."""
        return [*self.headers, *self.carried]

    def get_wsgi_response(
        self, environ: WSGIEnvironment
    ) -> tuple[Iterable[bytes], str, list[Pair]]:
        """Return body, status and headers; Werkzeug handles everything but a body in one piece."""
        body: Any = self.response
        headers = self.headers.to_wsgi_list()
        is_plain = isinstance(body, list) and len(body) == 1 and isinstance(body[0], bytes)
        if not is_plain or self.status_code in _BODILESS or not all(map(_is_sent_as_set, headers)):
            chunks, status, headers = super().get_wsgi_response(environ)
            return chunks, status, [*headers, *self.carried]
        if "Content-Length" not in self.headers:
            headers.append(("Content-Length", str(len(body[0]))))
        headers += self.carried
        return (() if environ["REQUEST_METHOD"] == "HEAD" else body), self.status, headers


_WITH_HEADERS: Final = 3
"""The number of positional arguments of a response that include its headers."""
_BODILESS: Final = (204, 205, 304)


def _is_sent_as_set(header: Pair) -> bool:
    """Return whether a header is sent unchanged; Werkzeug encodes URLs that are not ASCII."""
    return header[0].lower() not in ("location", "content-location") or header[1].isascii()


def current_request() -> Request:
    """Return the current request. Only views call this and pass the request on."""
    # Flask's proxy is resolved once, because each access through it costs as much as a view.
    return cast("Request", cast("Any", flask.request)._get_current_object())
