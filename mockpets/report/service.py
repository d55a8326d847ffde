"""Send the requests of `mockpets compare` to the real service.

No other module calls another server than mockpets. It follows no redirect and uses no proxy, so
that only the service gets the key. A response is bounded in time and size.
"""

from __future__ import annotations

import io
import os
import re
import socket
import ssl
import time
from contextlib import closing
from functools import partial
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
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockpets.client.connection import NoAnswer, server_address
from mockpets.clock import moment
from mockpets.constants import API_PREFIX, COMPARE_SECONDS, CONTROL_PREFIX, PETS_PATH, VERSION
from mockpets.errors import InputError, RequestError, invalid
from mockpets.redaction import value_redactor
from mockpets.report.probes import ProbeResult, next_probe
from mockpets.strict_json import parse_json
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


_invalid: Final = partial(invalid, "--against")

# --- The address and the key ------------------------------------------------------------------


class ServiceUrl(NamedTuple):
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
    bare = re.split("[?#]", text)[0]
    if "@" in text:
        what = "must not contain a user name or password, which reports would show"
        raise _invalid(what, "remove it; the key is read from the variable that --key-env names")
    if bare != text:
        raise _invalid("must not contain a query or a fragment", f"use {quote(bare)}")
    if not rest or not start:
        named = re.sub("^[/:]+", "", text)
        scheme = "http" if _is_loopback(re.split("[:/]", named)[0]) else "https"
        raise _invalid(f"missing scheme, got {quote(text)}", _did_you_mean(f"{scheme}://{named}"))
    try:
        url = ServiceUrl(text.rstrip("/"), *server_address(text.rstrip("/")))
    except InputError as error:
        hint = "use a URL such as https://petstore.example/v1"
        raise _invalid(f"not a valid URL, got {quote(text)}", hint) from error
    if f"{CONTROL_PREFIX}/" in f"{url.path}/":
        root = text.partition(CONTROL_PREFIX)[0]
        raise _invalid("the control API is not a part of the contract", _did_you_mean(root))
    if not url.path.endswith(API_PREFIX):
        what = f"every base URL of the contract ends with {API_PREFIX}, got {quote(text)}"
        raise _invalid(what, _did_you_mean(url.text))
    if not (url.is_secure or allow_http or _is_loopback(url.host)):
        what = "http:// would send the key unencrypted to another machine"
        raise _invalid(what, "use https://, or --allow-http in a network that you trust")
    return url


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


def read_key(variable: str, environ: Mapping[str, str]) -> str:
    """Return the key in a variable.

    :raise InputError: there is none, or a header cannot carry it. The message does not contain the
        name, which may be a key that was passed by mistake.
    """
    hint = "pass the name of the variable that has the key, not the key itself"
    key = environ.get(variable)
    if key is None:
        raise invalid("--key-env", "this variable is not set", hint)
    if not key:
        raise invalid("--key-env", "this variable is empty", hint)
    if wrong := re.search(r"[^\x21-\x7e]", key):
        what = "the key must be printable ASCII without spaces"
        where = f"character {wrong.start() + 1} of {len(key)} is U+{ord(wrong[0]):04X}"
        ends = wrong[0] in "\r\n" and not key[wrong.start() :].strip()
        fix = "remove the line end" if ends else "check how the variable is set"
        raise invalid("--key-env", f"{what}; {where}", fix)
    return key


# --- Sending ----------------------------------------------------------------------------------


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
        self._is_known = False
        """Whether the service has accepted a connection."""
        # Only certificates that this machine trusts, for this host.
        self._tls = ssl.create_default_context() if url.is_secure else None

    def send_all(self, most: int) -> tuple[list[ProbeResult], list[str]]:
        """Send all requests, one after the other, and return them with what was not sent.

        :raise NoAnswer: no request gets a response, or the service rejects the key.
        """
        results: list[ProbeResult] = []
        limits = []
        while (probe := next_probe(results)) is not None:
            reason = ""
            if results and results[-1].status == 429:
                reason = "the service responded with 429"
            elif len(results) == most:
                reason = f"--max-requests is {most}"
            elif time.monotonic() >= self._end:
                reason = f"all requests together may take {COMPARE_SECONDS[1]:g}s"
            if reason:
                named = f"{probe.method} {self.url.path}{probe.target}"
                limits.append(f"{named} and the requests after it were not sent: {reason}")
                break
            results.append(self._send(probe))
            self._check_first(results[0].status)
        if all(result.status is None for result in results):
            hint = "check that --against is the base URL of the service"
            reason = results[0].problem
            raise NoAnswer(f"cannot use the responses of {self.url.text} ({reason}); {hint}")
        return results, limits

    def _check_first(self, status: int | None) -> None:
        """Raise NoAnswer if the status of the first response shows that no request will work."""
        if status in (401, 403):
            hint = "check the variable that --key-env names"
            raise NoAnswer(f"{self.url.text} rejects the key (status {status}); {hint}")
        if status == 429:
            what = "limits the rate of requests (status 429)"
            raise NoAnswer(f"{self.url.text} {what}; try again later")

    def _send(self, probe: Probe) -> ProbeResult:
        """Send a request on a new connection, and return what came back.

        :raise NoAnswer: the service does not accept the first connection.
        """
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
                reason, hint = self._connect_problem(error)
                if not self._is_known:
                    what = f"cannot connect to {self.url.text} ({reason})"
                    raise NoAnswer(f"{what}; {hint}") from error
                return ProbeResult(probe, at, None, {}, None, reason)
            self._is_known = True
            try:
                response, body = self._exchange(connection, probe, end)
            except (OSError, HTTPException, ValueError, _TooLarge) as error:
                return ProbeResult(probe, at, None, {}, None, self._reason(error))
        headers: dict[str, str] = {}
        for name, value in response.getheaders():
            headers.setdefault(name.lower(), value)
        try:
            return ProbeResult(probe, at, response.status, headers, parse_json(body), "")
        except RequestError as error:
            # The name of a duplicate is cut, so it could show the beginning of the key.
            problem = re.sub("the property .* more", "a property more", error.message)
            reason = problem.partition(";")[0]
            return ProbeResult(probe, at, response.status, headers, None, reason)

    def _exchange(
        self, connection: HTTPConnection, probe: Probe, end: float
    ) -> tuple[HTTPResponse, bytes]:
        """Send a request, and return the response and its body.

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
        reader = io.BufferedReader(_BoundedReader(connection.sock, end))
        # All that `HTTPResponse` uses of a socket. All responses on it share one buffer.
        source: Any = SimpleNamespace(makefile=lambda _: reader)
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
        return response, bytes(body)

    def _connect_problem(self, error: Exception) -> tuple[str, str]:
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
        return self.redact(reason), hint

    def _reason(self, error: Exception) -> str:
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


class _BoundedReader(io.RawIOBase):
    """Reads at most `COMPARE_BYTES` from a socket.

    :param end: the time until which the whole response must have arrived.
    """

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
