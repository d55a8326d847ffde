"""Send the requests of `mockpets compare` to the real service.

The only module that calls another server than mockpets, and only when a person runs that command.
It sends GET and HEAD, follows no redirect and uses no proxy, so that only the service gets the key.
A response is bounded in time and size, however the service sends it.
"""

from __future__ import annotations

import io
import os
import re
import socket
import ssl
import time
from contextlib import closing
from dataclasses import dataclass
from http.client import (
    BadStatusLine,
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    IncompleteRead,
    LineTooLong,
    RemoteDisconnected,
)
from typing import TYPE_CHECKING, Any, Final, cast

from mockpets.client.connection import NoAnswer, server_address
from mockpets.constants import API_PREFIX, COMPARE_SECONDS, CONTROL_PREFIX, PETS_PATH, VERSION
from mockpets.errors import InputError, Problem
from mockpets.journal.queries import moment
from mockpets.redaction import value_redactor
from mockpets.report.probes import Failure, ProbeResult, Response, next_probe, parse_body
from mockpets.units import quote, size_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockpets.report.probes import Probe

COMPARE_BYTES: Final = 1024 * 1024
"""Maximum size of a response that `mockpets compare` reads."""

INVALID_KEY: Final = "mockpets-compare-sends-this-invalid-key"
"""The key of the requests that must get a 401; not made from the real key."""
_PIECE: Final = 64 * 1024
_PROXIES: Final = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY")


# --- The address and the key ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ServiceUrl:
    """The base URL of a service, with ``/v1`` at its end."""

    text: str
    is_secure: bool
    host: str
    port: int
    path: str


def read_url(text: str, *, allow_http: bool = False) -> ServiceUrl:
    """Return a base URL; a slash at its end has no meaning.

    :param allow_http: whether the key may be sent unencrypted to another machine.
    :raise InputError: the URL is invalid; the message has no user name, password or query.
    """
    start, _, rest = text.partition("//")
    if "@" in text:
        raise _invalid(
            "must not contain a user name or password, which reports would show",
            "remove it; the key is read from the variable that --key-env names",
        )
    bare = re.split("[?#]", text)[0]
    if bare != text:
        raise _invalid("must not contain a query or a fragment", f"use {quote(bare)}")
    if not rest or not start:
        named = re.sub("^[/:]+", "", text)
        scheme = "http" if _is_loopback(re.split("[:/]", named)[0]) else "https"
        raise _invalid(f"missing scheme, got {quote(text)}", _did_you_mean(f"{scheme}://{named}"))
    bare = text.rstrip("/")
    try:
        is_secure, host, port, path = server_address(bare)
    except InputError as error:
        hint = "use a URL such as https://petstore.example/v1"
        raise _invalid(f"not a valid URL, got {quote(text)}", hint) from error
    if f"{CONTROL_PREFIX}/" in f"{path}/":
        root = bare.partition(CONTROL_PREFIX)[0]
        raise _invalid("the control API is not a part of the contract", _did_you_mean(root))
    if not path.endswith(API_PREFIX):
        raise _invalid(
            f"every base URL of the contract ends with {API_PREFIX}, got {quote(text)}",
            _did_you_mean(bare),
        )
    if not (is_secure or allow_http or _is_loopback(host)):
        raise _invalid(
            "http:// would send the key unencrypted to another machine",
            "use https://, or --allow-http in a network that you trust",
        )
    return ServiceUrl(bare, is_secure, host, port, path)


def _did_you_mean(url: str) -> str:
    """Return a hint with the base URL that is nearest to a URL."""
    root = re.sub(f"(?:{PETS_PATH}(?:/.*)?|{API_PREFIX})?/*$", "", url)
    return f"did you mean {quote(root + API_PREFIX)}?"


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _invalid(what: str, hint: str) -> InputError:
    return InputError([Problem("--against", 0, 0, "", what, hint)])


def read_key(variable: str, environ: Mapping[str, str]) -> str:
    """Return the key in a variable.

    :raise InputError: there is none, or a header cannot carry it. The message contains neither the
        key nor the name, because the name may be a key that was passed by mistake.
    """
    hint = "pass the name of the variable that has the key, not the key itself"
    key = environ.get(variable)
    if key is None:
        raise InputError([Problem("--key-env", 0, 0, "", "this variable is not set", hint)])
    if not key:
        raise InputError([Problem("--key-env", 0, 0, "", "this variable is empty", hint)])
    if invalid := re.search(r"[^\x21-\x7e]", key):
        what = "the key must be printable ASCII without spaces"
        where = f"character {invalid.start() + 1} of {len(key)} is U+{ord(invalid[0]):04X}"
        ends = invalid[0] in "\r\n" and not key[invalid.start() :].strip()
        fix = "remove the line end" if ends else "check how the variable is set"
        raise InputError([Problem("--key-env", 0, 0, "", f"{what}; {where}", fix)])
    return key


# --- Sending ----------------------------------------------------------------------------------


def send_all(service: Service, most: int) -> tuple[list[ProbeResult], list[str]]:
    """Send all requests, one after the other, and return them with what was not sent.

    :param most: the largest number of requests.
    :raise NoAnswer: no request gets a response, or the service rejects the key.
    """
    results: list[ProbeResult] = []
    limits = []
    while (probe := next_probe(results)) is not None:
        reason = service.exhausted
        if results and results[-1].status == 429:
            reason = "the service responded with 429"
        elif len(results) == most:
            reason = f"--max-requests is {most}"
        if reason:
            named = f"{probe.method} {service.url.path}{probe.target}"
            limits.append(f"{named} and the requests after it were not sent: {reason}")
            break
        results.append(service.send(probe))
        if len(results) == 1:
            _check_first(results[0], service.url)
    failures = [each.outcome for each in results if isinstance(each.outcome, Failure)]
    if len(failures) == len(results):
        raise _no_answer(failures[0], service.url)
    return results, limits


def _check_first(result: ProbeResult, url: ServiceUrl) -> None:
    """Raise NoAnswer if the first request shows that no other will work."""
    outcome = result.outcome
    if isinstance(outcome, Failure):
        if not outcome.is_connected:
            raise _no_answer(outcome, url)
    elif outcome.status in (401, 403):
        hint = "check the variable that --key-env names"
        raise NoAnswer(f"{url.text} rejects the key (status {outcome.status}); {hint}")
    elif outcome.status == 429:
        raise NoAnswer(f"{url.text} limits the rate of requests (status 429); try again later")


def _no_answer(failure: Failure, url: ServiceUrl) -> NoAnswer:
    doing = "use the responses of" if failure.is_connected else "connect to"
    return NoAnswer(f"cannot {doing} {url.text} ({failure.reason}); {failure.hint}")


class Service:
    """The real service.

    :param timeout: seconds for each request, to connect and to read the whole response.
    """

    def __init__(self, url: ServiceUrl, key: str, timeout: float) -> None:
        self.url = url
        self.redact = value_redactor(key)
        self._keys = {"valid": key, "invalid": INVALID_KEY}
        self._timeout = timeout
        self._end = time.monotonic() + COMPARE_SECONDS[1]
        # Only certificates that this machine trusts, for this host.
        self._tls = ssl.create_default_context() if url.is_secure else None

    @property
    def exhausted(self) -> str:
        """Why no more requests may be sent; empty if they may."""
        if time.monotonic() < self._end:
            return ""
        return f"all requests together may take {COMPARE_SECONDS[1]:g}s"

    def send(self, probe: Probe) -> ProbeResult:
        """Send a request on a new connection, and return what came back."""
        at = moment(time.time())
        seconds = min(self._timeout, max(self._end - time.monotonic(), 0.001))
        host, port = self.url.host, self.url.port
        connection = HTTPConnection(host, port, timeout=seconds)
        if self._tls is not None:
            connection = HTTPSConnection(host, port, timeout=seconds, context=self._tls)
        with closing(connection):
            end = time.monotonic() + seconds
            try:
                connection.connect()
            except (OSError, UnicodeError) as error:
                return ProbeResult(probe, at, self._connect_failure(error))
            try:
                return ProbeResult(probe, at, self._exchange(connection, probe, end))
            except (OSError, HTTPException, ValueError, _TooLarge) as error:
                reason = self._reason(error)
                hint = "check that --against is the base URL of the service"
                return ProbeResult(probe, at, Failure(reason, hint, is_connected=True))

    def _exchange(self, connection: HTTPConnection, probe: Probe, end: float) -> Response:
        """Send a request, and return the response.

        :raise OSError, HTTPException, ValueError, _TooLarge: there is no complete response.
        """
        headers = {
            "User-Agent": f"mockpets/{VERSION}",
            "Accept": "application/json",
            "Connection": "close",
        }
        if probe.key != "missing":
            headers["Authorization"] = f"Bearer {self._keys[probe.key]}"
        connection.request(probe.method, self.url.path + probe.target, headers=headers)
        source = cast("socket.socket", _BoundedSocket(connection.sock, end))
        responses: list[HTTPResponse] = []  # closing one would close the socket
        while not responses or 100 <= responses[-1].status < 200:
            responses.append(HTTPResponse(source, method=probe.method))
            responses[-1].begin()
        response = responses[-1]
        body = bytearray()
        while piece := response.read(_PIECE):
            body += piece
        if response.length:
            raise IncompleteRead(bytes(body), response.length)
        return parse_body(response.status, response.getheaders(), bytes(body))

    def _connect_failure(self, error: Exception) -> Failure:
        """Return why there is no connection."""
        hint = "check --against, and that the service is running"
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        match error:
            case ssl.SSLCertVerificationError():
                reason = f"the TLS certificate is not valid: {error.verify_message}"
                hint = (
                    "check the host; for a certificate of your company's own authority, set "
                    "SSL_CERT_FILE to its file"
                )
            case ssl.SSLError():
                reason = f"TLS failed: {error.reason or reason}"
                hint = "check the host and the port; does the service use http:// there?"
            case socket.gaierror() | UnicodeError():
                reason = f"the host name is unknown: {reason}"
                hint = "check the host in --against"
            case TimeoutError():
                reason = f"no connection within {self._timeout:g}s"
        if any(os.environ.get(name) for name in _PROXIES):
            hint += "; mockpets compare does not use the proxy that the environment names"
        return Failure(self.redact(reason), hint, is_connected=False)

    def _reason(self, error: Exception) -> str:
        """Return why a connection brought no complete response."""
        match error:
            case _TooLarge():
                return f"the response is larger than {size_text(COMPARE_BYTES)}"
            case TimeoutError():
                return f"no complete response within {self._timeout:g}s"
            case RemoteDisconnected():
                return "the connection was closed without a response"
            case IncompleteRead():
                return "the body ended early, or its chunks are invalid"
            case BadStatusLine():
                line = self.redact(str(error.args[0])).strip()
                return f"expected an HTTP response, got {quote(line[:40])}"
            case LineTooLong():
                return "a line of the response's head is too long"
            case OSError():
                return error.strerror or type(error).__name__
            case HTTPException() if "headers" in str(error):
                return "the response has more than 100 headers"
        return "the response is not valid HTTP"


class _TooLarge(Exception):  # noqa: N818 - not shown
    """A response is larger than `COMPARE_BYTES`."""


class _BoundedSocket:
    """What `HTTPResponse` uses of a socket; all responses on it share one buffer.

    :param end: the time until which the whole response must have arrived.
    """

    def __init__(self, source: socket.socket, end: float) -> None:
        self._file: io.BufferedIOBase = io.BufferedReader(_BoundedReader(source, end))

    def makefile(self, _: str) -> io.BufferedIOBase:
        return self._file


class _BoundedReader(io.RawIOBase):
    """Reads from a socket until a time, and at most `COMPARE_BYTES`."""

    def __init__(self, source: socket.socket, end: float) -> None:
        super().__init__()
        self._source, self._end, self._left = source, end, COMPARE_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Read what has arrived; wait for it if nothing has.

        :raise TimeoutError: the time is over.
        :raise _TooLarge: the response is too large.
        """
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise TimeoutError
        self._source.settimeout(seconds)
        count = self._source.recv_into(buffer)
        self._left -= count
        if self._left < 0:
            raise _TooLarge
        return count
