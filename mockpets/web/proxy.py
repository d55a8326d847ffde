"""Stand behind a reverse proxy: believe those that are trusted, and live under a prefix.

`behind` wraps the app. What a proxy says of a request comes in ``X-Forwarded-*`` headers, which
anyone can write; they count only where the connection comes from an address that is trusted, and
then alter the WSGI environ, so that nothing after this knows of proxies. The standard header
``Forwarded`` (RFC 7239) is not read: a proxy that writes the one family of headers lets a client's
own through in the other.
"""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Final

from mockpets.constants import COMMON_HEADERS, MOUNT
from mockpets.contract.error_body import error_body
from mockpets.errors import RequestError
from mockpets.web import cors
from mockpets.web.exchange import Response

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    Address = IPv4Address | IPv6Address
    Network = IPv4Network | IPv6Network

UNKNOWN: Final = "unknown"
"""The client's address where a trusted proxy does not say it: a proxy speaks for others, and must
not pass for a caller on its own machine. The word is that of RFC 7239, 6.2."""

_HOST: Final = re.compile(r"(?:\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?")


def behind(app: WSGIApplication, trusted: Iterable[str], prefix: str) -> WSGIApplication:
    """Return an app that is asked as if no proxy and no prefix were there.

    :param trusted: addresses and networks (``10.0.0.0/8``) of the proxies.
    :param prefix: where the app is mounted (``/mock``), or empty; other paths get a 404 that says
        so. `MOUNT` is its form.
    """
    networks = tuple(ip_network(text) for text in trusted)

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        forwarded(environ, networks)
        path = environ.get("PATH_INFO", "")
        if path != prefix and not path.startswith(f"{prefix}/"):
            return _outside(prefix, path, environ)(environ, start_response)
        environ["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "") + prefix
        environ["PATH_INFO"] = path[len(prefix) :]
        return app(environ, start_response)

    return answer


def forwarded(environ: WSGIEnvironment, trusted: Sequence[Network]) -> None:
    """Alter an environ to what the client sent to the first proxy, if a trusted one says so.

    Of several proxies in a row each must append to ``X-Forwarded-For``; then what a client wrote
    there itself stands further left than its own address, and is not looked at. Of the other
    headers the last value counts, and one that cannot be meant is ignored.
    """
    peer = _address(environ.get("REMOTE_ADDR", ""))
    if peer is None or not _is_one_of(peer, trusted):
        return
    client = _client(environ.get("HTTP_X_FORWARDED_FOR", ""), trusted)
    environ["REMOTE_ADDR"] = environ["REMOTE_HOST"] = client
    environ.pop("REMOTE_PORT", None)  # the proxy's
    scheme = _last(environ, "HTTP_X_FORWARDED_PROTO").lower()
    if scheme in ("http", "https"):
        environ["wsgi.url_scheme"] = scheme
    host = _last(environ, "HTTP_X_FORWARDED_HOST")
    if _HOST.fullmatch(host):
        environ["HTTP_HOST"] = host
    prefix = _last(environ, "HTTP_X_FORWARDED_PREFIX").rstrip("/")
    if re.fullmatch(MOUNT, prefix):
        environ["SCRIPT_NAME"] = prefix + environ.get("SCRIPT_NAME", "")


def _client(said: str, trusted: Sequence[Network]) -> str:
    """Return the address that the last trusted proxy of a chain was asked from.

    :param said: ``X-Forwarded-For``; the last address is the one nearest to us.
    """
    client = UNKNOWN
    for hop in reversed(said.split(",")):
        address = _address(hop)
        if address is None:
            return UNKNOWN
        client = str(address)
        if not _is_one_of(address, trusted):
            break
    return client


def _address(text: str) -> Address | None:
    """Return an address, which some proxies write with its port; None for what is none."""
    bare = re.sub(r"^\[(.*)\](?::[0-9]+)?$|^([0-9.]+):[0-9]+$", r"\1\2", text.strip())
    try:
        address = ip_address(bare)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_one_of(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _last(environ: WSGIEnvironment, key: str) -> str:
    value: str = environ.get(key, "")
    return value.rpartition(",")[2].strip()


def _outside(prefix: str, path: str, environ: WSGIEnvironment) -> Response:
    """Return the answer to what is not under the prefix, which pages can read."""
    refusal = RequestError(
        "not_found",
        f"there is nothing at {path[:80]!r}; this server is under {prefix}: {prefix}{path[:80]}. "
        "A proxy that takes the prefix away says so in X-Forwarded-Prefix, in place of --prefix",
    )
    body = error_body(refusal.code, refusal.message, refusal.status)
    answer = Response(body, refusal.status)
    preflight = environ["REQUEST_METHOD"] == "OPTIONS"
    if preflight:
        answer = Response(status=204)
        del answer.headers["Content-Type"]  # of a body that is not there
    answer.headers.extend([*COMMON_HEADERS, *cors.for_all(environ, preflight=preflight)])
    return answer
