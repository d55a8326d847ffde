"""The request and response classes of the views."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from time import perf_counter
from typing import TYPE_CHECKING, Final, Self, TypeAlias
from urllib.parse import quote

import flask
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.http import HTTP_STATUS_CODES

from mockpets.constants import BASE_MARK, BODY_BYTES
from mockpets.http.request_head import LENGTH_DIGITS
from mockpets.interface import Reply
from mockpets.scenario.engine import UNDECIDED

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping
    from wsgiref.types import WSGIEnvironment

    from mockpets.constants import NoteCode
    from mockpets.contract.contract_model import Collection, Operation
    from mockpets.interface import After, Incoming, Pair, Result
    from mockpets.request_log.request_log import Kept
    from mockpets.request_log.wait import Wait
    from mockpets.scenario.engine import Outcome
    from mockpets.scenario.library import Stack
    from mockpets.session.session import Session

    Steps: TypeAlias = "Coroutine[After, Result, Response]"
    """What a view with ``await`` returns; see `web.jobs`."""
    View: TypeAlias = "Callable[..., Response | Steps]"
    """Gets the request, and by name the parameters in the path."""


_BASE_START: Final = f"/{BASE_MARK}"


def _decoded(text: str) -> str:
    """Return a path of an environ as UTF-8 text (PEP 3333)."""
    return text.encode("latin-1").decode("utf-8", "replace")


@lru_cache(256)  # the headers of documents
def environ_key(header: str) -> str:
    """Return the key of a header in an environ (PEP 3333)."""
    return f"HTTP_{header.upper().replace('-', '_')}"


class Request(flask.Request):
    """A request, with the state from which its response is completed and explained."""

    # A plain attribute, because Flask's property reads the app's configuration on every access.
    max_content_length: int | None = BODY_BYTES
    incoming: Incoming
    """How it arrived. Flask makes requests of an environ alone, so it is set after that."""
    operation: Operation | None = None
    """The contract's operation; None for other routes, and before routing."""
    session: Session | None = None
    """None before it is selected, and if it does not exist yet."""
    session_name = ""
    """That of its session, which may not exist; empty before it is selected."""
    stack: Stack | None = None
    """Its scenarios; None before they are selected."""
    outcome: Outcome = UNDECIDED
    credential = ""
    """The key that an operation of a document has found; empty without one."""
    error_code: str | None = None
    """Of the error with which the server rejected it; None for a stub's reply."""
    ignored_headers = ""
    """A note about headers like ours without effect; empty without any."""
    limit_code: str | None = None
    """The same if it is one of `SERVER_LIMIT_ERRORS`."""
    wait: Wait | None = None
    """What its response waits for; None if it is sent at once."""
    kept: Kept | None = None
    """Its entry in the request log, if its response waits."""
    also_read: tuple[tuple[Collection, object], ...] = ()
    """The collections whose records its response depends on, besides that of its operation, and
    their revisions."""
    base: str | None = None
    """The session and scenarios in its base path, such as ``w3+empty``; None without one."""
    baggage: tuple[Mapping[str, str], str] | None = None
    """What the header `baggage` selects, and what is wrong with it; None if it selects nothing."""

    def __init__(self, environ: WSGIEnvironment) -> None:
        if environ["PATH_INFO"].startswith(_BASE_START):
            self._take_base_path(environ)
        super().__init__(environ, populate_request=False)
        # Werkzeug removes all slashes but one: `//v1/a` is another path.
        path = environ["PATH_INFO"]
        path = path if path.isascii() else _decoded(path)
        self.path = path if path.startswith("/") else f"/{path}"
        self.address: str = environ.get("REMOTE_ADDR", "")
        """Of the client; empty if it is unknown."""
        self.started = perf_counter()
        """In seconds of `perf_counter`; later by the time for which its view has waited."""
        self.notes: list[tuple[NoteCode, str]] = []
        """Codes and texts of the notes that the request log shows with the request."""
        self._body: bytes | None = None

    @classmethod
    def of(cls, incoming: Incoming) -> Self:
        """Return a request that is not Flask's."""
        request = cls(incoming.environ)
        request.incoming = incoming
        return request

    def _take_base_path(self, environ: WSGIEnvironment) -> None:
        """Move the base path of a session or scenarios from PATH_INFO to SCRIPT_NAME (PEP 3333).

        The rest of the path is routed; `Location` and `Link` keep the base path.
        """
        base, _, rest = environ["PATH_INFO"][1:].partition("/")
        self.base = _decoded(base.removeprefix(BASE_MARK))
        # Quoted, because it becomes part of headers even if it is rejected.
        quoted = quote(base.encode("latin-1"), safe="~+")
        environ["SCRIPT_NAME"] = f"{environ.get('SCRIPT_NAME', '')}/{quoted}"
        environ["PATH_INFO"] = f"/{rest}"

    @property
    def header_names(self) -> tuple[str, ...]:
        """The keys of its headers in the environ."""
        return self.incoming.names or tuple([key for key in self.environ if key[:5] == "HTTP_"])

    @property
    def may_have_body(self) -> bool:
        """Whether it has the header of a body (RFC 9112, section 6.3)."""
        # Our server replaces Transfer-Encoding by Content-Length; that of Flask does not.
        get = self.environ.get
        return bool(get("CONTENT_LENGTH") or get("HTTP_TRANSFER_ENCODING"))

    def take_body(self, body: bytes) -> None:
        """Continue with a body that has arrived after the head."""
        self.incoming.is_arriving = False
        self.environ["wsgi.input"] = BytesIO(body)
        self.environ["CONTENT_LENGTH"] = str(len(body))

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

    :param content_type: of the body, unless `headers` has a Content-Type; None if it has one.
    """

    length: int | None = None
    """What Content-Length says if a fault has cut off the body."""
    is_damaged = False
    """Whether a fault has damaged the body."""
    shared = 0
    """How many of `carried`, from the first, many responses have."""

    def __init__(
        self,
        body: bytes | str = b"",
        status: int = 200,
        headers: Iterable[Pair] = (),
        content_type: str | None = "application/json",
    ) -> None:
        self.status_code = status
        self.body = body.encode() if isinstance(body, str) else body
        self.headers = [*headers]
        """Headers to send before those in `carried`."""
        self.carried: list[Pair] = []
        """Headers that the app adds when it finishes the response."""
        if body and content_type and not (headers and self.header("Content-Type") is not None):
            self.headers.append(("Content-Type", content_type))

    def header(self, name: str) -> str | None:
        """Return the value of the first header with a name, in any case; None without one."""
        lower = name.lower()
        for key, value in self.headers:
            if key.lower() == lower:
                return value
        return None

    def remove_header(self, name: str) -> None:
        """Remove the headers with a name, in any case."""
        lower = name.lower()
        self.headers = [pair for pair in self.headers if pair[0].lower() != lower]

    def set_header(self, name: str, value: str) -> None:
        """Replace the headers with a name, in any case, by one."""
        lower = name.lower()
        kept = [pair for pair in self.headers if pair[0].lower() != lower]
        self.headers = [*kept, (name, value)]

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
        """Return the headers, without those that the server adds to every response."""
        cut = () if self.length is None else (("Content-Length", str(self.length)),)
        return [*self.headers, *cut, *self.carried]

    def reply(self) -> Reply:
        """Return it as the server sends it."""
        start, status = len(self.headers), self.status_code
        return Reply(
            f"{status} {HTTP_STATUS_CODES.get(status, 'Unknown')}",  # scenarios may use any number
            self.headers + self.carried,
            b"" if status in _BODILESS else self.body,
            self.length,
            slice(start, start + self.shared) if self.shared else None,
        )


_BODILESS: Final = (204, 205, 304)
"""The statuses without a body (RFC 9110, 15)."""
