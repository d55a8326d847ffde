"""The request and response classes, with the state of one exchange."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import flask
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.http import HTTP_STATUS_CODES

from mockpets.constants import BODY_BYTES
from mockpets.http.request_head import LENGTH_DIGITS
from mockpets.scenario.engine import NOTHING
from mockpets.wsgi_extension import HEADER_BLOCK, SERVER

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from mockpets.constants import NoteCode
    from mockpets.contract.model import Operation
    from mockpets.journal.wait import Wait
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Stack
    from mockpets.session.session import Session

    Pair = tuple[str, str]


@dataclass(slots=True)
class Exchange:
    """The state of one request, from which the headers that explain its response are made.

    :param started: in seconds of `perf_counter`.
    :param operation: the contract's operation; None for other routes, and before routing.
    :param session: None before it is selected, and if it does not exist yet.
    :param stack: its scenarios; None before they are selected.
    :param notes: codes and texts of the notes that the journal shows with the request.
    :param name: that of its session, which may not exist; empty before it is selected.
    :param code: of the error with which the server rejected it; None for a stub's reply.
    :param limit: the code if it is one of `SERVER_LIMIT_ERRORS`.
    :param wait: what its response waits for; None if it is sent at once.
    """

    started: float
    operation: Operation | None = None
    session: Session | None = None
    stack: Stack | None = None
    outcome: Outcome = NOTHING
    notes: list[tuple[NoteCode, str]] = field(default_factory=list)
    name: str = ""
    code: str | None = None
    limit: str | None = None
    wait: Wait | None = None


_PARTS: Final = ("headers", "query_string", "remote_addr", "scheme", "server")


def _decoded(text: str) -> str:
    """Return a path of an environ as UTF-8 text (PEP 3333)."""
    return text.encode("latin-1").decode("utf-8", "replace")


class Request(flask.Request):
    """A request with its exchange."""

    # A plain attribute, because Flask's property reads the app's configuration on every access.
    max_content_length: int | None = BODY_BYTES

    def __init__(self, environ: WSGIEnvironment) -> None:
        # Werkzeug would make all parts of a request, of which few are needed.
        self.environ = environ
        self.shallow = False
        self.method = environ["REQUEST_METHOD"].upper()
        # Werkzeug would remove all slashes but one: `//v1/a` is another path.
        path = environ["PATH_INFO"]
        path = path if path.isascii() else _decoded(path)
        self.path = path if path.startswith("/") else f"/{path}"
        root = environ.get("SCRIPT_NAME", "")
        self.root_path = (root if root.isascii() else _decoded(root)).rstrip("/")
        self.exchange = Exchange(perf_counter())
        self._body: bytes | None = None

    def __getattr__(self, name: str) -> Any:
        """Set the attributes that few requests need, on first use."""
        if name not in _PARTS:
            raise AttributeError(name)
        path = self.path
        super().__init__(self.environ, populate_request=False)
        self.path = path
        return getattr(self, name)

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
            # Only from a test client: our server rejects more digits, which Python may not read.
            if len(length) > LENGTH_DIGITS or (limit is not None and int(length) > limit):
                raise RequestEntityTooLarge
            self._body = self.environ["wsgi.input"].read(int(length))
            if len(self._body) < int(length):
                raise ClientDisconnected
        return self._body

    def close(self) -> None:
        """Do nothing: the app accepts no file uploads, so there are no files to close."""


class Response:
    """A response, by default JSON, whose body is in one piece.

    Flask accepts any class. Werkzeug's takes as long as our views. Names of headers may repeat.

    :param content_type: of the body, unless `headers` has a Content-Type.
    """

    def __init__(
        self,
        body: bytes | str = b"",
        status: int = 200,
        headers: Iterable[Pair] = (),
        content_type: str = "application/json",
    ) -> None:
        self.status_code = status
        self.body = body.encode() if isinstance(body, str) else body
        self.headers = [*headers]
        """Headers to send before those in `carried`."""
        self.carried: list[Pair] = []
        """Headers that the app adds when it finishes the response."""
        self.shared = 0
        """How many of `carried`, from the first, many responses have."""
        if body and not (headers and self.header("Content-Type") is not None):
            self.headers.append(("Content-Type", content_type))

    def header(self, name: str) -> str | None:
        """Return the value of the first header with a name, in any case; None without one."""
        lower = name.lower()
        return next((value for key, value in self.headers if key.lower() == lower), None)

    def remove_header(self, name: str) -> None:
        """Remove the headers with a name, in any case."""
        lower = name.lower()
        self.headers = [pair for pair in self.headers if pair[0].lower() != lower]

    def set_header(self, name: str, value: str) -> None:
        """Replace the headers with a name, in any case, by one."""
        self.remove_header(name)
        self.headers.append((name, value))

    def carry(self, pairs: Iterable[Pair], *, below: bool = False) -> None:
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
        return self.headers + self.carried

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Send the response, without the body to HEAD (PEP 3333)."""
        headers = self.all_headers()
        if self.shared:
            environ[HEADER_BLOCK] = slice(len(self.headers), len(self.headers) + self.shared)
        is_head, has_body = environ["REQUEST_METHOD"] == "HEAD", self.status_code not in _BODILESS
        # Our server adds the length of what it sends.
        is_needed = has_body and (is_head or SERVER not in environ)
        if is_needed and self.header("Content-Length") is None:
            headers.append(("Content-Length", str(len(self.body))))
        name = HTTP_STATUS_CODES.get(self.status_code, "Unknown")  # scenarios may use any number
        start_response(f"{self.status_code} {name}", headers)
        return () if is_head or not has_body else [self.body]


_BODILESS: Final = (204, 205, 304)


def current_request() -> Request:
    """Return the current request. Only views call this and pass the request on."""
    # Flask's proxy is resolved once, because each access through it costs as much as a view.
    proxy: Any = flask.request
    request: Request = proxy._get_current_object()
    return request
