"""Send HTTP requests to one running server, and turn its Error bodies into exceptions.

Keeps one idle connection, uses no proxy and follows no redirects. Standard library only. Safe to
use from several threads.
"""

from __future__ import annotations

import json
import re
import weakref
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets import constants
from mockpets.client.http_connection import PORTS, HttpConnection
from mockpets.errors import MockpetsError, Problem, invalid, printable
from mockpets.urls import has_user, plain_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mockpets.client.http_connection import Response
    from mockpets.contract.control_types import HeldResponses, VerificationDetails


class NoAnswer(MockpetsError):  # noqa: N818 - a public name
    """The server does not respond, or not like mockpets; the message contains its URL."""

    def __init__(self, message: str) -> None:
        super().__init__(printable(message))


class IncompatibleServerError(MockpetsError):
    """The server has another version and protocol of the control API than this client."""

    def __init__(self, url: str, version: str, protocol: int) -> None:
        from mockpets.version import FULL_VERSION  # reads a folder

        self.version, self.protocol = version, protocol
        is_older = protocol < constants.PROTOCOL
        older, place = ("older", "where the server runs, ") if is_older else ("newer", "")
        message = (
            f"the server at {url} is {older} than this client: the server is mockpets {version} "
            f"(protocol {protocol}), the client mockpets {FULL_VERSION} (protocol "
            f"{constants.PROTOCOL}); {place}run 'pip install .' in a current checkout of mockpets"
        )
        super().__init__(printable(message))


class ControlError(MockpetsError):
    """The server rejected a call. As text: the message, then each problem on its own line.

    :param code: one of `constants.ERRORS`.
    :param status: the HTTP status of the code.
    :param details: additional data; empty for most errors.
    :raise TypeError: a value has another type.
    """

    def __init__(self, code: str, status: int, message: str, details: Mapping[str, Any]) -> None:
        self.code = code
        self.status = status
        self.message = message
        self.details = details
        self.problems = [Problem(**problem) for problem in details.get("problems", ())]
        lines = [message, *map(str, self.problems)]
        # The message already contains a single problem.
        super().__init__(message if len(lines) == 2 else "\n".join(lines))


class VerificationError(ControlError, AssertionError):
    """The request log does not have the expected requests, so the test that verifies them fails."""

    details: VerificationDetails


class GateError(ControlError, AssertionError):
    """A gate did not hold as many responses as expected, so the test that waits for them fails."""

    details: HeldResponses


class SessionLostError(MockpetsError):
    """The server was restarted, or something other than this client deleted the session."""

    def __init__(self, name: str) -> None:
        super().__init__(constants.LOST_SESSION.format(name=name))


class Health(NamedTuple):
    """What `GET health` returns.

    :param bases: the base path of each contract.
    """

    version: str
    protocol: int
    bases: tuple[str, ...]


_VERSION_LENGTH: Final = 64
"""The most characters of a server's version in a message."""
_ERRORS: Final = {"verification_failed": VerificationError, "not_held": GateError}
"""The code of an error to its exception; any other is a `ControlError`."""


class Connection:
    """Sends requests to one server; an invalid URL raises `InputError`.

    :param url: any URL of the server or the panel.
    :param timeout: seconds to connect, and then for each exchange; see `HttpConnection.send`.
    """

    url: str
    """The root URL, with any path prefix. Until the server has responded, it is the likely one."""
    bases: tuple[str, ...] = (constants.API_PREFIX,)
    """The base paths of the contracts, or that of a server that has not responded."""

    def __init__(self, url: str, timeout: float) -> None:
        self._given = url.rstrip("/")
        self.url, *_ = split_url(url)
        self._timeout = timeout
        self._idle: deque[HttpConnection] = deque()
        self._is_compatible = False
        self._is_secure, self._host, self._port, self._path = server_address(self.url)
        weakref.finalize(self, _close, self._idle)  # so that closing is optional

    def check_protocol(self) -> None:
        """Raise `IncompatibleServerError` if the server has another protocol; ask it once."""
        __tracebackhide__ = True  # pytest shows the line of the test instead
        if self._is_compatible:
            return
        health = self.health()
        if health.protocol != constants.PROTOCOL:
            raise IncompatibleServerError(self.url, health.version, health.protocol)
        self._is_compatible = True

    def health(self) -> Health:
        """Return the health of the server, from which it takes the root URL and the base paths.

        :raise NoAnswer: the server does not respond, or not like mockpets; `ControlError`: it
            rejects the call; `InputError`: the URL ends with a path that it does not have.
        """
        __tracebackhide__ = True
        problem: MockpetsError | None = None  # of the likely root
        for root in _roots(self._given):
            *_, path = server_address(root)
            response = self.send("GET", constants.HEALTH_PATH, below=path)
            try:
                health: Health
                health, error = self.parse(response, _parse_health)
                if error is not None:
                    raise error
            except (ControlError, NoAnswer) as caught:
                problem = problem or caught
                continue
            if problem is not None:
                _check_end(self._given, root, health.bases)
            self.url, self._path, self.bases = root, path, health.bases
            return health
        assert problem is not None  # noqa: S101 - there is a root
        raise problem

    def parse(
        self, response: Response, read: Callable[[bytes], Any]
    ) -> tuple[Any, ControlError | None]:
        """Return the parsed body of a response, or the error in it; raise `NoAnswer` if invalid."""
        try:
            if response.status < 300:
                return read(response.body), None
            value = json.loads(response.body)
            code, message = value["code"], value["message"]
            kind = _ERRORS.get(code, ControlError)
            return None, kind(code, response.status, message, value.get("details", {}))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            message = f"{self.url} is not a mockpets server (status {response.status})"
            raise NoAnswer(message) from error

    def send(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: object = None,
        wait: float = 0.0,
        *,
        below: str | None = None,
    ) -> Response:
        """Send one request and return the response, whatever its status.

        Servers close idle connections: if that happens to a GET, it is sent again.

        :param path: relative to the URL, quoted, with the query.
        :param body: bytes are sent as YAML, anything else as JSON; None for no body.
        :param wait: seconds that the server may take in addition to the timeout.
        :param below: the path of another root than that of the URL.
        :raise NoAnswer: the server does not respond, or not with HTTP.
        """
        target = (self._path if below is None else below) + path
        sent, data = dict(headers or {}), b""
        if body is not None:
            is_yaml = isinstance(body, bytes)
            sent["Content-Type"] = "application/yaml" if is_yaml else "application/json"
            data = body if isinstance(body, bytes) else _dumped(body)
        request = method, target, sent, data, self._timeout + wait
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = HttpConnection(self._host, self._port, is_secure=self._is_secure)
        was_idle = connection.is_open
        try:
            try:
                response = connection.send(*request)
            except ConnectionError:
                if method != "GET" or not was_idle:
                    raise
                response = connection.send(*request)
        except (OSError, ValueError) as error:
            self._is_compatible = False  # the next one may be another server
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            hint = "is mockpets running there?"
            if self._is_secure:
                hint = "is mockpets running there, behind a TLS proxy? Without one, use http://"
            raise NoAnswer(f"cannot connect to {self.url} ({reason}); {hint}") from error
        if self._idle:
            connection.close()
        else:
            self._idle.append(connection)
        return response

    def close(self) -> None:
        """Close the idle connection; the next request opens another."""
        _close(self._idle)


def _dumped(body: object) -> bytes:
    """Return a body as JSON: compact if it has a Decimal, or would be too long with escapes."""
    with suppress(TypeError):
        if len(data := json.dumps(body).encode()) <= constants.FIXTURE_BYTES:
            return data
    from mockpets.strict_json import dump_json  # rarely needed

    return dump_json(body)


def parse_object(body: bytes) -> Any:
    """Return the JSON object in a body; raise ValueError if it has another value."""
    return _object(json.loads(body))


def parse_exactly(body: bytes) -> Any:
    """Return the JSON object in a body like `parse_object`; large numbers are Decimals."""
    from mockpets.strict_json import load_plain_json

    return _object(load_plain_json(body.decode()))


def _object(value: object) -> Any:
    if not isinstance(value, dict):
        raise ValueError("the control API sends only objects")
    return value


def _parse_health(body: bytes) -> Health:
    """Return the health in the response of `GET health`."""
    health = json.loads(body)
    version, protocol, bases = health["version"], health["protocol"], health["bases"]
    is_text = all(isinstance(each, str) for each in (version, *bases))
    if health["status"] != "ok" or not is_text or type(protocol) is not int or not bases:
        raise ValueError("not the health of mockpets")
    return Health(version[:_VERSION_LENGTH], protocol, tuple(bases))


_PATH: Final = rf"{constants.API_PREFIX}(?:/[^/{constants.BASE_MARK}]+)?"
_ENDS: Final = f"(?:{_PATH}|{constants.CONTROL_PREFIX})$"


def split_url(url: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the likely root of any URL of the server or the panel, its session and scenarios.

    Only the server knows its base paths, so `Connection` may find another root.
    """
    root = re.sub(_ENDS, "", url.rstrip("/"))
    rest, mark, chosen = root.rpartition(f"/{constants.BASE_MARK}")
    if not mark or "/" in chosen or has_user(root) or re.search("[?#]", root):
        return root, "", ()
    session, *scenarios = chosen.split("+")
    return rest, session, tuple(filter(None, scenarios))


def _roots(url: str) -> list[str]:
    """Return where a server may be: the likely root, then the starts of a URL, longest first."""
    likely, *_ = split_url(url)
    scheme, _, rest = url.partition("://")
    parts = rest.split("/")
    starts = ("/".join(parts[:end]) for end in range(len(parts), 0, -1))
    return list(dict.fromkeys((likely, *(f"{scheme}://{start}" for start in starts))))


def _check_end(url: str, root: str, bases: tuple[str, ...]) -> None:
    """Raise `InputError` unless a URL ends after its root with one of the base paths."""
    rest = url.removeprefix(root)
    session = re.match(f"/{constants.BASE_MARK}[^/]*", rest)
    is_base = not rest or any(f"{rest}/".startswith(f"{base}/") for base in bases)
    if session or not is_base:
        hint = f"use {root}{session[0] if session else ''}"
        raise invalid(url, f"not a URL of the server at {root}", hint)


def _close(connections: deque[HttpConnection]) -> None:
    while connections:
        connections.pop().close()


def server_address(url: str) -> tuple[bool, str, int, str]:
    """Return whether a URL uses HTTPS, and its host, port and path.

    :raise InputError: the URL is invalid; the message has no user name, password or token.
    """
    parts = plain_url(url)
    host, port = ("", 0) if parts is None else (parts.hostname or "", parts.port)
    try:
        host.encode("idna")  # fails, as a lookup would, for labels that are empty or too long
    except ValueError:
        parts = None
    # A request line must not have other characters than ASCII.
    is_plain = not has_user(url) and not re.search("[?#]", url)
    if parts is None or port == 0 or not is_plain or not parts.path.isascii():
        hint = "use a URL such as http://localhost:7387, without a user name, query or fragment"
        raise invalid(shown_url(url) or "''", "not a valid server URL", hint)
    is_secure = parts.scheme == "https"
    return is_secure, host, port or PORTS[is_secure], parts.path
