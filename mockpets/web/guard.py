"""Who may call the part of the control API that tells or changes something.

For now that is whoever is on this machine and is not a foreign web page. A page that a developer
visits can send requests here, also without CORS, and a name that it controls can be made to point
at a loopback address; so the Host must be a name or address that no page can come from, and the
browser must not say that the request crosses sites (Fetch Metadata; Origin, RFC 6454).
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from mockpets.errors import Refusal
from mockpets.web.cors import LOCAL_ORIGIN

if TYPE_CHECKING:
    from mockpets.web.messages import Request

__all__ = ["check_caller"]

_HOST = r"(?:[a-z0-9-]+\.)*localhost|[0-9.]+|\[[0-9a-f:.]+\]"
_PORT = r"(?::[0-9]{1,5})?"


def check_caller(request: Request) -> None:
    """Let a request to the control API pass.

    :raise Refusal: ``forbidden``; ``invalid_request`` for a body that is no JSON.
    """
    peer = request.remote_addr
    if peer is not None and not _is_loopback(peer):
        raise Refusal("forbidden", "the control API answers only callers on its own machine")
    host = request.headers.get("Host", "")
    if not re.fullmatch(f"(?:{_HOST}){_PORT}", host.lower()):
        raise Refusal(
            "forbidden",
            f"the control API is not called by the name {host[:80]!r}: use localhost or an address",
        )
    # A target in absolute form names a host too (RFC 9112, 3.2.2).
    target = urlsplit(request.environ.get("REQUEST_URI", ""))
    if target.netloc and target.netloc.lower() != host.lower():
        raise Refusal("forbidden", "the request's target names another host than its Host header")
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site is not None:
        foreign = site not in ("same-origin", "same-site", "none")
    else:
        foreign = origin is not None and not re.fullmatch(LOCAL_ORIGIN, origin)
    if foreign:
        raise Refusal("forbidden", "the control API does not answer web pages of other sites")
    if request.get_data() and request.mimetype != "application/json":
        raise Refusal("invalid_request", "a body of the control API must be application/json")


def _is_loopback(peer: str) -> bool:
    """Whether an address is this machine's own; a hosting server may give none that can be read."""
    try:
        return ip_address(peer.partition("%")[0]).is_loopback
    except ValueError:
        return False
