"""Who may call the part of the control API that tells or changes something.

On a loopback bind that is whoever is on this machine and is not a foreign web page. A page that a
developer visits can send requests here, also without CORS, and a name that it controls can be made
to point at a loopback address; so the Host must be a name or address that no page can come from,
and the browser must not say that the request crosses sites (Fetch Metadata; Origin, RFC 6454). On
any other bind, or where a token was set, the caller must have the token.
"""

from __future__ import annotations

import re
from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from mockpets.constants import CONTROL_REALM
from mockpets.errors import RequestError
from mockpets.web.authentication import bearer
from mockpets.web.cors import LOCAL_ORIGIN

if TYPE_CHECKING:
    from mockpets.settings import Settings
    from mockpets.web.exchange import Request
    from mockpets.web.public_mode import TokenAttempts

_HOST: Final = r"(?:[a-z0-9-]+\.)*localhost|[0-9.]+|\[[0-9a-f:.]+\]"
_LABEL: Final = r"[a-z0-9_-]+"
"""A name without a dot, as a compose network has: none that a page could come from."""
_BY_PROXY: Final = {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"}
_PORT: Final = r"(?::[0-9]{1,5})?"


def check_caller(
    request: Request, settings: Settings, token: str, token_attempts: TokenAttempts | None
) -> None:
    """Let a request to the control API pass.

    :param token: what callers must send; empty when none is needed.
    :raise RequestError: ``unauthorized``, ``rate_limited``, ``forbidden``, or ``invalid_request``
        for a body that is no JSON.
    """
    if token:
        _check_token(request, token, token_attempts)
    else:
        if settings.control != "open":
            _check_peer(request, settings)
        _check_host(request, settings)
    if not may_read(request, settings):
        raise RequestError(
            "forbidden",
            "the control API does not answer web pages of other sites; "
            "--control-origin names one that may call it",
        )
    if request.mimetype != "application/json" and request.get_data():
        raise RequestError("invalid_request", "a body of the control API must be application/json")


def may_read(request: Request, settings: Settings) -> bool:
    """Whether a request comes from no web page, or from one that may call the control API."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site in ("same-origin", "same-site", "none"):
        return True
    if origin is None:
        return site is None  # no browser, or one of old
    # Browsers say no site to a server without TLS elsewhere than on loopback (Fetch Metadata, 3):
    # there its own pages, the panel, are known by the host alone.
    host = request.headers.get("Host", "").lower()
    if site is None and origin.lower() in (f"http://{host}", f"https://{host}"):
        return True
    return bool(re.fullmatch(LOCAL_ORIGIN, origin)) or origin.lower() in settings.control_origin


def _check_token(request: Request, token: str, token_attempts: TokenAttempts | None) -> None:
    """Let a request pass that has the token.

    :raise RequestError: ``unauthorized``, or ``rate_limited`` after too many wrong ones.
    """
    given = bearer(request)
    if given is not None:
        if token_attempts is not None:
            token_attempts.admit(request)
        # Compared in constant time, so that no one learns it letter by letter.
        if compare_digest(given.encode("latin-1"), token.encode("latin-1")):
            return
        if token_attempts is not None:
            token_attempts.count(request)
    what = "The control token is missing" if given is None else "The control token is wrong"
    error = "" if given is None else ', error="invalid_token"'
    raise RequestError(
        "unauthorized",
        f"{what}. Send the header 'Authorization: Bearer <TOKEN>'; it is the one of "
        "--control-token, or was shown where mockpets was started.",
        [("WWW-Authenticate", f'Bearer realm="{CONTROL_REALM}"{error}')],
    )


def _check_peer(request: Request, settings: Settings) -> None:
    """Let a request pass that comes from this machine.

    :raise RequestError: ``forbidden``.
    """
    if request.environ.keys() & _BY_PROXY and not settings.behind_proxy:
        raise RequestError(
            "forbidden",
            "this call came through a proxy that is not known here, so who made it cannot be told: "
            "name the proxy by --behind-proxy, or set a --control-token",
        )
    peer = request.remote_addr
    if peer is not None and not _is_loopback(peer):
        raise RequestError("forbidden", "the control API answers only callers on its own machine")


def _check_host(request: Request, settings: Settings) -> None:
    """Let a request pass that calls the server by a name which no web page can come from.

    :raise RequestError: ``forbidden``.
    """
    host = request.headers.get("Host", "")
    names = f"{_HOST}|{_LABEL}" if settings.control == "open" else _HOST
    known = re.fullmatch(f"(?:{names}){_PORT}", host.lower())
    if not known and re.sub(_PORT + "$", "", host.lower()) not in settings.allow_host:
        raise RequestError(
            "forbidden",
            f"the control API is not called by the name {host[:80]!r}: use localhost or an "
            "address, or start the server with --allow-host",
        )
    # A target in absolute form names a host too (RFC 9112, 3.2.2).
    target = urlsplit(request.environ.get("REQUEST_URI", ""))
    if target.netloc and target.netloc.lower() != host.lower():
        raise RequestError(
            "forbidden", "the request's target names another host than its Host header"
        )


def _is_loopback(peer: str) -> bool:
    """Whether an address is this machine's own; a hosting server may give none that can be read."""
    try:
        return ip_address(peer.partition("%")[0]).is_loopback
    except ValueError:
        return False
