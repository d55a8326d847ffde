"""Run behind a reverse proxy: trust the headers of known proxies, and serve under a prefix.

A proxy describes the original request in ``X-Forwarded-*`` headers, which any client can send too.
So they change the WSGI environ only if the connection comes from a trusted address. The standard
header ``Forwarded`` (RFC 7239) is ignored: a proxy that sets one family of headers passes on a
client's headers of the other.
"""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from mockpets.addresses import is_one_of, parse_address
from mockpets.constants import COMMON_HEADERS, MOUNT_PATH
from mockpets.contract.error_body import error_body
from mockpets.errors import RequestError
from mockpets.web import cors
from mockpets.web.messages import Request, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from wsgiref.types import WSGIEnvironment

    from mockpets.addresses import Network
    from mockpets.interface import Incoming, Reply

UNKNOWN: Final = "unknown"
"""The client's address if a trusted proxy does not report one (the word comes from RFC 7239, 6.2).
The proxy's own address would be wrong: it could count as a caller on this machine."""

_HOST: Final = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")


def entrance(
    trusted: Iterable[str],
    prefix: str,
    admit: Callable[[Request], None] | None,
    reword: Callable[[RequestError], RequestError],
) -> Callable[[Incoming], Reply | None]:
    """Return what a request passes first, so that the app can ignore proxies and the prefix.

    :param trusted: addresses and networks (``10.0.0.0/8``) of the proxies.
    :param prefix: the path under which the app is mounted (``/mock``), as in `MOUNT_PATH`, or
        empty. Other paths return 404 with a hint.
    :param admit: called with every request to another path; raises to reject it, with an error
        that `reword` changes for the client.
    """
    networks = tuple(ip_network(text) for text in trusted)

    def enter(incoming: Incoming) -> Reply | None:
        environ = incoming.environ
        if forwarded(environ, networks):
            incoming.head, incoming.names = b"", ()  # the environ may differ from them now
        path = environ["PATH_INFO"]
        if path != prefix and not path.startswith(f"{prefix}/"):
            return _outside_prefix(prefix, path, incoming, admit, reword).reply()
        environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + prefix
        environ["PATH_INFO"] = path[len(prefix) :] or "/"
        return None

    return enter


def forwarded(environ: WSGIEnvironment, trusted: Sequence[Network]) -> bool:
    """Change an environ to the client's original request, as reported by a trusted proxy.

    Return whether the connection comes from one.

    In a chain, each proxy must append to ``X-Forwarded-For``. Values that a client sent itself are
    then to the left of the client's address, and are ignored. Of the other headers, the last value
    is used, unless it is invalid.
    """
    if not is_one_of(parse_address(environ.get("REMOTE_ADDR", "")), trusted):
        return False
    client = _client(environ.get("HTTP_X_FORWARDED_FOR", ""), trusted)
    environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = client
    environ.pop("REMOTE_PORT", None)  # it is the proxy's port
    scheme, host, prefix = (
        environ.get(f"HTTP_X_FORWARDED_{name}", "").rpartition(",")[2].strip()
        for name in ("PROTO", "HOST", "PREFIX")
    )
    if scheme.lower() in ("http", "https"):
        environ["wsgi.url_scheme"] = scheme.lower()
    if _HOST.fullmatch(host):
        environ["HTTP_HOST"] = host
    if re.fullmatch(MOUNT_PATH, prefix.rstrip("/")):
        environ["SCRIPT_NAME"] = prefix.rstrip("/") + environ.get("SCRIPT_NAME", "")
    return True


def _client(forwarded_for: str, trusted: Sequence[Network]) -> str:
    """Return the client's address: the last in ``X-Forwarded-For`` that is no trusted proxy."""
    client = UNKNOWN
    for hop in reversed(forwarded_for.split(",")):
        address = parse_address(hop)
        if address is None:
            return UNKNOWN
        client = str(address)
        if not is_one_of(address, trusted):
            break
    return client


def _outside_prefix(
    prefix: str,
    path: str,
    incoming: Incoming,
    admit: Callable[[Request], None] | None,
    reword: Callable[[RequestError], RequestError],
) -> Response:
    """Return the response to a path outside the prefix; its CORS headers let pages read it."""
    raw = path.encode("latin-1")  # as PEP 3333 decodes it
    shown, correct = raw.decode("utf-8", "replace")[:80], quote(raw[:80])
    error = RequestError(
        "not_found",
        f"unknown path {shown!r}; the server's prefix is {prefix}, so use {prefix}{correct}. "
        "If your proxy strips the prefix, let it send X-Forwarded-Prefix and remove --prefix",
    )
    environ = incoming.environ
    preflight = environ["REQUEST_METHOD"] == "OPTIONS"
    is_admitted = True
    if admit is not None:
        try:
            admit(Request.of(incoming))
        except RequestError as rejected:
            error, is_admitted = reword(rejected), False
    body = error_body(error.code, error.message, error.status)
    response = Response(body, error.status, error.headers)
    if preflight and is_admitted:
        response = Response(status=204)
    response.carry([*COMMON_HEADERS, *cors.for_all(environ.get("HTTP_ORIGIN"))])
    if preflight:
        response.carry(cors.for_preflight(environ))
    return response
