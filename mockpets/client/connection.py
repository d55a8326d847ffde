"""Talk to one running server: check its address, send a call, return the response or its error.

Knows HTTP and the Error body; `client` knows the calls. Keeps one idle connection, uses no proxy
and follows no redirect. Standard library only. Safe to use from several threads.
"""

from __future__ import annotations

import json
import re
import weakref
from collections import deque
from http.client import (
    HTTP_PORT,
    HTTPS_PORT,
    BadStatusLine,
    HTTPConnection,
    HTTPException,
    HTTPSConnection,
)
from selectors import EVENT_READ, DefaultSelector
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from mockpets.constants import API_PREFIX, BASE_MARK, CONTROL_PREFIX, ERRORS, PETS_PATH
from mockpets.errors import InputError, MockpetsError, Problem, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.contract.control_types import VerificationDetails

_FAILED: Final = ERRORS["verification_failed"]


class NoAnswer(MockpetsError):  # noqa: N818 - nobody there is no error of the program
    """No mockpets answers where one was expected; the text names the URL."""

    def __init__(self, url: str, what: str, hint: str = "is mockpets running there?") -> None:
        super().__init__(printable(f"{url}: {what}; {hint}"))


class ControlError(MockpetsError):
    """The server refuses a call; as text, its message and each problem on a line.

    :param code: one of `constants.ERRORS`, with its HTTP status.
    :param details: what the message does not hold; empty for most errors.
    """

    def __init__(self, code: str, status: int, message: str, details: Mapping[str, Any]) -> None:
        self.code = code
        self.status = status
        self.message = message
        self.details = details
        problems = [Problem(**problem) for problem in details.get("problems", ())]
        # Of a single problem the message has told.
        super().__init__("\n".join([message, *map(str, problems if len(problems) > 1 else [])]))


class VerificationError(ControlError, AssertionError):
    """The journal does not have the expected requests, so the test that verifies them fails."""

    details: VerificationDetails


class Answer(NamedTuple):
    """What a server answers, whatever the status."""

    status: int
    body: bytes


class Connection:
    """Sends requests to one server.

    :param url: the root, with a path where the server is mounted below one.
    :param timeout: seconds for each step: to connect, to send, and to wait for more.
    :raise InputError: the URL is none.
    """

    def __init__(self, url: str, timeout: float) -> None:
        self.url = url
        self._timeout = timeout
        self._idle: deque[HTTPConnection] = deque()
        self._is_secure, self._host, self._port, self._path = _address(url)
        weakref.finalize(self, _close, self._idle)  # no one need close it

    def call(
        self,
        method: str,
        target: str,
        token: str,
        body: object,
        wait: float,
        read: Callable[[bytes], Any],
    ) -> Any:
        """Return what a call of the control API is answered with.

        :param token: the control token, or empty.
        :param body: sent as JSON; None for none.
        :param wait: as for `ask`.
        :param read: makes the value of the answer's body, or raises ValueError.
        :raise ControlError: the server refuses.
        :raise NoAnswer: nothing answers, or not as mockpets does.
        """
        __tracebackhide__ = True  # pytest then shows the test's own line
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        sent = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            sent = json.dumps(body).encode()
        answer = self.ask(method, target, headers, sent, wait)
        try:
            if answer.status < 300:
                return read(answer.body)
            value = json.loads(answer.body)
            kind = VerificationError if answer.status == _FAILED else ControlError
            refused = kind(value["code"], answer.status, value["message"], value.get("details", {}))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            what = f"answers {answer.status}, but not as mockpets does"
            raise NoAnswer(self.url, what) from error
        raise refused

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        wait: float = 0.0,
    ) -> Answer:
        """Send one request and return the answer, whatever its status.

        A GET is sent once more when the kept connection ends just then: servers close idle ones.

        :param path: below that of the URL, quoted, with the query.
        :param wait: seconds that the server may take beyond the timeout.
        :raise NoAnswer: nothing answers, or not HTTP.
        """
        request = method, self._path + path, body, dict(headers or {})
        kept = self._kept()
        try:
            if kept is not None:
                try:
                    return self._send(kept, request, wait)
                except ConnectionError:
                    if method != "GET":
                        raise
            make = HTTPSConnection if self._is_secure else HTTPConnection
            return self._send(make(self._host, self._port), request, wait)
        except (OSError, HTTPException) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            if type(error) is BadStatusLine:  # its text is what came
                reason = f"not with HTTP, but with {reason.strip()[:40]!r}"
            what = f"does not answer: {reason}"
            if self._is_secure:
                hint = "is mockpets running there, behind a proxy with TLS? By itself it has http"
                raise NoAnswer(self.url, what, hint) from error
            raise NoAnswer(self.url, what) from error

    def close(self) -> None:
        """Close the kept connection; the next request opens another."""
        _close(self._idle)

    def _kept(self) -> HTTPConnection | None:
        """Return the idle connection, if there is one and it still holds."""
        try:
            connection = self._idle.pop()
        except IndexError:
            return None
        try:
            with DefaultSelector() as selector:
                selector.register(connection.sock, EVENT_READ)
                is_open = not selector.select(0)  # all that can arrive on it now is its end
        except BaseException:  # Ctrl-C
            connection.close()
            raise
        if is_open:
            return connection
        connection.close()
        return None

    def _send(
        self,
        connection: HTTPConnection,
        request: tuple[str, str, bytes | None, dict[str, str]],
        wait: float,
    ) -> Answer:
        """Send a request over a connection, which is kept if no other is."""
        connection.timeout = self._timeout + wait
        try:
            if connection.sock is not None:
                connection.sock.settimeout(connection.timeout)
            connection.request(*request)
            response = connection.getresponse()
            answer = Answer(response.status, response.read())
        except BaseException:
            connection.close()
            raise
        if connection.sock is None or self._idle:
            connection.close()
        else:
            self._idle.append(connection)
        return answer


def split_url(url: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the root of a URL, and the session and the scenarios that it names.

    :param url: the root, a base URL, or what people copy: the pets' address, the panel's.
    """
    root = re.sub(f"(?:{PETS_PATH}|{API_PREFIX}|{CONTROL_PREFIX})$", "", url.rstrip("/"))
    rest, mark, chosen = root.rpartition(f"/{BASE_MARK}")
    if not mark or "/" in chosen:
        return root, "", ()
    session, *scenarios = chosen.split("+")
    return rest, session, tuple(filter(None, scenarios))


def _close(connections: deque[HTTPConnection]) -> None:
    while connections:
        connections.pop().close()


def _address(url: str) -> tuple[bool, str, int, str]:
    """Return whether a URL is one of HTTPS, and its host, port and path.

    :raise InputError: it is no URL of a server.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host.encode("idna")  # as looking it up does: no label empty or of over 63 characters
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    # urlsplit drops line ends, http.client stumbles over them, blanks and non-ASCII paths.
    is_clean = not re.search(r"[\s\x00-\x1f\x7f]", url) and parts.path.isascii()
    if parts.scheme not in ("http", "https") or not host or port == 0 or not is_clean:
        hint = "say which server, as in http://localhost:7387"
        raise InputError([Problem(url or "''", 0, 0, "", "is no address of a server", hint)])
    is_secure = parts.scheme == "https"
    # Said always: http.client looks for the port in an IPv6 address otherwise.
    return is_secure, host, port or (HTTPS_PORT if is_secure else HTTP_PORT), parts.path
