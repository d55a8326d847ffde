"""Check who may read or change state with the control API.

Without a token, only programs on this machine may call it. A website that the developer visits must
not: it can send requests to this machine even without CORS, and can point a name of its own at a
loopback address (DNS rebinding). So the Host must be one that no website can have, or that the
operator trusts, and a request that the browser marks as cross-site is rejected (Fetch Metadata;
Origin, RFC 6454). If the server does not listen only on loopback, or if a token is set, the caller
must send the token instead.
"""

from __future__ import annotations

import re
from hmac import compare_digest
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from mockpets.errors import RequestError
from mockpets.web.authentication import bearer
from mockpets.web.cors import is_allowed, is_same_origin, rejection
from mockpets.web.jobs import body_of

if TYPE_CHECKING:
    from mockpets.settings import Settings
    from mockpets.web.control.call import ControlContext
    from mockpets.web.messages import Request

CONTROL_REALM: Final = "mockpets control"

_HOST: Final = r"(?:[a-z0-9-]+\.)*localhost|[0-9.]+|\[[0-9a-f:.]+\]"
_LABEL: Final = r"[a-z0-9_-]+"
"""A name without a dot, as in a compose network: no website can have one."""
_BY_PROXY: Final = {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"}
_PORT: Final = r"(?::[0-9]{1,5})?"


async def check_caller(request: Request, context: ControlContext, *, is_yaml: bool = False) -> None:
    """Check that a request may call the control API.

    :param is_yaml: whether the body may be YAML, which a page on another site cannot send either
        without asking first.
    :raise RequestError: ``unauthorized``, ``rate_limited``, ``forbidden``, or ``invalid_request``
        for a body that is not announced as JSON.
    """
    settings = context.settings
    if context.token:
        _check_token(request, context)
    else:
        if settings.control != "open":
            _check_peer(request, settings)
        _check_host(request, settings)
    if not may_read(request, settings):
        origin = request.headers.get("Origin", "")
        context.rejected_origins.add(origin)
        raise RequestError("forbidden", rejection(origin))
    await body_of(request)  # only now: other callers need not send it
    kinds = ("application/json", "application/yaml") if is_yaml else ("application/json",)
    if request.mimetype not in kinds and request.get_data():
        message = (
            "Content-Type must be application/json for a request with a body; "
            "send the header 'Content-Type: application/json'"
        )
        raise RequestError("invalid_request", message)


def record_preflight(request: Request, context: ControlContext) -> None:
    """Record the origin of a rejected preflight, because no call follows it."""
    origin = request.headers.get("Origin", "")
    is_preflight = "Access-Control-Request-Method" in request.headers
    has_tools = context.sessions.shared.limits.page_tools  # else any page could fill the list
    if is_preflight and has_tools and not is_allowed(origin, context.settings.control_origin):
        context.rejected_origins.add(origin)


def may_read(request: Request, settings: Settings) -> bool:
    """Return whether a request is a program's, or of a page that may read the control API."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site in ("same-origin", "same-site", "none"):
        return True
    if origin is None:
        return site is None  # not a browser, or an old one
    # Without TLS, browsers send Sec-Fetch-Site only to loopback (Fetch Metadata, 3). Elsewhere, the
    # server's own page, the panel, is recognized by its host.
    if site is None and is_same_origin(origin, request.headers.get("Host", "")):
        return True
    return is_allowed(origin, settings.control_origin)


def _check_token(request: Request, context: ControlContext) -> None:
    given, is_valid = bearer(request), None
    if given is not None:
        # Constant time, so that the response time does not reveal the token.
        is_valid = compare_digest(given.encode("latin-1"), context.token.encode("latin-1"))
    context.admission.check_token(request.address, is_valid=is_valid)
    if is_valid:
        return
    problem = "the control token is missing" if given is None else "the control token is invalid"
    error = "" if given is None else ', error="invalid_token"'
    raise RequestError(
        "unauthorized",
        f"{problem}; send the header 'Authorization: Bearer <TOKEN>' with the value of "
        "--control-token, or with the token that mockpets printed when it started",
        [("WWW-Authenticate", f'Bearer realm="{CONTROL_REALM}"{error}')],
    )


def _check_peer(request: Request, settings: Settings) -> None:
    """Check that a request comes from this machine."""
    if request.environ.keys() & _BY_PROXY and not settings.behind_proxy:
        raise RequestError(
            "forbidden",
            "the request came through an unknown proxy, which hides its sender; "
            "start the server with --behind-proxy and the proxy's address, or with --control-token",
        )
    peer = request.remote_addr
    if peer is not None and not _is_loopback(peer):
        raise RequestError(
            "forbidden",
            "the control API only accepts requests from the same machine; "
            "to allow others, start the server with --control-token",
        )


def _check_host(request: Request, settings: Settings) -> None:
    """Check that the Host of a request is one that no website can have, or a trusted one."""
    host = request.headers.get("Host", "")
    names = f"{_HOST}|{_LABEL}" if settings.control == "open" else _HOST
    known = re.fullmatch(f"(?:{names}){_PORT}", host.lower())
    if not known and not _is_trusted(host.lower(), settings):
        raise RequestError(
            "forbidden",
            f"the control API does not accept the host {host[:80]!r}; use localhost or an IP "
            "address, or start the server with --control-origin, http:// and the host name",
        )
    # A target in absolute form names a host too (RFC 9112, 3.2.2).
    target = urlsplit(request.environ.get("REQUEST_URI", ""))
    if target.netloc and target.netloc.lower() != host.lower():
        raise RequestError(
            "forbidden", "the host in the request target differs from the Host header"
        )


def _is_trusted(host: str, settings: Settings) -> bool:
    """Return whether the operator trusts pages on this host, on any port.

    Only for HTTP: the name of an origin with HTTPS proves nothing about a page without TLS.
    """
    name = re.sub(_PORT + "$", "", f"http://{host}")
    return name in [re.sub(_PORT + "$", "", origin) for origin in settings.control_origin]


def _is_loopback(peer: str) -> bool:
    """Return whether an address is a loopback address; an unknown one may be empty."""
    try:
        return ip_address(peer.partition("%")[0]).is_loopback
    except ValueError:
        return False
